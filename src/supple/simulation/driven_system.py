"""A model with all that acts on it: rates of the whole state, in machine code where that is soon made.

The state y holds the coordinates q, the speeds v and the integrals z (of controllers, and the work of all forces); u
holds what comes from outside (see `inputs.inputs`). Every function is dy/dt = f(t, y, u).
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, NamedTuple, NoReturn

import numpy as np
from numpy.typing import NDArray

from supple.engines.blocks.compiled_function import CompiledFunction
from supple.errors import StateError
from supple.expressions.function import Function, Nodes
from supple.expressions.graph import Expr, GraphTooLarge
from supple.formulations import Formulation
from supple.inputs.driven import DrivenEquations, holding
from supple.inputs.inputs import Inputs
from supple.inputs.lifted_laws import LiftedLaws
from supple.recursions.frame_wrenches import MOTION
from supple.simulation.sparse_slopes import LawsSlopes, WrenchSlopes
from supple.simulation.state_kernel import StateKernel
from supple.simulation.state_slopes import StateSlopes
from supple.structures.body.flexible_body import FlexibleBody

Vector = NDArray[np.float64]
WORTH_COMPILING = 60_000
"""Operations up to which straight-line code is made within a few seconds."""
LEAST_UNLIKE = 0.1
"""Of equal bodies: what is recorded for each takes a tenth of the time of compiling it."""
WORTH_TANGENTS = 250_000
"""Operations times directions up to which tangents of all rates are made within a second or two."""


class _Evaluated(NamedTuple):
    """Coordinates, speeds, accelerations, generalized forces and rates of the integrals of states (n, ...)."""

    q: Vector
    v: Vector
    a: Vector
    tau: Vector
    z_rate: Vector


class DrivenSystem:
    """Rates of a model's state under its inputs.

    Attributes
    ----------
    z_0, u_0 : arrays
        Integrals and held values at the start.
    independent : frozenset of int
        Speeds that closing the loops leaves as they are, the others follow from them; none if all share in it.
    """

    def __init__(
        self,
        model: Formulation,
        inputs: Inputs,
        q: Vector,
        v: Vector,
        independent: frozenset[int] = frozenset(),
        family: dict[tuple[frozenset[int], frozenset[int]], DrivenSystem] | None = None,
        laws: LiftedLaws | None = None,
    ) -> None:
        self.model, self.inputs, self.independent = model, inputs, independent
        self._start = q, v
        self._family = {(inputs.locked, independent): self} if family is None else family
        self._free = inputs if not inputs.locked else inputs.locking(frozenset())
        self._watched: dict[str, StateKernel] = {}
        self.nq, self.nv = model.nq, model.nv
        self.z_0, self.u_0 = inputs.start()
        self.size = model.nq + model.nv + len(self.z_0)
        self.laws_equations = LiftedLaws.of(model, inputs) if laws is None else laws
        self.prescribed = self.laws_equations.prescribed
        self.held = holding(self.prescribed, independent)
        self.digest = _digest(self.laws_equations.function, self.prescribed, self._ends())
        self.operations = model.estimated_operations + len(self.laws_equations.function.order)
        self._worth_compiling = model.nv > 0 and _unlike(model) * model.estimated_operations <= WORTH_COMPILING

    def _ends(self) -> list[Any]:
        """What decides the motion beside model and laws: independent speeds, where wrenches act."""
        return [sorted(self.independent), *([x.frame, x.axes] for x in self.inputs.wrenches)]

    @property
    def engine(self) -> str:
        """ "blocks", or "generic" for models too large for straight-line code, and where that finds no acceleration."""
        return "generic" if self.rate_kernel is None else "blocks"

    @cached_property
    def motion_kernel(self) -> StateKernel:
        """Rates, and the accelerations and generalized forces in them; with loops the closed state: in machine code."""
        shapes = {"rate": (self.size,), "a": (self.nv,), "tau": (self.nv,)}
        loops = self.model.loops
        if loops is None:
            return StateKernel(self, "rate", shapes, lambda e, _: e.rate_and_motion())
        shapes |= {"y": (self.size,), "margin": (len(loops),)}
        return StateKernel(self, "rate", shapes, lambda e, _: e.rate_and_motion() | e.closed())

    @cached_property
    def _sampled(self) -> CompiledFunction:
        """Accelerations and generalized forces of many states."""
        return self.motion_kernel.giving("a", "tau")

    @cached_property
    def rate_kernel(self) -> CompiledFunction | None:
        """The rates in machine code, made when they are first asked for; None where there is none."""
        if not self._worth_compiling:
            return None
        try:
            kernel = self.motion_kernel.giving("rate", lanes=1)
        except (GraphTooLarge, ZeroDivisionError):  # the recursions will say which inertia is zero
            return None
        y, u = np.concatenate([*self.start_state(*self._start), self.z_0]), self.u_0.copy()
        self.begin(0.0, y, u, fmus=False)  # those of the run are at work
        return kernel if np.isfinite(kernel(np.zeros(1), y, u)).all() else None

    @property
    def implicit_steps(self) -> bool:
        """Whether the recursions solve generalized-alpha steps; their corrections leave all modes free."""
        return self.model.implicit_steps and not self.prescribed_modes

    @property
    def implicit_stages(self) -> bool:
        """Whether the recursions solve the stages of implicit Runge-Kutta steps, with closed loops too."""
        closed = self.model.loops is not None and self.model.implicit_blocks
        return (self.model.implicit_steps or closed) and not self.prescribed_modes

    @property
    def prescribed_modes(self) -> bool:
        """Whether the motion of a mode is prescribed."""
        return bool((self.prescribed & self.model.is_mode).any())

    @property
    def evaluation_seconds(self) -> float:
        """Time of one evaluation of the rates, by a rough guess."""
        if self.engine != "blocks":
            return 3e-5 + 1e-9 * self.operations
        return 1e-7 + 3e-10 * self.operations + (2e-5 if self.inputs.calls else 0.0)

    # ------------------------------------------------------------ states

    def start_state(self, q: Vector, v: Vector) -> tuple[Vector, Vector]:
        """The state at the start with the prescribed motions' own values."""
        return self.settled(np.zeros(1), np.concatenate([q, v, self.z_0])[None], self.u_0[None], 0)

    def settled(self, t: Vector, y: Vector, u: Vector, only: int | None = None) -> tuple[Vector, Vector]:
        """Coordinates and speeds of states (n, ...), prescribed ones as prescribed, quaternions of unit length."""
        q, v = y[:, : self.nq], y[:, self.nq : self.nq + self.nv]
        if self.prescribed.any():
            q, v = self.laws(t[:, None], y, u)[:2]
        q, v = self.model.normalize(q), np.ascontiguousarray(v)
        return (q, v) if only is None else (q[only], v[only])

    def begin(self, t: float, y: Vector, u: Vector, fmus: bool = True) -> None:
        """Held values as all clocks leave them at the start; FMUs start anew, or are left alone."""
        for rate in self.inputs.sample_rates:
            self._sample(rate, t, y, u)
        if fmus:
            self.inputs.fmus.begin(t, u)
        self.call(t, y, u)

    def tick(self, rate: float, t: float, y: Vector, u: Vector) -> None:
        """Held values after a tick of a clock."""
        self._sample(rate, t, y, u)
        self.inputs.fmus.tick(rate, t, u)

    def _sample(self, rate: float, t: float, y: Vector, u: Vector) -> None:
        """Held values after a tick of a clock, but for those of FMUs."""
        if rate in self.laws_equations.ticks:
            places, function = self.laws_equations.ticks[rate]
            motions = self.wrenches(np.array([t]), y, u)[-1] if self.inputs.wrenches else np.zeros(0)
            u[places] = function.evaluate(t=[t], y=y, u=u, motions=motions)["u"]
        self.inputs.tick(rate, t, y[: self.nq].copy(), y[self.nq : self.nq + self.nv].copy(), u)

    def call(self, t: float, y: Vector, u: Vector) -> None:
        """Held values as the functions that are called give them here."""
        if self.inputs.calls:
            self.inputs.call(t, y[: self.nq].copy(), y[self.nq : self.nq + self.nv].copy(), u)

    # ------------------------------------------------------------ functions

    @cached_property
    def laws(self) -> StateKernel:
        """q, v, known and z_rate (see `Equations.laws`)."""
        nz = len(self.z_0) - self.inputs.acting
        shapes: dict[str, tuple[int, ...]] = {"q": (self.nq,), "v": (self.nv,), "drive": (self.nv,), "z_rate": (nz,)}
        return StateKernel(self, "laws", shapes, lambda e, _: e.laws(), lanes=1)

    @cached_property
    def wrenches(self) -> StateKernel:
        """Wrenches that laws exert, and what they do: see `DrivenEquations.wrenches`."""
        count, bodies = len(self.inputs.wrenches), len(self.model.bodies)
        shapes = {"wrench": (6 * count,), "pull": (self.nv,), "on_bodies": (6 * bodies,), "motions": (MOTION * count,)}
        return StateKernel(self, "wrenches", shapes, lambda e, _: e.wrenches(), lanes=1)

    def rate(self, t: float, y: Vector, u: Vector) -> Vector:
        """dy/dt of one state."""
        if not np.isfinite(y).all():  # a trial step went too far: the integrator takes a shorter one
            return np.full_like(y, np.nan)
        if self.rate_kernel is None:
            return self.single_rate(t, y, u)
        self.call(t, y, u)
        found: Vector = self.rate_kernel(np.array([t]), y, u)
        return found

    def few_rates(self, t: float, y: Vector, u: Vector) -> Vector:
        """dy/dt of a few states (n, size) at one time, with the same held values."""
        if self.rate_kernel is None or self.inputs.calls:
            return np.array([self.rate(t, x, u) for x in y])
        return self.rate_kernel.values.one_by_one(np.array([[t]]), np.ascontiguousarray(y), u[None])[0]

    def single_rate(self, t: float, y: Vector, u: Vector) -> Vector:
        """The same by the recursions: for one state, code of its own is not worth while."""
        self.call(t, y, u)
        q, v, a, tau, z_rate = (x[0] for x in self._generic(np.array([[t]]), y[None], u[None]))
        work = [self.model.power(q, v, tau)] if self.inputs.acting else []
        return np.concatenate([self.model.derivative(q, v), a, z_rate, work])

    def motion(self, t: Vector, y: Vector, u: Vector, compiled: bool = True) -> tuple[Vector, Vector]:
        """Accelerations and generalized forces (n, nv) of states (n, ...); by the recursions unless `compiled`."""
        if compiled and self.engine == "blocks":
            a, tau = self._sampled(t[:, None], y, u)
            return a, tau
        found = self._generic(t[:, None], y, u)
        return found.a, found.tau

    def _generic(self, t: Vector, y: Vector, u: Vector) -> _Evaluated:
        """The motion of states (n, ...) by the recursions."""
        if self.inputs.acting:
            q, v, known, z_rate = self.laws(t, y, u)
            if not np.isfinite(known).all():
                self._refuse_laws(t, y, u, known)
        else:
            q, v = (np.ascontiguousarray(x) for x in (y[:, : self.nq], y[:, self.nq : self.nq + self.nv]))
            known, z_rate = np.zeros_like(v), np.zeros((len(y), 0))
        if self.model.loops is not None:
            q, v = self.model.loops.project(q, v, self.held, 1)
        a, tau = self.model.hybrid(q, v, known, self.prescribed)
        return _Evaluated(q, v, a, tau, z_rate)

    def _refuse_laws(self, t: Vector, y: Vector, u: Vector, known: Vector) -> NoReturn:
        """Name the laws that give no finite number, in the first state in which there are any."""
        i = int(np.argmin(np.isfinite(known).all(axis=1)))
        t, y, u = (x[min(i, len(x) - 1)] for x in (t, y, u))
        found = []
        if self.inputs.wrenches:
            given = np.isfinite(self.wrenches(t, y, u)[0].reshape(len(self.inputs.wrenches), -1)).all(axis=1)
            found = [x.place for x, finite in zip(self.inputs.wrenches, given, strict=True) if not finite]
        if not found:
            bad = np.flatnonzero(~np.isfinite(known[i]))
            found = [f"{'motion' if self.prescribed[k] else 'tau'} {self.model.speeds[k]!r}" for k in bad]
        raise StateError(f"{', '.join(found)}: expected finite numbers, got NaN or infinity at t = {float(t[0]):g} s")

    # ------------------------------------------------------------ closed loops

    @cached_property
    def project_kernel(self) -> CompiledFunction | None:
        """One step of the state towards the closed loops, in machine code; None without loops, and without the code."""
        if self.model.loops is None or self.engine != "blocks":
            return None
        return self.motion_kernel.giving("y", "margin", lanes=1)

    def project(self, y: Vector) -> Vector:
        """States (n, ...) with their loops closed, to rounding."""
        loops = self.model.loops
        if loops is None:
            return y
        nq, nv = self.nq, self.nv
        q, v = loops.project(y[:, :nq].copy(), y[:, nq : nq + nv].copy(), self.held)
        return np.concatenate([q, v, y[:, nq + nv :]], axis=1)

    def sums(self, q: Vector, v: Vector) -> tuple[Vector, Vector, Vector]:
        """Energies (n, 2), momentum (n, 6) and first moment of mass (n, 3) of states."""
        return self.model.energy_and_momentum(q, v)

    # ------------------------------------------------------------ events

    def watch(self, nodes: Callable[[DrivenEquations], Nodes], count: int, name: str) -> StateKernel:
        """Further functions of (t, y, u): what events look at."""
        if name not in self._watched:
            named = [leaf.value for x in self.laws_equations.function.inputs.values() for leaf in x.flat]
            what = f"{name} of {named!r}"  # formulas speak of quantities by their names
            self._watched[name] = StateKernel(self, what, {"g": (count,)}, lambda e, _: {"g": nodes(e)}, lanes=1)
        return self._watched[name]

    def locked(self, speeds: frozenset[int]) -> DrivenSystem:
        """The same system with these degrees of freedom held where they are."""
        return self._relative(speeds, self.independent)

    def chosen(self, independent: frozenset[int]) -> DrivenSystem:
        """The same system with other independent speeds."""
        return self._relative(self.inputs.locked, independent)

    def on(self, model: Formulation, q: Vector, v: Vector) -> DrivenSystem:
        """The same laws on a model that differs in its numbers alone, from a state."""
        return DrivenSystem(model, self._free.on(model), q, v, self.independent, laws=self.laws_equations)

    def _relative(self, locked: frozenset[int], independent: frozenset[int]) -> DrivenSystem:
        key = locked, independent
        if key not in self._family:
            inputs = self._free.locking(locked)
            self._family[key] = DrivenSystem(self.model, inputs, *self._start, independent, self._family)
        return self._family[key]

    def unlocked(self, t: float, y: Vector, u: Vector) -> Vector:
        """Forces of the laws (nv,), also on degrees of freedom that are held."""
        free = self.locked(frozenset())
        found: Vector = free.laws(np.array([t]), y, u)[2]
        return found

    # ------------------------------------------------------------ derivatives

    def jacobian(self, t: float, y: Vector, u: Vector) -> Vector:
        """d(dy/dt)/dy, exact: the laws' part from their equations, the model's from its own slopes.

        What Python functions give that are called is taken as constant.
        """
        self.call(t, y, u)
        if self._rate_slopes is not None:
            return self._rate_slopes(np.array([t]), y, u)[0]
        nq, nv = self.nq, self.nv
        values, slopes = self.laws_slopes(np.array([t]), y, u)
        q, v, known = (values[i:j] for i, j in ((0, nq), (nq, nq + nv), (nq + nv, nq + 2 * nv)))
        by_laws, z_slopes = slopes[: nq + 2 * nv], slopes[nq + 2 * nv :].toarray()
        motion = self.model.hybrid_slopes(q, v, known, self.prescribed)
        parts = [motion.rate @ by_laws, motion.a @ by_laws, z_slopes]
        if self.inputs.acting:
            parts.append((motion.power @ by_laws)[None])
        return np.concatenate(parts)

    def rate_function(self) -> Function:
        """The rates as one graph, numbers as constants."""
        e = DrivenEquations(self.model, self.inputs, self.independent)
        return Function("rate", e.at.graph, e.inputs, {"rate": e.rate()})

    @cached_property
    def _rate_slopes(self) -> StateSlopes | None:
        """The same from the blocks of the rates, for systems small enough."""
        kernel = self.rate_kernel
        if kernel is None or kernel.program.has_loops or kernel.program.weight * self.size > WORTH_TANGENTS:
            return None
        return StateSlopes(kernel, ("y",))

    @cached_property
    def laws_slopes(self) -> LawsSlopes | WrenchSlopes:
        """Values of `laws` one after the other, and their derivatives by the state, as a sparse matrix."""
        if self.inputs.wrenches:
            return WrenchSlopes(self, self.nq + 2 * self.nv + len(self.z_0) - self.inputs.acting)
        found = self.laws_equations.function
        values = np.concatenate([found.outputs[key] for key in ("q", "v", "drive", "z_rate")])
        return LawsSlopes(self, values, found.inputs["y"])


def _unlike(model: Formulation) -> float:
    """Share of the bodies that are compiled each by itself: one flexible body that stands in many places is compiled
    once, as are equal pieces of a beam.
    """
    flexible = [id(x.body) for x in model.description.bodies.values() if isinstance(x.body, FlexibleBody)]
    again = len(flexible) - len(set(flexible))
    return max(1.0 - again / max(1, len(model.bodies)), LEAST_UNLIKE)


def _digest(function: Function, prescribed: NDArray[np.bool_], more: Sequence[Any]) -> str:
    """Of all nodes, what they compute, which accelerations are prescribed, and what else there is."""
    order: Sequence[Expr] = function.order
    number = {node.id: i for i, node in enumerate(order)}
    text = repr([(n.op, [number[a.id] for a in n.args], n.value) for n in order])
    ends = repr({key: [number[n.id] for n in x.flat] for key, x in function.outputs.items()})
    names = repr({key: [leaf.value for leaf in x.flat] for key, x in function.inputs.items()})
    return hashlib.sha256((text + ends + names + repr([prescribed.tolist(), more])).encode()).hexdigest()
