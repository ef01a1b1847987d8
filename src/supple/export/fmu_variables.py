"""The variables of an FMU: names, references, units, and what depends on what."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from supple.errors import StateError
from supple.export.fmu_run import FmuRun, force_name
from supple.expressions.graph import Expr
from supple.expressions.sparsity import sparsity
from supple.simulation.program_columns import ColumnLabel
from supple.symbolic.program_entries import PARAMETER

PARAMETER_UNITS = {
    r"gravity\.[xyz]": "m/s2",
    r".*\.mass": "kg",
    r".*\.(com|at)\.[xyz]": "m",
    r".*\.inertia\.[xyz]{2}": "kg.m2",
    r".*/.*\.[xyz]": "m",
}
"""By the form of the name."""


@dataclass(frozen=True)
class FmuVariable:
    """One variable.

    Attributes
    ----------
    name : str
    reference : int
        Its value reference.
    causality, variability, initial : str
        As the standard has them; "" for none.
    start : float or None
    unit : str
        "" for none.
    derivative_of : int or None
        Reference of the state whose rate it is.
    description : str
    """

    name: str
    reference: int
    causality: str
    variability: str
    initial: str = ""
    start: float | None = None
    unit: str = ""
    derivative_of: int | None = None
    description: str = ""


@dataclass(frozen=True)
class FmuVariables:
    """All variables of a run, by references: time, states, their rates, variables of laws, outputs, numbers, event
    indicators.
    """

    run: FmuRun
    all: list[FmuVariable] = field(init=False)

    def __post_init__(self) -> None:
        found = [FmuVariable("time", 0, "independent", "continuous", unit="s", description="time")]
        found += self._states() + self._rates() + self._held() + self._outputs() + self._numbers()
        found += self._indicators()
        object.__setattr__(self, "all", found)
        self._require_names()

    @cached_property
    def firsts(self) -> dict[str, int]:
        """References at which kinds of variables begin, by the names that C has for them."""
        n = self.run.parts.sizes["STATE"]
        sizes = {"FIRST_STATE": n, "FIRST_RATE": n, "FIRST_HELD": len(self.run.variables)}
        sizes |= {"FIRST_OUTPUT": len(self.run.labels), "FIRST_NUMBER": len(self.run.changeable)}
        sizes |= {"FIRST_INDICATOR": self.run.parts.sizes["WATCHED"]}
        places = np.cumsum([1, *sizes.values()])
        return {name: int(i) for name, i in zip([*sizes, "REFERENCES"], places, strict=True)}

    @property
    def is_input(self) -> list[bool]:
        """Of the variables of laws, which come from outside."""
        run = self.run
        return [name not in run.discrete and name not in run.fixed for name in run.variables]

    def _require_names(self) -> None:
        where = f"model {self.run.model.name!r}: an FMU"
        for name, number in Counter(x.name for x in self.all).items():
            if not name.isprintable():
                raise StateError(f"{where} cannot have a name with control characters: {name!r}")
            if number > 1:
                raise StateError(f"{where} needs names that differ, got more than one {name!r}")

    # ------------------------------------------------------------ kinds of variables

    def _states(self) -> list[FmuVariable]:
        """Coordinates, speeds, integrals."""
        model, written, first = self.run.model, self.run.written, self.firsts["FIRST_STATE"]
        known = set(model.coordinates)
        named = [(x, f"coordinate {x}") for x in model.coordinates]
        named += [(f"rate({x})" if x in known else x, f"speed {x}") for x in model.speeds]
        named += [(x, "integral of a law") for x in self.run.integrals]
        units = [*model.coordinate_units, *model.speed_units, *("" for _ in self.run.integrals)]
        start = [*written.q, *written.v, *(0.0 for _ in self.run.integrals)]
        return [
            FmuVariable(name, first + i, "output", "continuous", "exact", float(start[i]), units[i], None, what)
            for i, (name, what) in enumerate(named)
        ]

    def _rates(self) -> list[FmuVariable]:
        first = self.firsts["FIRST_RATE"]
        return [
            FmuVariable(
                f"der({x.name})",
                first + i,
                "local",
                "continuous",
                "calculated",
                unit=rate_unit(x.unit),
                derivative_of=x.reference,
                description=f"rate of {x.name}",
            )
            for i, x in enumerate(self._states())
        ]

    def _held(self) -> list[FmuVariable]:
        """Inputs, what events change, and what stays in a run."""
        run, found = self.run, []
        for i, (name, start) in enumerate(run.variables.items()):
            reference = self.firsts["FIRST_HELD"] + i
            if name in run.discrete:
                x = FmuVariable(name, reference, "output", "discrete", "exact", start, description="changed by events")
            elif name in run.fixed:
                x = FmuVariable(name, reference, "parameter", "fixed", "exact", start)
            else:
                speed = run.inputs.get(name)
                unit = "" if speed is None else self._force_unit(speed)
                what = "variable of laws" if speed is None else f"generalized force along {speed}"
                x = FmuVariable(name, reference, "input", "continuous", "", start, unit, description=what)
            found.append(x)
        return found

    def _outputs(self) -> list[FmuVariable]:
        first = self.firsts["FIRST_OUTPUT"]
        return [
            FmuVariable(self._name(x), first + i, "output", "continuous", "calculated", unit=self._unit(x))
            for i, x in enumerate(self.run.labels)
        ]

    def _name(self, x: ColumnLabel) -> str:
        """position(tip).x, quaternion(tip).w, moment(arm).x, force(arm).x, displacement(boom/end).x, tau(arm.angle)."""
        if x.kind == "tau":
            return force_name(x.name) + (".with_stops" if force_name(x.name) in self.run.inputs else "")
        if x.kind == "wrench":
            kind, _, part = x.part.partition(".")
            return f"{kind}({x.name}).{part}"
        return f"{x.kind}({x.name}).{x.part}"

    def _unit(self, x: ColumnLabel) -> str:
        if x.kind == "tau":
            return self._force_unit(x.name)
        if x.kind == "wrench":
            return "N.m" if x.part.startswith("moment") else "N"
        return {"position": "m", "displacement": "m", "quaternion": "1", "strain": "1"}[x.kind]

    def _force_unit(self, speed: str) -> str:
        unit = self.run.model.speed_units[self.run.model.speeds.index(speed)]
        return {"m/s": "N", "rad/s": "N.m"}.get(unit, "")

    def _numbers(self) -> list[FmuVariable]:
        """Stops and parameters."""
        first = self.firsts["FIRST_NUMBER"]
        return [
            FmuVariable(
                str(x.name) if x.kind == PARAMETER else f"{x.kind}({x.name})",
                first + i,
                "parameter",
                "tunable",
                "exact",
                x.value,
                parameter_unit(str(x.name)) if x.kind == PARAMETER else "",
            )
            for i, x in enumerate(self.run.changeable)
        ]

    def _indicators(self) -> list[FmuVariable]:
        """Event indicators: of events, and two of each stop."""
        parts, first = self.run.parts, self.firsts["FIRST_INDICATOR"]
        names = [x.name for x in parts.events]
        names += [f"{x.coordinate} {side}" for x in parts.stops for side in ("lower", "upper")]
        return [
            FmuVariable(f"indicator({name})", first + i, "local", "continuous", "calculated")
            for i, name in enumerate(names)
        ]

    # ------------------------------------------------------------ dependences

    @property
    def indicators(self) -> list[FmuVariable]:
        """Event indicators."""
        return self.all[self.firsts["FIRST_INDICATOR"] :]

    @property
    def outputs(self) -> list[FmuVariable]:
        """All outputs."""
        return [x for x in self.all if x.causality == "output"]

    @property
    def rates(self) -> list[FmuVariable]:
        """Rates of the states."""
        return [x for x in self.all if x.derivative_of is not None]

    @cached_property
    def dependencies(self) -> dict[int, list[int]]:
        """References of states, inputs and the time that a variable depends on; those not listed depend on all.

        Where stops may hold joints, forces of theirs are between: accelerations and outputs depend on everything.
        """
        parts, firsts, run = self.run.parts, self.firsts, self.run
        leaves: dict[int, Expr] = {0: parts.rates.inputs["t"].flat[0]}
        state = [leaf for key in ("q", "v", "z") if key in parts.rates.inputs for leaf in parts.rates.inputs[key].flat]
        leaves |= {firsts["FIRST_STATE"] + i: leaf for i, leaf in enumerate(state)}
        held = parts.rates.inputs.get("u", np.zeros(0, dtype=object))
        for i, own in enumerate(self.is_input):
            if own:
                leaves[firsts["FIRST_HELD"] + i] = held.flat[i]
        rates = [node for x in parts.rates.outputs.values() for node in x.flat]
        rows = dict(enumerate(rates, start=firsts["FIRST_RATE"]))
        if parts.stops:
            first = firsts["FIRST_RATE"]
            kept = {
                *range(first, first + run.model.nq),
                *range(first + run.model.nq + run.model.nv, first + len(rates)),
            }
            rows = {reference: node for reference, node in rows.items() if reference in kept}
        else:
            rows |= dict(enumerate(parts.columns.outputs["column"].flat, start=firsts["FIRST_OUTPUT"]))
        pattern = sparsity(list(rows.values()), list(leaves.values()), through_steps=True)
        known = list(leaves)
        found = {reference: [known[j] for j in pattern.row(i)] for i, reference in enumerate(rows)}
        found |= {firsts["FIRST_STATE"] + i: [firsts["FIRST_STATE"] + i] for i in range(len(state))}
        return found | {x.reference: [] for x in self.outputs if x.variability == "discrete"}


def rate_unit(unit: str) -> str:
    """The unit of the rate of something: m/s of m, m/s2 of m/s."""
    if not unit or unit == "1":
        return "1/s" if unit else ""
    return f"{unit[:-2]}/s2" if unit.endswith("/s") else f"{unit}/s"


def parameter_unit(name: str) -> str:
    """The unit of a parameter, where its name tells it."""
    return next((unit for form, unit in PARAMETER_UNITS.items() if re.fullmatch(form, name)), "")
