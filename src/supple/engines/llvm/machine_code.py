"""Any function of a graph as machine code that is called with arrays."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from supple.engines.llvm import batches, call, caller, jit
from supple.engines.llvm.batches import Numbers
from supple.engines.llvm.emit import emit
from supple.errors import StateError
from supple.expressions.function import Function, Operations
from supple.expressions.printers import c_source


class MachineCode:
    """A function in machine code, evaluated for whole batches, one state a SIMD lane.

    Called as `f(x, y)` with arrays (..., n), one for each input, whose leading axes broadcast; gives one array, or a
    tuple where there are several outputs. What does not exist (a division by zero) comes out as infinity or NaN,
    without an error.

    Code that was made before is read from disk, and then the graph is made only if somebody asks for it.

    Parameters
    ----------
    name : str
        For messages.
    inputs : mapping of str to int
        Names and lengths of the arguments, in order.
    outputs : mapping of str to tuple of int
        Names and shapes of the results.
    key : str
        All that decides the function; what makes another one must have another key.
    make : function
        Gives the graph, whose inputs and outputs are those above.
    weight : int
        Nodes of the graph, roughly: with it large batches are spread over the cores.
    threads : int, optional
        Most cores that are used; all if not given.
    lanes : int, optional
        States side by side; as many as the processor has lanes if not given.

    Attributes
    ----------
    inputs, outputs, weight, threads, lanes
        As above.
    address : int
        Of the machine code; see `emit` for how it is called.
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
        self.inputs, self.outputs = dict(inputs), dict(outputs)
        self.weight, self.threads = weight, threads or os.cpu_count() or 1
        self.lanes = lanes or jit.host_lanes()
        self._where, self._make = f"<compiled {name}>", make
        self._lengths = tuple(self.inputs.values())
        self._sizes = [math.prod(shape) for shape in self.outputs.values()]
        self._one: Callable[..., Any] | None = None
        self._native = jit.load_or_compile(f"{key} {self.lanes}", self._object_code)
        self.address = self._native.address
        if len(self.outputs) == 1:
            (self._only_shape,) = self.outputs.values()
            self._flat = len(self._only_shape) == 1
            if caller.possible():
                self._one = caller.one_state(self.address, [*self._lengths, *self._sizes], keep=self._native)

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

    @cached_property
    def function(self) -> Function:
        """The graph: for derivatives, printing, counting."""
        return self._make()

    @property
    def operations(self) -> Operations:
        """Operations of one evaluation."""
        return self.function.operations

    def c_source(self) -> str:
        """One self-contained C99 file."""
        return c_source(self.function)

    def _object_code(self) -> bytes:
        return jit.object_code(emit(self.function, self.lanes))

    def __call__(self, *inputs: ArrayLike, out: Sequence[Numbers] | None = None) -> Any:
        """The outputs for one state or a batch.

        Parameters
        ----------
        *inputs : (..., n) array_like
        out : sequence of arrays, optional
            Where the outputs go, one contiguous float64 array for each, of the right shape; saves the time to allocate
            them. They may be the inputs themselves.
        """
        if self._one is not None and out is None:
            result = np.empty(self._sizes[0])
            if self._one(*inputs, result) is result:
                return result if self._flat else result.reshape(self._only_shape)
        return self._batch(inputs, out)

    def _batch(self, inputs: Sequence[ArrayLike], out: Sequence[Numbers] | None) -> Any:
        """Any shapes and types of numbers."""
        arrays, shape = batches.rows(self._where, self.inputs, inputs)
        states = math.prod(shape)
        if out is None:
            outs = [np.empty((states, n)) for n in self._sizes]
        else:
            batches.given(self._where, self._shapes(shape), out)
            arrays = batches.apart(arrays, out)
            outs = [x.reshape(states, n) for x, n in zip(out, self._sizes, strict=True)]
        everything = (*arrays, *outs)

        def part(first: int, last: int) -> None:
            call.invoke(self.address, first, last, *everything)

        if states:
            batches.spread(part, states, self.threads, self.weight)
        results = tuple(x.reshape(own) for x, own in zip(outs, self._shapes(shape), strict=True))
        return results[0] if len(results) == 1 else results

    def _shapes(self, shape: tuple[int, ...]) -> list[tuple[int, ...]]:
        """Of the outputs for a batch with these leading axes."""
        return [(*shape, *own) for own in self.outputs.values()]

    def __repr__(self) -> str:
        return self._where
