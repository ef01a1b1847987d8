"""Sections and materials against integrals and printed values."""

from __future__ import annotations

from math import pi

import numpy as np
import pytest

from supple.errors import ModelError, PhysicsWarning
from supple.structures import Circle, CrossSection, IBeam, Material, Rectangle, Section, Tube

SECTIONS: list[CrossSection] = [Rectangle(0.03, 0.02), Circle(0.02), Tube(0.02, 0.013), IBeam(0.06, 0.1, 0.008, 0.005)]


def inside(section: CrossSection, y: np.ndarray, z: np.ndarray) -> np.ndarray:
    if isinstance(section, Rectangle):
        return (abs(y) < section.width / 2) & (abs(z) < section.height / 2)
    if isinstance(section, Circle):
        return y**2 + z**2 < section.radius**2
    if isinstance(section, Tube):
        return (y**2 + z**2 < section.radius**2) & (y**2 + z**2 > section.inner**2)
    assert isinstance(section, IBeam)
    flange = (abs(y) < section.width / 2) & (abs(abs(z) - (section.height - section.flange) / 2) < section.flange / 2)
    return flange | ((abs(y) < section.web / 2) & (abs(z) < section.height / 2))


@pytest.mark.parametrize("section", SECTIONS, ids=lambda s: type(s).__name__)
def test_area_and_second_moments_are_the_integrals(section: CrossSection) -> None:
    n = 1600
    t = (np.arange(n) + 0.5) / n * 0.12 - 0.06
    y, z = np.meshgrid(t, t, indexing="ij")
    cell = inside(section, y, z) * (0.12 / n) ** 2
    assert pytest.approx(cell.sum(), rel=5e-3) == section.A
    assert section.Iy == pytest.approx((cell * z**2).sum(), rel=1e-2)
    assert section.Iz == pytest.approx((cell * y**2).sum(), rel=1e-2)
    assert section.polar == section.Iy + section.Iz
    assert section.gyration_radii[0] ** 2 * section.A == pytest.approx(section.Iy)


@pytest.mark.parametrize(
    ("ratio", "beta"), [(1.0, 0.1406), (1.5, 0.1958), (2.0, 0.2287), (4.0, 0.2808), (10.0, 0.3123)]
)
def test_torsion_of_rectangles_as_tabulated(ratio: float, beta: float) -> None:
    # Timoshenko and Goodier, Theory of Elasticity, table of k_1
    assert Rectangle(ratio, 1.0).J / ratio == pytest.approx(beta, abs=6e-5)
    assert Rectangle(1.0, ratio).J == Rectangle(ratio, 1.0).J


def test_torsion_of_round_sections_is_the_polar_moment() -> None:
    assert pytest.approx(Circle(0.1).polar) == Circle(0.1).J
    assert pytest.approx(Tube(0.1, 0.09).polar) == Tube(0.1, 0.09).J
    assert Tube(0.1, 0.0).A == Circle(0.1).A


def test_shear_factors_of_cowper() -> None:
    # Cowper 1966, nu = 0.3: rectangle 0.850, circle 0.886, thin round tube 0.531
    assert Rectangle(1, 2).shear_factors(0.3)[0] == pytest.approx(0.850, abs=5e-4)
    assert Circle(1).shear_factors(0.3)[0] == pytest.approx(0.886, abs=5e-4)
    assert Tube(1, 0.999).shear_factors(0.3)[0] == pytest.approx(0.531, abs=5e-4)
    assert Tube(1, 0).shear_factors(0.3)[0] == pytest.approx(Circle(1).shear_factors(0.3)[0])
    in_y, in_z = IBeam(0.1, 0.2, 0.01, 0.006).shear_factors(0.3)
    web_share = 0.006 * 0.19 / IBeam(0.1, 0.2, 0.01, 0.006).A
    assert in_z == pytest.approx(web_share, rel=0.06)  # the web carries the shear
    assert in_y == pytest.approx(5 / 6 * (1 - 0.006 * 0.18 / IBeam(0.1, 0.2, 0.01, 0.006).A))
    assert Section(A=1, Iy=1, Iz=1, J=1, shear=(0.7, 0.8)).shear_factors(0.3) == (0.7, 0.8)


