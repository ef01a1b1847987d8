"""Static equilibrium: the posture in which nothing moves."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from supple.errors import AssemblyError, SuppleError
from supple.formulations import ordinary
from supple.linear.eigen import loose, symmetric_modes
from supple.linear.equations import force_unit, require_inertia, stiffness
from supple.linear.followers import Followers, followers
from supple.linear.start import Bools, Floats, Values, coordinates, held_speeds, require_freedoms
from supple.model.freedoms import back
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
        The speeds that are not fixed; of a closed model the independent ones.
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

    Closed loops stay closed, and the forces of their rows are part of the balance: bias_forces(q, 0) = tau + J* lambda.
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
    ordinary(model, "supple.linear")
    held = held_speeds(model, fixed)
    return _Search(model, coordinates(model, q, held), tau, external, held).run()


class _Search:
    """One search: the model, its loads and the freedoms that may move."""

    def __init__(self, model: Model, start: Floats, tau: Values | None, external: Loads | None, held: Bools) -> None:
        self.model, self.start, self.external, self.held = model, start, external, held
        self.still = np.zeros(model.nv)
        self.tau = self.still if tau is None else named_vector(model.speeds, tau, "tau")
        self.angular = np.array([unit == "rad/s" for unit in model.speed_units])
        self.M = model.mass_matrix(start)
        f = followers(model, start, held)
        require_freedoms(model, f.Z.shape[1])
        require_inertia(model, f.Z.T @ self.M @ f.Z, f.freedoms.moving)
        self.stable = True
        # Forces are judged, as accelerations, beside gravity, 1 m/s^2 and the largest on the way.
        self.largest = max(float(np.linalg.norm(model.tree.gravity)), 1.0) * model.mass**0.5

    def run(self) -> Equilibrium:
        q = best = self.start
        least = np.inf
        for iteration in range(LIMIT):
            f = followers(self.model, q, self.held)
            r = self.residual(q)
            x, size = self.step(f, r)
            if size < least:
                best, least = q, size
            if size <= TOLERANCE * self.largest or np.abs(x).max() <= 1e-13:
                q = self.moved(q, f.Z @ x, 1.0)  # the last step is quadratically small, and free
                return self.found(q, iteration)
            q = self.search(f, r, x)
        raise EquilibriumError(self.failure(best, q))

    def found(self, q: Floats, iterations: int) -> Equilibrium:
        f, r = followers(self.model, q, self.held), self.residual(q)
        left = r - f.freedoms.J.T @ f.forces(r)
        return Equilibrium(self.model, self.start, q, left, f.freedoms.moving, iterations, bool(self.stable))

    def residual(self, q: Floats) -> Floats:
        """Forces (nv,) that are left on the tree, those of its loops not counted."""
        return self.model.bias_forces(q, self.still, self.external) - self.tau

    def moved(self, q: Floats, motion: Floats, length: float) -> Floats:
        """Coordinates after a motion (nv,), back on the loops."""
        q = self.model.integrate(q, motion, length)
        return q if self.model.loops is None else back(self.model.loops, q, self.held)

    def step(self, f: Followers, r: Floats) -> tuple[Floats, float]:
        """The step in the independent speeds, and the size of the residual, weighed by the inverse of M."""
        K, squares, shapes, slack = self.stiffness_modes(f, r)
        force = shapes.T @ (f.Z.T @ r)
        size = float(np.linalg.norm(force))
        self.stable = bool((squares[~slack] > 0).all())
        self.largest = max(self.largest, size)
        pushed = slack & (np.abs(force) > TOLERANCE * self.largest)
        if self.stable and not pushed.any():
            firm = shapes[:, ~slack]
            x = -firm @ np.linalg.solve(firm.T @ K @ firm, force[~slack])
            if self.turn(f.Z @ x[:, None])[0] <= TURN:
                return x, size
        # Downhill in every mode, in none too far. A mass that a force moves and nothing holds goes a little way too:
        # stiffness may begin there.
        drift, turn = DRIFT * self.model.mass**0.5 * pushed, self.turn(f.Z @ shapes)
        far = np.where(slack, drift, np.abs(force) / np.where(slack, 1.0, np.abs(squares)))
        far = np.minimum(far, np.divide(TURN, turn, out=np.full(len(far), np.inf), where=turn > 0))
        return -shapes @ (np.sign(force) * far), size

    def turn(self, motions: Floats) -> Floats:
        """Largest rotation in each motion, rad."""
        return np.abs(motions[self.angular]).max(axis=0, initial=0.0)

    def stiffness_modes(self, f: Followers, r: Floats) -> tuple[Floats, Floats, Floats, NDArray[np.bool_]]:
        """K, its modes with the masses of the start, which only weigh the freedoms, and which of them are loose."""
        K = stiffness(f, r, self.external)
        squares, shapes = symmetric_modes(K, f.Z.T @ self.M @ f.Z)
        return K, squares, shapes, loose(K, squares, shapes)

    def search(self, f: Followers, r: Floats, x: Floats) -> Floats:
        """Along the step, halved until the force along it has not turned round to more than half of what it was.

        It is halved too until the loops can be closed ahead.
        """
        motion = f.Z @ x
        slope = abs(float(motion @ r))
        ahead = f.q
        for halvings in range(30):
            try:
                ahead = self.moved(f.q, motion, 0.5**halvings)
            except AssemblyError:
                continue
            if self.along(ahead, motion) <= 0.5 * slope:
                break
        return ahead

    def along(self, q: Floats, motion: Floats) -> float:
        """Power of the forces that are left in the part of a motion that the loops let through."""
        force = self.residual(q)
        if self.model.loops is None:
            return float(motion @ np.where(self.held, 0.0, force))
        Z = followers(self.model, q, self.held).Z
        root = np.sqrt(np.diag(self.M))
        return float((Z.T @ force) @ np.linalg.lstsq(root[:, None] * Z, root * motion, rcond=None)[0])

    def failure(self, q: Floats, last: Floats) -> str:
        m, r, f = self.model, self.residual(q), followers(self.model, q, self.held)
        moving = f.freedoms.moving
        left = f.Z.T @ r
        worst = int(np.argmax(np.abs(left)))
        text = (
            f"model {m.name!r}: no static equilibrium after {LIMIT} iterations: a force of {left[worst]:.4g} "
            f"{force_unit(m, moving[worst])} is left on {m.speeds[moving[worst]]!r} in the best posture, expected 0"
        )
        _, _, shapes, slack = self.stiffness_modes(f, r)
        pushed = np.flatnonzero(slack & (np.abs(shapes.T @ left) > TOLERANCE * self.largest))
        if len(pushed):
            name = m.speeds[moving[int(np.argmax(np.abs(shapes[:, pushed[0]])))]]
            hint = (
                f"nothing holds {name!r}, it has no stiffness: give it a spring or a drive force, or name it in fixed"
            )
        else:
            name = m.coordinates[int(np.argmax(np.abs(last - self.start)))]
            hint = f"the search went furthest in {name!r}; start closer, or look whether anything holds it"
        return f"{text}; {hint}"
