"""Static equilibrium: the configuration in which nothing moves."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from supple.call_checks import checked
from supple.errors import AssemblyError, SuppleError
from supple.formulations import Formulation, require_formulation
from supple.linear.balance import Balance, Forces
from supple.linear.dependents import Dependents
from supple.linear.eigenmodes import is_symmetric, loose, symmetric_modes
from supple.linear.loading import StuckError, loaded
from supple.linear.small_motions import force_unit, require_inertia
from supple.linear.start import Floats, Values, coordinates, held_speeds, require_dofs
from supple.linear_theory.validity import validity_at_rest, warn_of
from supple.model.dynamic_functions import Loads
from supple.structures.body.flexible_body import FlexibleBody

TURN = 0.7
"""Change of a coordinate, relative to its unit, beyond which no mode takes it in one step."""
DRIFT = 0.1
"""How far, relative to its unit, a coordinate moves in one step under a force that no stiffness resists."""
STILL = 1e-13
"""Change of a coordinate, relative to its unit, which is rounding."""
LIMIT = 200
PATIENCE = 80
"""Iterations downhill without a smaller force, after which there is no bottom."""
LONGEST = 40
"""Lines of the table."""


class EquilibriumError(SuppleError, ArithmeticError):
    """No static equilibrium was found."""


@checked
@dataclass(frozen=True, eq=False)
class Equilibrium:
    """A configuration at rest or in steady rotation; `print` shows it as a table.

    Attributes
    ----------
    model : Model or ErlsModel
    start, q : (nq,) arrays
        Coordinates at the start and in equilibrium.
    v : (nv,) array
        Constant speeds; zero but for joints that spin.
    residual : (nv,) array
        Forces that are left, N, N m; on what is fixed, those that hold it.
    free : (n,) array of int
        The speeds that are not fixed; of a closed model the independent ones.
    iterations : int
    stable : bool
        At rest, whether no direction has negative stiffness; in steady rotation, whether no mode grows.
    """

    model: Formulation
    start: Floats
    q: Floats
    v: Floats
    residual: Floats
    free: NDArray[np.intp]
    iterations: int
    stable: bool

    @property
    def deflection(self) -> Floats:
        """Change of the coordinates (nq,) since the start."""
        return self.q - self.start

    @property
    def amplitudes(self) -> dict[str, Floats]:
        """Coordinates of the deformation of each flexible body."""
        out = {}
        for name, placed in self.model.description.bodies.items():
            if isinstance(placed.body, FlexibleBody):
                labels = [f"{name}.{label}" for label in placed.body.labels]
                out[name] = self.q[[self.model.coordinates.index(label) for label in labels]]
        return out

    def displacement(self, frame: str) -> Floats:
        """Displacement (3,) of a frame's origin since the start, ground axes, m."""
        return self.model.pose(self.q, frame)[1] - self.model.pose(self.start, frame)[1]

    def __str__(self) -> str:
        m = self.model
        width = max([len(name) for name in m.coordinates] + [10])
        what = "steady rotation" if self.v.any() else "equilibrium"
        lines = [
            f"{m.name}: {'' if self.stable else 'unstable '}{what} after {self.iterations} iterations",
            f"{'coordinate':{width}s} {'start':>13} {'equilibrium':>13} {'change':>13}  unit",
        ]
        for i, name in enumerate(m.coordinates[:LONGEST]):
            numbers = " ".join(f"{x:13.6g}" for x in (self.start[i], self.q[i], self.deflection[i]))
            lines.append(f"{name:{width}s} {numbers}  {m.coordinate_units[i]}")
        if m.nq > LONGEST:
            lines.append(f"... and {m.nq - LONGEST} more coordinates")
        left = self.free[int(np.argmax(np.abs(self.residual[self.free])))]
        lines.append(f"largest force left: {self.residual[left]:.2g} {force_unit(m, left)} on {m.speeds[left]!r}")
        return "\n".join(lines)


