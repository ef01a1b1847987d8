"""Poles, zeros and gains of the transfer functions of a linear system, by the names of input and output."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy import linalg

from supple.call_checks import checked
from supple.errors import StateError, nearest
from supple.html_tables import html_table
from supple.linear.start import Floats, Numbers

if TYPE_CHECKING:
    from supple.linear.state import StateSpace

ZERO = 1e-11
"""A Markov parameter is zero if it is smaller than this, relative to the terms that it is the sum of."""
CANCELLED = 1e-7
"""A pole and a zero cancel if they are as close as this, relative to their size or that of the slowest pole."""


UNDAMPED = 1e-9
"""Damping below this is rounding, and shown as zero."""


@checked
@dataclass(frozen=True, eq=False)
class TransferFunction:
    """gain * prod(s - zeros) / prod(s - poles), from one input to one output.

    Attributes
    ----------
    input, output : str
    zeros, poles : complex arrays, 1/s
        In order of size. Those that cancel each other, motions that the input does not reach or the output does not
        see, are left out.
    gain : float
    """

    input: str
    output: str
    zeros: Numbers
    poles: Numbers
    gain: float

    def __call__(self, s: complex | Numbers) -> Numbers:
        """The value at complex numbers s (...), 1/s."""
        found = np.asarray(s)
        if found.dtype.kind not in "fciub" or not np.isfinite(found).all():
            raise StateError(f"transfer function: s: expected finite numbers, got {s!r:.60}")
        at = np.asarray(s, dtype=complex)[..., None]
        count = max(len(self.zeros), len(self.poles))
        ratio = np.ones(np.shape(s), complex)
        for i in range(count):  # pairs, so that no product overflows
            above = at[..., 0] - self.zeros[i] if i < len(self.zeros) else 1.0
            ratio = ratio * above / (at[..., 0] - self.poles[i] if i < len(self.poles) else 1.0)
        return np.asarray(self.gain * ratio)

    @property
    def coefficients(self) -> tuple[Floats, Floats]:
        """Numerator and denominator, highest power first, as MATLAB's `tf` and scipy have them."""
        return np.atleast_1d(self.gain * np.poly(self.zeros).real), np.atleast_1d(np.poly(self.poles).real)

    @property
    def alternate(self) -> bool:
        """Whether poles and zeros alternate along the imaginary axis, as those of a collocated pair do."""
        if any(abs(x.real) > abs(x.imag) for x in (*self.poles, *self.zeros) if abs(x) > 0):
            return False
        marks = [*((abs(x), 0) for x in self.poles), *((abs(x), 1) for x in self.zeros)]
        kinds = [kind for _, kind in sorted(marks)]
        pairs = kinds[::2]
        return kinds == [x for x in pairs for _ in range(2)] and all(a != b for a, b in pairwise(pairs))

    def rows(self) -> list[tuple[str, ...]]:
        """What a table has: frequency and damping of each pole and zero, the slowest first."""
        marks = [*(("pole", x) for x in self.poles), *(("zero", x) for x in self.zeros)]
        shown = [(kind, x) for kind, x in marks if x.imag >= 0]
        rows: list[tuple[str, ...]] = []
        for kind, x in sorted(shown, key=lambda item: (abs(item[1]), item[0])):
            damping = -x.real / abs(x) if x else np.nan
            damping = 0.0 if abs(damping) < UNDAMPED else damping
            shown_damping = f"{damping:.4g}" if x else ""
            rows.append(
                (
                    kind,
                    f"{-damping * abs(x) + 0.0 if x else 0:.5g}",
                    f"{x.imag:.5g}",
                    f"{abs(x) / (2 * np.pi):.5g}",
                    shown_damping,
                )
            )
        return rows

    def __str__(self) -> str:
        lines = [f"{self.input} -> {self.output}: gain {self.gain:.6g}"]
        lines += ["  ".join(f"{x:>12}" for x in row).rstrip() for row in (HEADER, *self.rows())]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        title = f"{self.input} -> {self.output}: gain {self.gain:.6g}"
        return html_table(title, (HEADER[0], *(f"{x}>" for x in HEADER[1:])), self.rows())


