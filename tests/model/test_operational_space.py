"""Operational inertia against dense J M^-1 J*: rigid and flexible trees, prescribed joints, closed loops, batches."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import supple
from support.cases import thinned
from support.generated.generators import random_tree
from support.generated.generators_flexible import random_flexible, random_flexible_tree

EXAMPLES = Path(__file__).parents[2] / "examples"


def force_maps(model: supple.Model, q: Any, frames: list[str]) -> Any:
    """J (6 m, nv) in the axes of the frames, by what unit forces at them do to inverse dynamics."""
    still = np.zeros(model.nv)
    rest = model.bias_forces(q, still)
    return np.concatenate([rest - model.bias_forces(q, still, {name: np.eye(6)}) for name in frames])


def some_frames(model: supple.Model, seed: int, count: int) -> list[str]:
    """Bodies, named frames and nodes of flexible bodies."""
    names = list(model.frames)
    for body, placed in model.description.bodies.items():
        if isinstance(placed.body, supple.structures.FlexibleBody):
            names += [f"{body}/{name}" for name in placed.body.frames] + [f"{body}/1"]
    return [str(x) for x in np.random.default_rng(seed).choice(names, count)]


def dense(model: supple.Model, q: Any, frames: list[str], held: list[str]) -> Any:
    """J M^-1 J* in frame axes with some speeds held."""
    free = [i for i, name in enumerate(model.speeds) if name not in held]
    J, M = force_maps(model, q, frames)[:, free], model.mass_matrix(q)[np.ix_(free, free)]
    scale = np.sqrt(np.diag(M))  # nodal coordinates have masses of many sizes
    L = np.linalg.cholesky(M / np.outer(scale, scale))
    half = np.linalg.solve(L, (J / scale).T)
    return half.T @ half


def rounding(model: supple.Model, q: Any) -> float:
    """How far dense algebra may be off: rounding times the condition of the scaled mass matrix, at least 1e-11."""
    M = model.mass_matrix(q)
    scale = np.sqrt(np.diag(M))
    return max(1e-11, float(np.finfo(float).eps * np.linalg.cond(M / np.outer(scale, scale))))


def near(a: Any, b: Any, tolerance: float = 1e-11) -> bool:
    return bool(np.abs(a - b).max() < tolerance * np.abs(b).max() > 0)


RIGID = [(1, 1, 1), (2, 7, 3), (3, 20, 6), (4, 40, 10)]


@pytest.mark.parametrize(("seed", "bodies", "frames"), thinned(RIGID, RIGID[1:3], several=True))
def test_rigid_trees(seed: int, bodies: int, frames: int) -> None:
    model = random_tree(seed, bodies)
    q = model.random_state(seed)[0]
    names = [model.bodies[-1], *some_frames(model, seed, frames - 1)]
    held = [name for i, name in enumerate(model.speeds) if i % 4 == 1]
    for prescribed in ([], held):
        found = model.inverse_operational_inertia(q, names, axes="frame", prescribed=prescribed)
        assert near(found, dense(model, q, names, prescribed))
    J = np.concatenate([model.jacobian(q, name) for name in names])
    assert near(model.inverse_operational_inertia(q, names), J @ np.linalg.solve(model.mass_matrix(q), J.T))


def few_frames(flexible: bool) -> tuple[supple.Model, list[str]]:
    """A small tree, and two frames on different branches of it, a node of a flexible body among them."""
    mech = supple.Mechanism("small")
    mech.add_body("mast", supple.RigidBody(3.0, (0.1, 0, 0.5), (0.4, 0.5, 0.2)), joint=supple.Revolute("z"))
    arm: supple.RigidBody | supple.structures.FlexibleBody = supple.RigidBody(2.0, (0.5, 0, 0), (0.1, 0.2, 0.2))
    place: Any = (1.0, 0, 0)
    if flexible:
        section, metal = supple.structures.Rectangle(0.04, 0.02), supple.structures.Material(7e10, 0.33, 2700.0)
        arm, place = supple.structures.beam(1.0, section, metal, 4).reduce("cantilever", modes=3), "end"
    mech.add_body("arm", arm, "mast", supple.Revolute("y"), at=(0, 0, 1))
    mech.add_body(
        "hand", supple.RigidBody(1.0, (0, 0.1, 0), (0.01, 0.01, 0.01)), "arm", supple.Universal("x", "y"), at=place
    )
    mech.add_body("lamp", supple.RigidBody(0.5, (0, 0, 0.1), (0.01, 0.01, 0.01)), "mast", supple.Prismatic("x"))
    return mech.build(), ["arm/2" if flexible else "hand", "lamp"]


@pytest.mark.parametrize("flexible", [False, True])
def test_few_frames_are_a_program_of_blocks(flexible: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """It agrees with dense algebra, and with the sweep to rounding; one state and many, speeds held or not."""
    model, names = few_frames(flexible)
    q = np.array([model.random_state(s)[0] for s in range(20)])
    held = ["lamp.position"]
    assert near(model.inverse_operational_inertia(q[0], names, "frame"), dense(model, q[0], names, []))
    found = [model.inverse_operational_inertia(x, names, axes) for axes in ("frame", "ground") for x in (q, q[3])]
    found.append(model.inverse_operational_inertia(q, names, prescribed=held))
    assert model._along(names).one_state(q[0], "frame") is not None
    monkeypatch.setattr("supple.model.frame_compliance.compliances_quickly_made", lambda *_: False)
    other, _ = few_frames(flexible)
    swept = [other.inverse_operational_inertia(x, names, axes) for axes in ("frame", "ground") for x in (q, q[3])]
    swept.append(other.inverse_operational_inertia(q, names, prescribed=held))
    assert other._along(names).one_state(q[0], "frame") is None
    assert all(near(x, y, 1e-13) for x, y in zip(found, swept, strict=True))


def test_what_one_call_cannot_do_goes_the_long_way() -> None:
    model, names = few_frames(False)
    q = model.random_state(1)[0]
    expected = model.inverse_operational_inertia(q, names)
    assert near(model.inverse_operational_inertia(list(q), tuple(names)), expected, 1e-13)
    assert near(model.inverse_operational_inertia(q[None], names)[0], expected, 1e-13)
    with pytest.raises(supple.StateError, match="'small'"):
        model.inverse_operational_inertia(np.full(model.nq, np.nan), names)
    with pytest.raises(supple.StateError, match="'ground' or 'frame'"):
        model.inverse_operational_inertia(q, names, "body")


FLEXIBLE = [
    (5, 2, False, "ruthless"),
    (6, 6, False, "full"),
    (7, 6, True, "full"),
    (7, 6, True, "ruthless"),
    (8, 11, True, None),
]


@pytest.mark.parametrize(
    ("seed", "bodies", "beams", "fidelity"),
    thinned(FLEXIBLE, [x for x in FLEXIBLE if x[1] < 11 and x[3] != "ruthless"] + FLEXIBLE[:1], several=True),
)
def test_flexible_trees(seed: int, bodies: int, beams: bool, fidelity: str | None) -> None:
    model, _ = random_flexible_tree(seed, bodies, 5, fidelity, beams=beams)
    q = model.random_state(seed)[0]
    names = [*some_frames(model, seed, 7), model.bodies[-1]]
    assert model.is_mode.any()
    held = [name for i, name in enumerate(model.speeds) if i % 5 == 1 and not model.is_mode[i]]
    for prescribed in ([], held):
        found = model.inverse_operational_inertia(q, names, axes="frame", prescribed=prescribed)
        expected = dense(model, q, names, prescribed)
        assert near(found, expected, rounding(model, q))
        assert np.array_equal(found, found.T)


def test_children_and_frames_on_one_flexible_body() -> None:
    """All kinds of pairs of entries: two ports, port and node, two nodes, one node twice, the body's own frame."""
    rng = np.random.default_rng(9)
    body, _ = random_flexible(rng, 6)
    mech = supple.Mechanism("star")
    mech.add_body("hub", body, joint=supple.Spherical())
    mech.add_frame("camera", "hub/a", (0.1, 0.2, 0.3))
    for name, at in (("left", "a"), ("right", "b")):
        mech.add_body(name, supple.RigidBody(1.0, (0.1, 0, 0), (0.1, 0.2, 0.3)), "hub", supple.Revolute("y"), at)
    model = mech.build()
    q = model.random_state(9)[0]
    names = ["left", "right", "hub", "hub/a", "hub/b", "hub/a", "hub/camera", "hub/root", "ground"]
    found = model.inverse_operational_inertia(q, names, axes="frame")
    assert near(found, dense(model, q, names, []))
    assert not found[-6:].any()
    assert np.abs(found[:6, 6:12]).max() > 0


