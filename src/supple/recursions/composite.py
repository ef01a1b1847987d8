"""Mass matrix by composite bodies (5.5)."""

from __future__ import annotations

from supple.engines.kernels import step, sweep
from supple.recursions.kinematics import joint_step
from supple.recursions.modal import inertia_of_modes, own_inertia, own_moment
from supple.recursions.nodes import node_force, node_shape
from supple.recursions.second_order import shape_inertia_entry
from supple.recursions.tree import Array, Flex, FlexWorkspace, Tree, Workspace
from supple.spatial import (
    Vec6,
    accumulate_inertia,
    add6,
    dot6,
    force_to_parent,
    inertia_times,
    inertia_to_parent,
    load3,
    load6,
    load9,
    load_inertia,
    rigid_inertia,
    shift_inertia,
    store,
    store_inertia,
)


@step
def configuration_step(tree: Tree, flex: Flex | None, k: int, q: Array, ws: Workspace) -> None:
    """Where body k is and what inertia it has there: R, l, H, second, moment, inertia."""
    joint_step(tree, flex, k, q, ws)
    if flex is not None and flex.modes[k] > 0:
        inertia_of_modes(tree, flex, k, q, ws.flex)


@step
def own_inertia_step(tree: Tree, flex: Flex | None, k: int, ws: Workspace) -> None:
    """P(k) starts as the body's own inertia M_rr(k); the ground's is zero. Given moment, inertia of a flexible body."""
    P = rigid_inertia(tree.mass[k], own_moment(tree, flex, k, ws), own_inertia(tree, flex, k, ws))
    store_inertia(ws.P, k, P)


@step
def own_inertias(tree: Tree, flex: Flex | None, ws: Workspace) -> None:
    """P of all bodies and of the ground, as `own_inertia_step` has it."""
    for k in range(len(tree.parent)):
        own_inertia_step(tree, flex, k, ws)


@step
def composite_step(tree: Tree, flex: Flex | None, k: int, ws: Workspace) -> None:
    """R(parent) gains X R(k) X* (5.2). Given R(k) with all outboard bodies added, in the rows of P.

    Of a composite body with modes this is the rigid part; what comes through an attachment node is kept there, in
    Gamma.
    """
    P = inertia_to_parent(load9(ws.R, k), load3(ws.l, k), load_inertia(ws.P, k))
    if flex is not None and flex.attachment[k] >= 0:
        store_inertia(ws.flex.Gamma, k, P)
        P = shift_inertia(load3(ws.flex.node_l, flex.attachment[k]), P)
    accumulate_inertia(ws.P, tree.parent[k], P)


@step
def inward_step(tree: Tree, flex: Flex | None, i: int, k: int, x: Vec6, ws: Workspace, M: Array) -> Vec6:
    """X(parent) = Phi X(k) of (5.5), and with the modes of a flexible parent their entries in row i of M."""
    x = force_to_parent(load9(ws.R, k), load3(ws.l, k), x)
    if flex is not None:
        s = flex.attachment[k]
        if s >= 0:
            first = flex.v_mode[tree.parent[k]]
            last = first + flex.modes[tree.parent[k]]
            for j in range(first, last):
                M[i, j] = 0.0
            x = node_force(flex, s, x, ws.flex, M[i])
            for j in range(first, last):
                M[j, i] = M[i, j]
    return x


@step
def mode_row_step(flex: Flex, own: float, i: int, k: int, w: FlexWorkspace, M: Array) -> Vec6:
    """R_rf(k) of the mode with speed i, and its entries M_ff with the modes of the same body (5.5).

    Given Gamma, coupling, xi_slope and its `own` entry of G_0.
    """
    row, first = flex.mode_row[k], flex.v_mode[k]
    r = i - first
    for j in range(flex.modes[k]):
        M[i, first + j] = 0.0
    M[i, i] = own
    for j in range(flex.offdiagonal_first[row + r], flex.offdiagonal_first[row + r + 1]):
        M[i, first + flex.offdiagonal_mode[j]] += flex.offdiagonal_value[j, 0]
    if flex.second_order[k] > 0:
        for j in range(flex.modes[k]):
            M[i, first + j] += shape_inertia_entry(flex, k, r, j, w)
    x = load6(w.coupling, i)
    for p in range(flex.port_first[k], flex.port_first[k + 1]):
        c = flex.port_child[p]
        s = flex.attachment[c]
        x = add6(x, node_force(flex, s, inertia_times(load_inertia(w.Gamma, c), node_shape(flex, s, r, w)), w, M[i]))
    return x


