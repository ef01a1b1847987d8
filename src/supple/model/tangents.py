"""Exact derivatives of the model's functions, by the tangents of their blocks.

By q they are taken in the directions of the speeds, dq = S x with S = `Model.tangent(q)`: the rates of the coordinates
are recorded in front of a recursion, and their changes with the speeds are the changes of q that it starts from.

Accelerations solve M a + bias = tau, so that da = M^-1 (dtau - dforce), where dforce is the change of inverse dynamics
at the accelerations found: much less work than through the recursion that finds them. Of rigid trees dforce has a
closed form (`recursions/force_derivatives.py`; see `has_closed_form`), which needs no tangents.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supple.engines.blocks.block_program import Program
from supple.engines.blocks.block_recorder import recording
from supple.engines.blocks.branch_solve import WIDEST_TILE, Branches
from supple.engines.blocks.cells import Cells
from supple.engines.blocks.places import Indices
from supple.engines.blocks.program_cache import PROGRAMS
from supple.engines.blocks.tangent_groups import KnownJacobian, Pass, Place
from supple.engines.blocks.tangent_program import BoundTangents, TangentProgram
from supple.engines.llvm.batches import CORES
from supple.model.programs import (
    RECURSIONS,
    ModelStructure,
    RecursionRecording,
    recorded,
)
from supple.recursions import articulated, composite, coordinates, kinematics, newton_euler
from supple.recursions.force_derivatives import ForceDerivatives, force_derivatives
from supple.recursions.moving_frames import derivative_workspace
from supple.recursions.states import Actuation, States

Numbers = NDArray[np.float64]


class DifferentiatedRecording(RecursionRecording):
    """A recursion whose q can be moved in the directions of the speeds.

    Parameters
    ----------
    structure : ModelStructure
    by : sequence of str
        Inputs by which it is differentiated.
    closed_form : bool
        Whether without tangents.

    Attributes
    ----------
    directions : dict of str to Cells
        What is moved instead of an input.
    alias : dict of int to int
        Cells whose changes are those of other cells.
    """

    def __init__(self, structure: ModelStructure, by: Sequence[str], closed_form: bool) -> None:
        super().__init__(structure)
        self._by, self._closed_form = tuple(by), closed_form
        self.directions: dict[str, Cells] = {}
        self.alias: dict[int, int] = {}
        self._kept: list[Cells] = []

    def input(self, name: str, *shape: int, rows: bool = False) -> Any:
        """Cells (1, ...) of one state that the caller fills; in front of q's use, directions that move it."""
        cells = super().input(name, *shape, rows=rows)
        if name == "q" and name in self._by and not self._closed_form:
            x, rate = Cells(self.recorder, (1, self.nv)), Cells(self.recorder, cells.shape)
            self.recorder.end()
            recorded(coordinates.rates)(self.tree, self.flex, cells, x, rate)
            self.recorder.end()
            self.directions[name] = x
            self.alias.update((rate.first + i, cells.first + i) for i in range(rate.size))
            self._kept.append(rate)
        return cells

    def program(self, margin: Cells | None = None) -> Program:
        """What has been recorded."""
        return Program(self.recorder, self.ordered_inputs(), self.outputs, margin, self._kept)

    def moved(self, by: Sequence[str]) -> dict[str, Place]:
        """Cells that directions move, by input: q in the directions of the speeds, "coordinates" each by itself."""
        own = {**self.inputs, "coordinates": self.inputs["q"], **self.directions}
        cells = {name: own[name] for name in by}
        return {name: place(x) for name, x in cells.items()}

    def accelerations(self) -> TangentProgram:
        """Forward dynamics: a, and its derivatives by tau (always) and by q and v as they are asked for."""
        q, v = self.state()
        tau, a = self.input("tau", self.nv), self.output("a", self.nv)
        none: Any = Indices((False,) * self.nv)
        recorded(kinematics.ground_acceleration)(-1.0, self.tree, self.ws)
        actuation = Actuation(tau[0], none, self.wrench(False)[0])
        recorded(articulated.articulate)(self.tree, self.flex, States(q[0], v[0]), actuation, self.ws, a[0])
        self.recorder.end()
        others = [name for name in self._by if name != "tau"]
        if others and self._closed_form:
            return self.divided(self.force_derivatives(["a", *others], v, a, self.ws, "a"))
        force = Cells(self.recorder, (1, self.nv), 0.0)
        out: Any = newton_euler.Forces(force, ())  # type: ignore[arg-type]
        states, wrench, ws = States(q, v), self.wrench(False), self.fresh()
        recorded(newton_euler.inverse_dynamics)(self.tree, self.flex, states, a, wrench, ws, out)
        W = Cells(self.recorder, (self.nv, self.nv), 0.0)
        passes = [Pass(self.moved(["tau"]), {"a": place(a)}, "symmetric")]
        seeds = self.moved(others)
        if seeds:
            self._kept.append(force)
            passive = range(a.first, a.first + self.nv)
            passes.append(Pass(seeds, {"a": place(force)}, "matrix", passive))
        return TangentProgram(self.program(), passes, self.alias, W.first)

    def force_derivatives(self, by: Sequence[str], v: Any, a: Any, ws: Any, result: str) -> list[KnownJacobian]:
        """Derivatives of inverse dynamics, at a state whose motion has been recorded already."""
        n = self.nv
        dw = self.cells(derivative_workspace(self.structure.size))
        out = ForceDerivatives(*(Cells(self.recorder, (n, n), 0.0) for _ in range(3)))  # type: ignore[arg-type]
        recorded(force_derivatives)(self.tree, v[0], a[0], ws, dw, out)
        self.recorder.end()
        known = []
        for name in by:
            D: Any = {"q": out.by_q, "coordinates": out.by_q, "v": out.by_v, "a": out.by_a}[name]
            entries = np.frombuffer(self.recorder.known)[D.first : D.first + n * n].reshape(n, n) != 0.0
            rows = tuple(tuple(np.flatnonzero(column).tolist()) for column in entries.T)
            known.append(KnownJacobian(result, name, D.first, (n, n), rows))
            self._kept.append(D)
        return known

    def divided(self, known: list[KnownJacobian]) -> TangentProgram:
        """Derivatives of accelerations from those of forces, the mass matrix first."""
        n, (M, *others) = self.nv, known
        scratch, unit = Cells(self.recorder, (n, WIDEST_TILE), 0.0), Cells(self.recorder, (2 * WIDEST_TILE,), 0.0)
        unit[WIDEST_TILE] = -1.0
        self._kept.append(unit)
        ancestors: list[tuple[int, ...]] = []
        for i in self.structure.tree.v_parent.tolist():
            ancestors.append(() if i < 0 else (i, *ancestors[i]))
        by_tau = KnownJacobian(M.result, "tau", -1, M.shape, tuple((i,) for i in range(n)))
        branches = Branches(M.first, ancestors, scratch.first, unit.first)
        return TangentProgram(self.program(), [], self.alias, 0, [by_tau, *others], branches)

    def forces(self, what: str, *options: Any) -> TangentProgram:
        """Inverse dynamics, or bias forces, with derivatives in closed form."""
        RECURSIONS[what](self, *options)
        a = self.inputs.get("a", Cells(self.recorder, (1, self.nv), 0.0))
        known = self.force_derivatives(self._by, self.inputs["v"], a, self.ws, "tau")
        return TangentProgram(self.program(), [], self.alias, 0, known)

    def mass_columns(self) -> TangentProgram:
        """M as the derivative of y = M x by x: each column once, however deep the tree is."""
        q, v = self.input("q", self.structure.nq), Cells(self.recorder, (1, self.nv), 0.0)
        x, y = Cells(self.recorder, (1, self.nv)), Cells(self.recorder, (1, self.nv), 0.0)
        out: Any = newton_euler.Forces(y, ())  # type: ignore[arg-type]
        states, none = States(q, v), self.wrench(False)  # type: ignore[arg-type]
        recorded(newton_euler.inverse_dynamics)(self.tree, self.flex, states, x, none, self.ws, out)
        self._kept.append(y)
        return TangentProgram(self.program(), [Pass({"x": place(x)}, {"y": place(y)})], self.alias)

    def inverse_mass_matrix(self) -> TangentProgram:
        """M^-1 as the derivative of y = M^-1 x by x, with the margin of its pivots."""
        q = self.input("q", self.structure.nq)
        x, y, W = (Cells(self.recorder, shape) for shape in ((self.nv,), (self.nv,), (self.nv, self.nv)))
        none: Any = Indices((False,) * self.nv)
        recorded(newton_euler.at_rest)(self.flex, self.ws)
        for k in range(1, self.bodies + 1):
            recorded(composite.configuration_step)(self.tree, self.flex, k, q[0], self.ws)
        recorded(articulated.articulated_inertias)(self.tree, self.flex, none, self.ws)
        recorded(articulated.inverse_mass_times)(self.tree, self.flex, x, none, self.ws, y)
        self._kept.append(y)
        program = self.program(self.margin(none))
        return TangentProgram(program, [Pass({"x": place(x)}, {"y": place(y)}, "symmetric")], self.alias, W.first)


