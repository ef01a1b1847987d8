"""Vectors and dyadics: the laws of the products on random trees of bases, native forms, the shortest way, refusals."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from supple.errors import ModelError
from supple.expressions.function import Function, Operations
from supple.expressions.graph import Expr, Graph
from supple.symbolic.kane import KaneJoint, KaneSystem
from supple.symbolic.vector_bases import Ground, Oriented, Turned, Unit, VectorBasis
from supple.symbolic.vectors import Dyadic, Vector, axis, dyadic, identity, in_basis

Floats = NDArray[np.float64]
EXACT = 1e-13  # a dozen rotations of numbers of order one


class World:
    """A random tree of bases with numbers for all angles, and the same in 3x3 matrices of its own."""

    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)
        self.graph = Graph()
        self.leaves: list[Expr] = []
        self.values: list[float] = []
        ground = Ground("n", self.graph)
        self.bases: list[VectorBasis] = [ground]
        self.R: dict[VectorBasis, Floats] = {ground: np.eye(3)}
        for k in range(7):
            parent = self.bases[int(self.rng.integers(max(0, k - 2), k + 1))]
            kind = ("turned", "turned", "turned", "oriented", "permuted")[int(self.rng.integers(5))]
            self._add(f"b{k}_", parent, kind)

    def _add(self, name: str, parent: VectorBasis, kind: str) -> None:
        if kind == "turned":
            i, angle = int(self.rng.integers(3)), float(self.rng.uniform(0.3, 2.5))
            q = self.leaf(angle)
            basis: VectorBasis = Turned(name, parent, i, np.cos(q), np.sin(q))
            R = Rotation.from_rotvec(angle * np.eye(3)[i]).as_matrix()
        else:
            R = Rotation.random(random_state=int(self.rng.integers(1000))).as_matrix()
            if kind == "permuted":
                R = np.array([[0.0, -1.0, 0.0], [0.0, 0.0, 1.0], [-1.0, 0.0, 0.0]])
            basis = Oriented(name, parent, R.tolist())
        self.bases.append(basis)
        self.R[basis] = self.R[parent] @ R

    def leaf(self, value: float) -> Expr:
        """A new symbol with a number."""
        self.leaves.append(self.graph.input(f"x{len(self.leaves)}"))
        self.values.append(value)
        return self.leaves[-1]

    def numbers(self, nodes: Any) -> Floats:
        """Values of nodes."""
        f = Function("f", self.graph, {"x": np.array(self.leaves, dtype=object)}, {"y": nodes})
        return f.evaluate(x=self.values)["y"]

    def vector(self) -> tuple[Vector, Floats]:
        """A vector with terms in several bases, and its components in the ground."""
        v, x = Vector(self.graph, {}), np.zeros(3)
        for k in self.rng.permutation(len(self.bases))[:3]:
            basis, i, c = self.bases[k], int(self.rng.integers(3)), float(self.rng.uniform(0.5, 1.5))
            v, x = v + self.leaf(c) * axis(basis, i), x + c * self.R[basis][:, i]
        return v, x

    def dyadic(self) -> tuple[Dyadic, Floats]:
        """A dyadic of three pairs, and its matrix in the ground."""
        D, X = Dyadic(self.graph, {}), np.zeros((3, 3))
        for _ in range(2):
            (a, x), (b, y) = self.vector(), self.vector()
            D, X = D + a.outer(b), X + np.outer(x, y)
        return D, X

    def directions(self, unit: Unit) -> list[Floats]:
        """A unit vector in the ground, once for every basis that has it."""
        return [sign * self.R[basis][:, i] for basis, (i, sign) in unit.places.items()]

    def in_ground(self, v: Vector) -> Floats:
        """Components in the ground, from the terms alone."""
        c = self.numbers(list(v.terms.values()))
        return sum((x * self.directions(unit)[0] for unit, x in zip(v.terms, c, strict=True)), start=np.zeros(3))

    def matrix(self, D: Dyadic) -> Floats:
        """Of a dyadic in the ground, from the terms alone."""
        out = np.zeros((3, 3))
        for ((a, b), _), c in zip(D.terms.items(), self.numbers(list(D.terms.values())), strict=True):
            out += c * np.outer(self.directions(a)[0], self.directions(b)[0])
        return out


@pytest.fixture(params=range(8))
def world(request: pytest.FixtureRequest) -> World:
    return World(request.param)


def test_a_unit_vector_is_the_same_in_all_its_bases(world: World) -> None:
    units = {unit for basis in world.bases for unit, _ in basis.axes}
    for unit in units:
        first, *others = world.directions(unit)
        for other in others:
            np.testing.assert_allclose(other, first, atol=EXACT)
    assert len(units) < 3 * len(world.bases)  # some are shared


def test_components_in_every_basis(world: World) -> None:
    v, x = world.vector()
    found = [world.numbers(v.components(basis)) for basis in world.bases]
    for basis, c in zip(world.bases, found, strict=True):
        np.testing.assert_allclose(c, world.R[basis].T @ x, atol=EXACT)
    assert np.ptp(found, axis=0).max() > 0.1


def test_a_projection_keeps_the_vector(world: World) -> None:
    v, x = world.vector()
    for basis in world.bases:
        along = v.along(basis)
        assert along.terms.keys() <= {unit for unit, _ in basis.axes}
        np.testing.assert_allclose(world.in_ground(along), x, atol=EXACT)


def test_sums_and_multiples(world: World) -> None:
    (a, x), (b, y), s = world.vector(), world.vector(), world.leaf(0.7)
    expected = {a + b: x + y, a - b: x - y, -a: -x, s * a: 0.7 * x, a * s: 0.7 * x, a / s: x / 0.7, 2 * a: 2 * x}
    for vector, value in expected.items():
        np.testing.assert_allclose(world.in_ground(vector), value, atol=EXACT)
    assert (a - a).is_zero
    np.testing.assert_allclose(world.in_ground(sum([a, b])), x + y, atol=EXACT)  # type: ignore[arg-type]


def test_dot_cross_and_triple_product(world: World) -> None:
    (a, x), (b, y), (c, z) = world.vector(), world.vector(), world.vector()
    scalars = world.numbers([a @ b, b @ a, a @ b.cross(c), a.cross(b) @ c, a.norm()])
    triple = np.linalg.det([x, y, z])
    np.testing.assert_allclose(scalars, [x @ y, x @ y, triple, triple, np.linalg.norm(x)], atol=EXACT)
    np.testing.assert_allclose(world.in_ground(a.cross(b)), np.cross(x, y), atol=EXACT)
    np.testing.assert_allclose(world.in_ground(a.cross(b.cross(c))), np.cross(x, np.cross(y, z)), atol=10 * EXACT)
    assert abs(triple) > 1e-3
    assert a.cross(a).is_zero or np.abs(world.in_ground(a.cross(a))).max() < EXACT


def test_every_basis_dyadic_is_the_identity(world: World) -> None:
    v, x = world.vector()
    for basis in world.bases:
        one = identity(basis)
        np.testing.assert_allclose(world.matrix(one), np.eye(3), atol=EXACT)
        np.testing.assert_allclose(world.in_ground(one @ v), x, atol=EXACT)
        np.testing.assert_allclose(world.in_ground(v @ one), x, atol=EXACT)


def test_products_with_dyadics_from_both_sides(world: World) -> None:
    (D, X), (v, x) = world.dyadic(), world.vector()
    np.testing.assert_allclose(world.matrix(D), X, atol=EXACT)
    np.testing.assert_allclose(world.in_ground(D @ v), X @ x, atol=10 * EXACT)
    np.testing.assert_allclose(world.in_ground(v @ D), x @ X, atol=10 * EXACT)
    np.testing.assert_allclose(world.matrix(v.cross(D)), np.cross(x, X.T).T, atol=10 * EXACT)
    assert np.abs(X - X.T).max() > 0.1


def test_sums_and_projections_of_dyadics(world: World) -> None:
    (D, X), (E, Y) = world.dyadic(), world.dyadic()
    for made, value in ((D + E, X + Y), (D - E, X - Y), (-D, -X), (2 * D, 2 * X), (D.transposed, X.T)):
        np.testing.assert_allclose(world.matrix(made), value, atol=EXACT)
    basis = world.bases[-1]
    along = D.along(basis)
    assert {unit for pair in along.terms for unit in pair} <= {unit for unit, _ in basis.axes}
    np.testing.assert_allclose(world.matrix(along), X, atol=10 * EXACT)


def test_components_make_a_vector_and_a_dyadic(world: World) -> None:
    basis, c, m = world.bases[-1], [0.2, -0.4, 0.9], np.arange(9.0).reshape(3, 3)
    R = world.R[basis]
    np.testing.assert_allclose(world.in_ground(in_basis(basis, c)), R @ c, atol=EXACT)
    np.testing.assert_allclose(world.matrix(dyadic(basis, m)), R @ m @ R.T, atol=20 * EXACT)


# ---------------------------------------------------------------- native forms and the shortest way


def chain() -> tuple[KaneSystem, dict[str, Expr]]:
    """Bodies a, b, c turned about the first, second and third axis, with the cosines and sines of their angles."""
    s = KaneSystem("chain")
    for name, i in zip("abc", "123", strict=True):
        s.add_body(name, list(s.bodies)[-1] if s.bodies else "ground", joint=KaneJoint(rotations=i))
    named = {f"C{i + 1}": np.cos(q) for i, q in enumerate(s.q)} | {f"S{i + 1}": np.sin(q) for i, q in enumerate(s.q)}
    return s, named | {f"u{i + 1}": u for i, u in enumerate(s.v)}


def terms(v: Vector) -> dict[str, Expr]:
    return {unit.name: c for unit, c in v.terms.items()}


def test_angular_velocity_stays_native_until_it_is_projected() -> None:
    s, x = chain()
    a, b = s.bodies["a"], s.bodies["b"]
    w = b.angular_velocity
    assert terms(w) == {"n1": x["u1"], "a2": x["u2"]}  # (5)
    assert terms(w.along(s.ground.basis)) == {"n1": x["u1"], "n2": x["u2"] * x["C1"], "n3": x["u2"] * x["S1"]}  # (8)
    assert terms(w.along(a.basis)) == {"n1": x["u1"], "a2": x["u2"]}
    assert terms(w.along(b.basis)) == {"b1": x["u1"] * x["C2"], "a2": x["u2"], "b3": x["u1"] * x["S2"]}


def operations(s: KaneSystem, nodes: list[Expr]) -> Operations:
    f = Function("f", s.graph, {"x": np.array([*s.q, *s.v], dtype=object)}, {"y": np.array(nodes, dtype=object)})
    return f.operations


def test_projections_take_the_shortest_way() -> None:
    s, x = chain()
    a, b, c = s.bodies.values()
    n = s.ground
    counted: list[tuple[Vector, VectorBasis, int, int]] = [
        (x["u1"] * n.axes[0], a.basis, 0, 0),  # n1 is an axis of a
        (x["u1"] * n.axes[0], b.basis, 0, 2),  # from a, not from n
        (x["u1"] * n.axes[0], c.basis, 0, 4),
        (x["u1"] * c.axes[2], b.basis, 0, 0),
        (x["u1"] * c.axes[2], a.basis, 0, 2),
        (x["u1"] * a.axes[1], c.basis, 0, 2),  # a2 is an axis of b
        (x["u1"] * n.axes[0] + x["u2"] * b.axes[0], c.basis, 1, 4),  # they meet in b, and go on together
    ]
    for v, basis, additions, multiplications in counted:
        found = operations(s, v.components(basis))
        assert (found.additions, found.multiplications) == (additions, multiplications), (v, basis)


def test_products_of_shared_unit_vectors_need_no_rotation() -> None:
    s, x = chain()
    b, c = s.bodies["b"], s.bodies["c"]
    assert b.axes[2] @ c.axes[2] is s.graph.one
    assert b.axes[2].cross(c.axes[2]).is_zero
    assert (x["u1"] * b.axes[2]) @ (x["u2"] * c.axes[2]) is x["u1"] * x["u2"]
    assert c.axes[0] @ c.axes[1] is s.graph.zero
    assert repr(b.axes[2].cross(c.axes[0])) == "c2"
    assert s.bodies["a"].axes[1].cross(b.axes[0]).terms == (-b.axes[2]).terms


# ---------------------------------------------------------------- what cannot be done

MIXED: dict[str, tuple[Callable[[Any, Any], Any], str]] = {
    "vector + scalar": (lambda v, m: v + m, "cannot add .* m and n1"),
    "scalar + vector": (lambda v, m: m + v, "cannot add .* m and n1"),
    "vector + number": (lambda v, m: v + 1.5, "cannot add .* 1.5 and n1"),
    "number + vector": (lambda v, m: 1.5 + v, "cannot add .* 1.5 and n1"),
    "vector - scalar": (lambda v, m: v - m, "cannot subtract .* m and n1"),
    "scalar - vector": (lambda v, m: m - v, "cannot subtract .* n1 and m"),
    "number - vector": (lambda v, m: 2 - v, "cannot subtract .* n1 and 2"),
    "array + vector": (lambda v, m: np.ones(2) + v, "cannot add a scalar and a vector"),
    "vector . scalar": (lambda v, m: v @ m, "dot product of .* m and n1"),
    "scalar . vector": (lambda v, m: m @ v, "dot product of .* m and n1"),
    "vector x scalar": (lambda v, m: v.cross(m), "cross product of .* m and n1"),
    "vector scalar": (lambda v, m: v.outer(m), "outer product of .* m and n1"),
    "vector * vector": (lambda v, m: v * v, "expected a scalar times n1, got n1"),
    "vector / vector": (lambda v, m: v / v, "expected a scalar under n1, got n1"),
    "vector * list": (lambda v, m: v * [1, 2], r"expected a scalar times n1, got \[1, 2\]"),
    "dyadic * vector": (lambda v, m: v.outer(v) * v, r"expected a scalar times \(n1 n1\), got n1"),
    "dyadic + scalar": (lambda v, m: v.outer(v) + m, r"cannot add .* m and \(n1 n1\)"),
    "scalar + dyadic": (lambda v, m: m + v.outer(v), r"cannot add .* m and \(n1 n1\)"),
    "dyadic + vector": (lambda v, m: v.outer(v) + v, "cannot add a vector and a dyadic"),
    "vector + dyadic": (lambda v, m: v + v.outer(v), "cannot add a dyadic and a vector"),
    "dyadic - scalar": (lambda v, m: v.outer(v) - m, "cannot subtract a scalar and a dyadic"),
    "scalar - dyadic": (lambda v, m: m - v.outer(v), "cannot subtract a dyadic and a scalar"),
    "dyadic . scalar": (lambda v, m: v.outer(v) @ m, "dot product of a scalar and a dyadic"),
}


@pytest.mark.parametrize("what", MIXED)
def test_scalars_and_vectors_do_not_mix(what: str) -> None:
    s = KaneSystem("s")
    (m,) = s.parameters("m")
    operation, message = MIXED[what]
    with pytest.raises(ModelError, match=message):
        operation(s.ground.axes[0], m)


FOREIGN: dict[str, Callable[[Any, Any, Any], Any]] = {
    "sum": lambda v, w, m: v + w,
    "difference": lambda v, w, m: v - w,
    "dot": lambda v, w, m: v @ w,
    "cross": lambda v, w, m: v.cross(w),
    "outer": lambda v, w, m: v.outer(w),
    "dyadic": lambda v, w, m: v.outer(v) + w.outer(w),
    "dyadic and vector": lambda v, w, m: v.outer(v) @ w,
    "multiple": lambda v, w, m: m * v,
    "quotient": lambda v, w, m: v / m,
    "projection": lambda v, w, m: v.along(next(iter(next(iter(w.terms)).places))),
    "scalars": lambda v, w, m: (v @ v) * m,
}


@pytest.mark.parametrize("what", FOREIGN)
def test_vectors_and_scalars_of_two_systems_do_not_mix(what: str) -> None:
    s, other = KaneSystem("s"), KaneSystem("other")
    (m,) = other.parameters("m")
    s.parameters("filler")
    with pytest.raises(ModelError, match=r"different systems|another system"):
        FOREIGN[what](s.ground.axes[0], other.ground.axes[1], m)


def test_a_vector_has_three_components() -> None:
    with pytest.raises(ModelError, match="vector in basis n: expected three components, got"):
        KaneSystem("s").ground.vector(1, 2)
