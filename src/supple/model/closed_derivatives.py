"""Derivatives of closed models and of what is recorded on nodes, called as any other compiled function."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from supple.engines.llvm import batches
from supple.engines.llvm.jit import host_lanes
from supple.model.compiled import Compiled, estimated_operations
from supple.model.functions.recorded import function_program
from supple.model.functions.table import signature
from supple.model.recorded_tangents import RecordedTangents

if TYPE_CHECKING:
    from supple.model.model import Model

Numbers = NDArray[np.float64]


def closed_in_blocks(model: Model, what: str, parameters: Sequence[str]) -> bool:
    """Whether derivatives are those of closed loops by blocks."""
    closed = model.loops is not None and what == "forward_dynamics"
    return closed and not parameters and model.evaluation.tangents is not None


class CompiledClosedDerivatives(Compiled):
    """Accelerations of a closed model with derivatives, see `loops.closed_slopes`: for any size of model."""

    engine = "blocks"

    def __init__(self, model: Model, derivatives: Sequence[str], threads: int | None) -> None:
        self.model, self.what, self.parameters, self.derivatives = model, "forward_dynamics", (), tuple(derivatives)
        inputs, outputs = signature(model, self.what, (), self.derivatives)
        weight = estimated_operations(model.tree, model.flex) * (1 + len(self.derivatives) * model.nv)
        super().__init__(f"{self.what} of {model.name!r}", inputs, outputs, weight, threads)
        self.lanes = host_lanes()

    def __call__(self, *inputs: ArrayLike, out: Sequence[Numbers] | None = None) -> Any:
        """The outputs for one state or a batch; see `MachineCode`."""
        return self._batch(inputs, out)

    def _batch(self, inputs: Sequence[ArrayLike], out: Sequence[Numbers] | None) -> Any:
        arrays, shape = batches.rows(self._where, self.inputs, inputs)
        if out is not None:
            batches.given(self._where, self._shapes(shape), out)
        states = int(np.prod(shape))
        found = self._slopes([np.broadcast_to(x, (states, x.shape[1])) for x in arrays])
        results = tuple(x.reshape((*shape, *own)) for x, own in zip(found, self.outputs.values(), strict=True))
        for place, x in zip(out or (), results, strict=out is not None):
            place[...] = x
        return results if out is None else tuple(out)

    def _slopes(self, arrays: Sequence[Numbers]) -> list[Numbers]:
        """Accelerations and their derivatives in the order of the outputs."""
        model, (q, v, tau) = self.model, [np.ascontiguousarray(x) for x in arrays]
        assert model.loops is not None
        slopes = model.loops.derivatives(q, v, tau, model.none_prescribed)
        by = dict(zip(self.inputs, np.split(slopes.a_slopes, [model.nq, model.nq + model.nv], axis=-1), strict=True))
        if "q" in self.derivatives:
            by["q"] = by["q"] @ model.tangent(q)
        return [slopes.a, *(by[name] for name in self.derivatives)]


class RecordedDerivatives(CompiledClosedDerivatives):
    """A function that is recorded on nodes, with derivatives: the tangents of its blocks."""

    def __init__(
        self,
        model: Model,
        what: str,
        parameters: Sequence[str],
        derivatives: Sequence[str],
        threads: int | None,
        frames: Sequence[str],
    ) -> None:
        self.model, self.what, self.parameters = model, what, tuple(parameters)
        self.derivatives, self.frames = tuple(derivatives), tuple(frames)
        inputs, outputs = signature(model, what, self.parameters, self.derivatives, self.frames)
        _, values = signature(model, what, self.parameters, (), self.frames)
        recorded = function_program(model, what, self.parameters, self.frames, straight=True)
        self._tangents = RecordedTangents(recorded, self.derivatives, tuple(values))
        weight = self._tangents.bound.program.weight
        Compiled.__init__(self, f"{what} of {model.name!r}", inputs, outputs, weight, threads)
        self.lanes = host_lanes()

    def _slopes(self, arrays: Sequence[Numbers]) -> list[Numbers]:
        """Values and their derivatives in the order of the outputs."""
        rows = [np.ascontiguousarray(x) for x in arrays]
        found = self._tangents(*rows)
        S = self.model.tangent(rows[0]) if "q" in self.derivatives else None
        return [found[name] @ S if S is not None and name.endswith("_dq") else found[name] for name in self.outputs]
