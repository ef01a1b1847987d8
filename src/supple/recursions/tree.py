"""The constant arrays a recursion reads and the arrays it works in.

Bodies are numbered parent first, and number 0 is the ground, so that every loop over bodies runs from 1 and the
ground's motion (gravity as an upward acceleration) is a row like any other. The freedoms of body k are the speeds
`v_first[k] ... v_first[k + 1] - 1`: those of its joint, and from `v_mode[k]` on those of its deformation. A rigid body
is a flexible one without the latter.

A node of a flexible body that carries a child is an attachment node: its motion is that of the body frame plus shapes
times modal speeds. So are those of frames with springs, wrenches or constraints. What a mode is (an eigenmode, a
displacement of a node) does not matter here.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

Array = np.ndarray[Any, Any]

# How the rotation of a joint is described (`Tree.rotation_kind`).
NO_ROTATION = 0  # none
ONE_AXIS = 1  # an angle about `axes[0]`; the speed is its rate; `pitch` metres along the axis a radian
TWO_AXES = 2  # angles about `axes[0]`, then `axes[1]`; the speeds are their rates
THREE_AXES = 3  # angles about three axes in turn; the speeds are the angular velocity in body axes
QUATERNION = 4  # a quaternion x, y, z, w; the speeds are the angular velocity in body axes


class Frames(NamedTuple):
    """Frames on bodies as flat arrays. Never written to."""

    body: Array
    """(frames,) the body that a frame is on."""
    position: Array
    """(frames, 3) origin in the body's frame, or from the node and in its axes, m."""
    rotation: Array
    """(frames, 9) R_body_frame, or R_node_frame."""
    node_position: Array
    """(frames, 3) the node that it moves with, in the undeformed body's frame, m; zero if there is none."""
    shape_row: Array
    """(frames,) where the shapes of that node begin; -1 of a frame that moves with its body's frame."""
    shape: Array
    """(rows, 6) Pi of (3.17): rotation and displacement of nodes for a unit of each mode, then of each second-order
    shape."""


class Tree(NamedTuple):
    """A model as flat arrays; n bodies and the ground, nv speeds. Never written to."""

    parent: Array
    """(n + 1,) number of the parent body; the ground is its own parent."""
    v_first: Array
    """(n + 2,) first speed of each body."""
    rotation_kind: Array
    """(n + 1,) one of the constants above."""
    translations: Array
    """(n + 1,) number of translations, 0 to 3; with three, the speeds are the velocity in body axes."""
    q_rotation: Array
    """(n + 1,) first rotational coordinate."""
    q_translation: Array
    """(n + 1,) first translational coordinate."""
    v_rotation: Array
    """(n + 1,) first rotational speed."""
    v_translation: Array
    """(n + 1,) first translational speed."""
    rotation: Array
    """(n + 1, 9) R_parent_joint: the joint frame in the parent's."""
    position: Array
    """(n + 1, 3) origin of the joint frame in the parent's, m."""
    axes: Array
    """(n + 1, 9) up to three rotation axes, unit vectors in the joint frame."""
    pitch: Array
    """(n + 1,) advance of a screw, m/rad."""
    directions: Array
    """(n + 1, 9) up to three translation directions, unit vectors in the joint frame."""
    rates: Array
    """(n + 1, 9) inverse of the matrix whose columns are three directions: body-axis velocity to coordinate rates."""
    mass: Array
    """(n + 1,) kg."""
    moment: Array
    """(n + 1, 3) mass times the centre of mass, in the body frame, kg m."""
    inertia: Array
    """(n + 1, 6) xx, xy, xz, yy, yz, zz about the body frame's origin, kg m^2."""
    v_parent: Array
    """(nv,) next speed towards the ground, in the same joint or an ancestor's; -1 at the end."""
    q_of_speed: Array
    """(nv,) coordinate whose rate a speed is; -1 where there is none (body axes)."""
    joint_inertia: Array
    """(nv,) inertia that turns with the joint alone (rotors, reflected motors), kg m^2 or kg."""
    stiffness: Array
    """(nv,) joint spring, N m/rad or N/m."""
    rest: Array
    """(nv,) coordinate at which that spring is free."""
    damping: Array
    """(nv,) joint damper, N m s/rad or N s/m."""
    gravity: Array
    """(3,) m/s^2, in the ground frame."""
    v_mode: Array
    """(n + 1,) first modal speed: the end of the joint's speeds."""
    frames: Frames
    """The frames that springs, wrenches and constraints are on, by number."""
    spring_frames: Array
    """(springs, 2) frames whose origins a point-to-point spring-damper joins."""
    spring_constants: Array
    """(springs, 3) stiffness N/m, damping N s/m, free length m."""
    wrench_frame: Array
    """(wrenches,) frame at whose origin a constant wrench acts, in its axes."""
    wrench_grounded: Array
    """(wrenches,) whether the axes are those of the ground instead."""
    wrench_value: Array
    """(wrenches, 6) moment N m, force N."""


