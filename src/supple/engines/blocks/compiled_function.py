"""Programs that are called with arrays: one state, or whole batches with any leading axes."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike

from supple.engines.blocks.block_program import BoundProgram, Program
from supple.engines.blocks.lifted_program import lifted_program
from supple.engines.llvm import batches
from supple.engines.llvm.batches import Numbers
from supple.errors import SingularError, StateError
from supple.expressions.function import Function, Operations
from supple.expressions.printers import c_source

LONG = 4_000
"""Nodes of a block of a compiled function: twice as many gain nothing, half as many cost a small arm a tenth."""


class Runnable(Protocol):
    """A program with its numbers: values (`BoundProgram`), or values and Jacobians (`BoundTangents`)."""

    @property
    def inputs(self) -> Mapping[str, int]:
        """Names and lengths of the inputs."""
        ...

    @property
    def results(self) -> Mapping[str, int]:
        """Names and lengths of all that it computes."""
        ...

    @property
    def weight(self) -> int:
        """Operations of one state."""
        ...

    def call(self, outputs: Mapping[str, tuple[int, ...]], **options: Any) -> Callable[..., Any]:
        """Return a function of one state that gives some results in these shapes."""
        ...

    def batch(
        self, inputs: Sequence[Numbers], states: int, threads: int = 1, outs: Sequence[Numbers] | None = None
    ) -> list[Numbers]:
        """Return the results (states, n), or fill them, from inputs (1 or states, n)."""
        ...


class Computed(NamedTuple):
    """Results that are made of those of several programs by numpy, called as a program is."""

    inputs: Mapping[str, int]
    results: Mapping[str, int]
    weight: int
    compute: Callable[..., Sequence[Numbers]]
    """Gives the results (states, ...) for inputs (states, n)."""

    def call(self, outputs: Mapping[str, tuple[int, ...]], **options: Any) -> Callable[..., Any]:
        """Return what serves instead: there is no shorter way for one state."""
        found: Callable[..., Any] = options["otherwise"]
        return found

    def batch(
        self, inputs: Sequence[Numbers], states: int, threads: int = 1, outs: Sequence[Numbers] | None = None
    ) -> list[Numbers]:
        """Return the results (states, n), or fill them, from inputs (1 or states, n)."""
        rows = [np.ascontiguousarray(np.broadcast_to(x, (states, x.shape[1]))) for x in inputs]
        found = [np.empty((states, n)) for n in self.results.values()] if outs is None else list(outs)
        finite = np.all([np.isfinite(x).all(axis=1) for x in rows], axis=0)
        if finite.all():
            self._fill(found, rows)
            return found
        some = [np.empty((int(finite.sum()), x.shape[1])) for x in found]
        self._fill(some, [x[finite] for x in rows])
        for place, x in zip(found, some, strict=True):
            place[...] = np.nan
            place[finite] = x
        return found

    def _fill(self, found: Sequence[Numbers], rows: Sequence[Numbers]) -> None:
        """Compute the results of finite states; of those that have none NaN, found by halves."""
        states = len(rows[0])
        if not states:
            return
        try:
            for place, x in zip(found, self.compute(*rows), strict=True):
                place[...] = x.reshape(states, -1)
        except (SingularError, np.linalg.LinAlgError):
            half = states // 2
            for part in (slice(half), slice(half, states)):
                if half:
                    self._fill([x[part] for x in found], [x[part] for x in rows])
                else:
                    for x in found:
                        x[...] = np.nan


class CompiledFunction:
    """A function in machine code, evaluated for one state or, one state a SIMD lane, for whole batches.

    Called as `f(q, v, tau)` with arrays (..., n), one for each input, whose leading axes broadcast; gives one array, or
    a tuple where there are several outputs. What does not exist (a division by zero, a singular mass matrix) comes out
    as infinity or NaN, without an error, and changes nothing for the other states.

    Attributes
    ----------
    name : str
    inputs : dict of str to int
        Names and lengths of the arguments, in order.
    outputs : dict of str to tuple of int
        Names and shapes of the results.
    threads : int
        Most cores that a large batch is spread over.
    weight : int
        Operations of one state, roughly.
    """

    # What is called is a field: Python hands the arguments over to it without a function of its own between. It begins
    # as a method, and is a built-in function (see `caller`) once there is code for one state.
    __slots__ = ("__call__", "__dict__", "__weakref__")
    __call__: Callable[..., Any]

    def __init__(
        self,
        name: str,
        bound: Runnable,
        outputs: Mapping[str, tuple[int, ...]],
        *,
        threads: int | None = None,
        source: Callable[[], Function] | None = None,
        results: Mapping[str, str] | None = None,
    ) -> None:
        """Make it of a program with its numbers.

        Parameters
        ----------
        name : str
            For messages.
        bound : Runnable
        outputs : mapping of str to tuple of int
        threads : int, optional
            All cores if not given.
        source : function, optional
            Gives the function as a graph, for counting and printing.
        results : mapping of str to str, optional
            What the program calls the outputs, where the name is another.
        """
        self.name, self.bound = name, bound
        self.inputs, self.outputs = dict(bound.inputs), dict(outputs)
        self.weight, self.threads = bound.weight, threads or batches.CORES
        self._where, self._source = f"<compiled {name}>", source
        self._names = [(results or {}).get(x, x) for x in outputs]
        self._sizes = [math.prod(shape) for shape in self.outputs.values()]
        self.__call__ = self.evaluate

    @classmethod
    def of(cls, function: Function, threads: int | None = None, name: str | None = None) -> CompiledFunction:
        """Compile a function without parameters; functions that differ in constants alone share their code.

        Entries of an input that has several axes come in one, the last axis fastest.

        Parameters
        ----------
        function : Function
        threads : int, optional
            Most cores that a large batch is spread over; all if not given.
        name : str, optional
            For messages; the function's if not given.

        Examples
        --------
        >>> import numpy as np
        >>> from supple.symbolic import Function, Graph
        >>> g = Graph()
        >>> x, y = g.input("x"), g.input("y")
        >>> f = CompiledFunction.of(Function("f", g, {"s": [x, y]}, {"sum": [x + y], "product": x * y}))
        >>> f([[1.0, 2.0], [3.0, 4.0]])
        (array([[3.],
               [7.]]), array([ 2., 12.]))
        """
        if function.parameters:
            names = ", ".join(leaf.name for leaf in function.parameters)
            raise StateError(f"{name or function.name}: expected a function without parameters, got {names}")
        bound = BoundProgram(*lifted_program(function, LONG))
        shapes = {key: x.shape for key, x in function.outputs.items()}
        return cls(name or function.name, bound, shapes, threads=threads, source=lambda: function)

    @cached_property
    def function(self) -> Function:
        """The function as a graph, made when it is asked for."""
        if self._source is None:
            raise StateError(f"{self!r}: not the function of a graph")
        return self._source()

    @property
    def operations(self) -> Operations:
        """Operations of one state, as the graph has them with all its numbers."""
        return self.function.operations

    def c_source(self) -> str:
        """The function as C99 source."""
        return c_source(self.function)

    @property
    def values(self) -> BoundProgram:
        """The program with its numbers; of functions without derivatives, or of trees."""
        assert isinstance(self.bound, BoundProgram)
        return self.bound

    @property
    def program(self) -> Program:
        """The program alone."""
        return self.values.program

    @property
    def numbers(self) -> Numbers:
        """All numbers that it loads."""
        return self.values.numbers

    @property
    def address(self) -> int:
        """Of the record by which other machine code calls this one in this thread, see `entries`."""
        return self.values.address

    def foresee(self, evaluations: int) -> None:
        """Tell how often other machine code is about to call it, see `Tiers.foresee`."""
        self.values.foresee(evaluations)

    def __repr__(self) -> str:
        return self._where

    def evaluate(self, *inputs: ArrayLike, out: Sequence[Numbers] | None = None) -> Any:
        """The outputs for one state or a batch.

        Parameters
        ----------
        *inputs : (..., n) array_like
        out : sequence of arrays, optional
            Where the outputs go, one contiguous float64 array for each, of the right shape; saves the time to allocate
            them. They may be the inputs themselves.
        """
        arrays, shape = batches.rows(self._where, self.inputs, inputs)
        states, shapes = math.prod(shape), [(*shape, *own) for own in self.outputs.values()]
        if not shape and self.__call__ == self.evaluate:
            wanted = dict(zip(self._names, self.outputs.values(), strict=True))
            self.__call__ = self.bound.call(wanted, otherwise=self.evaluate)
        if out is None:
            outs = [np.empty((states, n)) for n in self._sizes]
        else:
            batches.given(self._where, shapes, out)
            arrays = batches.apart(arrays, out)
            outs = [x.reshape(states, n) for x, n in zip(out, self._sizes, strict=True)]
        own = dict(zip(self._names, outs, strict=True))
        every = [own[x] if x in own else np.empty((states, n)) for x, n in self.bound.results.items()]
        self.bound.batch(arrays, states, self.threads, outs=every)
        results = tuple(x.reshape(y) for x, y in zip(outs, shapes, strict=True)) if out is None else tuple(out)
        return results[0] if len(results) == 1 else results
