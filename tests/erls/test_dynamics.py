"""Equations of motion of equivalent rigid-link systems against other derivations, and their conservation laws."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from supple import Mechanism, Revolute, RigidBody, SingularError
from supple.erls import ErlsModel, build
from supple.structures import box
from support.cases import thinned
from support.generated.generators_flexible import Points
from support.mechanisms.rigid_links import ALUMINIUM, arm, flexible_tree, moved, relative, rigid_tree

Numbers = NDArray[Any]
STEP = 1e-30


# ---------------------------------------------------------------- rigid links


@pytest.mark.parametrize("seed", range(3))
def test_rigid_links_move_as_a_rigid_tree(seed: int) -> None:
    mech = rigid_tree(seed)
    model, links = mech.build(), build(mech)
    assert links.coordinates == model.coordinates
    rng = np.random.default_rng(seed)
    q, v = rng.uniform(-1, 1, (5, model.nv)), rng.normal(size=(5, model.nv))
    tau = rng.normal(size=(5, model.nv))
    a = model.forward_dynamics(q, v, tau)
    assert relative(links.forward_dynamics(q, v, tau), a) < 1e-9
    assert relative(links.mass_matrix(q), model.mass_matrix(q)) < 1e-12
    assert relative(links.inverse_dynamics(q, v, a), tau) < 1e-9
    for own, other in zip(links.energy(q, v), model.energy(q, v), strict=True):
        assert relative(own, other) < 1e-12


def test_flexible_links_without_modes_are_rigid() -> None:
    mech = arm(3)
    rigid = Mechanism("arm", mech.gravity)
    for name, placed in mech.bodies.items():
        body = placed.body
        at = None if placed.node is None else mech.bodies[placed.parent].body.frame(placed.node).position
        rigid.add_body(name, RigidBody(body.mass, body.com, body.inertia), placed.parent, placed.joint, at)
    model, links = rigid.build(), build(mech, modes=0)
    q, v = model.random_state(1)
    assert relative(links.forward_dynamics(q, v, np.ones(3)), model.forward_dynamics(q, v, np.ones(3))) < 1e-9


# ---------------------------------------------------------------- flexible links


def states(model: ErlsModel, seed: int) -> tuple[Numbers, Numbers, Numbers]:
    q, v = model.random_state(seed)
    return q, v, np.random.default_rng(seed).normal(size=model.nv)


def velocity_map(model: ErlsModel, q: Numbers) -> Numbers:
    """N of (69) for the companion: its speeds are N v."""
    return model.display_state(q, np.eye(model.nv))[1].T


def solid_arm() -> Mechanism:
    """Two bricks of solid elements, whose nodes have no rotations, joined at rigid faces."""
    brick = box(0.3, 0.02, 0.03, ALUMINIUM, (4, 1, 1)).reduce("craig-bampton", modes=2, interfaces=["end"])
    mech = Mechanism("bricks")
    mech.add_body("a", brick, joint=Revolute("y"))
    mech.add_body("b", brick, "a", Revolute("z"), "end")
    return mech


MAKERS = {"arm": lambda: arm(3, "free-free", 5), "tree": lambda: flexible_tree(7)[0], "solid": solid_arm}


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_the_equations_are_those_of_the_ordinary_model_projected(make: Any) -> None:
    """N* M N and N* (M dN/dt v + b) of the ordinary recursions, in which rigid modes are shapes like any others."""
    model = build(make())
    q, v, _ = states(model, 3)
    x, s, w = model.display_state(q, v)
    N = velocity_map(model, q)
    joints = [i for i, name in enumerate(model.coordinates) if "mode" not in name]
    B = model.actuation_matrix(q)[joints]
    chain = model.chain
    rate = model.joint_positions(q + 1j * STEP * v).imag / STEP
    drift = model.actuation_matrix(q + 1j * STEP * v)[joints].imag / STEP @ v
    springs = chain.stiffness * (model.joint_positions(q) - chain.rest) + chain.damping * rate + chain.inertia * drift
    M = N.T @ model.display.mass_matrix(x) @ N + B.T @ np.diag(chain.inertia) @ B
    b = N.T @ model.display.inverse_dynamics(x, s, w) + B.T @ springs
    assert relative(model.mass_matrix(q), M) < 1e-12
    elastic = np.zeros(model.nv)
    elastic[[i for i in range(model.nv) if i not in joints]] = np.concatenate([link.squares for link in chain.links])
    assert relative(model.bias_forces(q, v) - elastic * q, b - elastic * q) < 1e-9
    kinetic, potential = model.display.energy(x, s)
    kinetic = kinetic + 0.5 * chain.inertia @ rate**2
    potential = potential + 0.5 * chain.stiffness @ (model.joint_positions(q) - chain.rest) ** 2
    assert model.energy(q, v) == pytest.approx((float(kinetic), float(potential)), rel=1e-9)


def positions(model: ErlsModel, points: dict[str, Points], q: Numbers) -> Numbers:
    """Of all point masses (states, points, 3), from the minimum-norm solution as printed and poses of rigid links."""
    C = model.compatibility(q)
    skeleton, out = model.display, []
    columns: dict[str, slice] = {}
    first = 0
    for link in model.chain.links:
        columns[link.name] = slice(first, first + 6 + link.modes)
        first += 6 + link.modes
    elastic = np.zeros((len(q), first), q.dtype)
    for i, name in enumerate(model.coordinates):
        body, _, what = name.partition(".")
        if what.startswith("mode"):
            elastic[:, columns[body].start + 5 + int(what[4:])] = q[:, i]
    rigid = np.concatenate([np.arange(s.start, s.start + 6) for s in columns.values()])
    U = np.zeros((len(rigid), len(rigid)))
    for i, link in enumerate(model.chain.links):
        U[6 * i : 6 * i + 6, 6 * i : 6 * i + 6] = np.linalg.inv(np.linalg.cholesky(link.inertia)).T
    C_r = C[:, :, rigid] @ U
    turned = np.swapaxes(C_r, 1, 2)
    whole = elastic.copy()
    whole[:, rigid] = -(U @ (turned @ np.linalg.solve(C_r @ turned, C @ elastic[..., None])))[..., 0]
    state = np.zeros((len(q), skeleton.nq), q.dtype)
    for i, name in enumerate(model.coordinates):
        if "mode" not in name:
            body, _, what = name.partition(".")
            state[:, skeleton.coordinate_index(f"{body} (rigid).{what}")] = q[:, i]
    for link in model.chain.links:
        own, x = points[link.name], points[link.name].x
        psi, eta = np.split(whole[:, columns[link.name]], [6], axis=1)
        lean = (psi + eta @ link.participation.T)[:, None]
        bent = np.moveaxis(own.Psi @ link.shapes @ eta.T, -1, 0)
        u = lean[..., 3:] + np.cross(lean[..., :3], x - link.com) + bent
        R, p = skeleton.pose(state, f"{link.name} (rigid)")
        out.append(p[:, None] + (x + u) @ np.swapaxes(R, 1, 2))
    return np.concatenate(out, axis=1)


def test_the_equations_are_those_of_point_masses() -> None:
    """Virtual work of every point mass, its place differentiated along the coordinates and twice along the motion."""
    mech, points = flexible_tree(11)
    model = build(mech)
    q, v, a = states(model, 4)
    m = np.concatenate([p.mass for p in points.values()])
    J = np.moveaxis(positions(model, points, q + 1j * STEP * np.eye(model.nv)).imag / STEP, 0, -1)
    t = 0.1 * np.exp(2j * np.pi * np.arange(32) / 32)
    path = positions(model, points, q + t[:, None] * v + 0.5 * t[:, None] ** 2 * a)
    acceleration = 2.0 * np.mean(path / t[:, None, None] ** 2, axis=0).real
    force = np.einsum("p,pir,pi->r", m, J, acceleration - mech.gravity)
    chain = model.chain
    along = model.joint_positions(q + t[:, None] * v + 0.5 * t[:, None] ** 2 * a)
    spun = 2.0 * np.mean(along / t[:, None] ** 2, axis=0).real
    B = model.joint_positions(q + 1j * STEP * np.eye(model.nv)).imag / STEP
    force += B @ (chain.inertia * spun + chain.stiffness * (model.joint_positions(q) - chain.rest))
    squares = {f"{k.name}.mode{i + 1}": w for k in chain.links for i, w in enumerate(k.squares)}
    force += np.array([squares.get(name, 0.0) for name in model.coordinates]) * q
    M = np.einsum("p,pir,pis->rs", m, J, J) + B @ (chain.inertia[:, None] * B.T)
    assert relative(model.mass_matrix(q), M) < 1e-11
    assert relative(M @ a + model.bias_forces(q, v), force) < 1e-9


GRAVITIES = [(0.0, 0.0, 0.0), (1.0, 0.0, -9.81)]


@pytest.mark.parametrize("gravity", thinned(GRAVITIES, GRAVITIES[1:]), ids=["free", "heavy"])
def test_energy_is_kept(gravity: tuple[float, float, float]) -> None:
    """Of a spatial arm of two links; 1e-10 is the tolerance of the integration."""
    model = build(arm(2, "free-free", 4, gravity))
    q, v = model.neutral(), np.zeros(model.nv)
    q[model.coordinates.index("l1.angle")] = 0.6
    v[model.coordinates.index("l0.angle")] = 3.0
    v[model.coordinates.index("l1.angle")] = -2.0
    Q, V = moved(model, 0.3, q, v, samples=20)
    kinetic, potential = model.energy(Q, V)
    assert np.ptp(kinetic) > 5e-4 * kinetic.max()
    assert np.ptp(kinetic + potential) < 1e-9 * kinetic.max()


def test_angular_momentum_about_a_free_axis_is_kept() -> None:
    """Nothing turns the arm about the vertical axis of its first joint."""
    model = build(arm(3, "free-free", 3))
    q, v = model.neutral(), np.zeros(model.nv)
    v[model.coordinates.index("l0.angle")] = 3.0
    q[model.coordinates.index("l1.angle")] = 0.4
    Q, V = moved(model, 0.2, q, v, samples=10)
    x, s, _ = model.display_state(Q, V)
    H = model.display.momentum(x, s)
    assert np.ptp(H[:, 0]) > 1e-3
    assert np.ptp(H[:, 2]) < 1e-8 * np.abs(H[:, 2]).max()


def test_a_joint_torque_works_on_the_whole_motion_of_the_joint() -> None:
    """Power of tau is the rate of energy, with the slip of the joints; a mode's force works on the mode."""
    model = build(arm(2, "free-free", 4))
    q, v, tau = states(model, 8)
    a = model.forward_dynamics(q, v, tau)
    E = model.energy(q + 1j * STEP * v, v + 1j * STEP * a)
    joints = model.joint_positions(q + 1j * STEP * v).imag / STEP
    rates = v.copy()
    rates[[0, 5]] = joints
    assert np.abs(joints - v[[0, 5]]).max() > 1e-3 * np.abs(v).max()
    assert (E[0] + E[1]).imag / STEP == pytest.approx(float(tau @ rates), rel=1e-9)
    strain = max(float(np.max(link.squares)) for link in model.chain.links) * np.abs(q[1:5]).max()
    assert np.abs(model.inverse_dynamics(q, v, a) - tau).max() < 1e-11 * strain  # the largest forces that cancel


