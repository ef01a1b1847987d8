"""The links and joints of a mechanism as constants: who carries whom, where, and along which axis.

Link c has its frame at its inboard joint, its root; at zero coordinate that is the joint frame too. On the parent p the
joint sits at a node, or on a rigid link at any place, perhaps moved and turned against it. With twists at the centres
of mass, chi_c the motion of the root of link c and eta elastic coordinates, the compatibility of displacements at a
joint, (3) of Vidoni et al. (2015), reads

    chi_c = K_c (T_c(theta_c) (B_c chi_p + F_c eta_p) + A_c xi_c)

B_c takes a twist of the parent to the joint and into the joint frame's axes, F_c is the motion of the joint's node
relative to the parent's root, T_c the joint's own transformation, A_c its axis, and K_c goes to the centre of mass of
the child. xi_c is the slip along the axis, which is free: the row that the joint does not constrain. A slider touches
the parent where the child's root is: at the node, moved by the coordinate along the axis, as if rigidly joined to it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from supple.checks import Floats
from supple.description.joints import Fixed, Joint, Prismatic, Revolute
from supple.description.members import GROUND, Frame
from supple.erls.arrays import Numbers, moved, twist_cross
from supple.erls.links import Link, make_link
from supple.erls.mode_choice import ModeChoice
from supple.errors import ModelError, nearest
from supple.model.mechanism import Mechanism
from supple.model.model import Model
from supple.structures.body.flexible_body import FlexibleBody

SUPPORTED = (Revolute, Prismatic, Fixed)
ROUNDING = 1e-15
Modes = int | ModeChoice | Mapping[str, int | ModeChoice] | None
"""Elastic modes of all flexible links, or by name."""


@dataclass(frozen=True, eq=False)
class Connection:
    """How a link hangs on another.

    Attributes
    ----------
    parent : int
        Number of the link that carries it, -1 for the ground.
    coordinate : int
        Its place among the joint coordinates theta; -1 if it is fixed.
    turning : bool
        Whether the coordinate is an angle.
    B : (6, 6) array
        From a twist at the parent's centre of mass (or the ground's origin) to one at the joint, in its axes.
    F : (6, d) array
        Motion of the joint's node relative to the parent's root, for a unit of each of the parent's modes.
    A : (6,) array
        The joint's axis as a twist, in link axes; zero if it is fixed.
    K : (6, 6) array
        From the link's root to its centre of mass.
    cross : (6, 6) array
        Of A: dT/dtheta = -cross T.
    position, rotation : (3,), (3, 3) arrays
        The undeformed joint frame in the parent's frame.
    """

    parent: int
    coordinate: int
    turning: bool
    B: Floats
    F: Floats
    A: Floats
    K: Floats
    cross: Floats
    position: Floats
    rotation: Floats

    def transformation(self, theta: Numbers) -> Numbers:
        """T (..., 6, 6) of all joint coordinates (..., n): exp(-theta A x)."""
        if self.coordinate < 0:
            return np.eye(6)
        x = np.asarray(theta[..., self.coordinate])[..., None, None]
        if self.turning:  # A x has the eigenvalues 0 and +-i, so Rodrigues' formula holds for twists at the axis too
            squared = self.cross @ self.cross
            return np.eye(6) + squared - np.sin(x) * self.cross - np.cos(x) * squared
        return np.eye(6) - x * self.cross


@dataclass(frozen=True, eq=False)
class Chain:
    """All links, parents first.

    Attributes
    ----------
    description : Mechanism
    links : tuple of Link
    connections : tuple of Connection
    first : tuple of int
        Where the elastic coordinates of each link begin in q_d, and their number at the end.
    gravity : (3,) array
    stiffness, rest, damping, inertia : (n,) arrays
        Of the joints: springs, dampers and rotors, which see the whole relative motion theta + xi.
    printed : bool
        Whether G and n are those that the paper prints, see `compatibility`.
    """

    description: Mechanism
    links: tuple[Link, ...]
    connections: tuple[Connection, ...]
    first: tuple[int, ...]
    gravity: Floats
    stiffness: Floats
    rest: Floats
    damping: Floats
    inertia: Floats
    printed: bool = False

    @property
    def joints(self) -> int:
        """n."""
        return len(self.inertia)

    @property
    def modes(self) -> int:
        """d, of all links."""
        return self.first[-1]

    def span(self, i: int) -> slice:
        """Where the elastic coordinates of link i are."""
        return slice(self.first[i], self.first[i + 1])


def make_chain(source: Mechanism | Model, modes: Modes, printed: bool = False) -> Chain:
    """The chain of a mechanism, see `build`."""
    mech = source.description if isinstance(source, Model) else source
    if not isinstance(mech, Mechanism):
        raise ModelError(f"expected a Mechanism or a Model, got {type(source).__name__}")
    what = f"mechanism {mech.name!r}"
    if not mech.bodies:
        raise ModelError(f"{what}: expected at least one body, got none")
    _refuse(mech, what)
    chosen = _modes_of(mech, modes, what)
    links = tuple(
        make_link(name, placed.body, chosen[name], _attachments(mech, name)) for name, placed in mech.bodies.items()
    )
    number = {GROUND: -1} | {name: i for i, name in enumerate(mech.bodies)}
    connections: list[Connection] = []
    parts: list[list[float]] = [[], [], [], []]
    for link, placed in zip(links, mech.bodies.values(), strict=True):
        joint = placed.joint
        free = not isinstance(joint, Fixed)
        carrier = links[number[placed.parent]] if placed.parent != GROUND else None
        attachment = Frame(placed.parent, placed.position, placed.rotation, placed.node)
        connections.append(
            _connection(link, joint, carrier, attachment, number[placed.parent], len(parts[0]) if free else -1)
        )
        for values, name in zip(parts, ("stiffness", "rest", "damping", "inertia"), strict=True):
            values += [float(x) for x in getattr(joint, name)]
    first = np.concatenate([[0], np.cumsum([link.modes for link in links])])
    stiffness, rest, damping, inertia = (np.array(p) for p in parts)
    places = tuple(map(int, first))
    loads = mech.gravity, stiffness, rest, damping, inertia
    return Chain(mech, links, tuple(connections), places, *loads, printed)


def state_names(chain: Chain) -> tuple[tuple[str, ...], tuple[str, ...], Any]:
    """Names and units in the order of q, and the place in (theta, q_d) of each."""
    kept: list[tuple[str, str, int]] = []
    for i, (link, c) in enumerate(zip(chain.links, chain.connections, strict=True)):
        if c.coordinate >= 0:
            name, unit = ("angle", "rad") if c.turning else ("position", "m")
            kept.append((f"{link.name}.{name}", unit, c.coordinate))
        first = chain.joints + chain.first[i]
        kept += [(f"{link.name}.{label}", "kg^0.5 m", first + r) for r, label in enumerate(link.labels)]
    names, units, order = zip(*kept, strict=True) if kept else ((), (), ())
    return tuple(names), tuple(units), np.array(order, dtype=np.int64)


def attachment_of(link: Link | None, attachment: Frame) -> tuple[Floats, Floats, Floats]:
    """Position and rotation of a place in its link's frame, and its motion (6, d) relative to the root, in its axes."""
    if link is None:
        return attachment.position, attachment.rotation, np.zeros((6, 0))
    at = np.zeros(3)
    if attachment.node is not None and isinstance(link.body, FlexibleBody):
        at = link.body.frame(attachment.node).position
    into = np.kron(np.eye(2), attachment.rotation.T) @ moved(attachment.position)
    return at + attachment.position, attachment.rotation, into @ link.shape_at(attachment.node)


