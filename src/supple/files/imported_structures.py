"""The table of a model file that names files of a finite-element program."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, ClassVar, Literal, Self

from pydantic import Field, Strict

from supple.errors import ModelError
from supple.files.file_table import Form, Text
from supple.files.sections import Materials
from supple.files.structure_table import Structures, StructureTable
from supple.structures.body import FlexibleBody
from supple.structures.imports.imported import ImportedStructure
from supple.structures.imports.reading import read
from supple.structures.structure import Structure
from supple.structures.superelement import Superelement

Label = Annotated[int, Strict(), Field(ge=1)]


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
    prefix: ClassVar[str] = ""

    def beside(self, folder: Path) -> Self:
        """The same with paths that start at a folder."""
        names = [self.file] if isinstance(self.file, str) else self.file
        return self.model_copy(update={"file": [str(folder / name) for name in names]})

    def framed(self, materials: Materials, structures: Structures) -> ImportedStructure | Superelement:
        """What the files hold, with its frames."""
        found = read(self.file, self.frames or None, self.units)
        if isinstance(found, FlexibleBody):
            raise ModelError(
                "file: holds a body that is reduced already; name it in `flexible = { file = ... }` instead"
            )
        return found

    def place(self, structure: Structure, at: str | int) -> str | int:
        """Nodes go by their labels in the files."""
        assert isinstance(structure, ImportedStructure)
        return at if isinstance(at, str) else structure.node(at)