def test_loads_at_nodes_do_the_work_of_their_points() -> None:
    """A force and a moment at a node of a deformed link, in the axes of the link."""
    model = build(arm(2, "free-free", 4))
    q, v, _ = states(model, 9)
    wrench = np.array([0.1, -0.2, 0.3, 1.0, 2.0, -3.0])
    change = model.bias_forces(q, v) - model.bias_forces(q, v, external={"l1/2": wrench})
    R = model.display.pose(model.display_state(q, v)[0], "l1 (rigid)")[0]
    turned = q + 1j * STEP * np.eye(model.nv)
    moves = model.pose(turned, "l1/2")[1].imag / STEP
    force_only = model.bias_forces(q, v) - model.bias_forces(q, v, external={"l1/2": np.r_[0.0, 0.0, 0.0, wrench[3:]]})
    assert relative(moves @ (R @ wrench[3:]), force_only) < 1e-10
    link_turns = model.display.velocity(*model.display_state(q, np.eye(model.nv))[:2], "l1 (rigid)")[:, :3] @ R
    node = (
        model.display_state(q, np.eye(model.nv))[1][:, -10:]
        @ np.asarray(
            model.display.description.bodies["l1"].body.frame("2").shape[:3]  # type: ignore[union-attr]
        ).T
    )
    assert relative((link_turns + node) @ wrench[:3], change - force_only) < 1e-10


