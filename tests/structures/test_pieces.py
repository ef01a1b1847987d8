"""Beams in pieces: where they are cut, which pieces are equal, and that together they are the beam."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import linalg

import supple
from supple.structures import Beam, BeamPieces, Material, Rayleigh, Rectangle, beam, beam_path
from supple.structures.body.hdf5_reader import load_body, load_pieces
from supple.structures.body.substructured_beam import Place
from support.cases import thinned

METAL = Material(E=70e9, nu=0.3, rho=2700.0)
STRIP = Rectangle(0.02, 0.004)
CORNER = [(0, 0, 0), (1.0, 0, 0), (1.0, 0.5, 0)]


def kinds(pieces: BeamPieces) -> int:
    return len({id(body) for body in pieces.bodies})


def exact(whole: Beam, root: int, count: int) -> Any:
    """Hz, from the matrices of the beam alone, whose root is fixed."""
    small = whole.condensed
    free = linalg.null_space(small.motion[6 * root : 6 * root + 6].toarray())
    K, M = (free.T @ A.toarray() @ free for A in (small.stiffness, small.mass.matrix))
    return np.sqrt(linalg.eigh(K, M, eigvals_only=True)[:count]) / (2 * np.pi)


def lowest(pieces: BeamPieces, count: int = 6) -> Any:
    """Hz, root fixed."""
    mech = supple.Mechanism("alone", gravity=(0, 0, 0))
    mech.add_body("beam", pieces, joint=supple.Fixed())
    return supple.linear.modes(mech.build()).frequencies[:count]


def test_equal_pieces_are_one_body() -> None:
    pieces = beam(1.0, STRIP, METAL, 32).pieces(8)
    assert (len(pieces), kinds(pieces), pieces.modes) == (8, 1, 48)
    assert pieces.first == tuple(range(0, 32, 4))
    assert pieces.mass == pytest.approx(STRIP.A * METAL.rho)


@pytest.mark.parametrize(
    ("elements", "count", "first"), [(10, 4, (0, 2, 5, 7)), (5, 5, (0, 1, 2, 3, 4)), (7, 2, (0, 3))]
)
def test_cuts_are_at_the_nodes_nearest_to_equal_lengths(elements: int, count: int, first: tuple[int, ...]) -> None:
    assert beam(0.7, STRIP, METAL, elements).pieces(count).first == first


def test_cuts_in_a_path_of_uneven_elements_are_all_different() -> None:
    pieces = beam_path([(0, 0, 0), (1, 0, 0), (1.01, 0, 0)], STRIP, METAL, [2, 6]).pieces(5)
    assert np.all(np.diff([*pieces.first, 8]) >= 1)


ROOTS = [(False, False, "start"), (True, True, "end")]


@pytest.mark.parametrize(("lumped", "shear", "root"), thinned(ROOTS, ROOTS[1:], several=True))
def test_pieces_of_all_nodes_have_the_frequencies_of_the_beam(lumped: bool, shear: bool, root: str) -> None:
    """Along a path with a corner, point masses on a cut and within a piece, and a rigid region within another."""
    whole = beam_path(CORNER, [STRIP, Rectangle(0.03, 0.005)], METAL, [4, 3], lumped=lumped, shear=shear)
    whole = whole.with_mass(2, 0.05, (1e-5, 2e-5, 3e-5), (0, 0.01, 0)).with_mass(3, 0.02).with_frame("clamp", [5, 6])
    whole = whole.with_mass("clamp", 0.01, np.diag([1e-6, 1e-6, 2e-6]))
    pieces = whole.pieces(3, "nodal", root=root)
    assert pieces.first == ((0, 2, 4) if root == "start" else (4, 2, 0))
    body = whole.reduce("nodal", root=root)
    assert lowest(pieces) == pytest.approx(exact(whole, 0 if root == "start" else 7, 6), rel=1e-9)
    assert pieces.mass == pytest.approx(body.mass, rel=1e-12)
    assert pieces.undeformed.com == pytest.approx(body.com, abs=1e-12)
    assert pieces.undeformed.inertia == pytest.approx(body.inertia, abs=1e-12)


def test_craig_bampton_pieces_have_the_frequencies_of_the_beam_and_its_frames_as_interfaces() -> None:
    whole = beam(1.0, STRIP, METAL, 12).with_frame("middle", 6).with_frame("odd", 1)
    pieces = whole.pieces(4)
    assert [body.modes for body in pieces.bodies] == [12, 6, 6, 6]
    assert kinds(pieces) == 2
    assert whole.pieces(4, interfaces=["end"]).modes == 24
    assert whole.pieces(4, interfaces=["odd", "5"]).modes == 36
    expected = exact(whole, 0, 4)
    assert lowest(pieces, 4) == pytest.approx(expected, rel=1e-2)
    assert lowest(whole.pieces(2, modes=8), 4) == pytest.approx(expected, rel=2e-5)
    assert lowest(whole.pieces(2, "cantilever", modes=12), 4) == pytest.approx(expected, rel=5e-2)


def test_one_piece_is_the_body() -> None:
    whole = beam(1.0, STRIP, METAL, 4)
    models = []
    for body in (whole.pieces(1, "cantilever", modes=3), whole.reduce("cantilever", modes=3)):
        mech = supple.Mechanism("one")
        mech.add_body("boom", body)
        models.append(mech.build())
    assert models[0] == models[1]
    assert not models[0].description.beams


def test_places_and_names_are_each_others_inverse() -> None:
    for root in ("start", "end"):
        pieces = beam(1.0, STRIP, METAL, 9).with_frame("third", 3).pieces(3, root=root)
        for name in ("start", "end", "third", *map(str, range(10))):
            place = pieces.place(name)
            again = pieces.place(pieces.name(place))
            assert again == place
            at = pieces.origin(place.piece) + pieces.bodies[place.piece].frame(place.node).position
            number = {"start": 0, "third": 3, "end": 9}.get(name) if not name.isdigit() else int(name)
            assert at == pytest.approx(pieces.nodes[number], abs=1e-15)
    with pytest.raises(supple.ModelError, match=r"no frame 'thirt'; did you mean 'third'"):
        pieces.place("thirt")
    with pytest.raises(supple.ModelError, match=r"no frame '10'; .*, nodes 0 to 9"):
        pieces.place("10")


def test_rayleigh_damping_is_that_of_the_beam_whatever_the_pieces() -> None:
    whole = beam(1.0, STRIP, METAL, 4)
    ratios = []
    for count in (1, 2):
        mech = supple.Mechanism("damped", gravity=(0, 0, 0))
        mech.add_body("beam", whole.pieces(count, "nodal", damping=Rayleigh(0.0, 1e-3)), joint=supple.Fixed())
        ratios.append(supple.linear.modes(mech.build()).damping[:3])
    assert ratios[1] == pytest.approx(ratios[0], rel=1e-6)
    assert ratios[0].min() > 1e-3


def test_strains_have_the_numbers_of_the_beam() -> None:
    pieces = beam(1.0, STRIP, METAL, 4).pieces(2)
    own = pieces.bodies[1].strains
    assert own is not None
    found = pieces.whole(1, own)
    assert found.places[:2] == ("2-3", "2-3")
    assert "3-4 at 4" in found.places
    assert found.positions[:, 0].min() == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("count", "given", "message"),
    [
        (0, {}, "pieces: expected a whole number of at least 1, got 0"),
        (-3, {}, "pieces: expected a whole number of at least 1, got -3"),
        (2.0, {}, r"pieces: expected a whole number of at least 1, got 2\.0"),
        (True, {}, "pieces: expected a whole number of at least 1, got True"),
        ("4", {}, "pieces: expected a whole number of at least 1, got '4'"),
        (9, {}, "pieces: expected at most its 8 elements, got 9"),
        (2, {"basis": "free-free", "modes": 2}, "got 'free-free', whose ends carry no moment"),
        (2, {"basis": "guyan"}, "basis: expected one of 'cantilever', 'craig-bampton', 'nodal'"),
        (2, {"basis": "nodal", "modes": 3}, "the nodal basis keeps all degrees of freedom"),
        (2, {"basis": "cantilever"}, "modes: expected their number"),
        (2, {"root": "middle"}, "root: expected 'start' or 'end', got 'middle'"),
        (2, {"interfaces": "end"}, "interfaces: expected a list of frames, got 'end'"),
        (2, {"interfaces": ["tip"]}, "no frame 'tip'"),
        (2, {"basis": "nodal", "interfaces": ["end"]}, "only the basis 'craig-bampton' has them"),
    ],
)
def test_nonsense_is_refused(count: Any, given: dict[str, Any], message: str) -> None:
    with pytest.raises(supple.ModelError, match=message):
        beam(1.0, STRIP, METAL, 8).pieces(count, **given)


def test_a_rigid_region_over_a_cut_is_refused() -> None:
    whole = beam(1.0, STRIP, METAL, 8).with_frame("clamp", [3, 4, 5])
    with pytest.raises(supple.ModelError, match=r"frame 'clamp': expected the nodes of a rigid region in one piece"):
        whole.pieces(2)


def test_a_beam_comes_back_from_its_file(tmp_path: Path) -> None:
    pieces = beam_path(CORNER, STRIP, METAL, 4).pieces(4)
    pieces.save(tmp_path / "beam.h5")
    again = load_pieces(tmp_path / "beam.h5")
    assert (again.first, again.frames, kinds(again)) == (pieces.first, pieces.frames, kinds(pieces))
    assert np.array_equal(again.nodes, pieces.nodes)
    for a, b in zip(again.bodies, pieces.bodies, strict=True):
        assert np.array_equal(a.stiffness.toarray(), b.stiffness.toarray())
        assert np.array_equal(a.shapes.toarray(), b.shapes.toarray())
    with pytest.raises(supple.FileFormatError, match="expected a file of format 'supple flexible body'"):
        load_body(tmp_path / "beam.h5")
    pieces.bodies[0].save(tmp_path / "body.h5")
    with pytest.raises(supple.FileFormatError, match="expected a file of format 'supple beam in pieces'"):
        load_pieces(tmp_path / "body.h5")


def test_pieces_that_do_not_make_up_a_beam_are_refused() -> None:
    pieces = beam(1.0, STRIP, METAL, 4).pieces(2)
    bodies, first, nodes, frames = pieces.bodies, pieces.first, pieces.nodes, pieces.frames
    with pytest.raises(supple.ModelError, match="expected pieces from its start to its end"):
        BeamPieces(bodies, (0, 1), nodes, frames)
    with pytest.raises(supple.ModelError, match="expected pieces from its start to its end"):
        BeamPieces(bodies, first, np.full((5, 3), np.nan), frames)
    with pytest.raises(supple.ModelError, match="expected pieces from their root on"):
        BeamPieces(bodies, (2, 0), nodes, frames)
    with pytest.raises(supple.ModelError, match="expected pieces from their root on"):
        BeamPieces((bodies[0], beam(0.5, STRIP, METAL, 2).reduce("nodal", root="end")), first, nodes, frames)
    with pytest.raises(supple.ModelError, match="frame 'end': no piece 2"):
        BeamPieces(bodies, first, nodes, {"end": Place(2, "end")})
    with pytest.raises(supple.ModelError, match="no frame 'tip'"):
        BeamPieces(bodies, first, nodes, {"end": Place(1, "tip")})


@pytest.mark.parametrize("elements", [1, 2, 4])
def test_a_piece_of_few_elements_shortens_like_one_of_many(elements: int) -> None:
    """By a moment that bends it by an angle a: L a^2 / 6, to second order."""
    mech = supple.Mechanism("piece", gravity=(0, 0, 0))
    mech.add_body("piece", beam(1.0, STRIP, METAL, elements).pieces(1), joint=supple.Fixed())
    rest = supple.linear.equilibrium(mech.build(), external={"piece/end": [0, -0.1 * METAL.E * STRIP.Iy, 0, 0, 0, 0]})
    assert rest.displacement("piece/end") == pytest.approx([-(0.1**2) / 6, 0, 0.05], abs=1e-9)
