"""Layers of plates against a textbook, and wrong ones."""

from __future__ import annotations

from collections.abc import Callable
from math import pi
from typing import Any, cast

import numpy as np
import pytest

from supple.errors import ModelError
from supple.structures import Layer, Layup, Material, Orthotropic

GRAPHITE = Orthotropic(E1=181e9, E2=10.3e9, nu12=0.28, G12=7.17e9, rho=1600)
ALUMINIUM = Material(E=70e9, nu=0.3, rho=2700)


def test_a_laminate_has_the_matrices_of_the_textbook() -> None:
    """Kaw, Mechanics of Composite Materials (2006), example 4.2: graphite and epoxy [0/30/-45], 5 mm each."""
    layup = Layup([Layer(0.005, GRAPHITE, angle) for angle in (0.0, pi / 6, -pi / 4)])
    A = [[1.739e9, 3.884e8, 5.663e7], [3.884e8, 4.533e8, -1.141e8], [5.663e7, -1.141e8, 4.525e8]]
    B = [[-3.129e6, 9.855e5, -1.072e6], [9.855e5, 1.158e6, -1.072e6], [-1.072e6, -1.072e6, 9.855e5]]
    D = [[3.343e4, 6.461e3, -5.240e3], [6.461e3, 9.320e3, -5.596e3], [-5.240e3, -5.596e3, 7.663e3]]
    for found, printed in ((layup.A, A), (layup.B, B), (layup.D, D)):
        np.testing.assert_allclose(found, printed, rtol=5e-4)
    assert layup.mass == pytest.approx(1600 * 0.015)
    assert layup.inertia == pytest.approx(1600 * 0.015**3 / 12)


def test_one_layer_has_the_shear_factor_of_five_sixths_and_several_are_one() -> None:
    one, four = Layup([Layer(0.008, ALUMINIUM)]), Layup([Layer(0.002, ALUMINIUM)] * 4)
    np.testing.assert_allclose(one.shear, 5 / 6 * ALUMINIUM.G * 0.008 * np.eye(2), rtol=1e-13)
    np.testing.assert_allclose(four.stiffness, one.stiffness, rtol=1e-12, atol=1e-6)
    assert not one.B.any()
    assert one.moment == 0.0


def test_a_sandwich_shears_in_its_core() -> None:
    """Faces far stiffer than the core: H = G (c + t)^2 / c."""
    c, t = 0.02, 0.0005
    core = Orthotropic(E1=1e5, E2=1e5, nu12=0.3, G12=1e5, G13=200e6, G23=90e6, rho=50)
    panel = Layup([Layer(t, ALUMINIUM), Layer(c, core), Layer(t, ALUMINIUM)])
    np.testing.assert_allclose(np.diagonal(panel.shear), np.array([200e6, 90e6]) * (c + t) ** 2 / c, rtol=2e-3)
    turned = Layup([Layer(t, ALUMINIUM), Layer(c, core, pi / 2), Layer(t, ALUMINIUM)])
    np.testing.assert_allclose(turned.shear, panel.shear[::-1, ::-1], rtol=1e-9, atol=1e-6)


def test_matrices_of_another_program_make_the_same_layup() -> None:
    made = Layup([Layer(0.001, GRAPHITE, 0.3), Layer(0.002, ALUMINIUM)])
    given = Layup.from_abd(made.A, made.B, made.D, made.shear, made.thickness, made.mass, made.moment, made.inertia)
    np.testing.assert_array_equal(given.stiffness, made.stiffness)
    assert (given.mass, given.moment, given.inertia, given.layers) == (made.mass, made.moment, made.inertia, ())
    assert Layup.from_abd(made.A, 0 * made.B, made.D, (1e6, 2e6), 0.003, 6.0).inertia == pytest.approx(
        6 * 0.003**2 / 12
    )


EYE, ZERO = np.eye(3), np.zeros((3, 3))


@pytest.mark.parametrize(
    ("act", "message"),
    [
        (lambda: Layer(0.0, ALUMINIUM), "layer: thickness: expected a positive number, got 0"),
        (lambda: Layer(0.1, cast(Any, "steel")), "layer: material: expected a Material or Orthotropic, got 'steel'"),
        (lambda: Layup([]), "layup: expected a list of one Layer or more"),
        (lambda: Orthotropic(1e9, 1e9, 0.3, -1e9, 1000), "material: G12: expected a positive number"),
        (lambda: Orthotropic(1e9, 4e9, 0.6, 1e9, 1000), "nu12: expected a number between -0.5 and 0.5"),
        (lambda: Layup.from_abd(EYE, 2 * EYE, EYE, (1, 1), 0.1, 1.0), "layup: A, B, D: expected a positive definite"),
        (lambda: Layup.from_abd(EYE, ZERO, -EYE, (1, 1), 0.1, 1.0), "layup: A, B, D: expected a positive definite"),
        (lambda: Layup.from_abd(EYE, ZERO, EYE, (1, 0), 0.1, 1.0), "layup: shear: expected a positive definite"),
        (lambda: Layup.from_abd(np.triu(EYE + 1), ZERO, EYE, (1, 1), 0.1, 1.0), "layup: A: expected a symmetric"),
        (lambda: Layup.from_abd(EYE, ZERO, EYE, (1, 1), 0.0, 1.0), "layup: thickness: expected a positive number"),
        (lambda: Layup.from_abd(EYE, ZERO, EYE, (1, 1), 0.1, 1.0, 1.0), "layup: inertia: expected at least"),
    ],
)
def test_wrong_layups_are_refused(act: Callable[[], object], message: str) -> None:
    with pytest.raises(ModelError, match=message):
        act()
