"""What the tables of structures have in common: a name, frames, and rigid pieces on them."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Annotated, ClassVar

from pydantic import Field, Strict

from supple.errors import ModelError
from supple.files.file_table import FileTable, Form, Name, Nine, NotNegative, Text, Three, Vector
from supple.files.sections import Materials
from supple.structures.body.superelement import Superelement
from supple.structures.structure import Structure

Structures = Mapping[str, Structure | Superelement | None]
"""Structures by name; None for one that could not be made."""
Node = Annotated[int, Strict(), Field(ge=0)]
Count = Annotated[int, Strict(), Field(ge=1)]


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
    point_mass: Annotated[list[PointMassTable], Form("[[structure.point_mass]] tables")] = Field(
        [], description="Rigid pieces on it, each a `[[structure.point_mass]]` behind the structure's own keys."
    )

    prefix: ClassVar[str] = "beam: "
    """What messages about it begin with."""

    @abstractmethod
    def framed(self, materials: Materials, structures: Structures) -> Structure | Superelement:
        """The structure with its frames, and nothing on it."""

    def made(self, materials: Materials, structures: Structures) -> Structure | Superelement:
        """The structure with frames and masses, given the materials and structures above it in the file."""
        structure = self.framed(materials, structures)
        for i, piece in enumerate(self.point_mass, start=1):
            if isinstance(structure, Superelement):
                raise ModelError("point_mass: a superelement takes none; put a rigid body on its frame instead")
            try:
                structure = structure.with_mass(
                    self.place(structure, piece.at), piece.mass, piece.inertia, piece.offset
                )
            except ModelError as error:
                raise ModelError(f"point_mass[{i}]: {error}") from None
        return structure

    def place(self, structure: Structure, at: str | int) -> str | int:
        """The frame or number of the node that a file means."""
        return at


class NumberedTable(StructureTable):
    """A structure whose frames are given by the numbers of its nodes."""

    frames: Annotated[dict[str, Node | list[Node]], Form("a table of node numbers by name")] = Field(
        {},
        description="More named frames, by the numbers of their nodes: `{ middle = 5 }`; several are a rigid region.",
    )
    averages: Annotated[dict[str, list[Node]], Form("a table of lists of node numbers by name")] = Field(
        {}, description="Frames that move as the mean of some nodes and do not stiffen them, by the nodes' numbers."
    )

    @abstractmethod
    def bare(self, materials: Materials) -> Structure:
        """The structure with the frames that its type brings."""

    def framed(self, materials: Materials, structures: Structures) -> Structure:
        """The structure with its frames."""
        structure = self.bare(materials)
        for name, nodes in self.frames.items():
            if name in structure.frames:
                raise ModelError(f"frames: there is a frame {name!r} already")
            structure = structure.with_frame(name, nodes)
        for name, some in self.averages.items():
            structure = structure.with_average(name, some)
        return structure
