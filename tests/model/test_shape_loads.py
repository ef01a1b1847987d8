"""Loads on second-order shapes change the stiffness of a beam as closed forms say, wherever they come from."""

from __future__ import annotations

import numpy as np
import pytest

import supple
from supple import structures
from supple.model import shape_loads as module
from supple.structures.stiffening.stiffness_change import StressedStiffness

STEEL = structures.Material(E=210e9, nu=0.3, rho=7800.0)
SECTION = structures.Rectangle(0.02, 0.01)
LENGTH = 1.0
EI = STEEL.E * SECTION.Iy
"""About its soft axis."""
PER_LENGTH = STEEL.rho * SECTION.A
EULER = 2.467401 * EI / LENGTH**2
"""Buckling load of the clamped column."""
MODES = 6
BEAM = structures.beam(LENGTH, SECTION, STEEL, 12).reduce("cantilever", modes=MODES)
NODAL = structures.beam(LENGTH, SECTION, STEEL, 12).reduce("nodal")


def clamped(body: structures.FlexibleBody = BEAM, gravity: float = 0.0) -> supple.Mechanism:
    mech = supple.Mechanism("column", gravity=(gravity, 0.0, 0.0))
    mech.add_body("beam", body, joint=supple.Fixed())
    return mech


def change(
    mech: supple.Mechanism, v: float = 0.0, external: dict[str, list[float]] | None = None
) -> tuple[float, float]:
    """Least and largest change of the stiffness in the undeformed state, all accelerations zero."""
    model = mech.build()
    loads = model.shape_loads
    speeds = np.zeros((1, model.nv))
    speeds[0, 0] = v
    force = None if model.loops is None else np.zeros((1, len(model.loops)))
    Q = loads(model.neutral()[None], speeds, np.zeros((1, model.nv)), external, force)["beam"]
    least, most = StressedStiffness(mech.bodies["beam"].body).change(Q)  # type: ignore[arg-type]
    return float(least[0]), float(most[0])


@pytest.mark.parametrize("body", [BEAM, NODAL], ids=["modes", "nodes"])
def test_own_weight_buckles_a_column(body: structures.FlexibleBody) -> None:
    share = PER_LENGTH * 9.81 * LENGTH**3 / EI / 7.837347
    assert change(clamped(body, gravity=-9.81))[0] == pytest.approx(-share, rel=2e-3)
    assert change(clamped(body, gravity=9.81))[1] == pytest.approx(share, rel=2e-3)  # hung up it stiffens


@pytest.mark.parametrize("body", [BEAM, NODAL], ids=["modes", "nodes"])
def test_a_force_a_body_a_wrench_and_a_spring_at_the_end_are_the_same_load(body: structures.FlexibleBody) -> None:
    force = 0.3 * EULER
    assert change(clamped(body), external={"beam/end": [0, 0, 0, -force, 0, 0]})[0] == pytest.approx(-0.3, rel=4e-3)
    mech = clamped(body)
    mech.add_wrench("weight", "beam/end", force=(-force, 0, 0))
    assert change(mech)[0] == pytest.approx(-0.3, rel=4e-3)
    mech = clamped(body)
    mech.add_frame("above", "ground", (LENGTH + 1.0, 0, 0))
    mech.add_spring_damper("push", "beam/end", "ground/above", stiffness=force, length=2.0)
    assert change(mech)[0] == pytest.approx(-0.3, rel=4e-3)
    mech = clamped(body, gravity=-10.0)
    mech.add_body("load", supple.RigidBody(force / 10.0), "beam", supple.Fixed(), at="end")
    own = change(clamped(body, gravity=-10.0))[0]
    assert -0.3 + 1.1 * own < change(mech)[0] < -0.3


def test_a_spin_stiffens_by_its_southwell_coefficient() -> None:
    mech = supple.Mechanism("blade", gravity=(0, 0, 0))
    mech.add_body("beam", BEAM, joint=supple.Revolute("z"))
    unit = np.sqrt(EI / (PER_LENGTH * LENGTH**4))
    least, most = change(mech, v=4.0 * unit)
    assert most == pytest.approx(16.0 * 1.193336 / 3.51602**2, rel=0.02)
    assert least >= 0.0


def test_machine_code_gives_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    mech = supple.Mechanism("two of them")
    mech.add_body("beam", BEAM, joint=supple.Revolute("z"))
    mech.add_body("second", BEAM, "beam", supple.Revolute("y"), at="end")
    model = mech.build()
    states = [model.random_state(i) for i in range(3)]
    q, v = (np.array(x) for x in zip(*states, strict=True))
    plain = model.shape_loads(q, v, 0.3 * v)
    monkeypatch.setattr(module, "MANY", 0)
    compiled = model.shape_loads(q, v, 0.3 * v)
    for name in ("beam", "second"):
        assert np.abs(plain[name]).max() > 0.0
        assert compiled[name] == pytest.approx(plain[name], rel=1e-10, abs=1e-10 * np.abs(plain[name]).max())


def test_forces_of_a_closed_loop_load_the_body() -> None:
    """The end of a column on a slide that a second body closes: the force of the loop is that of the slide's weight."""
    mech = supple.Mechanism("column under a slide", gravity=(-10.0, 0, 0))
    mech.add_body("beam", BEAM, joint=supple.Fixed())
    mass = 0.3 * EULER / 10.0
    slide = supple.RigidBody(mass, inertia=(1.0, 1.0, 1.0))
    mech.add_body("slide", slide, joint=supple.Prismatic("x"), at=(LENGTH, 0, 0))
    mech.close_loop("seat", "beam/end", "slide", supple.Spherical())
    model = mech.build()
    assert model.loops is not None
    q, v = model.neutral()[None], np.zeros((1, model.nv))
    column = model.loops.jacobian(q[0])[:, model.speeds.index("slide.position")]
    i = int(np.argmax(np.abs(column)))
    forces = np.zeros((1, len(model.loops)))
    forces[0, i] = mass * 10.0 / column[i]  # holds the slide
    Q = model.shape_loads(q, v, np.zeros_like(v), None, forces)["beam"]
    least, _ = StressedStiffness(BEAM).change(Q)
    own = change(clamped(gravity=-10.0))[0]
    assert -0.3 + 1.1 * own < least[0] < -0.29


def test_bodies_that_nothing_stiffens_are_left_out() -> None:
    mech = supple.Mechanism("pendulum")
    mech.add_body("arm", supple.RigidBody(1.0, com=(0, 0, -1)))
    loads = mech.build().shape_loads
    assert loads.bodies == ()
    assert loads(np.zeros((2, 1)), np.zeros((2, 1)), np.zeros((2, 1))) == {}
