"""How much too fast the modes of a flexible body are for what it carries.

A body that carries masses bends as under loads at the frames that carry them, and modes that know nothing of these
loads make it too stiff. What they leave of static deflections is known (`structures.static_shapes`): with it as further
coordinates, whose own mass is left out, the lowest frequency is right to some 1e-4.

The joint of the body counts as held, by a motor for instance. Free-free modes, which are for bodies with hinges at both
ends, are not judged.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import scipy

from supple.checks import Floats
from supple.model.model import Model
from supple.structures.body.flexible_body import FlexibleBody
from supple.structures.discretization.dof_map import cross_matrix
from supple.structures.reduction.residual_vectors import StaticShapes
from supple.structures.reduction.rigid_frames import stiffening_by_frames

MOST_ERROR = 0.02
"""Relative error of the lowest frequency above which a basis does not suit what the body carries."""
FREE = "free-free"
COUPLED = 1e-9
"""Relative inertia between coordinates that is rounding."""


class BasisError(NamedTuple):
    """How far the lowest frequency of a body, with its joint held, is above that of the whole structure.

    Attributes
    ----------
    body : str
    basis : str
    frames : tuple of str
        Where it carries other bodies.
    error : float
        Relative.
    """

    body: str
    basis: str
    frames: tuple[str, ...]
    error: float

    def __str__(self) -> str:
        frames = ", ".join(f'"{name}"' for name in self.frames)
        return (
            f"body {self.body!r}: with what it carries, and its joint held, its lowest frequency is "
            f"{100 * self.error:.2g} % too high: its "
            f'"{self.basis}" modes do not know the loads at {frames}; use basis = "craig-bampton" with interfaces = '
            f"[{frames}], or residual = [{frames}]"
        )


def basis_errors(model: Model) -> tuple[BasisError, ...]:
    """Bodies whose lowest frequency is off by more than `MOST_ERROR`, since their basis does not suit what they carry.

    Joints further out are held, but for those of the bodies that are carried directly, which transmit no load in their
    own directions.
    """
    found = []
    placed = model.description.bodies
    for name, own in placed.items():
        body = own.body
        if not isinstance(body, FlexibleBody) or body.recovery is None or body.basis == FREE:
            continue
        static = body.recovery.static
        if static is None or static.count == 0:
            continue
        carried: dict[str, Floats] = {}
        for child, x in placed.items():
            if x.parent == name and x.node in static.frames:
                assert x.node is not None
                carried[x.node] = carried.get(x.node, np.zeros((6, 6))) + _carried(model, name, child, x.node)
        if not carried:
            continue
        error = _error(body, static, carried)
        if error > MOST_ERROR:
            found.append(BasisError(name, body.basis, tuple(carried), error))
    return tuple(found)


def reduction_warnings(model: Model) -> list[str]:
    """Sentences on bodies whose basis does not suit what they carry, and on those that rigid frames make too stiff."""
    lines = [str(x) for x in basis_errors(model)]
    found: dict[int, tuple[tuple[str, ...], float]] = {}
    for name, placed in model.description.bodies.items():
        body = placed.body
        if isinstance(body, FlexibleBody):
            if id(body) not in found:
                found[id(body)] = stiffening_by_frames(body)
            names, error = found[id(body)]
            if error > MOST_ERROR:
                frames = ", ".join(repr(frame) for frame in names)
                lines.append(
                    f"body {name!r}: its rigid frames {frames} raise its lowest frequency by {100 * error:.2g} %; "
                    "where nothing rigid is attached, make them averages of their nodes"
                )
    return lines


def _error(body: FlexibleBody, static: StaticShapes, carried: Mapping[str, Floats]) -> float:
    """Relative error of the lowest frequency.

    Static shapes that the slowest mode is not coupled with, those of another plane for instance, are left out.
    """
    n = body.modes
    M = scipy.linalg.block_diag(body.mass_matrix.toarray(), np.zeros((static.count, static.count)))
    for frame, inertia in carried.items():
        shape = np.concatenate([body.frames[frame].shape, static.frames[frame]], axis=1)
        M += shape.T @ inertia @ shape
    K = scipy.linalg.block_diag(body.stiffness.toarray(), np.eye(static.count))
    size = np.sqrt(np.diagonal(K))
    _, part = scipy.sparse.csgraph.connected_components(
        np.abs(M) / np.outer(size, size) > COUPLED * np.max(np.diagonal(M) / size**2), directed=False
    )
    values, shapes = scipy.linalg.eigh(M[:n, :n], K[:n, :n])
    own = part == part[int(np.argmax(np.abs(shapes[:, -1]) * size[:n]))]
    whole = scipy.linalg.eigh(M[np.ix_(own, own)], K[np.ix_(own, own)], eigvals_only=True)[-1]
    return float(np.sqrt(whole / values[-1])) - 1.0


def _joint_motion(model: Model, name: str) -> Floats:
    """(6, k) motion of a body's origin in its own axes for unit speeds of its joint."""
    q = model.neutral()
    R, _ = model.pose(q, name)
    motion = model.jacobian(q, name)[:, model.joint_speeds(name)]
    return np.concatenate([R.T @ motion[:3], R.T @ motion[3:]])


def _carried(model: Model, name: str, child: str, node: str) -> Floats:
    """Inertia (6, 6) of a body's child, and all that this carries, about the frame that carries it, in its axes."""
    q = model.neutral()
    R, at = model.pose(q, f"{name}/{node}")
    inertia, parents = np.zeros((6, 6)), {child}
    for other, x in model.description.bodies.items():
        if other == child or x.parent in parents:
            parents.add(other)
            turn, place = model.pose(q, other)
            c = R.T @ (place + turn @ x.body.com - at)
            J = R.T @ turn @ x.body.inertia @ turn.T @ R
            lever, mass = cross_matrix(c), x.body.mass
            inertia += np.block([[J - mass * lever @ lever, mass * lever], [-mass * lever, mass * np.eye(3)]])
    turn, place = model.pose(q, child)
    own, turn = _joint_motion(model, child), R.T @ turn
    H = np.concatenate([turn @ own[:3], turn @ own[3:] - cross_matrix(R.T @ (at - place)) @ turn @ own[:3]])
    force = inertia @ H
    return np.asarray(inertia - force @ np.linalg.pinv(H.T @ force, hermitian=True) @ force.T)
