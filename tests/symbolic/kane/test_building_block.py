"""Wrong descriptions of systems: each refused with the name of the element, and without a trace."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from supple import Revolute, RigidBody
from supple.errors import ModelError
from supple.symbolic.kane import KaneJoint, KaneSystem, MassProperties
from support.mechanisms.described_bodies import described
from support.mechanisms.sayers_satellite import NUMBERS, satellite


def systems() -> tuple[KaneSystem, KaneSystem]:
    """A system with a body that turns, a parameter, an input; and another system."""
    s, other = KaneSystem("crane"), KaneSystem("other")
    s.parameters(m=1.0)
    s.input("f")
    s.add_body("arm", joint=KaneJoint(rotations="3", coordinates=["angle"]), body=MassProperties(1.0, com=(1, 0, 0)))
    other.parameters("k")
    return s, other


def add(**arguments: Any) -> Callable[[KaneSystem, KaneSystem], Any]:
    return lambda s, other: s.add_body("hook", **described(arguments))


REFUSED: dict[str, tuple[Callable[[KaneSystem, KaneSystem], Any], str]] = {
    "parent before it is defined": (lambda s, o: s.add_body("hook", "rope"), "crane.*'rope' is used before"),
    "parent of another system": (lambda s, o: s.add_body("hook", o.ground), "'ground' belongs to system 'other'"),
    "body twice": (lambda s, o: s.add_body("arm"), "body 'arm': is defined twice"),
    "ground twice": (lambda s, o: s.add_body("ground"), "body 'ground': is defined twice"),
    "parameter twice": (lambda s, o: s.parameters("m"), "crane.*parameter 'm' is defined twice"),
    "parameter twice, with a number": (lambda s, o: s.parameters("L", L=2.0), "parameter 'L' is defined twice"),
    "input twice": (lambda s, o: s.input("f"), "crane.*input 'f' is defined twice"),
    "coordinate twice": (add(translations=["x"], coordinates=["angle"]), "'hook': coordinate 'angle' is defined twice"),
    "coordinate twice in a body": (add(translations=["x", "y"], coordinates=["p", "p"]), "'p' is defined twice"),
    "number of coordinates": (add(rotations="3", coordinates=["a", "b"]), r"'hook': expected 1 names.*\['a', 'b'\]"),
    "axis 4": (add(rotations="4"), "'hook': rotations: expected .* got '4'"),
    "axis names": (add(rotations="xy"), "'hook': rotations: expected .* got 'xy'"),
    "four rotations": (add(rotations="1231"), "'hook': rotations: expected .* got '1231'"),
    "no string": (add(rotations=3), "'hook': rotations: expected .* got 3"),
    "axis twice in a row": (add(rotations="112"), "'hook': rotations: expected no axis twice in a row, got '112'"),
    "four translations": (add(translations=["x", "y", "z", "x"]), "'hook': translations: expected up to three"),
    "joint of a mechanism": (
        lambda s, o: s.add_body("hook", "arm", Revolute("z")),  # type: ignore[arg-type]
        "'hook': joint: expected a KaneJoint, got Revolute",
    ),
    "body of a mechanism": (
        lambda s, o: s.add_body("hook", body=RigidBody(1.0)),  # type: ignore[arg-type]
        "'hook': body: expected a MassProperties, got RigidBody",
    ),
    "speeds": (add(rotations="123", speeds="body"), "'hook': speeds: expected 'auto' or 'rates', got 'body'"),
    "axis alone": (add(rotations="3", axis="x"), "'hook': expected an axis and a reference direction"),
    "reference alone": (add(rotations="3", reference="x"), "'hook': expected an axis and a reference direction"),
    "axis along reference": (add(axis="x", reference="x"), "'hook': axis and reference: expected perpendicular"),
    "oblique reference": (add(rotations="3", axis="x", reference=(1, 1, 0)), "'hook': axis and reference: .*perpend"),
    "parallel reference": (add(rotations="3", axis="x", reference="x"), "'hook': axis and reference: .*perpend"),
    "no axis": (add(rotations="3", axis=(0, 0, 0), reference="x"), "'hook': axis and reference: .*perpend"),
    "direction name": (add(translations=["w"]), "'hook': translations: expected 'x', 'y' or 'z'.* got 'w'"),
    "two letters": (add(translations=["xy"]), "'hook': translations: expected 'x', 'y' or 'z'.* got 'xy'"),
    "no letter": (add(translations=[""]), "'hook': translations: expected 'x', 'y' or 'z'.* got ''"),
    "two components": (add(translations=[(1, 2)]), r"'hook': translations: expected .*three components, got \(1, 2\)"),
    "dependent translations": (add(translations=["x", "y", (1, 2, 0)]), "'hook': translations: .*independent"),
    "nearly dependent": (add(translations=[(0.1, 0.2, 0.3), (0.3, 0.6, 0.9)]), "'hook': translations: .*independent"),
    "no direction": (add(translations=[(0, 0, 0)]), "'hook': translations: .*independent"),
    "moving direction": (
        lambda s, o: s.add_body("hook", "arm", joint=KaneJoint(translations=[s.ground.axes[0]])),
        "'hook': translations: expected a vector fixed in 'arm', got n1, which varies with 'angle'",
    ),
    "moving joint": (
        lambda s, o: s.add_body("hook", "arm", at=s.q[0] * s.ground.axes[2]),
        "'hook': at: expected a vector fixed in 'arm'",
    ),
    "moving mass centre": (
        lambda s, o: s.add_body(
            "hook", "arm", joint=KaneJoint(rotations="1"), body=MassProperties(com=s.ground.axes[0])
        ),
        "'hook': com: expected a vector fixed in 'hook'",
    ),
    "joint elsewhere": (lambda s, o: s.add_body("hook", at=o.ground.axes[0]), "'hook': at: n1 is .* another system"),
    "at": (add(at=(1, 2)), r"'hook': at: expected a vector or three components, got \(1, 2\)"),
    "com": (add(com=3.0), "'hook': com: expected a vector or three components, got 3.0"),
    "com of vectors": (
        lambda s, o: s.add_body("hook", body=MassProperties(com=s.ground.axes)),
        "'hook': com: expected a scalar",
    ),
    "mass": (
        lambda s, o: s.add_body("hook", body=MassProperties(s.ground.axes[0])),
        "'hook': mass: expected a scalar, .*vector n1",
    ),
    "mass as text": (add(mass="heavy"), "'hook': mass: expected a scalar, got 'heavy'"),
    "mass elsewhere": (
        lambda s, o: s.add_body("hook", body=MassProperties(o.symbols["k"])),
        "'hook': mass: k is .* another system",
    ),
    "two moments": (add(inertia=(1, 2)), r"'hook': inertia: expected three moments .* got \(1, 2\)"),
    "four moments": (add(inertia=(1, 2, 3, 4)), "'hook': inertia: expected three moments"),
    "one moment": (add(inertia=3.0), "'hook': inertia: expected three moments .* got 3.0"),
    "two by two": (add(inertia=[[1, 0], [0, 1]]), "'hook': inertia: expected three moments"),
    "no symmetry": (add(inertia=[[1, 2, 0], [0, 3, 0], [0, 0, 1]]), "'hook': inertia: expected a symmetric matrix"),
    "gravity": (lambda s, o: setattr(s, "gravity", (0, 0, -9.81)), r"crane.*gravity: expected a vector, got \(0, 0"),
    "gravity as a scalar": (lambda s, o: setattr(s, "gravity", s.symbols["m"]), "gravity: expected a vector, got m"),
    "gravity elsewhere": (lambda s, o: setattr(s, "gravity", o.ground.axes[2]), "gravity: n3 is .*another system"),
    "scalar force": (lambda s, o: s.add_force(3.0, "arm"), "force on 'arm': expected a vector, got 3.0"),  # type: ignore[arg-type]
    "scalar torque": (lambda s, o: s.add_torque(s.symbols["m"], "arm"), "torque on 'arm': expected a vector, got m"),  # type: ignore[arg-type]
    "scalar point": (lambda s, o: s.add_force(s.ground.axes[0], "arm", 2), "force on 'arm': at: expected a vector"),  # type: ignore[arg-type]
    "force elsewhere": (lambda s, o: s.add_force(o.ground.axes[0], "arm"), "force on 'arm': n1 is .*another system"),
    "force on nothing": (lambda s, o: s.add_force(s.ground.axes[0], "arn"), "'arn' is used before.*mean 'arm'"),
    "force along a coordinate": (lambda s, o: s.add_speed_force(s.q[0], 1.0), "generalized force: 'angle' is no speed"),
    "vector along a speed": (
        lambda s, o: s.add_speed_force(s.v[0], s.ground.axes[0]),
        "along 'u1': expected a scalar",
    ),
    "vector constraint": (
        lambda s, o: s.constrain(s.ground.axes[0], s.v[0]),
        "constraint: expected a scalar",
    ),
    "constraint of an input": (
        lambda s, o: s.constrain(s.v[0] - s.inputs[0], s.v[0]),
        "constraint: expected something whose rate is known, got 'f'",
    ),
    "closure of an input": (
        lambda s, o: s.close(s.q[0] - s.inputs[0], s.q[0]),
        "closure: expected something whose rate is known, got 'f'",
    ),
    "closure of a speed": (lambda s, o: s.close(s.q[0], s.v[0]), "is no coordinate whose rate is a speed"),
    "velocity of a scalar": (lambda s, o: s.bodies["arm"].velocity(2), "velocity of arm: expected a vector"),  # type: ignore[arg-type]
}


@pytest.mark.parametrize("case", REFUSED)
def test_wrong_descriptions_are_refused_by_name(case: str) -> None:
    s, other = systems()
    attempt, message = REFUSED[case]
    with pytest.raises(ModelError, match=message):
        attempt(s, other)
    assert list(s.bodies) == ["arm"]  # nothing is left of what was refused
    assert len(s.q) == len(s.v) == 1


def test_constraints_that_cannot_be_solved_are_refused() -> None:
    s = KaneSystem("s")
    a = s.add_body("a", joint=KaneJoint(translations=["x", "y"], speeds="rates"), body=MassProperties(1.0))
    s.constrain(a.speeds[0], a.speeds[1])
    with pytest.raises(ModelError, match="cannot be solved for u2: nothing is left of u2"):
        s.equations()
    t = KaneSystem("t")
    b = t.add_body("b", joint=KaneJoint(translations=["x"]), body=MassProperties(1.0))
    t.constrain(b.speeds[0] ** 2, b.speeds[0])
    with pytest.raises(ModelError, match="expected an expression linear in the speeds"):
        t.equations()
    r = KaneSystem("r")
    c = r.add_body("c", joint=KaneJoint(translations=["x", "y"], speeds="rates"), body=MassProperties(1.0))
    r.constrain(c.speeds[0], c.speeds[0])
    r.constrain(c.speeds[1], c.speeds[0])
    with pytest.raises(ModelError, match="a different one for each constraint, got u1, u1"):
        r.equations()


def test_numbers_of_parameters_are_asked_for() -> None:
    assert satellite().values == NUMBERS
    s = KaneSystem("s")
    (m,) = s.parameters("m")
    s.add_body("b", joint=KaneJoint(translations=["x"]), body=MassProperties(m))
    with pytest.raises(ValueError, match="s: expected a number for the parameter 'm', got none"):
        s.equations().evaluate([0], [0])
    with pytest.raises(ValueError, match="s: no parameter 'n'"):
        s.equations().evaluate([0], [0], parameters={"n": 1.0})