def test_material() -> None:
    assert pytest.approx(80.77e9, rel=1e-4) == Material(E=210e9, nu=0.3, rho=7850).G
    assert Material(E=210e9, G=80e9, rho=7850).nu == pytest.approx(0.3125)
    assert Material(E=140e9, nu=0.3, rho=1600, G=5e9).G == 5e9


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Rectangle(0.0, 1.0), "rectangle: width: expected a positive number, got 0"),
        (lambda: Circle(-1.0), "circle: radius: expected a positive number, got -1"),
        (lambda: Circle(float("nan")), "expected a finite number"),
        (lambda: Tube(0.1), "expected the inner radius or the thickness"),
        (lambda: Tube(0.1, 0.2), "expected an inner radius from 0 to below the outer one 0.1, got 0.2"),
        (lambda: IBeam(0.1, 0.1, 0.06, 0.01), "expected two flanges below the height"),
        (lambda: Section(A=1, Iy=1, Iz=-1, J=1), "section: Iz: expected a positive number, got -1"),
        (lambda: Material(E=-1, nu=0.3, rho=1), "material: E: expected a positive number"),
        (lambda: Material(E=1e9, nu=0.5, rho=1), "between -1 and 0.5"),
        (lambda: Material(E=1e9, rho=1), "nu or the shear modulus G, got neither"),
        (lambda: Material(E=1e9, nu=0.3), "expected the density"),
        (lambda: Material(E=1e9, G=-1.0, rho=1), "material: G: expected a positive number"),
    ],
)
def test_faults_are_named(make: object, message: str) -> None:
    assert callable(make)
    with pytest.raises(ModelError, match=message):
        make()


@pytest.mark.parametrize(
    ("E", "rho", "message"),
    [(70e3, 2700, "E = 70000 Pa .* MPa"), (70e9, 2.7e-9, "rho = 2.7e-09 .* tonnes/mm"), (70e9, 2.7e6, "heavier than")],
)
def test_other_units_are_suspected(E: float, rho: float, message: str) -> None:
    with pytest.warns(PhysicsWarning, match=message):
        Material(E=E, nu=0.3, rho=rho)


def test_circle_area() -> None:
    assert pytest.approx(4 * pi) == Circle(2.0).A


class Analysed:
    """The getters of a section of sectionproperties 3.10, of an unequal angle, 100 x 60 x 8 mm."""

    def __init__(self, mixed: float, complete: bool = True, materials: int = 1) -> None:
        self.mixed, self.complete, self.materials = mixed, complete, materials

    def is_composite(self) -> bool:
        return self.materials > 1

    def get_area(self) -> float:
        return 1.224e-3

    def get_ic(self) -> tuple[float, float, float]:
        return 1.2375e-6, 3.364e-7, self.mixed

    def get_ip(self) -> tuple[float, float]:
        return 1.36957e-6, 2.0434e-7

    def get_j(self) -> float:
        if not self.complete:
            raise RuntimeError("Conduct a warping analysis.")
        return 2.748e-8

    def get_as(self) -> tuple[float, float]:
        return 3.865e-4, 6.851e-4

    def get_as_p(self) -> tuple[float, float]:
        return 3.963e-4, 6.565e-4


def test_sections_of_other_outlines_come_from_their_analysis() -> None:
    straight, skew = Section.of(Analysed(1e-16)), Section.of(Analysed(-3.694e-7))
    assert (straight.A, straight.Iy, straight.Iz, straight.J) == (1.224e-3, 1.2375e-6, 3.364e-7, 2.748e-8)
    assert (skew.Iy, skew.Iz) == (1.36957e-6, 2.0434e-7)
    assert straight.shear_factors(0.3) == pytest.approx((3.865e-4 / 1.224e-3, 6.851e-4 / 1.224e-3))
    assert skew.shear_factors(0.3) == pytest.approx((3.963e-4 / 1.224e-3, 6.565e-4 / 1.224e-3))


@pytest.mark.exhaustive  # the library compiles for seconds; results like its own are read above
def test_a_rectangle_that_was_analysed_is_a_rectangle() -> None:
    library = pytest.importorskip("sectionproperties.pre.library", reason="sectionproperties is not installed")
    analysis = pytest.importorskip("sectionproperties.analysis", reason="sectionproperties is not installed")
    analysed = analysis.Section(library.rectangular_section(d=0.02, b=0.03).create_mesh([1e-6]))
    analysed.calculate_geometric_properties()
    analysed.calculate_warping_properties()
    found, expected = Section.of(analysed), Rectangle(0.03, 0.02)
    assert (found.A, found.Iy, found.Iz) == pytest.approx((expected.A, expected.Iy, expected.Iz), rel=1e-9)
    assert pytest.approx(expected.J, rel=1e-3) == found.J
    assert found.shear_factors(0.3)[0] == pytest.approx(5.0 / 6.0, rel=1e-3)


@pytest.mark.parametrize(
    ("analysis", "message"),
    [
        (Rectangle(0.1, 0.2), "section: expected a Section of sectionproperties, got Rectangle"),
        (Analysed(0.0, complete=False), r"expected results of all analyses; sectionproperties: Conduct a warping"),
        (Analysed(0.0, materials=2), "section: expected an outline of one material, got several"),
    ],
)
def test_what_is_no_analysis_of_a_section_is_named(analysis: object, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        Section.of(analysis)
