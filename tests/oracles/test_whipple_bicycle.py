"""The bicycle of Whipple: full equations in symbols against the published linear ones, and against energy.

Meijaard, Papadopoulos, Ruina and Schwab (2007), Linearized dynamics equations for the balance and steer of a bicycle:
a benchmark and review. The model is that of the example.
"""

from __future__ import annotations

import runpy
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import brentq

from supple.expressions.function import Function
from supple.symbolic.equations_of_motion import EquationsOfMotion
from supple.symbolic.kane import KaneSystem
from supple.symbolic.vectors import added
from support.runs.fixed_steps import runge_kutta

EXAMPLE = runpy.run_path(str(Path(__file__).parents[2] / "examples" / "bicycle.py"))
Floats = NDArray[np.float64]
HEADING, LEAN, PITCH, STEER = 2, 3, 5, 6  # among the coordinates

# Eigenvalues, 1/s, as printed, by forward speed in m/s.
PUBLISHED: dict[float, list[complex]] = {
    0.0: [-5.53094371765393, -3.13164324790656, 3.13164324790656, 5.53094371765393],
    4.0: [-12.15861426576447, -1.42944427361326, 0.41325331521125 - 3.07910818603206j],
    5.0: [-14.07838969279822, -0.77534188219585 - 4.46486771378823j, -0.32286642900409],
    10.0: [-24.62459635017404, -3.72016840437287 - 10.90681139476287j, 0.16105338653172],
}
# Coefficients as printed: M x'' + v C1 x' + (g K0 + v^2 K2) x = 0, x lean and steer.
M = np.array([[80.81722, 2.31941332208709], [2.31941332208709, 0.29784188199686]])
C1 = np.array([[0, 33.86641391492494], [-0.85035641456978, 1.68540397397560]])
K0 = np.array([[-80.95, -2.59951685249872], [-2.59951685249872, -0.80329488458618]])
K2 = np.array([[0, 76.59734589573222], [0, 2.65431523794604]])


@pytest.fixture(scope="module")
def system() -> KaneSystem:
    built: KaneSystem = EXAMPLE["bicycle"]()
    return built


@pytest.fixture(scope="module")
def equations(system: KaneSystem) -> EquationsOfMotion:
    return system.equations()


def lean_and_steer(equations: EquationsOfMotion, speed: float) -> Floats:
    """A of the lean and steer part at a forward speed."""
    found: Floats = EXAMPLE["lean_and_steer"](equations, speed)
    return found


@pytest.mark.parametrize("speed", PUBLISHED)
def test_eigenvalues_are_the_published_ones(equations: EquationsOfMotion, speed: float) -> None:
    found = np.linalg.eigvals(lean_and_steer(equations, speed))
    # One of each pair is printed; 14 digits, less what the eigenvalues of a matrix that is not symmetric lose.
    found = np.sort_complex(found[found.imag <= 0])
    np.testing.assert_allclose(found, PUBLISHED[speed], rtol=0, atol=1e-11)


@pytest.mark.parametrize("speed", [0.0, 2.5, 5.0, 12.0])
def test_linear_equations_are_the_published_ones(equations: EquationsOfMotion, speed: float) -> None:
    x, rate = -np.linalg.solve(M, 9.81 * K0 + speed**2 * K2), -np.linalg.solve(M, speed * C1)
    expected = np.block([[np.zeros((2, 2)), np.eye(2)], [x, rate]])
    np.testing.assert_allclose(lean_and_steer(equations, speed), expected, rtol=0, atol=1e-11 * np.abs(expected).max())


def test_the_rest_of_the_state_does_not_touch_lean_and_steer(equations: EquationsOfMotion) -> None:
    """Riding straight ahead at any place, heading and angle of the wheels is the same."""
    A = equations.linear.evaluate(equations.numbers(), q=np.zeros(8), v=[0.0, -20.0, 0.0])["A"]
    own = [3, 5, 7, 9]
    others = [i for i in range(10) if i not in own]
    assert not A[np.ix_(own, others)].any()
    assert A[:2, others].any()


def test_dependent_quantities(system: KaneSystem, equations: EquationsOfMotion) -> None:
    """Of eight speeds three are independent, those of lean, rear wheel and steer; pitch follows from the rest."""
    assert equations.dependence is not None
    assert list(equations.dependence.coordinates) == [system.q[PITCH]]
    assert list(equations.variables.v) == [system.bodies[name].speeds[0] for name in ("lean", "rear", "fork")]
    assert len(equations.dependence.speeds) == 5


def test_equations_for_small_lean_and_steer(system: KaneSystem, equations: EquationsOfMotion) -> None:
    """Derived to first order they are a small part of the exact ones, with the same eigenvalues."""
    lean, fork, pitch = system.bodies["lean"], system.bodies["fork"], system.q[PITCH]
    small = system.equations(small=[*lean.coordinates, *fork.coordinates, pitch, *lean.speeds, *fork.speeds])
    assert small.operations.total < equations.operations.total / 5
    found = np.linalg.eigvals(lean_and_steer(small, 5.0))
    np.testing.assert_allclose(np.sort_complex(found[found.imag <= 0]), PUBLISHED[5.0], rtol=0, atol=1e-11)


# ------------------------------------------------------------ away from the upright configuration


