"""Spring-dampers between frames in the matrix of implicit steps, against finite differences."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from numpy.typing import NDArray

import supple
from supple import structures
from supple.simulation.methods.alpha_formulas import implicit_arrays
from supple.simulation.methods.alpha_newton import BlockNewton, SweepNewton, newton_iteration_of

Floats = NDArray[np.float64]
G = 1e-3
"""Seconds: M + G C + G^2 K."""
STIFFNESS = 1e7


@cache
def sprung(
    stiffness: float = STIFFNESS, lengths: tuple[float, float] = (0.0, 0.0), closed: bool = False
) -> supple.Model:
    """A flexible link that carries another and a rigid branch; springs from the ground and between the two tips."""
    aluminium = structures.Material(E=7e10, nu=0.33, rho=2700.0)
    body = structures.beam(1.0, structures.Rectangle(0.02, 0.01), aluminium, 4).reduce("cantilever", modes=2)
    mech = supple.Mechanism("sprung", gravity=(0, 0, 0))
    mech.add_body("a", body, joint=supple.Spherical())
    mech.add_body("b", body, "a", supple.Revolute("y"), at="end")
    mech.add_body("c", supple.RigidBody(0.5, (0, 0.3, 0), (0.02, 0.01, 0.02)), "a", supple.Spherical())
    mech.add_frame("hook", "ground", (2.0, 0, 0))
    mech.add_frame("tip", "c", (2.0, 0, 0))
    mech.add_frame("post", "ground", (2.0, 0.6, 0.8))
    mech.add_spring_damper("first", "ground/hook", "b/end", stiffness, 1e-3 * stiffness, lengths[0])
    mech.add_spring_damper("second", "b/end", "c/tip", stiffness, 0.0, lengths[1])
    if closed:
        mech.constrain("rod", supple.Distance("ground/post", "c/tip", 1.0))
    return mech.build()


def at_free_lengths() -> tuple[supple.Model, Floats]:
    """With springs that do not pull, in a bent configuration."""
    loose = sprung()
    q = loose.integrate(loose.neutral(), 0.1 * np.random.default_rng(3).normal(size=loose.nv), 1.0)
    tips = [loose.pose(q, frame)[1] for frame in ("ground/hook", "b/end", "c/tip")]
    first, second = (float(np.linalg.norm(tips[i + 1] - tips[i])) for i in range(2))
    return sprung(lengths=(first, second)), q


def matrix(model: supple.Model, q: Floats) -> Floats:
    """d forces/d accelerations at rest, by differences: speeds change with G, coordinates with G^2."""
    columns, d = [model.mass_matrix(q)], 1e-5
    for e in np.eye(model.nv):
        ends = [model.bias_forces(model.integrate(q, s * d * G * G * e, 1.0), s * d * G * e) for s in (1, -1)]
        columns.append((ends[0] - ends[1])[:, None].T / (2 * d))
    return columns[0] + np.concatenate(columns[1:]).T


@pytest.mark.parametrize("coincident", [False, True])
def test_the_matrix_has_the_springs(coincident: bool) -> None:
    """Springs along their line, and all around where their ends coincide; bent modes turn with their bodies (2e-5)."""
    model, q = (sprung(), sprung().neutral()) if coincident else at_free_lengths()
    exact = matrix(model, q)
    rng = np.random.default_rng(0)
    w, drive, v = *rng.normal(size=(2, model.nv)), np.zeros(model.nv)
    r = drive - model.inverse_dynamics(q, v, w)
    expected = np.linalg.solve(exact, r)
    assert np.abs(np.linalg.solve(model.mass_matrix(q), exact)).max() > 30  # the springs are stiff
    stiff = implicit_arrays(model, G, G * G)
    for kind in (BlockNewton, SweepNewton):
        newton = kind(model, stiff, model.none_prescribed)
        newton(True, q, v, drive, w)
        np.testing.assert_allclose(newton.correction, expected, atol=1e-4 * np.abs(expected).max())
        whole = newton.correction.copy()
        newton(False, q, v, drive, w)
        np.testing.assert_array_equal(newton.correction, whole)


def test_closed_loops_have_the_springs() -> None:
    """The correction of a closed chain is that of its matrix under the constraint."""
    lengths = at_free_lengths()[0].tree.spring_constants[:, 2]
    model = sprung(lengths=(float(lengths[0]), float(lengths[1])), closed=True)
    q, v = model.neutral(), np.zeros(model.nv)
    w, drive = np.random.default_rng(0).normal(size=(2, model.nv))
    newton = newton_iteration_of(model, implicit_arrays(model, G, G * G), model.none_prescribed)
    newton(True, q, v, drive, w)
    stiff = implicit_arrays(model, G, G * G)
    assert model.loops is not None
    open_model = sprung(lengths=(float(lengths[0]), float(lengths[1])))
    tree = SweepNewton(open_model, stiff, model.none_prescribed)
    inverse = []
    for e in np.eye(model.nv):
        tree(True, q, v, open_model.inverse_dynamics(q, v, w) + e, w)
        inverse.append(tree.correction.copy())
    Mt, J = np.linalg.inv(np.array(inverse).T), model.loops.jacobian(q)
    r = drive - open_model.inverse_dynamics(q, v, w)
    n, m = model.nv, len(J)
    saddle = np.block([[Mt, -J.T], [J, np.zeros((m, m))]])
    expected = np.linalg.solve(saddle, np.concatenate([r, -J @ w]))[:n]
    np.testing.assert_allclose(newton.correction, expected, atol=1e-7 * np.abs(expected).max())
