"""Cells of tables as text."""

from __future__ import annotations

import numpy as np

from supple.expressions.formula import Formula
from supple.expressions.function import Function
from supple.expressions.graph import Graph
from supple.symbolic.kane import KaneJoint, KaneSystem, MassProperties
from supple.symbolic.kane.composite_bodies import composite_bodies
from supple.symbolic.kane.partial_velocities import motions
from supple.symbolic.kane.table_text import TableText


def chain() -> KaneSystem:
    s = KaneSystem("chain")
    L, m = s.parameters(L=0.7, m=2.0)
    a = s.add_body("a", joint=KaneJoint(["x"], "1"), body=MassProperties(m, (0, L, 0.1), (1, 2, 3)))
    s.add_body("b", a, KaneJoint(rotations="2"), MassProperties(m, (L, 0, 0.2), (1, 2, 3)), at=(0, L, L))
    return s


def test_names_and_signs() -> None:
    s = KaneSystem("s")
    (m,) = s.parameters("m")
    a = s.add_body("a", joint=KaneJoint(["x"], "3", coordinates=["x", "angle"]))
    q1 = s.q[0]
    n1, n2, _ = s.ground.axes
    vector = -m * n1 + (q1 + 2) * n2 - 3.0 * a.axes[0]
    text = TableText(s, [vector])
    assert text.text(vector) == "-m n1 + (2 + q1) n2 - 3 a1"
    assert text.text(a.axes[0].along(s.ground.basis)) == "C2 n1 + S2 n2"
    assert text.text(n1.outer(n2) * m) == "m (n1 n2)"
    assert text.text({0: n1, 3: -n2}) == "[1] n1; [4] -n2"
    assert text.text([]) == text.text({}) == "none"
    assert text.text(s.zero) == "0"


def test_parameters_that_look_like_other_names_are_put_in_brackets() -> None:
    s = KaneSystem("s")
    (taken,) = s.parameters("q1")
    s.add_body("a", joint=KaneJoint(["x"]))
    text = TableText(s, [taken * s.q[0]])
    assert text.text(taken * s.q[0]) in ("[q1]*q1", "q1*[q1]")


def test_the_definitions_give_the_numbers_of_the_nodes() -> None:
    """The text, read back formula by formula, evaluates to what it was written from."""
    s = chain()
    bodies = list(s.bodies.values())
    moved = motions(bodies, composite_bodies(bodies), s.gravity)
    cells = [c for m in moved.values() for x in (m.point.a, m.R, m.angular.w) for c in x.terms.values()]
    text = TableText(s, cells)
    assert text.constants
    assert len(text.variables) > 10
    rng = np.random.default_rng(1)
    state = {"q": rng.normal(size=len(s.q)), "v": rng.normal(size=len(s.v))}
    nodes = np.array(cells, dtype=object)
    function = Function("f", s.graph, {"q": np.array(s.q), "v": np.array(s.v)}, {"x": nodes}, list(s.symbols.values()))
    expected = function.evaluate(s.values, **state)["x"]

    graph, known = Graph(), dict(s.values)
    for i, (q, u) in enumerate(zip(state["q"], state["v"], strict=True), start=1):
        known |= {f"q{i}": q, f"u{i}": u, f"S{i}": np.sin(q), f"C{i}": np.cos(q)}

    def number(formula: str) -> float:
        node = Formula(formula.replace("^", "**")).node(graph, known)
        assert node.op == "constant"
        return float(node.value)

    for name, formula in (*text.constants, *text.variables):
        known[name] = number(formula)
    np.testing.assert_allclose([number(text.text(x)) for x in cells], expected, rtol=1e-12, atol=1e-14)
