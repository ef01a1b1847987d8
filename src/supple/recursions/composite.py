"""Mass matrix by composite bodies (5.5)."""

from __future__ import annotations

from supple.engines.kernels import step, sweep
from supple.recursions.kinematics import joint_step
from supple.recursions.tree import Array, Tree, Workspace
from supple.spatial import (
    accumulate_inertia,
    dot6,
    force_to_parent,
    inertia_times,
    inertia_to_parent,
    load3,
    load6,
    load9,
    load_inertia,
    rigid_inertia,
    store_inertia,
)


@step
def own_inertias(tree: Tree, ws: Workspace) -> None:
    """P(k) starts as the body's own inertia M(k); the ground's is zero."""
    for k in range(len(tree.parent)):
        store_inertia(ws.P, k, rigid_inertia(tree.mass[k], load3(tree.moment, k), load6(tree.inertia, k)))


@step
def composite_step(tree: Tree, k: int, ws: Workspace) -> None:
    """R(parent) gains X R(k) X* (5.2). Given R(k) with all outboard bodies added, in the rows of P."""
    P = inertia_to_parent(load9(ws.R, k), load3(ws.l, k), load_inertia(ws.P, k))
    accumulate_inertia(ws.P, tree.parent[k], P)


@step
def mass_row_step(tree: Tree, i: int, k: int, ws: Workspace, M: Array) -> None:
    """Row i of the mass matrix, a freedom of body k: X = R(k) H*(i) carried inward past each ancestor (5.5)."""
    x = inertia_times(load_inertia(ws.P, k), load6(ws.H, i))
    j = i
    M[i, i] = tree.joint_inertia[i]
    while k > 0:
        first = tree.v_first[k]
        while j >= first:
            value = dot6(x, load6(ws.H, j))
            if i == j:
                M[i, i] += value
            else:
                M[i, j] = value
                M[j, i] = value
            j = tree.v_parent[j]
        x = force_to_parent(load9(ws.R, k), load3(ws.l, k), x)
        k = tree.parent[k]


@step
def composite(tree: Tree, q: Array, ws: Workspace) -> None:
    """Composite inertias of all bodies. Computes R, l, H and the rows of P."""
    n = len(tree.parent)
    own_inertias(tree, ws)
    for k in range(1, n):
        joint_step(tree, k, q, ws)
    for k in range(n - 1, 0, -1):
        composite_step(tree, k, ws)


@step
def mass(tree: Tree, q: Array, ws: Workspace, M: Array) -> None:
    """Mass matrix of one posture into M (nv, nv), whose entries off the branches are zero already."""
    composite(tree, q, ws)
    for k in range(1, len(tree.parent)):
        for i in range(tree.v_first[k], tree.v_first[k + 1]):
            mass_row_step(tree, i, k, ws, M)


@sweep
def mass_matrix(tree: Tree, q: Array, ws: Workspace, M: Array) -> None:
    """Mass matrices M (s, nv, nv), zero at the start, for a batch of coordinates. Cost: n times depth."""
    for s in range(len(q)):
        mass(tree, q[s], ws, M[s])
