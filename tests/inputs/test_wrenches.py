"""Wrenches at frames that follow laws: equal to J* F by hand, with their work, in every axes, and refused by name."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import supple
from supple import PID, Sampled, Table, Wrench
from supple.errors import StateError
from supple.inputs.inputs import Inputs
from supple.simulation import driven_system as module
from supple.simulation.driven_system import DrivenSystem
from support.generated.generators_flexible import random_flexible
from support.mechanisms import rigid_links


def described(gravity: Any = (0, 0, -9.81), fidelity: str = "full") -> supple.Mechanism:
    """A flexible link on a universal joint, a rigid one at one of its nodes, a hand that turns freely."""
    rng = np.random.default_rng(4)
    mech = supple.Mechanism("arm", gravity)
    mech.add_body(
        "upper", random_flexible(rng, 2, damped=False)[0], joint=supple.Universal("x", "y"), fidelity=fidelity
    )
    mech.add_body("fore", supple.RigidBody(0.5, (0.2, 0, 0), (1e-3, 4e-3, 4e-3)), "upper", supple.Revolute("z"), "a")
    mech.add_body("hand", supple.RigidBody(0.2, (0, 0, 0.05), (1e-3, 2e-3, 3e-3)), "fore", supple.Spherical())
    mech.add_frame("tip", "hand", (0.1, 0.02, 0.03), rotation=np.array([[0, 1, 0], [0, 0, 1], [1, 0, 0]]))
    return mech


@cache
def arm() -> supple.Model:
    return described().build()


def system_of(model: supple.Model, wrenches: list[Wrench], **laws: Any) -> DrivenSystem:
    q, v = model.random_state(3)
    return DrivenSystem(model, Inputs(model, wrenches=wrenches, **laws), q, v)


def state_of(system: DrivenSystem, seed: int = 3) -> np.ndarray:
    q, v = system.model.random_state(seed)
    return np.concatenate([q, v, np.zeros(len(system.z_0))])


def by_hand(model: supple.Model, q: np.ndarray, frame: str, wrench: np.ndarray, axes: str) -> np.ndarray:
    """J* F with the Jacobian of the frame, which is in ground axes."""
    R = np.eye(3) if axes == "ground" else model.pose(q, frame if axes == "frame" else axes)[0]
    turned = np.concatenate([R @ wrench[:3], R @ wrench[3:]])
    return np.asarray(model.jacobian(q, frame).T @ turned)


@pytest.mark.parametrize("axes", ["frame", "ground", "upper/b"])
@pytest.mark.parametrize("frame", ["upper/a", "upper/1", "fore", "hand/tip"])
def test_a_wrench_is_j_transposed_f(frame: str, axes: str) -> None:
    model = arm()
    law = Wrench("push", frame, moment=(0.3, "0.2*t", 0), force=("2*sin(t)", -1.5, "0.4*fore.angle"), axes=axes)
    system = system_of(model, [law])
    y, u, t = state_of(system), system.u_0, 0.7
    q, v = y[: model.nq], y[model.nq : model.nq + model.nv]
    fore = q[model.coordinate_index("fore.angle")]
    F = np.array([0.3, 0.2 * t, 0.0, 2 * np.sin(t), -1.5, 0.4 * fore])
    force = by_hand(model, q, frame, F, axes)
    assert np.abs(force).max() > 0.1
    a, tau = system.motion(np.array([t]), y[None], u[None])
    np.testing.assert_allclose(tau[0], force, rtol=1e-12, atol=1e-12)
    expected = model.forward_dynamics(q, v, force)
    np.testing.assert_allclose(a[0], expected, rtol=1e-11, atol=1e-12 * np.abs(expected).max())
    wrench, pull, _, _ = system.wrenches(np.array([t]), y, u)
    np.testing.assert_allclose(wrench, F, rtol=1e-14)
    np.testing.assert_allclose(pull, force, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("axes", ["frame", "ground"])
@pytest.mark.parametrize("fidelity", ["full", "ruthless"])
def test_a_law_of_numbers_is_the_constant_wrench_of_a_model(fidelity: str, axes: str) -> None:
    given: dict[str, Any] = {"moment": (0.1, 0.0, -0.2), "force": (1.0, 2.0, -3.0), "axes": axes}
    mech = described(fidelity=fidelity)
    system = system_of(mech.build(), [Wrench("a", "upper/a", **given), Wrench("b", "hand/tip", **given)])
    y = state_of(system)
    for name, frame in (("a", "upper/a"), ("b", "hand/tip")):
        mech.add_wrench(name, frame, **given)
    other = system_of(mech.build(), [])
    rate = other.rate(0.0, y[:-1], other.u_0)
    np.testing.assert_allclose(system.rate(0.0, y, system.u_0)[:-1], rate, rtol=1e-11, atol=1e-11 * np.abs(rate).max())


def test_formulas_see_the_motion_of_the_frame() -> None:
    """Position in the ground frame, velocities along the axes of the wrench."""
    model = arm()
    names = ("position", "velocity", "angular_velocity")
    laws = [
        Wrench(f"{name}{i}", "hand/tip", force=[f"{name}.{x}" for x in "xyz"], axes=axes)
        for name in names
        for i, axes in enumerate(("ground", "frame", "upper/a"))
    ]
    system = system_of(model, laws)
    y = state_of(system)
    q, v = y[: model.nq], y[model.nq : model.nq + model.nv]
    seen = system.wrenches(np.array([0.0]), y, system.u_0)[0].reshape(3, 3, 6)[..., 3:]
    R, p = model.pose(q, "hand/tip")
    V = model.jacobian(q, "hand/tip") @ v
    for i, turn in enumerate((np.eye(3), R, model.pose(q, "upper/a")[0])):
        np.testing.assert_allclose(seen[0, i], p, rtol=1e-12)
        np.testing.assert_allclose(seen[1, i], turn.T @ V[3:], rtol=1e-11)
        np.testing.assert_allclose(seen[2, i], turn.T @ V[:3], rtol=1e-11)


def test_energy_changes_by_the_work_of_wrenches() -> None:
    model = arm()
    laws = [
        Wrench("gust", "upper/a", force=("3*sin(9*t)", "-0.2*velocity.y", 1.0), axes="ground"),
        Wrench("thrust", "hand/tip", moment=(0, 0, "0.02*t"), force=(Table([0.0, 0.1, 0.3], [0, 2, 1]), 0, 0)),
    ]
    result = supple.simulate(model, 0.3, wrenches=laws, motion={"fore.angle": "0.2*sin(5*t)"}, samples=7, rtol=1e-10)
    energy = (result.kinetic_energy + result.potential_energy).values
    assert np.ptp(energy) > 1e-2
    np.testing.assert_allclose(energy - energy[0], result.work, atol=1e-7 * np.abs(energy).max())
    assert result.applied_wrench.sel(law="thrust", component="linear x").values[2] == pytest.approx(2.0)
    i = model.speeds.index("fore.angle")
    assert (np.delete(result.tau.values, i, axis=1) == 0.0).all()
    external = {"upper/a": _in_frame(model, result, 0, "upper/a"), "hand/tip": result.applied_wrench.values[:, 1]}
    q, v, a = result.q.values, result.v.values, result.a.values
    np.testing.assert_allclose(result.tau, model.inverse_dynamics(q, v, a, external), atol=1e-9)


def _in_frame(model: supple.Model, result: Any, law: int, frame: str) -> np.ndarray:
    """A wrench of ground axes in those of its frame."""
    R = model.pose(result.q.values, frame)[0]
    w = result.applied_wrench.values[:, law].reshape(-1, 2, 3)
    return np.einsum("tji,tkj->tki", R, w).reshape(-1, 6)


def test_gravity_as_a_law_is_gravity() -> None:
    """On rigid bodies at their centres of mass; on a flexible one as a share of its mass at each node."""
    mech = supple.Mechanism("weights", gravity=(0, 0, 0))
    mech.add_body("a", supple.RigidBody(2.0, (0.1, 0, -0.8), (0.1, 0.2, 0.3)), joint=supple.Universal("x", "y"))
    mech.add_body("b", supple.RigidBody(0.7, (0, 0.2, -0.5), (0.1, 0.1, 0.1)), "a", supple.Spherical(), at=(0, 0, -1.0))
    for name, com in (("a", (0.1, 0, -0.8)), ("b", (0, 0.2, -0.5))):
        mech.add_frame("com", name, com)
    laws = [
        Wrench(f"{x}_weight", f"{x}/com", force=(0, 0, f"-{m}*g"), axes="ground") for x, m in (("a", 2), ("b", 0.7))
    ]
    floating = mech.build()
    mech.gravity = np.array([0, 0, -9.81])
    given: dict[str, Any] = {"q": floating.random_state(1)[0], "v": floating.random_state(1)[1], "samples": 5}
    result = supple.simulate(floating, 0.5, wrenches=laws, variables={"g": 9.81}, rtol=1e-11, **given)
    best = supple.simulate(mech.build(), 0.5, rtol=1e-11, **given)
    assert np.ptp(best.q.values, axis=0).max() > 0.5
    np.testing.assert_allclose(result.q, best.q, atol=1e-8)


def test_a_follower_force_turns_with_its_frame() -> None:
    """A disc under a force along its own x and a moment about z moves as the closed form says."""
    mech = supple.Mechanism("disc", gravity=(0, 0, 0))
    mech.add_body("disc", supple.RigidBody(2.0, inertia=(1, 1, 1.5)), joint=supple.Planar())
    law = Wrench("thrust", "disc", moment=(0, 0, 3.0), force=(4.0, 0, 0))
    result = supple.simulate(mech.build(), 2.0, wrenches=[law], samples=201, rtol=1e-11)
    t = result.time.values
    a = 2.0 * np.stack([np.cos(t**2), np.sin(t**2)])  # turned by (3 / 1.5) t^2 / 2
    v = np.stack([np.concatenate([[0.0], np.cumsum((x[1:] + x[:-1]) / 2 * np.diff(t))]) for x in a])
    q = result.sel(coordinate=["disc.x", "disc.y"]).q
    rate = np.gradient(q.values, t, axis=0, edge_order=2)
    assert np.ptp(rate) > 1
    np.testing.assert_allclose(rate[1:-1], v.T[1:-1], atol=1e-3)


def test_joint_wrenches_know_where_a_force_acts() -> None:
    """A hinge carries a force at the tip with its moment; the constant wrench of the model gives the same."""
    force, lever = (0.0, 0.0, -5.0), 0.4
    results = []
    for constant in (True, False):
        mech = supple.Mechanism("bar", gravity=(0, 0, 0))
        mech.add_body("bar", supple.RigidBody(1.0, (0.2, 0, 0), (0.1, 0.1, 0.1)), joint=supple.Revolute("y"))
        mech.add_frame("tip", "bar", (lever, 0, 0))
        if constant:
            mech.add_wrench("push", "bar/tip", (1, 0, 0), force, axes="ground")
        laws = [] if constant else [Wrench("push", "bar/tip", (1, 0, 0), force, axes="ground")]
        outputs = supple.Outputs(wrenches="all")
        results.append(supple.simulate(mech.build(), 0.5, wrenches=laws, outputs=outputs, samples=6, rtol=1e-10))
    assert np.abs(results[0].wrench).max() > 1.0
    for name in ("q", "a", "wrench"):
        np.testing.assert_allclose(results[1][name], results[0][name], atol=1e-7)
    assert (results[1].tau == 0).all()


def test_functions_tables_and_controllers_give_components() -> None:
    def push(t: float, q: Any, v: Any) -> Any:
        return [2.0 * q[0], np.sin(t), -v[1]]

    def called(t: float, q: Any, v: Any) -> Any:
        return [2.0 * float(q[0]), float(np.sin(t)), -float(v[1])]

    class Counter:
        def __init__(self) -> None:
            self.calls = 0

        def __call__(self, t: float, q: Any, v: Any) -> Any:
            self.calls += 1
            return 0.1 * self.calls * np.array([1.0, 2.0, 4.0])

    model = arm()
    given: dict[str, Any] = {"samples": 5, "rtol": 1e-9, "v": {"hand.wx": 1.0}}
    one, other = (supple.simulate(model, 0.2, wrenches=[Wrench("w", "fore", force=f)], **given) for f in (push, called))
    assert np.ptp(one.q.values, axis=0).max() > 1e-2
    np.testing.assert_allclose(one.q, other.q, atol=1e-7)
    counter = Counter()
    sampled = supple.simulate(model, 0.2, wrenches=[Wrench("w", "fore", force=Sampled(counter, 20.0))], **given)
    held = sampled.applied_wrench.values[:, 0, 3:]
    assert (held[:, 0] > 0.0).all()
    np.testing.assert_array_equal(held[:, 1:], held[:, :1] * [2.0, 4.0])  # one call a tick gives all three


@pytest.mark.parametrize("rate", [None, 500.0])
def test_a_pid_holds_a_frame_in_space(rate: float | None) -> None:
    mech = supple.Mechanism("drone")
    mech.add_body("drone", supple.RigidBody(1.0, inertia=(0.01, 0.01, 0.01)), joint=supple.Free())
    height = PID(Table([0.0, 1.0], [0.0, 0.5], "cubic"), kp=100.0, kd=20.0, ki=50.0, feedforward=9.81, rate=rate)
    law = Wrench("lift", "drone", force=(0, 0, height), axes="ground")
    result = supple.simulate(mech.build(), 3.0, wrenches=[law], samples=4)
    assert result.sel(coordinate="drone.z").q.values[-1] == pytest.approx(0.5, abs=2e-3)


def test_other_numbers_compile_nothing() -> None:
    """Numbers of laws and of the model are inputs of the program."""

    def program(force: float, mass: float) -> Any:
        mech = supple.Mechanism("bar")
        mech.add_body("bar", supple.RigidBody(mass, (0.2, 0, 0), (0.1, 0.1, 0.1)), joint=supple.Revolute("y"))
        mech.add_frame("tip", "bar", (0.4 * mass, 0, 0))
        law = Wrench("push", "bar/tip", force=(0, 0, f"{force}*sin(t)"), axes="ground")
        system = system_of(mech.build(), [law])
        assert system.rate_kernel is not None
        return system.rate_kernel.program

    assert program(2.0, 0.7) is program(3.5, 1.3)


def test_both_engines_and_the_exact_derivatives_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    mech = supple.Mechanism("link")
    mech.add_body("upper", random_flexible(np.random.default_rng(4), 2)[0], joint=supple.Universal("x", "y"))
    mech.add_body("fore", supple.RigidBody(0.5, (0.2, 0, 0), (1e-3, 4e-3, 4e-3)), "upper", supple.Revolute("z"), "a")
    model = mech.build()
    laws = [
        Wrench("drag", "fore", force=[f"-0.3*velocity.{x}" for x in "xyz"], axes="frame"),
        Wrench("spring", "upper/a", force=("-40*position.x", 0, "sin(t)"), axes="ground"),
    ]
    more: dict[str, Any] = {"tau": {model.speeds[0]: "0.1*cos(t)"}, "motion": {"fore.angle": "0.2*sin(3*t)"}}
    fast = system_of(model, laws, **more)
    y, u = state_of(fast), fast.u_0
    J = fast.jacobian(0.7, y, u)
    monkeypatch.setattr(module, "WORTH_COMPILING", 0)
    slow = system_of(model, laws, **more)
    assert (fast.engine, slow.engine) == ("blocks", "generic")
    rate = fast.rate(0.7, y, u)
    np.testing.assert_allclose(slow.rate(0.7, y, u), rate, rtol=1e-9, atol=1e-9 * np.abs(rate).max())
    np.testing.assert_allclose(slow.jacobian(0.7, y, u), J, rtol=1e-8, atol=1e-8 * np.abs(J).max())
    h, i = 1e-6, 2
    d = np.zeros_like(y)
    d[i] = h
    slope = (fast.rate(0.7, y + d, u) - fast.rate(0.7, y - d, u)) / (2 * h)
    assert np.abs(slope).max() > 1
    np.testing.assert_allclose(J[:, i], slope, atol=1e-6 * np.abs(slope).max())


@pytest.mark.parametrize("integrator", ["ESDIRK54", "Radau", "IDA", "generalized_alpha", "rk4"])
def test_every_kind_of_integrator_takes_wrenches(integrator: str) -> None:
    model = arm()
    laws = [Wrench("push", "upper/a", force=("sin(20*t)", 0, "-velocity.z"), axes="ground")]
    step = {"generalized_alpha": 1e-4, "rk4": 1e-4}.get(integrator)
    best = supple.simulate(model, 0.05, wrenches=laws, samples=3, rtol=1e-11)
    result = supple.simulate(model, 0.05, wrenches=laws, samples=3, integrator=integrator, step=step)
    assert np.ptp(best.q.values, axis=0).max() > 1e-3
    np.testing.assert_allclose(result.q, best.q, atol=3e-6)


def test_a_wrench_on_a_closed_loop_and_a_stop() -> None:
    mech = supple.Mechanism("four-bar", gravity=(0, 0, 0))
    bar = supple.RigidBody(1.0, (0.5, 0, 0), (0.01, 0.1, 0.1))
    mech.add_body("crank", bar, joint=supple.Revolute("y"), rotation=_about_y(-np.pi / 2))
    mech.add_body("rod", bar, "crank", supple.Revolute("y"), at=(1, 0, 0), rotation=_about_y(np.pi / 2))
    mech.add_body("rocker", bar, joint=supple.Revolute("y"), at=(1, 0, 0), rotation=_about_y(-np.pi / 2))
    for name in ("rod", "rocker"):
        mech.add_frame("end", name, (1, 0, 0))
    mech.close_loop("pin", "rod/end", "rocker/end", supple.Spherical())
    law = Wrench("push", "rod/end", force=("3*cos(2*t)", 0, 0), axes="ground")
    result = supple.simulate(mech.build(), 0.5, wrenches=[law], samples=6, rtol=1e-9)
    energy = (result.kinetic_energy + result.potential_energy).values
    assert energy[-1] > 0.1
    np.testing.assert_allclose(energy - energy[0], result.work, atol=1e-7)


def _about_y(angle: float) -> np.ndarray:
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]])


def test_a_stop_feels_a_wrench() -> None:
    """A block pressed against its stop by a force leaves it when the force turns."""
    mech = supple.Mechanism("block", gravity=(0, 0, 0))
    mech.add_body("block", supple.RigidBody(2.0), joint=supple.Prismatic("x"))
    law = Wrench("push", "block", force=("4*(1 - t)", 0, 0), axes="ground")
    stop = supple.Limit("block.position", upper=0.1)
    result = supple.simulate(mech.build(), 2.0, wrenches=[law], limits=[stop], samples=21, rtol=1e-10)
    times = {name: t for t, name in json.loads(result.attrs["events"])}
    assert times["block.position release"] == pytest.approx(1.0, abs=1e-6)
    assert result.q.values[-1, 0] == pytest.approx(0.1 - 1.0 / 3.0, abs=1e-6)


def test_a_run_with_wrenches_is_resumed_bit_for_bit() -> None:
    model = arm()
    laws = [Wrench("gust", "hand/tip", force=("k*sin(9*t)", 0, "-0.1*velocity.z"), axes="ground")]

    def simulator(frame: str = "hand/tip") -> supple.Simulator:
        own = [Wrench("gust", frame, laws[0].moment, laws[0].force, "ground")]
        return supple.Simulator(model, wrenches=own, variables={"k": 2.0})

    whole = simulator()
    whole.advance_to(0.05)
    kept = whole.checkpoint()
    whole.set(variables={"k": 3.0})
    whole.advance_to(0.1)
    other = simulator()
    other.restore(kept)
    other.set(variables={"k": 3.0})
    other.advance_to(0.1)
    assert np.array_equal(whole.state.q, other.state.q)
    with pytest.raises(StateError, match="laws"):
        simulator("fore").restore(kept)


def test_a_recorded_run_names_the_wrench_that_differs(tmp_path: Path) -> None:
    model = arm()

    def run(force: str, **more: Any) -> Any:
        law = Wrench("gust", "fore", force=(force, 0, 0))
        return supple.simulate(model, 0.02, wrenches=[law], samples=3, file=tmp_path / "motion.nc", **more)

    result = run("sin(t)")
    assert "applied_wrench" in supple.open_results(tmp_path / "motion.nc")
    assert result.sizes["law"] == 1


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Wrench("a/b", "fore"), "wrench: name: expected one without '/' and '.', got 'a/b'"),
        (lambda: Wrench("w", 3), "wrench 'w': frame: expected the name of a frame, got 3"),  # type: ignore[arg-type]
        (lambda: Wrench("w", "fore", force=(1, 2)), r"wrench 'w': force: expected three components or one function"),
        (lambda: Wrench("w", "fore", force="t"), "wrench 'w': force: expected three components"),
        (lambda: Wrench("w", "fore", moment=(1, [], 2)), r"wrench 'w': moment\.y: expected a finite number, a formula"),  # type: ignore[arg-type]
        (lambda: Wrench("w", "fore", force=(PID(1, 1), 0, 0)), r"wrench 'w': force\.x: a PID acts on a position along"),
    ],
)
def test_wrong_wrenches_are_refused(make: Any, words: str) -> None:
    with pytest.raises(StateError, match=words):
        make()


@pytest.mark.parametrize(
    ("wrenches", "words"),
    [
        ([Wrench("w", "for")], r"wrench 'w': frame: model 'arm': no frame 'for'; did you mean 'fore'\?"),
        ([Wrench("w", "fore", axes="grund")], r"wrench 'w': axes: model 'arm': no frame 'grund'; did you mean 'gro"),
        ([Wrench("w", "ground")], "wrench 'w': frame: 'ground' is on the ground, which no force moves"),
        ([Wrench("w", "fore", force=("a*t", 0, 0))], r"wrench 'w': force\.x: 'a\*t': no quantity 'a'"),
        ([Wrench("w", "fore", force=("velocty.x", 0, 0))], r"no quantity 'velocty\.x'; did you mean 'velocity\.x'\?"),
        (
            [Wrench("w", "fore", force=lambda t, q, v: 1.0)],
            r"wrench 'w': force: the function gave shape \(\), expected",
        ),
        ([Wrench("w", "fore"), Wrench("w", "hand")], "wrench 'w': there are 2 of this name, expected one"),
        (Wrench("w", "fore"), r"wrenches: expected a sequence of Wrench, got Wrench\("),
        (["w"], "wrenches: expected a sequence of Wrench, got 'w' among them"),
    ],
)
def test_wrenches_that_do_not_fit_are_refused(wrenches: Any, words: str) -> None:
    with pytest.raises(StateError, match=words):
        supple.simulate(arm(), 0.1, wrenches=wrenches)


def test_the_equivalent_rigid_link_system_refuses_wrenches_by_name() -> None:
    with pytest.raises(StateError, match="is an equivalent rigid-link system, which a wrench that follows a law does"):
        supple.simulate(supple.erls.build(rigid_links.arm(2)), 0.1, wrenches=[Wrench("w", "l0")])