class Flex(NamedTuple):
    """The flexible bodies of a model as flat arrays; a rigid model has None in its place. Never written to."""

    modes: Array
    """(n + 1,) number of modal coordinates of each body; zero for a rigid one."""
    q_mode: Array
    """(n + 1,) first modal coordinate."""
    v_mode: Array
    """(n + 1,) that of `Tree`."""
    full: Array
    """(n + 1,) whether terms that depend on the deformation are kept; without them the model is that of (8.1)."""
    second_order: Array
    """(n + 1,) number of shapes b of each body that follow its modes, p = x + Psi eta + b xi; see `second_order`."""
    massive: Array
    """(n + 1,) how many of them move mass beside the modes, one each: the first ones."""
    xi_first: Array
    """(n + 1,) where their coordinates xi stand among all."""
    mode_row: Array
    """(n + 1,) where the modes of a body, then its shapes b, stand in the following arrays of rows; like bodies share
    theirs."""
    mode_momentum: Array
    """(rows, 3) E(r) = int Psi_r, kg."""
    mode_second: Array
    """(rows, 9) X(r) = int x Psi_r*, kg m."""
    mode_participation: Array
    """(rows, 6) Lam M_fr of the undeformed body: modal accelerations that a unit acceleration of the frame undoes."""
    pair_first: Array
    """(rows + 1,) where the blocks N(s, r) of each row r begin."""
    pair_mode: Array
    """(blocks,) their s."""
    pair_value: Array
    """(blocks, 9) N(s, r) = int Psi_s Psi_r*, kg."""
    pair_axial: Array
    """(blocks, 3) ax(N(s, r)) = int Psi_s x Psi_r."""
    shape_pair_first: Array
    """(rows + 1,) where the blocks N(b_j, r) of each row r begin."""
    shape_pair_number: Array
    """(blocks,) their j."""
    shape_pair_value: Array
    """(blocks, 9) N(b_j, r) = int b_j Psi_r*, kg."""
    shape_pair_axial: Array
    """(blocks, 3) ax(N(b_j, r))."""
    curvature_first: Array
    """(rows + 1,) where the entries of each row r of the matrices C_j begin: xi_j = eta* C_j eta / 2."""
    curvature_mode: Array
    """(entries,) their columns."""
    curvature_value: Array
    """(entries, most shapes) C_j, all j side by side."""
    shape_mass: Array
    """(rows, most shapes) Psi* M b in the rows of modes, b* M b in those of shapes, kg."""
    shape_reduction: Array
    """(rows, most shapes) c = Lam Psi* M b in the rows of modes; b* M b - c* Lam^-1 c is the identity, or zero."""
    offdiagonal_first: Array
    """(rows + 1,) where the entries off the diagonal of each row begin; nodal coordinates have them, modes do not."""
    offdiagonal_mode: Array
    """(entries,) their columns."""
    offdiagonal_value: Array
    """(entries, 3) mass G, stiffness K, damping C. The diagonals are in `joint_inertia`, `stiffness`, `damping`."""
    factor_first: Array
    """(rows + 1,) where the entries below the diagonal of each row of L begin: Lam = G^-1 = L^-* factor_scale L^-1."""
    factor_mode: Array
    """(entries,) their columns."""
    factor_value: Array
    """(entries,) L."""
    factor_scale: Array
    """(rows,) one over the diagonal factor; one for modes."""
    condensed_inertia: Array
    """(n + 1, 21) M_rr - M_rf Lam M_fr of the undeformed body: what is left with its modes free."""
    attachment: Array
    """(n + 1,) the attachment node that carries the joint of body k; -1 where the parent is rigid."""
    attachment_body: Array
    """(attachment nodes,) body that an attachment node is on."""
    attachment_row: Array
    """(attachment nodes,) where its shapes stand in the following arrays of rows."""
    attachment_position: Array
    """(attachments, 3) the node in the undeformed body's frame, m. Positions of joints and points are from the node."""
    attachment_shape: Array
    """(rows, 6) Pi_t of (3.17): rotation and displacement of the node for a unit of each mode, then of each shape b."""
    attachment_rest: Array
    """(n + 1, 36) phi(k, t) - M_rf Lam Pi_t* for the attachment node of body k, of the undeformed parent."""
    port_first: Array
    """(n + 2,) where the children on attachment nodes of each body begin."""
    port_child: Array
    """(ports,) their numbers."""
    port_matrix: Array
    """(n + 2,) where the following matrices of each body begin; 6 rows and columns a port."""
    column: Array
    """(entries,) F_0, rows of all ports, lower triangular in the order of `port_order`: Pi_t = F_0 R."""
    columns: Array
    """(n + 1,) how many there are; those from `leading` on are moved by second-order shapes alone."""
    leading: Array
    """(n + 1,) rank of Omega = Pi_t Lam Pi_t* of the undeformed body, which is F_0 F_0* of these columns."""
    heavy: Array
    """(n + 1,) whether its children weigh so much more than the body that modes tell their motion badly."""
    port_order: Array
    """(6 ports,) the rows of F of each body in the order in which it is triangular: first those with the diagonal
    entries of its leading columns, then those that depend on these."""
    gain_first: Array
    """(n + 2,) where the following of each body begin; a row for each mode, then shape, 6 entries a port."""
    port_shape: Array
    """(entries,) R*: what the modes and, from their last row on, the shapes b add to the columns of F_0."""
    port_gain: Array
    """(entries,) Lam R* of the undeformed body: Ups = Lam Pi_t* of (7.8) is that times F_0*."""


