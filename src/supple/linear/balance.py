"""The balance of forces at rest or in steady rotation: what is left, how it changes, and what counts as none."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

import numpy as np

from supple.formulations import Formulation
from supple.linear.dependents import Dependents, dependents
from supple.linear.small_motions import stiffness
from supple.linear.start import Bools, Floats, Values
from supple.model.arguments import named_vector
from supple.model.dynamic_functions import Loads
from supple.model.loops.partitioning import back

Forces = Values | Callable[[Floats], Floats]
"""Generalized forces: numbers, or a function of the coordinates (nq,) that gives them all (nv,)."""
TOLERANCE = 1e-11
"""Share of the loads on a coordinate that counts as none."""
ROUNDING = 1e-14
"""Share of the largest force, inner ones of springs and flexible bodies among them, that counts as none."""
ACCEPTED = 1e-7
"""Share of loads and inner forces that may be left in the end, where rounding lets nothing better be found."""
NEARBY = 1e-5
"""Change of a coordinate, relative to its unit, over which forces given by a function are differentiated."""


class Balance:
    """Forces on a model at rest, or at constant speeds, under loads, of which a share acts.

    Loads are weights, applied wrenches, external wrenches, generalized forces, and the inertial forces of the speeds.
    All forces are linear in them: those under a share of the loads are combined from those with all and with none.
    Generalized forces that follow the configuration, as springs do, act in full whatever the share.

    Attributes
    ----------
    model : Model or ErlsModel
    external : mapping of frame to (6,) array_like, optional
    held : (nv,) array of bool
        Speeds that do not change.
    v : (nv,) array
        Constant speeds, of held ones.
    units : (nv,) array
        Changes of the coordinates, in the directions of the speeds, that count as one.
    """

    def __init__(
        self, model: Formulation, tau: Forces | None, external: Loads | None, held: Bools, v: Floats | None = None
    ) -> None:
        self.model, self.external, self.held = model, external, held
        self.still = np.zeros(model.nv)
        self.v = self.still if v is None else v
        self._law = tau if callable(tau) else None
        self._tau = self.still if tau is None or callable(tau) else named_vector(model.speeds, tau, "tau")
        self.units = model.unit_changes()

    @cached_property
    def bare(self) -> Formulation:
        """The model without any load."""
        return self.model.unloaded()

    def partition(self, q: Floats) -> Dependents:
        """The independent speeds at closed coordinates, and how the others follow."""
        return dependents(self.model, q, self.held)

    def law(self, q: Floats) -> Floats:
        """Forces (nv,) on the speeds that follow the configuration."""
        return self.still if self._law is None else self.model.forces_on_speeds(q, self._law(q))

    def residual(self, q: Floats, share: float = 1.0) -> Floats:
        """Forces (nv,) that are left on the tree, those of its loops not counted."""
        driven = self.model.forces_on_speeds(q, self._tau)
        loaded: Floats = self.model.bias_forces(q, self.v, self.external) - driven
        if share != 1.0:
            loaded = share * loaded + (1.0 - share) * self.bare.bias_forces(q, self.still)
        return loaded - self.law(q)

    def stiffness(self, f: Dependents, share: float = 1.0) -> Floats:
        """Change (n, n) of the forces that are left on the independent speeds with the independent coordinates.

        Not symmetric where loads turn with the bodies.
        """
        loaded = stiffness(f, self.residual(f.q), self.external, self.v)
        if share != 1.0:
            unloaded = Dependents(self.bare, f.q, f.partition)
            loaded = share * loaded + (1.0 - share) * stiffness(unloaded, self.residual(f.q, 0.0), None)
        return loaded - self._slope(f)

    def _slope(self, f: Dependents) -> Floats:
        """Change (n, n) of forces given by a function, in the same way, by differences; zero if they are numbers."""
        moving = f.partition.moving
        if self._law is None:
            return np.zeros((len(moving), len(moving)))
        columns = []
        for motion, unit in zip(f.Z.T, self.units[moving], strict=True):
            h = NEARBY * unit
            ahead, back = (self.model.integrate(f.q, motion, x) for x in (h, -h))
            columns.append(f.Z.T @ (self.law(ahead) - self.law(back)) / (2.0 * h))
        return np.stack(columns, axis=1)

    def moved(self, q: Floats, motion: Floats, length: float = 1.0) -> Floats:
        """Coordinates after a motion (nv,), back on the loops."""
        q = self.model.integrate(q, motion, length)
        return q if self.model.loops is None else back(self.model.loops, q, self.held)

    def none(self, f: Dependents, share: float = 1.0) -> tuple[Floats, Floats]:
        """Forces (n,) on the independent speeds that count as none in a search, and that are accepted at its end.

        On a coordinate without forces of its own, rounding of the largest is left, by their work on unit changes.
        """
        loads, inner = self.sizes(f.q)
        loads = share * loads
        rounding = ROUNDING * float(((loads + inner) * self.units).max(initial=0.0)) / self.units
        Z = np.abs(f.Z).T
        return Z @ (TOLERANCE * loads + rounding), Z @ (ACCEPTED * (loads + inner) + rounding)

    def sizes(self, q: Floats) -> tuple[Floats, Floats]:
        """Sums of the sizes of all loads and of all inner forces on the speeds (nv,), which may cancel.

        A weight is at most g sqrt(m M_ii) (Cauchy, Schwarz), m the mass of all; an inertial force, where all turns at
        a speed w about fixed axes, at most w sqrt(v* M v M_ii).
        """
        model, mech, M = self.model, self.model.description, self.model.mass_matrix(q)
        turning = np.abs(self.v).sum() * np.sqrt(abs(self.v @ M @ self.v))
        body_forces = float(np.linalg.norm(mech.gravity)) * np.sqrt(model.mass) + turning
        loads = np.abs(model.forces_on_speeds(q, self._tau)) + body_forces * np.sqrt(np.abs(np.diag(M)))
        for frame, wrench in (self.external or {}).items():
            loads += self._felt(q, frame, *np.split(np.asarray(wrench, dtype=float), 2))
        for w in mech.wrenches.values():
            loads += self._felt(q, w.frame, w.moment, w.force)
        return loads, model.inner_forces(q) + np.abs(self.law(q))

    def _felt(self, q: Floats, frame: str, moment: Floats, force: Floats) -> Floats:
        """What a moment and a force at a frame do at most to the speeds (nv,), in whatever directions they act."""
        J = np.abs(self.model.jacobian(q, frame))
        out: Floats = J[:3].sum(axis=0) * np.linalg.norm(moment) + J[3:].sum(axis=0) * np.linalg.norm(force)
        return out
