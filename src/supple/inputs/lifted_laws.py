"""The laws of a run apart from their numbers: other forces, gains and set points need no other machine code."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from supple.expressions.function import Function
from supple.expressions.graph import Expr
from supple.expressions.lifting import LiftedFunction
from supple.formulations import Formulation
from supple.inputs.applied import Applied
from supple.inputs.driven import law_leaves
from supple.inputs.inputs import Inputs
from supple.inputs.quantities import Quantities

NAMED = "named"
"""The input of numbers of laws that have names of their own."""


def law_numbers(model: Formulation, inputs: Inputs) -> dict[str, float]:
    """Numbers of the laws by name: "arm.angle.kp", "arm.angle.force"; those that are zero have none."""
    found: dict[str, float] = {}
    at = law_leaves(model, inputs)

    def noted(name: str, x: float) -> Expr:
        found.setdefault(name, x)
        return at.graph.constant(x)

    inputs.applied(replace(at, symbol=noted))
    return found


@dataclass(frozen=True)
class LiftedLaws:
    """What the laws of a run make of a state.

    Attributes
    ----------
    function : Function
        Of (t, y, u) and of the motions of the frames of wrenches: q, v, drive, z_rate, unlocked and wrench of
        `Applied`.
    prescribed : (nv,) array of bool
        Degrees of freedom whose acceleration is prescribed.
    ticks : dict of float to (list of int, Function)
        For each sample rate the places of held values, and what they become at a tick.
    """

    function: Function
    prescribed: NDArray[np.bool_]
    ticks: dict[float, tuple[list[int], Function]]

    @staticmethod
    def of(model: Formulation, inputs: Inputs, named: Sequence[str] = ()) -> LiftedLaws:
        """The laws that act on a model; those of their numbers that are `named` (see `law_numbers`) are inputs."""
        at = law_leaves(model, inputs)
        numbers = dict(zip(named, at.graph.new_inputs(NAMED, named), strict=True))
        graph, x = at.graph, inputs.applied(replace(at, symbol=lambda name, x: numbers.get(name, at.graph.constant(x))))
        leaves = {"t": np.array([at.t], dtype=object), "y": np.concatenate([at.q, at.v, at.z]), "u": at.u}
        leaves["motions"] = at.motions
        if named:
            leaves[NAMED] = np.array(list(numbers.values()), dtype=object)
        outputs = {"q": x.q, "v": x.v, "drive": x.drive, "z_rate": np.array(x.z_rate, dtype=object)}
        function = Function("laws", graph, leaves, outputs | {"unlocked": x.unlocked, "wrench": x.wrench})
        ticks = {
            rate: (list(updates), Function("tick", graph, leaves, {"u": np.array(list(updates.values()))}))
            for rate, updates in x.ticks.items()
        }
        return LiftedLaws(function, x.given, ticks)

    @cached_property
    def lifted(self) -> LiftedFunction:
        """Structure and numbers."""
        return LiftedFunction(self.function)

    @cached_property
    def structure(self) -> tuple[str, tuple[bool, ...]]:
        """Equal for laws that differ in their numbers alone."""
        return self.lifted.digest, tuple(self.prescribed.tolist())

    def applied(self, at: Quantities, number: Callable[[int], Expr], named: Sequence[Expr] = ()) -> Applied:
        """What the laws make of a state in any graph; `number` gives the nodes of their numbers, `named` are inputs."""
        f = self.function
        places = {"t": [at.t], "y": [*at.q, *at.v, *at.z], "u": list(at.u), "motions": list(at.motions.flat)}
        places[NAMED] = list(named)
        leaves = {leaf: node for key, x in f.inputs.items() for leaf, node in zip(x.flat, places[key], strict=True)}
        out = self.lifted.moved(at.graph, leaves, number)
        z_rate = list(out["z_rate"])
        return Applied(out["q"], out["v"], out["drive"], self.prescribed, z_rate, out["unlocked"], out["wrench"])
