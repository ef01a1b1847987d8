"""Functions of a model compiled to machine code: `Model.compile`."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from supple.engines.llvm.batches import Numbers
from supple.engines.llvm.graph_function import GraphFunction
from supple.engines.llvm.machine_code import MachineCode
from supple.errors import StateError
from supple.expressions.function import Function
from supple.expressions.graph import GraphTooLarge
from supple.model.functions.frames_on_nodes import arrays_of
from supple.model.functions.table import signature
from supple.model.traced_functions import traced
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


class Compiled(GraphFunction):
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
        "blocks", shared by all models of a structure, or "folded", code for this model alone with all numbers folded.
    function : Function
        The graph, made when it is asked for: for derivatives, printing, counting.
    """

    engine: str
    model: Model
    what: str
    parameters: tuple[str, ...]
    derivatives: tuple[str, ...]
    frames: tuple[str, ...] = ()

    def _traced(self) -> Function:
        return traced(self.model, self.what, self.parameters, self.derivatives, frames=self.frames or None)


class FoldedFunction(Compiled, MachineCode):
    """One kernel for one model, its numbers folded: it takes seconds to compile, and is the fastest for small models.

    Parameters
    ----------
    model : Model
    what : str
    parameters, derivatives : sequence of str
    threads : int, optional
    frames : sequence of str
    """

    engine = "folded"

    def __init__(
        self,
        model: Model,
        what: str,
        parameters: Sequence[str],
        derivatives: Sequence[str],
        threads: int | None,
        frames: Sequence[str] = (),
    ) -> None:
        self.model, self.what, self.frames = model, what, tuple(frames)
        self.parameters, self.derivatives = tuple(parameters), tuple(derivatives)
        inputs, outputs = signature(model, what, self.parameters, self.derivatives, self.frames)
        places = [x.tobytes() for x in arrays_of(model, self.frames)]
        key = model_key(model, what, self.parameters, self.derivatives, places)
        weight = model.estimated_operations // 2 * (1 + len(self.derivatives) * model.nv)
        name = f"{what} of {model.name!r}"
        try:
            MachineCode.__init__(self, name, inputs, outputs, key, self._traced, weight=weight, threads=threads)
        except GraphTooLarge:
            raise StateError(
                f"{self!r}: the model is too large for code with all its numbers folded (more than {LARGEST} "
                f"operations){self._remedy()}"
            ) from None

    def _remedy(self) -> str:
        closed = self.model.loops is not None and self.derivatives
        return "" if closed else "; without fold=True there is no such limit"

    def _traced(self) -> Function:
        if self.model.estimated_operations > 4 * LARGEST:
            raise GraphTooLarge(f"about {self.model.estimated_operations} operations")
        function = traced(self.model, self.what, self.parameters, self.derivatives, LIMIT, self.frames or None)
        if len(function.order) > LARGEST:
            raise GraphTooLarge(f"{len(function.order)} nodes")
        return function
