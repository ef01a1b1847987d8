"""How forces enter a flexible body whose modes are free, at an attachment node of a child or at a frame.

See `operational_space` for the formulas, `frame_paths` for the numbering of entries.
"""

from __future__ import annotations

from supple.engines.kernels import step
from supple.recursions.frame_paths import FramePaths, PathWorkspace
from supple.recursions.frames import frame_node
from supple.recursions.nodes import add_modal_force, deformation_rate, shift_force, turned_motion
from supple.recursions.port_matrices import block_times
from supple.recursions.ports import modal_response
from supple.recursions.second_order_compliance import lam_times
from supple.recursions.tree import Array, Flex, FlexWorkspace, Tree
from supple.spatial import (
    Mat3,
    Number,
    Vec6,
    add6,
    add_scaled,
    angular,
    dot6,
    join,
    linear,
    load6,
    load9,
    scale6,
    store,
    unrotate,
)


@step
def seen_by_modes(Q: Mat3, f: Vec6) -> Vec6:
    """A force at a node as its modes see it, the transpose of `turned_motion`."""
    return join(unrotate(Q, angular(f)), linear(f))


@step
def store_block_column(A: Array, k: int, j: int, x: Vec6) -> None:
    """Write column j of the 6x6 matrix in row k of an (n, 36) array."""
    for i in range(6):
        A[k, 6 * i + j] = x[i]


@step
def cross_column(C: Array, p: int, j: int) -> Vec6:
    """Rows of port p in column j of C_x."""
    i = 6 * p
    return C[i, j], C[i + 1, j], C[i + 2, j], C[i + 3, j], C[i + 4, j], C[i + 5, j]


@step
def is_flexible_entry(tree: Tree, flex: Flex | None, paths: FramePaths, e: int) -> bool:
    """Whether an entry moves with modes; others are fixed to the frame of their body."""
    if flex is None:
        return False
    rows = len(tree.parent)
    row: int = paths.frames.shape_row[e - rows] if e >= rows else flex.attachment[e]
    return row >= 0


@step
def port_number(flex: Flex, k: int, c: int) -> int:
    """Which of the ports of body k carries child c."""
    p: int = 0
    while flex.port_child[flex.port_first[k] + p] != c:
        p += 1
    return p


@step
def less_ports(flex: Flex, k: int, C: Array, j: int, z: Vec6, w: FlexWorkspace) -> Vec6:
    """z less column j of B W C_x. Given BW."""
    first = flex.port_first[k]
    for p in range(flex.port_first[k + 1] - first):
        z = add_scaled(z, -1, block_times(w.BW, flex.port_child[first + p], cross_column(C, p, j)))
    return z


@step
def in_columns(flex: Flex, k: int, p: int, j: int, x: Vec6) -> Number:
    """Entry j of F_0* x for a force x at port p of body k."""
    m = 6 * (flex.port_first[k + 1] - flex.port_first[k])
    total = 0.0 * x[0]
    for i in range(6):
        total = total + flex.column[flex.port_matrix[k] + (6 * p + i) * m + j] * x[i]
    return total


@step
def store_moved(flex: Flex, k: int, s: Array, C: Array, j: int) -> None:
    """Write F_0 s, motions of all ports of body k, into column j of C_x."""
    first, o = flex.port_first[k], flex.port_matrix[k]
    m = 6 * (flex.port_first[k + 1] - first)
    for i in range(m):
        C[i, j] = 0.0
        for l in range(flex.columns[k]):
            C[i, j] += flex.column[o + i * m + l] * s[l]


@step
def port_compliance(flex: Flex, k: int, p: int, x: Vec6, w: FlexWorkspace, s: Array) -> None:
    """s = R Lam' R* F_0* x for a force x at port p of body k: what F_0 makes motions of its ports of."""
    m = 6 * (flex.port_first[k + 1] - flex.port_first[k])
    n, o = flex.columns[k], flex.port_matrix[k]
    for l in range(n):
        s[l] = in_columns(flex, k, p, l, x)
    if flex.second_order[k] > 0:  # by its factors L D L*
        for l in range(n):
            for i in range(l + 1, n):
                s[l] += w.Omega[o + i * m + l] * s[i]
            s[l] *= w.Omega[o + l * m + l]
        for l in range(n - 1, -1, -1):
            for i in range(l):
                s[l] += w.Omega[o + l * m + i] * s[i]


