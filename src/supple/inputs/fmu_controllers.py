"""Controllers from other programs: FMUs for co-simulation, stepped at a rate."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from supple.call_checks import checked
from supple.checks import is_number
from supple.errors import FileFormatError, StateError, nearest
from supple.inputs.controllers import require_rate
from supple.inputs.fmu_interface import FmuInterface, InterfaceVariable, read_interface


@checked
class FmuController(Mapping[str, "FmuOutput"]):
    """Generalized forces and variables from an FMU, version 2 or 3, for co-simulation; needs `supple[fmu]` to run.

    At every sample the FMU is stepped from the sample before with its inputs held, its inputs are set to what they are
    now, and its outputs are read and held until the next sample.

    It is a mapping from what it sets to its outputs, so that it stands wherever laws for speeds do: `tau=controller`,
    or `tau={**controller, "hand.angle": 2.0}`.

    Parameters
    ----------
    name : str
        Of the controller.
    file : path-like
        The FMU.
    inputs : mapping of str to number or formula
        What inputs of the FMU are set to: {"measured": "arm.angle", "rate": "rate(arm.angle)"}. Inputs that are not
        named keep their start values.
    outputs : mapping of str to str
        What outputs of the FMU set: a speed, along which it is a generalized force, or a variable of the run, which
        formulas of other laws, wrenches and events can use.
    rate : float
        Samples a second.
    parameters : mapping of str to number, bool or str, optional
        Parameters of the FMU that have other values than it says itself.
    ahead : bool
        Step the FMU over the interval that begins at a sample and apply its outputs from that sample on: for FMUs that
        compute their outputs in a step alone, which would else be one sample late.

    Attributes
    ----------
    interface : FmuInterface
        What the FMU says about itself.
    variables : dict of str to InterfaceVariable
        Those of its variables that are named here.

    Notes
    -----
    The FMU is unpacked to a directory of its own, which is removed with the run, and so is its instance. Its state goes
    into checkpoints and results if it can be saved; a run with an FMU that cannot is not resumed.
    """

    def __init__(
        self,
        name: str,
        file: str | os.PathLike[str],
        inputs: Mapping[str, float | str],
        outputs: Mapping[str, str],
        *,
        rate: float,
        parameters: Mapping[str, float | bool | str] | None = None,
        ahead: bool = False,
    ) -> None:
        if not isinstance(name, str) or not name or "/" in name or "." in name:
            raise StateError(f"controller: name: expected one without '/' and '.', got {name!r}")
        self.name, self.rate, self.ahead = name, rate, bool(ahead)
        if not is_number(rate):
            raise StateError(f"{self.place}: rate: expected a positive number of samples a second, got {rate!r}")
        require_rate(rate, self.place)
        self.inputs = {key: float(x) if is_number(x) else x for key, x in self._named("inputs", inputs).items()}
        self.outputs, self.parameters = self._named("outputs", outputs), self._named("parameters", parameters or {})
        for key, x in self.inputs.items():
            if not isinstance(x, str | float):
                raise StateError(f"{self.place}: inputs: {key!r}: expected a finite number or a formula, got {x!r}")
        targets = [*self.outputs.values()]
        if not targets or not all(isinstance(x, str) for x in targets) or len({*targets}) < len(targets):
            raise StateError(f"{self.place}: outputs: expected different speeds or variables, got {outputs!r}")
        try:
            self.interface = read_interface(Path(file).absolute())
        except FileFormatError as error:
            raise FileFormatError(f"{self.place}: {error}") from None
        groups = {"input": self.inputs, "output": self.outputs, "parameter": self.parameters}
        self.variables = {
            key: self.interface.variable(key, causality, f"{self.place}: {causality}s")
            for causality, names in groups.items()
            for key in names
        }
        for key in (*self.inputs, *self.outputs):
            if not self.variables[key].numeric:
                raise StateError(f"{self.place}: {key!r}: expected one number, got {_sort(self.variables[key])}")
        for key, x in self.parameters.items():
            found = self.variables[key]
            where = f"{self.place}: parameters: {key!r}"
            if not found.scalar or found.kind in ("Binary", "Clock"):
                raise StateError(f"{where}: expected one value, got {_sort(found)}")
            self.parameters[key] = found.value(x, where)

    def _named(self, what: str, given: Any) -> dict[str, Any]:
        if not isinstance(given, Mapping) or not all(isinstance(key, str) for key in given):
            raise StateError(f"{self.place}: {what}: expected a mapping by names of the FMU's variables, got {given!r}")
        return dict(given)

    @property
    def place(self) -> str:
        """First words of messages."""
        return f"controller {self.name!r}"

    @property
    def targets(self) -> tuple[str, ...]:
        """Speeds and variables that it sets."""
        return tuple(self.outputs.values())

    def __getitem__(self, target: str) -> FmuOutput:
        if target not in self.targets:
            raise StateError(f"{self.place}: it does not set {target!r}{nearest(target, self.targets)}")
        return FmuOutput(self, self.targets.index(target))

    def __iter__(self) -> Iterator[str]:
        return iter(self.targets)

    def __len__(self) -> int:
        return len(self.outputs)

    def __repr__(self) -> str:
        x: FmuInterface = self.interface
        return f"FmuController({self.name!r}: {x.file.name}, FMI {x.version}, at {self.rate!r} Hz; {self.digest[:16]})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, FmuController) and self.digest == other.digest

    def __hash__(self) -> int:
        return hash(self.digest)

    @property
    def digest(self) -> str:
        """Of all that it does."""
        parts = (self.name, self.rate, self.ahead, self.inputs, self.outputs, self.parameters, self.interface.digest)
        return hashlib.sha256(repr(parts).encode()).hexdigest()


def _sort(x: InterfaceVariable) -> str:
    return f"a variable of type {x.kind}" if x.scalar else "an array"


@dataclass(frozen=True)
class FmuOutput:
    """One output of an FMU: the law of a speed, or of a variable."""

    controller: FmuController
    index: int

    @property
    def rate(self) -> float:
        """Samples a second."""
        return self.controller.rate
