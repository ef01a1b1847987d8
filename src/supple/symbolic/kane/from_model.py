"""A rigid model as a system of vectors: the same coordinates and speeds, analysed the other way."""

from __future__ import annotations

from typing import Any

import numpy as np

from supple.errors import ModelError
from supple.expressions.graph import Expr
from supple.model.flatten import element_frames
from supple.model.model import Model
from supple.model.parameters import INERTIA, SPRING, WRENCH, Symbols
from supple.recursions.tree import QUATERNION, THREE_AXES
from supple.spatial import TINY
from supple.structures.body.flexible_body import FlexibleBody
from supple.symbolic.kane.joint import Turning, quaternion_turned, turned
from supple.symbolic.kane.kane_body import JointKinematics, JointMotion, KaneBody, RigidInertia, Speeds
from supple.symbolic.kane.kane_system import KaneSystem
from supple.symbolic.vector_bases import Oriented, VectorBasis
from supple.symbolic.vectors import Vector, dyadic, in_basis


def system_of(model: Model, symbols: Symbols) -> KaneSystem:
    """The system that a rigid model describes.

    Parameters
    ----------
    model : Model
    symbols : Symbols
        Numbers that stay symbols, names of states and generalized forces.
    """
    flexible = [name for name, placed in model.description.bodies.items() if isinstance(placed.body, FlexibleBody)]
    if flexible:
        raise ModelError(f"model {model.name!r}: Kane's method takes rigid bodies, and {flexible[0]!r} is flexible")
    system = KaneSystem(model.name)
    reader = _Reader(model, system, symbols)
    for k in range(1, len(model.bodies) + 1):
        reader.add(k)
    reader.add_forces()
    return system


