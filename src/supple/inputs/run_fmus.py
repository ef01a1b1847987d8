"""The FMUs of a run: where their outputs and inputs stand among the held values, and their instances."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supple.expressions.graph import Expr
from supple.inputs.fmu_controllers import FmuController, FmuOutput
from supple.inputs.fmu_instances import FmuInstance
from supple.inputs.quantities import Quantities

Vector = NDArray[np.float64]
Answer = Callable[[float, Sequence[float]], list[float]]


class RunFmus:
    """FMUs by controller; of each, first its outputs and then its inputs are held values.

    Parameters
    ----------
    places : mapping of FmuController to int
        Where the held values of each begin.
    variables : mapping of int to FmuOutput
        Outputs that set variables of the run, by the places of these.
    """

    def __init__(self, places: Mapping[FmuController, int], variables: Mapping[int, FmuOutput]) -> None:
        self._places, self._variables = dict(places), dict(variables)
        self._instances: dict[FmuController, FmuInstance] = {}

    def __iter__(self) -> Iterator[FmuController]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)

    # ------------------------------------------------------------ equations

    def output(self, at: Quantities, law: FmuOutput) -> Expr:
        """What an output is held at."""
        node: Expr = at.u[self._places[law.controller] + law.index]
        return node

    def measured(self, at: Quantities, ticks: dict[float, dict[int, Expr]]) -> None:
        """Add what the inputs become at the ticks of their clocks."""
        for controller, first in self._places.items():
            for i, (name, x) in enumerate(controller.inputs.items(), start=first + len(controller.outputs)):
                node = at.formula(x, f"{controller.place}: inputs: {name!r}")
                ticks.setdefault(float(controller.rate), {})[i] = node

    # ------------------------------------------------------------ running

    def begin(self, t: float, u: Vector) -> None:
        """Start all of them anew at a time, with inputs that are in u; their outputs go there too."""
        for controller in self:
            instance = self._instances.setdefault(controller, FmuInstance(controller))
            self._exchange(controller, instance.begin, t, u)

    def tick(self, rate: float, t: float, u: Vector) -> None:
        """Step those of one clock, with inputs that are in u; their outputs go there too."""
        for controller in self:
            if controller.rate == rate:
                self._exchange(controller, self._instances[controller].tick, t, u)

    def _exchange(self, controller: FmuController, ask: Answer, t: float, u: Vector) -> None:
        """What an FMU makes of its inputs; variables that it sets are changed."""
        first = self._places[controller]
        middle = first + len(controller.outputs)
        u[first:middle] = ask(t, u[middle : middle + len(controller.inputs)].tolist())
        for place, law in self._variables.items():
            if law.controller == controller:
                u[place] = u[first + law.index]

    def close(self) -> None:
        """End all of them, and remove what was unpacked."""
        for x in self._instances.values():
            x.close()

    def saved(self) -> dict[str, Any]:
        """Their states by the names of controllers, as texts and numbers."""
        return {controller.name: x.saved() for controller, x in self._instances.items()}

    def restore(self, saved: Mapping[str, Any]) -> None:
        """Take states that were saved."""
        for controller, x in self._instances.items():
            x.restore(saved.get(controller.name))
