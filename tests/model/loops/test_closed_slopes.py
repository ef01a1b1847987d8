"""Derivatives of the motion of closed systems: against tangents of the whole recursion and complex steps."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

import supple
from supple.engines.sweeps import sweep
from supple.model.complex_steps import by_complex_steps, by_differences
from supple.model.loops.closed_programs import _forward
from supple.model.recorded_tangents import RecordedTangents
from supple.model.recorded_trace import closed_program
from support.mechanisms.closed_mechanisms import n_four_bar, slider_crank

Floats = NDArray[np.float64]


def closed_state(model: supple.Model, guess: list[float], seed: int) -> tuple[Floats, Floats, Floats]:
    """A closed configuration, speeds that fit, and forces."""
    assert model.loops is not None
    rng = np.random.default_rng(seed)
    q = model.loops.assemble(guess)
    return q, model.loops.consistent(q, rng.normal(size=model.nv)), rng.normal(size=model.nv)


def parallelogram() -> supple.Model:
    """Singular where all its bars are on one line; its constraint equations are none of them singular by itself."""
    mech = supple.Mechanism("parallelogram", gravity=(0.5, 0.0, -9.81))
    turn = Rotation.from_euler("y", 0.6)
    for name, parent, mass in (("left", "ground", 1.0), ("top", "left", 1.3), ("right", "ground", 0.7)):
        at = (0.0, 0.0, 0.0) if name == "left" else (1.0, 0.0, 0.0)
        bar = supple.RigidBody(mass, (0.5, 0.0, 0.0), (0.01, 0.1, 0.1))
        mech.add_body(name, bar, parent, supple.Revolute("y"), at)
        mech.add_frame("tip", name, (1.0, 0.0, 0.0), turn)
    mech.close_loop("corner", "top/tip", "right/tip", supple.Revolute("y"))
    return mech.build()


def near_singular(angle: float) -> tuple[Floats, Floats, Floats]:
    """A closed configuration of the parallelogram, speeds that would fit a singular one, and forces."""
    return np.array([angle, -angle, angle]), np.array([1.0, -1.0, 1.0]), np.array([1.0, 0.3, -0.2])


@pytest.mark.parametrize("prescribed", [(), (0,)])
@pytest.mark.parametrize("angle", [None, 3e-3, 3e-4, 1e-5])
def test_slopes_are_those_of_the_whole_recursion(prescribed: tuple[int, ...], angle: float | None) -> None:
    """In a regular state, and where S is 100 times its regularization, as much, and a thousandth of it."""
    model = slider_crank() if angle is None else parallelogram()
    assert model.loops is not None
    q, v, known = closed_state(model, [0.7, -0.2, 1.2], 3) if angle is None else near_singular(angle)
    mask = np.isin(np.arange(model.nv), prescribed)
    recorded = closed_program(
        model, model.loops.arrays, ("forward", mask.tolist().__repr__()), ["q", "v", "tau"], lambda t: _forward(t, mask)
    )
    whole = RecordedTangents(recorded, ("q", "v", "tau"), ("a", "tau"))(q[None], v[None], known[None])
    found = model.loops.derivatives(q[None], v[None], known[None], mask)
    exact = 1e-12 if angle is None else 1e-7  # rounding of forces, magnified by the regularization
    for name, slopes in (("a", found.a_slopes), ("tau", found.tau_slopes)):
        expected = np.concatenate([whole[f"d{name}_d{by}"] for by in ("q", "v", "tau")], axis=-1)
        np.testing.assert_allclose(slopes, expected, atol=exact * np.abs(expected).max())
        assert np.abs(expected[..., : model.nq]).max() > 0.1 or (name == "tau" and not prescribed)
    np.testing.assert_allclose(found.a, whole["a"], rtol=1e-12 if angle is None else 1e-7)


@pytest.mark.parametrize("angle", [3e-3, 3e-4, 1e-5])
def test_all_derivatives_near_a_singular_configuration_are_those_of_the_accelerations(angle: float) -> None:
    """By complex steps, and by parameters in differences long enough for the rounding of the values."""
    model, n, names = parallelogram(), 3, ["left.mass", "right.inertia.yy"]
    q, v, tau = near_singular(angle)
    weights = np.array([1.0, 2.0, -0.5])
    steps = [
        by_complex_steps(f, x, np.eye(n))
        for f, x in (
            (lambda x: model.forward_dynamics(x, v, tau), q),
            (lambda x: model.forward_dynamics(q, x, tau), v),
            (lambda x: model.forward_dynamics(q, v, x), tau),
        )
    ]
    A, B = model.linearize(q, v, tau)
    gradient = model.gradient("forward_dynamics", names)(q, v, tau, weights=weights)
    pairs = zip(steps, (A[n:, :n], A[n:, n:], B[n:]), ("q", "v", "tau"), strict=True)
    for expected, own, by in pairs:
        np.testing.assert_allclose(own, expected, atol=1e-7 * np.abs(expected).max())
        compiled = model.compile("forward_dynamics", derivatives=[by])(q, v, tau)[1]
        np.testing.assert_allclose(compiled, expected, atol=1e-7 * np.abs(expected).max())
        np.testing.assert_allclose(gradient[by], weights @ expected, atol=1e-7 * np.abs(expected).max())
    values, h = {"left.mass": 1.0, "right.inertia.yy": 0.1}, 1e-2
    for own, name in zip(gradient["parameters"], names, strict=True):
        x = values[name] * (1.0 + h * np.array([2, 1, -1, -2]))
        a = [weights @ model.with_parameters({name: y}).forward_dynamics(q, v, tau) for y in x]
        expected = np.array([-1, 8, -8, 1]) @ a / (12 * h * values[name])
        assert own == pytest.approx(expected, rel=1e-5)


def test_complex_states_need_no_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    """Complex steps of the model's own functions, which take them as those of trees do."""
    model = slider_crank()
    assert model.loops is not None
    q, v, tau = closed_state(model, [0.7, -0.2, 1.2], 4)
    A, _ = model.linearize(q, v, tau)
    n = model.nv

    def refuse(*_: object) -> None:
        raise AssertionError("compiled")

    monkeypatch.setattr(sweep, "CompiledSweep", refuse)
    by_v = by_complex_steps(lambda x: model.forward_dynamics(q, x, tau), v, np.eye(n))
    by_q = by_complex_steps(lambda x: model.forward_dynamics(x, v, tau), q, model.tangent(q).T)
    np.testing.assert_allclose(np.hstack([by_q, by_v]), A[n:], atol=1e-12 * np.abs(A).max())
    rows = by_complex_steps(lambda x: model.loops.errors(x)[0], q, model.tangent(q).T)  # type: ignore[union-attr]
    np.testing.assert_allclose(rows, model.loops.jacobian(q), atol=1e-12)


