"""Mechanisms from Denavit-Hartenberg parameters, standard and modified."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from supple.call_checks import checked
from supple.checks import Floats, number
from supple.description.joints import Joint, Prismatic, Revolute
from supple.description.members import GROUND
from supple.errors import ModelError
from supple.model.mechanism import Mechanism
from supple.rigid_body import RigidBody
from supple.structures.body.flexible_body import FlexibleBody

CONVENTIONS = ("standard", "modified")
JOINTS = ("revolute", "prismatic")


class Placement(NamedTuple):
    """Where a frame is in another: its origin (3,) and its axes (3, 3)."""

    position: Floats
    rotation: Floats

    def moved(self, inner: Placement) -> Placement:
        """A frame that is placed in this one, seen from where this one is."""
        return Placement(self.position + self.rotation @ inner.position, self.rotation @ inner.rotation)


HERE = Placement(np.zeros(3), np.eye(3))


@checked
@dataclass(frozen=True)
class DH:
    """One row of a table of Denavit-Hartenberg parameters.

    Parameters
    ----------
    a, alpha : float
        Length (m) and twist (rad) of the link; in the modified convention those of the link before.
    d, theta : float
        Offset (m) and angle (rad) at zero joint coordinate, which is added to one of them.
    joint : str
        "revolute": the coordinate is added to theta; "prismatic": to d.
    stiffness, rest, damping, inertia : float
        Of the joint, as for `supple.Revolute`; `inertia` is that of a motor.
    """

    a: float = 0.0
    alpha: float = 0.0
    d: float = 0.0
    theta: float = 0.0
    joint: str = "revolute"
    stiffness: float = 0.0
    rest: float = 0.0
    damping: float = 0.0
    inertia: float = 0.0

    def before(self, convention: str) -> Placement:
        """The joint frame at zero coordinate, seen from the outboard frame of the link before."""
        if convention == "standard":
            # the part of Rot_z Trans_z that stays goes before the joint: both commute with it
            slide = self.d if self.joint == "prismatic" else 0.0
            return Placement(np.array([0.0, 0.0, slide]), _about("z", self.theta))
        turned = _about("x", self.alpha)
        position = np.array([self.a, 0.0, 0.0]) + self.d * turned[:, 2]
        return Placement(position, turned @ _about("z", self.theta))

    def after(self, convention: str) -> Placement:
        """The outboard frame of the link, seen from its frame at the inboard joint."""
        if convention == "modified":
            return HERE
        rise = 0.0 if self.joint == "prismatic" else self.d
        return Placement(np.array([self.a, 0.0, rise]), _about("x", self.alpha))


@checked
def from_dh(
    name: str,
    links: Mapping[str, RigidBody | FlexibleBody],
    parameters: Sequence[DH],
    convention: str = "standard",
    gravity: ArrayLike = (0.0, 0.0, -9.81),
) -> Mechanism:
    """A serial mechanism from Denavit-Hartenberg parameters, for `build` or for `Mechanism.build`.

    Every body is given in the frame at its inboard joint, z along the joint's axis. In the modified convention that is
    the link's own frame. In the standard convention the link's own frame is at its outboard end, from the inboard one
    by d along z, a along x and alpha about x; it is called "link/dh". A flexible link needs a node where the next
    joint is.

    Parameters
    ----------
    name : str
    links : mapping of name to RigidBody or FlexibleBody
        From the ground outward.
    parameters : sequence of DH
        A row for each link.
    convention : str
        "standard", Rot_z(theta) Trans_z(d) Trans_x(a) Rot_x(alpha), or "modified",
        Rot_x(alpha) Trans_x(a) Rot_z(theta) Trans_z(d).
    gravity : (3,) array_like

    Examples
    --------
    >>> arm = RigidBody(1.0, com=(0.5, 0, 0), inertia=(0.0, 0.1, 0.1))
    >>> mech = from_dh("planar", {"upper": arm, "fore": arm}, [DH(a=1.0), DH(a=1.0)])
    >>> R, p = mech.build().pose([np.pi / 2, 0.0], "fore/dh")
    >>> np.round(p, 9).tolist()
    [0.0, 2.0, 0.0]
    """
    what = f"mechanism {name!r}"
    if convention not in CONVENTIONS:
        raise ModelError(f"{what}: convention: expected one of {', '.join(CONVENTIONS)}, got {convention!r}")
    if len(links) != len(parameters):
        raise ModelError(f"{what}: expected a row of parameters for each link, got {len(parameters)} for {len(links)}")
    mech = Mechanism(name, gravity)
    parent, end = GROUND, HERE
    for (link, body), row in zip(links.items(), parameters, strict=True):
        for key in ("a", "alpha", "d", "theta"):
            number(getattr(row, key), f"link {link!r}: {key}")
        joint = _joint(row, f"{what}: link {link!r}")
        at = end.moved(row.before(convention))
        mech.add_body(link, body, parent, joint, at=at.position, rotation=at.rotation)
        parent, end = link, row.after(convention)
        if convention == "standard":
            name_end(mech, link, end)
    return mech


def _joint(row: DH, what: str) -> Joint:
    if row.joint not in JOINTS:
        raise ModelError(f"{what}: joint: expected one of {', '.join(JOINTS)}, got {row.joint!r}")
    kind = Revolute if row.joint == "revolute" else Prismatic
    return kind("z", stiffness=row.stiffness, rest=row.rest, damping=row.damping, inertia=row.inertia)


def _about(axis: str, angle: float) -> Floats:
    """Rotation about x or z; quarter turns without rounding."""
    c, s = (0.0 if abs(x) < 1e-15 else x for x in (np.cos(angle), np.sin(angle)))
    if axis == "x":
        return np.array([[1.0, 0.0, 0.0], [0.0, c, -s], [0.0, s, c]])
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


def name_end(mech: Mechanism, link: str, end: Placement) -> None:
    """Name the outboard frame of a link "dh"; on a flexible one it is at the node that is there."""
    body, (position, rotation) = mech.bodies[link].body, end
    if isinstance(body, FlexibleBody):
        nodes = mech.beams[link].pieces.nodes if link in mech.beams else body.nodes
        gaps = np.linalg.norm(nodes - position, axis=1)
        node = int(np.argmin(gaps))
        if gaps[node] > 1e-9 * (1 + float(np.ptp(nodes, axis=0).max())):
            raise ModelError(
                f"link {link!r}: expected a node at {position.tolist()}, where its outboard frame is, "
                f"got {nodes[node].tolist()} as the nearest"
            )
        mech.add_frame("dh", f"{link}/{node}", rotation=rotation)
    else:
        mech.add_frame("dh", link, position, rotation)
