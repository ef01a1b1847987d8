"""What a simulation program is made of: equations, what happens to the state meanwhile, and the numbers of a run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from supple.expressions.function import Function
from supple.stepping.native_loop import ErrorRule

Floats = NDArray[np.float64]


class ProgramRun(NamedTuple):
    """How long a program runs, and how exactly.

    Attributes
    ----------
    duration : float
        Seconds.
    samples : int
        Rows that are written, both ends included.
    rtol : float
    atol : float
        Errors of a step may be atol + rtol times the state; 0 where they are relative to the motion (see
        `ProgramParts.rule`).
    """

    duration: float = 10.0
    samples: int = 1001
    rtol: float = 1e-9
    atol: float = 1e-11


class ProgramTable(NamedTuple):
    """A table of values over time: where the numbers of its present piece stand among the held values, the times at
    which pieces begin (n,), and the numbers of all pieces (n + 1, k), the one before the first time included.
    """

    first: int
    times: Floats
    pieces: Floats


class ProgramEvent(NamedTuple):
    """What happens when a quantity passes zero.

    Attributes
    ----------
    name : str
    direction : float
        1 rising, -1 falling, 0 both.
    ends : bool
        Whether it ends the run.
    change : Function or None
        New values x of the places.
    places : sequence of (str, int)
        "y" or "u", and the place there.
    """

    name: str
    direction: float
    ends: bool
    change: Function | None = None
    places: Sequence[tuple[str, int]] = ()


class ProgramStop(NamedTuple):
    """Stops of a joint: its place among the coordinates and among the speeds, and three numbers; infinite for none."""

    coordinate: str
    place: int
    speed: int
    lower: float
    upper: float
    restitution: float


class ProgramClock(NamedTuple):
    """A clock that ticks so many times a second, and then gives some held values the new values u of a function."""

    rate: float
    places: Sequence[int]
    change: Function


class ProgramAssembly(NamedTuple):
    """What it takes to close loops while some coordinates keep their values.

    Attributes
    ----------
    constraints : Function
        Errors of the constraint equations, position (rows), their rates, velocity (rows), J (rows, nv), and the
        mass matrix M (nv, nv).
    kinematics : Function
        rate (nq), rates of the coordinates.
    row_scales, speed_scales : arrays
        Typical sizes of errors, and of steps.
    rows : sequence of str
        What the equations are called.
    fixed : (nv,) array of bool
        Speeds whose motion is prescribed.
    named : (nq + nv,) array of bool
        Coordinates and speeds that the start gives, and that closing leaves as they are.
    modes : (nv,) array of bool
        Speeds of deformations, which move only where the joints cannot close the loops.
    speed_of : (nq,) array of int
        The speed that is the rate of a coordinate, or -1.
    """

    constraints: Function
    kinematics: Function
    row_scales: Floats
    speed_scales: Floats
    rows: Sequence[str]
    fixed: NDArray[np.bool_]
    named: NDArray[np.bool_]
    modes: NDArray[np.bool_]
    speed_of: NDArray[np.int64]


@dataclass(frozen=True)
class ProgramParts:
    """The equations of a program and what else there is in it.

    All functions have the inputs t (1), q, v, z (integrals), u (held values) or some of these, further ones that a
    run leaves alone, and the same parameters.

    Attributes
    ----------
    rates : Function
        rate (nq), a (nv), and z_rate of the integrals, if there are any.
    columns : Function
        What is written, column.
    titles : tuple of str
        Of the columns.
    closing : Function or None
        The coordinates and speeds after one step towards closed loops, and how far their rows are from repeating each
        other, margin.
    assembly : ProgramAssembly or None
    rule : ErrorRule or None
        Errors that steps may have where no atol is given.
    held : dict of str to float or None
        Held values with their numbers at the start; None for those that tables and clocks give.
    tables, clocks, events, stops
    watched : Function or None
        What the events look at, g.
    responses : Function or None
        X (stops, nv): what an impulse at each joint that has stops does to the speeds.
    open_responses : Function or None
        Where there are loops, own (stops,): what it does to the joint's own speed while they are open.
    constants : dict of str to float
        Of the stops: AT_REST, IMMOVABLE, SLACK; of what is watched: AHEAD_OF_ZERO, CLOSE_EVENTS, CLOSE_EVENTS_WITHIN,
        MOST_EVENTS; of loops: MASSLESS, OPEN; as a run has them.
    quaternions : sequence of int
        Where they begin among the coordinates.
    """

    rates: Function
    columns: Function
    titles: tuple[str, ...]
    closing: Function | None = None
    assembly: ProgramAssembly | None = None
    rule: ErrorRule | None = None
    held: dict[str, float | None] = field(default_factory=dict)
    tables: tuple[ProgramTable, ...] = ()
    clocks: tuple[ProgramClock, ...] = ()
    events: tuple[ProgramEvent, ...] = ()
    stops: tuple[ProgramStop, ...] = ()
    watched: Function | None = None
    responses: Function | None = None
    open_responses: Function | None = None
    constants: dict[str, float] = field(default_factory=dict)
    quaternions: Sequence[int] = ()

    @property
    def functions(self) -> list[Function]:
        """All of them."""
        more = [self.closing, self.watched, self.responses, self.open_responses]
        more += [x.change for x in self.events] + [x.change for x in self.clocks]
        more += [] if self.assembly is None else [self.assembly.constraints, self.assembly.kinematics]
        columns = [self.columns] if self.titles else []
        return [self.rates, *columns, *(f for f in more if f is not None)]

    @property
    def sizes(self) -> dict[str, int]:
        """Numbers of all kinds of things, by the names that the program has for them."""
        size = {key: x.size for key, x in self.rates.inputs.items()}
        integrals = self.rates.outputs["z_rate"].size if "z_rate" in self.rates.outputs else 0
        margin = self.closing.outputs.get("margin") if self.closing is not None else None
        return {
            "COORDINATES": size["q"],
            "SPEEDS": size["v"],
            "STATE": size["q"] + size["v"] + integrals,
            "HELD": len(self.held),
            "EVENTS": len(self.events),
            "STOPS": len(self.stops),
            "WATCHED": len(self.events) + 2 * len(self.stops),
            "ROWS": 0 if margin is None else margin.size,
            "COLUMNS": len(self.titles),
            "TABLES": len(self.tables),
            "CLOCKS": len(self.clocks),
            "QUATERNIONS": len(self.quaternions),
        }
