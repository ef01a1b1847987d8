"""Small motions of closed models: against trees, closed forms, and motions of the whole."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import optimize
from scipy.spatial.transform import Rotation

import supple
from supple.linear import equilibrium, linear_equations, modes, state_space
from supple.linear.shares import body_energies
from support.mechanisms.closed_mechanisms import andrews, bricard
from support.mechanisms.sprung_slider_crank import START, G, Z, curvature, effective, slider_crank, slope

Floats = NDArray[np.float64]


def test_slider_crank_by_hand() -> None:
    """One dof: the equilibrium is where the potential energy is level, w^2 its curvature over the inertia."""
    k = 12.0
    model = slider_crank(stiffness=k)
    rest = equilibrium(model, START)
    angle = optimize.brentq(slope, 0.5, 1.2, args=(k,), xtol=1e-14)
    assert rest.q[0] == pytest.approx(angle, abs=1e-11)
    assert abs(angle - 1.2) > 0.1
    assert rest.stable
    assert np.abs(rest.residual).max() < 1e-9
    found = modes(model, rest.q)
    assert len(found) == 1
    assert found.real
    square = curvature(angle, k) / effective(angle + 0j, k)[1].real
    assert (2 * np.pi * found.frequencies[0]) ** 2 == pytest.approx(square, rel=1e-9)
    # The slider follows: dx/d(angle) of the geometry; and the kinetic energies of all bodies add up.
    rates = found.shapes[:, 0] / found.shapes[0, 0]
    tilt = np.arcsin(0.3 * np.sin(angle))
    assert rates[2] == pytest.approx(-0.3 * np.sin(angle) - 0.3 * np.cos(angle) * np.tan(tilt), rel=1e-9)
    assert found.energies.sum(axis=0) == pytest.approx([1.0])
    assert found.energies[2, 0] == pytest.approx(3.0 * found.shapes[2, 0] ** 2, rel=1e-9)
    assert "crank.angle" in found.table()
    assert "generalized forces" not in found.table()


def test_rest_takes_the_forces_that_the_dynamics_find() -> None:
    model = slider_crank(stiffness=40.0)
    rest = equilibrium(model, START)
    assert model.loops is not None
    e = linear_equations(model, rest.q)
    assert e.state.closing == pytest.approx(model.loops.forces(rest.q, np.zeros(3), np.zeros(3)), rel=1e-7)
    assert np.abs(e.state.closing).max() > 5.0
    assert np.abs(model.forward_dynamics(rest.q, np.zeros(3), np.zeros(3))).max() < 1e-9


def test_period_of_a_small_motion() -> None:
    """A four-bar with springs, let go beside its rest: zero crossings of the whole model are half a period apart."""
    mech = supple.Mechanism("four-bar", gravity=(0, -G, 0))
    rod = supple.RigidBody(1.0, (0.5, 0, 0), (0.01, 1 / 12, 1 / 12))
    spring = supple.Revolute("z", stiffness=30.0, rest=1.3)
    mech.add_body("left", rod, joint=spring)
    mech.add_body("top", rod, "left", Z, at=(1, 0, 0))
    mech.add_body("right", rod, joint=Z, at=(1.2, 0, 0))
    for name in ("top", "right"):
        mech.add_frame("end", name, (1, 0, 0))
    mech.close_loop("pin", "top/end", "right/end", Z)
    model = mech.build()
    rest = equilibrium(model, [1.2, -1.2, 1.7])
    found = modes(model, rest.q)
    period = 1 / found.frequencies[0]
    start = found.configuration(0, 1e-4 / abs(found.shapes[0, 0]))
    assert model.loops is not None
    assert np.abs(model.loops.errors(start)[0]).max() < 1e-11
    motion = supple.simulate(model, 4.25 * period, start, rtol=1e-11, atol=1e-14, samples=426)
    x, t = motion.q.values[:, 0] - rest.q[0], motion.time.values
    assert np.abs(x).max() == pytest.approx(1e-4, rel=0.01)
    at = []
    for i in np.flatnonzero(x[:-1] * x[1:] < 0):
        near = np.polynomial.Polynomial.fit(t[i - 2 : i + 4], x[i - 2 : i + 4], 5)
        at.append(optimize.brentq(near, t[i], t[i + 1], xtol=1e-15))
    assert len(at) == 8
    # The rest of the motion is of the order of its square, which moves whole periods least.
    assert (at[7] - at[1]) / 3 == pytest.approx(period, rel=1e-6)


def branches(closed: bool, spin: float = 0.0) -> tuple[supple.Model, Floats, Floats]:
    """A turntable, a lever and a damped bob on it: as a tree, or all bodies free and every hinge a closure; a state.

    The levers hang outward as they do when all turns steadily.
    """
    mech = supple.Mechanism("carousel")
    parts = {
        "table": (supple.RigidBody(4.0, inertia=(0.3, 0.3, 0.5)), "ground", "z", (0, 0, 0)),
        "lever": (supple.RigidBody(1.0, (0, 0, -0.4), (0.06, 0.06, 0.01)), "table", "y", (0.3, 0, 0)),
        "bob": (supple.RigidBody(0.7, (0.02, 0, -0.2), (0.01, 0.02, 0.01)), "lever", "y", (0, 0, -0.8)),
    }
    for name, (body, parent, axis, at) in parts.items():
        if closed:
            mech.add_body(name, body, joint=supple.Free())
            mech.add_frame(f"to {name}", parent, at)
            mech.close_loop(name, f"{parent}/to {name}", name, supple.Revolute(axis))
        else:
            mech.add_body(name, body, parent, supple.Revolute(axis), at=at)
    mech.add_frame("eye", "ground", (0, 0, 1))
    mech.add_frame("hook", "bob", (0, 0, -0.1))
    mech.add_spring_damper("cord", "ground/eye", "bob/hook", 2.0, 0.3, 1.0)
    model = mech.build()
    if not closed:
        v = np.array([spin, 0.0, 0.0])

        def left(x: Floats) -> Floats:
            return np.asarray(model.bias_forces([0.3, *x], v)[1:], dtype=np.float64)

        steady = optimize.fsolve(left, [-0.5, 0.0], xtol=1e-12)
        return model, np.array([0.3, *steady]), v
    tree, q, v = branches(False, spin)
    R, p = tree.poses(q)
    free = [np.concatenate([p[k], Rotation.from_matrix(R[k]).as_quat()]) for k in (1, 2, 3)]
    speeds = [tree.velocity(q, v, name, axes="frame") for name in parts]
    return model, np.concatenate(free), np.concatenate(speeds)


@pytest.mark.filterwarnings("ignore:.*about a state that does not last:supple.PhysicsWarning")
@pytest.mark.parametrize("spin", [0.0, 4.0])
def test_hinges_closed_are_hinges(spin: float) -> None:
    """Nine degrees of freedom less: at rest, and turning steadily, where loops add terms of every kind."""
    tree, q, v = branches(False, spin)
    closed, q_closed, v_closed = branches(True, spin)
    assert closed.loops is not None
    assert np.abs(closed.loops.errors(q_closed, v_closed)[0]).max() < 1e-12
    names = ["table.wz", "bob.x", "bob.vz", "bob.az"]
    inputs = ["bob.fx", "lever.my"]
    one = state_space(tree, q, v, inputs=inputs, outputs=names)
    two = state_space(closed, q_closed, v_closed, inputs=inputs, outputs=names)
    assert two.A.shape == one.A.shape == (6, 6)
    first, second = (np.sort_complex(np.linalg.eigvals(x.A)) for x in (one, two))
    assert np.abs(first).max() > 2
    # The table's angle is free: a double zero, which rounding splits by its root.
    assert second[np.abs(second) > 1e-3] == pytest.approx(first[np.abs(first) > 1e-3], rel=1e-8)
    mine, other = modes(tree, q, v), modes(closed, q_closed, v_closed)
    assert other.eigenvalues == pytest.approx(mine.eigenvalues, rel=1e-8, abs=1e-8)
    assert other.energies == pytest.approx(mine.energies, abs=1e-7)
    assert two.transfer([0.2, 1.0]) == pytest.approx(one.transfer([0.2, 1.0]), rel=1e-7, abs=1e-9)
    if spin:
        assert np.abs(two.equations.carried.Y).max() > 0.1
        assert np.abs(two.equations.carried.V).max() > 0.1


def test_rods_in_parallel_are_one_slide() -> None:
    """A plate on two equal rods moves on a circle without turning: a pendulum with its mass in one point."""
    mech = supple.Mechanism("swing")
    for side, x in (("left", 0.0), ("right", 0.6)):
        mech.add_body(side, supple.RigidBody(0.5, (0, 0, -0.35), (0.02, 0.02, 0.001)), at=(x, 0, 0))
        mech.add_frame("end", side, (0, 0, -0.7))
    mech.add_body("plate", supple.RigidBody(3.0, (0.3, 0, -0.1), (0.2, 0.2, 0.2)), "left", at="end")
    mech.add_frame("far", "plate", (0.6, 0, 0))
    mech.close_loop("pin", "plate/far", "right/end", supple.Revolute("y"))
    found = modes(mech.build())
    inertia = 3.0 * 0.7**2 + 2 * (0.02 + 0.5 * 0.35**2)
    assert len(found) == 1
    assert (2 * np.pi * found.frequencies[0]) ** 2 == pytest.approx(
        G * (3.0 * 0.7 + 2 * 0.5 * 0.35) / inertia, rel=1e-12
    )


@pytest.mark.filterwarnings("ignore:.*about a state that does not last:supple.PhysicsWarning")
@pytest.mark.parametrize("name", ["slider-crank", "squeezing mechanism", "Bricard"])
def test_a_and_b_are_derivatives_of_the_closed_motion(name: str) -> None:
    """At a moving state with drives: the independent ones are changed, the others made to fit, rates compared."""
    rng = np.random.default_rng(3)
    model, guess = andrews()
    if name == "slider-crank":
        model, guess = slider_crank(2, 20.0, 0.2), START
    elif name == "Bricard":
        model, guess = bricard(), [0.2, -0.3, 0.1, 0.3, -0.2]
    loops = model.loops
    assert loops is not None
    q = loops.assemble(guess)
    v = loops.consistent(q, rng.normal(size=model.nv))
    tau = rng.normal(size=model.nv)
    outputs = [f"a:{x}" for x in model.speeds] + [f"{model.bodies[-1]}.x", f"{model.bodies[-1]}.vy"]
    system = state_space(model, q, v, tau, inputs=[model.speeds[0]], outputs=outputs)
    e = system.equations
    assert e.state.a == pytest.approx(model.forward_dynamics(q, v, tau), rel=1e-6, abs=1e-6 * np.abs(e.state.a).max())
    assert min(np.abs(x).max() for x in (e.carried.Y, e.carried.W, e.carried.V)) > 0.01
    own, n = list(e.names), len(e.free)
    x = rng.normal(size=2 * n) * np.repeat([1.0, np.abs(v).max()], n)

    def rates(h: float) -> Floats:
        guess = q + h * e.carried.X @ x[:n]
        guess[e.free] = q[e.free] + h * x[:n]
        there = loops.assemble(guess, own)
        moved = v + h * (e.carried.Z @ x[n:] + e.carried.Y @ x[:n])
        moved[e.free] = v[e.free] + h * x[n:]
        moved = loops.consistent(there, moved, own)
        force = tau.copy()
        force[0] += h
        a = model.forward_dynamics(there, moved, force)
        body = model.bodies[-1]
        seen = [model.pose(there, body)[1][0], model.velocity(there, moved, body)[4]]
        return np.concatenate([moved[e.free], a[e.free], a, seen])

    h = 1e-5
    expected = (rates(h) - rates(-h)) / (2 * h)
    found = np.concatenate([system.A @ x + system.B[:, 0], system.C @ x + system.D[:, 0]])
    assert np.abs(expected[n : 2 * n]).max() > 1.0
    assert found == pytest.approx(expected, rel=1e-4, abs=1e-5 * np.abs(expected).max())


@pytest.mark.parametrize("chosen", ["crank.angle", "rod.angle", "slider.position"])
def test_independent_speeds_may_be_chosen(chosen: str) -> None:
    """They change the names and not the motion."""
    model = slider_crank(2, 12.0, 0.3)
    rest = equilibrium(model, START)
    system = state_space(model, rest.q, inputs=["crank.angle"], outputs=["slider.x"], independent=[chosen])
    assert system.states == (f"x:{chosen}", f"v:{chosen}")
    plain = state_space(model, rest.q, inputs=["crank.angle"], outputs=["slider.x"])
    assert system.transfer([0.0, 1.0]) == pytest.approx(plain.transfer([0.0, 1.0]), rel=1e-9)
    assert modes(model, rest.q, independent=[chosen]).eigenvalues == pytest.approx(np.linalg.eigvals(plain.A)[:1])
    with pytest.raises(supple.StateError, match=r"independent: expected .* there are 1, got crank\.angle, rod\.angle"):
        state_space(model, rest.q, independent=["crank.angle", "rod.angle"])
    with pytest.raises(supple.StateError, match=r"independent: no speed 'crank\.angel'"):
        modes(model, rest.q, independent=["crank.angel"])
    with pytest.raises(supple.StateError, match="sequence of names"):
        modes(model, rest.q, independent=chosen)
    with pytest.raises(supple.StateError, match="has no closed loops"):
        modes(branches(False)[0], independent=["table.angle"])


def test_shares_of_bodies_add_up_to_the_kinetic_energy() -> None:
    model, start = andrews()
    e = linear_equations(model, start)
    motion = e.carried.Z[:, 0]
    shares = body_energies(model, e.state.q, motion[:, None])[:, 0]
    for k, name in enumerate(model.bodies):
        V = model.velocity(e.state.q, motion, name, axes="frame")
        body = model.description.bodies[name].body
        w, u = V[:3], V[3:] + np.cross(V[:3], body.com)
        own = body.mass * u @ u + w @ body.inertia @ w
        assert shares[k] * (motion @ model.mass_matrix(e.state.q) @ motion) == pytest.approx(own, rel=1e-9, abs=1e-15)
