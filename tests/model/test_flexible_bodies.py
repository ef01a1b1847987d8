"""Flexible bodies in a mechanism: names, frames, nodes, loads, and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import supple
from supple import structures

STEEL = structures.Material(E=2.1e11, nu=0.3, rho=7850.0)


@pytest.fixture(scope="module")
def boom() -> structures.FlexibleBody:
    return structures.beam(2.0, structures.Circle(0.01), STEEL, 8).reduce("cantilever", modes=4, damping=0.01)


@pytest.fixture(scope="module")
def block() -> structures.FlexibleBody:
    return structures.box(0.5, 0.02, 0.02, STEEL, elements=(6, 1, 1)).reduce("cantilever", modes=3)


def test_names_and_units(boom: structures.FlexibleBody) -> None:
    mech = supple.Mechanism("m")
    mech.add_body("boom", boom)
    model = mech.build()
    assert model.coordinates == ("boom.angle", "boom.mode1", "boom.mode2", "boom.mode3", "boom.mode4")
    assert model.speeds == model.coordinates
    assert model.coordinate_units[1] == "kg^0.5 m"
    assert {"boom", "boom/start", "boom/end"} < set(model.frames)
    assert model.mass == pytest.approx(np.pi * 1e-4 * 2.0 * 7850.0)


def test_poses_of_nodes_bend(boom: structures.FlexibleBody) -> None:
    mech = supple.Mechanism("m")
    mech.add_body("boom", boom, joint=supple.Fixed())
    model = mech.build()
    q = np.array([0.01, 0.0, 0.0, 0.0])
    end, node = model.pose(q, "boom/end"), model.pose(q, "boom/8")
    assert np.allclose(end[1], node[1])
    assert np.allclose(end[0], node[0])
    assert boom.second_order is not None
    follows = [0.5 * boom.second_order.quadratic.matrix(k)[0, 0] * 0.01**2 for k in range(boom.second_order.count)]
    moved = boom.frames["end"].shape[3:, 0] * 0.01 + boom.frames["end"].second[3:] @ follows
    assert np.allclose(end[1] - [2.0, 0, 0], moved, rtol=0, atol=1e-15)
    assert -1e-3 < moved[0] < -1e-6
    assert np.abs(end[1][1:]).max() > 1e-3
    assert np.allclose(model.pose(q, "boom")[1], 0.0)


def test_a_tip_load_bends_as_the_books_say(boom: structures.FlexibleBody) -> None:
    """F L^3 / (3 E I), with the forces of inverse dynamics zero at the deflection that the modes reach."""
    mech = supple.Mechanism("m", gravity=(0, 0, 0))
    mech.add_body("boom", boom, joint=supple.Fixed())
    model = mech.build()
    load = {"boom/end": [0, 0, 0, 0, 0, 1.0]}
    stiffness = model.tree.stiffness
    q = -model.bias_forces(np.zeros(4), np.zeros(4), load) / stiffness
    deflection = model.pose(q, "boom/end")[1][2]
    exact = 2.0**3 / (3 * 2.1e11 * np.pi / 4 * 1e-8)
    assert deflection == pytest.approx(exact, rel=0.03)
    assert np.abs(model.bias_forces(q, np.zeros(4), load)).max() < 0.01  # the load has turned with the tip


def test_joints_at_positions_and_nodes(boom: structures.FlexibleBody) -> None:
    load = supple.RigidBody(1.0)
    poses = []
    for at in ("end", "8", (2.0, 0.0, 0.0), "boom/end"):
        mech = supple.Mechanism("m")
        mech.add_body("boom", boom)
        mech.add_body("load", load, "boom", supple.Spherical(), at=at)
        model = mech.build()
        q = model.neutral() + np.where([n.startswith("boom.mode") for n in model.coordinates], 0.01, 0.0)
        poses.append(model.pose(q, "load")[1])
    assert np.allclose(poses, poses[0])


def test_frames_joined_to_a_node(boom: structures.FlexibleBody) -> None:
    mech = supple.Mechanism("m")
    mech.add_body("boom", boom)
    mech.add_frame("camera", "boom/end", (0.0, 0.0, 0.1))
    model = mech.build()
    q = np.array([0.2, 0.02, 0.01, 0.0, 0.0])
    R, p = model.pose(q, "boom/end")
    assert np.allclose(model.pose(q, "boom/camera")[1], p + R @ [0, 0, 0.1])


def test_equal_bodies_share_their_numbers(boom: structures.FlexibleBody) -> None:
    mech = supple.Mechanism("m")
    mech.add_body("b0", boom)
    for i in range(1, 50):
        mech.add_body(f"b{i}", boom, f"b{i - 1}", at="end")
    flex = mech.build().flex
    assert flex is not None
    assert boom.second_order is not None
    assert len(flex.mode_second) == 4 + boom.second_order.count
    assert len(flex.attachment_shape) == 4 + boom.second_order.count


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"at": "tip"}, "no frame 'tip'"),
        ({"at": "99"}, "no frame '99'"),
        ({"at": (1.9, 0.0, 0.0)}, "nearest is 'end'"),
        ({"fidelity": "fast"}, "fidelity: expected one of full, estimated-inertia, ruthless"),
        ({"stiffening": "yes"}, "stiffening: expected True or False, got 'yes'"),
    ],
)
def test_what_is_refused(boom: structures.FlexibleBody, options: dict[str, object], message: str) -> None:
    mech = supple.Mechanism("m")
    mech.add_body("boom", boom)
    with pytest.raises(supple.ModelError, match=message):
        mech.add_body("load", supple.RigidBody(1.0), "boom", **options)  # type: ignore[arg-type]


def test_nodes_without_rotations_carry_no_joint_and_no_moment(block: structures.FlexibleBody) -> None:
    node = next(i for i in range(len(block.nodes)) if not block.turning[i])
    mech = supple.Mechanism("m")
    mech.add_body("block", block)
    with pytest.raises(supple.ModelError, match="no rotations"):
        mech.add_body("load", supple.RigidBody(1.0), "block", at=str(node))
    with pytest.raises(supple.ModelError, match="no rotations"):
        mech.add_wrench("twist", f"block/{node}", moment=(1, 0, 0))
    mech.add_wrench("push", f"block/{node}", force=(0, 0, 1))
    model = mech.build()
    still = np.zeros(model.nv)
    external = model.bias_forces(still, still, {f"block/{node}": [0, 0, 0, 0, 0, 1.0]})
    assert np.allclose(external - model.bias_forces(still, still), -model.jacobian(still, f"block/{node}").T[:, 5])
    with pytest.raises(supple.StateError, match="takes no moment"):
        model.bias_forces(still, still, {f"block/{node}": [1.0, 0, 0, 0, 0, 0]})


@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize("directions", ["z", "yz", "xyz"])
def test_nodes_without_rotations_are_held_and_driven_in_chosen_directions(
    block: structures.FlexibleBody, first: bool, directions: str
) -> None:
    """Of the body if the node is first, of the table if it is second; the force goes through the node."""
    node = max((i for i in range(len(block.nodes)) if not block.turning[i]), key=lambda i: block.nodes[i] @ (1, 2, 4))
    mech = supple.Mechanism("m")
    mech.add_body("block", block, joint=supple.Spherical())
    mech.add_body("table", supple.RigidBody(1.0, inertia=(1, 1, 1)), joint=supple.Prismatic((0, 0.6, 0.8)))
    mech.add_frame("top", "table", block.nodes[node])
    ends = (f"block/{node}", "table/top") if first else ("table/top", f"block/{node}")
    constraints: dict[str, Callable[[], None]] = {
        "z": lambda: mech.constrain("held", supple.PointOnPlane(*ends, "z")),
        "yz": lambda: mech.constrain("held", supple.PointOnLine(*ends, "x")),
        "xyz": lambda: mech.close_loop("held", *ends, supple.Spherical()),
    }
    constraints[directions]()
    model = mech.build()
    assert model.loops is not None
    q, v = model.neutral(), np.random.default_rng(1).normal(size=model.nv)
    q[4:-1] = 1e-4 * v[3:-1]
    q = model.loops.assemble(q)
    J = model.loops.jacobian(q)
    assert len(J) == len(directions)
    v = v - np.linalg.pinv(J) @ (J @ v)
    h = 1e-6
    drift = (
        (model.loops.jacobian(model.integrate(q, v, h)) - model.loops.jacobian(model.integrate(q, v, -h))) @ v / (2 * h)
    )
    driven = np.array([name == "table.position" for name in model.speeds])
    (a,), (tau,) = model.hybrid(q[None], v[None], np.where(driven, 3.0, 0.0)[None], driven)
    np.testing.assert_allclose(J @ a, -drift, atol=1e-5 * np.abs(drift).max() + 1e-9)
    forces = model.mass_matrix(q) @ a + model.bias_forces(q, v) - tau
    multipliers = np.linalg.lstsq(J.T, forces, rcond=None)[0]
    np.testing.assert_allclose(J.T @ multipliers, forces, atol=1e-7 * np.abs(forces).max())
    places = [model.pose(q, frame) for frame in ends]
    apart = places[0][0].T @ (places[1][1] - places[0][1])
    np.testing.assert_allclose(apart[["xyz".index(c) for c in directions]], 0.0, atol=1e-9)
    assert a[-1] == 3.0


def test_a_constraint_of_rotations_is_refused_at_a_node_without_any(block: structures.FlexibleBody) -> None:
    node = next(i for i in range(len(block.nodes)) if not block.turning[i])
    mech = supple.Mechanism("m")
    mech.add_body("block", block)
    with pytest.raises(supple.ModelError, match=r"'l': node .* uses its rotation, only one of translations"):
        mech.close_loop("l", "ground", f"block/{node}", supple.Fixed())


def test_a_node_that_is_not_there(boom: structures.FlexibleBody) -> None:
    mech = supple.Mechanism("m")
    mech.add_body("boom", boom)
    model = mech.build()
    with pytest.raises(supple.StateError, match="no frame 'boom/ned'"):
        model.pose(model.neutral(), "boom/ned")


def test_fixed_flexible_bodies_are_not_merged(boom: structures.FlexibleBody) -> None:
    mech = supple.Mechanism("m")
    mech.add_body("bus", supple.RigidBody(5.0, (0, 0, 0), (1, 1, 1)), joint=supple.Free())
    mech.add_body("boom", boom, "bus", supple.Fixed(), at=(0.1, 0, 0))
    mech.add_body("tip", supple.RigidBody(0.5), "boom", supple.Fixed(), at="end")
    model = mech.build(merge_fixed=True)
    assert model.bodies == ("bus", "boom", "tip")


@pytest.mark.parametrize("angle", [0.5, 3.0, 7.0, 12.0, 25.0])
def test_a_node_may_be_twisted_by_turns(angle: float) -> None:
    """Torsion is linear, so no angle is too large for it: poses, Jacobians and rates are those of the rotation.

    Without the shortening by twist.
    """
    shaft = structures.beam(1.0, structures.Circle(0.01), STEEL, 2).reduce("nodal")
    mech = supple.Mechanism("shaft", gravity=(0, 0, 0))
    mech.add_body("shaft", shaft, joint=supple.Fixed(), stiffening=False)
    mech.add_body("disc", supple.RigidBody(1.0, (0, 0.1, 0), (0.1, 0.1, 0.1)), "shaft", supple.Fixed(), at="end")
    model = mech.build()
    q, v = model.neutral(), np.zeros(model.nv)
    q[model.coordinate_index("shaft.2.rx")] = angle
    v[model.speed_index("shaft.2.rx")] = 0.3
    R, p = model.pose(q, "disc")
    c, s = np.cos(angle), np.sin(angle)
    np.testing.assert_allclose(R, [[1, 0, 0], [0, c, -s], [0, s, c]], atol=1e-13)
    np.testing.assert_allclose(p, [1, 0, 0], atol=1e-15)
    expected = [0.3, 0, 0, 0, -0.03 * s, 0.03 * c]
    mech.add_frame("rim", "disc", (0, 0.1, 0))
    np.testing.assert_allclose(mech.build().velocity(q, v, "disc/rim"), expected, atol=1e-13)
    np.testing.assert_allclose(model.pose(q, "shaft/end")[0], R, atol=1e-13)
    kinetic = model.energy(q, v)[0]
    assert kinetic == pytest.approx(model.energy(model.neutral(), v)[0], rel=1e-12)


def carrier_of_two(beam: structures.FlexibleBody | None, boom: structures.FlexibleBody, looped: bool) -> supple.Model:
    """Two bodies on a beam without modes, or on a rigid body that is the same; one of them carries a boom."""
    own = boom.frames["end"].position
    mech = supple.Mechanism("carrier")
    body = beam or supple.RigidBody(boom.mass, boom.com, boom.inertia)
    mech.add_body("beam", body, joint=supple.Revolute("y", damping=0.1))
    if beam is None:
        mech.add_frame("end", "beam", own)
    load = supple.RigidBody(3.0, (0.2, 0.1, 0.0), (0.1, 0.2, 0.3))
    mech.add_body("load", load, "beam", supple.Revolute("z", damping=0.1), at="end")
    mech.add_body("arm", load, "beam", supple.Revolute("x", damping=0.1), at="end", rotation=np.eye(3)[[1, 2, 0]])
    mech.add_spring_damper("spring", "beam/end", "ground", 20.0, 1.0, 0.2)
    mech.add_wrench("wind", "beam/end", (1.0, 2.0, 3.0), (1.0, -1.0, 2.0))
    if looped:
        mech.add_frame("tip", "load", (0.4, 0.0, 0.1))
        mech.add_frame("tip", "arm", (0.2, 0.0, 0.3))
        mech.constrain("rod", supple.Distance("load/tip", "arm/tip", 0.4))
    else:
        mech.add_body("boom", boom, "load", supple.Revolute("y"), at=(0.3, 0.0, 0.0))
    return mech.build()


@pytest.mark.parametrize("looped", [False, True])
def test_a_body_without_modes_is_rigid_in_every_route(boom: structures.FlexibleBody, looped: bool) -> None:
    assert boom.source is not None
    assert isinstance(boom.source.structure, structures.Structure)
    stiff, single = (boom.source.structure.reduce("cantilever", modes=modes) for modes in (0, 1))
    model, rigid = (carrier_of_two(beam, single, looped) for beam in (stiff, None))
    q, v = rigid.random_state(1)
    if rigid.loops is not None:
        q = rigid.loops.assemble(q)
    tau = np.random.default_rng(1).normal(size=model.nv)

    def results(model: supple.Model) -> dict[str, Any]:
        found = {
            "forward dynamics": model.forward_dynamics(q, v, tau),
            "inverse dynamics": model.inverse_dynamics(q, v, tau),
            "linearized": np.hstack(model.linearize(q, v, tau)),
            "compiled": model.compile("forward_dynamics")(q, v, tau),
            "adaptive run": supple.simulate(model, 0.01, q, v).q[-1],
        }
        if model.loops is None:
            run = supple.simulate(model, 0.01, q, v, integrator="generalized_alpha", step=2e-3)
            found["implicit run"] = run.q[-1]
            nodal = model.operators(q).nodal
            found["compliance of frames"] = model.inverse_operational_inertia(q, ["beam/end", "load"])
            found["nodal operators"] = (nodal.factor @ nodal.D_all @ nodal.factor.T).dense()
            found["equations"] = supple.equations(model, route="articulated").compile()(q, v, tau)[-1]
        return found

    expected = results(rigid)
    for name, own in results(model).items():
        size = np.abs(expected[name]).max()
        assert size > 0, name
        np.testing.assert_allclose(own, expected[name], rtol=0, atol=1e-11 * size, err_msg=name)
