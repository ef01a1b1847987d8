"""The functions of the table on the nodes of a trace: equations, graphs, and blocks of their values are made of them.

Each takes a trace and the inputs, and gives the outputs in the order of the table.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from supple.expressions.function import Nodes
from supple.model.coordinate_programs import turn_directions
from supple.model.functions.derivative_rules import derivative, rate
from supple.model.functions.frames_on_nodes import Recording
from supple.model.functions.sizes import rigid_bodies
from supple.model.functions.values import Values
from supple.model.step_formulas import STEPS
from supple.model.symbolic_tree import zeros
from supple.recursions import kinematics, regressor
from supple.recursions.states import States

Outputs = tuple[Nodes, ...]
Formula = Callable[[Any, Values], Outputs]


def forward_dynamics(t: Any, x: Values) -> Outputs:
    """Accelerations."""
    return (t.forward_dynamics(x.q, x.v, _driving(t, x)),)


def inverse_dynamics(t: Any, x: Values) -> Outputs:
    """Generalized forces."""
    tau = t.inverse_dynamics(x.q, x.v, x.a)
    return (tau if x.wrench is None else tau - x.applied(t)[0],)


def bias_forces(t: Any, x: Values) -> Outputs:
    """Generalized forces at zero acceleration."""
    tau = t.bias_forces(x.q, x.v)
    return (tau if x.wrench is None else tau - x.applied(t)[0],)


def joint_wrenches(t: Any, x: Values) -> Outputs:
    """Moments and forces that the joints pass."""
    on_bodies = None if x.wrench is None else x.applied(t)[1]
    return (t.joint_wrenches(x.q, x.v, x.a, on_bodies, x.inputs.get("constraint_forces")),)


def constraint_forces(t: Any, x: Values) -> Outputs:
    """Forces of the rows that close loops."""
    none = np.zeros(t.model.nv, dtype=bool)
    return (t.closed_dynamics(x.q, x.v, _driving(t, x), none, t.workspace())[2],)


def mass_matrix(t: Any, x: Values) -> Outputs:
    """M."""
    return (t.mass_matrix(x.q),)


def inverse_mass_matrix(t: Any, x: Values) -> Outputs:
    """M^-1."""
    return (t.inverse_mass_matrix(x.q),)


def energy(t: Any, x: Values) -> Outputs:
    """Kinetic and potential energy."""
    return tuple(np.array(e, dtype=object) for e in t.energy(x.q, x.v))


def center_of_mass(t: Any, x: Values) -> Outputs:
    """First moment over mass."""
    return (t.sums(x.q, zeros(t.model.nv))[2] / t.mass(),)


def momentum(t: Any, x: Values) -> Outputs:
    """Angular and linear momentum."""
    return (t.sums(x.q, x.v)[1],)


def energy_and_momentum(t: Any, x: Values) -> Outputs:
    """Energies, momentum, first moment of mass."""
    found: Outputs = t.sums(x.q, x.v)
    return found


def coordinate_rates(t: Any, x: Values) -> Outputs:
    """Rates of the coordinates."""
    return (t.rates(x.q, x.v),)


def tangent(t: Any, x: Values) -> Outputs:
    """S."""
    return (t.tangent(x.q),)


def direction_rates(t: Any, x: Values) -> Outputs:
    """N."""
    N = zeros(t.model.nv, t.model.nv)
    turn_directions(Recording(t), x.q, x.v, N)
    return (N,)


def integrate(t: Any, x: Values) -> Outputs:
    """Coordinates after a time at constant speeds."""
    return (t.advanced(x.q, x.v, x.dt),)


def poses(t: Any, x: Values) -> Outputs:
    """Poses of the ground and all bodies."""
    R, p = t.poses(x.q)
    return np.concatenate([np.eye(3).astype(object)[None], R]), np.concatenate([zeros(1, 3), p])


def motions(t: Any, x: Values) -> Outputs:
    """Velocities and accelerations of the ground and all bodies."""
    rows = len(t.model.bodies) + 1
    V, A = zeros(1, rows, 6), zeros(1, rows, 6)
    t.run(kinematics.motions)(t.tree, t.flex, States(x.q[None], x.v[None]), x.a[None], t.workspace(), V, A)
    return V[0], A[0]


def force_regressor(t: Any, x: Values) -> Outputs:
    """Columns of the rigid bodies, one body after the other."""
    model = t.model
    Y, states = zeros(1, model.nv, len(model.bodies), regressor.PARAMETERS), States(x.q[None], x.v[None])
    t.run(regressor.regressor)(t.tree, t.flex, states, x.a[None], t.workspace(), Y)
    return (Y[0][:, rigid_bodies(model)].reshape(model.nv, -1),)


def pose(t: Any, x: Values) -> Outputs:
    """Poses of frames."""
    found: Outputs = x.frames.poses(x.q)
    return found


def velocity(t: Any, x: Values) -> Outputs:
    """Velocities of frames."""
    return (x.frames.motions(x.q, x.v, None),)


def acceleration(t: Any, x: Values) -> Outputs:
    """Accelerations of frames."""
    return (x.frames.motions(x.q, x.v, x.a),)


def jacobian(t: Any, x: Values) -> Outputs:
    """Jacobians of frames."""
    return (x.frames.jacobians(x.q),)


def jacobian_derivative(t: Any, x: Values) -> Outputs:
    """Rates of Jacobians of frames."""
    return (rate(t, x.frames.jacobians(x.q), x.q, x.v),)


def inverse_operational_inertia(t: Any, x: Values) -> Outputs:
    """J M^-1 J*."""
    return (x.frames.compliance(x.q),)


def operational_inertia(t: Any, x: Values) -> Outputs:
    """(J M^-1 J*)^-1."""
    return (x.frames.inertia(x.q),)


def forward_dynamics_derivatives(t: Any, x: Values) -> Outputs:
    """Accelerations and their derivatives."""
    (a,) = forward_dynamics(t, x)
    return a, *(derivative(t, "forward_dynamics", x, a, by) for by in ("q", "v", "tau"))


def inverse_dynamics_derivatives(t: Any, x: Values) -> Outputs:
    """Generalized forces and their derivatives."""
    (tau,) = inverse_dynamics(t, x)
    return tau, *(derivative(t, "inverse_dynamics", x, tau, by) for by in ("q", "v", "a"))


def linearize(t: Any, x: Values) -> Outputs:
    """A and B of small motions."""
    _, by_q, by_v, by_tau = forward_dynamics_derivatives(t, x)
    unit, rest = np.eye(t.model.nv).astype(object), zeros(t.model.nv, t.model.nv)
    A = np.block([[direction_rates(t, x)[0], unit], [by_q, by_v]])
    return A, np.concatenate([rest, by_tau])


def step(name: str) -> Formula:
    """Return the formula of a step of an integrator."""

    def formula(t: Any, x: Values) -> Outputs:
        return STEPS[name](t, x.q, x.v, x.dt, lambda _, q, v: t.forward_dynamics(q, v, x.tau))

    return formula


def _driving(t: Any, x: Values) -> Nodes:
    """Generalized forces, those of wrenches at frames among them."""
    return x.tau if x.wrench is None else x.tau + x.applied(t)[0]
