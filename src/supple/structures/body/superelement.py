"""Reduced superelements: boundary nodes and modal coordinates, of which a program gives mass and stiffness only.

From M and K alone follow the mass, its moments and the momentum of each coordinate, M_rr, M_rf and M_ff: all of the
ruthless model (8.1). How the inertia changes with the deformation, the symmetric part of X and N, takes shapes and
masses of the nodes inside, which `with_masses` adds; without them it is estimated.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import scipy

from supple.checks import Floats, Ints, freeze, number, text
from supple.errors import ModelError, nearest
from supple.html_tables import html_table
from supple.structures.body.flexible_body import FlexibleBody, modal_body
from supple.structures.body.integration import modal_integrals, rigid_totals
from supple.structures.body.modal_integrals import ModalIntegrals, no_pairs
from supple.structures.builders.from_modes import NodalMasses
from supple.structures.damping import Damping
from supple.structures.discretization.dof_map import Bools, DofLayout, cross_matrix, extent
from supple.structures.discretization.mass import Sparse
from supple.structures.discretization.validation import check_not_negative, check_symmetric, clamped_solver, free_cause
from supple.structures.reduction.bases import ModalBasis, cantilever, craig_bampton, free_free
from supple.structures.reduction.mode_selection import Modes, checked_modes
from supple.structures.reduction.reduction import Reduction

BASES = ("cantilever", "free-free", "craig-bampton")
MISSING = "a superelement of mass and stiffness alone, without shapes and masses of the nodes inside"
GROUNDED = 1e-6
"""Force against a rigid motion, relative to the largest stiffness at that distance."""
UNEVEN = 1e-2
"""Relative difference of the mass of the nodes inside and that of the matrix."""


@dataclass(frozen=True, eq=False)
class InteriorRecovery:
    """Motion of the nodes inside.

    Attributes
    ----------
    labels : (g,) array of int
    nodes : (g, 3) array
        m.
    matrix : (6 g, size) array
        Rotation and displacement of each for unit coordinates.
    masses : (g,) array, optional
        kg; None where they are not known.
    """

    labels: Ints
    nodes: Floats
    matrix: Floats
    masses: Floats | None = None


@dataclass(frozen=True, eq=False, repr=False)
class Superelement:
    """Boundary nodes and modal coordinates with their matrices, free in space.

    Attributes
    ----------
    labels : (k,) array of int
        Numbers of the boundary nodes in the file.
    nodes : (k, 3) array
        Their positions, m.
    turning : (k,) array of bool
        Which of them have rotations.
    stiffness, mass_matrix : (size, size) sparse arrays
        Node by node rx, ry, rz, ux, uy, uz, or ux, uy, uz, then the modal coordinates; SI.
    frames : dict of str to int
        Named boundary nodes, by index.
    recovery : InteriorRecovery, optional
        Motion of the nodes inside.
    """

    labels: Ints
    nodes: Floats
    turning: Bools
    stiffness: Sparse
    mass_matrix: Sparse
    frames: dict[str, int]
    recovery: InteriorRecovery | None = None

    def __post_init__(self) -> None:
        freeze(self, "labels", "nodes", "turning", "stiffness", "mass_matrix")

    def __repr__(self) -> str:
        return f"<supple superelement: {self._summary()}>"

    def _repr_html_(self) -> str:
        rows = [(name, *(f"{x:.5g}" for x in self.nodes[i])) for name, i in self.frames.items()]
        return html_table(f"Superelement: {self._summary()}", ("frame", "x, m>", "y, m>", "z, m>"), rows)

    def _summary(self) -> str:
        modal = self.stiffness.shape[0] - self.layout.size
        return f"{len(self.nodes)} boundary nodes, {modal} modal coordinates, {self.mass:.5g} kg"

    @cached_property
    def layout(self) -> DofLayout:
        """Numbering of the degrees of freedom of the boundary nodes."""
        return DofLayout(self.nodes, self.turning)

    @cached_property
    def mass(self) -> float:
        """kg."""
        R = self.rigid_motions(np.zeros(3))
        return rigid_totals(R.T @ (self.mass_matrix @ R))[0]

    def rigid_motions(self, origin: Floats) -> Floats:
        """(size, 6): a rotation about `origin` and a displacement move the boundary and no modal coordinate."""
        R = np.zeros((self.stiffness.shape[0], 6))
        R[: self.layout.size] = self.layout.rigid_motions(origin)
        return R

    def with_masses(self, masses: Mapping[int, float]) -> Superelement:
        """The superelement with point masses (kg, by label) of the nodes inside, so that it can have full fidelity."""
        if self.recovery is None:
            raise ModelError("superelement: expected a recovery matrix for the motion of the nodes inside, got none")
        known = {int(label): i for i, label in enumerate(self.recovery.labels)}
        each = np.zeros(len(known))
        for label, mass in masses.items():
            if label not in known:
                raise ModelError(f"masses: no node {label} among the {len(known)} of the recovery matrix")
            each[known[label]] = number(mass, f"masses: node {label}", minimum=0.0)
        if abs(each.sum() / self.mass - 1.0) > UNEVEN:
            raise ModelError(f"masses: expected {self.mass:.6g} kg as the mass matrix has, got {each.sum():.6g} kg")
        return replace(self, recovery=replace(self.recovery, masses=each))

    def reduce(
        self,
        basis: str = "cantilever",
        modes: Modes | None = None,
        root: str = "start",
        interfaces: Sequence[str] | None = None,
        damping: Damping = None,
    ) -> FlexibleBody:
        """The superelement as a flexible body, in modes of its coordinates as seen from the root.

        Parameters
        ----------
        basis : str
            "cantilever", "free-free" or "craig-bampton", as for `Structure.reduce`.
        modes : int, sequence of int, Bandwidth or EffectiveMass, optional
            By default all.
        root : str
            Frame at the inboard hinge, a boundary node with rotations.
        interfaces : sequence of str, optional
            Only for "craig-bampton": frames where loads or joints act; by default all.
        damping : float, sequence of float or Rayleigh, optional

        Returns
        -------
        FlexibleBody
            Only for fidelity "ruthless" or "estimated-inertia", unless masses of the nodes inside are known.
        """
        wanted = Reduction(basis, modes, root, interfaces, damping)
        wanted.require_basis(BASES, " of a superelement")
        point = self._point(root, "root")
        if not self.turning[point]:
            raise ModelError(f"root {root!r}: expected a boundary node that can turn, got one without rotations")
        return self._body(wanted, self._modal(wanted, point), self.nodes[point])

    def _point(self, name: str, what: str) -> int:
        if text(name, what) not in self.frames:
            raise ModelError(f"{what}: no frame {name!r}{nearest(name, self.frames)}")
        return self.frames[name]

    def _modal(self, wanted: Reduction, point: int) -> ModalBasis:
        basis, modes, interfaces = wanted.basis, wanted.modes, wanted.interfaces
        K, M, size = self.stiffness, self.mass_matrix, self.stiffness.shape[0]
        fixed = self.layout.of([point])
        free = np.setdiff1d(np.arange(size), fixed)
        clamped_solver(scipy.sparse.csr_array(K[free][:, free]), lambda i: self._name(int(free[i])))
        R = self.rigid_motions(self.nodes[point])
        scales = np.concatenate([self.layout.scales(extent(self.nodes)), np.ones(size - self.layout.size)])
        ends = [point, *(self._point(name, "interface") for name in (interfaces or self.frames))]
        others = self.layout.of(dict.fromkeys(i for i in ends if i != point))
        count = size - len(fixed) - (len(others) if basis == "craig-bampton" else 0)
        kept = checked_modes(count if modes is None else modes, basis)
        if basis == "craig-bampton":
            return craig_bampton(K, M, (fixed, others), R, scales, kept)
        return (cantilever if basis == "cantilever" else free_free)(K, M, fixed, R, scales, kept)

    def _name(self, row: int) -> str:
        if row >= self.layout.size:
            return f"modal coordinate {row - self.layout.size + 1}"
        return f"node {self.labels[self.layout.point[row]]}"

    def _body(self, wanted: Reduction, made: ModalBasis, origin: Floats) -> FlexibleBody:
        nodes, turning = self.nodes, self.turning
        shapes = np.asarray(self.layout.motion @ made.shapes[: self.layout.size])
        inside = self.recovery
        if inside is not None:
            nodes = np.concatenate([nodes, inside.nodes])
            shapes = np.concatenate([shapes, inside.matrix @ made.shapes])
            turning = np.concatenate([turning, np.ones(len(inside.nodes), bool)])
        return modal_body(
            wanted.basis,
            wanted.root,
            self.frames,
            nodes - origin,
            turning,
            shapes,
            made.squares,
            wanted.damping,
            self._integrals(made.shapes, origin),
            missing_for_full_fidelity="" if inside is not None and inside.masses is not None else MISSING,
        )

    def _integrals(self, shapes: Floats, origin: Floats) -> ModalIntegrals:
        """Of the matrix; the symmetric part of X, and N, of the point masses inside, or estimated."""
        n = shapes.shape[1]
        R = self.rigid_motions(origin)
        whole = rigid_totals(R.T @ (self.mass_matrix @ R))
        momentum = shapes.T @ (self.mass_matrix @ R)
        X = -cross_matrix(momentum[:, :3]) / 2.0
        known = ModalIntegrals(*whole, momentum[:, 3:], X, no_pairs(n))
        inside = self.recovery
        if inside is None or inside.masses is None:
            return known.estimated(np.eye(n))
        layout = DofLayout(inside.nodes, np.ones(len(inside.nodes), bool))
        points = modal_integrals(NodalMasses(inside.masses).rows(layout), inside.matrix @ shapes, layout, origin)
        return ModalIntegrals(*whole, known.E, X + (points.X + np.swapaxes(points.X, 1, 2)) / 2.0, points.N)


def sound_superelement(
    labels: Ints, nodes: Floats, turning: Bools, K: Sparse, M: Sparse, recovery: InteriorRecovery | None = None
) -> Superelement:
    """A superelement without frames; refused if its matrices cannot be those of a free structure."""
    K, M = check_symmetric(K, "stiffness"), check_symmetric(M, "mass")
    check_not_negative(K, "stiffness")
    check_not_negative(M, "mass")
    made = Superelement(labels, nodes, turning, K, M, {}, recovery)
    size = extent(nodes)
    R = made.rigid_motions(nodes.mean(axis=0)) / np.array([size, size, size, 1.0, 1.0, 1.0])
    residual = np.asarray((np.abs(K @ R) / np.maximum((abs(K) @ np.abs(R)).max(), 1e-300)).max(axis=0))
    if residual.max() > GROUNDED:
        raise ModelError(free_cause(residual, GROUNDED))
    return made
