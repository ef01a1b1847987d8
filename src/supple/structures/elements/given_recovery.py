"""Stress recovery matrices that another program has computed for the nodes of a structure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy
from numpy.typing import ArrayLike

from supple.call_checks import checked
from supple.checks import Ints, number
from supple.errors import ModelError, nearest
from supple.structures.discretization.dof_map import DofLayout
from supple.structures.discretization.mass import Sparse
from supple.structures.elements.section_forces import SectionForces
from supple.structures.elements.stresses import COMPONENTS, Stresses


@checked
@dataclass(frozen=True, eq=False)
class StressRecovery:
    """Stresses at points of a structure as a matrix times the displacements of its nodes; for `from_matrices`.

    Parameters
    ----------
    matrix : (rows, 3 k) or (rows, 6 k) array_like or sparse
        Pa for unit displacements (m) and rotations (rad) of the k nodes, its columns in the order of the stiffness
        matrix; of each point as many rows as there are components.
    nodes : sequence of int
        The node at which, or nearest to which, each point is.
    components : sequence of str
        Of "xx", "yy", "zz", "xy", "yz", "zx", those that each point has; the others are zero. Shear components are
        stresses, xy that of the plane whose normal is x, along y.
    places : sequence of str, optional
        Names of the points; "node 12" if not given.
    positions : (p, 3) array_like, optional
        Where the points are, m; at their nodes if not given.
    modulus, yield_strength : float, optional
        Young's modulus and yield strength, Pa, to compare stresses with.
    """

    matrix: Any
    nodes: Sequence[int]
    components: Sequence[str] = COMPONENTS
    places: Sequence[str] | None = None
    positions: ArrayLike | None = None
    modulus: float | None = None
    yield_strength: float | None = None

    def source(self, layout: DofLayout, order: Ints) -> GivenRecovery:
        """The same for a structure's degrees of freedom, whose columns stand at `order` in the given matrix."""
        components = _components(self.components)
        nodes = np.asarray(self.nodes)
        if nodes.ndim != 1 or len(nodes) == 0 or not np.issubdtype(nodes.dtype, np.integer):
            raise ModelError(f"recovery: nodes: expected node numbers, one for each point, got {self.nodes!r}")
        wrong = nodes[(nodes < 0) | (nodes >= len(layout.points))]
        if len(wrong):
            raise ModelError(
                f"recovery: nodes: expected numbers from 0 to {len(layout.points) - 1}, got {int(wrong[0])}"
            )
        p, own = len(nodes), len(components)
        try:
            matrix: Any = scipy.sparse.csr_array(self.matrix, dtype=np.float64)
        except (TypeError, ValueError):
            raise ModelError(f"recovery: matrix: expected a matrix of numbers, got {self.matrix!r}") from None
        if matrix.shape != (own * p, len(order)) or not np.isfinite(matrix.data).all():
            raise ModelError(
                f"recovery: matrix: expected {own * p} rows, {own} for each of the {p} points, and {len(order)} "
                f"columns of finite numbers, got {' x '.join(map(str, matrix.shape))}"
            )
        places = [f"node {i}" for i in nodes] if self.places is None else list(self.places)
        if len(places) != p or not all(isinstance(place, str) and place for place in places):
            raise ModelError(f"recovery: places: expected {p} names, one for each point, got {len(places)}")
        x = layout.points[nodes] if self.positions is None else np.array(self.positions, dtype=float)
        rows = (6 * np.arange(p)[:, None] + components).ravel()
        spread = scipy.sparse.csr_array((np.ones(own * p), (rows, np.arange(own * p))), shape=(6 * p, own * p))
        free = spread @ scipy.sparse.csr_array(matrix[:, order]) @ layout.motion.T
        empty = Stresses(
            tuple(places),
            tuple(places),
            nodes.astype(np.int64),
            x,
            scipy.sparse.csr_array(free),
            np.full(p, _positive(self.modulus, "modulus")),
            np.full(p, _positive(self.yield_strength, "yield_strength")),
        )
        return GivenRecovery(empty)


@dataclass(frozen=True, eq=False)
class GivenRecovery:
    """Given rows for rotation and displacement of all nodes, as `stresses.StressSource`."""

    of_nodes: Stresses

    def stresses(self, motion: Sparse) -> Stresses:
        """At the given points."""
        return self.of_nodes.in_motions(scipy.sparse.csr_array(self.of_nodes.matrix @ motion))

    def section_forces(self, motion: Sparse) -> SectionForces | None:
        """None."""
        return None


def _components(names: Sequence[str]) -> Ints:
    given = [names] if isinstance(names, str) else list(names)
    for name in given:
        if name not in COMPONENTS:
            raise ModelError(f"recovery: components: no component {name!r}{nearest(str(name), COMPONENTS)}")
    if not given or len(set(given)) != len(given):
        raise ModelError(f"recovery: components: expected each once, got {names!r}")
    return np.array([COMPONENTS.index(name) for name in given], np.int64)


def _positive(value: float | None, what: str) -> float:
    if value is None:
        return np.nan
    x = number(value, f"recovery: {what}")
    if x <= 0.0:
        raise ModelError(f"recovery: {what}: expected a positive number, got {x:g}")
    return x
