"""What modes leave of static deflections: residual vectors of a reduction, and static shapes for the recovery of loads.

Under a load F a structure that is held at its root deflects by U = K^-1 F, of which modes Psi with the squared
frequencies Omega^2 take Psi Omega^-2 Psi* F. The rest, R, does not depend on the root's motion and has no stiffness in
common with the modes. As coordinates of the body (residual vectors; Craig and Kurdila, *Fundamentals of Structural
Dynamics*, chapter 17) such shapes make it as stiff as the whole structure under these loads. As static shapes, which
follow the loads without inertia of their own, they make the mode-acceleration method: with R* K R = I their amplitudes
are R* f, f being all forces, those of inertia among them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from supple.checks import Floats, freeze, text
from supple.errors import ModelError, nearest
from supple.structures.body.integration import linear_integrals
from supple.structures.discretization.clamping import frame_rows
from supple.structures.discretization.discretization import Discretization
from supple.structures.reduction.bases import ModalBasis
from supple.structures.stiffening.load_cases import frame_cases, inertia_cases
from supple.structures.stiffening.unit_loads import UnitLoads

INERTIA = "inertia"
"""Name of all unit motions of the root together."""
LEFT = 1e-9
"""Share of a load's work that is left by the modes and by other loads, below which it counts as rounding."""


@dataclass(frozen=True, eq=False)
class StaticShapes:
    """r shapes R with R* K R = I, that modes do not have.

    Attributes
    ----------
    shapes : (6 k, r) array
        Rotation (zero where a node has none) and displacement of all nodes.
    frames : dict of str to (6, r) array
        The same of the named frames.
    E, X : (r, 3) and (r, 3, 3) arrays
        int R and int x R*.
    mass_cross : (n, r) array
        Psi* M R with the structure's mass matrix M; rounding if the coordinates are its modes.
    """

    shapes: Floats
    frames: dict[str, Floats]
    E: Floats
    X: Floats
    mass_cross: Floats

    def __post_init__(self) -> None:
        freeze(self, "shapes", "E", "X", "mass_cross")

    @property
    def count(self) -> int:
        """Number of shapes r."""
        return self.shapes.shape[1]

    def misfit(self, coordinates: int, nodes: int, frames: Sequence[str]) -> str:
        """What does not fit a body of so many coordinates and nodes; empty if all does."""
        r = self.count
        expected = {
            "shapes": (self.shapes, (6 * nodes, r)),
            "E": (self.E, (r, 3)),
            "X": (self.X, (r, 3, 3)),
            "mass_cross": (self.mass_cross, (coordinates, r)),
        } | {f"frame {name!r}": (self.frames.get(name, np.zeros(0)), (6, r)) for name in frames}
        for name, (x, shape) in expected.items():
            if x.shape != shape or not np.isfinite(x).all():
                return f"static shapes: {name}: expected shape {shape} and finite numbers, got {x.shape}"
        return ""


def residual_cases(names: Sequence[str], loads: UnitLoads, root: str) -> list[str]:
    """Load cases by the names that a user gives: frames, load cases, or "inertia" for all motions of the root."""
    if isinstance(names, str) or not isinstance(names, Sequence):
        raise ModelError(f"residual: expected a list of frames or load cases, got {names!r}")
    out: dict[str, None] = {}
    for name in names:
        if text(name, "residual") == INERTIA:
            out |= dict.fromkeys(inertia_cases())
        elif name in loads.frames:
            out |= dict.fromkeys(frame_cases(name))
        elif name in loads.cases:
            out[name] = None
        elif name == root:
            raise ModelError(f"residual: {name!r} is the root, which is held, so that loads there deflect nothing")
        else:
            known = [INERTIA, *loads.frames, *loads.cases]
            raise ModelError(f"residual: no frame or load case {name!r}{nearest(name, known)}")
    return list(out)


def residual_shapes(loads: UnitLoads, made: ModalBasis, cases: Sequence[str] | None = None) -> Floats:
    """(size, r) what modes leave of the deflections under some load cases, or all unit loads, with R* K R = I."""
    F, U = loads.forces, loads.displacements
    if cases is not None:
        shares = loads.shares[:, [loads.cases.index(name) for name in cases]]
        F, U = F @ shares, U @ shares
    size = np.sqrt(np.maximum(np.einsum("il,il->l", F, U), 0.0))
    used = size > 0.0
    F, U = F[:, used] / size[used], U[:, used] / size[used]
    R = U - made.shapes @ ((made.shapes.T @ F) / made.squares[:, None])
    values, axes = np.linalg.eigh((F.T @ R + R.T @ F) / 2.0)
    kept = values > LEFT
    return np.asarray(R @ (axes[:, kept] / np.sqrt(values[kept]))[:, ::-1])


def static_shapes(structure: Discretization, origin: Floats, loads: UnitLoads, made: ModalBasis) -> StaticShapes:
    """Of all unit loads, seen from the root at `origin`."""
    small = structure.condensed
    R = residual_shapes(loads, made)
    _, E, X = linear_integrals(small.mass, R, small.layout, origin)
    frames = {name: np.asarray(frame_rows(structure, name)[1] @ R) for name in structure.frames}
    cross = np.asarray(made.shapes.T @ (small.mass.matrix @ R))
    return StaticShapes(np.asarray(small.motion @ R), frames, E, X, cross)
