"""The operators of Jain and Rodriguez: their definitions, and the identities of Lemmas 5.1, 6.1-6.3, 7.1."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import sparse

import supple
from supple import structures
from supple.model.operators.linear_operator import Identity
from support.cases import thinned
from support.generated.generators import random_tree
from support.generated.generators_flexible import Points, random_flexible_tree

Floats = NDArray[np.float64]

CASES = [(11, 1), (12, 6), (13, 20)]


def close(a: Any, b: Any) -> bool:
    size = np.abs(b).max()
    return size > 0 and bool(np.abs(a - b).max() < 1e-12 * size)


def near(a: Any, b: Any, tolerance: float = 1e-10, floor: float = 0.0) -> bool:
    size = max(np.abs(b).max(), floor)
    return size > 0 and bool(np.abs(a - b).max() < tolerance * size)


@pytest.fixture(params=thinned(CASES, CASES[:2]), ids=str)
def case(request: pytest.FixtureRequest) -> tuple[supple.Model, Any, Any]:
    model = random_tree(*request.param)
    q, v = model.random_state(request.param[0])
    return model, q, v


def test_newton_euler_factorization(case: tuple[supple.Model, Any, Any]) -> None:
    model, q, _ = case
    assert close(model.operators(q).mass_matrix.dense(), model.mass_matrix(q))


def test_lemma_5_1_composite_bodies(case: tuple[supple.Model, Any, Any]) -> None:
    model, q, _ = case
    o = model.operators(q)
    Phi, R = o.Phi.dense(), o.R.dense()
    tilde = Phi - np.eye(len(Phi))
    assert close(Phi @ o.M.dense() @ Phi.T, R + tilde @ R + R @ tilde.T)


def test_lemma_6_1_innovations_factorization(case: tuple[supple.Model, Any, Any]) -> None:
    model, q, _ = case
    o = model.operators(q)
    factor = Identity(model.nv) + o.H @ o.Phi @ o.K
    assert close((factor @ o.D @ factor.T).dense(), model.mass_matrix(q))


def test_lemma_6_2_inverse_of_the_factor(case: tuple[supple.Model, Any, Any]) -> None:
    model, q, _ = case
    o = model.operators(q)
    factor = Identity(model.nv) + o.H @ o.Phi @ o.K
    inverse = Identity(model.nv) - o.H @ o.Psi @ o.K
    assert close((factor @ inverse).dense(), np.eye(model.nv))


def test_lemma_6_3_inverse_of_the_mass_matrix(case: tuple[supple.Model, Any, Any]) -> None:
    model, q, _ = case
    W = model.operators(q).inverse_mass_matrix
    assert close(W.dense(), model.inverse_mass_matrix(q))
    x = np.arange(1.0, model.nv + 1)
    assert close(W @ x, model.inverse_mass_matrix(q) @ x)


def test_lemma_7_1_accelerations(case: tuple[supple.Model, Any, Any]) -> None:
    """The operator expression for the accelerations, with a and b formed here body by body."""
    model, q, v = case
    o, n = model.operators(q), len(model.bodies)
    T = np.random.default_rng(0).normal(size=model.nv)
    moving = np.concatenate([model.acceleration(q, v, np.zeros(model.nv), body, axes="frame") for body in model.bodies])
    a = moving - o.E_Phi.T @ moving  # alpha = Phi* (H* 0 + a)
    b = np.zeros((n, 6))
    for k, (body, J) in enumerate(zip(model.bodies, model.tree.inertia[1:], strict=True)):
        w = model.velocity(q, v, body, axes="frame")[:3]
        inertia = np.array([[J[0], J[1], J[2]], [J[1], J[3], J[4]], [J[2], J[4], J[5]]])
        b[k] = *np.cross(w, inertia @ w), *np.cross(w, np.cross(w, model.tree.moment[k + 1]))
    inner = Identity(model.nv) - o.H @ o.Psi @ o.K
    residual = T - o.H @ (o.Psi @ (o.K @ T + o.P @ a + b.reshape(-1)))
    accelerations = inner.T @ (o.D.inverse() @ residual) - o.K.T @ (o.Psi.T @ a)

    weightless = supple.Mechanism("no gravity, no forces", gravity=(0, 0, 0))
    weightless.bodies = dict(model.description.bodies)
    bare = weightless.build()
    passive = -bare.tree.damping * v
    sprung = bare.tree.q_of_speed >= 0
    passive[sprung] -= (bare.tree.stiffness * (q[bare.tree.q_of_speed] - bare.tree.rest))[sprung]
    assert close(accelerations, bare.forward_dynamics(q, v, T - passive))


def test_operators_applied_equal_their_matrices(case: tuple[supple.Model, Any, Any]) -> None:
    model, q, _ = case
    o = model.operators(q)
    rng = np.random.default_rng(1)
    for name in ("E_Phi", "Phi", "H", "M", "R", "P", "D", "G", "K", "tau_bar", "E_Psi", "Psi", "Phi_A", "Psi_A", "J"):
        operator = getattr(o, name)
        matrix = operator.dense()
        assert matrix.shape == operator.shape
        x, y = rng.normal(size=operator.shape[1]), rng.normal(size=operator.shape[0])
        assert np.allclose(operator @ x, matrix @ x, atol=1e-12 * (1 + np.abs(matrix).max())), name
        assert np.allclose(operator.T @ y, matrix.T @ y, atol=1e-12 * (1 + np.abs(matrix).max())), name
    eye = np.eye(o.Phi.shape[0])
    assert close(o.Phi.dense() @ (eye - o.E_Phi.dense()), eye)
    assert close(o.Psi.dense() @ (eye - o.E_Psi.dense()), eye)
    assert close(o.E_Psi.dense() + eye, (o.E_Phi @ o.tau_bar).dense() + eye)
    assert close(o.Psi_A.dense(), o.Phi.T.dense())


def flexible_chain(links: int, fidelity: str) -> supple.Model:
    """Beams hinged end to end, three modes each."""
    material = structures.Material(E=70e9, nu=0.3, rho=2700.0)
    beam = structures.beam(0.5, structures.Rectangle(0.02, 0.01), material, 4).reduce("cantilever", modes=3)
    mech = supple.Mechanism("chain")
    for i in range(links):
        at = "end" if i else None
        mech.add_body(f"b{i}", beam, f"b{i - 1}" if i else "ground", supple.Revolute("y"), at, fidelity=fidelity)
    return mech.build()


@pytest.mark.parametrize("fidelity", ["full", "ruthless"])
@pytest.mark.parametrize("links", thinned([1, 10, 40], [1, 10]))
def test_operators_of_a_long_flexible_chain(links: int, fidelity: str) -> None:
    """Rounding does not grow from body to body: at most ten digits are lost of a matrix with a condition of 1e9."""
    model = flexible_chain(links, fidelity)
    q = model.random_state(1)[0]
    o = model.operators(q)
    x = np.random.default_rng(0).normal(size=model.nv)
    expected = model.inverse_mass_matrix(q) @ x
    found = o.inverse_mass_matrix @ x
    assert np.abs(expected).max() > 1
    assert np.abs(found - expected).max() < 1e-10 * np.abs(expected).max()
    assert np.abs(o.mass_matrix @ x - model.mass_matrix(q) @ x).max() < 1e-12 * np.abs(model.mass_matrix(q)).max()
    for P in o.P.blocks:
        assert np.array_equal(P, P.T)
        assert np.linalg.eigvalsh(P)[0] > -1e-12 * np.abs(P).max()


@pytest.mark.parametrize(("seed", "bodies"), thinned([(31, 5), (32, 20)], [(31, 5)], several=True))
def test_operators_of_flexible_trees(seed: int, bodies: int) -> None:
    model, _ = random_flexible_tree(seed, bodies, 4)
    q = model.random_state(seed)[0]
    o = model.operators(q)
    assert model.is_mode.any()
    M, W = model.mass_matrix(q), model.inverse_mass_matrix(q)
    x = np.random.default_rng(seed).normal(size=model.nv)
    assert np.abs(o.mass_matrix @ x - M @ x).max() < 1e-12 * np.abs(M).max() * model.nv
    assert np.abs(o.inverse_mass_matrix @ x - W @ x).max() < 1e-9 * np.abs(W @ x).max()
    factor = Identity(model.nv) + o.H @ o.Phi @ o.K
    inverse = Identity(model.nv) - o.H @ o.Psi @ o.K
    assert np.abs(factor @ (inverse @ x) - x).max() < 1e-9 * np.abs(inverse @ x).max()


def skew(a: Floats) -> Floats:
    return np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])


def turn_map(theta: Floats) -> Floats:
    """Angular velocity from the rate of a rotation vector, by its closed form."""
    t = float(np.linalg.norm(theta))
    x = skew(theta)
    return np.eye(3) + (1 - np.cos(t)) / t**2 * x + (t - np.sin(t)) / t**3 * x @ x if t > 1e-6 else np.eye(3) + x / 2


def shift(l: Floats) -> Floats:
    """phi of (3.8)."""
    return np.block([[np.eye(3), skew(l)], [np.zeros((3, 3)), np.eye(3)]])


class Definitions:
    """Matrices of a flexible tree of point masses as the source defines them, from poses, shapes and points alone."""

    def __init__(self, model: supple.Model, points: dict[str, Points], q: Floats) -> None:
        self.model, self.q = model, q
        bodies = model.description.bodies
        self.sizes = [6 + len(self.modes(name)) for name in bodies]
        self.first = np.cumsum([0, *self.sizes])
        n = self.first[-1]
        self.E, self.M, self.H = np.zeros((n, n)), np.zeros((n, n)), np.zeros((model.nv, n))
        for k, (name, placed) in enumerate(bodies.items()):
            rows = slice(self.first[k], self.first[k + 1])
            self.M[rows, rows] = self.mass(name, points[name])
            frame = slice(self.first[k + 1] - 6, self.first[k + 1])
            joint = [i for i, s in enumerate(model.speeds) if s.startswith(f"{name}.") and not model.is_mode[i]]
            self.H[joint, frame] = model.jacobian(q, name, axes="frame")[:, joint].T
            self.H[self.modes(name), slice(self.first[k], frame.start)] = np.eye(len(self.modes(name)))
            if placed.parent != "ground":
                p = list(bodies).index(placed.parent)
                self.E[self.first[p] : self.first[p + 1], frame] = self.carried(placed.parent, placed.node, name)

    def modes(self, name: str) -> list[int]:
        m = self.model
        return [i for i, s in enumerate(m.speeds) if s.startswith(f"{name}.") and m.is_mode[i]]

    def eta(self, name: str) -> Floats:
        return self.q[self.model.tree.q_of_speed[self.modes(name)]]

    def mass(self, name: str, points: Points) -> Floats:
        """(3.25), a sum over points."""
        total = np.zeros((6 + points.Psi.shape[2],) * 2)
        for m, x, Psi in zip(points.mass, points.x, points.Psi, strict=True):
            N = np.concatenate([Psi, -skew(x + Psi @ self.eta(name)), np.eye(3)], axis=1)
            total += m * N.T @ N
        return total

    def carried(self, parent: str, node: str | None, name: str) -> Floats:
        """[Pi_t* phi(t, k) ; phi(k + 1, k)] with the change of axes."""
        (R_p, p_p), (R, p) = self.model.pose(self.q, parent), self.model.pose(self.q, name)
        turn, l = np.kron(np.eye(2), R_p.T @ R), R_p.T @ (p - p_p)
        modal = np.zeros((len(self.modes(parent)), 6))
        if node is not None:
            carrier = self.model.description.bodies[parent].body
            assert isinstance(carrier, structures.FlexibleBody)
            at = carrier.frames[node]
            u = at.shape @ self.eta(parent)
            shape = np.concatenate([turn_map(u[:3]) @ at.shape[:3], at.shape[3:]])
            modal = shape.T @ shift(l - at.position - u[3:])
        return np.concatenate([modal, shift(l)]) @ turn


@pytest.mark.parametrize(("seed", "bodies", "modes"), [(41, 6, 4), (42, 20, 3), (43, 40, 2)])
def test_operators_are_what_the_source_defines(seed: int, bodies: int, modes: int) -> None:
    model, points = random_flexible_tree(seed, bodies, modes, fidelity="full")
    q, v = model.random_state(seed)
    o, d = model.operators(q, v), Definitions(model, points, q)
    E, M, H, J = sparse.csr_array(d.E), d.M, sparse.csr_array(d.H), o.J.dense()
    assert near(o.E_Phi.dense(), d.E)
    assert near((o.A @ o.B).dense(), d.E)
    assert near(o.H.dense(), d.H)
    assert near(o.M.dense(), M)
    Phi = np.linalg.inv(np.eye(len(M)) - d.E)
    assert near(o.Phi.dense(), Phi)  # (3.21)
    R, P = M, M
    for _ in range(o.Phi_A.nilpotency()):
        R = M + E @ (E @ R).T  # (5.2)
        PH = (H @ P).T
        D = H @ PH + J
        P = M + E @ (E @ (P - PH @ np.linalg.solve(D, PH.T))).T  # (6.1)
    G = np.linalg.solve(D, PH.T).T
    K = E @ G
    Psi = np.linalg.inv(np.eye(len(M)) - d.E + K @ H)  # (6.3), (A.4)
    for found, expected in ((o.R, R), (o.P, P), (o.D, D), (o.G, G), (o.K, K), (o.Psi, Psi)):
        assert near(found.dense(), expected)
    mass = H @ Phi @ M @ (H @ Phi).T + J
    assert near(o.mass_matrix.dense(), mass)  # (3.45)
    assert near((o.factor @ o.D @ o.factor.T).dense(), mass)  # (6.4)
    assert near((o.root @ o.root.T).dense(), mass)
    x = np.random.default_rng(seed).normal(size=model.nv)
    assert near(o.factor @ (o.factor.inverse() @ x), x)  # (6.5)
    assert near(mass @ (o.mass_matrix.inverse() @ x), x, 1e-9)  # (6.6), times the condition
    assert abs(o.log_det - np.linalg.slogdet(mass)[1]) < 1e-9 * abs(o.log_det)


@pytest.mark.parametrize("fidelity", ["full", "ruthless"])
@pytest.mark.parametrize(("seed", "bodies"), thinned([(51, 8), (52, 14)], [(51, 8)], several=True))
def test_lines_of_section_3(seed: int, bodies: int, fidelity: str) -> None:
    """(3.22), (3.44) and (3.45) with springs, dampers, wrenches and gravity, beams in every basis."""
    model, _ = random_flexible_tree(seed, bodies, 5, fidelity, beams=True, forces=True)
    q, v = model.random_state(seed)
    a = np.random.default_rng(seed).normal(size=model.nv)
    o = model.operators(q, v)
    V_m, frames = o.Phi.T @ (o.H.T @ v), np.cumsum([len(M) for M in o.M.blocks])
    for body, end in zip(model.bodies, frames, strict=True):
        assert near(V_m[end - 6 : end], model.velocity(q, v, body, axes="frame"), floor=np.abs(V_m).max())
    alpha_m = o.Phi.T @ (o.H.T @ a + o.a_m)
    f_m = o.Phi @ (o.M @ alpha_m + o.b_m + o.K_m @ o.eta)
    tau = model.inverse_dynamics(q, v, a)
    assert near(o.H @ f_m + o.J @ a - o.passive, tau)
    assert near(o.mass_matrix @ a + o.C - o.passive, tau)
    assert near(o.factor @ (o.D @ (o.factor.T @ a)), o.mass_matrix @ a)  # (6.4)
    assert near(o.root @ (o.root.T @ a), o.mass_matrix @ a)
    assert near(o.factor.inverse() @ (o.factor @ a), a, floor=np.abs(o.factor @ a).max())  # (6.5)
    wrenches = model.joint_wrenches(q, v, a).reshape(-1, 6)
    for k, end in enumerate(frames):
        assert near(f_m[end - 6 : end], wrenches[k], floor=np.abs(wrenches).max())


def test_random_forces_and_speeds_have_their_covariances() -> None:
    model, _ = random_flexible_tree(61, 4, 2)
    o, count = model.operators(model.random_state(61)[0]), 200_000
    M, W = o.mass_matrix.dense(), o.inverse_mass_matrix.dense()
    for samples, expected in ((o.random_forces(count, 1), M), (o.random_speeds(count, 2), W)):
        assert samples.shape == (count, model.nv)
        size = np.sqrt(np.outer(np.diag(expected), np.diag(expected)))
        found = samples.T @ samples / count
        assert np.abs((found - expected) / size).max() < 6 * np.sqrt(2 / count)
    eps = o.factor.inverse() @ o.random_forces(count, 3).T
    D = o.D.dense()
    size = np.sqrt(np.outer(np.diag(D), np.diag(D)))
    assert np.abs((eps @ eps.T / count - D) / size).max() < 6 * np.sqrt(2 / count)