@checked
def equilibrium(
    model: Formulation,
    q: Values | None = None,
    tau: Forces | None = None,
    external: Loads | None = None,
    fixed: Iterable[str] = (),
) -> Equilibrium:
    """The configuration near q in which tau and the loads hold the model at rest: bias_forces(q, 0) = tau.

    Closed loops stay closed, and their constraint forces are part of the balance: bias_forces(q, 0) = tau + J* lambda.
    Newton's method with exact derivatives. Where the stiffness is not positive, steps go downhill, so that what is
    found is stable unless the start is in equilibrium already. Where it is zero and no force acts, nothing moves. Where
    loads turn with the bodies, so that nothing says where downhill is, and where this fails, all loads are raised from
    none in steps. Forces count as none beside the loads and inner forces on the same coordinate. A flexible body that
    leaves the range of its linear theory causes a `PhysicsWarning`, as after a run.

    Parameters
    ----------
    q : array_like or mapping of name to number, optional
        Where to start; by default neutral.
    tau : array_like, mapping or function, optional
        Generalized forces; by default none. A function of the coordinates (nq,) gives them all (nv,): springs of your
        own, controllers at rest. It is differentiated by differences.
    external : mapping of frame to (6,) array_like, optional
        Moments and forces at frames, which turn with them, N m and N.
    fixed : names, optional
        Coordinates that keep their value, or bodies whose joint does.

    Raises
    ------
    EquilibriumError
        When none is found, with the force that is left and the degree of freedom that nothing holds.

    Examples
    --------
    >>> import supple
    >>> mech = supple.Mechanism("scales")
    >>> mech.add_body("pan", supple.RigidBody(2.0), joint=supple.Prismatic("z", stiffness=981.0))
    >>> equilibrium(mech.build()).q
    array([-0.02])
    """
    require_formulation(model, "supple.linear")
    held = held_speeds(model, fixed)
    start = coordinates(model, q, held, rigid=False)
    balance = Balance(model, tau, external, held)
    found = configuration_at_rest(balance, start)
    warn_of_large_deformation(balance, found)
    return found


def warn_of_large_deformation(balance: Balance, found: Equilibrium) -> None:
    """Say which flexible bodies left the range of their linear theory."""
    if balance.model.display.flex is None:
        return
    closing = balance.partition(found.q).forces(balance.residual(found.q))
    state = validity_at_rest(balance.model, (found.q, found.v), closing, balance.external)
    warn_of(balance.model, state.warnings)


def configuration_at_rest(balance: Balance, start: Floats) -> Equilibrium:
    """The configuration near closed coordinates in which the forces balance at rest."""
    return _Search(balance, start).run()


class _StiffnessModes(NamedTuple):
    """K, its modes with the masses of the start, which only weigh the dofs, and which of them have no stiffness."""

    K: Floats
    squares: Floats
    shapes: Floats
    loose: NDArray[np.bool_]

    @property
    def firm(self) -> Floats:
        """The shapes that have stiffness."""
        return self.shapes[:, ~self.loose]


