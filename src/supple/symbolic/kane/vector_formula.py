"""Formulas with vectors in them, as files of systems hold them: parsed, never run.

Beside what `Formula` knows, a name may be an axis of a body, `arm.x`, or of the ground, `ground.z`, and there are
`dot(a, b)`, `cross(a, b)`, `norm(a)`, `vector(body, x, y, z)`, `position(body)`, `velocity(body)`, both also of the
point at a vector from the body's origin, `angular_velocity(body)`, and `rate(coordinate)`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from supple.errors import ModelError, StateError, nearest
from supple.expressions.formula import CONSTANTS, Formula, named
from supple.expressions.graph import Expr, Graph
from supple.symbolic.kane.kane_body import KaneBody
from supple.symbolic.vectors import Vector

if TYPE_CHECKING:
    from supple.symbolic.kane.kane_system import KaneSystem

Value = Expr | Vector
Rates = Mapping[str, Expr | float]
OF_VECTORS = {"dot": 2, "cross": 2, "norm": 1}
OF_BODIES = {"vector": (4, 4), "position": (1, 2), "velocity": (1, 2), "angular_velocity": (1, 1)}
"""Functions with the least and the most arguments they take; the first is a body."""


class Scope(Mapping[str, Value]):
    """What names in formulas of a system stand for: parameters, inputs, states, axes, time, and named expressions.

    Parameters
    ----------
    system : KaneSystem
        Which may still grow.
    expressions : mapping of str to str
        Formulas by name; each is read when it is first asked for.
    """

    def __init__(self, system: KaneSystem, expressions: Mapping[str, str]) -> None:
        self.system, self.expressions = system, dict(expressions)
        self._read: dict[str, Value] = {}
        self._reading: list[str] = []

    @property
    def _known(self) -> dict[str, Value]:
        s = self.system
        out: dict[str, Value] = {"t": s.time, **{name: s.graph.constant(x) for name, x in CONSTANTS.items()}}
        for body in (s.ground, *s.bodies.values()):
            out |= {f"{body.name}.{c}": axis for c, axis in zip("xyz", body.axes, strict=True)}
        return out | {leaf.name: leaf for leaf in (*s.inputs, *s.v, *s.q)} | s.symbols

    def __getitem__(self, name: str) -> Value:
        if name not in self.expressions:
            return self._known[name]
        if name in self._reading:
            raise StateError(f"expressions: {name!r} is defined by itself: {' -> '.join([*self._reading, name])}")
        if name not in self._read:
            self._reading.append(name)
            try:
                self._read[name] = VectorFormula(self.expressions[name], f"expressions: {name}").value(self)
            finally:
                self._reading.pop()
        return self._read[name]

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys([*self._known, *self.expressions]))

    def __len__(self) -> int:
        return len(list(iter(self)))

    def __contains__(self, name: object) -> bool:
        return name in self.expressions or name in self._known


class VectorFormula(Formula):
    """A parsed text whose value is a scalar or a vector.

    Examples
    --------
    >>> from supple.symbolic.kane import KaneSystem
    >>> s = KaneSystem("s")
    >>> L, = s.parameters("L")
    >>> scope = Scope(s, {"down": "-ground.z"})
    >>> VectorFormula("2*L*down + cross(ground.x, ground.y)").value(scope)
    (1 - 2*L) n3
    """

    def value(self, scope: Scope) -> Value:
        """What the formula stands for."""
        system = scope.system
        rates: dict[str, Expr | float] = {}
        if "rate" in self.text:
            rates = dict(zip([q.name for q in system.q], system.kinematical_equations(), strict=True))
        try:
            return self._value(self._tree, scope, rates)
        except RecursionError:
            raise self._fault("is nested too deeply") from None
        except ModelError as error:
            raise self._fault(str(error)) from None

    def _value(self, x: ast.expr, scope: Scope, rates: Rates) -> Value:
        name = named(x)
        if name is not None and name in scope:
            return scope[name]
        if isinstance(x, ast.BinOp) and isinstance(x.op, ast.Add | ast.Sub | ast.Mult | ast.Div):
            a, b = (self._value(side, scope, rates) for side in (x.left, x.right))
            return _combined(x.op, a, b)
        function = x.func.id if isinstance(x, ast.Call) and isinstance(x.func, ast.Name) and not x.keywords else ""
        if isinstance(x, ast.Call) and (function in OF_VECTORS or function in OF_BODIES):
            return self._vector_call(x, function, scope, rates)
        return super()._node(x, scope.system.graph, scope, rates)  # type: ignore[arg-type]

    def _node(self, x: ast.expr, graph: Graph, names: Any, rates: Rates) -> Any:
        return self._value(x, names, rates)

    def _argument(self, x: Any, function: str) -> Expr:
        if isinstance(x, Vector):
            raise self._fault(f"{function}: expected a scalar, got the vector {x!r}")
        return x

    def _vector_call(self, x: ast.Call, function: str, scope: Scope, rates: Rates) -> Value:
        args = x.args
        least, most = OF_BODIES.get(function) or (OF_VECTORS[function],) * 2
        if not least <= len(args) <= most:
            count = str(least) if least == most else f"{least} or {most}"
            raise self._fault(f"{function}: expected {count} arguments, got {len(args)}", self._place(x))
        if function in OF_VECTORS:
            vectors = [self._require_vector(self._value(arg, scope, rates), function) for arg in args]
            return _of_vectors(function, vectors)
        body = self._body(args[0], function, scope.system)
        rest = [self._value(arg, scope, rates) for arg in args[1:]]
        if function == "vector":
            return body.vector(*(self._argument(x, function) for x in rest))
        at = [self._require_vector(x, function) for x in rest]
        if function == "angular_velocity":
            return body.angular_velocity
        return body.position(*at) if function == "position" else body.velocity(*at)

    def _body(self, x: ast.expr, function: str, system: KaneSystem) -> KaneBody:
        name = named(x)
        if name is None:
            raise self._fault(f"{function}: expected the name of a body first", self._place(x))
        if name != "ground" and name not in system.bodies:
            hint = nearest(name, system.bodies)
            raise self._fault(f"{function}: no body {name!r} before this{hint}", self._place(x))
        return system.body(name)

    def _require_vector(self, x: Value, function: str) -> Vector:
        if not isinstance(x, Vector):
            raise self._fault(f"{function}: expected a vector, got the scalar {x!r}")
        return x


def _combined(op: ast.operator, a: Any, b: Any) -> Value:
    """Sums of vectors or scalars, and vectors or scalars times or over scalars."""
    if isinstance(op, ast.Add):
        return a + b
    if isinstance(op, ast.Sub):
        return a - b
    if isinstance(op, ast.Mult):
        return b * a if isinstance(b, Vector) and not isinstance(a, Vector) else a * b
    if isinstance(b, Vector):
        raise ModelError(f"cannot divide by the vector {b!r}")
    return a / b


def _of_vectors(function: str, vectors: list[Vector]) -> Value:
    if function == "norm":
        return vectors[0].norm()
    a, b = vectors
    found: Value = a @ b if function == "dot" else a.cross(b)
    return found


def scalar_formula(x: Any, scope: Scope, where: str) -> Expr:
    """A number, or a formula whose value must be a scalar."""
    if not isinstance(x, str):
        return scope.system.scalar_of(x, where)
    found = VectorFormula(x, where).value(scope)
    if isinstance(found, Vector):
        raise StateError(f"{where}: {x!r}: expected a scalar, got the vector {found!r}")
    return found


def vector_formula(x: str, scope: Scope, where: str) -> Vector:
    """A formula whose value must be a vector."""
    found = VectorFormula(x, where).value(scope)
    if not isinstance(found, Vector):
        raise StateError(f"{where}: {x!r}: expected a vector, got a scalar")
    return found
