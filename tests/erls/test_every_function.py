"""Everything that a `Model` can be asked is answered by an equivalent rigid-link system, or refused by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import supple
from supple.erls import ErlsModel, build, matched_state
from supple.erls.refusals import REASONS
from supple.model.complex_steps import by_complex_steps
from support.mechanisms.rigid_links import arm, relative, rigid_tree

Floats = NDArray[np.float64]
RIGID, RIGID_LINKS = rigid_tree(0).build(), build(rigid_tree(0))
ARM = build(arm(2, "free-free", 3))
Q, V = RIGID.random_state(1)
A = np.linspace(-2.0, 3.0, RIGID.nv)
STILL = np.zeros(RIGID.nv)
LOAD = {"c": np.array([0.1, -0.2, 0.3, 1.0, 2.0, -1.0])}
FRAMES = ["c", "f"]
MASK = np.arange(RIGID.nv) % 2 == 0
X, Y = ARM.random_state(2)

SAME: dict[str, Callable[[Any], Any]] = {
    "acceleration": lambda m: m.acceleration(Q, V, A, "c"),
    "balance_slopes": lambda m: m.balance_slopes(Q, V, A, LOAD),
    "batch": lambda m: m.batch(q=(Q, m.nq))[0],
    "bias_forces": lambda m: m.bias_forces(Q, V, LOAD),
    "bodies": lambda m: m.bodies,
    "body_of_state": lambda m: [m.body_of_state(name) for name in m.speeds],
    "center_of_mass": lambda m: m.center_of_mass(Q),
    "compile": lambda m: m.compile("forward_dynamics")(np.stack([Q, 0.5 * Q]), V, A),
    "coordinate_index": lambda m: m.coordinate_index("c.angle"),
    "coordinate_units": lambda m: m.coordinate_units,
    "coordinates": lambda m: m.coordinates,
    "couplings": lambda m: m.couplings,
    "derivative": lambda m: m.derivative(Q, V),
    "description": lambda m: list(m.description.bodies),
    "direction_rates": lambda m: m.direction_rates(Q, V),
    "doubled_energies": lambda m: m.doubled_energies(Q, np.eye(m.nv)),
    "energy": lambda m: m.energy(Q, V),
    "energy_and_momentum": lambda m: m.energy_and_momentum(Q, V),
    "forces_on_speeds": lambda m: m.forces_on_speeds(Q, A),
    "forward_dynamics": lambda m: m.forward_dynamics(Q, V, A, external=LOAD),
    "forward_dynamics_function": lambda m: m.forward_dynamics_function(1e6).evaluate(q=Q, v=V, tau=A)["a"],
    "frame_slopes": lambda m: [m.frame_slopes(Q, V, A, "c")[f"d{x}"] for x in ("velocity_dq", "acceleration_dv")],
    "frames": lambda m: m.frames,
    "hybrid": lambda m: m.hybrid(Q, V, A, MASK),
    "hybrid_dynamics": lambda m: m.hybrid_dynamics(Q, V, A, {"c.angle": 2.0}),
    "hybrid_slopes": lambda m: m.hybrid_slopes(Q, V, A, MASK),
    "inner_forces": lambda m: m.inner_forces(Q),
    "integrate": lambda m: m.integrate(Q, V, 0.1),
    "inverse_dynamics": lambda m: m.inverse_dynamics(Q, V, A, LOAD),
    "inverse_mass_matrix": lambda m: m.inverse_mass_matrix(Q),
    "inverse_mass_product": lambda m: m.inverse_mass_product(Q, A, MASK),
    "inverse_operational_inertia": lambda m: m.inverse_operational_inertia(Q, FRAMES, "frame"),
    "inverse_slopes": lambda m: m.inverse_slopes(Q, V, A, A),
    "is_mode": lambda m: m.is_mode,
    "jacobian": lambda m: m.jacobian(Q, "c", "frame"),
    "joint_speeds": lambda m: [m.joint_speeds(name) for name in m.bodies],
    "joint_wrenches": lambda m: m.joint_wrenches(Q, V, A, LOAD),
    "linearize": lambda m: m.linearize(Q, V, A),
    "loops": lambda m: m.loops,
    "mass": lambda m: m.mass,
    "mass_matrix": lambda m: m.mass_matrix(Q),
    "momentum": lambda m: m.momentum(Q, V),
    "motions": lambda m: m.motions(Q, V, A),
    "name": lambda m: m.name,
    "neutral": lambda m: m.neutral(),
    "none_prescribed": lambda m: m.none_prescribed,
    "normalize": lambda m: m.normalize(Q),
    "nq": lambda m: m.nq,
    "nv": lambda m: m.nv,
    "operational_inertia": lambda m: np.linalg.inv(m.inverse_operational_inertia(Q, ["c"])[-1:, -1:]),
    "pose": lambda m: m.pose(Q, "f"),
    "poses": lambda m: m.poses(Q),
    "power": lambda m: m.power(Q, V, A),
    "q_of_speed": lambda m: m.q_of_speed,
    "quaternions": lambda m: list(m.quaternions),
    "speed_index": lambda m: m.speed_index("f.position"),
    "speed_units": lambda m: m.speed_units,
    "speeds": lambda m: m.speeds,
    "split_wrenches": lambda m: m.split_wrenches(Q, m.joint_wrenches(Q, V, A)),
    "tangent": lambda m: m.tangent(Q),
    "traced": lambda m: (lambda t: t.function("e", {"q": t.q, "v": t.v}, {"e": t.energy(t.q, t.v)}))(
        m.traced(1e6)
    ).evaluate(q=Q, v=V)["e"],
    "unit_changes": lambda m: m.unit_changes(),
    "unloaded": lambda m: m.unloaded().bias_forces(Q, STILL),
    "velocity": lambda m: m.velocity(Q, V, "f", "frame"),
    "with_parameters": lambda m: m.with_parameters({"c.mass": 3.0}).mass_matrix(Q),
    "wrench_forces": lambda m: m.wrench_forces(Q, "c", LOAD["c"]),
}
"""What rigid links, for which both formulations are the same mechanics, answer alike."""
OWN: dict[str, Callable[[], object]] = {
    "arrays": lambda: {"link0.inertia", "joint0.A", "order"} <= set(ARM.arrays()),
    "block_program": lambda: bool(
        ARM.block_program((), lambda t, _: ({"q": t.q}, {"M": t.mass_matrix(t.q)}), {})[0].outputs
    ),
    "display": lambda: ARM.display.bodies == ("l0 (rigid)", "l0", "l1 (rigid)", "l1"),
    "display_frame": lambda: ARM.display_frame("l0") == "l0/start",
    "display_state": lambda: np.allclose(ARM.display_state(X, Y)[1], ARM.display_jacobian(X) @ Y, rtol=1e-12),
    "estimated_operations": lambda: 0.2 < ARM.estimated_operations / operations(ARM) < 5.0,
    "floating_frames": lambda: "a gadget does not take" in message(lambda: ARM.floating_frames("a gadget")),
    "formulation": lambda: ARM.formulation == "equivalent rigid links",
    "formulation_settings": lambda: ARM.formulation_settings() == {"modes": {"l0": 3, "l1": 3}},
    "implicit_blocks": lambda: ARM.implicit_blocks is False,
    "implicit_steps": lambda: ARM.implicit_steps is False,
    "newton_iteration": lambda: corrected(),
    "mechanism_model": lambda: ARM.mechanism_model() == ARM.description.build(),
    "random_state": lambda: np.array_equal(ARM.random_state(2)[0], X) and bool(np.abs(X[ARM.is_mode]).max() < 0.1),
    "restored": lambda: (
        ARM.restored(ARM.mechanism_model(), {"modes": {"l0": 1, "l1": 2}}).coordinates
        == ("l0.angle", "l0.mode1", "l1.angle", "l1.mode1", "l1.mode2")
    ),
}
"""What is the formulation's own, each with what must be true of it."""
PUBLIC = [name for name in dir(RIGID) if not name.startswith("_")]


