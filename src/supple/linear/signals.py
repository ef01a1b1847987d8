"""Names of inputs and outputs, and what they are in the linear equations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from supple.errors import StateError, nearest
from supple.linear.small_motions import LinearEquations
from supple.linear.start import Floats

WRENCH = ("mx", "my", "mz", "fx", "fy", "fz")
POSITION = ("rx", "ry", "rz", "x", "y", "z")
VELOCITY = ("wx", "wy", "wz", "vx", "vy", "vz")
ACCELERATION = ("", "", "", "ax", "ay", "az")
MOTIONS = ("", "velocity", "acceleration")


def input_forces(e: LinearEquations, names: Sequence[str]) -> Floats:
    """F (n, inputs): force on the free speeds for a unit of each input."""
    columns = [_input(e, name) for name in names]
    return e.carried.Z.T @ np.array(columns).reshape(len(names), e.model.nv).T


def _input(e: LinearEquations, name: str) -> Floats:
    if name in e.model.speeds:
        i = e.model.speeds.index(name)
        if e.held[i]:
            raise StateError(f"inputs: {name!r} is fixed: a generalized force on it moves nothing")
        return np.asarray(e.model.forces_on_speeds(e.state.q, np.eye(e.model.nv)[i]))
    frame, _, component = name.rpartition(".")
    if component not in WRENCH or not frame:
        raise StateError(
            f"inputs: expected the name of a speed, or frame.component with one of {', '.join(WRENCH)}, got {name!r}"
            f"{nearest(name, e.model.speeds)}"
        )
    R = e.model.pose(e.state.q, frame)[0]
    unit = np.zeros((2, 3))
    unit.flat[WRENCH.index(component)] = 1.0
    wrench = (unit @ R).reshape(6)  # ground axes to frame axes
    return np.asarray(e.model.wrench_forces(e.state.q, frame, wrench))


@dataclass(frozen=True, eq=False)
class Sensing:
    """Outputs as sums over changes of independent coordinates, speeds, accelerations: (outputs, p or n) arrays."""

    by_x: Floats
    by_v: Floats
    by_a: Floats


def output_rows(e: LinearEquations, names: Sequence[str]) -> Sensing:
    """The rows of all outputs, for the independent coordinates and speeds."""
    rows = np.zeros((len(names), 3, e.model.nv))
    for i, name in enumerate(names):
        rows[i] = _output(e, name)
    by_x, by_v, by_a = (rows[:, j] for j in range(3))
    X, Z, Y, W, V = e.carried
    return Sensing(by_x @ X + by_v @ Y + by_a @ W, by_v @ Z + by_a @ V, by_a @ Z)


def _output(e: LinearEquations, name: str) -> Floats:
    """(3, nv) the output's change with coordinates (in the directions of the speeds), speeds and accelerations."""
    model, (q, v, a, *_) = e.model, e.state
    rows = np.zeros((3, model.nv))
    kind, _, entry = name.partition(":")
    if kind == "q" and entry:
        rows[0] = model.tangent(q)[model.coordinate_index(entry)]
        return rows
    if kind in ("v", "a") and entry:
        rows[1 if kind == "v" else 2, model.speed_index(entry)] = 1.0
        return rows
    frame, _, component = name.rpartition(".")
    order = [component in words for words in (POSITION, VELOCITY, ACCELERATION)]
    if not frame or not component or not any(order):
        raise StateError(
            "outputs: expected q:coordinate, v:speed, a:speed, or frame.component with one of "
            f"{', '.join((*POSITION, *VELOCITY, *ACCELERATION[3:]))}, got {name!r}"
        )
    kind_number = order.index(True)
    row = (POSITION, VELOCITY, ACCELERATION)[kind_number].index(component)
    rows[kind_number] = model.jacobian(q, frame)[row]
    if kind_number:
        what, slopes = MOTIONS[kind_number], model.frame_slopes(q, v, a, frame)
        rows[0] = slopes[f"d{what}_dq"][row] @ model.tangent(q)
        rows[1] = slopes[f"d{what}_dv"][row]
    return rows
