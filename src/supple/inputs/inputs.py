"""All that acts on a model during a run, in one place: what each law adds to the equations, and what it needs from
outside.

Laws that can be written as equations (numbers, formulas, tables, controllers, functions that trace) become part of the
graph. The others come in as numbers `u`: variables that events change, outputs of sampled controllers, which change at
the ticks of a clock, and outputs of Python functions, which are called at every evaluation.
"""

from __future__ import annotations

import copy
import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from supple.errors import StateError, nearest
from supple.inputs.controllers import PID, Sampled, Signal, signal
from supple.inputs.quantities import Quantities
from supple.inputs.tables import Table
from supple.model.model import Model
from supple.symbolic.function import Function, Nodes
from supple.symbolic.graph import Expr, Graph

Vector = NDArray[np.float64]
DriveFunction = Callable[[float, Vector, Vector], ArrayLike]
Law = float | str | Table | PID | Sampled | DriveFunction
Laws = ArrayLike | Mapping[str, Law] | DriveFunction | Sampled | None
WORK = "work"
"""Name of the integral of the power of all drives."""


@dataclass(frozen=True)
class Motion:
    """A prescribed motion of a joint coordinate: one of position, velocity and acceleration over time.

    Parameters
    ----------
    position, velocity, acceleration : number, formula of t, or Table
        A Table of positions should be "cubic".
    """

    position: Signal | None = None
    velocity: Signal | None = None
    acceleration: Signal | None = None

    def __post_init__(self) -> None:
        given = [x for x in (self.position, self.velocity, self.acceleration) if x is not None]
        if len(given) != 1:
            raise StateError(f"motion: expected one of position, velocity, acceleration, got {len(given)}")

    def nodes(self, at: Quantities, where: str) -> list[Expr | None]:
        """Position, velocity and acceleration; None for what is found by integration."""
        signals = (self.position, self.velocity, self.acceleration)
        first = next(i for i, x in enumerate(signals) if x is not None)
        given = signals[first]
        nodes: list[Expr | None] = [None, None, None]
        if isinstance(given, Table):
            if given.kind != "cubic" and first < 2:
                raise StateError(f"{where}: a table of positions or velocities must be cubic, got {given.kind!r}")
            nodes[first:] = [given.node(at.t, i) for i in range(3 - first)]
        else:
            assert given is not None
            x, rate = signal(at, given, where)
            at.require_time_alone(x, where)
            nodes[first:] = [x, rate, at.rate(rate)][: 3 - first]
        return nodes


@dataclass(frozen=True)
class Applied:
    """What the laws make of a state, as nodes.

    Attributes
    ----------
    q, v : arrays
        The state, prescribed entries replaced by what they must be.
    drive : array (nv,)
        Forces, or accelerations where `given`.
    given : array (nv,) of bool
    z_rate : array (nz,)
        Rates of the integrals, without that of the work.
    unlocked : array (nv,)
        Forces of the laws also where a freedom is locked.
    ticks : dict of float to dict of int to Expr
        For each sample rate what the held values become at a tick.
    """

    q: Nodes
    v: Nodes
    drive: Nodes
    given: NDArray[np.bool_]
    z_rate: list[Expr]
    unlocked: Nodes
    ticks: dict[float, dict[int, Expr]] = field(default_factory=dict)


