"""Structures from mass and stiffness matrices of any finite-element program."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np
import scipy
from numpy.typing import ArrayLike

from supple.call_checks import checked
from supple.checks import Floats, Ints, array
from supple.errors import ModelError, PhysicsWarning, nearest, warn
from supple.structures.body.integration import totals
from supple.structures.discretization.dof_map import DofLayout, extent
from supple.structures.discretization.frames import named
from supple.structures.discretization.mass import Sparse
from supple.structures.discretization.mass_classification import recognised
from supple.structures.discretization.validation import check_free, check_not_negative, check_symmetric
from supple.structures.eigen.lowest_modes import DENSE
from supple.structures.elements.external import ExternalElements, StressRecovery
from supple.structures.stiffening.load_cases import case_names
from supple.structures.structure import Structure

GivenCases: TypeAlias = Mapping[str, Any] | Sequence[tuple[str | ArrayLike, Any]]
"""Load cases, or forces on the degrees of freedom, with what their stresses add to the stiffness."""
GivenTangents: TypeAlias = tuple[tuple[str | Floats, ...], tuple[Sparse, ...]]
FE_ORDER = np.array([3, 4, 5, 0, 1, 2])
"""Places of rx, ry, rz, ux, uy, uz among ux, uy, uz, rx, ry, rz."""
UNEVEN = 1e-6
FASTEST = 3e5
"""m/s; sound in diamond makes 1.8e4, and a coarse mesh may be some times stiffer."""
THINNEST = 1e-8
"""kg/m^3 in a cube of the structure's size; a 100 m boom of 1 kg has 1e-6."""
LARGEST = 1e4


@checked
def from_matrices(
    nodes: ArrayLike,
    mass: ArrayLike | scipy.sparse.sparray | scipy.sparse.spmatrix,
    stiffness: ArrayLike | scipy.sparse.sparray | scipy.sparse.spmatrix,
    frames: Mapping[str, int | Iterable[int]],
    geometric_stiffness: GivenCases | None = None,
    recovery: StressRecovery | None = None,
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
    geometric_stiffness : dict of load case to matrix, or sequence of (load, matrix), optional
        What the stresses of a load add to the stiffness, as matrices like `stiffness`: the tangent under the load less
        the stiffness of the unloaded structure, its root being held as in the reduction. Without it the body does not
        stiffen. A load is one of the cases below, of unit size, or a vector of forces like a row of `stiffness`.
    recovery : StressRecovery, optional
        Stresses at points of the structure for displacements of its nodes; without it stresses are not known.

    Notes
    -----
    Load cases of `geometric_stiffness`: "acceleration x" of the root (1 m/s^2), "angular acceleration about x" (1
    rad/s^2) and "spin about x" (1 rad/s, so the matrix at a spin omega divided by omega^2), in the frame of the root,
    and "force x at end" (1 N) and "moment x at end" (1 N m) for any frame; likewise for y and z. The centrifugal
    softening that programs take off the tangent of spinning structures is no stress: add omega^2 M_perp, the masses
    across the axis, to it. Loads that are not given do not stiffen the body, or only by what they share with others.

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
    order = (6 * np.arange(k)[:, None] + FE_ORDER).ravel() if turning[0] else np.arange(3 * k)
    M, K = _reordered(M, order), _reordered(K, order)
    structure = sound_structure(layout, M, K, named(frames, k))
    known: dict[str, Any] = {}
    if geometric_stiffness is not None:
        cases, tangents = _given_stress(geometric_stiffness, structure.stiffness, order, structure.frames)
        known |= {"cases": cases, "tangents": tangents}
    if recovery is not None:
        if not isinstance(recovery, StressRecovery):
            raise ModelError(f"recovery: expected a StressRecovery, got {type(recovery).__name__}")
        known["of_nodes"] = recovery.table(layout, order)
    if known:
        elements = ExternalElements(layout, structure.stiffness, structure.masses, **known)
        structure = replace(structure, elements=elements)
    _warn_of_units(structure)
    return structure


def sound_structure(
    layout: DofLayout,
    mass: Sparse,
    stiffness: Sparse,
    frames: dict[str, tuple[int, ...]],
    name_of: Callable[[int], str] = "row {}".format,
) -> Structure:
    """A structure from matrices in the order of `layout`; refused if they cannot be those of a free one.

    Rows are named by `name_of`. Whether the stiffness of a larger structure has negative eigenvalues is left to the
    reduction, which factorises it.
    """
    M, K = check_symmetric(mass, "mass"), check_symmetric(stiffness, "stiffness")
    if layout.size <= DENSE:
        check_not_negative(M, "mass", name_of)
        check_not_negative(K, "stiffness", name_of)
    check_free(K, layout)
    _check_even(M, layout)
    masses = recognised(M, layout)
    if layout.size > DENSE:
        given = masses.given is not None
        check_not_negative(M if given else masses.weights, "mass", name_of if given else "point {}".format)
    return Structure(layout.points, layout.turning, K, masses, frames)


def _matrix(value: Any, k: int, what: str) -> Sparse:
    matrix = _sparse(value, what)
    if matrix.shape not in ((3 * k, 3 * k), (6 * k, 6 * k)):
        raise ModelError(
            f"{what}: expected {3 * k} x {3 * k} or {6 * k} x {6 * k} for {k} nodes of 3 or 6 degrees of freedom, got "
            + " x ".join(map(str, matrix.shape))
        )
    return scipy.sparse.csr_array(matrix)


def _reordered(matrix: Sparse, order: Ints) -> Sparse:
    rows: Any = matrix[order]  # the stubs have many types for parts of parts
    return scipy.sparse.csr_array(rows[:, order])


def _sparse(value: Any, what: str) -> Sparse:
    try:
        matrix: Any = scipy.sparse.csr_array(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise ModelError(f"{what}: expected a matrix of numbers, got {value!r}") from None
    return scipy.sparse.csr_array(matrix)


def _given_stress(given: GivenCases, K: Sparse, order: Ints, frames: Mapping[str, Any]) -> GivenTangents:
    """Load cases with their matrices, checked and in the order of the structure's degrees of freedom."""
    pairs = list(given.items()) if isinstance(given, Mapping) else given
    if not isinstance(pairs, Sequence) or any(not isinstance(p, Sequence) or len(p) != 2 for p in pairs):
        raise ModelError(
            "geometric_stiffness: expected a dict of load cases to matrices, or pairs of a load and a matrix, got "
            f"{type(given).__name__}"
        )
    known = case_names(frames)
    cases: list[str | Floats] = []
    matrices = []
    for i, (load, value) in enumerate(pairs):
        if isinstance(load, str):
            what = f"geometric_stiffness: {load!r}"
            if load not in known:
                raise ModelError(f"{what}: no such load case{nearest(load, known)}")
            cases.append(load)
        else:
            what = f"geometric_stiffness: load {i + 1}"
            cases.append(array(load, (len(order),), what)[order])
        matrix = _sparse(value, what)
        if matrix.shape != K.shape:
            raise ModelError(f"{what}: expected the shape {K.shape} of the stiffness, got {matrix.shape}")
        matrices.append(check_symmetric(scipy.sparse.csr_array(matrix[order][:, order]), what))
    return tuple(cases), tuple(matrices)


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
    speed = speed_of_sound(structure)
    if speed > FASTEST:
        warned.append(f"a speed of sound of about {speed:.1g} m/s")
    if warned:
        warn(f"structure: {' and '.join(warned)}; are lengths in millimetres or masses in tonnes?", PhysicsWarning)


def speed_of_sound(structure: Structure) -> float:
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
