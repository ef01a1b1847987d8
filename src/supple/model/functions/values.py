"""The inputs of a function of a model on the nodes of a trace."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from supple.expressions.function import Nodes


@dataclass
class Values:
    """Nodes by the names of the inputs in the table; those that a function does not have are empty.

    Attributes
    ----------
    inputs : dict of str to array of Expr
        All inputs of the function, each an array of one axis.
    q, v, a, tau : array of Expr
        Coordinates, speeds, accelerations and generalized forces, which every trace has.
    frames : NodeFrames, optional
        The frames that the function is about, or at which wrenches act.
    """

    inputs: dict[str, Nodes]
    q: Nodes
    v: Nodes
    a: Nodes
    tau: Nodes
    frames: Any = None
    parameters: Nodes = field(default_factory=lambda: np.zeros(0, dtype=object))

    @property
    def dt(self) -> Any:
        """The time step."""
        return self.inputs["dt"][0]

    @property
    def wrench(self) -> Nodes | None:
        """Wrenches (m, 6) at the frames, if any act."""
        found = self.inputs.get("wrench")
        return None if found is None else found.reshape(-1, 6)

    def applied(self, t: Any) -> tuple[Nodes, Nodes]:
        """Return what the wrenches do to the speeds (nv,) and to the bodies (bodies, 6)."""
        found: tuple[Nodes, Nodes] = self.frames.forces(self.q, self.wrench)
        return found

    def leaves(self, name: str) -> Nodes:
        """Return an input, or the parameters."""
        return self.parameters if name == "parameters" else self.inputs[name]

    def all_leaves(self) -> list[Nodes]:
        """Return all inputs, accelerations apart."""
        return [self.q, self.v, self.tau, *(x for name, x in self.inputs.items() if name in ("dt", "wrench"))]
