"""The table of a model file that says what is recorded besides states, energies and momentum."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field, model_validator

from supple.description.orientation import euler_sequence
from supple.errors import StateError
from supple.files.file_table import FileTable, Form, plain_error
from supple.inputs.requests import Outputs

if TYPE_CHECKING:
    from supple.model.model import Model

Names = list[Annotated[str, Field(min_length=1)]]


class OutputTable(FileTable):
    """What `supple run` records besides states, energies and momentum: the arguments of `supple.Outputs`."""

    frames: Annotated[Names, Form("a list of names")] = Field(
        [],
        description='Frames, "body", "body/place" or "body/12", whose position, orientation, velocity and acceleration '
        "are recorded; for their axes see `velocity_axes`.",
    )
    wrenches: Annotated[Names, Form('a list of names, such as ["arm"] or ["all"]')] = Field(
        [], description='Bodies whose joints\' moments and forces are recorded; "all" for every joint.'
    )
    nodes: Annotated[Names, Form("a list of names")] = Field(
        [],
        description='Nodes of flexible bodies, "boom/12", whose elastic displacement is recorded, in body axes; "boom" '
        "for all nodes of a body.",
    )
    strains: Annotated[Names, Form("a list of names")] = Field(
        [], description="Flexible bodies, of beams or solid elements, whose strains are recorded."
    )
    stresses: Annotated[Names, Form("a list of names")] = Field(
        [],
        description="Flexible bodies whose stresses are recorded at all of their recovery points, or places on them, "
        '"boom/12" or "boom/end".',
    )
    worst_stresses: Annotated[Names, Form("a list of names")] = Field(
        [],
        description="Flexible bodies of which the largest von Mises stress over all points is recorded, and its place.",
    )
    section_forces: Annotated[Names, Form("a list of names")] = Field(
        [], description="Beams whose normal and shear forces, torsional and bending moments are recorded."
    )
    recovery: Annotated[Literal["displacement", "acceleration"], Form('"displacement" or "acceleration"')] = Field(
        "displacement",
        description="How stresses and section forces are found: from the coordinates of the bodies, or with static "
        "corrections, so that they are those of all loads whatever the number of modes.",
    )
    euler: Annotated[Names, Form('a list of names, such as ["base"] or ["all"]')] = Field(
        [],
        description="Bodies on free and spherical joints whose Euler angles in the joint frame are recorded.",
    )
    euler_sequence: Annotated[str, Form('three axes such as "xyz" or "ZYX"')] = Field(
        "xyz", description="Their axes: small letters about fixed axes, capitals about axes that turn with the body."
    )
    velocity_axes: Annotated[
        Literal["ground", "parent", "body", "frame"], Form('"ground", "parent", "body" or "frame"')
    ] = Field("ground", description="Along which axes velocities and accelerations of frames are given.")
    wrench_axes: Annotated[Literal["ground", "parent", "body"], Form('"ground", "parent" or "body"')] = Field(
        "body", description="Along which axes moments and forces of joints are given."
    )

    @model_validator(mode="after")
    def _sequence(self) -> OutputTable:
        try:
            euler_sequence(self.euler_sequence)
        except StateError as error:
            raise plain_error(f"euler_sequence: {error}") from None
        return self

    def arguments(self) -> dict[str, Any]:
        """What the file gives, as keyword arguments of `supple.Outputs`."""
        return self.model_dump(exclude_unset=True)

    def errors(self, model: Model) -> list[str]:
        """What does not fit a model: names that it does not have, each with the nearest that it has."""
        return Outputs(**self.arguments()).errors(model)
