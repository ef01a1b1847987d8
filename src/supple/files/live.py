"""The table of a model file that says what its live page offers."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from supple.checks import is_number
from supple.errors import nearest
from supple.files.file_table import FileTable, Form, Number
from supple.files.simulation import flat

Range = Annotated[list[Number], Field(min_length=2, max_length=2)]
RANGES = 'a table of [low, high] by name, such as { "crate.mass" = [50, 500] }'


class LiveTable(FileTable):
    """What the live page of `supple view` offers to set by hand."""

    sliders: Annotated[dict[str, Range], BeforeValidator(flat), Form(RANGES)] = Field(
        {},
        description="Ranges of sliders, `[low, high]` by name: a variable; the force on a speed, by the name of the "
        "speed; the set point of a controller, `arm.angle.target`; any number of the model, `crate.mass`. They come "
        "first on the page; what is not named has a range of its own.",
    )

    @classmethod
    def conflicts(cls, data: dict[str, Any]) -> Iterator[tuple[str, str]]:
        """A range goes up."""
        for name, x in (flat(data.get("sliders")) or {}).items():
            if isinstance(x, list) and len(x) == 2 and all(map(is_number, x)) and not x[0] < x[1]:
                yield "sliders", f"{name!r}: expected low < high, got {x}"

    def errors(self, known: Collection[str]) -> list[str]:
        """Names that nothing has which can be set."""
        return [
            f"sliders: no variable, force, set point or parameter {name!r}{nearest(name, known)}"
            for name in self.sliders
            if name not in known
        ]
