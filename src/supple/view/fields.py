"""Quantities that colour the surfaces of flexible bodies: displacement, strain and stress, as rows of coordinates.

Each is the norm of a few rows at a vertex. Of stress it is von Mises'; the strain beside it is von Mises' stress over
Young's modulus, the strain of a bar under that stress. Colours are the map viridis (van der Walt and Smith, 2015),
which is perceptually uniform: equal steps of the quantity look equal, in grey and to readers with any colour vision.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import sparse

from supple.checks import Floats
from supple.errors import StateError, one_of
from supple.structures.body import FlexibleBody
from supple.structures.stresses import DISTORTION

QUANTITIES = {"displacement": "m", "strain": "1", "stress": "Pa"}
"""By name, with their units."""
COLORS = (
    "#440154", "#482475", "#414487", "#355f8d", "#2a788e", "#21918c",
    "#22a884", "#44bf70", "#7ad151", "#bddf26", "#fde725",
)  # fmt: skip
"""From the lowest value to the highest, at equal distances."""
DISTORTIONS = len(DISTORTION)
MOST_CELLS = 40_000_000
"""Numbers from which the largest value of a motion is found; of longer motions some frames are left out."""


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
    modulus = np.nan_to_num(near @ points.modulus)
    compliance = np.divide(1.0, modulus, out=np.zeros(len(vertices)), where=modulus > 0.0)
    return VertexStress(sparse.csr_array(spread @ points.matrix), compliance)


def largest(rows: Floats, width: int, eta: Floats, factor: Floats | float = 1.0) -> float:
    """The largest norm of `width` rows each, times a factor, for amplitudes (frames, c)."""
    if not rows.size or not len(eta):
        return 0.0
    frames = max(1, min(len(eta), MOST_CELLS // rows.shape[0]))
    chosen = eta[np.unique(np.linspace(0, len(eta) - 1, frames).round().astype(int))]
    most = 0.0
    step = max(1, MOST_CELLS // 10 // rows.shape[0])
    for first in range(0, len(chosen), step):
        found = (rows @ chosen[first : first + step].T).reshape(-1, width, len(chosen[first : first + step]))
        most = max(most, float((np.linalg.norm(found, axis=1).T * factor).max()))
    return most


def checked_quantity(name: str | None, what: str = "color") -> str | None:
    """A quantity by its name, or None."""
    if name is not None and name not in QUANTITIES:
        raise StateError(f"{what}: no quantity {name!r}{one_of(QUANTITIES)}")
    return name


def mapped(values: Floats) -> Floats:
    """Red, green and blue (..., 3) from 0 to 1 of values from 0 to 1."""
    table = np.array([[int(color[i : i + 2], 16) for i in (1, 3, 5)] for color in COLORS]) / 255.0
    places = np.linspace(0.0, 1.0, len(table))
    return np.stack([np.interp(values, places, table[:, i]) for i in range(3)], axis=-1)