def test_redundant_rows_move_nothing() -> None:
    """A loop that is closed twice: along motions that keep it closed the slopes are those without the second rod."""
    models = []
    for names in (("low",), ("low", "high")):
        mech = supple.Mechanism("door")
        mech.add_body("door", supple.RigidBody(20.0, (0.4, 0, 1), (7, 8, 1)), joint=supple.Revolute("z"))
        mech.add_body("bar", supple.RigidBody(1.0, inertia=(0.1, 0.1, 0.1)), joint=supple.Free(), at=(0, 0.5, 0))
        mech.add_frame("edge", "door", (0.8, 0, 1))
        for name in names:
            mech.constrain(name, supple.Distance("bar", "door/edge", np.sqrt(0.64 + 0.25 + 1)))
        models.append(mech.build())
    q, v, tau = closed_state(models[0], models[0].neutral().tolist(), 1)
    A, B = zip(*(model.linearize(q, v, tau) for model in models), strict=True)
    assert models[0].loops is not None
    J = models[0].loops.jacobian(q)
    keeping = np.linalg.svd(J)[2][1:].T
    n = models[0].nv
    np.testing.assert_allclose(A[1][n:, :n] @ keeping, A[0][n:, :n] @ keeping, atol=1e-9 * np.abs(A[0]).max())
    np.testing.assert_allclose(B[1], B[0], atol=1e-10 * np.abs(B[0]).max())


def test_linearize_takes_batches_of_closed_models() -> None:
    model = n_four_bar(3)
    rng = np.random.default_rng(0)
    q, _, tau = closed_state(model, (0.2 * rng.normal(size=model.nq)).tolist(), 2)
    V, n = rng.normal(size=(20, model.nv)), model.nv
    A, B = model.linearize(q, V, tau)
    assert A.shape == (20, 2 * n, 2 * n)
    for i in (0, 19):
        one = model.linearize(q, V[i], tau)
        np.testing.assert_allclose(A[i], one[0], atol=1e-11 * np.abs(A).max())
        np.testing.assert_allclose(B[i], one[1], atol=1e-11 * np.abs(B).max())
    rough = by_differences(lambda x: model.forward_dynamics(q, x, tau), V[0], np.eye(n))
    np.testing.assert_allclose(A[0, n:, n:], rough, atol=1e-6 * np.abs(rough).max())
    rough = by_differences(lambda x: model.forward_dynamics(x, V[0], tau), q, model.tangent(q).T)
    np.testing.assert_allclose(A[0, n:, :n], rough, atol=1e-6 * np.abs(rough).max())


@pytest.mark.filterwarnings("ignore:.*about a state that does not last:supple.PhysicsWarning")
def test_linearize_agrees_with_the_independent_equations() -> None:
    """A motion of the independent coordinates, carried to all others, changes as A says."""
    model = slider_crank()
    q, v, tau = closed_state(model, [0.7, -0.2, 1.2], 5)
    system = supple.linear.state_space(model, q, v, tau, inputs=model.speeds, outputs=[f"a:{x}" for x in model.speeds])
    equations = supple.linear.linear_equations(model, q, v, tau)
    A, B = model.linearize(q, v, tau)
    X, Z, Y, _, _ = equations.carried
    moved = np.block([[X, np.zeros_like(Z)], [Y, Z]])
    np.testing.assert_allclose(A[model.nv :] @ moved, system.C, atol=1e-9 * np.abs(system.C).max())
    np.testing.assert_allclose(B[model.nv :], system.D, atol=1e-9 * np.abs(system.D).max())
