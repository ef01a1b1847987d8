"""A model's arrays with some of its numbers as inputs: parameters that may differ from state to state."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from supple.errors import StateError
from supple.expressions.function import Nodes
from supple.expressions.graph import Expr
from supple.model.parameters import INERTIA, plain_symbols
from supple.model.symbolic_tree import symbolic_tree
from supple.recursions.tree import Tree
from supple.structures.body.flexible_body import FlexibleBody

if TYPE_CHECKING:
    from supple.model.model import Model

RIGID = ("mass", *(f"com.{c}" for c in "xyz"), *(f"inertia.{ij}" for ij in INERTIA))
"""Numbers of a rigid body, of which its entries in the arrays are made."""


class ParameterArrays:
    """Which entries of a model's arrays depend on some of its parameters, and how.

    Parameters
    ----------
    model : Model
    names : sequence of str
        See `parameter_names`; in this order they come as an input.
    """

    def __init__(self, model: Model, names: Sequence[str]) -> None:
        self.names = tuple(plain_symbols(model, names).names)
        for name in self.names:
            if "/" in name:
                raise StateError(
                    f"model {model.name!r}: parameters: {name!r} is the place of a frame, which compiled code has as a "
                    "number; `supple.symbolic.traced` takes it as a symbol"
                )
        self._model = model
        bodies = [name for name, x in model.description.bodies.items() if not isinstance(x.body, FlexibleBody)]
        self._bodies = [name for name in bodies if any(f"{name}.{what}" in self.names for what in RIGID)]

    @property
    def key(self) -> tuple[Any, ...]:
        """Equal where the same entries depend on parameters in the same way."""
        return self.names, self._model.bodies, self._model.speeds

    @cached_property
    def described(self) -> NDArray[np.float64]:
        """(n, 10) `RIGID` of those bodies of which a parameter is one of these numbers."""
        bodies = [self._model.description.bodies[name].body for name in self._bodies]
        rows = [[x.mass, *x.com, *x.inertia[np.triu_indices(3)]] for x in bodies]
        return np.array(rows, dtype=float).reshape(-1, len(RIGID))

    def nodes(self, given: Sequence[Any], tree: Tree, described: Any) -> dict[str, Nodes]:
        """Arrays of the tree in which an entry depends on a parameter, by name: nodes for all their entries.

        Parameters
        ----------
        given : sequence of Expr
            The parameters.
        tree : Tree
            With loads for all numbers.
        described : array of loads
        """
        parameters = dict(zip(self.names, given, strict=True))
        for row, name in enumerate(self._bodies):
            for column, what in enumerate(RIGID):
                parameters.setdefault(f"{name}.{what}", described[row, column])
        found: dict[str, Nodes] = {}
        for name, x in symbolic_tree(self._model, parameters)._asdict().items():
            if isinstance(x, np.ndarray) and x.dtype.kind == "O" and any(isinstance(entry, Expr) for entry in x.flat):
                loads = getattr(tree, name)
                for place in np.ndindex(x.shape):
                    if not isinstance(x[place], Expr):
                        x[place] = loads[place if len(place) > 1 else place[0]]
                found[name] = x
        return found
