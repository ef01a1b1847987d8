"""Structures from mass and stiffness matrices of any finite-element program."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import scipy
from numpy.typing import ArrayLike
from scipy import sparse

from supple.checks import Floats, array
from supple.errors import ModelError, PhysicsWarning
from supple.structures.integration import totals
from supple.structures.layout import DofLayout, extent
from supple.structures.mass import Sparse
from supple.structures.recognition import recognised
from supple.structures.soundness import check_free, check_not_negative, check_symmetric
from supple.structures.structure import Structure, named

FE_ORDER = np.array([3, 4, 5, 0, 1, 2])
"""Places of rx, ry, rz, ux, uy, uz among ux, uy, uz, rx, ry, rz."""
UNEVEN = 1e-6
FASTEST = 3e5
"""m/s; sound in diamond makes 1.8e4, and a coarse mesh may be some times stiffer."""
THINNEST = 1e-8
"""kg/m^3 in a cube of the structure's size; a 100 m boom of 1 kg has 1e-6."""
LARGEST = 1e4


def from_matrices(
    nodes: ArrayLike,
    mass: ArrayLike | sparse.sparray | sparse.spmatrix,
    stiffness: ArrayLike | sparse.sparray | sparse.spmatrix,
    frames: Mapping[str, int | Iterable[int]],
) -> Structure:
    """A free structure from its matrices.

    Parameters
    ----------
    nodes : (k, 3) array_like
        Positions, m.
    mass, stiffness : (3 k, 3 k) or (6 k, 6 k) array_like or sparse
        Node by node in the order ux, uy, uz or ux, uy, uz, rx, ry, rz, in the axes of `nodes`; without supports; SI.
    frames : dict
        Name to node number, or to several: a rigid region, at the mean of their positions.

    Notes
    -----
    A mass matrix of solid elements (each 3x3 block a multiple of I) and one of rigid masses on the nodes are taken as
    they are. Of any other one all that is linear in the deformation is exact; how the inertia changes with the
    deformation (the symmetric part of X, and N) comes from point masses on the nodes, its row sums.

    Examples
    --------
    The matrices of a beam, put in the order that other programs use:

    >>> from supple.structures import Circle, Material, beam
    >>> b = beam(1.0, Circle(0.01), Material(E=70e9, nu=0.3, rho=2700), 2)
    >>> order = [6 * node + c for node in range(3) for c in (3, 4, 5, 0, 1, 2)]
    >>> M, K = (m.toarray()[order][:, order] for m in (b.mass_matrix, b.stiffness))
    >>> copy = from_matrices(b.nodes, M, K, {"start": 0, "end": 2})
    >>> round(copy.mass / b.mass, 12)
    1.0
    """
    if np.ndim(nodes) != 2 or len(np.asarray(nodes)) == 0:
        raise ModelError(f"nodes: expected positions of shape (k, 3), got shape {np.shape(nodes)}")
    k = len(np.asarray(nodes))
    x = array(nodes, (k, 3), "nodes")
    M, K = _matrix(mass, k, "mass"), _matrix(stiffness, k, "stiffness")
    if M.shape != K.shape:
        raise ModelError(f"mass and stiffness: expected the same shape, got {M.shape} and {K.shape}")
    turning = np.full(k, M.shape[0] == 6 * k)
    layout = DofLayout(x, turning)
    if turning[0]:
        order = (6 * np.arange(k)[:, None] + FE_ORDER).ravel()
        M, K = sparse.csr_array(M[order][:, order]), sparse.csr_array(K[order][:, order])
    M, K = check_symmetric(M, "mass"), check_symmetric(K, "stiffness")
    check_not_negative(M, "mass")
    check_not_negative(K, "stiffness")
    check_free(K, layout)
    _check_even(M, layout)
    structure = Structure(x, turning, K, recognised(M, layout), named(frames, k))
    _warn_of_units(structure)
    return structure


def _matrix(value: Any, k: int, what: str) -> Sparse:
    try:
        matrix: Any = sparse.csr_array(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise ModelError(f"{what}: expected a matrix of numbers, got {value!r}") from None
    if matrix.shape not in ((3 * k, 3 * k), (6 * k, 6 * k)):
        raise ModelError(
            f"{what}: expected {3 * k} x {3 * k} or {6 * k} x {6 * k} for {k} nodes of 3 or 6 degrees of freedom, got "
            + " x ".join(map(str, matrix.shape))
        )
    return sparse.csr_array(matrix)


def _check_even(M: Sparse, layout: DofLayout) -> None:
    rigid = layout.rigid_motions(np.zeros(3))[:, 3:]
    masses = np.einsum("ia,ia->a", rigid, M @ rigid)
    if masses.min() <= 0:
        raise ModelError(f"mass: expected a positive mass, got {masses.tolist()} in x, y and z")
    if np.ptp(masses) > UNEVEN * masses.max():
        raise ModelError(f"mass: expected the same mass in all directions, got {masses.tolist()} in x, y and z")


def _warn_of_units(structure: Structure) -> None:
    """Warn of numbers that look like millimetres or tonnes."""
    size = extent(structure.nodes)
    layout = structure.layout
    mass, _, _ = totals(structure.masses, layout, np.zeros(3))
    warned = []
    if size > LARGEST:
        warned.append(f"a size of {size:.3g} m")
    if mass < THINNEST * size**3:
        warned.append(f"a mass of {mass:.3g} kg in a size of {size:.3g} m")
    speed = _speed_of_sound(structure)
    if speed > FASTEST:
        warned.append(f"a speed of sound of about {speed:.1g} m/s")
    if warned:
        warnings.warn(
            f"structure: {' and '.join(warned)}; are lengths in millimetres or masses in tonnes?",
            PhysicsWarning,
            stacklevel=3,
        )


def _speed_of_sound(structure: Structure) -> float:
    """Lowest nodal frequency times the distance to the next node, m/s: a rough estimate."""
    layout = structure.layout
    if len(structure.nodes) < 2:
        return 0.0
    spacing = np.asarray(scipy.spatial.KDTree(structure.nodes).query(structure.nodes, k=2)[0])[:, 1]
    moving = layout.component >= 3
    k: Floats = structure.stiffness.diagonal()[moving]
    m: Floats = structure.mass_matrix.diagonal()[moving]
    heavy = m > 0
    speeds = np.sqrt(k[heavy] / m[heavy]) * spacing[layout.point[moving][heavy]]
    return float(speeds.min(initial=np.inf))