@step
def row_start(tree: Tree, flex: Flex | None, i: int, k: int, ws: Workspace, M: Array) -> Vec6:
    """X = R(k) H*(i) of a dof i of body k (5.5), and its entries with itself and with other modes of the body."""
    if flex is not None and i >= tree.v_mode[k]:
        return mode_row_step(flex, tree.joint_inertia[i], i, k, ws.flex, M)
    x = inertia_times(load_inertia(ws.P, k), load6(ws.H, i))
    M[i, i] = tree.joint_inertia[i] + dot6(x, load6(ws.H, i))
    return x


@step
def pass_body(tree: Tree, flex: Flex | None, i: int, j: int, k: int, x: Vec6, ws: Workspace, M: Array) -> Vec6:
    """Entries of row i with the dofs j, j - 1, ... of the joint of body k (5.5); X at its parent."""
    while j >= tree.v_first[k]:
        value = dot6(x, load6(ws.H, j))
        M[i, j] = value
        M[j, i] = value
        j -= 1
    return inward_step(tree, flex, i, k, x, ws, M)


@step
def mass_row_step(tree: Tree, flex: Flex | None, i: int, k: int, ws: Workspace, M: Array) -> None:
    """Row i of the mass matrix, a dof of rigid body k: X carried inward past each ancestor (5.5)."""
    x = row_start(tree, flex, i, k, ws, M)
    x = pass_body(tree, flex, i, i - 1, k, x, ws, M)
    k = tree.parent[k]
    while k > 0:
        x = pass_body(tree, flex, i, tree.v_mode[k] - 1, k, x, ws, M)
        k = tree.parent[k]


@step
def own_rows_step(tree: Tree, flex: Flex | None, k: int, ws: Workspace, M: Array) -> None:
    """X of all dofs of body k at its parent, and their entries with each other."""
    for i in range(tree.v_first[k], tree.v_first[k + 1]):
        j = i - 1 if i < tree.v_mode[k] else tree.v_mode[k] - 1
        store(ws.flex.X, i, pass_body(tree, flex, i, j, k, row_start(tree, flex, i, k, ws, M), ws, M))


@step
def carried_rows_step(tree: Tree, flex: Flex | None, outboard: int, k: int, ws: Workspace, M: Array) -> None:
    """X of all dofs of an outboard body past its ancestor k. Given X at k.

    What stands between two bodies is the same at every depth: in long chains of flexible bodies it is recorded once.
    """
    for i in range(tree.v_first[outboard], tree.v_first[outboard + 1]):
        store(ws.flex.X, i, pass_body(tree, flex, i, tree.v_mode[k] - 1, k, load6(ws.flex.X, i), ws, M))


@step
def composite(tree: Tree, flex: Flex | None, q: Array, ws: Workspace) -> None:
    """Composite inertias of all bodies. Computes R, l, H, second and the rows of P."""
    n = len(tree.parent)
    for k in range(1, n):
        configuration_step(tree, flex, k, q, ws)
    own_inertias(tree, flex, ws)
    for k in range(n - 1, 0, -1):
        composite_step(tree, flex, k, ws)


@step
def mass(tree: Tree, flex: Flex | None, q: Array, ws: Workspace, M: Array) -> None:
    """Mass matrix of one configuration into M (nv, nv), whose entries off the branches are zero already."""
    composite(tree, flex, q, ws)
    for k in range(1, len(tree.parent)):
        if flex is None:
            for i in range(tree.v_first[k], tree.v_first[k + 1]):
                mass_row_step(tree, flex, i, k, ws, M)
        else:
            own_rows_step(tree, flex, k, ws, M)
            ancestor = tree.parent[k]
            while ancestor > 0:
                carried_rows_step(tree, flex, k, ancestor, ws, M)
                ancestor = tree.parent[ancestor]


@sweep
def mass_matrix(tree: Tree, flex: Flex | None, q: Array, ws: Workspace, M: Array) -> None:
    """Mass matrices M (s, nv, nv), zero at the start, for a batch of coordinates. Cost: n times depth."""
    for s in range(len(q)):
        mass(tree, flex, q[s], ws, M[s])
