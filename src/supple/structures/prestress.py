"""What loads do to the stiffness of a reduced body: buckling factors and Southwell coefficients."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from supple.checks import Floats
from supple.structures.load_cases import AXES, case_names, combinations
from supple.structures.second_order import SecondOrder
from supple.structures.stress import INERTIA
from supple.structures.unit_loads import UnitLoads

ROUNDING = 1e-9
"""Share of a load's largest effect that may be rounding."""


class Prestress(NamedTuple):
    """What loads do to the stiffness of a body, as in its `Report`."""

    cases: tuple[str, ...] = ()
    buckling: Floats = np.zeros((0, 2))
    southwell: Floats = np.zeros((0, 3))


def prestress(loads: UnitLoads, second: SecondOrder, scaled: Floats, modes: int) -> Prestress:
    """Of load cases with a name, whose stresses are known.

    Parameters
    ----------
    scaled : (n, p) array
        Shapes of unit stiffness, in the coordinates of the body.
    modes : int
        How many modes it has; none if its coordinates are those of nodes.
    """
    known = case_names(loads.frames)
    cases = tuple(name for name in loads.cases if name in known)
    shares = combinations(loads.frames)[:, [known.index(name) for name in cases]]
    work = shares[:3].T @ second.E.T + shares[3:INERTIA].T @ second.X.swapaxes(1, 2).reshape(-1, 9).T
    for i, frame in enumerate(loads.frames):
        work += shares[INERTIA + 6 * i : INERTIA + 6 * i + 6].T @ second.frames[frame]
    seen = np.array([scaled.T @ (second.quadratic.matrix(k) @ scaled) for k in range(second.count)])
    buckling = np.full((len(cases), 2), np.inf)
    for i, name in enumerate(cases):
        eigenvalues = np.linalg.eigvalsh(np.tensordot(work[i], seen, 1))
        floor = ROUNDING * np.abs(work[i]) @ np.abs(seen).max(axis=(1, 2))
        if eigenvalues[-1] > floor:
            buckling[i, 0] = 1.0 / eigenvalues[-1]
        if eigenvalues[0] < -floor and not name.startswith("spin"):  # centrifugal forces do not pull inwards
            buckling[i, 1] = -1.0 / eigenvalues[0]
    southwell = np.full((modes, 3), np.nan)
    own = second.quadratic.rows == second.quadratic.other
    for a, axis in enumerate(AXES):
        if f"spin about {axis}" in cases and modes:
            southwell[:, a] = 0.0
            spin = work[cases.index(f"spin about {axis}")]
            southwell[second.quadratic.other[own], a] = -second.quadratic.value[own] @ spin
    return Prestress(cases, buckling, southwell)
