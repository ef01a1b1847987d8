"""Derivatives of a model's motion by everything that it depends on: what implicit integrators ask for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from supple.model.complex_steps import imaginary_steps, step_slopes

if TYPE_CHECKING:
    from supple.model.model import Model
    from supple.model.tangents import Tangents

Numbers = NDArray[Any]
Vector = NDArray[np.float64]
Mask = NDArray[np.bool_]


class MotionSlopes(NamedTuple):
    """Changes with the coordinates q, the speeds v and what is known, nq + 2 nv columns."""

    rate: Vector
    """(nq, columns) of the rates of the coordinates."""
    a: Vector
    """(nv, columns) of the accelerations."""
    power: Vector
    """(columns,) of the power of the generalized forces."""


class InverseSlopes(NamedTuple):
    """Changes with the coordinates q, the speeds v and the accelerations a, nq + 2 nv columns."""

    rate: Vector
    """(nq, columns) of the rates of the coordinates."""
    force: Vector
    """(nv, columns) of inverse dynamics."""
    power: Vector
    """(columns,) of the power of constant generalized forces."""


class Moving(Protocol):
    """What has a motion: a model of any formulation."""

    def derivative(self, q: Any, v: Any) -> Numbers:
        """Rates of the coordinates."""
        ...

    def hybrid(self, q: Any, v: Any, known: Any, prescribed: Mask) -> tuple[Numbers, Numbers]:
        """Accelerations and generalized forces."""
        ...

    def inverse_dynamics(self, q: Any, v: Any, a: Any) -> Numbers:
        """Generalized forces."""
        ...

    def power(self, q: Any, v: Any, tau: Any) -> Numbers:
        """Power of generalized forces."""
        ...


def slopes_by_complex_steps(model: Moving, q: Vector, v: Vector, known: Vector, prescribed: Mask) -> MotionSlopes:
    """The slopes of any formulation whose functions take complex numbers."""
    nq, nv = len(q), len(v)
    x = imaginary_steps(np.concatenate([q, v, known]), np.eye(nq + 2 * nv))
    Q, V, D = x[:, :nq], x[:, nq : nq + nv], x[:, nq + nv :]
    a, tau = model.hybrid(Q, V, D, prescribed)
    slopes = [step_slopes(y) for y in (model.derivative(Q, V), a, model.power(Q, V, tau))]
    return MotionSlopes(slopes[0].T, slopes[1].T, slopes[2])


def inverse_slopes_by_complex_steps(model: Moving, q: Vector, v: Vector, a: Vector, tau: Vector) -> InverseSlopes:
    """The slopes of inverse dynamics of any formulation whose functions take complex numbers."""
    nq, nv = len(q), len(v)
    x = imaginary_steps(np.concatenate([q, v, a]), np.eye(nq + 2 * nv))
    Q, V, A = x[:, :nq], x[:, nq : nq + nv], x[:, nq + nv :]
    values = model.derivative(Q, V), model.inverse_dynamics(Q, V, A), model.power(Q, V, tau)
    rate, force, power = (step_slopes(y) for y in values)
    return InverseSlopes(rate.T, force.T, power)


def inverse_slopes_by_tangents(model: Model, q: Vector, v: Vector, a: Vector, tau: Vector) -> InverseSlopes:
    """The slopes of inverse dynamics of a model by the tangents of its blocks, where it has any."""
    tangents, nq, nv = model.evaluation.tangents, len(q), len(v)
    if tangents is None:
        return inverse_slopes_by_complex_steps(model, q, v, a, tau)
    by = "coordinates", "v", "a"
    found = tangents.jacobians("inverse_dynamics", by, (q[None], v[None], a[None]), False, False)
    force = np.concatenate([found[f"dtau_d{name}"][0] for name in by], axis=1)
    power = np.concatenate([np.zeros(nq), tau, np.zeros(nv)])
    return InverseSlopes(_rate_slopes(tangents, q, v), force, power)


def _rate_slopes(tangents: Tangents, q: Vector, v: Vector) -> Vector:
    """Changes (nq, nq + 2 nv) of the rates of the coordinates, which nothing but q and v changes."""
    rates = tangents.jacobians("rates", ("coordinates", "v"), (q[None], v[None]))
    return np.concatenate([rates["drate_dcoordinates"][0], rates["drate_dv"][0], np.zeros((len(q), len(v)))], axis=1)


def slopes_by_tangents(model: Model, q: Vector, v: Vector, known: Vector, prescribed: Mask) -> MotionSlopes:
    """The slopes of a model by the tangents of its blocks, where it has any."""
    tangents = model.evaluation.tangents
    if tangents is None or (prescribed & model.is_mode).any():
        return slopes_by_complex_steps(model, q, v, known, prescribed)
    if model.loops is None:
        a, tau, force = _accelerations(tangents, q, v, known, prescribed)
    else:
        closed = model.loops.derivatives(q[None], v[None], known[None], prescribed)
        a, tau, force = closed.a_slopes[0], closed.tau[0], closed.tau_slopes[0]
    power = v @ force
    power[len(q) : len(q) + len(v)] += tau
    return MotionSlopes(_rate_slopes(tangents, q, v), a, power)


class ForceSlopes(NamedTuple):
    """Changes (nv, nv) of inverse dynamics with q, in the directions of the speeds, with v and with a."""

    by_q: Vector
    by_v: Vector
    by_a: Vector

    def along(self, x: Vector, y: Vector, z: Vector) -> Vector:
        """Changes (nv, k) along changes (nv, k) of q, v and a."""
        out: Vector = self.by_q @ x + self.by_v @ y + self.by_a @ z
        return out


def force_slopes(model: Model, q: Vector, v: Vector, a: Vector) -> ForceSlopes:
    """Slopes of the tree's inverse dynamics at one state."""
    tangents = model.evaluation.tangents
    if tangents is not None:
        rows = q[None], v[None], a[None]
        found = tangents.jacobians("inverse_dynamics", ("q", "v", "a"), rows, False, False)
        return ForceSlopes(*(found[f"dtau_d{name}"][0] for name in ("q", "v", "a")))
    unit = np.eye(model.nv)
    by_q = model.inverse_dynamics(imaginary_steps(q, model.tangent(q).T), v, a)
    by_v = model.inverse_dynamics(q, imaginary_steps(v, unit), a)
    return ForceSlopes(step_slopes(by_q).T, step_slopes(by_v).T, model.mass_matrix(q))