class Inputs:
    """The laws of a run, by speed, and where their integrals and held values stand.

    Parameters
    ----------
    model : Model
    tau : array_like, mapping of speed name to law, function or Sampled, optional
    motion : mapping of speed name to Motion, number, formula or Table (of positions), optional
    variables : mapping of name to number, optional
        Names that formulas can use and events can change.
    stops : bool
        Whether joints may be held by stops.
    """

    def __init__(
        self,
        model: Model,
        tau: Laws = None,
        motion: Mapping[str, Motion | Signal] | None = None,
        variables: Mapping[str, float] | None = None,
        stops: bool = False,
    ) -> None:
        self.model, self._stops = model, stops
        self.variables = {name: float(x) for name, x in (variables or {}).items()}
        self.motions: dict[int, Motion] = {}
        for name, law in (motion or {}).items():
            i = self._speed(name, "motion")
            self.motions[i] = law if isinstance(law, Motion) else Motion(position=law)
        self.whole: DriveFunction | Sampled | None = None
        self.laws: dict[int, Law] = {}
        self.locked: frozenset[int] = frozenset()
        self._read(tau)
        for i in self.laws.keys() & self.motions.keys():
            raise StateError(f"tau: {model.speeds[i]!r} has a prescribed motion, so its force is found, not given")
        self._lay_out()

    def _speed(self, name: str, what: str) -> int:
        if name not in self.model.speeds:
            raise StateError(f"{what}: no entry {name!r}{nearest(name, self.model.speeds)}")
        i = self.model.speeds.index(name)
        if what == "motion" and self.model._is_mode[i]:
            raise StateError(f"motion: {name!r} is a mode: its motion is always found, not given")
        return i

    def _read(self, tau: Laws) -> None:
        """Sort what the user gave."""
        if tau is None:
            return
        if isinstance(tau, Sampled) or callable(tau):
            self.whole = tau
        elif isinstance(tau, Mapping):
            for name, law in tau.items():
                if isinstance(law, int | float) and not np.isfinite(law):
                    raise StateError(f"tau: expected finite numbers, got {law} for {name!r}")
                self.laws[self._speed(name, "tau")] = law
        else:
            given = np.asarray(tau, dtype=float)
            if given.shape != (self.model.nv,):
                raise StateError(f"tau: expected shape ({self.model.nv},), got {given.shape}")
            if not np.isfinite(given).all():
                bad = self.model.speeds[int(np.flatnonzero(~np.isfinite(given))[0])]
                raise StateError(f"tau: expected finite numbers, got others for {bad!r}")
            self.laws = {i: float(x) for i, x in enumerate(given) if x != 0.0}

    def _lay_out(self) -> None:
        """Places of integrals in z and of held values in u; which functions are called and which become equations."""
        self.held: list[str] = list(self.variables)
        self.integrals: list[str] = []
        self._integral: dict[int, int] = {}
        self._held_at: dict[int, int] = {}
        names = self.model.speeds
        for i, law in self.laws.items():
            if isinstance(law, PID) and law.rate is None and law.ki:
                self._integral[i] = len(self.integrals)
                self.integrals.append(f"{names[i]}.integral")
            if (isinstance(law, PID) and law.rate is not None) or isinstance(law, Sampled):
                self._held_at[i] = len(self.held)
                self.held += [f"{names[i]}.held", f"{names[i]}.sum"] if isinstance(law, PID) else [f"{names[i]}.held"]
        self._traced = {i: self._equations(law, 1) for i, law in self.laws.items() if _is_function(law)}
        self._called = {i: law for i, law in self.laws.items() if _is_function(law) and self._traced[i] is None}
        self._traced_whole = self._equations(self.whole, self.model.nv) if _is_function(self.whole) else None
        for i in self._called:
            self._held_at[i] = len(self.held)
            self.held.append(f"{names[i]}.called")
        self._whole_at = len(self.held)
        if self.whole is not None and self._traced_whole is None:
            self.held += [f"{name}.called" for name in names]
        self.acting = bool(self.laws or self.motions or self.whole is not None or self._stops)
        if self.acting:
            self.integrals.append(WORK)

    # ------------------------------------------------------------ what a run needs to know

    @property
    def constant(self) -> bool:
        """Whether the drive forces are numbers that never change."""
        return not self.motions and self.whole is None and all(isinstance(x, int | float) for x in self.laws.values())

    @property
    def calls(self) -> bool:
        """Whether Python functions are called at every evaluation."""
        return bool(self._called) or (_is_function(self.whole) and self._traced_whole is None)

    @property
    def breaks(self) -> Vector:
        """Times at which a law is not smooth."""
        tables = [x for law in self.laws.values() for x in (law, getattr(law, "target", None)) if isinstance(x, Table)]
        for m in self.motions.values():
            tables += [x for x in (m.position, m.velocity, m.acceleration) if isinstance(x, Table)]
        return np.unique(np.concatenate([np.zeros(0), *(x.breaks for x in tables)]))

    @property
    def sample_rates(self) -> tuple[float, ...]:
        """Of all clocks, 1/s."""
        laws = [*self.laws.values(), self.whole]
        return tuple(sorted({float(x.rate) for x in laws if isinstance(x, PID | Sampled) and x.rate is not None}))

    def locking(self, speeds: frozenset[int]) -> Inputs:
        """The same laws with these freedoms held where they are."""
        out = copy.copy(self)
        out.locked = speeds
        return out

    def start(self) -> tuple[Vector, Vector]:
        """Integrals and held values at the start."""
        u = np.zeros(len(self.held))
        u[: len(self.variables)] = list(self.variables.values())
        return np.zeros(len(self.integrals)), u

    def call(self, t: float, q: Vector, v: Vector, u: Vector) -> None:
        """Ask the functions that are called at every evaluation; the answers go into u."""
        for i, law in self._called.items():
            u[self._held_at[i]] = _asked(law, t, q, v, (), f"tau: {self.model.speeds[i]!r}")
        if _is_function(self.whole) and self._traced_whole is None:
            n = self.model.nv
            u[self._whole_at : self._whole_at + n] = _asked(self.whole, t, q, v, (n,), "tau")

    def tick(self, rate: float, t: float, q: Vector, v: Vector, u: Vector) -> None:
        """Ask the sampled functions of one clock; the answers go into u."""
        for i, law in self.laws.items():
            if isinstance(law, Sampled) and law.rate == rate:
                u[self._held_at[i]] = _asked(law.function, t, q, v, (), f"tau: {self.model.speeds[i]!r}")
        if isinstance(self.whole, Sampled) and self.whole.rate == rate:
            n = self.model.nv
            u[self._whole_at : self._whole_at + n] = _asked(self.whole.function, t, q, v, (n,), "tau")

    def describe(self) -> dict[str, Any]:
        """The laws as texts, by which a run is known again."""
        speeds = self.model.speeds
        out = {f"tau {speeds[i]}": _text(law) for i, law in sorted(self.laws.items())}
        out |= {f"motion {speeds[i]}": _text(law) for i, law in sorted(self.motions.items())}
        if self.whole is not None:
            out["tau"] = _text(self.whole)
        return out | {f"variable {name}": x for name, x in self.variables.items()}

    # ------------------------------------------------------------ equations

    def applied(self, at: Quantities) -> Applied:
        """What the laws make of a state; `at` has the leaves of this run."""
        n = self.model.nv
        q, v = at.q.copy(), at.v.copy()
        drive = np.array([at.graph.zero] * n, dtype=object)
        given = np.zeros(n, dtype=np.bool_)
        for i, motion in self.motions.items():
            where = f"motion {self.model.speeds[i]!r}"
            place = int(self.model.tree.q_of_speed[i])
            position, velocity, acceleration = motion.nodes(at, where)
            if place < 0:
                raise StateError(f"{where}: expected the rate of a coordinate; it has none of its own")
            q[place] = position if position is not None else q[place]
            v[i] = velocity if velocity is not None else v[i]
            drive[i], given[i] = acceleration, True
        at = Quantities(at.model, at.graph, at.t, q, v, at.z, at.u, at.variables)
        rates: list[Expr] = [at.graph.zero] * (len(self.integrals) - self.acting)
        ticks: dict[float, dict[int, Expr]] = {}
        for i, law in self.laws.items():
            drive[i] = self._force(at, i, law, rates, ticks)
        if self.whole is not None:
            for i in range(n):
                if not given[i]:
                    drive[i] = self._whole_force(at, i)
        unlocked = drive.copy()
        for i in self.locked:
            drive[i], given[i] = at.graph.zero, True
        return Applied(q, v, drive, given, rates, unlocked, ticks)

    def _force(self, at: Quantities, i: int, law: Law, rates: list[Expr], ticks: dict[float, dict[int, Expr]]) -> Expr:
        where = f"tau {self.model.speeds[i]!r}"
        if isinstance(law, Table):
            return law.node(at.t)
        if isinstance(law, PID) and law.rate is not None:
            first = self._held_at[i]
            force, error = law.nodes(at, i, at.u[first + 1], where)
            ticks.setdefault(float(law.rate), {}).update({first: force, first + 1: at.u[first + 1] + error / law.rate})
            return at.u[first]
        if isinstance(law, PID):
            place = self._integral.get(i)
            force, error = law.nodes(at, i, at.graph.zero if place is None else at.z[place], where)
            if place is not None:
                rates[place] = error
            return force
        if isinstance(law, str | int | float):
            return at.formula(law, where)
        traced = self._traced.get(i)
        return at.u[self._held_at[i]] if traced is None else _inserted(traced, at)[0]

    def _whole_force(self, at: Quantities, i: int) -> Expr:
        return at.u[self._whole_at + i] if self._traced_whole is None else _inserted(self._traced_whole, at)[i]

    def _equations(self, law: Any, count: int) -> Function | None:
        """A function of the user's as equations, if it gives the same numbers as when it is called."""
        if not _is_function(law):
            return None
        graph = Graph()
        t = graph.input("t")
        q, v = (
            np.array([graph.input(f"{kind}{i}") for i in range(n)], dtype=object)
            for kind, n in (("q", self.model.nq), ("v", self.model.nv))
        )
        try:
            found = np.asarray(law(t, q.copy(), v.copy()), dtype=object).reshape(-1)
            inputs = {"t": np.array([t], dtype=object), "q": q, "v": v}
            function = Function("law", graph, inputs, {"force": found})
            if function.outputs["force"].shape != (count,):
                return None
            for trial in range(3):
                q_, v_ = self.model.random_state(trial)
                for _ in range(2):  # a function with a memory answers differently
                    numbers = np.asarray(law(0.37 * trial, q_.copy(), v_.copy()), dtype=float).reshape(-1)
                    own = function.evaluate(t=[0.37 * trial], q=q_, v=v_)["force"]
                    if not np.allclose(numbers, own, rtol=1e-12, atol=1e-12):
                        return None
        except Exception:  # whatever a function cannot do with symbols, it may do with numbers
            return None
        return function