def has_closed_form(structure: ModelStructure) -> bool:
    """Whether there is one for derivatives of dynamics: for rigid trees on which no force depends on poses in space.

    Spring-dampers between points do, and wrenches in ground axes. These and flexible bodies go by tangents.
    """
    tree = structure.tree
    return structure.flex is None and len(tree.spring_frames) == 0 and not np.any(tree.wrench_grounded)


def in_closed_form(structure: ModelStructure, what: str, by: Sequence[str], options: Sequence[Any]) -> bool:
    """Whether these derivatives are; by "coordinates" if each of them is moved by the speed of its number."""
    if not has_closed_form(structure) or what not in ("accelerations", "inverse_dynamics", "bias_forces"):
        return False
    simple = structure.nq == structure.size.speeds and np.array_equal(structure.tree.q_of_speed, range(structure.nq))
    wrenches_kept = what == "inverse_dynamics" and options[-1]
    return not wrenches_kept and {"q", "v", "a", "tau", *["coordinates"] * simple}.issuperset(by)


def place(x: Cells) -> Place:
    """Where an array is."""
    return x.first, x.size


def differentiated(structure: ModelStructure, what: str, by: Sequence[str], *options: Any) -> TangentProgram:
    """A recursion with its derivatives by some inputs.

    Parameters
    ----------
    structure : ModelStructure
    what : str
        "accelerations", "inverse_mass_matrix", "mass_columns", or any of `RECURSIONS`.
    by : sequence of str
        Inputs; "coordinates" is q, but each coordinate by itself.
    *options
        Of the recursion.
    """
    closed_form = in_closed_form(structure, what, by, options)
    r = DifferentiatedRecording(structure, by, closed_form)
    with recording(r.recorder):
        made = _made(r, closed_form, what, by, options)
    r.recorder.release()
    return made


