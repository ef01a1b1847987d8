"""The recursions on batches of states: programs of blocks for real numbers, plain twins for complex ones.

Compiled sweeps serve models whose blocks would take long to make (see `ModelStructure.fits`).
"""

from __future__ import annotations

import math
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supple.engines.llvm.batches import CORES
from supple.model.complex_states import sweep_states
from supple.model.programs import ModelStructure, Programs
from supple.model.tangents import Tangents
from supple.recursions import articulated, composite, coordinates, energy, kinematics, newton_euler, regressor
from supple.recursions.articulated import SINGULAR
from supple.recursions.states import Actuation, States
from supple.recursions.tree import Flex, Tree, sizes
from supple.recursions.workspaces import borrow

Numbers = NDArray[Any]
Mask = NDArray[np.bool_]
MOST_SPEEDS = 400
"""Beyond these the sweep makes M^-1, a column at a time: the memory for all changes grows with their square."""


class Evaluation:
    """What a tree of bodies does, for states (s, n) of one type; wrenches (1 or s, n + 1, 6), None for none.

    Parameters
    ----------
    tree, flex : Tree, Flex or None
    nq : int
    """

    def __init__(self, tree: Tree, flex: Flex | None, nq: int) -> None:
        self.tree, self.flex, self.nq = tree, flex, nq
        self._sizes = sizes(tree, flex)
        self.rows, self.nv = self._sizes.bodies + 1, self._sizes.speeds

    @cached_property
    def programs(self) -> Programs | None:
        """The recursions as blocks; None where sweeps serve."""
        structure = ModelStructure(self.tree, self.flex, self.nq)
        return Programs(structure) if structure.fits() else None

    @cached_property
    def tangents(self) -> Tangents | None:
        """The same with their derivatives."""
        structure = ModelStructure(self.tree, self.flex, self.nq)
        return Tangents(structure) if structure.differentiable() else None

    def workspace(self, dtype: Any) -> borrow:
        """Working arrays for numbers of this type, to be used in a `with` block alone."""
        return borrow(self._sizes, dtype)

    def _run(self, what: str, options: tuple[Any, ...], *inputs: Numbers) -> list[Numbers] | None:
        """Outputs of a program, one row a state; None where sweeps serve."""
        if self.programs is None or not self.programs.serves(what) or any(x.dtype != np.float64 for x in inputs):
            return None
        rows = [np.ascontiguousarray(x.reshape(len(x), math.prod(x.shape[1:]))) for x in inputs]
        return self.programs(what, *options).batch(rows, len(inputs[0]), CORES)

    def _sweep(self, sweep: Any, inputs: tuple[Any, ...], outputs: tuple[Any, ...], working: bool = True) -> Any:
        """What a sweep returns; the outputs are filled. Most need working arrays."""
        first = outputs[0][0] if isinstance(outputs[0], tuple) else outputs[0]
        if first.dtype == np.complex128:
            return sweep_states(sweep, self.tree, self.flex, inputs, self._sizes if working else None, outputs)
        if not working:
            return sweep(self.tree, self.flex, *inputs, *outputs)
        with self.workspace(np.float64) as ws:
            return sweep(self.tree, self.flex, *inputs, ws, *outputs)

    # ------------------------------------------------------------ coordinates

    def rates(self, q: Numbers, v: Numbers) -> Numbers:
        """Rates of the coordinates (s, nq)."""
        found = self._run("rates", (), q, v)
        if found is not None:
            return found[0]
        out = np.zeros((len(q), self.nq), q.dtype)
        self._sweep(coordinates.rates, (q, v), (out,), working=False)
        return out

    def advanced(self, q: Numbers, v: Numbers, dt: Numbers) -> Numbers:
        """Coordinates (s, nq) after the times dt (s,) at constant speeds."""
        found = self._run("advance", (), q, v, dt)
        if found is not None:
            return found[0]
        out = np.zeros((len(q), self.nq), q.dtype)
        self._sweep(coordinates.advance, (q, v, dt), (out,), working=False)
        return out

    def tangent(self, q: Numbers) -> Numbers | None:
        """Rates of the coordinates (s, nq, nv) for a unit of each speed; None where there is no program."""
        found = self._run("tangent", (), q)
        return None if found is None else found[0].reshape(len(q), self.nq, self.nv)

    def direction_rates(self, q: Numbers, v: Numbers) -> Numbers | None:
        """How the directions of the speeds turn (s, nv, nv); None where there is no program."""
        found = self._run("direction_rates", (), q, v)
        return None if found is None else found[0].reshape(len(q), self.nv, self.nv)

    # ------------------------------------------------------------ kinematics

    def poses(self, q: Numbers) -> tuple[Numbers, Numbers]:
        """R (s, n + 1, 3, 3) and p (s, n + 1, 3) of the ground and all bodies."""
        found = self._run("poses", (), q)
        if found is None:
            found = [np.zeros((len(q), self.rows, 9), q.dtype), np.zeros((len(q), self.rows, 3), q.dtype)]
            self._sweep(kinematics.poses, (q,), tuple(found))
        return found[0].reshape(len(q), self.rows, 3, 3), found[1].reshape(len(q), self.rows, 3)

    def motions(self, q: Numbers, v: Numbers, a: Numbers) -> tuple[Numbers, Numbers]:
        """Velocities and accelerations (s, n + 1, 6) of all body frames, gravity left out, body axes."""
        found = self._run("motions", (), q, v, a)
        if found is None:
            found = [np.zeros((len(q), self.rows, 6), q.dtype) for _ in range(2)]
            self._sweep(kinematics.motions, (States(q, v), a), tuple(found))
        return found[0].reshape(len(q), self.rows, 6), found[1].reshape(len(q), self.rows, 6)

    # ------------------------------------------------------------ dynamics

    def inverse_dynamics(
        self, q: Numbers, v: Numbers, a: Numbers, wrench: Numbers | None, keep: bool
    ) -> tuple[Numbers, Numbers]:
        """Generalized forces (s, nv); joint wrenches (s, n + 1, 6), where they are kept."""
        found = self._run("inverse_dynamics", (wrench is not None, keep), q, v, a, *_given(wrench))
        if found is not None:
            return found[0], found[1].reshape(len(q), self.rows, 6) if keep else np.zeros((0, self.rows, 6))
        out = newton_euler.Forces(
            np.zeros((len(q), self.nv), q.dtype), np.zeros((len(q) if keep else 0, self.rows, 6), q.dtype)
        )
        self._sweep(newton_euler.inverse_dynamics, (States(q, v), a, self._acting(wrench, q)), (out,))
        return out.tau, out.f

    def regressor(self, q: Numbers, v: Numbers, a: Numbers) -> Numbers:
        """Generalized forces (s, nv, n, 10) for units of the inertial parameters of bodies; zero for flexible ones."""
        shape = (len(q), self.nv, self.rows - 1, regressor.PARAMETERS)
        found = self._run("regressor", (), q, v, a)
        if found is not None:
            return found[0].reshape(shape)
        Y = np.zeros(shape, q.dtype)
        self._sweep(regressor.regressor, (States(q, v), a), (Y,))
        return Y

    def hybrid_dynamics(
        self, q: Numbers, v: Numbers, drive: Numbers, prescribed: Mask, wrench: Numbers | None
    ) -> tuple[Numbers, Numbers, int]:
        """Accelerations and generalized forces (s, nv); 0, or 1 + the degree of freedom that has no inertia.

        `drive` (s, nv) holds accelerations where they are prescribed, else forces.
        """
        mask = tuple(prescribed.tolist())
        options = (mask, wrench is not None)
        found = self._run("hybrid_dynamics", options, q, v, drive, *_given(wrench))
        if found is not None:
            sound = bool((found[-1] > 0.0).all())
            fault = 0 if sound else self._singular_dof(q, v, drive, mask)
            return found[0], found[1] if any(mask) else drive, fault
        a, tau = np.zeros((len(q), self.nv), q.dtype), drive.copy()
        actuation = Actuation(tau, prescribed, self._acting(wrench, q))
        fault = self._sweep(articulated.forward_dynamics, (States(q, v), actuation), (a,))
        return a, tau, fault

    def _singular_dof(self, q: Numbers, v: Numbers, drive: Numbers, mask: tuple[bool, ...]) -> int:
        """1 + the outermost degree of freedom whose D is zero to rounding against the inertia around it."""
        found = self._run("pivots", (mask,), q, v, drive)
        assert found is not None
        singular = ~((found[0] > 0.0) & (SINGULAR * found[1] <= found[0])) & ~np.array(mask, dtype=bool)
        first = singular[singular.any(axis=1)][:1]
        return int(np.flatnonzero(first)[-1]) + 1 if first.size else 0

    def mass_matrix(self, q: Numbers) -> Numbers:
        """M (s, nv, nv)."""
        found = self._run("mass_matrix", (), q)
        if found is not None:
            return found[0].reshape(len(q), self.nv, self.nv)
        M = np.zeros((len(q), self.nv, self.nv), q.dtype)
        self._sweep(composite.mass_matrix, (q,), (M,))
        return M

    def inverse_mass_matrix(self, q: Numbers) -> tuple[Numbers, int]:
        """M^-1 (s, nv, nv); 0, or 1 + the degree of freedom that has no inertia."""
        if self.tangents is not None and q.dtype == np.float64 and 0 < self.nv <= MOST_SPEEDS:
            made = self.tangents.jacobians("inverse_mass_matrix", (), [q])
            if (made["margin"] > 0.0).all():
                return made["dy_dx"], 0
        none = np.zeros(self.nv, dtype=bool)
        if q.dtype == np.complex128:
            columns = np.tile(np.eye(self.nv), (len(q), 1))
            found, fault = self.inverse_mass_product(np.repeat(q, self.nv, axis=0), columns, none)
            return found.reshape(len(q), self.nv, self.nv), fault
        M, x = np.zeros((len(q), self.nv, self.nv)), np.zeros(self.nv)
        with self.workspace(np.float64) as ws:
            fault = articulated.inverse_mass_matrix(self.tree, self.flex, q, none, ws, x, M)
        return M, fault

    def inverse_mass_product(self, q: Numbers, x: Numbers, prescribed: Mask) -> tuple[Numbers, int]:
        """M^-1 x (s, nv), prescribed degrees of freedom held; 0, or 1 + the degree of freedom that has no inertia."""
        mask = tuple(prescribed.tolist())
        found = self._run("inverse_mass_product", (mask,), q, x)
        if found is not None:
            still = np.zeros((len(q), self.nv))
            return found[0], 0 if (found[-1] > 0.0).all() else self._singular_dof(q, still, still, mask)
        y = np.zeros((len(q), self.nv), q.dtype)
        fault = self._sweep(articulated.inverse_mass_solve, (q, prescribed), (x.astype(q.dtype), y))
        return y, fault

    def sums(self, q: Numbers, v: Numbers) -> tuple[Numbers, Numbers, Numbers]:
        """Energies (s, 2), momentum (s, 6), first moment of mass (s, 3)."""
        found = self._run("sums", (), q, v)
        if found is None:
            found = [np.zeros((len(q), n), q.dtype) for n in (2, 6, 3)]
            self._sweep(energy.energy_and_momentum, (States(q, v),), tuple(found))
        return found[0], found[1], found[2]

    def _acting(self, wrench: Numbers | None, q: Numbers) -> Numbers:
        return np.zeros((1, self.rows, 6), q.dtype) if wrench is None else wrench


def _given(wrench: Numbers | None) -> tuple[Numbers, ...]:
    return () if wrench is None else (wrench,)
