"""Compiled functions with derivatives: the tangents of a model's blocks, called as any other compiled function."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from supple.engines.llvm import batches
from supple.engines.llvm.jit import host_lanes
from supple.model.compiled import Compiled
from supple.model.compiled_blocks import RECURSION_OF, parametrized
from supple.model.tangents import Tangents
from supple.model.traced_functions import signature

if TYPE_CHECKING:
    from supple.model.model import Model

Numbers = NDArray[np.float64]
PROGRAMS: dict[str, tuple[Any, ...]] = RECURSION_OF | {
    "forward_dynamics": ("accelerations",),
    "inverse_mass_matrix": ("mass_matrix",),
}
"""The recursion of each function that is differentiated, and its options."""
INVERSE = "dy_dx"
"""M^-1 as `DifferentiatedRecording.inverse_mass_matrix` names it."""


class CompiledDerivatives(Compiled):
    """A function of the state with derivatives, in blocks of machine code: for any size of tree.

    The inverse mass matrix is one without any: it is a derivative itself.

    Parameters
    ----------
    model : Model
    what : str
    parameters : sequence of str
        Numbers that are one more input.
    derivatives : sequence of str
    threads : int, optional
    """

    engine = "blocks"

    def __init__(
        self, model: Model, what: str, parameters: Sequence[str], derivatives: Sequence[str], threads: int | None
    ) -> None:
        self.model, self.what = model, what
        self.parameters, self.derivatives = tuple(parameters), tuple(derivatives)
        inputs, outputs = signature(model, what, self.parameters, self.derivatives)
        self._solves = what == "inverse_mass_matrix" and bool(derivatives)
        recursion, *options = PROGRAMS[what] if derivatives else (what,)
        own = model.evaluation.tangents
        tangents = Tangents(parametrized(model, parameters)) if parameters or own is None else own
        self._bound = tangents(recursion, self.derivatives, *options)
        program = self._bound.program
        super().__init__(f"{what} of {model.name!r}", inputs, outputs, program.weight, threads)
        self.lanes = host_lanes()
        names = [*program.program.outputs, *(f"d{x.result}_d{x.by}" for x in program.jacobians)]
        wanted = list(self.outputs) if derivatives else [INVERSE]
        self._places = [] if self._solves else [names.index(x) for x in wanted]
        self._shaped = list(zip(self._places, self.outputs.values(), strict=False))

    def __call__(self, *inputs: ArrayLike, out: Sequence[Numbers] | None = None) -> Any:
        """The outputs for one state or a batch; see `MachineCode`."""
        if out is None:
            flat = [np.empty(size) for size in self._bound.sizes]
            if self._bound.one(*inputs, *flat) is flat[-1]:
                if self._solves:
                    return tuple(self._inverted([x[None] for x in flat], ()))
                results = tuple([flat[n].reshape(own) for n, own in self._shaped])
                return results if self.derivatives else results[0]
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
        return results if self.derivatives else results[0]

    def _direct(self, out: Sequence[Numbers] | None, states: int) -> list[Numbers] | None:
        """The caller's arrays as the program fills them, if its results are the function's outputs."""
        if out is None or self._solves:
            return None
        sizes = self._bound.sizes
        given = {n: x.reshape(states, sizes[n]) for n, x in zip(self._places, out, strict=True)}
        return [given[n] if n in given else np.empty((states, size)) for n, size in enumerate(sizes)]

    def _arranged(self, found: list[Numbers], shape: tuple[int, ...]) -> list[Numbers]:
        """The outputs in their order and shapes."""
        if self._solves:
            return self._inverted(found, shape)
        return [found[n].reshape((*shape, *own)) for n, own in self._shaped]

    def _inverted(self, found: list[Numbers], shape: tuple[int, ...]) -> list[Numbers]:
        """W = M^-1 and dW = -W dM W."""
        n, states = self.model.nv, len(found[0])
        W = np.asarray(np.linalg.inv(found[0].reshape(states, n, n)), dtype=np.float64)
        results: list[Numbers] = [W]
        for x in found[1:]:
            dM = np.moveaxis(x.reshape(states, n, n, -1), -1, 1)
            results.append(np.moveaxis(-(W[:, None] @ dM @ W[:, None]), 1, -1))
        return [x.reshape((*shape, *own)) for x, own in zip(results, self.outputs.values(), strict=True)]
