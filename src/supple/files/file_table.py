"""What a table of a model file is: keys with words for what is expected, numbers that are numbers, rotations."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Annotated, Any, get_args

import numpy as np
import scipy
from pydantic import BaseModel, ConfigDict, Discriminator, Field, Strict, Tag, ValidationError, model_validator
from pydantic_core import InitErrorDetails, PydanticCustomError

from supple.checks import Floats, direction
from supple.description.orientation import euler_sequence
from supple.errors import StateError, nearest, one_of

PLAIN = "plain words"
"""Type of pydantic errors whose words are those of the message."""


@dataclass(frozen=True)
class Form:
    """What is expected in a field, in words; in a list of tables also what each of them is."""

    words: str
    item: str = ""


class FileTable(BaseModel):
    """A table of the file: no keys but those listed, and messages that say what was expected and what is there."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    @model_validator(mode="wrap")
    @classmethod
    def _in_plain_words(cls, data: Any, handler: Callable[[Any], Any]) -> Any:
        """Hand on the table, or its errors: one for each key, those of tables inside as they are."""
        if not isinstance(data, dict):
            raise plain_error(f"expected a table, got {_short(data)}")
        errors: dict[tuple[Any, ...], str] = {}
        table = None
        try:
            table = handler(data)
        except ValidationError as error:
            for line in error.errors():
                item = len(line["loc"]) == 2 and line["type"].startswith("union_tag")
                loc = line["loc"] if line["type"] == PLAIN or item else line["loc"][:1]
                errors.setdefault(loc, line["msg"] if line["type"] == PLAIN else cls._words(data, line))
        for key, words in cls.conflicts(data):
            errors.setdefault((key,) if key else (), words)
        if errors:
            lines = [InitErrorDetails(type=plain_error(words), loc=loc, input=None) for loc, words in errors.items()]
            raise ValidationError.from_exception_data(cls.__name__, lines)
        return table

    @classmethod
    def conflicts(cls, data: dict[str, Any]) -> Iterable[tuple[str, str]]:
        """What is wrong with the keys taken together: the key to name, or "" for the table, and the error."""
        return ()

    @classmethod
    def _words(cls, data: dict[str, Any], line: Any) -> str:
        """One error of a key of this table as "expected ..., got ..."."""
        key = str(line["loc"][0])
        if line["type"] == "extra_forbidden":
            return f"unknown key{nearest(key, cls.model_fields) or one_of(cls.model_fields)}"
        expected = form(cls, key)
        if line["type"] == "missing":
            return f"missing; expected {expected}"
        if line["type"] == "union_tag_invalid" and line["ctx"]["discriminator"] == "'type'":
            tag, known = str(line["ctx"]["tag"]), line["ctx"]["expected_tags"]
            hint = nearest(tag, known.replace("'", "").split(", "))
            return f"type: expected one of {known}, got {tag!r}{hint}"
        if len(line["loc"]) == 2 and line["type"] == "union_tag_not_found":
            return f"type: missing; expected {_form(cls, key).item}"
        return f"expected {expected}, got {_short(data[key])}"


def form(table: type[FileTable], key: str) -> str:
    """The words for what is expected at a key."""
    return _form(table, key).words


def _form(table: type[FileTable], key: str) -> Form:
    return next(m for m in table.model_fields[key].metadata if isinstance(m, Form))


def by_type(union: Any) -> dict[str, type[Any]]:
    """The tables of a union by what their key `type` says."""
    return {get_args(table.model_fields["type"].annotation)[0]: table for table in get_args(union)}


def plain_error(words: str) -> PydanticCustomError:
    """An error in words that need no more words from the tables around it."""
    template: Any = words  # nothing in it is filled in: pydantic only asks for a literal
    return PydanticCustomError(PLAIN, template)


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 120 else f"{text[:117]}..."


Number = Annotated[float, Strict(), Field(allow_inf_nan=False)]
Three = Annotated[list[Number], Field(min_length=3, max_length=3)]
Nine = Annotated[list[Three], Field(min_length=3, max_length=3)]

