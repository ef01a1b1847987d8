"""Functions of time, state and held values with their derivatives along directions, in machine code.

Along direction j the time changes by dt_j, the state by dy_j, held values by du_j, and the numbers of model and laws as
the direction says. All directions are lanes of the same tangents.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supple.engines.blocks.driven_code import Numbers as Memory
from supple.engines.blocks.loaded_tangents import LoadedTangents
from supple.engines.llvm.entries import TANGENTS, Words, record
from supple.engines.llvm.jit import host_lanes
from supple.expressions.function import Nodes
from supple.inputs.driven import DrivenEquations
from supple.inputs.lifted_laws import LiftedLaws
from supple.inputs.quantities import Quantities
from supple.model.moved_trace import STEPS, MovedTrace, NumberDirections, moved_program
from supple.model.recorded_tangents import RecordedTangents
from supple.model.recorded_trace import model_numbers
from supple.simulation.driven_system import DrivenSystem
from supple.simulation.state_kernel import LAWS, WRENCHES

Vector = NDArray[np.float64]
LAW_NUMBERS = "law_numbers"
"""The group of numbers of laws that move."""
VALUE = "value"
Make = Callable[[DrivenEquations, MovedTrace], Nodes]


class Directions:
    """What moves along each of P directions, beside the state.

    Parameters
    ----------
    numbers : NumberDirections
        Of the model.
    laws : mapping of str to (P,) array
        Slopes of numbers of the laws, by name.
    values : mapping of str to float
        These numbers.
    """

    def __init__(self, numbers: NumberDirections, laws: Mapping[str, Vector], values: Mapping[str, float]) -> None:
        self.numbers, self.laws = numbers, dict(laws)
        self.values = np.array([values[name] for name in laws], dtype=float)

    @property
    def count(self) -> int:
        """P."""
        return int(self.numbers.slopes.shape[1])

    def placed(self, size: int, more: Vector) -> NumberDirections:
        """All numbers that move, those of the laws after `size` others, and then so many with slopes (m, P)."""
        own = np.array(list(self.laws.values())).reshape(-1, self.count)
        last = np.concatenate([own, more.reshape(-1, self.count)])
        moved = np.flatnonzero((last != 0.0).any(axis=1))
        places = np.concatenate([self.numbers.places, size + moved]).astype(np.intp)
        return NumberDirections(places, np.concatenate([self.numbers.slopes, last[moved]]))


class MovedSystem:
    """A system whose numbers move.

    Parameters
    ----------
    system : DrivenSystem
    directions : Directions
    more : mapping of str to arrays and slopes (m, P), optional
        Further numbers that move.

    Attributes
    ----------
    arrays : dict of str to arrays
        Numbers beside those of the model.
    directions : NumberDirections
        Of all numbers.
    key : tuple
        All that decides the equations beside the model.
    """

    def __init__(
        self, system: DrivenSystem, directions: Directions, more: Mapping[str, tuple[Any, Vector]] | None = None
    ) -> None:
        self._system, self._named = system, tuple(directions.laws)
        self.model = system.model.floating_frames("a sensitivity")
        inputs = system.inputs
        self._laws = LiftedLaws.of(self.model, inputs, self._named) if self._named else system.laws_equations
        self.arrays: dict[str, Any] = {LAWS: self._laws.lifted.numbers}
        if inputs.frame_wrenches is not None:
            self.arrays[WRENCHES] = inputs.frame_wrenches
        before = len(model_numbers(self.model, self.arrays).values())
        self.arrays[LAW_NUMBERS] = directions.values
        self.arrays |= {name: x for name, (x, _) in (more or {}).items()}
        slopes = np.concatenate([np.zeros((0, directions.count)), *(x for _, x in (more or {}).values())])
        self.directions = directions.placed(before, slopes)
        self.key = (self._laws.structure, tuple(sorted(system.independent)), self._named)

    def equations(
        self, trace: MovedTrace, groups: Mapping[str, Any], at: Quantities | None, written_out: bool = False
    ) -> DrivenEquations:
        """The equations on the nodes of a trace, and of a state if it is not the trace's own."""
        own = [groups[LAW_NUMBERS][i] for i in range(len(self._named))]
        symbols = dict(zip(self._named, own, strict=True))
        traced: Any = trace

        def applied(x: Quantities) -> Any:
            nodes = [trace.graph.node(y) for y in own]
            return self._laws.applied(x, lambda i: trace.graph.node(groups[LAWS][i]), nodes)

        def symbol(name: str, x: float) -> Any:
            return trace.graph.node(symbols.get(name, x))

        return DrivenEquations(
            self.model,
            self._system.inputs,
            self._system.independent,
            traced,
            None if written_out else applied,
            groups.get(WRENCHES),
            symbol if written_out else None,
            at,
        )


