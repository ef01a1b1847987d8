"""Any function of a graph as machine code that is called with arrays."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from supple.engines.llvm import call, caller, jit
from supple.engines.llvm.batch_function import BatchFunction
from supple.engines.llvm.batches import Numbers
from supple.engines.llvm.emit import emit
from supple.engines.llvm.entries import KERNEL, record
from supple.engines.llvm.graph_function import GraphFunction
from supple.errors import StateError
from supple.expressions.function import Function


class MachineCode(GraphFunction, BatchFunction):
    """A function of a graph in machine code, evaluated for whole batches, one state a SIMD lane.

    Code that was made before is read from disk, and then the graph is made only if somebody asks for it.

    Parameters
    ----------
    name, inputs, outputs, weight, threads
        See `BatchFunction`.
    key : str
        All that decides the function; what makes another one must have another key.
    make : function
        Gives the graph, whose inputs and outputs are those above.
    lanes : int, optional
        States side by side; as many as the processor has lanes if not given.
    """

    def __init__(
        self,
        name: str,
        inputs: Mapping[str, int],
        outputs: Mapping[str, tuple[int, ...]],
        key: str,
        make: Callable[[], Function],
        *,
        weight: int,
        threads: int | None = None,
        lanes: int | None = None,
    ) -> None:
        super().__init__(name, inputs, outputs, weight, threads)
        self.lanes, self._make = lanes or jit.host_lanes(), make
        self._native = jit.load_or_compile(f"{key} {self.lanes}", self._object_code)
        self._record = record(KERNEL, self._native.address)

    @staticmethod
    def of(
        function: Function, threads: int | None = None, lanes: int | None = None, name: str | None = None
    ) -> MachineCode:
        """The machine code of a function without parameters.

        Entries of an input that has several axes come in one, the last axis fastest.

        Parameters
        ----------
        function : Function
        threads, lanes : int, optional
            See the class.
        name : str, optional
            For messages; the function's if not given.

        Examples
        --------
        >>> import numpy as np
        >>> from supple.symbolic import Function, Graph
        >>> g = Graph()
        >>> x, y = g.input("x"), g.input("y")
        >>> f = MachineCode.of(Function("f", g, {"s": [x, y]}, {"sum": [x + y], "product": x * y}))
        >>> f([[1.0, 2.0], [3.0, 4.0]])
        (array([[3.],
               [7.]]), array([ 2., 12.]))
        """
        if function.parameters:
            names = ", ".join(leaf.name for leaf in function.parameters)
            raise StateError(f"{name or function.name}: expected a function without parameters, got {names}")
        return MachineCode(
            name or function.name,
            {key: x.size for key, x in function.inputs.items()},
            {key: x.shape for key, x in function.outputs.items()},
            function.digest,
            lambda: function,
            weight=len(function.order),
            threads=threads,
            lanes=lanes,
        )

    def _traced(self) -> Function:
        return self._make()

    def _object_code(self) -> bytes:
        return jit.object_code(emit(self.function, self.lanes))

    def _one_state(self) -> Callable[..., Any] | None:
        if not caller.possible():
            return None
        count = len(self.inputs)
        shapes = dict(enumerate(self.outputs.values(), count))
        arrays = caller.Arrays([*self.inputs.values(), *self._sizes], count, shapes)
        found: Callable[..., Any] = caller.one_state(
            self._native.address, arrays, keep=self._native, otherwise=self.evaluate
        )
        return found

    @property
    def address(self) -> int:
        """Of its record."""
        return int(self._record.ctypes.data)

    def _evaluate(self, first: int, last: int, arrays: Sequence[Numbers]) -> None:
        call.invoke(self.address, first, last, *arrays)
