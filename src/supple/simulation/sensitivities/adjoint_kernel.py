"""Weighted sums of functions of time, state and held values with their gradients, in reverse."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supple.engines.blocks.adjoint_program import BoundAdjoints
from supple.expressions.function import Nodes
from supple.inputs.driven import DrivenEquations
from supple.model.gradients import adjoint_program
from supple.model.moved_trace import STEPS, MovedTrace, moved_program
from supple.simulation.driven_system import DrivenSystem
from supple.simulation.sensitivities.tangent_kernel import VALUE, Directions, MovedSystem

Vector = NDArray[np.float64]
WEIGHTS = "weights"


class AdjointKernel:
    """A weighted sum of a function of (t, y, u), and its gradient by y, u and the numbers that move.

    The cost of the gradient is a few times that of the function, by however many parameters.

    Parameters
    ----------
    system : DrivenSystem
    directions : Directions
    what : str
        Its name, and all that decides it beside the structure of model and laws.
    make : function of DrivenEquations
        Gives the values as nodes.
    size : int
        How many values there are.
    further : sequence of str
        One more argument, and the names of its entries.

    Attributes
    ----------
    slopes : (m, P) array
        How the numbers that move do so along the directions.
    """

    def __init__(
        self,
        system: DrivenSystem,
        directions: Directions,
        what: str,
        make: Callable[[DrivenEquations], Nodes],
        size: int,
        further: Sequence[str] = (),
    ) -> None:
        made = MovedSystem(system, directions)
        self.slopes = made.directions.slopes

        def recorded(trace: MovedTrace, groups: Mapping[str, Any]) -> tuple[dict[str, Nodes], dict[str, Nodes]]:
            e = made.equations(trace, groups, None)
            leaves = dict(e.inputs)
            if further:
                leaves[further[0]] = e.inputs[further[0]] = trace.graph.new_inputs("", further)
            leaves[WEIGHTS] = trace.graph.new_inputs(WEIGHTS, map(str, range(size)))
            leaves[STEPS] = trace.steps
            total: Any = trace.graph.zero
            for weight, x in zip(leaves[WEIGHTS], make(e), strict=True):
                total = total + weight * x
            return leaves, {VALUE: np.array([trace.graph.node(total)], dtype=object)}

        key = (*made.key, f"adjoint {what}", tuple(further), size)
        program, numbers = moved_program(made.model, made.directions, key, recorded, made.arrays, each=True)
        sizes = {"y": system.size, "u": len(system.u_0), STEPS: len(self.slopes)}
        self._by = tuple(name for name, n in sizes.items() if n)
        self._bound = BoundAdjoints(adjoint_program(program, self._by, 0, ()), numbers)
        self._zeros, self._t = np.zeros(len(self.slopes)), np.zeros(1)
        # One call after another, always with the same arrays: most of the time goes into making others.
        self._room = [np.zeros(size) for size in self._bound.sizes]
        made_for = dict(zip((VALUE, *(x.result for x in self._bound.program.jacobians)), self._room, strict=True))
        self._value = made_for[VALUE]
        self._found = tuple(made_for.get(name, np.zeros(n)) for name, n in sizes.items())

    def __call__(
        self, t: float, y: Vector, u: Vector, weights: Vector, further: Vector | None = None
    ) -> tuple[float, Vector, Vector, Vector]:
        """The sum, and its gradients by y (n,), u (k,) and the numbers that move (m,): arrays until the next call."""
        self._t[0] = t
        arrays = (self._t, y, u, weights, self._zeros) if further is None else (
            self._t, y, u, further, weights, self._zeros
        )  # fmt: skip
        if self._bound.one(*arrays, *self._room) is not self._room[-1]:  # not finite, or no such function here
            for x, out in zip(self._bound.batch([x[None] for x in arrays], 1), self._room, strict=True):
                out[:] = x[0]
        by_y, by_u, by_numbers = self._found
        return float(self._value[0]), by_y, by_u, by_numbers
