"""Controllers: PID on a joint, continuous or sampled; functions of the user's, sampled."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supple.call_checks import checked, require_signature
from supple.checks import is_number
from supple.errors import StateError
from supple.expressions.graph import Expr
from supple.inputs.quantities import Quantities
from supple.inputs.tables import Table

Signal = float | str | Table
"""A number, a formula, or a table over time."""


def require_signal(x: Any, where: str) -> None:
    """Refuse what is no signal."""
    if not (isinstance(x, str | Table) or is_number(x)):
        raise StateError(f"{where}: expected a finite number, a formula or a Table, got {x!r}")


def signal(at: Quantities, x: Signal, where: str, name: str, rate: bool = True) -> tuple[Expr, Expr]:
    """A signal and its rate as nodes; zero in place of a rate that is not asked for. `name` is that of a number."""
    value = at.table(x) if isinstance(x, Table) else at.formula(x, where, name)
    if not rate:
        return value, at.graph.zero
    return value, at.table(x, 1) if isinstance(x, Table) else at.rate(value, where)


def limits(limit: float | tuple[float, float] | None, where: str) -> tuple[float, float] | None:
    """Minimum and maximum force."""
    if limit is None:
        return None
    pair = isinstance(limit, Sequence | np.ndarray) and not isinstance(limit, str | bytes)
    both: list[Any] = list(limit) if pair else [limit, limit]  # type: ignore[arg-type]
    if len(both) != 2 or not all(map(is_number, both)):
        raise StateError(f"{where}: limit: expected a positive number, or minimum and maximum, got {limit!r}")
    low, high = float(both[0]) if pair else -float(both[0]), float(both[1])
    if not low < high:
        raise StateError(f"{where}: limit: expected a positive number, or minimum and maximum, got {limit}")
    return low, high


def clipped(at: Quantities, x: Expr, within: tuple[float, float] | None, name: str) -> Expr:
    """x kept within limits."""
    if within is None:
        return x
    g = x.graph
    low, high = (g.node(at.number(f"{name}.{end}", b)) for end, b in zip(("minimum", "maximum"), within, strict=True))
    return g.function("min", g.function("max", x, low), high)


@checked
@dataclass(frozen=True)
class PID:
    """Generalized force kp e + kd de/dt + ki (integral of e) towards a target, e = target - coordinate.

    Parameters
    ----------
    target : number, formula or Table
        Of the coordinate; its rate is taken exactly. A Table should be "pchip" or "cubic", else the rate jumps.
    kp, kd, ki : float
        Per rad or m; per rad/s or m/s; per rad s or m s.
    limit : float or pair, optional
        Maximum force either way, or minimum and maximum. The integral stops growing while the force is at a limit.
    rate : float, optional
        Samples a second; between them the force is held. Continuous if not given.
    feedforward : number or formula
        Added to the force.
    offset : number or formula
        Added to the target, whatever that is; its rate is taken too.
    """

    target: Signal
    kp: float
    kd: float = 0.0
    ki: float = 0.0
    limit: float | tuple[float, float] | None = None
    rate: float | None = None
    feedforward: float | str = 0.0
    offset: float | str = 0.0

    def __post_init__(self) -> None:
        for name in ("kp", "kd", "ki"):
            if not is_number(getattr(self, name)):
                raise StateError(f"PID: {name}: expected a finite number, got {getattr(self, name)!r}")
        require_signal(self.target, "PID: target")
        for name in ("feedforward", "offset"):
            x = getattr(self, name)
            if not (isinstance(x, str) or is_number(x)):
                raise StateError(f"PID: {name}: expected a finite number or a formula, got {x!r}")
        limits(self.limit, "PID")
        require_rate(self.rate, "PID")

    def nodes(
        self, at: Quantities, measured: tuple[Expr, Expr], integral: Expr, where: str, own: str
    ) -> tuple[Expr, Expr]:
        """Force, and rate of the integral of the error; `measured` is the coordinate and its rate.

        Numbers are called after what the law is of, `own`.

        At a limit the integral is drawn back by what is cut off, over kp (or ki where there is no kp).
        """
        target, rate = signal(at, self.target, f"{where}: target", f"{own}.target", rate=bool(self.kd))
        if self.offset != 0.0:
            more = signal(at, self.offset, f"{where}: offset", f"{own}.offset", rate=bool(self.kd))
            target, rate = target + more[0], rate + more[1]
        error = target - measured[0]
        extra = at.formula(self.feedforward, f"{where}: feedforward", f"{own}.feedforward")
        kp, kd, ki = (at.number(f"{own}.{name}", getattr(self, name)) for name in ("kp", "kd", "ki"))
        wanted = kp * error + kd * (rate - measured[1]) + ki * integral + extra
        force = clipped(at, wanted, limits(self.limit, where), own)
        back = (kp if self.kp * self.ki > 0 else -kp) if self.kp else ki
        return force, error + (force - wanted) / back if self.ki else error


@checked
@dataclass(frozen=True)
class Sampled:
    """A Python function of the user's that gives a generalized force, called so many times a second and held between.

    Parameters
    ----------
    function : function of (t, q, v)
        Gives a number, or for all speeds at once (nv,).
    rate : float
        Calls a second.
    """

    function: Callable[[float, NDArray[Any], NDArray[Any]], Any]
    rate: float

    def __post_init__(self) -> None:
        if not callable(self.function):
            raise StateError(f"Sampled: function: expected a function of (t, q, v), got {self.function!r}")
        require_signature(self.function, "t, q, v", "Sampled: function")
        require_rate(self.rate, "Sampled")


def require_rate(rate: float | None, where: str) -> None:
    """Refuse what is no number of samples a second."""
    if rate is not None and not (is_number(rate) and rate > 0):
        raise StateError(f"{where}: rate: expected a positive number of samples a second, got {rate!r}")
