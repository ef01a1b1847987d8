"""Which integrator a run takes: the one asked for, or one chosen from the fastest motion of the system."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from supple.inputs.run_requirements import require_resolved
from supple.integrators import (
    CVODE,
    DOP853,
    ESDIRK54,
    IDA,
    RTOL,
    Adaptive,
    Auto,
    CustomSolver,
    FixedStep,
    GeneralizedAlpha,
    Integrator,
    Radau,
    Stepped,
    Variational,
)
from supple.simulation.clocks import Clocks
from supple.simulation.driven_system import DrivenSystem
from supple.simulation.horizon import Horizon
from supple.simulation.methods.dop853 import NativeDOP853
from supple.simulation.methods.esdirk import ImplicitRungeKutta
from supple.simulation.methods.fixed_steps import ExplicitDriver
from supple.simulation.methods.generalized_alpha import ImplicitDriver
from supple.simulation.methods.index3 import ClosedIDA
from supple.simulation.methods.scipy_solvers import ScipySolver, solver_class
from supple.simulation.methods.segment import Method
from supple.simulation.methods.sundials import Sundials
from supple.simulation.methods.tolerances import Tolerances, extent, state_scale
from supple.simulation.methods.variational import VariationalDriver
from supple.simulation.trial_runs import SHARE, compared

Vector = NDArray[np.float64]
FEW = 100.0
"""Radians or decays of the fastest motion in a run, ten times which explicit steps pass whatever they cost."""
STABLE = 6.0
"""Longest step of DOP853 times the size of any eigenvalue in the left half plane."""
RESOLVED = 4.24
"""Length of a step of DOP853 that resolves a vibration, times its frequency, over rtol^(1/8): of an oscillator."""
PATIENCE = 60.0
"""Seconds that explicit steps may take, by a rough guess, before scipy's implicit ones are chosen."""
MANY, SOON = 20_000, 10.0
"""Steps of DOP853, or seconds of them by a rough guess, beyond which trial runs are made."""
STIFF_RTOL = 1e-6
"""Relative tolerance of such runs, if none is given: all vibrations to 1e-8 would take most of the time."""
LONGEST_TRIAL, LEAST_TRIAL = 1.0, 5_000.0
"""Seconds, by a rough guess, that a trial may take; evaluations that it may take in any case."""
TRIAL = 100
"""Steps of DOP853 to which the first span of a trial run is equal."""
BY_SWEEPS = 8.0
"""Evaluations in blocks that a Newton iteration costs which is called back, as those of closed loops."""
DENSE = 300
"""Size of a state up to which all eigenvalues are found."""


@dataclass(frozen=True)
class Choice:
    """An integrator with its options, and why it was taken."""

    options: Adaptive | Stepped
    reason: str

    @property
    def asks_for_rates(self) -> bool:
        """Whether it asks for the rates of many states, so that code of their own is made for them."""
        return not isinstance(self.options, GeneralizedAlpha | Variational | ESDIRK54)

    def method(self, system: DrivenSystem, native: bool, y: Vector, u: Vector) -> Method:
        """The integrator for a system; native loops only where nothing asks for Python."""
        options = self.options
        if isinstance(options, GeneralizedAlpha):
            return ImplicitDriver(system, options, y, u)
        if isinstance(options, Variational):
            return VariationalDriver(system, options, y, u)
        if isinstance(options, FixedStep):
            return ExplicitDriver(system, options)
        tolerances = Tolerances(system, options.rtol, options.atol, options.name)
        if isinstance(options, ESDIRK54):
            return ImplicitRungeKutta(system, tolerances, y, u)
        if isinstance(options, DOP853) and native and system.engine == "blocks":
            return NativeDOP853(system, tolerances)
        if isinstance(options, IDA) and system.model.loops is not None:
            return ClosedIDA(system, tolerances)
        if isinstance(options, CVODE | IDA):
            return Sundials(system, options.name, tolerances)
        solver = options.solver if isinstance(options, CustomSolver) else solver_class(options.name)
        return ScipySolver(system, solver, tolerances)


def choose(wanted: Integrator, system: DrivenSystem, y: Vector, u: Vector, horizon: Horizon) -> Choice:
    """The integrator asked for, or the best for this system where `Auto` was asked for."""
    if isinstance(wanted, Stepped):
        require_resolved(horizon.duration, wanted.step)
    if not isinstance(wanted, Auto):
        return Choice(wanted, "as asked")
    duration = horizon.duration
    fastest = fastest_motion(system, y, u)
    if abs(fastest) * duration > FEW:  # else it is not stiff ten times over
        fastest = max([fastest, *(fastest_motion(system, x, u) for x in _configurations(system, y))], key=abs)
    size = abs(fastest)
    tolerances = RTOL if wanted.rtol is None else wanted.rtol, wanted.atol
    if size * duration < 10 * FEW:
        return Choice(DOP853(*tolerances), "nothing is stiff: adaptive explicit steps of order 8")
    vibrates = abs(fastest.imag) > abs(fastest.real)
    what = f"fastest vibration {size / (2 * np.pi):.4g} Hz" if vibrates else f"fastest decay {size:.3g} 1/s"
    steps = size * duration / STABLE
    seconds = 13 * steps * system.evaluation_seconds
    if steps <= MANY and seconds <= SOON:
        return Choice(DOP853(*tolerances), _explicit_reason(what, steps, vibrates, tolerances[0]))
    if not system.implicit_stages:
        return _without_trial(what, DOP853(*tolerances), steps, vibrates, vibrates or seconds <= PATIENCE)
    if wanted.rtol is None and wanted.atol is None:
        tolerances = STIFF_RTOL, None
    span = TRIAL * STABLE / size
    until = min(duration, Clocks(system, 0.0, horizon).next_jump(0.0, u, duration))
    budget = min(SHARE * 13 * steps, LONGEST_TRIAL / system.evaluation_seconds)
    return _by_trial(what, system, y, u, tolerances, (span, until, max(budget, LEAST_TRIAL)))


