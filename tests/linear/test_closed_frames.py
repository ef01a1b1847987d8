"""Flexible bodies in closed loops: frames of beams against the same beams in one piece."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest
from scipy import linalg
from scipy.spatial.transform import Rotation

import supple
from supple import structures
from supple.linear import equilibrium, linear_equations, modes
from support.mechanisms.sprung_slider_crank import G

EXAMPLES = Path(__file__).parents[2] / "examples"
METAL = structures.Material(E=7e10, nu=0.3, rho=2700.0)


@cache
def frame(basis: str, elements: int, gravity: float = 0.0, **options: int) -> supple.Model:
    """Two cantilevers from walls 1 m apart, clamped together where they meet."""
    half = structures.beam(0.5, structures.Rectangle(0.03, 0.01), METAL, elements).reduce(basis, **options)  # type: ignore[arg-type]
    mech = supple.Mechanism("frame", gravity=(0, 0, -gravity))
    mech.add_body("left", half, joint=supple.Fixed())
    mech.add_body("right", half, joint=supple.Fixed(), at=(1.0, 0, 0), rotation=Rotation.from_euler("z", np.pi))
    turned = Rotation.from_euler("z", np.pi).as_matrix()
    mech.add_frame("tip", "right/end", rotation=turned)
    mech.close_loop("weld", "left/end", "right/tip", supple.Fixed())
    return mech.build()


@pytest.mark.parametrize(
    ("basis", "elements", "options", "count", "tolerance"),
    [
        ("nodal", 3, {}, 30, 1e-8),
        pytest.param("craig-bampton", 4, {"modes": 14}, 6, 1e-5, marks=pytest.mark.exhaustive),
    ],
)
def test_two_cantilevers_are_a_clamped_beam(
    basis: str, elements: int, options: dict[str, int], count: int, tolerance: float
) -> None:
    """All six conditions of the weld are on coordinates of deformation. The oracle is the beam in one piece."""
    whole = structures.beam(1.0, structures.Rectangle(0.03, 0.01), METAL, 2 * elements)
    keep = slice(6, -6)
    K, M = (A.toarray()[keep, keep] for A in (whole.stiffness, whole.mass_matrix))
    expected = np.sqrt(linalg.eigh(K, M, eigvals_only=True)) / (2 * np.pi)
    model = frame(basis, elements, **options)
    found = modes(model)
    assert len(found) == model.nv - 6
    assert found.real
    assert found.frequencies[:count] == pytest.approx(expected[:count], rel=tolerance)


def test_self_weight_of_a_clamped_beam() -> None:
    """w L^4 / (384 E I) in the middle."""
    rest = equilibrium(frame("nodal", 3, G))
    section = structures.Rectangle(0.03, 0.01)
    EI = METAL.E * section.Iy
    load = METAL.rho * section.A * G
    middle = rest.displacement("left/end")
    assert middle[2] == pytest.approx(
        -load / (384 * EI), rel=2e-4
    )  # it is held along its axis, too: tension stiffens it
    assert middle == pytest.approx(rest.displacement("right/end"), abs=1e-10)


def test_energy_of_a_loaded_frame_grows_with_its_modes() -> None:
    """A heavy load pushed into an arch: forces of the weld turn with the tips, and are part of the stiffness."""
    mech = supple.Mechanism("arch", gravity=(0, 0, -G))
    half = structures.beam(0.5, structures.Rectangle(0.03, 0.004), METAL, 4).reduce("craig-bampton", modes=3)
    for name, x, turn in (("left", 0.0, 0.0), ("right", 0.98, np.pi)):
        spring = supple.Revolute("y", stiffness=20.0, rest=0.3)
        mech.add_body(name, half, joint=spring, at=(x, 0, 0), rotation=Rotation.from_euler("z", turn))
    mech.close_loop("pin", "left/end", "right/end", supple.Revolute("y"))
    model = mech.build()
    assert model.loops is not None
    rest = equilibrium(model, {"left.angle": -0.2})
    e = linear_equations(model, rest.q)
    assert np.abs(e.state.closing).max() > 5.0
    found = modes(model, rest.q)
    assert len(found) == model.nv - 5
    for i in range(3):
        size = 1e-3 / found.frequencies[i]
        energy = [model.energy(found.configuration(i, s), np.zeros(model.nv))[1] for s in (-size, 0.0, size)]
        growth = (energy[0] + energy[2]) / 2 - energy[1]
        assert growth == pytest.approx(0.5 * (2 * np.pi * found.frequencies[i] * size) ** 2, rel=1e-3)


def test_the_rod_of_a_held_crank_is_pinned_at_both_ends() -> None:
    """(pi n / L)^2 sqrt(E I / rho A) for bending in the plane; clamped by hinges across it."""
    model = supple.files.read(EXAMPLES / "flexible_slider_crank.toml").model
    found = modes(model, fixed=["crank"])
    E, rho, width, height, L = 210e9, 7850.0, 0.02, 0.004, 0.5
    wave = np.sqrt(E * height**2 / 12 / rho)
    for n, tolerance in ((1, 1e-4), (2, 2e-3)):
        assert found.frequencies[n - 1] == pytest.approx((np.pi * n / L) ** 2 * wave / (2 * np.pi), rel=tolerance)
    across = 22.3733 / L**2 * np.sqrt(E * width**2 / 12 / rho) / (2 * np.pi)
    assert np.abs(found.frequencies / across - 1).min() < 1e-2
    assert not found.shapes[model.speeds.index("crank.angle")].any()
