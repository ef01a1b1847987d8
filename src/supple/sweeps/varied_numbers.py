"""What varied paths change in a model: which of its parameters, and by how much.

A path of a model file leads to parameters of the model by whatever the file makes of it: a mass to itself, a modulus of
elasticity to the stiffness of modes. Where that is all that it changes, the chain rule has derivatives of a motion by
the path; where shapes, settings or laws change too, only runs with other values have.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from supple.checks import Floats
from supple.errors import StateError, SuppleError
from supple.files.changes import value_at
from supple.formulations import Formulation
from supple.inputs.inputs import Inputs
from supple.inputs.lifted_laws import law_numbers
from supple.model.model import Model
from supple.model.parameters import parameter_values
from supple.model.structural_slopes import LISTS, structural_parameters
from supple.recursions.tree import Flex
from supple.structures.body.flexible_body import FlexibleBody
from supple.sweeps.case_sources import CaseSource, FileCases, ModelCases

STEP = 1e-4
"""Relative change of a value by which the parameters that follow from it are differentiated."""
ROUNDING = 1e-9
"""Numbers that differ by less, against the largest of their array, are equal."""
OWN = (
    *("stiffness", "rest", "damping", "joint_inertia", "gravity", "position", "pitch"),
    *("spring_constants", "wrench_value", "frame position"),
)
"""Arrays whose entries are parameters themselves."""
OF_BODIES = ("mass", "moment", "inertia")
"""Arrays whose rows follow from parameters, for rigid bodies."""

FLEXIBLE = (*Flex._fields, "frame node_position", "frame shape")
"""Arrays that flexible bodies make."""


@dataclass(frozen=True, eq=False)
class NumberSlopes:
    """Parameters of a run that varied paths change.

    Attributes
    ----------
    parameters : tuple of str
        As `supple.simulate(sensitivities=...)` takes them.
    slopes : (parameters, paths) array
        Their derivatives.
    exact : (paths,) array of bool
        Paths that change nothing else.
    """

    parameters: tuple[str, ...]
    slopes: Floats
    exact: np.ndarray[Any, np.dtype[np.bool_]]


class VariedNumbers:
    """Derivatives of the parameters of a model by varied paths.

    Parameters
    ----------
    source : CaseSource
    paths : sequence of str
    """

    def __init__(self, source: CaseSource, paths: Sequence[str]) -> None:
        self.source, self.paths = source, tuple(paths)
        self._same: dict[str, str] = {}
        """Paths that are a parameter, once that is known."""

    def slopes(self, model: Formulation, settings: Mapping[str, Any], values: Mapping[str, float]) -> NumberSlopes:
        """At values of the paths, of which the model and the settings of the run are these."""
        found = [self._slope(path, model, settings, values) for path in self.paths]
        names = tuple(dict.fromkeys(name for x in found for name in x or {}))
        table = np.array([[(x or {}).get(name, 0.0) for x in found] for name in names], dtype=float)
        exact = np.array([x is not None for x in found], dtype=bool)
        return NumberSlopes(names, table.reshape(len(names), len(found)), exact)

    def _slope(
        self, path: str, model: Formulation, settings: Mapping[str, Any], values: Mapping[str, float]
    ) -> dict[str, float] | None:
        """Derivatives of parameters by one path, by name; None where it changes other things too."""
        table, _, name = path.partition(".")
        if table == "simulation" and name[:2] in ("q.", "v."):
            return {name: 1.0}
        if table == "variables":
            return {name: 1.0}
        if table == "simulation" or not isinstance(model, Model):
            return None
        if isinstance(self.source, ModelCases):
            return {path: 1.0}
        if table == "actuator" and name in _law_numbers(model, settings):
            return {name: 1.0}
        if path in self._same:
            return {self._same[path]: 1.0}
        found = self._differences(path, model, settings, values)
        if found is not None and len(found) == 1:
            ((only, slope),) = found.items()
            if abs(slope - 1.0) < ROUNDING:
                self._same[path] = only
        return found

    def _differences(
        self, path: str, model: Model, settings: Mapping[str, Any], values: Mapping[str, float]
    ) -> dict[str, float] | None:
        x = values[path]
        step = STEP * (abs(x) or 1.0)
        try:
            ends = [self.source.made({**values, path: x + sign * step}) for sign in (1.0, -1.0)]
        except SuppleError:
            return None
        if not all(isinstance(other, Model) and _same_settings(settings, run) for other, run in ends):
            return None
        models = [other for other, _ in ends if isinstance(other, Model)]
        if all(_explained(model, other) for other in models):
            upper, lower = (parameter_values(other) for other in models)
        elif all(_explained(model, other, of_flexible=False) for other in models):
            upper, lower = (_with_structures(other) for other in models)
        else:
            return None
        if upper.keys() != lower.keys():
            return None
        sizes = {name: max(abs(y), abs(lower[name])) for name, y in upper.items()}
        return {
            name: (y - lower[name]) / (2 * step)
            for name, y in upper.items()
            if abs(y - lower[name]) > ROUNDING * STEP * sizes[name]
        }


def _law_numbers(model: Model, settings: Mapping[str, Any]) -> dict[str, float]:
    """Numbers of the laws of a run, by name: "arm.angle.kp"."""
    motion, variables = settings.get("motion"), settings.get("variables")
    return law_numbers(
        model, Inputs(model, settings.get("tau"), motion, variables, False, settings.get("wrenches", ()))
    )


def _with_structures(model: Model) -> dict[str, float]:
    """Parameters of a model, with those of structures that flexible bodies were made of instead of those of modes."""
    modes = {name for name, mode in zip(model.speeds, model.is_mode, strict=True) if mode}
    own = {name: x for name, x in parameter_values(model).items() if name.rpartition(".")[0] not in modes}
    return own | {name: x for name, (x, bodies, _) in structural_parameters(model).items() if bodies == (_body(name),)}


def _body(name: str) -> str:
    return name.rpartition(".")[0]


def _explained(model: Model, other: Model, of_flexible: bool = True) -> bool:
    """Whether two models differ in parameters alone; what flexible bodies are made of is looked at or not."""
    if (model.bodies, model.speeds, model.coordinates) != (other.bodies, other.speeds, other.coordinates):
        return False
    bodies = model.description.bodies.values()
    rigid = np.array([True, *(not isinstance(x.body, FlexibleBody) for x in bodies)])
    first, second = _dense(model.arrays()), _dense(other.arrays())
    for name, x in first.items():
        y = second[name]
        if not of_flexible and name in FLEXIBLE:
            continue
        if name in OWN or name.endswith(": mass, com, inertia"):
            continue
        if x.shape != y.shape:
            return False
        if name in OF_BODIES and of_flexible:
            x, y = x[~rigid], y[~rigid]
        elif name in OF_BODIES:
            continue
        if x.dtype.kind != "f":
            if not np.array_equal(x, y):
                return False
        elif np.abs(x - y).max(initial=0.0) > ROUNDING * np.abs(x).max(initial=0.0):
            return False
    return True


def _dense(arrays: Mapping[str, Any]) -> dict[str, Any]:
    """Arrays with zeros written out: which entries of sparse ones are there may depend on rounding."""
    out = dict(arrays)
    for name, (other, values) in LISTS.items():
        if f"{name}_first" in out:
            first, place = out.pop(f"{name}_first"), out.pop(f"{name}_{other}")
            rows = np.repeat(np.arange(len(first) - 1), np.diff(first))
            for value in (f"{name}_{x}" for x in values):
                x = out[value]
                out[value] = np.zeros((len(first) - 1, len(first), *x.shape[1:]))
                out[value][rows, place] = x
    return out


def _same_settings(settings: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Whether two runs have the same settings; what cannot be compared differs."""
    return settings.keys() == other.keys() and all(_equal(x, other[key]) for key, x in settings.items())


