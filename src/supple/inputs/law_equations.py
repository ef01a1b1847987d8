"""Equations of motion with the laws of a run in them: what drives the model is written out with the model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from supple.description.limits import Limit
from supple.errors import StateError
from supple.expressions.elimination import solve_symmetric
from supple.expressions.function import Function, Nodes
from supple.expressions.graph import Expr, order_of
from supple.expressions.small import truncated
from supple.inputs.applied import Applied
from supple.inputs.controllers import Sampled
from supple.inputs.driven import with_wrenches
from supple.inputs.events import Event, limit_speed
from supple.inputs.inputs import Inputs
from supple.inputs.quantities import Quantities
from supple.model.model import Model
from supple.model.parameters import symbols_of
from supple.model.trace import Trace
from supple.symbolic.equations_of_motion import CLOSED, EquationsOfMotion, Terms, Variables
from supple.symbolic.routes import equations

LONGEST_TABLE = 64
"""Points of a table that is written out as an expression of time."""


def require_written(model: Model, inputs: Inputs, events: Sequence[Event]) -> None:
    """Refuse Python functions, which are no equations, by name."""
    python = "is a Python function, which cannot be written; expected a formula"
    more = ", a table, a controller, a number, or a function that works on symbols"
    for i, law in inputs.laws.items():
        if isinstance(law, Sampled) or i in inputs.called_functions:
            raise StateError(f"model {model.name!r}: {inputs.law_name(i)} {python}{more}")
    if inputs.calls or isinstance(inputs.whole, Sampled):
        raise StateError(f"model {model.name!r}: tau: the law of all speeds {python}{more}")
    for x in inputs.fmus:
        raise StateError(
            f"model {model.name!r}: {x.place} is an FMU, which cannot be written; expected a law in formulas"
        )
    for event in events:
        if not isinstance(event.when, str):
            raise StateError(f"model {model.name!r}: event {event.name!r}: 'when' {python}")
        if event.action is not None:
            raise StateError(f"model {model.name!r}: event {event.name!r}: 'action' {python}s of 'change'")


def law_equations(
    model: Model, laws: Inputs, events: Sequence[Event] = (), limits: Sequence[Limit] = (), **settings: Any
) -> EquationsOfMotion:
    """The equations of motion of a model in symbols, laws and prescribed motions written out.

    Integrals of controllers are further coordinates, whose rates are the errors. Numbers of laws are parameters, called
    after the speed that they drive ("arm.angle.kp"); variables, and what sampled controllers hold, are inputs. A
    generalized force that is a number stays an input. Prescribed motions replace what they prescribe; their equations
    say what the accelerations are. What events and stops look at are further outputs.

    Parameters
    ----------
    model : Model
        Where it has loops, the forces that close them are in the equations; coordinates are those of all joints.
    laws : Inputs
    events, limits : sequences
    **settings
        Of `symbolic.equations`; closed loops have no choice of the route, and no small variables.

    Raises
    ------
    StateError
        If there is something that is no equation, by its name.
    """
    require_written(model, laws, events)
    forces = _with(model, laws, settings)
    trace: Trace | None
    if model.loops is not None or laws.wrenches:
        what = "closed loops" if model.loops is not None else f"the {laws.wrenches[0].place} that follows a law"
        for key, usual in (("small", []), ("route", "auto")):
            if settings.get(key, usual) != usual:
                raise StateError(f"model {model.name!r} has {what}: {key}: expected none, got {settings[key]!r}")
        rest = {key: settings[key] for key in ("parameters", "names") if key in settings}
        base, trace = _open_equations(model, inputs=forces, **rest)
    else:
        base, trace = equations(model, **settings | {"inputs": forces}), None
    return _Laws(model, laws, base, force_names(model, laws, settings), trace).equations(events, limits)


def force_names(model: Model, laws: Inputs, settings: Mapping[str, Any]) -> dict[str, str]:
    """Return what `law_equations` with these settings calls generalized forces, by speed."""
    named = {key: settings[key] for key in ("parameters", "names") if key in settings}
    return symbols_of(model, inputs=_with(model, laws, settings), **named).inputs


def _with(model: Model, laws: Inputs, settings: Mapping[str, Any]) -> Any:
    """Forces that the equations have, those of the laws, numbers too, among them."""
    inputs = settings.get("inputs")
    if inputs is None:
        return None
    driven = [model.speeds[i] for i in (range(model.nv) if laws.whole is not None else laws.laws) if i < model.nv]
    if isinstance(inputs, Mapping):
        called = {meaning: name for name, meaning in (settings.get("names") or {}).items()}
        return {**inputs, **{called.get(x, x): x for x in driven if x not in inputs.values()}}
    return [*inputs, *(speed for speed in driven if speed not in inputs)]


def _open_equations(model: Model, **settings: Any) -> tuple[EquationsOfMotion, Trace]:
    """Equations of a mechanism with its loops open, without accelerations, and the trace that has these."""
    symbols = symbols_of(model, **settings)
    t = Trace(model, symbols)
    driven = [leaf for leaf, name in zip(t.tau, model.speeds, strict=True) if name in symbols.inputs]
    variables = Variables(
        graph=t.graph,
        time=t.graph.new_input("time", "t"),
        q=t.q,
        v=t.v,
        inputs=np.array(driven, dtype=object),
        symbols=tuple(symbols.leaves(t.graph).values()),
        values=dict(symbols.values),
    )
    tau = np.array([leaf if name in symbols.inputs else 0.0 for leaf, name in zip(t.tau, model.speeds, strict=True)])
    none = np.zeros(model.nv, dtype=object)
    terms = Terms(t.rates(t.q, t.v), t.mass_matrix(t.q), tau - t.bias_forces(t.q, t.v), none)
    route = "articulated" if model.loops is None else CLOSED
    return EquationsOfMotion(model.name, variables, terms, route=route), t


class _Laws:
    """Laws on the leaves of equations, and what becomes of the equations.

    Parameters
    ----------
    model : Model
    inputs : Inputs
    base : EquationsOfMotion
        With a force as an input wherever there is a law.
    forces : mapping of str to str
        Names of these inputs by speed.
    trace : Trace, optional
        In the graph of the equations, where loops or wrenches need it.
    """

    def __init__(
        self,
        model: Model,
        inputs: Inputs,
        base: EquationsOfMotion,
        forces: Mapping[str, str],
        trace: Trace | None = None,
    ) -> None:
        self.model, self.inputs, self.base, self.trace = model, inputs, base, trace
        graph = base.variables.graph
        self.numbers: dict[str, float] = {}
        self.z = graph.new_inputs("z", inputs.integrals[: len(inputs.integrals) - inputs.acting])
        u = graph.new_inputs("u", inputs.held)
        work = [graph.zero] * inputs.acting
        self.at = Quantities(
            model,
            graph,
            base.variables.time,
            base.variables.q,
            base.variables.v,
            np.array([*self.z, *work], dtype=object),
            u,
            dict(zip(inputs.variables, u, strict=False)),
            symbol=self._symbol,
            longest_table=LONGEST_TABLE,
        )
        self.applied: Applied = self._applied()
        leaves = {leaf.name: leaf for leaf in base.variables.inputs}
        self.forces = {i: leaves[forces[s]] for i, s in enumerate(model.speeds) if forces.get(s) in leaves}

    def _applied(self) -> Applied:
        """What the laws make of the leaves, wrenches at work."""
        t, wrenches, laws = self.trace, self.inputs.frame_wrenches, self.inputs.applied
        if t is None or wrenches is None:
            return laws(self.at)
        return with_wrenches(t, t.nodes_of(wrenches), self.at, laws, bool(self.inputs.motions))

    def _symbol(self, name: str, x: float) -> Expr:
        self.numbers.setdefault(name, x)
        return self.at.graph.parameter(name)

    def equations(self, events: Sequence[Event], limits: Sequence[Limit]) -> EquationsOfMotion:
        """The equations with the laws in them."""
        base, x = self.base, self.applied
        drive = self._drive()
        swaps = {old: new for old, new in zip((*self.at.q, *self.at.v), (*x.q, *x.v), strict=True) if old is not new}
        swaps |= {leaf: drive[i] for i, leaf in self.forces.items() if leaf is not drive[i] and not x.given[i]}
        terms = {"rate": base.terms.rates, "M": base.terms.M, "f": base.terms.f, "a": base.terms.accelerations}
        made = self._function(terms).moved(self.at.graph, swaps)
        if self.trace is not None:
            made["f"], made["a"] = self._traced(self.trace, drive)
        elif x.given.any():
            made["a"] = self._solved(made["M"], made["f"])
        made["f"][x.given] = drive[x.given]
        made["M"][x.given] = np.eye(self.model.nv)[x.given]
        rates = np.concatenate([made["rate"], truncated(np.array(x.z_rate, dtype=object), base.small, "laws")])
        watched = self._watched(events, limits)
        variables = self._variables([*rates, *made["f"], *made["a"], *watched.values()])
        terms_now = Terms(rates, made["M"], made["f"], made["a"])
        form = base.form and replace(base.form, form=None)
        if form is not None and (swaps or len(self.z) or x.given.any()):
            form = _Laws(self.model, self.inputs, form, self._named()).equations((), ())
        return replace(base, variables=variables, terms=terms_now, watched=watched, form=form)

    def _named(self) -> dict[str, str]:
        return {self.model.speeds[i]: leaf.name for i, leaf in self.forces.items()}

    def _drive(self) -> Nodes:
        """Forces of laws, or accelerations of prescribed motions; inputs where there is no law."""
        out = truncated(self.applied.drive.copy(), self.base.small, "laws")
        for i, leaf in self.forces.items():
            law = self.inputs.laws.get(i)
            if self.inputs.whole is None and not self.applied.given[i] and (law is None or isinstance(law, float)):
                out[i] = leaf + (self.applied.pull[i] if len(self.applied.pull) else 0.0)
        return out

    def _function(self, outputs: Mapping[str, Nodes]) -> Function:
        """Some nodes as a function of all leaves that there are."""
        nodes = [x for array in outputs.values() for x in array.flat if isinstance(x, Expr)]
        leaves = [x for x in order_of(nodes) if x.op == "input"]
        parameters = [x for x in order_of(nodes) if x.op == "parameter"]
        return Function("terms", self.at.graph, {"x": np.array(leaves, dtype=object)}, outputs, parameters)

    def _solved(self, M: Nodes, f: Nodes) -> Nodes:
        """Accelerations where some are prescribed: M a = f in the others alone."""
        free, given = ~self.applied.given, self.applied.given
        a = np.array(self._drive(), dtype=object)
        right = f[free] - M[np.ix_(free, given)] @ a[given]
        names = [name for name, x in zip(self.model.speeds, free, strict=True) if x]
        a[free] = solve_symmetric(M[np.ix_(free, free)], right, self.base.small, names) if free.any() else right
        return a

    def _traced(self, t: Trace, drive: Nodes) -> tuple[Nodes, Nodes]:
        """Forces, with those that close the loops, and accelerations."""
        x = self.applied
        f = drive - t.bias_forces(x.q, x.v)
        if self.model.loops is None:
            return f, t.hybrid_dynamics(x.q, x.v, drive, x.given)[0]
        a, _, force = t.closed_dynamics(x.q, x.v, drive, x.given, t.workspace())
        return f + t.pull_of_loops(x.q, x.v, force), a

    def _variables(self, nodes: Sequence[Any]) -> Variables:
        """Leaves with integrals among the coordinates, what laws hold among the inputs, and their numbers."""
        own, used = self.base.variables, set(order_of(x for x in nodes if isinstance(x, Expr)))
        left = [leaf for leaf in own.inputs if leaf in used]
        held = [leaf for leaf in self.at.u if leaf in used]
        symbols = [self.at.graph.parameter(name) for name in self.numbers]
        return replace(
            own,
            q=np.concatenate([own.q, self.z]),
            inputs=np.array([*left, *held], dtype=object),
            symbols=(*own.symbols, *symbols),
            values=own.values | self.numbers,
        )

    def _watched(self, events: Sequence[Event], limits: Sequence[Limit]) -> dict[str, Expr]:
        """What events, stops and clocks look at, by name."""
        at = replace(self.at, q=self.applied.q, v=self.applied.v)
        out = {f"event {e.name}": at.formula(e.when, f"event {e.name!r}") for e in events if isinstance(e.when, str)}
        for x in limits:
            place = int(self.model.q_of_speed[limit_speed(self.model, x)])
            for side in ("lower", "upper"):
                stop = getattr(x, side)
                if stop is not None:
                    name = f"{x.coordinate}.{side}"
                    out[f"stop {name}"] = at.q[place] - at.number(name, stop)
        for rate, updates in self.applied.ticks.items():
            out |= {f"tick {self.inputs.held[i]} {rate:g}": node for i, node in updates.items()}
        return out
