"""An ordinary model that looks like a system of vectors: the same bodies on the same joints, with numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from supple.description.joints import BuildingBlock
from supple.errors import ModelError
from supple.expressions.function import Function
from supple.expressions.graph import Expr
from supple.model.mechanism import Mechanism
from supple.model.model import Model
from supple.rigid_body import RigidBody
from supple.symbolic.kane.kane_body import KaneBody
from supple.symbolic.kane.tables import rotation_bases
from supple.symbolic.vectors import Vector, axis

if TYPE_CHECKING:
    from supple.symbolic.kane.kane_system import KaneSystem


def display_model(system: KaneSystem, numbers: Mapping[str, float]) -> Model:
    """Return the model, which has the system's coordinates.

    Of two rotations the first belongs to a massless body "name (first rotation)".

    Parameters
    ----------
    system : KaneSystem
        Made of building-block joints.
    numbers : mapping of str to float
        Values of all parameters.
    """
    value = _Values(system, numbers)
    ground = system.ground.frame
    mech = Mechanism(system.name, value.components(system.gravity, ground))
    for body in system.bodies.values():
        _add(mech, body, value)
    for name, shapes in system.visuals.items():
        mech.add_visual(name, *shapes)
    return mech.build()


class _Values:
    """Numbers of expressions of parameters alone."""

    def __init__(self, system: KaneSystem, numbers: Mapping[str, float]) -> None:
        self.system, self.numbers = system, numbers

    def __call__(self, nodes: list[Expr], what: str) -> NDArray[np.float64]:
        """Numbers of nodes; an error that names `what` if they depend on more than parameters."""
        used = list(self.system.symbols.values())
        try:
            function = Function("values", self.system.graph, {}, {"x": np.array(nodes, dtype=object)}, used)
        except ValueError:
            raise ModelError(f"system {self.system.name!r}: {what}: expected a constant to draw it with") from None
        return function.evaluate(self.numbers)["x"]

    def components(self, vector: Vector, frame: Any, what: str = "gravity") -> NDArray[np.float64]:
        """Components of a vector."""
        return self(vector.components(frame), what)


def _add(mech: Mechanism, body: KaneBody, value: _Values) -> None:
    """Add a body to a mechanism."""
    where, joint, parent = f"body {body.name!r}", body.joint, body.parent
    turned = rotation_bases(body)
    if parent is None or len(turned) != len(joint.rotation.coordinates) or joint.pitch is not joint.pitch.graph.zero:
        raise ModelError(f"system {value.system.name!r}: {where}: expected a building-block joint to draw it with")
    start = turned[0].parent if turned else body.frame
    assert start is not None
    rotation = np.column_stack([value.components(axis(start, i), parent.frame, where) for i in range(3)])
    # Directions are in the joint frame, which is turned already.
    directions = [rotation.T @ value.components(d, parent.frame, where) for d in joint.translation.directions]
    at = value.components(joint.point, parent.frame, where)
    turns = "".join(str(x.axis + 1) for x in turned)
    rigid = _rigid(body, value, where)
    if len(turns) != 2:
        mech.add_body(
            body.name, rigid, parent.name, BuildingBlock(translations=directions, rotations=turns), at, rotation
        )
        return
    first = f"{body.name} (first rotation)"
    inner = BuildingBlock(translations=directions, rotations=turns[0])
    mech.add_body(first, RigidBody(0.0), parent.name, inner, at, rotation)
    mech.add_body(body.name, rigid, first, BuildingBlock(rotations=turns[1]))


def _rigid(body: KaneBody, value: _Values, where: str) -> RigidBody:
    """Mass, mass centre and inertia of a body in its frame; textbooks leave out moments that nothing turns about."""
    mass, com = float(value([body.rigid.mass], where)[0]), value.components(body.rigid.com, body.frame, where)
    rows = [body.rigid.inertia @ axis(body.frame, i) for i in range(3)]
    inertia = np.array([value.components(row, body.frame, where) for row in rows])
    return RigidBody(mass, com, (inertia + inertia.T) / 2, allow_unphysical=True)
