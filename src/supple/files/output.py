"""The table of a model file that says what is recorded besides states, energies and momentum."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from supple.files.file_table import FileTable, Form
from supple.inputs.requests import Outputs

if TYPE_CHECKING:
    from supple.model.model import Model

Names = list[Annotated[str, Field(min_length=1)]]


class OutputTable(FileTable):
    """What `supple run` records besides states, energies and momentum: the arguments of `supple.Outputs`."""

    frames: Annotated[Names, Form("a list of names")] = Field(
        [],
        description='Frames, "body", "body/place" or "body/12", whose position, orientation, velocity and acceleration '
        "are recorded, in ground axes.",
    )
    wrenches: Annotated[Names, Form('a list of names, such as ["arm"] or ["all"]')] = Field(
        [], description='Bodies whose joints\' moments and forces are recorded, in body axes; "all" for every joint.'
    )
    nodes: Annotated[Names, Form("a list of names")] = Field(
        [],
        description='Nodes of flexible bodies, "boom/12", whose elastic displacement is recorded, in body axes; "boom" '
        "for all nodes of a body.",
    )
    strains: Annotated[Names, Form("a list of names")] = Field(
        [], description="Flexible bodies, of beams or solid elements, whose strains are recorded."
    )

    def arguments(self) -> dict[str, Any]:
        """What the file gives, as keyword arguments of `supple.Outputs`."""
        return self.model_dump(exclude_unset=True)

    def errors(self, model: Model) -> list[str]:
        """What does not fit a model: names that it does not have, each with the nearest that it has."""
        return Outputs(**self.arguments()).errors(model)
