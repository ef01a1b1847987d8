"""Derivatives on the graph against differences and complex steps, and forward against reverse."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import supple
from supple.expressions.derivatives import forward, gradient, jacobian
from supple.expressions.function import Function
from supple.expressions.graph import Expr, Graph
from supple.expressions.operations import FUNCTIONS
from supple.model.traced_functions import traced
from support.generated.generators import random_tree

POINT = np.array([0.63, 0.37])
OPERATIONS = ["add", "sub", "mul", "div", "neg", *FUNCTIONS]
ONE_ARGUMENT = {*FUNCTIONS, "neg"} - {"atan2", "pow", "min", "max"}


def leaves(g: Graph) -> tuple[Any, Any]:
    return g.input("x"), g.input("y")


def of(x: Any, outputs: Any) -> Function:
    """The outputs r of the inputs s."""
    return Function("f", x[0].graph, {"s": x}, {"r": outputs})


def differences(f: Function, at: Any, h: float = 1e-5) -> Any:
    """Central differences of the output r, the direction last: right to h^2 and rounding / h."""
    columns = [(f.evaluate(s=at + h * e)["r"] - f.evaluate(s=at - h * e)["r"]) / (2 * h) for e in np.eye(len(at))]
    return np.moveaxis(np.array(columns), 0, -1)


def both_ways(nodes: list[Expr], x: list[Expr]) -> tuple[Any, Any]:
    """All derivatives, forward and in reverse."""
    ahead = np.array([forward(nodes, {leaf: 1.0}) for leaf in x], dtype=object).T
    back = np.array([gradient(node, x) for node in nodes], dtype=object)
    return ahead, back


@pytest.mark.parametrize("name", OPERATIONS)
def test_every_operation(name: str) -> None:
    g = Graph()
    x, y = leaves(g)
    # Inside are products, so that the chain rule counts; 0.63 0.37 and 0.37 + 0.63^2 are inside all domains.
    inner = [x * y] if name in ONE_ARGUMENT else [x * y, y + x * x]
    node = getattr(g, name)(*inner)
    expected = differences(of([x, y], node), POINT)
    if name != "sign":
        assert np.abs(expected).min() > 1e-3
    for slopes in both_ways([node], [x, y]):
        found = of([x, y], slopes[0]).evaluate(s=POINT)["r"]
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-8)


@pytest.mark.parametrize("point", [(0.9, 0.4), (0.4, 0.9), (-0.7, -0.2)], ids=str)
def test_functions_with_two_sides(point: tuple[float, float]) -> None:
    g = Graph()
    x, y = leaves(g)
    nodes = [np.minimum(x, y), np.maximum(x, 2 * y), abs(x) * y, np.sign(x) * y * y]
    expected = differences(of([x, y], nodes), np.array(point))
    for slopes in both_ways(nodes, [x, y]):
        found = of([x, y], slopes).evaluate(s=point)["r"]
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-8)


def test_forward_along_a_direction_of_nodes() -> None:
    g = Graph()
    x, y = leaves(g)
    inner = np.sin(x)
    (slope,) = forward([inner * y + x], {x: y, y: 2.0})
    assert slope is np.cos(x) * y * y + 2 * inner + y


@pytest.mark.parametrize("rows", [1, 4], ids=["in reverse", "forward"])
def test_jacobian_has_the_shapes_and_constant_zeros(rows: int) -> None:
    g = Graph()
    a, b = leaves(g)
    outputs = np.array([a * a, g.constant(3.0), np.sin(b), a - a * 1][:rows], dtype=object)
    J = jacobian(outputs, np.array([[a, b]], dtype=object))
    assert J.shape == (rows, 1, 2)
    assert J[0, 0, 0] is 2 * a
    assert J[0, 0, 1] is g.zero
    if rows > 1:
        assert all(node is g.zero for node in (*J[1].flat, J[2, 0, 0], *J[3].flat))
        assert J[2, 0, 1] is np.cos(b)


def test_jacobian_of_branches_is_sparse() -> None:
    """Two bodies on the ground: neither's acceleration depends on the other."""
    mech = supple.Mechanism("two")
    for name in ("left", "right"):
        mech.add_body(name, supple.RigidBody(1.0, (0.1, 0.2, 0.3), (1, 2, 2.5)), joint=supple.Revolute("y"))
    f = traced(mech.build(), "forward_dynamics")
    J = jacobian(f.outputs["a"], f.inputs["q"])
    zero = [[node.op == "constant" and node.value == 0.0 for node in row] for row in J]
    assert zero == [[False, True], [True, False]]


@pytest.mark.parametrize(("number", "bodies", "what"), [(5, 11, "inverse_dynamics"), (6, 4, "forward_dynamics")])
def test_jacobian_of_the_dynamics_against_complex_steps(number: int, bodies: int, what: str) -> None:
    model = random_tree(number, bodies)
    f = traced(model, what)
    q, v = model.random_state(number)
    given: dict[str, Any] = {"q": q, "v": v, [*f.inputs][2]: np.random.default_rng(number).normal(size=model.nv)}
    (out,) = f.outputs.values()
    for key, x in given.items():
        slopes = Function("slopes", f.graph, f.inputs, {"J": jacobian(out, f.inputs[key])}).evaluate(**given)["J"]
        steps = {**given, key: x + 1e-30j * np.eye(len(x))}
        expected = getattr(model, what)(*steps.values()).imag.T / 1e-30
        scale = np.abs(expected).max()
        assert scale > 0.1
        np.testing.assert_allclose(slopes, expected, rtol=0, atol=1e-11 * scale)
