"""Changes of axes of 3x3 matrices, cheaper on nodes when the rotation is a simple one.

Most joints turn about a coordinate axis. Their rotation matrix has one entry that is the constant 1 or -1 and zeros
beside it; what is left is a plane rotation [[C, -S], [S, C]]. The block [[a, b], [c, d]] of that plane, turned, is

    [[a - S p, C p - c], [C p - b, d + S p]]    with p = S (a - d) + C (b + c),

four products where the general formula takes fourteen. It needs C^2 + S^2 = 1, so it is right for rotations only.
On floats a branch on the values of a matrix would cost more than it saves; on nodes it is taken once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from supple import spatial
from supple.engines.plain import Replacements, plain
from supple.expressions.graph import Expr
from supple.spatial import Mat3, Number, Sym3


def on_nodes(compiled: Any) -> Callable[..., Any]:
    """The plain twin of a step or sweep, with simple rotations done as above."""
    return plain(compiled, SIMPLE)


def rotate_matrix(R: Mat3, B: Mat3) -> Mat3:
    """R B R* of any 3x3, for a rotation R."""
    place = _fixed_entry(R)
    if place is None:
        general: Mat3 = plain(spatial.rotate_matrix)(R, B)
        return general
    # R takes axis j to axis i (backward for sign -1), and the plane (j1, j2) to the plane (i1, i2).
    i, j = place
    i1, i2, j1, j2 = (i + 1) % 3, (i + 2) % 3, (j + 1) % 3, (j + 2) % 3
    sign, C, S = _number(R[3 * i + j]), R[3 * i1 + j1], -R[3 * i1 + j2]
    a, b, c, d = B[3 * j1 + j1], B[3 * j1 + j2], B[3 * j2 + j1], B[3 * j2 + j2]
    p = S * (a - d) + C * (b + c)
    out: list[Number] = [None] * 9
    out[3 * i + i] = B[3 * j + j]
    out[3 * i1 + i1], out[3 * i2 + i2] = a - S * p, d + S * p
    out[3 * i1 + i2], out[3 * i2 + i1] = sign * (C * p - c), sign * (C * p - b)
    x, y = B[3 * j1 + j], B[3 * j2 + j]
    out[3 * i1 + i], out[3 * i2 + i] = sign * (C * x - S * y), S * x + C * y
    x, y = B[3 * j + j1], B[3 * j + j2]
    out[3 * i + i1], out[3 * i + i2] = sign * (C * x - S * y), S * x + C * y
    return tuple(out)  # type: ignore[return-value]


def rotate_symmetric(R: Mat3, S: Sym3) -> Sym3:
    """R S R* of a symmetric 3x3, for a rotation R."""
    if _fixed_entry(R) is None:
        general: Sym3 = plain(spatial.congruence)(R, S)
        return general
    T = rotate_matrix(R, (S[0], S[1], S[2], S[1], S[3], S[4], S[2], S[4], S[5]))
    return T[0], T[1], T[2], T[4], T[5], T[8]


SIMPLE: Replacements = ((spatial.rotate_symmetric, rotate_symmetric), (spatial.rotate_matrix, rotate_matrix))
"""What `plain` puts in place of the general formulas."""


def _fixed_entry(R: Mat3) -> tuple[int, int] | None:
    """Row and column of the one entry that is 1 or -1; None when R is no simple rotation.

    A rotation that only permutes axes is none either: the general formula then takes no products at all.
    """
    zeros = [_number(x) == 0.0 for x in R]
    if sum(zeros) != 4:
        return None
    for i in range(3):
        for j in range(3):
            beside = [3 * i + n for n in range(3) if n != j] + [3 * n + j for n in range(3) if n != i]
            if _number(R[3 * i + j]) in (1.0, -1.0) and all(zeros[n] for n in beside):
                return i, j
    return None


def _number(x: Number) -> float | None:
    """The value of a number or of a constant node, None of any other node."""
    if isinstance(x, Expr):
        return float(x.value) if x.op == "constant" else None
    return float(x)
