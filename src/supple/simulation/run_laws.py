"""What acts in a run, to first order about its start or another state: for linear models of what a file describes.

Formulas, controllers and wrenches are differentiated exactly, from the equations of the laws. Not to first order are
outputs that clocks hold, and Python functions and FMUs, which are asked for numbers; they are constant then.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any
from weakref import finalize

import numpy as np
from numpy.typing import NDArray

from supple.formulations import Formulation
from supple.inputs.inputs import Inputs
from supple.inputs.run_requirements import stops_of_run
from supple.linear.acting_laws import ActingLaws
from supple.linear.vibration import Modes, modes
from supple.model.arguments import named_vector
from supple.simulation.balanced_start import law_forces
from supple.simulation.driven_system import DrivenSystem
from supple.simulation.start_state import Start

Vector = NDArray[np.float64]
LAWS = ("tau", "motion", "variables", "wrenches")
STARTS = {"q": "q", "v": "v", "guess": "guess", "start": "kind"}


def start_modes(model: Formulation, arguments: Mapping[str, Any]) -> Modes:
    """Return the modes about the start of a run, given by arguments of `supple.simulate`, under its laws."""
    run, turning = resting(model, arguments)
    return modes(model, run.q, run.v, fixed=turning, laws=run.at(run.q, run.v))


def resting(model: Formulation, arguments: Mapping[str, Any]) -> tuple[RunLaws, list[str]]:
    """Return a run that starts at rest, unless it starts in steady rotation, and the speeds that turn in that."""
    v = arguments.get("v")
    if v is not None and arguments.get("start") == "steady":
        turning = [name for name, x in zip(model.speeds, named_vector(model.speeds, v, "v"), strict=True) if x]
        if turning:
            return RunLaws(model, arguments), turning
    return RunLaws(model, {name: x for name, x in arguments.items() if name != "v"}), []


class RunLaws:
    """The start of a run and its laws at time 0.

    Parameters
    ----------
    model : Formulation
    arguments : mapping of str to anything
        Keyword arguments of `supple.simulate`; those of the start and the laws are used.

    Attributes
    ----------
    q, v : (nq,), (nv,) arrays
        The state at the start, loops closed.
    """

    def __init__(self, model: Formulation, arguments: Mapping[str, Any]) -> None:
        self.model = model
        self._inputs = Inputs(model, **{key: arguments[key] for key in LAWS if key in arguments})
        start = Start(**{own: arguments[key] for key, own in STARTS.items() if key in arguments})
        start = start.bounded(model, stops_of_run(model, arguments.get("limits", ())))
        q, v = start.open_state(model)
        self._system = DrivenSystem(model, self._inputs, q, v)
        self.q, self.v = start.state(self._system, q, v)
        finalize(self, self._inputs.fmus.close)

    @property
    def prescribed(self) -> tuple[str, ...]:
        """Names of speeds whose motion is prescribed."""
        return tuple(np.array(self.model.speeds)[self._system.prescribed].tolist())

    @property
    def forces(self) -> Callable[[Vector], Vector] | None:
        """Generalized forces at rest as a function of the coordinates; None if nothing acts."""
        return law_forces(self._system, np.zeros(self.model.nv))

    def at(self, q: Vector, v: Vector) -> ActingLaws:
        """Return the laws to first order about a state."""
        s, nq, nv = self._system, self.model.nq, self.model.nv
        if not self._inputs.acting:
            return ActingLaws.none(self.model)
        y, u = np.concatenate([q, v, s.z_0]), s.u_0.copy()
        s.begin(0.0, y, u)
        values, slopes = s.laws_slopes(np.zeros(1), y, u)
        drive, rates = (np.asarray(x.toarray()) for x in (slopes[nq + nv : nq + 2 * nv], slopes[nq + 2 * nv :]))
        drive[s.prescribed] = 0.0  # accelerations, of speeds that do not change
        force = np.where(s.prescribed, 0.0, values[nq + nv : nq + 2 * nv])
        states, n = tuple(self._inputs.integrals[: len(rates)]), nq + nv
        columns = (slice(0, nq), slice(nq, n), slice(n, n + len(states)))
        return ActingLaws(
            self.prescribed, states, force, *(drive[:, c] for c in columns), *(rates[:, c] for c in columns)
        )

    def constant(self) -> Iterator[str]:
        """Yield the names of laws that are not to first order in `at`."""
        x = self._inputs
        for i in x.laws:
            if i in x.called_functions:
                yield f"{x.law_name(i)} (a Python function)"
        if x.whole_is_called:
            yield "tau (a Python function)"
        if x.sample_rates:
            rates = ", ".join(f"{rate:g}" for rate in x.sample_rates)
            yield f"outputs of controllers and FMUs sampled at {rates} Hz"
