"""Inverse operational space inertia, J M^-1 J* = B* Omega B with Omega = Psi* H* D^-1 H Psi, without J or M.

The diagonal blocks of Omega follow from base to tip, the others by carrying them from the body where two paths meet:

    Upsilon(k) = Psi*(p, k) Upsilon(p) Psi(p, k) + H* D^-1 H        Omega(i, j) = Psi*(a, i) Upsilon(a) Psi(a, j)

Upsilon(k) is the compliance of body k: its acceleration for a unit force on it. A flexible body is crossed at an entry
x (the attachment node of a child, or a frame) with the quantities of `ports`:

    P_x = B_x - B W C_x        E_xy = Pi_x Lam Pi_y* - C_x* W C_y        C_x = Pi_t Lam Pi_x* of all ports

P_x refers forces to its origin with the modes free, E_xy is what these let one entry move for a force at another. The
cost is linear in the bodies, and for m frames there are m^2 blocks beside.
"""

from __future__ import annotations

from supple.engines.kernels import step, sweep
from supple.recursions.articulated import articulated_inertias, singular_dof
from supple.recursions.composite import configuration_step
from supple.recursions.flexible_entries import (
    entry_compliance,
    frame_entry_step,
    is_flexible_entry,
    port_entry_step,
    store_block_column,
)
from supple.recursions.frame_paths import FramePaths, PathWorkspace
from supple.recursions.frames import frame_in_body, frame_node
from supple.recursions.kinematics import pose_step
from supple.recursions.nodes import shift_force
from supple.recursions.port_matrices import block_column, block_times, block_transposed_times
from supple.recursions.tree import Array, Flex, Tree, Workspace
from supple.spatial import (
    Mat3,
    Vec3,
    Vec6,
    add,
    add6,
    add_scaled,
    angular,
    dot6,
    force_to_parent,
    join,
    linear,
    load3,
    load6,
    load9,
    motion_to_child,
    rotate,
    scale,
    unrotate,
)


@step
def block_row(A: Array, k: int, i: int) -> Vec6:
    """Row i of the 6x6 matrix in row k of an (n, 36) array."""
    j = 6 * i
    return A[k, j], A[k, j + 1], A[k, j + 2], A[k, j + 3], A[k, j + 4], A[k, j + 5]


@step
def store_block_row(A: Array, k: int, i: int, x: Vec6) -> None:
    """Write row i of the 6x6 matrix in row k of an (n, 36) array."""
    for j in range(6):
        A[k, 6 * i + j] = x[j]


@step
def inboard_compliance(
    tree: Tree, flex: Flex | None, paths: FramePaths, k: int, ws: Workspace, pw: PathWorkspace
) -> None:
    """Compliance of the place that carries body k, in parent axes, into its row of upsilon. Given the parent's."""
    p = tree.parent[k]
    if flex is not None and flex.attachment[k] >= 0:
        port_entry_step(flex, p, k, ws.flex, pw)
        for j in range(6):
            moved = block_times(pw.upsilon, p, block_column(pw.through, k, j))
            own = entry_compliance(tree, flex, paths, p, k, k, load6(pw.units, j), ws.flex, pw)
            store_block_column(pw.upsilon, k, j, add6(block_transposed_times(pw.through, k, moved), own))
        return
    for j in range(36):
        pw.upsilon[k, j] = pw.upsilon[p, j]


