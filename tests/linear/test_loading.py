"""Static equilibrium under large loads, dead and following, against the elastica; and at all sizes."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import integrate, optimize

import supple
from supple.linear import Equilibrium, EquilibriumError, equilibrium
from supple.structures import Circle, Material, beam
from support.cases import thinned

pytestmark = pytest.mark.filterwarnings("ignore:.*left the range of linear theory:supple.PhysicsWarning")
"""Strains of some percent are part of the elastica's loads."""
METAL = Material(E=7e10, nu=0.3, rho=2700.0)
Floats = NDArray[np.float64]


def bent(pieces: int, load: float, follows: bool, L: float = 1.0) -> Equilibrium:
    """A cantilever in pieces, each of one element, under a tip force across it of `load` E I / L^2."""
    section = Circle(0.004 * L)
    force = (0.0, 0.0, load * METAL.E * section.Iy / L**2)
    mech = supple.Mechanism("cantilever", gravity=(0, 0, 0))
    mech.add_body("beam", beam(L, section, METAL, pieces).pieces(pieces, "nodal"), joint=supple.Fixed())
    if follows:
        return equilibrium(mech.build(), external={"beam/end": [0, 0, 0, *force]})
    mech.add_wrench("load", "beam/end", force=force, axes="ground")
    return equilibrium(mech.build())


def tip(rest: Equilibrium, L: float = 1.0) -> Floats:
    """Where the tip is, in lengths of the beam."""
    return (rest.displacement("beam/end") / L + [1, 0, 0])[[0, 2]]


def elastica(load: float, follows: bool) -> Floats:
    """Where the tip of an inextensible beam is: t' = m, m' = -F cos(angle to the force), integrated from the tip."""

    def root(angle: float) -> Floats:
        def rates(_: float, y: Floats) -> list[float]:
            return [-np.cos(y[2]), -np.sin(y[2]), -y[3], load * np.cos(y[2])]

        return np.asarray(integrate.solve_ivp(rates, (0.0, 1.0), [0, 0, angle, 0], rtol=1e-10, atol=1e-12).y[:, -1])

    # With the force along z: that of a tip which has turned by an angle, or of one that is level while the root turns.
    angle = 0.0 if follows else optimize.brentq(lambda a: root(a)[2], 1e-6, np.pi / 2 - 1e-6, xtol=1e-12)
    x, z, turned, _ = root(angle)
    c, s = np.cos(turned), np.sin(turned)
    return np.array([-c * x - s * z, s * x - c * z])


@pytest.mark.parametrize(
    ("load", "follows", "tolerance"),
    thinned(
        [(1.0, True, 4e-4), (4.0, True, 5e-3), (14.0, True, 1.2e-2), (4.0, False, 2e-3), (14.0, False, 3e-3)],
        [(4.0, True, 5e-3), (14.0, False, 3e-3)],
        several=True,
    ),
)
def test_elastica(load: float, follows: bool, tolerance: float) -> None:
    """Sixteen straight pieces are off by the square of the angle between them."""
    rest = bent(16, load, follows)
    assert tip(rest) == pytest.approx(elastica(load, follows), abs=tolerance)
    assert np.abs(rest.residual).max() < 1e-10 * load * METAL.E * Circle(0.004).Iy
    assert rest.stable


def test_more_pieces_are_closer_to_the_elastica() -> None:
    """Fourth order, at a load that Newton's method alone does not reach; the tip has turned by over 120 degrees."""
    true = elastica(12.0, follows=True)
    found = [bent(n, 12.0, follows=True) for n in (8, 16)]
    coarse, fine = (float(np.linalg.norm(tip(rest) - true)) for rest in found)
    assert coarse / fine == pytest.approx(16.0, rel=0.2)
    R, _ = found[1].model.pose(found[1].q, "beam/end")
    assert R[0, 0] < -0.5


@pytest.mark.parametrize("L", thinned([1e-6, 1e3], [1e3]))
@pytest.mark.parametrize("follows", thinned([True, False], [True]))
def test_size_does_not_matter(L: float, follows: bool) -> None:
    """A part of a micrometre, and one of a kilometre, bend as one of a metre does."""
    for load in (1e-3, 12.0):
        small, metre = bent(4, load, follows, L), bent(4, load, follows)
        assert tip(small, L) == pytest.approx(tip(metre), rel=1e-9, abs=1e-12)
        assert small.iterations == metre.iterations > 0
    assert abs(tip(metre)[0] - 1) > 0.3


@pytest.mark.parametrize("follows", thinned([True, False], [False]))
def test_what_is_found_is_in_equilibrium_and_all_else_is_refused(follows: bool) -> None:
    """Under loads far beyond what the pieces can represent."""
    for load in (100.0, 1000.0):
        force = load * METAL.E * Circle(0.004).Iy
        try:
            rest = bent(2, load, follows)
        except EquilibriumError as error:
            assert "is left on" in str(error)  # noqa: PT017
        else:
            assert np.abs(rest.residual).max() < 1e-6 * force


def test_weights_that_a_follower_force_carries() -> None:
    """A heavy beam lifted at its tip: gravity is raised together with the force."""
    section = Circle(0.004)
    EI = METAL.E * section.Iy
    mech = supple.Mechanism("mast", gravity=(0, 0, -5.0 * EI / (METAL.rho * section.A)))
    mech.add_body("beam", beam(1.0, section, METAL, 4).reduce("nodal"), joint=supple.Fixed())
    model = mech.build()
    rest = equilibrium(model, external={"beam/end": [0, 0, 0, 0, 0, 1.5 * EI]})
    # Small deflections: F L^3 / 3 - w L^4 / 8, in E I.
    assert rest.displacement("beam/end")[2] == pytest.approx(1.5 / 3 - 5.0 / 8, rel=0.1)
    assert np.abs(rest.residual).max() < 1e-9 * EI
