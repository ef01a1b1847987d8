"""Integrators with their options, for `supple.simulate` and `supple.Simulator`; names stand for those with defaults.

    supple.simulate(model, 1.0, integrator=supple.integrators.DOP853(rtol=1e-6))
    supple.simulate(model, 1.0, integrator="DOP853", rtol=1e-6)

say the same.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from typing import Any, ClassVar

from supple.call_checks import checked
from supple.checks import is_number
from supple.errors import StateError, one_of

__all__ = [
    "BDF",
    "CVODE",
    "DOP853",
    "ESDIRK54",
    "IDA",
    "LSODA",
    "RK4",
    "RK23",
    "RK45",
    "Auto",
    "CustomSolver",
    "GeneralizedAlpha",
    "Leapfrog",
    "Radau",
    "SemiImplicitEuler",
    "Variational",
]

RTOL = 1e-8
"""Relative tolerance of adaptive integrators, if none is given."""
FINER, FINEST = 10.0, 1e-13
"""Ratio of tolerances of two runs of which one judges the other; a tolerance at which rounding takes over."""


@checked
@dataclass(frozen=True)
class Auto:
    """The best adaptive integrator for a model, from the fastest motion of the system; results say which, and why.

    Parameters
    ----------
    rtol, atol : float, optional
        Tolerances; without them rtol is 1e-8, and 1e-6 for stiff systems whose integrator is found by trial runs.
    """

    rtol: float | None = None
    atol: float | None = None
    name: ClassVar[str] = "auto"

    def __post_init__(self) -> None:
        _require_positive("", rtol=self.rtol, atol=self.atol)


@checked
@dataclass(frozen=True)
class Adaptive:
    """An integrator whose steps are as long as its tolerances allow.

    Parameters
    ----------
    rtol : float
        Relative tolerance.
    atol : float, optional
        Absolute tolerance, added to rtol times every state, whatever its unit. Without it errors are relative to the
        size of the motion, body by body.
    """

    rtol: float = RTOL
    atol: float | None = None
    name: ClassVar[str]

    def __post_init__(self) -> None:
        _require_positive("", rtol=self.rtol, atol=self.atol)


class DOP853(Adaptive):
    """Explicit Runge-Kutta of order 8 by Dormand and Prince, in a native loop where nothing needs Python."""

    name = "DOP853"


class ESDIRK54(Adaptive):
    """Implicit Runge-Kutta of order 5, L-stable, in a native loop: for stiff systems, also with closed loops.

    The recursions solve its stages; no Jacobian is formed. Vibrations that steps do not resolve are damped.
    """

    name = "ESDIRK54"


class RK45(Adaptive):
    """Explicit Runge-Kutta of order 5, scipy's."""

    name = "RK45"


class RK23(Adaptive):
    """Explicit Runge-Kutta of order 3, scipy's."""

    name = "RK23"


class Radau(Adaptive):
    """Implicit Runge-Kutta of order 5, scipy's, for stiff systems; Jacobians are exact."""

    name = "Radau"


class BDF(Adaptive):
    """Backward differentiation formulas, scipy's, for stiff systems; Jacobians are exact."""

    name = "BDF"


class LSODA(Adaptive):
    """Adams formulas and backward differentiation, whichever fits; scipy's."""

    name = "LSODA"


class CVODE(Adaptive):
    """Backward differentiation formulas of SUNDIALS, for larger stiff systems; needs `supple[sundials]`."""

    name = "CVODE"


class IDA(Adaptive):
    """Differential-algebraic solver of SUNDIALS: works on inverse dynamics; needs `supple[sundials]`."""

    name = "IDA"


@checked
@dataclass(frozen=True)
class CustomSolver(Adaptive):
    """A class of your own with the interface of `scipy.integrate.OdeSolver`."""

    solver: type[Any] = field(kw_only=True)
    name = "custom"


@checked
@dataclass(frozen=True)
class FixedStep:
    """An explicit integrator with steps of fixed length, in a native loop; there is no error control.

    Parameters
    ----------
    step : float
        Longest step, s; output times are met exactly.
    """

    step: float
    name: ClassVar[str]

    def __post_init__(self) -> None:
        _require_positive(f"{self.name}: ", step=self.step)


class Leapfrog(FixedStep):
    """Second order; asks for accelerations twice a step. Stable up to 2 over the highest frequency.

    Symplectic where the mass matrix is constant; elsewhere the energy drifts slowly in long runs, which `Variational`
    is for.
    """

    name = "leapfrog"


class RK4(FixedStep):
    """The classical Runge-Kutta method of fourth order."""

    name = "rk4"


class SemiImplicitEuler(FixedStep):
    """First order: speeds first, then coordinates with the new speeds."""

    name = "semi_implicit_euler"


