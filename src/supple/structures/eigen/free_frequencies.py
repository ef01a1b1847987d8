"""Frequencies of a structure, free in space or held, without reducing it."""

from __future__ import annotations

import numpy as np

from supple.checks import Floats, Ints
from supple.structures.discretization.clamping import clamp
from supple.structures.discretization.discretization import Discretization
from supple.structures.discretization.dof_map import DofLayout
from supple.structures.discretization.validation import clamped_solver
from supple.structures.eigen.lowest_modes import Participation, cut, lowest_modes


def held_modes(structure: Discretization, root: str, count: int) -> tuple[Floats, Floats]:
    """Squared frequencies (m,), rad^2/s^2, and effective inertias and masses (m, 6) with a frame held, the lowest."""
    small, clamped = structure.condensed, clamp(structure, root)
    M = small.mass.matrix
    rigid = small.layout.rigid_motions(small.layout.points[clamped.point])
    squares, phi = lowest_modes(cut(small.stiffness, clamped.free), cut(M, clamped.free), count, solve=clamped.solve)
    return squares, (phi.T @ (M @ rigid)[clamped.free]) ** 2


def free_frequencies(structure: Discretization, count: int, root: str = "") -> Floats:
    """The lowest frequencies of the free structure, Hz, without its six rigid motions.

    Parameters
    ----------
    root : str
        A frame that is held in between; of the structure with its regions rigid. Without one, the regions are free,
        and six degrees of freedom that hold it without stress are held.
    """
    if root:
        clamped = clamp(structure, root)
        small, free, solve = structure.condensed, clamped.free, clamped.solve
        layout, K, M = small.layout, small.stiffness, small.mass.matrix
    else:
        layout, K, M = structure.layout, structure.stiffness, structure.masses.matrix
        free = np.setdiff1d(np.arange(layout.size), statically_determinate(layout))
        solve, _ = clamped_solver(cut(K, free), lambda i: f"degree of freedom {free[i]}")
    momentum = M @ layout.rigid_motions(layout.points.mean(axis=0))
    rigid = layout.rigid_motions(layout.points.mean(axis=0))
    participation = Participation(momentum[free], rigid.T @ momentum)
    squares, _ = lowest_modes(cut(K, free), cut(M, free), count, participation, solve=solve)
    return np.sqrt(squares) / (2.0 * np.pi)


def statically_determinate(layout: DofLayout) -> Ints:
    """Six degrees of freedom that hold all rigid motions: of one point that turns, or of three points far apart."""
    turning = np.flatnonzero(layout.turning)
    if len(turning):
        return layout.of([int(turning[0])])
    x = layout.points
    first = int(np.argmax(np.linalg.norm(x - x.mean(axis=0), axis=1)))
    second = int(np.argmax(np.linalg.norm(x - x[first], axis=1)))
    along = (x[second] - x[first]) / max(float(np.linalg.norm(x[second] - x[first])), 1e-300)
    third = int(np.argmax(np.linalg.norm(np.cross(x - x[first], along), axis=1)))
    candidates = layout.of([first, second, third])
    rows = layout.rigid_motions(x[first])[candidates]
    chosen: list[int] = []
    left = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    while len(chosen) < 6:
        i = int(np.argmax(np.linalg.norm(left, axis=1)))
        chosen.append(int(candidates[i]))
        unit = left[i] / np.linalg.norm(left[i])
        left = left - np.outer(left @ unit, unit)
    return np.array(sorted(chosen), dtype=np.int64)
