"""A description that is changed after it was made: other joints, elastic joints, other bodies in the same places."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import numpy as np

from supple.call_checks import checked
from supple.checks import Floats, number
from supple.description.constraints import Gear
from supple.description.description import Description, named_part, node_at, require_theory
from supple.description.joints import Joint
from supple.description.members import GROUND, Frame, Placed
from supple.errors import ModelError, nearest
from supple.rigid_body import RigidBody
from supple.structures.body.flexible_body import FlexibleBody

MOTOR = "_motor"
"""End of the name of the body that carries the rotor of an elastic joint."""


def rotor_of(description: Description, name: str) -> str | None:
    """Return the rotor that carries a body on the spring of an elastic joint, as `make_elastic` calls it, or None."""
    placed = description.bodies.get(name)
    if placed is None or placed.parent != f"{name}{MOTOR}":
        return None
    rotor = description.bodies.get(placed.parent)
    return None if rotor is None or rotor.body.mass > 0.0 else rotor.name


@checked
class EditableDescription(Description):
    """A description with changes of what is there already."""

    def change_joint(self, name: str, joint: Joint | None = None, **numbers: Any) -> None:
        """Give the joint of a body other numbers, or the body another joint in the same place.

        Parameters
        ----------
        name : str
            The body that the joint carries.
        joint : Joint, optional
            In place of the one that is there.
        **numbers
            Fields of the joint: `inertia` of a rotor, `stiffness`, `rest`, `damping`, `axis`, ...

        Examples
        --------
        >>> from supple import Mechanism, Revolute, RigidBody
        >>> mech = Mechanism("pendulum")
        >>> mech.add_body("arm", RigidBody(1.0, (0, 0, -0.5)), joint=Revolute("y"))
        >>> mech.change_joint("arm", inertia=0.02, damping=0.1)
        >>> mech.bodies["arm"].joint.inertia
        (0.02,)
        """
        with named_part(f"body {name!r}"):
            placed = self._placed(name)
            chosen = placed.joint if joint is None else joint
            if not isinstance(chosen, Joint):
                raise ModelError(f"joint: expected a joint such as Revolute('y'), got {chosen!r}")
            known = [field.name for field in fields(chosen)]
            for key in numbers:
                if key not in known:
                    raise ModelError(f"joint: a {chosen.kind} joint has no {key!r}{nearest(key, known)}")
            self.bodies[name] = replace(placed, joint=replace(chosen, **numbers))

    def make_elastic(self, name: str, stiffness: float, rotor: float, damping: float = 0.0) -> None:
        """Put a spring between the actuator and the body of a joint with one degree of freedom.

        The actuator moves a body of its own, "arm_motor", that has nothing but the inertia of the rotor; "arm" is
        carried by it on a joint of the same axis with the spring. "arm_motor.angle" is the angle of the rotor,
        "arm.angle" that by which the spring is wound up. Controllers and prescribed motions that were for "arm.angle"
        belong on "arm_motor.angle"; a run warns of those on the spring. Spring, damper, stops and gears of the joint
        stay with the rotor.

        Parameters
        ----------
        name : str
            The body that the joint carries.
        stiffness : float
            Of the spring, N m/rad or N/m.
        rotor : float
            Inertia of the rotor on the side of the joint, kg m^2 or kg, more than zero.
        damping : float
            Parallel to the spring, N m s/rad or N s/m.
        """
        with named_part(f"body {name!r}"):
            placed, motor = self._placed(name), f"{name}{MOTOR}"
            joint = placed.joint
            if joint.layout().dofs != 1:
                raise ModelError(f"joint: expected one degree of freedom to make elastic, got a {joint.kind} joint")
            if motor in self.bodies or motor in self.frames:
                raise ModelError(f"name: there is a body {motor!r} already")
            if not number(rotor, "rotor") > 0:
                raise ModelError(f"rotor: expected an inertia greater than zero, got {rotor}")
            k, d = number(stiffness, "stiffness", minimum=0.0), number(damping, "damping", minimum=0.0)
            spring = replace(joint, stiffness=k, damping=d, rest=0.0, inertia=0.0)
            driven = replace(placed, name=motor, body=RigidBody(0.0), joint=replace(joint, inertia=rotor))
            carried = replace(placed, joint=spring, parent=motor, position=np.zeros(3), rotation=np.eye(3), node=None)
            self._insert(name, {motor: driven, name: carried})
            self._follow(name, motor)

    def replace_body(
        self, name: str, body: RigidBody | FlexibleBody, fidelity: str = "full", stiffening: bool = True
    ) -> None:
        """Put another body in the place of one, on the same joint: a flexible link for a rigid one, say.

        What is carried goes on: on a frame of the same name if the new body has it, else in the same place, which must
        be that of a node or frame of a flexible body. Shapes that the old body was drawn as go with it; those on its
        frames stay.

        Parameters
        ----------
        name : str
        body : RigidBody or FlexibleBody
            In the same body frame.
        fidelity, stiffening
            As for `add_body`.
        """
        with named_part(f"body {name!r}"):
            placed = self._placed(name)
            if not isinstance(body, RigidBody | FlexibleBody):
                raise ModelError(f"expected a RigidBody or a FlexibleBody, got {type(body).__name__}")
            if name in self.beams:
                raise ModelError("is a beam in pieces: expected one body")
            require_theory(fidelity, stiffening, body)
            children = [x for x in self.bodies.values() if x.parent == name]
            carried = {x.name: self._moved(placed, body, x, f"body {x.name!r}") for x in children}
            on_it = {label: x for label, x in self.frames.items() if x.body == name}
            frames = {label: self._moved(placed, body, x, f"frame {label!r}") for label, x in on_it.items()}
            if isinstance(body, FlexibleBody):
                frames |= {f"{name}/{place}": Frame(name, np.zeros(3), np.eye(3), place) for place in body.frames}
            new = replace(placed, body=body, fidelity=fidelity, stiffening=stiffening)
            before = self.bodies, self.frames
            self.bodies, self.frames = self.bodies | {name: new} | carried, self.frames | frames
            try:
                self._require_frames()
            except ModelError:
                self.bodies, self.frames = before
                raise
            self.visuals = {label: shapes for label, shapes in self.visuals.items() if label != name}

    def _placed(self, name: str) -> Placed:
        """A body that is there, and no piece of a beam."""
        self._require_body(name, "name")
        if name == GROUND:
            raise ModelError("expected a body, got the ground")
        return self.bodies[name]

    def _insert(self, name: str, new: dict[str, Placed]) -> None:
        """Put bodies in the place of one; parents stay before their children."""
        bodies: dict[str, Placed] = {}
        for key, old in self.bodies.items():
            bodies |= new if key == name else {key: old}
        self.bodies = bodies

    def _follow(self, old: str, new: str) -> None:
        """Let stops, gears and couplings of the joint of one body be those of another's."""

        def renamed(coordinate: str) -> str:
            return f"{new}.{coordinate.partition('.')[2]}" if coordinate.partition(".")[0] == old else coordinate

        self.limits = [replace(x, coordinate=renamed(x.coordinate)) for x in self.limits]
        self.couplings = [
            replace(x, follower=new if x.follower == old else x.follower, leader=new if x.leader == old else x.leader)
            for x in self.couplings
        ]
        for name, x in self.constraints.items():
            if isinstance(x, Gear):
                self.constraints[name] = replace(x, follower=renamed(x.follower), leader=renamed(x.leader))

    def _moved(self, placed: Placed, body: RigidBody | FlexibleBody, x: Any, what: str) -> Any:
        """A child or a frame of a body as it is on another body in its place."""
        if x.node is not None and isinstance(body, FlexibleBody) and x.node in body.frames:
            return x
        position: Floats = x.position
        if x.node is not None and isinstance(placed.body, FlexibleBody):
            position = placed.body.frame(x.node).position + position
        if isinstance(body, RigidBody):
            return replace(x, position=position, node=None)
        places = {name: frame.position for name, frame in body.frames.items()}
        with named_part(what):
            return replace(x, position=np.zeros(3), node=node_at(places, body.nodes, position))

    def _require_frames(self) -> None:
        """Refuse springs, wrenches and constraints whose frames are gone."""
        used = [(f"spring-damper {x.name!r}", frame) for x in self.springs.values() for frame in (x.first, x.second)]
        used += [(f"wrench {x.name!r}", x.frame) for x in self.wrenches.values()]
        for name, x in self.constraints.items():
            if not isinstance(x, Gear):
                used += [(f"constraint {name!r}", frame) for frame in (x.first, x.second)]
        for what, frame in used:
            with named_part(what):
                self.find_frame(frame)
