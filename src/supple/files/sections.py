"""The tables of a model file for materials and the cross sections of beams."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Discriminator, Field, Tag

from supple.errors import ModelError, nearest
from supple.files.error_list import ReportedError
from supple.files.file_table import FileTable, Form, MaybePositive, Name, NotNegative, Number, Positive, Real, by_type
from supple.structures.layups import Orthotropic
from supple.structures.materials import Material
from supple.structures.sections.cross_sections import Circle, CrossSection, IBeam, Rectangle, Section, Tube

Materials = Mapping[str, Material | Orthotropic | None]
"""Materials by name; None for one that could not be made."""


class MaterialTable(FileTable):
    """A linear elastic, isotropic material; of nu and G one is enough.

    It stands in a structure, or in a `[[material]]` with a name by which structures call it.
    """

    E: Positive = Field(description="Young's modulus, Pa.")
    nu: Annotated[Number | None, Form("a number")] = Field(None, description="Poisson's ratio.")
    G: MaybePositive = Field(None, description="Shear modulus, Pa.")
    rho: NotNegative = Field(description="Density, kg/m^3.")
    yield_strength: MaybePositive = Field(
        None, description="Stress at which it yields, Pa: what strains can be compared with; it changes no motion."
    )

    def made(self) -> Material:
        """The material."""
        return Material(E=self.E, nu=self.nu, rho=self.rho, G=self.G, yield_strength=self.yield_strength)


class NamedMaterialTable(MaterialTable):
    """A material that structures call by its name."""

    name: Name = Field(description="Name of the material.")


class OrthotropicTable(FileTable):
    """A linear elastic, orthotropic material of the layers of plates, 1 along and 2 across its fibres."""

    E1: Positive = Field(description="Young's modulus along the fibres, Pa.")
    E2: Positive = Field(description="Young's modulus across them, Pa.")
    nu12: Real = Field(description="Poisson's ratio: contraction across for a stretch along the fibres.")
    G12: Positive = Field(description="Shear modulus in the plane, Pa.")
    G13: MaybePositive = Field(None, description="Transverse shear modulus along the fibres, Pa; by default G12.")
    G23: MaybePositive = Field(None, description="Transverse shear modulus across them, Pa; by default G12.")
    rho: NotNegative = Field(description="Density, kg/m^3.")

    def made(self) -> Orthotropic:
        """The material."""
        return Orthotropic(self.E1, self.E2, self.nu12, self.G12, self.rho, self.G13, self.G23)


class NamedOrthotropicTable(OrthotropicTable):
    """An orthotropic material that layers call by its name."""

    name: Name = Field(description="Name of the material.")


def _material_tag(value: Any) -> str:
    """Isotropic or orthotropic, by its keys."""
    if isinstance(value, str):
        return "#name"
    return "#orthotropic" if isinstance(value, dict) and value.keys() & {"E1", "E2", "nu12", "G12"} else "#one"


class SectionTable(FileTable):
    """A cross section of a beam, in its y-z plane; y and z are principal axes."""

    @abstractmethod
    def made(self) -> CrossSection:
        """The section."""


class RectangleTable(SectionTable):
    """A full rectangle."""

    type: Literal["rectangle"]
    width: Positive = Field(description="Along y, m.")
    height: Positive = Field(description="Along z, m.")

    def made(self) -> CrossSection:
        """The section."""
        return Rectangle(self.width, self.height)


class CircleTable(SectionTable):
    """A full circle."""

    type: Literal["circle"]
    radius: Positive = Field(description="m.")

    def made(self) -> CrossSection:
        """The section."""
        return Circle(self.radius)


class TubeTable(SectionTable):
    """A round tube, given by its inner radius or the thickness of its wall."""

    type: Literal["tube"]
    radius: Positive = Field(description="Outer radius, m.")
    inner: Annotated[Annotated[Number, Field(ge=0.0)] | None, Form("a number, zero or more")] = Field(
        None, description="Inner radius, m."
    )
    thickness: MaybePositive = Field(None, description="Of the wall, m.")

    def made(self) -> CrossSection:
        """The section."""
        return Tube(self.radius, self.inner, self.thickness)


class IBeamTable(SectionTable):
    """An I: web upright along z, flanges along y."""

    type: Literal["i-beam"]
    width: Positive = Field(description="Of the flanges, m.")
    height: Positive = Field(description="Over all, m.")
    flange: Positive = Field(description="Thickness of the flanges, m.")
    web: Positive = Field(description="Thickness of the web, m.")

    def made(self) -> CrossSection:
        """The section."""
        return IBeam(self.width, self.height, self.flange, self.web)


class ConstantsTable(SectionTable):
    """Any section, by its constants."""

    type: Literal["constants"]
    A: Positive = Field(description="Area, m^2.")
    Iy: Positive = Field(description="Second moment int z^2 dA, against bending in z, m^4.")
    Iz: Positive = Field(description="Second moment int y^2 dA, against bending in y, m^4.")
    J: Positive = Field(description="Torsion constant, m^4.")
    shear: Annotated[list[Number], Field(min_length=2, max_length=2), Form("2 numbers")] = Field(
        [5.0 / 6.0, 5.0 / 6.0], description="Shear factors in y and z, for beams that shear."
    )

    def made(self) -> CrossSection:
        """The section."""
        return Section(self.A, self.Iy, self.Iz, self.J, (self.shear[0], self.shear[1]))


def _tag(value: Any) -> str:
    """Which of several forms a value has."""
    forms: dict[type, str] = {list: "#each", str: "#name", dict: "#one"}
    return forms.get(type(value), "#")


SectionTables = RectangleTable | CircleTable | TubeTable | IBeamTable | ConstantsTable
SECTIONS = by_type(SectionTables)
OneSection = Annotated[SectionTables, Field(discriminator="type")]
OneMaterial = Annotated[
    Annotated[str, Tag("#name")] | Annotated[MaterialTable, Tag("#one")],
    Discriminator(_tag),
]
SECTION_WORDS = 'a table such as {type = "rectangle", width = 0.02, height = 0.01}'
MATERIAL_WORDS = "the name of a [[material]] or a table such as {E = 70e9, nu = 0.3, rho = 2700}"
AnySection = Annotated[OneSection, Form(SECTION_WORDS)]
NamedMaterial = Annotated[
    Annotated[NamedMaterialTable, Tag("#one")] | Annotated[NamedOrthotropicTable, Tag("#orthotropic")],
    Discriminator(_material_tag),
]
LayerMaterial = Annotated[
    Annotated[str, Tag("#name")]
    | Annotated[MaterialTable, Tag("#one")]
    | Annotated[OrthotropicTable, Tag("#orthotropic")],
    Discriminator(_material_tag),
    Form(f"{MATERIAL_WORDS}, or one with E1, E2, nu12, G12 and rho"),
]
AnyMaterial = Annotated[OneMaterial, Form(MATERIAL_WORDS)]
Sections = Annotated[
    Annotated[OneSection, Tag("#one")] | Annotated[list[OneSection], Tag("#each")],
    Discriminator(lambda value: "#each" if isinstance(value, list) else "#one"),
    Form(f"{SECTION_WORDS}, or a list with one for each segment"),
]
AllMaterials = Annotated[
    Annotated[str, Tag("#name")] | Annotated[MaterialTable, Tag("#one")] | Annotated[list[OneMaterial], Tag("#each")],
    Discriminator(_tag),
    Form(f"{MATERIAL_WORDS}, or a list with one for each segment"),
]


def find_material(value: str | MaterialTable, materials: Materials) -> Material:
    """The isotropic material of a table, or of a name."""
    found = find_any_material(value, materials)
    if isinstance(found, Orthotropic):
        raise ModelError(
            f"material: expected an isotropic one, got {value!r}; orthotropic ones are for layers of plates"
        )
    return found


def find_any_material(value: str | MaterialTable | OrthotropicTable, materials: Materials) -> Material | Orthotropic:
    """The material of a table, or of a name."""
    if not isinstance(value, str):
        return value.made()
    if value not in materials:
        raise ModelError(f"material: no [[material]] {value!r}{nearest(value, materials)}")
    found = materials[value]
    if found is None:
        raise ReportedError
    return found
