"""The tables of a model file for what bodies are drawn as."""

from __future__ import annotations

import base64
import zlib
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from supple import shapes
from supple.checks import rotation_matrix
from supple.errors import ModelError
from supple.files.file_table import (
    AnyRotation,
    Axis,
    FileTable,
    Form,
    MaybePositive,
    NotNegative,
    Number,
    Positive,
    Text,
    Three,
    Truth,
    Vector,
    by_type,
)

MOST_BYTES = 2**26
"""Of the triangles of one shape."""
Two = Annotated[list[Number], Field(min_length=2, max_length=2)]


class VisualTable(FileTable):
    """What all shapes have."""

    made_of: ClassVar[type[shapes.Shape]]

    at: Vector = Field([0.0, 0.0, 0.0], description="Origin of the shape, frame of the body, m.")
    rotation: AnyRotation = Field(None, description="Its axes relative to those of the body: see Rotations.")
    color: Annotated[str | None, Form('"#rrggbb" or the name of a colour')] = Field(
        None, description="Colour; that of the body if not given."
    )
    opacity: Annotated[Number, Field(ge=0.0, le=1.0), Form("a number from 0 to 1")] = Field(
        1.0, description="From 0, not to be seen, to 1."
    )
    on: Annotated[str | None, Form("a text")] = Field(
        None, description='A frame of the body, or node of a flexible one ("end", "12"), that it moves with.'
    )

    def made(self, folder: Path) -> shapes.Shape:
        """The shape; files are found from a folder."""
        turn = self.rotation
        R = turn.matrix() if isinstance(turn, FileTable) else rotation_matrix(turn, "rotation")
        return self.made_of(**self._own(folder), at=self.at, rotation=R, color=self.color, opacity=self.opacity)

    def _own(self, folder: Path) -> dict[str, Any]:
        """What the shape is besides its pose and colour."""
        return self.model_dump(exclude={"type", *VisualTable.model_fields})


class BoxShapeTable(VisualTable):
    """A box."""

    made_of = shapes.Box
    type: Literal["box"]
    size: Vector = Field(description="Sides along x, y and z, m.")


class RoundTable(VisualTable):
    """A shape about an axis."""

    axis: Axis = Field("z", description="Its axis.")


class CylinderTable(RoundTable):
    """A full cylinder."""

    made_of = shapes.Cylinder
    type: Literal["cylinder"]
    radius: Positive = Field(description="Radius, m.")
    length: Positive = Field(description="Length, m.")


class SphereTable(VisualTable):
    """A ball."""

    made_of = shapes.Sphere
    type: Literal["sphere"]
    radius: Positive = Field(description="Radius, m.")


class CapsuleTable(RoundTable):
    """A cylinder with half a ball on each end."""

    made_of = shapes.Capsule
    type: Literal["capsule"]
    radius: Positive = Field(description="Radius, m.")
    length: Positive = Field(description="Length of the cylinder alone, m.")


class ConeTable(RoundTable):
    """A cone with its base half its length behind the origin."""

    made_of = shapes.Cone
    type: Literal["cone"]
    radius: Positive = Field(description="Radius of the base, m.")
    length: Positive = Field(description="Length, m.")
    top: NotNegative = Field(0.0, description="Radius of the other end, m.")


class DiscTable(RoundTable):
    """A flat disc, or ring, without thickness."""

    made_of = shapes.Disc
    type: Literal["disc"]
    radius: Positive = Field(description="Radius, m.")
    inner: NotNegative = Field(0.0, description="Radius of the hole of a ring, m.")


class PipeTable(RoundTable):
    """A hollow cylinder."""

    made_of = shapes.Pipe
    type: Literal["pipe"]
    radius: Positive = Field(description="Outer radius, m.")
    inner: NotNegative = Field(description="Inner radius, m.")
    length: Positive = Field(description="Length, m.")


class PathTable(VisualTable):
    """Straight segments from point to point, with a round or a rectangular section."""

    made_of = shapes.Path
    type: Literal["path"]
    points: Annotated[list[Three], Form("a list of points, 3 numbers each")] = Field(description="Points, m.")
    radius: MaybePositive = Field(None, description="Of a round section, m. Either this or `section`.")
    section: Annotated[Two | None, Form("2 numbers")] = Field(
        None, description="Width and height of a rectangular section, m."
    )
    closed: Truth = Field(False, description="Whether the last point is joined to the first.")


class TextTable(VisualTable):
    """A line of text in the plane x, y, centred, which reads along x."""

    made_of = shapes.Text
    type: Literal["text"]
    text: Text = Field(description="The text.")
    size: Positive = Field(description="Height of capitals, m.")


class StructureTable(VisualTable):
    """The structure of a flexible body, which is drawn in any case: in a colour of its own."""

    made_of = shapes.Structure
    type: Literal["structure"]


class MeshTable(VisualTable):
    """The triangles of a file: STL, OBJ, COLLADA or glTF. Its colours are kept; `color` is for parts without one."""

    made_of = shapes.Mesh
    type: Literal["mesh"]
    file: Text = Field(description="The file, from the folder of the model file.")
    scale: Annotated[Number | Three, Form("a number or 3 numbers")] = Field(
        1.0, description="Metres a unit of the file, for all axes or for each."
    )

    def _own(self, folder: Path) -> dict[str, Any]:
        return {"file": str(folder / self.file), "scale": self.scale}


class TrianglesTable(VisualTable):
    """Given triangles, written by `supple.save`: numbers one after the other, compressed by zlib, in base64."""

    made_of = shapes.Triangles
    type: Literal["triangles"]
    vertices: Text = Field(description="Positions, little-endian numbers of 8 bytes, m.")
    faces: Text = Field(description="Numbers of vertices, three for each triangle, of 4 bytes.")

    def _own(self, folder: Path) -> dict[str, Any]:
        return {"vertices": unpacked(self.vertices, "<f8"), "faces": unpacked(self.faces, "<u4")}


OneVisual = (
    BoxShapeTable
    | CylinderTable
    | SphereTable
    | CapsuleTable
    | ConeTable
    | DiscTable
    | PipeTable
    | PathTable
    | StructureTable
    | TextTable
    | MeshTable
    | TrianglesTable
)
AnyVisual = Annotated[OneVisual, Field(discriminator="type")]
Visuals = Annotated[
    list[AnyVisual] | None,
    Form(
        'a list of tables such as { type = "box", size = [1, 1, 1] }',
        'a table such as { type = "box", size = [1, 1, 1] }',
    ),
]
VISUALS = by_type(OneVisual)


def packed(values: NDArray[Any], kind: str) -> str:
    """Numbers as text."""
    return base64.b64encode(zlib.compress(values.astype(kind).tobytes(), 9)).decode("ascii")


def unpacked(text: str, kind: str) -> NDArray[Any]:
    """Rows of three numbers of a text that `packed` made."""
    try:
        content = zlib.decompressobj()
        found = content.decompress(base64.b64decode(text, validate=True), MOST_BYTES)
        if content.unconsumed_tail:
            raise ModelError(f"triangles: expected at most {MOST_BYTES >> 20} MB, got more")
        return np.frombuffer(found, kind).reshape(-1, 3)
    except (ValueError, zlib.error) as error:
        if isinstance(error, ModelError):
            raise
        raise ModelError(f"triangles: expected numbers compressed by zlib in base64, got others: {error}") from None
