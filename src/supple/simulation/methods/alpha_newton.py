"""Newton iterations of implicit steps: by blocks, or by sweeps for closed loops and models too large for blocks."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from supple.engines.llvm.call import invoke
from supple.model.implicit_programs import ImplicitStructure, newton_function
from supple.model.loops.closure_arrays import spring_closures
from supple.model.model import Model
from supple.recursions.closed_implicit import closed_newton_iteration, newton_iteration
from supple.recursions.closures import closure_workspace
from supple.recursions.implicit import Correction, WorkingTree, stiff_workspace
from supple.recursions.spring_slopes import SpringSlopes
from supple.recursions.states import Actuation, States
from supple.recursions.tree import Flex, Tree, sizes, workspace
from supple.simulation.methods.segment import Vector

MOST_SPRINGS = 8
"""Between frames, that blocks have: with more, what is written out for their rows takes long to record."""


class BlockNewton:
    """By blocks.

    Attributes
    ----------
    function : PreparedFunction
    """

    def __init__(self, model: Model, stiff: tuple[Tree, Flex | None], prescribed: NDArray[np.bool_]) -> None:
        structure = ImplicitStructure(model.tree, model.flex, model.nq, *stiff)
        self.function = newton_function(structure, prescribed)
        self.force, self.correction = np.zeros((2, model.nv))

    def __call__(self, renew: bool, q: Vector, v: Vector, known: Vector, w: Vector) -> None:
        address = self.function.renewed if renew else self.function.kept
        state = (np.ascontiguousarray(x) for x in (q, v, known, w))
        invoke(address, 0, 1, *state, self.force, self.correction)


class SweepNewton:
    """By the compiled sweep."""

    def __init__(self, model: Model, stiff: tuple[Tree, Flex | None], prescribed: NDArray[np.bool_]) -> None:
        size = sizes(model.tree, model.flex)
        own, fresh = (workspace(size, np.float64) for _ in range(2))
        self._own = WorkingTree(model.tree, model.flex, own)
        self._stiff = WorkingTree(*stiff, stiff_workspace(own, fresh))
        self._state = States(np.zeros(model.nq), np.zeros(model.nv))
        self._actuation = Actuation(np.zeros(model.nv), prescribed, model.no_wrench(float)[0])
        self.force, residual, self.correction = np.zeros((3, model.nv))
        self._out = Correction(self.force, residual, self.correction)
        self._springs = spring_slopes_of(model)

    def __call__(self, renew: bool, q: Vector, v: Vector, known: Vector, w: Vector) -> None:
        self._state.q[:], self._state.v[:], self._actuation.drive[:] = q, v, known
        self._iterate(renew, np.ascontiguousarray(w))

    def _iterate(self, renew: bool, w: Vector) -> None:
        newton_iteration(self._own, self._stiff, self._springs, renew, self._state, self._actuation, w, self._out)


class ClosedNewton(SweepNewton):
    """By the compiled sweep, with closed loops."""

    def __init__(self, model: Model, stiff: tuple[Tree, Flex | None], prescribed: NDArray[np.bool_]) -> None:
        super().__init__(model, stiff, prescribed)
        assert model.loops is not None
        self._closures = model.loops.arrays
        self._closed = closure_workspace(self._closures, model.nv, np.float64)

    def _iterate(self, renew: bool, w: Vector) -> None:
        trees = self._closures, self._own, self._stiff, self._springs
        closed_newton_iteration(*trees, renew, self._state, self._actuation, w, self._closed, self._out)


def spring_slopes_of(model: Model) -> SpringSlopes | None:
    """Arrays for the springs between frames; None if there are none."""
    if not len(model.tree.spring_frames):
        return None
    closures = spring_closures(model.tree)
    rows = len(closures.row_kind)
    return SpringSlopes(
        closures, closure_workspace(closures, model.nv, np.float64), np.zeros(rows * rows), np.zeros(rows)
    )


def newton_iteration_of(
    model: Model, stiff: tuple[Tree, Flex | None], prescribed: NDArray[np.bool_]
) -> BlockNewton | SweepNewton:
    """The iteration of a model, given the arrays of M + g_1 C + g_2 K; prescribed accelerations (nv,) stay."""
    if model.loops is not None:
        return ClosedNewton(model, stiff, prescribed)
    blocks = model.evaluation.programs is not None and len(model.tree.spring_frames) <= MOST_SPRINGS
    kind = BlockNewton if blocks else SweepNewton
    return kind(model, stiff, prescribed)
