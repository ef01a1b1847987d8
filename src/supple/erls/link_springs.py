"""Springs and dampers between places of the links, or of the ground: forces along the line that joins them.

The places are those of the deformed links, x + u in the axes of the equivalent rigid link, and the forces do their
virtual work there, (64)-(67); so they are the derivatives of the springs' energy, and energy is kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from supple.checks import Floats
from supple.description.members import SpringDamper
from supple.erls.arrays import Numbers, dot, matvec, skew, weighted
from supple.erls.chain import Chain
from supple.erls.compatibility import Configuration, Deformation, Drift
from supple.erls.link_wrenches import LinkWrench, centres, link_wrench, rotations
from supple.spatial import TINY


@dataclass(frozen=True, eq=False)
class SpringEnd:
    """One end of a spring: a place of a link, or, without one, of the ground."""

    load: LinkWrench | None
    position: Floats


@dataclass(frozen=True, eq=False)
class LinkSpring:
    """A spring-damper of the mechanism between its two ends."""

    element: SpringDamper
    first: SpringEnd
    second: SpringEnd


class Places:
    """Positions and velocities of places on the links of states.

    Parameters
    ----------
    chain : Chain
    at, now : Configuration, Deformation
    theta, eta : (..., n), (..., d) arrays
    """

    def __init__(self, chain: Chain, at: Configuration, now: Deformation, theta: Numbers, eta: Numbers) -> None:
        self.chain, self.now, self.eta = chain, now, eta
        self.R, self.p = rotations(chain, at), centres(chain, at, theta)

    def position(self, end: SpringEnd) -> Numbers:
        """In the ground frame (..., 3)."""
        if end.load is None:
            return np.broadcast_to(end.position, (*self.eta.shape[:-1], 3))
        i = end.load.link
        return self.p[i] + matvec(self.R[i], self._arm(end.load, self.now.psi[i], self.eta))

    def velocity(self, end: SpringEnd, twists: Sequence[Numbers], rates: Drift, eta_rate: Numbers) -> Numbers:
        """In ground axes (..., 3), from the twists of the equivalent rigid links and the rates of the rest."""
        if end.load is None:
            return np.zeros((*self.eta.shape[:-1], 3))
        i = end.load.link
        arm = self._arm(end.load, self.now.psi[i], self.eta)
        rate = self._arm(end.load, rates.psi[i], eta_rate) - end.load.place
        return matvec(self.R[i], twists[i][..., 3:] + matvec(skew(twists[i][..., :3]), arm) + rate)

    def _arm(self, load: LinkWrench, psi: Numbers, eta: Numbers) -> Numbers:
        """x + u from the centre of mass of the equivalent rigid link, in its axes."""
        own = eta[..., self.chain.span(load.link)]
        return load.place + psi[..., 3:] + matvec(skew(psi[..., :3]), load.place) + matvec(load.shape[3:], own)


def link_springs(chain: Chain) -> list[LinkSpring]:
    """The springs of a chain's mechanism."""

    def end(frame: str) -> SpringEnd:
        return SpringEnd(link_wrench(chain, frame, np.zeros(6), True), chain.description.find_frame(frame).position)

    return [LinkSpring(s, end(s.first), end(s.second)) for s in chain.description.springs.values()]


def spring_loads(
    springs: Sequence[LinkSpring], places: Places, twists: Sequence[Numbers], rates: Drift, eta_rate: Numbers
) -> list[LinkWrench]:
    """Forces of the springs at their ends, in ground axes."""
    out = []
    for spring in springs:
        s, ends = spring.element, (spring.first, spring.second)
        gap = places.position(ends[1]) - places.position(ends[0])
        square = dot(gap, gap) + TINY
        opening = places.velocity(ends[1], twists, rates, eta_rate) - places.velocity(ends[0], twists, rates, eta_rate)
        pull = s.stiffness * (1.0 - s.length / np.sqrt(square)) + s.damping * dot(gap, opening) / square
        force = weighted(pull, gap)
        for end, sign in zip(ends, (1.0, -1.0), strict=True):
            if end.load is not None:
                wrench = np.concatenate([np.zeros_like(force), sign * force], axis=-1)
                out.append(replace(end.load, wrench=wrench))
    return out


def spring_energy(springs: Sequence[LinkSpring], places: Places) -> Numbers:
    """Of all springs (...), J."""
    total = np.zeros(places.eta.shape[:-1])
    for spring in springs:
        gap = places.position(spring.second) - places.position(spring.first)
        stretch = np.sqrt(dot(gap, gap) + TINY) - spring.element.length
        total = total + 0.5 * spring.element.stiffness * stretch * stretch
    return np.asarray(total)
