"""Spring-dampers between frames in the matrix of implicit steps: a correction of low rank.

A spring-damper joins two bodies, so that its stiffness has no place in the operator factors of Mt = M + g_1 C + g_2 K
(see `implicit`). Its potential is a function of p, the second end as seen in the axes of the first frame: with the rows
J = dp/dt / dv of a closure between the two frames its part of the matrix is J* B B J,

    B B = (g_2 k + g_1 c) n n* + g_2 max(0, k (1 - L_0 / L)) (1 - n n*),    n = p / L,

the second term being what tension does across the spring; compression, which would take stiffness away, is left out. B
has the roots of these numbers in the same directions. All rows B J of all springs together are J below, and

    (Mt + J* J)^-1 r = x - Mt^-1 J* (1 + J Mt^-1 J*)^-1 J x,    x = Mt^-1 r

takes two vector sweeps a row when the inertias are renewed, and products with rows in every iteration (Woodbury). It is
well conditioned for the stiffest springs: 1 + S has no eigenvalue below one.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from supple.engines.kernels import step
from supple.recursions.closure_forces import delassus, jacobian_rows
from supple.recursions.closure_rows import pair_pose_step
from supple.recursions.closures import ClosedTree, Closures, ClosureWorkspace
from supple.recursions.implicit import WorkingTree
from supple.recursions.small_factors import factor, solve
from supple.recursions.tree import Array, Tree
from supple.spatial import TINY, dot, load3

ROWS = 3
"""A spring-damper: the components of p."""


class SpringSlopes(NamedTuple):
    """The rows of all spring-dampers, and what is computed of them."""

    closures: Closures
    """`ROWS` rows a spring-damper, whose frames are the pairs. Never written to."""
    cw: ClosureWorkspace
    """J, Mt^-1 J* and S of these rows."""
    factor: Array
    """(rows * rows,) of 1 + S."""
    x: Array
    """(rows,) of use within a step only."""


@step
def spring_rows(tree: Tree, e: int, cw: ClosureWorkspace) -> None:
    """N of the rows of spring-damper e. Given p; `tree.spring_constants` are g_2 k, g_1 c, L_0. Computes N."""
    stiffness, damping, free_length = load3(tree.spring_constants, e)
    p = load3(cw.p, e)
    length_2 = dot(p, p) + TINY
    length = np.sqrt(length_2)
    tension = stiffness * (1 - free_length / length)
    along, across = np.sqrt(stiffness + damping), np.sqrt(0.5 * (tension + np.sqrt(tension * tension)))
    share = (along - across) / length_2
    for i in range(ROWS):
        for j in range(3):
            cw.N[ROWS * e + i, j] = 0.0 * length
            cw.N[ROWS * e + i, 3 + j] = share * p[i] * p[j]
        cw.N[ROWS * e + i, 3 + i] += across


@step
def renew_springs(own: WorkingTree, stiff: WorkingTree, springs: SpringSlopes, q: Array, given: Array) -> None:
    """J, Mt^-1 J* and the factor of 1 + S in this configuration. Given R_ground, p_ground and the inertias of `stiff`.

    Leaves both trees at rest.
    """
    cw, cl = springs.cw, springs.closures
    ct = ClosedTree(own.tree, own.flex, cl)
    for e in range(len(cl.pair_frames)):
        pair_pose_step(ct, e, q, own.ws, cw)
        spring_rows(stiff.tree, e, cw)
    jacobian_rows(ct, q, own.ws, cw)
    delassus(ClosedTree(stiff.tree, stiff.flex, cl), given, stiff.ws, cw)
    rows = len(springs.x)
    for i in range(rows):
        for j in range(i + 1):
            springs.factor[i * rows + j] = cw.S[i, j]
        springs.factor[i * rows + i] += 1.0
    factor(springs.factor, 0, rows, rows)


@step
def spring_correction(springs: SpringSlopes, x: Array) -> None:
    """Turn Mt^-1 r (nv,) into (Mt + J* J)^-1 r. Given `renew_springs`. Cost: 2 rows nv products."""
    rows, J, X = len(springs.x), springs.cw.J, springs.cw.X
    for i in range(rows):
        springs.x[i] = 0.0
        for j in range(len(x)):
            springs.x[i] += J[i, j] * x[j]
    solve(springs.factor, 0, rows, rows, springs.x)
    for i in range(rows):
        for j in range(len(x)):
            x[j] -= springs.x[i] * X[i, j]