class TangentKernel:
    """A function of (t, y, u) and its derivatives along directions.

    Parameters
    ----------
    system : DrivenSystem
    directions : Directions
    what : str
        Its name, and all that decides it beside the structure of model and laws.
    make : function of (DrivenEquations, MovedTrace)
        Gives the values as nodes.
    written_out : bool
        Whether the laws are traced anew, with their numbers as constants: `what` has to name these.
    further : sequence of str
        One more argument, and the names of its entries.
    more : mapping of str to arrays and slopes (m, P), optional
        Further numbers that move; `make` finds them in the groups of the trace.
    """

    def __init__(
        self,
        system: DrivenSystem,
        directions: Directions,
        what: str,
        make: Make,
        written_out: bool = False,
        further: Sequence[str] = (),
        more: Mapping[str, tuple[Any, Vector]] | None = None,
    ) -> None:
        made = MovedSystem(system, directions, more)

        def recorded(trace: MovedTrace, groups: Mapping[str, Any]) -> tuple[dict[str, Nodes], dict[str, Nodes]]:
            leaves, at = _leaves(system, trace)
            e = made.equations(trace, groups, at, written_out)
            if further:
                leaves[further[0]] = e.inputs[further[0]] = trace.graph.new_inputs("", further)
            return leaves, {VALUE: np.array([trace.graph.node(x) for x in make(e, trace)], dtype=object)}

        program, self._numbers = moved_program(
            made.model, made.directions, (*made.key, what, tuple(further)), recorded, made.arrays
        )
        self._bound = RecordedTangents((program, self._numbers), (STEPS,), (VALUE,)).bound
        self.count, self._sizes = directions.count, (system.size, len(system.u_0))
        self.size = program.outputs[VALUE][1]
        self.weight = self._bound.program.weight
        self._zeros = np.zeros(self.count)
        self._record: tuple[Words, LoadedTangents, Memory] | None = None

    def __call__(
        self,
        t: float,
        y: Vector,
        u: Vector,
        dy: Vector,
        du: Vector,
        dt: Vector | None = None,
        further: Vector | None = None,
    ) -> tuple[Vector, Vector]:
        """Values (m,) and their derivatives (m, P), from y (n,), u (k,), dy (n, P), du (k, P), dt (P,)."""
        flat = np.ascontiguousarray
        moved = self._zeros if dt is None else flat(dt)
        arrays = [np.array([t]), flat(y), flat(u), moved, flat(dy).reshape(-1), flat(du).reshape(-1), self._zeros]
        arrays += [] if further is None else [further]
        value, slope = self._bound.evaluated([x[None] for x in arrays])
        return value[0], slope.reshape(self.size, self.count)

    def many(self, t: Vector, y: Vector, u: Vector, dy: Vector, du: Vector) -> tuple[Vector, Vector]:
        """Values (s, m) and derivatives (s, m, P) of states; u (k,) and du (k, P) are the same for all."""
        states = len(t)
        same = [np.broadcast_to(x.reshape(-1), (states, x.size)) for x in (u, du, self._zeros)]
        arrays = [t[:, None], y, same[0], same[2], dy.reshape(states, y.shape[1] * self.count), same[1], same[2]]
        value, slope = self._bound.evaluated(arrays)
        return value, slope.reshape(states, self.size, self.count)

    @property
    def address(self) -> int:
        """Of a record that is called with ([t], [y, dy], [u, du], out), see `entries.TANGENTS`."""
        if self._record is None:
            loaded = self._bound.program.loaded(host_lanes(), False)
            memory = loaded.memory()
            pointers = [x.ctypes.data for x in (loaded.words, memory, self._numbers)]
            words = record(TANGENTS, loaded.driver, *pointers, *self._sizes, self._zeros.ctypes.data)
            self._record = words, loaded, memory
        return int(self._record[0].ctypes.data)


def _leaves(system: DrivenSystem, trace: MovedTrace) -> tuple[dict[str, Nodes], Quantities]:
    """The inputs of a kernel, and time, state and held values moved along all directions."""
    inputs, graph, count = system.inputs, trace.graph, len(trace.steps)
    t = graph.new_inputs("", ["t"])
    z, u = graph.new_inputs("z", inputs.integrals), graph.new_inputs("u", inputs.held)
    y = np.concatenate([trace.q, trace.v, z])

    def moved(kind: str, x: Nodes) -> tuple[Nodes, Nodes]:
        slopes = graph.new_inputs(kind, map(str, range(len(x) * count)))
        rows = slopes.reshape(len(x), count)
        return slopes, np.array([trace.along(a, row) for a, row in zip(x, rows, strict=True)], dtype=object)

    dt, t_moved = moved("dt", t)
    dy, y_moved = moved("dy", y)
    du, u_moved = moved("du", u)
    nq, nv = len(trace.q), len(trace.v)
    trace.q, trace.v = y_moved[:nq], y_moved[nq : nq + nv]
    variables: dict[str, Any] = dict(zip(inputs.variables, u_moved, strict=False))
    at = Quantities(system.model, graph, t_moved[0], trace.q, trace.v, y_moved[nq + nv :], u_moved, variables)
    return {"t": t, "y": y, "u": u, "dt": dt, "dy": dy, "du": du, STEPS: trace.steps}, at
