"""The tables of a model file that make flexible bodies: of structures by reduction, of modes, or from files."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Discriminator, Field, Tag

from supple.errors import ModelError
from supple.files.file_table import FileTable, Form, MaybePositive, Nine, NotNegative, Number, Text, Three
from supple.files.structure_table import Count, Node
from supple.structures.body.flexible_body import FlexibleBody
from supple.structures.builders.from_modes import NodalMasses, from_modes
from supple.structures.damping import Damping, Rayleigh
from supple.structures.reduction.mode_selection import Bandwidth, EffectiveMass, Modes


class RayleighTable(FileTable):
    """Damping alpha M + beta K, by its factors or by ratios at frequencies."""

    alpha: NotNegative = Field(0.0, description="1/s.")
    beta: NotNegative = Field(0.0, description="s.")
    frequencies: Annotated[list[Number] | None, Form("one or two numbers")] = Field(None, description="Hz.")
    ratios: Annotated[list[Number] | None, Form("one or two numbers")] = Field(
        None, description="Damping ratios at the frequencies."
    )

    @classmethod
    def conflicts(cls, data: dict[str, Any]) -> Iterator[tuple[str, str]]:
        """Either the factors or the ratios."""
        if ("frequencies" in data) != ("ratios" in data):
            yield "", "requires frequencies and ratios together"
        elif "frequencies" in data and not {"alpha", "beta"}.isdisjoint(data):
            yield "", "frequencies and ratios cannot be combined with alpha or beta"
        elif "frequencies" in data:
            try:
                Rayleigh.at(data["frequencies"], data["ratios"])
            except ModelError as error:
                yield "", str(error)
            except (TypeError, ValueError):
                return  # said of the number itself

    def damping(self) -> Rayleigh:
        """The damping."""
        if self.frequencies is not None and self.ratios is not None:
            return Rayleigh.at(self.frequencies, self.ratios)
        return Rayleigh(self.alpha, self.beta)


AnyDamping = Annotated[
    Annotated[Number, Tag("#ratio")] | Annotated[list[Number], Tag("#each")] | Annotated[RayleighTable, Tag("#table")],
    Discriminator(lambda value: {dict: "#table", list: "#each"}.get(type(value), "#ratio")),
]


DampingField = Annotated[
    AnyDamping | None, Form("a number, a list with one for each mode, {alpha, beta} or {frequencies, ratios}")
]


def damping_of(given: float | list[float] | RayleighTable | None) -> Damping:
    """Damping as bodies take it."""
    return given.damping() if isinstance(given, RayleighTable) else given


class ModeChoiceTable(FileTable):
    """A choice of modes: all up to a frequency, or those that have a share of the effective mass."""

    below: MaybePositive = Field(None, description="Keeps all modes up to this frequency, Hz.")
    share: MaybePositive = Field(
        None, description="Keeps the fewest modes that have this share of the effective mass, between 0 and 1."
    )
    directions: Annotated[
        list[Literal["x", "y", "z", "rx", "ry", "rz"]], Field(min_length=1), Form('a list of "x", "y", "z", "rx", ...')
    ] = Field(["x", "y", "z"], description="With `share`: in each of these directions of the root.")

    @classmethod
    def conflicts(cls, data: dict[str, Any]) -> Iterator[tuple[str, str]]:
        """One of the two."""
        if ("below" in data) == ("share" in data):
            yield "", f"expected either below or share, got {'both' if 'below' in data else 'neither'}"
        elif "directions" in data and "share" not in data:
            yield "directions", "expected only with share"
        share = data.get("share")
        if isinstance(share, float) and share >= 1.0:
            yield "share", f"expected a number between 0 and 1, got {share}"

    def choice(self) -> Modes:
        """The choice."""
        return EffectiveMass(self.share, self.directions) if self.share is not None else Bandwidth(self.below or 0.0)


AnyModes = Annotated[
    Annotated[Node, Tag("#count")] | Annotated[list[Count], Tag("#list")] | Annotated[ModeChoiceTable, Tag("#table")],
    Discriminator(lambda value: {dict: "#table", list: "#list"}.get(type(value), "#count")),
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
    modes: Annotated[AnyModes | None, Form("a whole number, a list of mode numbers, {below} or {share}")] = Field(
        None,
        description="Number of modes, the numbers of those that are wanted, or a choice: see Choice of modes; for "
        '"craig-bampton" those besides the interfaces\' shapes; not for "nodal".',
    )
    root: Text = Field("start", description="Frame at the inboard joint, origin of the body's frame.")
    interfaces: Annotated[list[str] | None, Form("a list of frame names")] = Field(
        None, description='Only for "craig-bampton": frames where loads or joints act; by default all.'
    )
    damping: DampingField = Field(
        None,
        description="Ratio for all modes of the body, or one for each; or alpha M + beta K (Rayleigh damping), "
        "1/s and s, or by ratios at one or two frequencies, Hz.",
    )
    residual: Annotated[list[str], Form("a list of frames or load cases")] = Field(
        [],
        description="Loads under which the body is as stiff as the whole structure, whatever the number of modes: "
        'frames, load cases such as "force z at end" or "spin about z", or "inertia"; each adds residual vectors.',
    )
    pieces: Annotated[Count, Form("a whole number, one or more")] = Field(
        1,
        description="Of a beam or beam path: makes it a chain of so many bodies, fixed to each other, for large "
        "deflections; see Beams in pieces. Basis, modes and damping are those of each piece.",
    )

    def chosen(self) -> Modes | None:
        """The modes as the reduction takes them."""
        return self.modes.choice() if isinstance(self.modes, ModeChoiceTable) else self.modes

    @classmethod
    def conflicts(cls, data: dict[str, Any]) -> Iterator[tuple[str, str]]:
        """Modes are needed but for nodes."""
        if data.get("basis") in ("cantilever", "free-free", "craig-bampton") and "modes" not in data:
            yield "modes", f"missing; expected a whole number for the basis {data['basis']!r}"
        if data.get("residual") and data.get("pieces", 1) != 1:
            yield "residual", "expected only of one piece; the ends of pieces are interfaces as they are"


class ModesTable(FileTable):
    """A body from modes that are known, of a measurement or of another program, and from the masses of its nodes."""

    nodes: Annotated[list[Three], Field(min_length=1), Form("rows of 3 numbers, one for each node")] = Field(
        description="Positions, m."
    )
    mass: Annotated[list[Number], Form("a list of numbers, one for each node")] = Field(description="kg.")
    offset: Annotated[list[Three] | None, Form("rows of 3 numbers, one for each node")] = Field(
        None, description="From each node to the centre of its mass, m; by default none."
    )
    inertia: Annotated[list[Nine] | None, Form("3 rows of 3 numbers for each node")] = Field(
        None, description="About each node, kg m^2; by default that of a point mass at the offset."
    )
    frequencies: Annotated[list[Number], Field(min_length=1), Form("a list of numbers, one for each mode")] = Field(
        description="Hz."
    )
    shapes: Annotated[
        list[list[Annotated[list[Number], Field(min_length=6, max_length=6)]]],
        Form("for each mode a list of 6 numbers for each node"),
    ] = Field(description="Rotation about and displacement along x, y, z of each node, of any size.")
    frames: Annotated[dict[str, Node], Form("a table of node numbers by name")] = Field(
        description="Named nodes, the root among them: `{ start = 0, end = 4 }`."
    )
    root: Text = Field("start", description="Frame at the inboard joint, origin of the body's frame.")
    damping: DampingField = Field(None, description="As of a structure's modes.")

    @classmethod
    def conflicts(cls, data: dict[str, Any]) -> Iterator[tuple[str, str]]:
        """Lists of equal length."""
        nodes, shapes, frequencies = (data.get(key) for key in ("nodes", "shapes", "frequencies"))
        count = len(nodes) if isinstance(nodes, list) else None
        for key in ("mass", "offset", "inertia"):
            given = data.get(key)
            if count is not None and isinstance(given, list) and len(given) != count:
                yield key, f"expected one for each of the {count} nodes, got {len(given)}"
        if isinstance(shapes, list) and isinstance(frequencies, list):
            if len(shapes) != len(frequencies):
                yield "shapes", f"expected one for each of the {len(frequencies)} frequencies, got {len(shapes)}"
            for i, shape in enumerate(shapes, start=1):
                if count is not None and isinstance(shape, list) and len(shape) != count:
                    yield "shapes", f"mode {i}: expected 6 numbers for each of the {count} nodes, got {len(shape)} rows"

    def made(self) -> FlexibleBody:
        """The body."""
        masses = NodalMasses(self.mass, self.offset, self.inertia)
        shapes = np.moveaxis(np.array(self.shapes), 0, -1)
        return from_modes(
            self.nodes, masses, shapes, self.frequencies, self.frames, self.root, damping_of(self.damping)
        )


class StoredTable(FileTable):
    """A body from a file that `supple.structures.write` wrote. Bodies with the same file share it."""

    file: Text = Field(
        description="HDF5 file, with displacements of second order if the body has them; a relative path starts at the "
        "model file's folder."
    )


def _flexible_tag(value: Any) -> str:
    """A body from a file, from modes or from a structure."""
    if not isinstance(value, dict):
        return "#"
    return "#file" if "file" in value else "#modes" if "frequencies" in value else "#structure"


AnyFlexible = Annotated[
    Annotated[ReductionTable, Tag("#structure")]
    | Annotated[ModesTable, Tag("#modes")]
    | Annotated[StoredTable, Tag("#file")],
    Discriminator(_flexible_tag),
]