class FlexWorkspace(NamedTuple):
    """What a recursion computes of flexible bodies, in body axes. One for each thread; None for a rigid model."""

    moment: Array
    """(n + 1, 3) mass times the centre of mass of a flexible body as it is. By `modal.inertia_of_modes`."""
    inertia: Array
    """(n + 1, 6) inertia of a flexible body as it is, about its origin. By `modal.inertia_of_modes`."""
    second: Array
    """(nv, 9) Z(r) = int (x + u) Psi_r* of the modes. By `modal.inertia_of_modes`."""
    coupling: Array
    """(nv, 6) M_rf(r): momentum at the frame of a unit speed of each mode. By `modal.inertia_of_modes`."""
    modal: Array
    """(nv,) gyroscopic and applied forces on the modes, b_m of (3.39). By `forces.loaded_motion`."""
    X: Array
    """(nv, 6) force R(k) H*(i) of each degree of freedom, carried inward (5.5). By `composite.mass`."""
    participation: Array
    """(nv, 6) LM = Lam M_fr, without what follows the modes. By `ports.schur_step`."""
    node_l: Array
    """(attachment nodes, 3) the attachment node in its body's frame. By `nodes.node_step`."""
    node_R: Array
    """(attachment nodes, 9) how the attachment node has turned. By `nodes.node_step`."""
    node_Q: Array
    """(attachment nodes, 9) angular velocity from the rates of its rotation vector. By `nodes.node_step`."""
    node_rate: Array
    """(attachment nodes, 6) its velocity relative to the body frame. By `nodes.node_rate_step`."""
    Gamma: Array
    """(n + 1, 21) articulated or composite inertia that body k brings to its attachment node, in parent axes. By
    `ports.port_step` as the modes see it."""
    z: Array
    """(n + 1, 6) z+(k) at its attachment node; later what of it the body takes, as the modes see it."""
    B: Array
    """(n + 1, 36) phi(k, t) - M_rf Ups for the attachment node of body k. By `ports.schur_step`."""
    BW: Array
    """(n + 1, 36) B W, the block of body k. By `ports.port_step`."""
    W: Array
    """(entries,) W = (I + Gamma Omega)^-1 Gamma of each flexible body. By `ports.port_step`."""
    GF: Array
    """(entries,) Gamma F of each flexible body. By `port_matrices.through_step`."""
    port_momentum: Array
    """(entries,) M_rf Lam R*, six rows. By `ports.momentum_of_columns`."""
    port_response: Array
    """(6 ports,) R Lam e of each flexible body. By `ports.port_forces`."""
    port_seen: Array
    """(n + 1, 6) z+(k) at its attachment node, as the modes see it. By `ports.port_forces`."""
    S: Array
    """(entries,) factors of D^-1 + F* Gamma F. By `port_matrices.through_step`."""
    Omega: Array
    """(entries,) R Lam R* of bodies with second-order shapes, factored as L D L*. By `port_shapes.port_shape_step`."""
    F: Array
    """(entries,) F_0 L of such bodies. By `port_shapes.port_shape_step`."""
    trailing: Array
    """(entries,) how their trailing columns pass forces on. By `port_matrices.trailing_step`."""
    port_raw: Array
    """(entries,) A~ Lam_0 P_1* of such bodies, in the rows of shapes. By `port_shapes.column_slopes`."""
    port_hat: Array
    """(entries,) A~ Lam_0 R* of such bodies, in the rows of shapes. By `port_shapes.column_slopes`."""
    port_left: Array
    """(entries,) that, with the lower factor of S eliminated. By `port_shapes.port_shape_step`."""
    xi: Array
    """(shapes,) coordinates of the second-order shapes. By `second_order.second_order_step`."""
    xi_slope: Array
    """(nv, most shapes) A* with A = C eta: dxi / dt = A deta / dt. By `second_order.second_order_step`."""
    xi_rate: Array
    """(shapes,) dxi / dt. By `second_order.second_order_rate_step`."""
    xi_bias: Array
    """(shapes,) what d^2 xi / dt^2 has beside A d^2 eta / dt^2. By `second_order.second_order_rate_step`."""
    xi_second: Array
    """(shapes, 9) Z of the second-order shapes. By `modal.inertia_of_modes`."""
    xi_reduced: Array
    """(nv, most shapes) A~* of `second_order_compliance`, and by its `lam_step`."""
    xi_gain: Array
    """(nv, most shapes) Lam_0 A~*. By `second_order_compliance.lam_step`."""
    xi_Q: Array
    """(shapes, most shapes) Q. By `second_order_compliance.lam_step`."""
    xi_S: Array
    """(shapes, most shapes) factors of S = I + Q of shapes with mass. By `second_order_compliance.lam_step`."""
    shape_momentum: Array
    """(shapes, 6) D. By `second_order_compliance.shape_momentum_step`."""
    shape_raw: Array
    """(shapes, 6) A~ Lam_0 M_0*. By `second_order_compliance.shape_momentum_step`."""
    shape_left: Array
    """(shapes, 6) U = D - A~ Lam_0 M_0*. By `second_order_compliance.shape_momentum_step`."""
    shape_gain: Array
    """(shapes, 6) S^-1 U. By `second_order_compliance.shape_momentum_step`."""
    xi_work: Array
    """(2, shapes) of use within a step only."""
    xi_matrix: Array
    """(most shapes, most shapes) of use within a step only."""
    work: Array
    """(3, most rows) of use within a step only."""
    column: Array
    """(nv,) of use within a step only."""


