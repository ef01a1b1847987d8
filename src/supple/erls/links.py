"""Links with all their rigid modes: U = [U_r | U_d] (assumption 1 of Vidoni et al. (2015)) and what follows from it.

A link is made of any body of a mechanism. A flexible one has shapes that vanish at its root, so its shapes and the six
rigid motions together span what the free link can do: modes of the free structure, or the shapes of unit interface
motion and the fixed-interface modes of Craig and Bampton. A second eigenproblem in that span, as in the modal neutral
file of the paper, makes it six rigid modes and elastic ones that are orthogonal to them.

The rigid modes U_r are unit rotations about the axes through the centre of mass and unit displacements, in link axes.
The paper's are mass-normalised combinations of these, found from three nodes that are not in line (31)-(33), and serve
to write rigid velocities as U_r B~ [v_0; omega]. Here B~ is a matter of order alone: no reference nodes are needed, a
straight beam (whose nodes have rotations) is like any other link, and a link without inertia is allowed where the
mechanism as a whole has some. The norm that (11) minimizes is then q_r* (U_r* M U_r) q_r, the same number.

Every material point x, seen from the centre of mass, moves to x + u_r + phi_r x x + Psi(x) eta with q_r = (phi_r, u_r).
All constants are integrals over such points:

    S = int x x*      X(r) = int x Psi_r*      N(s, r) = int Psi_s Psi_r*      (3 x 3, weighted by mass)

The matrices of appendix D follow from N_ab = int Psi_a* Psi_b (d, d): X_k = N_ij - N_ji, Y_t and Z_rd are sums of
N_ab, W_rt of X_k. The paper has them as U* M A_k U and so on, with A_k on the nodal degrees of freedom. A consistent
mass matrix M does not commute with that: U* M A_k U is then not skew, and gyroscopic forces do work. With A_k on the
displacement of the material points, as here, it is skew, and energy and momentum are kept; for point masses on the
nodes the two are the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

import numpy as np
import scipy

from supple.checks import Floats
from supple.erls.arrays import moved
from supple.erls.mode_choice import ModeChoice, residual_shapes
from supple.errors import ModelError
from supple.rigid_body import RigidBody
from supple.structures.body.flexible_body import FlexibleBody
from supple.structures.body.modal_integrals import axial
from supple.structures.discretization.dof_map import cross_matrix
from supple.structures.eigen.lowest_modes import lowest_modes
from supple.structures.reduction.bases import NOISE

RIGID = 6
ALL = ModeChoice()
NO_INERTIA = 1e-12
"""Share of the largest below which a rigid motion has no inertia, or an elastic shape no mass of its own."""


@dataclass(frozen=True, eq=False)
class Link:
    """A link in d elastic modes, in its own axes, seen from its centre of mass.

    Attributes
    ----------
    name : str
    body : RigidBody or FlexibleBody
        What it was made of.
    mass : float
    com : (3,) array
        From the body frame's origin, which is at the inboard joint.
    second : (3, 3) array
        S.
    inertia : (6, 6) array
        U_r* M U_r: inertia about the centre of mass, and mass.
    squares : (d,) array
        Gamma_d, squared frequencies of the free link, rad^2/s^2.
    damping : (d, d) array
    shapes : (n, d) array
        The elastic modes in the coordinates of the body.
    participation : (6, d) array
        The rigid motion in each of them: U_d at the root, as a twist at the centre of mass.
    X : (d, 3, 3) array
        Symmetric, as the modes have no angular momentum.
    N : (d, d, 3, 3) array
    labels : tuple of str
        Names of the elastic coordinates: "mode3" for the third mode of the free link, "static1" for a static shape.
    choice : ModeChoice
        How they were chosen.
    """

    name: str
    body: RigidBody | FlexibleBody
    mass: float
    com: Floats
    second: Floats
    inertia: Floats
    squares: Floats
    damping: Floats
    shapes: Floats
    participation: Floats
    X: Floats
    N: Floats
    labels: tuple[str, ...] = ()
    choice: ModeChoice = ALL

    @property
    def modes(self) -> int:
        """d."""
        return len(self.squares)

    @property
    def gyroscopic(self) -> Floats:
        """(3, d, d): X_k[r, s] = int Psi_r . (e_k x Psi_s), (84) on material points; skew."""
        return np.moveaxis(axial(np.swapaxes(self.N, 0, 1)), -1, 0)

    def shape_at(self, frame: str | None) -> Floats:
        """(6, d) motion of a frame of the body relative to its root for a unit of each mode; none if there is none."""
        if frame is None or not isinstance(self.body, FlexibleBody):
            return np.zeros((6, self.modes))
        return self.body.frame(frame).shape @ self.shapes


def make_link(
    name: str, body: RigidBody | FlexibleBody, modes: int | ModeChoice | None, places: Sequence[str] = ()
) -> Link:
    """A link of a body, with elastic modes of a choice, so many of lowest frequency, or all.

    Parameters
    ----------
    places : sequence of str
        Frames of the body, besides its root, where other links hang on it.
    """
    if isinstance(body, RigidBody):
        if modes not in (None, 0, ALL):
            raise ModelError(f"link {name!r}: modes: a rigid body has none besides the {RIGID} rigid ones, got {modes}")
        return _rigid(name, body)
    choice = modes if isinstance(modes, ModeChoice) else ModeChoice(modes)
    with _named(name):
        return _flexible(name, body, choice, places)


def _rigid(name: str, body: RigidBody) -> Link:
    J = body.inertia
    empty = np.zeros((0, 3, 3))
    return Link(
        name=name,
        body=body,
        mass=body.mass,
        com=body.com,
        second=np.trace(J) / 2.0 * np.eye(3) - J,
        inertia=_block(J, body.mass),
        squares=np.zeros(0),
        damping=np.zeros((0, 0)),
        shapes=np.zeros((0, 0)),
        participation=np.zeros((RIGID, 0)),
        X=empty,
        N=np.zeros((0, 0, 3, 3)),
    )


def _flexible(name: str, body: FlexibleBody, choice: ModeChoice, places: Sequence[str]) -> Link:
    """Elastic modes of the free link: mass less the participation of the rigid modes, then all integrals in them."""
    given = body.integrals
    c = given.moment / given.mass
    S = given.second - given.mass * np.outer(c, c)
    E = given.E
    X = given.X - c[None, :, None] * E[:, None, :]
    inertia = _block(np.trace(S) * np.eye(3) - S, given.mass)
    momentum = np.concatenate([axial(X), E], axis=1).T
    answer = -_inverse(inertia) @ momentum
    G, K = body.mass_matrix.toarray(), body.stiffness.toarray()
    free = _FreeLink(name, body, K, _clean(G + momentum.T @ answer, _products(G)), answer, c)
    squares, y, labels = free.chosen(choice, places)
    z = _clean(answer @ y, np.abs(answer) @ np.abs(y))
    turn, move = z[:3].T, z[3:].T
    turns = cross_matrix(turn)
    E_y, X_y = y.T @ E, np.einsum("nr,nij->rij", y, X)
    N_y = np.einsum("ns,nmij,mr->srij", y, given.N.dense(), y)
    mixed = np.einsum("si,rj->srij", E_y, move) + np.einsum("ski,rjk->srij", X_y, turns)
    own = given.mass * np.einsum("si,rj->srij", move, move) + np.einsum("sik,kl,rjl->srij", turns, S, turns)
    N = N_y + mixed + np.transpose(mixed, (1, 0, 3, 2)) + own
    size = np.sqrt(np.maximum(np.einsum("rrii->r", N), 0.0))
    C = y.T @ body.damping.toarray() @ y
    X_d = X_y - np.einsum("ij,rjk->rik", S, turns)
    X_d = (X_d + np.swapaxes(X_d, 1, 2)) / 2.0
    return Link(
        name=name,
        body=body,
        mass=given.mass,
        com=c,
        second=S,
        inertia=inertia,
        squares=squares,
        damping=_clean(C, _products(C)),
        shapes=y,
        participation=z,
        X=_clean(X_d, np.sqrt(np.trace(S)) * size[:, None, None]),
        N=_clean(N, np.outer(size, size)[..., None, None]),
        labels=labels,
        choice=choice,
    )


@dataclass(frozen=True, eq=False)
class _FreeLink:
    """A link free of its joints: stiffness and mass with the participation of the rigid modes `answer`, and centre."""

    name: str
    body: FlexibleBody
    K: Floats
    G: Floats
    answer: Floats
    com: Floats

    def chosen(self, choice: ModeChoice, places: Sequence[str]) -> tuple[Floats, Floats, tuple[str, ...]]:
        """Squared frequencies, shapes (n, d) and labels of the elastic coordinates."""
        lowest = replace(choice, count=None) == ALL
        if lowest:
            most = self.body.modes
            count = len(choice.chosen(self.name, np.zeros(most), np.zeros(most)))
            squares, y = _modes(self.name, self.K, self.G, count)
            return squares, y, tuple(f"mode{i + 1}" for i in range(count))
        squares, y = _modes(self.name, self.K, self.G, self.body.modes)
        frames = [self.body.root, *places] if isinstance(choice.static, bool) else choice.static
        yielding = self.yielding(y, frames)
        share = (self.yielding(y, [self.body.root, *places]) ** 2).sum(axis=1) / squares
        kept = choice.chosen(self.name, squares, share)
        labels = [f"mode{i + 1}" for i in kept]
        if not choice.static:
            return squares[kept], y[:, kept], tuple(labels)
        left = np.setdiff1d(np.arange(len(squares)), kept)
        static, pseudo = residual_shapes(squares[left], yielding[left])
        labels += [f"static{i + 1}" for i in range(len(pseudo))]
        return np.concatenate([squares[kept], pseudo]), np.hstack([y[:, kept], y[:, left] @ static]), tuple(labels)

    def yielding(self, y: Floats, frames: Sequence[str]) -> Floats:
        """Motion (n, 6 frames) of frames in each mode, rotations times the size of the link."""
        length = float(np.linalg.norm(self.body.nodes - self.com, axis=1).max(initial=0.0)) or 1.0
        rows = []
        for frame in frames:
            at = self.body.frame(frame)
            motion = at.shape @ y + moved(at.position - self.com) @ self.answer @ y
            motion[:3] *= length if at.turning else 0.0
            rows.append(motion)
        return np.concatenate([np.zeros((0, y.shape[1])), *rows]).T


@contextmanager
def _named(link: str) -> Iterator[None]:
    """Say of which link a frame is not there."""
    try:
        yield
    except ModelError as error:
        raise (error if str(error).startswith("link ") else ModelError(f"link {link!r}: {error}")) from None


def _modes(name: str, K: Floats, G: Floats, count: int) -> tuple[Floats, Floats]:
    """The second eigenproblem; none of its frequencies may be zero, as all rigid modes are out of it."""
    squares, y = lowest_modes(scipy.sparse.csr_array(K), scipy.sparse.csr_array(G), count)
    if len(squares) < count:
        raise ModelError(
            f"link {name!r}: expected {count} elastic modes beside the {RIGID} rigid ones, got {len(squares)}: "
            "the other shapes of the body move no mass but as a rigid motion"
        )
    largest = float(np.max(np.diagonal(K) / np.maximum(np.diagonal(G), 1e-300), initial=0.0))
    if count and squares[0] <= NO_INERTIA * largest:
        loose = int(np.sum(squares <= NO_INERTIA * largest))
        raise ModelError(
            f"link {name!r}: expected {RIGID} rigid modes, got {RIGID + loose} without stiffness: the link is a "
            "mechanism; hold its parts together or make them links of their own"
        )
    return squares, y


def _block(J: Floats, mass: float) -> Floats:
    out = np.zeros((RIGID, RIGID))
    out[:3, :3], out[3:, 3:] = J, mass * np.eye(3)
    return out


def _inverse(inertia: Floats) -> Floats:
    """Of the rigid modes' inertia; a rotation without inertia (of point masses in line) has no participation either."""
    out = np.zeros((RIGID, RIGID))
    values, vectors = np.linalg.eigh(inertia[:3, :3])
    kept = values > NO_INERTIA * max(float(values[-1]), 1e-300)
    out[:3, :3] = (vectors[:, kept] / values[kept]) @ vectors[:, kept].T
    out[3:, 3:] = np.eye(3) / inertia[3, 3]
    return out


def _clean(values: Floats, bound: Floats) -> Floats:
    """Without rounding in place of zeros."""
    return np.where(np.abs(values) < NOISE * bound, 0.0, values)


def _products(matrix: Floats) -> Floats:
    """What Cauchy and Schwarz allow the entries of a matrix that is not negative."""
    d = np.sqrt(np.maximum(np.diagonal(matrix), 0.0))
    return np.outer(d, d)
