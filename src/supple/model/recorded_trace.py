"""A model's equations recorded as blocks: the trace whose numbers are loaded."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from supple.engines.blocks.block_program import Program
from supple.engines.blocks.block_recorder import LARGE, recording
from supple.engines.blocks.graph_recorder import GraphRecorder
from supple.engines.blocks.program_cache import PROGRAMS
from supple.expressions.function import Nodes
from supple.model import looped_closures
from supple.model.number_arrays import NumberArrays
from supple.model.parameter_arrays import ParameterArrays
from supple.model.programs import Ends, recorded
from supple.model.trace import Trace
from supple.recursions.closures import Closures
from supple.recursions.tree import Flex, Frames, Tree

if TYPE_CHECKING:
    from supple.model.model import Model


LIMIT = 600_000
"""Nodes at which recording is given up: it would take many seconds."""


DESCRIBED, FRAMES = "described", "frames"
"""The groups of numbers of bodies of which some are parameters, and of the frames that a function is about."""


def model_numbers(model: Model, more: Mapping[str, Any] | None = None) -> NumberArrays:
    """All arrays of a model, and further ones, as blocks load them."""
    closures = None if model.loops is None else model.loops.arrays
    return NumberArrays({"tree": model.tree, "flex": model.flex, "closures": closures} | dict(more or {}))


class RecordedTrace(Trace):
    """A model whose state is made of nodes in blocks, and whose numbers are loaded.

    Parameters
    ----------
    model : Model
        Gives names and structure; of its numbers only those that belong to the structure are used.
    numbers : NumberArrays
        See `model_numbers`.
    limit : int, optional
        Most nodes there may be.
    parameters : ParameterArrays, optional
        Numbers that are inputs; their group `DESCRIBED` is among the numbers.
    largest : int
        See `GraphRecorder`.

    Attributes
    ----------
    groups : dict of str to arrays
        All arrays of `numbers` as loads.
    """

    graph: GraphRecorder

    def __init__(
        self,
        model: Model,
        numbers: NumberArrays,
        limit: float = math.inf,
        parameters: ParameterArrays | None = None,
        largest: int = LARGE,
    ) -> None:
        self.model = model
        self.graph = GraphRecorder(limit, largest)
        self.parameters, self.symbols = {}, {}
        self.groups = numbers.loaded(self.graph)
        self.tree: Tree = self.groups["tree"]
        if parameters is not None:
            leaves = self.graph.new_inputs("parameters", parameters.names)
            self.parameters = dict(zip(parameters.names, leaves, strict=True))
            self.tree = self.tree._replace(**parameters.nodes(list(leaves), self.tree, self.groups[DESCRIBED]))
        self.flex: Flex | None = self.groups["flex"]
        closures = self.groups["closures"]
        self.graph.aligned = closures is not None and len(closures.row_kind) > looped_closures.WRITTEN_OUT
        self.moving = self.tree
        self.q = self.graph.new_inputs("q", model.coordinates)
        self.v = self.graph.new_inputs("v", model.speeds)
        self.tau = self.graph.new_inputs("tau", model.speeds)
        self.a = self.graph.new_inputs("a", model.speeds)

    def run(self, recursion: Any) -> Callable[..., Any]:
        """A step or sweep as it is recorded, a block a body."""
        return recorded(recursion)

    def closed(self, q: Nodes, v: Nodes, given: NDArray[np.bool_]) -> tuple[Nodes, Nodes, Nodes]:
        """The same as of any trace, kept in cells of their own: what follows is the code of any other state."""
        *state, S = super().closed(q, v, given)
        q, v = self.graph.kept(*state)
        return q, v, S

    def least_forces(self, S: Nodes, *right: Nodes) -> list[Nodes]:
        """The same as of any trace, in loops where constraint equations are many."""
        few = looped_closures.written_out(len(S))
        return super().least_forces(S, *right) if few else looped_closures.least_forces(S, *right)

    def weighted_rows(self, weights: Nodes, rows: Nodes) -> Nodes:
        """The same as of any trace, in loops where constraint equations are many."""
        few = looped_closures.written_out(len(weights))
        return super().weighted_rows(weights, rows) if few else looped_closures.weighted_rows(weights, rows)

    def pivots(self, S: Nodes) -> Nodes:
        """The same as of any trace, in loops where constraint equations are many."""
        few = looped_closures.written_out(len(S))
        return super().pivots(S) if few else looped_closures.pivots(S)

    def closure_margins(self, S: Nodes) -> Nodes:
        """The same as of any trace, in blocks of their own: who does not ask for them leaves these out."""
        self.graph.end()
        found = super().closure_margins(S)
        self.graph.end()
        return found

    def frames_by_name(self, names: Sequence[str]) -> Frames:
        """The frames of the program, their numbers loaded."""
        found: Frames = self.groups[FRAMES]
        return found

    def closure_arrays(self) -> Closures:
        """The constraints, their numbers loaded."""
        found: Closures = self.groups["closures"]
        return found


def recorded_program(
    model: Model, key: tuple[Any, ...], make: Callable[[Any, Mapping[str, Any]], Ends], arrays: Mapping[str, Any]
) -> tuple[Program, NDArray[np.float64]]:
    """A program for a function of a model on nodes, and its numbers: see `formulations.protocol`."""
    return _recorded(model, model_numbers(model, arrays), key, make)


def parametrized_program(
    model: Model,
    parameters: Sequence[str],
    key: tuple[Any, ...],
    make: Callable[[RecordedTrace], Ends],
    more: Mapping[str, Any] | None = None,
    largest: int = LARGE,
) -> tuple[Program, NDArray[np.float64]]:
    """The same, some of the model's numbers being nodes: the trace's `parameters`."""
    if not parameters:
        return _recorded(model, model_numbers(model, more), (*key, largest), lambda t, _: make(t), largest=largest)
    arrays = ParameterArrays(model, parameters)
    numbers = model_numbers(model, {DESCRIBED: arrays.described} | dict(more or {}))
    return _recorded(model, numbers, (*key, largest, arrays.key), lambda t, _: make(t), arrays, largest)


def closed_program(
    model: Model,
    closures: Closures,
    key: tuple[Any, ...],
    inputs: Sequence[str],
    make: Callable[[RecordedTrace], Mapping[str, Nodes]],
) -> tuple[Program, NDArray[np.float64]]:
    """A program for a function of q, v, tau of a tree with constraints on top, which its model need not have yet."""
    numbers = NumberArrays({"tree": model.tree, "flex": model.flex, "closures": closures})

    def ends(t: RecordedTrace, _: Mapping[str, Any]) -> Ends:
        return {name: getattr(t, name) for name in inputs}, make(t)

    return _recorded(model, numbers, key, ends)


def _recorded(
    model: Model,
    numbers: NumberArrays,
    key: tuple[Any, ...],
    make: Callable[[Any, Mapping[str, Any]], Ends],
    parameters: ParameterArrays | None = None,
    largest: int = LARGE,
) -> tuple[Program, NDArray[np.float64]]:
    def blocks() -> Program:
        trace = RecordedTrace(model, numbers, LIMIT, parameters, largest)
        with recording(trace.graph):
            inputs, outputs = make(trace, trace.groups)
        made = trace.graph.program(inputs, outputs)
        trace.graph.release()
        return made

    return PROGRAMS.stored(Program, (numbers.digest(), model.nq, *key), blocks), numbers.values()
