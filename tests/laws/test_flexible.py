"""Laws of flexible trees: every route gives the same, and that is what the points of the bodies do."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import supple
from supple import structures
from support.cases import thinned
from support.generated.generators import KINDS
from support.generated.generators_flexible import Points, random_flexible_tree

Numbers = NDArray[Any]
degenerate_tree = partial(random_flexible_tree, degenerate=True)
"""Trees in which bodies without modes, with one mode, and with modes in one plane carry others."""
ROUTES = ("composite", "triangular", "conjugate_gradient")


def relative(a: Any, b: Any) -> float:
    size = float(np.abs(b).max())
    assert size > 0
    return float(np.abs(a - b).max()) / size


# Trees made of points, and trees of beams in every basis; fidelities mixed within each. Those with many modes go by
# sweeps, the others by blocks.
TREES: list[tuple[int, dict[str, Any]]] = [
    (1, {"bodies": 1, "modes": 20}),
    (2, {"bodies": 4, "modes": 20}),
    (3, {"bodies": KINDS, "modes": 4, "forces": True}),
    (5, {"bodies": 7, "modes": 7, "beams": True, "forces": True}),
    (6, {"bodies": 5, "modes": 8, "beams": True, "free_base": True}),
    (7, {"bodies": 6, "modes": 6, "fidelity": "ruthless", "forces": True}),
    (8, {"bodies": 6, "modes": 4, "fidelity": "full", "forces": True}),
    (10, {"bodies": 5, "modes": 5, "second_order": True, "forces": True}),
    (11, {"bodies": 6, "modes": 5, "beams": True, "fidelity": "full", "second_order": True, "free_base": True}),
]


FEW = [tree for tree in TREES if tree[0] in (2, 3, 5, 7, 10)]
"""Those that always run: by sweeps, with every joint, of beams, ruthless, of second order."""


def test_trees_have_bodies_of_no_mode_of_one_and_of_one_plane() -> None:
    """Each kind carries another body in some tree, so that every law meets it: they are easily taken for rigid ones."""
    found = set()
    for seed, options in FEW:
        model, _ = degenerate_tree(seed, **options)
        for placed in model.description.bodies.values():
            carrier = None if placed.parent == "ground" else model.description.bodies[placed.parent].body
            if isinstance(carrier, structures.FlexibleBody) and placed.node != carrier.root:
                moving = np.abs(carrier.frames[str(placed.node)].shape).max(axis=1, initial=0.0) > 0
                found.add("no mode" if carrier.modes == 0 else "one mode" if carrier.modes == 1 else "more")
                found |= {"one plane"} if carrier.modes > 1 and tuple(moving[:3]) == (False, False, True) else set()
    assert found == {"no mode", "one mode", "more", "one plane"}


@pytest.fixture(scope="module", params=thinned(TREES, FEW), ids=lambda p: str(p[0]))
def case(request: pytest.FixtureRequest) -> tuple[supple.Model, Numbers, Numbers, Numbers, dict[str, Numbers]]:
    seed, options = request.param
    model, _ = degenerate_tree(seed, **options)
    q, v = model.random_state(seed)
    rng = np.random.default_rng(seed)
    loads = {model.frames[-1]: rng.normal(size=6), model.bodies[0]: rng.normal(size=6)}
    return model, q, v, rng.normal(size=model.nv), loads


@pytest.mark.parametrize("modes", [1, 2])
@pytest.mark.parametrize("sides", [(0.008, 0.06), (0.06, 0.008)], ids=["about z", "about y"])
def test_a_strip_that_bends_in_one_plane_carries_a_body_out_of_it(sides: tuple[float, float], modes: int) -> None:
    """Its end turns about one axis, as a joint does; but rates of its rotation vector give no rotation of axes."""
    aluminium = structures.Material(E=70e9, nu=0.33, rho=2700.0)
    strip = structures.beam(1.0, structures.Rectangle(*sides), aluminium, 4).reduce("cantilever", modes=modes)
    turned = np.flatnonzero(np.abs(strip.frames["end"].shape[:3]).max(axis=1) > 1e-9)
    assert len(turned) == 1  # one plane alone
    mech = supple.Mechanism("strip")
    mech.add_body("strip", strip, joint=supple.Spherical())
    mech.add_body(
        "load", supple.RigidBody(1.0, (0.3, 0.1, 0.2), (0.01, 0.1, 0.1)), "strip", supple.Revolute("x"), "end"
    )
    model = mech.build()
    q, v = model.random_state(1)
    q[4 : 4 + modes] = 0.3 / np.abs(strip.frames["end"].shape[turned[0]])
    tau = np.random.default_rng(1).normal(size=model.nv)
    expected = np.linalg.solve(model.mass_matrix(q), tau - model.bias_forces(q, v))
    for f in (model.forward_dynamics, model.compile("forward_dynamics")):
        assert relative(f(q, v, tau), expected) < 1e-12


def test_all_routes_of_forward_dynamics_agree(case: Any) -> None:
    model, q, v, tau, loads = case
    a = model.forward_dynamics(q, v, tau, external=loads)
    condition = np.linalg.cond(model.mass_matrix(q))
    for method in ROUTES:
        assert relative(model.forward_dynamics(q, v, tau, method, loads), a) < 1e-9 + 1e-15 * condition


def test_inverse_of_forward(case: Any) -> None:
    model, q, v, tau, loads = case
    a = model.forward_dynamics(q, v, tau, external=loads)
    forces = model.bias_forces(q, v, loads)
    size = max(1.0, np.abs(forces).max(), np.abs(model.mass_matrix(q) @ a).max())
    assert np.abs(model.inverse_dynamics(q, v, a, loads) - tau).max() < 1e-9 * size


def test_mass_matrix_and_its_inverse(case: Any) -> None:
    model, q, *_ = case
    M, W = model.mass_matrix(q), model.inverse_mass_matrix(q)
    assert np.abs(M - M.T).max() < 1e-12 * np.abs(M).max()
    assert np.linalg.eigvalsh(M).min() > 0
    scale = np.sqrt(np.diag(M))  # nodal coordinates have units and masses of many sizes
    scaled = M / np.outer(scale, scale)
    error = np.abs((W * np.outer(scale, scale)) @ scaled - np.eye(model.nv)).max()
    assert error < 1e-9 + 1e-14 * np.linalg.cond(scaled)


def test_operators_factor_the_mass_matrix(case: Any) -> None:
    model, q, *_ = case
    o = model.operators(q)
    assert relative(o.mass_matrix.dense(), model.mass_matrix(q)) < 1e-12
    assert relative(o.inverse_mass_matrix.dense(), model.inverse_mass_matrix(q)) < 1e-8


def test_batches_equal_single_calls(case: Any) -> None:
    model, q, v, tau, _ = case
    q2, v2 = model.random_state(99)
    both = model.forward_dynamics(np.array([q, q2]), np.array([v, v2]), tau)
    assert np.array_equal(both[0], model.forward_dynamics(q, v, tau))
    assert np.array_equal(both[1], model.forward_dynamics(q2, v2, tau))


def test_under_actuated_inverse_dynamics(case: Any) -> None:
    """Joint accelerations given, no force on the modes: torques and modal accelerations are found (section 4)."""
    model, q, v, _, _ = case
    wanted = np.random.default_rng(5).normal(size=model.nv)
    joints = {name: wanted[i] for i, name in enumerate(model.speeds) if not model.is_mode[i]}
    a, tau = model.hybrid_dynamics(q, v, np.zeros(model.nv), joints)
    for name, value in joints.items():
        assert a[model.speed_index(name)] == value
    assert np.all(tau[model.is_mode] == 0.0)
    forces = model.inverse_dynamics(q, v, a)
    assert np.abs(forces - tau).max() < 1e-9 * (np.abs(model.mass_matrix(q)) @ np.abs(a)).max()
    assert np.abs(a[model.is_mode]).max() > 0
    modes = {name: 1.0 + i for i, name in enumerate(model.speeds) if model.is_mode[i]}
    some = dict(list(joints.items())[:2] + list(modes.items())[:2])
    a, tau = model.hybrid_dynamics(q, v, np.zeros(model.nv), some)
    assert [a[model.speed_index(name)] for name in some] == list(some.values())
    assert np.count_nonzero(tau) == len(some)
    forces = model.inverse_dynamics(q, v, a)
    assert np.abs(forces - tau).max() < 1e-8 * (np.abs(model.mass_matrix(q)) @ np.abs(a)).max()


@pytest.mark.parametrize("seed", thinned([3, 8], [3]))
def test_loads_act_by_the_transposed_jacobian(seed: int) -> None:
    model, _ = degenerate_tree(seed, 6, 6, fidelity="full")
    q, v = model.random_state(seed)
    for frame in model.frames[1:]:
        w = np.random.default_rng(1).normal(size=6)
        change = model.bias_forces(q, v) - model.bias_forces(q, v, {frame: w})
        assert relative(change, model.jacobian(q, frame, axes="frame").T @ w) < 1e-9


@pytest.mark.parametrize("seed", thinned([2, 3, 6], [3]))
def test_velocity_and_acceleration_are_rates_of_the_pose(seed: int) -> None:
    """Of every frame, nodes that carry nothing among them; exact orientations, so no term is missing."""
    model, _ = degenerate_tree(seed, 6, 6, fidelity="full", beams=seed == 6)
    q, v = model.random_state(seed)
    a, h = np.random.default_rng(2).normal(size=model.nv), 1e-30
    for frame in model.frames[1:]:
        R, p = model.pose(q + 1j * h * model.derivative(q, v), frame)
        spin = (R.imag / h) @ R.real.T
        velocity = model.velocity(q, v, frame)
        assert np.allclose(velocity[3:], p.imag / h, atol=1e-11)
        assert np.allclose(velocity[:3], [spin[2, 1], spin[0, 2], spin[1, 0]], atol=1e-11)
        assert np.allclose(model.jacobian(q, frame) @ v, velocity, atol=1e-11)
        rate = model.velocity(q + 1j * h * model.derivative(q, v), v + 1j * h * a, frame).imag / h
        assert np.allclose(model.acceleration(q, v, a, frame), rate, atol=1e-10)


# ---------------------------------------------------------------- point by point


def positions(model: supple.Model, points: dict[str, Points], q: Numbers) -> Numbers:
    """Of all points in the ground frame (..., p, 3)."""
    R, p = model.poses(q)
    out = []
    for k, name in enumerate(model.bodies, start=1):
        own = points[name]
        first = 0 if model.flex is None else model.flex.q_mode[k]
        eta = q[..., first : first + own.Psi.shape[2]]
        x = own.moved(eta)
        out.append(p[..., k, None, :] + np.einsum("...ij,...pj->...pi", R[..., k, :, :], x))
    return np.concatenate(out, axis=-2)


def point_jacobian(model: supple.Model, points: dict[str, Points], q: Numbers) -> Numbers:
    """(p, 3, nv), by complex steps."""
    h = 1e-30
    return np.moveaxis(positions(model, points, q + 1j * h * model.tangent(q).T).imag / h, 0, -1)


@pytest.mark.parametrize(
    ("seed", "second_order"),
    thinned([(20, False), (21, True), (22, False), (23, True)], [(21, True)], several=True),
)
def test_the_dynamics_is_that_of_the_points(seed: int, second_order: bool) -> None:
    """Newton's law for each point mass and virtual work: nothing of the recursions but where the bodies are."""
    model, points = degenerate_tree(seed, KINDS, 3, fidelity="full", second_order=second_order)
    flex = model.flex
    assert flex is not None
    q, v = model.random_state(seed)
    a = np.random.default_rng(seed).normal(size=model.nv)
    mass = np.concatenate([points[name].mass for name in model.bodies])
    J = point_jacobian(model, points, q)

    def slope(e: float) -> Numbers:
        ahead, behind = (point_jacobian(model, points, model.integrate(q, v, t)) @ v for t in (e, -e))
        return (ahead - behind) / (2 * e)

    e = 1e-3
    bias = (64 * slope(e / 4) - 20 * slope(e / 2) + slope(e)) / 45  # dJ/dt v to order e^6
    rotor = np.where(model.is_mode, 0.0, model.tree.joint_inertia)
    tau = np.einsum("p,pik,pi->k", mass, J, J @ a + bias - model.tree.gravity) + rotor * a
    for i in range(model.nv):
        j = model.tree.q_of_speed[i]
        tau[i] += model.tree.damping[i] * v[i]
        if j >= 0:
            tau[i] += model.tree.stiffness[i] * (q[j] - model.tree.rest[i])
    for k, placed in enumerate(model.description.bodies.values(), start=1):
        if flex.modes[k]:
            body, i, j = placed.body, flex.v_mode[k], flex.q_mode[k]
            K, C = (A.toarray() - np.diag(A.diagonal()) for A in (body.stiffness, body.damping))  # type: ignore[union-attr]
            tau[i : i + len(K)] += K @ q[j : j + len(K)] + C @ v[i : i + len(K)]
    assert relative(model.inverse_dynamics(q, v, a), tau) < 1e-11
    M = np.einsum("p,pik,pil->kl", mass, J, J) + np.diag(rotor)
    assert relative(model.mass_matrix(q), M) < 1e-13
    kinetic = 0.5 * v @ M @ v
    assert model.energy(q, v)[0] == pytest.approx(kinetic, rel=1e-12)
    x = positions(model, points, q)
    assert np.allclose(model.center_of_mass(q), mass @ x / mass.sum(), atol=1e-14)
    momentum = np.einsum("p,pi->i", mass, J @ v)
    angular = np.einsum("p,pi->i", mass, np.cross(x, J @ v))
    assert np.allclose(model.momentum(q, v), [*angular, *momentum], atol=1e-11)


