"""The tables of a model file that describe flexible bodies: structures and their reduction."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Discriminator, Field, Strict, Tag

from supple.errors import ModelError
from supple.files.file_table import (
    Axis,
    FileTable,
    Form,
    Name,
    Nine,
    NotNegative,
    Number,
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
from supple.structures.damping import Damping, Rayleigh
from supple.structures.solids import box
from supple.structures.structure import Structure

Node = Annotated[int, Strict(), Field(ge=0)]
Count = Annotated[int, Strict(), Field(ge=1)]
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


OneStructure = BeamTable | BeamPathTable | BoxTable
STRUCTURES = by_type(OneStructure)
AnyStructure = Annotated[OneStructure, Field(discriminator="type")]


# ------------------------------------------------------------ flexible bodies


class RayleighTable(FileTable):
    """Damping alpha M + beta K."""

    alpha: NotNegative = Field(0.0, description="1/s.")
    beta: NotNegative = Field(0.0, description="s.")


AnyDamping = Annotated[
    Annotated[Number, Tag("#ratio")] | Annotated[list[Number], Tag("#each")] | Annotated[RayleighTable, Tag("#table")],
    Discriminator(lambda value: {dict: "#table", list: "#each"}.get(type(value), "#ratio")),
]


class ReductionTable(FileTable):
    """A structure, its deformation in few coordinates. Bodies with equal tables share one reduction."""

    structure: Text = Field(description="Name of a `[[structure]]`.")
    basis: Annotated[
        Literal["cantilever", "free-free", "craig-bampton", "nodal"],
        Form('"cantilever", "free-free", "craig-bampton" or "nodal"'),
    ] = Field(
        description="Modes with the root fixed; modes of the free structure; shapes of unit motion of the interfaces "
        "and modes with them fixed; all degrees of freedom of all nodes."
    )
    modes: Annotated[Node | None, Form("a whole number, zero or more")] = Field(
        None, description='Number of modes; for "craig-bampton" those besides the interfaces\' shapes; not for "nodal".'
    )
    root: Text = Field("start", description="Frame at the inboard joint, origin of the body's frame.")
    interfaces: Annotated[list[str] | None, Form("a list of frame names")] = Field(
        None, description='Only for "craig-bampton": frames where loads or joints act; by default all.'
    )
    damping: Annotated[AnyDamping | None, Form("a number, a list with one for each mode, or {alpha, beta}")] = Field(
        None, description="Ratio for all modes, or one for each; or Rayleigh's alpha M + beta K, 1/s and s."
    )

    def ratios(self) -> Damping:
        """The damping as the reduction takes it."""
        if isinstance(self.damping, RayleighTable):
            return Rayleigh(self.damping.alpha, self.damping.beta)
        return self.damping

    @classmethod
    def conflicts(cls, data: dict[str, Any]) -> Iterator[tuple[str, str]]:
        """Modes are needed but for nodes."""
        if data.get("basis") in ("cantilever", "free-free", "craig-bampton") and "modes" not in data:
            yield "modes", f"missing; expected a whole number for the basis {data['basis']!r}"


class StoredTable(FileTable):
    """A body from a file that `supple.structures.save_body` wrote. Bodies with the same file share it."""

    file: Text = Field(description="HDF5 file; a relative path starts at the model file's folder.")


def _flexible_tag(value: Any) -> str:
    """A body from a file or from a structure."""
    if not isinstance(value, dict):
        return "#"
    return "#file" if "file" in value else "#structure"


AnyFlexible = Annotated[
    Annotated[ReductionTable, Tag("#structure")] | Annotated[StoredTable, Tag("#file")],
    Discriminator(_flexible_tag),
]