def _explicit_reason(what: str, steps: float, vibrates: bool, rtol: float) -> str:
    """Why explicit steps are taken, and how many that will be: for a vibration, as far as it is excited."""
    if not vibrates:
        return f"{what}: explicit steps follow it in about {steps:,.0f} steps"
    resolved = steps * STABLE / (RESOLVED * rtol**0.125)
    return f"{what}: explicit steps take about {steps:,.0f} steps, and where it is excited up to {resolved:,.0f}"


def _without_trial(what: str, explicit: DOP853, steps: float, vibrates: bool, best: bool) -> Choice:
    """The integrator for a system whose implicit steps the recursions do not solve."""
    if best:
        return Choice(explicit, _explicit_reason(what, steps, vibrates, explicit.rtol))
    reason = f"{what}: too fast for explicit steps, and damped: implicit of order 5"
    return Choice(Radau(explicit.rtol, explicit.atol), reason)


def _by_trial(
    what: str,
    system: DrivenSystem,
    y: Vector,
    u: Vector,
    tolerances: tuple[float, float | None],
    limits: tuple[float, float, float],
) -> Choice:
    """Explicit or implicit steps, whichever cost less in a trial run within some limits: see `compared`."""
    choices = [Choice(kind(*tolerances), "") for kind in (DOP853, ESDIRK54)]
    explicit, implicit = (x.method(system, True, y, u) for x in choices)
    alike = system.engine != "blocks" or (system.model.implicit_blocks and system.model.loops is None)
    found = compared(explicit, implicit, y, u, *limits, weight=1.0 if alike else BY_SWEEPS)
    why = (
        f"{what}: at rtol {tolerances[0]:g} a second of motion costs {found.explicit:,.0f} evaluations with explicit "
        f"steps, {found.implicit:,.0f} with implicit ones after {found.t:.2g} s of trial"
    )
    if found.implicit < found.explicit:
        return Choice(choices[1].options, f"{why}: implicit steps of order 5")
    return Choice(choices[0].options, f"{why}: explicit steps of order 8")


def _configurations(system: DrivenSystem, y: Vector) -> list[Vector]:
    """Two configurations near the start, undeformed and at rest: frequencies change with the configuration.

    Joints are turned by up to 1 rad and moved by up to a tenth of the size of the motion or of the mechanism, so that a
    law is not asked where the motion does not come to.
    """
    model, nq = system.model, system.nq
    found = list[Vector]()
    if model.loops is not None:
        return found  # they would have to be assembled
    straight = np.array([unit == "m/s" for unit in model.speed_units])
    far = max((abs(x) for x, unit in zip(y[:nq], model.coordinate_units, strict=True) if unit == "m"), default=0.0)
    by = np.where(straight, 0.1 * max(extent(model), far), 1.0)
    for number in range(2):
        change = by * np.random.default_rng(number).uniform(-1.0, 1.0, model.nv)
        change[model.is_mode] = 0.0
        q = model.integrate(y[:nq], change, 1.0)
        for i in np.flatnonzero(model.is_mode):
            q[model.q_of_speed[i]] = 0.0
        other = y.copy()
        other[:nq], other[nq:] = q, 0.0
        found.append(other)
    return found


def fastest_motion(system: DrivenSystem, y: Vector, u: Vector) -> complex:
    """The largest eigenvalue of the linearized system at a state, from differences of its rates."""
    n = system.size
    if not n:
        return 0j
    y, u = y.copy(), u.copy()
    rate = system.rate(0.0, y, u)
    scale = np.maximum(np.abs(y), 1e-3 * state_scale(system))

    def slope(x: Vector) -> Vector:
        x = np.ravel(x)
        h = 1e-7 / max(np.abs(x / scale).max(), 1e-300)
        return (system.rate(0.0, y + h * x, u) - rate) / h

    if n <= DENSE:
        h = 1e-7 * scale
        J = ((system.few_rates(0.0, y + np.diag(h), u) - rate) / h[:, None]).T
        values = np.linalg.eigvals(J) if np.isfinite(J).all() else np.zeros(1)
    else:
        values = _largest(slope, n, system.nq)
    return complex(values[int(np.argmax(np.abs(values)))]) if len(values) else 0j


def _largest(slope: Callable[[Vector], Vector], n: int, nq: int) -> NDArray[np.complex128]:
    """The two largest eigenvalues of a matrix (n, n) that is known by its products, to a hundredth.

    Coordinates are taken times the frequency that they have on average: a vibration is then a rotation, whose
    eigenvalues do not suffer from what differences leave out.
    """
    from scipy.sparse import linalg  # slow to import, and seldom needed

    start = np.random.default_rng(0).normal(size=n)
    q = np.where(np.arange(n) < nq, start, 0.0)
    balance = np.ones(n)
    balance[:nq] = max(1.0, np.sqrt(np.linalg.norm(slope(q)[nq:]) / np.linalg.norm(q)))
    operator = linalg.LinearOperator((n, n), matvec=lambda x: balance * slope(x / balance), dtype=float)
    try:
        found = linalg.eigs(operator, k=2, which="LM", tol=1e-2, v0=start, return_eigenvectors=False)
    except linalg.ArpackError as error:
        found = getattr(error, "eigenvalues", np.zeros(1, dtype=complex))
    return np.asarray(found, dtype=complex)
