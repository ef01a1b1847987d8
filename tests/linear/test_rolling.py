"""Small motions of what rolls: bicycle, disc and ball against published numbers and closed forms."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from numpy.typing import NDArray

import supple
from supple.linear import equilibrium, linear_equations, modes, state_space
from supple.linear.acting_laws import ActingLaws

Floats = NDArray[np.float64]
G = 9.81

# Meijaard, Papadopoulos, Ruina and Schwab (2007), Linearized dynamics equations for the balance and steer of a bicycle:
# a benchmark and review. Eigenvalues, 1/s, as printed, by forward speed in m/s; one of each pair.
PUBLISHED: dict[float, list[complex]] = {
    0.0: [-5.53094371765393, -3.13164324790656, 3.13164324790656, 5.53094371765393],
    4.0: [-12.15861426576447, -1.42944427361326, 0.41325331521125 - 3.07910818603206j],
    5.0: [-14.07838969279822, -0.77534188219585 - 4.46486771378823j, -0.32286642900409],
    10.0: [-24.62459635017404, -3.72016840437287 - 10.90681139476287j, 0.16105338653172],
}


@cache
def bicycle() -> supple.Model:
    """The benchmark bicycle, z up and y to the left: its frame on a free joint, both wheels roll."""

    def symmetric(xx: float, xz: float, yy: float, zz: float) -> Floats:
        return np.array([[xx, 0, -xz], [0, yy, 0], [-xz, 0, zz]])

    base, trail, tilt = 1.02, 0.08, np.pi / 10
    mech = supple.Mechanism("bicycle")
    frame = supple.RigidBody(85.0, (0.3, 0, 0.6), symmetric(9.2, 2.4, 11.0, 2.8))
    mech.add_body("frame", frame, joint=supple.Free(), at=(0, 0, 0.3))
    mech.add_body("rear", supple.RigidBody(2.0, inertia=(0.0603, 0.12, 0.0603)), "frame")
    # The fork's origin is where the steer axis meets the ground.
    fork = supple.RigidBody(4.0, (0.9 - base - trail, 0, 0.7), symmetric(0.05892, -0.00756, 0.06, 0.00708))
    steer = supple.Revolute((-np.sin(tilt), 0, np.cos(tilt)))
    mech.add_body("fork", fork, "frame", steer, at=(base + trail, 0, -0.3))
    mech.add_body("front", supple.RigidBody(3.0, inertia=(0.1405, 0.28, 0.1405)), "fork", at=(-trail, 0, 0.35))
    mech.constrain("rear contact", supple.Rolling("ground", "rear", 0.3, axis="y"))
    mech.constrain("front contact", supple.Rolling("ground", "front", 0.35, axis="y"))
    return mech.build()


@pytest.fixture(scope="module")
def whipple() -> supple.Model:
    return bicycle()


def riding(speed: float) -> dict[str, float]:
    return {"frame.vx": speed, "rear.angle": speed / 0.3, "front.angle": speed / 0.35}


@pytest.mark.parametrize("speed", PUBLISHED)
def test_bicycle_of_whipple(whipple: supple.Model, speed: float) -> None:
    """Ten speeds and seven conditions: seven coordinates, three speeds, and the four eigenvalues of lean and steer."""
    system = state_space(whipple, v=riding(speed), inputs=["fork.angle"], outputs=["q:fork.angle"])
    e = system.equations
    assert (len(e.placed), len(e.free)) == (8 - 1, 3)
    assert set(e.free) < set(e.placed)
    assert np.abs(e.state.holding).max() < 1e-10
    s = np.linalg.eigvals(system.A)
    s = s[(np.abs(s) > 1e-3) & (s.imag <= 0)]
    # The rest are zero: place, heading, angles of the wheels, forward speed.
    assert np.sort_complex(s) == pytest.approx(PUBLISHED[speed], abs=1e-9)


def test_modes_of_the_bicycle(whipple: supple.Model) -> None:
    found = modes(whipple, v=riding(5.0))
    moving = found.eigenvalues[~found.rigid]
    expected = np.array(PUBLISHED[5.0]).conj()
    assert moving == pytest.approx(expected[np.argsort(np.abs(expected))], abs=1e-9)
    assert not found.unstable.any()
    assert found.kinds.count("decay") == 2
    # At rest it moves as its speeds do: it falls, the steering falls, and it rolls on.
    standing = modes(whipple)
    assert standing.kinds == ("rigid", "unstable", "unstable")
    assert standing.eigenvalues.real == pytest.approx([0.0, *PUBLISHED[0.0][2:]], abs=1e-9)
    assert whipple.loops is not None
    assert np.abs(whipple.loops.jacobian(standing.q) @ standing.shapes).max() < 1e-12
    assert standing.dof(2) == "fork.angle"


def test_transfer_of_the_bicycle(whipple: supple.Model) -> None:
    """From a torque at the handlebar, riding: the same as from A, B, C, D."""
    outputs = ["q:fork.angle", "v:frame.wx", "frame.vy", "frame.ay"]
    system = state_space(whipple, v=riding(5.0), inputs=["fork.angle", "frame.fy"], outputs=outputs)
    found = system.transfer([0.3, 2.0])
    for f, response in zip((0.3, 2.0), found, strict=True):
        s = 2j * np.pi * f
        expected = system.C @ np.linalg.solve(s * np.eye(len(system.A)) - system.A, system.B) + system.D
        assert response == pytest.approx(expected, rel=1e-9)
    with pytest.raises(supple.StateError, match="no response at 0 Hz"):
        system.transfer(0.0)


@cache
def disc(inertia: tuple[float, float, float]) -> supple.Model:
    """A wheel of 2 kg and 0.3 m, its spin on a joint of its own: axes that turn with it would never be steady."""
    mech = supple.Mechanism("disc")
    empty, parent = supple.RigidBody(0.0), "ground"
    for name, joint in (
        ("x", supple.Prismatic("x")),
        ("y", supple.Prismatic("y")),
        ("z", supple.Prismatic("z")),
        ("heading", supple.Revolute("z")),
        ("lean", supple.Revolute("x")),
    ):
        mech.add_body(name, empty, parent, joint)
        parent = name
    mech.add_body("wheel", supple.RigidBody(2.0, inertia=inertia), parent, supple.Revolute("y"))
    mech.constrain("road", supple.Rolling("ground", "wheel", 0.3, axis="y"))
    return mech.build()


@pytest.mark.parametrize("spin", [2.0, 12.0])
def test_rolling_disc_falls_or_wobbles(spin: float) -> None:
    """s^2 = m g r / (A + m r^2) - C (C + m r^2) W^2 / (A (A + m r^2)), A across and C about the axle."""
    A, C, m, r = 0.05, 0.09, 2.0, 0.3
    found = modes(disc((A, C, A)), {"z.position": r}, {"wheel.angle": spin, "x.position": r * spin})
    square = (m * G * r - C * (C + m * r**2) * spin**2 / A) / (A + m * r**2)
    value = found.eigenvalues[-1]
    assert value**2 == pytest.approx(square, rel=1e-10)
    assert found.unstable.sum() == (square > 0)
    assert (~found.rigid).sum() == (2 if square > 0 else 1)


@pytest.mark.filterwarnings("ignore:.*about a state that does not last:supple.PhysicsWarning")
def test_a_and_b_of_a_leaning_disc() -> None:
    """Rolling round a curve, driven: derivatives of its rates with the independent coordinates and speeds."""
    model = disc((0.05, 0.09, 0.06))
    loops = model.loops
    assert loops is not None
    guess, speeds = [0.1, -0.2, 0.3, 0.7, 0.4, 0.5], [0.0, 0.0, 0.0, 1.5, -0.4, 5.0]
    q = loops.assemble(guess, fixed=["x.position", "y.position", "heading.angle", "lean.angle", "wheel.angle"])
    v = loops.consistent(q, speeds)
    tau = np.array([0.3, 0.1, 0.0, 0.2, -0.1, 0.4])
    system = state_space(model, q, v, tau, inputs=["wheel.angle"], outputs=[])
    e = system.equations
    p, n = len(e.placed), len(e.free)
    assert (p, n) == (5, 3)
    placed, moving = [[model.speeds[i] for i in which] for which in (e.placed, e.free)]
    x = np.random.default_rng(5).normal(size=p + n)

    def rates(h: float) -> Floats:
        there = q.copy()
        there[e.placed] += h * x[:p]
        there = loops.assemble(there, placed)
        moved = v.copy()
        moved[e.free] += h * x[p:]
        moved = loops.consistent(there, moved, moving)
        a = model.forward_dynamics(there, moved, tau + h * np.eye(6)[-1])
        return np.concatenate([moved[e.placed], a[e.free]])

    h = 1e-5
    expected = (rates(h) - rates(-h)) / (2 * h)
    assert np.abs(expected).min() > 1e-2
    assert system.A @ x + system.B[:, 0] == pytest.approx(expected, rel=1e-6, abs=1e-7 * np.abs(expected).max())


def test_a_ball_with_its_weight_below_its_centre() -> None:
    """It rolls until that hangs below, then w^2 = m g d / (I + m (r - d)^2); it may spin and lie where it likes."""
    m, r, d, I = 3.0, 0.2, 0.07, 0.04
    mech = supple.Mechanism("roly-poly")
    mech.add_body("ball", supple.RigidBody(m, (0, 0, -d), (I, I, I)), joint=supple.Free(), at=(0, 0, r))
    mech.constrain("floor", supple.Rolling("ground", "ball", r))
    model = mech.build()
    half = 0.5 * np.arccos(0.3)  # leans by arccos(0.3)
    start = {"ball.qx": 0.6 * np.sin(half), "ball.qy": 0.8 * np.sin(half), "ball.qw": np.cos(half)}
    rest = equilibrium(model, start)
    assert rest.stable
    assert model.center_of_mass(rest.start)[2] == pytest.approx(r - 0.3 * d, abs=1e-9)
    assert model.center_of_mass(rest.q)[2] == pytest.approx(r - d, abs=1e-12)
    found = modes(model, rest.q)
    assert found.kinds == ("rigid", "", "")
    square = m * G * d / (I + m * (r - d) ** 2)
    assert (2 * np.pi * found.frequencies[1:]) ** 2 == pytest.approx([square, square], rel=1e-10)
    # Pushed at its centre it leans, and has moved by the lean times the radius.
    e = linear_equations(model, rest.q)
    assert (len(e.placed), len(e.free)) == (5, 3)
    system = state_space(model, rest.q, inputs=["ball.fx"], outputs=["ball.x"], fixed=())
    with pytest.raises(supple.StateError, match="no response at 0 Hz"):
        system.transfer(0.0)  # it may spin about the vertical
    s = 2j * np.pi * 0.5
    expected = r**2 / (s**2 * (I + m * (r - d) ** 2) + m * G * d)
    assert system.transfer(0.5)[0, 0] == pytest.approx(expected, rel=1e-10)


def test_static_response_of_what_rolls_under_a_controller() -> None:
    """A wheel on springs of its place: states of controllers leave the static response, or add their share to it."""
    mech = supple.Mechanism("sprung disc")
    empty, parent = supple.RigidBody(0.0), "ground"
    for name, joint in (
        ("x", supple.Prismatic("x", stiffness=7.0)),
        ("y", supple.Prismatic("y", stiffness=5.0)),
        ("z", supple.Prismatic("z")),
        ("heading", supple.Revolute("z", stiffness=3.0)),
        ("lean", supple.Revolute("x", stiffness=50.0)),
    ):
        mech.add_body(name, empty, parent, joint)
        parent = name
    mech.add_body("wheel", supple.RigidBody(2.0, inertia=(0.05, 0.09, 0.05)), parent, supple.Revolute("y"))
    mech.constrain("road", supple.Rolling("ground", "wheel", 0.3, axis="y"))
    model = mech.build()
    x = model.speeds.index("x.position")
    none = ActingLaws.none(model)

    def response(gain: float, count: int = 1) -> NDArray[np.complex128]:
        """z' = x - 2 z, with the force gain z on x."""
        by_z, by_v = np.zeros((model.nv, count)), np.zeros((count, model.nv))
        by_q = np.zeros((count, model.nq))
        by_z[x, :1], by_q[:1, x] = gain, 1.0
        laws = none._replace(
            states=tuple(f"control.z{i}" for i in range(count)),
            force_by_z=by_z,
            rate_by_q=by_q,
            rate_by_v=by_v,
            rate_by_z=-2.0 * np.eye(count),
        )
        system = state_space(
            model, {"z.position": 0.3}, inputs=["x.position"], outputs=["q:x.position"], laws=laws if count else None
        )
        assert system.equations.rolls
        found = system.transfer([0.0, 0.7])
        s = 1.4j * np.pi
        expected = system.C @ np.linalg.solve(s * np.eye(len(system.A)) - system.A, system.B) + system.D
        assert found[1] == pytest.approx(expected, rel=1e-9)
        return found[0, 0, 0]

    alone = response(0.0, count=0)
    assert alone == pytest.approx(1.0 / 7.0, rel=1e-12)
    assert response(0.0) == pytest.approx(alone, rel=1e-12)
    assert response(-4.0) == pytest.approx(1.0 / (7.0 + 4.0 / 2.0), rel=1e-12)
