"""A model's closed loops and other constraints: their errors, their forces, which of them repeat others."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from supple.description.constraints import Gear, Row
from supple.engines.plain import plain
from supple.errors import AssemblyError, AssemblyWarning, StateError, nearest
from supple.model import assembly
from supple.model.closure_arrays import closure_arrays
from supple.model.flatten import Names, numbering, place
from supple.model.ruthless import refuse_ruthless
from supple.model.scales import Scales, random_coordinates
from supple.recursions import closed_chains
from supple.recursions.closure_forces import row_force
from supple.recursions.closures import ANGLE, SLIP, Closures, ClosureWorkspace, closure_workspace
from supple.recursions.newton_euler import at_rest
from supple.recursions.tree import Workspace

if TYPE_CHECKING:
    from supple.model.model import Model

Numbers = NDArray[Any]
SAMPLES = 3
"""Random ones at which rows are tried."""
SATISFIED = 1e-9
"""Rate of a row for typical speeds, or its error, relative to its typical size, below which it is zero."""
REDUNDANT = 1e-9
"""What is left of a row, relative to the row itself, when others explain it."""
NEARLY_SINGULAR = 1e-3
"""Margin below which a configuration is named."""
UNDRIVEN = 1e-6
"""Error of an acceleration, relative to the largest, that is more than rounding and regularization."""


class Loops:
    """The constraints of a model beyond its tree; `Model.loops`.

    Where not said otherwise arrays of states have leading axes of any kind, as for the model's own functions. A row is
    one condition; a constraint has one to six of them.

    Attributes
    ----------
    model : Model
    arrays : Closures
        Of the rows that the joints can change.
    rows : list of (str, Row)
        The constraint that each of them belongs to, and what it demands.
    idle : list of (str, Row)
        Rows that are fulfilled whatever the joints do, as those across the plane of a planar mechanism.
    holonomic : (rows,) array of bool
        Rows that are conditions on positions, not on velocities alone.
    scales : Scales
        Typical sizes of the speeds and rows, which tolerances and steps are relative to.
    """

    def __init__(self, model: Model, names: Names) -> None:
        mech = model.description
        self.model = model
        number = numbering(mech)
        framed = [c for c in mech.constraints.values() if not isinstance(c, Gear)]
        ends = [(place(mech, c.first, number), place(mech, c.second, number)) for c in framed]
        attachments = (
            model.flex.closure_attachments if model.flex is not None else -np.ones((len(ends), 2), dtype=np.int64)
        )
        self.arrays: Closures = closure_arrays(mech, ends, attachments, names, model.tree.q_of_speed)
        self.rows: list[tuple[str, Row]] = [(name, row) for name, c in mech.constraints.items() for row in c.rows()]
        self.satisfied: list[tuple[str, Row]] = []
        named = [(name, c) for name, c in mech.constraints.items() if not isinstance(c, Gear)]
        self._kept_axes = [(name, pair, c.kept_axes()) for pair, (name, c) in enumerate(named)]
        refuse_ruthless(model, [name for name, _ in named], self.arrays)
        self.scales = Scales(self)
        self._set_satisfied_apart()
        self.holonomic: NDArray[np.bool_] = self.arrays.row_kind != SLIP
        self.holonomic.flags.writeable = False
        self._require_upright()

    def _set_satisfied_apart(self) -> None:
        """Keep the rows that the joints can change; refuse those that are not fulfilled and never will be."""
        q = np.stack([random_coordinates(self.model, n, self.scales.length) for n in range(SAMPLES)])
        sizes = self.scales.rows
        moved = (np.abs(self.jacobian(q)) * self.scales.speeds).max(axis=(0, 2)) > SATISFIED * sizes
        position = self.errors(q[0])[0]
        for (name, row), x, size, counts in zip(self.rows, position, sizes, moved, strict=True):
            if not counts and abs(x) > SATISFIED * size:
                raise AssemblyError(
                    f"model {self.model.name!r}: constraint {name!r}: {row.label} is off by {abs(x):.3g} (m or rad), "
                    "and no joint can change it"
                )
        self.satisfied = [row for row, counts in zip(self.rows, moved, strict=True) if not counts]
        self.rows = [row for row, counts in zip(self.rows, moved, strict=True) if counts]
        fields = {key: x[moved] for key, x in self.arrays._asdict().items() if key.startswith("row_")}
        for x in fields.values():
            x.flags.writeable = False
        self.arrays = self.arrays._replace(**fields)
        self.scales = Scales(self)

    def _require_upright(self) -> None:
        """Refuse joints whose frames are half a turn apart, if no joint can change that."""
        turning = {name for name, row in self.rows if row.kind == ANGLE}
        for name in self.turned_over(self._evaluated(random_coordinates(self.model, 0, self.scales.length))[0]):
            if name not in turning:
                raise AssemblyError(
                    f"model {self.model.name!r}: constraint {name!r}: its frames are half a turn apart, and no joint "
                    "can change it"
                )

    def turned_over(self, cw: ClosureWorkspace) -> list[str]:
        """Constraints whose frames are turned against each other as a whole, which angles of axes do not tell."""
        return [
            name
            for name, pair, axes in self._kept_axes
            if len(axes) and np.einsum("ij,jk,ik->i", axes, cw.R[pair].reshape(3, 3), axes).min() < 0.5
        ]

    def __len__(self) -> int:
        return len(self.rows)

    # ------------------------------------------------------------ errors

    def errors(self, q: ArrayLike, v: ArrayLike | None = None) -> tuple[Numbers, Numbers]:
        """How far the rows are from zero, and how fast they change: (..., rows) each, m or rad, m/s or rad/s."""
        m = self.model
        (q_, v_), shape, _ = m._batch(q=(q, m.nq), v=(np.zeros(m.nv) if v is None else v, m.nv))
        found = [self._evaluated(*state)[0] for state in zip(q_, v_, strict=True)]
        position, velocity = ([getattr(x, key) for x in found] for key in ("position", "velocity"))
        return np.reshape(position, (*shape, len(self))), np.reshape(velocity, (*shape, len(self)))

    def jacobian(self, q: ArrayLike) -> Numbers:
        """J (..., rows, nv): rates of the rows are J v."""
        m = self.model
        (q_,), shape, _ = m._batch(q=(q, m.nq))
        return np.reshape([self._evaluated(x)[0].J for x in q_], (*shape, len(self), m.nv))

    # ------------------------------------------------------------ assembly

    def assemble(self, q: ArrayLike | None = None, fixed: Sequence[str] = ()) -> NDArray[np.float64]:
        """Coordinates (nq,) near a guess at which all loops are closed.

        Parameters
        ----------
        q : (nq,) array_like, optional
            The guess; neutral if not given.
        fixed : sequence of str
            Speeds whose coordinates keep their values.

        Raises
        ------
        AssemblyError
            With the loops that cannot be closed, and how far off they are.

        Warns
        -----
        AssemblyWarning
            When flexible bodies had to be strained, with their names and the strain energy.
        """
        guess = self._one(q=(self.model.neutral() if q is None else q, self.model.nq))
        found = assembly.assembled(self, guess, self.held(fixed))
        strained = assembly.strained(self, found, guess)
        if strained:
            warnings.warn(
                f"model {self.model.name!r}: the joints alone cannot close the loops from this guess; it strains "
                f"{strained}",
                AssemblyWarning,
                stacklevel=2,
            )
        return found

    def consistent(self, q: ArrayLike, v: ArrayLike, fixed: Sequence[str] = ()) -> NDArray[np.float64]:
        """Speeds (nv,) that fulfil all constraints, by the impulse that closes them; speeds in `fixed` stay."""
        m = self.model
        return assembly.consistent(self, self._one(q=(q, m.nq)), self._one(v=(v, m.nv)), self.held(fixed))

    def _one(self, **part: tuple[ArrayLike, int]) -> NDArray[np.float64]:
        """One state's array, checked."""
        ((x,), shape, _), (name,) = self.model._batch(**part), part
        if shape:
            raise StateError(
                f"model {self.model.name!r}: {name}: expected one state, got shape {(*shape, x.shape[-1])}"
            )
        return np.array(x[0], dtype=float)

    def project(self, q: Numbers, v: Numbers, given: Numbers, steps: int = 2) -> tuple[Numbers, Numbers]:
        """States (states, ...) nearly closed, after steps towards the closed ones of least kinetic energy."""
        for _ in range(steps):
            found = [self.constraint_state(*state, given) for state in zip(q, v, strict=True)]
            q = self.model.integrate(q, np.array([x.shift for x in found]), 1.0)
            v = v + np.array([x.impulse for x in found])
        return q, v

    def held(self, names: Sequence[str], what: str = "fixed") -> NDArray[np.bool_]:
        """Which speeds these are; `what` they are called in messages."""
        given = self.model._free.copy()
        for name in names:
            if name not in self.model.speeds:
                raise StateError(
                    f"model {self.model.name!r}: {what}: no speed {name!r}{nearest(name, self.model.speeds)}"
                )
            given[self.model.speeds.index(name)] = True
        return given

    # ------------------------------------------------------------ forces

    def forces(self, q: ArrayLike, v: ArrayLike, tau: ArrayLike, given: NDArray[np.bool_] | None = None) -> Numbers:
        """Forces (..., rows) of the rows in the motion that generalized forces tau give, N or N m.

        Where rows repeat each other, the forces of least size.

        Parameters
        ----------
        q, v, tau : (..., nq), (..., nv), (..., nv) array_like
        given : (nv,) array of bool, optional
            Speeds whose acceleration is given; it stands in `tau` then.
        """
        m = self.model
        (q_, v_, tau_), shape, dtype = m._batch(q=(q, m.nq), v=(v, m.nv), tau=(tau, m.nv))
        held = m._free if given is None else given
        _, force, fault = self.forward(q_, v_, tau_.copy(), held, m._wrenches([], dtype))
        m._refuse_singular(fault)
        return force.reshape((*shape, len(self)))

    def drives(self, q: ArrayLike, v: ArrayLike, a: ArrayLike, speeds: Sequence[str]) -> Numbers:
        """Inverse dynamics of the closed system: forces (..., nv) of these drives for accelerations a, least in size.

        Parameters
        ----------
        q, v, a : (..., nq), (..., nv), (..., nv) array_like
            States and accelerations that fulfil the constraints.
        speeds : sequence of str
            Where drives are; the forces on all other speeds are zero.
        """
        m, chosen = self.model, np.flatnonzero(self.held(speeds, "speeds"))
        (q_, v_, a_), shape, _ = m._batch(q=(q, m.nq), v=(v, m.nv), a=(a, m.nv))
        tau = np.zeros((len(q_), m.nv))
        unit = self.scales.speeds
        needed, J = m.inverse_dynamics(q_, v_, a_), self.jacobian(q_) * unit / self.scales.rows[:, None]
        for n in range(len(q_)):
            rank = np.linalg.matrix_rank(J[n], tol=REDUNDANT * np.abs(J[n]).max())
            motions = np.linalg.svd(J[n])[2][rank:] * unit
            tau[n, chosen] = np.linalg.lstsq(motions[:, chosen], motions @ needed[n], rcond=None)[0]
        off, free = m.forward_dynamics(q_, v_, tau) - a_, m.forward_dynamics(q_, v_, np.zeros_like(tau))
        off, free, wanted = (np.abs(x) / unit for x in (off, free, a_))
        if (off.max(axis=1, initial=0.0) > UNDRIVEN * np.maximum(free, wanted).max(axis=1, initial=0.0)).any():
            state, i = np.unravel_index(int(off.argmax()), off.shape)
            raise StateError(
                f"model {m.name!r}: drives on {', '.join(speeds)} cannot give these accelerations, which "
                f"contradict the constraints or need other drives: that of {m.speeds[i]!r} would be off by "
                f"{off[state, i] * unit[i]:.3g}"
            )
        return tau.reshape((*shape, m.nv))

    def forward(
        self,
        q: Numbers,
        v: Numbers,
        drive: Numbers,
        given: Numbers,
        wrench: Numbers,
        cw: ClosureWorkspace | None = None,
    ) -> tuple[Numbers, Numbers, int]:
        """Accelerations (states, nv), forces (states, rows), and the fault of `closed_chains.forward_dynamics`."""
        cw = closure_workspace(self.arrays, self.model.nv, q.dtype) if cw is None else cw
        with self.model._workspace(q.dtype.type) as ws:
            return self._forward(q, v, drive, given, wrench, ws, cw)

    def _forward(
        self,
        q: Numbers,
        v: Numbers,
        drive: Numbers,
        given: Numbers,
        wrench: Numbers,
        ws: Workspace,
        cw: ClosureWorkspace,
    ) -> tuple[Numbers, Numbers, int]:
        """The same; leaves the poses of the last state in ws and cw."""
        m = self.model
        a, force = np.zeros((len(q), m.nv), q.dtype), np.zeros((len(q), len(self)), q.dtype)
        args = q, v, drive, given, wrench, ws, cw, a, force
        return a, force, closed_chains.forward_dynamics(m.tree, m.flex, self.arrays, *args)

    def loads(self, q: Numbers, force: Numbers) -> Numbers:
        """What forces of the rows (states, rows) do to bodies, (states, n + 1, 6) in body axes at body origins."""
        m, cl = self.model, self.arrays
        wrench = np.zeros((len(q), len(m.bodies) + 1, 6), q.dtype)
        cw, still = closure_workspace(cl, m.nv, q.dtype), np.zeros((1, m.nv), q.dtype)
        with m._workspace(q.dtype.type) as ws:
            for state, sizes, out in zip(q, force, wrench, strict=True):
                self._forward(state[None], still, still.copy(), m._free, m._wrenches([], q.dtype), ws, cw)
                plain(at_rest)(m.flex, ws)
                for i in np.flatnonzero(cl.row_pair >= 0):
                    plain(row_force)(m.flex, cl, i, sizes[i], ws, cw)
                out[:] = -ws.load
        return wrench

    def constraint_state(
        self, q: Numbers, v: Numbers | None = None, given: Numbers | None = None, drive: Numbers | None = None
    ) -> ClosureWorkspace:
        """Errors, J, M^-1 J*, S and all else that is known of the closures of one state, prescribed dofs held.

        `drive` (nv,) has generalized forces, prescribed accelerations where they are given; none act without it.

        Raises
        ------
        SingularError
            If a degree of freedom of the open tree has no inertia: there is no M^-1 then.
        """
        cw, fault = self._evaluated(q, v, given, drive)
        self.model._refuse_singular(fault)
        return cw

    def _evaluated(
        self, q: Numbers, v: Numbers | None = None, given: Numbers | None = None, drive: Numbers | None = None
    ) -> tuple[ClosureWorkspace, int]:
        """The same and the fault of `forward`, with which only errors and J are of use."""
        m = self.model
        v = np.zeros(m.nv, q.dtype) if v is None else v
        acting = np.zeros((1, m.nv), q.dtype) if drive is None else drive.reshape(1, m.nv).copy()
        wrench = m._wrenches([], q.dtype)
        cw = closure_workspace(self.arrays, m.nv, q.dtype)
        fault = self.forward(q[None], v[None], acting, m._free if given is None else given, wrench, cw)[2]
        return cw, fault

    # ------------------------------------------------------------ redundancy and singular configurations

    def margins(self, q: ArrayLike, given: NDArray[np.bool_] | None = None) -> tuple[NDArray[np.float64], list[str]]:
        """How far configurations (states, nq) are from singular ones, and the constraint that is nearest to failing.

        The least eigenvalue of S, its rows scaled to at most 1 at these configurations, of those that are not zero at
        all of them: zero in a singular configuration. Prescribed speeds have a prescribed motion.
        """
        states = np.atleast_2d(np.asarray(q, dtype=float))
        found = [self.constraint_state(x, given=given) for x in states]
        S = np.array([x.S for x in found]).reshape(-1, len(self), len(self))
        held = self.model._free if given is None else given
        moved = np.any([self.scales.moved(x.J, held) for x in found], axis=0)
        size = np.where(moved, np.sqrt(np.einsum("sii->si", S).max(axis=0, initial=0.0)), np.inf)
        values, vectors = np.linalg.eigh(S / np.outer(size, size))
        rank = int((values > REDUNDANT).sum(axis=1).max(initial=1))
        first = len(self) - (max(rank, self._usual_rank) if given is None or not given.any() else rank)
        names = [self.rows[int(np.abs(x[:, first]).argmax())][0] for x in vectors]
        return np.maximum(values[:, first], 0.0), names

    @cached_property
    def _usual_rank(self) -> int:
        """Conditions that do not repeat others, in a closed configuration that is not singular."""
        ranks = [1]
        for n in range(SAMPLES):
            try:
                start = random_coordinates(self.model, n, self.scales.length)
                cw = self.constraint_state(assembly.assembled(self, start, self.model._free))
            except AssemblyError:
                continue
            S, moved = cw.S, self.scales.moved(cw.J, self.model._free)
            size = np.where(moved, np.sqrt(np.abs(S.diagonal())), np.inf)
            ranks.append(int((np.linalg.eigvalsh(S / np.outer(size, size)) > REDUNDANT).sum()))
        return max(ranks)

    def singular_configurations(self, t: ArrayLike, q: ArrayLike) -> list[tuple[float, str]]:
        """Times of a motion at which it passes near a singular configuration, and the constraint that fails there."""
        times, (margin, names) = np.asarray(t, dtype=float), self.margins(q)
        near = margin < NEARLY_SINGULAR
        least = [
            i
            for i in map(int, np.flatnonzero(near))
            if margin[i] <= margin[max(i - 1, 0)] and margin[i] <= margin[min(i + 1, len(margin) - 1)]
        ]
        return [(float(times[i]), names[i]) for i in least]

    def redundant(self, q: ArrayLike | None = None) -> list[str]:
        """Sentences that name redundant constraint equations, at a configuration or where the model is assembled."""
        at = self.assemble() if q is None else np.array(q, dtype=float)
        cw = self.constraint_state(at)
        S, moved = cw.S, self.scales.moved(cw.J, self.model._free)
        size = np.where(moved, np.sqrt(np.abs(S.diagonal())), np.inf)
        scaled = S / np.outer(size, size)
        kept: list[int] = []
        count: Counter[str] = Counter()
        others: dict[str, set[str]] = {}
        for i in np.flatnonzero(moved):
            name = self.rows[i][0]
            share = (
                np.linalg.lstsq(scaled[np.ix_(kept, kept)], scaled[kept, i], rcond=REDUNDANT)[0]
                if kept
                else np.zeros(0)
            )
            if kept and scaled[i, i] - scaled[kept, i] @ share < REDUNDANT:
                count[name] += 1
                others.setdefault(name, set()).update(self.rows[kept[j]][0] for j in np.flatnonzero(abs(share) > 1e-6))
            else:
                kept.append(int(i))
        satisfied = Counter(name for name, _ in self.satisfied)
        said = [f"{_conditions(n)} of {name!r} fulfilled whatever the joints do" for name, n in satisfied.items()]
        stuck = Counter(self.rows[i][0] for i in np.flatnonzero(~moved))
        said += [
            f"{_conditions(n)} of {name!r} that no joint can change at this dead point" for name, n in stuck.items()
        ]
        return said + [
            f"{_conditions(n)} of {x!r} repeating {', '.join(sorted(map(repr, others[x])))}" for x, n in count.items()
        ]


def _conditions(count: int) -> str:
    return "1 condition" if count == 1 else f"{count} conditions"
