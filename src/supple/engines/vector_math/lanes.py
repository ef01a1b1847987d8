"""Formulas on vectors of doubles, written with operators and emitted as LLVM instructions.

A `Lanes` value wraps an LLVM value and the builder that makes the next one. It holds doubles, 64-bit integers or
truths; Python numbers next to it become constants, the same in all lanes. There are no fast-math flags: what is written
is what is computed, except that `muladd` rounds once on machines that have fused multiply-add and may use it, and twice
on others.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from itertools import zip_longest

from llvmlite import ir

from supple.engines.code_cache.code_origin import host_fuses

DOUBLE = ir.DoubleType()
INTEGER = ir.IntType(64)

SIGN_BIT = 1 << 63

# 1.5 2^52: a double this large has no fraction bits. Adding it rounds x to the nearest integer, which then stands in
# the low bits of the sum in two's complement, for |x| < 2^51.
ROUNDING = float(3 << 51)


def lanes_type(scalar: ir.Type, lanes: int) -> ir.Type:
    """Type of one scalar per lane; a single lane is the plain scalar."""
    return scalar if lanes == 1 else ir.VectorType(scalar, lanes)


class Lanes:
    """One number in each lane, with arithmetic.

    Parameters
    ----------
    builder : ir.IRBuilder
        Where instructions go.
    value : ir.Value
        Of a double, i64 or i1 type, or a vector of these.
    """

    __hash__ = None  # type: ignore[assignment]

    def __init__(self, builder: ir.IRBuilder, value: ir.Value) -> None:
        self.builder, self.value = builder, value

    @property
    def lanes(self) -> int:
        """Number of lanes."""
        return self.value.type.count if isinstance(self.value.type, ir.VectorType) else 1

    @property
    def scalar(self) -> ir.Type:
        """Type of one lane."""
        return self.value.type.element if isinstance(self.value.type, ir.VectorType) else self.value.type

    def constant(self, number: float | Lanes, scalar: ir.Type | None = None) -> Lanes:
        """`number` in all lanes, of this value's type or of `scalar` type."""
        if isinstance(number, Lanes):
            return number
        one = ir.Constant(scalar or self.scalar, number)
        return Lanes(
            self.builder,
            one if self.lanes == 1 else ir.Constant(ir.VectorType(one.type, self.lanes), [one] * self.lanes),
        )

    def _binary(self, other: float | Lanes, real: str | None, integer: str | None, swap: bool = False) -> Lanes:
        name = real if self.scalar == DOUBLE else integer
        if name is None:
            raise TypeError(f"no such operation on {self.scalar}")
        a, b = self.value, self.constant(other).value
        return Lanes(self.builder, getattr(self.builder, name)(*((b, a) if swap else (a, b))))

    def __add__(self, other: float | Lanes) -> Lanes:
        return self._binary(other, "fadd", "add")

    __radd__ = __add__

    def __sub__(self, other: float | Lanes) -> Lanes:
        return self._binary(other, "fsub", "sub")

    def __rsub__(self, other: float | Lanes) -> Lanes:
        return self._binary(other, "fsub", "sub", swap=True)

    def __mul__(self, other: float | Lanes) -> Lanes:
        return self._binary(other, "fmul", None)

    __rmul__ = __mul__

    def __truediv__(self, other: float | Lanes) -> Lanes:
        return self._binary(other, "fdiv", None)

    def __rtruediv__(self, other: float | Lanes) -> Lanes:
        return self._binary(other, "fdiv", None, swap=True)

    def __neg__(self) -> Lanes:
        return Lanes(self.builder, self.builder.fneg(self.value))

    def __lshift__(self, places: int) -> Lanes:
        return self._binary(places, None, "shl")

    def __rshift__(self, places: int) -> Lanes:
        return self._binary(places, None, "lshr")

    def __and__(self, other: int | Lanes) -> Lanes:
        return self._binary(other, None, "and_")

    def __or__(self, other: int | Lanes) -> Lanes:
        return self._binary(other, None, "or_")

    def __xor__(self, other: int | Lanes) -> Lanes:
        return self._binary(other, None, "xor")

    def __invert__(self) -> Lanes:
        return Lanes(self.builder, self.builder.not_(self.value))

    def _compare(self, symbol: str, other: float | Lanes) -> Lanes:
        return Lanes(self.builder, self.builder.fcmp_ordered(symbol, self.value, self.constant(other).value))

    def __lt__(self, other: float | Lanes) -> Lanes:
        """Truth in each lane; false where one side is not a number. So are the other comparisons."""
        return self._compare("<", other)

    def __gt__(self, other: float | Lanes) -> Lanes:
        return self._compare(">", other)

    def __ge__(self, other: float | Lanes) -> Lanes:
        return self._compare(">=", other)

    def __eq__(self, other: float | Lanes) -> Lanes:  # type: ignore[override]
        return self._compare("==", other)

    def negative(self) -> Lanes:
        """Whether the integers' highest bit is set."""
        return Lanes(self.builder, self.builder.icmp_signed("<", self.value, self.constant(0).value))

    def bits(self) -> Lanes:
        """The doubles' 64 bits as integers."""
        return Lanes(self.builder, self.builder.bitcast(self.value, lanes_type(INTEGER, self.lanes)))

    def real(self) -> Lanes:
        """The doubles that have these 64 bits."""
        return Lanes(self.builder, self.builder.bitcast(self.value, lanes_type(DOUBLE, self.lanes)))

    def any(self) -> ir.Value:
        """Whether a lane is true, as one i1."""
        if self.lanes == 1:
            return self.value
        word = ir.IntType(self.lanes)
        return self.builder.icmp_unsigned("!=", self.builder.bitcast(self.value, word), ir.Constant(word, 0))


