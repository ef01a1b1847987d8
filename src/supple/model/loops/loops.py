"""A model's closed loops and other constraints: their errors, their forces, which of them are redundant."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from supple.call_checks import checked
from supple.description.constraints import Gear, Row
from supple.errors import AssemblyWarning, StateError, nearest, warn
from supple.model.arguments import batch
from supple.model.flatten import Names
from supple.model.loops import assembly, singular_configurations
from supple.model.loops.closed_slopes import ClosedDerivatives
from supple.model.loops.closure_arrays import closure_arrays
from supple.model.loops.constraint_slopes import DifferentiatedConstraints
from supple.model.loops.drives import drive_forces
from supple.model.loops.identically_satisfied import refuse_turned_over, split_rows
from supple.model.loops.redundancy import Redundancy
from supple.model.loops.ruthless import refuse_ruthless
from supple.model.loops.scales import Scales
from supple.model.loops.sentences import redundant_sentences
from supple.model.loops.sweeps import ConstraintSweeps
from supple.recursions.closures import SLIP, Closures, ClosureWorkspace, Projection
from supple.recursions.states import States

if TYPE_CHECKING:
    from supple.model.model import Model

Numbers = NDArray[Any]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]


@checked
class Loops:
    """The constraints of a model beyond its tree; `Model.loops`.

    Where not said otherwise arrays of states have leading axes of any kind, as for the model's own functions. A row is
    one constraint equation; a constraint has one to six of them.

    Attributes
    ----------
    model : Model
    arrays : Closures
        Of the rows that the joints can change.
    rows : list of (str, Row)
        The constraint that each of them belongs to, and what it demands.
    satisfied : list of (str, Row)
        Rows that are fulfilled whatever the joints do, as those across the plane of a planar mechanism.
    moved : (all rows,) array of bool
        Which rows of the description these are.
    holonomic : (rows,) array of bool
        Rows that are conditions on positions, not on velocities alone.
    scales : Scales
        Typical sizes of the speeds and rows, which tolerances and steps are relative to.
    sweeps : ConstraintSweeps
        The recursions over all bodies and rows.
    known_rank : int
        Of the rows in usual configurations, once it was found; 0 before. See `singular_configurations.usual_rank`.
    """

    def __init__(self, model: Model, names: Names) -> None:
        mech = model.description
        self.model = model
        framed = {name: c for name, c in mech.constraints.items() if not isinstance(c, Gear)}
        every = closure_arrays(mech, names, model.tree)
        refuse_ruthless(model, list(framed), every)
        self._kept_axes = [(name, pair, c.kept_axes()) for pair, (name, c) in enumerate(framed.items())]
        rows = [(name, row) for name, c in mech.constraints.items() for row in c.rows()]
        self.moved: Bools = split_rows(model, every, rows)
        moved = self.moved
        self.rows: list[tuple[str, Row]] = [row for row, x in zip(rows, moved, strict=True) if x]
        self.satisfied: list[tuple[str, Row]] = [row for row, x in zip(rows, moved, strict=True) if not x]
        fields = {key: x[moved] for key, x in every._asdict().items() if key.startswith("row_")}
        self.holonomic: Bools = fields["row_kind"] != SLIP
        for x in (*fields.values(), self.holonomic):
            x.flags.writeable = False
        self.arrays: Closures = every._replace(**fields)
        self.scales = Scales(model, self.arrays)
        self.sweeps = ConstraintSweeps(model, self.arrays)
        self.known_rank = 0
        refuse_turned_over(self)

    def __len__(self) -> int:
        return len(self.rows)

    # ------------------------------------------------------------ errors

    def errors(self, q: ArrayLike, v: ArrayLike | None = None) -> tuple[Numbers, Numbers]:
        """How far the rows are from zero, and how fast they change: (..., rows) each, m or rad, m/s or rad/s."""
        m = self.model
        (q_, v_), shape, _ = m.batch(q=(q, m.nq), v=(np.zeros(m.nv) if v is None else v, m.nv))
        position, velocity = self.sweeps.errors(States(q_, v_))
        return position.reshape((*shape, len(self))), velocity.reshape((*shape, len(self)))

    def jacobian(self, q: ArrayLike) -> Numbers:
        """J (..., rows, nv): rates of the rows are J v."""
        m = self.model
        (q_,), shape, _ = m.batch(q=(q, m.nq))
        return self.sweeps.jacobian(q_).reshape((*shape, len(self), m.nv))

    def configuration(self, q: Floats) -> ClosureWorkspace:
        """Errors, J and how the frames lie of one configuration (nq,)."""
        return self.sweeps.configuration(q)

    def constraint_state(self, q: Floats, v: Floats | None = None, given: Bools | None = None) -> Projection:
        """Errors, J, M^-1 J*, S and the steps that close the loops, of one state, prescribed dofs held.

        Raises
        ------
        SingularError
            If a degree of freedom of the open tree has no inertia: there is no M^-1 then.
        """
        m = self.model
        states = States(q[None], np.zeros((1, m.nv)) if v is None else v[None])
        found = self.sweeps.projection(states, m.none_prescribed if given is None else given, matrices=True)
        return Projection(*(x[0] for x in found))

    def turned_over(self, q: Floats) -> list[str]:
        """Constraints whose frames are turned against each other as a whole, which angles of axes do not tell."""
        R = self.configuration(q).R
        return [
            name
            for name, pair, axes in self._kept_axes
            if len(axes) and np.einsum("ij,jk,ik->i", axes, R[pair].reshape(3, 3), axes).min() < 0.5
        ]

    # ------------------------------------------------------------ assembly

    def assemble(self, q: ArrayLike | None = None, fixed: Sequence[str] = ()) -> Floats:
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
            warn(
                f"model {self.model.name!r}: the joints alone cannot close the loops from this guess; it strains "
                f"{strained}",
                AssemblyWarning,
            )
        return found

    def consistent(self, q: ArrayLike, v: ArrayLike, fixed: Sequence[str] = ()) -> Floats:
        """Speeds (nv,) that fulfil all constraints, by the impulse that closes them; speeds in `fixed` stay."""
        m = self.model
        return assembly.consistent(self, self._one(q=(q, m.nq)), self._one(v=(v, m.nv)), self.held(fixed))

    def _one(self, **part: tuple[ArrayLike, int]) -> Floats:
        """One state's array, checked."""
        ((x,), shape, _), (name,) = self.model.batch(**part), part
        if shape:
            raise StateError(
                f"model {self.model.name!r}: {name}: expected one state, got shape {(*shape, x.shape[-1])}"
            )
        return np.array(x[0], dtype=float)

    def project(self, q: Numbers, v: Numbers, given: Bools, steps: int = 2) -> tuple[Numbers, Numbers]:
        """States (states, ...) nearly closed, after steps towards the closed ones of least kinetic energy."""
        for _ in range(steps):
            found = self.sweeps.projection(States(np.ascontiguousarray(q), np.ascontiguousarray(v)), given)
            q = self.model.integrate(q, found.shift, 1.0)
            v = v + found.impulse
        return q, v

    def held(self, names: Sequence[str], what: str = "fixed") -> Bools:
        """Which speeds these are; `what` they are called in messages."""
        given = self.model.none_prescribed
        for name in names:
            if name not in self.model.speeds:
                raise StateError(
                    f"model {self.model.name!r}: {what}: no speed {name!r}{nearest(name, self.model.speeds)}"
                )
            given[self.model.speeds.index(name)] = True
        return given

    # ------------------------------------------------------------ forces

    def forces(self, q: ArrayLike, v: ArrayLike, tau: ArrayLike, given: Bools | None = None) -> Numbers:
        """Forces (..., rows) of the rows in the motion that generalized forces tau give, N or N m.

        Where rows are redundant, the forces of least size.

        Parameters
        ----------
        q, v, tau : (..., nq), (..., nv), (..., nv) array_like
        given : (nv,) array of bool, optional
            Speeds whose acceleration is given; it stands in `tau` then.
        """
        m = self.model
        (q_, v_, tau_), shape, _ = m.batch(q=(q, m.nq), v=(v, m.nv), tau=(tau, m.nv))
        mask = self._mask("forces", given)
        return self.sweeps.forward(States(q_, v_), tau_, mask)[1].reshape((*shape, len(self)))

    def drives(self, q: ArrayLike, v: ArrayLike, a: ArrayLike, speeds: Sequence[str]) -> Numbers:
        """Inverse dynamics of the closed system: forces (..., nv) of these drives for accelerations a, least in size.

        Parameters
        ----------
        q, v, a : (..., nq), (..., nv), (..., nv) array_like
            States and accelerations that fulfil the constraints.
        speeds : sequence of str
            Where drives are; the forces on all other speeds are zero.
        """
        m = self.model
        (q_, v_, a_), shape, _ = m.batch(q=(q, m.nq), v=(v, m.nv), a=(a, m.nv))
        return drive_forces(self, q_, v_, a_, speeds).reshape((*shape, m.nv))

    @cached_property
    def constraint_slopes(self) -> DifferentiatedConstraints:
        """Of rates of the rows and of what their forces do, by the tangents of blocks."""
        return DifferentiatedConstraints(self.model)

    @cached_property
    def derivatives(self) -> ClosedDerivatives:
        """Of accelerations and forces, by the tangents of blocks."""
        return ClosedDerivatives(self.model)

    # ------------------------------------------------------------ redundancy and singular configurations

    def redundancy(self, J: Floats, held: Bools | None = None) -> Redundancy:
        """Which rows are redundant where they have this J (rows, nv), some speeds held."""
        speeds = self.scales.speeds if held is None else np.where(held, 0.0, self.scales.speeds)
        return Redundancy(J, self.scales.rows, speeds)

    def redundant(self, q: ArrayLike | None = None) -> list[str]:
        """Sentences that name redundant constraint equations, at a configuration or where the model is assembled."""
        at = self.assemble() if q is None else self._real("redundant", "q", q, self.model.nq)[0]
        return redundant_sentences(self, self.redundancy(self.jacobian(at)))

    def margins(self, q: ArrayLike, given: Bools | None = None) -> tuple[Floats, list[str]]:
        """How far configurations (states, nq) are from singular ones, and the constraint that is nearest to failing.

        The first are the least eigenvalues of the scaled S: zero in a singular configuration. Prescribed speeds have a
        prescribed motion.
        """
        states = self._real("margins", "q", q, self.model.nq)
        return singular_configurations.margins(self, states, self._mask("margins", given))

    def singular_configurations(self, t: ArrayLike, q: ArrayLike) -> list[tuple[float, str]]:
        """Times of a motion at which it passes near a singular configuration, and the constraint that fails there."""
        margins, names = self.margins(q)
        times = self._real("singular configurations", "t", t, len(margins))
        return singular_configurations.minima(times[0], margins, names)

    def _mask(self, where: str, given: Bools | None) -> Bools:
        """Speeds whose acceleration is given: none, or those of an array."""
        if given is None:
            return self.model.none_prescribed
        mask = np.asarray(given)
        if mask.dtype != np.bool_ or mask.shape != (self.model.nv,):
            raise StateError(
                f"model {self.model.name!r}: {where}: given: expected booleans of shape ({self.model.nv},), got "
                f"{mask.dtype} of shape {mask.shape}"
            )
        return mask

    def _real(self, where: str, name: str, value: ArrayLike, length: int) -> Floats:
        """Real numbers (n, length) from those of one state or many."""
        (x,), _, dtype = batch(f"model {self.model.name!r}: {where}", {name: (value, length)})
        if dtype != np.float64:
            raise StateError(f"model {self.model.name!r}: {where}: {name}: expected real numbers, got complex ones")
        return x
