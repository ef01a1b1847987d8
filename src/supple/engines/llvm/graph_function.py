"""A function in machine code that has a graph too, which is made when somebody asks for it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cached_property

from supple.engines.llvm.batch_function import ArrayFunction
from supple.expressions.function import Function, Operations
from supple.expressions.printers import c_source


class GraphFunction(ArrayFunction, ABC):
    """A function that can be counted, printed and differentiated."""

    @abstractmethod
    def _traced(self) -> Function:
        """The graph."""

    @cached_property
    def function(self) -> Function:
        """The graph: for derivatives, printing, counting."""
        return self._traced()

    @property
    def operations(self) -> Operations:
        """Operations of one evaluation, all numbers folded."""
        return self.function.operations

    def c_source(self) -> str:
        """One self-contained C99 file."""
        return c_source(self.function)
