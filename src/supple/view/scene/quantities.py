"""Quantities that colour the surfaces of flexible bodies: displacement, strain and stress, as rows of coordinates.

Each is the norm of a few rows at a vertex. Of stress it is von Mises'; the strain beside it is von Mises' stress over
Young's modulus, the strain of a bar under that stress. Colours are the map viridis (van der Walt and Smith, 2015),
which is perceptually uniform: equal steps of the quantity look equal, in grey and to readers with any colour vision.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from scipy import sparse

from supple.checks import Floats, Ints
from supple.errors import StateError, one_of
from supple.structures.body.flexible_body import FlexibleBody
from supple.structures.elements.recovery_table import DISTORTION, RecoveryTable
from supple.view.scene.look import QUANTITIES
from supple.view.scene.sampling import evenly
from supple.view.scene.surfaces import DrawnSurface, with_points

DISTORTIONS = len(DISTORTION)
MOST_CELLS = 40_000_000
"""Numbers from which the largest value of a motion is found; of longer motions some frames are left out."""
MOST_POINTS = 64
"""Limit for the places of a body at which the largest value of a frame is marked."""


class VertexStress(NamedTuple):
    """Of the vertices of a surface.

    Attributes
    ----------
    rows : (5 n, modes) sparse array
        The norm of five of them is von Mises' stress, Pa.
    compliance : (n,) array
        One over Young's modulus, 1/Pa; zero where that is not known.
    """

    rows: sparse.csr_array
    compliance: Floats


def vertex_stress(body: FlexibleBody, vertices: Floats) -> VertexStress | None:
    """The stress of the recovery points nearest to vertices (n, 3) of a body; None where stresses are not known."""
    points = None if body.recovery is None else body.recovery.stresses
    if points is None or len(points) == 0 or len(vertices) == 0:
        return None
    near = points.near(vertices)
    spread = sparse.kron(near, sparse.csr_array(DISTORTION), format="csr")
    return VertexStress(sparse.csr_array(spread @ points.matrix), _compliance(near @ points.modulus))


class Worst(NamedTuple):
    """Recovery points of a body where stress or strain is largest in some frame of a motion, and the largest values."""

    points: Ints
    stress: float
    strain: float


def worst_points(points: RecoveryTable, eta: Floats) -> Worst:
    """Those of a motion with amplitudes (frames, c), at most `MOST_POINTS`."""
    rows = sparse.csr_array(sparse.kron(sparse.eye_array(len(points)), DISTORTION) @ points.matrix)
    factors = np.ones(len(points)), _compliance(points.modulus)
    peaks, most = np.zeros((2, len(points))), [0.0, 0.0]
    for found in _norms(rows, DISTORTIONS, eta[:, : rows.shape[1]]):
        for k, factor in enumerate(factors):
            values = found * factor[:, None]
            at, size = values.argmax(axis=0), values.max(axis=0)
            np.maximum.at(peaks[k], at, size)
            most[k] = max(most[k], float(size.max()))
    share = np.max([x / size for x, size in zip(peaks, most, strict=True) if size > 0.0] or [peaks[0]], axis=0)
    order = np.argsort(-share, kind="stable")[:MOST_POINTS]
    return Worst(np.sort(order[share[order] > 0.0]), *most)


def with_worst_points(
    surface: DrawnSurface, body: FlexibleBody, stiffens: bool, worst: Worst
) -> tuple[DrawnSurface, VertexStress | None]:
    """The surface of a body with its stress, and with further vertices on no triangle: the worst recovery points.

    Other vertices have the mean of the nearest points, large surfaces have few, and solids have points inside.
    """
    found = vertex_stress(body, surface.vertices)
    if found is None:
        return surface, None
    assert body.recovery is not None
    assert body.recovery.stresses is not None
    own = body.recovery.stresses.at(worst.points)
    rows = sparse.kron(sparse.eye_array(len(own)), DISTORTION) @ own.matrix
    compliance = np.concatenate([found.compliance, _compliance(own.modulus)])
    marked = with_points(surface, body, stiffens, own.nodes, own.positions)
    return marked, VertexStress(sparse.csr_array(sparse.vstack([found.rows, rows])), compliance)


def largest(rows: Floats | sparse.csr_array, width: int, eta: Floats, factor: Floats | float = 1.0) -> float:
    """The largest norm of `width` rows each, times a factor, for amplitudes (frames, c)."""
    return max((float((found.T * factor).max()) for found in _norms(rows, width, eta)), default=0.0)


def _norms(rows: Floats | sparse.csr_array, width: int, eta: Floats) -> Iterator[Floats]:
    """Norms (n, some frames) of `width` rows each; of very long motions some frames are left out."""
    if not rows.shape[0] or not rows.shape[1] or not len(eta):
        return
    frames = max(1, min(len(eta), MOST_CELLS // rows.shape[0]))
    chosen = eta[evenly(len(eta), frames)]
    step = max(1, MOST_CELLS // 10 // rows.shape[0])
    for first in range(0, len(chosen), step):
        part = chosen[first : first + step]
        yield np.linalg.norm(np.asarray(rows @ part.T).reshape(-1, width, len(part)), axis=1)


def _compliance(modulus: Floats) -> Floats:
    """One over Young's modulus; zero where that is not known."""
    known = np.nan_to_num(modulus)
    return np.divide(1.0, known, out=np.zeros(len(known)), where=known > 0.0)


def checked_quantity(name: str | None, what: str = "color") -> str | None:
    """A quantity by its name, or None."""
    if name is not None and name not in QUANTITIES:
        raise StateError(f"{what}: no quantity {name!r}{one_of(QUANTITIES)}")
    return name