@pytest.mark.parametrize("seed", thinned([30, 31, 32], [32]))
def test_power_balance(seed: int) -> None:
    """In the full model, the rate of the energy is the power of the drives and of the dampers."""
    model, _ = degenerate_tree(seed, KINDS, 4, fidelity="full", forces=True, conservative=True, beams=seed % 2 == 0)
    q, v = model.random_state(seed)
    tau = np.random.default_rng(seed).normal(size=model.nv)
    a, h = model.forward_dynamics(q, v, tau), 1e-30
    T, V = model.energy(q + 1j * h * model.derivative(q, v), v + 1j * h * a)
    power = tau @ v
    size = max(abs(power), abs(T.imag / h), abs(V.imag / h))
    assert abs((T.imag + V.imag) / h - power) < 1e-9 * size
    assert abs(T.imag / h) > 0.1


@pytest.mark.parametrize("seed", thinned([40, 41], [40]))
def test_ruthless_leaves_the_deformation_out(seed: int) -> None:
    """(8.1): the mass matrix does not change with the deformation, and of the forces only the elastic ones do."""
    model, _ = degenerate_tree(seed, 5, 6, fidelity="ruthless")
    q, v = model.random_state(seed)
    moved, quick = q.copy(), v.copy()
    assert model.flex is not None
    for k in range(1, len(model.bodies) + 1):
        n = model.flex.modes[k]
        moved[model.flex.q_mode[k] : model.flex.q_mode[k] + n] += 0.1
    assert model.is_mode.sum() > 5
    assert np.array_equal(model.mass_matrix(q), model.mass_matrix(moved))
    elastic = np.zeros(model.nv)
    for k, placed in enumerate(model.description.bodies.values(), start=1):
        if isinstance(placed.body, structures.FlexibleBody):
            first, n = model.flex.v_mode[k], placed.body.modes
            elastic[first : first + n] = placed.body.stiffness @ np.full(n, 0.1)
    change = model.bias_forces(moved, v) - model.bias_forces(q, v)
    assert np.abs(elastic).max() > 1
    assert np.allclose(change, elastic, rtol=0, atol=1e-12 * np.abs(elastic).max())
    full, _ = degenerate_tree(seed, 5, 6, fidelity="full")
    assert relative(full.mass_matrix(q), model.mass_matrix(q)) > 1e-4
    still = q.copy()
    for k in range(1, len(model.bodies) + 1):
        still[model.flex.q_mode[k] : model.flex.q_mode[k] + model.flex.modes[k]] = 0.0
    assert relative(full.mass_matrix(still), model.mass_matrix(still)) < 1e-13
    quick[model.is_mode] = 0.0
    assert relative(full.bias_forces(still, quick), model.bias_forces(still, quick)) < 1e-12


