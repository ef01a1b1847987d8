"""Compiled functions with derivatives: the tangents of a model's blocks, called as any other compiled function."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from supple.engines.llvm import batches
from supple.engines.llvm.jit import host_lanes
from supple.model.compiled import Compiled
from supple.model.traced_functions import signature, traced

if TYPE_CHECKING:
    from supple.model.model import Model

Numbers = NDArray[np.float64]
PROGRAMS: dict[str, tuple[Any, ...]] = {
    "forward_dynamics": ("accelerations",),
    "inverse_dynamics": ("inverse_dynamics", False, False),
    "bias_forces": ("bias_forces",),
    "mass_matrix": ("mass_matrix",),
    "inverse_mass_matrix": ("mass_matrix",),
    "kinematics": ("poses",),
    "energy": ("energies",),
    "sums": ("sums",),
    "derivative": ("rates",),
}
"""The recursion of each function, and its options."""


def in_blocks(model: Model, what: str, parameters: Sequence[str]) -> bool:
    """Whether the derivatives of a function are made by blocks."""
    closed = model.loops is not None and what == "forward_dynamics"
    return what in PROGRAMS and not parameters and not closed and model.evaluation.tangents is not None


class CompiledDerivatives(Compiled):
    """A function of the state with derivatives, in blocks of machine code: for any size of model.

    Attributes
    ----------
    engine : str
        "blocks".
    """

    def __init__(self, model: Model, what: str, derivatives: Sequence[str], threads: int | None) -> None:
        self.model, self.what, self.parameters, self.derivatives = model, what, (), tuple(derivatives)
        self.inputs, self.outputs = signature(model, what, (), self.derivatives)
        self.engine, self.lanes, self.threads = "blocks", host_lanes(), threads or os.cpu_count() or 1
        self._where = f"<compiled {what} of {model.name!r}>"
        self._make = lambda: traced(model, what, (), self.derivatives)
        assert model.evaluation.tangents is not None
        recursion, *options = PROGRAMS[what]
        self._bound = model.evaluation.tangents(recursion, self.derivatives, *options)
        self.weight = self._bound.program.weight
        program = self._bound.program
        names = [*program.program.outputs, *(f"d{x.result}_d{x.by}" for x in program.jacobians)]
        self._places = [names.index(x) for x in self.outputs] if what != "inverse_mass_matrix" else []
        self._shaped = [] if what == "kinematics" else list(zip(self._places, self.outputs.values(), strict=False))

    def __call__(self, *inputs: ArrayLike, out: Sequence[Numbers] | None = None) -> Any:
        """The outputs for one state or a batch; see `MachineCode`."""
        if out is None:
            flat = [np.empty(size) for size in self._bound.sizes]
            if self._bound.one(*inputs, *flat) is flat[-1]:
                if self._shaped:
                    return tuple([flat[n].reshape(own) for n, own in self._shaped])
                return tuple(self._arranged([x[None] for x in flat], ()))
        return self._batch(inputs, out)

    def _batch(self, inputs: Sequence[ArrayLike], out: Sequence[Numbers] | None) -> Any:
        arrays, shape = batches.rows(self._where, self.inputs, inputs)
        if out is not None:
            batches.given(self._where, self._shapes(shape), out)
            arrays = batches.apart(arrays, out)
        states = int(np.prod(shape))
        direct = self._direct(out, states)
        found = self._bound.batch(arrays, states, self.threads, direct)
        results = tuple(self._arranged(found, shape))
        if out is not None:
            if direct is None:
                for place, x in zip(out, results, strict=True):
                    place[...] = x
            results = tuple(out)
        return results

    def _direct(self, out: Sequence[Numbers] | None, states: int) -> list[Numbers] | None:
        """The caller's arrays as the program fills them, if its results are the function's outputs."""
        if out is None or not self._places or self.what == "kinematics":
            return None
        sizes = self._bound.sizes
        given = {n: x.reshape(states, sizes[n]) for n, x in zip(self._places, out, strict=True)}
        return [given[n] if n in given else np.empty((states, size)) for n, size in enumerate(sizes)]

    def _arranged(self, found: list[Numbers], shape: tuple[int, ...]) -> list[Numbers]:
        """The outputs in their order and shapes."""
        if self.what == "inverse_mass_matrix":
            return self._inverted(found, shape)
        results = []
        for n, own in zip(self._places, self.outputs.values(), strict=True):
            x = found[n]
            if self.what == "kinematics":  # the ground comes first
                x = x[:, x.shape[1] // (len(self.model.bodies) + 1) :]
            results.append(x.reshape((*shape, *own)))
        return results

    def _inverted(self, found: list[Numbers], shape: tuple[int, ...]) -> list[Numbers]:
        """W = M^-1 and dW = -W dM W."""
        n, states = self.model.nv, len(found[0])
        W = np.asarray(np.linalg.inv(found[0].reshape(states, n, n)), dtype=np.float64)
        results: list[Numbers] = [W]
        for x in found[1:]:
            dM = np.moveaxis(x.reshape(states, n, n, -1), -1, 1)
            results.append(np.moveaxis(-(W[:, None] @ dM @ W[:, None]), 1, -1))
        return [x.reshape((*shape, *own)) for x, own in zip(results, self.outputs.values(), strict=True)]
