"""Frames by name as arrays of the recursions, and batches of states run through the steps of `recursions.frames`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import scipy
from numpy.typing import NDArray

from supple.checks import Floats, freeze
from supple.engines.plain import Replacements, plain
from supple.recursions.frames import frame_acceleration, frame_in_body, frame_load, frame_velocity
from supple.recursions.nodes import shape_sum
from supple.recursions.second_order import slope_times
from supple.recursions.states import States
from supple.recursions.tree import Flex, Frames
from supple.structures.body.flexible_body import ShapeFrame

Numbers = NDArray[Any]


@dataclass(frozen=True, eq=False)
class BodyFrame:
    """A frame by the number of its body: pose in the body's frame, or relative to a node."""

    body: int
    position: Floats
    rotation: Floats
    node: ShapeFrame | None = None
    """On a flexible body the node that it moves with; position and rotation are relative to it."""

    def __post_init__(self) -> None:
        freeze(self, "position", "rotation")

    def __eq__(self, other: object) -> bool:
        """Same numbers."""
        if not isinstance(other, BodyFrame) or self.body != other.body or (self.node is None) != (other.node is None):
            return False
        return all(np.array_equal(a, b) for a, b in zip(_parts(self), _parts(other), strict=True))

    def __hash__(self) -> int:
        """Of the body: equal frames have the same."""
        return hash((self.body, self.node is None))


def _parts(frame: BodyFrame) -> list[Any]:
    node = [] if frame.node is None else [frame.node.position, frame.node.shape, frame.node.second]
    return [frame.position, frame.rotation, *node]


def frame_arrays(frames: Iterable[BodyFrame]) -> Frames:
    """The frames as read-only arrays; frames on one node share its shapes."""
    known: dict[bytes, int] = {}
    shapes: list[Floats] = [np.zeros((0, 6))]
    rows: list[int] = []
    count = 0
    listed = list(frames)
    for frame in listed:
        if frame.node is None:
            rows.append(-1)
            continue
        both = np.concatenate([frame.node.shape, frame.node.second], axis=1).T
        key = both.tobytes()
        if key not in known:
            known[key] = count
            shapes.append(both)
            count += len(both)
        rows.append(known[key])
    nodes = [np.zeros(3) if frame.node is None else frame.node.position for frame in listed]
    out = Frames(
        body=np.array([frame.body for frame in listed], dtype=np.int64),
        position=np.array([frame.position for frame in listed], dtype=float).reshape(-1, 3),
        rotation=np.array([frame.rotation for frame in listed], dtype=float).reshape(-1, 9),
        node_position=np.array(nodes, dtype=float).reshape(-1, 3),
        shape_row=np.array(rows, dtype=np.int64),
        shape=np.ascontiguousarray(np.concatenate(shapes)),
    )
    for x in out:
        x.flags.writeable = False
    return out


def pose_in_body(flex: Flex | None, frame: BodyFrame, q: Numbers, exact: bool = True) -> tuple[Numbers, Numbers]:
    """R_body_frame (states, 3, 3) and the origin (states, 3) of a frame for coordinates q (states, nq).

    Deformed; if not `exact`, as the dynamics sees it.
    """
    followed = _followed(flex, frame, q.T, q.T[:0])
    R, p = _on_batches(frame_in_body)(flex, frame_arrays([frame]), 0, q.T, exact, followed)
    return _stacked(R, q).reshape(-1, 3, 3), _stacked(p, q)


def motion_on_body(
    flex: Flex | None, frame: BodyFrame, states: States, a: Numbers, body: tuple[Numbers, Numbers]
) -> tuple[Numbers, Numbers]:
    """Velocity and acceleration (states, 6) of a frame, in body axes, from those of its body (states, 6)."""
    arrays, columns = frame_arrays([frame]), States(states.q.T, states.v.T)
    V, A = (tuple(x.T) for x in body)
    followed = _followed(flex, frame, *columns)
    velocity = _on_batches(frame_velocity)(flex, arrays, 0, columns, V, True, followed)
    acceleration = _on_batches(frame_acceleration)(flex, arrays, 0, columns, a.T, (V[:3], A), True, followed)
    return _stacked(velocity, states.q), _stacked(acceleration, states.q)


