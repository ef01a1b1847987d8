"""Numbering of a structure's degrees of freedom: point by point, rotation before displacement."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import scipy
from numpy.typing import NDArray

from supple.checks import Floats, Ints

Bools = NDArray[np.bool_]
COMPONENTS = ("rx", "ry", "rz", "ux", "uy", "uz")


@dataclass(frozen=True, eq=False)
class DofLayout:
    """Points that move, with six degrees of freedom (rotation, displacement), three (displacement), or one (a turn).

    Attributes
    ----------
    points : (p, 3) array
        Positions, m.
    turning : (p,) array of bool
        Which points have rotations.
    spins : (s, 3) array
        Unit vectors about which the last s points turn, and do nothing else of their own.
    """

    points: Floats
    turning: Bools
    spins: Floats = field(default_factory=lambda: np.zeros((0, 3)))

    @cached_property
    def first(self) -> Ints:
        """(p + 1,) where the degrees of freedom of each point begin."""
        counts = np.where(self.turning, 6, 3)
        counts[len(counts) - len(self.spins) :] = 1
        return np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)

    @property
    def size(self) -> int:
        """Number of degrees of freedom."""
        return int(self.first[-1])

    @cached_property
    def point(self) -> Ints:
        """(size,) the point of each degree of freedom."""
        return np.repeat(np.arange(len(self.points)), np.diff(self.first)).astype(np.int64)

    @cached_property
    def component(self) -> Ints:
        """(size,) which of rx, ry, rz, ux, uy, uz each degree of freedom is, or is nearest to."""
        out = np.arange(self.size) - self.first[self.point] + np.where(self.turning, 0, 3)[self.point]
        out[self._plain :] = np.abs(self.spins).argmax(axis=1)
        return out.astype(np.int64)

    @property
    def _plain(self) -> int:
        """Number of degrees of freedom along x, y and z: all but those of spins."""
        return self.size - len(self.spins)

    def of(self, points: Iterable[int]) -> Ints:
        """The degrees of freedom of some points, in that order."""
        parts = [np.arange(self.first[i], self.first[i + 1]) for i in points]
        return np.concatenate([np.zeros(0, np.int64), *parts]).astype(np.int64)

    @cached_property
    def motion(self) -> scipy.sparse.csr_array:
        """(6 p, size) rotation and displacement of all points; no rotation where a point has none."""
        n, count = self._plain, len(self.spins)
        rows = 6 * self.point[:n] + self.component[:n]
        about = (6 * self.point[n:, None] + np.arange(3)).ravel()
        places = (np.concatenate([rows, about]), np.concatenate([np.arange(n), np.repeat(n + np.arange(count), 3)]))
        values = np.concatenate([np.ones(n), self.spins.ravel()])
        return scipy.sparse.csr_array((values, places), shape=(6 * len(self.points), self.size))

    def rigid_motions(self, origin: Floats) -> Floats:
        """(size, 6) what a rotation about `origin` and a displacement, of unit size, do to all points."""
        out = np.zeros((len(self.points), 6, 6))
        out[:, :3, :3] = np.eye(3)
        out[:, 3:, 3:] = np.eye(3)
        out[:, 3:, :3] = -cross_matrix(self.points - origin)
        every = out.reshape(-1, 6)[6 * self.point + self.component]
        every[self._plain :] = np.hstack([self.spins, np.zeros_like(self.spins)])
        return every

    def scales(self, length: float) -> Floats:
        """(size,) factors that turn rotations into displacements at this distance, m."""
        return np.where(self.component < 3, length, 1.0)


def cross_matrix(x: Floats) -> Floats:
    """x~ (..., 3, 3) of (..., 3): x~ y = x x y."""
    out = np.zeros((*x.shape, 3))
    for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        out[..., i, j] = -x[..., k]
        out[..., i, k] = x[..., j]
    return out


def extent(points: Floats) -> float:
    """Diagonal of the box around the points, m; 1 for a single point."""
    size = float(np.linalg.norm(np.ptp(points, axis=0)))
    return size if size > 0 else 1.0
