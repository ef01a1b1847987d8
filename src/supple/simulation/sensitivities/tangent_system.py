"""A system with its tangents as one larger system: Y = [y, S], dY/dt = [f, f_y S + f_p].

Errors of steps are controlled for state and tangents alike: a tangent may have the error, relative to its own motion,
that the state may have relative to its. Tangents are scaled by their parameter, so that they are of the size of the
state whatever the unit of the parameter.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from supple.errors import SimulationError, StateError
from supple.integrators import DOP853, ESDIRK54, Adaptive, CustomSolver, FixedStep, Stepped
from supple.simulation.driven_system import DrivenSystem
from supple.simulation.methods.dop853 import NativeDOP853
from supple.simulation.methods.scipy_solvers import ScipySolver, solver_class
from supple.simulation.methods.segment import Method
from supple.simulation.methods.tolerances import Tolerances
from supple.simulation.sensitivities.tangent_kernel import Directions, TangentKernel
from supple.simulation.sensitivities.tangent_steps import FixedTangents
from supple.stepping.native_loop import ErrorRule, Scaling

Vector = NDArray[np.float64]


class TangentSystem(DrivenSystem):
    """Rates of state and tangents.

    Parameters
    ----------
    system : DrivenSystem
        That of the state, with engine "blocks".
    rates : TangentKernel
        Of its rates.
    directions : Directions
    """

    def __init__(self, system: DrivenSystem, rates: TangentKernel, directions: Directions) -> None:
        self.base, self._rates, self.directions = system, rates, directions
        self.model, self.inputs, self.independent = system.model, system.inputs, system.independent
        self.nq, self.nv, self.prescribed = system.nq, system.nv, system.prescribed
        self.count, self.states, self.held_values = rates.count, system.size, len(system.u_0)
        self.size = system.size * (1 + self.count)
        self.z_0, self.u_0 = system.z_0, np.zeros(self.held_values * (1 + self.count))

    @property
    def rate_kernel(self) -> Any:
        """In machine code."""
        return self._rates

    @property
    def project_kernel(self) -> None:
        """None: loops are closed at the end of every segment."""
        return None

    def rate(self, t: float, y: Vector, u: Vector) -> Vector:
        """dY/dt of one state with its tangents."""
        if not np.isfinite(y).all():
            return np.full_like(y, np.nan)
        n, k = self.states, self.held_values
        f, df = self._rates(t, y[:n], u[:k], y[n:], u[k:])
        return np.concatenate([f, df.reshape(-1)])

    def jacobian(self, t: float, y: Vector, u: Vector) -> Vector:
        """d(dY/dt)/dY without what tangents gain from second derivatives: Newton iterations do well with it."""
        J = self.base.jacobian(t, np.ascontiguousarray(y[: self.states]), np.ascontiguousarray(u[: self.held_values]))
        out = np.zeros((self.size, self.size))
        out[: self.states, : self.states] = J
        out[self.states :, self.states :] = np.kron(J, np.eye(self.count))
        return out


class TangentTolerances(Tolerances):
    """Errors that steps of state and tangents may have.

    The tangents of a group of states by one parameter are a group of their own, which is judged as that of the states:
    scaled by the parameter they have the same units.

    Parameters
    ----------
    system : TangentSystem
    rtol, atol, method
        See `Tolerances`.
    """

    def __init__(self, system: TangentSystem, rtol: float, atol: float | None, method: str) -> None:
        super().__init__(system.base, rtol, atol, method)
        self.system = system
        group, pair, kind, metres, most = self.scaling
        count, groups = system.count, self.count

        def again(x: Vector) -> Vector:
            return np.concatenate([x, np.repeat(x, count)])

        def own(x: Vector) -> Vector:
            return np.concatenate([x, groups + (np.asarray(x)[:, None] * count + np.arange(count)).reshape(-1)])

        self.scaling = Scaling(own(group), own(pair), again(kind), again(metres), again(most))
        self.atol, self.weight = again(self.atol), again(self.weight)
        self.count = int(self.scaling.group.max(initial=-1)) + 1
        self.rule = ErrorRule(self.rules, self.atol, self.scaling, self.weight)

    def attributes(self) -> dict[str, Any]:
        return super().attributes() | {"error_control": "steps as long as the tolerances of state and tangents allow"}


class TangentDOP853(NativeDOP853):
    """Explicit steps of order 8 of state and tangents."""

    one_step = True

    def _failure(self, t: float, h: float, y: Vector, u: Vector) -> SimulationError:
        assert isinstance(self.system, TangentSystem)
        whole, n, k = self.system, self.system.states, self.system.held_values
        self.system = whole.base
        try:
            return super()._failure(t, h, y[:n].copy(), u[:k].copy())
        finally:
            self.system = whole


class TangentSolver(ScipySolver):
    """One of scipy's solvers for state and tangents; implicit ones with dense Jacobians."""

    def __init__(self, system: TangentSystem, solver: type[Any], tolerances: TangentTolerances) -> None:
        super().__init__(system, solver, tolerances)
        self._judged = True


def tangent_method(options: Adaptive | Stepped, system: TangentSystem, native: bool) -> Method:
    """The integrator of a choice for state and tangents.

    Raises
    ------
    StateError
        If it cannot carry tangents.
    """
    if isinstance(options, FixedStep):
        return FixedTangents(system, options)
    if not isinstance(options, Adaptive) or options.name in ("CVODE", "IDA"):
        raise StateError(
            f"sensitivities: {options.name!r} carries no tangents; expected 'auto', 'DOP853', 'RK45', 'Radau' or "
            "another adaptive integrator, or 'rk4' with fixed steps"
        )
    name = "Radau" if isinstance(options, ESDIRK54) else options.name
    tolerances = TangentTolerances(system, options.rtol, options.atol, name)
    if isinstance(options, DOP853) and native:
        return TangentDOP853(system, tolerances)
    return TangentSolver(
        system, options.solver if isinstance(options, CustomSolver) else solver_class(name), tolerances
    )
