"""Static equilibrium: the posture in which nothing moves."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from supple.errors import SuppleError
from supple.linear.eigen import loose, symmetric_modes
from supple.linear.equations import (
    Floats,
    Values,
    coordinates,
    force_unit,
    free_speeds,
    require_inertia,
    stiffness,
)
from supple.model.inputs import named_vector
from supple.model.model import Loads, Model
from supple.structures.body import FlexibleBody

TURN = 0.7
"""rad; no mode turns a freedom further in one step."""
DRIFT = 0.1
"""m; how far a mass moves in one step under a force that no stiffness resists."""
TOLERANCE = 1e-11
"""Share of the largest force, weighed with the inertia, that counts as none."""
LIMIT = 200
LONGEST = 40
"""Lines of the table."""


class EquilibriumError(SuppleError, ArithmeticError):
    """No static equilibrium was found."""


@dataclass(frozen=True, eq=False)
class Equilibrium:
    """A posture at rest; `print` shows it as a table.

    Attributes
    ----------
    model : Model
    start, q : (nq,) arrays
        Coordinates at the start and in equilibrium.
    residual : (nv,) array
        Forces that are left, N, N m; on what is fixed, those that hold it.
    free : (n,) array of int
        The speeds that are not fixed.
    iterations : int
    stable : bool
        Whether no direction has negative stiffness.
    """

    model: Model
    start: Floats
    q: Floats
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
        lines = [
            f"{m.name}: {'' if self.stable else 'unstable '}equilibrium after {self.iterations} iterations",
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


def equilibrium(
    model: Model,
    q: Values | None = None,
    tau: Values | None = None,
    external: Loads | None = None,
    fixed: Iterable[str] = (),
) -> Equilibrium:
    """The posture near q in which the drive forces tau and the loads hold the model at rest: bias_forces(q, 0) = tau.

    Newton's method with exact derivatives. Where the stiffness is not positive, steps go downhill, so that what is
    found is stable unless the start is in equilibrium already. Where it is zero and no force acts, nothing moves.

    Parameters
    ----------
    q : array_like or mapping of name to number, optional
        Where to start; by default neutral.
    tau : array_like or mapping, optional
        Drive forces; by default none.
    external : mapping of frame to (6,) array_like, optional
        Moments and forces at frames, which turn with them, N m and N.
    fixed : names, optional
        Coordinates that keep their value, or bodies whose joint does.

    Raises
    ------
    EquilibriumError
        When none is found, with the force that is left and the freedom that nothing holds.

    Examples
    --------
    >>> import supple
    >>> mech = supple.Mechanism("scales")
    >>> mech.add_body("pan", supple.RigidBody(2.0), joint=supple.Prismatic("z", stiffness=981.0))
    >>> equilibrium(mech.build()).q
    array([-0.02])
    """
    return _Search(model, coordinates(model, q), tau, external, free_speeds(model, fixed)).run()


class _Search:
    """One search: the model, its loads and the freedoms that may move."""

    def __init__(
        self, model: Model, start: Floats, tau: Values | None, external: Loads | None, free: NDArray[np.intp]
    ) -> None:
        self.model, self.start, self.external, self.free = model, start, external, free
        self.still = np.zeros(model.nv)
        self.tau = self.still if tau is None else named_vector(model.speeds, tau, "tau")
        self.angular = np.array([model.speed_units[i] == "rad/s" for i in free])
        self.M = model.mass_matrix(start)[np.ix_(free, free)]
        require_inertia(model, self.M, free)
        self.stable = True
        # Forces are judged, as accelerations, beside gravity, 1 m/s^2 and the largest on the way.
        self.largest = max(float(np.linalg.norm(model.tree.gravity)), 1.0) * model.mass**0.5

    def run(self) -> Equilibrium:
        q = best = self.start
        least = np.inf
        for iteration in range(LIMIT):
            r = self.residual(q)
            x, size = self.step(q, r)
            if size < least:
                best, least = q, size
            if size <= TOLERANCE * self.largest or np.abs(x).max() <= 1e-13:
                q = self.moved(q, x, 1.0)  # the last step is quadratically small, and free
                return Equilibrium(self.model, self.start, q, self.residual(q), self.free, iteration, bool(self.stable))
            q = self.search(q, r, x)
        raise EquilibriumError(self.failure(best, q))

    def residual(self, q: Floats) -> Floats:
        return self.model.bias_forces(q, self.still, self.external) - self.tau

    def moved(self, q: Floats, x: Floats, length: float) -> Floats:
        v = self.still.copy()
        v[self.free] = x
        return self.model.integrate(q, v, length)

    def step(self, q: Floats, r: Floats) -> tuple[Floats, float]:
        """The step in the free speeds, and the size of the residual, weighed by the inverse of M."""
        K, squares, shapes, slack = self.stiffness_modes(q)
        force = shapes.T @ r[self.free]
        size = float(np.linalg.norm(force))
        self.stable = bool((squares[~slack] > 0).all())
        self.largest = max(self.largest, size)
        pushed = slack & (np.abs(force) > TOLERANCE * self.largest)
        if self.stable and not pushed.any():
            firm = shapes[:, ~slack]
            x = -firm @ np.linalg.solve(firm.T @ K @ firm, force[~slack])
            if self.turn(x[:, None])[0] <= TURN:
                return x, size
        # Downhill in every mode, in none too far. A mass that a force moves and nothing holds goes a little way too:
        # stiffness may begin there.
        drift, turn = DRIFT * self.model.mass**0.5 * pushed, self.turn(shapes)
        far = np.where(slack, drift, np.abs(force) / np.where(slack, 1.0, np.abs(squares)))
        far = np.minimum(far, np.divide(TURN, turn, out=np.full(len(far), np.inf), where=turn > 0))
        return -shapes @ (np.sign(force) * far), size

    def turn(self, shapes: Floats) -> Floats:
        """Largest rotation in each shape, rad."""
        return np.abs(shapes[self.angular]).max(axis=0, initial=0.0)

    def stiffness_modes(self, q: Floats) -> tuple[Floats, Floats, Floats, NDArray[np.bool_]]:
        """K, its modes with the masses of the start, which only weigh the freedoms, and which of them are loose."""
        K = stiffness(self.model, q, self.still, self.still, self.external)[np.ix_(self.free, self.free)]
        squares, shapes = symmetric_modes(K, self.M)
        return K, squares, shapes, loose(K, squares, shapes)

    def search(self, q: Floats, r: Floats, x: Floats) -> Floats:
        """Along the step, halved until the force along it has not turned round to more than half of what it was."""
        slope = abs(float(x @ r[self.free]))
        for halvings in range(30):
            ahead = self.moved(q, x, 0.5**halvings)
            if float(x @ self.residual(ahead)[self.free]) <= 0.5 * slope:
                return ahead
        return ahead

    def failure(self, q: Floats, last: Floats) -> str:
        m, r = self.model, self.residual(q)
        worst = self.free[int(np.argmax(np.abs(r[self.free])))]
        text = (
            f"model {m.name!r}: no static equilibrium after {LIMIT} iterations: a force of {r[worst]:.4g} "
            f"{force_unit(m, worst)} is left on {m.speeds[worst]!r} in the best posture, expected 0"
        )
        _, _, shapes, slack = self.stiffness_modes(q)
        pushed = np.flatnonzero(slack & (np.abs(shapes.T @ r[self.free]) > TOLERANCE * self.largest))
        if len(pushed):
            name = m.speeds[self.free[int(np.argmax(np.abs(shapes[:, pushed[0]])))]]
            hint = (
                f"nothing holds {name!r}, it has no stiffness: give it a spring or a drive force, or name it in fixed"
            )
        else:
            name = m.coordinates[int(np.argmax(np.abs(last - self.start)))]
            hint = f"the search went furthest in {name!r}; start closer, or look whether anything holds it"
        return f"{text}; {hint}"