class _Reader:
    """What turns rows of the model's arrays into bodies and forces."""

    def __init__(self, model: Model, system: KaneSystem, symbols: Symbols) -> None:
        self.model, self.tree, self.system = model, model.tree, system
        self.called, self.drives, self.symbols = symbols.called, symbols.inputs, symbols.nodes(system.graph)
        system.symbols = symbols.leaves(system.graph)
        system.values = dict(symbols.values)
        self.system.gravity = in_basis(system.ground.basis, self.triple("gravity", self.tree.gravity))
        self.names = list(model.description.bodies)

    def symbol(self, label: str, number: float) -> Any:
        """A number, or the symbol that stands for it."""
        return self.symbols.get(label, float(number))

    def triple(self, label: str, numbers: Any) -> list[Any]:
        """Three of them."""
        return [self.symbol(f"{label}.{c}", x) for c, x in zip("xyz", numbers, strict=True)]

    def place(self, i: int) -> list[Any]:
        """Where a frame is in its body."""
        return self.triple(element_frames(self.model.description)[i], self.tree.frames.position[i])

    def body(self, k: int) -> KaneBody:
        """A body by its number."""
        return self.system.bodies[self.names[k - 1]] if k else self.system.ground

    def add(self, k: int) -> None:
        """Body k on its joint."""
        system, model = self.system, self.model
        name, carrier = self.names[k - 1], self.body(int(self.tree.parent[k]))
        turning, joint = self._joint(k, name, carrier)
        own = self.called(model.speeds[len(system.v) : int(self.tree.v_mode[k])])
        layout = model.description.bodies[name].joint.layout()
        system.enter(name, carrier, turning, joint, self._inertia(name, turning), own, layout.angular_speeds_first)

    def _joint(self, k: int, name: str, carrier: KaneBody) -> tuple[Turning, JointKinematics]:
        """How the joint of body k turns its axes and moves its origin."""
        tree, system = self.tree, self.system
        frame = self._joint_frame(name, carrier.frame, tree.rotation[k].reshape(3, 3))
        kind, count = int(tree.rotation_kind[k]), int(tree.translations[k])
        directions = [in_basis(frame, tree.directions[k, 3 * j : 3 * j + 3].tolist()) for j in range(count)]
        size = count + (4 if kind == QUATERNION else kind)
        names = self.called(self.model.coordinates[len(system.q) :][:size])
        q = system.coordinate_leaves(names, size, f"body {name!r}")
        moves, turns = q[:count], q[count:]
        if kind == QUATERNION:
            turning = quaternion_turned(name, frame, turns)
        else:
            turning = turned(name, frame, [tree.axes[k, 3 * j : 3 * j + 3].tolist() for j in range(kind)], turns)
        at = in_basis(carrier.frame, self.triple(f"{name}.at", tree.position[k]))
        shift = sum((x * d for x, d in zip(moves, directions, strict=True)), start=system.zero)
        pitch = system.graph.node(self.symbol(f"{name}.pitch", tree.pitch[k]))
        if pitch is not system.graph.zero:
            shift = shift + (pitch * turns[0]) * turning.axes[0]
        in_body_axes: Speeds = "absolute" if carrier is system.ground else "body"
        return turning, JointKinematics(
            at,
            shift,
            pitch,
            JointMotion(tuple(moves), tuple(directions), in_body_axes if count == 3 else "rates"),
            JointMotion(
                tuple(turns), tuple(turning.axes), in_body_axes if kind in (THREE_AXES, QUATERNION) else "rates"
            ),
        )

    def _inertia(self, name: str, turning: Turning) -> RigidInertia:
        rigid = self.model.description.bodies[name].body
        mass = self.system.graph.node(self.symbol(f"{name}.mass", rigid.mass))
        com = in_basis(turning.frame, self.triple(f"{name}.com", rigid.com)).along(turning.basis)
        J = {
            ij: self.symbol(f"{name}.inertia.{ij}", rigid.inertia["xyz".index(ij[0]), "xyz".index(ij[1])])
            for ij in INERTIA
        }
        matrix = [[J["".join(sorted(a + b))] for b in "xyz"] for a in "xyz"]
        return RigidInertia(mass, com, dyadic(turning.frame, matrix).along(turning.basis))

    def _joint_frame(self, name: str, parent: VectorBasis, R: Any) -> VectorBasis:
        if np.array_equal(R, np.eye(3)):
            return parent
        return Oriented(f"{name}j_", parent, R.tolist())

    def add_forces(self) -> None:
        """Drives, springs and dampers of the joints, rotors, springs between points, constant wrenches."""
        system, tree = self.system, self.tree
        g = system.graph
        for i, (label, speed) in enumerate(zip(self.model.speeds, system.v, strict=True)):
            force = -self.symbol(f"{label}.damping", tree.damping[i]) * speed
            j = int(tree.q_of_speed[i])
            if j >= 0:
                stretch = system.q[j] - self.symbol(f"{label}.rest", tree.rest[i])
                force = force - self.symbol(f"{label}.stiffness", tree.stiffness[i]) * stretch
            if label in self.drives:
                force = force + system.input(self.drives[label])
            if g.node(force) is not g.zero:
                system.add_speed_force(speed, force)
            rotor = g.node(self.symbol(f"{label}.inertia", tree.joint_inertia[i]))
            if rotor is not g.zero:
                system.speed_inertias[i] = rotor
        for e in range(len(tree.spring_frames)):
            self._add_spring(e)
        for e in range(len(tree.wrench_frame)):
            self._add_wrench(e)

    def _add_spring(self, e: int) -> None:
        """A force along the line between two points: k (L - L0) + c dL/dt."""
        name = list(self.model.description.springs)[e]
        numbers = zip(SPRING, self.tree.spring_constants[e], strict=True)
        stiffness, damping, free_length = (self.symbol(f"{name}.{what}", x) for what, x in numbers)
        frames, ends = self.tree.frames, self.tree.spring_frames[e]
        first, second = (self.body(int(frames.body[i])) for i in ends)
        a, b = (body.vector(*self.place(int(i))) for body, i in zip((first, second), ends, strict=True))
        d = (second.position(b) - first.position(a)).along(self.system.ground.basis)
        rate = (second.velocity(b) - first.velocity(a)).along(self.system.ground.basis)
        square: Expr = d @ d + TINY
        pull = (
            stiffness * (1 - free_length / self.system.graph.function("sqrt", square)) + damping * (d @ rate) / square
        )
        self.system.add_force(pull * d, first, a)
        self.system.add_force(-pull * d, second, b)

    def _add_wrench(self, e: int) -> None:
        tree = self.tree
        i = tree.wrench_frame[e]
        body = self.body(int(tree.frames.body[i]))
        basis = self.system.ground.basis if tree.wrench_grounded[e] else body.frame
        axes = np.eye(3) if tree.wrench_grounded[e] else tree.frames.rotation[i].reshape(3, 3)
        name = list(self.model.description.wrenches)[e]
        six = [self.symbol(f"{name}.{what}", x) for what, x in zip(WRENCH, tree.wrench_value[e], strict=True)]
        value = axes.astype(object) @ np.array(six, dtype=object).reshape(2, 3).T
        moment, force = (in_basis(basis, value[:, j].tolist()) for j in range(2))
        at: Vector = body.vector(*self.place(int(i)))
        self.system.add_force(force, body, at)
        self.system.add_torque(moment, body)
