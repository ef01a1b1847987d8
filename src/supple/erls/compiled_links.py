"""Functions of an equivalent rigid-link system in machine code: `ErlsModel.compile`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from supple.engines.blocks.compiled_function import CompiledFunction
from supple.errors import StateError
from supple.expressions.graph import GraphTooLarge
from supple.model.compiled import LARGEST, LIMIT
from supple.model.traced_functions import traced_on

if TYPE_CHECKING:
    from supple.erls.model import ErlsModel


def compiled(model: ErlsModel, what: str, derivatives: Sequence[str], threads: int | None) -> CompiledFunction:
    """Compile a function; systems that differ in numbers alone share its code."""
    try:
        function = traced_on(model.traced(LIMIT), what, (), derivatives)
    except GraphTooLarge:
        raise _too_large(model, what) from None
    if len(function.order) > LARGEST:
        raise _too_large(model, what)
    return CompiledFunction.of(function, threads, name=f"{what} of {model.name!r}")


def _too_large(model: ErlsModel, what: str) -> StateError:
    return StateError(
        f"{what} of {model.name!r}: an equivalent rigid-link system of {model.nv} speeds is too "
        f"large to be compiled (more than {LARGEST} operations): keep fewer modes, or take floating frames"
    )
