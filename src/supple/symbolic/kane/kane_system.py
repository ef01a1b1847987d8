"""A system as a dynamicist describes it: bodies, joints, vectors, forces, constraints; then its equations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from supple.call_checks import checked
from supple.checks import number
from supple.errors import ModelError, nearest
from supple.expressions.derivatives import forward
from supple.expressions.function import Nodes
from supple.expressions.graph import Expr, Graph, order_of
from supple.expressions.printers.head import label
from supple.shapes.shape import Shape
from supple.symbolic.equations_of_motion import EquationsOfMotion
from supple.symbolic.kane.arguments import Direction, scalar, vector
from supple.symbolic.kane.building_block import FIXED, MASSLESS, KaneJoint, MassProperties, built, speed_directions
from supple.symbolic.kane.composite_bodies import composite_bodies
from supple.symbolic.kane.derivation import derivation
from supple.symbolic.kane.derive import derive
from supple.symbolic.kane.dynamical_equations import VectorWrench, arrays
from supple.symbolic.kane.joint import Turning
from supple.symbolic.kane.kane_body import Dof, JointKinematics, KaneBody, RigidInertia
from supple.symbolic.kane.kinematical_equations import rates
from supple.symbolic.kane.mass_centre_speeds import origin_speeds, rewritten, rewritten_wrenches, speed_slopes
from supple.symbolic.kane.partial_velocities import motions
from supple.symbolic.kane.speed_constraints import SpeedConstraint
from supple.symbolic.omission import omitting
from supple.symbolic.vector_bases import Ground
from supple.symbolic.vectors import Dyadic, Vector


@checked
class KaneSystem:
    """A tree of rigid bodies in symbols, analysed by Kane's method as Sayers (1991) orders it.

    Parameters
    ----------
    name : str

    Attributes
    ----------
    graph : Graph
    ground : KaneBody
        Its axes are n1, n2, n3.
    time : Expr
    gravity : Vector
        Zero unless set.
    bodies : dict of str to KaneBody
        In the order in which they were added.
    values : dict of str to float
        Numbers of the parameters, where they were given.

    Examples
    --------
    A pendulum whose mass hangs L below the pivot:

    >>> s = KaneSystem("pendulum")
    >>> m, L, g = s.parameters(m=1.0, L=0.5, g=9.81)
    >>> n1, n2, n3 = s.ground.axes
    >>> s.gravity = -g * n2
    >>> arm = s.add_body("arm", joint=KaneJoint(rotations="3"), body=MassProperties(m, com=(0, -L, 0)))
    >>> arm.velocity(arm.vector(0, -L, 0))
    L*u1 arm1
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.graph = Graph()
        self.zero = Vector(self.graph, {})
        basis = Ground("n", self.graph)
        fixed = JointKinematics(self.zero, self.zero, self.graph.zero)
        massless = RigidInertia(self.graph.zero, self.zero, Dyadic(self.graph, {}))
        self.ground = KaneBody("ground", self, None, basis, basis, fixed, massless)
        self.bodies: dict[str, KaneBody] = {}
        self._gravity = self.zero
        self.time = self.graph.new_input("time", "t")
        self.values: dict[str, float] = {}
        self.q: list[Expr] = []
        self.v: list[Expr] = []
        self.inputs: list[Expr] = []
        self.symbols: dict[str, Expr] = {}
        self.wrenches: list[VectorWrench] = []
        self.constraints: list[SpeedConstraint] = []
        self.speed_forces: dict[int, Expr] = {}
        self.speed_inertias: dict[int, Expr] = {}
        self.visuals: dict[str, tuple[Shape, ...]] = {}
        """What bodies are drawn as, by name; not part of the system."""

    @property
    def gravity(self) -> Vector:
        """Acceleration of free fall."""
        return self._gravity

    @gravity.setter
    def gravity(self, value: Vector) -> None:
        self._gravity = self.vector_of(value, "gravity")

    # ------------------------------------------------------------ symbols

    def parameters(self, *names: str, **values: float) -> tuple[Expr, ...]:
        """Symbols of quantities that stay, by name alone or with their numbers."""
        numbers: dict[str, float] = {}
        every = [*names, *values]
        for name in every:
            if name in self.symbols or every.count(name) > 1:
                raise ModelError(f"system {self.name!r}: parameter {name!r} is defined twice")
            if name in values:
                numbers[name] = number(values[name], f"system {self.name!r}: parameter {name!r}")
        self.symbols |= {name: self.graph.parameter(name) for name in every}
        self.values |= numbers
        return tuple(self.symbols[name] for name in every)

    def input(self, name: str) -> Expr:
        """A quantity that is given from outside as time goes on: a generalized force, the height of a road."""
        if name in [leaf.name for leaf in self.inputs]:
            raise ModelError(f"system {self.name!r}: input {name!r} is defined twice")
        self.inputs.append(self.graph.new_input(name, "tau"))
        return self.inputs[-1]

    def body(self, body: KaneBody | str) -> KaneBody:
        """A body by its name; "ground" is one."""
        if isinstance(body, KaneBody):
            if body.system is not self:
                raise ModelError(f"body {body.name!r} belongs to system {body.system.name!r}, not to {self.name!r}")
            return body
        if body == "ground":
            return self.ground
        if body not in self.bodies:
            raise ModelError(
                f"system {self.name!r}: body {body!r} is used before it is defined{nearest(body, self.bodies)}"
            )
        return self.bodies[body]

    def vector_of(self, x: Any, where: str) -> Vector:
        """x, which must be a vector of this system."""
        return vector(self.graph, x, f"system {self.name!r}: {where}")

    def scalar_of(self, x: Any, where: str) -> Expr:
        """x, which must be a number or an expression of this system."""
        return scalar(self.graph, x, f"system {self.name!r}: {where}")

    # ------------------------------------------------------------ bodies

    def add_body(
        self,
        name: str,
        parent: KaneBody | str = "ground",
        joint: KaneJoint = FIXED,
        body: MassProperties = MASSLESS,
        at: Direction = (0, 0, 0),
    ) -> KaneBody:
        """Add a body on a building-block joint (Table 1).

        Parameters
        ----------
        name : str
            Its axes are called name1, name2, name3.
        parent : KaneBody or str
        joint : KaneJoint
            Without it the body is fixed to its parent.
        body : MassProperties
            Without it the body has no mass.
        at : Vector, or three components in the parent's frame
            The joint point, from the parent's origin.
        """
        where = f"system {self.name!r}: body {name!r}"
        carrier = self.body(parent)
        if name in self.bodies or name in ("ground", self.ground.basis.name):
            raise ModelError(f"{where}: is defined twice, or the name of the ground's axes")
        for given, kind, what in ((joint, KaneJoint, "joint"), (body, MassProperties, "body")):
            if not isinstance(given, kind):
                raise ModelError(f"{where}: {what}: expected a {kind.__name__}, got {type(given).__name__}")
        return built(self, name, carrier, joint, body, at)

    def coordinate_leaves(self, names: Sequence[str], count: int, where: str) -> list[Expr]:
        """Leaves for new coordinates, which are not yet the system's."""
        if names and len(names) != count:
            raise ModelError(f"{where}: expected {count} names of coordinates, got {list(names)}")
        chosen = names or [f"q{len(self.q) + i + 1}" for i in range(count)]
        taken = [q.name for q in self.q]
        for i, name in enumerate(chosen):
            if name in taken or name in chosen[:i]:
                raise ModelError(f"{where}: coordinate {name!r} is defined twice")
        # A body that was refused after this may have left the same leaves in the graph.
        return [self.graph.input(name, "q") for name in chosen]

    def enter(
        self,
        name: str,
        parent: KaneBody,
        turning: Turning,
        joint: JointKinematics,
        rigid: RigidInertia,
        speeds: Sequence[str] = (),
        angular_first: bool = False,
    ) -> KaneBody:
        """A body with new speeds, made part of the system with the coordinates of its joint.

        Parameters
        ----------
        name : str
        parent : KaneBody
        turning : Turning
        joint : JointKinematics
            Without degrees of freedom.
        rigid : RigidInertia
        speeds : sequence of str
            Their names; u1, u2, ... if not given.
        angular_first : bool
            Whether the speeds of rotations come first.
        """
        moves, turns = speed_directions(turning.frame, joint)
        order = [*turns, *moves] if angular_first else [*moves, *turns]
        first = len(self.v)
        dofs = []
        for i, direction in enumerate(order):
            speed = self.graph.new_input(speeds[i] if speeds else f"u{first + i + 1}", "v")
            dofs.append(Dof(first + i, speed, direction))
        self.v += [dof.speed for dof in dofs]
        self.q += [*joint.translation.coordinates, *joint.rotation.coordinates]
        cut = len(turns) if angular_first else len(moves)
        move_dofs, turn_dofs = (dofs[cut:], dofs[:cut]) if angular_first else (dofs[:cut], dofs[cut:])
        moving = replace(
            joint,
            translation=replace(joint.translation, dofs=tuple(move_dofs)),
            rotation=replace(joint.rotation, dofs=tuple(turn_dofs)),
        )
        self.bodies[name] = body = KaneBody(name, self, parent, turning.basis, turning.frame, moving, rigid)
        return body

    def add_visual(self, body: KaneBody | str, *shapes: Shape) -> None:
        """Say what a body is drawn as, see `Mechanism.add_visual`."""
        name = self.body(body).name
        self.visuals[name] = (*self.visuals.get(name, ()), *shapes)

    # ------------------------------------------------------------ forces and constraints

    def add_force(
        self, force: Vector, on: KaneBody | str, at: Vector | None = None, against: KaneBody | str | None = None
    ) -> None:
        """Let a force act on a body's origin, or on its point `at` from there, and its opposite on another body.

        The opposite force has the same line of action.
        """
        body = self.body(on)
        force = self.vector_of(force, f"force on {body.name!r}")
        point = self.zero if at is None else self.vector_of(at, f"force on {body.name!r}: at")
        self.wrenches.append(VectorWrench(body, force, point, self.zero))
        if against is not None:
            other = self.body(against)
            self.wrenches.append(VectorWrench(other, -force, body.position(point) - other.position(), self.zero))

    def add_torque(self, torque: Vector, on: KaneBody | str, against: KaneBody | str | None = None) -> None:
        """Let a torque act on a body, and its opposite on another."""
        body = self.body(on)
        torque = self.vector_of(torque, f"torque on {body.name!r}")
        self.wrenches.append(VectorWrench(body, self.zero, self.zero, torque))
        if against is not None:
            self.wrenches.append(VectorWrench(self.body(against), self.zero, self.zero, -torque))

    def add_speed_force(self, speed: Expr, force: Any) -> None:
        """Let a generalized force act along a speed: what a drive in the joint gives."""
        number = self._number(speed, "generalized force")
        added = self.scalar_of(force, f"generalized force along {label(speed)!r}")
        self.speed_forces[number] = self.speed_forces.get(number, self.graph.zero) + added

    def constrain(self, velocity: Any, dependent: Expr) -> None:
        """Demand that an expression linear in the speeds vanishes, and let one speed depend on the others for it.

        Rolling without slip is such a constraint: the velocity of the touching point dotted with a direction.
        """
        node = self.scalar_of(velocity, "constraint")
        self._refuse(node, self.inputs, "constraint")
        self.constraints.append(SpeedConstraint(node, self._number(dependent, "dependent speed"), None, None))

    def close(self, position: Any, dependent: Expr) -> None:
        """Demand that an expression of the coordinates vanishes, and let one coordinate depend on the others for it.

        The coordinate must be one whose rate is a speed. Two ends of a cut loop meet when the components of the
        vector between them vanish.
        """
        node = self.scalar_of(position, "closure")
        self._refuse(node, [*self.inputs, *self.v], "closure")
        for body in self.bodies.values():
            for motion in (body.joint.translation, body.joint.rotation):
                for q, dof in zip(motion.coordinates, motion.dofs, strict=False):  # quaternions have more coordinates
                    if q is dependent and motion.speeds == "rates":
                        self.constraints.append(SpeedConstraint(self.rate(node), dof.number, node, q))
                        return
        raise ModelError(f"system {self.name!r}: {_called(dependent)} is no coordinate whose rate is a speed")

    def _refuse(self, x: Expr, leaves: list[Expr], what: str) -> None:
        """Refuse an expression of leaves whose rates are not known: they would be taken for constants."""
        for leaf in order_of([x]):
            if leaf in leaves:
                raise ModelError(
                    f"system {self.name!r}: {what}: expected something whose rate is known, got {label(leaf)!r} in it"
                )

    def _number(self, speed: Expr, what: str) -> int:
        if speed not in self.v:
            raise ModelError(f"system {self.name!r}: {what}: {_called(speed)} is no speed of it")
        return self.v.index(speed)

    def rate(self, x: Expr) -> Expr:
        """Time derivative of an expression of coordinates and time."""
        direction: dict[Expr, Any] = dict(zip(self.q, self.kinematical_equations(), strict=True))
        return forward([x], direction | {self.time: 1.0})[0]

    # ------------------------------------------------------------ analysis

    def kinematical_equations(self) -> Nodes:
        """Rates of the coordinates (1)."""
        found: dict[Expr, Expr] = {}
        for body in self.bodies.values():
            found |= dict(zip(body.coordinates, rates(body), strict=True))
        return np.array([found[q] for q in self.q], dtype=object)

    def origin_speeds(self) -> dict[Expr, Expr]:
        """Speeds of origins in terms of those of composite mass centres, where they are others."""
        return origin_speeds(composite_bodies(list(self.bodies.values())))

    def dynamical_equations(self, mass_centre_speeds: bool = False) -> tuple[Nodes, Nodes]:
        """M and f of all speeds, constraints left aside (2); of mass centres in place of origins, if asked for."""
        bodies = list(self.bodies.values())
        composites = composite_bodies(bodies)
        moved = motions(bodies, composites, self.gravity, mass_centre_speeds)
        image = origin_speeds(composites) if mass_centre_speeds else {}
        wrenches = rewritten_wrenches(self.wrenches, image) if image else self.wrenches
        M, f = arrays(len(self.v), composites, moved, wrenches, self.graph.zero)
        if image:
            J = speed_slopes(self.v, image)
            for i, force in zip(self.speed_forces, rewritten(self.speed_forces.values(), image), strict=True):
                f = f + J[i] * force
            for i, inertia in self.speed_inertias.items():
                M = M + np.outer(J[i], J[i]) * inertia
            return M, f
        for i, force in self.speed_forces.items():
            f[i] = f[i] + force
        for i, inertia in self.speed_inertias.items():
            M[i, i] = M[i, i] + inertia
        return M, f

    def equations(
        self, small: Sequence[Expr] = (), omit: Sequence[str] = (), mass_centre_speeds: bool = False
    ) -> EquationsOfMotion:
        """The equations of motion, exact, or to first order in the coordinates and speeds named `small`.

        Parameters
        ----------
        small : sequence of Expr
            Coordinates and speeds.
        omit : sequence of str
            Names of coordinates, on which nothing else depends, whose rates are left out; see `omitting`.
        mass_centre_speeds : bool
            Take the velocity of the composite mass centre, as the source does, and not that of the origin, for the
            speeds of bodies whose own speeds give either. Names stay, forces and constraints are rewritten.
        """
        found = derive(self, small, mass_centre_speeds)
        return omitting(found, omit) if omit else found

    def derivation(self, small: Sequence[Expr] = ()) -> str:
        """How these equations come about: Sayers' Tables 1 to 10, the mass matrix and its elimination, counts."""
        return derivation(self, self.equations(small))


def _called(x: Any) -> str:
    """What stands in a message for something that should be a leaf."""
    return repr(label(x)) if isinstance(x, Expr) and x.op == "input" else repr(x)
