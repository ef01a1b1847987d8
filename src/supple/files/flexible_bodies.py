"""From the tables of a model file to flexible bodies; what several bodies have in common is made once."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TypeVar

from supple.errors import FileFormatError, ModelError, nearest
from supple.files.error_list import ErrorList, ReportedError
from supple.files.flexible_tables import AnyFlexible, ModesTable, ReductionTable, StoredTable, damping_of
from supple.files.imported_structures import ImportTable
from supple.files.schema import ModelFile
from supple.input_files import require_file
from supple.structures.body.flexible_body import FlexibleBody
from supple.structures.body.substructured_beam import BeamPieces
from supple.structures.body.superelement import Superelement
from supple.structures.builders.beam import Beam
from supple.structures.formats.read import read
from supple.structures.layups import Orthotropic
from supple.structures.materials import Material
from supple.structures.structure import Structure

T = TypeVar("T")


class FlexibleBodies:
    """The materials, structures and flexible bodies of one file.

    What cannot be made is reported once, where it stands in the file, and is None from then on.

    Parameters
    ----------
    file : ModelFile
    errors : ErrorList
        Takes what is wrong.
    """

    def __init__(self, file: ModelFile, errors: ErrorList) -> None:
        self.errors = errors
        self.materials: dict[str, Material | Orthotropic | None] = {}
        self.structures: dict[str, Structure | Superelement | None] = {}
        self.bodies: dict[str, FlexibleBody | BeamPieces | None] = {}
        for i, material in enumerate(file.material, start=1):
            place = f"material[{i}] {material.name!r}"
            make: Callable[[], Material | Orthotropic] = material.made
            self._add(self.materials, material.name, place, "material: ", make)
        for i, structure in enumerate(file.structure, start=1):
            place = f"structure[{i}] {structure.name!r}"
            table = structure.beside(errors.path.parent) if isinstance(structure, ImportTable) else structure
            made = partial(table.made, self.materials, self.structures)
            self._add(self.structures, structure.name, place, structure.prefix, made)

    def _add(self, shelf: dict[str, T | None], name: str, place: str, prefix: str, make: Callable[[], T]) -> None:
        """Put what `make` makes under its name; messages about it begin with the prefix."""
        if name in shelf:
            what = place.partition("[")[0]
            self.errors.add(place, f"name: there is a {what} of this name already")
            return
        shelf[name] = None
        with self.errors.collected(place, prefix), self.errors.collected_warnings(place, prefix):
            shelf[name] = make()

    def body(self, table: AnyFlexible, place: str) -> FlexibleBody | BeamPieces | None:
        """The body or beam in pieces that a table describes, the same object for equal tables."""
        key: str
        make: Callable[[], FlexibleBody | BeamPieces]
        if isinstance(table, StoredTable):
            path = self.errors.path.parent / table.file
            key, make = os.path.abspath(path), partial(_stored, path)
        elif isinstance(table, ModesTable):
            key, make = repr(table), partial(ModesTable.made, table)
        else:
            key, make = repr(table), partial(self._reduced, table)
        if key not in self.bodies:
            self.bodies[key] = None
            with self.errors.collected(place), self.errors.collected_warnings(place):
                self.bodies[key] = make()
        return self.bodies[key]

    def _reduced(self, table: ReductionTable) -> FlexibleBody | BeamPieces:
        if table.structure not in self.structures:
            raise ModelError(
                f"structure: no [[structure]] {table.structure!r}{nearest(table.structure, self.structures)}"
            )
        structure = self.structures[table.structure]
        if structure is None:
            raise ReportedError
        given = table.basis, table.chosen(), table.root, table.interfaces, damping_of(table.damping)
        if isinstance(structure, Superelement):
            if table.residual or table.pieces > 1:
                key = "residual" if table.residual else "pieces"
                raise ModelError(f"{key}: expected a structure with all its nodes, got a superelement")
            return structure.reduce(*given)
        if table.pieces == 1:
            return structure.reduce(*given, table.residual)
        if not isinstance(structure, Beam):
            raise ModelError(f"pieces: expected a beam or a beam path, got {table.structure!r}, which is neither")
        try:
            return structure.pieces(table.pieces, *given)
        except ModelError as error:
            raise ModelError(str(error).removeprefix("beam: ")) from None


def _stored(path: Path) -> FlexibleBody | BeamPieces:
    """The body, or the beam in pieces, in a file; an error that begins with the key that names the file."""
    try:
        require_file(path)
        found = read(path)
    except FileFormatError as error:
        raise FileFormatError(f"file: {error}") from None
    if not isinstance(found, FlexibleBody | BeamPieces):
        raise ModelError('file: holds a structure, not a body; take it by [[structure]] type = "import" and reduce it')
    return found