class _Search:
    """One search: the forces, and where it starts."""

    def __init__(self, balance: Balance, start: Floats) -> None:
        self.balance, self.model, self.start = balance, balance.model, start
        self.M = self.model.mass_matrix(start)
        f = balance.partition(start)
        require_dofs(self.model, f.Z.shape[1], balance.held)
        require_inertia(self.model, f.Z.T @ self.M @ f.Z, f.partition.moving)
        self.iterations = 0

    def run(self) -> Equilibrium:
        """Downhill or by raising the loads, whichever suits the loads better; by the other if that fails."""
        f = self.balance.partition(self.start)
        g = f.Z.T @ self.balance.residual(self.start)
        if (np.abs(g) <= self.balance.none(f)[0]).all():
            return self.found(self.downhill(self.start))
        if not is_symmetric(self.balance.stiffness(f)):
            return self.found(self.raised())
        try:
            return self.found(self.downhill(self.start))
        except EquilibriumError as failure:
            return self.found(self.raised(failure))

    def raised(self, failure: EquilibriumError | None = None) -> Floats:
        """Coordinates in equilibrium, by raising the loads; from where that ends, downhill.

        If it ends where it starts, from where that has been a failure, it is the same again.
        """
        try:
            q, count = loaded(self.balance, self.start)
        except StuckError as stuck:
            self.iterations += stuck.iterations
            if failure is not None and stuck.share == 0.0:
                raise failure from None
            return self.downhill(stuck.q, f"loads could be raised to {stuck.share:.3g} of their size without a jump; ")
        self.iterations += count
        return q

    def downhill(self, start: Floats, before: str = "") -> Floats:
        """Coordinates in equilibrium, by Newton's method where the stiffness is positive, else downhill."""
        q = best = start
        minimum, since = np.inf, 0
        for iteration in range(LIMIT):
            f = self.balance.partition(q)
            r = self.balance.residual(q)
            small, accepted = self.balance.none(f)
            x, size = self.step(f, r, small)
            g = np.abs(f.Z.T @ r)
            if size < minimum:
                best, minimum, since = q, size, iteration
            still = float((np.abs(f.Z @ x) / self.balance.units).max()) <= STILL
            if (g <= small).all() or (still and (g <= accepted).all()):
                self.iterations += iteration
                return self.balance.moved(q, f.Z @ x)  # the last step is quadratically small, and free
            q = self.search(f, r, x)
            if iteration > since + PATIENCE or not np.isfinite(q).all():
                break
        self.iterations += iteration + 1
        raise EquilibriumError(self.failure(best, q, before))

    def found(self, q: Floats) -> Equilibrium:
        """The result, if the forces that are left are small."""
        f, r = self.balance.partition(q), self.balance.residual(q)
        if not (np.abs(f.Z.T @ r) <= self.balance.none(f)[1]).all():
            raise EquilibriumError(self.failure(q, q))
        left = r - f.partition.J.T @ f.forces(r)
        still = self.balance.still
        return Equilibrium(self.model, self.start, q, still, left, f.partition.moving, self.iterations, self.stable(f))

    def stable(self, f: Dependents) -> bool:
        """Whether no direction has negative stiffness: no eigenvalue of K is negative."""
        m = self.stiffness_modes(f)
        if is_symmetric(m.K):
            return bool((m.squares[~m.loose] > 0).all())
        return bool((np.linalg.eigvals(m.firm.T @ m.K @ m.firm).real > 0).all())

    def step(self, f: Dependents, r: Floats, small: Floats) -> tuple[Floats, float]:
        """The step in the independent speeds, and the size of the residual, weighed by the inverse of M."""
        m = K, squares, shapes, slack = self.stiffness_modes(f)
        force = shapes.T @ (f.Z.T @ r)
        size = float(np.linalg.norm(force))
        pushed = slack & (np.abs(force) > np.abs(shapes).T @ small)
        turn = self.far(f.Z @ shapes)
        if (squares[~slack] > 0).all() and not pushed.any():
            x = -m.firm @ np.linalg.solve(m.firm.T @ K @ m.firm, force[~slack])
            if self.far(f.Z @ x[:, None])[0] <= TURN:
                return x, size
        # Downhill in every mode, in none too far. A mass that a force moves and nothing holds goes a little way too:
        # stiffness may begin there.
        far = np.where(slack, DRIFT / turn * pushed, np.abs(force) / np.where(slack, 1.0, np.abs(squares)))
        return -shapes @ (np.sign(force) * np.minimum(far, TURN / turn)), size

    def far(self, motions: Floats) -> Floats:
        """Largest change of a coordinate, relative to its unit, in each motion (nv, k)."""
        return np.maximum((np.abs(motions) / self.balance.units[:, None]).max(axis=0), np.finfo(float).tiny)

    def stiffness_modes(self, f: Dependents) -> _StiffnessModes:
        """K at a configuration and its modes."""
        K = self.balance.stiffness(f)
        squares, shapes = symmetric_modes(K, f.Z.T @ self.M @ f.Z)
        return _StiffnessModes(K, squares, shapes, loose(K, squares, shapes))

    def search(self, f: Dependents, r: Floats, x: Floats) -> Floats:
        """Along the step, halved until the force along it has not turned round to more than half of what it was.

        It is halved too until the loops can be closed ahead.
        """
        motion = f.Z @ x
        slope = abs(float(motion @ r))
        ahead = f.q
        for halvings in range(30):
            try:
                ahead = self.balance.moved(f.q, motion, 0.5**halvings)
            except AssemblyError:
                continue
            if self.along(ahead, motion) <= 0.5 * slope:
                break
        return ahead

    def along(self, q: Floats, motion: Floats) -> float:
        """Power of the forces that are left in the part of a motion that the loops let through."""
        force = self.balance.residual(q)
        if self.model.loops is None:
            return float(motion @ np.where(self.balance.held, 0.0, force))
        Z = self.balance.partition(q).Z
        root = np.sqrt(np.diag(self.M))
        return float((Z.T @ force) @ np.linalg.lstsq(root[:, None] * Z, root * motion, rcond=None)[0])

    def failure(self, q: Floats, last: Floats, before: str = "") -> str:
        m, r, f = self.model, self.balance.residual(q), self.balance.partition(q)
        moving = f.partition.moving
        left, small = f.Z.T @ r, self.balance.none(f)[0]
        worst = int(np.argmax(np.abs(left) / np.maximum(small, np.finfo(float).tiny)))
        text = (
            f"model {m.name!r}: no static equilibrium after {self.iterations} iterations: {before}a force of "
            f"{left[worst]:.4g} {force_unit(m, moving[worst])} is left on {m.speeds[moving[worst]]!r} in the best "
            "configuration, expected 0"
        )
        _, _, shapes, slack = self.stiffness_modes(f)
        pushed = np.flatnonzero(slack & (np.abs(shapes.T @ left) > np.abs(shapes).T @ small))
        if len(pushed):
            name = m.speeds[moving[int(np.argmax(np.abs(shapes[:, pushed[0]])))]]
            hint = f"nothing holds {name!r}, it has no stiffness: give it a spring or a force, or name it in fixed"
        else:
            name = m.coordinates[int(np.argmax(np.abs(last - self.start)))]
            hint = f"the search went furthest in {name!r}; start closer, or look whether anything holds it"
        return f"{text}; {hint}"
