"""The tables of a model file that describe flexible bodies: structures and their reduction."""

from __future__ import annotations

from abc import abstractmethod
from pathlib import Path
from typing import Annotated, ClassVar, Literal, Self

from pydantic import Field, Strict

from supple.errors import ModelError
from supple.files.file_table import (
    Axis,
    FileTable,
    Form,
    Name,
    Nine,
    NotNegative,
    Positive,
    Text,
    Three,
    Truth,
    Vector,
    by_type,
)
from supple.files.sections import (
    AllMaterials,
    AnyMaterial,
    AnySection,
    Materials,
    MaterialTable,
    Sections,
    find_material,
)
from supple.structures.beams import beam, beam_path
from supple.structures.body import FlexibleBody
from supple.structures.imports.imported import ImportedStructure
from supple.structures.imports.reading import read
from supple.structures.solids import box
from supple.structures.structure import Structure
from supple.structures.superelement import Superelement

Node = Annotated[int, Strict(), Field(ge=0)]
Count = Annotated[int, Strict(), Field(ge=1)]
Label = Annotated[int, Strict(), Field(ge=1)]
Elements = Annotated[Count | list[Count], Form("a whole number, one or more, or a list with one for each segment")]


class PointMassTable(FileTable):
    """A rigid piece on a node or frame of a structure: a motor, a camera, a tip mass."""

    at: Annotated[Text | Node, Form("the name of a frame or the number of a node")] = Field(
        description="Where it sits: a frame, or a node by its number."
    )
    mass: NotNegative = Field(description="kg.")
    inertia: Annotated[Three | Nine, Form("3 numbers (a diagonal) or 3 rows of 3 numbers")] = Field(
        [0.0, 0.0, 0.0], description="About its own centre of mass, axes of the structure, kg m^2."
    )
    offset: Vector = Field([0.0, 0.0, 0.0], description="From the node or frame to the centre of mass, m.")


class StructureTable(FileTable):
    """What every structure has."""

    name: Name = Field(description="Name of the structure.")
    frames: Annotated[dict[str, Node | list[Node]], Form("a table of node numbers by name")] = Field(
        {},
        description="More named frames, by the numbers of their nodes: `{ middle = 5 }`; several are a rigid region.",
    )
    point_mass: Annotated[list[PointMassTable], Form("[[structure.point_mass]] tables")] = Field(
        [], description="Rigid pieces on it, each a `[[structure.point_mass]]` behind the structure's own keys."
    )

    prefix: ClassVar[str] = "beam: "
    """What messages about it begin with."""

    @abstractmethod
    def bare(self, materials: Materials) -> Structure:
        """The structure with the frames that its type brings, and nothing on it."""

    def made(self, materials: Materials) -> Structure:
        """The structure with frames and masses."""
        structure = self.bare(materials)
        for name, nodes in self.frames.items():
            if name in structure.frames:
                raise ModelError(f"frames: there is a frame {name!r} already")
            structure = structure.with_frame(name, nodes)
        for i, piece in enumerate(self.point_mass, start=1):
            try:
                structure = structure.with_mass(piece.at, piece.mass, piece.inertia, piece.offset)
            except ModelError as error:
                raise ModelError(f"point_mass[{i}]: {error}") from None
        return structure


class BeamTable(StructureTable):
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


class BeamPathTable(StructureTable):
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


class BoxTable(StructureTable):
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


class ImportTable(StructureTable):
    """A structure or a superelement from files of CalculiX, Abaqus, Nastran, Ansys or others.

    Nastran needs pyyeti: `pip install supple[nastran]`. `supple import` shows what to check.
    """

    type: Literal["import"]
    file: Annotated[Text | list[Text], Form("the name of a file or a list of names")] = Field(
        description="A deck beside which the matrices stand, or all files; relative paths start at the model file's "
        "folder."
    )
    units: Annotated[Text, Form('length, mass and time such as "mm-t-s"')] = Field(
        "m-kg-s", description="Of the files: length, mass and time. Forces are in mass x length / time^2."
    )
    frames: Annotated[
        dict[str, Label | list[Label] | Text], Form("a table of node labels or names of node sets by name")
    ] = Field(  # type: ignore[assignment]
        {},
        description="Named frames, by the labels of their nodes in the files, or by the name of a node set: `{ start = "
        '"ROOT", tip = 17 }`; several are a rigid region. Of a superelement: boundary nodes.',
    )
    prefix: ClassVar[str] = ""

    def beside(self, folder: Path) -> Self:
        """The same with paths that start at a folder."""
        names = [self.file] if isinstance(self.file, str) else self.file
        return self.model_copy(update={"file": [str(folder / name) for name in names]})

    def bare(self, materials: Materials) -> ImportedStructure | Superelement:  # type: ignore[override]
        """What the files hold, with its frames."""
        found = read(self.file, self.frames or None, self.units)
        if isinstance(found, FlexibleBody):
            raise ModelError(
                "file: holds a body that is reduced already; name it in `flexible = { file = ... }` instead"
            )
        return found

    def made(self, materials: Materials) -> ImportedStructure | Superelement:  # type: ignore[override]
        """The structure with masses."""
        structure = self.bare(materials)
        for i, piece in enumerate(self.point_mass, start=1):
            if isinstance(structure, Superelement):
                raise ModelError("point_mass: a superelement takes none; put a rigid body on its frame instead")
            try:
                where = piece.at if isinstance(piece.at, str) else structure.node(piece.at)
                structure = structure.with_mass(where, piece.mass, piece.inertia, piece.offset)
            except ModelError as error:
                raise ModelError(f"point_mass[{i}]: {error}") from None
        return structure


OneStructure = BeamTable | BeamPathTable | BoxTable | ImportTable
STRUCTURES = by_type(OneStructure)
AnyStructure = Annotated[OneStructure, Field(discriminator="type")]
