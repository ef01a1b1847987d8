"""Elements of another program: stress recovery matrices and geometric stiffness that it has computed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy
from numpy.typing import ArrayLike

from supple.call_checks import checked
from supple.checks import Floats, Ints, number
from supple.errors import ModelError, nearest
from supple.structures.discretization.dof_map import DofLayout
from supple.structures.discretization.mass import MassModel, Sparse
from supple.structures.elements.elements import Elements
from supple.structures.elements.recovery_table import STRESSES, RecoveryTable
from supple.structures.elements.scatter import rows_in_motion
from supple.structures.elements.stressed_state import LoadCases, StressedState
from supple.structures.elements.surface import BodySurface


@dataclass(frozen=True, eq=False)
class ExternalElements(Elements):
    """Matrices of a structure from a file or a user, with what else is known of its elements.

    Attributes
    ----------
    numbering : DofLayout
        Nodes and degrees of freedom.
    matrix : (size, size) sparse array
        Stiffness.
    masses : MassModel
    of_nodes : RecoveryTable, optional
        Stresses for rotation and displacement of all nodes.
    cases : tuple of str or (size,) array
        Names of `load_cases.case_names`, or forces on the degrees of freedom of the structure.
    tangents : tuple of (size, size) sparse arrays
        What stresses add to the stiffness in each case.
    roots : dict of int to str
        Nodes that were clamped when these were computed, with their names; they must be those of the root.
    outer : BodySurface, optional
    """

    numbering: DofLayout
    matrix: Sparse
    masses: MassModel
    of_nodes: RecoveryTable | None = None
    cases: tuple[str | Floats, ...] = ()
    tangents: tuple[Sparse, ...] = ()
    roots: Mapping[int, str] = field(default_factory=dict)
    outer: BodySurface | None = None

    @property
    def layout(self) -> DofLayout:
        """That of the matrices."""
        return self.numbering

    @property
    def stiffens(self) -> bool:
        """Whether some load case is known."""
        return bool(self.cases)

    @property
    def load_cases(self) -> tuple[str | Floats, ...]:
        """The cases of the tangents."""
        return self.cases

    @property
    def clamped(self) -> Mapping[int, str]:
        """Nodes that were clamped in the tangents."""
        return self.roots

    def stiffness(self) -> Sparse:
        """Return the given matrix."""
        return self.matrix

    def mass(self) -> MassModel:
        """Return the given mass."""
        return self.masses

    def stresses(self, motion: Any) -> RecoveryTable | None:
        """Return stresses at the given points."""
        return None if self.of_nodes is None else self.of_nodes.in_motions(rows_in_motion(self.of_nodes.matrix, motion))

    def geometric_stiffness(self, cases: LoadCases) -> Iterator[StressedState]:
        """Combine the tangents that are given."""
        for shares, u in zip(cases.shares.T, cases.displacements.T, strict=True):
            K = scipy.sparse.csr_array(self.matrix.shape)
            for share, matrix in zip(shares, self.tangents, strict=True):
                K = scipy.sparse.csr_array(K + share * matrix)
            yield StressedState([], np.asarray(self.matrix @ u), K)

    def surface(self) -> BodySurface | None:
        """Return the outer faces of the elements of the file."""
        return self.outer


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
    components: Sequence[str] = STRESSES
    places: Sequence[str] | None = None
    positions: ArrayLike | None = None
    modulus: float | None = None
    yield_strength: float | None = None

    def table(self, layout: DofLayout, order: Ints) -> RecoveryTable:
        """Return the same for a structure's degrees of freedom, whose columns stand at `order` in the given matrix."""
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
        E, strength = _positive(self.modulus, "modulus"), _positive(self.yield_strength, "yield_strength")
        return RecoveryTable(
            tuple(places),
            STRESSES,
            nodes.astype(np.int64),
            x,
            scipy.sparse.csr_array(free),
            np.tile([E, np.nan, strength], (p, 1)),
            tuple(places),
        )


def _components(names: Sequence[str]) -> Ints:
    given = [names] if isinstance(names, str) else list(names)
    for name in given:
        if name not in STRESSES:
            raise ModelError(f"recovery: components: no component {name!r}{nearest(str(name), STRESSES)}")
    if not given or len(set(given)) != len(given):
        raise ModelError(f"recovery: components: expected each once, got {names!r}")
    return np.array([STRESSES.index(name) for name in given], np.int64)


def _positive(value: float | None, what: str) -> float:
    if value is None:
        return np.nan
    x = number(value, f"recovery: {what}")
    if x <= 0.0:
        raise ModelError(f"recovery: {what}: expected a positive number, got {x:g}")
    return x
