"""Integration in C programs and FMUs, and settings of a run about it that they do not take."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from supple.errors import OmissionWarning, StateError, warn
from supple.formulations import Formulation
from supple.inputs.run_requirements import LOOPS, require_loops
from supple.integrators import DOP853, RTOL, Auto, Integrator, resolved
from supple.simulation.clocks import jumps_with_time
from supple.simulation.driven_system import DrivenSystem
from supple.simulation.horizon import Horizon
from supple.symbolic.program_parts import ProgramRun

WRITTEN = DOP853.name
"""The integrator that is printed as C."""
UNSAID = ProgramRun(Horizon.duration, Horizon.samples, RTOL, 0.0)
"""The run of a model about which nothing is said."""


def program_run(arguments: Mapping[str, Any], default: ProgramRun = UNSAID) -> ProgramRun:
    """Return duration, samples and tolerances of a program from arguments of `supple.simulate`, or by default."""
    options = _options(arguments)
    given = {key: arguments.get(key) for key in ("duration", "samples")}
    given |= {key: getattr(options, key, None) or arguments.get(key) for key in ("rtol", "atol")}
    kinds = {"duration": float, "samples": int, "rtol": float, "atol": float}
    return default._replace(**{key: kinds[key](x) for key, x in given.items() if x is not None})


def require_duration(name: str, arguments: Mapping[str, Any]) -> None:
    """Raise if no duration is given: a program has no other."""
    if arguments.get("duration") is None:
        raise StateError(
            f"model {name!r}: no duration: a program needs one; give duration, or [simulation] duration in the file"
        )


def warn_of_integration(model: Formulation, arguments: Mapping[str, Any], what: str) -> None:
    """Name what `what`, a C program or an FMU, does not take of how a run integrates.

    The equations are those of the run, and DOP853 with its error control solves them at least as well as fixed steps
    do. So this is no error: the motion stays right, but a stiff model takes many steps.
    """
    options, loops = _options(arguments), arguments.get("loops", LOOPS[0])
    require_loops(model, loops)
    found = untaken(arguments)
    if found:
        rtol = program_run(arguments).rtol
        closing = "" if model.loops is None else " and keeps loops closed by projection"
        slow = "" if isinstance(options, Auto | DOP853) else "; a stiff model takes many steps"
        warn(
            f"model {model.name!r}: {what} integrates with {WRITTEN} to rtol {rtol:g}{closing}; not taken: "
            f"{found}{slow}",
            OmissionWarning,
        )


def warn_of_jumps(system: DrivenSystem) -> None:
    """Warn of formulas that jump with the time: what is printed as C does not follow them ahead."""
    if jumps_with_time(system):
        warn(
            f"model {system.model.name!r}: a law jumps with the time; a C program or FMU does not look ahead for jumps "
            "of formulas of the time and may step over them; a table of kind 'hold' jumps in all of them",
            OmissionWarning,
        )


def untaken(arguments: Mapping[str, Any]) -> str:
    """Return integrator, step, loops and sensitivities of a run that C does not have, empty if there are none."""
    options, loops = _options(arguments), arguments.get("loops", LOOPS[0])
    found = [] if isinstance(options, Auto | DOP853) else [f"integrator {options.name!r}"]
    found += [f"step {options.step:g}"] if hasattr(options, "step") else []
    found += [f"loops {loops!r}"] if loops != LOOPS[0] else []
    found += ["sensitivities"] if arguments.get("sensitivities") else []
    return ", ".join(found)


def _options(arguments: Mapping[str, Any]) -> Integrator:
    return resolved(arguments.get("integrator", Auto.name), *(arguments.get(key) for key in ("rtol", "atol", "step")))
