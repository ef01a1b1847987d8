"""Beams in pieces against closed forms and published motions of large deflections, and how fast they converge."""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import ellipe, ellipeinc, ellipk, ellipkinc

import supple
from supple.linear import Equilibrium, equilibrium
from supple.structures import Material, Rectangle, Section, Tube, beam, beam_path
from support.cases import thinned
from support.mechanisms.flying_rod import LENGTH, SOFT, ExudynRod, fly, rod_model

Floats = NDArray[np.float64]
FAR = pytest.mark.filterwarnings("ignore:.*left the range of linear theory:supple.PhysicsWarning")
"""Few pieces that bend too far, to see how the error falls."""
METAL, STRIP = Material(E=70e9, nu=0.3, rho=2700.0), Rectangle(0.02, 0.001)
EI = METAL.E * STRIP.Iy
VARIANTS = thinned([(False, 1.9), (True, 2.8)], [(True, 2.8)], several=True)
"""Whether pieces have displacements of second order, and the rate at which their error falls at least."""


def held(pieces: int, wrench: Floats, dead: bool, **options: Any) -> Equilibrium:
    """A strip of 1 m, clamped, under a wrench at its end, which stays as it is in the ground or turns with the end."""
    mech = supple.Mechanism("strip", gravity=(0, 0, 0))
    mech.add_body("strip", beam(1.0, STRIP, METAL, pieces).pieces(pieces), joint=supple.Fixed(), **options)
    if not dead:
        return equilibrium(mech.build(), external={"strip/end": wrench})
    mech.add_wrench("load", "strip/end", wrench[:3], wrench[3:], axes="ground")
    return equilibrium(mech.build())


def elastica(load: float) -> Floats:
    """Tip x, z of a cantilever of unit length under a dead force of `load` EI / L^2, by elliptic integrals."""

    def missing(k: float) -> float:
        return float(ellipk(k * k) - ellipkinc(np.arcsin(1 / (k * np.sqrt(2))), k * k) - np.sqrt(load))

    k = brentq(missing, np.sqrt(0.5) + 1e-12, 1 - 1e-12, xtol=1e-15)
    phi = np.arcsin(1 / (k * np.sqrt(2)))
    deflection = 1 - 2 * (ellipe(k * k) - ellipeinc(phi, k * k)) / np.sqrt(load)
    return np.array([np.sqrt(2 * (2 * k * k - 1) / load), deflection])


def tip(rest: Equilibrium) -> Floats:
    return (rest.displacement("strip/end") + np.eye(3)[0])[[0, 2]]


@FAR
@pytest.mark.parametrize(
    ("load", "published"),
    thinned(
        [(1.0, (0.9436, 0.3017)), (3.0, (0.7456, 0.6033)), (10.0, (0.4450, 0.8106))],
        [(10.0, (0.4450, 0.8106))],
        several=True,
    ),
)
def test_elastica(load: float, published: tuple[float, float]) -> None:
    """Published: Bisshopp and Drucker (1945); four digits as reprinted by many."""
    exact = elastica(load)
    assert exact == pytest.approx(published, abs=1e-4)
    rest = held(16, np.array([0, 0, 0, 0, 0, load * EI]), dead=True)
    assert np.abs(tip(rest) - exact).max() < 1e-2
    assert tip(rest) == pytest.approx(exact, rel=1e-2)


def test_a_moment_bends_a_strip_to_a_circle() -> None:
    """The ends meet; the circle is that of the strip's length within 1 percent."""
    rest = held(32, np.array([0, -2 * np.pi * EI, 0, 0, 0, 0]), dead=False)
    assert rest.displacement("strip/end") == pytest.approx([-1, 0, 0], abs=1e-8)
    points = np.array([rest.model.pose(rest.q, f"strip/{i}")[1] for i in range(32)])
    middle = points.mean(axis=0)
    assert np.linalg.norm(points - middle, axis=1) == pytest.approx(np.full(32, 1 / (2 * np.pi)), rel=1e-2)
    assert rest.model.pose(rest.q, "strip/end")[0] == pytest.approx(np.eye(3), abs=1e-8)


