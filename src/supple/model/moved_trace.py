"""A model's equations recorded with numbers that move: derivatives along directions of state and parameters at once.

A direction moves any of the numbers that blocks load, each by its slope. The steps along the directions are inputs of
the program, at zero; the tangents of its blocks by these are directional derivatives, whatever a parameter changes: one
number, or all arrays of a flexible body.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from supple.engines.blocks.block_program import Program
from supple.engines.blocks.block_recorder import recording
from supple.engines.blocks.cells import ModelNumbers
from supple.engines.blocks.places import Place
from supple.engines.blocks.program_cache import PROGRAMS
from supple.model.number_arrays import NumberArrays
from supple.model.programs import Ends
from supple.model.recorded_trace import LIMIT, RecordedTrace, model_numbers

if TYPE_CHECKING:
    from supple.model.model import Model

STEPS, SLOPES = "steps", "slopes"
"""The input that holds the steps along the directions, and the group of the slopes."""


class NumberDirections(NamedTuple):
    """Directions in which numbers move.

    Attributes
    ----------
    places : (m,) array of int
        Among all numbers that blocks load, in ascending order.
    slopes : (m, directions) array
    """

    places: NDArray[np.intp]
    slopes: NDArray[np.float64]

    @property
    def digest(self) -> str:
        """Equal where the same numbers move."""
        return hashlib.sha256(np.ascontiguousarray(self.places, dtype=np.int64).tobytes()).hexdigest()


class MovedNumbers:
    """An array of a model's numbers, some of which move.

    Parameters
    ----------
    numbers : ModelNumbers
    moved : function of (int, Expr)
        Gives the node of the number at a place, of which the node of the number itself is known.
    places : set of int
        Of all numbers that move.
    """

    rows = True

    def __init__(self, numbers: ModelNumbers, moved: Callable[[int, Any], Any], places: frozenset[int]) -> None:
        self._numbers, self._moved, self._places = numbers, moved, places
        self.extents, self.first = numbers.extents, numbers.first

    def __len__(self) -> int:
        return len(self._numbers)

    @property
    def shape(self) -> tuple[int, ...]:
        """Lengths of the axes."""
        return self._numbers.shape

    @property
    def size(self) -> int:
        """How many numbers there are."""
        return self._numbers.size

    def __getitem__(self, key: Any) -> Any:
        found = self._numbers[key]
        parts = [x.value if type(x) is Place else int(x) for x in (key if type(key) is tuple else (key,))]
        at = self.first + int(np.ravel_multi_index(parts, self.extents))
        return self._moved(at, found) if at in self._places else found


class MovedTrace(RecordedTrace):
    """A model whose numbers move along directions, all of its equations in straight-line code, which has tangents.

    Parameters
    ----------
    model : Model
    numbers : NumberArrays
        With the group `SLOPES`, which is the last.
    places : array of int
        See `NumberDirections`.
    count : int, optional
        Of the directions; without it each number moves by itself, and there is no group `SLOPES`.

    Attributes
    ----------
    steps : array of Expr
        Inputs: how far to go along each direction, or by how much each number moves.
    """

    def __init__(self, model: Model, numbers: NumberArrays, places: NDArray[np.intp], count: int | None) -> None:
        super().__init__(model, numbers, LIMIT)
        self.graph.straight = True
        directions = len(places) if count is None else count
        self.steps = self.graph.new_inputs(STEPS, map(str, range(directions)))
        rows = {int(at): i for i, at in enumerate(places)}
        slopes, known = self.groups.pop(SLOPES, None), frozenset(rows)

        def moved(at: int, number: Any) -> Any:
            if slopes is None:
                return number + self.steps[rows[at]]
            return self.along(number, [slopes[rows[at], j] for j in range(directions)])

        for name, group in self.groups.items():
            self.groups[name] = _with_moved(group, moved, known)
        self.tree = self.moving = self.groups["tree"]
        self.flex = self.groups["flex"]

    def along(self, x: Any, slopes: Any) -> Any:
        """x + slopes . steps, on nodes."""
        for slope, step in zip(slopes, self.steps, strict=True):
            x = x + slope * step
        return x


def _with_moved(arrays: Any, moved: Callable[[int, Any], Any], places: frozenset[int]) -> Any:
    """Arrays of numbers, those with entries that move in other clothes."""
    if hasattr(arrays, "_asdict"):
        return type(arrays)(**{name: _with_moved(x, moved, places) for name, x in arrays._asdict().items()})
    if isinstance(arrays, ModelNumbers) and not places.isdisjoint(range(arrays.first, arrays.first + arrays.size)):
        return MovedNumbers(arrays, moved, places)
    return arrays


def moved_program(
    model: Model,
    directions: NumberDirections,
    key: tuple[Any, ...],
    make: Callable[[MovedTrace, Mapping[str, Any]], Ends],
    arrays: Mapping[str, Any],
    each: bool = False,
) -> tuple[Program, NDArray[np.float64]]:
    """A program for a function of a model whose numbers move, and the numbers that it loads.

    Parameters
    ----------
    model : Model
    directions : NumberDirections
        Places among the numbers of the model (`model_numbers`) and of `arrays` after it.
    key : tuple
        All that decides the function beside the model and the structure of `arrays`.
    make : function of (trace, groups)
        Gives inputs and outputs by name; `trace.steps` has to be among the inputs.
    arrays : mapping of str to array or named tuple of arrays
        Further numbers that the function takes.
    each : bool
        Whether each number moves by itself, not all along directions.
    """
    numbers = model_numbers(model, {**arrays} if each else {**arrays, SLOPES: directions.slopes})
    count = None if each else directions.slopes.shape[1]

    def blocks() -> Program:
        trace = MovedTrace(model, numbers, directions.places, count)
        with recording(trace.graph):
            inputs, outputs = make(trace, trace.groups)
        made = trace.graph.program(inputs, outputs)
        trace.graph.release()
        return made

    return PROGRAMS.stored(
        Program, (numbers.digest(), model.nq, "moved", directions.digest, count, *key), blocks
    ), numbers.values()
