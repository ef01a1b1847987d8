"""Tangents of runs against CVODES, on equations of motion that CasADi derives from the energies."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import supple

INERTIA = np.diag([0.1, 0.2, 0.3])
NAMES = {"a.mass": 2.0, "b.com.z": -0.3, "b.at.z": -1.0, "b.angle.damping": 0.2}


def accelerations(casadi: Any, q: Any, v: Any, p: Any) -> Any:
    """Of two bodies in the x-z plane that turn about y, by Lagrange's equations."""

    def turned(angle: Any, x: Any, z: Any) -> Any:
        c, s = casadi.cos(angle), casadi.sin(angle)
        return casadi.vertcat(x * c + z * s, -x * s + z * c)

    mass, com, at, damping = p[0], p[1], p[2], p[3]
    first = turned(q[0], 0.1, -0.5)
    second = turned(q[0], 0.0, at) + turned(q[0] + q[1], 0.0, com)
    kinetic, potential = 0.0, 0.0
    for m, place, spin in ((mass, first, v[0]), (1.0, second, v[0] + v[1])):
        velocity = casadi.jtimes(place, q, v)
        kinetic += 0.5 * m * casadi.dot(velocity, velocity) + 0.5 * INERTIA[1, 1] * spin**2
        potential += m * 9.81 * place[1]
    momentum = casadi.gradient(kinetic, v)
    force = casadi.gradient(kinetic - potential, q) - casadi.vertcat(0.0, damping * v[1])
    return casadi.solve(casadi.jacobian(momentum, v), force - casadi.jtimes(momentum, q, v))


def test_sensitivities_are_those_of_cvodes() -> None:
    casadi = pytest.importorskip("casadi")
    mech = supple.Mechanism("double pendulum")
    mech.add_body("a", supple.RigidBody(2.0, com=(0.1, 0, -0.5), inertia=INERTIA), joint=supple.Revolute("y"))
    body = supple.RigidBody(1.0, com=(0, 0, -0.3), inertia=INERTIA)
    mech.add_body("b", body, parent="a", at=(0, 0, -1.0), joint=supple.Revolute("y", damping=0.2))
    start, times = np.array([1.0, -0.5, 0.0, 0.3]), [0.5, 1.0, 1.5]
    settings: dict[str, Any] = {"q": start[:2], "v": start[2:], "samples": 4, "rtol": 1e-11}
    found = supple.simulate(mech.build(), 1.5, sensitivities=list(NAMES), **settings).isel(time=slice(1, None))
    q, v, p = casadi.SX.sym("q", 2), casadi.SX.sym("v", 2), casadi.SX.sym("p", 4)
    ode = {"x": casadi.vertcat(q, v), "p": p, "ode": casadi.vertcat(v, accelerations(casadi, q, v, p))}
    options = {"abstol": 1e-13, "reltol": 1e-12, "max_num_steps": 100_000, "fsens_err_con": True}
    run = casadi.integrator("run", "cvodes", ode, 0.0, times, options)
    by_p = run.factory("by_p", ["x0", "p"], ["xf", "jac:xf:p"])
    states, slopes = (np.array(x) for x in by_p(start, list(NAMES.values())))
    np.testing.assert_allclose(found.q.values, states[:2].T, rtol=0, atol=1e-9)
    expected = slopes.reshape(4, len(times), 4, order="F").transpose(1, 0, 2)
    both = np.concatenate([found.q_sensitivity.values, found.v_sensitivity.values], axis=1)
    assert np.abs(expected).max() > 1.0
    np.testing.assert_allclose(both, expected, rtol=0, atol=1e-8 * np.abs(expected).max())
