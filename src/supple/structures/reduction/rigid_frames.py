"""Increase of the lowest frequency by frames that are rigid regions of several nodes."""

from __future__ import annotations

import numpy as np
import scipy

from supple.structures.body.flexible_body import FlexibleBody
from supple.structures.discretization.clamping import clamp
from supple.structures.discretization.discretization import Discretization
from supple.structures.eigen.lowest_modes import solver

MOST_DOFS = 100_000
"""Structures with more degrees of freedom are left out."""
ITERATIONS = 4
"""Inverse iterations from the slowest coordinate to the slowest mode."""
NOTHING = 1e-9
"""Relative size of a displacement that is rounding."""

SOLVED = 1e-6
"""Relative residual of a static displacement; it is larger where the stiffness is singular."""


def stiffening_by_frames(body: FlexibleBody) -> tuple[tuple[str, ...], float]:
    """Return the rigid frames of a body besides its root, and by how much they raise its lowest frequency, relatively.

    In the slowest mode phi these regions exert the forces r = (K - w^2 M) phi on their nodes, with the matrices of the
    structure without them. The lowest frequency without them is that of phi and K^-1 r together, or less. Unknown, and
    zero, where a body was not reduced from a structure, or from one with other ties, or where parts of the structure
    are loose without these frames.
    """
    structure = None if body.source is None else body.source.structure
    if not isinstance(structure, Discretization) or structure.layout.size > MOST_DOFS or not body.modes:
        return (), 0.0
    names = tuple(name for name, nodes in structure.frames.items() if len(nodes) > 1 and name != body.root)
    if not names or structure.rigid or structure.averages or structure.arms:
        return (), 0.0
    layout, small, clamped = structure.layout, structure.condensed, clamp(structure, body.root)
    K, M = scipy.sparse.csc_array(structure.stiffness), structure.mass_matrix
    phi = np.asarray(layout.motion.T @ body.shapes[:, [int(np.argmin(body.stiffness.diagonal()))]].toarray())[:, 0]
    expand = layout.motion.T @ small.motion
    for _ in range(ITERATIONS):
        moved = np.zeros(small.size)
        moved[clamped.free] = clamped.solve((expand.T @ (M @ phi))[clamped.free])
        phi = np.asarray(expand @ (moved / np.abs(moved).max()))
    square = float(phi @ (K @ phi)) / float(phi @ (M @ phi))
    of_frames = layout.of(sorted({int(node) for name in names for node in structure.frames[name]}))
    force = np.zeros(layout.size)
    force[of_frames] = (K @ phi - square * (M @ phi))[of_frames]
    free = np.setdiff1d(np.arange(layout.size), layout.of(list(structure.frames[body.root])))
    relaxed = np.zeros(layout.size)
    loose = scipy.sparse.csr_array(K[free][:, free])
    with np.errstate(all="ignore"):  # what comes out is judged
        try:
            relaxed[free] = solver(loose)(force[free])
        except np.linalg.LinAlgError:
            return names, 0.0
        left = np.linalg.norm(loose @ relaxed[free] - force[free])
    if not left <= SOLVED * np.linalg.norm(force[free]):
        return names, 0.0
    both = np.column_stack([phi, relaxed])
    both = both[:, np.abs(both).max(axis=0) > NOTHING * np.abs(phi).max()]
    without = float(scipy.linalg.eigh(both.T @ (K @ both), both.T @ (M @ both), eigvals_only=True)[0])
    return names, max(0.0, float(np.sqrt(square / without)) - 1.0)
