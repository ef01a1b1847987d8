"""Points on arms, in second order.

A point at the arm c from a centre that turns by theta moves by theta x c, and by theta x (theta x c) / 2 more: mass of
a section of a beam, mass beside its node, nodes of a rigid region. Twist brings the wide side of a blade nearer to the
axis of its spin, and centrifugal forces turn it back (propeller moment). The shapes of second order made here move
nothing but these points. Regions have their own, six at most. For mass on arms functions 1 and x of masses beside nodes
and c of mass spread around its centre, times the three directions, keep int b and int x b* of the motion that they
stand for. Combinations that have no effect are left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import scipy

from supple.checks import Floats
from supple.structures.discretization.couplings import FOLLOWING, regions
from supple.structures.discretization.discretization import Discretization
from supple.structures.discretization.dof_map import extent
from supple.structures.discretization.mass import MassModel, Sparse

NOTICEABLE = 1e-2
"""Effect of a spin on probes of unit size below which a shape is left out."""
NEGLIGIBLE = 1e-5
"""Share of one shape in another that is there only because others are left out."""
INDEPENDENT = 1e-10
SYMMETRIC = ((0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (2, 0))


@dataclass(frozen=True, eq=False)
class Swing:
    """k shapes of points on arms.

    Attributes
    ----------
    rows : (3, rows, k) array
        Displacement of the rows of mass along x, y and z.
    nodes : (6 nodes, k) array
        Rotation and displacement of the nodes.
    matrices : list of (n, n) sparse arrays
        C of each.
    """

    rows: Floats
    nodes: Floats
    matrices: list[Sparse]


@dataclass(frozen=True, eq=False)
class _Candidate:
    """A shape: rows (3, rows), nodes (6 nodes,), and what gives its C for the coordinates and for the probes."""

    rows: Floats
    nodes: Floats
    matrix: Callable[[], Sparse]
    effect: Callable[[], Sparse]


def offset_mass_rotation(structure: Discretization, root: int, coordinates: Floats | Sparse, probes: Floats) -> Swing:
    """Shapes of points on arms that the coordinates turn noticeably.

    Parameters
    ----------
    root : int
        The point of the condensed structure that is held.
    coordinates : (size, n) array
        Their shapes, in the condensed structure.
    probes : (size, p) array
        Shapes that the body may take, of the size at which the effect of a spin of 1 rad/s is judged.
    """
    small = structure.condensed
    mass = small.mass.seen_from(small.layout.points[root])
    found = [*_on_arms(structure, mass, coordinates, probes), *_in_regions(structure, root, coordinates, probes)]
    if not found or probes.shape[1] == 0:
        return Swing(np.zeros((3, len(mass.positions), 0)), np.zeros((6 * len(structure.nodes), 0)), [])
    rows, nodes = np.stack([c.rows for c in found], axis=-1), np.stack([c.nodes for c in found], axis=-1)
    R = _chosen(_work(structure, mass, rows, nodes), np.array([c.effect().toarray().ravel() for c in found]))
    used = np.flatnonzero(R.any(axis=1))
    matrices = [found[i].matrix() for i in used]
    return Swing(rows @ R, nodes @ R, [_sum(matrices, shares) for shares in R[used].T])


def _work(structure: Discretization, mass: MassModel, rows: Floats, nodes: Floats) -> Floats:
    """(loads, k) on shapes: of accelerations as a unit spin makes them, and of forces as large at single nodes."""
    size = extent(structure.nodes)
    E = size * np.einsum("i,aik->ak", mass.first_order, rows)
    X = np.einsum("ib,aik->abk", mass.weights @ mass.positions, rows).reshape(9, -1)
    single = [numbers[0] for numbers in structure.frames.values() if len(numbers) == 1]
    ends = nodes.reshape(-1, 6, nodes.shape[1])[single, 3:].reshape(3 * len(single), nodes.shape[1])
    return np.concatenate([E, X, mass.mass * size * ends])


def _chosen(work: Floats, effects: Floats) -> Floats:
    """(candidates, k) combinations of candidates that are enough for all loads, given what each does (k, ...)."""
    sizes = np.linalg.norm(work, axis=1)
    _, shares, R = np.linalg.svd(work[sizes > 0] / sizes[sizes > 0, None], full_matrices=False)
    R = R[shares > np.sqrt(INDEPENDENT)].T
    A = R.T @ effects
    _, sizes, V = np.linalg.svd(work @ R @ A, full_matrices=False)
    Y = A @ V[sizes > NOTICEABLE].T
    out = R @ np.linalg.qr(Y / np.linalg.norm(Y, axis=0))[0]
    out[np.abs(out) < NEGLIGIBLE] = 0.0
    return out


def _on_arms(
    structure: Discretization, mass: MassModel, coordinates: Floats | Sparse, probes: Floats
) -> Iterator[_Candidate]:
    """Of mass beside nodes and around centres."""
    if mass.offset_mass is None:
        return
    theta, seen = ([T @ shapes for T in mass.offset_mass.turns] for shapes in (coordinates, probes))
    for t in _functions(mass, extent(structure.nodes)):
        spread = np.asarray(mass.weights @ t)[mass.offset_mass.rows]
        for b in range(3):
            rows = np.zeros((3, len(t)))
            rows[b] = t
            matrix, effect = (partial(_amplitude, x, mass.offset_mass.arms, spread, b) for x in (theta, seen))
            yield _Candidate(rows, np.zeros(6 * len(structure.nodes)), matrix, effect)


def _functions(mass: MassModel, size: float) -> list[Floats]:
    """Functions (rows,) of unit mass, of masses beside nodes and of spread mass."""
    out = []
    offset_mass = np.zeros(len(mass.positions), bool)
    if mass.offset_mass is not None:
        offset_mass[mass.offset_mass.rows] = True
    for counted in (True, False):
        used = offset_mass & (mass.counted == counted)
        ones = np.full(len(used), size if counted else 0.0)
        functions = np.column_stack([ones, mass.positions]) * used[:, None]
        values, vectors = np.linalg.eigh(functions.T @ (mass.weights @ functions))
        kept = values > INDEPENDENT * max(values.max(), np.finfo(float).tiny)
        out += list((functions @ vectors[:, kept] / np.sqrt(values[kept])).T)
    return out


def _amplitude(theta: list[Any], arms: Floats, spread: Floats, b: int) -> Sparse:
    """sum_i spread_i g_i with g(r, s) = (theta_r (theta_s . c) + theta_s (theta_r . c)) / 2 - (theta_r . theta_s) c."""
    x, y, z = (_weighted(arms[:, a], theta[a]) for a in range(3))
    first = _weighted(spread, theta[b]).T @ (x + y + z)
    x, y, z = (T.T @ _weighted(spread * arms[:, b], T) for T in theta)
    return scipy.sparse.csr_array((first + first.T) * 0.5 - (x + y + z))


def _weighted(weights: Floats, rows: Any) -> Any:
    diagonal: Any = scipy.sparse.diags_array(weights)
    return diagonal @ rows if scipy.sparse.issparse(rows) else weights[:, None] * rows


def _in_regions(
    structure: Discretization, root: int, coordinates: Floats | Sparse, probes: Floats
) -> Iterator[_Candidate]:
    """Of the nodes of rigid regions: A c with A = (theta theta* - theta* theta I) / 2, six amplitudes a region."""
    small, layout = structure.condensed, structure.layout
    owner = regions(layout, structure.ties)
    groups: dict[int, list[int]] = {}
    for node in owner:
        groups.setdefault(int(small.point_of[node]), []).append(node)
    for point, members in groups.items():
        arms = layout.points[members] - small.layout.points[point]
        if point in (root, FOLLOWING) or not small.layout.turning[point] or not arms.any():
            continue
        dofs = small.layout.first[point] + np.arange(3)
        theta, seen = (scipy.sparse.csr_array(shapes[dofs]) for shapes in (coordinates, probes))
        for a, b in SYMMETRIC:
            nodes = np.zeros((len(structure.nodes), 6))
            nodes[members, 3 + a] = arms[:, b]
            nodes[members, 3 + b] = arms[:, a]
            moved = layout.motion.T @ nodes.ravel()
            rows = np.stack([P @ moved for P in structure.masses.motion])
            yield _Candidate(rows, nodes.ravel(), partial(_turning, theta, a, b), partial(_turning, seen, a, b))


def _turning(theta: Sparse, a: int, b: int) -> Sparse:
    """Twice the entry (a, b) of A for pairs of coordinates that turn a centre by `theta` (3, n)."""
    x, y = (scipy.sparse.csr_array(theta[[i]]) for i in (a, b))
    C = (x.T @ y + y.T @ x) * 0.5
    return scipy.sparse.csr_array(C - theta.T @ theta if a == b else C)


def _sum(matrices: list[Sparse], shares: Floats) -> Sparse:
    out = scipy.sparse.csr_array(matrices[0].shape)
    for matrix, share in zip(matrices, shares, strict=True):
        if share != 0.0:
            out = scipy.sparse.csr_array(out + share * matrix)
    out.data[np.abs(out.data) < 1e-13 * np.abs(out.data).max(initial=0.0)] = 0.0
    out.eliminate_zeros()
    return out
