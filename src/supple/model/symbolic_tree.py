"""A model's arrays as the recursions see them on graph nodes: numbers, with nodes where a parameter is symbolic."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from supple.expressions.function import Nodes
from supple.expressions.graph import Expr
from supple.model.flatten import element_frames
from supple.model.parameters import INERTIA, SPRING, WRENCH
from supple.recursions.closures import Closures
from supple.recursions.tree import Flex, Frames, Tree
from supple.rigid_body import RigidBody
from supple.structures.body.flexible_body import FlexibleBody

if TYPE_CHECKING:
    from supple.model.model import Model


def as_objects(arrays: Tree | Flex | Closures) -> dict[str, Any]:
    """Real numbers as objects, so that nodes can stand among them."""
    return {name: _as_object(x) for name, x in arrays._asdict().items()}


def _as_object(x: Any) -> Any:
    if isinstance(x, Frames):
        return Frames(*map(_as_object, x))
    return x.astype(object) if x.dtype.kind == "f" else x


def zeros(*shape: int) -> Nodes:
    """Numbers that nodes can replace."""
    return np.zeros(shape, dtype=object)


def symbolic_tree(model: Model, parameters: Mapping[str, Expr]) -> Tree:
    """The model's arrays as plain numbers, with nodes where a parameter is symbolic.

    Parameters
    ----------
    model : Model
    parameters : mapping of str to Expr
        By what they stand for, see `parameter_names`.
    """
    parts = as_objects(model.tree)

    def put(array: Nodes, place: Any, name: str) -> None:
        if name in parameters:
            array[place] = parameters[name]

    for i, c in enumerate("xyz"):
        put(parts["gravity"], i, f"gravity.{c}")
    for k, (name, placed) in enumerate(model.description.bodies.items(), start=1):
        for i, c in enumerate("xyz"):
            put(parts["position"], (k, i), f"{name}.at.{c}")
        if not isinstance(placed.body, FlexibleBody):
            _put_inertia(parts, k, name, placed.body, parameters)
    fields = {"stiffness": "stiffness", "rest": "rest", "damping": "damping", "inertia": "joint_inertia"}
    for i, speed in enumerate(model.speeds):
        for what, field in fields.items():
            put(parts[field], i, f"{speed}.{what}")
    for k, name in enumerate(model.bodies, start=1):
        put(parts["pitch"], k, f"{name}.pitch")
    _put_elements(parts, model, put)
    return Tree(**parts)


def _put_elements(parts: dict[str, Any], model: Model, put: Callable[[Nodes, Any, str], None]) -> None:
    """Numbers of spring-dampers, wrenches and the frames that they and constraints are on."""
    mech = model.description
    for field, names, labels in (("spring_constants", mech.springs, SPRING), ("wrench_value", mech.wrenches, WRENCH)):
        for e, name in enumerate(names):
            for i, what in enumerate(labels):
                put(parts[field], (e, i), f"{name}.{what}")
    for i, name in enumerate(element_frames(mech)):
        for j, c in enumerate("xyz"):
            put(parts["frames"].position, (i, j), f"{name}.{c}")


def _put_inertia(parts: dict[str, Any], k: int, name: str, body: RigidBody, parameters: Mapping[str, Expr]) -> None:
    """Mass, first moment and inertia about the origin of a body, some of whose properties are symbolic."""
    own = [f"{name}.mass", *(f"{name}.com.{c}" for c in "xyz"), *(f"{name}.inertia.{ij}" for ij in INERTIA)]
    if not any(label in parameters for label in own):
        return
    upper = [float(x) for x in body.inertia[np.triu_indices(3)]]
    numbers: list[Any] = [body.mass, *map(float, body.com), *upper]
    m, *rest = (parameters.get(label, x) for label, x in zip(own, numbers, strict=True))
    c, J = rest[:3], rest[3:]
    h = [m * x for x in c]
    parts["mass"][k] = m
    parts["moment"][k] = h
    parts["inertia"][k] = [
        J[0] + (h[1] * c[1] + h[2] * c[2]),
        J[1] - h[0] * c[1],
        J[2] - h[0] * c[2],
        J[3] + (h[0] * c[0] + h[2] * c[2]),
        J[4] - h[1] * c[2],
        J[5] + (h[0] * c[0] + h[1] * c[1]),
    ]
