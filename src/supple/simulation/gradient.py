"""`supple.gradient`: how one number of a motion changes with everything, at the price of a few runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from supple.call_checks import checked
from supple.checks import is_number
from supple.errors import StateError, nearest
from supple.expressions.function import Nodes
from supple.formulations import Formulation, require_formulation
from supple.inputs.controllers import Signal
from supple.inputs.driven import DrivenEquations
from supple.inputs.inputs import Inputs, Laws, Motion
from supple.inputs.run_requirements import require_resolved
from supple.inputs.wrenches import Wrench
from supple.integrators import FixedStep, resolved
from supple.simulation.clocks import jumps_with_time
from supple.simulation.driven_system import DrivenSystem
from supple.simulation.horizon import Horizon
from supple.simulation.methods.fixed_steps import EXPLICIT, ExplicitDriver, step_nodes
from supple.simulation.run import Setting
from supple.simulation.run_checks import require_steps
from supple.simulation.sensitivities.adjoint_kernel import AdjointKernel
from supple.simulation.sensitivities.run_parameters import RunParameters, run_parameters
from supple.simulation.sensitivities.run_tangents import RunTangents
from supple.simulation.sensitivities.sensitive_run import require_differentiable
from supple.simulation.sensitivities.start_tangents import start_tangents
from supple.simulation.start_state import STARTS, Start, Values

Vector = NDArray[np.float64]


class Gradient(NamedTuple):
    """A number of a motion, and its derivatives.

    Attributes
    ----------
    value : float
    by : dict of str to float
        Derivatives by the names of the parameters.
    """

    value: float
    by: dict[str, float]


@checked
def gradient(
    model: Formulation,
    duration: float,
    q: Values | None = None,
    v: Values | None = None,
    tau: Laws = None,
    *,
    by: Sequence[str],
    final: str | None = None,
    running: str | None = None,
    motion: Mapping[str, Motion | Signal] | None = None,
    wrenches: Sequence[Wrench] = (),
    variables: Mapping[str, float] | None = None,
    guess: Mapping[str, float] | None = None,
    start: str = STARTS[0],
    integrator: str = "rk4",
    step: float,
) -> Gradient:
    """The derivatives of one number of a motion by many parameters, in reverse.

    The number is `final` at the end plus the integral of `running` over time. Steps have a fixed length, and the
    derivatives are exactly those of what the steps compute. The cost is that of a few runs, by however many parameters;
    for the derivatives of a whole motion by few parameters see `sensitivities` of `supple.simulate`.

    Parameters
    ----------
    model : Model
    duration : float
        Seconds.
    q, v, tau, motion, wrenches, variables, guess, start
        As for `supple.simulate`.
    by : sequence of str
        Names of parameters, as for its `sensitivities`.
    final : str, optional
        Formula of what counts at the end: "(arm.angle - 1)**2".
    running : str, optional
        Formula of what is integrated over time, by Simpson's rule: "rate(arm.angle)**2".
    integrator : str
        "rk4", "leapfrog" or "semi_implicit_euler".
    step : float
        Length of the steps, s; it is made a little shorter so that an even number of them fills the duration.

    Raises
    ------
    StateError
        If something has no derivative in reverse, by its name: sampled controllers, stops, Python functions, laws
        that jump with the time.

    Examples
    --------
    >>> import supple
    >>> mech = supple.Mechanism("block", gravity=(0, 0, 0))
    >>> mech.add_body("block", supple.RigidBody(2.0), joint=supple.Prismatic("x"))
    >>> found = supple.gradient(
    ...     mech.build(), 1.0, tau={"block.position": 4.0}, by=["block.mass"], final="block.position", step=0.1
    ... )
    >>> round(found.value, 9), round(found.by["block.mass"], 9)
    (1.0, -0.5)
    """
    require_formulation(model, "supple.gradient")
    if final is None and running is None:
        raise StateError("gradient: expected a formula of 'final' or of 'running', got neither")
    options = resolved(integrator, None, None, step)
    if not isinstance(options, FixedStep):
        names = ", ".join(EXPLICIT)
        raise StateError(f"gradient: expected one of {names}, got {integrator!r}{nearest(integrator, EXPLICIT)}")
    if not (is_number(duration) and duration > 0):
        raise StateError(f"duration: expected a positive number, got {duration!r}")
    if model.description.limits:
        raise StateError("gradient: the model has stops, behind which no way leads back; use sensitivities of a run")
    own = model.floating_frames("a gradient")
    inputs = Inputs(own, tau, motion, variables, False, wrenches)
    if inputs.sample_rates:
        raise StateError("gradient: sampled controllers have no derivatives in reverse; use sensitivities of a run")
    begin = Start(q, v, guess, start)
    system = DrivenSystem(own, inputs, *begin.open_state(own))
    if jumps_with_time(system):
        raise StateError("gradient: a law jumps with the time; use simulate(sensitivities=...)")
    require_steps(system, options)
    require_differentiable(own, Setting((), (), Horizon(duration), options), system)
    at = begin.state(system, *begin.open_state(own))
    if not len(by):
        raise StateError("gradient: by: expected one parameter or more, got none")
    parameters = run_parameters(own, inputs, (), at, by)
    tangents = start_tangents(RunTangents(parameters), parameters, system, begin, *at)
    sweep = _Reverse(system, parameters, options, duration, final, running)
    value, by_y, by_u, by_numbers = sweep.run(np.concatenate([*system.start_state(*at), system.z_0]))
    total = by_y[: len(tangents)] @ tangents + by_u @ parameters.u + by_numbers @ sweep.slopes
    return Gradient(value, dict(zip(parameters.names, (total / parameters.scales).tolist(), strict=True)))


class _Reverse:
    """Fixed steps forward, and back.

    States are kept at every k-th of N steps, k about sqrt(N), and found again in between: memory grows as sqrt(N).
    """

    def __init__(
        self,
        system: DrivenSystem,
        parameters: RunParameters,
        options: FixedStep,
        duration: float,
        final: str | None,
        running: str | None,
    ) -> None:
        self._system, directions = system, parameters.directions
        require_resolved(duration, options.step)
        self.steps = 2 * max(1, int(np.ceil(duration / options.step / 2 - 1e-9)))
        self._h, self._u = duration / self.steps, system.u_0.copy()
        self._forward = ExplicitDriver(system, options)
        assert self._forward.kernel is not None
        name = options.name

        def stepped(e: DrivenEquations) -> Nodes:
            return step_nodes(e, name)

        self._back = AdjointKernel(system, directions, f"step {name}", stepped, system.size, ("h",))
        self._costs = {
            key: self._cost(directions, key, text) for key, text in (("final", final), ("running", running)) if text
        }
        self.slopes = self._back.slopes

    def _cost(self, directions: Any, key: str, text: str) -> AdjointKernel:
        names = [*self._system.model.coordinates, *self._system.model.speeds, *self._system.inputs.held]

        def formula(e: DrivenEquations) -> Nodes:
            return np.array([e.settled().formula(text, f"gradient: {key}")], dtype=object)

        return AdjointKernel(self._system, directions, f"{key} {text!r} of {names!r}", formula, 1)

    def _weight(self, n: int) -> float:
        """Of the n-th state in Simpson's rule."""
        if n in (0, self.steps):
            return self._h / 3
        return self._h * (4 if n % 2 else 2) / 3

    def _held(self, n: int) -> Vector:
        """Held values from the n-th state on."""
        if self._system.inputs.tables:
            self._u = self._system.u_0.copy()
            self._system.inputs.turn(n * self._h * (1 + 1e-12), self._u)
        return self._u

    def _states(self, first: int, y: Vector, count: int) -> list[Vector]:
        """So many states from one on."""
        out, kernel, h = [y], self._forward.kernel, np.array([self._h])
        assert kernel is not None
        for n in range(first, first + count):
            out.append(kernel(np.array([n * self._h]), out[-1], self._held(n), h))
        if not np.isfinite(out[-1]).all():
            raise StateError(
                f"gradient: the motion is no longer finite at t = {(first + count) * self._h:.6g} s: expected shorter "
                f"steps than {self._h:.3g} s"
            )
        return out

    def run(self, y: Vector) -> tuple[float, Vector, Vector, Vector]:
        """The number, and its derivatives by the start (n,), held values (k,) and numbers that move (m,)."""
        part = max(1, int(np.sqrt(self.steps)))
        starts = list(range(0, self.steps, part))
        kept = [y]
        for n in starts[:-1]:
            kept.append(self._states(n, kept[-1], part)[-1])
        value, by_y = 0.0, np.zeros(len(y))
        by_u, by_numbers = np.zeros(len(self._system.u_0)), np.zeros(len(self.slopes))

        def add(key: str, n: int, state: Vector, weight: float) -> None:
            nonlocal value, by_y, by_u, by_numbers
            if key in self._costs:
                x, y_part, u_part, p_part = self._costs[key](n * self._h, state, self._held(n), np.array([weight]))
                value, by_y = value + x, by_y + y_part
                by_u += u_part
                by_numbers += p_part

        h = np.array([self._h])
        for first, begin in zip(reversed(starts), reversed(kept), strict=True):
            states = self._states(first, begin, min(part, self.steps - first))
            if first == starts[-1]:
                add("final", self.steps, states[-1], 1.0)
                add("running", self.steps, states[-1], self._weight(self.steps))
            for n in range(first + len(states) - 2, first - 1, -1):
                state = states[n - first]
                _, y_part, u_part, p_part = self._back(n * self._h, state, self._held(n), by_y, h)
                by_y = y_part.copy()
                by_u += u_part
                by_numbers += p_part
                add("running", n, state, self._weight(n))
        return value, by_y, by_u, by_numbers