@step
def compliance_step(
    tree: Tree, flex: Flex | None, paths: FramePaths, k: int, given: Array, ws: Workspace, pw: PathWorkspace
) -> None:
    """Upsilon(k), each degree of freedom by itself, first to last: (I - h* g*) Upsilon (I - g h) + h* h / D.

    Given Upsilon of the parent, R, l, H, D, G. Prescribed degrees of freedom add nothing. Cost: 324 products, and 120 a
    degree of freedom.
    """
    inboard_compliance(tree, flex, paths, k, ws, pw)
    R, l = load9(ws.R, k), load3(ws.l, k)
    for j in range(6):
        store_block_column(pw.upsilon, k, j, motion_to_child(R, l, block_column(pw.upsilon, k, j)))
    for j in range(6):
        store_block_row(pw.upsilon, k, j, motion_to_child(R, l, block_row(pw.upsilon, k, j)))
    for i in range(tree.v_first[k], tree.v_mode[k]):
        if not given[i]:
            h, g = load6(ws.H, i), load6(ws.G, i)
            u = block_times(pw.upsilon, k, g)
            w = add_scaled(u, -0.5 * (dot6(g, u) + 1 / ws.D[i]), h)
            for j in range(6):
                changed = add_scaled(add_scaled(block_row(pw.upsilon, k, j), -h[j], w), -w[j], h)
                store_block_row(pw.upsilon, k, j, changed)


@step
def entered(tree: Tree, flex: Flex | None, paths: FramePaths, e: int, z: Vec6, pw: PathWorkspace) -> Vec6:
    """A force at an entry, referred to the origin of its body with the modes free. Given through."""
    if is_flexible_entry(tree, flex, paths, e):
        return block_times(pw.through, e, z)
    return z


@step
def carry_step(tree: Tree, flex: Flex | None, k: int, j: int, given: Array, ws: Workspace, pw: PathWorkspace) -> None:
    """Psi z of forces z at the origin of body k, referred to the place on its parent that carries it, in edge(j).

    Given G. Cost: 132 products, and 72 a degree of freedom.
    """
    R, l = load9(ws.R, k), load3(ws.l, k)
    for n in range(6):
        z = block_column(pw.edge, j, n)
        for i in range(tree.v_mode[k] - 1, tree.v_first[k] - 1, -1):
            if not given[i]:
                z = add_scaled(z, -dot6(load6(ws.H, i), z), load6(ws.G, i))
        store_block_column(pw.edge, j, n, force_to_parent(R, l, z))


@step
def enter_step(tree: Tree, flex: Flex | None, paths: FramePaths, k: int, j: int, pw: PathWorkspace) -> None:
    """Forces at the place that carries body k, referred to the origin of its parent, in edge(j). Given through."""
    if is_flexible_entry(tree, flex, paths, k):
        for n in range(6):
            store_block_column(pw.edge, j, n, block_times(pw.through, k, block_column(pw.edge, j, n)))


@step
def edge_step(
    tree: Tree, flex: Flex | None, paths: FramePaths, j: int, given: Array, ws: Workspace, pw: PathWorkspace
) -> None:
    """Forces at the origin of junction j, referred to its entry at the next one. Given G, through. Computes edge."""
    for n in range(6):
        store_block_column(pw.edge, j, n, load6(pw.units, n))
    k, stop = paths.junction[j], paths.junction[paths.inner[j]]
    carry_step(tree, flex, k, j, given, ws, pw)
    while tree.parent[k] != stop:
        enter_step(tree, flex, paths, k, j, pw)
        k = tree.parent[k]
        carry_step(tree, flex, k, j, given, ws, pw)


@step
def in_body_axes(grounded: bool, R: Mat3, R_ground: Mat3, x: Vec3) -> Vec3:
    """A vector in ground axes, or in those of a frame, in the axes of its body."""
    if grounded:
        return unrotate(R_ground, x)
    return rotate(R, x)


@step
def frame_path_step(
    tree: Tree, flex: Flex | None, paths: FramePaths, f: int, q: Array, grounded: bool, ws: Workspace, pw: PathWorkspace
) -> None:
    """Forces at frame f, referred to its entry at each junction on its path. Given edge, through. Computes U."""
    frames, e = paths.frames, len(tree.parent) + f
    j = paths.of_frame[f]
    R, arm = frame_in_body(flex, frames, f, q, False, ws.flex)
    R_ground = load9(ws.R_ground, frames.body[f])
    if flex is not None and frames.shape_row[f] >= 0:
        frame_entry_step(flex, paths, f, e, q, ws.flex, pw)
        _, _, l = frame_node(flex, frames, f, q, False, ws.flex)
        arm = add(arm, scale(-1, l))
    for n in range(6):
        u = load6(pw.units, n)
        moment = in_body_axes(grounded, R, R_ground, angular(u))
        force = in_body_axes(grounded, R, R_ground, linear(u))
        store_block_column(pw.U[f], j, n, shift_force(arm, join(moment, force)))
    while paths.inner[j] >= 0:
        inner = paths.inner[j]
        for n in range(6):
            z = entered(tree, flex, paths, e, block_column(pw.U[f], j, n), pw)
            store_block_column(pw.U[f], inner, n, block_times(pw.edge, j, z))
        e, j = paths.child[j], inner


