"""What a user may write for a scalar, a vector, a direction or an inertia: read, and checked where it is written."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supple.errors import ModelError
from supple.expressions.graph import Expr, Graph, order_of
from supple.expressions.linear_equations import DISGUISED, Sample
from supple.expressions.printers.head import label
from supple.expressions.printers.text import expression_text
from supple.symbolic.vector_bases import VectorBasis
from supple.symbolic.vectors import Dyadic, Vector, axis, dyadic, in_basis

Direction = Vector | Sequence[Any] | NDArray[Any] | str


def scalar(graph: Graph, x: Any, where: str) -> Expr:
    """x, which must be a number or an expression of this graph."""
    if not isinstance(x, Expr | Real):
        kind = {Vector: "the vector ", Dyadic: "the dyadic "}.get(type(x), "")
        raise ModelError(f"{where}: expected a scalar, got {kind}{x!r}")
    if isinstance(x, Expr) and x.graph is not graph:
        raise ModelError(f"{where}: {x!r} is an expression of another system")
    return graph.node(x)


def vector(graph: Graph, x: Any, where: str) -> Vector:
    """x, which must be a vector of this graph."""
    if not isinstance(x, Vector):
        raise ModelError(f"{where}: expected a vector, got {x!r}")
    if x.graph is not graph:
        raise ModelError(f"{where}: {x!r} is a vector of another system")
    return x


def fixed_vector(frame: VectorBasis, owner: str, x: Direction, where: str) -> Vector:
    """A vector fixed in the frame of a body: as such, as three components, or as the name of an axis."""
    graph = frame.graph
    if isinstance(x, str):
        if x not in ("x", "y", "z"):
            raise ModelError(f"{where}: expected 'x', 'y' or 'z', three components or a vector, got {x!r}")
        return axis(frame, "xyz".index(x))
    if isinstance(x, Vector):
        found = vector(graph, x, where)
    elif isinstance(x, Sequence | np.ndarray) and len(x) == 3:
        found = in_basis(frame, [scalar(graph, c, where) for c in x])
    else:
        raise ModelError(f"{where}: expected a vector or three components, got {x!r}")
    moving = [n for n in order_of(found.components(frame)) if n.op == "input"]
    if moving:
        raise ModelError(
            f"{where}: expected a vector fixed in {owner!r}, got {x!r}, which varies with {label(moving[0])!r}"
        )
    return found


def inertia_of(frame: VectorBasis, x: Any, where: str) -> Dyadic:
    """An inertia: three moments, or a symmetric 3 x 3, in a frame."""
    shape = np.shape(x)
    if shape not in ((3,), (3, 3)):
        raise ModelError(f"{where}: expected three moments or a 3 x 3 matrix, got {x!r}")
    rows = np.array(x, dtype=object) if len(shape) == 2 else np.diag(np.array(x, dtype=object))
    graph = frame.graph
    nodes = [[scalar(graph, entry, where) for entry in row] for row in rows]
    value = Sample()
    for i, j in ((0, 1), (0, 2), (1, 2)):
        a, b = value(nodes[i][j]), value(nodes[j][i])
        if abs(a - b) > DISGUISED * max(abs(a), abs(b)):
            texts = " and ".join(expression_text(x) for x in (nodes[i][j], nodes[j][i]))
            raise ModelError(f"{where}: expected a symmetric matrix, got {texts} at {i + 1}, {j + 1}")
    return dyadic(frame, nodes)


def unit_direction(d: Vector) -> Vector:
    """Return the unit vector along a direction; one of length 1 for all values of its symbols stays as written."""
    return d if abs(Sample()(d @ d) - 1.0) < DISGUISED else d / d.norm()


def check_independent(directions: Sequence[Vector], where: str) -> None:
    """Refuse directions of which one is a combination of the others."""
    value = Sample()
    gram = np.array([[value(a @ b) for b in directions] for a in directions])
    scale = float(np.prod(np.diag(gram))) if len(directions) else 1.0
    if scale <= DISGUISED or (len(directions) > 1 and np.linalg.det(gram) < DISGUISED * scale):
        raise ModelError(f"{where}: expected linearly independent directions, got {', '.join(map(repr, directions))}")


def check_orthogonal(a: Vector, b: Vector, where: str) -> None:
    """Refuse an axis and a reference direction that are not perpendicular to each other."""
    value = Sample()
    product, lengths = value(a @ b), value((a @ a) * (b @ b)) ** 0.5
    if not lengths > DISGUISED or abs(product) > DISGUISED * lengths:
        raise ModelError(f"{where}: expected perpendicular directions, got {a!r} and {b!r}")
