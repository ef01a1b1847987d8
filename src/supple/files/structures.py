"""The tables of a model file that describe structures: beams, solids, and all others together."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from supple.files.assemblies import AssemblyTable
from supple.files.file_table import Axis, Form, Positive, Three, Truth, by_type
from supple.files.imported_structures import ImportTable
from supple.files.plates import PlateTable, ShellTable
from supple.files.sections import (
    AllMaterials,
    AnyMaterial,
    AnySection,
    Materials,
    MaterialTable,
    Sections,
    find_material,
)
from supple.files.structure_table import Count, NumberedTable
from supple.structures.builders.beam import beam, beam_path
from supple.structures.builders.solid import box
from supple.structures.structure import Structure

Elements = Annotated[Count | list[Count], Form("a whole number, one or more, or a list with one for each segment")]


class BeamTable(NumberedTable):
    """A straight beam along x, with frames `start` and `end`; nodes are numbered from the start, from 0."""

    type: Literal["beam"]
    length: Positive = Field(description="m.")
    section: AnySection = Field(description="See Sections.")
    material: AnyMaterial = Field(description="See Materials.")
    elements: Annotated[Count, Form("a whole number, one or more")] = Field(description="All of the same length.")
    lumped: Truth = Field(False, description="Mass at the nodes instead of spread along the elements.")
    shear: Truth = Field(False, description="Timoshenko's beam instead of Euler and Bernoulli's.")

    def bare(self, materials: Materials) -> Structure:
        """The beam."""
        material = find_material(self.material, materials)
        return beam(self.length, self.section.made(), material, self.elements, self.lumped, self.shear)


class BeamPathTable(NumberedTable):
    """Straight beams one after the other, rigidly joined, with frames `start`, `corner1`, ... and `end`."""

    type: Literal["beam-path"]
    points: Annotated[list[Three], Field(min_length=2), Form("two or more rows of 3 numbers")] = Field(
        description="Start, corners and end, m."
    )
    section: Sections = Field(description="See Sections.")
    material: AllMaterials = Field(description="See Materials.")
    elements: Elements = Field(description="In each segment.")
    y_axis: Annotated[Axis | list[Axis] | None, Form('"x", "y", "z", 3 numbers, or a list of these')] = Field(
        None, description="Direction of the section's width, for all segments or one for each; by default horizontal."
    )
    lumped: Truth = Field(False, description="Mass at the nodes instead of spread along the elements.")
    shear: Truth = Field(False, description="Timoshenko's beam instead of Euler and Bernoulli's.")

    def bare(self, materials: Materials) -> Structure:
        """The beams."""
        sections = [s.made() for s in self.section] if isinstance(self.section, list) else self.section.made()
        each: list[str | MaterialTable] = self.material if isinstance(self.material, list) else [self.material]
        found = [find_material(m, materials) for m in each]
        return beam_path(
            self.points,
            sections,
            found if isinstance(self.material, list) else found[0],
            self.elements,
            lumped=self.lumped,
            shear=self.shear,
            y_axis=self.y_axis,
        )


class BoxTable(NumberedTable):
    """A solid box along x, centred in y and z; its end faces are rigid, the frames `start` and `end`.

    It needs scikit-fem: `pip install supple[solids]`.
    """

    type: Literal["box"]
    length: Positive = Field(description="Along x, m.")
    width: Positive = Field(description="Along y, m.")
    height: Positive = Field(description="Along z, m.")
    material: AnyMaterial = Field(description="See Materials.")
    elements: Annotated[list[Count], Field(min_length=3, max_length=3), Form("3 whole numbers, one or more")] = Field(
        description="How many along x, y and z."
    )
    quadratic: Truth = Field(True, description="Elements of 27 nodes instead of 8.")
    prefix: ClassVar[str] = "box: "

    def bare(self, materials: Materials) -> Structure:
        """The box."""
        material = find_material(self.material, materials)
        return box(self.length, self.width, self.height, material, self.elements, self.quadratic)


OneStructure = BeamTable | BeamPathTable | PlateTable | ShellTable | BoxTable | AssemblyTable | ImportTable
STRUCTURES = by_type(OneStructure)
AnyStructure = Annotated[OneStructure, Field(discriminator="type")]
