"""A run as an FMU has it: forces without a law are inputs, and there are derivatives of everything."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from supple.errors import StateError
from supple.expressions.derivatives import forward, gradient
from supple.expressions.function import Function, Nodes
from supple.expressions.graph import Expr, Graph
from supple.inputs.inputs import Inputs
from supple.inputs.requests import Outputs
from supple.model.compiled import LARGEST
from supple.model.model import Model
from supple.model.parameters import parameter_values, plain_symbols
from supple.simulation.program_columns import ColumnLabel
from supple.simulation.program_integration import warn_of_integration
from supple.simulation.run_program import WrittenRun, written_run
from supple.symbolic.program import all_entries
from supple.symbolic.program_calls import RATES, Reached
from supple.symbolic.program_entries import STOP, Entry
from supple.symbolic.program_parts import ProgramParts

LAWS = ("tau", "motion", "variables", "wrenches")
LONG = 3000
"""Nodes of derivatives that are compiled without optimization."""
PLACES = {"t": "{}t", "q": "{}y", "v": "{}y + COORDINATES", "z": "{}y + COORDINATES + SPEEDS", "u": "{}u"}
"""Where derivatives by the inputs of the equations stand in C: in front d for a direction, w for a gradient."""


def force_name(speed: str) -> str:
    """What the generalized force along a speed is called, whether it is an input or an output."""
    return f"tau({speed})"


@dataclass(frozen=True)
class FmuRun:
    """The functions and numbers of an FMU.

    Attributes
    ----------
    model : Model
    written : WrittenRun
        Its columns are the outputs that are no states.
    inputs : dict of str to str
        Names of generalized forces that come from outside, and the speeds they act along.
    duration : float or None
        Of the usual run, s; None if nothing is said about it.
    directional, adjoint : bool
        Whether there are derivatives along a direction, and in reverse.
    """

    model: Model
    written: WrittenRun
    inputs: dict[str, str]
    duration: float | None
    directional: bool
    adjoint: bool

    @staticmethod
    def of(
        model: Model,
        arguments: Mapping[str, Any],
        parameters: Sequence[str] | None,
        outputs: Outputs | None,
        adjoint: bool,
    ) -> FmuRun:
        """From what `supple.export.fmu` is given; derivatives with which it would be too large are left out.

        Raises
        ------
        StateError
            If something cannot be written in C, by its name, or is too large.
        """
        if model.estimated_operations > 4 * LARGEST:
            raise _too_large(model, f"about {model.estimated_operations}")
        names = (model.name, *model.coordinates, *model.speeds, *(arguments.get("variables") or ()))
        for name in names:
            if not name.isprintable():
                raise StateError(f"model {model.name!r}: an FMU cannot have a name with control characters: {name!r}")
        given = dict(arguments) | ({} if outputs is None else {"outputs": outputs})
        duration = given.get("duration")
        if duration is not None and not float(duration) > 0.0:
            raise StateError(f"duration: expected more than 0, got {duration}")
        warn_of_integration(model, given, "an FMU")
        inputs = _open_forces(model, given)
        if inputs:
            own = Inputs(model, **{name: given[name] for name in LAWS if name in given})
            laws = {model.speeds[i]: law for i, law in own.laws.items() if i < model.nv}
            given["tau"] = laws | {speed: repr(name) for name, speed in inputs.items()}
            given["variables"] = dict(given.get("variables") or {}) | dict.fromkeys(inputs, 0.0)
        chosen = [name for name, x in parameter_values(model).items() if x != 0.0] if parameters is None else parameters
        found = written_run(model, given, plain_symbols(model, chosen), orientations=True)
        run = FmuRun(model, _without_states(found, inputs), inputs, duration, False, False)
        size = sum(len(f.order) for f in run.parts.functions)
        if size > LARGEST:
            raise _too_large(model, str(size))
        for reverse in (False, True) if adjoint else (False,):
            larger = replace(run, directional=True, adjoint=reverse)
            if size + sum(len(x.function.order) for x in larger.derivatives) > LARGEST:
                break
            run = larger
        return run

    @property
    def parts(self) -> ProgramParts:
        """Of the core."""
        return self.written.parts

    @property
    def labels(self) -> list[ColumnLabel]:
        """Of the outputs that are no states."""
        return self.written.labels

    @property
    def integrals(self) -> list[str]:
        """Names of the integrals of laws among the states."""
        z = self.parts.rates.inputs.get("z")
        return [] if z is None else [leaf.name for leaf in z.flat]

    @cached_property
    def variables(self) -> dict[str, float]:
        """Variables of the laws, generalized forces among them, with their numbers at the start."""
        return {name: x for name, x in self.parts.held.items() if x is not None}

    @cached_property
    def discrete(self) -> set[str]:
        """Variables that events change."""
        return {name for event in self.written.settings.events for name in event.change} & set(self.variables)

    @cached_property
    def fixed(self) -> set[str]:
        """Variables that cannot change in a run."""
        return set(self.written.settings.inputs.fixed_variables)

    @cached_property
    def entries(self) -> tuple[list[Entry], dict[str, int]]:
        """All numbers, and where those of each kind begin."""
        x = self.written
        return all_entries(x.parts, x.numbers, x.q, x.v, run=x.settings.run)

    @property
    def changeable(self) -> list[Entry]:
        """Numbers of stops, then parameters: what can be tuned."""
        entries, first = self.entries
        return entries[first[STOP] :]

    # ------------------------------------------------------------ derivatives

    @cached_property
    def derivatives(self) -> list[Reached]:
        """Derivatives along a direction, and in reverse if wanted, of rates, outputs and what stops do."""
        parts = self.parts
        if not self.directional:
            return []
        found = [self._along("rate_slopes", parts.rates, RATES)]
        if parts.titles:
            found.append(self._along("column_slopes", parts.columns, {"column": "out"}))
        if parts.responses is not None:
            found.append(self._along("response_slopes", parts.responses, {"X": "out"}))
        if self.adjoint:
            places = {"rate": "weight", "a": "weight + COORDINATES", "z_rate": "weight + COORDINATES + SPEEDS"}
            found.append(self._reverse("rate_weights", parts.rates, places))
            if parts.titles:
                found.append(self._reverse("column_weights", parts.columns, {"column": "weight"}))
        return found

    def _differentiated(self, f: Function) -> dict[str, list[Expr]]:
        """Leaves by which a function is differentiated, by the names of its inputs; of held values the variables."""
        found = {key: list(x.flat) for key, x in f.inputs.items()}
        if "u" in found:
            found["u"] = found["u"][: len(self.variables)]
        return {key: leaves for key, leaves in found.items() if leaves}

    def _along(self, name: str, f: Function, places: Mapping[str, str]) -> Reached:
        """Derivatives along changes dt, dy, du of the inputs, and drate of the rates where a function takes those."""
        leaves, g = self._differentiated(f), f.graph
        seeds = {key: _inputs(g, f"{name} d{key}", [leaf.name for leaf in x]) for key, x in leaves.items()}
        moving: dict[Expr, Expr | float] = {
            leaf: seed for key, x in leaves.items() for leaf, seed in zip(x, seeds[key], strict=True)
        }
        nodes = iter(forward([node for x in f.outputs.values() for node in x.flat], moving))
        outputs = {key: _filled(x, nodes) for key, x in f.outputs.items()}
        more: dict[str, Nodes] = {f"d{key}": x for key, x in seeds.items()}
        given = {f"d{key}": PLACES[key].format("d") for key in leaves if key in PLACES} | {"da": "drate + COORDINATES"}
        own = Function(name, g, f.inputs | more, outputs, f.parameters)
        taken = ["dt", "dy", "du", "drate"] if "a" in f.inputs else ["dt", "dy", "du"]
        taken = ["rate", *taken] if "a" in f.inputs else taken
        return Reached(name, own, places, ("out",), taken, given, linkage=_linkage(own))

    def _reverse(self, name: str, f: Function, places: Mapping[str, str]) -> Reached:
        """Derivatives wt, wy, wu by the inputs of the sum of all outputs with weights, and wa by accelerations."""
        leaves, g = self._differentiated(f), f.graph
        weights = {key: _inputs(g, f"{name} {key}", map(str, range(x.size))) for key, x in f.outputs.items()}
        total = sum((w * x for key in weights for w, x in zip(weights[key], f.outputs[key].flat, strict=True)), g.zero)
        nodes = iter(gradient(total, [leaf for x in leaves.values() for leaf in x]))
        outputs = {f"w{key}": np.array([next(nodes) for _ in x], dtype=object) for key, x in leaves.items()}
        given = {f"weight {key}": places[key] for key in weights}
        own = Function(name, g, f.inputs | {f"weight {key}": x for key, x in weights.items()}, outputs, f.parameters)
        into = {f"w{key}": PLACES[key].format("w") for key in leaves if key in PLACES} | {"wa": "wa"}
        accelerations = "a" in f.inputs
        written = ("wt", "wy", "wu", "wa") if accelerations else ("wt", "wy", "wu")
        taken = ["rate", "weight"] if accelerations else ["weight"]
        return Reached(name, own, into, written, taken, given, linkage=_linkage(own))


def _open_forces(model: Model, given: Mapping[str, Any]) -> dict[str, str]:
    """Names of generalized forces along speeds that have neither a law nor a prescribed motion; none along modes."""
    own = Inputs(model, **{name: given[name] for name in LAWS if name in given})
    if own.whole is not None:
        return {}
    free = [i for i in range(model.nv) if not model.is_mode[i] and i not in own.laws and i not in own.motions]
    return {force_name(model.speeds[i]): model.speeds[i] for i in free}


def _without_states(x: WrittenRun, inputs: Mapping[str, str]) -> WrittenRun:
    """The run without columns that are states, or forces that come from outside and nothing else."""
    stopped = {stop.speed for stop in x.parts.stops}
    outside = {speed for speed in inputs.values() if x.settings.inputs.model.speeds.index(speed) not in stopped}
    kept = [
        i
        for i, label in enumerate(x.labels)
        if label.kind not in ("q", "v") and not (label.kind == "tau" and label.name in outside)
    ]
    f = x.parts.columns
    columns = Function(f.name, f.graph, f.inputs, {"column": f.outputs["column"][kept]}, f.parameters)
    parts = replace(x.parts, columns=columns, titles=tuple(x.parts.titles[i] for i in kept))
    return replace(x, parts=parts, labels=[x.labels[i] for i in kept])


def _inputs(g: Graph, kind: str, names: Iterable[str]) -> Nodes:
    """Inputs of a kind; those that are there already are the same ones."""
    return np.array([g.input(name, kind) for name in names], dtype=object)


def _filled(like: Nodes, nodes: Any) -> Nodes:
    """An array of the same shape, of the next nodes."""
    out = np.empty(like.shape, dtype=object)
    for i in range(like.size):
        out.flat[i] = next(nodes)
    return out


def _linkage(f: Function) -> str:
    """Long derivatives are seldom asked for and slow to optimize, which takes time as the square of their length."""
    return "QUICK_TO_COMPILE static " if len(f.order) > LONG else "static "


def _too_large(model: Model, operations: str) -> StateError:
    return StateError(
        f"model {model.name!r}: too large for an FMU, whose equations are written out: expected at most {LARGEST} "
        f"operations, got {operations}"
    )
