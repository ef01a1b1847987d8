"""Requirements of a run on formulation, loops and integrator; `supple check` asks the same."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from supple.description.limits import Limit
from supple.errors import StateError, nearest
from supple.formulations import Formulation
from supple.integrators import GeneralizedAlpha, Integrator

CLOSE = 1e-12
"""Times as close as this, relative to the duration, are one."""
LOOPS = ("projection", "independent")
"""Ways to keep closed loops closed."""


def require_loops(model: Formulation, loops: str) -> None:
    """Raise for an unknown way to keep loops closed, or for a model without loops."""
    if loops not in LOOPS:
        raise StateError(f"loops: expected one of {', '.join(LOOPS)}, got {loops!r}{nearest(str(loops), LOOPS)}")
    if loops != LOOPS[0] and model.loops is None:
        raise StateError(f"loops: model {model.name!r} has no closed loops, got {loops!r}")


def stops_of_run(model: Formulation, limits: Sequence[Limit]) -> tuple[Limit, ...]:
    """The stops of the model and those given for a run, which replace the model's for the same coordinate."""
    named = {x.coordinate for x in limits}
    return (*(x for x in model.description.limits if x.coordinate not in named), *limits)


def require_resolved(duration: float, period: float, what: str = "step") -> None:
    """Raise if the ends of a step, or two ticks of a clock, are one time in a run of a duration, s."""
    if period <= CLOSE * duration:
        raise StateError(
            f"{what}: expected more than {CLOSE * duration:g} s, the resolution of time in a run of {duration:g} s, "
            f"got {period:g}"
        )


def require_resolved_rates(duration: float, rates: Iterable[float]) -> None:
    """Raise if two samples of a controller, of a rate in Hz, are one time."""
    for rate in rates:
        require_resolved(duration, 1.0 / rate, f"rate of {rate:g} Hz: sample period")


def require_possible(model: Formulation, limits: Sequence[Limit], wanted: Integrator) -> None:
    """Raise for what a formulation, or a mechanism with loops, does not take."""
    if limits:
        model.floating_frames("a stop of joints, which holds the whole motion of a joint and not its coordinate alone,")
    if isinstance(wanted, GeneralizedAlpha) and model.loops is not None:
        raise StateError(
            f"model {model.name!r} has closed loops, which {wanted.name} does not take; expected DOP853, ESDIRK54, "
            "Radau, BDF, CVODE, IDA, variational, leapfrog, rk4 or another explicit method"
        )
