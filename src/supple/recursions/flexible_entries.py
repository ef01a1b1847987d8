"""How forces enter a flexible body whose modes are free, at an attachment node of a child or at a frame.

See `operational_space` for the formulas, `frame_paths` for the numbering of entries.
"""

from __future__ import annotations

from supple.engines.kernels import step
from supple.recursions.frame_paths import FramePaths, PathWorkspace
from supple.recursions.frames import frame_node
from supple.recursions.nodes import shift_force, turned_motion
from supple.recursions.ports import block_column, block_times
from supple.recursions.tree import Array, Flex, FlexWorkspace, Tree
from supple.spatial import (
    Mat3,
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
def store_cross(C: Array, p: int, j: int, x: Vec6) -> None:
    """Write the rows of port p in column j of C_x."""
    for i in range(6):
        C[6 * p + i, j] = x[i]


@step
def less_ports(flex: Flex, k: int, C: Array, j: int, z: Vec6, w: FlexWorkspace) -> Vec6:
    """z less column j of B W C_x. Given BW."""
    first = flex.port_first[k]
    for p in range(flex.port_first[k + 1] - first):
        z = add_scaled(z, -1, block_times(w.BW, flex.port_child[first + p], cross_column(C, p, j)))
    return z


@step
def compliance_rows(flex: Flex, k: int, p: int, column: int, x: Vec6) -> Vec6:
    """Omega x for the rows of port p, x in the place of the port that begins at `column`."""
    m = 6 * (flex.port_first[k + 1] - flex.port_first[k])
    y = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    o = flex.port_matrix[k] + 6 * p * m + column
    for n in range(6):
        i = o + n
        c = flex.compliance
        y = add_scaled(y, x[n], (c[i], c[i + m], c[i + 2 * m], c[i + 3 * m], c[i + 4 * m], c[i + 5 * m]))
    return y


@step
def port_entry_step(flex: Flex, k: int, c: int, w: FlexWorkspace, pw: PathWorkspace) -> None:
    """C_x and P_x of the port of child c on body k. Given node_Q, B, BW. Computes cross, through. Cost: no mode."""
    first = flex.port_first[k]
    column = 6 * port_number(flex, k, c)
    for j in range(6):
        x = seen_by_modes(load9(w.node_Q, flex.attachment[c]), load6(pw.units, j))
        for p in range(flex.port_first[k + 1] - first):
            s = flex.attachment[flex.port_child[first + p]]
            store_cross(pw.cross[c], p, j, turned_motion(load9(w.node_Q, s), compliance_rows(flex, k, p, column, x)))
        store_block_column(pw.through, c, j, less_ports(flex, k, pw.cross[c], j, block_column(w.B, c, j), w))


@step
def shape_response(rows: Array, row: int, shapes: Array, at: int, modes: int, x: Vec6) -> Vec6:
    """Sum over the modes of their `rows`, each times its shape . x."""
    y = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    for r in range(modes):
        y = add_scaled(y, dot6(load6(shapes, at + r), x), load6(rows, row + r))
    return y


@step
def frame_entry_step(
    flex: Flex, paths: FramePaths, f: int, e: int, q: Array, w: FlexWorkspace, pw: PathWorkspace
) -> None:
    """C_x and P_x of frame f, entry e. Given node_Q, participation, BW. Computes Q, cross, through.

    Cost: 12 products a mode for each of six columns and each port.
    """
    frames = paths.frames
    k, at = frames.body[f], frames.shape_row[f]
    first, modes = flex.port_first[k], flex.modes[k]
    _, Q, l = frame_node(flex, frames, f, q, False)
    store(pw.Q, f, Q)
    for j in range(6):
        u = load6(pw.units, j)
        x = seen_by_modes(Q, u)
        for p in range(flex.port_first[k + 1] - first):
            s = flex.attachment[flex.port_child[first + p]]
            y = shape_response(flex.attachment_gain, flex.attachment_row[s], frames.shape, at, modes, x)
            store_cross(pw.cross[e], p, j, turned_motion(load9(w.node_Q, s), y))
        moved = shape_response(w.participation, flex.v_mode[k], frames.shape, at, modes, x)
        z = add6(shift_force(l, u), scale6(-1, moved))
        store_block_column(pw.through, e, j, less_ports(flex, k, pw.cross[e], j, z, w))


@step
def cross_transposed_times(C: Array, m: int, y: Array) -> Vec6:
    """C_x* y of all m rows of the ports."""
    out = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    for i in range(m):
        out = add_scaled(out, y[i], load6(C, i))
    return out


@step
def directly(
    tree: Tree, flex: Flex, paths: FramePaths, k: int, x: int, y: int, u: Vec6, c: Array, pw: PathWorkspace
) -> Vec6:
    """Pi_x Lam Pi_y* u of two entries of body k; `c` holds C_y u."""
    rows, frames = len(tree.parent), paths.frames
    if x < rows:
        i = 6 * port_number(flex, k, x)
        return c[i], c[i + 1], c[i + 2], c[i + 3], c[i + 4], c[i + 5]
    if y < rows:
        out = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
        first = 6 * port_number(flex, k, y)
        for i in range(6):
            out = add_scaled(out, u[i], load6(pw.cross[x], first + i))
        return out
    f, g = x - rows, y - rows
    seen = seen_by_modes(load9(pw.Q, g), u)
    found = shape_response(paths.gain, paths.gain_row[f], frames.shape, frames.shape_row[g], flex.modes[k], seen)
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
    free = directly(tree, flex, paths, k, x, y, u, c, pw)
    return add_scaled(free, -1, cross_transposed_times(pw.cross[x], m, held))
