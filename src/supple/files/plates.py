"""The tables of a model file that describe plates, shells and their layers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from pydantic import Field

from supple.errors import ModelError
from supple.files.error_list import ReportedError
from supple.files.file_table import FileTable, Form, MaybePositive, Nine, NotNegative, Number, Positive, Real, Three
from supple.files.sections import (
    MATERIAL_WORDS,
    LayerMaterial,
    Materials,
    OneMaterial,
    find_any_material,
    find_material,
)
from supple.files.structure_table import Count, Node, NumberedTable, Structures, StructureTable
from supple.structures.builders.plate import plate
from supple.structures.builders.shell import shell
from supple.structures.layups import Layer, Layup
from supple.structures.materials import Material
from supple.structures.structure import Structure

Two = Annotated[list[Number], Field(min_length=2, max_length=2)]
TwoByTwo = Annotated[list[Two], Field(min_length=2, max_length=2)]
Corners = Annotated[list[Two], Field(min_length=3)]
OnPlate = str | Two | Annotated[list[Two], Field(min_length=1)]
PLACES = "a table of places by name: [x, y], several of these, or an edge or corner"


class LayerTable(FileTable):
    """A layer of a plate."""

    thickness: Positive = Field(description="m.")
    material: LayerMaterial = Field(description="See Materials; it may be orthotropic.")
    angle_deg: Real = Field(0.0, description="From the plate's x to the fibres, towards y, degrees.")

    def made(self, materials: Materials) -> Layer:
        """The layer."""
        return Layer(self.thickness, find_any_material(self.material, materials), float(np.deg2rad(self.angle_deg)))


class ABDTable(FileTable):
    """Stiffness and mass per area of a plate, from another program."""

    A: Annotated[Nine, Form("3 rows of 3 numbers")] = Field(description="Stretching, N/m.")
    B: Annotated[Nine, Form("3 rows of 3 numbers")] = Field(
        [[0.0] * 3] * 3, description="Between stretching and bending, N."
    )
    D: Annotated[Nine, Form("3 rows of 3 numbers")] = Field(description="Bending, N m.")
    shear: Annotated[
        Two | Annotated[list[Two], Field(min_length=2, max_length=2)], Form("2 numbers or 2 rows of 2")
    ] = Field(description="Transverse shear along x and y, N/m.")
    thickness: Positive = Field(description="m.")
    mass: NotNegative = Field(description="kg/m^2.")
    moment: Real = Field(0.0, description="Of the mass about the middle plane, kg/m.")
    inertia: Annotated[Number | None, Form("a number")] = Field(
        None, description="Of the mass about the middle plane, kg; by default that of mass spread over the thickness."
    )

    def made(self) -> Layup:
        """The layup."""
        return Layup.from_abd(self.A, self.B, self.D, self.shear, self.thickness, self.mass, self.moment, self.inertia)


class ThinTable(StructureTable):
    """What plates and shells are made of: one material, layers, or given stiffness per area."""

    thickness: MaybePositive = Field(None, description="m.")
    material: Annotated[OneMaterial | None, Form(MATERIAL_WORDS)] = Field(None, description="See Materials.")
    layers: Annotated[
        list[LayerTable] | None, Field(min_length=1), Form("a list of {thickness, material, angle_deg}")
    ] = Field(None, description="From the lower face to the upper, in place of thickness and material.")
    abd: Annotated[ABDTable | None, Form("a table {A, B, D, shear, thickness, mass}")] = Field(
        None, description="Stiffness and mass per area, in place of thickness and material."
    )

    @classmethod
    def conflicts(cls, data: dict[str, Any]) -> Iterator[tuple[str, str]]:
        """One way to say what it is made of."""
        ways = [key for key in ("thickness", "layers", "abd") if key in data]
        if len(ways) != 1:
            yield "", f"expected thickness and material, layers, or abd, got {' and '.join(ways) or 'none of them'}"
        elif ("material" in data) != (ways == ["thickness"]):
            wrong = f"expected only with thickness, not with {ways[0]}"
            yield "material", wrong if "material" in data else f"missing; expected {MATERIAL_WORDS}"

    def found_material(self, materials: Materials) -> Material | None:
        """That of a plate or shell of one material."""
        return None if self.material is None else find_material(self.material, materials)

    def layup(self, materials: Materials) -> Layup | None:
        """What it is made of otherwise."""
        if self.layers is not None:
            return Layup([self._layer(i, materials) for i in range(len(self.layers))])
        return None if self.abd is None else self.abd.made()

    def _layer(self, number: int, materials: Materials) -> Layer:
        """A layer; messages about it begin with its place."""
        assert self.layers is not None
        try:
            return self.layers[number].made(materials)
        except ReportedError:
            raise
        except ModelError as error:
            raise ModelError(f"layers[{number + 1}]: {error}") from None


class PlateTable(ThinTable):
    """A flat plate in the x-y plane, of one material, of layers, or with given stiffness per area.

    A rectangle lies along x from the origin, centred in y; its edges are `x_min`, `x_max`, `y_min` and `y_max`. Those
    of any outline are `edge1`, from the first corner to the second, `edge2`, ..., and its corners `corner1`,
    `corner2`, ...; the first corner of a rectangle is that at `x_min` and `y_min`, and they go against the clock.
    """

    type: Literal["plate"]
    outline: Annotated[Two | Annotated[list[Two], Field(min_length=3)], Form("2 numbers, or 3 or more rows of 2")] = (
        Field(description="Length and width of a rectangle, or the corners of a polygon in order, m.")
    )
    elements: Annotated[
        Annotated[list[Count], Field(min_length=2, max_length=2)] | None, Form("2 whole numbers, one or more")
    ] = Field(None, description="Of a rectangle: how many along x and y.")
    spacing: MaybePositive = Field(
        None, description="Length of the elements of a polygon, or of a rectangle in place of `elements`, m."
    )
    frames: Annotated[dict[str, OnPlate], Form(PLACES)] = Field(
        {}, description="Named frames; several positions, or an edge, are a rigid region. Nodes are put there."
    )
    averages: Annotated[dict[str, OnPlate], Form(PLACES)] = Field(
        {}, description="Frames that move as the mean of several positions, or of an edge, and do not stiffen them."
    )
    prefix: ClassVar[str] = "plate: "

    @classmethod
    def conflicts(cls, data: dict[str, Any]) -> Iterator[tuple[str, str]]:
        """One way to say what it is made of, one to say how it is divided."""
        yield from super().conflicts(data)
        polygon = isinstance(data.get("outline"), list) and len(data["outline"]) > 2
        if polygon and "elements" in data:
            yield "elements", "expected only for a rectangle; give a polygon a spacing"
        elif ("elements" in data) == ("spacing" in data):
            got = "both" if "elements" in data else "neither"
            yield "", "spacing: missing" if polygon else f"expected either elements or a spacing, got {got}"

    def framed(self, materials: Materials, structures: Structures) -> Structure:
        """The plate."""
        return plate(
            self.outline,
            self.thickness,
            self.found_material(materials),
            self.elements,
            self.spacing,
            self.layup(materials),
            self.frames,
            self.averages,
        )


class ShellTable(ThinTable, NumberedTable):
    """A thin curved shell: a mesh of quadrilaterals, or of triangles, each of which is cut into three of these.

    Nodes go round all elements in the same sense; layers are along the first edge of each element.
    """

    type: Literal["shell"]
    nodes: Annotated[list[Three], Field(min_length=3), Form("3 or more rows of 3 numbers")] = Field(
        description="Positions, m."
    )
    elements: Annotated[
        list[Annotated[list[Node], Field(min_length=3, max_length=4)]],
        Field(min_length=1),
        Form("rows of 4 node numbers, or of 3"),
    ] = Field(description="Numbers of the nodes of each element, from 0, in order around it.")
    prefix: ClassVar[str] = "shell: "

    @classmethod
    def conflicts(cls, data: dict[str, Any]) -> Iterator[tuple[str, str]]:
        """Elements of one kind."""
        yield from super().conflicts(data)
        rows = data.get("elements")
        lengths = {len(x) for x in rows if isinstance(x, list)} if isinstance(rows, list) else set()
        if lengths == {3, 4}:
            yield "elements", "expected quadrilaterals or triangles, got both"

    def bare(self, materials: Materials) -> Structure:
        """The shell."""
        found = self.found_material(materials)
        return shell(self.nodes, self.elements, self.thickness, found, self.layup(materials))
