"""Functions of one state: the built-in functions give what the general way gives, and leave the rest to it."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pytest

import supple
from supple.engines.blocks.program_cache import PROGRAMS
from supple.engines.llvm import caller
from supple.errors import SingularError, StateError
from supple.model.evaluation import Evaluation
from supple.model.functions.table import FUNCTIONS, INTEGRATORS
from supple.model.linearization import direction_rates
from supple.model.model import Model
from supple.model.one_state import declined
from support.generated.generators import random_tree
from support.generated.generators_flexible import random_flexible_tree
from support.mechanisms.closed_mechanisms import slider_crank

pytestmark = pytest.mark.skipif(not caller.possible(), reason="this Python lays its objects out in another way")
MODELS: dict[str, Callable[[], Model]] = {
    "tree": lambda: random_tree(4, 9),
    "flexible": lambda: random_flexible_tree(2, 5, forces=True)[0],
    "closed": slider_crank,
}
"""A tree with all kinds of joints, springs and wrenches; one of flexible bodies; a closed mechanism."""
THREADS = 8
EXACT = 1e-12
"""Rounding of a few hundred operations, relative to the largest entry."""


@pytest.fixture(scope="module", params=list(MODELS))
def model(request: pytest.FixtureRequest) -> Model:
    """Return one of the models."""
    return MODELS[request.param]()


def arguments(model: Model, name: str) -> list[Any]:
    """Return a state for a function of the table."""
    (q, v), a = model.random_state(3), np.random.default_rng(4).normal(size=model.nv)
    values = {"q": q, "v": v, "a": a, "tau": a, "dt": 0.1}
    return [values[x.name] for x in FUNCTIONS[name].inputs]


def method(model: Model, name: str, frame: str) -> Callable[..., Any]:
    """Return a method, for a function about frames that of one frame."""
    found: Callable[..., Any] = getattr(model, name)
    return (lambda *state: found(*state, frame)) if FUNCTIONS[name].frames else found


def as_complex(x: Any) -> Any:
    """Return a complex array, which takes the general way through the plain twins."""
    return x.astype(complex) if isinstance(x, np.ndarray) else x


def close(found: Any, expected: Any) -> bool:
    """Return whether arrays, or tuples of arrays, have equal shapes and entries."""
    pairs = zip(found, expected, strict=True) if isinstance(found, tuple) else [(found, expected)]
    return all(
        np.shape(x) == np.shape(y) and abs(x - y).max(initial=0.0) <= EXACT * max(1.0, abs(y).max(initial=0.0))
        for x, y in ((np.asarray(x), np.asarray(y)) for x, y in pairs)
    )


METHODS = [
    name
    for name in FUNCTIONS
    if FUNCTIONS[name].recursion
    and hasattr(Model, name)
    and name not in ("regressor", "inverse_operational_inertia", "direction_rates", *INTEGRATORS)
]
"""Functions that are methods and take complex states."""


@pytest.mark.parametrize("name", METHODS)
def test_one_state_is_that_of_the_general_way(model: Model, name: str) -> None:
    state = arguments(model, name)
    if name == "joint_wrenches" and model.loops is not None:
        pytest.skip("joint wrenches of closed loops need the forces of the constraints")
    frame = next(x for x in reversed(model.frames) if x != "ground")
    call = method(model, name, frame)
    first, general = call(*state), call(*(as_complex(x) for x in state))
    assert close(first, general)
    assert any(np.any(x) for x in (first if isinstance(first, tuple) else (first,)))


@pytest.mark.parametrize("name", [name for name in METHODS if not FUNCTIONS[name].frames])
def test_one_state_has_a_way_of_its_own(model: Model, name: str) -> None:
    call = getattr(model._one, name)
    assert call is not declined
    assert call(*arguments(model, name)) is not None


@pytest.mark.parametrize("name", INTEGRATORS)
def test_steps_of_one_state_are_those_of_batches(model: Model, name: str) -> None:
    """The program of one state knows no constraints: with closed loops the step is the compiled one."""
    q, v, tau, _ = arguments(model, "rk4")
    step = getattr(model, name)
    found, many = step(q, v, tau, 1e-3), step(np.stack([q, q]), v, tau, 1e-3)
    assert close(found, tuple(x[0] for x in many))
    assert abs(found[1] - v).max() > 1e-6
    assert (getattr(model._one, name)(q, v, tau, 1e-3) is None) == (model.loops is not None)


def test_direction_rates_are_those_of_the_tangent(model: Model) -> None:
    q, v = arguments(model, "direction_rates")
    found = model.direction_rates(q, v)
    assert close(found, model.direction_rates(q.tolist(), v.tolist()))
    with mock.patch.object(Evaluation, "direction_rates", return_value=None):
        assert close(found, direction_rates(model, q, v))
    assert found.any() == (model.q_of_speed < 0).any()


@pytest.mark.parametrize("axes", ["ground", "frame"])
def test_frames_in_either_axes(model: Model, axes: str) -> None:
    q, v, a = arguments(model, "acceleration")
    for frame in model.frames:
        J = model.jacobian(q, frame, axes)
        V, A = model.velocity(q, v, frame, axes), model.acceleration(q, v, a, frame, axes)
        assert close(J @ v, V)
        assert close(V, model.velocity(as_complex(q), v, frame, axes))
        assert close(A, model.acceleration(as_complex(q), v, a, frame, axes))
        assert close(model.pose(q, frame), model.pose(as_complex(q), frame))


def test_wrenches_at_frames(model: Model) -> None:
    q, v, a = arguments(model, "inverse_dynamics")
    rng = np.random.default_rng(8)
    frames = [x for x in model.frames if (node := model.find_frame(x).node) is None or node.turning]
    external = {frame: rng.normal(size=6) for frame in frames[-3:]}
    for f in (model.forward_dynamics, model.inverse_dynamics):
        found, without = f(q, v, a, external=external), f(q, v, a)
        assert close(found, f(as_complex(q), v, a, external=external))
        assert abs(found - without).max() > 1e-3
        one = {frames[-1]: external[frames[-1]]}
        assert close(f(q, v, a, external=one), f(as_complex(q), v, a, external=one))


def test_linearize(model: Model) -> None:
    q, v, tau = arguments(model, "forward_dynamics")
    assert close(model.linearize(q, v, tau), tuple(x[0] for x in model.linearize(q[None], v[None], tau[None])))


def test_states_that_are_not_finite_are_errors(model: Model) -> None:
    """Also of coordinates and speeds on which the result does not depend."""
    for name in METHODS:
        if name == "joint_wrenches" and model.loops is not None:
            continue
        call = method(model, name, model.frames[-1])
        for place in range(len(FUNCTIONS[name].inputs)):
            state = [x.copy() if isinstance(x, np.ndarray) else x for x in arguments(model, name)]
            if isinstance(state[place], float):
                continue
            state[place][0] = np.nan
            with pytest.raises(StateError, match="expected finite numbers"):
                call(*state)


def test_a_quaternion_of_no_length_is_an_error() -> None:
    mech = supple.Mechanism("free body")
    mech.add_body("box", supple.RigidBody(2.0, inertia=(1.0, 2.0, 3.0)), joint=supple.Free())
    model = mech.build()
    q = model.neutral()
    assert model.mass_matrix(q)[0, 0] == 1.0
    half_turn = q.copy()
    half_turn[3:] = 1.0, 0.0, 0.0, 0.0  # the last part of a quaternion may be zero
    assert close(model.mass_matrix(half_turn), model.mass_matrix(q))
    q[3:] = 0.0
    with pytest.raises(StateError, match="length zero"):
        model.mass_matrix(q)


def test_a_speed_without_inertia_is_named() -> None:
    mech = supple.Mechanism("thin rod")
    rod = supple.RigidBody(1.0, com=(0, 0, 1.0), inertia=np.diag([1.0, 1.0, 0.0]))
    mech.add_body("rod", rod, joint=supple.Spherical())
    model = mech.build()
    q, v = model.neutral(), np.zeros(3)
    for call in (lambda: model.inverse_mass_matrix(q), lambda: model.linearize(q, v, v)):
        with pytest.raises(SingularError, match="rod"):
            call()


def test_results_are_arrays_of_their_own(model: Model) -> None:
    q = arguments(model, "mass_matrix")[0]
    first = model.mass_matrix(q)
    kept = first.copy()
    for _ in range(3):
        model.mass_matrix(model.random_state(7)[0])
    assert (first == kept).all()


def test_eight_threads_record_and_call_different_models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each records programs that nothing has recorded before, while the others do; the bits are those of one thread."""
    together = threading.Barrier(THREADS)

    def answers(number: int, wait: bool) -> list[Any]:
        model = random_tree(20 + number, 4 + number)
        q, v = model.random_state(number)
        if wait:
            together.wait(timeout=60.0)
        found = [model.forward_dynamics(q, v, v), model.mass_matrix(q), model.pose(q, model.bodies[-1])[0]]
        return [*found, *model.linearize(q, v, v), *model.energy(q, v)]

    def from_nothing(folder: str) -> None:
        monkeypatch.setenv("SUPPLE_CACHE_DIR", str(tmp_path / folder))
        monkeypatch.setattr(PROGRAMS, "_entries", OrderedDict())

    from_nothing("eight")
    with ThreadPoolExecutor(THREADS) as pool:
        at_once = [*pool.map(lambda i: answers(i, True), range(THREADS))]
    from_nothing("one")
    for i, found in enumerate(at_once):
        for x, y in zip(found, answers(i, False), strict=True):
            np.testing.assert_array_equal(x, y)
