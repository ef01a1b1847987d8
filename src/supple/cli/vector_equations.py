"""supple equations for files that describe a system by vectors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import supple
from supple.errors import StateError, nearest
from supple.expressions.graph import Expr
from supple.files import Contents
from supple.simulation.program_integration import program_run, require_duration, warn_of_integration
from supple.symbolic.equations_of_motion import EquationsOfMotion
from supple.symbolic.kane.derivation import derivation
from supple.symbolic.kane.kane_model import KaneModel
from supple.symbolic.program_parts import ProgramRun


def vector_equations(
    contents: Contents, model: KaneModel, small: Sequence[str], omit: Sequence[str] = ()
) -> EquationsOfMotion:
    """The equations of a system, its parameters and inputs symbols.

    `small` names coordinates and speeds in place of those of the file, `omit` coordinates that are left out.
    """
    table: Any = contents.tables.equations if contents.tables else None
    names = list(small) or (list(table.small) if table else [])
    return model.system.equations(_leaves(model, names), omit)


def _leaves(model: KaneModel, names: Sequence[str]) -> list[Expr]:
    known = {leaf.name: leaf for leaf in (*model.system.v, *model.system.q)}
    for name in names:
        if name not in known:
            raise StateError(f"system {model.name!r}: small: no coordinate or speed {name!r}{nearest(name, known)}")
    return [known[name] for name in names]


def vector_tables(model: KaneModel, found: EquationsOfMotion) -> str:
    """The derivation of these equations."""
    return derivation(model.system, found)


def vector_program(model: KaneModel, found: EquationsOfMotion, run: dict[str, Any]) -> str:
    """A simulation program whose defaults are what the file says about a run; inputs must be numbers."""
    laws = [name for name, law in model.inputs.items() if isinstance(law, str)]
    laws += [name for key in ("tau", "motion") for name in run.get(key, {})]
    laws += [event.name for event in run.get("events", ())]
    if laws:
        raise supple.StateError(
            f"system {model.name!r}: a program has constant inputs and no forces of runs, and cannot hold "
            f"{', '.join(laws)}; expected a file without them. `supple run` simulates them"
        )
    require_duration(model.name, run)
    warn_of_integration(model, run, "a program")
    start = {key: run.get(key) or {} for key in ("q", "v")}
    tau = {name: float(law) for name, law in model.inputs.items()}
    return found.program(start["q"], start["v"], tau, program_run(run, ProgramRun()))