def carried(fidelity: str, joint: supple.Joint, beside: float, com: float = 0.1, inertia: float = 0.1) -> supple.Model:
    """A beam on a spherical joint, and a body on its end node or beside it."""
    section, metal = structures.Rectangle(0.02, 0.01), structures.Material(E=70e9, nu=0.3, rho=2700)
    beam = structures.beam(1.0, section, metal, 6).reduce("cantilever", modes=5)
    mech = supple.Mechanism("arm", gravity=(0, 0, 0))
    mech.add_body("beam", beam, joint=supple.Spherical(), fidelity=fidelity)
    mech.add_frame("place", "beam/end", (0, beside, 0))
    child = supple.RigidBody(1.0, (com, 0.0, 2 * com), (inertia, 1.5 * inertia, 2 * inertia))
    mech.add_body("child", child, "beam", joint, at="place")
    return mech.build()


HINGES = {
    "on the node": (supple.Revolute("y"), 0.0),
    "beside it": (supple.Revolute("y"), 0.3),
    "sliding": (supple.Prismatic("z"), 0.0),
}


@pytest.mark.parametrize("hinge", list(HINGES))
def test_ruthless_velocities_are_rates_of_poses_while_there_is_no_deformation(hinge: str) -> None:
    """Whatever its rate; with it they differ in first order, for all kinds of hinges. Those of "full" never do."""
    for fidelity in ("ruthless", "full"):
        model = carried(fidelity, *HINGES[hinge])
        q, v = model.random_state(1)
        eta = np.flatnonzero([".mode" in name for name in model.coordinates])
        shape, h = q[eta].copy(), 1e-30
        assert np.abs(v[model.is_mode]).max() > 0.1
        gaps = []
        for share in (0.0, 0.1, 0.2):
            q[eta] = share * shape
            R, p = model.pose(q + 1j * h * model.derivative(q, v), "child")
            spin = (R.imag / h) @ R.real.T
            rates = np.array([spin[2, 1], spin[0, 2], spin[1, 0], *(p.imag / h)])
            gaps.append(model.velocity(q, v, "child") - rates)
        assert np.abs(gaps[0]).max() < 1e-13
        if fidelity == "full":
            assert np.abs(gaps).max() < 1e-13
        else:
            assert np.abs(gaps[1]).max() > 1e-6
            np.testing.assert_allclose(gaps[2], 2 * gaps[1], atol=1e-2 * np.abs(gaps[1]).max())


