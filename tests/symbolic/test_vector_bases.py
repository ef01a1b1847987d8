"""Bases: shared unit vectors, ways between bases, changes of components."""

from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from supple.errors import ModelError
from supple.expressions.graph import Graph
from supple.symbolic.vector_bases import Ground, Oriented, Turned, VectorBasis, moved, nearest_home, way
from supple.symbolic.vectors import axis


def turned(name: str, parent: VectorBasis, i: int) -> Turned:
    q = parent.graph.input(name, "q")
    return Turned(name, parent, i, np.cos(q), np.sin(q))


@pytest.fixture
def tree() -> dict[str, VectorBasis]:
    """n with a on it, b and d on a, c on b."""
    n = Ground("n", Graph())
    a = turned("a", n, 0)
    b, d = turned("b", a, 1), turned("d", a, 2)
    return {"n": n, "a": a, "b": b, "c": turned("c", b, 2), "d": d}


def test_the_axis_of_a_rotation_is_one_unit_vector_in_both_bases(tree: dict[str, VectorBasis]) -> None:
    names = {name: [repr(unit) for unit, _ in basis.axes] for name, basis in tree.items()}
    assert names["a"] == ["n1", "a2", "a3"]
    assert names["b"] == ["b1", "a2", "b3"]
    assert names["c"] == ["c1", "c2", "b3"]
    assert tree["c"].axes[2][0] is tree["b"].axes[2][0]
    assert set(tree["c"].axes[2][0].places) == {tree["b"], tree["c"]}


def test_ways_go_through_the_common_ancestor(tree: dict[str, VectorBasis]) -> None:
    def names(start: str, end: str) -> str:
        return "".join(basis.name for basis in way(tree[start], tree[end]))

    assert names("c", "c") == "c"
    assert names("c", "d") == "cbad"
    assert names("n", "c") == "nabc"
    assert names("d", "n") == "dan"


def test_a_unit_vector_starts_from_its_nearest_home(tree: dict[str, VectorBasis]) -> None:
    first, second = tree["n"].axes[0][0], tree["a"].axes[1][0]
    assert nearest_home(first, tree["n"]) is tree["n"]
    assert nearest_home(first, tree["c"]) is tree["a"]
    assert nearest_home(second, tree["c"]) is tree["b"]
    assert nearest_home(second, tree["d"]) is tree["a"]


def test_bases_of_two_systems_have_no_way_between_them(tree: dict[str, VectorBasis]) -> None:
    with pytest.raises(ModelError, match="from basis c to basis m: they belong to different systems"):
        way(tree["c"], Ground("m", Graph()))


def test_permuted_axes_are_shared_with_their_signs() -> None:
    n = Ground("n", Graph())
    p = Oriented("p", n, [[0, 0, 1], [-1, 0, 0], [0, -1, 0]])
    assert [(repr(unit), sign) for unit, sign in p.axes] == [("n2", -1), ("n3", -1), ("n1", 1)]
    assert repr(axis(p, 1)) == "-n3"
    assert axis(p, 1).components(n) == [n.graph.zero, n.graph.zero, n.graph.constant(-1)]
    assert axis(n, 0).components(p) == [n.graph.zero, n.graph.zero, n.graph.one]


def test_an_axis_that_is_tilted_by_very_little_is_not_shared() -> None:
    # cos(1e-9) is 1 in floating point, but the axis is another one all the same.
    n = Ground("n", Graph())
    b = Oriented("b", n, Rotation.from_euler("x", 1e-9).as_matrix().tolist())
    assert [repr(unit) for unit, _ in b.axes] == ["n1", "b2", "b3"]
    assert axis(b, 1).components(n)[2].value == pytest.approx(1e-9, rel=1e-12)


@pytest.mark.parametrize("i", range(3))
def test_a_turned_basis_and_the_matrix_agree(i: int) -> None:
    g = Graph()
    n = Ground("n", g)
    angle, c = 0.7, np.array([0.3, -1.2, 0.5])
    b = Turned("b", n, i, g.constant(np.cos(angle)), g.constant(np.sin(angle)))
    R = Rotation.from_rotvec(angle * np.eye(3)[i]).as_matrix()
    triple = [g.constant(x) for x in c]
    np.testing.assert_allclose([x.value for x in moved(triple, b, n)], R @ c, atol=1e-15)
    np.testing.assert_allclose([x.value for x in moved(triple, n, b)], R.T @ c, atol=1e-15)
    assert np.abs(R @ c - c).max() > 0.1


@pytest.mark.usefixtures("own_garbage")
def test_ways_that_were_asked_for_do_not_keep_a_system_alive() -> None:
    n = Ground("n", Graph())
    way(turned("a", n, 0), n)
    left = weakref.ref(n)
    del n
    gc.collect()
    assert left() is None
