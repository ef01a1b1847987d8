"""The equations of small motions about one state, exact to rounding.

With dq = S x (S = `model.tangent(q)`: x is a change of the coordinates in the directions of the speeds) and y the
change of the speeds,

    M y' + C y + K x = f        x' = N x + T y

K and C are derivatives of inverse dynamics, exact to rounding, at the state's own acceleration. N is zero at rest; at
speed it says how the directions of the speeds turn with the motion. T is the identity, but where wheels roll there are
more coordinates than speeds.

Of a closed model x and y are the independent ones. Along a small motion all other coordinates, speeds and accelerations
follow (`Dependents`), and the constraint forces lambda do no work but turn with the configuration:

    M = Z* M Z,    C = Z* df/dy,    K = Z* (df/dx - d(J* lambda)/dx),    f the inverse dynamics of the tree.

Forces of laws that follow the motion count in f; those of controller states z are further states (`LawStates`):

    M y' + C y + K x - L z = 0,    z' = by_x x + by_y y + by_z z.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import linalg

from supple.call_checks import checked
from supple.errors import SingularError
from supple.formulations import Formulation, require_formulation
from supple.linear.acting_laws import ActingLaws, LawStates
from supple.linear.dependents import CarriedMotion, Dependents, dependents, require_regular
from supple.linear.start import Bools, Floats, Values, coordinates, held_speeds, require_dofs, speeds
from supple.model.arguments import named_vector
from supple.model.dynamic_functions import Loads

UNSTEADY = 1e-7
"""Force per kg of the model, N or N m, or its rate, that is more than rounding."""


class ReferenceState(NamedTuple):
    """The state about which motions are small.

    Attributes
    ----------
    q, v, a : (nq,), (nv,), (nv,) arrays
        The state and its acceleration.
    holding : (nv,) array
        The generalized forces at which it has that acceleration.
    closing : (equations,) array
        The constraint forces in it.
    """

    q: Floats
    v: Floats
    a: Floats
    holding: Floats
    closing: Floats


@dataclass(frozen=True, eq=False)
class LinearEquations:
    """Small motions of the degrees of freedom that are not held; of a closed model those of the independent ones.

    Attributes
    ----------
    model : Model or ErlsModel
    state : ReferenceState
    held : (nv,) array of bool
        The speeds that may not change.
    free : (n,) array of int
        The speeds that may; of a closed model the independent ones, which the others follow.
    placed : (p,) array of int
        Speeds in whose directions the coordinates x are: the same, except for wheels that roll.
    M, C : (n, n) arrays
    K, N, T : (n, p), (p, p), (p, n) arrays
    carried : CarriedMotion
        How all other coordinates, speeds and accelerations follow x and y.
    laws : LawStates
        States of controllers.
    drift : (n,) array
        Rates at which the forces on the free speeds change while the state moves on with its speeds; zero in a steady
        state.
    """

    model: Formulation
    state: ReferenceState
    held: Bools
    free: NDArray[np.intp]
    placed: NDArray[np.intp]
    M: Floats
    C: Floats
    K: Floats
    N: Floats
    T: Floats
    carried: CarriedMotion
    laws: LawStates
    drift: Floats

    @property
    def names(self) -> tuple[str, ...]:
        """Of the free speeds."""
        return tuple(self.model.speeds[i] for i in self.free)

    @property
    def rolls(self) -> bool:
        """Whether there are more coordinates than speeds."""
        return len(self.placed) > len(self.free)

    @property
    def unsteady(self) -> str:
        """What shows that the state does not last, so that poles hold for an instant alone; empty if it lasts."""
        m, small = self.model, UNSTEADY * max(1.0, self.model.mass)
        for force, what in (
            (self.M @ self.state.a[self.free], "accelerates"),
            (self.drift, "is loaded ever differently"),
        ):
            i = int(np.argmax(np.abs(force)))
            if abs(force[i]) > small:
                return f"{m.speeds[self.free[i]]!r} {what}"
        return ""

    @property
    def held_by(self) -> str:
        """The largest force beyond those of the model and its laws that the state takes; empty if it is a free one."""
        m = self.model
        left = np.where(self.held | (self.state.v != 0), 0.0, self.state.holding)  # what turns a joint is its motor
        i = int(np.argmax(np.abs(left)))
        if abs(left[i]) <= 1e-2 * UNSTEADY * max(1.0, m.mass):
            return ""
        return f"{left[i]:.4g} {force_unit(m, i)}".strip() + f" on {m.speeds[i]!r}"


@checked
def linear_equations(
    model: Formulation,
    q: Values | None = None,
    v: Values | None = None,
    tau: Values | None = None,
    external: Loads | None = None,
    fixed: Iterable[str] = (),
    independent: Sequence[str] = (),
    laws: ActingLaws | None = None,
) -> LinearEquations:
    """M, C, K, N and T about a state, by default at rest with neutral coordinates.

    Parameters
    ----------
    q, v : array_like or mapping of name to number, optional
        Of a closed model a guess: the loops are closed, and speeds made to fit, with what is named kept.
    tau : array_like or mapping, optional
        Constant generalized forces. If not given, they are those that keep the speeds as they are; of a closed model
        they act on the independent speeds and keep these.
    external : mapping of frame to (6,) array_like, optional
        Constant wrenches at frames, which turn with them.
    fixed : names, optional
        Coordinates, or bodies whose joint does not move.
    independent : sequence of str, optional
        Speeds of a closed model that are to be among the independent ones; the others are chosen.
    laws : ActingLaws, optional
        What acts besides, about this state.
    """
    require_formulation(model, "supple.linear")
    acting = ActingLaws.none(model) if laws is None else laws
    held = held_speeds(model, (*fixed, *acting.prescribed))
    q0 = coordinates(model, q, held)
    v0 = speeds(model, q0, v, held)
    f = dependents(model, q0, held, independent)
    require_dofs(model, f.Z.shape[1], held)
    require_regular(f, held)
    M = f.Z.T @ model.mass_matrix(q0) @ f.Z
    require_inertia(model, M, f.partition.moving)
    forces = None if tau is None else named_vector(model.speeds, tau, "tau")
    state = _reference(f, M, v0, forces, acting.force, external)
    carried = f.carried(v0, state.a)
    X, Z, Y = carried.X, carried.Z, carried.Y
    by_x, by_y, drift = _force_changes(f, state, carried, external)
    by_q, by_v, by_z = (model.forces_on_speeds(q0, np.asarray(x).T).T for x in acting[3:6])
    S = model.tangent(q0)
    drift = Z.T @ (drift - by_q @ S @ v0 - f.turned(v0[:, None], state.closing)[:, 0])
    by_x, by_y = by_x - by_q @ S @ X - by_v @ Y, by_y - by_v @ Z
    K = Z.T @ (by_x - f.turned(X, state.closing))
    z_by_q, z_by_v, z_by_z = acting[6:]
    states = LawStates(acting.states, Z.T @ by_z, z_by_q @ S @ X + z_by_v @ Y, z_by_v @ Z, z_by_z)
    placed, moving = f.partition.placed, f.partition.moving
    turning = model.direction_rates(q0, v0) if v0.any() else np.zeros((model.nv, model.nv))
    N = (turning @ X + Y)[placed]
    return LinearEquations(model, state, held, moving, placed, M, Z.T @ by_y, K, N, Z[placed], carried, states, drift)


def _force_changes(
    f: Dependents, state: ReferenceState, carried: CarriedMotion, external: Loads | None
) -> tuple[Floats, Floats, Floats]:
    """Return changes (nv, p) and (nv, n) of inverse dynamics with independent coordinates and speeds, and along v."""
    X, Z, Y, W, V = carried
    slopes = f.model.balance_slopes(state.q, state.v, state.a, external)
    on = state.v[:, None]
    drift = slopes.along(on, np.zeros_like(on), np.zeros_like(on))[:, 0] if on.any() else np.zeros(f.model.nv)
    return slopes.along(X, Y, W), slopes.along(np.zeros_like(Z), Z, V), drift


def _reference(
    f: Dependents, M: Floats, v: Floats, tau: Floats | None, driven: Floats, external: Loads | None
) -> ReferenceState:
    """Return the state with its accelerations and forces, `driven` those of laws.

    Without tau, forces on the independent speeds keep these.
    """
    m = f.model
    a = np.zeros(m.nv)
    if v.any():
        a = f.closing(-f.second_rates(v, a)[:, None])[:, 0]
    if tau is not None:
        left = m.forces_on_speeds(f.q, tau + driven - m.inverse_dynamics(f.q, v, a, external))
        a = a + f.Z @ np.linalg.solve(M, f.Z.T @ left)
    force = m.inverse_dynamics(f.q, v, a, external) - driven
    closing = f.forces(force if tau is None else force - tau)
    return ReferenceState(f.q, v, a, force - f.partition.J.T @ closing, closing)


def stiffness(f: Dependents, load: Floats, external: Loads | None, v: Floats | None = None) -> Floats:
    """K (n, n): change of the forces on independent speeds with the coordinates, at rest or at constant speeds v.

    The constraints take the load (nv,).
    """
    still = np.zeros(f.model.nv)
    by_x = f.model.balance_slopes(f.q, still if v is None else v, still, external).by_q @ f.Z
    out: Floats = f.Z.T @ (by_x - f.turned(f.Z, f.forces(load)))
    return out


def require_inertia(model: Formulation, M: Floats, free: NDArray[np.intp]) -> None:
    """Refuse a mass matrix that is not positive definite, and name the degree of freedom."""
    size = np.sqrt(np.abs(np.diag(M)))
    scaled = M / np.where(np.outer(size, size) > 0, np.outer(size, size), 1.0)
    values, vectors = linalg.eigh(scaled)
    if values[0] <= 0:
        name = model.speeds[free[int(np.argmax(np.abs(vectors[:, 0])))]]
        raise SingularError(
            f"model {model.name!r}: the mass matrix is not positive definite: nothing resists the speed {name!r} "
            "in this configuration; give what it moves mass or inertia, or hold it with `fixed`"
        )


def force_unit(model: Formulation, speed: int) -> str:
    """Unit of the force on a speed: its product with the speed is a power."""
    units = {"rad/s": "N m", "m/s": "N", "kg^0.5 m/s": "N/kg^0.5"}
    return units.get(model.speed_units[speed], "")