@step
def port_entry_step(flex: Flex, k: int, c: int, w: FlexWorkspace, pw: PathWorkspace) -> None:
    """C_x and P_x of the port of child c on body k. Given node_Q, B, BW. Computes cross, through. Cost: no mode."""
    p = port_number(flex, k, c)
    for j in range(6):
        x = seen_by_modes(load9(w.node_Q, flex.attachment[c]), load6(pw.units, j))
        port_compliance(flex, k, p, x, w, w.work[0])
        store_moved(flex, k, w.work[0], pw.cross[c], j)
        store_block_column(pw.through, c, j, less_ports(flex, k, pw.cross[c], j, block_times(w.B, c, x), w))


@step
def frame_entry_step(
    flex: Flex, paths: FramePaths, f: int, e: int, q: Array, w: FlexWorkspace, pw: PathWorkspace
) -> None:
    """C_x and P_x of frame f, entry e. Given node_Q, participation, BW, xi, xi_slope. Computes Q, cross, through.

    Cost: 12 products a mode for each of six columns, and one for each column of F_0.
    """
    frames = paths.frames
    k, at = frames.body[f], frames.shape_row[f]
    _, Q, l = frame_node(flex, frames, f, q, False, w)
    store(pw.Q, f, Q)
    for j in range(6):
        u = load6(pw.units, j)
        x = seen_by_modes(Q, u)
        clear_modes(flex, k, w.column)
        add_modal_force(flex, k, frames.shape, at, 1.0, x, w, w.column)
        moved = modal_response(flex, k, w.column, w.work[0], w)
        store_moved(flex, k, w.work[0], pw.cross[e], j)
        z = add6(shift_force(l, u), scale6(-1, moved))
        store_block_column(pw.through, e, j, less_ports(flex, k, pw.cross[e], j, z, w))


@step
def clear_modes(flex: Flex, k: int, x: Array) -> None:
    """The modal entries of body k in x (all speeds) become zero."""
    for i in range(flex.v_mode[k], flex.v_mode[k] + flex.modes[k]):
        x[i] = 0.0


@step
def cross_transposed_times(C: Array, m: int, y: Array) -> Vec6:
    """C_x* y of all m rows of the ports."""
    out = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    for i in range(m):
        out = add_scaled(out, y[i], load6(C, i))
    return out


@step
def directly(
    tree: Tree, flex: Flex, paths: FramePaths, k: int, x: int, y: int, u: Vec6, w: FlexWorkspace, pw: PathWorkspace
) -> Vec6:
    """Pi_x Lam Pi_y* u of two entries of body k. Given cross; C_y u stands in the first row of `work`."""
    rows, frames = len(tree.parent), paths.frames
    if x < rows:
        i, c = 6 * port_number(flex, k, x), w.work[0]
        return turned_motion(
            load9(w.node_Q, flex.attachment[x]), (c[i], c[i + 1], c[i + 2], c[i + 3], c[i + 4], c[i + 5])
        )
    if y < rows:
        out = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
        first = 6 * port_number(flex, k, y)
        seen = seen_by_modes(load9(w.node_Q, flex.attachment[y]), u)
        for i in range(6):
            out = add_scaled(out, seen[i], load6(pw.cross[x], first + i))
        return out
    f, g = x - rows, y - rows
    clear_modes(flex, k, w.column)
    seen = seen_by_modes(load9(pw.Q, g), u)
    add_modal_force(flex, k, frames.shape, frames.shape_row[g], 1.0, seen, w, w.column)
    lam_times(flex, k, w.column, w)
    found = deformation_rate(flex, k, frames.shape, frames.shape_row[f], w.column, w)
    return turned_motion(load9(pw.Q, f), found)


@step
def entry_compliance(
    tree: Tree, flex: Flex, paths: FramePaths, k: int, x: int, y: int, u: Vec6, w: FlexWorkspace, pw: PathWorkspace
) -> Vec6:
    """E_xy u: what the modes of body k let entry x move for a force u at entry y. Given cross, W."""
    m = 6 * (flex.port_first[k + 1] - flex.port_first[k])
    o = flex.port_matrix[k]
    c, held = w.work[0], w.work[1]
    for i in range(m):
        c[i] = dot6(load6(pw.cross[y], i), u)
    for i in range(m):
        total = 0.0
        for j in range(m):
            total = total + w.W[o + i * m + j] * c[j]
        held[i] = total
    free = directly(tree, flex, paths, k, x, y, u, w, pw)
    return add_scaled(free, -1, cross_transposed_times(pw.cross[x], m, held))
