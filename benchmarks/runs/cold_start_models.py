"""Models whose first evaluation is timed, each with another of the same structure and other numbers."""

from __future__ import annotations

import supple
from supple import structures
from support.files.robots import robot_directory


def made(name: str) -> tuple[supple.Model, supple.Model]:
    """A model and one with other numbers."""
    kind, _, size = name.partition(" ")
    if kind == "pendulum":
        return _pendulum(1.3), _pendulum(1.7)
    if kind == "flexible":
        links, modes = map(int, size.split(" x "))
        return _arm(links, modes, 1.0), _arm(links, modes, 1.1)
    path = next(robot_directory().rglob(f"{ {'panda': 'panda', 'talos': 'talos_reduced'}[kind] }.urdf"))
    model = supple.load(path, floating_base=kind == "talos")
    return model, _heavier(model)


def _pendulum(mass: float) -> supple.Model:
    mech = supple.Mechanism("pendulum")
    mech.add_body("arm", supple.RigidBody(mass, (0, 0, -0.4), (0.1, 0.1, 0.1)), joint=supple.Revolute("y"))
    return mech.build()


def _arm(links: int, modes: int, thickness: float) -> supple.Model:
    carbon = structures.Material(E=70e9, nu=0.3, rho=1600)
    tube = structures.beam(0.8, structures.Tube(radius=0.02, thickness=0.001 * thickness), carbon, elements=12)
    link = tube.reduce("craig-bampton", modes=modes, interfaces=["end"], damping=0.01)
    mech = supple.Mechanism("arm")
    for i in range(links):
        parent = f"link{i - 1}" if i else "ground"
        mech.add_body(f"link{i}", link, parent, supple.Revolute("y"), at="end" if i else None)
    return mech.build()


def _heavier(model: supple.Model) -> supple.Model:
    """The same with every mass a tenth larger."""
    mech = supple.Mechanism("heavier", gravity=model.description.gravity)
    for placed in model.description.bodies.values():
        body = placed.body
        assert isinstance(body, supple.RigidBody)
        heavier = supple.RigidBody(1.1 * body.mass, body.com, 1.1 * body.inertia)
        at, R = placed.position, placed.rotation
        mech.add_body(placed.name, heavier, placed.parent, placed.joint, at=at, rotation=R)
    return mech.build()
