"""Derivatives of functions of time, state and held values: the tangents of their blocks, all numbers loaded."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from supple.engines.blocks.compiled_function import CompiledFunction
from supple.model.recorded_tangents import RecordedTangents

Vector = NDArray[np.float64]


class StateSlopes:
    """The Jacobians of a kernel's one output.

    Parameters
    ----------
    kernel : CompiledFunction
    by : sequence of str
        Arguments by which it is differentiated; what Python functions give that are called is taken as constant.
    """

    def __init__(self, kernel: CompiledFunction, by: Sequence[str]) -> None:
        (result,) = kernel.program.outputs
        self._bound = RecordedTangents((kernel.program, kernel.numbers), by, (result,)).bound
        self._shapes = list(self._bound.program.jacobians.values())

    def __call__(self, *inputs: Vector) -> list[Vector]:
        """Jacobians (m, k) at one state, from all arguments of the kernel."""
        found = self._bound.evaluated([x[None] for x in inputs])
        return [x.reshape(shape) for x, shape in zip(found[1:], self._shapes, strict=True)]
