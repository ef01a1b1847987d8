"""Where the links of an equivalent rigid-link system are and how they move: compatibility, frames, Jacobians."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from supple.call_checks import checked
from supple.erls.arrays import Numbers, matvec
from supple.erls.compatibility import configuration, deformation, drift
from supple.erls.compatibility_matrix import compatibility_matrix
from supple.erls.display import Display
from supple.erls.link_states import LinkStates
from supple.errors import StateError
from supple.model.model import Model


class RigidModes(NamedTuple):
    """How the rigid modal coordinates q_r (rotation, displacement, link by link) follow theta and q_d.

    q_r = D q_d (11), its rate D q_d' + G theta' (14), its second rate G theta'' + D q_d'' + n (24).

    Attributes
    ----------
    D : (..., 6 links, d) array
    G : (..., 6 links, joints) array
    n : (..., 6 links) array
    """

    D: Numbers
    G: Numbers
    n: Numbers


@checked
class LinkFrames(LinkStates):
    """Poses, velocities, accelerations and Jacobians of frames on the deformed links."""

    def compatibility(self, q: ArrayLike) -> Numbers:
        """C (..., v, 6 links + d) of (6): C times `whole(q)` is zero; it depends on the joint coordinates alone."""
        (q_,), shape = self._batch(q=q)
        at, _ = self._deformed(q_)
        C = compatibility_matrix(self.chain, at, q_.shape[:1])
        return C.reshape((*shape, *C.shape[-2:]))

    def rigid_modes(self, q: ArrayLike, v: ArrayLike | None = None) -> RigidModes:
        """D, G and n of (11), (14) and (24): what the rigid modal coordinates of the links do.

        theta and q_d are in the order of `joint_positions` and of the links. G is the whole derivative of D q_d by
        theta, where the print has -C_r^+ E, see `supple.erls.compatibility` and `printed` of `build`.

        Parameters
        ----------
        q : (..., nq) array_like
        v : (..., nv) array_like, optional
            Speeds, on which n depends; zero if not given.
        """
        (q_, v_), shape = self._batch(q=q, v=np.zeros(self.nv) if v is None else v)
        s, n = v_[:, self._back], self.chain.joints
        at, now = self._deformed(q_)
        bias = drift(self.chain, at, now, s[:, :n], s[:, n:]).psi_bias
        found = []
        for parts, columns in ((at.D(), (self.chain.modes,)), (now.G, (n,)), (bias, ())):
            wide = [np.broadcast_to(x, (len(q_), 6, *columns)) for x in parts]
            found.append(np.concatenate(wide, axis=1).reshape((*shape, 6 * len(self.bodies), *columns)))
        return RigidModes(*found)

    # ------------------------------------------------------------ the model to look at

    def display_frame(self, frame: str) -> str:
        """The frame of `display` that is meant by one of this model: a link by its name alone is its root."""
        return self._shown.roots.get(frame, frame)

    @property
    def display(self) -> Model:
        """An ordinary model of the same links, to look at: its states are made by `display_state`.

        Each equivalent rigid link is a massless body "name (rigid)" with the joint, and the link itself hangs fixed on
        it, under its own name, with the six rigid modes as shapes beside its elastic ones.
        """
        return self._shown.model

    @cached_property
    def _shown(self) -> Display:
        return Display(self.chain)

    def display_state(self, q: ArrayLike, v: ArrayLike, a: ArrayLike | None = None) -> tuple[Numbers, Numbers, Numbers]:
        """Coordinates, speeds and accelerations of `display` for those of this model: (11), (14), (24)."""
        (q_, v_, a_), shape = self._batch(q=q, v=v, a=np.zeros(self.nv) if a is None else a)
        x, s, w = (y[:, self._back] for y in (q_, v_, a_))
        n = self.chain.joints
        at, now = self._deformed(q_)
        rate, bias, _, _ = drift(self.chain, at, now, s[:, :n], s[:, n:])
        second = [matvec(G, w[:, :n]) + matvec(D, w[:, n:]) + b for G, D, b in zip(now.G, at.D(), bias, strict=True)]
        parts = [(now.psi, x), (rate, s), (second, w)]
        found = [self._shown.state(psi, y[:, :n], y[:, n:]) for psi, y in parts]
        return tuple(y.reshape((*shape, -1)) for y in found)  # type: ignore[return-value]

    def displayed(self, q: Numbers, v: Numbers) -> tuple[Numbers, Numbers]:
        """Coordinates and speeds of `display` for (theta, q_d) and their rates, on graph nodes too."""
        n = self.chain.joints
        at = configuration(self.chain, q[..., :n])
        now = deformation(self.chain, at, q[..., n:])
        rate = drift(self.chain, at, now, v[..., :n], v[..., n:]).psi
        return self._shown.state(now.psi, q[..., :n], q[..., n:]), self._shown.state(rate, v[..., :n], v[..., n:])

    def display_jacobian(self, q: ArrayLike) -> Numbers:
        """N (..., display.nv, nv) of (69): the speeds of `display` are N v."""
        (q_,), shape = self._batch(q=q)
        speeds = self.display_state(q_.reshape((*shape, 1, self.nq)), np.eye(self.nv))[1]
        return np.swapaxes(speeds, -1, -2)

    # ------------------------------------------------------------ frames

    def pose(self, q: ArrayLike, frame: str, relative_to: str = "ground") -> tuple[Numbers, Numbers]:
        """Return rotation R (..., 3, 3) and position p (..., 3) of a frame; see `Model.pose`.

        A link by its name alone is its root, with the displacement of the link; "name (rigid)" is the equivalent rigid
        link.
        """
        display, _, _ = self.display_state(q, np.zeros(self.nv))
        return self.display.pose(display, self.display_frame(frame), self.display_frame(relative_to))

    def poses(self, q: ArrayLike, frames: Sequence[str] | None = None) -> tuple[Numbers, Numbers]:
        """Return R (..., m, 3, 3), p (..., m, 3) of frames; default: the ground and the roots of all links."""
        display, _, _ = self.display_state(q, np.zeros(self.nv))
        names = ("ground", *self.bodies) if frames is None else frames
        if isinstance(names, str):
            raise StateError(f"frames: expected a sequence of names, got {names!r}")
        return self.display.poses(display, [self.display_frame(name) for name in names])

    def motions(self, q: ArrayLike, v: ArrayLike, a: ArrayLike) -> tuple[Numbers, Numbers]:
        """Velocity and acceleration (..., 1 + bodies, 6) of the ground and the roots of all links, in their axes."""
        state = self.display_state(q, v, a)
        names = [self.display_frame(name) for name in ("ground", *self.bodies)]
        V = [self.display.velocity(*state[:2], name, "frame") for name in names]
        A = [self.display.acceleration(*state, name, "frame") for name in names]
        return np.stack(V, axis=-2), np.stack(A, axis=-2)

    def velocity(
        self, q: ArrayLike, v: ArrayLike, frame: str, axes: str = "ground", relative_to: str = "ground"
    ) -> Numbers:
        """Return the angular and linear velocity (..., 6) of a frame's origin; see `Model.velocity`."""
        q_, v_, _ = self.display_state(q, v)
        return self.display.velocity(q_, v_, self.display_frame(frame), *self._shown_from(axes, relative_to))

    def acceleration(self, q: ArrayLike, v: ArrayLike, a: ArrayLike, frame: str, axes: str = "ground") -> Numbers:
        """Return the angular and linear acceleration (..., 6) of a frame's origin, without gravity."""
        state = self.display_state(q, v, a)
        return self.display.acceleration(*state, self.display_frame(frame), self._shown_from(axes, "ground")[0])

    def jacobian(self, q: ArrayLike, frame: str, axes: str = "ground", relative_to: str = "ground") -> Numbers:
        """Return J (..., 6, nv): `velocity` of a frame is J v."""
        display, _, _ = self.display_state(q, np.zeros(self.nv))
        seen = self._shown_from(axes, relative_to)
        return self.display.jacobian(display, self.display_frame(frame), *seen) @ self.display_jacobian(q)

    def _shown_from(self, axes: str, relative_to: str) -> tuple[str, str]:
        """Axes and base by the names of the display model."""
        return axes if axes == "frame" else self.display_frame(axes), self.display_frame(relative_to)
