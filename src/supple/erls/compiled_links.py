"""Functions of an equivalent rigid-link system in machine code: `ErlsModel.compile`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from supple.engines.blocks.block_function import BlockFunction
from supple.engines.llvm.graph_function import GraphFunction
from supple.engines.llvm.machine_code import MachineCode
from supple.errors import StateError
from supple.expressions.function import Function
from supple.expressions.graph import GraphTooLarge
from supple.model.compiled import LARGEST, LIMIT, model_key
from supple.model.functions.table import signature
from supple.model.programs import lifted_program
from supple.model.traced_functions import traced_on

if TYPE_CHECKING:
    from supple.erls.model import ErlsModel


class LinkFunction(GraphFunction):
    """A function of the state of an equivalent rigid-link system; see `supple.model.compiled.Compiled`.

    Attributes
    ----------
    engine : str
        "blocks", the numbers loaded, or "folded", code for this model alone with all numbers folded.
    """

    engine: str
    model: ErlsModel
    what: str
    derivatives: tuple[str, ...]

    def _traced(self) -> Function:
        try:
            function = traced_on(self.model.traced(LIMIT), self.what, (), self.derivatives)
        except GraphTooLarge:
            raise self._too_large() from None
        if len(function.order) > LARGEST:
            raise self._too_large()
        return function

    def _too_large(self) -> StateError:
        return StateError(
            f"{self.what} of {self.model.name!r}: an equivalent rigid-link system of {self.model.nv} speeds is too "
            f"large to be compiled (more than {LARGEST} operations): keep fewer modes, or take floating frames"
        )


class LinkBlocks(LinkFunction, BlockFunction):
    """In blocks of machine code, with the numbers loaded."""

    engine = "blocks"

    def __init__(self, model: ErlsModel, what: str, derivatives: Sequence[str], threads: int | None) -> None:
        self.model, self.what, self.derivatives = model, what, tuple(derivatives)
        _, outputs = signature(model, what, (), self.derivatives)
        program, numbers = lifted_program(self.function)
        BlockFunction.__init__(self, f"{what} of {model.name!r}", program, numbers, outputs, threads)


class LinkCode(LinkFunction, MachineCode):
    """In one kernel, with all numbers folded."""

    engine = "folded"

    def __init__(self, model: ErlsModel, what: str, derivatives: Sequence[str], threads: int | None) -> None:
        self.model, self.what, self.derivatives = model, what, tuple(derivatives)
        inputs, outputs = signature(model, what, (), self.derivatives)
        key = model_key(model, "equivalent rigid links", what, self.derivatives)
        weight = model.estimated_operations // 2 * (1 + len(self.derivatives) * model.nv)
        name = f"{what} of {model.name!r}"
        MachineCode.__init__(self, name, inputs, outputs, key, self._traced, weight=weight, threads=threads)

    def _traced(self) -> Function:
        return LinkFunction._traced(self)


def compiled(model: ErlsModel, what: str, derivatives: Sequence[str], threads: int | None, fold: bool) -> Any:
    """A function in machine code, in blocks or folded."""
    kind: Any = LinkCode if fold else LinkBlocks
    return kind(model, what, derivatives, threads)
