"""Formulas that make one number of a motion: "max(abs(arm.angle))", "last(abs(arm.angle - 1) > 0.02)", "frequency(1)".

The text is parsed, never run. Names are signals of the results, "arm.angle" or "position.boom/end.z", and `t`; those
that are no words are put in quotes. A part of a formula is a number, a signal over time, or a condition that holds at
some times; the whole must be a number.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from supple.checks import Floats
from supple.errors import nearest
from supple.expressions.formula import CONSTANTS, OPERATORS, Formula, named
from supple.expressions.operations import FUNCTIONS

NUMBER, SIGNAL, CONDITION = "a number", "a signal over time", "a condition"
UFUNCS: dict[str, Callable[..., Any]] = {
    "add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide, "pow": np.power
}  # fmt: skip
COMPOSED: dict[str, tuple[int, Callable[..., Any]]] = {
    "clip": (3, lambda x, low, high: np.minimum(np.maximum(x, low), high)),
    "step": (1, lambda x: 0.5 * (1 + np.sign(x))),
    "ramp": (1, lambda x: np.maximum(x, 0.0)),
}
KEEPING = ("abs", "ramp", "max", "min")
"""Functions whose value has the unit of their arguments."""


def integral(t: Floats, x: Floats) -> float:
    """Over time, by trapezoids."""
    return float(np.sum(0.5 * (x[1:] + x[:-1]) * np.diff(t)))


def mean(t: Floats, x: Floats) -> float:
    """Over time; of a single time the value there."""
    return integral(t, x) / float(t[-1] - t[0]) if t[-1] > t[0] else float(x[-1])


REDUCTIONS: dict[str, Callable[[Floats, Floats], float]] = {
    "max": lambda t, x: float(np.max(x)),
    "min": lambda t, x: float(np.min(x)),
    "first": lambda t, x: float(x[0]),
    "last": lambda t, x: float(x[-1]),
    "mean": mean,
    "rms": lambda t, x: float(np.sqrt(mean(t, x * x))),
    "peak_to_peak": lambda t, x: float(np.ptp(x)),
    "integral": integral,
    "time_of_max": lambda t, x: float(t[np.argmax(x)]),
    "time_of_min": lambda t, x: float(t[np.argmin(x)]),
}
"""What makes a number of a signal."""
OF_MODEL = {"frequency": "Hz", "damping": ""}
"""Of the mode of a number, counted from one; and the unit."""
OF_BODY = {"margin": "", "stress": "Pa", "rotation": "rad", "strain": "", "buckling": ""}
"""Of a flexible body over the motion, and the unit: margin of safety against yield, largest von Mises stress, rotation
against its root, strain, load as a share of the buckling load."""
TIMES = ("time_of_max", "time_of_min")


@dataclass(frozen=True, eq=False)
class Condition:
    """Where a condition holds: at which samples, and by how much, positive where it does."""

    holds: np.ndarray[tuple[int], np.dtype[np.bool_]]
    excess: Floats


class MeasuredRun(Protocol):
    """What a formula is evaluated on."""

    @property
    def t(self) -> Floats:
        """Times (n,), s."""
        ...

    def known(self, name: str) -> bool:
        """Whether there is a signal of this name."""
        ...

    def signal(self, name: str) -> tuple[Floats, str]:
        """A signal (n,) and its unit."""
        ...

    def of_model(self, what: str, number: int) -> float:
        """A function of `OF_MODEL`."""
        ...

    def of_body(self, what: str, body: str) -> float:
        """A function of `OF_BODY`."""
        ...


class MeasureFormula(Formula):
    """A formula that gives one number for a motion; what it says is checked at once, its names when it is evaluated.

    Examples
    --------
    >>> MeasureFormula("max(abs(arm.angle)) / 2").names
    {'arm.angle'}
    """

    def __init__(self, text: str, where: str = "measure") -> None:
        super().__init__(text, where)
        try:
            kind = self._kind(self._tree)
        except RecursionError:
            raise self._fault("is nested too deeply") from None
        if kind != NUMBER:
            hint = "first() and last() give its time" if kind == CONDITION else "max(), last(), mean(), ... give one"
            raise self._fault(f"expected a number for each case, got {kind}; {hint}", self._place(self._tree))

    @property
    def needs_motion(self) -> bool:
        """Whether a run must be made for it."""
        return bool(self.names - CONSTANTS.keys() or self.functions & OF_BODY.keys())

    @property
    def functions(self) -> set[str]:
        """Names of the functions in it."""
        return {x.func.id for x in ast.walk(self._tree) if isinstance(x, ast.Call) and isinstance(x.func, ast.Name)}

    def value(self, run: MeasuredRun) -> tuple[float, str]:
        """The number of a motion, and its unit where it is known."""
        with np.errstate(all="ignore"):
            found, unit = self._value(self._tree, run)
        return float(found), unit

    # ------------------------------------------------------------ what it says

    def _kind(self, x: ast.expr) -> str:
        """What a part is; an error where parts do not fit."""
        name = named(x)
        if name is not None:
            return NUMBER if name in CONSTANTS else SIGNAL
        if isinstance(x, ast.Constant) and isinstance(x.value, int | float) and not isinstance(x.value, bool):
            return NUMBER
        if isinstance(x, ast.UnaryOp) and isinstance(x.op, ast.Not):
            self._expect(x.operand, CONDITION)
            return CONDITION
        if isinstance(x, ast.UnaryOp) and isinstance(x.op, ast.USub | ast.UAdd):
            return self._widest([x.operand])
        if isinstance(x, ast.BinOp) and type(x.op) in OPERATORS:
            return self._widest([x.left, x.right])
        if isinstance(x, ast.BoolOp):
            for part in x.values:
                self._expect(part, CONDITION)
            return CONDITION
        if isinstance(x, ast.Compare) and all(isinstance(op, ast.Lt | ast.LtE | ast.Gt | ast.GtE) for op in x.ops):
            if self._widest([x.left, *x.comparators]) != SIGNAL:
                raise self._fault("expected a signal to compare, got numbers", self._place(x))
            return CONDITION
        if isinstance(x, ast.Call) and isinstance(x.func, ast.Name) and not x.keywords:
            return self._kind_of_call(x, x.func.id)
        expected = "expected numbers, names, + - * / **, < <= > >=, and, or, not, and functions"
        raise self._fault(f"{expected}, got {ast.unparse(x)[:80]!r}", self._place(x))

    def _kind_of_call(self, x: ast.Call, function: str) -> str:
        counts = self._counts(function)
        if not counts:
            known = [*REDUCTIONS, *FUNCTIONS, *COMPOSED, *OF_MODEL, *OF_BODY, "at", "settling"]
            raise self._fault(f"no function {function!r}{nearest(function, known)}", self._place(x.func))
        if len(x.args) not in counts:
            expected = " or ".join(map(str, sorted(counts)))
            raise self._fault(f"{function}: expected {expected} arguments, got {len(x.args)}", self._place(x))
        if function in OF_BODY:
            if named(x.args[0]) is None:
                raise self._fault(f"{function}: expected the name of a body", self._place(x))
            return NUMBER
        if function in OF_MODEL:
            place = x.args[0].value if isinstance(x.args[0], ast.Constant) else None
            if isinstance(place, bool) or not isinstance(place, int) or place < 1:
                raise self._fault(f"{function}: expected the number of a mode, 1, 2, ...", self._place(x))
            return NUMBER
        if function in ("at", "settling"):
            self._expect(x.args[0], SIGNAL)
            for arg in x.args[1:]:
                self._expect(arg, NUMBER)
            return NUMBER
        if function in REDUCTIONS and len(x.args) == 1:
            if function not in ("first", "last") or self._kind(x.args[0]) != CONDITION:
                self._expect(x.args[0], SIGNAL)
            return NUMBER
        return self._widest(x.args)

    @staticmethod
    def _counts(function: str) -> set[int]:
        """How many arguments a function may have."""
        found = {"at": {2}, "settling": {3}}.get(function, set())
        found = found | ({1} if function in REDUCTIONS or function in OF_MODEL or function in OF_BODY else set())
        found = found | ({FUNCTIONS[function].arity} if function in FUNCTIONS else set())
        return found | ({COMPOSED[function][0]} if function in COMPOSED else set())

    def _expect(self, x: ast.expr, kind: str) -> None:
        found = self._kind(x)
        if found != kind:
            raise self._fault(f"expected {kind}, got {found}", self._place(x))

    def _widest(self, parts: list[ast.expr]) -> str:
        kinds = [self._kind(x) for x in parts]
        for x, kind in zip(parts, kinds, strict=True):
            if kind == CONDITION:
                raise self._fault("expected a number or a signal, got a condition", self._place(x))
        return SIGNAL if SIGNAL in kinds else NUMBER

    # ------------------------------------------------------------ what it is

    def _value(self, x: ast.expr, run: MeasuredRun) -> tuple[Any, str]:
        name = named(x)
        if name is not None:
            return (CONSTANTS[name], "") if name in CONSTANTS else self._signal(name, run)
        if isinstance(x, ast.Constant):
            return np.float64(x.value), ""  # type: ignore[arg-type]
        if isinstance(x, ast.UnaryOp):
            found, unit = self._value(x.operand, run)
            return (-found if isinstance(x.op, ast.USub) else found), unit
        if isinstance(x, ast.BinOp):
            return self._operated(x, run)
        assert isinstance(x, ast.Call)
        assert isinstance(x.func, ast.Name)
        return self._called(x, x.func.id, run)

    def _signal(self, name: str, run: MeasuredRun) -> tuple[Floats, str]:
        return (run.t, "s") if name == "t" else run.signal(name)

    def _operated(self, x: ast.BinOp, run: MeasuredRun) -> tuple[Any, str]:
        op = OPERATORS[type(x.op)]
        names = named(x.left), named(x.right)
        if (
            op == "div"
            and None not in names
            and not all(y in CONSTANTS or y == "t" or run.known(str(y)) for y in names)
        ):
            return self._signal("/".join(map(str, names)), run)  # boom/end.z is the name of a place
        (a, unit), (b, other) = self._value(x.left, run), self._value(x.right, run)
        same = op in ("add", "sub") and (unit == other or np.ndim(b) == 0)
        scaled = (
            unit if np.ndim(b) == 0 and not other else other if op == "mul" and np.ndim(a) == 0 and not unit else ""
        )
        return UFUNCS[op](a, b), unit if same else scaled if op in ("mul", "div") else ""

    def _called(self, x: ast.Call, function: str, run: MeasuredRun) -> tuple[Any, str]:
        if function in OF_BODY:
            return run.of_body(function, str(named(x.args[0]))), OF_BODY[function]
        if function in OF_MODEL:
            return run.of_model(function, int(x.args[0].value)), OF_MODEL[function]  # type: ignore[attr-defined]
        if function in ("first", "last") and self._kind(x.args[0]) == CONDITION:
            return crossing(run.t, self._condition(x.args[0], run), function == "last"), "s"
        args, units = zip(*(self._value(arg, run) for arg in x.args), strict=True)
        if function == "settling":
            return settling(run.t, *args), "s"
        if function == "at":
            return float(np.interp(args[1], run.t, args[0], left=np.nan, right=np.nan)), units[0]
        if function in REDUCTIONS and len(args) == 1:
            unit = "s" if function in TIMES else "" if function == "integral" else units[0]
            return REDUCTIONS[function](run.t, np.broadcast_to(args[0], run.t.shape)), unit
        if function in COMPOSED:
            found = COMPOSED[function][1](*args)
        else:
            found = getattr(np, FUNCTIONS[function].numpy)(*args)
        return found, units[0] if function in KEEPING else ""

    def _condition(self, x: ast.expr, run: MeasuredRun) -> Condition:
        if isinstance(x, ast.UnaryOp):
            inner = self._condition(x.operand, run)
            return Condition(~inner.holds, -inner.excess)
        if isinstance(x, ast.BoolOp):
            parts = [self._condition(part, run) for part in x.values]
            both = isinstance(x.op, ast.And)
            holds = np.all if both else np.any
            excess = np.min if both else np.max
            return Condition(holds([p.holds for p in parts], axis=0), excess([p.excess for p in parts], axis=0))
        assert isinstance(x, ast.Compare)
        return _both([*self._compared(x, run)])

    def _compared(self, x: ast.Compare, run: MeasuredRun) -> Iterator[Condition]:
        sides = [np.broadcast_to(self._value(y, run)[0], run.t.shape) for y in (x.left, *x.comparators)]
        for a, b, op in zip(sides[:-1], sides[1:], x.ops, strict=True):
            excess = a - b if isinstance(op, ast.Gt | ast.GtE) else b - a
            yield Condition(excess >= 0 if isinstance(op, ast.GtE | ast.LtE) else excess > 0, excess)


def _both(parts: list[Condition]) -> Condition:
    holds, excess = np.all([p.holds for p in parts], axis=0), np.min([p.excess for p in parts], axis=0)
    return Condition(holds, excess)


def crossing(t: Floats, x: Condition, last: bool) -> float:
    """The first or last time at which a condition holds, linear between samples; not a number if it never does."""
    places = np.flatnonzero(x.holds)
    if not len(places):
        return np.nan
    i = int(places[-1 if last else 0])
    j = i + 1 if last else i - 1
    if not 0 <= j < len(t):
        return float(t[i])
    a, b = x.excess[i], x.excess[j]  # it holds at i, and not at j
    share = a / (a - b) if a > b else 0.0
    return float(t[i] + share * (t[j] - t[i]))


def settling(t: Floats, x: Floats, target: float, band: float) -> float:
    """The time after which a signal stays within a band about a target; not a number if it is not in it at the end."""
    distance = np.abs(x - target) - band
    outside = Condition(distance > 0, distance)
    if outside.holds[-1]:
        return np.nan
    return crossing(t, outside, last=True) if outside.holds.any() else float(t[0])
