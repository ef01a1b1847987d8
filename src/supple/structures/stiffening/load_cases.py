"""Load cases by name, as combinations of unit loads: unit motions of the root, unit forces and moments at frames."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from supple.checks import Floats
from supple.structures.discretization.dof_map import cross_matrix
from supple.structures.elements.stressed_state import INERTIA

AXES = "xyz"


def inertia_cases() -> dict[str, Floats]:
    """Inertia forces -rho (a + A x) of unit motions of the root, as (12,) of the unit inertia loads, by name."""
    unit = np.eye(3)
    cases = {f"acceleration {AXES[a]}": _case(unit[a], np.zeros((3, 3))) for a in range(3)}
    for a in range(3):
        cases[f"angular acceleration about {AXES[a]}"] = _case(np.zeros(3), cross_matrix(unit[a]))
    for a in range(3):
        cases[f"spin about {AXES[a]}"] = _case(np.zeros(3), cross_matrix(unit[a]) @ cross_matrix(unit[a]))
    return cases


def frame_cases(frame: str) -> tuple[str, ...]:
    """Names of unit moments and forces at a frame, in the order of its motion."""
    return tuple(f"{what} {axis} at {frame}" for what in ("moment", "force") for axis in AXES)


def case_names(frames: Iterable[str]) -> tuple[str, ...]:
    """All load cases of a structure with loads at these frames."""
    return (*inertia_cases(), *(name for frame in frames for name in frame_cases(frame)))


def combinations(frames: Sequence[str]) -> Floats:
    """(12 + 6 frames, cases) of the unit loads, a column for each of `case_names`."""
    inertia = np.stack(list(inertia_cases().values()), axis=1)
    ends = np.eye(6 * len(frames))
    out = np.zeros((INERTIA + len(ends), inertia.shape[1] + len(ends)))
    out[:INERTIA, : inertia.shape[1]] = inertia
    out[INERTIA:, inertia.shape[1] :] = ends
    return out


def _case(a: Floats, A: Floats) -> Floats:
    return -np.concatenate([a, A.ravel()]) + 0.0