def joint_wrench_slopes(model: Model, q: Vector) -> Vector:
    """Changes (bodies, 6, nv) of the wrenches through the joints of the tree with the accelerations, at rest."""
    tangents, rest = model.evaluation.tangents, np.zeros(model.nv)
    if tangents is None:
        A = imaginary_steps(rest, np.eye(model.nv))
        Q, V = (np.tile(x, (model.nv, 1)).astype(complex) for x in (q, rest))
        f = step_slopes(model.evaluation.inverse_dynamics(Q, V, A, None, True)[1])
        return np.ascontiguousarray(np.moveaxis(f, 0, -1)[1:])
    found = tangents.jacobians("inverse_dynamics", ("a",), (q[None], rest[None], rest[None]), False, True)
    return found["df_da"].reshape(-1, 6, model.nv)[1:]


def _accelerations(
    tangents: Tangents, q: Vector, v: Vector, known: Vector, prescribed: Mask
) -> tuple[Vector, Vector, Vector]:
    """Slopes of the accelerations, generalized forces and their slopes."""
    rows = q[None], v[None], known[None]
    if not prescribed.any():
        by = "coordinates", "v", "tau"
        found = tangents.jacobians("accelerations", by, rows)
        force = np.concatenate([np.zeros((len(v), len(q) + len(v))), np.eye(len(v))], axis=1)
        return np.concatenate([found[f"da_d{x}"][0] for x in by], axis=1), known, force
    by = "coordinates", "v", "drive"
    found = tangents.jacobians("hybrid_dynamics", by, rows, tuple(prescribed.tolist()), False)
    a, force = (np.concatenate([found[f"d{name}_d{x}"][0] for x in by], axis=1) for name in ("a", "drive"))
    return a, found["drive"][0], force