@FAR
@pytest.mark.parametrize(("stiffening", "rate"), VARIANTS, ids=["without stiffening", "with stiffening"])
def test_static_error_falls_with_the_square_of_the_pieces_and_with_the_cube_with_stiffening(
    stiffening: bool, rate: float
) -> None:
    exact = elastica(3.0)
    load = np.array([0, 0, 0, 0, 0, 3.0 * EI])
    found = [tip(held(n, load, dead=True, stiffening=stiffening)) for n in (4, 8, 16)]
    errors = [float(np.linalg.norm(x - exact)) for x in found]
    assert np.log2(np.array(errors[:-1]) / errors[1:]).min() > rate, errors
    assert errors[-1] < (1e-4 if stiffening else 1e-3)


@pytest.mark.parametrize("axis", thinned([0, 1, 2], [1]))
def test_a_tube_with_bends_is_near_to_its_pieces_with_few_shapes(axis: int) -> None:
    """No load at its end is critical before it turns the tube by half a radian: two shapes follow all of them.

    The end moves by a twentieth of the extent, to which the linear theory of one body is wrong by as much.
    """
    path = [[0.0, 0.0, 0.0], [0.5, 0.0, 0.0], [0.5, 0.3, 0.0], [0.5, 0.3, 0.2]]
    tube = beam_path(path, Tube(radius=0.02, thickness=0.001), METAL, 4)
    one = tube.reduce("cantilever", modes=16)
    assert one.second_order is not None
    assert one.second_order.count == 3  # one of points on arms

    def found(body: Any, force: float, **options: Any) -> tuple[Floats, Floats]:
        mech = supple.Mechanism("tube", gravity=(0, 0, 0))
        mech.add_body("tube", body, joint=supple.Fixed(), **options)
        mech.add_wrench("load", "tube/end", force=force * np.eye(3)[axis], axes="ground")
        rest = equilibrium(mech.build())
        return rest.displacement("tube/end"), supple.linear.modes(rest.model, q=rest.q).frequencies[:3]

    force = 0.03 / float(np.linalg.norm(found(one, 1.0, stiffening=False)[0]))
    moved, frequencies = found(tube.pieces(8), force, stiffening=False)  # as 12 pieces within 1e-4
    with_shapes, without = (found(one, force, stiffening=on) for on in (True, False))
    errors = [float(np.linalg.norm(x[0] - moved) / np.linalg.norm(moved)) for x in (with_shapes, without)]
    assert errors[1] > 0.02
    assert errors[0] < 0.5 * errors[1]
    errors = [float(np.abs(x[1] / frequencies - 1.0).max()) for x in (with_shapes, without)]
    assert errors[0] < errors[1]


@cache
def flying_rods_of_exudyn() -> tuple[Floats, Floats]:
    """The motion of the softer rod on a fine mesh, and the limit of two."""
    coarse, fine = (ExudynRod(n, SOFT).run(0.005) for n in (32, 64))
    return fine, fine + (fine - coarse) / 3


@pytest.mark.filterwarnings("ignore:.*left the range of linear theory")  # coarse pieces do
@pytest.mark.skipif(not find_spec("exudyn"), reason="Exudyn is not installed")
@pytest.mark.parametrize(("stiffening", "rate"), VARIANTS, ids=["without stiffening", "with stiffening"])
def test_dynamic_error_falls_with_the_square_of_the_pieces_and_with_the_cube_with_stiffening(
    stiffening: bool, rate: float
) -> None:
    """Of the softer flying rod, which bends to a horseshoe; the limit is Exudyn's, extrapolated from two meshes."""
    fine, exact = flying_rods_of_exudyn()
    ends = fine[:, 0] - fine[:, 2]
    assert np.linalg.norm(ends, axis=-1).min() < 0.25 * LENGTH
    step = {"integrator": "generalized_alpha", "step": 0.005}
    found = [fly(rod_model(n, SOFT, stiffening=stiffening), **step) for n in (16, 32)]
    errors = [float(np.linalg.norm(x - exact, axis=-1).max()) for x in found]
    assert np.log2(errors[0] / errors[1]) > rate, errors
    assert errors[-1] < (3e-3 if stiffening else 0.1) * LENGTH


