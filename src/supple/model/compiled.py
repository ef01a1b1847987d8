"""Functions of a model compiled to machine code: `Model.compile`."""

from __future__ import annotations

import hashlib
import math
import os
import warnings
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache, cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from supple.engines.llvm import call, jit
from supple.engines.llvm.emit import emit
from supple.errors import PerformanceWarning, StateError
from supple.model.inputs import COMPLEX_STEP, common_axes
from supple.symbolic.function import Function, Operations
from supple.symbolic.graph import GraphTooLarge
from supple.symbolic.trace import signature, traced

if TYPE_CHECKING:
    from supple.model.model import Model

Numbers = NDArray[np.float64]
FLOAT = np.dtype(np.float64)
LARGEST = 150_000
"""Operations beyond which straight-line code is not made: it would take minutes to compile and not fit any cache."""
LIMIT = 20 * LARGEST
"""Nodes at which tracing is given up: derivatives make many that are not needed in the end."""
SPREAD = 200_000
"""Node evaluations that are worth a thread of their own."""


@cache
def _pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(os.cpu_count() or 1, thread_name_prefix="supple")


def spread(part: Callable[[int, int], None], states: int, threads: int, weight: int) -> None:
    """Run `part` on ranges of the states, on several cores where the work is worth it."""
    count = min(threads, max(1, states * weight // SPREAD))
    if count == 1:
        part(0, states)
        return
    bounds = [states * i // count for i in range(count + 1)]
    for job in [_pool().submit(part, first, last) for first, last in pairwise(bounds)]:
        job.result()


def _ready(x: Any, shape: tuple[int, int]) -> bool:
    """Whether x is a batch of just this shape, as the machine code wants it."""
    return x.__class__ is np.ndarray and x.dtype is FLOAT and x.shape == shape and x.flags.carray


def estimated_operations(model: Model) -> int:
    """Operations of forward dynamics, roughly, without tracing the model."""
    total = 500 * len(model.bodies)
    flex = model.flex
    if flex is not None:
        n, full, row = flex.modes, flex.full, flex.mode_row
        ports = flex.port_first[1:] - flex.port_first[:-1]
        pairs, mesh, factor = (x[row + n] - x[row] for x in (flex.pair_first, flex.mesh_first, flex.factor_first))
        total += int(np.sum(80 * n + 1500 * ports + 4 * mesh + 4 * factor))
        total += int(np.sum(full * (40 * n + 80 * n * ports + 25 * pairs + 24 * factor)))
    return total


class Compiled:
    """A function of the state in machine code, evaluated for whole batches, one state a SIMD lane.

    Called as `f(q, v, tau)` with arrays (..., n) whose leading axes broadcast; gives one array, or a tuple where there
    are several outputs. What does not exist (a singular mass matrix) comes out as infinity or NaN, without an error.

    Attributes
    ----------
    inputs : dict of str to int
        Names and lengths of the arguments, in order.
    outputs : dict of str to tuple of int
        Names and shapes of the results.
    engine : str
        "llvm", or "generic" for a model too large for straight-line code.
    function : Function
        The graph: for derivatives, printing, counting.
    """

    lanes: int | None = None
    """States side by side in the machine code; as many as the processor has lanes if None."""

    def __init__(
        self, model: Model, what: str, parameters: Sequence[str], derivatives: Sequence[str], threads: int | None
    ) -> None:
        self.model, self.what = model, what
        self.parameters, self.derivatives = tuple(parameters), tuple(derivatives)
        self.threads = threads or os.cpu_count() or 1
        self.inputs, self.outputs = self._signature()
        self.engine = "llvm"
        try:
            self._native = jit.load_or_compile(self._key(), self._object_code)
        except GraphTooLarge:
            self._fall_back()
        self._lengths = tuple(self.inputs.values())
        self._address = self._native.address if self.engine == "llvm" else 0
        self._sizes = [math.prod(shape) for shape in self.outputs.values()]
        self._only_shape = next(iter(self.outputs.values()))
        self._flat = len(self._only_shape) == 1
        single = self.engine == "llvm" and len(self.outputs) == 1
        self._one = call.for_one_state(len(self.inputs) + 1) if single else None

    def _signature(self) -> tuple[dict[str, int], dict[str, tuple[int, ...]]]:
        """Lengths of the inputs, shapes of the outputs."""
        return signature(self.model, self.what, self.parameters, self.derivatives)

    @cached_property
    def function(self) -> Function:
        """The graph."""
        if estimated_operations(self.model) > 4 * LARGEST:
            raise GraphTooLarge(f"about {estimated_operations(self.model)} operations")
        function = traced(self.model, self.what, self.parameters, self.derivatives, LIMIT)
        if len(function.order) > LARGEST:
            raise GraphTooLarge(f"{len(function.order)} nodes")
        return function

    @property
    def operations(self) -> Operations:
        """Operations of one evaluation."""
        return self.function.operations

    def c_source(self) -> str:
        """One self-contained C99 file."""
        from supple.symbolic.printers import c_source

        return c_source(self.function)

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
            n = self._lengths
            result = None
            # Spelled out by the number of inputs: a loop over them would take as long as the machine code.
            try:
                if len(inputs) == 3 == len(n):
                    x, y, z = inputs
                    if x.size == n[0] and y.size == n[1] and z.size == n[2]:  # type: ignore[union-attr]
                        result = np.empty(self._sizes[0])
                        self._one(self._address, x, y, z, result)
                elif len(inputs) == 2 == len(n):
                    x, y = inputs
                    if x.size == n[0] and y.size == n[1]:  # type: ignore[union-attr]
                        result = np.empty(self._sizes[0])
                        self._one(self._address, x, y, result)
                elif len(inputs) == 1 == len(n) and inputs[0].size == n[0]:  # type: ignore[union-attr]
                    result = np.empty(self._sizes[0])
                    self._one(self._address, inputs[0], result)
            except (AttributeError, TypeError):
                result = None  # not arrays, or not contiguous float64 vectors: the long way
            if result is not None:
                return result if self._flat else result.reshape(self._only_shape)
        return self._batch(inputs, out)

    def _batch(self, inputs: Sequence[ArrayLike], out: Sequence[Numbers] | None) -> Any:
        """Any shapes and types of numbers."""
        arrays, shape = self._prepared(inputs)
        if self.engine == "generic":
            return self._generic(arrays, shape)
        states = math.prod(shape)
        outs = self._given(out, arrays, shape) if out is not None else [np.empty((states, n)) for n in self._sizes]
        everything = (*arrays, *outs)

        def part(first: int, last: int) -> None:
            call.invoke(self.address, first, last, *everything)

        if states:
            spread(part, states, self.threads, self.weight)
        results = tuple(out.reshape((*shape, *own)) for out, own in zip(outs, self.outputs.values(), strict=True))
        return results[0] if len(results) == 1 else results

    def _prepared(self, inputs: Sequence[ArrayLike]) -> tuple[list[Numbers], tuple[int, ...]]:
        """Inputs as contiguous (1 or states, n), and the leading axes they broadcast to."""
        if len(inputs) == len(self._lengths) and isinstance(inputs[0], np.ndarray) and inputs[0].ndim == 2:
            states = len(inputs[0])
            if all(_ready(x, (states, n)) for x, n in zip(inputs, self._lengths, strict=True)):
                return list(inputs), (states,)  # type: ignore[arg-type]
        if len(inputs) != len(self.inputs):
            raise StateError(
                f"{self!r}: expected {len(self.inputs)} arguments ({', '.join(self.inputs)}), got {len(inputs)}"
            )
        arrays = [np.asarray(x) for x in inputs]
        for (name, length), x in zip(self.inputs.items(), arrays, strict=True):
            if x.ndim == 0 or x.shape[-1] != length or x.dtype.kind not in "fiub":
                raise StateError(
                    f"{self!r}: {name}: expected real numbers of shape (..., {length}), "
                    f"got {x.dtype} of shape {x.shape}"
                )
        shape = common_axes(repr(self), dict(zip(self.inputs, arrays, strict=True)))
        ready = []
        for x in arrays:
            single = math.prod(x.shape[:-1]) == 1
            y = x if single or x.shape[:-1] == shape else np.broadcast_to(x, (*shape, x.shape[-1]))
            y = np.ascontiguousarray(y, dtype=FLOAT)
            rows = 1 if single else math.prod(shape)
            ready.append((y if y.flags.writeable else y.copy()).reshape(rows, x.shape[-1]))
        return ready, shape

    def _given(self, out: Sequence[Numbers], arrays: list[Numbers], shape: tuple[int, ...]) -> list[Numbers]:
        """The caller's arrays as rows; inputs that share memory with them in another layout are copied first."""
        expected = [(*shape, *own) for own in self.outputs.values()]
        got = [x.shape for x in out]
        fit = all(x.dtype == FLOAT and x.flags.carray for x in out)
        if got != expected or not fit:
            wanted = f"contiguous, writeable float64 arrays of shapes {expected}"
            raise StateError(f"{self!r}: out: expected {wanted}, got {got}")
        for i, x in enumerate(arrays):
            if any(np.may_share_memory(x, y) for y in out):
                arrays[i] = x.copy()
        return [x.reshape(math.prod(shape), -1) for x in out]

    @property
    def weight(self) -> int:
        """Nodes a state, roughly, without tracing the model."""
        return estimated_operations(self.model) // 2 * (1 + len(self.derivatives) * self.model.nv)

    @property
    def address(self) -> int:
        """Of the machine code."""
        return self._address

    def _key(self) -> str:
        """What decides the code: the model's numbers, the function, the width."""
        digest = hashlib.sha256(repr((self.what, self.parameters, self.derivatives, self._lanes)).encode())
        for field, x in self.model.arrays().items():
            digest.update(f"{field} {x.dtype} {x.shape}".encode() + np.ascontiguousarray(x).tobytes())
        digest.update(repr((self.model.bodies, self.model.coordinates, self.model.speeds)).encode())
        return digest.hexdigest()

    @property
    def _lanes(self) -> int:
        return self.lanes or jit.host_lanes()

    def _object_code(self) -> bytes:
        return jit.object_code(emit(self.function, self._lanes))

    def _fall_back(self) -> None:
        """Take the generic engine instead, with a warning."""
        if self.parameters or not hasattr(self.model, self.what):
            raise StateError(
                f"{self!r}: the model is too large for straight-line code (more than {LARGEST} operations), and the "
                "generic engine has no such function"
            ) from None
        self.engine = "generic"
        warnings.warn(
            f"{self!r}: too large for straight-line code (more than {LARGEST} operations); the generic engine is used",
            PerformanceWarning,
            stacklevel=4,
        )

    def _generic(self, arrays: list[Numbers], shape: tuple[int, ...]) -> Any:
        """Outputs of the model's own function, and their derivatives by complex steps."""
        results = [self._generic_value(arrays)]
        for by in self.derivatives:
            i = list(self.inputs).index(by)
            x = arrays[i]
            directions = np.swapaxes(self.model.tangent(x), -1, -2) if by == "q" else np.eye(x.shape[1])[None]
            moved: list[NDArray[Any]] = [y[:, None] for y in arrays]
            moved[i] = x[:, None] + 1j * COMPLEX_STEP * directions
            results.append(np.moveaxis(self._generic_value(moved).imag / COMPLEX_STEP, 1, -1))
        shaped = tuple(x.reshape((*shape, *own)) for x, own in zip(results, self.outputs.values(), strict=True))
        return shaped[0] if len(shaped) == 1 else shaped

    def _generic_value(self, arrays: list[NDArray[Any]]) -> NDArray[Any]:
        found = getattr(self.model, self.what)(*arrays)
        return np.stack(found, axis=-1) if isinstance(found, tuple) else found

    def __repr__(self) -> str:
        return f"<compiled {self.what} of {self.model.name!r}>"