def test_inertia_is_the_inverse() -> None:
    model, _ = random_flexible_tree(10, 4, 3, free_base=True)
    q = model.random_state(10)[0]
    names = [model.bodies[0]]
    inverse = model.inverse_operational_inertia(q, names)
    assert np.allclose(model.operational_inertia(q, names) @ inverse, np.eye(6), atol=1e-9)
    pendulum = supple.files.read(EXAMPLES / "pendulum.toml").model
    with pytest.raises(supple.SingularError, match="all directions"):
        pendulum.operational_inertia(pendulum.neutral(), [pendulum.bodies[0]])


CLOSED = ["four_bar", "stewart_platform", "flexible_five_bar", "flexible_slider_crank"]


@pytest.mark.parametrize("name", thinned(CLOSED, CLOSED[1::2]))
def test_closed_loops(name: str) -> None:
    """Against the motions that the loops allow, Z (Z* M Z)^-1 Z*."""
    model = supple.files.read(EXAMPLES / f"{name}.toml").model
    assert model.loops is not None
    q = model.loops.assemble()
    names = [model.bodies[-1], model.bodies[0]]
    J, Z = force_maps(model, q, names), model.loops.redundancy(model.loops.jacobian(q)).motions
    M = Z.T @ model.mass_matrix(q) @ Z
    expected = J @ Z @ np.linalg.solve(M, Z.T @ J.T)
    assert near(model.inverse_operational_inertia(q, names, axes="frame"), expected, 1e-9)  # times the condition
    turn = np.kron(np.eye(2), model.pose(q, names[0])[0])
    in_ground = model.inverse_operational_inertia(q, names[:1])
    assert near(in_ground, turn @ expected[:6, :6] @ turn.T, 1e-9)


