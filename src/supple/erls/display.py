"""An ordinary model of the links of an equivalent rigid-link system, to look at and to check with."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import scipy

from supple.checks import Floats
from supple.description.joints import Fixed
from supple.description.members import GROUND, Frame
from supple.erls.arrays import Numbers, moved
from supple.erls.chain import Chain
from supple.erls.links import NO_INERTIA, RIGID, Link
from supple.model.mechanism import Mechanism
from supple.model.model import Model
from supple.rigid_body import RigidBody
from supple.structures.body.flexible_body import FlexibleBody, ShapeFrame
from supple.structures.body.modal_integrals import ModalIntegrals, Pairs
from supple.structures.body.recovery import Kind, MotionSet, Recovery
from supple.structures.discretization.dof_map import cross_matrix
from supple.structures.elements.recovery_table import RecoveryTable

RIGID_LABELS = ("turn_x", "turn_y", "turn_z", "move_x", "move_y", "move_z")


class Display:
    """The model, and the order of its coordinates."""

    def __init__(self, chain: Chain) -> None:
        self.chain = chain
        self.roots: dict[str, str] = {}
        """The frame at the root of each link."""
        mech = Mechanism(chain.description.name, chain.gravity)
        for link, c, placed in zip(chain.links, chain.connections, chain.description.bodies.values(), strict=True):
            parent = GROUND if c.parent < 0 else _rigid_name(chain.links[c.parent].name)
            joint = replace(placed.joint, stiffness=0.0, rest=0.0, damping=0.0, inertia=0.0)
            mech.add_body(_rigid_name(link.name), RigidBody(0.0), parent, joint, c.position, c.rotation)
            body = with_rigid_modes(link, _places(chain, link))
            mech.add_body(link.name, body, _rigid_name(link.name), Fixed())
            self.roots[link.name] = f"{link.name}/{body.root}"
            if isinstance(link.body, FlexibleBody):
                mech.visuals[_rigid_name(link.name)] = ()
        for name, frame in chain.description.frames.items():
            mech.frames[name] = _carried(frame, name, chain)
        mech.visuals |= chain.description.visuals
        self.model = Model(mech)

    def state(self, psi: list[Numbers], theta: Numbers, eta: Numbers) -> Numbers:
        """Coordinates (or speeds, or accelerations) in the order of the model."""
        parts = []
        for i, c in enumerate(self.chain.connections):
            if c.coordinate >= 0:
                parts.append(theta[..., c.coordinate : c.coordinate + 1])
            parts += [psi[i], eta[..., self.chain.span(i)]]
        return np.concatenate(parts, axis=-1)


def with_rigid_modes(link: Link, places: dict[str, Frame]) -> FlexibleBody:
    """The link as a flexible body whose shapes are the six rigid modes, then the elastic ones; U = [U_r | U_d].

    A rigid link has nodes at its origin and at its named places.
    """
    d, body = link.modes, link.body
    surface = recovery = None
    if isinstance(body, FlexibleBody):
        surface = body.surface
        nodes, turning, root = body.nodes, body.turning, body.root
        rows = np.asarray(body.shapes @ link.shapes).reshape(len(nodes), 6, d)
        frames = {name: _frame(link, f.position, f.shape @ link.shapes, f.turning) for name, f in body.frames.items()}
        recovery = None if body.recovery is None else _recovery(body.recovery, link)
    else:
        at = {"origin": np.zeros(3), **{name: frame.position for name, frame in places.items()}}
        nodes, turning, root = np.array(list(at.values())), np.ones(len(at), bool), "origin"
        rows = np.zeros((len(nodes), 6, 0))
        frames = {name: _frame(link, position, rows[0], True) for name, position in at.items()}
    shapes = np.concatenate([_shape(link, x, row, bool(t)) for x, row, t in zip(nodes, rows, turning, strict=True)])
    return FlexibleBody(
        basis="free-free",
        root=root,
        labels=(*RIGID_LABELS, *link.labels),
        frames=frames,
        nodes=nodes,
        turning=turning,
        shapes=scipy.sparse.csr_array(shapes),
        mass_matrix=scipy.sparse.csr_array(scipy.sparse.block_diag([_definite(link.inertia), np.eye(d)])),
        stiffness=scipy.sparse.csr_array(scipy.sparse.diags_array(np.concatenate([np.zeros(RIGID), link.squares]))),
        damping=scipy.sparse.csr_array(scipy.sparse.block_diag([np.zeros((RIGID, RIGID)), link.damping])),
        integrals=_integrals(link),
        surface=surface,
        recovery=recovery,
    )


def _recovery(own: Recovery, link: Link) -> Recovery:
    """What is recovered of a link for its rigid and elastic modes; static shapes are not known."""

    def find(kind: Kind, _: MotionSet) -> RecoveryTable | None:
        found: RecoveryTable | None = getattr(own, kind)
        if found is None:
            return None
        elastic = scipy.sparse.csr_array(found.matrix @ link.shapes)
        none = scipy.sparse.csr_array((elastic.shape[0], RIGID))
        return found.in_motions(scipy.sparse.hstack([none, elastic]))

    return Recovery(find)


def _definite(inertia: Floats) -> Floats:
    """The inertia with a trifle where a rigid mode moves no mass: the modal mass of a body has to be definite."""
    minimum = NO_INERTIA * max(float(np.trace(inertia)), 1.0)
    values, vectors = np.linalg.eigh(inertia)
    return np.asarray(inertia + (vectors * np.where(values > minimum, 0.0, minimum)) @ vectors.T)


def _shape(link: Link, position: Floats, relative: Floats, turning: bool) -> Floats:
    """(6, 6 + d) motion of a point for a unit of each rigid and elastic mode."""
    rigid = moved(position - link.com)
    out = np.concatenate([rigid, relative + rigid @ link.participation], axis=1)
    if not turning:
        out[:3] = 0.0
    return out


def _frame(link: Link, position: Floats, relative: Floats, turning: bool) -> ShapeFrame:
    return ShapeFrame(position, _shape(link, position, relative, turning), turning)


def _integrals(link: Link) -> ModalIntegrals:
    """Of all 6 + d shapes, seen from the link's origin."""
    m, c, S, d = link.mass or NO_INERTIA, link.com, link.second, link.modes  # a flexible body has to have mass
    n = RIGID + d
    e = np.eye(3)
    turns = cross_matrix(e)
    E = np.zeros((n, 3))
    E[3:RIGID] = m * e
    X = np.zeros((n, 3, 3))
    X[:3] = -np.einsum("ij,rjk->rik", S, turns)
    X[RIGID:] = link.X
    X += c[None, :, None] * E[:, None, :]
    N = np.zeros((n, n, 3, 3))
    N[:3, :3] = np.einsum("sik,kl,rjl->srij", turns, S, turns)
    N[3:RIGID, 3:RIGID] = m * np.einsum("si,rj->srij", e, e)
    mixed = np.einsum("sik,rkj->srij", turns, link.X)
    N[:3, RIGID:] = mixed
    N[RIGID:, :3] = np.transpose(mixed, (1, 0, 3, 2))
    N[RIGID:, RIGID:] = link.N
    first = n * np.arange(n + 1)
    pairs = Pairs(first, np.tile(np.arange(n), n), np.swapaxes(N, 0, 1).reshape(-1, 3, 3))
    return ModalIntegrals(m, m * c, S + m * np.outer(c, c), E, X, pairs)


def _carried(frame: Frame, name: str, chain: Chain) -> Frame:
    """A named place: on a rigid link a node of its own, on a flexible one what it was, or joined to the root."""
    if frame.body == GROUND or frame.node is not None:
        return frame
    body = chain.description.bodies[frame.body].body
    if isinstance(body, FlexibleBody):
        return replace(frame, node=body.root)
    return Frame(frame.body, np.zeros(3), frame.rotation, name.split("/", 1)[1])


def _places(chain: Chain, link: Link) -> dict[str, Frame]:
    named = chain.description.frames.items()
    return {name.split("/", 1)[1]: frame for name, frame in named if frame.body == link.name}


def _rigid_name(name: str) -> str:
    return f"{name} (rigid)"