class Workspace(NamedTuple):
    """What a recursion computes on its way; all in body axes, at body origins. One for each thread."""

    R: Array
    """(n + 1, 9) R_parent_body. By `kinematics.joint_step`."""
    l: Array
    """(n + 1, 3) parent's origin or attachment to the body's origin, in parent axes. By `kinematics.joint_step`."""
    H: Array
    """(nv, 6) rows of the joint map H(k): the motion one speed gives. By `kinematics.joint_step`."""
    omega: Array
    """(n + 1, 3) angular velocity. By `kinematics.velocity_step`."""
    R_ground: Array
    """(n + 1, 9) R_ground_body. By `kinematics.pose_step`."""
    p_ground: Array
    """(n + 1, 3) origin of the body in the ground frame. By `kinematics.pose_step`."""
    V: Array
    """(n + 1, 6) velocity of the body frame. By `kinematics.twist_step`."""
    bias: Array
    """(n + 1, 6) Coriolis acceleration a(k) (3.27). By `kinematics.velocity_step`."""
    load: Array
    """(n + 1, 6) gyroscopic force b(k) (3.33) less what is applied. By `forces.loaded_motion`."""
    alpha: Array
    """(n + 1, 6) acceleration of the body frame less gravity; the ground's row holds -g."""
    f: Array
    """(n + 1, 6) force across the inboard joint, f(k) of (4.1), or the articulated bias z(k) of (7.2)."""
    P: Array
    """(n + 1, 21) articulated or composite inertia at the joint, P(k) of (6.1) or R(k) of (5.2)."""
    G: Array
    """(nv, 6) Kalman gain of each degree of freedom, P H* D^-1; for a prescribed acceleration, P H*."""
    D: Array
    """(nv,) innovation of each degree of freedom, D = H P H* + joint inertia."""
    size: Array
    """(nv,) inertia around each degree of freedom, against which D is judged."""
    eps: Array
    """(nv,) force left for each degree of freedom, eps of (7.2)."""
    flex: Any
    """What belongs to flexible bodies, a `FlexWorkspace`; None for a rigid model."""


class Sizes(NamedTuple):
    """What decides the shapes of a workspace."""

    bodies: int
    speeds: int
    flexible: bool = False
    attachments: int = 0
    port_entries: int = 0
    port_rows: int = 0
    widest: int = 0
    gain_entries: int = 0
    shapes: int = 0
    most_shapes: int = 0


