"""Modes followed over a parameter by their shapes, so that curves of frequencies may cross.

Two modes are alike by the modal assurance criterion |x* M y|^2, for shapes of unit modal mass, and by how near the
eigenvalue is to where it was heading. An eigenvalue that passes zero goes on as its conjugate. Where eigenvalues
coincide shapes are any of a plane, and the plane stands for them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import optimize

from supple.linear.start import Floats, Numbers

CLOSE = 1e-6
"""Eigenvalues that differ by less, relative to the largest of them and to the range, coincide."""
HEADING = 0.5
"""Weight of the distance from where an eigenvalue was heading, beside the likeness of shapes."""


class ModeSet(NamedTuple):
    """Modes at one value of the parameter: eigenvalues (n,), shapes (nv, n) of unit modal mass, and M (nv, nv)."""

    values: Numbers
    shapes: Numbers
    mass: Floats

    def alike(self) -> list[np.ndarray[tuple[int], np.dtype[np.int64]]]:
        """For each mode the numbers of those that share its eigenvalue, itself among them."""
        return [np.flatnonzero(np.abs(self.values - value) <= CLOSE * np.abs(value)) for value in self.values]

    def plane(self, members: np.ndarray[tuple[int], np.dtype[np.int64]]) -> Numbers:
        """A basis (nv, k) of the shapes of some modes, with unit modal masses."""
        x = self.shapes[:, members]
        if len(members) == 1:
            return x
        sizes, vectors = np.linalg.eigh(x.conj().T @ self.mass @ x)
        kept = sizes > CLOSE * sizes[-1]
        return np.asarray(x @ vectors[:, kept] / np.sqrt(sizes[kept]))

    def planes(self) -> list[Numbers]:
        """For each mode a basis (nv, k) of the shapes that share its eigenvalue."""
        return [self.plane(members) for members in self.alike()]


def pairs(modes: ModeSet, count: int) -> ModeSet:
    """At most `count` modes: of two real eigenvalues with much the same shape, the less stable stands for both."""
    values, shapes = modes.values, modes.shapes
    kept = np.ones(len(values), dtype=bool)
    real = [int(i) for i in np.flatnonzero(values.imag == 0)]
    surplus = len(values) - count
    if surplus <= 0:
        return modes
    alike = np.abs(shapes.conj().T @ modes.mass @ shapes) ** 2
    options = sorted(((alike[i, j], i, j) for i in real for j in real if i < j), reverse=True)
    used: set[int] = set()
    for _, i, j in options:
        if surplus and not used & {i, j}:
            used |= {i, j}
            kept[i if values[i].real < values[j].real else j] = False
            surplus -= 1
    return ModeSet(values[kept], shapes[:, kept], modes.mass)


class Tracks(NamedTuple):
    """Where followed modes are.

    Attributes
    ----------
    places : (tracks,) array of int
        Their places in the last set of modes; -1 where a mode has gone.
    values : (tracks,) complex array
        Their eigenvalues, of a conjugate pair the one that has been followed, 1/s.
    slopes : (tracks,) complex array
        How these change with the parameter.
    planes : list of (nv, k) arrays
        The shapes that they are known by.
    likeness : (tracks,) array
        Modal assurance from the set before to the last.
    """

    places: np.ndarray[tuple[int], np.dtype[np.int64]]
    values: Numbers
    slopes: Numbers
    planes: list[Numbers]
    likeness: Floats


def started(modes: ModeSet) -> Tracks:
    """All modes of a first set."""
    n = len(modes.values)
    return Tracks(np.arange(n), modes.values.astype(complex), np.zeros(n, complex), modes.planes(), np.ones(n))


def followed(tracks: Tracks, modes: ModeSet, step: float) -> Tracks:
    """The modes at the next value of the parameter, `step` further on, each where its shape is found again."""
    planes = modes.planes()
    heading = tracks.values + step * tracks.slopes
    straight, turned = (_likeness(tracks.planes, p, modes) for p in (planes, [x.conj() for x in planes]))
    room = abs(step) + 0.02 * np.abs(tracks.values)[:, None]
    near = np.abs(heading[:, None] - modes.values) / room
    across = np.abs(heading[:, None] - modes.values.conj()) / room
    costs = np.stack([1 - straight + HEADING * near / (1 + near), 1 - turned + HEADING * across / (1 + across)])
    rows, columns = optimize.linear_sum_assignment(costs.min(axis=0))
    n = len(tracks.values)
    out = Tracks(np.full(n, -1), tracks.values.copy(), tracks.slopes.copy(), list(tracks.planes), np.zeros(n))
    for i, j in zip(rows, columns, strict=True):
        conjugate = bool(costs[1, i, j] < costs[0, i, j])
        value = modes.values[j].conj() if conjugate else modes.values[j]
        out.places[i], out.likeness[i] = j, min(1.0, (turned if conjugate else straight)[i, j])
        if tracks.places[i] >= 0:
            out.slopes[i] = (value - tracks.values[i]) / step
        out.values[i] = value
        if planes[j].shape[1] == 1 or tracks.planes[i].shape[1] > 1:  # else it is still known by what it was
            out.planes[i] = planes[j].conj() if conjugate else planes[j]
    return out


def _likeness(known: list[Numbers], planes: list[Numbers], modes: ModeSet) -> Floats:
    """(tracks, modes) modal assurance: the largest share of a shape of one plane that lies in the other."""
    out = np.empty((len(known), len(planes)))
    columns = np.concatenate([x[:, :1] for x in known], axis=1), np.concatenate([x[:, :1] for x in planes], axis=1)
    out[:] = np.abs(columns[0].conj().T @ modes.mass @ columns[1]) ** 2
    for i, x in enumerate(known):
        for j, y in enumerate(planes):
            if x.shape[1] > 1 or y.shape[1] > 1:
                out[i, j] = np.linalg.norm(x.conj().T @ modes.mass @ y, 2) ** 2
    return out
