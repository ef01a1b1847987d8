"""Bases and dofs of a joint: translations along directions of the parent, then rotations about axes in turn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from supple.engines.plain import plain
from supple.expressions.graph import Expr
from supple.spatial import quaternion_rotation
from supple.symbolic.vector_bases import Oriented, Turned, VectorBasis
from supple.symbolic.vectors import Vector, axis


@dataclass(frozen=True)
class Turning:
    """How the bases of a joint follow each other.

    Attributes
    ----------
    basis : VectorBasis
        After the last rotation, one of its axes the axis of that rotation.
    frame : VectorBasis
        The body's own axes; another basis only behind an oblique axis.
    axes : list of Vector
        Of the rotations.
    """

    basis: VectorBasis
    frame: VectorBasis
    axes: list[Vector]


def turned(name: str, start: VectorBasis, axes: Sequence[Sequence[float]], angles: Sequence[Expr]) -> Turning:
    """Rotations by angles about axes, each given in the frame that the rotations before it have made.

    Sayers' joint has axes along the coordinate axes alone; an oblique one is made so by a constant rotation before,
    which is taken back behind.
    """
    basis = frame = start
    found: list[Vector] = []
    for n, (a, angle) in enumerate(zip(axes, angles, strict=True)):
        last = n == len(axes) - 1
        oblique = _aligning(a)
        label = name if last and oblique is None else f"{name}{'i' * (n + 1)}_"
        before = frame if oblique is None else Oriented(f"{label}a_", frame, oblique)
        i = 2 if oblique is not None else int(np.argmax(np.abs(a)))
        sign = 1.0 if oblique is not None else float(np.sign(a[i]))
        g = angle.graph
        basis = frame = Turned(label, before, i, g.function("cos", angle), sign * g.function("sin", angle))
        found.append(sign * axis(basis, i))
        if oblique is not None:
            frame = Oriented(name if last else f"{label}f_", basis, oblique.T)
    for i, (unit, sign) in enumerate(frame.axes):
        if sign == 1 and unit.name[:-1].endswith("_"):
            unit.name = f"{name}{i + 1}"  # met first in an auxiliary basis of the joint
    return Turning(basis, frame, found)


def _aligning(a: Sequence[float]) -> Any:
    """A constant rotation whose third axis is `a`; none if that is a coordinate axis already."""
    if np.count_nonzero(a) == 1:
        return None
    z = np.asarray(a) / np.linalg.norm(a)
    x = np.cross(np.eye(3)[int(np.argmin(np.abs(z)))], z)
    x /= np.linalg.norm(x)
    return np.column_stack([x, np.cross(z, x), z])


def quaternion_turned(name: str, start: VectorBasis, q: Sequence[Expr]) -> Turning:
    """The rotation of a quaternion x, y, z, w; it has no axes."""
    R = plain(quaternion_rotation)(*q)
    basis = Oriented(name, start, [R[0:3], R[3:6], R[6:9]])
    return Turning(basis, basis, [])


def placed(name: str, start: VectorBasis, first: int, direction: Vector, reference: Vector) -> VectorBasis:
    """The basis whose axis `first` (0, 1, 2) has a direction and whose next one has another (Table 3)."""
    columns: list[Any] = [None] * 3
    columns[first] = direction / direction.norm()
    columns[first - 2] = reference / reference.norm()
    columns[first - 1] = columns[first].cross(columns[first - 2])
    in_parent = [column.components(start) for column in columns]
    return Oriented(name, start, [[in_parent[j][i] for j in range(3)] for i in range(3)])