def _equal(x: Any, y: Any) -> bool:
    if isinstance(x, np.ndarray) or isinstance(y, np.ndarray):
        return bool(np.array_equal(x, y))
    if isinstance(x, Mapping) and isinstance(y, Mapping):
        return x.keys() == y.keys() and all(_equal(value, y[key]) for key, value in x.items())
    if isinstance(x, list | tuple) and isinstance(y, list | tuple):
        return len(x) == len(y) and all(map(_equal, x, y))
    return bool(x == y) or repr(x) == repr(y)


def present_value(source: CaseSource, path: str) -> Any:
    """What a file or a model has at a path; None if nothing."""
    if isinstance(source, FileCases):
        return value_at(source.content(), path, Path(source.path))
    if not isinstance(source, ModelCases):
        return None
    table, _, name = path.partition(".")
    if table == "simulation" and name[:2] in ("q.", "v."):
        return _start_value(source, *name.split(".", 1))
    if table == "simulation":
        return source.settings.get(name)
    if table == "variables":
        return (source.settings.get("variables") or {}).get(name)
    return parameter_values(source.model.mechanism_model()).get(path)


def _start_value(source: ModelCases, key: str, name: str) -> Any:
    given, model = source.settings.get(key), source.model
    if isinstance(given, Mapping) and name in given:
        return given[name]
    if given is None or isinstance(given, Mapping):
        given = model.neutral() if key == "q" else np.zeros(model.nv)
    return np.asarray(given)[model.coordinate_index(name) if key == "q" else model.speed_index(name)]


def start_values(source: CaseSource, paths: Sequence[str], known: Mapping[str, Any], where: str) -> Floats:
    """Numbers at which paths start: those that are given, else those of the file or model.

    Parameters
    ----------
    source : CaseSource
    paths : sequence of str
    known : mapping of path to number
    where : str
        For messages.
    """
    out = []
    for path in paths:
        x = known.get(path)
        if x is None:
            x = present_value(source, path)
        if isinstance(x, bool) or not isinstance(x, int | float | np.number) or not np.isfinite(x):
            raise StateError(
                f"{where}: {path!r}: expected a number to start from, got {x!r}; give one: {{{path!r}: 1.0}}"
            )
        out.append(float(x))
    return np.array(out)
