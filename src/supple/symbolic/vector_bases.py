"""Unit vectors, and the bases they belong to: a tree of frames, each turned from the one before it.

A unit vector is one object however many bases it stands in: a body that turns about b3 of its parent has b3 as its own
third axis. Whoever asks for components then finds the shortest way from where a vector is known to where it is wanted.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, final

from supple.errors import ModelError
from supple.expressions.graph import Expr, Graph

Triple = list[Expr]
"""Components along the three axes of a basis."""


@final
class Unit:
    """A direction fixed in one body or in several.

    Attributes
    ----------
    name : str
        As in b1: of the basis in which it was met first.
    places : dict of VectorBasis to (int, int)
        Bases it is an axis of: which (0, 1, 2), and with which sign.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.places: dict[VectorBasis, tuple[int, int]] = {}

    def __repr__(self) -> str:
        return self.name


class VectorBasis:
    """Three orthogonal unit vectors.

    Attributes
    ----------
    name : str
    graph : Graph
    parent : VectorBasis or None
        The basis it is turned from; None for the ground.
    axes : tuple of (Unit, int)
        Unit vectors with their signs.
    ancestors : tuple of VectorBasis
        From the ground to the basis itself.
    """

    def __init__(
        self, name: str, graph: Graph, parent: VectorBasis | None, shared: Sequence[tuple[Unit, int] | None]
    ) -> None:
        self.name, self.graph, self.parent = name, graph, parent
        self.ancestors: tuple[VectorBasis, ...] = (*(parent.ancestors if parent else ()), self)
        self.axes = tuple(found or (Unit(f"{name}{i + 1}"), 1) for i, found in enumerate(shared))
        for i, (unit, sign) in enumerate(self.axes):
            unit.places[self] = i, sign
        self._ways: dict[VectorBasis, tuple[VectorBasis, ...]] = {}

    def way_to(self, end: VectorBasis) -> tuple[VectorBasis, ...]:
        """Bases passed from here to another, both ends included; kept, as it is asked for again and again."""
        if end not in self._ways:
            self._ways[end] = _way(self, end)
        return self._ways[end]

    def to_parent(self, c: Triple) -> Triple:
        """Components in the parent's axes."""
        raise NotImplementedError

    def from_parent(self, c: Triple) -> Triple:
        """Components in these axes."""
        raise NotImplementedError

    def __repr__(self) -> str:
        return self.name


@final
class Ground(VectorBasis):
    """The basis that all others are turned from."""

    def __init__(self, name: str, graph: Graph) -> None:
        super().__init__(name, graph, None, (None, None, None))


@final
class Turned(VectorBasis):
    """A basis turned about one axis of its parent: its own axis of that number is the parent's.

    Parameters
    ----------
    axis : int
        0, 1 or 2.
    cosine, sine : Expr
        Of the angle.
    """

    def __init__(self, name: str, parent: VectorBasis, axis: int, cosine: Expr, sine: Expr) -> None:
        super().__init__(name, parent.graph, parent, [parent.axes[i] if i == axis else None for i in range(3)])
        self.axis, self.cosine, self.sine = axis, cosine, sine

    def to_parent(self, c: Triple) -> Triple:
        return self._turned(c, self.sine)

    def from_parent(self, c: Triple) -> Triple:
        return self._turned(c, -self.sine)

    def _turned(self, c: Triple, sine: Expr) -> Triple:
        i, j, k = self.axis, (self.axis + 1) % 3, (self.axis + 2) % 3
        out = list(c)
        out[i] = c[i]
        out[j] = self.cosine * c[j] - sine * c[k]
        out[k] = sine * c[j] + self.cosine * c[k]
        return out


@final
class Oriented(VectorBasis):
    """A basis given by a matrix: of constants, or of a quaternion.

    Parameters
    ----------
    R : 3 x 3 sequences of Expr or float
        R_parent_basis: its columns are the axes in the parent's. Where a column is an axis of the parent, the two are
        one unit vector.
    """

    def __init__(self, name: str, parent: VectorBasis, R: Sequence[Sequence[Any]]) -> None:
        g = parent.graph
        self.R = [[g.node(x) for x in row] for row in R]
        super().__init__(name, g, parent, [self._shared(parent, j) for j in range(3)])

    def _shared(self, parent: VectorBasis, j: int) -> tuple[Unit, int] | None:
        for i in range(3):
            entry = self.R[i][j]
            beside = [self.R[n][j] for n in range(3) if n != i]
            if entry.op == "constant" and abs(entry.value) == 1.0 and all(x is parent.graph.zero for x in beside):
                unit, sign = parent.axes[i]
                return unit, sign * int(entry.value)
        return None

    def to_parent(self, c: Triple) -> Triple:
        R = self.R
        return [R[i][0] * c[0] + R[i][1] * c[1] + R[i][2] * c[2] for i in range(3)]

    def from_parent(self, c: Triple) -> Triple:
        R = self.R
        return [R[0][j] * c[0] + R[1][j] * c[1] + R[2][j] * c[2] for j in range(3)]


def way(start: VectorBasis, end: VectorBasis) -> tuple[VectorBasis, ...]:
    """Bases passed from one to the other, both ends included."""
    return start.way_to(end)


def _way(start: VectorBasis, end: VectorBasis) -> tuple[VectorBasis, ...]:
    common = 0
    for a, b in zip(start.ancestors, end.ancestors, strict=False):
        if a is not b:
            break
        common += 1
    if not common:
        raise ModelError(f"no way from basis {start} to basis {end}: they belong to different systems")
    up = start.ancestors[: common - 1 : -1]
    down = end.ancestors[common - 1 :]
    return (*up, *down)


def nearest_home(unit: Unit, target: VectorBasis) -> VectorBasis:
    """The basis with this unit vector from which the way to the target is shortest."""
    if target in unit.places:
        return target
    return min(unit.places, key=lambda b: len(way(b, target)))


def moved(c: Triple, start: VectorBasis, end: VectorBasis) -> Triple:
    """Components in one basis as components in the next or the one before."""
    return start.to_parent(c) if end is start.parent else end.from_parent(c)
