"""Vectors and dyadics without a basis: scalars times unit vectors, added up (Sayers, 1991).

A vector keeps the form in which it was written ("native": w = u1 n1 + u2 a2) until a product or a projection needs
components. Every scalar is a node of the graph, so what the source puts into << >>, a scalar that gets a name of its
own, is what happens to all of them; a name survives in print if it is used twice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from numbers import Real
from typing import Any, final

from supple.call_checks import checked
from supple.errors import ModelError
from supple.expressions.graph import Expr, Graph
from supple.expressions.printers.text import expression_text
from supple.symbolic.vector_bases import Triple, Unit, VectorBasis, moved, nearest_home, way


@checked
@final
class Vector:
    """A sum of scalars times unit vectors.

    `a + b`, `a - b`, `s * a`, `a / s`; `a @ b` is the dot product, `a.cross(b)` the cross product, `a.outer(b)` a
    dyadic.

    Attributes
    ----------
    graph : Graph
        Where the scalars live.
    terms : dict of Unit to Expr
        None of them zero.

    Examples
    --------
    >>> from supple.symbolic.vector_bases import Ground, Turned
    >>> g = Graph()
    >>> q, u = g.input("q"), g.input("u")
    >>> n = Ground("n", g)
    >>> a = Turned("a", n, 0, g.cos(q), g.sin(q))
    >>> w = u * axis(a, 1)
    >>> w, w @ axis(n, 0), w @ axis(n, 2)
    (u a2, 0.0, mul(#3, #5))
    """

    __array_ufunc__ = None  # numpy arrays leave the arithmetic to the vector

    def __init__(self, graph: Graph, terms: Mapping[Unit, Expr]) -> None:
        self.graph = graph
        self.terms = {unit: c for unit, c in terms.items() if c is not graph.zero}

    @property
    def is_zero(self) -> bool:
        """Whether no term is left."""
        return not self.terms

    # ------------------------------------------------------------ sums and multiples

    def __add__(self, other: Any) -> Vector:
        if not isinstance(other, Vector):
            if isinstance(other, int | float) and other == 0:
                return self  # the start of Python's sum()
            raise _mixed("add", other, self)
        _check_one_system(self, other)
        terms = dict(self.terms)
        for unit, c in other.terms.items():
            terms[unit] = terms[unit] + c if unit in terms else c
        return Vector(self.graph, terms)

    def __radd__(self, other: Any) -> Vector:
        return self + other

    def __sub__(self, other: Any) -> Vector:
        if not isinstance(other, Vector):
            raise _mixed("subtract", other, self)
        return self + (-other)

    def __rsub__(self, other: Any) -> Vector:
        raise _mixed("subtract", self, other)

    def __neg__(self) -> Vector:
        return Vector(self.graph, {unit: -c for unit, c in self.terms.items()})

    def __mul__(self, scalar: Any) -> Vector:
        s = _scalar(self, scalar, "times")
        return Vector(self.graph, {unit: s * c for unit, c in self.terms.items()})

    __rmul__ = __mul__

    def __truediv__(self, scalar: Any) -> Vector:
        s = _scalar(self, scalar, "under")
        return Vector(self.graph, {unit: c / s for unit, c in self.terms.items()})

    # ------------------------------------------------------------ components and products

    def components(self, basis: VectorBasis) -> Triple:
        """Components in a basis: each term goes the shortest way there, and terms that meet go on together."""
        waiting: dict[VectorBasis, Triple] = {}
        for unit, c in self.terms.items():
            home = nearest_home(unit, basis)
            i, sign = unit.places[home]
            triple = waiting.setdefault(home, [self.graph.zero] * 3)
            triple[i] = triple[i] + sign * c
        while waiting.keys() - {basis}:
            farthest = max(waiting.keys() - {basis}, key=lambda b: (len(way(b, basis)), b.name))
            following = way(farthest, basis)[1]
            arriving = moved(waiting.pop(farthest), farthest, following)
            there = waiting.get(following)
            waiting[following] = [a + b for a, b in zip(there, arriving, strict=True)] if there else arriving
        return waiting.get(basis, [self.graph.zero] * 3)

    def along(self, basis: VectorBasis) -> Vector:
        """The same vector written in the axes of a basis: the dot product with the basis dyadic (7)."""
        return in_basis(basis, self.components(basis))

    def __matmul__(self, other: Any) -> Any:
        if isinstance(other, Dyadic):
            return other.transposed @ self
        if not isinstance(other, Vector):
            raise _mixed("take the dot product of", other, self)
        basis = meeting_basis(self, other)
        if basis is None:
            return self.graph.zero
        pairs = zip(self.components(basis), other.components(basis), strict=True)
        return added(self.graph, (a * b for a, b in pairs))

    def __rmatmul__(self, other: Any) -> Any:
        raise _mixed("take the dot product of", other, self)

    def cross(self, other: Any) -> Any:
        """The vector product with a vector; with a dyadic, of the first vectors of its terms."""
        if isinstance(other, Dyadic):
            return other.mapped(lambda column: self.cross(column))
        if not isinstance(other, Vector):
            raise _mixed("take the cross product of", other, self)
        basis = meeting_basis(self, other)
        if basis is None:
            return Vector(self.graph, {})
        a, b = self.components(basis), other.components(basis)
        return in_basis(basis, [a[i - 2] * b[i - 1] - a[i - 1] * b[i - 2] for i in range(3)])

    def outer(self, other: Vector) -> Dyadic:
        """The dyadic a b."""
        if not isinstance(other, Vector):
            raise _mixed("take the outer product of", other, self)
        _check_one_system(self, other)
        pairs = {(a, b): x * y for a, x in self.terms.items() for b, y in other.terms.items()}
        return Dyadic(self.graph, pairs)

    def norm(self) -> Expr:
        """Its length."""
        square: Expr = self @ self
        return self.graph.function("sqrt", square)

    def __repr__(self) -> str:
        return _text(self)


@checked
@final
class Dyadic:
    """A sum of scalars times pairs of unit vectors; `D @ v` and `v @ D` are vectors.

    Attributes
    ----------
    graph : Graph
    terms : dict of (Unit, Unit) to Expr
    """

    __array_ufunc__ = None

    def __init__(self, graph: Graph, terms: Mapping[tuple[Unit, Unit], Expr]) -> None:
        self.graph = graph
        self.terms = {pair: c for pair, c in terms.items() if c is not graph.zero}

    @property
    def is_zero(self) -> bool:
        """Whether no term is left."""
        return not self.terms

    @property
    def transposed(self) -> Dyadic:
        """With the vectors of each pair exchanged."""
        return Dyadic(self.graph, {(b, a): c for (a, b), c in self.terms.items()})

    def __add__(self, other: Any) -> Dyadic:
        if not isinstance(other, Dyadic):
            raise _mixed("add", other, self)
        _check_one_system(self, other)
        terms = dict(self.terms)
        for pair, c in other.terms.items():
            terms[pair] = terms[pair] + c if pair in terms else c
        return Dyadic(self.graph, terms)

    def __radd__(self, other: Any) -> Dyadic:
        raise _mixed("add", other, self)

    def __rsub__(self, other: Any) -> Dyadic:
        raise _mixed("subtract", self, other)

    def __neg__(self) -> Dyadic:
        return self * -1.0

    def __sub__(self, other: Any) -> Dyadic:
        if not isinstance(other, Dyadic):
            raise _mixed("subtract", other, self)
        return self + (-other)

    def __mul__(self, scalar: Any) -> Dyadic:
        s = _scalar(self, scalar, "times")
        return Dyadic(self.graph, {pair: s * c for pair, c in self.terms.items()})

    __rmul__ = __mul__

    def columns(self) -> dict[Unit, Vector]:
        """Vectors whose outer products with these unit vectors add up to the dyadic."""
        out: dict[Unit, dict[Unit, Expr]] = {}
        for (a, b), c in self.terms.items():
            out.setdefault(b, {})[a] = c
        return {b: Vector(self.graph, terms) for b, terms in out.items()}

    def __matmul__(self, v: Any) -> Any:
        if not isinstance(v, Vector):
            raise _mixed("take the dot product of", v, self)
        columns = self.columns()
        basis = meeting_basis(Vector(self.graph, dict.fromkeys(columns, self.graph.one)), v)
        if basis is None or not columns:
            return Vector(self.graph, {})
        total = Vector(self.graph, {})
        there = v.components(basis)
        for unit, column in columns.items():
            if basis in unit.places:
                i, sign = unit.places[basis]
                total = total + (sign * there[i]) * column
            else:
                total = total + (v @ Vector(self.graph, {unit: self.graph.one})) * column
        return total

    def mapped(self, function: Callable[[Vector], Vector]) -> Dyadic:
        """With the first vector of each pair replaced by a linear function of it."""
        terms: dict[tuple[Unit, Unit], Expr] = {}
        for b, column in self.columns().items():
            for a, c in function(column).terms.items():
                terms[a, b] = c
        return Dyadic(self.graph, terms)

    def along(self, basis: VectorBasis) -> Dyadic:
        """The same dyadic written in the axes of a basis, A . D . A (19)."""
        first = self.mapped(lambda column: column.along(basis))
        return first.transposed.mapped(lambda column: column.along(basis)).transposed

    def __repr__(self) -> str:
        return _text(self)


def axis(basis: VectorBasis, i: int) -> Vector:
    """The i-th axis of a basis, counted from 0."""
    unit, sign = basis.axes[i]
    return Vector(basis.graph, {unit: basis.graph.constant(sign)})


def in_basis(basis: VectorBasis, components: Iterable[Any]) -> Vector:
    """The vector with these three components."""
    g, given = basis.graph, list(components)
    if len(given) != 3:
        raise ModelError(f"vector in basis {basis}: expected three components, got {given!r}")
    return Vector(g, {unit: sign * g.node(c) for (unit, sign), c in zip(basis.axes, given, strict=True)})


def identity(basis: VectorBasis) -> Dyadic:
    """The basis dyadic b1 b1 + b2 b2 + b3 b3 (6)."""
    return Dyadic(basis.graph, {(unit, unit): basis.graph.one for unit, _ in basis.axes})


def dyadic(basis: VectorBasis, matrix: Any) -> Dyadic:
    """The dyadic with these 3 x 3 components (18)."""
    g, terms = basis.graph, {}
    for i, (a, sign_a) in enumerate(basis.axes):
        for j, (b, sign_b) in enumerate(basis.axes):
            terms[a, b] = (sign_a * sign_b) * g.node(matrix[i][j])
    return Dyadic(g, terms)


def added(graph: Graph, terms: Iterable[Expr]) -> Expr:
    """Their sum."""
    total = graph.zero
    for term in terms:
        total = total + term
    return total


def meeting_basis(a: Vector, b: Vector) -> VectorBasis | None:
    """The basis in which two vectors meet with the fewest rotations; none if one of them is zero."""
    _check_one_system(a, b)
    if a.is_zero or b.is_zero:
        return None
    units = [*a.terms, *b.terms]
    shared = set(units[0].places)
    for unit in units[1:]:
        shared &= unit.places.keys()
    if shared:
        return min(shared, key=lambda basis: len(basis.ancestors))
    candidates = dict.fromkeys(basis for unit in units for basis in unit.places)
    return min(candidates, key=lambda basis: _rotations(a, basis) + _rotations(b, basis))


def _rotations(v: Vector, target: VectorBasis) -> int:
    """How many bases the terms of a vector pass on the way to a target."""
    passed: set[VectorBasis] = set()
    for unit in v.terms:
        passed.update(way(nearest_home(unit, target), target)[:-1])
    return len(passed)


def _check_one_system(a: Vector | Dyadic, b: Vector | Dyadic) -> None:
    if a.graph is not b.graph:
        raise ModelError(f"{_text(a)} and {_text(b)} belong to different systems")


def _scalar(x: Vector | Dyadic, scalar: Any, place: str) -> Expr:
    """The node of a scalar that a vector or dyadic is multiplied with or divided by."""
    if not isinstance(scalar, Expr | Real):
        raise ModelError(f"expected a scalar {place} {_text(x)}, got {_text(scalar)}; products are @, cross and outer")
    return x.graph.node(scalar)


def _mixed(what: str, scalar: Any, other: Any) -> ModelError:
    kinds = [_kind(x) for x in (scalar, other)]
    return ModelError(f"cannot {what} {kinds[0]} and {kinds[1]}: {_text(scalar)} and {_text(other)}")


def _kind(x: Any) -> str:
    return "a vector" if isinstance(x, Vector) else "a dyadic" if isinstance(x, Dyadic) else "a scalar"


def _text(x: Any) -> str:
    """A vector as the source writes it, with scalars shortened."""
    if isinstance(x, Vector):
        parts = [f"{_factor(c)}{unit}" for unit, c in x.terms.items()]
    elif isinstance(x, Dyadic):
        parts = [f"{_factor(c)}({a} {b})" for (a, b), c in x.terms.items()]
    else:
        return expression_text(x) if isinstance(x, Expr) else repr(x)
    return " + ".join(parts) or "0"


def _factor(c: Expr) -> str:
    if c.op == "constant" and abs(c.value) == 1.0:
        return "" if c.value > 0 else "-"
    text = expression_text(c)
    return f"({text}) " if " " in text else f"{text} "
