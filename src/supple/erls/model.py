"""The frozen equivalent rigid-link system of a mechanism, with the names of `supple.Model`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import fields
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from supple.checks import Floats
from supple.engines.blocks.block_program import Program
from supple.erls.arrays import Numbers, Singular, check_definite, loosest, matvec, solve, transposed
from supple.erls.chain import Chain, make_chain, state_names
from supple.erls.compatibility import Configuration, Deformation, configuration, deformation, drift
from supple.erls.compatibility_matrix import compatibility_matrix
from supple.erls.display import Display
from supple.erls.dynamics import Dynamics, RigidLinkEquations, hybrid
from supple.erls.link_wrenches import LinkWrench, link_wrench
from supple.erls.trace import ErlsTrace
from supple.errors import FileFormatError, ModelError, SingularError, StateError
from supple.expressions.function import Function
from supple.model.arguments import batch, index_of
from supple.model.mechanism import Mechanism
from supple.model.model import Model
from supple.model.motion_slopes import (
    InverseSlopes,
    MotionSlopes,
    inverse_slopes_by_complex_steps,
    slopes_by_complex_steps,
)
from supple.model.programs import Ends, traced_program
from supple.model.recorded_trace import LIMIT
from supple.structures.body import FlexibleBody

Loads = Mapping[str, ArrayLike]


def build(mechanism: Mechanism | Model, modes: int | Mapping[str, int] | None = None) -> ErlsModel:
    """The equivalent rigid-link system of a mechanism, after Vidoni et al. (2015).

    Parameters
    ----------
    mechanism : Mechanism or Model
        A tree with revolute, prismatic and fixed joints.
    modes : int or mapping of body to int, optional
        Elastic modes that flexible links keep, those of the free link of lowest frequency; all that the bodies have if
        not given. The paper counts the six rigid ones too: its eight modes are two here.

    Examples
    --------
    >>> from supple import Revolute
    >>> from supple.structures import Material, Rectangle, beam
    >>> boom = beam(0.5, Rectangle(0.02, 0.005), Material(E=70e9, nu=0.3, rho=2700), elements=4)
    >>> mech = Mechanism("boom")
    >>> mech.add_body("boom", boom.reduce("free-free", modes=4), joint=Revolute("y"))
    >>> build(mech, modes=2).coordinates
    ('boom.angle', 'boom.mode1', 'boom.mode2')
    """
    return ErlsModel(make_chain(mechanism, modes))


class ErlsModel:
    """An equivalent rigid-link system; made by `build`.

    The joint coordinates are those of the equivalent rigid links. The whole relative motion of two links at their
    joint is theta + xi, with the slip xi a linear function of the elastic coordinates, see `joint_positions`. Forces
    tau of joints act on that whole motion, as motors do, those of modes on the modes; so M a + b = B* tau with B of
    `actuation_matrix`.

    Attributes
    ----------
    name : str
    bodies : tuple of str
        The links, parents first.
    nq, nv : int
        The same number n + d: coordinates have their own rates as speeds.
    coordinates, speeds : tuple of str
        As those of the ordinary model of the same mechanism: link by link its joint, then its modes.
    is_mode : (nv,) array of bool
        Which of them are elastic.
    q_of_speed : (nv,) array of int
        The coordinate whose rate each speed is: its own.
    mass : float
        Of all links, kg.
    loops : None
        There are no closed ones.
    quaternions : tuple
        Nor quaternions.
    implicit_steps : bool
        False: generalized-alpha steps do not solve its equations.
    formulation : str
        By this name results files know it.
    """

    formulation: ClassVar[str] = "equivalent rigid links"
    loops = None
    quaternions = ()
    implicit_steps = False

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
        self.order = order
        """Place in (theta, q_d) of each entry of q."""
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
        for i, load in enumerate(self.constant_loads):
            out |= {f"load{i}.{f.name}": np.asarray(getattr(load, f.name)) for f in fields(load)}
        return out

    # ------------------------------------------------------------ states

    def normalize(self, q: ArrayLike) -> Numbers:
        """The coordinates themselves: there are no quaternions."""
        return np.asarray(q)

    def coordinate_index(self, name: str) -> int:
        """Place of a coordinate in q."""
        return index_of(self.coordinates, name, "coordinate")

    def speed_index(self, name: str) -> int:
        """Place of a speed in v."""
        return index_of(self.speeds, name, "speed")

    def body_of_state(self, name: str) -> str:
        """The link to which a coordinate or speed belongs."""
        return name.rpartition(".")[0]

    def neutral(self) -> Floats:
        """Coordinates (nq,) of the undeformed mechanism with all joints at zero."""
        return np.zeros(self.nq)

    def random_state(self, seed: int) -> tuple[Floats, Floats]:
        """A random state (q, v): angles and positions uniform in -1 ... 1, small deformations, speeds normal."""
        rng = np.random.default_rng(seed)
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

    def integrate(self, q: ArrayLike, v: ArrayLike, dt: ArrayLike) -> Numbers:
        """Coordinates (..., nq) after the time `dt` at constant speeds v."""
        self._batch(q=q, v=v)
        return np.asarray(q) + np.expand_dims(dt, -1) * np.asarray(v)

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

    # ------------------------------------------------------------ kinematics

    def compatibility(self, q: ArrayLike) -> Numbers:
        """C (..., v, 6 links + d) of (6): C times `whole(q)` is zero; it depends on the joint coordinates alone."""
        (q_,), shape = self._batch(q=q)
        at, _ = self._deformed(q_)
        C = compatibility_matrix(self.chain, at, q_.shape[:1])
        return C.reshape((*shape, *C.shape[-2:]))

    def pose(self, q: ArrayLike, frame: str) -> tuple[Numbers, Numbers]:
        """Rotation R (..., 3, 3) and position p (..., 3) of a frame in the ground frame; see `Model.pose`.

        A link by its name alone is its root, with the displacement of the link; "name (rigid)" is the equivalent rigid
        link.
        """
        display, _, _ = self.display_state(q, np.zeros(self.nv))
        return self.display.pose(display, self.display_frame(frame))

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

    # ------------------------------------------------------------ dynamics

    def mass_matrix(self, q: ArrayLike) -> Numbers:
        """M (..., nv, nv)."""
        (q_,), shape = self._batch(q=q)
        with self._faults(q_):
            M = self.dynamics.mass_matrix(q_[:, self._back])
        return M[:, self.order][:, :, self.order].reshape((*shape, self.nv, self.nv))

    def bias_forces(self, q: ArrayLike, v: ArrayLike, external: Loads | None = None) -> Numbers:
        """b (..., nv) of M a + b = B* tau: Coriolis, gravity, strain, springs, dampers, applied wrenches."""
        x, _, shape = self._formed(q, v, np.zeros(self.nv), external)
        return x.bias[:, self.order].reshape((*shape, self.nv))

    def actuation_matrix(self, q: ArrayLike) -> Numbers:
        """B (..., nv, nv): rates of the joints' whole motions and of the modes are B v, and tau does work on them."""
        (q_,), shape = self._batch(q=q)
        at, now = self._deformed(q_)
        B = self.dynamics.actuation_matrix(at, now, q_.shape[:-1])
        return B[:, self.order][:, :, self.order].reshape((*shape, self.nv, self.nv))

    def forward_dynamics(self, q: ArrayLike, v: ArrayLike, tau: ArrayLike, external: Loads | None = None) -> Numbers:
        """Accelerations (..., nv) that the generalized forces tau give.

        Parameters
        ----------
        q, v, tau : (..., nv) array_like
        external : mapping of frame to (..., 6) array_like, optional
            Moment and force at frames, in the axes that the frames have on the undeformed links, N m and N.
        """
        x, forces, shape = self._formed(q, v, tau, external)
        force = matvec(transposed(x.actuation), forces) - x.bias
        a = solve(x.mass, force[..., None])[..., 0]
        return a[:, self.order].reshape((*shape, self.nv))

    def inverse_dynamics(self, q: ArrayLike, v: ArrayLike, a: ArrayLike, external: Loads | None = None) -> Numbers:
        """Generalized forces (..., nv) that give the accelerations a: torques of joints, forces on modes."""
        x, accelerations, shape = self._formed(q, v, a, external)
        force = matvec(x.mass, accelerations) + x.bias
        tau = solve(transposed(x.actuation), force[..., None])[..., 0]
        return tau[:, self.order].reshape((*shape, self.nv))

    def hybrid_dynamics(
        self,
        q: ArrayLike,
        v: ArrayLike,
        tau: ArrayLike,
        given: Mapping[str, ArrayLike],
        external: Loads | None = None,
    ) -> tuple[Numbers, Numbers]:
        """Accelerations and generalized forces (a, tau), each (..., nv), when some accelerations are given.

        Parameters
        ----------
        q, v, tau : (..., nv) array_like
            Entries of tau for the prescribed speeds do not matter.
        given : mapping of speed name to array_like
            Accelerations of these joints of the equivalent rigid links; the torques that they take are found.
        """
        shape = np.broadcast_shapes(np.shape(tau)[:-1], *(np.shape(x) for x in given.values()))
        drive = np.array(np.broadcast_to(tau, (*shape, self.nv)), np.result_type(float, tau, *given.values()))
        mask = np.zeros(self.nv, dtype=bool)
        for name, value in given.items():
            i = index_of(self.speeds, name, "speed")
            if self.order[i] >= self.chain.joints:
                raise StateError(f"given: {name!r} is a mode: its acceleration is always found, not given")
            mask[i], drive[..., i] = True, value
        return self.hybrid(q, v, drive, mask, external)

    def hybrid(
        self,
        q: ArrayLike,
        v: ArrayLike,
        known: ArrayLike,
        prescribed: NDArray[np.bool_],
        external: Loads | None = None,
    ) -> tuple[Numbers, Numbers]:
        """The same by a mask (nv,); `known` has accelerations where they are prescribed, else forces."""
        x, ordered, shape = self._formed(q, v, known, external)
        a, forces = hybrid(x, ordered, prescribed[self._back])
        return tuple(y[:, self.order].reshape((*shape, self.nv)) for y in (a, forces))  # type: ignore[return-value]

    def hybrid_slopes(self, q: Floats, v: Floats, known: Floats, prescribed: NDArray[np.bool_]) -> MotionSlopes:
        """Derivatives of the motion of one state by q, v and `known`."""
        return slopes_by_complex_steps(self, q, v, known, prescribed)

    def inverse_slopes(self, q: Floats, v: Floats, a: Floats, tau: Floats) -> InverseSlopes:
        """Derivatives of inverse dynamics of one state, and of the power of constant tau, by q, v and a."""
        return inverse_slopes_by_complex_steps(self, q, v, a, tau)

    def energy(self, q: ArrayLike, v: ArrayLike) -> tuple[Numbers, Numbers]:
        """Kinetic and potential energy (...), J; gravity, strain and springs of joints are in the second."""
        (q_, v_), shape = self._batch(q=q, v=v)
        with self._faults(q_):
            kinetic, potential = self.dynamics.energy(q_[:, self._back], v_[:, self._back])
        return kinetic.reshape(shape), potential.reshape(shape)

    def power(self, q: ArrayLike, v: ArrayLike, tau: ArrayLike) -> Numbers:
        """Power (...) of generalized forces, W: they act on the whole motion of the joints, B v."""
        rates = (self.actuation_matrix(q) @ np.asarray(v)[..., None])[..., 0]
        return np.asarray((np.asarray(tau) * rates).sum(axis=-1))

    def energy_and_momentum(self, q: ArrayLike, v: ArrayLike) -> tuple[Numbers, Numbers, Numbers]:
        """Kinetic and potential energy (..., 2), momentum (..., 6) and first moment of mass (..., 3)."""
        q_, v_, _ = self.display_state(q, v)
        _, momentum, moment = self.display.energy_and_momentum(q_, v_)
        return np.stack(self.energy(q, v), axis=-1), momentum, moment

    # ------------------------------------------------------------ equations, files, other formulations

    def traced(self, limit: float) -> ErlsTrace:
        """The system on graph nodes; the graph may have `limit` of them."""
        return ErlsTrace(self, limit)

    def block_program(
        self, key: tuple[Any, ...], make: Callable[[Any, Mapping[str, Any]], Ends], arrays: Mapping[str, Any]
    ) -> tuple[Program, NDArray[np.float64]]:
        """A program of blocks for a function on graph nodes, and the numbers that it loads.

        The equations are traced with their numbers, which are taken out afterwards: see `lifting`.
        """
        return traced_program(self.traced(LIMIT), make, arrays)

    def forward_dynamics_function(self, limit: float) -> Function:
        """Accelerations as a function of (q, v, tau) on graph nodes."""
        t = self.traced(limit)
        found = {"a": t.forward_dynamics(t.q, t.v, t.tau)}
        return t.function("forward_dynamics", {"q": t.q, "v": t.v, "tau": t.tau}, found)

    @property
    def estimated_operations(self) -> int:
        """Operations of forward dynamics, roughly, without tracing the system."""
        links, n = len(self.bodies), self.nv
        return 1000 * links + 60 * links * n + 4 * n**2 + n**3 // 3

    def floating_frames(self, what: str) -> Model:
        """Refused: it is no model of floating frames, which `what` alone takes."""
        raise StateError(f"model {self.name!r} is an equivalent rigid-link system, which {what} does not take")

    def mechanism_model(self) -> Model:
        """The model of the same mechanism in floating frames."""
        return Model(self.description)

    def formulation_settings(self) -> dict[str, Any]:
        """What `restored` needs besides the mechanism: the numbers of modes, by link."""
        return {"modes": {link.name: link.modes for link in self.chain.links}}

    @classmethod
    def restored(cls, model: Model, settings: Mapping[str, Any]) -> ErlsModel:
        """The system of a mechanism with the numbers of modes that `formulation_settings` has noted."""
        modes = settings.get("modes")
        if not (isinstance(modes, Mapping) and all(type(n) is int for n in modes.values())):
            raise FileFormatError(f"modes: expected numbers of modes by body, got {modes!r}")
        flexible = {name for name, x in model.description.bodies.items() if isinstance(x.body, FlexibleBody)}
        return build(model, {name: n for name, n in modes.items() if name in flexible})

    # ------------------------------------------------------------ shapes and faults

    def _formed(
        self, q: ArrayLike, v: ArrayLike, third: ArrayLike, external: Loads | None
    ) -> tuple[RigidLinkEquations, Numbers, tuple[int, ...]]:
        """The equations of a batch, its forces or accelerations in their order, and the batch's axes."""
        given = external or {}
        parts = {"q": (q, self.nv), "v": (v, self.nv), "tau or a": (third, self.nv)}
        parts |= {f"external wrench at {frame!r}": (w, 6) for frame, w in given.items()}
        (q_, v_, third_, *wrenches), shape, _ = batch(f"model {self.name!r}", parts)
        found = [self._load(frame, w) for frame, w in zip(given, wrenches, strict=True)]
        loads = [*self.constant_loads, *(load for load in found if load is not None)]
        with self._faults(q_):
            x = self.dynamics.equations(q_[:, self._back], v_[:, self._back], loads)
            check_definite(x.configuration.mass if self.chain.modes else x.mass)
        return x, third_[:, self._back], shape

    def _load(self, frame: str, wrench: Numbers) -> LinkWrench | None:
        try:
            return link_wrench(self.chain, frame, wrench)
        except ModelError as error:
            raise StateError(f"model {self.name!r}: external: {error}") from None

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

    def _batch(self, **parts: ArrayLike) -> tuple[list[Numbers], tuple[int, ...]]:
        arrays, shape, _ = batch(f"model {self.name!r}", {name: (x, self.nv) for name, x in parts.items()})
        return arrays, shape
