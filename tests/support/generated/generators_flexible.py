"""Random flexible bodies for tests, made of point masses, and the same mechanics written out point by point."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.spatial.transform import Rotation

import supple
from supple import structures
from supple.structures.body.flexible_body import FlexibleBody, ShapeFrame
from supple.structures.body.modal_integrals import ModalIntegrals, Pairs, Quadratic
from supple.structures.stiffening.second_order import SecondOrder
from support.generated.generators import KINDS, random_joint

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Points:
    """The point masses of a body: mass (p,), place (p, 3), shapes (p, 3, n).

    Points may also move by b xi, xi_k = eta* C_k eta / 2: second-order shapes b (p, 3, k), C (k, n, n).
    """

    mass: Floats
    x: Floats
    Psi: Floats
    b: Floats = field(default_factory=lambda: np.zeros((1, 3, 0)))
    C: Floats = field(default_factory=lambda: np.zeros((0, 1, 1)))

    def moved(self, eta: Any) -> Any:
        """Places (..., p, 3) for coordinates (..., n)."""
        first = np.einsum("pir,...r->...pi", self.Psi, eta)
        if not self.b.shape[2]:
            return self.x + first
        return self.x + first + 0.5 * np.einsum("pik,krs,...r,...s->...pi", self.b, self.C, eta, eta)


PLANAR = np.array([0.0, 0.0, 1.0, 1.0, 1.0, 0.0])
"""Rotations and displacements of a node that stay in the plane of x and y."""


def random_points(rng: np.random.Generator, modes: int, size: float = 0.3, planar: bool = False) -> Points:
    """Points with orthonormal modes: sum m Psi_r . Psi_s = 1 for r = s, else 0; `planar` ones move along x and y."""
    count = 6 + modes
    mass, x = rng.uniform(0.1, 1.0, count), rng.normal(size=(count, 3)) * size
    Psi = rng.normal(size=(count, 3, modes))
    if planar:
        Psi *= PLANAR[3:, None]
    G = np.einsum("p,pir,pis->rs", mass, Psi, Psi)
    return Points(mass, x, Psi @ np.linalg.inv(np.linalg.cholesky(G)).T)


def integrals_of(points: Points) -> ModalIntegrals:
    """The integrals as sums over the points."""
    m, x, Psi = points.mass, points.x, points.Psi
    n = Psi.shape[2]
    N = np.einsum("p,pir,pjs->srji", m, Psi, Psi)  # row by row for each r: N(s, r) = sum Psi_s Psi_r*
    N = np.swapaxes(N, 0, 1)
    return ModalIntegrals(
        mass=float(m.sum()),
        moment=m @ x,
        second=np.einsum("p,pi,pj->ij", m, x, x),
        E=np.einsum("p,pir->ri", m, Psi),
        X=np.einsum("p,pi,pjr->rij", m, x, Psi),
        N=Pairs(np.arange(n + 1) * n, np.tile(np.arange(n), n), N.reshape(n * n, 3, 3)),
    )


def with_second_order(
    rng: np.random.Generator, body: FlexibleBody, points: Points, shapes: int = 2
) -> tuple[FlexibleBody, Points]:
    """The same with second-order shapes of points and frames, as small as those of a slender beam."""
    n, m, x, Psi = body.modes, points.mass, points.x, points.Psi
    b, C = 0.3 * rng.normal(size=(len(x), 3, shapes)), rng.normal(size=(shapes, n, n))
    C = C + np.swapaxes(C, 1, 2)
    frames = {
        name: replace(frame, second=0.3 * rng.normal(size=(6, shapes)) * (name != "root"))
        for name, frame in body.frames.items()
    }
    second = SecondOrder(
        quadratic=Quadratic(np.arange(n + 1) * n, np.tile(np.arange(n), n), np.moveaxis(C, 0, -1).reshape(-1, shapes)),
        shapes=np.concatenate([frame.second for frame in frames.values()]),
        frames={name: frame.second for name, frame in frames.items()},
        E=np.einsum("p,pik->ki", m, b),
        X=np.einsum("p,pi,pjk->kij", m, x, b),
        N_cross=np.einsum("p,pis,pjk->skij", m, Psi, b),
        N_own=np.einsum("p,pik,pjl->klij", m, b, b),
        mass_cross=np.einsum("p,pis,pik->sk", m, Psi, b),
        mass_own=np.einsum("p,pik,pil->kl", m, b, b),
    )
    return replace(body, frames=frames, second_order=second), replace(points, b=b, C=C)


def random_flexible(
    rng: np.random.Generator, modes: int, damped: bool = True, coupled: bool = False, planar: bool = False
) -> tuple[FlexibleBody, Points]:
    """A flexible body with frames "root", "a", "b", and its points; `coupled` coordinates have full G, K and C.

    A `planar` one bends in the plane of x and y alone, so that its nodes turn about z alone.
    """
    points = random_points(rng, modes, planar=planar)
    K = np.diag(rng.uniform(5.0, 500.0, modes))
    C = np.diag(rng.uniform(0.0, 2.0, modes)) if damped else np.zeros((modes, modes))
    G = np.eye(modes)
    turn = np.eye(modes)
    if coupled:
        turn = np.eye(modes) + 0.3 * rng.normal(size=(modes, modes))
        points = Points(points.mass, points.x, points.Psi @ turn)
        G, K, C = (turn.T @ A @ turn for A in (G, K, C))
    frames = {"root": ShapeFrame(np.zeros(3), np.zeros((6, modes)))}
    for name in ("a", "b"):
        place, shape = rng.normal(size=3) * 0.5, rng.normal(size=(6, modes)) * 0.3
        frames[name] = ShapeFrame(place, shape * (PLANAR if planar else np.ones(6))[:, None] @ turn)
    body = FlexibleBody(
        basis="nodal" if coupled else "cantilever",
        root="root",
        labels=tuple(f"mode{i + 1}" for i in range(modes)),
        frames=frames,
        nodes=np.array([f.position for f in frames.values()]),
        turning=np.ones(len(frames), dtype=np.bool_),
        shapes=sparse.csr_array(np.concatenate([f.shape for f in frames.values()])),
        mass_matrix=sparse.csr_array(G),
        stiffness=sparse.csr_array(K),
        damping=sparse.csr_array(C),
        integrals=integrals_of(points),
    )
    return body, points


def rigid_of(points: Points) -> supple.RigidBody:
    """The same points without modes."""
    m, x = points.mass, points.x
    com = m @ x / m.sum()
    d = x - com
    inertia = np.einsum("i,ij,ij->", m, d, d) * np.eye(3) - np.einsum("i,ij,ik->jk", m, d, d)
    return supple.RigidBody(float(m.sum()), com, inertia)


BASES = ("cantilever", "free-free", "craig-bampton", "nodal")


def beam_body(rng: np.random.Generator, basis: str, modes: int, damping: float = 0.0) -> FlexibleBody:
    """A bent beam with a point mass, in one of the bases; frames "start", "corner1" and "end"."""
    elements = 2 if basis == "nodal" else max(2, 1 + modes // 4)
    material = structures.Material(E=2e9, nu=0.3, rho=1500.0)
    section = structures.Rectangle(0.03, 0.02)
    points = np.cumsum([[0.0, 0.0, 0.0], rng.normal(size=3) * 0.3, rng.normal(size=3) * 0.3], axis=0)
    structure = structures.beam_path(points, section, material, elements)
    structure = structure.with_mass("end", 0.3, inertia=(2e-3, 3e-3, 4e-3), offset=(0.02, -0.03, 0.01))
    options: dict[str, Any] = {} if basis == "nodal" else {"modes": modes, "damping": damping}
    if basis == "craig-bampton":
        options |= {"modes": max(modes - 6, 0), "interfaces": ["start", "end"]}
    return structure.reduce(basis, root="start", **options)


@lru_cache(maxsize=64)
def random_flexible_tree(
    seed: int,
    bodies: int,
    modes: int = 5,
    fidelity: str | None = None,
    beams: bool = False,
    forces: bool = False,
    free_base: bool = False,
    conservative: bool = False,
    second_order: bool = False,
    degenerate: bool = False,
) -> tuple[supple.Model, dict[str, Points]]:
    """A tree of rigid and flexible bodies with every kind of joint, and the points of those that are made of points.

    Children sit on frames of flexible parents; with `beams` some bodies are beams in every basis; fidelities are mixed
    unless one is given; `conservative` leaves out all dampers; with `second_order` bodies of points have second-order
    shapes, as those of beams have; with `degenerate` every third body of points bends in one plane alone, and every
    second one without modes is a flexible body all the same.
    """
    rng = np.random.default_rng(seed)
    mech = supple.Mechanism(f"flexible {seed}", gravity=(0.3, -0.5, -9.81) if not free_base else (0.0, 0.0, 0.0))
    made: dict[str, Points] = {}
    kinds = rng.permutation(np.arange(bodies) % KINDS)
    names: list[str] = []
    for i in range(bodies):
        name, count = f"b{i}", int(rng.integers(0, modes + 1))
        body: supple.RigidBody | FlexibleBody
        if beams and rng.random() < 0.6:
            body = beam_body(rng, BASES[i % 4], max(count, 1))
        elif count or (degenerate and i % 2 == 0):
            coupled = bool(rng.random() < 0.3) and count > 0
            planar = degenerate and i % 3 == 0
            body, made[name] = random_flexible(rng, count, not conservative, coupled, planar)
            if second_order and count:
                body, made[name] = with_second_order(rng, body, made[name], 1 + i % 3)
        else:
            made[name] = random_points(rng, 0)
            body = rigid_of(made[name])
        joint = supple.Free() if free_base and i == 0 else random_joint(rng, int(kinds[i]), bare=conservative)
        parent = "ground" if not names or (rng.random() < 0.1 and not free_base) else str(rng.choice(names[-3:]))
        at: str | Floats | None = None
        if parent != "ground":
            carrier = mech.bodies[parent].body
            at = (
                str(rng.choice(list(carrier.frames))) if isinstance(carrier, FlexibleBody) else rng.normal(size=3) * 0.5
            )
        rotation = Rotation.random(random_state=int(rng.integers(2**31)))
        chosen = fidelity or str(rng.choice(["full", "ruthless"]))
        mech.add_body(name, body, parent, joint, at, rotation, chosen)
        names.append(name)
    if forces:
        last = mech.bodies[names[-1]].body
        place = f"{names[-1]}/{list(last.frames)[-1]}" if isinstance(last, FlexibleBody) else names[-1]
        mech.add_frame("tip", place, rng.normal(size=3) * 0.2)
        tip = f"{names[-1]}/tip"
        mech.add_spring_damper("s", tip, "ground", 20.0, 0.0 if conservative else 3.0, 0.2)
        mech.add_spring_damper("t", names[0], tip, 10.0, 0.0 if conservative else 1.0, 0.5)
        if not conservative:
            mech.add_wrench("thrust", tip, rng.normal(size=3), rng.normal(size=3))
            mech.add_wrench("wind", tip, rng.normal(size=3), rng.normal(size=3), axes="ground")
    return mech.build(), made