def corrected() -> bool:
    """With a step of no length the correction is that of the accelerations themselves."""
    none = np.zeros(ARM.nv)
    newton = ARM.newton_iteration((0.0, 0.0), (none, none), ARM.none_prescribed)
    newton(True, X, Y, none + 1.0, none)
    return bool(np.allclose(newton.correction, ARM.forward_dynamics(X, Y, none + 1.0), rtol=1e-8))


def operations(model: ErlsModel) -> int:
    return model.forward_dynamics_function(1e6).operations.total


def message(call: Callable[[], Any]) -> str:
    with pytest.raises(supple.StateError) as found:
        call()
    return str(found.value)


def flat(x: Any) -> list[Any]:
    """All numbers and words of an answer, however it is nested."""
    if isinstance(x, (list, tuple)):
        return [z for y in x for z in flat(y)]
    return list(np.ravel(x)) if isinstance(x, np.ndarray) else [x]


def test_every_public_name_of_a_model_is_in_one_table() -> None:
    assert sorted([*SAME, *OWN, *REASONS]) == PUBLIC


@pytest.mark.parametrize("name", SAME)
def test_rigid_links_answer_as_a_model_does(name: str) -> None:
    links, model = (flat(SAME[name](m)) for m in (RIGID_LINKS, RIGID))
    assert len(links) == len(model)
    if model and all(isinstance(x, (float, int, np.number)) for x in model):
        np.testing.assert_allclose(links, model, rtol=1e-7, atol=1e-9 * max(1.0, float(np.abs(model).max())))
    else:
        assert links == model