def intrinsic(name: str, *arguments: Lanes) -> Lanes:
    """Value of LLVM's intrinsic function of doubles `llvm.<name>`."""
    first = arguments[0]
    module, kind = first.builder.module, first.value.type
    full = f"llvm.{name}.f64" if first.lanes == 1 else f"llvm.{name}.v{first.lanes}f64"
    function = module.globals.get(full) or ir.Function(module, ir.FunctionType(kind, [kind] * len(arguments)), full)
    return Lanes(first.builder, first.builder.call(function, [a.value for a in arguments]))


def muladd(a: Lanes, b: float | Lanes, c: float | Lanes) -> Lanes:
    """The sum a b + c, with one rounding where the machine can do it, else with two."""
    return intrinsic("fmuladd", a, a.constant(b), a.constant(c)) if host_fuses() else a * b + c


def polynomial(x: Lanes, coefficients: Sequence[float]) -> Lanes:
    """Sum of coefficients[i] x^i, by Horner's rule in x^2 over pairs of terms: half as long a chain as in x."""
    even, odd = coefficients[::2], coefficients[1::2]
    pairs = [muladd(x, b, a) if b is not None else x.constant(a) for a, b in zip_longest(even, odd)]
    square = x * x
    return reduce(lambda total, pair: muladd(total, square, pair), reversed(pairs))


def choose(truth: Lanes, a: float | Lanes, b: float | Lanes) -> Lanes:
    """In each lane `a` where true, else `b`."""
    a, b = (truth.constant(v, DOUBLE) for v in (a, b))
    return Lanes(truth.builder, truth.builder.select(truth.value, a.value, b.value))


def magnitude(x: Lanes) -> Lanes:
    """The number without its sign."""
    return intrinsic("fabs", x)


def times_sign(x: Lanes, sign: Lanes) -> Lanes:
    """`x` with its sign changed where the highest bit of `sign` is set."""
    return (x.bits() ^ (sign & SIGN_BIT)).real()


def round_to_integer(x: Lanes, factor: float) -> tuple[Lanes, Lanes]:
    """Integer nearest to `factor` x, as a double and as bits whose low part is its two's complement."""
    shifted = muladd(x, factor, ROUNDING)
    return shifted - ROUNDING, shifted.bits()


def round_sum(large: Lanes | float, small: Lanes) -> tuple[Lanes, Lanes]:
    """The sum rounded to a double, and what that loses; exact where `large` is a multiple of the sum's last bit."""
    total = large + small
    return total, (large - total) + small


def quotient(a: Lanes, da: Lanes, b: Lanes, db: Lanes) -> Lanes:
    """(a + da) / (b + db) for small da and db, to first order in these: a / b + (da - db a / b) / b."""
    first = a / b
    return first + (da - db * first) * (1.0 / b)
