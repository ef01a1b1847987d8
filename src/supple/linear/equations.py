"""The equations of small motions about one state, exact to rounding.

With dq = S x (S = `model.tangent(q)`: x is a change of the coordinates in the directions of the speeds) and y the
change of the speeds,

    M y' + C y + K x = f        x' = N x + y

K and C are derivatives of inverse dynamics by complex steps, at the state's own acceleration. N is zero at rest; at
speed it says how the directions of the speeds turn with the motion.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import linalg

from supple.errors import SingularError, StateError, nearest
from supple.model.inputs import COMPLEX_STEP, named_vector
from supple.model.model import Loads, Model

Floats = NDArray[np.float64]
Numbers = NDArray[Any]
Values = ArrayLike | Mapping[str, float]


@dataclass(frozen=True, eq=False)
class LinearEquations:
    """Small motions of the freedoms that are not held.

    Attributes
    ----------
    model : Model
    q, v, a : (nq,), (nv,), (nv,) arrays
        The state and its acceleration.
    holding : (nv,) array
        The drive forces at which it has that acceleration.
    free : (n,) array of int
        The speeds that may change.
    M, C, K, N : (n, n) arrays
    """

    model: Model
    q: Floats
    v: Floats
    a: Floats
    holding: Floats
    free: NDArray[np.intp]
    M: Floats
    C: Floats
    K: Floats
    N: Floats

    @property
    def names(self) -> tuple[str, ...]:
        """Of the free speeds."""
        return tuple(self.model.speeds[i] for i in self.free)

    def spread(self, x: Numbers) -> Numbers:
        """Rows (n, ...) of the free speeds as rows (nv, ...) of all, zero where held."""
        out = np.zeros((self.model.nv, *x.shape[1:]), x.dtype)
        out[self.free] = x
        return out


def linear_equations(
    model: Model,
    q: Values | None = None,
    v: Values | None = None,
    tau: Values | None = None,
    external: Loads | None = None,
    fixed: Iterable[str] = (),
) -> LinearEquations:
    """M, C, K and N about a state, by default at rest with neutral coordinates.

    Parameters
    ----------
    q, v : array_like or mapping of name to number, optional
    tau : array_like or mapping, optional
        Constant drive forces. If not given, they are those that keep the speeds as they are.
    external : mapping of frame to (6,) array_like, optional
        Constant wrenches at frames, which turn with them.
    fixed : names, optional
        Coordinates, or bodies whose joint does not move.
    """
    q0 = coordinates(model, q)
    v0 = np.zeros(model.nv) if v is None else named_vector(model.speeds, v, "v")
    free = free_speeds(model, fixed)
    M = model.mass_matrix(q0)[np.ix_(free, free)]
    require_inertia(model, M, free)
    a = np.zeros(model.nv)
    if tau is not None:
        rest = named_vector(model.speeds, tau, "tau") - model.bias_forces(q0, v0, external)
        a[free] = np.linalg.solve(M, rest[free])
    h, part = COMPLEX_STEP, np.ix_(free, free)
    C = model.inverse_dynamics(q0, v0 + 1j * h * np.eye(model.nv), a, external).imag.T / h
    holding = model.inverse_dynamics(q0, v0, a, external)
    K = stiffness(model, q0, v0, a, external)
    return LinearEquations(model, q0, v0, a, holding, free, M, C[part], K[part], _turning(model, q0, v0)[part])


def stiffness(model: Model, q: Floats, v: Floats, a: Floats, external: Loads | None) -> Floats:
    """K (nv, nv): change of inverse dynamics with the coordinates in the directions of the speeds."""
    steps = q + 1j * COMPLEX_STEP * model.tangent(q).T
    return model.inverse_dynamics(steps, v, a, external).imag.T / COMPLEX_STEP


def _turning(model: Model, q: Floats, v: Floats) -> Floats:
    """N (nv, nv): from S x' = d(S v)/dq S x + S y - dS/dt x."""
    if not v.any():
        return np.zeros((model.nv, model.nv))
    h, S = COMPLEX_STEP, model.tangent(q)
    by_q = model.derivative(q + 1j * h * S.T, v).imag.T / h
    rate = model.tangent(q + 1j * h * model.derivative(q, v)).imag / h
    return np.asarray(np.linalg.lstsq(S, by_q - rate, rcond=None)[0], dtype=np.float64)


def require_tree(model: Model) -> None:
    """Refuse a model with closed loops: its coordinates do not move by themselves."""
    if model.loops is not None:
        raise StateError(f"model {model.name!r} has closed loops, for which there are no linear equations yet")


def coordinates(model: Model, q: Values | None) -> Floats:
    """Coordinates (nq,) from an array, or from names; what is not named is neutral. Closed loops are refused."""
    require_tree(model)
    start = model.neutral()
    return start if q is None else model.normalize(named_vector(model.coordinates, q, "q", start))


def free_speeds(model: Model, fixed: Iterable[str]) -> NDArray[np.intp]:
    """Numbers of the speeds that are not held by the names of coordinates or bodies."""
    if isinstance(fixed, str):
        raise StateError(f"fixed: expected a sequence of names, got the text {fixed!r}")
    held = np.zeros(model.nv, dtype=bool)
    own = [name for name in model.speeds if name in model.coordinates]
    for name in fixed:
        if name in own:
            held[model.speeds.index(name)] = True
        elif name in model.bodies:
            k = model.bodies.index(name) + 1
            held[model.tree.v_first[k] : model.tree.v_mode[k]] = True
        else:
            raise StateError(
                f"fixed: expected a body, or a coordinate whose rate is a speed of the model, got {name!r}"
                f"{nearest(name, [*own, *model.bodies])}"
            )
    if held.all():
        raise StateError(f"fixed: nothing of model {model.name!r} is left to move")
    return np.flatnonzero(~held)


def require_inertia(model: Model, M: Floats, free: NDArray[np.intp]) -> None:
    """Refuse a mass matrix that is not positive definite, and name the freedom."""
    size = np.sqrt(np.abs(np.diag(M)))
    scaled = M / np.where(np.outer(size, size) > 0, np.outer(size, size), 1.0)
    values, vectors = linalg.eigh(scaled)
    if values[0] <= 0:
        name = model.speeds[free[int(np.argmax(np.abs(vectors[:, 0])))]]
        raise SingularError(
            f"model {model.name!r}: the mass matrix is not positive definite: nothing resists the speed {name!r} "
            "in this posture; give what it moves mass or inertia, or hold it with `fixed`"
        )


def force_unit(model: Model, speed: int) -> str:
    """Unit of the force on a speed: its product with the speed is a power."""
    units = {"rad/s": "N m", "m/s": "N", "kg^0.5 m/s": "N/kg^0.5"}
    return units.get(model.speed_units[speed], "")