@pytest.mark.parametrize("name", OWN)
def test_what_is_its_own(name: str) -> None:
    assert OWN[name]()


@pytest.mark.parametrize("name", REASONS)
def test_the_rest_is_refused_by_name(name: str) -> None:
    text = message(lambda: getattr(ARM, name))
    assert f"which has no {name!r}" in text
    assert "`mechanism_model()` is the model of the same mechanism in floating frames" in text
    assert not hasattr(ARM, name)


def test_a_name_that_no_model_has_is_no_attribute() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'mass_matrices'"):
        ARM.mass_matrices  # type: ignore[attr-defined]  # noqa: B018


# ---------------------------------------------------------------- flexible links


def test_frames_move_as_their_jacobian_says() -> None:
    frame, step = "l1/end", 1e-30
    J, v = ARM.jacobian(X, frame), ARM.velocity(X, Y, frame)
    assert relative(J @ Y, v) < 1e-12
    p = ARM.pose(X + 1j * step * Y, frame)[1].imag / step
    assert relative(p, v[3:]) < 1e-12
    a = np.linspace(-1.0, 1.0, ARM.nv)
    rate = by_complex_steps(lambda x: ARM.velocity(x, Y, frame), X, np.eye(ARM.nv)) @ Y + J @ a
    assert relative(rate, ARM.acceleration(X, Y, a, frame)) < 1e-10
    slopes = ARM.frame_slopes(X, Y, a, frame)
    assert relative(slopes["dvelocity_dv"], J) < 1e-12
    own = ARM.pose(X, frame)[0].T
    assert relative(ARM.velocity(X, Y, frame, "frame"), np.concatenate([own @ v[:3], own @ v[3:]])) < 1e-12


def test_momentum_changes_by_weight_and_what_the_first_joint_carries() -> None:
    """Newton and Euler for the whole: an outside check of joint wrenches that the equations of motion do not know."""
    a = ARM.forward_dynamics(X, Y, np.ones(ARM.nv))
    step = 1e-30
    rate = ARM.momentum(X + 1j * step * Y, Y + 1j * step * a).imag / step
    wrench = ARM.joint_wrenches(X, Y, a)[0]
    R, p = ARM.pose(X, "l0")
    moment, force = R @ wrench[:3], R @ wrench[3:]
    weight, c = ARM.mass * np.array([0, 0, -9.81]), ARM.center_of_mass(X)
    expected = np.concatenate([moment + np.cross(p, force) + np.cross(c, weight), force + weight])
    assert relative(expected, rate) < 1e-9
    push = {"l1/end": np.array([0.1, 0.2, 0.3, 1.0, 2.0, 3.0])}
    assert relative(ARM.joint_wrenches(X, Y, a, push), ARM.joint_wrenches(X, Y, a)) > 1e-3


def test_joints_carry_what_drives_them_to_second_order() -> None:
    """Along the axis the wrench is tau; compatibility is of first order, so that the rest falls with the square."""
    gaps = []
    for share in (1.0, 0.1):
        q = np.where(ARM.is_mode, share, 1.0) * X
        a = ARM.forward_dynamics(q, Y, np.where(ARM.is_mode, 0.0, 2.0))
        axes = np.array([c.A for c in ARM.chain.connections])
        along = (ARM.joint_wrenches(q, Y, a) * axes).sum(axis=-1)
        gaps.append(np.abs(along - 2.0).max())
    assert 1e-6 < gaps[0] < 0.5
    assert gaps[1] < 0.02 * gaps[0]


