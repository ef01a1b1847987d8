"""What loads do to the stiffness of a reduced body: buckling factors and Southwell coefficients."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from supple.checks import Floats
from supple.structures.elements.stressed_state import INERTIA
from supple.structures.stiffening.geometric_stiffness import StressedLoads
from supple.structures.stiffening.load_cases import AXES, case_names, combinations
from supple.structures.stiffening.second_order import SecondOrder
from supple.structures.stiffening.unit_loads import UnitLoads

ROUNDING = 1e-9
"""Share of a load's largest effect that may be rounding."""


class Prestress(NamedTuple):
    """What loads do to the stiffness of a body, as in its `Report`."""

    cases: tuple[str, ...] = ()
    buckling: Floats = np.zeros((0, 2))
    southwell: Floats = np.zeros((0, 3))


def prestress(loads: UnitLoads, stressed: StressedLoads, second: SecondOrder | None, modes: int) -> Prestress:
    """Of all load cases whose stresses are known, whether or not the body has shapes for them.

    Parameters
    ----------
    modes : int
        How many modes the body has; none if its coordinates are those of nodes.
    """
    matrices = -np.tensordot(loads.shares.T @ stressed.work, stressed.scaled, 1)
    diagonals = np.zeros((len(loads.cases), len(stressed.diagonal)))
    own = stressed.rows == stressed.columns
    diagonals[:, stressed.rows[own]] = -(loads.shares.T @ stressed.work) @ stressed.value[own].T
    if second is not None:
        offset_mass = np.arange(stressed.few[0].shape[1], second.count)
        work = _work(loads, second)[:, offset_mass]
        for k, shares in zip(offset_mass, work.T, strict=True):
            C = second.quadratic.matrix(int(k))
            matrices -= np.multiply.outer(shares, stressed.probes.T @ (C @ stressed.probes))
            diagonals -= np.multiply.outer(shares, C.diagonal())
    terms = np.abs(loads.shares.T @ stressed.work) @ np.abs(stressed.scaled).max(axis=(1, 2), initial=0.0)
    strongest = np.abs(stressed.scaled).max(initial=0.0) * np.linalg.norm(loads.shares.T @ stressed.work, axis=1)
    buckling = np.full((len(loads.cases), 2), np.inf)
    for i, name in enumerate(loads.cases):
        eigenvalues = np.linalg.eigvalsh(-matrices[i])
        floor = ROUNDING * max(terms[i], strongest[i])
        if eigenvalues[-1] > floor:
            buckling[i, 0] = 1.0 / eigenvalues[-1]
        if eigenvalues[0] < -floor and not name.startswith("spin"):  # centrifugal forces do not pull inwards
            buckling[i, 1] = -1.0 / eigenvalues[0]
    southwell = np.full((modes, 3), np.nan)
    for a, axis in enumerate(AXES):
        if f"spin about {axis}" in loads.cases and modes:
            southwell[:, a] = diagonals[loads.cases.index(f"spin about {axis}")]
    return Prestress(loads.cases, buckling, southwell)


def _work(loads: UnitLoads, second: SecondOrder) -> Floats:
    """(cases, k) of load cases with known names on shapes."""
    known = case_names(loads.frames)
    shares = np.zeros((INERTIA + 6 * len(loads.frames), len(loads.cases)))
    for i, name in enumerate(loads.cases):
        if name in known:
            shares[:, i] = combinations(loads.frames)[:, known.index(name)]
    work = shares[:3].T @ second.E.T + shares[3:INERTIA].T @ second.X.swapaxes(1, 2).reshape(-1, 9).T
    for i, frame in enumerate(loads.frames):
        work += shares[INERTIA + 6 * i : INERTIA + 6 * i + 6].T @ second.frames[frame]
    return work