def load_on_body(flex: Flex | None, frame: BodyFrame, q: Numbers, wrench: Numbers) -> tuple[Numbers, Numbers]:
    """A wrench (states, 6) at a frame, in its axes, as one at the body's origin in body axes and forces on its modes.

    As the dynamics sees the frame, for coordinates q (states, nq).
    """
    arrays = frame_arrays([frame])
    followed = _followed(flex, frame, q.T, q.T[:0])
    R, at = _on_batches(frame_in_body)(flex, arrays, 0, q.T, False, followed)
    turn = _stacked(R, q).reshape(-1, 3, 3)
    f = np.concatenate([np.matmul(turn, wrench[:, i : i + 3, None])[..., 0] for i in (0, 3)], axis=-1)
    own, seen = _on_batches(frame_load)(flex, arrays, 0, q.T, at, tuple(f.T), followed)
    return _stacked(own, q), _modal_forces(flex, frame, followed, _stacked(seen, q) @ arrays.shape.T)


def modal_span(flex: Flex | None, frame: BodyFrame) -> tuple[int, int]:
    """First modal speed of a frame's body, and the one behind the last; none if the frame moves with no node."""
    if flex is None or frame.node is None:
        return 0, 0
    first = int(flex.v_mode[frame.body])
    return first, first + int(flex.modes[frame.body])


def _shape_products(shape: Floats, row: int, modes: int, x: Numbers, first: int) -> tuple[Numbers, ...]:
    """`shape_sum` for x (coordinates, states), as a product of matrices."""
    return tuple(shape[row : row + modes].T @ x[first : first + modes])


def _slope_products(flex: Flex, k: int, j: int, x: Numbers, w: Followed) -> Numbers:
    """`slope_times` for x (speeds, states)."""
    first, n = flex.v_mode[k], flex.modes[k]
    return np.asarray(np.einsum("rs,rs->s", w.xi_slope[first : first + n, j], x[first : first + n]))


BATCHES: Replacements = ((shape_sum, _shape_products), (slope_times, _slope_products))
"""What suits arrays of states better than a sum term by term."""


class Followed(NamedTuple):
    """Second-order shapes of one body in all states, as `FlexWorkspace` has them of one."""

    xi: Numbers
    """(shapes, states)."""
    xi_slope: Numbers
    """(nv, most shapes, states), of the modes of the body alone."""
    xi_bias: Numbers
    """(shapes, states)."""


def _followed(flex: Flex | None, frame: BodyFrame, q: Numbers, v: Numbers) -> Followed | None:
    """What follows the modes of a frame's body, for q and v (coordinates, states); v may be empty."""
    if flex is None or frame.node is None:
        return None
    k = frame.body
    count, n, row = flex.second_order[k], flex.modes[k], flex.mode_row[k]
    shapes, speeds = int(flex.second_order.sum()), int(flex.v_mode[k] + n)
    kind = np.result_type(q, v)
    out = Followed(
        np.zeros((shapes, q.shape[1]), kind),
        np.zeros((speeds, count, q.shape[1]), kind),
        np.zeros((shapes, q.shape[1]), kind),
    )
    first = flex.curvature_first[row : row + n + 1]
    entries = slice(first[0], first[-1])
    eta, rate = q[flex.q_mode[k] : flex.q_mode[k] + n], v[flex.v_mode[k] : flex.v_mode[k] + n]
    for j in range(count):
        data = flex.curvature_value[entries, j], flex.curvature_mode[entries], first - first[0]
        C = scipy.sparse.csr_array(data, shape=(n, n))
        slope = out.xi_slope[flex.v_mode[k] : speeds, j] = C @ eta
        out.xi[flex.xi_first[k] + j] = 0.5 * (eta * slope).sum(axis=0)
        if len(rate):
            out.xi_bias[flex.xi_first[k] + j] = (rate * (C @ rate)).sum(axis=0)
    return out


def _modal_forces(flex: Flex | None, frame: BodyFrame, followed: Followed | None, forces: Numbers) -> Numbers:
    """Forces on the modes (states, modes) from those on modes and second-order shapes of a frame's body."""
    if flex is None or followed is None:
        return forces
    first, n, count = flex.v_mode[frame.body], flex.modes[frame.body], flex.second_order[frame.body]
    follow = np.einsum("rjs,sj->sr", followed.xi_slope[first:], forces[:, n : n + count])
    return np.asarray(forces[:, :n] + follow)


def _on_batches(step: Any) -> Callable[..., Any]:
    """The plain twin of a step, for coordinates and speeds (coordinates, states)."""
    return plain(step, BATCHES)


def _stacked(entries: tuple[Any, ...], q: Numbers) -> Numbers:
    """Entries, each (states,) or one number for all states, as (states, entries)."""
    return np.stack([np.broadcast_to(x, len(q)) for x in entries], axis=-1)
