"""Forces and torques at places on the links, (64)-(68) of Vidoni et al. (2015), and where the links are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from supple.checks import Floats
from supple.description.members import GROUND
from supple.erls.arrays import Numbers, matvec, moved, skew, transposed
from supple.erls.chain import Chain, attachment_of
from supple.erls.compatibility import Configuration
from supple.errors import ModelError
from supple.structures.body.flexible_body import FlexibleBody


@dataclass(frozen=True, eq=False)
class LinkWrench:
    """A moment and force at a place of a link.

    Attributes
    ----------
    link : int
    place : (3,) array
        Undeformed, from the link's centre of mass.
    shape : (6, d) array
        U_f of (65): rotation and displacement of the place for a unit of each elastic mode, link axes.
    turn : (3, 3) array
        From the axes of the wrench to those of the link; of the ground if it is `grounded`.
    wrench : (..., 6) array
        Moment and force.
    grounded : bool
        Whether the wrench keeps its direction in the ground frame instead of that of the equivalent rigid link.
    """

    link: int
    place: Floats
    shape: Floats
    turn: Floats
    wrench: Numbers
    grounded: bool = False


def link_wrench(chain: Chain, frame: str, wrench: Numbers, grounded: bool = False) -> LinkWrench | None:
    """A load at a frame of the mechanism; None on the ground."""
    attachment = chain.description.find_frame(frame)
    if attachment.body == GROUND:
        return None
    i = [link.name for link in chain.links].index(attachment.body)
    link = chain.links[i]
    on = (
        link.body.frame(attachment.node)
        if isinstance(link.body, FlexibleBody) and attachment.node is not None
        else None
    )
    if on is not None and not on.turning and wrench[..., :3].any():
        raise ModelError(
            f"wrench at {frame!r}: a node without rotations takes no moment, got {wrench[..., :3].tolist()}"
        )
    position, rotation, relative = attachment_of(link, attachment)
    shape = np.kron(np.eye(2), rotation) @ relative + moved(position - link.com) @ link.participation
    return LinkWrench(i, position - link.com, shape, np.eye(3) if grounded else rotation, wrench, grounded)


def virtual_work(
    load: LinkWrench, rotation: Numbers | None, psi: Numbers, eta: Numbers
) -> tuple[Numbers, Numbers, Numbers]:
    """What a load does against (dphi, dP_0), dq_r and deta of its link: (67)."""
    turn: Any = load.turn if rotation is None else transposed(rotation)
    moment, force = (matvec(turn, load.wrench[..., i : i + 3]) for i in (0, 3))
    on_psi = np.concatenate([moment + matvec(skew(load.place), force), force], axis=-1)
    u = psi[..., 3:] + matvec(skew(psi[..., :3]), load.place) + matvec(load.shape[3:], eta)
    swing = matvec(skew(u), force)
    on_V = np.concatenate([on_psi[..., :3] + swing, np.broadcast_to(force, swing.shape)], axis=-1)
    return on_V, on_psi, matvec(load.shape.T, np.concatenate([moment, force], axis=-1))


def rotations(chain: Chain, at: Configuration) -> list[Numbers]:
    """R_ground_link (..., 3, 3) of the equivalent rigid links."""
    out: list[Numbers] = []
    for i, c in enumerate(chain.connections):
        parent: Any = out[c.parent] if c.parent >= 0 else np.eye(3)
        out.append(parent @ c.rotation @ transposed(at.T[i][..., :3, :3]))
    return out


def centres(chain: Chain, at: Configuration, theta: Numbers) -> list[Numbers]:
    """Centres of mass (..., 3) of the equivalent rigid links in the ground frame."""
    R = rotations(chain, at)
    roots: list[Numbers] = []
    for c in chain.connections:
        slide = c.A[3:] * theta[..., c.coordinate, None] if c.coordinate >= 0 else np.zeros(3)
        step = c.position + matvec(c.rotation, slide)
        if c.parent >= 0:
            step = roots[c.parent] + matvec(R[c.parent], step)
        roots.append(step)
    return [p + matvec(R[i], chain.links[i].com) for i, p in enumerate(roots)]