def _made(
    r: DifferentiatedRecording, closed_form: bool, what: str, by: Sequence[str], options: Sequence[Any]
) -> TangentProgram:
    """What a recording makes of a recursion."""
    if what == "accelerations":
        return r.accelerations()
    if what == "inverse_mass_matrix":
        return r.inverse_mass_matrix()
    if what == "mass_columns":
        return r.mass_columns()
    if closed_form:
        return r.forces(what, *options)
    program = RECURSIONS[what](r, *options)
    results = {name: program.outputs[name] for name in program.shapes}
    return TangentProgram(program, [Pass(r.moved(by), results)], r.alias)


def tangent_program(
    structure: ModelStructure, digest: str, what: str, by: Sequence[str], *options: Any
) -> TangentProgram:
    """The same, recorded where neither this process nor the disk has it."""
    key = (digest, what, tuple(by), *options)
    return PROGRAMS.stored(TangentProgram, key, lambda: differentiated(structure, what, by, *options))


class Tangents:
    """All programs of one model with their derivatives.

    Parameters
    ----------
    structure : ModelStructure
    """

    def __init__(self, structure: ModelStructure) -> None:
        self._structure, self._digest = structure, structure.digest()
        self._numbers = structure.numbers.values()
        self._bound: dict[tuple[Any, ...], BoundTangents] = {}

    def __call__(self, what: str, by: Sequence[str], *options: Any) -> BoundTangents:
        """A recursion with its derivatives and the model's numbers."""
        key = (what, tuple(by), *options)
        if key not in self._bound:
            program = tangent_program(self._structure, self._digest, what, by, *options)
            self._bound[key] = BoundTangents(program, self._numbers)
        return self._bound[key]

    def jacobians(self, what: str, by: Sequence[str], inputs: Sequence[Numbers], *options: Any) -> dict[str, Numbers]:
        """Outputs (s, n) by name and derivatives (s, m, k) as "d<output>_d<input>", from inputs (s, n)."""
        return self(what, by, *options).by_name(inputs, CORES)
