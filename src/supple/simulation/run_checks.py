"""What a formulation, a mechanism with loops or an integrator does not take, said before a run begins."""

from __future__ import annotations

from collections.abc import Sequence

from supple.description.limits import Limit
from supple.errors import StateError, nearest
from supple.formulations import Formulation
from supple.integrators import ESDIRK54, GeneralizedAlpha, Integrator, Variational
from supple.simulation.driven_system import DrivenSystem
from supple.simulation.methods.variational_kernels import require_variational
from supple.simulation.start_state import LOOPS


def require_loops(model: Formulation, loops: str) -> None:
    """Refuse a way to keep loops closed that there is not, or a model that has none."""
    if loops not in LOOPS:
        raise StateError(f"loops: expected one of {', '.join(LOOPS)}, got {loops!r}{nearest(loops, LOOPS)}")
    if loops != LOOPS[0] and model.loops is None:
        raise StateError(f"loops: model {model.name!r} has no closed loops, got {loops!r}")


def require_possible(model: Formulation, limits: Sequence[Limit], wanted: Integrator) -> None:
    """Refuse what a formulation, or a mechanism with loops, does not take."""
    if limits:
        model.floating_frames("a stop of joints, which holds the whole motion of a joint and not its coordinate alone,")
    if isinstance(wanted, GeneralizedAlpha) and model.loops is not None:
        raise StateError(
            f"model {model.name!r} has closed loops, which {wanted.name} does not take; expected DOP853, ESDIRK54, "
            "Radau, BDF, CVODE, IDA, variational, leapfrog, rk4 or another explicit method"
        )


def require_steps(system: DrivenSystem, wanted: Integrator) -> None:
    """Refuse laws that an integrator does not take."""
    if isinstance(wanted, GeneralizedAlpha | ESDIRK54) and system.prescribed_modes:
        raise StateError(f"motion: {wanted.name} takes no prescribed modes; expected adaptive or explicit steps")
    if isinstance(wanted, Variational):
        require_variational(system)
