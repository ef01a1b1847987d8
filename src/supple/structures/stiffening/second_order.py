"""Displacements of second order, slaved to the coordinates of a flexible body: geometric stiffening.

A point of the body is at x + Psi eta + b xi with xi_k = eta* C_k eta / 2. The shapes b are displacements under unit
loads (`unit_loads`), orthonormal with the stiffness, and C_k = -Psi* K_sigma[b_k] Psi, with K_sigma what the stresses
of b_k add to the stiffness. A load f in their span does the work -eta* K_sigma(f) eta / 2 on b xi: inertia, gravity and
forces at frames stiffen or buckle the body without any further term, and energy is conserved. Further shapes move
points on arms (`offset_mass_rotation`) and nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy

from supple.checks import Floats, freeze
from supple.structures.body.integration import linear_integrals, products
from supple.structures.body.modal_integrals import Quadratic, quadratic
from supple.structures.discretization.clamping import Clamped, frame_rows
from supple.structures.discretization.discretization import Discretization
from supple.structures.discretization.mass import Sparse
from supple.structures.stiffening.finite_rotation import offset_mass_rotation
from supple.structures.stiffening.geometric_stiffness import StressedLoads
from supple.structures.stiffening.unit_loads import UnitLoads

FAST = 0.2
"""How strictly shapes of points on arms are chosen for spins of any speed, beside one as fast as the slowest mode."""


@dataclass(frozen=True, eq=False)
class SecondOrder:
    """k shapes b that follow the n coordinates of a body.

    Attributes
    ----------
    quadratic : Quadratic
        C: amplitudes of the shapes are xi_k = eta* C_k eta / 2.
    shapes : (6 nodes, k) array
        Rotation (zero where a node has none) and displacement of all nodes for unit amplitudes.
    frames : dict of str to (6, k) array
        The same of the named frames; zero at the root.
    E : (k, 3) array
        int b.
    X : (k, 3, 3) array
        int x b*.
    N_cross : (n, k, 3, 3) array
        int Psi_s b*.
    N_own : (k, k, 3, 3) array
        int b_i b_j*.
    mass_cross : (n, k) array
        Psi* M b with the structure's mass matrix M.
    mass_own : (k, k) array
        b* M b.
    """

    quadratic: Quadratic
    shapes: Floats
    frames: dict[str, Floats]
    E: Floats
    X: Floats
    N_cross: Floats
    N_own: Floats
    mass_cross: Floats
    mass_own: Floats

    def __post_init__(self) -> None:
        freeze(self, "shapes", "E", "X", "N_cross", "N_own", "mass_cross", "mass_own")
        for rows in self.frames.values():
            rows.flags.writeable = False

    @property
    def count(self) -> int:
        """Number of shapes k."""
        return self.shapes.shape[1]

    def in_basis(self, T: Floats) -> SecondOrder:
        """The same displacements by other shapes b T (k, k)."""
        N = np.einsum("ka,klij,lb->abij", T, self.N_own, T)
        return SecondOrder(
            self.quadratic.combined(np.asarray(np.linalg.inv(T), dtype=np.float64)),
            self.shapes @ T,
            {name: rows @ T for name, rows in self.frames.items()},
            T.T @ self.E,
            np.einsum("ka,kij->aij", T, self.X),
            np.einsum("ka,rkij->raij", T, self.N_cross),
            N,
            self.mass_cross @ T,
            T.T @ self.mass_own @ T,
        )

    def expected(self, coordinates: int, nodes: int) -> dict[str, tuple[Any, tuple[int, ...]]]:
        """Arrays with the shapes they must have in a body of so many coordinates and nodes, by name."""
        n, k, C = coordinates, self.count, self.quadratic
        return {
            "second_order.first": (C.first, (n + 1,)),
            "second_order.value": (C.value, (len(C.other), k)),
            "second_order.shapes": (self.shapes, (6 * nodes, k)),
            "second_order.E": (self.E, (k, 3)),
            "second_order.X": (self.X, (k, 3, 3)),
            "second_order.N_cross": (self.N_cross, (n, k, 3, 3)),
            "second_order.N_own": (self.N_own, (k, k, 3, 3)),
            "second_order.mass_cross": (self.mass_cross, (n, k)),
            "second_order.mass_own": (self.mass_own, (k, k)),
        } | {f"second_order of {name!r}": (rows, (6, k)) for name, rows in self.frames.items()}


def second_order(
    structure: Discretization, clamped: Clamped, shapes: Floats | Sparse, unit: UnitLoads, loads: StressedLoads
) -> SecondOrder | None:
    """Slaved shapes of coordinates with these `shapes` (size, n); None if there are none.

    Shapes of points on arms are kept if at any spin they do more than a twentieth (`FAST`) of what the spin does to a
    mode by its mass and by stresses, or at a spin as fast as the slowest mode more than 1 % of its stiffness.
    """
    small = structure.condensed
    b, C = loads.few
    origin = small.layout.points[clamped.point]
    mass = small.mass.seen_from(origin)
    M, W = mass.matrix, mass.weights
    nodal = isinstance(shapes, scipy.sparse.sparray)
    probes: Any = loads.shapes if nodal else shapes
    stiffness: Any = 1.0 if nodal else loads.diagonal
    masses = np.sum(probes * (M @ probes), axis=0) / stiffness
    squared_spins = np.maximum(
        1.0 / masses.max(initial=np.finfo(float).tiny), FAST / (masses + _stiffening_by_spin(unit, loads))
    )
    offset_mass = offset_mass_rotation(structure, clamped.point, shapes, probes * np.sqrt(squared_spins / stiffness))
    count = b.shape[1]
    if count + len(offset_mass.matrices) == 0:
        return None
    moved, E, X = linear_integrals(small.mass, b, small.layout, origin)
    coordinates, _, _ = linear_integrals(small.mass, shapes, small.layout, origin)
    E_offset = np.einsum("i,aik->ka", mass.first_order, offset_mass.rows)
    X_offset = np.einsum("ia,bik->kab", W @ mass.positions, offset_mass.rows)
    both = [np.concatenate(parts, axis=1) for parts in zip(moved, offset_mass.rows, strict=True)]
    N_cross, N_own = products(coordinates, both, W), products(both, both, W)
    mass_cross, mass_own = (np.trace(N, axis1=2, axis2=3) for N in (N_cross, N_own))
    mass_cross[:, :count], mass_own[:count, :count] = shapes.T @ (M @ b), b.T @ (M @ b)
    nodes = np.concatenate([np.asarray(small.motion @ b), offset_mass.nodes], axis=1)
    return SecondOrder(
        quadratic([*(C.matrix(k) for k in range(count)), *offset_mass.matrices], shapes.shape[1]),
        nodes,
        {name: _frame(structure, name, b, offset_mass.nodes) for name in structure.frames},
        np.concatenate([E, E_offset]),
        np.concatenate([X, X_offset]),
        N_cross,
        N_own,
        mass_cross,
        mass_own,
    )


def _stiffening_by_spin(unit: UnitLoads, loads: StressedLoads) -> Floats:
    """(probes,) geometric stiffness of the probes under a unit spin about the axis that gives most."""
    spins = [i for i, name in enumerate(unit.cases) if name.startswith("spin")]
    own = np.diagonal(loads.scaled, axis1=1, axis2=2)
    return np.max(-(unit.shares[:, spins].T @ loads.work) @ own, axis=0, initial=0.0)


def _frame(structure: Discretization, name: str, b: Floats, offset_mass: Floats) -> Floats:
    """(6, k) motion of a frame; one at the point of its rigid region is on no arm."""
    small, numbers = structure.condensed, list(structure.frames[name])
    position, rows, _ = frame_rows(structure, name)
    extra = offset_mass.reshape(len(structure.nodes), 6, -1)[numbers].mean(axis=0)
    if len(numbers) > 1 and np.array_equal(position, small.layout.points[small.point_of[numbers[0]]]):
        extra = np.zeros_like(extra)
    return np.concatenate([np.asarray(rows @ b), extra], axis=1)
