"""Linear controllers with states and several inputs and outputs: x' = A x + B y, u = C x + D y."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from supple.call_checks import checked
from supple.errors import StateError, nearest
from supple.expressions.graph import Expr
from supple.inputs.controllers import clipped, limits, require_rate
from supple.inputs.quantities import Quantities

Floats = NDArray[np.float64]


@checked
class LinearController(Mapping[str, "ControllerOutput"]):
    """Generalized forces u on several speeds from measured quantities y, by a linear system with a state x.

        x' = A x + B (y - reference)        u = bias + C x + D (y - reference)

    With a `rate` the matrices are those of a discrete system: at every sample u is set as above and held, and then
    x <- A x + B (y - reference). The state is zero at the start.

    It is a mapping from the speeds to its outputs, so that it stands wherever laws for speeds do: `tau=controller`, or
    `tau={**controller, "hand.angle": 2.0}`.

    Parameters
    ----------
    name : str
        Its states are called "name.x1", ... and so on.
    measured : sequence of str
        Formulas of what it measures: "arm.angle", "rate(arm.angle)", "boom.mode1 - 2*t".
    speeds : sequence of str
        Speeds that its outputs drive.
    A, B, C, D : array_like
        (n, n), (n, inputs), (outputs, n), (outputs, inputs). A, B and C may be left out: then u = D y.
    reference, bias : sequence of float, optional
        Of the measured quantities and of the outputs, zero by default.
    rate : float, optional
        Samples a second; continuous if not given.
    limit : float or pair, optional
        Maximum of every output either way, or minimum and maximum.

    Examples
    --------
    >>> controller = LinearController("pd", ["arm.angle", "rate(arm.angle)"], ["arm.angle"], D=[[-30.0, -5.0]])
    >>> list(controller)
    ['arm.angle']
    """

    def __init__(
        self,
        name: str,
        measured: Sequence[str],
        speeds: Sequence[str],
        A: ArrayLike | None = None,
        B: ArrayLike | None = None,
        C: ArrayLike | None = None,
        D: ArrayLike | None = None,
        *,
        reference: Sequence[float] | None = None,
        bias: Sequence[float] | None = None,
        rate: float | None = None,
        limit: float | tuple[float, float] | None = None,
    ) -> None:
        if not isinstance(name, str) or not name or "/" in name or "." in name:
            raise StateError(f"controller: name: expected one without '/' and '.', got {name!r}")
        self.name, self.rate = name, rate
        self.measured, self.speeds = self._texts("measured", measured), self._texts("speeds", speeds)
        n = 0 if A is None else len(self._numbers("A", A, None))
        sizes = {"A": (n, n), "B": (n, len(self.measured)), "C": (len(self.speeds), n)}
        sizes |= {"D": (len(self.speeds), len(self.measured))}
        self.A, self.B, self.C, self.D = (
            np.zeros(shape) if given is None else self._numbers(key, given, shape)
            for (key, shape), given in zip(sizes.items(), (A, B, C, D), strict=True)
        )
        zeros = [0.0] * max(len(self.measured), len(self.speeds))
        self.reference = self._numbers("reference", reference or zeros[: len(self.measured)], (len(self.measured),))
        self.bias = self._numbers("bias", bias or zeros[: len(self.speeds)], (len(self.speeds),))
        self.limit = limits(limit, self.place)
        require_rate(rate, self.place)

    @property
    def place(self) -> str:
        """First words of messages."""
        return f"controller {self.name!r}"

    @property
    def states(self) -> list[str]:
        """Names of its states."""
        return [f"{self.name}.x{i + 1}" for i in range(len(self.A))]

    def _texts(self, key: str, given: Any) -> tuple[str, ...]:
        texts = tuple(given) if isinstance(given, Sequence) and not isinstance(given, str) else ()
        if not texts or not all(isinstance(x, str) for x in texts) or (key == "speeds" and len({*texts}) < len(texts)):
            raise StateError(f"{self.place}: {key}: expected a sequence of different texts, got {given!r}")
        return texts

    def _numbers(self, key: str, given: Any, shape: tuple[int, ...] | None) -> Floats:
        try:
            found = np.array(given, dtype=float)
        except (TypeError, ValueError):
            raise StateError(f"{self.place}: {key}: expected numbers, got {given!r}") from None
        if found.size == 0 and shape is not None and 0 in shape:
            found = found.reshape(shape)
        if not np.isfinite(found).all() or found.ndim == 0 or (shape is not None and found.shape != shape):
            expected = "rows of finite numbers" if shape is None else f"finite numbers of shape {shape}"
            raise StateError(f"{self.place}: {key}: expected {expected}, got shape {found.shape}: {given!r:.80}")
        return found

    # ------------------------------------------------------------ a mapping of laws

    def __getitem__(self, speed: str) -> ControllerOutput:
        if speed not in self.speeds:
            raise StateError(f"{self.place}: it does not drive {speed!r}{nearest(speed, self.speeds)}")
        return ControllerOutput(self, self.speeds.index(speed))

    def __iter__(self) -> Iterator[str]:
        return iter(self.speeds)

    def __len__(self) -> int:
        return len(self.speeds)

    def __repr__(self) -> str:
        rate = "" if self.rate is None else f" at {self.rate!r} Hz"
        kind = f"{len(self.A)} states, {', '.join(self.measured)} -> {', '.join(self.speeds)}{rate}"
        return f"LinearController({self.name!r}: {kind}; {self._digest()[:16]})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, LinearController) and self._digest() == other._digest()

    def __hash__(self) -> int:
        return hash(self._digest())

    def _digest(self) -> str:
        """Of all that it does."""
        parts = (self.name, self.measured, self.speeds, self.rate, self.limit)
        numbers = (self.A, self.B, self.C, self.D, self.reference, self.bias)
        return hashlib.sha256(repr(parts).encode() + b"".join(x.tobytes() for x in numbers)).hexdigest()

    # ------------------------------------------------------------ equations

    def nodes(self, at: Quantities, x: Iterable[Expr]) -> tuple[list[Expr], list[Expr]]:
        """Outputs, and the rates of the states, or with a `rate` their next values, for states x."""
        x = list(x)
        y = [
            at.formula(text, f"{self.place}: measured") - at.graph.node(at.number(f"{self.name}.reference{i + 1}", ref))
            for i, (text, ref) in enumerate(zip(self.measured, self.reference, strict=True))
        ]
        moved = self._product(at, "A", self.A, x), self._product(at, "B", self.B, y)
        given = self._product(at, "C", self.C, x), self._product(at, "D", self.D, y)
        outputs = []
        for i, (own, direct, bias) in enumerate(zip(*given, self.bias, strict=True)):
            wanted = own + direct + at.graph.node(at.number(f"{self.name}.bias{i + 1}", bias))
            outputs.append(clipped(at, wanted, self.limit, f"{self.name}.limit"))
        return outputs, [a + b for a, b in zip(*moved, strict=True)]

    def _product(self, at: Quantities, key: str, matrix: Floats, x: Sequence[Expr]) -> list[Expr]:
        """Matrix times vector; zeros of the matrix belong to its structure."""
        out = []
        for i, row in enumerate(matrix):
            total = at.graph.zero
            for j, entry in enumerate(row):
                if entry:
                    total = total + at.number(f"{self.name}.{key}{i + 1}_{j + 1}", float(entry)) * x[j]
            out.append(total)
        return out


@dataclass(frozen=True)
class ControllerOutput:
    """One output of a linear controller: the law of a speed."""

    controller: LinearController
    index: int

    @property
    def rate(self) -> float | None:
        """Samples a second, if it is sampled."""
        return self.controller.rate
