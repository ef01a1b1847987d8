"""Shapes, batches, number types and names of a model's functions."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import supple
from support.generated.generators import random_tree

MODEL = random_tree(21, 8)
RNG = np.random.default_rng(4)
Q, V = (np.stack(x) for x in zip(*(MODEL.random_state(i) for i in range(6)), strict=True))
TAU = RNG.normal(size=V.shape)
TIP = "b7/tip"

FUNCTIONS: dict[str, Callable[..., object]] = {
    "inverse_dynamics": lambda q, v, u: MODEL.inverse_dynamics(q, v, u),
    "forward_dynamics": lambda q, v, u: MODEL.forward_dynamics(q, v, u),
    "composite": lambda q, v, u: MODEL.forward_dynamics(q, v, u, method="composite"),
    "triangular": lambda q, v, u: MODEL.forward_dynamics(q, v, u, method="triangular"),
    "conjugate_gradient": lambda q, v, u: MODEL.forward_dynamics(q, v, u, method="conjugate_gradient"),
    "hybrid": lambda q, v, u: MODEL.hybrid_dynamics(q, v, u, {MODEL.speeds[0]: u[..., 0]})[1],
    "mass_matrix": lambda q, v, u: MODEL.mass_matrix(q),
    "inverse_mass_matrix": lambda q, v, u: MODEL.inverse_mass_matrix(q),
    "bias_forces": lambda q, v, u: MODEL.bias_forces(q, v),
    "energy": lambda q, v, u: MODEL.energy(q, v)[0],
    "momentum": lambda q, v, u: MODEL.momentum(q, v),
    "center_of_mass": lambda q, v, u: MODEL.center_of_mass(q),
    "pose": lambda q, v, u: MODEL.pose(q, TIP)[1],
    "velocity": lambda q, v, u: MODEL.velocity(q, v, TIP),
    "acceleration": lambda q, v, u: MODEL.acceleration(q, v, u, TIP),
    "jacobian": lambda q, v, u: MODEL.jacobian(q, TIP),
    "joint_wrenches": lambda q, v, u: MODEL.joint_wrenches(q, v, u),
    "derivative": lambda q, v, u: MODEL.derivative(q, v),
    "integrate": lambda q, v, u: MODEL.integrate(q, v, 0.1),
    "tangent": lambda q, v, u: MODEL.tangent(q),
    "linearize": lambda q, v, u: np.concatenate(MODEL.linearize(q, v, u), axis=-1),
    "split": lambda q, v, u: MODEL.split_wrenches(q, MODEL.joint_wrenches(q, v, u))[1],
    "external": lambda q, v, u: MODEL.forward_dynamics(q, v, u, external={TIP: u[..., :6]}),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_batch_equals_its_single_states(name: str) -> None:
    function = FUNCTIONS[name]
    whole = np.asarray(function(Q, V, TAU))
    single = np.array([function(q, v, u) for q, v, u in zip(Q, V, TAU, strict=True)])
    shaped = np.asarray(function(Q.reshape(2, 3, -1), V.reshape(2, 3, -1), TAU.reshape(2, 3, -1)))
    assert np.abs(whole).max() > 0
    assert np.allclose(whole, single, rtol=1e-12, atol=1e-12 * np.abs(whole).max())
    assert shaped.shape == (2, 3, *whole.shape[1:])
    assert np.array_equal(shaped.reshape(whole.shape), whole)


def test_leading_axes_broadcast() -> None:
    a = MODEL.forward_dynamics(Q[:, None], V[None, :], TAU[0])
    assert a.shape == (6, 6, MODEL.nv)
    assert np.allclose(a[2, 4], MODEL.forward_dynamics(Q[2], V[4], TAU[0]), rtol=1e-12)


def test_empty_batches_give_empty_results() -> None:
    assert MODEL.forward_dynamics(Q[:0], V[:0], TAU[:0]).shape == (0, MODEL.nv)
    assert MODEL.mass_matrix(Q[:0]).shape == (0, MODEL.nv, MODEL.nv)


def test_inputs_of_any_layout_are_read_and_never_written() -> None:
    expected = MODEL.forward_dynamics(Q, V, TAU)
    q, v, tau = np.asfortranarray(Q), np.repeat(V, 2, axis=0)[::2], TAU.copy()
    tau.flags.writeable = False
    before = [x.copy() for x in (q, v, tau)]
    assert np.array_equal(MODEL.forward_dynamics(q, v, tau), expected)
    assert all(np.array_equal(a, b) for a, b in zip((q, v, tau), before, strict=True))
    assert np.allclose(MODEL.mass_matrix(MODEL.neutral().astype(int)), MODEL.mass_matrix(MODEL.neutral()))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: MODEL.mass_matrix(Q[0][:-1]), r"q: expected numbers of shape \(\.\.\., \d+\), got float64 of shape"),
        (lambda: MODEL.inverse_dynamics(Q, V[:4], TAU), "leading axes do not broadcast: q"),
        (lambda: MODEL.mass_matrix(np.array(["a"] * MODEL.nq)), "expected numbers of shape"),
        (lambda: MODEL.pose(Q[0], "b7/tp"), r"no frame 'b7/tp'; did you mean 'b7/tip'\?"),
        (lambda: MODEL.forward_dynamics(Q, V, TAU, method="articulate"), "did you mean 'articulated'"),
        (
            lambda: MODEL.velocity(Q[0], V[0], TIP, axes="world"),
            "axes: expected 'ground', 'frame' or the name of a frame, got 'world'",
        ),
        (lambda: MODEL.forward_dynamics(Q[0], V[0] * np.nan, TAU[0]), "v: expected finite numbers"),
        (lambda: MODEL.hybrid_dynamics(Q[0], V[0], TAU[0], {"b0.angel": 1}), "no speed 'b0.angel'"),
        (
            lambda: MODEL.forward_dynamics(Q[0], V[0], TAU[0], external={TIP: np.ones(3)}),
            r"external wrench at 'b7/tip': expected numbers of shape \(\.\.\., 6\)",
        ),
        (
            lambda: MODEL.forward_dynamics(Q[0], V[0], TAU[0], external={TIP: [np.nan] * 6}),
            "external wrench at 'b7/tip': expected finite numbers",
        ),
        (
            lambda: MODEL.inverse_dynamics(Q[0], V[0], TAU[0], external={TIP: ["a"] * 6}),
            "external wrench at 'b7/tip': expected numbers",
        ),
        (
            lambda: MODEL.inverse_dynamics(Q, V, TAU, external={TIP: np.ones((4, 6))}),
            "leading axes do not broadcast: states .*, external wrench at 'b7/tip'",
        ),
        (lambda: MODEL.inverse_dynamics(Q[0][:-1], V[0], TAU[0], external={TIP: np.ones(6)}), "q: expected numbers"),
        (lambda: MODEL.forward_dynamics(Q[0], V[0], TAU[0][:-1], external={TIP: np.ones(6)}), "tau: expected numbers"),
        (
            lambda: MODEL.forward_dynamics(Q[0], V[0], TAU[0][:-1], "composite", {TIP: np.ones(6)}),
            "tau: expected numbers",
        ),
        (
            lambda: MODEL.forward_dynamics(Q[0], V[0], TAU[0], external=np.ones(6)),  # type: ignore[arg-type]
            "external: expected a mapping of frame to",
        ),
        (lambda: MODEL.linearize(Q[0] + 1j, V[0], TAU[0]), "linearize: expected real states"),
        (lambda: MODEL.linearize(Q[0], V[0][:-1], TAU[0]), "v: expected numbers"),
    ],
)
def test_wrong_input_is_refused_with_a_reason(call: Callable[[], object], message: str) -> None:
    with pytest.raises(supple.StateError, match=message):
        call()


def test_a_quaternion_of_no_length_is_refused_by_name() -> None:
    mech = supple.Mechanism("two")
    mech.add_body("arm", supple.RigidBody(1.0, inertia=(1, 1, 1)))
    mech.add_body("ball", supple.RigidBody(1.0, inertia=(1, 1, 1)), "arm", supple.Spherical())
    model = mech.build()
    v = np.zeros(4)
    for q in (np.zeros(5), np.array([[0.1, 0, 0, 0, 1], [0.1, 0, 0, 0, 1e-200]])):
        for call in (
            lambda q=q: model.pose(q, "ball"),
            lambda q=q: model.normalize(q),
            lambda q=q: model.forward_dynamics(q, v, v),
            lambda q=q: model.derivative(q, v),
        ):
            with pytest.raises(supple.StateError, match="model 'two': q: joint of 'ball': expected a quaternion"):
                call()
    with pytest.raises(supple.StateError, match="joint of 'ball': expected a quaternion"):
        supple.simulate(model, 0.1, q={"ball.qw": 0.0})


def test_states_neutral_and_random() -> None:
    q = MODEL.neutral()
    assert np.allclose(MODEL.normalize(q), q)
    a, b = MODEL.random_state(1), MODEL.random_state(1)
    assert np.array_equal(a[0], b[0])
    assert np.array_equal(a[1], b[1])
    assert not np.array_equal(a[0], MODEL.random_state(2)[0])


def test_external_wrenches_enter_inverse_and_forward_dynamics_alike() -> None:
    q, v, tau = Q[0], V[0], TAU[0]
    wrench = {TIP: np.arange(6.0), "b2": np.ones(6)}
    a = MODEL.forward_dynamics(q, v, tau, external=wrench)
    assert np.abs(a - MODEL.forward_dynamics(q, v, tau)).max() > 0.01
    assert np.allclose(MODEL.inverse_dynamics(q, v, a, external=wrench), tau, atol=1e-10)
    J_tip, J_2 = MODEL.jacobian(q, TIP, axes="frame"), MODEL.jacobian(q, "b2", axes="frame")
    pushed = tau + J_tip.T @ np.arange(6.0) + J_2.T @ np.ones(6)
    assert np.allclose(MODEL.forward_dynamics(q, v, pushed), a, rtol=1e-9, atol=1e-9 * np.abs(a).max())


def test_equality_looks_at_every_number() -> None:
    assert random_tree(21, 8) == MODEL
    assert random_tree(22, 8) != MODEL
    mech = supple.Mechanism("tree 21", gravity=(0.3, -0.5, -9.81))
    mech.bodies = dict(MODEL.description.bodies)
    assert mech.build() != MODEL  # the force elements are missing


def test_equal_models_are_one_key() -> None:
    same = random_tree(21, 8)
    assert hash(same) == hash(MODEL)
    assert len({same, MODEL, random_tree(22, 8)}) == 2
    assert {hash(same.find_frame(name)) for name in same.frames} == {
        hash(MODEL.find_frame(name)) for name in MODEL.frames
    }
