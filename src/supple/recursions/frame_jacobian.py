"""Jacobian of a frame: its velocity for a unit of each speed."""

from __future__ import annotations

from typing import Any

from supple.engines.kernels import step, sweep
from supple.recursions.frames import frame_in_body, frame_node
from supple.recursions.kinematics import joint_step
from supple.recursions.nodes import IDENTITY, modal_shape, node_shape, shift_motion, turned_motion
from supple.recursions.tree import Array, Flex, FlexWorkspace, Frames, Tree, Workspace
from supple.spatial import Mat3, Vec3, Vec6, add, load3, load6, load9, matmul, motion_to_child, rotate, scale


@step
def store_column(A: Array, i: int, x: Vec6) -> None:
    """Write a 6-vector into column i of a (6, n) array."""
    for j in range(6):
        A[j, i] = x[j]


@step
def modal_columns(flex: Flex, s: int, R: Mat3, l: Vec3, w: FlexWorkspace, J: Array) -> None:
    """Columns of J (6, nv) for the modes of the body of attachment s; R and l lead from the attachment to the point."""
    k = flex.attachment_body[s]
    for r in range(flex.modes[k]):
        store_column(J, flex.v_mode[k] + r, motion_to_child(R, l, node_shape(flex, s, r, w)))


@step
def own_columns(flex: Flex | None, frames: Frames, i: int, q: Array, p: Vec3, w: Any, J: Array) -> None:
    """Columns of J (6, nv) for the modes of the body of frame i, whose origin is at p."""
    if flex is not None and frames.shape_row[i] >= 0:
        k, row = frames.body[i], frames.shape_row[i]
        _, Q, l = frame_node(flex, frames, i, q, True, w)
        arm = add(p, scale(-1, l))
        for r in range(flex.modes[k]):
            own = turned_motion(Q, modal_shape(flex, k, frames.shape, row, r, w))
            store_column(J, flex.v_mode[k] + r, shift_motion(arm, own))


@step
def jacobian_columns(tree: Tree, flex: Flex | None, frames: Frames, i: int, q: Array, ws: Workspace, J: Array) -> None:
    """Velocity of the origin of frame i for a unit of each speed, in body axes: J (6, nv), zero off the path.

    A column is H of an ancestor, or the shape of its mode at the attachment node, carried outward by X* of each body
    between. Given R, l, H of the bodies on the path, and what follows their modes.
    """
    R = IDENTITY  # R_ancestor_body
    l = frame_in_body(flex, frames, i, q, True, ws.flex)[1]  # ancestor's origin to the frame's, ancestor axes
    own_columns(flex, frames, i, q, l, ws.flex, J)
    k = frames.body[i]
    while k > 0:
        for j in range(tree.v_first[k], tree.v_mode[k]):
            store_column(J, j, motion_to_child(R, l, load6(ws.H, j)))
        R_k = load9(ws.R, k)
        l = add(load3(ws.l, k), rotate(R_k, l))
        R = matmul(R_k, R)
        if flex is not None:
            t = flex.attachment[k]
            if t >= 0:
                modal_columns(flex, t, R, l, ws.flex, J)
                l = add(load3(ws.flex.node_l, t), l)
        k = tree.parent[k]


@sweep
def frame_jacobian(tree: Tree, flex: Flex | None, frames: Frames, i: int, q: Array, ws: Workspace, J: Array) -> None:
    """`jacobian_columns` for a batch of coordinates: J (s, 6, nv)."""
    for s in range(len(q)):
        for k in range(1, len(tree.parent)):
            joint_step(tree, flex, k, q[s], ws)
        jacobian_columns(tree, flex, frames, i, q[s], ws, J[s])
