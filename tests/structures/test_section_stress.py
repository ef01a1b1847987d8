"""Shear stresses of sections against published numbers and closed forms."""

import numpy as np
import pytest

from supple.structures import Circle, CrossSection, IBeam, Rectangle, Section, Tube


def of(section: CrossSection, name: str) -> np.ndarray:
    """(2, 3) shear stresses xy and xz for unit T, Vy, Vz at a point."""
    return np.array(next(x.shear for x in section.stress_points() if x.name == name))


@pytest.mark.parametrize(("ratio", "k", "short"), [(1.0, 0.2082, 1.0), (2.0, 0.2459, 0.795), (10.0, 0.3123, 0.743)])
def test_torsion_of_rectangles_is_that_of_tables(ratio: float, k: float, short: float) -> None:
    """T / (k a b^2) at the middle of the long side, and its share at that of the short one (Timoshenko's table)."""
    b = 0.03
    upright = Rectangle(b, ratio * b)
    most = 1.0 / (k * ratio * b * b**2)
    assert of(upright, "+y")[1, 0] == pytest.approx(most, rel=1e-3)
    assert of(upright, "+z")[0, 0] == pytest.approx(-short * most, rel=2e-3)
    assert of(Rectangle(ratio * b, b), "-z")[0, 0] == pytest.approx(most, rel=1e-3)


def test_shear_of_round_sections_runs_along_the_rim() -> None:
    circle, tube = Circle(0.02), Tube(0.02, thickness=0.0002)
    assert of(circle, "+y")[1, 2] == pytest.approx(4.0 / 3.0 / circle.A)
    assert of(tube, "+z")[0, 1] == pytest.approx(2.0 / tube.A, rel=1e-3)
    for x in circle.stress_points():
        (xy, xz), rim = np.array(x.shear), np.array([x.y, x.z])
        np.testing.assert_allclose(xy * rim[0] + xz * rim[1], 0.0, atol=1e-9 * np.abs(x.shear).max())
        assert np.hypot(xy[0], xz[0]) == pytest.approx(0.02 / circle.J)


def test_web_of_an_i_carries_its_shear() -> None:
    """The stress between the ends and the middle of the web is a parabola, whose integral over the web is nearly V."""
    x = IBeam(0.1, 0.2, flange=0.01, web=0.006)
    middle, end = of(x, "web +y")[1, 2], of(x, "web +y+z")[1, 2]
    whole = (end + 2.0 / 3.0 * (middle - end)) * 0.006 * 0.18
    assert whole == pytest.approx(1.0, abs=0.05)
    assert middle > end > 0.0
    assert Section(A=1e-4, Iy=1e-9, Iz=1e-9, J=1e-9).stress_points() == []
