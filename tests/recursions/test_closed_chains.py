"""Rows of constraints: their rates and accelerations against differences, J and S against dense algebra."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import supple
from supple.description.constraints import Constraint, Distance, Gear, PointOnLine, PointOnPlane, Rolling
from support.cases import thinned
from support.generated.generators import random_tree
from support.generated.generators_flexible import random_flexible_tree

H = 1e-6


def constrained(seed: int, flexible: bool) -> supple.Model:
    """A random tree with constraints of every kind between random frames; nothing is assembled."""
    rng = np.random.default_rng(seed)
    tree = (
        random_flexible_tree(seed, 5, 3, fidelity="full", free_base=True)[0]
        if flexible
        else random_tree(seed, 7, forces=False)
    )
    mech = tree.description.copy()
    names = list(mech.bodies)
    for i in range(12):
        body = names[int(rng.integers(len(names)))]
        carrier = body
        if flexible:
            frames = [label for label, frame in mech.frames.items() if frame.body == body and frame.node is not None]
            carrier = frames[int(rng.integers(len(frames)))] if frames else body
        mech.add_frame(f"f{i}", carrier, 0.3 * rng.normal(size=3), Rotation.random(random_state=100 * seed + i))
    frames = [label for label in mech.frames if label.split("/")[-1].startswith("f")]
    pairs = [(a, b) for a in frames for b in frames if mech.find_frame(a).body != mech.find_frame(b).body]
    rng.shuffle(pairs)
    rates = [tree.speeds[i] for i in np.flatnonzero(tree.tree.q_of_speed >= 0)][:2]
    kinds: list[Constraint] = [
        Distance(*pairs[0], 0.7),
        PointOnLine(*pairs[1], (1, 2, -1)),
        PointOnPlane(*pairs[2], "y", 0.2),
        Rolling(*pairs[3], 0.2, (1, 1, 1)),
        Rolling(*pairs[4], 0.3),
        Gear(rates[0], rates[1], 1.7, 0.1),
    ]
    for i, kind in enumerate(kinds):
        mech.constrain(f"c{i}", kind)
    joints = [supple.Revolute((1, 1, 0)), supple.Helical("z", pitch=0.3), supple.Universal("x", "y"), supple.Fixed()]
    for i, joint in enumerate(joints):
        mech.close_loop(f"l{i}", *pairs[5 + i], joint)
    return supple.Model(mech)


@pytest.fixture(
    scope="module", params=thinned([(0, False), (5, False), (3, True), (6, True)], [(0, False), (3, True)]), ids=str
)
def case(request: pytest.FixtureRequest) -> tuple[supple.Model, Any, Any]:
    seed, flexible = request.param
    model = constrained(seed, flexible)
    return model, *model.random_state(seed)


def test_rates_are_those_of_the_positions(case: Any) -> None:
    model, q, v = case
    loops = model.loops
    _, rate = loops.errors(q, v)
    ahead, behind = (loops.errors(model.integrate(q, v, h))[0] for h in (H, -H))
    screw = np.array([row.label == "screw" for _, row in loops.rows])
    checked = loops.holonomic & ~screw  # the condition of a screw is right where its axes agree
    np.testing.assert_allclose(rate[checked], ((ahead - behind) / (2 * H))[checked], atol=1e-7)
    assert np.abs(rate[checked]).min() > 1e-6
    np.testing.assert_allclose(loops.jacobian(q) @ v, rate, atol=1e-12)


def test_effective_inertia_and_forces_are_those_of_dense_algebra(case: Any) -> None:
    model, q, v = case
    loops = model.loops
    J = loops.jacobian(q)
    S = loops.constraint_state(q, v, model.none_prescribed).S
    np.testing.assert_allclose(S, J @ model.inverse_mass_matrix(q) @ J.T, rtol=1e-9, atol=1e-11)
    tau = np.random.default_rng(0).normal(size=model.nv)
    a = model.forward_dynamics(q, v, tau)
    force = loops.forces(q, v, tau)
    np.testing.assert_allclose(model.inverse_dynamics(q, v, a), tau + J.T @ force, atol=1e-7 * np.abs(force).max())


def test_accelerations_keep_the_rates(case: Any) -> None:
    """What S can bring about it does: phi'' is zero in all directions in which it is above the regularization."""
    model, q, v = case
    loops = model.loops
    a = model.forward_dynamics(q, v, np.zeros(model.nv))

    def rate(h: float) -> Any:
        return loops.errors(model.integrate(q, v + h / 2 * a, h), v + h * a)[1]

    change = (rate(H) - rate(-H)) / (2 * H)
    S = loops.constraint_state(q, v, model.none_prescribed).S
    size = np.sqrt(S.diagonal())
    values, vectors = np.linalg.eigh(S / np.outer(size, size))
    regularized = vectors[:, values > 1e-3]
    np.testing.assert_allclose(regularized.T @ (change / size), 0.0, atol=1e-5)
    assert np.abs(a).max() > 1.0
