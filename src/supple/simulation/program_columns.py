"""The columns that a simulation program writes, as nodes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from supple.errors import StateError
from supple.expressions.function import Nodes
from supple.expressions.graph import Graph
from supple.inputs import requests
from supple.inputs.driven import DrivenEquations
from supple.inputs.recovery_requests import flexible_body
from supple.inputs.requests import Outputs
from supple.model.body_frames import frame_arrays
from supple.model.model import Model
from supple.model.trace import Trace

AXES = ("x", "y", "z")
COMPONENTS = (*(f"moment.{axis}" for axis in AXES), *(f"force.{axis}" for axis in AXES))
QUATERNION = (*AXES, "w")


class ColumnLabel(NamedTuple):
    """What a column is: "q", "v", "tau", "position", "quaternion", "wrench", "displacement" or "strain"; of what; which
    component of it, if it has several.
    """

    kind: str
    name: str
    part: str = ""


class Columns:
    """Coordinates, speeds, generalized forces that act or are found, and what was asked for.

    Parameters
    ----------
    model : Model
    outputs : Outputs
    trace : Trace
    equations : DrivenEquations
    stops : sequence of int
        Speeds of joints that have stops. Where there are any, accelerations are inputs, `trace.a`: a stop changes them.
    orientations : bool
        Whether frames have quaternions too.

    Attributes
    ----------
    labels : list of ColumnLabel
    values : list of nodes
    """

    def __init__(
        self,
        model: Model,
        outputs: Outputs,
        trace: Trace,
        equations: DrivenEquations,
        stops: Sequence[int] = (),
        orientations: bool = False,
    ) -> None:
        self.model, self.trace, self.equations, self.stops = model, trace, equations, stops
        self.orientations = orientations
        self.labels: list[ColumnLabel] = []
        self.values: list[Any] = []
        state = equations.settled()
        self.q, self.v = _normalized(model, state.q), state.v
        for kind, leaves, values in (("q", trace.q, self.q), ("v", trace.v, self.v)):
            for leaf, x in zip(leaves, values, strict=True):
                self._add(kind, leaf.name, ("",), (x,))
        a, tau = equations.motion() if not stops else (trace.a, self._forces())
        for i in self._driven():
            if tau[i] is not None:
                self._add("tau", trace.tau[i].name, ("",), (tau[i] - self._pull[i],))
        self._require_plain(outputs)
        self._frames(outputs)
        self._wrenches(outputs, a)
        self._nodes(outputs)
        self._strains(outputs)

    @property
    def titles(self) -> tuple[str, ...]:
        """What the columns are called; a second one of a name has its kind in front."""
        found: dict[str, None] = {}
        for x in self.labels:
            title = f"{x.name}.{x.part}" if x.part else f"{x.kind}:{x.name}"
            found[f"{x.kind}:{title}" if title in found else title] = None
        return tuple(found)

    def _require_plain(self, outputs: Outputs) -> None:
        """Refuse what a program does not compute."""
        refused = {
            "Euler angles": bool(outputs.euler),
            f"wrenches in {outputs.wrench_axes} axes": bool(outputs.wrenches) and outputs.wrench_axes != "body",
            "stresses and section forces; strains it can": bool(outputs.recovered),
        }
        for what in (what for what, asked in refused.items() if asked):
            raise StateError(f"model {self.model.name!r}: output: a program cannot write {what}")

    def _driven(self) -> list[int]:
        """Speeds that laws drive, or whose motion is prescribed."""
        zero = self.trace.graph.zero
        x = self.equations.applied
        own = x.drive - self._pull
        return [i for i in range(self.model.nv) if x.given[i] or i in self.stops or own[i] is not zero]

    @property
    def _pull(self) -> Nodes:
        """What wrenches at frames do to the speeds."""
        found = self.equations.applied.pull
        return found if len(found) else np.array([self.trace.graph.zero] * self.model.nv, dtype=object)

    def _forces(self) -> list[Any]:
        """Generalized forces with what stops add, from the accelerations; None where closed loops hide them."""
        x, found = self.equations.applied, self.equations.applied.drive
        with_stops = [i for i in range(self.model.nv) if x.given[i] or i in self.stops]
        if self.model.loops is not None:
            return [None if i in with_stops else node for i, node in enumerate(found)]
        inverse = self.trace.inverse_dynamics(self.q, self.v, self.trace.a)
        return [inverse[i] if i in with_stops else node for i, node in enumerate(found)]

    def _frames(self, outputs: Outputs) -> None:
        """Positions in the ground frame, and quaternions."""
        for name in outputs.frames:
            arrays = frame_arrays([requests.frame(self.model, name)])
            turns, places = self.trace.posed_frames(self.q, arrays)
            self._add("position", name, AXES, places[0])
            if self.orientations:
                self._add("quaternion", name, QUATERNION, quaternion_of(self.trace.graph, turns[0]))

    def _wrenches(self, outputs: Outputs, a: Nodes) -> None:
        """Moments and forces of joints, in body axes at the bodies' origins."""
        places = list(dict.fromkeys(i for name in outputs.wrenches for i in requests.joints(self.model, name)))
        if not places:
            return
        force, x = None, self.equations.applied
        if self.model.loops is not None and self.stops:
            raise StateError(
                f"model {self.model.name!r}: output: wrenches {', '.join(map(repr, outputs.wrenches))}: a program "
                "cannot write those of joints in a mechanism with closed loops and stops"
            )
        if self.model.loops is not None:
            force = self.trace.closed_dynamics(x.q, x.v, x.drive, x.given, self.trace.workspace())[2]
        loads = x.on_bodies.reshape(-1, len(COMPONENTS)) if len(x.on_bodies) else None
        found = self.trace.joint_wrenches(self.q, self.v, a, loads, force)
        for i in places:
            self._add("wrench", self.model.bodies[i], COMPONENTS, found[i])

    def _nodes(self, outputs: Outputs) -> None:
        """Elastic displacements of nodes, body axes."""
        for name in outputs.nodes:
            key, place = requests.node(self.model, name)
            if key in self.model.description.beams:
                raise StateError(
                    f"model {self.model.name!r}: output: nodes {name!r}: a program cannot write those of a beam in "
                    "pieces; its frames are positions"
                )
            body = flexible_body(self.model, key)
            places = [place] if place is not None else [str(i) for i in range(len(body.nodes))]
            eta = body.with_second_order(self._deformation(key), self.model.description.bodies[key].stiffens)[0]
            for own in places:
                rows = np.concatenate([body.frame(own).shape, body.frame(own).second], axis=1)
                self._add("displacement", f"{key}/{own}", AXES, rows[3:, : len(eta)] @ eta)

    def _strains(self, outputs: Outputs) -> None:
        """Strains of elements."""
        for name in outputs.strains:
            for body, found in requests.strains(self.model, name):
                self._add("strain", name, found.labels, found.matrix.toarray() @ self._deformation(body))

    def _deformation(self, name: str) -> Nodes:
        assert self.model.flex is not None
        k = self.model.bodies.index(name) + 1
        first = int(self.model.flex.q_mode[k])
        return self.q[first : first + int(self.model.flex.modes[k])]

    def _add(self, kind: str, name: str, parts: Any, nodes: Any) -> None:
        for part, x in zip(parts, nodes, strict=True):
            self.labels.append(ColumnLabel(kind, name, part))
            self.values.append(x)


