"""What colours the surfaces of flexible bodies: rows in the page, and their largest values."""

from __future__ import annotations

import base64
from dataclasses import replace

import numpy as np
import pytest
import xarray as xr

import supple
from supple.checks import Floats
from supple.structures import FlexibleBody, von_mises
from supple.view.film.coloring import Coloring
from supple.view.film.surfaces import MovingSurfaces
from supple.view.pages.scene_json import scene
from supple.view.scene.look import COLORS, mapped
from supple.view.scene.quantities import largest, vertex_stress, with_worst_points, worst_points
from supple.view.scene.surfaces import drawn

Run = tuple[supple.Model, xr.Dataset]


def unpack(text: str, kind: str = "<f4") -> Floats:
    return np.frombuffer(base64.b64decode(text), kind).astype(float)


def test_the_page_has_the_stress_of_the_nearest_points(satellite: Run) -> None:
    """Von Mises' stress of a solid at its nodes and of a beam on its edges, from whole numbers and few shapes."""
    model, result = satellite
    data = scene(model, result.time.values, result.q.values, color="stress")
    assert data["color"] == "stress"
    assert set(data["fields"]) == {"displacement", "strain", "stress"}
    most, count = 0.0, 0
    for k, name in enumerate(model.bodies):
        body, entry = model.description.bodies[name].body, data["bodies"][k]
        if not isinstance(body, FlexibleBody):
            assert all("stress" not in x for x in entry["surfaces"])
            continue
        (sent,) = entry["surfaces"]
        eta = unpack(data["amplitudes"]).reshape(len(result.time), -1)[20, entry["first"] :][: entry["modes"]]
        numbers = unpack(sent["stress"]["rows"], "<i2").reshape(-1, entry["modes"])
        found = np.linalg.norm((numbers * sent["stress"]["scale"] @ eta).reshape(-1, 5), axis=1)
        assert body.recovery is not None
        points = body.recovery.stresses
        assert points is not None
        first = model.flex.q_mode[k + 1]  # type: ignore[union-attr]
        own = von_mises(points.values(result.q.values[20, first : first + body.modes]))
        vertices = unpack(sent["vertices"], "<u2").reshape(-1, 3) * sent["step"] + sent["low"]
        near = [np.linalg.norm(points.positions - x, axis=1).argmin() for x in vertices]
        size = own.max()
        if name == "panel":
            np.testing.assert_allclose(found, own[near], atol=1e-3 * size)
            np.testing.assert_allclose(unpack(sent["stress"]["compliance"]), 1.0 / 3e8, rtol=1e-6)
        assert found.max() == pytest.approx(size, rel=1e-3)  # also where two ends of elements meet in one vertex
        every = von_mises(points.values(result.q.values[:, first : first + body.modes])).max()
        most, count = max(most, every), count + 1
    assert count == 2
    assert data["fields"]["stress"] == pytest.approx(most, rel=1e-12)


def test_the_worst_point_is_marked_where_it_is() -> None:
    """A node in the middle of a side of quadratic tetrahedra: pages, pictures and numbers name its place and value.

    So they do where hardly a vertex of a surface is left.
    """
    skfem = pytest.importorskip("skfem", reason="solid elements need scikit-fem")
    ticks = np.linspace(0, 0.3, 7), np.linspace(-0.02, 0.02, 2), np.linspace(-0.006, 0.006, 2)
    ends = {"start": lambda x: x[0] < 1e-9, "end": lambda x: x[0] > 0.3 - 1e-9}
    mesh = skfem.MeshTet2.from_mesh(skfem.MeshTet.init_tensor(*ticks))
    metal = supple.structures.Material(E=70e9, nu=0.3, rho=2700.0)
    body = supple.structures.from_mesh(mesh, metal, ends).reduce("cantilever", 4)
    mech = supple.Mechanism("bracket", gravity=(0.0, 0.0, 0.0))
    mech.add_body("bracket", body, joint=supple.Fixed())
    model = mech.build()
    q = 1e-5 * np.array([[0.0, 0.0, 0.0, 0.0], [0.1, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0]])
    assert body.recovery is not None
    assert body.recovery.stresses is not None
    own = von_mises(body.recovery.stresses.values(q))
    corners = np.unique(mesh.t)
    frame, worst = np.unravel_index(own.argmax(), own.shape)
    assert worst not in corners
    most = float(own.max())
    assert scene(model, np.arange(3.0), q)["fields"]["stress"] == pytest.approx(most, rel=1e-12)
    colors = Coloring(model, "stress", q, q)
    _, found = MovingSurfaces(model, q, coloring=colors).colored(int(frame))
    assert found is not None
    assert found.value == pytest.approx(most)
    assert found.most == pytest.approx(most)
    place = MovingSurfaces(model, 0.0 * q, coloring=colors).points(0)[found.worst]
    np.testing.assert_allclose(place, body.nodes[worst], atol=1e-12)
    (peaks,) = (field.peaks() for field in colors.fields.values())
    assert peaks.max() == pytest.approx(most)
    few = replace(drawn(model)[0], vertices=np.zeros((1, 3)), shapes=drawn(model)[0].shapes[:3])  # type: ignore[index]
    chosen = worst_points(body.recovery.stresses, q)
    assert chosen.stress == pytest.approx(most)
    assert worst in chosen.points
    marked, stress = with_worst_points(few, body, True, chosen)
    assert stress is not None
    assert marked.shapes is not None
    assert len(marked.vertices) == 1 + len(chosen.points)
    assert np.linalg.norm((stress.rows @ q[frame]).reshape(-1, 5), axis=1).max() == pytest.approx(most)
    assert marked.shapes.shape[0] == 3 * len(marked.vertices)


def test_the_largest_value_of_a_motion() -> None:
    rows, eta = (
        np.array([[3.0, 0.0], [0.0, 4.0], [1.0, 0.0], [0.0, 0.0]]),
        np.array([[1.0, 0.0], [1.0, 1.0], [2.0, 0.0]]),
    )
    assert largest(rows, 2, eta) == pytest.approx(6.0)
    assert largest(rows, 2, eta, np.array([0.0, 5.0])) == pytest.approx(10.0)
    assert largest(rows, 2, np.zeros((0, 2))) == 0.0


def test_colours_grow_lighter_all_along() -> None:
    """Perceptual uniformity, by the luminance of the colours."""
    light = (mapped(np.linspace(0.0, 1.0, 101)) ** 2.2) @ [0.2126, 0.7152, 0.0722]
    steps = np.diff(116.0 * np.cbrt(light) - 16.0)
    assert (steps > 0.4).all()
    assert steps.max() < 2.0 * steps.mean()
    np.testing.assert_allclose(mapped(np.array([0.0]))[0] * 255, [int(COLORS[0][i : i + 2], 16) for i in (1, 3, 5)])


def test_bodies_without_stresses_have_no_colours(satellite: Run) -> None:
    model, result = satellite
    mech = supple.Mechanism("rigid")
    mech.add_body("arm", supple.RigidBody(1.0, (0, 0, -1)))
    rigid = mech.build()
    q = np.array([[0.0], [0.1]])
    with pytest.raises(supple.StateError, match="expected a body that deforms and whose stress is known"):
        scene(rigid, np.array([0.0, 1.0]), q, color="stress")
    with pytest.raises(supple.StateError, match="color: no quantity 'stres'; expected one of 'displacement'"):
        scene(model, result.time.values, result.q.values, color="stres")
    body = model.description.bodies["panel"].body
    assert isinstance(body, FlexibleBody)
    assert vertex_stress(body, np.zeros((0, 3))) is None
