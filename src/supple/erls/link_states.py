"""What an equivalent rigid-link system is before anything is computed: names, numbers, states and their checks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import fields
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from supple.call_checks import checked
from supple.checks import Floats, generator
from supple.description.overview import coordinates, overview
from supple.erls.arrays import Numbers, Singular, check_definite, loosest, matvec
from supple.erls.chain import Chain, state_names
from supple.erls.compatibility import Configuration, Deformation, configuration, deformation
from supple.erls.dynamics import Dynamics
from supple.erls.link_wrenches import LinkWrench, link_wrench
from supple.errors import SingularError
from supple.model.arguments import batch, index_of, of_each_state
from supple.model.flatten import named_frames
from supple.structures.body.flexible_body import FlexibleBody


@checked
class LinkStates:
    """Names and states of a chain of links.

    Attributes
    ----------
    order : (nv,) array of int
        Place in (theta, q_d) of each entry of q.
    """

    loops = None
    quaternions = ()
    couplings = ()

    def __init__(self, chain: Chain) -> None:
        self.chain = chain
        self.description = chain.description
        self.dynamics = Dynamics(chain)
        self.name: str = chain.description.name
        self.bodies: tuple[str, ...] = tuple(link.name for link in chain.links)
        names, units, order = state_names(chain)
        self.coordinates: tuple[str, ...] = names
        self.speeds: tuple[str, ...] = names
        self.coordinate_units: tuple[str, ...] = units
        self.speed_units: tuple[str, ...] = tuple(f"{unit}/s" for unit in units)
        self.nq = self.nv = len(names)
        self.order: NDArray[np.int64] = order
        self._back = np.argsort(order)
        self.is_mode: NDArray[np.bool_] = order >= chain.joints
        self.q_of_speed: NDArray[np.int64] = np.arange(self.nv)
        self.mass: float = float(sum(link.mass for link in chain.links))
        wrenches = chain.description.wrenches.values()
        constant = [
            link_wrench(chain, w.frame, np.concatenate([w.moment, w.force]), w.axes == "ground") for w in wrenches
        ]
        self.constant_loads: list[LinkWrench] = [load for load in constant if load is not None]

    def __repr__(self) -> str:
        return (
            f"<supple equivalent rigid-link system {self.name!r}: {len(self.bodies)} links, "
            f"{self.chain.joints} joints, {self.chain.modes} elastic modes>"
        )

    def _repr_html_(self) -> str:
        title = (
            f"Equivalent rigid-link system {self.name}: {self.chain.joints} joints, {self.chain.modes} elastic modes"
        )
        return overview(self.description, title, coordinates(self.coordinates))

    def arrays(self) -> dict[str, Numbers]:
        """All numbers of the model, those of each link and joint under its name."""
        out: dict[str, Numbers] = {"order": self.order}
        parts: list[tuple[str, Sequence[Any]]] = [
            ("link", self.chain.links),
            ("joint", self.chain.connections),
            ("chain", [self.chain]),
        ]
        for kind, items in parts:
            for i, item in enumerate(items):
                named = {f.name: getattr(item, f.name) for f in fields(item)}
                numbers = {k: x for k, x in named.items() if isinstance(x, (np.ndarray, float, int))}
                out |= {f"{kind}{i}.{k}": np.asarray(x) for k, x in numbers.items()}
        for spring in self.dynamics.springs:
            s = spring.element
            out[f"spring {s.name}"] = np.array([s.stiffness, s.damping, s.length])
            for word, end in (("first", spring.first), ("second", spring.second)):
                load = end.load
                out[f"spring {s.name}, {word}"] = end.position if load is None else np.array([load.link, *load.place])
                out[f"spring {s.name}, {word} shape"] = np.zeros(0) if load is None else load.shape
        for i, load in enumerate(self.constant_loads):
            out |= {f"load{i}.{f.name}": np.asarray(getattr(load, f.name)) for f in fields(load)}
        return out

    @property
    def frames(self) -> tuple[str, ...]:
        """Names of all frames: the ground, the links, and the named places on them."""
        return tuple(named_frames(self.description))

    @property
    def none_prescribed(self) -> NDArray[np.bool_]:
        """(nv,) no speed, as a new array: what is passed on where no acceleration is prescribed."""
        return np.zeros(self.nv, dtype=np.bool_)

    # ------------------------------------------------------------ states

    def normalize(self, q: ArrayLike) -> Numbers:
        """The coordinates themselves: there are no quaternions."""
        (q_,), shape = self._batch(q=q)
        return q_.reshape((*shape, self.nq))

    def body_of_state(self, name: str) -> str:
        """The link to which a coordinate or speed belongs."""
        return name.rpartition(".")[0]

    def coordinate_index(self, name: str) -> int:
        """Place of a coordinate in q."""
        return index_of(self.coordinates, name, "coordinate")

    def speed_index(self, name: str) -> int:
        """Place of a speed in v."""
        return index_of(self.speeds, name, "speed")

    def joint_speeds(self, body: str) -> list[int]:
        """Places in v of the speeds of a link's joint; its modes are not among them."""
        connection = self.chain.connections[index_of(self.bodies, body, "body")]
        return [int(i) for i in np.flatnonzero(self.order == connection.coordinate)]

    def neutral(self) -> Floats:
        """Coordinates (nq,) of the undeformed mechanism with all joints at zero."""
        return np.zeros(self.nq)

    def random_state(self, seed: int) -> tuple[Floats, Floats]:
        """A random state (q, v): angles and positions uniform in -1 ... 1, small deformations, speeds normal."""
        rng = generator(seed, f"model {self.name!r}: random state: seed")
        q = rng.uniform(-1.0, 1.0, self.nq)
        scale = np.ones(self.nq)
        for i, link in enumerate(self.chain.links):
            if isinstance(link.body, FlexibleBody) and link.modes:
                n = self.chain.joints
                scale[n + self.chain.first[i] : n + self.chain.first[i + 1]] = link.body.small_amplitude(0.1)
        return q * scale[self.order], rng.normal(size=self.nv)

    def derivative(self, q: ArrayLike, v: ArrayLike) -> Numbers:
        """Rates of the coordinates, (..., nq): the speeds."""
        (_, v_), shape = self._batch(q=q, v=v)
        return v_.reshape((*shape, self.nv)).copy()

    def tangent(self, q: ArrayLike) -> Numbers:
        """S (..., nq, nv): rates of the coordinates are S v, and S is the identity."""
        (q_,), shape = self._batch(q=q)
        return np.broadcast_to(np.eye(self.nv, dtype=q_.dtype), (*shape, self.nv, self.nv)).copy()

    def integrate(self, q: ArrayLike, v: ArrayLike, dt: ArrayLike) -> Numbers:
        """Coordinates (..., nq) after the time `dt` at constant speeds v."""
        where = f"model {self.name!r}"
        parts = {"q": (q, self.nq), "v": (v, self.nv), "dt": (of_each_state(where, "dt", dt), 1)}
        (q_, v_, dt_), shape, _ = batch(where, parts)
        return (q_ + dt_ * v_).reshape((*shape, self.nq))

    def whole(self, q: ArrayLike) -> Numbers:
        """Modal coordinates (..., 6 links + d) of all links: q_r (rotation, displacement) with q_d, link by link."""
        (q_,), shape = self._batch(q=q)
        _, now = self._deformed(q_)
        eta = q_[:, self._back][:, self.chain.joints :]
        parts = [np.concatenate([now.psi[i], eta[:, self.chain.span(i)]], axis=-1) for i in range(len(self.bodies))]
        return np.concatenate(parts, axis=-1).reshape((*shape, -1))

    def joint_positions(self, q: ArrayLike) -> Numbers:
        """theta + xi (..., n): the whole relative motion of the links at each joint that has one."""
        (q_,), shape = self._batch(q=q)
        x, n = q_[:, self._back], self.chain.joints
        at, _ = self._deformed(q_)
        return (x[:, :n] + matvec(at.slip, x[:, n:])).reshape((*shape, n))

    # ------------------------------------------------------------ shapes and faults

    def batch(self, **parts: tuple[ArrayLike, int]) -> tuple[list[Numbers], tuple[int, ...], Any]:
        """Arrays as one batch (see `supple.model.arguments.batch`), its leading axes and type."""
        return batch(f"model {self.name!r}", parts)

    def _batch(self, **parts: ArrayLike) -> tuple[list[Numbers], tuple[int, ...]]:
        arrays, shape, _ = self.batch(**{name: (x, self.nv) for name, x in parts.items()})
        return arrays, shape

    def _deformed(self, q: Numbers) -> tuple[Configuration, Deformation]:
        x, n = q[:, self._back], self.chain.joints
        with self._faults(q):
            at = configuration(self.chain, x[:, :n])
            if self.chain.modes:
                check_definite(at.mass)
            return at, deformation(self.chain, at, x[:, n:])

    @contextmanager
    def _faults(self, q: Numbers) -> Iterator[None]:
        """Say at which configuration, and for which joints, an inertia vanishes."""
        try:
            yield
        except Singular as fault:
            state, weights = loosest(fault.matrix)
            joints = np.flatnonzero(self.order < self.chain.joints)
            loose = ", ".join(repr(self.coordinates[i]) for i, w in zip(joints, weights, strict=False) if w > 0.1)
            at = [f"{self.coordinates[i]} = {q[state, i].real:.6g}" for i in joints]
            raise SingularError(
                f"model {self.name!r}: C_r of the compatibility equations has lost rank at {', '.join(at)}: the links "
                f"have no inertia against the joint motions {loose}, so that no rigid displacement of minimum norm "
                "exists; give the links that they move mass or inertia"
            ) from None
