"""All that acts on a model during a run, in one place: what each law adds to the equations, and what it needs from
outside.

Laws that can be written as equations (numbers, formulas, tables, controllers, functions that trace) become part of the
graph. The others come in as numbers `u`: variables that events change, outputs of sampled controllers, which change at
the ticks of a clock, and outputs of Python functions, which are called at every evaluation.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from supple.call_checks import require_signature
from supple.checks import is_number
from supple.description.editing import rotor_of
from supple.errors import PhysicsWarning, StateError, nearest, warn
from supple.expressions.formula import Formula
from supple.expressions.graph import Expr
from supple.formulations import Formulation
from supple.inputs.applied import Applied
from supple.inputs.controllers import PID, Sampled, Signal
from supple.inputs.fmu_controllers import FmuController, FmuOutput
from supple.inputs.linear_controllers import ControllerOutput, LinearController
from supple.inputs.motions import Motion as Motion
from supple.inputs.quantities import Quantities
from supple.inputs.run_fmus import RunFmus
from supple.inputs.tables import Table
from supple.inputs.user_functions import ForceFunction, asked, equations, inserted, is_function, text
from supple.inputs.wrenches import COMPONENTS, Wrench, checked_law, checked_wrenches, located, motion_names
from supple.inputs.wrenches import Law as Law
from supple.model.arguments import named_vector
from supple.model.prescribed_modes import require_tree
from supple.recursions.frame_wrenches import MOTION, FrameWrenches

Vector = NDArray[np.float64]
Laws = ArrayLike | Mapping[str, Law] | ForceFunction | Sampled | None
CLOCKED = PID | Sampled | ControllerOutput | FmuOutput
"""Laws that a clock may set."""
WORK = "work"
"""Name of the integral of the power of all actuators."""


class Inputs:
    """The laws of a run, and where their integrals and held values stand.

    Laws are numbered by what they give: first all speeds, then the six components of each wrench.

    Parameters
    ----------
    model : Model
    tau : array_like, mapping of speed name to law, function or Sampled, optional
    motion : mapping of speed name to Motion, number, formula or Table (of positions), optional
    variables : mapping of name to number, optional
        Names that formulas can use and events can change.
    stops : bool
        Whether joints may be held by stops.
    wrenches : sequence of Wrench
        Moments and forces at frames.
    added : mapping of speed name to number or formula, optional
        Generalized forces beside those of `tau`, whatever laws these follow.

    Attributes
    ----------
    frame_wrenches : FrameWrenches or None
        Where the wrenches act; None if there are none.
    """

    def __init__(
        self,
        model: Formulation,
        tau: Laws = None,
        motion: Mapping[str, Motion | Signal] | None = None,
        variables: Mapping[str, float] | None = None,
        stops: bool = False,
        wrenches: Sequence[Wrench] = (),
        added: Mapping[str, float | str] | None = None,
    ) -> None:
        self.model, self._stops = model, stops
        self.wrenches = checked_wrenches(wrenches)
        self.frame_wrenches = self._located(model)
        self._names = (*model.speeds, *(f"{x.name}.{part}" for x in self.wrenches for part in COMPONENTS))
        self.variables: dict[str, float] = {}
        self._read_variables(variables or {})
        self.motions: dict[int, Motion] = {}
        for name, law in (motion or {}).items():
            i = self._speed(name, "motion")
            self.motions[i] = law if isinstance(law, Motion) else Motion(position=law)
        self.whole: ForceFunction | Sampled | None = None
        self.laws: dict[int, Law] = {}
        self._set_variables: dict[str, FmuOutput] = {}
        self._width: dict[int, int] = {}
        self.locked: frozenset[int] = frozenset()
        self._read(tau)
        self._read_wrenches()
        self.added = {self._speed(name, "added"): x for name, x in (added or {}).items()}
        for i in (self.laws.keys() | self.added.keys()) & self.motions.keys():
            what = "tau" if i in self.laws else "added"
            raise StateError(f"{what}: {model.speeds[i]!r} has a prescribed motion, so its force is found, not given")
        self._warn_of_deflections()
        self._lay_out()

    @property
    def fixed_variables(self) -> dict[str, str]:
        """Variables that cannot change during a run, each with what would jump with it: a position or a velocity."""
        found: dict[str, str] = {}
        for i, motion in self.motions.items():
            for key in ("position", "velocity"):
                law = getattr(motion, key)
                for name in Formula(law).names & self.variables.keys() if isinstance(law, str) else ():
                    found.setdefault(name, f"the prescribed {key} of {self.model.speeds[i]!r}")
        return found

    def require_changeable(self, name: str, where: str) -> None:
        """Refuse a new value of a variable with which a prescribed position or velocity would jump."""
        if name in self.fixed_variables:
            raise StateError(f"{where}: {name!r} stays as it is in a run: {self.fixed_variables[name]} would jump")

    def _warn_of_deflections(self) -> None:
        """Warn of laws on the springs of elastic joints, whose actuators act on the rotors."""
        acting = {i: "tau" for i in self.laws if i < self.model.nv} | {i: "motion" for i in self.motions}
        for i, what in acting.items():
            speed = self.model.speeds[i]
            body, _, rest = speed.rpartition(".")
            rotor = rotor_of(self.model.description, body)
            if rotor is not None:
                warn(
                    f"{what}: {speed!r} is the deflection of the spring in the elastic joint of {body!r}; its actuator "
                    f"acts on '{rotor}.{rest}'",
                    PhysicsWarning,
                )

    def _located(self, model: Formulation) -> FrameWrenches | None:
        """Where the wrenches act in a model."""
        return located(model.floating_frames("a wrench that follows a law"), self.wrenches) if self.wrenches else None

    def _speed(self, name: str, what: str) -> int:
        if name not in self.model.speeds:
            raise StateError(f"{what}: no entry {name!r}{nearest(name, self.model.speeds)}")
        i = self.model.speeds.index(name)
        if what == "motion" and self.model.is_mode[i]:
            require_tree(self.model.floating_frames("a prescribed motion of a mode"))
        return i

    def _read(self, tau: Laws) -> None:
        """Sort what the user gave."""
        if tau is None:
            return
        if isinstance(tau, Sampled) or callable(tau):
            if is_function(tau):
                require_signature(tau, "t, q, v", "tau")
            self.whole = tau
        elif isinstance(tau, Mapping):
            for name, law in tau.items():
                if isinstance(law, FmuOutput) and name in self.variables:
                    self.require_changeable(name, law.controller.place)
                    self._set_variables[name] = law
                else:
                    self.laws[self._speed(name, "tau")] = checked_law(law, f"tau: {name!r}")
        else:
            given = named_vector(self.model.speeds, tau, "tau")
            self.laws = {i: float(x) for i, x in enumerate(given) if x != 0.0}

    def _read_wrenches(self) -> None:
        """Number the laws of the wrenches; a function that gives three components has the number of the first."""
        for e, wrench in enumerate(self.wrenches):
            for first, width, law in wrench.laws():
                i = self.model.nv + len(COMPONENTS) * e + first
                self.laws[i] = law
                if width > 1:
                    self._width[i] = width

    def _where(self, i: int) -> str:
        """What messages about a law begin with."""
        e, component = divmod(i - self.model.nv, len(COMPONENTS))
        if e < 0:
            return f"tau {self.model.speeds[i]!r}"
        part = COMPONENTS[component]
        return f"{self.wrenches[e].place}: {part.partition('.')[0] if i in self._width else part}"

    def law_name(self, i: int) -> str:
        """Law i in words."""
        return f"tau: the law of {self.model.speeds[i]!r}" if i < self.model.nv else self._where(i)

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
        names = self._names
        for i, law in self.laws.items():
            if isinstance(law, PID) and law.rate is None and law.ki:
                self._integral[i] = len(self.integrals)
                self.integrals.append(f"{names[i]}.integral")
            if (isinstance(law, PID) and law.rate is not None) or isinstance(law, Sampled):
                self._held_at[i] = len(self.held)
                self.held += [f"{names[j]}.held" for j in self._given_by(i)]
                self.held += [f"{names[i]}.sum"] if isinstance(law, PID) else []
        self._controllers: dict[LinearController, int] = {}
        for law in self.laws.values():
            if isinstance(law, ControllerOutput) and law.controller not in self._controllers:
                self._place_controller(law.controller)
        self.fmus = self._placed_fmus()
        functions = [(i, law) for i, law in self.laws.items() if is_function(law)]
        self._traced = {i: equations(law, self.model, len(self._given_by(i))) for i, law in functions}
        self._called = {i: law for i, law in self.laws.items() if is_function(law) and self._traced[i] is None}
        self._traced_whole = equations(self.whole, self.model, self.model.nv) if is_function(self.whole) else None
        self._asked_where = {
            i: f"tau: {self.model.speeds[i]!r}" if i < self.model.nv else self._where(i) for i in self.laws
        }
        for i in self._called:
            self._held_at[i] = len(self.held)
            self.held += [f"{names[j]}.called" for j in self._given_by(i)]
        self._tables: dict[Table, int] = {}
        for table in self._all_tables():
            self._tables[table] = len(self.held)
            self.held += [f"table{len(self._tables)}.{x}" for x in table.numbers]
        self._whole_at = len(self.held)
        if self.whole is not None and self._traced_whole is None:
            self.held += [f"{name}.called" for name in self.model.speeds]
        for name in self.variables:
            if self.held.count(name) > 1:
                raise StateError(f"variables: {name!r} is a quantity of a law, expected another name")
        self.acting = bool(self.laws or self.added or self.motions or self.whole is not None or self._stops)
        if self.acting:
            self.integrals.append(WORK)

    def _placed_fmus(self) -> RunFmus:
        """FMUs with their places among the held values."""
        places: dict[FmuController, int] = {}
        for law in (*self.laws.values(), *self._set_variables.values()):
            if isinstance(law, FmuOutput) and law.controller not in places:
                self._require_own_name(law.controller, [*self._controllers, *places])
                places[law.controller] = len(self.held)
                self.held += [f"{law.controller.name}.{x}" for x in (*law.controller.outputs, *law.controller.inputs)]
        return RunFmus(places, {self.held.index(name): law for name, law in self._set_variables.items()})

    def _require_own_name(self, controller: Any, others: Sequence[Any]) -> None:
        if any(x.name == controller.name for x in others):
            raise StateError(f"{controller.place}: there are two of this name")

    def _place_controller(self, controller: LinearController) -> None:
        """Give a controller its place: of the first of its integrals, or of its held outputs and then states."""
        self._require_own_name(controller, [*self._controllers])
        held = controller.rate is not None
        names = self.held if held else self.integrals
        self._controllers[controller] = len(names)
        names += [f"{controller.name}.{speed}" for speed in controller.speeds] if held else []
        names += controller.states

    def _given_by(self, i: int) -> range:
        """What law i gives, by number."""
        return range(i, i + self._width.get(i, 1))

    def _all_tables(self) -> dict[Table, None]:
        """Each once, in order."""
        laws = [x for law in self.laws.values() for x in (law, getattr(law, "target", None))]
        motions = [x for m in self.motions.values() for x in (m.position, m.velocity, m.acceleration)]
        return {x: None for x in (*laws, *motions) if isinstance(x, Table)}

    # ------------------------------------------------------------ what a run needs to know

    @property
    def constant(self) -> bool:
        """Whether the generalized forces are numbers that never change."""
        numbers = all(isinstance(x, int | float) for x in self.laws.values())
        return not self.motions and self.whole is None and not self.wrenches and not self.added and numbers

    @property
    def calls(self) -> bool:
        """Whether Python functions are called at every evaluation."""
        return bool(self._called) or self.whole_is_called

    @property
    def whole_is_called(self) -> bool:
        """Whether one Python function gives all generalized forces and is called at every evaluation."""
        return is_function(self.whole) and self._traced_whole is None

    @property
    def called_functions(self) -> Mapping[int, Law]:
        """Python functions of single speeds that are called, by speed."""
        return self._called

    @property
    def sampled(self) -> list[int]:
        """Speeds whose force a clock sets."""
        return [i for i, law in self.laws.items() if isinstance(law, CLOCKED) and law.rate is not None]

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
        laws = [*self.laws.values(), *self._set_variables.values(), self.whole]
        return tuple(sorted({float(x.rate) for x in laws if isinstance(x, CLOCKED) and x.rate is not None}))

    def locking(self, speeds: frozenset[int]) -> Inputs:
        """The same laws with these degrees of freedom held where they are."""
        out = copy.copy(self)
        out.locked = speeds
        return out

    def on(self, model: Formulation) -> Inputs:
        """The same laws on a model that differs in its numbers alone."""
        out = copy.copy(self)
        out.model, out.frame_wrenches = model, self._located(model)
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
            self._ask(i, law, t, q, v, u)
        if self.whole_is_called:
            n = self.model.nv
            u[self._whole_at : self._whole_at + n] = asked(self.whole, t, q, v, (n,), "tau")

    def _ask(self, i: int, function: Any, t: float, q: Vector, v: Vector, u: Vector) -> None:
        """Ask the function of law i; the answers go into u."""
        first, width = self._held_at[i], self._width.get(i, 1)
        u[first : first + width] = asked(function, t, q, v, () if width == 1 else (width,), self._asked_where[i])

    def tick(self, rate: float, t: float, q: Vector, v: Vector, u: Vector) -> None:
        """Ask the sampled functions of one clock; the answers go into u."""
        for i, law in self.laws.items():
            if isinstance(law, Sampled) and law.rate == rate:
                self._ask(i, law.function, t, q, v, u)
        if isinstance(self.whole, Sampled) and self.whole.rate == rate:
            n = self.model.nv
            u[self._whole_at : self._whole_at + n] = asked(self.whole.function, t, q, v, (n,), "tau")

    def describe(self) -> dict[str, Any]:
        """The laws as texts, by which a run is known again."""
        speeds = self.model.speeds
        named = {i: f"tau {speeds[i]}" if i < len(speeds) else self._where(i) for i in sorted(self.laws)}
        out = {name: text(self.laws[i]) for i, name in named.items()}
        out |= {f"variable {name} by": text(law) for name, law in self._set_variables.items()}
        out |= {f"{x.place}: {key}": getattr(x, key) for x in self.wrenches for key in ("frame", "axes")}
        out |= {f"motion {speeds[i]}": text(law) for i, law in sorted(self.motions.items())}
        out |= {f"added {speeds[i]}": text(law) for i, law in sorted(self.added.items())}
        if self.whole is not None:
            out["tau"] = text(self.whole)
        return out | {f"variable {name}": x for name, x in self.variables.items()}

    # ------------------------------------------------------------ equations

    def applied(self, at: Quantities) -> Applied:
        """What the laws make of a state; `at` has the leaves of this run."""
        n = self.model.nv
        at = replace(at, tables=self._tables)
        q, v = at.q.copy(), at.v.copy()
        drive = np.array([at.graph.zero] * len(self._names), dtype=object)
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
        outputs = {x: self._outputs(at, x, first, rates, ticks) for x, first in self._controllers.items()}
        self.fmus.measured(at, ticks)
        for i, law in self.laws.items():
            if isinstance(law, ControllerOutput):
                drive[i] = outputs[law.controller][law.index]
            elif isinstance(law, FmuOutput):
                drive[i] = self.fmus.output(at, law)
            else:
                drive[list(self._given_by(i))] = self._forces(at, i, law, rates, ticks)
        if self.whole is not None:
            for i in range(n):
                if not given[i]:
                    drive[i] = self._whole_force(at, i)
        for i, law in self.added.items():
            drive[i] = drive[i] + at.formula(law, f"added {self.model.speeds[i]!r}", f"{self.model.speeds[i]}.added")
        drive, wrench = drive[:n], drive[n:]
        unlocked = drive.copy()
        for i in self.locked:
            drive[i], given[i] = at.graph.zero, True
        return Applied(q, v, drive, given, rates, unlocked, wrench, ticks=ticks)

    def _forces(
        self, at: Quantities, i: int, law: Law, rates: list[Expr], ticks: dict[float, dict[int, Expr]]
    ) -> list[Expr]:
        """What law i gives; a wrench sees the motion of its frame."""
        e = (i - self.model.nv) // len(COMPONENTS)
        if e >= 0:
            at = replace(at, variables={**at.variables, **motion_names(at.motions.reshape(-1, MOTION)[e])})
        if isinstance(law, PID):
            return [self._controlled(at, i, law, rates, ticks)]
        if isinstance(law, Table):
            return [at.table(law)]
        if isinstance(law, str | int | float):
            return [at.formula(law, self._where(i), self._names[i] if e >= 0 else f"{self._names[i]}.force")]
        traced = self._traced.get(i)
        if traced is not None:
            return list(inserted(traced, at))
        return [at.u[self._held_at[i] + j] for j in range(len(self._given_by(i)))]

    def _outputs(
        self,
        at: Quantities,
        controller: LinearController,
        first: int,
        rates: list[Expr],
        ticks: dict[float, dict[int, Expr]],
    ) -> list[Expr]:
        """What a linear controller gives now."""
        n, count = len(controller.A), len(controller.speeds)
        if controller.rate is None:
            outputs, rates[first : first + n] = controller.nodes(at, at.z[first : first + n])
            return outputs
        outputs, states = controller.nodes(at, at.u[first + count : first + count + n])
        ticks.setdefault(float(controller.rate), {}).update(enumerate([*outputs, *states], start=first))
        return list(at.u[first : first + count])

    def _controlled(
        self, at: Quantities, i: int, law: PID, rates: list[Expr], ticks: dict[float, dict[int, Expr]]
    ) -> Expr:
        """The force of a controller."""
        where, measured = self._where(i), self._measured(at, i)
        if law.rate is not None:
            first = self._held_at[i]
            force, error = law.nodes(at, measured, at.u[first + 1], where, self._names[i])
            ticks.setdefault(float(law.rate), {}).update({first: force, first + 1: at.u[first + 1] + error / law.rate})
            return at.u[first]
        place = self._integral.get(i)
        integral = at.graph.zero if place is None else at.z[place]
        force, error = law.nodes(at, measured, integral, where, self._names[i])
        if place is not None:
            rates[place] = error
        return force

    def _measured(self, at: Quantities, i: int) -> tuple[Expr, Expr]:
        """What a controller acts on, and its rate: a coordinate, or the position of a frame along an axis."""
        e, component = divmod(i - self.model.nv, len(COMPONENTS))
        if e >= 0:
            axis = component % 3
            motion = at.motions.reshape(-1, MOTION)[e]
            return motion[axis], motion[6 + axis]
        place = int(self.model.q_of_speed[i])
        if place < 0:
            name = self.model.speeds[i]
            raise StateError(
                f"{self._where(i)}: a controller acts on a speed that is the rate of a coordinate, got {name!r}"
            )
        return at.q[place], at.v[i]

    def _whole_force(self, at: Quantities, i: int) -> Expr:
        return at.u[self._whole_at + i] if self._traced_whole is None else inserted(self._traced_whole, at)[i]