def test_ruthless_keeps_rates_of_the_deformation_in_what_bodies_on_nodes_do() -> None:
    """(8.1) without etadot in a_m: a point on the node does not see it. A body there turns with the node's rate."""

    def change(model: supple.Model) -> float:
        q, v = model.random_state(2)
        still = np.where(model.is_mode, 0.0, v)
        forces = [model.bias_forces(q, x) for x in (v, still)]
        return float(np.abs(forces[0] - forces[1]).max() / np.abs(forces[1]).max())

    point = {"joint": supple.Fixed(), "beside": 0.0, "com": 0.0, "inertia": 0.0}
    assert change(carried("ruthless", **point)) < 1e-14  # type: ignore[arg-type]
    assert change(carried("full", **point)) > 1e-6  # type: ignore[arg-type]
    assert change(carried("ruthless", supple.Fixed(), 0.0)) > 1e-6
    assert change(carried("ruthless", supple.Fixed(), 0.3, com=0.0, inertia=0.0)) > 1e-6


@pytest.mark.parametrize("what", ["forward_dynamics", "inverse_dynamics", "mass_matrix", "energy", "poses"])
@pytest.mark.parametrize("seed", thinned([3, 6], [3]))
def test_compiled_functions_equal_the_recursions(what: str, seed: int) -> None:
    model, _ = degenerate_tree(seed, 5, 5, forces=True, beams=seed == 6)
    q, v = model.random_state(seed)
    x = np.random.default_rng(seed).normal(size=model.nv)
    compiled = model.compile(what)
    if what == "poses":
        for found, x in zip(compiled(q), model.poses(q), strict=True):
            assert np.allclose(found, x, atol=1e-12)
        return
    inputs = {"forward_dynamics": (q, v, x), "inverse_dynamics": (q, v, x), "mass_matrix": (q,), "energy": (q, v)}[what]
    expected = getattr(model, what)(*inputs)
    condition = np.linalg.cond(model.mass_matrix(q)) if what == "forward_dynamics" else 1.0
    assert relative(np.array(compiled(*inputs)), np.array(expected)) < 1e-12 + 1e-15 * condition


def test_derivatives_of_a_flexible_model() -> None:
    model, _ = degenerate_tree(2, 3, 4, fidelity="full")
    q, v = model.random_state(2)
    tau = np.random.default_rng(0).normal(size=model.nv)
    A, B = model.linearize(q, v, tau)
    n, e = model.nv, 1e-6
    for i in range(n):
        dv = np.eye(n)[i] * e
        ahead = model.forward_dynamics(model.integrate(q, dv, 1.0), v, tau)
        behind = model.forward_dynamics(model.integrate(q, -dv, 1.0), v, tau)
        assert np.allclose((ahead - behind) / (2 * e), A[n:, i], atol=2e-6 * np.abs(A[n:]).max())
    assert relative(B[n:] @ model.mass_matrix(q), np.eye(n)) < 1e-9
    compiled = model.compile("forward_dynamics", derivatives=["v"])
    assert relative(compiled(q, v, tau)[1], A[n:, n:]) < 1e-9