def test_joint_wrenches_are_those_of_floating_frames() -> None:
    floating = ARM.mechanism_model()
    q = floating.neutral()
    q[[floating.coordinate_index(name) for name in ("l0.angle", "l1.angle")]] = 0.4, 0.9
    x, _ = matched_state(ARM, q, np.zeros(floating.nv))
    a, b = np.zeros(ARM.nv), np.zeros(floating.nv)
    expected = floating.joint_wrenches(q, b, b)
    assert relative(ARM.joint_wrenches(x, a, a), expected) < 1e-9


def test_small_motions_follow_the_linearized_equations() -> None:
    tau = np.linspace(-1.0, 1.0, ARM.nv)
    A, B = ARM.linearize(np.stack([X, X]), Y, tau)
    assert A.shape == (2, 16, 16)
    n, step = ARM.nv, 1e-30
    by_q = ARM.forward_dynamics(X + 1j * step * np.eye(n), Y, tau).imag.T / step
    by_tau = ARM.forward_dynamics(X, Y, tau + 1j * step * np.eye(n)).imag.T / step
    assert relative(A[0, n:, :n], by_q) < 1e-12
    assert relative(B[1, n:], by_tau) < 1e-12
    assert relative(by_tau, ARM.inverse_mass_matrix(X) @ ARM.actuation_matrix(X).T) < 1e-9
    with pytest.raises(supple.StateError, match="model 'arm': linearize: expected real states"):
        ARM.linearize(X + 0j, Y, tau)


def test_a_frame_feels_the_inertia_of_all_links() -> None:
    inverse = ARM.inverse_operational_inertia(X, ["l1/end", "l0"])
    J = np.concatenate([ARM.jacobian(X, name) for name in ("l1/end", "l0")])
    assert relative(inverse, J @ np.linalg.solve(ARM.mass_matrix(X), J.T)) < 1e-12
    one = ARM.inverse_operational_inertia(X, ["l1/end"])
    assert relative(ARM.operational_inertia(X, ["l1/end"]) @ one, np.eye(6)) < 1e-6
    with pytest.raises(supple.SingularError, match="operational inertia of l0: they cannot move in all directions"):
        ARM.operational_inertia(X, ["l0"])
    with pytest.raises(supple.StateError, match=r"takes no prescribed speeds, got \['l0.angle'\]"):
        ARM.inverse_operational_inertia(X, ["l0"], prescribed=["l0.angle"])
    with pytest.raises(supple.StateError, match="frames: expected a sequence of names, got 'l0'"):
        ARM.inverse_operational_inertia(X, "l0")


def test_only_one_method_finds_accelerations() -> None:
    with pytest.raises(supple.StateError, match=r"forward_dynamics: .* method 'composite' alone, got 'articulated'"):
        ARM.forward_dynamics(X, Y, Y, "articulated")
    with pytest.raises(supple.StateError, match=r"external: expected a mapping of frame to \(..., 6\) array, got list"):
        ARM.forward_dynamics(X, Y, Y, external=[1.0])  # type: ignore[arg-type]


def test_rigid_modes_are_those_of_the_paper() -> None:
    """D q_d is q_r of (11), and its first and second rates are (14) and (24)."""
    joints, step = ~ARM.is_mode, 1e-30
    a = np.linspace(-1.0, 1.0, ARM.nv)
    D, G, n = ARM.rigid_modes(X, Y)
    rigid = np.concatenate([np.arange(6), 9 + np.arange(6)])
    assert relative(D @ X[~joints], ARM.whole(X)[rigid]) < 1e-12
    rate = ARM.whole(X + 1j * step * Y)[rigid].imag / step
    assert relative(D @ Y[~joints] + G @ Y[joints], rate) < 1e-12

    def rates(q: Floats, v: Floats) -> Any:
        D, G, _ = ARM.rigid_modes(q, v)
        return D @ v[~joints] + G @ v[joints]

    second = rates(X + 1j * step * Y, Y + 1j * step * a).imag / step
    assert relative(D @ a[~joints] + G @ a[joints] + n, second) < 1e-10
    assert not ARM.rigid_modes(X).n.any()
    assert ARM.rigid_modes(np.stack([X, X]), Y).G.shape == (2, 12, 2)
