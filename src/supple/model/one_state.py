"""Functions of one state without any detour: built-in functions of Python that check their arguments themselves.

Each gives None where it cannot serve: for batches, lists, complex or non-finite numbers, degrees of freedom without
inertia, and for models whose blocks would take long to make. The general way then gives the result, or the message.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from supple.engines.blocks.block_program import BoundProgram
from supple.engines.blocks.tangent_program import BoundTangents
from supple.model.body_frames import BodyFrame, frame_arrays
from supple.model.evaluation import Evaluation
from supple.model.frame_programs import GROUND, Seen
from supple.model.functions.table import FUNCTIONS, WRENCH, ModelFunction, sizes_of
from supple.model.program_sizes import MOST_PATH_BODIES
from supple.model.programs import ModelStructure, Programs
from supple.recursions.frame_paths import frame_paths

Call = Callable[..., Any]
BY_VALUES = ("mass_matrix",)
"""Functions of many small steps, each a block of its own where a body is: long blocks take half of the time."""


def declined(*_: Any) -> None:
    """Return None: there is no such way."""


class OneState:
    """The functions of the table by name, made when they are first called.

    Parameters
    ----------
    evaluation : Evaluation
    bodies : sequence of str
    quaternions : sequence of int
        Places in q of the last parts of quaternions.

    Attributes
    ----------
    closed : function, optional
        Gives the program of the accelerations of a model with closed loops.
    values : function, optional
        Gives the program of a function by name that is compiled, see `compiled.value_program`.
    """

    def __init__(self, evaluation: Evaluation, bodies: Sequence[str], quaternions: Sequence[int]) -> None:
        self._evaluation, self._quaternions = evaluation, tuple(quaternions)
        self.closed: Callable[[], BoundProgram | None] | None = None
        self.values: Callable[[str], BoundProgram] | None = None
        self._names = tuple(bodies)

    @property
    def nq(self) -> int:
        """Number of coordinates."""
        return self._evaluation.nq

    @property
    def nv(self) -> int:
        """Number of speeds."""
        return self._evaluation.nv

    @property
    def bodies(self) -> tuple[str, ...]:
        """Names of the bodies."""
        return self._names

    @cached_property
    def linearize(self) -> Call:
        """A and B of the motion close to a state, see `linearization`."""
        evaluation, n = self._evaluation, self.nv
        if evaluation.tangents is None or not n:
            return declined
        by = "q", "v", "tau"
        slopes = evaluation.tangents("accelerations", by).call(
            {f"da_d{name}": (n, n) for name in by}, quaternions=self._quaternions
        )
        forward, turning = self.forward_dynamics, self.direction_rates
        turns = bool((evaluation.tree.q_of_speed < 0).any())
        rest, unit = np.zeros((2 * n, n)), np.eye(n)
        start = np.concatenate([rest, np.concatenate([unit, np.zeros((n, n))])], axis=1)

        def linearized(q: Any, v: Any, tau: Any) -> tuple[Any, Any] | None:
            if forward(q, v, tau) is None:  # a speed without inertia, among others
                return None
            found = slopes(q, v, tau)
            if found is None:
                return None
            A, B = start.copy(), rest.copy()
            A[n:, :n], A[n:, n:], B[n:] = found
            if turns:
                A[:n, :n] = turning(q, v)
            return A, B

        return linearized

    def __getattr__(self, name: str) -> Call:
        """A function that is about no frames; it is an attribute from now on."""
        if name not in FUNCTIONS:
            raise AttributeError(name)
        made = self._made(FUNCTIONS[name])
        setattr(self, name, made)
        return made

    def _made(self, function: ModelFunction) -> Call:
        bound = self._bound(function)
        if bound is None:
            return declined
        shapes = function.shapes(sizes_of(self))
        if function.by:
            (name,) = shapes
            shapes = {f"dy_d{function.by}": shapes[name]}
        return self.call(bound, shapes, function)

    def _bound(self, function: ModelFunction) -> BoundProgram | BoundTangents | None:
        """The program with the numbers of the model; None where blocks would take long to make."""
        if self.closed is not None and function.solves:
            return self.closed() if function.name == "forward_dynamics" else None
        evaluation, free = self._evaluation, ((False,) * self.nv,) if function.free else ()
        if function.by:
            tangents = evaluation.tangents
            return None if tangents is None or not self.nv else tangents(function.recursion, (), *function.options)
        programs = evaluation.programs
        if programs is None or not programs.serves(function.recursion):
            return None
        if self.values is not None and function.name in BY_VALUES:
            return self.values(function.name)
        return programs(function.recursion, *free, *function.options)

    def call(
        self, bound: BoundProgram | BoundTangents, shapes: dict[str, tuple[int, ...]], function: ModelFunction
    ) -> Call:
        """Return the built-in function of a program."""
        scalars = [i for i, x in enumerate(function.inputs) if x.shape == ()]
        quaternions = self._quaternions if function.inputs[0].name == "q" else ()
        return bound.call(shapes, scalars=scalars, quaternions=quaternions)

    def of_frames(self, name: str, frames: Sequence[BodyFrame], seen: Seen | None = None, single: bool = False) -> Call:
        """Return a function of the table about frames, or with wrenches at them as one more input.

        Parameters
        ----------
        name : str
        frames : sequence of BodyFrame
        seen : Seen, optional
            How they are looked at, for functions about frames.
        single : bool
            Whether the results are those of one frame, without an axis for frames.
        """
        evaluation, function = self._evaluation, FUNCTIONS[name]
        if not function.frames:
            options: tuple[Any, ...] = ((False,) * self.nv,) if function.free else ()
            function = replace(
                function, inputs=(*function.inputs, WRENCH), recursion=function.loaded, options=(), frames=True
            )
            if (self.closed is not None and function.free) or any(x.node and not x.node.turning for x in frames):
                return declined
        elif seen is not None:
            options = tuple(seen) if name != "pose" else (seen.number, GROUND, seen.base)
        if evaluation.programs is None or len(self._names) > MOST_PATH_BODIES:
            return declined
        paths = frame_paths(evaluation.tree.parent, frame_arrays(frames))
        programs = Programs(ModelStructure(evaluation.tree, evaluation.flex, evaluation.nq, paths=paths))
        shapes = function.shapes(sizes_of(self, len(frames) if seen is None else seen.number))
        if single:
            shapes = {key: shape[1:] for key, shape in shapes.items()}
        return self.call(programs(function.recursion, *options), shapes, function)