HEADER = ("", "real/(1/s)", "imag/(1/s)", "|s|/Hz", "damping")


def transfer_function(system: StateSpace, input: str, output: str) -> TransferFunction:
    """Poles, zeros and gain from one input of a system to one of its outputs.

    Parameters
    ----------
    system : StateSpace
    input, output : str
        Of those that the system has.

    Notes
    -----
    Zeros are the finite generalized eigenvalues of the system matrix [[A, b], [c, d]]. How many there are follows from
    the first Markov parameter d, c b, c A b, ... that is not zero, which is the gain.
    """
    for name, known, what in ((input, system.inputs, "input"), (output, system.outputs, "output")):
        if name not in known:
            raise StateError(f"transfer function: no {what} {name!r}{nearest(name, known)}")
    scale, balanced = linalg.matrix_balance(system.A, permute=False)[::-1]
    A = np.asarray(balanced, dtype=float)
    size = np.diag(scale)
    b = system.B[:, system.inputs.index(input)] / size
    c = system.C[system.outputs.index(output)] * size
    d = float(system.D[system.outputs.index(output), system.inputs.index(input)])
    degree, gain = _relative_degree(A, b, c, d)
    poles = linalg.eigvals(A)
    zeros = _zeros(A, b, c, d, len(A) - degree) if gain else np.zeros(0, complex)
    zeros, poles = _without_common(zeros, poles if gain else np.zeros(0, complex))
    return TransferFunction(input, output, _ordered(zeros), _ordered(poles), gain)


def _relative_degree(A: Floats, b: Floats, c: Floats, d: float) -> tuple[int, float]:
    """How many poles there are more than zeros, and the gain; a gain of zero where the output sees nothing."""
    if d:
        return 0, d
    row, bound = c, np.abs(c)
    for degree in range(1, len(A) + 1):
        value, terms = float(row @ b), float(bound @ np.abs(b))
        if abs(value) > ZERO * terms:
            return degree, value
        row, bound = row @ A, bound @ np.abs(A)
        largest = np.abs(row).max(initial=0.0)
        if not largest:
            break
        row = np.where(np.abs(row) > ZERO * bound, row, 0.0)
    return len(A), 0.0


def _zeros(A: Floats, b: Floats, c: Floats, d: float, count: int) -> Numbers:
    """The finite generalized eigenvalues of the system matrix: `count` of them, the smallest."""
    n = len(A)
    b, c = b / np.abs(b).max(), c / np.abs(c).max()
    rate = max(np.abs(linalg.eigvals(A)).max(initial=0.0), 1e-300)
    S, E = np.zeros((n + 1, n + 1)), np.zeros((n + 1, n + 1))
    S[:n, :n], S[:n, n], S[n, :n], S[n, n] = A / rate, b, c, d
    E[:n, :n] = np.eye(n)
    above, below = linalg.eigvals(S, E, homogeneous_eigvals=True)
    order = np.argsort(np.abs(below) / np.maximum(np.hypot(np.abs(above), np.abs(below)), 1e-300))[::-1]
    chosen = order[:count]
    return np.asarray(rate * above[chosen] / below[chosen])


def _without_common(zeros: Numbers, poles: Numbers) -> tuple[Numbers, Numbers]:
    """Without zeros and poles that cancel."""
    left = list(poles)
    kept = []
    slowest = min((abs(x) for x in poles if abs(x) > 0), default=1.0)
    for z in zeros:
        near = min(range(len(left)), key=lambda i: abs(left[i] - z), default=None)
        if near is not None and abs(left[near] - z) <= CANCELLED * max(abs(z), slowest):
            left.pop(near)
        else:
            kept.append(z)
    return np.array(kept, complex), np.array(left, complex)


def _ordered(x: Numbers) -> NDArray[np.complex128]:
    return np.array(sorted(x, key=lambda s: (round(abs(s), 9), s.imag)), complex)