def test_batches_threads_of_calls_and_wrong_arguments() -> None:
    model = random_tree(11, 5)
    q = np.array([model.random_state(s)[0] for s in range(6)]).reshape(2, 3, -1)
    names = [model.bodies[-1], "ground", model.bodies[0]]
    found = model.inverse_operational_inertia(q, names)
    assert found.shape == (2, 3, 18, 18)
    assert np.array_equal(found[1, 2], model.inverse_operational_inertia(q[1, 2], names))
    assert model.inverse_operational_inertia(q[0, 0], []).shape == (0, 0)
    for arguments, message in (
        ((names, "inertial"), "'ground' or 'frame'"),
        (("ground",), "sequence of names"),
        ((["nothing"],), "no frame"),
        ((names, "ground", ["nothing"]), "speed"),
    ):
        with pytest.raises(supple.StateError, match=message):
            model.inverse_operational_inertia(q, *arguments)
    with pytest.raises(supple.StateError, match="real"):
        model.inverse_operational_inertia(q[0, 0] + 0j, names)


def test_modes_cannot_be_prescribed_and_massless_joints_are_named() -> None:
    model, _ = random_flexible_tree(12, 3, 3)
    mode = next(name for i, name in enumerate(model.speeds) if model.is_mode[i])
    with pytest.raises(supple.StateError, match="modes among them"):
        model.inverse_operational_inertia(model.neutral(), ["ground"], prescribed=[mode])
    mech = supple.Mechanism("massless")
    mech.add_body("a", supple.RigidBody(1.0, inertia=(1, 1, 1)), joint=supple.Revolute("y"))
    mech.add_body("b", supple.RigidBody(0.0), "a", joint=supple.Revolute("y"))
    with pytest.raises(supple.SingularError, match="'b'"):
        mech.build().inverse_operational_inertia([0.0, 0.0], ["b"])


def test_long_chain_equals_the_answer_to_single_forces() -> None:
    """10,000 bodies, where no dense matrix fits: columns against forward dynamics with a force."""
    mech = supple.Mechanism("chain", gravity=(0, 0, 0))
    link, parent = supple.RigidBody(1.0, (0.0, 0.0, 0.05), (0.01, 0.01, 0.002)), "ground"
    for k in range(10_000):
        mech.add_body(f"b{k}", link, parent, supple.Revolute("xyz"[k % 3]), at=(0, 0, 0.1) if k else None)
        parent = f"b{k}"
    model = mech.build()
    q, still = np.random.default_rng(0).uniform(-0.3, 0.3, model.nq), np.zeros(model.nv)
    names = ["b9999", "b5000", "b0"]
    found = model.inverse_operational_inertia(q, names, axes="frame")
    push = np.array([0.3, 0.0, 0.0, 0.0, 1.0, 0.0])
    a = model.forward_dynamics(q, still, still, external={"b5000": push})
    moved = np.concatenate([model.acceleration(q, still, a, name, axes="frame") for name in names])
    # Both go through 10,000 articulated inertias, whose rounding adds up.
    assert np.abs(found[:, 6:12] @ push - moved).max() < 1e-8 * np.abs(moved).max()