@pytest.mark.parametrize(
    ("EI", "half", "one"),
    [
        (3.0, (1.258128, -1.554574), (-1.761670, -0.946852)),
        pytest.param(10.0, (1.250856, -1.560568), (-1.764136, -0.942217), marks=pytest.mark.exhaustive),
        pytest.param(50.0, (1.251317, -1.560195), (-1.763503, -0.943426), marks=pytest.mark.exhaustive),
    ],
)
def test_falling_strip(EI: float, half: tuple[float, float], one: tuple[float, float]) -> None:
    """A strip of 2 m and 0.1 kg/m falls from the horizontal on a hinge: its tip x, z after 0.5 s and 1 s.

    The numbers are those of sixteen short bodies without displacements of second order.
    """
    E = 1e10
    section = Section(A=1e-4, Iy=EI / E, Iz=1e-5, J=1e-7)
    whole = beam(2.0, section, Material(E=E, nu=0.3, rho=1000.0), 16)
    shape = np.abs(whole.pieces(16, "cantilever", modes=6).bodies[0].frames["end"].shape)
    bending = [i + 1 for i in range(6) if shape[5, i] > 1e-3 * shape[3:, i].max()]
    assert len(bending) == 2
    mech = supple.Mechanism("falling strip")
    pieces = whole.pieces(16, "cantilever", modes=bending)
    mech.add_body("strip", pieces, joint=supple.Revolute("y"), stiffening=False)
    model = mech.build()
    result = supple.simulate(model, 1.0, samples=3, rtol=1e-8, integrator="DOP853")
    ends = model.pose(result.q.values[1:], "strip/end")[1][:, [0, 2]]
    assert ends == pytest.approx(np.array([half, one]), abs=3e-4)


def spin_up(pieces: int, until: float, **options: Any) -> Any:
    """Simo and Vu-Quoc's beam on an axle that turns by a law, to 6 rad/s in 15 s; its end, seen from the axle."""
    E = 7e10
    shear = 1e7 / (E / 2.6 * 4e-4)
    section = Section(A=4e-4, Iy=2e-7, Iz=2e-7, J=4e-7, shear=(shear, shear))
    whole = beam(10.0, section, Material(E=E, nu=0.3, rho=3000.0), pieces, shear=True)
    mech = supple.Mechanism("spin-up", gravity=(0, 0, 0))
    mech.add_body("beam", whole.pieces(pieces), joint=supple.Revolute("z"), **options)
    turn = "6/15*(t**2/2 + (15/(2*pi))**2*(cos(2*pi*t/15) - 1))"
    return supple.simulate(
        mech.build(),
        until,
        motion={"beam.angle": turn},
        samples=round(until / 0.025) + 1,
        integrator="generalized_alpha",
        step=5e-3,
        outputs=supple.Outputs(nodes="beam/end"),
    )


LAGS = [(16, False, 6.775, (-0.018856, -0.57550)), (8, True, 6.75, (-0.01882, -0.57382))]


@pytest.mark.parametrize(("pieces", "stiffening", "at", "lag"), thinned(LAGS, LAGS[1:], several=True))
def test_spin_up(pieces: int, stiffening: bool, at: float, lag: tuple[float, float]) -> None:
    """The end lags by 0.5738 m; sixteen pieces without stiffening say 0.5755 m, the number of short bodies."""
    result = spin_up(pieces, 8.0, stiffening=stiffening)
    u = result.displacement.values[:, 0]
    most = int(np.argmin(u[:, 1]))
    assert u[most, :2] == pytest.approx(lag, abs=1.5e-4)
    assert result.time.values[most] == pytest.approx(at, abs=0.03)


@pytest.mark.skipif(not find_spec("exudyn"), reason="Exudyn is not installed")
def test_flying_rod_beside_geometrically_exact_beams() -> None:
    """Sixteen pieces and sixteen elements of Exudyn; the rod turns by 4.4 rad, and bends by 9 percent of its length."""
    own = fly(rod_model(16), integrator="generalized_alpha", step=0.02)
    other = ExudynRod(16).run(0.02)
    assert np.linalg.norm(own - other, axis=-1).max() < 5e-3 * LENGTH
    chord, half = own[:, 0] - own[:, 2], own[:, 1] - own[:, 2]
    across = np.stack([-chord[:, 1], chord[:, 0]], axis=-1) / np.linalg.norm(chord, axis=-1)[:, None]
    assert np.abs(np.sum(half * across, axis=-1)).max() > 0.08 * LENGTH
    turned = np.unwrap(np.arctan2(chord[:, 1], chord[:, 0]))
    assert np.ptp(turned) > 4.0
