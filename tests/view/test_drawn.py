"""What bodies look like: visuals, or what suits joints, rolling, inertia and structures; it moves as the model."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import supple
from supple import shapes, structures
from supple.shapes.decimation import MOST_NODES, decimated, reduced
from supple.view.pages.scene_json import scene
from supple.view.scene.places import ScenePlaces
from supple.view.scene.surfaces import DrawnSurface, amplitudes, drawn

STEEL = structures.Material(E=2.1e11, nu=0.3, rho=7850)


def only(model: supple.Model, body: str) -> list[DrawnSurface]:
    return [x for x in drawn(model) if x.body == body]


def bounds(surfaces: list[DrawnSurface]) -> Any:
    x = np.concatenate([surface.vertices for surface in surfaces])
    return np.stack([x.min(axis=0), x.max(axis=0)])


@pytest.fixture(scope="module")
def rig() -> supple.Model:
    """A hub that turns with a bent beam, at its end a rigid arm, on it a mass; a wheel that rolls."""
    mech = supple.Mechanism("rig")
    mech.add_body("hub", supple.RigidBody(1.0, inertia=(0.1, 0.1, 0.2)), joint=supple.Revolute("z"))
    section = structures.Tube(0.02, thickness=0.005)
    bend = structures.beam_path([(0, 0, 0), (1, 0, 0), (1, 0.5, 0)], section, STEEL, 6)
    mech.add_body("bend", bend.reduce("craig-bampton", modes=2), "hub", supple.Fixed())
    mech.add_body("arm", supple.RigidBody(1.0, (0, 0, -0.2)), "bend", supple.Revolute("y"), at="end")
    mech.add_body("mass", supple.RigidBody(1.0, (0, 0, -0.3)), "arm", supple.Revolute("x"), at=(0, 0, -0.4))
    mech.add_body("wheel", supple.RigidBody(1.0, inertia=(0.1, 0.2, 0.1)), joint=supple.Free())
    mech.constrain("rolls", supple.Rolling("ground", "wheel", 0.3, axis="y"))
    mech.add_visual("bend/end", shapes.Sphere(0.05, at=(0.1, 0, 0), color="red"))
    return mech.build()


def test_defaults(rig: supple.Model) -> None:
    hub, wheel = only(rig, "hub"), only(rig, "wheel")
    assert [x.name for x in hub] == ["disc"]  # holds nothing elsewhere, and has the inertia of a thin disc
    np.testing.assert_allclose(bounds(hub)[1], [np.sqrt(0.4), np.sqrt(0.4), 0.0], rtol=1e-9)
    np.testing.assert_allclose(bounds(wheel)[1][[0, 2]], 0.3, rtol=1e-9)
    assert [x.name for x in only(rig, "arm")] == ["path", "cylinder"]
    assert bounds(only(rig, "arm"))[0][2] == pytest.approx(-0.4, abs=1e-9)
    assert [x.name for x in only(rig, "mass")] == ["path", "cylinder", "sphere"]


@pytest.mark.parametrize(
    ("com", "inertia", "end"),
    [
        ((0, 0, -0.5), (1 / 12, 1 / 12, 0), (0, 0, -1.0)),  # a uniform rod of 1 m, held at its end
        ((0, 0, -0.5), (0, 0, 0), (0, 0, -0.5)),  # a point mass
        ((0.3, 0.4, 0), (5, 5, 5), (0.6, 0.8, 0)),  # never farther beyond its centre of mass than before it
    ],
)
def test_a_body_without_frames_ends_where_its_mass_does(com: Any, inertia: Any, end: Any) -> None:
    mech = supple.Mechanism("one")
    mech.add_body("rod", supple.RigidBody(1.0, com, inertia), joint=supple.Revolute("y"))
    model = mech.build()
    far = np.asarray(end) / np.linalg.norm(end)
    along = np.concatenate([x.vertices for x in only(model, "rod") if x.name == "path"]) @ far
    assert along.max() == pytest.approx(np.linalg.norm(end))
    assert ("sphere" in {x.name for x in only(model, "rod")}) == (not any(inertia))
    stage = ScenePlaces(model)
    np.testing.assert_allclose(stage.places[stage.traces["rod"]].position, end)


def test_flexible_bodies_have_colours_of_their_own(tmp_path: Path) -> None:
    mech = supple.Mechanism("booms")
    boom = structures.beam(1.0, structures.Circle(0.02), STEEL, elements=4)
    for name in ("left", "right"):
        mech.add_body(name, boom.reduce("cantilever", modes=2), joint=supple.Fixed())
    mech.add_body("chain", boom.pieces(2), joint=supple.Fixed())
    mech.add_visual("left", shapes.Structure(color="gold"), shapes.Sphere(0.1))
    mech.add_visual("chain", shapes.Structure(color="red", opacity=0.4))
    supple.save(mech.build(), tmp_path / "booms.toml")
    for model in (mech.build(), supple.load(tmp_path / "booms.toml")):
        found = [(x.body, x.name, x.color, x.opacity) for x in drawn(model)]
        pieces = [(name, "structure", "#ff0000", 0.4) for name in model.bodies if name.startswith("chain")]
        assert len(pieces) == 2
        assert found == [
            ("left", "structure", "#ffd700", 1.0),
            ("left", "sphere", None, 1.0),
            ("right", "structure", None, 1.0),
            *pieces,
        ]
    mech.add_body("stone", supple.RigidBody(1.0), joint=supple.Free())
    own: dict[str, Any] = {"at": (1, 0, 0)}
    for name, given, message in (
        ("stone", {}, "visual on 'stone': structure: expected the name of a flexible body"),
        ("left/end", {}, "visual on 'left/end': structure: expected the name of a flexible body"),
        ("left", own, "structure: expected color and opacity alone"),
    ):
        with pytest.raises(supple.ModelError, match=message):
            mech.add_visual(name, shapes.Structure(**given))


def test_beams_have_their_section(rig: supple.Model) -> None:
    structure, _ = only(rig, "bend")
    np.testing.assert_allclose(bounds([structure]), [[0, -0.02, -0.02], [1.02, 0.5, 0.02]], atol=1e-12)
    mesh = shapes.TriangleMesh(structure.vertices, structure.faces)
    sides, rims = 1.5 * 24 * np.sin(np.pi / 12) * 0.02, 4 * 6 * np.sin(np.pi / 6) * (0.02**2 - 0.015**2)
    assert mesh.area == pytest.approx(sides + rims, rel=1e-9)  # of twelve corners, open at both ends of both segments


def test_sections_are_drawn_as_they_are() -> None:
    for section in (
        structures.Rectangle(0.02, 0.04),
        structures.IBeam(0.1, 0.2, 0.01, 0.006),
        structures.Section(A=8e-4, Iy=0.02 * 0.04**3 / 12, Iz=0.04 * 0.02**3 / 12, J=1e-9),
    ):
        bar = structures.beam(2.0, section, STEEL, elements=3)
        assert bar.surface is not None
        mesh = shapes.TriangleMesh(bar.surface.vertices(bar.nodes), bar.surface.faces)
        assert mesh.volume == pytest.approx(2.0 * section.A, rel=1e-12)


def test_solids_have_their_surface() -> None:
    for quadratic in (False, True):
        block = structures.box(1.0, 0.2, 0.1, STEEL, (3, 2, 2), quadratic=quadratic)
        assert block.surface is not None
        mesh = shapes.TriangleMesh(block.surface.vertices(block.nodes), block.surface.faces)
        assert mesh.volume == pytest.approx(0.02, rel=1e-9)
        assert mesh.area == pytest.approx(2 * (0.2 + 0.1 + 0.02), rel=1e-9)


def test_surfaces_move_with_nodes_and_frames(rig: supple.Model) -> None:
    q, _ = rig.random_state(seed=1)
    q[[i for i, name in enumerate(rig.coordinates) if "mode" in name]] = 1e-4
    structure, ball = only(rig, "bend")
    assert structure.shapes is not None
    moved = structure.vertices + (structure.shapes @ amplitudes(rig, "bend", q)).reshape(-1, 3)
    body = rig.description.bodies["bend"].body
    assert isinstance(body, supple.structures.FlexibleBody)
    assert body.surface is not None
    R, p = rig.pose(q, "bend")
    for vertex in (0, 40, len(moved) - 1):
        turn, at = rig.pose(q, f"bend/{body.surface.node[vertex]}")
        expected = at + turn @ body.surface.offset[vertex]
        assert np.linalg.norm(p + R @ moved[vertex] - expected) < 1e-5  # rotations of 0.003 rad, to first order
        assert np.linalg.norm(p + R @ structure.vertices[vertex] - expected) > 1e-4 or vertex == 0
    assert (ball.place, ball.color, ball.shapes) == ("bend/end", "#ff0000", None)
    np.testing.assert_allclose(ball.vertices.mean(axis=0), [0.1, 0, 0], atol=1e-12)


def test_inertia_boxes_are_there_on_request(rig: supple.Model) -> None:
    more = [x for x in drawn(rig, inertia=True) if x.name == "inertia"]
    assert [x.body for x in more] == ["hub", "arm", "mass", "wheel"]
    x = more[-1].vertices
    np.testing.assert_allclose(np.ptp(x, axis=0) ** 2, [1.2, 1e-6 * 1.2, 1.2], rtol=1e-9)  # no box is a thin disc


def test_the_page_gets_them(rig: supple.Model) -> None:
    def unpack(text: str, kind: str) -> Any:
        return np.frombuffer(base64.b64decode(text), dtype=kind)

    q = np.stack([rig.neutral(), rig.random_state(seed=2)[0]])
    data = scene(rig, np.array([0.0, 1.0]), q)
    assert data["ground"] == {"surfaces": []}
    sent = data["bodies"][1]
    structure, (first, second) = only(rig, "bend")[0], sent["surfaces"]
    vertices = first["low"] + np.array(first["step"]) * unpack(first["vertices"], "<u2").reshape(-1, 3)
    count = len(structure.vertices)  # behind them are the worst recovery points
    np.testing.assert_allclose(vertices[:count], structure.vertices, atol=max(first["step"]))
    assert unpack(first["triangles"], "<u4").reshape(-1, 3).tolist() == structure.faces.tolist()
    eta = unpack(data["amplitudes"], "<f4").reshape(2, -1)[1, sent["first"] : sent["first"] + sent["modes"]]
    assert structure.shapes is not None
    np.testing.assert_allclose(
        unpack(first["shapes"], "<f4").reshape(len(vertices) * 3, -1)[: 3 * count] @ eta,
        structure.shapes @ amplitudes(rig, "bend", q[1]),
        rtol=1e-5,
        atol=1e-6 * float(np.abs(structure.shapes @ amplitudes(rig, "bend", q[1])).max()),
    )
    assert (second["color"], second["opacity"], second["name"]) == ("#ff0000", 1.0, "sphere")
    place = data["places"][second["place"]]
    np.testing.assert_allclose(place["l"], [1.0, 0.5, 0.0], atol=1e-12)


def test_equivalent_rigid_links_are_drawn_alike() -> None:
    mech = supple.Mechanism("link")
    rod = structures.beam(1.0, structures.Rectangle(0.02, 0.04), STEEL, elements=4)
    mech.add_body("arm", rod.reduce("free-free", modes=2), joint=supple.Revolute("z"))
    mech.add_visual("arm/end", shapes.Sphere(0.1))
    links = supple.erls.build(mech)
    surfaces = drawn(links.display)
    assert [(x.body, x.name, x.place) for x in surfaces] == [("arm", "structure", None), ("arm", "sphere", "arm/end")]


def test_reduction_keeps_the_shape() -> None:
    fine = shapes.Sphere(0.5).triangles()
    x = Rotation.from_euler("x", 0.5).apply(np.array(fine.vertices))
    coarse = reduced(shapes.TriangleMesh(x, fine.faces), 0.15)
    assert len(coarse.faces) < len(fine.faces) / 1.5
    assert coarse.volume == pytest.approx(fine.volume, rel=0.15)  # chords of cells of 0.15
    assert np.abs(coarse.bounds - fine.bounds).max() < 0.15


def test_surfaces_of_many_nodes_are_thinned() -> None:
    ticks = np.linspace(0, 1, 110)
    x = np.stack([*np.meshgrid(ticks, ticks), np.zeros((110, 110))], axis=-1).reshape(-1, 3)
    i = (110 * np.arange(109)[:, None] + np.arange(109)).ravel()
    faces = np.concatenate([np.stack([i, i + 1, i + 111], axis=1), np.stack([i, i + 111, i + 110], axis=1)])
    kept, left = decimated(x, faces)
    assert 500 < len(kept) < MOST_NODES < len(x)
    assert shapes.TriangleMesh(x[kept], left).area == pytest.approx(1.0, rel=0.1)