@step
def pair_step(
    tree: Tree, flex: Flex | None, paths: FramePaths, f: int, g: int, ws: Workspace, pw: PathWorkspace, out: Array
) -> None:
    """The block of frames f and g: U_x* (P_x* Upsilon P_y + E_xy) U_y at the junction where their paths meet."""
    j = paths.meeting[f, g]
    if j < 0:
        return
    k = paths.junction[j]
    x, y = paths.entry[f, g], paths.entry[g, f]
    for n in range(6):
        u = block_column(pw.U[g], j, n)
        z = block_times(pw.upsilon, k, entered(tree, flex, paths, y, u, pw))
        if flex is not None and is_flexible_entry(tree, flex, paths, x):
            z = block_transposed_times(pw.through, x, z)
            if is_flexible_entry(tree, flex, paths, y):
                z = add6(z, entry_compliance(tree, flex, paths, k, x, y, u, ws.flex, pw))
        z = block_transposed_times(pw.U[f], j, z)
        for i in range(6):
            out[6 * f + i, 6 * g + n] = z[i]
            out[6 * g + n, 6 * f + i] = z[i]


@step
def path_inertias(tree: Tree, flex: Flex | None, q: Array, given: Array, ws: Workspace) -> None:
    """Where the bodies are, and their articulated inertias. Computes R, l, H, P, D, G."""
    for k in range(1, len(tree.parent)):
        configuration_step(tree, flex, k, q, ws)
    articulated_inertias(tree, flex, given, ws)


@step
def path_compliances(
    tree: Tree,
    flex: Flex | None,
    paths: FramePaths,
    q: Array,
    given: Array,
    grounded: bool,
    ws: Workspace,
    pw: PathWorkspace,
    out: Array,
) -> None:
    """All blocks of J M^-1 J* (6 m, 6 m) of one configuration; those of paths that do not meet stay as they are.

    Given what `path_inertias` computes.
    """
    for i in range(len(paths.body)):
        compliance_step(tree, flex, paths, paths.body[i], given, ws, pw)
        pose_step(tree, flex, paths.body[i], q, ws)
    for j in range(len(paths.junction)):
        if paths.inner[j] >= 0:
            edge_step(tree, flex, paths, j, given, ws, pw)
    for f in range(len(paths.of_frame)):
        if paths.of_frame[f] >= 0:
            frame_path_step(tree, flex, paths, f, q, grounded, ws, pw)
            for g in range(f + 1):
                pair_step(tree, flex, paths, f, g, ws, pw, out)


@sweep
def inverse_operational_inertia(
    tree: Tree,
    flex: Flex | None,
    paths: FramePaths,
    q: Array,
    given: Array,
    grounded: bool,
    ws: Workspace,
    pw: PathWorkspace,
    out: Array,
) -> int:
    """J M^-1 J* (s, 6 m, 6 m) of m frames for a batch of coordinates, zero before; in ground axes or those of frames.

    Return 0, or 1 + the degree of freedom that has no inertia. Degrees of freedom that are `given` do not move.
    """
    for s in range(len(q)):
        path_inertias(tree, flex, q[s], given, ws)
        fault = singular_dof(given, ws)
        if fault > 0:
            return fault
        path_compliances(tree, flex, paths, q[s], given, grounded, ws, pw, out[s])
    return 0
