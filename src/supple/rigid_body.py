"""Rigid bodies."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from supple.call_checks import checked
from supple.checks import Floats, array, dimensions, freeze, number
from supple.errors import ModelError

TRIANGLE_TOLERANCE = 1e-6
"""Relative excess of one principal moment over the sum of the others that rounding in a data sheet may cause."""


@checked
@dataclass(frozen=True, eq=False)
class RigidBody:
    """A rigid body: mass, centre of mass and inertia, in the body frame.

    Parameters
    ----------
    mass : float
        kg; zero for a body that only carries others.
    com : (3,) array_like
        Centre of mass from the body frame's origin, which is at the inboard joint, m.
    inertia : (3, 3) or (3,) array_like
        About the centre of mass, in body axes, kg m^2; three numbers are a diagonal.
    allow_unphysical : bool
        Take an inertia that no distribution of mass can have (files of real robots hold such).

    Examples
    --------
    >>> RigidBody(2.0, com=(0, 0, 0.5), inertia=(0.1, 0.1, 0.01)).mass
    2.0
    """

    mass: float
    com: Floats = field(default_factory=lambda: np.zeros(3))
    inertia: Floats = field(default_factory=lambda: np.zeros((3, 3)))
    allow_unphysical: bool = False

    def __init__(
        self,
        mass: float,
        com: ArrayLike = (0.0, 0.0, 0.0),
        inertia: ArrayLike = (0.0, 0.0, 0.0),
        allow_unphysical: bool = False,
    ) -> None:
        moments = array(inertia, (3,) if dimensions(inertia, "inertia") == 1 else (3, 3), "inertia")
        matrix = np.diag(moments) if moments.ndim == 1 else moments
        object.__setattr__(self, "mass", number(mass, "mass"))
        object.__setattr__(self, "com", array(com, (3,), "com"))
        object.__setattr__(self, "inertia", matrix)
        object.__setattr__(self, "allow_unphysical", allow_unphysical)
        freeze(self, "com", "inertia")
        with np.errstate(over="ignore", invalid="ignore"):
            if not np.isfinite(self.about_origin()).all():
                raise ModelError(
                    f"mass, com: too large for an inertia about the origin, {self.mass:g}, {self.com.tolist()}"
                )
        fault = self.fault()
        if fault and not allow_unphysical:
            raise ModelError(fault)

    def fault(self) -> str | None:
        """What no real body could have, with the numbers; None if there is nothing."""
        if self.mass < 0:
            return f"mass: expected zero or more, got {self.mass:g}"
        J = self.inertia
        size = float(np.abs(J).max())
        if np.abs(J - J.T).max() > 1e-9 * size:
            return f"inertia: expected a symmetric matrix, got {J.tolist()}"
        moments = np.linalg.eigvalsh(J)
        tolerance = TRIANGLE_TOLERANCE * size
        if moments[0] < -tolerance:
            return f"inertia: expected no negative principal moment, got {moments[0]:g} (all: {moments.tolist()})"
        if moments[2] > moments[0] + moments[1] + tolerance:
            return (
                "inertia: breaks the triangle inequality: the largest principal moment "
                f"{moments[2]:g} exceeds the sum of the others {moments[0] + moments[1]:g}"
            )
        return None

    def about_origin(self) -> Floats:
        """Inertia about the body frame's origin, J - m c~ c~."""
        c = self.com
        return self.inertia + self.mass * (float(c @ c) * np.eye(3) - np.outer(c, c))

    def moved(self, rotation: Floats, position: Floats) -> RigidBody:
        """The same body seen from a frame in which its own frame has this rotation and position."""
        return RigidBody(
            self.mass, position + rotation @ self.com, rotation @ self.inertia @ rotation.T, self.allow_unphysical
        )

    def joined(self, other: RigidBody) -> RigidBody:
        """This body and another one, given in the same frame, as one body."""
        mass = self.mass + other.mass
        com = (self.mass * self.com + other.mass * other.com) / mass if mass != 0 else np.zeros(3)
        inertia = np.zeros((3, 3))
        for body in (self, other):
            d = body.com - com
            inertia += body.inertia + body.mass * (float(d @ d) * np.eye(3) - np.outer(d, d))
        return RigidBody(mass, com, inertia, self.allow_unphysical or other.allow_unphysical)
