"""Prescribed motions of joint coordinates."""

from __future__ import annotations

from dataclasses import dataclass

from supple.call_checks import checked
from supple.errors import StateError
from supple.expressions.graph import Expr
from supple.inputs.controllers import Signal, require_signal, signal
from supple.inputs.quantities import Quantities
from supple.inputs.tables import Table

SMOOTH = {
    "position": ("cubic", "pchip"),
    "velocity": ("cubic", "pchip", "linear"),
    "acceleration": ("cubic", "pchip", "linear", "hold"),
}
"""Kinds of tables whose accelerations are finite."""


@checked
@dataclass(frozen=True)
class Motion:
    """A prescribed motion of a joint coordinate: one of position, velocity and acceleration over time.

    Parameters
    ----------
    position, velocity, acceleration : number, formula of t, or Table
        A Table of positions must be "cubic" or "pchip", one of velocities one of these or "linear". A formula depends
        on `t` and on variables alone; a run does not change the variables of a position or velocity.
    """

    position: Signal | None = None
    velocity: Signal | None = None
    acceleration: Signal | None = None

    def __post_init__(self) -> None:
        given = self._given()
        if len(given) != 1:
            raise StateError(
                f"motion: expected one of position, velocity, acceleration, got {', '.join(given) or 'none'}"
            )
        for name, x in given.items():
            require_signal(x, f"motion: {name}")
            if isinstance(x, Table) and x.kind not in SMOOTH[name]:
                kinds = ", ".join(SMOOTH[name])
                raise StateError(f"motion: {name}: expected a table of kind {kinds}, got a {x.kind} one")

    def _given(self) -> dict[str, Signal]:
        return {name: x for name in SMOOTH if (x := getattr(self, name)) is not None}

    def nodes(self, at: Quantities, own: str, where: str) -> list[Expr | None]:
        """Position, velocity and acceleration of a speed by its name; None for what is found by integration."""
        ((name, given),) = self._given().items()
        first = list(SMOOTH).index(name)
        nodes: list[Expr | None] = [None, None, None]
        if isinstance(given, Table):
            nodes[first:] = [at.table(given, i) for i in range(3 - first)]
        else:
            x, rate = signal(at, given, where, f"{own}.{name}")
            at.require_time_alone(x, where)
            nodes[first:] = [x, rate, at.rate(rate, where)][: 3 - first]
        return nodes
