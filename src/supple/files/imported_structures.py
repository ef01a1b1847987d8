"""The table of a model file that names files of a finite-element program."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, ClassVar, Literal, Self

from pydantic import Field, Strict

from supple.errors import ModelError
from supple.files.file_table import FileTable, Form, Real, Text, Truth
from supple.files.sections import Materials
from supple.files.structure_table import Structures, StructureTable
from supple.structures.body.flexible_body import FlexibleBody
from supple.structures.body.substructured_beam import BeamPieces
from supple.structures.body.superelement import Superelement
from supple.structures.formats.imported import ImportedStructure
from supple.structures.formats.read import read
from supple.structures.formats.tangents import Tangent
from supple.structures.structure import Structure

Label = Annotated[int, Strict(), Field(ge=1)]


class TangentTable(FileTable):
    """The stiffness of the mesh under a load, by which the body stiffens."""

    load: Text = Field(
        description='Load case: "spin about z", "acceleration x", "angular acceleration about x", "force x at tip", '
        '"moment x at tip" and the like; the root is held.'
    )
    file: Annotated[Text | list[Text], Form("the name of a file or a list of names")] = Field(
        description="A deck of the same mesh beside which the matrices stand, or all files."
    )
    size: Real = Field(description="Of the load: rad/s, rad/s^2, m/s^2, N or N m.")
    softened: Truth = Field(
        True, description="The tangent of a spin contains the centrifugal softening, as in CalculiX and Abaqus."
    )


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
    ] = Field(
        {},
        description="Named frames, by the labels of their nodes in the files, or by the name of a node set: `{ start = "
        '"ROOT", tip = 17 }`; several are a rigid region. Of a superelement: boundary nodes.',
    )
    superelement: Annotated[Annotated[int, Strict(), Field(ge=0)] | None, Form("a whole number, zero or more")] = Field(
        None, description="Which one to take from files of NAS2CAM that hold several; 0 is the residual structure."
    )
    tangents: Annotated[list[TangentTable], Form("a list of {load, file, size, softened}")] = Field(
        [], description="Files with the stiffness of the same mesh under loads, by which the body stiffens."
    )
    prefix: ClassVar[str] = ""

    def beside(self, folder: Path) -> Self:
        """The same with paths that start at a folder."""
        tangents = [x.model_copy(update={"file": _beside(folder, x.file)}) for x in self.tangents]
        return self.model_copy(update={"file": _beside(folder, self.file), "tangents": tangents})

    def framed(self, materials: Materials, structures: Structures) -> ImportedStructure | Superelement:
        """What the files hold, with its frames."""
        twice = [x.load for i, x in enumerate(self.tangents) if x.load in [y.load for y in self.tangents[:i]]]
        if twice:
            raise ModelError(f"tangents: expected each load once, got {twice[0]!r} twice")
        tangents = {x.load: Tangent(x.file, x.size, x.softened) for x in self.tangents}
        found = read(self.file, self.frames or None, self.units, tangents or None, self.superelement)
        if isinstance(found, FlexibleBody | BeamPieces):
            raise ModelError(
                "file: holds a body that is reduced already; name it in `flexible = { file = ... }` instead"
            )
        return found

    def place(self, structure: Structure, at: str | int) -> str | int:
        """Nodes go by their labels in the files."""
        assert isinstance(structure, ImportedStructure)
        return at if isinstance(at, str) else structure.node(at)


def _beside(folder: Path, names: str | list[str]) -> list[str]:
    return [str(folder / name) for name in ([names] if isinstance(names, str) else names)]