def of_motion(system: KaneSystem, equations: EquationsOfMotion) -> Function:
    """How the bicycle moves, as a function of its coordinates and the independent speeds.

    It is written with positions and velocities of the bodies, not with the mass matrix or the constraints: velocity of
    the mass centre, angular velocity, momentum and spin of every body, energy, heights and slips of both contacts.
    """
    assert equations.dependence is not None
    ground, down = system.ground.frame, system.ground.axes[2]
    bodies = [b for b in system.bodies.values() if b.rigid.mass is not system.graph.zero]
    v, w = [b.velocity(b.rigid.com) for b in bodies], [b.angular_velocity for b in bodies]
    p, H = (
        [b.rigid.mass * x for b, x in zip(bodies, v, strict=True)],
        [b.rigid.inertia @ x for b, x in zip(bodies, w, strict=True)],
    )
    kinetic = added(system.graph, (0.5 * (a @ b) for a, b in zip(v + w, p + H, strict=True)))
    potential = added(system.graph, (-b.rigid.mass * (system.gravity @ b.position(b.rigid.com)) for b in bodies))
    heights, slips = [], []
    for name, carrier, radius in (("rear", "lean", "rR"), ("front", "fork", "rF")):
        wheel, axle = system.bodies[name], system.bodies[carrier].axes[1]
        level = axle.cross(down)  # the wheel's plane meets the ground along it
        lowest = (system.symbols[radius] / level.norm()) * level.cross(axle)
        heights.append(wheel.position(lowest) @ down)
        slips.append(wheel.velocity(lowest))
    outputs = {
        "velocities": np.array([x.components(ground) for x in v + w]),
        "momenta": np.array([x.components(ground) for x in p + H]),
        "weights": np.array([(b.rigid.mass * system.gravity).components(ground) for b in bodies]),
        "energy": np.array([kinetic + potential]),
        "heights": np.array(heights),
        "slips": np.array([x.components(ground) for x in slips]),
    }
    inputs = {"q": equations.variables.q, "v": np.array(system.v, dtype=object)}
    function = Function("motion", system.graph, inputs, outputs, equations.variables.symbols)
    return function.substitute(dict(zip(equations.dependence.speeds, equations.dependence.values, strict=True)))


def standing(motion: Function, numbers: dict[str, float], lean: float, steer: float) -> Floats:
    """Coordinates with both wheels on the ground."""
    q = np.zeros(8)
    q[LEAN], q[STEER] = lean, steer

    def front_height(pitch: float) -> float:
        q[PITCH] = pitch
        return float(motion.evaluate(numbers, q=q, v=np.zeros(3))["heights"][1])

    q[PITCH] = brentq(front_height, -0.4, 0.4, xtol=1e-15)
    return q


def test_forces_balance_in_any_posture(system: KaneSystem, equations: EquationsOfMotion) -> None:
    """Kane's equations as they are defined: (p' - m g) . v_i + H' . w_i, added over the bodies, vanishes for every i.

    Rates of momentum are differences along the motion that the equations give.
    """
    numbers, motion, rng, h = equations.numbers(), of_motion(system, equations), np.random.default_rng(0), 1e-5
    for _ in range(5):
        q, v = standing(motion, numbers, rng.uniform(-0.6, 0.6), rng.uniform(-1.0, 1.0)), rng.normal(size=3)
        v[1] = rng.uniform(-25.0, 25.0)
        rate, a = equations.evaluate(q, v)
        ahead = motion.evaluate(numbers, q=q + h * rate, v=v + h * a)["momenta"]
        behind = motion.evaluate(numbers, q=q - h * rate, v=v - h * a)["momenta"]
        here = motion.evaluate(numbers, q=q, v=v)
        assert np.abs(here["heights"]).max() < 1e-14
        forces = (ahead - behind) / (2 * h)
        forces[: len(here["weights"])] -= here["weights"]
        for i in range(3):
            partial = motion.evaluate(numbers, q=q, v=np.eye(3)[i])["velocities"]
            terms = forces * partial
            assert np.abs(terms).max() > 0.1
            # h^2 times third derivatives of momenta that turn with the wheels.
            assert abs(terms.sum()) < 1e-7 * np.abs(terms).max()


def test_energy_is_kept_and_the_wheels_roll(system: KaneSystem, equations: EquationsOfMotion) -> None:
    """Let go with the handlebar turned and the frame leaning, far from where the linear equations hold."""
    numbers, motion = equations.numbers(), of_motion(system, equations)
    q, v = standing(motion, numbers, 0.25, 0.5), np.array([0.5, -4.6 / 0.3, -1.0])
    assert abs(q[PITCH]) > 1e-3

    def slope(y: Floats) -> Floats:
        return np.concatenate(equations.evaluate(y[:8], y[8:]))

    run = runge_kutta(slope, np.concatenate([q, v]), 0.005, 150)
    seen = [motion.evaluate(numbers, q=y[:8], v=y[8:]) for y in run[::10]]
    energy = np.array([x["energy"][0] for x in seen])
    # The integrator's error, step^4; the closure is kept by the equations alone, nothing pulls it back.
    assert np.ptp(energy) < 5e-9 * energy[0]
    assert max(np.abs(x["heights"]).max() for x in seen) < 1e-10
    assert max(np.abs(x["slips"]).max() for x in seen) < 1e-12
    # Not trivial: it sways, steers, turns, nods by its pitch, and runs faster and slower.
    for i, least in ((LEAN, 0.2), (STEER, 0.5), (PITCH, 3e-3), (HEADING, 0.5), (8 + 1, 0.1)):
        assert np.ptp(run[:, i]) > least
