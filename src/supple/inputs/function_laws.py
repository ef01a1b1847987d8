"""How often the Python functions among the laws of a run are called."""

from __future__ import annotations

from typing import Any

from supple.inputs.controllers import Sampled
from supple.inputs.inputs import Inputs
from supple.inputs.user_functions import is_function

TRACED, CALLED = "part of the equations", "called at every evaluation"


def function_laws(inputs: Inputs) -> dict[str, str]:
    """By what each function gives, a speed or a component of a wrench, how often it is called; empty without any."""
    out = {}
    for i, law in inputs.laws.items():
        if isinstance(law, Sampled) or is_function(law):
            out[inputs.law_name(i)] = _how(law, i in inputs.called_functions)
    for x in inputs.fmus:
        out[x.place] = f"{x.interface.file.name}, an FMU, stepped {x.rate:g} times a second"
    if inputs.whole is not None:
        out["tau"] = _how(inputs.whole, inputs.whole_is_called)
    return out


def _how(law: Any, called: bool) -> str:
    if isinstance(law, Sampled):
        return f"called {law.rate:g} times a second"
    return CALLED if called else TRACED
