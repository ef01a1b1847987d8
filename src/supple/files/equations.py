"""The table of a model file that says how `supple equations` writes it down."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from supple import symbolic
from supple.errors import SuppleError
from supple.files.file_table import FileTable, Form
from supple.model.model import Model

Named = Annotated[str, Field(min_length=1)]


class EquationsTable(FileTable):
    """How `supple equations` writes the model down: the arguments of `supple.equations`."""

    symbols: Annotated[dict[str, Named], Form('a table such as { L = "-arm.com.y", theta = "arm.angle" }')] = Field(
        {},
        description="Symbols, in the order in which they are printed, and what they stand for: a coordinate, or a "
        "number of the model (`arm.mass`, `arm.com.x`, `arm.inertia.xx`, `arm.at.x`, `arm.angle.stiffness`, `.rest`, "
        "`.damping`, `.inertia`, `gravity.x`; `screw.pitch`; `.stiffness`, `.damping` and `.length` of a "
        "spring-damper, `.moment.x` and `.force.x` of a wrench; `rod/pin.x` of a frame that they or a loop are "
        "on), with a minus sign for its negative. Others go by those names.",
    )
    parameters: Annotated[list[Named] | None, Form("a list of names")] = Field(
        None, description="Numbers that stay symbols; all that are not zero if it is not there."
    )
    inputs: Annotated[list[Named] | dict[str, Named] | None, Form('["arm.angle"] or { T = "arm.angle" }')] = Field(
        None, description="Speeds with a generalized force, and what the forces are called; all if it is not there."
    )
    small: Annotated[list[Named], Form("a list of coordinates")] = Field(
        [], description="Coordinates that stay small, with their speeds: equations to first order in them."
    )
    omit: Annotated[list[Named], Form('a list of coordinates, or ["ignorable"]')] = Field(
        [],
        description="Coordinates whose rates are left out, as nothing else depends on them; `ignorable` are all such.",
    )
    route: Annotated[Literal["auto", "kane", "composite", "articulated"], Form('"auto", "kane", ...')] = Field(
        "auto", description="How they are derived; `auto` takes the way that needs the fewest operations."
    )

    def arguments(self) -> dict[str, Any]:
        """What the file gives, as keyword arguments of `supple.equations`."""
        given = self.model_dump(exclude_unset=True)
        if "symbols" in given:
            given["names"] = given.pop("symbols")
        return given

    def errors(self, model: Model) -> list[str]:
        """Names that the model does not have."""
        given = self.arguments()
        try:
            symbolic.require_known(model, **{key: given[key] for key in given if key not in ("route", "omit")})
        except SuppleError as error:
            return [str(error)]
        return []
