"""A function in machine code that is called with arrays: one state, or whole batches with any leading axes."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from supple.engines.llvm import batches
from supple.engines.llvm.batches import Numbers


class ArrayFunction:
    """What has names and shapes of arguments and results.

    Parameters
    ----------
    name : str
        For messages.
    inputs : mapping of str to int
        Names and lengths of the arguments, in order.
    outputs : mapping of str to tuple of int
        Names and shapes of the results.
    weight : int
        Operations of one state, roughly: with it large batches are spread over the cores.
    threads : int, optional
        Most cores that are used; all if not given.
    """

    def __init__(
        self,
        name: str,
        inputs: Mapping[str, int],
        outputs: Mapping[str, tuple[int, ...]],
        weight: int,
        threads: int | None = None,
    ) -> None:
        self.inputs, self.outputs = dict(inputs), dict(outputs)
        self.weight, self.threads = weight, threads or batches.CORES
        self._where = f"<compiled {name}>"

    def _shapes(self, shape: tuple[int, ...]) -> list[tuple[int, ...]]:
        """Of the outputs for a batch with these leading axes."""
        return [(*shape, *own) for own in self.outputs.values()]

    def __repr__(self) -> str:
        return self._where


class DirectlyCalled:
    """What is called is a field: Python hands the arguments over to it without a function of its own between.

    It begins as a method, and is a built-in function (see `caller`) once there is code for one state.
    """

    __slots__ = ("__call__",)
    __call__: Callable[..., Any]


class BatchFunction(DirectlyCalled, ArrayFunction, ABC):
    """Called as `f(x, y)` with arrays (..., n), one for each input, whose leading axes broadcast.

    Gives one array, or a tuple where there are several outputs. What does not exist (a division by zero) comes out as
    infinity or NaN, without an error.
    """

    def __init__(
        self,
        name: str,
        inputs: Mapping[str, int],
        outputs: Mapping[str, tuple[int, ...]],
        weight: int,
        threads: int | None = None,
    ) -> None:
        super().__init__(name, inputs, outputs, weight, threads)
        self._sizes = [math.prod(shape) for shape in self.outputs.values()]
        self.__call__ = self.evaluate

    @property
    @abstractmethod
    def address(self) -> int:
        """Of the record by which other machine code calls this one in this thread, see `entries`."""

    @abstractmethod
    def _evaluate(self, first: int, last: int, arrays: Sequence[Numbers]) -> None:
        """Evaluate the states first ... last - 1: arrays (1 or states, n), inputs then outputs."""

    def _one_state(self) -> Callable[..., Any] | None:
        """A built-in function that leaves to `evaluate` what is not one state; None where there is no such way."""
        return None

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
        states = math.prod(shape)
        if not shape and self.__call__ == self.evaluate:
            self.__call__ = self._one_state() or self.evaluate
        if out is None:
            outs = [np.empty((states, n)) for n in self._sizes]
        else:
            batches.given(self._where, self._shapes(shape), out)
            arrays = batches.apart(arrays, out)
            outs = [x.reshape(states, n) for x, n in zip(out, self._sizes, strict=True)]
        everything = (*arrays, *outs)

        def part(first: int, last: int) -> None:
            self._evaluate(first, last, everything)

        if states:
            batches.spread(part, states, self.threads, self.weight)
        results = tuple(x.reshape(own) for x, own in zip(outs, self._shapes(shape), strict=True))
        return results[0] if len(results) == 1 else results