def quaternion_of(g: Graph, turn: Nodes) -> Nodes:
    """The quaternion x, y, z, w >= 0 of a rotation (3, 3), as nodes.

    The rows of 4 q q* are found from R; the one with the largest diagonal is q times a number that is not small.
    """
    R = np.array([g.node(x) for x in turn.flat], dtype=object).reshape(3, 3)
    xx, yy, zz = R[0, 0], R[1, 1], R[2, 2]
    off = {(0, 1): R[0, 1] + R[1, 0], (0, 2): R[0, 2] + R[2, 0], (1, 2): R[1, 2] + R[2, 1]}
    off |= {(0, 3): R[2, 1] - R[1, 2], (1, 3): R[0, 2] - R[2, 0], (2, 3): R[1, 0] - R[0, 1]}
    diagonal = [1 + xx - yy - zz, 1 - xx + yy - zz, 1 - xx - yy + zz, 1 + xx + yy + zz]
    rows = [[diagonal[i] if i == j else off[min(i, j), max(i, j)] for j in range(4)] for i in range(4)]
    chosen, largest = rows[3], diagonal[3]
    for i in range(3):
        better = g.function("max", g.zero, g.function("sign", diagonal[i] - largest))
        chosen = [x + better * (y - x) for x, y in zip(chosen, rows[i], strict=True)]
        largest = g.function("max", largest, diagonal[i])
    side = 1 - 2 * g.function("max", g.zero, -g.function("sign", chosen[3]))
    length = g.function("sqrt", sum(x * x for x in chosen))
    return np.array([side * x / length for x in chosen], dtype=object)


def _normalized(model: Model, q: Nodes) -> Nodes:
    """Coordinates with quaternions of unit length."""
    out = q.copy()
    for i in model.quaternions:
        length = np.sqrt(sum(x * x for x in q[i : i + 4]))
        out[i : i + 4] = q[i : i + 4] / length
    return out
