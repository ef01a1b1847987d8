"""What kind of mass a given mass matrix is made of."""

from __future__ import annotations

import numpy as np
import scipy

from supple.checks import Floats
from supple.structures.discretization.dof_map import DofLayout
from supple.structures.discretization.mass import MassModel, Sparse, stations, turned

SAME = 1e-9
"""Relative difference of entries that are meant to be equal."""


def recognised(M: Sparse, layout: DofLayout) -> MassModel:
    """Rows of mass whose matrix is M; or rows that stand in for M, if it is of neither kind that has such rows."""
    model = _lumped(M, layout) if layout.turning.all() else _continuous(M, layout)
    return _stand_in(M, layout) if model is None else model


def continuous(weights: Sparse, layout: DofLayout) -> MassModel:
    """Interpolated displacements with the scalar mass matrix `weights` (k, k)."""
    x, y, z = _displacements(layout)
    return MassModel((x, y, z), layout.points, weights, np.ones(len(layout.points), bool))


def on_nodes(layout: DofLayout, masses: Floats, offsets: Floats, second: Floats) -> MassModel:
    """Return rigid pieces of mass (k,) with centres at offsets (k, 3) from the nodes and second moments (k, 3, 3)."""
    turn = [scipy.sparse.csr_array(layout.motion[a::6]) for a in range(3)]
    moved = [P + T for P, T in zip(_displacements(layout), turned(turn, offsets), strict=True)]
    positions = layout.points + offsets
    return stations(positions, _interleaved(moved), _interleaved(turn), masses, second, offsets)


def _continuous(M: Sparse, layout: DofLayout) -> MassModel | None:
    """The rows of solid elements, or of point masses, if each 3x3 block of M is a multiple of I."""
    selections = _displacements(layout)
    parts = [scipy.sparse.csr_array(P @ M @ P.T) for P in selections]
    mean = scipy.sparse.csr_array((parts[0] + parts[1] + parts[2]) / 3.0)
    model = continuous(mean, layout)
    rest = abs(M - model.matrix)
    if rest.nnz and rest.max() > SAME * abs(M).max():
        return None
    return model


def _lumped(M: Sparse, layout: DofLayout) -> MassModel | None:
    """Rigid masses on the nodes, if M is block diagonal and each block (J, m p~; -m p~, m I) is of a real body."""
    k = len(layout.points)
    entries = M.tocoo()
    if (entries.row // 6 != entries.col // 6).any():
        return None
    blocks = np.zeros((k, 6, 6))
    blocks[entries.row // 6, entries.row % 6, entries.col % 6] = entries.data
    J, m = blocks[:, :3, :3], np.trace(blocks[:, 3:, 3:], axis1=1, axis2=2) / 3.0
    moment = np.stack([blocks[:, 2, 4], blocks[:, 0, 5], blocks[:, 1, 3]], axis=-1)
    p = moment / np.where(m > 0, m, 1.0)[:, None]
    own = J - m[:, None, None] * (np.sum(p**2, axis=1)[:, None, None] * np.eye(3) - p[:, :, None] * p[:, None, :])
    second = np.trace(own, axis1=1, axis2=2)[:, None, None] / 2.0 * np.eye(3) - own
    if (np.linalg.eigvalsh(second)[:, 0] < -SAME * np.trace(J, axis1=1, axis2=2)).any():
        return None
    model = on_nodes(layout, m, p, second)
    rest = abs(M - model.matrix)
    scale = np.sqrt(M.diagonal())
    excess = rest.tocoo()
    if (excess.data > SAME * np.maximum(scale[excess.row] * scale[excess.col], 1e-300)).any():
        return None
    return model


def _stand_in(M: Sparse, layout: DofLayout) -> MassModel:
    """Point masses on the nodes: row sums, or where those are not positive, the diagonal scaled to the whole mass."""
    blocks = [scipy.sparse.csr_array(P @ M @ P.T) for P in _displacements(layout)]
    sums = np.mean([np.asarray(b.sum(axis=1)).ravel() for b in blocks], axis=0)
    masses: Floats = sums
    if sums.min() <= 0:
        diagonal = np.mean([b.diagonal() for b in blocks], axis=0)
        masses = diagonal * sums.sum() / diagonal.sum()
    x, y, z = _displacements(layout)
    weights = scipy.sparse.csr_array(scipy.sparse.diags_array(masses))
    return MassModel((x, y, z), layout.points, weights, np.ones(len(masses), bool), given=M)


def _displacements(layout: DofLayout) -> list[Sparse]:
    """Three (k, size) sparse arrays: ux, uy and uz of all points."""
    return [scipy.sparse.csr_array(layout.motion[a::6]) for a in range(3, 6)]


def _interleaved(parts: list[Sparse]) -> Sparse:
    """(3 k, size) from three (k, size): rows 3 i + axis."""
    k = parts[0].shape[0]
    stacked = scipy.sparse.csr_array(scipy.sparse.vstack(parts))
    return scipy.sparse.csr_array(stacked[(np.arange(k)[:, None] + k * np.arange(3)).ravel()])
