"""A simulation program of a whole run: the model with its laws, events, stops and loops, written in C."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supple.description.limits import Limit
from supple.errors import StateError
from supple.expressions.function import Function, Nodes
from supple.expressions.graph import Expr
from supple.inputs.driven import DrivenEquations
from supple.inputs.events import Event, changed, limit_speed, require_sound
from supple.inputs.inputs import Inputs
from supple.inputs.law_equations import force_names, law_equations, require_written
from supple.inputs.requests import Outputs
from supple.inputs.run_requirements import require_resolved_rates, stops_of_run
from supple.model.loops.closing import MASSLESS
from supple.model.model import Model
from supple.model.parameters import Symbols
from supple.model.trace import Trace
from supple.simulation.driven_system import DrivenSystem
from supple.simulation.event_handling import AHEAD, REST
from supple.simulation.impacts import IMMOVABLE
from supple.simulation.methods.tolerances import Tolerances
from supple.simulation.program_columns import ColumnLabel, Columns
from supple.simulation.program_integration import (
    program_run,
    require_duration,
    warn_of_integration,
    warn_of_jumps,
)
from supple.simulation.run import CLOSE, CLOSE_EVENTS, MOST_EVENTS, OPEN
from supple.simulation.start_state import STARTS, Start
from supple.simulation.watched import SLACK, EventCrossing
from supple.symbolic.program import simulation_program
from supple.symbolic.program_parts import (
    ProgramAssembly,
    ProgramClock,
    ProgramEvent,
    ProgramParts,
    ProgramRun,
    ProgramStop,
    ProgramTable,
)

Vector = NDArray[np.float64]


@dataclass(frozen=True)
class RunSettings:
    """What a program takes of the arguments of `supple.simulate`.

    Attributes
    ----------
    inputs : Inputs
    start : Start
    events, limits : tuples
        Stops with those of the model.
    outputs : Outputs
    run : ProgramRun
        With atol 0 for errors relative to the motion.
    """

    inputs: Inputs
    start: Start
    events: tuple[Event, ...]
    limits: tuple[Limit, ...]
    outputs: Outputs
    run: ProgramRun

    @staticmethod
    def of(model: Model, arguments: Mapping[str, Any]) -> RunSettings:
        """From keyword arguments of `supple.simulate`; see `program_integration` for those that no program takes.

        Raises
        ------
        StateError
            If there is something that no program can hold, by its name.
        """
        limits = stops_of_run(model, arguments.get("limits", ()))
        laws = {name: arguments[name] for name in ("tau", "motion", "variables", "wrenches") if name in arguments}
        inputs = Inputs(model, stops=bool(limits), **laws)
        events = tuple(arguments.get("events", ()))
        require_written(model, inputs, events)
        kind = arguments.get("start", STARTS[0])
        start = Start(arguments.get("q"), arguments.get("v"), arguments.get("guess"), kind).bounded(model, limits)
        return RunSettings(inputs, start, events, limits, arguments.get("outputs") or Outputs(), program_run(arguments))


@dataclass(frozen=True)
class WrittenRun:
    """A run as functions, and its numbers.

    Attributes
    ----------
    parts : ProgramParts
    labels : list of ColumnLabel
        Of the columns.
    numbers : dict of str to float
        Of all parameters.
    q, v : arrays
        The start.
    settings : RunSettings
    """

    parts: ProgramParts
    labels: list[ColumnLabel]
    numbers: dict[str, float]
    q: Vector
    v: Vector
    settings: RunSettings


def run_program(model: Model, arguments: Mapping[str, Any], symbols: Symbols) -> str:
    """One file of C99 that simulates a model as `supple.simulate` does, with all that acts on it.

    Parameters
    ----------
    model : Model
    arguments : mapping of str to anything
        Keyword arguments of `supple.simulate`.
    symbols : Symbols
        Numbers of the model that an input file of the program can change, and their names.
    """
    require_duration(model.name, arguments)
    warn_of_integration(model, arguments, "a program")
    x = written_run(model, arguments, symbols)
    return simulation_program(x.parts, x.numbers, x.q, x.v, run=x.settings.run)


def written_run(model: Model, arguments: Mapping[str, Any], symbols: Symbols, orientations: bool = False) -> WrittenRun:
    """All that a run is made of, as functions; `orientations`: its frames have quaternions too."""
    wanted = RunSettings.of(model, arguments)
    q, v = wanted.start.open_state(model)
    system = DrivenSystem(model, wanted.inputs, q, v)
    warn_of_jumps(system)
    require_resolved_rates(wanted.run.duration, wanted.inputs.sample_rates)
    q, v = wanted.start.state(system, q, v)
    require_sound(model, wanted.inputs, wanted.events, wanted.limits, q)
    if model.loops is None:
        q, v = system.start_state(q, v)
    made = _Parts(model, wanted, symbols, orientations)
    parts = made.parts(Tolerances(system, wanted.run.rtol, None))
    return WrittenRun(parts, made.labels, made.numbers, q, v, wanted)


def simplified_program(model: Model, arguments: Mapping[str, Any], **settings: Any) -> str:
    """A program of equations with small variables, or by one route: laws are in them, events and stops are not.

    Parameters
    ----------
    model : Model
    arguments : mapping of str to anything
        Keyword arguments of `supple.simulate`.
    **settings
        Of `supple.equations`: small variables, route, names of forces.

    Raises
    ------
    StateError
        If the run has something that equations alone do not hold, by its name.
    """
    require_duration(model.name, arguments)
    wanted = RunSettings.of(model, arguments)
    what = [f"the event {x.name!r}" for x in wanted.events] + [f"the stops of {x.coordinate!r}" for x in wanted.limits]
    what += [f"the sampled controller of {model.speeds[i]!r}" for i in wanted.inputs.sampled]
    if what or model.loops is not None:
        held = ", ".join(what) or "closed loops"
        raise StateError(
            f"model {model.name!r}: a program of simplified equations cannot hold {held}; expected no small variables "
            "and no route"
        )
    warn_of_integration(model, arguments, "a program")
    q, v = wanted.start.open_state(model)
    system = DrivenSystem(model, wanted.inputs, q, v)
    warn_of_jumps(system)
    q, v = system.start_state(*wanted.start.state(system, q, v))
    equations = law_equations(model, wanted.inputs, **settings)
    names = force_names(model, wanted.inputs, settings)
    known = wanted.inputs.variables | {
        names[model.speeds[i]]: x for i, x in wanted.inputs.laws.items() if isinstance(x, float)
    }
    z = np.zeros(len(equations.variables.q) - len(q))
    forces = [float(known.get(leaf.name, 0.0)) for leaf in equations.variables.inputs]
    run = wanted.run._replace(atol=wanted.run.atol or ProgramRun().atol)
    return equations.program(np.concatenate([q, z]), v, forces, run)


class _Parts:
    """The functions of a program, in one graph."""

    def __init__(self, model: Model, wanted: RunSettings, symbols: Symbols, orientations: bool) -> None:
        self.model, self.wanted, self.symbols, self.orientations = model, wanted, symbols, orientations
        self.labels: list[ColumnLabel] = []
        self.trace = Trace(model, symbols)
        self.numbers: dict[str, float] = dict(symbols.values)
        self.equations = DrivenEquations(model, wanted.inputs, trace=self.trace, symbol=self._symbol)
        at = self.equations.at
        z = at.z[: len(at.z) - wanted.inputs.acting]  # the work of the forces steers nothing
        self.inputs: dict[str, Nodes] = {"t": np.array([at.t], dtype=object), "q": at.q, "v": at.v}
        self.inputs |= {"z": z} if len(z) else {}
        self.inputs |= {"u": at.u} if len(at.u) else {}

    def _symbol(self, name: str, x: float) -> Expr:
        """A symbol for a number of a law."""
        self.numbers.setdefault(name, x)
        return self.trace.graph.parameter(name)

    @cached_property
    def leaves(self) -> list[Expr]:
        """Symbols for numbers of the model, then of the laws."""
        return [self.trace.graph.parameter(name) for name in self.numbers]

    def function(self, name: str, outputs: Mapping[str, Nodes], more: Mapping[str, Nodes] | None = None) -> Function:
        """Some nodes as a function of the state, and more; the symbols are complete by now."""
        return Function(name, self.trace.graph, self.inputs | dict(more or {}), outputs, self.leaves)

    def parts(self, tolerances: Tolerances) -> ProgramParts:
        """All parts."""
        model, wanted, e = self.model, self.wanted, self.equations
        nq, nv = model.nq, model.nv
        rate = e.rate()
        ends = {"rate": rate[:nq], "a": rate[nq : nq + nv]}
        z_rate = rate[nq + nv : len(rate) - wanted.inputs.acting]
        ends |= {"z_rate": z_rate} if len(z_rate) else {}
        stops = self._stops()
        columns = Columns(model, wanted.outputs, self.trace, e, [x.speed for x in stops], self.orientations)
        self.labels = columns.labels
        accelerations = {"a": self.trace.a} if stops else {}
        loops = None if model.loops is None else e.closed()
        events = self._events()
        responses = self._responses()
        u = wanted.inputs.start()[1]
        count = len(wanted.inputs.variables)
        return ProgramParts(
            rates=self.function("equations", ends),
            columns=self.function("columns", {"column": np.array(columns.values, dtype=object)}, accelerations),
            titles=columns.titles,
            closing=None if loops is None else self._closing(loops),
            assembly=self._assembly(),
            rule=tolerances.without_work(),
            held={name: float(u[i]) if i < count else None for i, name in enumerate(wanted.inputs.held)},
            tables=self._tables(),
            clocks=tuple(
                ProgramClock(rate, list(x), self.function("clock", {"u": np.array(list(x.values()), dtype=object)}))
                for rate, x in e.applied.ticks.items()
            ),
            events=events,
            stops=stops,
            watched=self._watched() if events else None,
            responses=responses,
            open_responses=None if responses is None or model.loops is None else self._open_responses(),
            constants={
                "AT_REST": REST,
                "MASSLESS": MASSLESS,
                "IMMOVABLE": IMMOVABLE,
                "SLACK": 0.0 if model.loops is None else SLACK,
                "AHEAD_OF_ZERO": AHEAD,
                "OPEN": OPEN,
                "MOST_EVENTS": MOST_EVENTS,
                "CLOSE_EVENTS": CLOSE_EVENTS,
                "CLOSE_EVENTS_WITHIN": CLOSE,
            },
            quaternions=tuple(int(i) for i in model.quaternions),
        )

    def _closing(self, loops: Mapping[str, Nodes]) -> Function:
        """One step towards closed loops."""
        y, nq, nv = loops["y"], self.model.nq, self.model.nv
        return self.function("closing_step", {"q": y[:nq], "v": y[nq : nq + nv], "margin": loops["margin"]})

    def _assembly(self) -> ProgramAssembly | None:
        """Constraint equations with prescribed motions in them, and how they are closed."""
        loops, x, t = self.model.loops, self.equations.applied, self.trace
        if loops is None:
            return None
        cw = t.closing_steps(x.q, x.v, x.given, t.workspace())[0]
        rows, M = np.where(loops.holonomic, cw.position, 0.0), t.mass_matrix(x.q)
        speed_of = np.full(self.model.nq, -1)
        places = np.asarray(self.model.q_of_speed)
        speed_of[places[places >= 0]] = np.flatnonzero(places >= 0)
        return ProgramAssembly(
            self.function("constraint_errors", {"position": rows, "velocity": cw.velocity, "J": cw.J, "M": M}),
            self.function("kinematics", {"rate": t.rates(t.q, t.v)}),
            np.asarray(loops.scales.rows, dtype=float),
            np.asarray(loops.scales.speeds, dtype=float),
            [f"{name!r}: {row.label}" for name, row in loops.rows],
            x.given,
            np.array([name in kept for given, kept in self._named() for name in given]),
            np.asarray(self.model.is_mode),
            speed_of,
        )

    def _named(self) -> list[tuple[Sequence[str], Collection[str]]]:
        """All coordinates with those that the start names, and all speeds."""
        start, model = self.wanted.start, self.model
        found = (x if isinstance(x, Mapping) else () for x in (start.q, start.v))
        return list(zip((model.coordinates, model.speeds), found, strict=True))

    def _tables(self) -> tuple[ProgramTable, ...]:
        return tuple(
            ProgramTable(first, table.breaks, table.pieces) for table, first in self.wanted.inputs.tables.items()
        )

    # ------------------------------------------------------------ events and stops

    def _watched(self) -> Function:
        crossings = [EventCrossing(i, event) for i, event in enumerate(self.wanted.events)]
        nodes = [x.node(self.equations, None) for x in crossings]
        return self.function("quantities", {"g": np.array(nodes, dtype=object)})

    def _events(self) -> tuple[ProgramEvent, ...]:
        found = []
        for i, event in enumerate(self.wanted.events):
            crossing, at = EventCrossing(i, event), self.equations.settled()
            nodes = [at.formula(x, f"{crossing.where}: {name!r}") for name, x in event.change.items()]
            places = [changed(self.model, self.wanted.inputs, name, crossing.where) for name in event.change]
            new = self.function("change", {"x": np.array(nodes, dtype=object)}) if nodes else None
            found.append(ProgramEvent(event.name, crossing.direction, event.stop, new, places))
        return tuple(found)

    def _stops(self) -> tuple[ProgramStop, ...]:
        found = []
        for x in self.wanted.limits:
            speed = limit_speed(self.model, x)
            name = self.symbols.states.get(x.coordinate, x.coordinate)
            low, high = -np.inf if x.lower is None else x.lower, np.inf if x.upper is None else x.upper
            place = int(self.model.q_of_speed[speed])
            found.append(ProgramStop(name, place, speed, float(low), float(high), float(x.restitution)))
        return tuple(found)

    def _responses(self) -> Function | None:
        """What impulses at joints with stops do to all speeds: dv of `impacts.impulse_at`, not yet scaled."""
        if not self.wanted.limits:
            return None
        x = self.equations.applied
        return self.function("joint_responses", {"X": self.trace.responses(x.q, self._stopped(), x.given)})

    def _open_responses(self) -> Function:
        """What they do to the joints' own speeds while the loops are open, of which stops need a share to hold them."""
        x, speeds = self.equations.applied, self._stopped()
        found = self.trace.open_responses(x.q, speeds, x.given)
        return self.function("own_responses", {"own": found[np.arange(len(speeds)), speeds]})

    def _stopped(self) -> list[int]:
        return [limit_speed(self.model, limit) for limit in self.wanted.limits]
