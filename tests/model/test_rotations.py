"""Cheaper changes of axes: the same numbers as the general formulas, fewer operations, and used by every trace."""

from __future__ import annotations

from functools import cache
from itertools import permutations, product
from typing import Any

import numpy as np
import pytest

import supple
from supple import spatial
from supple.engines.plain import plain
from supple.expressions.function import Function
from supple.expressions.graph import Graph
from supple.model.rotations import on_nodes, rotate_matrix, rotate_symmetric
from supple.model.trace import Trace
from supple.model.traced_functions import traced
from supple.recursions import composite

AXES = [
    np.eye(3)[list(order)] * np.array(signs)[:, None]
    for order in permutations(range(3))
    for signs in product((1.0, -1.0), repeat=3)
    if np.linalg.det(np.eye(3)[list(order)] * np.array(signs)[:, None]) > 0
]
"""The 24 ways to name three right-handed axes."""


def plane_rotation(g: Graph) -> tuple[Any, Any]:
    """A rotation about z by an angle, 3x3, and the angle."""
    angle = g.input("angle")
    C, S = np.cos(angle), np.sin(angle)
    return np.array([[C, -S, g.zero], [S, C, g.zero], [g.zero, g.zero, g.one]], dtype=object), angle


@pytest.mark.parametrize("name", ["rotate_matrix", "rotate_symmetric"])
def test_simple_rotations_between_any_axes_equal_the_general_formula(name: str) -> None:
    count = 9 if name == "rotate_matrix" else 6
    own: Any = {"rotate_matrix": rotate_matrix, "rotate_symmetric": rotate_symmetric}[name]
    general = plain(getattr(spatial, name))
    numbers = np.random.default_rng(1).normal(size=count)
    for before, after in product(AXES, AXES[::5]):
        g = Graph()
        turn, angle = plane_rotation(g)
        R = tuple((before @ turn @ after).flat)
        x = np.array([g.input(f"x{i}") for i in range(count)], dtype=object)
        inputs = {"angle": np.array([angle]), "x": x}
        cheap = Function("cheap", g, inputs, {"y": np.array(own(R, tuple(x)))})
        dear = Function("dear", g, inputs, {"y": np.array(general(R, tuple(x)))})
        found, expected = (f.evaluate(angle=[0.7], x=numbers)["y"] for f in (cheap, dear))
        assert not np.allclose(found, numbers)
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-15 * 8)
        assert cheap.operations.multiplications <= (12 if count == 9 else 9)  # four of the block, the rest of vectors
        assert cheap.operations.total < dear.operations.total


def test_other_rotations_take_the_general_formula() -> None:
    g = Graph()
    x: Any = tuple(g.input(f"x{i}") for i in range(9))
    w = tuple(g.input(f"w{i}") for i in range(4))
    R = plain(spatial.quaternion_rotation)(*w)
    assert rotate_matrix(R, x) == plain(spatial.rotate_matrix)(R, x)
    assert rotate_symmetric(R, x[:6]) == plain(spatial.rotate_symmetric)(R, x[:6])


@pytest.mark.parametrize("axes", AXES[::4])
def test_renaming_axes_takes_no_operations(axes: Any) -> None:
    g = Graph()
    x = np.array([g.input(f"x{i}") for i in range(9)], dtype=object)
    y = rotate_matrix(tuple(axes.flat), tuple(x))
    assert Function("y", g, {"x": x}, {"y": np.array(y)}).operations.total == 0


@cache
def robot() -> supple.Model:
    """A chain with joints about coordinate axes of turned frames."""
    rng = np.random.default_rng(3)
    mech = supple.Mechanism("robot")
    for i in range(6):
        J = np.diag(rng.uniform(0.4, 0.6, 3)) + 0.1 * (np.ones((3, 3)) - np.eye(3))
        body = supple.RigidBody(1.0 + i, rng.normal(size=3), J)
        joint = supple.Revolute("xyz"[i % 3])
        parent = f"b{i - 1}" if i else "ground"
        mech.add_body(f"b{i}", body, parent, joint, at=rng.normal(size=3), rotation=AXES[7 * i % 24])
    return mech.build()


@pytest.mark.parametrize("what", ["forward_dynamics", "mass_matrix", "inverse_mass_matrix"])
def test_traces_use_them_and_agree_with_the_model(what: str) -> None:
    model = robot()
    q, v = model.random_state(4)
    tau = np.random.default_rng(5).normal(size=model.nv)
    f = traced(model, what)
    given: dict[str, Any] = {"q": q, "v": v, "tau": tau}
    (found,) = f.evaluate(**{key: given[key] for key in f.inputs}).values()
    expected = getattr(model, what)(*(given[key] for key in f.inputs))
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12 * np.abs(expected).max())


def test_a_twin_with_replacements_is_another_than_the_plain_one() -> None:
    t = Trace(robot())
    general = np.zeros((6, 6), dtype=object)
    plain(composite.mass)(t.tree, t.flex, t.q, t.workspace(), general)
    dear = t.function("M", {"q": t.q}, {"M": general}).operations
    cheap = t.function("M", {"q": t.q}, {"M": t.mass_matrix(t.q)}).operations
    assert cheap.total < 0.9 * dear.total
    assert plain(composite.mass) is plain(composite.mass) is not on_nodes(composite.mass)
