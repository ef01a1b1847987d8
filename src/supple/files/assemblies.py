"""The tables of a model file that describe structures made of others."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from supple.errors import ModelError, nearest
from supple.files.error_list import ReportedError
from supple.files.file_table import AnyRotation, FileTable, Form, MaybePositive, Name, Number, Text, Vector
from supple.files.sections import Materials
from supple.files.structure_table import Structures, StructureTable
from supple.structures.body.superelement import Superelement
from supple.structures.builders.assembly import assemble
from supple.structures.builders.connections import Attach, Bushing, Connection, Follow, Part, Weld
from supple.structures.structure import Structure

Frames = Annotated[list[str], Field(min_length=1), Form('a list of frames such as "panel.corner1" or "panel.12"')]


class PartTable(FileTable):
    """A structure as a part of another one."""

    name: Name = Field(description="Name of the part.")
    structure: Text = Field(description="Name of a `[[structure]]` above this one; several parts may be of the same.")
    at: Vector = Field([0.0, 0.0, 0.0], description="Where its origin is, m.")
    rotation: AnyRotation = Field(None, description="From its axes to those of the whole: see Rotations.")

    def made(self, structures: Structures) -> Part:
        """The part."""
        if self.structure not in structures:
            raise ModelError(
                f"structure: no [[structure]] {self.structure!r} above this one{nearest(self.structure, structures)}"
            )
        found = structures[self.structure]
        if found is None:
            raise ReportedError
        if isinstance(found, Superelement):
            raise ModelError(f"structure: expected one with all its nodes, got the superelement {self.structure!r}")
        turn = self.rotation.matrix() if isinstance(self.rotation, FileTable) else self.rotation
        return Part(found, self.at, turn)


class WeldTable(FileTable):
    """Frames that are one rigid body, also at a distance from each other (RBE2)."""

    frames: Frames = Field(description="`part.frame`, or `part.12` for a node.")


class AttachTable(FileTable):
    """Nodes of a part rigidly joined to the nearest nodes of another: a stiffener on a panel."""

    part: Text = Field(description="The part whose nodes are joined.")
    to: Text = Field(description="The part that they are joined to.")
    within: MaybePositive = Field(
        None, description="Nodes farther away than this stay free, m; by default all that are not at the same place."
    )


class BushingTable(FileTable):
    """Springs between two frames, along and about the axes of the whole."""

    first: Text = Field(description="`part.frame` or `part.12`.")
    second: Text = Field(description="Likewise; if it is elsewhere, a rigid arm carries it to the first.")
    stiffness: Vector = Field([0.0, 0.0, 0.0], description="Along x, y, z, N/m.")
    rotational: Vector = Field([0.0, 0.0, 0.0], description="About x, y, z, N m/rad.")


class FollowTable(FileTable):
    """A frame that moves as the mean of others and does not stiffen them (RBE3)."""

    frame: Text = Field(description="The one that follows, `part.frame` or `part.12`.")
    others: Frames = Field(description="Those that it follows.")
    weights: Annotated[list[Number] | None, Form("a list of numbers, one for each")] = Field(
        None, description="Of each; by default equal."
    )


class AssemblyTable(StructureTable):
    """Structures joined into one before it is reduced. Nodes are those of the parts, one part after the other."""

    type: Literal["assembly"]
    part: Annotated[list[PartTable], Field(min_length=1), Form("at least one [[structure.part]]")] = Field(
        description="What it is made of."
    )
    weld: Annotated[list[WeldTable], Form("[[structure.weld]] tables")] = Field(
        [], description="Frames that are one rigid body."
    )
    attach: Annotated[list[AttachTable], Form("[[structure.attach]] tables")] = Field(
        [], description="Parts joined at all nodes that are near each other."
    )
    bushing: Annotated[list[BushingTable], Form("[[structure.bushing]] tables")] = Field(
        [], description="Springs between frames."
    )
    follow: Annotated[list[FollowTable], Form("[[structure.follow]] tables")] = Field(
        [], description="Frames that move as the mean of others."
    )
    frames: Annotated[dict[str, str | list[str]] | None, Form('a table of "part.frame" by name, or lists of these')] = (
        Field(None, description="Its frames; several are a rigid region. By default all of all parts, as `part.frame`.")
    )
    prefix: ClassVar[str] = "assembly: "

    def framed(self, materials: Materials, structures: Structures) -> Structure:
        """The whole."""
        parts = {}
        for i, table in enumerate(self.part, start=1):
            if table.name in parts:
                raise ModelError(f"part[{i}]: there is a part {table.name!r} already")
            if table.structure == self.name:
                raise ModelError(f"part[{i}] {table.name!r}: structure: expected one above this one, got itself")
            try:
                parts[table.name] = table.made(structures)
            except ReportedError:
                raise
            except ModelError as error:
                raise ModelError(f"part[{i}] {table.name!r}: {error}") from None
        connections: list[Connection] = [Weld(weld.frames) for weld in self.weld]
        connections += [Attach(one.part, one.to, one.within) for one in self.attach]
        connections += [Bushing(one.first, one.second, one.stiffness, one.rotational) for one in self.bushing]
        connections += [Follow(one.frame, one.others, one.weights) for one in self.follow]
        return assemble(parts, connections, self.frames)