def test_batches_give_what_single_states_give() -> None:
    model = build(arm(2, "free-free", 3))
    q, v = (np.array(x) for x in zip(*(model.random_state(i) for i in range(6)), strict=True))
    shaped = q.reshape(2, 3, -1), v.reshape(2, 3, -1)
    tau = np.linspace(0, 1, model.nv)
    a = model.forward_dynamics(*shaped, tau)
    assert a.shape == (2, 3, model.nv)
    singles = [model.forward_dynamics(x, y, tau) for x, y in zip(q, v, strict=True)]
    assert relative(a.reshape(6, -1), singles) < 1e-12
    wrenches = np.random.default_rng(1).normal(size=(2, 3, 6))
    loaded = model.forward_dynamics(*shaped, tau, external={"l1/end": wrenches})
    alone = model.forward_dynamics(q[4], v[4], tau, external={"l1/end": wrenches[1, 1]})
    assert relative(loaded[1, 1], alone) < 1e-12
    assert model.mass_matrix(shaped[0]).shape == (2, 3, model.nv, model.nv)
    assert model.whole(shaped[0]).shape == (2, 3, 2 * 6 + 6)
    assert model.pose(shaped[0], "l1/end")[1].shape == (2, 3, 3)


def test_rotors_alone_move_links_without_inertia() -> None:
    """A joint's inertia is enough for rigid links; without any, the joint is named."""
    mech = Mechanism("rotor", gravity=(0, 0, 0))
    mech.add_body("arm", RigidBody(0.0), joint=Revolute("y", inertia=0.5))
    assert build(mech).forward_dynamics([0.0], [0.0], [1.0])[0] == pytest.approx(2.0)
    mech = Mechanism("light", gravity=(0, 0, 0))
    mech.add_body("arm", RigidBody(0.0))
    with pytest.raises(SingularError, match=r"model 'light': .*arm.angle = 0.*'arm.angle'"):
        build(mech).forward_dynamics([0.0], [0.0], [1.0])