def _connection(
    link: Link, joint: Joint, carrier: Link | None, attachment: Frame, parent: int, coordinate: int
) -> Connection:
    position, rotation, F = attachment_of(carrier, attachment)
    rotation = _without_rounding(rotation)
    centre = np.zeros(3) if carrier is None else carrier.com
    A = np.zeros(6)
    layout = joint.layout()
    if layout.axes:
        A[:3] = layout.axes[0]
    if layout.directions:
        A[3:] = layout.directions[0]
    return Connection(
        parent=parent,
        coordinate=coordinate,
        turning=bool(layout.axes),
        B=np.kron(np.eye(2), rotation.T) @ moved(position - centre),
        F=F,
        A=A,
        K=moved(link.com),
        cross=twist_cross(A),
        position=position,
        rotation=rotation,
    )


def _refuse(mech: Mechanism, what: str) -> None:
    """Raise for what an equivalent rigid-link system cannot hold."""
    for name, beam in mech.beams.items():
        raise ModelError(
            f"{what}: {name!r}: an equivalent rigid-link system has small deformations of whole links, got a beam in "
            f"{len(beam.pieces)} pieces; take one piece, or floating frames, `Mechanism.build`"
        )
    for name, placed in mech.bodies.items():
        if not isinstance(placed.joint, SUPPORTED):
            raise ModelError(
                f"{what}: joint of {name!r}: an equivalent rigid-link system has revolute, prismatic and fixed joints, "
                f"got a {placed.joint.kind} joint"
            )
    for name in [*mech.constraints, *(f"coupling of {c.follower} to {c.leader}" for c in mech.couplings)]:
        raise ModelError(
            f"{what}: {name!r}: an equivalent rigid-link system is a tree, without closed loops: its slips are found "
            "by the minimum norm of free links; take floating frames, `Mechanism.build`"
        )


def _attachments(mech: Mechanism, name: str) -> list[str]:
    """Frames of a body, its root apart, where others hang on it."""
    body = mech.bodies[name].body
    nodes = [x.node for x in mech.bodies.values() if x.parent == name and x.node is not None]
    root = body.root if isinstance(body, FlexibleBody) else None
    return [node for node in dict.fromkeys(nodes) if node != root]


def _modes_of(mech: Mechanism, modes: Modes, what: str) -> dict[str, int | ModeChoice | None]:
    """The elastic modes each link keeps."""
    flexible = {name for name, placed in mech.bodies.items() if isinstance(placed.body, FlexibleBody)}
    if isinstance(modes, Mapping):
        for name in modes:
            if name not in mech.bodies:
                raise ModelError(f"{what}: modes: no body {name!r}{nearest(name, mech.bodies)}")
        return {name: modes.get(name) for name in mech.bodies}
    return {name: modes if name in flexible else None for name in mech.bodies}


def _without_rounding(R: Floats) -> Floats:
    """A rotation with exact zeros and ones where rounding alone keeps them away, so that equations are short."""
    whole = np.round(R)
    return np.where(np.abs(R - whole) < ROUNDING, whole + 0.0, R)