def _inserted(function: Function, at: Quantities) -> Nodes:
    """The equations of a function, in another graph."""
    image = dict(zip(function.inputs["q"], at.q, strict=True)) | dict(zip(function.inputs["v"], at.v, strict=True))
    image[function.inputs["t"][0]] = at.t
    return function.moved(at.graph, image)["force"]


def _is_function(law: Any) -> bool:
    return callable(law) and not isinstance(law, Sampled)


def _asked(function: Any, t: float, q: Vector, v: Vector, shape: tuple[int, ...], where: str) -> Any:
    """What a function of the user's answers, checked."""
    found = np.asarray(function(t, q, v), dtype=float)
    if found.shape != shape and not (shape == () and found.size == 1):
        raise StateError(f"{where}: the function gave shape {found.shape}, expected {shape}")
    if not np.isfinite(found).all():
        raise StateError(f"{where}: the function gave {found} at t = {t:.6g} s, expected finite numbers")
    return found if shape else float(found.reshape(()))


def _text(law: Any) -> str:
    """A law as text; of a function its name and a digest of its code."""
    if isinstance(law, Sampled):
        return f"{_text(law.function)} at {law.rate:g} Hz"
    if _is_function(law):
        code = getattr(law, "__code__", None)
        mark = hashlib.sha256(code.co_code).hexdigest()[:12] if code else ""
        return f"{getattr(law, '__qualname__', type(law).__name__)} {mark}"
    return repr(law)
