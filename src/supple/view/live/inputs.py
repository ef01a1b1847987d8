"""The inputs of a run with what a reader can change by hand made variables: forces, set points, the file's own.

Variables are numbers that machine code loads, so nothing is compiled when a hand moves one. A constant force becomes a
variable; to every other law a variable is added, zero until it is moved. The target of a controller becomes a variable
if it is a number; to a formula or a table one is added.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from supple.checks import Floats, is_number
from supple.formulations import Formulation
from supple.inputs.controllers import PID
from supple.inputs.inputs import Inputs, Laws
from supple.model.arguments import named_vector

TARGET = ".target"
"""What a set point's name has behind that of its speed."""


@dataclass(frozen=True)
class SetPoint:
    """The target of a controller: its speed, the variable that moves it, and whether that is added to it."""

    speed: str
    variable: str
    added: bool


class AdjustableInputs:
    """Laws of a run, rewritten for a hand.

    Parameters
    ----------
    model : Model
    tau, motion, variables : optional
        As for `supple.simulate`.

    Attributes
    ----------
    tau : dict, function or None
        What is left of the laws; forces that were numbers are variables now.
    variables : dict of str to float
        All variables, the file's own first.
    own : tuple of str
        Those of the file, but for what prescribed positions and velocities would jump with.
    prescribed : frozenset of str
        Speeds whose motion is prescribed.
    forces : dict of str to str
        Speeds whose motion is not prescribed, and the variable of the force that is added there.
    targets : dict of str to SetPoint
        By name, "arm.angle.target".
    """

    def __init__(
        self,
        model: Formulation,
        tau: Laws = None,
        motion: Mapping[str, Any] | None = None,
        variables: Mapping[str, float] | None = None,
    ) -> None:
        self.model = model
        held = Inputs(model, motion=motion, variables=variables).fixed_variables
        self.own = tuple(name for name in variables or {} if name not in held)
        self.prescribed = frozenset(motion or {})
        self.variables = {name: float(x) for name, x in (variables or {}).items()}
        laws: Any = tau
        if tau is not None and not callable(tau) and not isinstance(tau, Mapping) and not hasattr(tau, "rate"):
            laws = dict(zip(model.speeds, named_vector(model.speeds, tau, "tau").tolist(), strict=True))
        given = dict(laws) if isinstance(laws, Mapping) else {}
        self.forces: dict[str, str] = {}
        self.targets: dict[str, SetPoint] = {}
        for i, speed in enumerate(model.speeds, start=1):
            if speed in self.prescribed:
                continue
            law = given.get(speed, 0.0)
            number = is_number(law)
            self.forces[speed] = self._variable(f"force{i}", float(law) if number else 0.0)
            if number:
                given.pop(speed, None)
            elif isinstance(law, PID):
                given[speed] = self._steered(speed, i, law)
        self.tau: Any = given if laws is None or isinstance(laws, Mapping) else laws

    def _variable(self, name: str, value: float) -> str:
        """A new variable, with a name that nothing else has."""
        while name in self.variables or name in (*self.model.coordinates, *self.model.speeds):
            name += "_"
        self.variables[name] = value
        return name

    def _steered(self, speed: str, i: int, law: PID) -> PID:
        """The controller with its target, or what is added to it, as a variable; its own offset, if any, stays."""
        fixed = is_number(law.target)
        name = self._variable(f"target{i}", float(law.target) if fixed else 0.0)  # type: ignore[arg-type]
        self.targets[speed + TARGET] = SetPoint(speed, name, not fixed)
        if fixed:
            return replace(law, target=name)
        return replace(law, offset=name if law.offset == 0.0 else f"({law.offset}) + {name}")

    @property
    def added(self) -> dict[str, str]:
        """Forces beside those of the laws, for `supple.Simulator`."""
        return dict(self.forces)

    def forced(self, forces: Mapping[str, float], pull: Floats | None = None) -> dict[str, float]:
        """Variables of the forces of sliders, by speed, with generalized forces (nv,) on top."""
        more = np.zeros(self.model.nv) if pull is None else pull
        places = {speed: i for i, speed in enumerate(self.model.speeds)}
        return {x: forces.get(speed, 0.0) + float(more[places[speed]]) for speed, x in self.forces.items()}

    def joint_speeds(self) -> Sequence[str]:
        """Speeds of joints, not of modes, that forces can be set for."""
        modal = dict(zip(self.model.speeds, self.model.is_mode.tolist(), strict=True))
        return [speed for speed in self.forces if not modal[speed]]