Text = Annotated[str, Field(min_length=1), Form("a text")]
PlainName = Annotated[str, Field(pattern=r"^[^/.]+$")]
Name = Annotated[PlainName, Form("a name without '/' and '.'")]
MaybeName = Annotated[PlainName | None, Form("a name without '/' and '.'")]
Real = Annotated[Number, Form("a number")]
NotNegative = Annotated[Number, Field(ge=0.0), Form("a number, zero or more")]
AboveZero = Annotated[Number, Field(gt=0.0)]
Positive = Annotated[AboveZero, Form("a number greater than zero")]
MaybePositive = Annotated[AboveZero | None, Form("a number greater than zero")]
Truth = Annotated[bool, Strict(), Form("true or false")]
Vector = Annotated[Three, Form("3 numbers")]
Axis = Annotated[str | Three, Form('"x", "y", "z", "-x", "-y", "-z" or 3 numbers')]
PerDof = Annotated[Number | list[Number], Form("a number, or a list with one for each speed")]


class AxisAngle(FileTable):
    """A turn about an axis."""

    axis: Axis = Field(description="Axis of the turn.")
    angle_deg: Real = Field(description="Angle, degrees.")

    def matrix(self) -> Floats:
        """R (3, 3)."""
        turn = direction(self.axis, "rotation: axis") * np.deg2rad(self.angle_deg)
        return np.asarray(scipy.spatial.transform.Rotation.from_rotvec(turn).as_matrix())


class RollPitchYaw(FileTable):
    """Turns about x, then y, then z, all three fixed (as in URDF)."""

    rpy_deg: Vector = Field(description="Roll about x, pitch about y, yaw about z, degrees.")

    def matrix(self) -> Floats:
        """R (3, 3)."""
        return np.asarray(scipy.spatial.transform.Rotation.from_euler("xyz", self.rpy_deg, degrees=True).as_matrix())


class EulerAngles(FileTable):
    """Three turns as in SciPy: small letters about fixed axes, capitals about axes that turn with the body."""

    euler: Annotated[str, Form('three axes such as "xyz" or "ZYX"')] = Field(description='"xyz", "ZYX", "ZXZ", ...')
    angles_deg: Vector = Field(description="Angles in the order of the axes, degrees.")

    @model_validator(mode="after")
    def _axes(self) -> EulerAngles:
        try:
            euler_sequence(self.euler)
        except StateError as error:
            raise plain_error(f"euler: {error}") from None
        return self

    def matrix(self) -> Floats:
        """R (3, 3)."""
        turn = scipy.spatial.transform.Rotation.from_euler(self.euler, self.angles_deg, degrees=True)
        return np.asarray(turn.as_matrix())


class Quaternion(FileTable):
    """A unit quaternion."""

    quaternion: Annotated[list[Number], Field(min_length=4, max_length=4), Form("4 numbers")] = Field(
        description="x, y, z, w, of length 1 to one in a million."
    )

    @model_validator(mode="after")
    def _unit(self) -> Quaternion:
        length = float(np.linalg.norm(self.quaternion))
        if abs(length - 1.0) > 1e-6:
            raise plain_error(f"quaternion: expected length 1, got {length:g}")
        return self

    def matrix(self) -> Floats:
        """R (3, 3)."""
        return np.asarray(scipy.spatial.transform.Rotation.from_quat(self.quaternion).as_matrix())


TURNS: tuple[type[FileTable], ...] = (AxisAngle, RollPitchYaw, EulerAngles, Quaternion)


def _turn_tag(value: Any) -> str:
    """Which way of writing a rotation this is, by the keys that stand there."""
    if isinstance(value, dict):
        return next((f"#{t.__name__}" for t in TURNS if value.keys() & t.model_fields.keys()), "#")
    return "#matrix"


Turn = Annotated[
    Annotated[Nine, Tag("#matrix")]
    | Annotated[AxisAngle, Tag("#AxisAngle")]
    | Annotated[RollPitchYaw, Tag("#RollPitchYaw")]
    | Annotated[EulerAngles, Tag("#EulerAngles")]
    | Annotated[Quaternion, Tag("#Quaternion")],
    Discriminator(_turn_tag),
]
TURN_WORDS = "3 rows of 3 numbers, or {axis, angle_deg}, {rpy_deg}, {euler, angles_deg} or {quaternion}"
AnyRotation = Annotated[Turn | None, Form(TURN_WORDS)]
