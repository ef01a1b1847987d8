"""A simulation code: the equations in C with a program round them that reads numbers, integrates and writes rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from supple.errors import StateError, nearest
from supple.expressions.function import Function
from supple.expressions.printers.writing_plan import WritingPlan, planned
from supple.symbolic.program_entries import (
    PARAMETER,
    SETTINGS,
    STOP,
    VARIABLE,
    Entry,
    Start,
    named_entries,
    settings,
)
from supple.symbolic.program_parts import ProgramParts, ProgramRun
from supple.symbolic.program_text import program_text

STATES = ("t", "q", "v", "z", "u", "a")
"""Inputs of functions that change in a run."""


def simulation_program(
    equations: Function | ProgramParts,
    parameters: Mapping[str, float] | None = None,
    q: Start | None = None,
    v: Start | None = None,
    held: Mapping[str, Start] | None = None,
    run: ProgramRun | None = None,
) -> str:
    """One file of C99, a whole program: the equations as `c_source` has them, and a run that chooses its steps.

    It reads an input file, integrates and writes rows of time and what is asked for as comma separated values; its head
    tells how. All numbers given here are defaults that an input file can replace. The integrator is that of
    `supple.simulate`, printed from the same source.

    Parameters
    ----------
    equations : Function or ProgramParts
        A function with the outputs rate (nq), rates of the coordinates, and a (nv), rates of the speeds; of the inputs
        q (nq), v (nv), t, the time, if it matters, and any others, which are held constant during a run. Or this with
        all else that a program may have.
    parameters : mapping of str to float
        Numbers of all parameters.
    q, v : array_like or mapping of str to float, optional
        State at time 0; zero if not given.
    held : mapping of str to array_like or mapping, optional
        Other inputs by the names of their arrays; zero if not given.
    run : ProgramRun, optional

    Raises
    ------
    StateError
        If the function has other inputs or outputs, or numbers do not fit it.

    Examples
    --------
    >>> from supple.expressions.graph import Graph
    >>> g = Graph()
    >>> x, u, k = g.input("x", "q"), g.input("x", "v"), g.parameter("k")
    >>> f = Function("oscillator", g, {"q": [x], "v": [u]}, {"rate": [u], "a": [-k * x]}, [k])
    >>> text = simulation_program(f, {"k": 4.0}, q=[0.1], run=ProgramRun(duration=2.0))
    >>> print(text[text.index("static const struct") : text.index("static const char kinds")].strip())
    static const struct entry entries[ENTRIES] = {
        {"duration", "duration", NULL, 2.0},
        {"samples", "samples", NULL, 1001.0},
        {"rtol", "rtol", NULL, 1e-09},
        {"atol", "atol", NULL, 1e-11},
        {"q x", "q", "x", 0.1},
        {"v x", "v", "x", 0.0},
        {"parameter k", "parameter", "k", 4.0},
    };
    """
    parts = equations if isinstance(equations, ProgramParts) else parts_of(equations)
    entries, first = all_entries(parts, parameters, q, v, held, run)
    return program_text(parts, entries, first)


def all_entries(
    parts: ProgramParts,
    parameters: Mapping[str, float] | None = None,
    q: Start | None = None,
    v: Start | None = None,
    held: Mapping[str, Start] | None = None,
    run: ProgramRun | None = None,
) -> tuple[list[Entry], dict[str, int]]:
    """All numbers of a simulation, as `simulation_program` takes them, and where those of each kind begin."""
    plan = planned(parts.rates)
    _check(parts.rates, plan)
    entries = settings(ProgramRun() if run is None else run, parts.rule is not None)
    first: dict[str, int] = {}
    given = {"q": q, "v": v}
    variables = {name: x for name, x in parts.held.items() if x is not None}
    for key in ("q", "v"):
        entries += named_entries(key, [leaf.name for leaf in plan.inputs[key].flat], given[key], plan.inputs[key].shape)
    first[VARIABLE] = len(entries)
    entries += [Entry(VARIABLE, name, x) for name, x in variables.items()]
    for key, values in _others(parts.rates, plan, held or {}).items():
        first[key] = len(entries)
        entries += named_entries(key, [leaf.name for leaf in plan.inputs[key].flat], values, plan.inputs[key].shape)
    first[STOP] = len(entries)
    entries += _stop_entries(parts)
    first[PARAMETER] = len(entries)
    entries += _parameters(parts.rates, plan, parameters or {})
    return entries, first


def parts_of(function: Function) -> ProgramParts:
    """A program that writes its state, of a function alone."""
    plan = planned(function)
    _check(function, plan)
    states = {key: plan.inputs[key] for key in ("q", "v")}
    titles = tuple(f"{key}:{leaf.name}" for key, x in states.items() for leaf in x.flat)
    written = np.concatenate([x.ravel() for x in states.values()])
    return ProgramParts(function, Function("columns", function.graph, states, {"column": written}), titles)


def _check(function: Function, plan: WritingPlan) -> None:
    """Inputs and outputs are those of equations of motion, and their names can stand in an input file."""
    what = f"function {function.name!r}"
    if set(function.outputs) - {"z_rate"} != {"rate", "a"}:
        raise StateError(f"{what}: expected the outputs 'rate' and 'a', got {', '.join(map(repr, function.outputs))}")
    for state, rate in (("q", "rate"), ("v", "a")):
        if state not in plan.inputs or not plan.inputs[state].size:
            raise StateError(f"{what}: expected an input {state!r} of one number or more")
        sizes = plan.inputs[state].size, function.outputs[rate].size
        if sizes[0] != sizes[1]:
            raise StateError(f"{what}: expected {rate!r} as long as {state!r}, {sizes[0]}, got {sizes[1]}")
    if "t" in plan.inputs and plan.inputs["t"].size != 1:
        raise StateError(f"{what}: expected one number as the time 't', got {plan.inputs['t'].size}")
    for key, x in plan.inputs.items():
        if key in (*SETTINGS, PARAMETER, VARIABLE, STOP):
            raise StateError(f"{what}: an input cannot be called {key!r}, which means something else in input files")
        _check_names(what, key, [leaf.name for leaf in x.flat])
    _check_names(what, PARAMETER, [leaf.name for leaf in plan.parameters])


def _check_names(what: str, kind: str, names: Sequence[str]) -> None:
    for name in (kind, *names):
        if not name.isprintable():
            raise StateError(f"{what}: a name with control characters cannot stand in an input file: {name!r}")
    twice = [name for name, n in Counter(names).items() if n > 1]
    if twice:
        raise StateError(f"{what}: {kind}: expected names that differ, got more than one {twice[0]!r}")


def _others(function: Function, plan: WritingPlan, held: Mapping[str, Start]) -> dict[str, Start | None]:
    """Inputs that are held constant, with their numbers."""
    names = [key for key in plan.inputs if key not in STATES]
    for key in held:
        if key not in names:
            raise StateError(f"held: function {function.name!r} has no such input {key!r}{nearest(key, names)}")
    return {key: held.get(key) for key in names}


def _parameters(function: Function, plan: WritingPlan, given: Mapping[str, float]) -> list[Entry]:
    names = [leaf.name for leaf in plan.parameters]
    missing = [name for name in names if name not in given]
    if missing:
        raise StateError(f"parameters: function {function.name!r} needs a number for {', '.join(map(repr, missing))}")
    return named_entries(PARAMETER, names, given)


def _stop_entries(parts: ProgramParts) -> list[Entry]:
    """Finite numbers of all stops."""
    return [
        Entry(STOP, f"{x.coordinate}.{what}", getattr(x, what))
        for x in parts.stops
        for what in ("lower", "upper", "restitution")
        if np.isfinite(getattr(x, what))
    ]