def sizes(tree: Tree, flex: Flex | None) -> Sizes:
    """Sizes of a model's workspace."""
    bodies, speeds = len(tree.parent) - 1, len(tree.v_parent)
    if flex is None:
        return Sizes(bodies, speeds)
    widest = 6 * int((flex.port_first[1:] - flex.port_first[:-1]).max(initial=0))
    return Sizes(
        bodies,
        speeds,
        True,
        len(flex.attachment_body),
        len(flex.column),
        6 * len(flex.port_child),
        widest,
        len(flex.port_gain),
        int(flex.second_order.sum()),
        int(flex.second_order.max(initial=0)),
    )


def workspace(size: Sizes, dtype: Any) -> Workspace:
    """New arrays."""
    rows, speeds = size.bodies + 1, size.speeds
    return Workspace(
        R=np.zeros((rows, 9), dtype),
        l=np.zeros((rows, 3), dtype),
        H=np.zeros((speeds, 6), dtype),
        omega=np.zeros((rows, 3), dtype),
        R_ground=np.tile(np.eye(3, dtype=dtype).reshape(9), (rows, 1)),
        p_ground=np.zeros((rows, 3), dtype),
        V=np.zeros((rows, 6), dtype),
        bias=np.zeros((rows, 6), dtype),
        load=np.zeros((rows, 6), dtype),
        alpha=np.zeros((rows, 6), dtype),
        f=np.zeros((rows, 6), dtype),
        P=np.zeros((rows, 21), dtype),
        G=np.zeros((speeds, 6), dtype),
        D=np.zeros(speeds, dtype),
        size=np.zeros(speeds, dtype),
        eps=np.zeros(speeds, dtype),
        flex=flex_workspace(size, dtype) if size.flexible else None,
    )


def flex_workspace(size: Sizes, dtype: Any) -> FlexWorkspace:
    """New arrays for flexible bodies."""
    rows, speeds, attachments = size.bodies + 1, size.speeds, size.attachments
    return FlexWorkspace(
        moment=np.zeros((rows, 3), dtype),
        inertia=np.zeros((rows, 6), dtype),
        second=np.zeros((speeds, 9), dtype),
        coupling=np.zeros((speeds, 6), dtype),
        modal=np.zeros(speeds, dtype),
        X=np.zeros((speeds, 6), dtype),
        participation=np.zeros((speeds, 6), dtype),
        node_l=np.zeros((attachments, 3), dtype),
        node_R=np.zeros((attachments, 9), dtype),
        node_Q=np.zeros((attachments, 9), dtype),
        node_rate=np.zeros((attachments, 6), dtype),
        Gamma=np.zeros((rows, 21), dtype),
        z=np.zeros((rows, 6), dtype),
        B=np.zeros((rows, 36), dtype),
        BW=np.zeros((rows, 36), dtype),
        W=np.zeros(size.port_entries, dtype),
        GF=np.zeros(size.port_entries, dtype),
        port_momentum=np.zeros(size.port_entries, dtype),
        port_response=np.zeros(size.port_rows, dtype),
        port_seen=np.zeros((rows, 6), dtype),
        S=np.zeros(size.port_entries, dtype),
        Omega=np.zeros(size.port_entries, dtype),
        F=np.zeros(size.port_entries, dtype),
        trailing=np.zeros(size.port_entries, dtype),
        port_raw=np.zeros(size.gain_entries, dtype),
        port_hat=np.zeros(size.gain_entries, dtype),
        port_left=np.zeros(size.gain_entries, dtype),
        xi=np.zeros(size.shapes, dtype),
        xi_slope=np.zeros((speeds, size.most_shapes), dtype),
        xi_rate=np.zeros(size.shapes, dtype),
        xi_bias=np.zeros(size.shapes, dtype),
        xi_second=np.zeros((size.shapes, 9), dtype),
        xi_reduced=np.zeros((speeds, size.most_shapes), dtype),
        xi_gain=np.zeros((speeds, size.most_shapes), dtype),
        xi_Q=np.zeros((size.shapes, size.most_shapes), dtype),
        xi_S=np.zeros((size.shapes, size.most_shapes), dtype),
        shape_momentum=np.zeros((size.shapes, 6), dtype),
        shape_raw=np.zeros((size.shapes, 6), dtype),
        shape_left=np.zeros((size.shapes, 6), dtype),
        shape_gain=np.zeros((size.shapes, 6), dtype),
        xi_work=np.zeros((2, size.shapes), dtype),
        xi_matrix=np.zeros((size.most_shapes, size.most_shapes), dtype),
        work=np.zeros((3, size.widest), dtype),
        column=np.zeros(speeds, dtype),
    )
