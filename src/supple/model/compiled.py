"""Functions of a model compiled to machine code: `Model.compile`."""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from supple.engines.llvm import batches
from supple.engines.llvm.batches import Numbers
from supple.engines.llvm.machine_code import MachineCode
from supple.errors import PerformanceWarning, StateError
from supple.expressions.function import Function
from supple.expressions.graph import GraphTooLarge
from supple.model.complex_steps import imaginary_steps, step_slopes
from supple.model.traced_functions import signature, traced
from supple.recursions.tree import Flex, Tree

if TYPE_CHECKING:
    from supple.model.model import Model

LARGEST = 150_000
"""Operations beyond which straight-line code is not made: it would take minutes to compile and not fit any cache."""
LIMIT = 20 * LARGEST
"""Nodes at which tracing is given up: derivatives make many that are not needed in the end."""


def estimated_operations(tree: Tree, flex: Flex | None) -> int:
    """Operations of forward dynamics, roughly, from the arrays of a model."""
    total = 500 * (len(tree.parent) - 1)
    if flex is not None:
        n, full, row = flex.modes, flex.full, flex.mode_row
        ports = flex.port_first[1:] - flex.port_first[:-1]
        pairs, mesh, factor = (
            x[row + n] - x[row] for x in (flex.pair_first, flex.offdiagonal_first, flex.factor_first)
        )
        total += int(np.sum(80 * n + 1500 * ports + 4 * mesh + 4 * factor))
        total += int(np.sum(full * (40 * n + 80 * n * ports + 25 * pairs + 24 * factor)))
    return total


class Numbered(Protocol):
    """What has numbers and names that decide its equations: a model of any formulation."""

    @property
    def bodies(self) -> tuple[str, ...]:
        """Their names."""
        ...

    @property
    def coordinates(self) -> tuple[str, ...]:
        """Their names."""
        ...

    @property
    def speeds(self) -> tuple[str, ...]:
        """Their names."""
        ...

    def arrays(self) -> dict[str, Numbers]:
        """All numbers, by name."""
        ...


def model_key(model: Numbered, *more: Any) -> str:
    """What decides the code of a function of a model: the model's numbers and names, and what else is given.

    Everything that a trace reads must be among the model's `arrays`, also numbers that it takes from the description.
    """
    digest = hashlib.sha256(repr(more).encode())
    for field, x in model.arrays().items():
        digest.update(f"{field} {x.dtype} {x.shape}".encode() + np.ascontiguousarray(x).tobytes())
    digest.update(repr((model.bodies, model.coordinates, model.speeds)).encode())
    return digest.hexdigest()


class Compiled(MachineCode):
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

    def __init__(
        self, model: Model, what: str, parameters: Sequence[str], derivatives: Sequence[str], threads: int | None
    ) -> None:
        self.model, self.what = model, what
        self.parameters, self.derivatives = tuple(parameters), tuple(derivatives)
        inputs, outputs = signature(model, what, self.parameters, self.derivatives)
        key = model_key(model, what, self.parameters, self.derivatives)
        weight = model.estimated_operations // 2 * (1 + len(self.derivatives) * model.nv)
        self.engine = "llvm"
        try:
            super().__init__(
                f"{what} of {model.name!r}", inputs, outputs, key, self._traced, weight=weight, threads=threads
            )
        except GraphTooLarge:
            self._fall_back()

    def _traced(self) -> Function:
        if self.model.estimated_operations > 4 * LARGEST:
            raise GraphTooLarge(f"about {self.model.estimated_operations} operations")
        function = traced(self.model, self.what, self.parameters, self.derivatives, LIMIT)
        if len(function.order) > LARGEST:
            raise GraphTooLarge(f"{len(function.order)} nodes")
        return function

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

    def _batch(self, inputs: Sequence[ArrayLike], out: Sequence[Numbers] | None) -> Any:
        if self.engine == "llvm":
            return super()._batch(inputs, out)
        arrays, shape = batches.rows(repr(self), self.inputs, inputs)
        if out is not None:
            batches.given(repr(self), self._shapes(shape), out)
        results = tuple(x.reshape(own) for x, own in zip(self._generic(arrays), self._shapes(shape), strict=True))
        if out is not None:
            for place, x in zip(out, results, strict=True):
                place[...] = x
            results = tuple(out)
        return results[0] if len(results) == 1 else results

    def _generic(self, arrays: list[Numbers]) -> list[NDArray[Any]]:
        """Outputs of the model's own function, and their derivatives by complex steps."""
        results = [self._generic_value(arrays)]
        for by in self.derivatives:
            i = list(self.inputs).index(by)
            x = arrays[i]
            directions = np.swapaxes(self.model.tangent(x), -1, -2) if by == "q" else np.eye(x.shape[1])[None]
            moved: list[NDArray[Any]] = [y[:, None] for y in arrays]
            moved[i] = imaginary_steps(x, directions)
            results.append(np.moveaxis(step_slopes(self._generic_value(moved)), 1, -1))
        return results

    def _generic_value(self, arrays: list[NDArray[Any]]) -> NDArray[Any]:
        found = getattr(self.model, self.what)(*arrays)
        return np.stack(found, axis=-1) if isinstance(found, tuple) else found