@checked
@dataclass(frozen=True)
class GeneralizedAlpha:
    """Fixed implicit steps of second order for stiff systems, with chosen numerical damping.

    Parameters
    ----------
    step : float
        Longest step, s; output times are met exactly.
    rho : float
        Spectral radius at high frequencies, 0 ... 1: one keeps all vibration, zero removes what steps cannot resolve.
    tolerance : float
        Error of the accelerations that Newton's iteration may leave, relative to the largest.
    """

    step: float
    rho: float = 0.9
    tolerance: float = 1e-8
    name: ClassVar[str] = "generalized_alpha"

    def __post_init__(self) -> None:
        _require_positive("generalized-alpha: ", step=self.step, tolerance=self.tolerance)
        if not (is_number(self.rho) and 0 <= self.rho <= 1):
            raise StateError(f"generalized-alpha: rho: expected a number from 0 to 1, got {self.rho!r}")


@checked
@dataclass(frozen=True)
class Variational:
    """Fixed symplectic steps for long runs: energy errors stay bounded, momenta of free systems are conserved.

    The steps are implicit and solved to rounding by the recursions, in a native loop, also with closed loops.

    Parameters
    ----------
    step : float
        Longest step, s; output times are met exactly.
    order : int
        2, or 4, which composes every step of five.
    """

    step: float
    order: int = 2
    name: ClassVar[str] = "variational"

    def __post_init__(self) -> None:
        _require_positive("variational: ", step=self.step)
        if self.order not in (2, 4):
            raise StateError(f"variational: order: expected 2 or 4, got {self.order!r}")


Stepped = FixedStep | GeneralizedAlpha | Variational
Integrator = Auto | Adaptive | Stepped
KINDS: tuple[type[Any], ...] = (
    Auto, DOP853, ESDIRK54, RK45, RK23, Radau, BDF, LSODA, CVODE, IDA,
    GeneralizedAlpha, Variational, RK4, Leapfrog, SemiImplicitEuler,
)  # fmt: skip
BY_NAME: dict[str, type[Any]] = {kind.name: kind for kind in KINDS}
STEPPED = tuple(name for name, kind in BY_NAME.items() if "step" in {x.name for x in fields(kind)})
"""Names of integrators with steps of fixed length."""


def resolved(
    integrator: str | type[Any] | Integrator,
    rtol: float | None = None,
    atol: float | None = None,
    step: float | None = None,
) -> Integrator:
    """The integrator that a name, a class of solvers or an object with options stands for.

    Parameters
    ----------
    integrator : str, type or integrator
    rtol, atol, step : float, optional
        Options in short; refused if the integrator has no such option, or an object has another value. Names of
        integrators with fixed steps leave tolerances aside.
    """
    given = {key: x for key, x in (("rtol", rtol), ("atol", atol), ("step", step)) if x is not None}
    if isinstance(integrator, str):
        if integrator not in BY_NAME:
            raise StateError(f"integrator: no {integrator!r}{one_of(BY_NAME)}")
        if integrator in STEPPED:  # tolerances of a file stay there when its integrator is replaced by one of these
            given = {key: x for key, x in given.items() if key == "step"}
        _require_options(BY_NAME[integrator], given, integrator)
        made: Integrator = BY_NAME[integrator](**given)
        return made
    if isinstance(integrator, type):
        _require_options(CustomSolver, given, integrator.__name__)
        return CustomSolver(**given, solver=integrator)
    if not isinstance(integrator, (*KINDS, CustomSolver)):
        raise StateError(
            f"integrator: expected a name, one of supple.integrators or a class of solvers, got {integrator!r}"
        )
    _require_options(type(integrator), given | {"step": getattr(integrator, "step", step)}, integrator.name)
    for key, x in given.items():
        if getattr(integrator, key) != x:
            raise StateError(f"{key}: the integrator says {getattr(integrator, key)}, got {x} beside {integrator}")
    return integrator


def finer(options: Adaptive | Stepped) -> Adaptive | Stepped:
    """The same integrator with tolerances a tenth as large, down to rounding, or with steps half as long."""
    if not isinstance(options, Adaptive):
        return replace(options, step=0.5 * options.step)
    atol = None if options.atol is None else options.atol / FINER
    return replace(options, rtol=min(options.rtol, max(options.rtol / FINER, FINEST)), atol=atol)


def _require_options(kind: type[Any], given: dict[str, Any], name: str) -> None:
    """Refuse options that an integrator does not have, and steps of no length."""
    known = {x.name for x in fields(kind)}
    for key, x in given.items():
        if x is not None and key not in known:
            takers = STEPPED if key == "step" else [n for n, k in BY_NAME.items() if key in {f.name for f in fields(k)}]
            raise StateError(f"{key}: only {', '.join(takers)} take one, got {x} for {name!r}")
    if "step" in known and given.get("step") is None:
        raise StateError(f"step: {name} needs the length of its steps, s")


def _require_positive(where: str, **numbers: float | None) -> None:
    for key, x in numbers.items():
        if x is not None and not (is_number(x) and x > 0):
            raise StateError(f"{where}{key}: expected a positive number, got {x!r}")
