"""Derivatives by the state in machine code that computes and stores their entries alone, zeros left out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import scipy
from numpy.typing import NDArray

from supple.expressions.function import Nodes
from supple.expressions.graph import GraphTooLarge
from supple.expressions.sparse_jacobian import sparse_jacobian
from supple.expressions.sparsity import SparsityPattern, sparsity
from supple.inputs.driven import DrivenEquations
from supple.simulation.state_kernel import Groups, StateKernel
from supple.simulation.state_slopes import StateSlopes

if TYPE_CHECKING:
    from supple.simulation.driven_system import DrivenSystem

Vector = NDArray[np.float64]
SMALLEST = 50
"""Size of a state up to which elimination in a full matrix is as fast."""
DENSEST = 0.3
"""Share of entries beyond which it is, too."""


class LawsSlopes:
    """Values of the laws (q, v, drive and z_rate, one after the other) and their derivatives by the state.

    Most laws look at one degree of freedom, and without prescribed motions q and v are the state's own.
    """

    def __init__(self, system: DrivenSystem, values: Nodes, y: Nodes) -> None:
        self.pattern = sparsity(values, y)
        shapes: dict[str, tuple[int, ...]] = {"value": (len(values),), "slope": (len(self.pattern),)}
        self._kernel = StateKernel(system, "slopes", shapes, self._nodes, lanes=1, differentiated=True)

    @staticmethod
    def _nodes(e: DrivenEquations, _: Groups) -> dict[str, Nodes]:
        values = np.concatenate(list(e.laws().values()))
        return {"value": values, "slope": sparse_jacobian(values, e.y).entries}

    def __call__(self, t: Vector, y: Vector, u: Vector) -> tuple[Vector, scipy.sparse.csr_array]:
        """Values (n,) and derivatives (n, size) at one state."""
        values, slopes = self._kernel(t, y, u)
        return values, self.pattern.matrix(slopes)


class WrenchSlopes:
    """The same where wrenches act at frames: what they do to the speeds depends on all of the configuration.

    From the tangents of blocks, so that a long chain is not one large graph.
    """

    def __init__(self, system: DrivenSystem, count: int) -> None:
        shapes: dict[str, tuple[int, ...]] = {"value": (count,)}
        self._kernel = StateKernel(system, "law values", shapes, self._nodes, lanes=1)
        self._slopes = StateSlopes(self._kernel, ("y",))

    @staticmethod
    def _nodes(e: DrivenEquations, _: Groups) -> dict[str, Nodes]:
        return {"value": np.concatenate(list(e.laws().values()))}

    def __call__(self, t: Vector, y: Vector, u: Vector) -> tuple[Vector, scipy.sparse.csr_array]:
        """Values (n,) and derivatives (n, size) at one state."""
        return self._kernel(t, y, u), scipy.sparse.csr_array(self._slopes(t, y, u)[0])


class RateSlopes:
    """Derivatives of the rates by the state, for systems of many parts that hardly act on each other."""

    def __init__(self, system: DrivenSystem, pattern: SparsityPattern) -> None:
        self.system, self.pattern = system, pattern
        shapes = {"J": (len(pattern),)}
        self._kernel = StateKernel(system, "sparse_jacobian", shapes, self._nodes, lanes=1, differentiated=True)

    @staticmethod
    def _nodes(e: DrivenEquations, _: Groups) -> dict[str, Nodes]:
        return {"J": sparse_jacobian(e.rate(), e.y).entries}

    @staticmethod
    def of(system: DrivenSystem, t: float, y: Vector, u: Vector) -> RateSlopes | None:
        """Those of a system if it is large and they are sparse; judged first by their values at a state."""
        if system.engine != "blocks" or system.size <= SMALLEST:
            return None
        if np.count_nonzero(system.jacobian(t, y, u)) > DENSEST * system.size**2:  # the structure has no fewer
            return None
        function = system.rate_function()
        pattern = sparsity(function.outputs["rate"], function.inputs["y"])
        if pattern.density > DENSEST:
            return None
        try:
            return RateSlopes(system, pattern)
        except GraphTooLarge:
            return None

    def entries(self, t: float, y: Vector, u: Vector) -> Vector:
        """Entries (n,) of d(dy/dt)/dy at one state; functions that are called are taken as constant."""
        self.system.call(t, y, u)
        found: Vector = self._kernel(np.array([t]), y, u)
        return found
