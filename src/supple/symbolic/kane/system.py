"""A system as a dynamicist describes it: bodies, joints, vectors, forces, constraints; then its equations."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from supple.checks import number
from supple.errors import ModelError, nearest
from supple.expressions.derivatives import forward
from supple.expressions.function import Nodes
from supple.expressions.graph import Expr, Graph, order_of
from supple.expressions.printers.head import label
from supple.symbolic.bases import Ground
from supple.symbolic.equations import Equations
from supple.symbolic.kane.arguments import (
    Direction,
    check_independent,
    check_orthogonal,
    fixed_vector,
    inertia_of,
    scalar,
    vector,
)
from supple.symbolic.kane.body import Body, Dof
from supple.symbolic.kane.composite import composite_bodies
from supple.symbolic.kane.constraints import Constraint
from supple.symbolic.kane.derive import derive
from supple.symbolic.kane.dynamics import Load, arrays
from supple.symbolic.kane.joint import Turning, placed, turned
from supple.symbolic.kane.motion import motions
from supple.symbolic.kane.rates import rates
from supple.symbolic.vectors import Dyadic, Vector, axis


class System:
    """A tree of rigid bodies in symbols, analysed by Kane's method as Sayers (1991) orders it.

    Parameters
    ----------
    name : str

    Attributes
    ----------
    graph : Graph
    ground : Body
        Its axes are n1, n2, n3.
    time : Expr
    gravity : Vector
        Zero unless set.
    bodies : dict of str to Body
        In the order in which they were added.
    values : dict of str to float
        Numbers of the parameters, where they were given.

    Examples
    --------
    A pendulum whose mass hangs L below the pivot:

    >>> s = System("pendulum")
    >>> m, L, g = s.parameters(m=1.0, L=0.5, g=9.81)
    >>> n1, n2, n3 = s.ground.axes
    >>> s.gravity = -g * n2
    >>> arm = s.add_body("arm", rotations="3", mass=m, com=(0, -L, 0))
    >>> arm.velocity(arm.vector(0, -L, 0))
    L*u1 arm1
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.graph = Graph()
        self.zero = Vector(self.graph, {})
        basis = Ground("n", self.graph)
        none, nothing = self.graph.zero, Dyadic(self.graph, {})
        self.ground = Body("ground", self, None, basis, basis, self.zero, self.zero, none, none, self.zero, nothing)
        self.bodies: dict[str, Body] = {}
        self._gravity = self.zero
        self.time = self.graph.input("t:time")
        self.values: dict[str, float] = {}
        self.q: list[Expr] = []
        self.v: list[Expr] = []
        self.inputs: list[Expr] = []
        self.symbols: dict[str, Expr] = {}
        self.loads: list[Load] = []
        self.constraints: list[Constraint] = []
        self.speed_forces: dict[int, Expr] = {}
        self.speed_inertias: dict[int, Expr] = {}

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
        leaf = self.graph.input(f"tau:{name}")
        if leaf in self.inputs:
            raise ModelError(f"system {self.name!r}: input {name!r} is defined twice")
        self.inputs.append(leaf)
        return leaf

    def body(self, body: Body | str) -> Body:
        """A body by its name; "ground" is one."""
        if isinstance(body, Body):
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
        parent: Body | str = "ground",
        *,
        at: Direction = (0, 0, 0),
        translations: Sequence[Direction] = (),
        rotations: str = "",
        axis: Direction | None = None,
        reference: Direction | None = None,
        mass: Any = 0.0,
        com: Direction = (0, 0, 0),
        inertia: Sequence[Any] | NDArray[Any] = (0, 0, 0),
        coordinates: Sequence[str] = (),
        speeds: Literal["auto", "rates"] = "auto",
    ) -> Body:
        """Add a body on a building-block joint (Table 1).

        Parameters
        ----------
        name : str
            Its axes are called name1, name2, name3.
        parent : Body or str
        at : Vector, or three components in the parent's frame
            The joint point, from the parent's origin.
        translations : up to three directions
            Vectors fixed in the parent, components in its frame, or "x", "y", "z".
        rotations : str
            Numbers of the body's axes in the order of the rotations: "", "3", "12", "123", "313", ...
        axis, reference : direction, optional
            Where the first rotation axis, and the one after it, point while all coordinates are zero (Table 3); without
            them the body's axes are the parent's then.
        mass : Expr or float
        com : Vector, or three components in the body's frame
            Mass centre from the origin.
        inertia : three moments or 3 x 3, in the body's frame
            About the mass centre.
        coordinates : sequence of str
            Names of the coordinates, translations first; q1, q2, ... if not given.
        speeds : "auto" or "rates"
            "auto" chooses as Tables 5 and 6 do: three rotations, or three translations, have the angular velocity, or
            the velocity of the origin, against the ground in body axes for speeds; so have two translations that keep
            the body in a plane; all others the rates of their coordinates. (The source takes the velocity of the
            composite mass centre, whose meaning would change with every body that is added.)
        """
        where = f"system {self.name!r}: body {name!r}"
        carrier = self.body(parent)
        if name in self.bodies or name in ("ground", self.ground.basis.name):
            raise ModelError(f"{where}: is defined twice, or the name of the ground's axes")
        if len(translations) > 3:
            raise ModelError(f"{where}: translations: expected up to three, got {translations!r}")
        if not isinstance(rotations, str) or len(rotations) > 3 or set(rotations) - set("123"):
            raise ModelError(f"{where}: rotations: expected up to three of 1, 2, 3, as in '313', got {rotations!r}")
        if any(a == b for a, b in pairwise(rotations)):
            raise ModelError(f"{where}: rotations: expected no axis twice in a row, got {rotations!r}")
        if speeds not in ("auto", "rates"):
            raise ModelError(f"{where}: speeds: expected 'auto' or 'rates', got {speeds!r}")
        start = carrier.frame
        point = fixed_vector(carrier, at, f"{where}: at")
        directions = [fixed_vector(carrier, d, f"{where}: translations") for d in translations]
        check_independent(directions, f"{where}: translations")
        if axis is not None or reference is not None:
            if axis is None or reference is None or not rotations:
                raise ModelError(f"{where}: expected an axis, a reference direction and a rotation together")
            first, second = (fixed_vector(carrier, d, f"{where}: axis and reference") for d in (axis, reference))
            check_orthogonal(first, second, f"{where}: axis and reference")
            start = placed(f"{name}o_", start, int(rotations[0]) - 1, first, second)
        known = self.scalar_of(mass, f"body {name!r}: mass")
        before = len(self.q)
        q = self.new_coordinates(coordinates, len(directions) + len(rotations), where)
        moves, turns = q[: len(directions)], q[len(directions) :]
        turning = turned(name, start, [np.eye(3)[int(c) - 1] for c in rotations], turns)
        body = self.placed(name, carrier, point, directions, moves, turning, turns)
        try:
            body.mass = known
            body.com = fixed_vector(body, com, f"{where}: com").along(body.basis)
            body.inertia = inertia_of(body, inertia, f"{where}: inertia").along(body.basis)
        except ModelError:
            del self.bodies[name], self.q[before:]  # what is refused leaves no trace
            raise
        planar = len(directions) == 2 and self._is_planar(body, directions)
        if speeds == "auto" and (len(directions) == 3 or planar):
            body.move_speeds = "absolute"
        if speeds == "auto" and len(rotations) == 3:
            body.turn_speeds = "absolute"
        self.new_speeds(body)
        return body

    def new_coordinates(self, names: Sequence[str], count: int, where: str) -> list[Expr]:
        """New coordinates."""
        if names and len(names) != count:
            raise ModelError(f"{where}: expected {count} names of coordinates, got {list(names)}")
        chosen = names or [f"q{len(self.q) + i + 1}" for i in range(count)]
        made = [self.graph.input(f"q:{name}") for name in chosen]
        for i, leaf in enumerate(made):
            if leaf in self.q or leaf in made[:i]:
                raise ModelError(f"{where}: coordinate {chosen[i]!r} is defined twice")
        self.q += made
        return made

    def placed(
        self,
        name: str,
        parent: Body,
        at: Vector,
        directions: list[Vector],
        moves: list[Expr],
        turning: Turning,
        turns: list[Expr],
        pitch: Any = 0.0,
    ) -> Body:
        """A body without mass and speeds, entered into the system."""
        shift = sum((q * d for q, d in zip(moves, directions, strict=True)), start=self.zero)
        screw = self.graph.node(pitch)
        if screw is not self.graph.zero:
            shift = shift + (screw * turns[0]) * turning.axes[0]
        none, nothing = self.graph.zero, Dyadic(self.graph, {})
        body = Body(name, self, parent, turning.basis, turning.frame, at, shift, screw, none, self.zero, nothing)
        body.move_coordinates, body.move_directions = moves, directions
        body.turn_coordinates, body.turn_axes = turns, turning.axes
        self.bodies[name] = body
        return body

    def _is_planar(self, body: Body, directions: list[Vector]) -> bool:
        """Whether a body with two translations turns about their normal and does not move along it (Table 5)."""
        assert body.parent is not None
        normal = directions[0].cross(directions[1])
        turning = body.parent.angular_velocity
        carried = body.parent.velocity(body.joint_point)
        axes_agree = all(a.cross(normal).is_zero for a in body.turn_axes)
        if len(self._axes_across(body, normal)) != 2:
            return False  # no axis of the body is the normal: two of them do not span the plane
        return axes_agree and turning.cross(normal).is_zero and (carried @ normal) is self.graph.zero

    def new_speeds(self, body: Body, names: Sequence[str] = (), angular_first: bool = False) -> None:
        """Give a body its speeds."""
        moves, turns = self._move_directions(body), self._turn_directions(body)
        order = [("turn", d) for d in turns] + [("move", d) for d in moves]
        if not angular_first:
            order = order[len(turns) :] + order[: len(turns)]
        for i, (kind, direction) in enumerate(order):
            number = len(self.v)
            speed = self.graph.input(f"v:{names[i] if names else f'u{number + 1}'}")
            self.v.append(speed)
            (body.turns if kind == "turn" else body.moves).append(Dof(number, speed, direction))

    def _turn_directions(self, body: Body) -> list[Vector]:
        if body.turn_speeds == "rates":
            return body.turn_axes
        return [axis(body.frame, i) for i in range(3)]

    def _move_directions(self, body: Body) -> list[Vector]:
        d = body.move_directions
        if body.move_speeds == "rates":
            return d
        return list(body.axes) if len(d) == 3 else self._axes_across(body, d[0].cross(d[1]))

    def _axes_across(self, body: Body, normal: Vector) -> list[Vector]:
        """Axes of a body that are not parallel to a normal."""
        return [a for a in body.axes if not a.cross(normal).is_zero]

    # ------------------------------------------------------------ forces and constraints

    def add_force(
        self, force: Vector, on: Body | str, at: Vector | None = None, against: Body | str | None = None
    ) -> None:
        """Let a force act on a body's origin, or on its point `at` from there, and its opposite on another body.

        The opposite force has the same line of action.
        """
        body = self.body(on)
        force = self.vector_of(force, f"force on {body.name!r}")
        point = self.zero if at is None else self.vector_of(at, f"force on {body.name!r}: at")
        self.loads.append(Load(body, force, point, self.zero))
        if against is not None:
            other = self.body(against)
            self.loads.append(Load(other, -force, body.position(point) - other.position(), self.zero))

    def add_torque(self, torque: Vector, on: Body | str, against: Body | str | None = None) -> None:
        """Let a torque act on a body, and its opposite on another."""
        body = self.body(on)
        torque = self.vector_of(torque, f"torque on {body.name!r}")
        self.loads.append(Load(body, self.zero, self.zero, torque))
        if against is not None:
            self.loads.append(Load(self.body(against), self.zero, self.zero, -torque))

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
        self.constraints.append(Constraint(node, self._number(dependent, "dependent speed"), None, None))

    def close(self, position: Any, dependent: Expr) -> None:
        """Demand that an expression of the coordinates vanishes, and let one coordinate depend on the others for it.

        The coordinate must be one whose rate is a speed. Two ends of a cut loop meet when the components of the
        vector between them vanish.
        """
        node = self.scalar_of(position, "closure")
        self._refuse(node, [*self.inputs, *self.v], "closure")
        for body in self.bodies.values():
            for q, dof, kind in [
                *((q, f, body.move_speeds) for q, f in zip(body.move_coordinates, body.moves, strict=False)),
                *((q, f, body.turn_speeds) for q, f in zip(body.turn_coordinates, body.turns, strict=False)),
            ]:
                if q is dependent and kind == "rates":
                    self.constraints.append(Constraint(self.rate(node), dof.number, node, q))
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

    def dynamical_equations(self) -> tuple[Nodes, Nodes]:
        """M and f of all speeds, constraints left aside (2)."""
        bodies = list(self.bodies.values())
        composites = composite_bodies(bodies)
        moved = motions(bodies, composites, self.gravity)
        M, f = arrays(len(self.v), composites, moved, self.loads, self.graph.zero)
        for i, force in self.speed_forces.items():
            f[i] = f[i] + force
        for i, inertia in self.speed_inertias.items():
            M[i, i] = M[i, i] + inertia
        return M, f

    def equations(self, small: Sequence[Expr] = ()) -> Equations:
        """The equations of motion, exact, or to first order in the coordinates and speeds named `small`."""
        return derive(self, small)


def _called(x: Any) -> str:
    """What stands in a message for something that should be a leaf."""
    return repr(label(x)) if isinstance(x, Expr) and x.op == "input" else repr(x)
