"""All that acts on a model during a run, in one place: what each law adds to the equations, and what it needs from
outside.

Laws that can be written as equations (numbers, formulas, tables, controllers, functions that trace) become part of the
graph. The others come in as numbers `u`: variables that events change, outputs of sampled controllers, which change at
the ticks of a clock, and outputs of Python functions, which are called at every evaluation.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from supple.checks import is_number
from supple.errors import StateError, nearest
from supple.expressions.function import Nodes
from supple.expressions.graph import Expr
from supple.formulations import Formulation
from supple.inputs.controllers import PID, Sampled, Signal
from supple.inputs.motions import Motion as Motion
from supple.inputs.quantities import Quantities
from supple.inputs.tables import Table
from supple.inputs.user_functions import ForceFunction, asked, equations, inserted, is_function, text
from supple.model.arguments import named_vector

Vector = NDArray[np.float64]
Law = float | str | Table | PID | Sampled | ForceFunction
Laws = ArrayLike | Mapping[str, Law] | ForceFunction | Sampled | None
WORK = "work"
"""Name of the integral of the power of all actuators."""


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
        Forces of the laws also where a degree of freedom is locked.
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
        model: Formulation,
        tau: Laws = None,
        motion: Mapping[str, Motion | Signal] | None = None,
        variables: Mapping[str, float] | None = None,
        stops: bool = False,
    ) -> None:
        self.model, self._stops = model, stops
        self.variables: dict[str, float] = {}
        self._read_variables(variables or {})
        self.motions: dict[int, Motion] = {}
        for name, law in (motion or {}).items():
            i = self._speed(name, "motion")
            self.motions[i] = law if isinstance(law, Motion) else Motion(position=law)
        self.whole: ForceFunction | Sampled | None = None
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
        if what == "motion" and self.model.is_mode[i]:
            raise StateError(f"motion: {name!r} is a mode: its motion is always found, not given")
        return i

    def _read(self, tau: Laws) -> None:
        """Sort what the user gave."""
        if tau is None:
            return
        if isinstance(tau, Sampled) or callable(tau):
            self.whole = tau
        elif isinstance(tau, Mapping):
            self.laws = {self._speed(name, "tau"): _law(law, f"tau: {name!r}") for name, law in tau.items()}
        else:
            given = named_vector(self.model.speeds, tau, "tau")
            self.laws = {i: float(x) for i, x in enumerate(given) if x != 0.0}

    def _read_variables(self, variables: Mapping[str, float]) -> None:
        taken = {"t", *self.model.coordinates, *self.model.speeds}
        for name, x in variables.items():
            if name in taken:
                raise StateError(f"variables: {name!r} is a quantity of the model, expected another name")
            if not is_number(x):
                raise StateError(f"variables: {name!r}: expected a finite number, got {x!r}")
            self.variables[name] = float(x)

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
        self._traced = {i: equations(law, self.model, 1) for i, law in self.laws.items() if is_function(law)}
        self._called = {i: law for i, law in self.laws.items() if is_function(law) and self._traced[i] is None}
        self._traced_whole = equations(self.whole, self.model, self.model.nv) if is_function(self.whole) else None
        for i in self._called:
            self._held_at[i] = len(self.held)
            self.held.append(f"{names[i]}.called")
        self._tables: dict[Table, int] = {}
        for table in self._all_tables():
            self._tables[table] = len(self.held)
            self.held += [f"table{len(self._tables)}.{x}" for x in table.numbers]
        self._whole_at = len(self.held)
        if self.whole is not None and self._traced_whole is None:
            self.held += [f"{name}.called" for name in names]
        for name in self.variables:
            if self.held.count(name) > 1:
                raise StateError(f"variables: {name!r} is a quantity of a law, expected another name")
        self.acting = bool(self.laws or self.motions or self.whole is not None or self._stops)
        if self.acting:
            self.integrals.append(WORK)

    def _all_tables(self) -> dict[Table, None]:
        """Each once, in order."""
        laws = [x for law in self.laws.values() for x in (law, getattr(law, "target", None))]
        motions = [x for m in self.motions.values() for x in (m.position, m.velocity, m.acceleration)]
        return {x: None for x in (*laws, *motions) if isinstance(x, Table)}

    # ------------------------------------------------------------ what a run needs to know

    @property
    def constant(self) -> bool:
        """Whether the generalized forces are numbers that never change."""
        return not self.motions and self.whole is None and all(isinstance(x, int | float) for x in self.laws.values())

    @property
    def calls(self) -> bool:
        """Whether Python functions are called at every evaluation."""
        return bool(self._called) or (is_function(self.whole) and self._traced_whole is None)

    @property
    def called_functions(self) -> Mapping[int, Law]:
        """Python functions of single speeds that are called, by speed."""
        return self._called

    @property
    def sampled(self) -> list[int]:
        """Speeds whose force a clock sets."""
        return [i for i, law in self.laws.items() if isinstance(law, PID | Sampled) and law.rate is not None]

    @property
    def tables(self) -> Mapping[Table, int]:
        """Tables, and where among the held values their pieces begin."""
        return self._tables

    @property
    def breaks(self) -> Vector:
        """Times at which a law is not smooth."""
        return np.unique(np.concatenate([np.zeros(0), *(x.breaks for x in self._tables)]))

    @property
    def sample_rates(self) -> tuple[float, ...]:
        """Of all clocks, 1/s."""
        laws = [*self.laws.values(), self.whole]
        return tuple(sorted({float(x.rate) for x in laws if isinstance(x, PID | Sampled) and x.rate is not None}))

    def locking(self, speeds: frozenset[int]) -> Inputs:
        """The same laws with these degrees of freedom held where they are."""
        out = copy.copy(self)
        out.locked = speeds
        return out

    def start(self) -> tuple[Vector, Vector]:
        """Integrals and held values at the start."""
        u = np.zeros(len(self.held))
        u[: len(self.variables)] = list(self.variables.values())
        self.turn(0.0, u)
        return np.zeros(len(self.integrals)), u

    def turn(self, t: float, u: Vector) -> None:
        """Take the pieces of tables that begin at or before a time; they go into u."""
        for table, first in self._tables.items():
            u[first : first + len(table.numbers)] = table.piece(t)

    def call(self, t: float, q: Vector, v: Vector, u: Vector) -> None:
        """Ask the functions that are called at every evaluation; the answers go into u."""
        for i, law in self._called.items():
            u[self._held_at[i]] = asked(law, t, q, v, (), f"tau: {self.model.speeds[i]!r}")
        if is_function(self.whole) and self._traced_whole is None:
            n = self.model.nv
            u[self._whole_at : self._whole_at + n] = asked(self.whole, t, q, v, (n,), "tau")

    def tick(self, rate: float, t: float, q: Vector, v: Vector, u: Vector) -> None:
        """Ask the sampled functions of one clock; the answers go into u."""
        for i, law in self.laws.items():
            if isinstance(law, Sampled) and law.rate == rate:
                u[self._held_at[i]] = asked(law.function, t, q, v, (), f"tau: {self.model.speeds[i]!r}")
        if isinstance(self.whole, Sampled) and self.whole.rate == rate:
            n = self.model.nv
            u[self._whole_at : self._whole_at + n] = asked(self.whole.function, t, q, v, (n,), "tau")

    def describe(self) -> dict[str, Any]:
        """The laws as texts, by which a run is known again."""
        speeds = self.model.speeds
        out = {f"tau {speeds[i]}": text(law) for i, law in sorted(self.laws.items())}
        out |= {f"motion {speeds[i]}": text(law) for i, law in sorted(self.motions.items())}
        if self.whole is not None:
            out["tau"] = text(self.whole)
        return out | {f"variable {name}": x for name, x in self.variables.items()}

    # ------------------------------------------------------------ equations

    def applied(self, at: Quantities) -> Applied:
        """What the laws make of a state; `at` has the leaves of this run."""
        n = self.model.nv
        at = replace(at, tables=self._tables)
        q, v = at.q.copy(), at.v.copy()
        drive = np.array([at.graph.zero] * n, dtype=object)
        given = np.zeros(n, dtype=np.bool_)
        for i, motion in self.motions.items():
            where = f"motion {self.model.speeds[i]!r}"
            place = int(self.model.q_of_speed[i])
            position, velocity, acceleration = motion.nodes(at, self.model.speeds[i], where)
            if place < 0:
                raise StateError(f"{where}: expected the rate of a coordinate; it has none of its own")
            q[place] = position if position is not None else q[place]
            v[i] = velocity if velocity is not None else v[i]
            drive[i], given[i] = acceleration, True
        at = replace(at, q=q, v=v)
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
            return at.table(law)
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
            return at.formula(law, where, f"{self.model.speeds[i]}.force")
        traced = self._traced.get(i)
        return at.u[self._held_at[i]] if traced is None else inserted(traced, at)[0]

    def _whole_force(self, at: Quantities, i: int) -> Expr:
        return at.u[self._whole_at + i] if self._traced_whole is None else inserted(self._traced_whole, at)[i]


def _law(law: Any, where: str) -> Law:
    """A law as it was given, numbers as floats."""
    if isinstance(law, str | Table | PID | Sampled) or callable(law):
        return law  # type: ignore[no-any-return]
    if is_number(law):
        return float(law)
    raise StateError(
        f"{where}: expected a finite number, a formula, a Table, a PID, a Sampled or a function of (t, q, v), "
        f"got {law!r}"
    )
