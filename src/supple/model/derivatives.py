"""Compiled functions with derivatives: the tangents of a model's blocks, called as any other compiled function."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from supple.engines.llvm import batches
from supple.engines.llvm.jit import host_lanes
from supple.model.compiled import Compiled
from supple.model.functions.recursions import parametrized, recursion_of
from supple.model.functions.table import signature
from supple.model.program_sizes import rows_quickly_made
from supple.model.tangents import Tangents

if TYPE_CHECKING:
    from supple.model.model import Model

Numbers = NDArray[np.float64]
DIFFERENTIATED: dict[str, tuple[Any, ...]] = {
    "forward_dynamics": ("accelerations",),
    "inverse_mass_matrix": ("mass_matrix",),
}
"""What is differentiated where that is not the recursion of a function itself."""
MATRICES: dict[str, tuple[str, tuple[str, ...], tuple[str, ...]]] = {
    "inverse_mass_matrix": ("inverse_mass_matrix", (), ()),
    "mass_matrix": ("mass_times", ("x",), ("x",)),
}
"""Matrices dy/dx that are made as derivatives: the recursion, by what it is differentiated, and its further inputs."""


def made_by_tangents(model: Model, what: str) -> bool:
    """Whether a function without derivatives is one of a vector that stands for all columns of a matrix."""
    return what == "inverse_mass_matrix" or (what == "mass_matrix" and not rows_quickly_made(model.tree))


class CompiledDerivatives(Compiled):
    """A function of the state with derivatives, in blocks of machine code: for any size of tree.

    Without any, matrices that are derivatives themselves: see `made_by_tangents`.

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
        own = model.evaluation.tangents
        tangents = Tangents(parametrized(model, parameters)) if parameters or own is None else own
        further: tuple[str, ...] = ()
        if derivatives:
            recursion, *options = DIFFERENTIATED.get(what) or recursion_of(what)
            self._bound = tangents(recursion, self.derivatives, *options)
        else:
            recursion, by, further = MATRICES[what]
            self._bound = tangents(recursion, by)
        self._further = [np.zeros(model.nv) for _ in further]
        program = self._bound.program
        super().__init__(f"{what} of {model.name!r}", inputs, outputs, program.weight, threads)
        self.lanes = host_lanes()
        names = [*program.program.outputs, *(f"d{x.result}_d{x.by}" for x in program.jacobians)]
        wanted = list(self.outputs) if derivatives else ["dy_dx"]
        self._places = [] if self._solves else [names.index(x) for x in wanted]
        self._shaped = list(zip(self._places, self.outputs.values(), strict=False))

    def __call__(self, *inputs: ArrayLike, out: Sequence[Numbers] | None = None) -> Any:
        """The outputs for one state or a batch; see `MachineCode`."""
        if out is None:
            flat = [np.empty(size) for size in self._bound.sizes]
            if self._bound.one(*self._complete(inputs), *flat) is flat[-1]:
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
        found = self._bound.batch(self._complete(arrays), states, self.threads, direct)
        results = tuple(self._arranged(found, shape))
        if out is not None:
            if direct is None:
                for place, x in zip(out, results, strict=True):
                    place[...] = x
            results = tuple(out)
        return results if self.derivatives else results[0]

    def _complete(self, inputs: Sequence[Any]) -> list[Any]:
        """The program's inputs: vectors that stand for the columns of a matrix come after q, at zero."""
        if not (self._further and inputs):
            return list(inputs)
        zero = [x if np.ndim(inputs[0]) < 2 else x[None] for x in self._further]
        return [*inputs[:1], *zero, *inputs[1:]]

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
