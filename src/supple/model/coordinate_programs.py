"""How coordinates follow from the speeds, as programs of blocks: the directions of the speeds, and how they turn."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from supple.engines.blocks.block_program import Program
from supple.engines.blocks.cells import Cells
from supple.recursions import coordinates, kinematics
from supple.recursions.tree import QUATERNION, THREE_AXES
from supple.spatial import add_scaled, angular, cross, load6

if TYPE_CHECKING:
    from supple.model.programs import RecursionRecording

COORDINATES_OF_ROTATION = (0, 1, 2, 3, 4)
"""Coordinates of a rotation, by `Tree.rotation_kind`."""
UNITS = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


def tangent(r: RecursionRecording) -> Program:
    """S: rates of the coordinates for a unit of each speed. Only those of one joint depend on each other."""
    tree, flex = r.structure.tree, r.structure.flex
    q, S = r.input("q", r.structure.nq), r.output("S", r.structure.nq, r.nv)
    v, rate = Cells(r.recorder, (r.nv,), 0.0), Cells(r.recorder, (r.structure.nq,), 0.0)
    for k in range(1, r.bodies + 1):
        rotation, translation = int(tree.q_rotation[k]), int(tree.q_translation[k])
        own = [rotation + i for i in range(COORDINATES_OF_ROTATION[tree.rotation_kind[k]])]
        own += [translation + i for i in range(int(tree.translations[k]))]
        for j in range(int(tree.v_first[k]), int(tree.v_mode[k])):
            v[j] = 1.0
            r.recorder.end()
            r.run(coordinates.joint_rates)(r.tree, r.flex, k, q[0], v, rate)
            r.recorder.end()
            for i in own:
                S[0, i, j] = rate[i]
            v[j] = 0.0
            r.recorder.end()
        if flex is not None:
            for n in range(int(flex.modes[k])):
                S[0, int(flex.q_mode[k]) + n, int(flex.v_mode[k]) + n] = 1.0
    return r.program()


def direction_rates(r: RecursionRecording) -> Program:
    """N: how the directions of the speeds turn with the motion, x' = N x + y for small motions dq = S x.

    For angular velocities w and velocities u in body axes a small turn t and displacement d follow t' = y_t - w x t and
    d' = y_d - u x t - w x d. Other speeds are rates of coordinates, whose directions do not turn.
    """
    (q, v), N = r.state(), r.output("N", r.nv, r.nv)
    turn_directions(r, q[0], v[0], N[0])
    return r.program()


def turn_directions(r: Any, q: Any, v: Any, N: Any) -> None:
    """Write N (nv, nv), on cells or on nodes."""
    tree = r.structure.tree
    for k in range(1, r.bodies + 1):
        turning, moving = tree.rotation_kind[k] in (THREE_AXES, QUATERNION), tree.translations[k] == 3
        if not (turning or moving):
            continue
        r.run(kinematics.joint_step)(r.tree, r.flex, k, q, r.ws)
        i, j = int(tree.v_rotation[k]), int(tree.v_translation[k])
        turns = [n for n in range(int(tree.v_first[k]), int(tree.v_mode[k])) if not (moving and j <= n < j + 3)]
        axes = {n: r.run(angular)(r.run(load6)(r.ws.H, n)) for n in turns}
        w: Any = (0.0, 0.0, 0.0)
        for n in turns:
            w = r.run(add_scaled)((*w, 0.0, 0.0, 0.0), v[n], (*axes[n], 0.0, 0.0, 0.0))[:3]
        if turning:
            _store(N, i, [i, i + 1, i + 2], [r.run(cross)(w, x) for x in UNITS])
        if moving:
            u = v[j], v[j + 1], v[j + 2]
            _store(N, j, turns, [r.run(cross)(u, axes[n]) for n in turns])
            _store(N, j, [j, j + 1, j + 2], [r.run(cross)(w, x) for x in UNITS])
        r.recorder.end()


def _store(N: Any, row: int, columns: list[int], opposite: list[Any]) -> None:
    """Write three rows of some columns, given with the other sign."""
    for column, x in zip(columns, opposite, strict=True):
        for n, y in enumerate(x):
            N[row + n, column] = -y


COORDINATE_RECURSIONS: dict[str, Callable[..., Program]] = {"tangent": tangent, "direction_rates": direction_rates}
"""What can be recorded, by name."""
