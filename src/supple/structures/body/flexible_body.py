"""A flexible body: what is left of a structure after reduction, ready to be put on a joint."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import scipy

from supple.call_checks import checked
from supple.checks import Floats, Ints, freeze, is_index
from supple.errors import ModelError, nearest
from supple.html_tables import html_table
from supple.structures.body.hdf5_writer import save_body
from supple.structures.body.modal_integrals import ModalIntegrals
from supple.structures.body.recovery import Recovery
from supple.structures.damping import Damping, damping_matrix
from supple.structures.discretization.dof_map import Bools
from supple.structures.elements.recovery_table import RecoveryTable
from supple.structures.elements.surface import BodySurface
from supple.structures.reduction.reduction import ReducedFrom
from supple.structures.reduction.report import Report
from supple.structures.stiffening.second_order import SecondOrder
from supple.structures.stiffening.unit_mass_basis import is_mass_orthonormal, residual_mass, unit_masses


@dataclass(frozen=True, eq=False)
class ShapeFrame:
    """A place on a flexible body that a joint, a load or a sensor can use.

    Attributes
    ----------
    position : (3,) array
        Undeformed, in the body frame, m.
    shape : (6, n) array
        Its rotation and displacement for a unit of each coordinate, in body axes.
    turning : bool
        False where it has no rotation of its own; the first three rows of the shape are zero then.
    second : (6, k) array
        Its rotation and displacement for a unit of each shape of second order.
    """

    position: Floats
    shape: Floats
    turning: bool = True
    second: Floats = field(default_factory=lambda: np.zeros((6, 0)))

    def __post_init__(self) -> None:
        freeze(self, "position", "shape", "second")


@checked
@dataclass(frozen=True, eq=False)
class FlexibleBody:
    """A body that deforms: its frame is fixed to the root, its coordinates eta measure the deformation.

    Attributes
    ----------
    basis : str
        "cantilever", "free-free", "craig-bampton" or "nodal".
    root : str
        Name of the frame at the inboard hinge; its shape is zero.
    labels : tuple of str
        One for each coordinate: "mode1" ..., or "12.ux" for a nodal displacement.
    frames : dict of str to ShapeFrame
        The named frames, the root among them.
    nodes : (k, 3) array
        Undeformed positions of all nodes in the body frame, m.
    turning : (k,) array of bool
        Which nodes have rotations of their own.
    shapes : (6 k, n) sparse array
        Rotation (zero where a node has none) and displacement of all nodes for a unit of each coordinate.
    mass_matrix, stiffness, damping : (n, n) sparse arrays
        G, K and C of the coordinates. In a basis of modes G = I and K is diagonal.
    integrals : ModalIntegrals
    report : Report, optional
        What the reduction kept.
    second_order : SecondOrder, optional
        Displacements of second order in the coordinates; None where they are not known or nothing stiffens the body.
    surface : BodySurface, optional
        What it looks like, on its nodes; None where the elements are not known.
    recovery : Recovery, optional
        Its strains, stresses and section forces; None where nothing is known of them.
    missing_for_full_fidelity : str
        What is not known of it that full fidelity needs; empty if nothing is missing.
    source : ReducedFrom, optional
        The structure that it was reduced from, and how; None where that is not known, as of a body read from a file.
    """

    basis: str
    root: str
    labels: tuple[str, ...]
    frames: dict[str, ShapeFrame]
    nodes: Floats
    turning: np.ndarray[tuple[int], np.dtype[np.bool_]]
    shapes: scipy.sparse.csr_array
    mass_matrix: scipy.sparse.csr_array
    stiffness: scipy.sparse.csr_array
    damping: scipy.sparse.csr_array
    integrals: ModalIntegrals
    report: Report | None = None
    second_order: SecondOrder | None = None
    surface: BodySurface | None = None
    recovery: Recovery | None = None
    missing_for_full_fidelity: str = ""
    source: ReducedFrom | None = None

    def __repr__(self) -> str:
        return f"<supple flexible body: {self._summary()}>"

    def _repr_html_(self) -> str:
        columns, rows = ((), ()) if self.report is None else self.report.mode_table()
        frames = f"root: {self.root}; frames: {', '.join(self.frames)}"
        return html_table(f"Flexible body: {self._summary()}", columns, rows, frames)

    def _summary(self) -> str:
        return f"{self.basis}, {self.modes:,} coordinates, {len(self.nodes):,} nodes, {self.mass:.5g} kg"

    def __post_init__(self) -> None:
        freeze(self, "nodes", "turning", "shapes", "mass_matrix", "stiffness", "damping")
        n, k, N = self.modes, len(self.nodes), self.integrals.N
        expected: dict[str, tuple[Any, tuple[int, ...]]] = {
            "nodes": (self.nodes, (k, 3)),
            "turning": (self.turning, (k,)),
            "shapes": (self.shapes, (6 * k, n)),
            "mass_matrix": (self.mass_matrix, (n, n)),
            "stiffness": (self.stiffness, (n, n)),
            "damping": (self.damping, (n, n)),
            "moment": (self.integrals.moment, (3,)),
            "second": (self.integrals.second, (3, 3)),
            "E": (self.integrals.E, (n, 3)),
            "X": (self.integrals.X, (n, 3, 3)),
            "N.first": (N.first, (n + 1,)),
            "N.value": (N.value, (len(N.other), 3, 3)),
        }
        k = 0
        if self.second_order is not None:
            expected |= self.second_order.expected(n, len(self.nodes))
            k = self.second_order.count
        for name, frame in self.frames.items():
            expected |= {f"second of {name!r}": (frame.second, (6, k))}
            expected |= {f"position of {name!r}": (frame.position, (3,)), f"shape of {name!r}": (frame.shape, (6, n))}
        for name, (x, shape) in expected.items():
            if x.shape != shape:
                raise ModelError(f"flexible body: {name}: expected shape {shape}, got {x.shape}")
            if not np.isfinite(x.data if isinstance(x, scipy.sparse.csr_array) else x).all():
                raise ModelError(f"flexible body: {name}: expected finite numbers")
        if self.surface is not None:
            self.surface.require_fit(len(self.nodes))
        C = None if self.second_order is None else self.second_order.quadratic
        if C is not None and not _fits(C.first, C.other, n):
            raise ModelError("flexible body: entries of second order do not fit its coordinates")
        pairs_fit = _fits(N.first, N.other, n)
        if not (np.isfinite(self.mass) and self.mass > 0 and pairs_fit and self.root in self.frames):
            raise ModelError(f"flexible body: mass {self.mass:g}, root {self.root!r} or pairs of modes do not fit it")
        if self.second_order is not None:
            self._scale_shapes(self.second_order)

    def _scale_shapes(self, second: SecondOrder) -> None:
        """Take shapes of second order in the basis of `shape_basis`; nothing changes if they are."""
        rest = residual_mass(self.mass_matrix, second.mass_cross, second.mass_own)
        if is_mass_orthonormal(rest, second.mass_own):
            return
        T = unit_masses(rest, second.mass_own)
        frames = {name: replace(frame, second=frame.second @ T) for name, frame in self.frames.items()}
        object.__setattr__(self, "second_order", second.in_basis(T))
        object.__setattr__(self, "frames", frames)

    @property
    def strains(self) -> RecoveryTable | None:
        """Strains of its elements for a unit of each coordinate; None where the elements are not known."""
        return None if self.recovery is None else self.recovery.strains

    @property
    def modes(self) -> int:
        """Number of coordinates."""
        return len(self.labels)

    @property
    def mass(self) -> float:
        """kg."""
        return self.integrals.mass

    @property
    def com(self) -> Floats:
        """Centre of mass of the undeformed body, body frame, m."""
        return self.integrals.moment / self.integrals.mass

    @cached_property
    def inertia(self) -> Floats:
        """Of the undeformed body about its centre of mass, kg m^2."""
        c = self.com
        return self.about_origin() - self.mass * (float(c @ c) * np.eye(3) - np.outer(c, c))

    def about_origin(self) -> Floats:
        """Inertia of the undeformed body about its frame's origin, kg m^2."""
        return self.integrals.J_0

    def with_estimated_inertia(self) -> FlexibleBody:
        """The body with an estimate of how the deformation changes its inertia, and without second order."""
        frames = {name: replace(frame, second=np.zeros((6, 0))) for name, frame in self.frames.items()}
        integrals = self.integrals.estimated(self.mass_matrix.toarray())
        return replace(self, integrals=integrals, second_order=None, frames=frames)

    def small_amplitude(self, share: float) -> float:
        """Of all coordinates together: no frame or node turns by more than `share` rad or moves by more than that share
        of the body's length.
        """
        frames = [frame.shape for frame in self.frames.values()]
        most = np.abs(np.concatenate(frames)).sum(axis=1).reshape(-1, 6)
        rows = np.asarray(abs(self.shapes).sum(axis=1)).reshape(-1, 6)
        turn, move = np.split(np.concatenate([most, rows]).max(axis=0), 2)
        length = float(np.ptp(self.nodes, axis=0).max())
        tiny = np.finfo(float).tiny
        return share * min(1.0 / max(turn.max(), tiny), length / max(move.max(), tiny))

    def unit(self, label: str) -> str:
        """Of a coordinate: modes are scaled to unit mass."""
        if self.basis != "nodal":
            return "kg^0.5 m"
        return "rad" if label.rpartition(".")[2].startswith("r") else "m"

    def with_second_order(self, eta: Any, stiffening: bool = True) -> tuple[Any, Floats | scipy.sparse.csr_array]:
        """Amplitudes (..., n + k) of all shapes for coordinates (..., n), and the shapes (6 nodes, n + k) of all nodes.

        Their product is the displacement; with `stiffening` false that of first order.
        """
        if self.second_order is None or not stiffening:
            return eta, self.shapes
        second = scipy.sparse.csr_array(self.second_order.shapes)
        xi = self.second_order.quadratic.amplitudes(eta)
        return np.concatenate([eta, xi], axis=-1), scipy.sparse.csr_array(scipy.sparse.hstack([self.shapes, second]))

    def frame(self, name: str) -> ShapeFrame:
        """A named frame, or a node by its number as text."""
        found = self.frames.get(name)
        if found is not None:
            return found
        if is_index(name) and int(name) < len(self.nodes):
            i = int(name)
            rows = slice(6 * i, 6 * i + 6)
            second = np.zeros((6, 0)) if self.second_order is None else self.second_order.shapes[rows]
            return ShapeFrame(self.nodes[i], self.shapes[rows].toarray(), bool(self.turning[i]), second)
        raise ModelError(f"no frame {name!r}{nearest(name, self.frames)}")

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the body to one HDF5 file, for `supple.structures.read`."""
        save_body(self, path)


def modal_body(
    basis: str,
    root: str,
    frames: Mapping[str, int],
    nodes: Floats,
    turning: Bools,
    shapes: Floats,
    squares: Floats,
    damping: Damping | scipy.sparse.csr_array,
    integrals: ModalIntegrals,
    second_order: SecondOrder | None = None,
    missing_for_full_fidelity: str = "",
) -> FlexibleBody:
    """A body in modal coordinates whose frames are nodes: its mass matrix is I, its stiffness diagonal.

    Parameters
    ----------
    basis, root : str
    frames : dict of str to int
        Numbers of nodes by name.
    nodes, turning : (k, 3) and (k,) arrays
        Positions from the root, m, and which of them have rotations.
    shapes : (6 k, n) array
    squares : (n,) array
        Squared frequencies, rad^2/s^2.
    damping : (n, n) sparse array, float, sequence of float or Rayleigh
    integrals, second_order, missing_for_full_fidelity
        As of the body.
    """
    mass, stiffness = (scipy.sparse.csr_array(scipy.sparse.diags_array(d)) for d in (np.ones(len(squares)), squares))
    own = damping
    if not isinstance(own, scipy.sparse.csr_array):
        own = damping_matrix(own, mass, stiffness, squares)
    second = {name: np.zeros((6, 0)) for name in frames} if second_order is None else second_order.frames
    return FlexibleBody(
        basis=basis,
        root=root,
        labels=tuple(f"mode{i + 1}" for i in range(len(squares))),
        frames={
            name: ShapeFrame(nodes[i], shapes[6 * i : 6 * i + 6], bool(turning[i]), second[name])
            for name, i in frames.items()
        },
        nodes=nodes,
        turning=turning,
        shapes=scipy.sparse.csr_array(shapes),
        mass_matrix=mass,
        stiffness=stiffness,
        damping=own,
        integrals=integrals,
        second_order=second_order,
        missing_for_full_fidelity=missing_for_full_fidelity,
    )


def _fits(first: Ints, other: Ints, n: int) -> bool:
    """Whether rows of entries that begin at `first` refer to n coordinates."""
    return bool(first[-1] == len(other) and (len(other) == 0 or 0 <= other.min() <= other.max() < n))
