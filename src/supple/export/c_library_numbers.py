"""The numbers that a library of a model loads, and how they follow from the parameters that its user may set.

Zeros belong to the structure of a program (`model/number_arrays.py`), ones too in directions. A number that depends on
a parameter is recorded as any other number would be, so that the same code serves whatever value it is given.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from supple.expressions.graph import Expr, Graph
from supple.model.body_frames import frame_arrays
from supple.model.number_arrays import UNIT, NumberArrays, flat
from supple.model.parameters import parameter_values, plain_symbols
from supple.model.programs import ModelStructure
from supple.model.renumbering import renumbered
from supple.model.symbolic_tree import symbolic_tree
from supple.recursions.frame_paths import FramePaths
from supple.recursions.frame_wrenches import frame_wrenches
from supple.recursions.tree import Frames, Tree

if TYPE_CHECKING:
    from supple.model.model import Model

ANY = 0.5
"""A number that belongs to no structure, in place of one that depends on a parameter."""


class LibraryNumbers:
    """All numbers of a model, in the order tree, flexible bodies, constraints, frames.

    Parameters
    ----------
    model : Model
    parameters : sequence of str
        See `supple.symbolic.parameter_names`; refused where `Model.with_parameters` refuses them.
    frames : sequence of str
        Whose motion is asked for.

    Attributes
    ----------
    defaults : dict of str to float
        The parameters with the values that they have in the model.
    leaves : dict of str to Expr
        The parameters as nodes.
    """

    def __init__(self, model: Model, parameters: Sequence[str], frames: Sequence[str]) -> None:
        self.model, self.frames = model, tuple(frames)
        graph = Graph()
        self.leaves = plain_symbols(model, parameters).nodes(graph)
        known = parameter_values(model)
        self.defaults = {name: known[name] for name in parameters}
        renumbered(model, self.defaults)
        self._symbolic = symbolic_tree(model, self.leaves)
        self.tree: Tree = _opened(model.tree, self._symbolic)

    @cached_property
    def structure(self) -> ModelStructure:
        """The arrays of the tree as programs are recorded from."""
        return ModelStructure(self.tree, self.model.flex, self.model.nq)

    @cached_property
    def framed(self) -> ModelStructure:
        """The same with the frames whose motion is asked for."""
        paths = self._paths._replace(frames=self.opened_frames)
        return ModelStructure(self.tree, self.model.flex, self.model.nq, paths=paths)

    @cached_property
    def _paths(self) -> FramePaths:
        """The frames; where their paths meet, which takes long to find of many, does not matter to their motion."""
        frames = frame_arrays(self.model.find_frame(name) for name in self.frames)
        none, each = np.zeros(0, dtype=np.int64), np.zeros(len(self.frames), dtype=np.int64)
        bodies = frame_wrenches(self.model.tree.parent, frames, [], []).body
        return FramePaths(frames, bodies, none, none, none, each, none, none)

    @cached_property
    def opened_frames(self) -> Frames:
        """The frames, with a number of no structure wherever one depends on a parameter."""
        found: Frames = _opened(self._paths.frames, self._symbolic_frames)
        return found

    @cached_property
    def _symbolic_frames(self) -> Frames:
        """Frames of which a coordinate is a parameter."""
        position = self._paths.frames.position.astype(object)
        for i, name in enumerate(self.frames):
            for j, c in enumerate("xyz"):
                position[i, j] = self.leaves.get(f"{name}.{c}", position[i, j])
        return self._paths.frames._replace(position=position)

    @cached_property
    def _groups(self) -> dict[str, tuple[Any, Any]]:
        """Arrays by group, and the same with nodes where they depend on parameters."""
        loops = self.model.loops
        closures = None if loops is None else loops.arrays
        paths = self._paths
        return {
            "tree": (self.model.tree, self._symbolic),
            "flex": (self.model.flex, self.model.flex),
            "closures": (closures, closures),
            "paths": (paths, paths._replace(frames=self._symbolic_frames)),
        }

    @cached_property
    def values(self) -> NDArray[np.float64]:
        """All numbers, those that depend on parameters for their values in the model."""
        return NumberArrays({name: arrays for name, (arrays, _) in self._groups.items()}).values()

    @cached_property
    def formulas(self) -> dict[int, Expr]:
        """Nodes for those numbers that depend on parameters."""
        found, first = dict[int, Expr](), 0
        for arrays, symbolic in self._groups.values():
            if arrays is None:
                continue
            for (_, x), (_, y) in zip(flat(arrays), flat(symbolic), strict=True):
                if x.dtype.kind == "f":
                    found |= {first + i: node for i, node in enumerate(y.flat) if _depends(node)}
                    first += x.size
        return found

    def shift(self, group: str) -> int:
        """What places of a group's numbers are raised by, if it comes right after tree and flexible bodies."""
        before = {"closures": (), "paths": ("closures",)}[group]
        arrays: Mapping[str, Any] = {name: self._groups[name][0] for name in before}
        return NumberArrays(arrays).values().size

    @cached_property
    def base(self) -> int:
        """How many numbers tree and flexible bodies have."""
        return self.structure.numbers.values().size


def _depends(x: Any) -> bool:
    return isinstance(x, Expr) and x.op != "constant"


def _opened(arrays: Any, symbolic: Any) -> Any:
    """Arrays as a named tuple, with a number of no structure wherever one depends on a parameter and might be of it."""
    parts = {}
    for name, x in arrays._asdict().items():
        y = getattr(symbolic, name)
        if hasattr(x, "_asdict"):
            parts[name] = _opened(x, y)
        elif x.dtype.kind == "f" and y.dtype.kind == "O":
            depends = np.array([_depends(node) for node in y.flat], dtype=bool).reshape(x.shape)
            parts[name] = np.where(depends & np.isin(x, UNIT), ANY, x)
        else:
            parts[name] = x
    return type(arrays)(**parts)
