"""Whether matrices can be those of a structure: symmetric, not negative, free of rigid motions, held by the root."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import scipy

from supple.checks import Floats
from supple.errors import ModelError
from supple.structures.discretization.dof_map import DofLayout, extent
from supple.structures.discretization.mass import Sparse
from supple.structures.eigen.lowest_modes import DENSE, LARGE, factorised
from supple.structures.eigen.multifrontal import DissectedFactors, NotPositiveError

ASYMMETRY = 1e-8
RESISTANCE = 1e-6
"""Force against a rigid motion, relative to the terms it is the sum of, that rounding in a file may cause."""
NEGATIVE = 1e-8
"""Share of the diagonal that rounding may make an eigenvalue negative."""
LOOSE = 1e-14
"""Share of the diagonal below which a pivot of the held structure is none."""
MOST_ENTRY = 1e100
"""Limits for entries of a matrix: products of three are finite."""
RIGID_NAMES = ("rotation about x", "rotation about y", "rotation about z", "motion in x", "motion in y", "motion in z")


def check_symmetric(matrix: Sparse, what: str) -> Sparse:
    """The matrix with rounding differences between its halves averaged."""
    if not np.isfinite(matrix.data).all():
        raise ModelError(f"{what}: expected finite numbers, got {matrix.data[~np.isfinite(matrix.data)][0]}")
    size = float(abs(matrix).max()) if matrix.nnz else 0.0
    difference = abs(matrix - matrix.T)
    worst = float(difference.max()) if difference.nnz else 0.0
    if worst > ASYMMETRY * size:
        raise ModelError(f"{what}: expected a symmetric matrix, got a largest difference of {worst:.6g} in {size:.6g}")
    return scipy.sparse.csr_array(matrix * 0.5 + matrix.T * 0.5)


def check_sizes(matrix: Sparse, what: str) -> None:
    """Raise if products of two entries overflow or vanish."""
    d = np.abs(matrix.data[matrix.data != 0.0])
    if len(d) and not (np.isfinite(d).all() and d.max() <= MOST_ENTRY):
        raise ModelError(f"{what}: expected numbers up to {MOST_ENTRY:g}, got {d.max():g}; use SI units")
    if len(d) and d.max() < 1.0 / MOST_ENTRY:
        raise ModelError(f"{what}: expected some numbers above {1.0 / MOST_ENTRY:g}, got {d.max():g}; use SI units")


def check_not_negative(matrix: Sparse, what: str, name_of: Callable[[int], str] = "row {}".format) -> None:
    """Raise if a symmetric matrix has a negative eigenvalue, beyond rounding; `name_of` names its rows."""
    d = matrix.diagonal()
    if len(d) and d.min() < 0:
        i = int(np.argmin(d))
        raise ModelError(f"{what}: expected no negative eigenvalue, got {d[i]:.6g} on the diagonal at {name_of(i)}")
    scaled = _scaled(matrix, np.where(d > 0, d, 1.0))
    if _is_positive(scipy.sparse.csr_array(scaled + NEGATIVE * scipy.sparse.eye_array(len(d)))):
        return
    if len(d) <= DENSE:
        lowest = float(np.linalg.eigvalsh(matrix.toarray())[0])
    else:
        lowest = float(scipy.sparse.linalg.eigsh(matrix, 1, which="SA", return_eigenvectors=False)[0])
    raise ModelError(f"{what}: expected no negative eigenvalue, got {lowest:.6g}")


def rigid_resistance(stiffness: Sparse, layout: DofLayout) -> Floats:
    """(6,) largest force against each rigid motion, relative to the terms it is the sum of."""
    origin = layout.points.mean(axis=0)
    size = extent(layout.points)
    R = layout.rigid_motions(origin) / np.array([size, size, size, 1.0, 1.0, 1.0])
    terms = abs(stiffness) @ np.abs(R)
    worst = np.maximum(terms.max(axis=1, keepdims=True), 1e-300)
    return np.asarray((np.abs(stiffness @ R) / worst).max(axis=0))


def check_free(stiffness: Sparse, layout: DofLayout) -> None:
    """Raise if the stiffness resists a rigid motion: the structure is held somewhere already."""
    resistance = rigid_resistance(stiffness, layout)
    if resistance.max() > RESISTANCE:
        raise ModelError(free_cause(resistance, RESISTANCE))


def free_cause(resistance: Floats, limit: float) -> str:
    """What to say of a structure that resists rigid motions (6,): which, and the likely cause."""
    wrong = np.flatnonzero(resistance > limit)
    names = ", ".join(f"{RIGID_NAMES[i]} ({resistance[i]:.2g})" for i in wrong)
    if wrong.max() < 3:  # rotations only
        cause = "; displacements need none: are positions those of the matrices, in the same order, units and axes?"
    else:
        cause = "; leave supports out: the root is fixed by the reduction; or are the rows in another order?"
    return (
        "stiffness: expected a free structure, whose rigid motions need no force, got relative resistance to "
        f"{names}{cause}"
    )


def check_mass(mass: Sparse, name_of: Callable[[int], str]) -> None:
    """Raise if a degree of freedom can move without moving mass."""
    d = mass.diagonal()
    if len(d) == 0:
        return
    if d.min() > 0 and float(_pivots(_scaled(mass, d)).min()) > LOOSE:
        return
    worst = int(np.argmin(d)) if d.min() <= 0 else int(np.argmax(np.abs(_softest(_scaled(mass, d)))))
    raise ModelError(
        f"mass: {name_of(worst)} moves without mass; give its node mass or inertia, or use a basis of modes"
    )


def clamped_solver(stiffness: Sparse, name_of: Callable[[int], str]) -> tuple[Callable[[Floats], Floats], float]:
    """A function that solves K u = f for the held structure, and its lowest pivot, the diagonal being 1.

    Raises if a part of the structure can move freely.

    Parameters
    ----------
    stiffness : (n, n) sparse array
        Without the root's rows and columns.
    name_of : function
        The name of each row.
    """
    d = stiffness.diagonal()
    if len(d) == 0:
        return lambda f: f, 1.0
    if d.min() <= 0:
        raise ModelError(f"stiffness: {name_of(int(np.argmin(d)))} can move without any force; hold it or join it")
    scale = 1.0 / np.sqrt(d)
    scaled = _scaled(stiffness, d)
    if len(d) > LARGE:
        large, lowest = _large_factors(scaled, name_of)
        return lambda f: (large.solve((f.T * scale).T).T * scale).T, lowest
    try:
        factors = factorised(scaled)
        lowest = float(factors.U.diagonal().min())
    except np.linalg.LinAlgError:
        lowest = 0.0
    if lowest < -NEGATIVE:
        raise ModelError(
            f"stiffness: expected no negative eigenvalue, got a pivot of {lowest:.3g} (diagonal scaled to 1)"
        )
    if lowest < LOOSE:
        worst = int(np.argmax(np.abs(_softest(scaled))))
        raise ModelError(
            "stiffness: the structure held at its root is a mechanism, it moves without strain, most at "
            f"{name_of(worst)}"
        )
    return lambda f: (factors.solve(np.ascontiguousarray(f.T * scale).T).T * scale).T, lowest


def _large_factors(scaled: Sparse, name_of: Callable[[int], str]) -> tuple[DissectedFactors, float]:
    """Factors of a large matrix and its lowest pivot; raises if it is not definite."""
    try:
        factors = DissectedFactors(scaled)
    except NotPositiveError as error:
        raise ModelError(
            "stiffness: expected that the held structure resists all motions, got none or a negative stiffness near "
            f"{name_of(error.unknown)}"
        ) from None
    lowest, worst = factors.lowest_pivot
    if lowest < LOOSE:
        raise ModelError(
            f"stiffness: the structure held at its root is a mechanism, it moves without strain near {name_of(worst)}"
        )
    return factors, lowest


def _is_positive(matrix: Sparse) -> bool:
    if matrix.shape[0] <= LARGE:
        return bool(_pivots(matrix).min() > 0)
    try:
        DissectedFactors(matrix)
    except NotPositiveError:
        return False
    return True


def _scaled(matrix: Sparse, d: Floats) -> Sparse:
    half = scipy.sparse.diags_array(1.0 / np.sqrt(d))
    return scipy.sparse.csr_array(half @ matrix @ half)


def _pivots(matrix: Sparse) -> Floats:
    """Pivots of a symmetric matrix; zero if one vanishes exactly."""
    try:
        return np.asarray(factorised(matrix).U.diagonal())
    except np.linalg.LinAlgError:
        return np.zeros(1)


def _softest(scaled: Sparse) -> Floats:
    """The shape of least stiffness, by inverse iteration."""
    factors = factorised(scipy.sparse.csr_array(scaled + 1e-12 * scipy.sparse.eye_array(scaled.shape[0])))
    v = np.random.default_rng(0).standard_normal(scaled.shape[0])
    for _ in range(4):
        v = factors.solve(v)
        v /= np.linalg.norm(v)
    return v
