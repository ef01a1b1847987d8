"""The tables of a model file that say what acts on the model: actuators, controllers, motions, events, stops."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import BeforeValidator, Discriminator, Field, Strict, Tag

from supple.description.limits import Limit
from supple.errors import FileFormatError, StateError
from supple.files.file_table import FileTable, Form, MaybePositive, Name, Number, Real, Text, Truth
from supple.files.simulation import flat
from supple.input_files import read_bytes
from supple.inputs import tables
from supple.inputs.controllers import PID
from supple.inputs.events import Event
from supple.inputs.inputs import Law, Motion


class TimeTable(FileTable):
    """Values over time: `times` and `values`, or a `file` of two columns."""

    times: Annotated[list[Number] | None, Form("a list of numbers")] = Field(None, description="Increasing, s.")
    values: Annotated[list[Number] | None, Form("a list of numbers")] = Field(None, description="As many.")
    file: Annotated[str | None, Form("a text")] = Field(
        None,
        description="In place of both: a text file beside the model file, time and value in each line, parted by a "
        "comma or blanks; lines that begin with # are left out.",
    )
    kind: Annotated[Literal["linear", "cubic", "pchip", "hold"], Form('"linear", "cubic", "pchip" or "hold"')] = Field(
        "linear",
        description="Between the times: straight lines; a smooth curve at rest at both ends, for motions and targets; "
        "such a curve that does not overshoot; or each value until the next time.",
    )

    @classmethod
    def conflicts(cls, data: dict[str, Any]) -> Iterator[tuple[str, str]]:
        """Numbers or a file."""
        if ("file" in data) == ("times" in data or "values" in data):
            yield "", "expected either times and values, or file"
        elif "file" not in data and not ("times" in data and "values" in data):
            yield "", "expected both times and values"
        times, values = data.get("times"), data.get("values")
        if isinstance(times, list) and isinstance(values, list) and not 2 <= len(times) == len(values):
            yield "values", f"expected as many values as times, two or more, got {len(values)} and {len(times)}"

    def table(self, folder: Path) -> tables.Table:
        """The table, its file read."""
        if self.file is None:
            return tables.Table(self.times or [], self.values or [], self.kind)
        path = folder / self.file
        content = read_bytes(path)
        try:
            lines = content.decode("utf-8").replace(",", " ").splitlines()
            rows = [line.split() for line in lines if line.strip() and not line.strip().startswith("#")]
            numbers = np.array([[float(x) for x in row] for row in rows])
        except UnicodeDecodeError:
            raise FileFormatError(f"{path}: expected UTF-8 text, got other bytes") from None
        except ValueError as error:
            raise FileFormatError(f"{path}: expected a line of two numbers for each time: {error}") from None
        if numbers.ndim != 2 or numbers.shape[1] != 2:
            counts = ", ".join(str(n) for n in sorted({len(row) for row in rows})) or "no lines"
            raise FileFormatError(f"{path}: expected two numbers in each line, got {counts}")
        try:
            return tables.Table(numbers[:, 0], numbers[:, 1], self.kind)
        except StateError as error:
            raise FileFormatError(f"{path}: {error}") from None


SIGNAL = "a number, a formula, or a table such as {times = [...], values = [...]}"


def _kind(x: Any) -> str:
    """Which way of writing a signal this is."""
    return "table" if isinstance(x, dict | TimeTable) else "formula" if isinstance(x, str) else "number"


AnySignal = Annotated[
    Annotated[TimeTable, Tag("table")]
    | Annotated[Annotated[str, Strict()], Tag("formula")]
    | Annotated[Number, Tag("number")],
    Discriminator(_kind),
]
Signal = Annotated[AnySignal | None, Form(SIGNAL)]
Limits = Annotated[Number | Annotated[list[Number], Field(min_length=2, max_length=2)] | None, Form("a number, or two")]


@contextmanager
def placed(place: str) -> Iterator[None]:
    """Say where in the file a law stands that is wrong."""
    try:
        yield
    except (StateError, FileFormatError) as error:
        raise FileFormatError(f"{place}: {error}") from None


def read_signal(x: Any, folder: Path) -> Any:
    """A signal, the file of a table read."""
    return x.table(folder) if isinstance(x, TimeTable) else x


class ActuatorTable(FileTable):
    """A generalized force on a degree of freedom, by a formula or table (`force`) or a controller (`target`, gains)."""

    speed: Text = Field(description='Name of the speed it acts on: "arm.angle".')
    force: Signal = Field(None, description="N m or N. Formulas: see Formulas.")
    target: Signal = Field(None, description="Of a controller: the target of the coordinate.")
    kp: Real = Field(0.0, description="Proportional gain: force per rad or m of error.")
    kd: Real = Field(0.0, description="Derivative gain: force per rad/s or m/s of error.")
    ki: Real = Field(0.0, description="Integral gain: force per rad s or m s of the integral of the error.")
    limit: Limits = Field(None, description="Maximum force of a controller either way, or minimum and maximum.")
    rate: MaybePositive = Field(None, description="Samples a second of a controller; continuous if not given.")
    feedforward: Annotated[Number | Annotated[str, Strict()], Form("a number or a formula")] = Field(
        0.0, description="Added to the force of a controller."
    )

    @classmethod
    def conflicts(cls, data: dict[str, Any]) -> Iterator[tuple[str, str]]:
        """A force, or a target with what acts towards it."""
        if ("force" in data) == ("target" in data):
            yield "", f"expected either force or target, got {'both' if 'force' in data else 'neither'}"
        for key in ("kp", "kd", "ki", "limit", "rate", "feedforward"):
            if key in data and "target" not in data:
                yield key, "expected only with a target"
        if "target" in data and not any(key in data for key in ("kp", "kd", "ki", "feedforward")):
            yield "", "expected with a target kp, ki, kd or feedforward, got none"
        limit = data.get("limit")
        ends: list[Any] = limit if isinstance(limit, list) and len(limit) == 2 else [0.0, limit]
        if all(isinstance(x, int | float) for x in ends) and not ends[0] < ends[1]:
            yield "limit", f"expected a positive number, or minimum and maximum, got {limit}"

    @property
    def targets(self) -> tuple[str, ...]:
        """What it sets: its speed."""
        return (self.speed,)

    def laws(self, folder: Path) -> dict[str, Law]:
        """The law, by its speed."""
        return {self.speed: self.law(folder)}

    def law(self, folder: Path) -> Law:
        """The law."""
        with placed(f"actuator of {self.speed!r}"):
            if self.target is None:
                law: Law = read_signal(self.force, folder)
                return law
            limit = (self.limit[0], self.limit[1]) if isinstance(self.limit, list) else self.limit
            target = read_signal(self.target, folder)
            return PID(target, self.kp, self.kd, self.ki, limit, self.rate, self.feedforward)


class MotionTable(FileTable):
    """A prescribed motion of a joint coordinate, by one of three keys; the force that it takes is found.

    Formulas depend on `t` and on variables alone; a run does not change the variables of a position or velocity.
    """

    speed: Text = Field(description='Name of the speed: "arm.angle".')
    position: Signal = Field(
        None, description='Of the coordinate, rad or m. A table must be of kind "cubic" or "pchip".'
    )
    velocity: Signal = Field(
        None, description='Of the coordinate, rad/s or m/s. A table must be of kind "linear", "cubic" or "pchip".'
    )
    acceleration: Signal = Field(None, description="Of the coordinate, rad/s^2 or m/s^2.")

    @classmethod
    def conflicts(cls, data: dict[str, Any]) -> Iterator[tuple[str, str]]:
        """One of the three."""
        given = [key for key in ("position", "velocity", "acceleration") if key in data]
        if len(given) != 1:
            yield "", f"expected one of position, velocity, acceleration, got {', '.join(given) or 'none'}"

    def motion(self, folder: Path) -> Motion:
        """The motion."""
        with placed(f"motion of {self.speed!r}"):
            return Motion(*(read_signal(x, folder) for x in (self.position, self.velocity, self.acceleration)))


Changes = Annotated[
    dict[str, Number | Annotated[str, Strict()]], BeforeValidator(flat), Form("a table of numbers and formulas by name")
]


class EventTable(FileTable):
    """What happens when a quantity passes zero."""

    name: Name = Field(description="Name of the event, in the results.")
    when: Text = Field(description="Formula that is watched.")
    direction: Annotated[Literal["rising", "falling", "both"], Form('"rising", "falling" or "both"')] = Field(
        "both", description="Which way it passes zero."
    )
    stop: Truth = Field(False, description="Ends the run.")
    change: Changes = Field(
        {}, description='New values of variables, coordinates and speeds, by name; a rate as "rate(arm.angle)".'
    )

    def event(self) -> Event:
        """The event."""
        return Event(self.name, self.when, self.direction, self.stop, self.change)


class LimitTable(FileTable):
    """Stops of a joint coordinate."""

    coordinate: Text = Field(description="Name of the coordinate.")
    lower: Annotated[Number | None, Form("a number")] = Field(None, description="Lower stop, rad or m.")
    upper: Annotated[Number | None, Form("a number")] = Field(None, description="Upper stop, rad or m.")
    restitution: Annotated[Number, Field(ge=0.0, le=1.0), Form("a number from 0 to 1")] = Field(
        0.0, description="Share of the speed with which it is thrown back, 0 to 1."
    )

    @classmethod
    def conflicts(cls, data: dict[str, Any]) -> Iterator[tuple[str, str]]:
        """One stop at least, the lower one below."""
        if not {"lower", "upper"} & data.keys():
            yield "", "expected lower, upper or both, got neither"
        ends: list[Any] = [data.get("lower"), data.get("upper")]
        if all(isinstance(x, int | float) for x in ends) and not ends[0] < ends[1]:
            yield "upper", f"expected more than lower, {ends[0]}, got {ends[1]}"

    def limit(self) -> Limit:
        """The stops."""
        return Limit(self.coordinate, self.lower, self.upper, self.restitution)
