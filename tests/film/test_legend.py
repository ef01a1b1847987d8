"""Coloured pictures: the scale, its numbers, the ring, and what cannot be coloured."""

from __future__ import annotations

import json
import struct
from pathlib import Path

import numpy as np
import pytest
import xarray as xr

import supple
from supple.view.film.camera import Camera, view_of
from supple.view.film.coloring import Coloring
from supple.view.film.legend import Lettering, column
from supple.view.scene.level import Level
from supple.view.scene.look import QUANTITIES, mapped, prefixed
from supple.view.scene.surfaces import drawn

Run = tuple[supple.Model, xr.Dataset]


def test_letters_are_smooth_strokes_with_a_rim_of_paper() -> None:
    picture = np.full((600, 800, 3), 128, np.uint8)
    Lettering(picture, dark=False).write("1-", 100.0, 100.0)
    rows, columns = np.nonzero((picture != 128).any(axis=2))
    assert (rows.min(), rows.max()) == pytest.approx((90, 101), abs=2)
    assert (columns.min(), columns.max()) == pytest.approx((99, 114), abs=2)
    grey = picture[..., 0][90:102, 99:115]
    assert grey.min() < 60
    assert grey.max() > 200
    assert len(np.unique(grey)) > 20  # edges are smooth
    corner = np.full((60, 80, 3), 128, np.uint8)
    Lettering(corner, dark=True).write("8mW", -6.0, 4.0)  # cut off, not wrapped
    assert (corner != 128).any()
    assert (corner[:, -20:] == 128).all()
    assert (corner[20:] == 128).all()


@pytest.mark.parametrize(
    ("quantity", "most", "size", "unit"),
    [
        ("stress", 2.3e8, 1e6, "MPa"),
        ("displacement", 4e-3, 1e-3, "mm"),
        ("displacement", 1e-12, 1e-9, "nm"),
        ("strain", 1e-3, 1.0, ""),
    ],
)
def test_units_have_prefixes(quantity: str, most: float, size: float, unit: str) -> None:
    assert prefixed(QUANTITIES[quantity][1], most) == (size, unit)


def test_the_scale_is_light_at_its_top_and_its_column_is_kept_free() -> None:
    picture = np.full((600, 900, 3), 250, np.uint8)
    Lettering(picture, dark=False).scale("stress", 1e6, (50.0, 60.0, 8e5))
    left = 900 - column((900, 600))
    bar = picture[34:214, 900 - 76 + 4].astype(float)
    assert bar[1, 0] > 240 > bar[-2, 0]
    assert (picture[60, 40:60] < 100).any()  # the ring
    assert (picture[34:214, 150:left] == 250).all()
    seen = np.random.default_rng(0).normal(size=(300, 3))
    view = view_of(Camera(), Level.of(np.array([0.0, 0.0, -9.81])), seen, 900, 600, column((900, 600)))
    focal, middle, _, _ = view.lens(900, 600)
    x = (seen - view.eye(np.zeros(3))) @ view.axes.T
    assert (middle + focal * x[:, 0] / x[:, 2]).max() < left


@pytest.mark.parametrize(("text", "expected"), [("t = 1", True), ("", False)])
def test_the_foot_says_what_it_is_told(text: str, expected: bool) -> None:
    picture = np.full((300, 400, 3), 250, np.uint8)
    Lettering(picture, dark=False).foot(text)
    assert (picture[270:, :100] < 150).any() == expected


def test_a_picture_is_coloured(run: Run, tmp_path: Path) -> None:
    model, result = run
    options = {"model": model, "time": 0.2, "size": (160, 96)}
    paths = [
        supple.render(result, tmp_path / f"{color}.png", color=color, **options)  # type: ignore[arg-type]
        for color in (None, "stress", "strain")
    ]
    plain, stress, strain = (path.read_bytes() for path in paths)
    assert len({plain, stress, strain}) == 3
    coloring = Coloring(model, "stress", result.q.values, result.q.values)
    assert list(coloring.fields) == ["boom"]
    assert coloring.most == pytest.approx(max(coloring.fields["boom"].values(i).max() for i in range(31)))


def test_vertices_of_a_glb_have_the_colours_of_their_largest_stress(run: Run, tmp_path: Path) -> None:
    model, result = run
    content = supple.render(result, tmp_path / "x.glb", model=model, color="stress").read_bytes()
    (size,) = struct.unpack_from("<I", content, 12)
    document, buffer = json.loads(content[20 : 20 + size]), content[28 + size :]
    mesh = next(x for x in document["meshes"] if "extras" in x)
    field = Coloring(model, "stress", result.q.values, result.q.values).fields["boom"]
    peaks = field.peaks()
    assert peaks.max() == pytest.approx(mesh["extras"]["to"])
    assert (mesh["extras"]["quantity"], mesh["extras"]["unit"]) == ("stress", "Pa")
    numbers = []
    for name in ("POSITION", "COLOR_0"):
        accessor = document["accessors"][mesh["primitives"][0]["attributes"][name]]
        start = document["bufferViews"][accessor["bufferView"]]["byteOffset"]
        numbers.append(np.frombuffer(buffer, "<f4", 3 * accessor["count"], start).reshape(-1, 3))
    surface = next(x for x in drawn(model) if x.shapes is not None)
    nearest = np.argmin(np.linalg.norm(numbers[0][:, None] - surface.vertices, axis=2), axis=1)
    expected = mapped(peaks[nearest] / peaks.max())
    shown = np.where(numbers[1] <= 0.0031308, 12.92 * numbers[1], 1.055 * numbers[1] ** (1 / 2.4) - 0.055)
    np.testing.assert_allclose(shown, expected, atol=1e-5)
    assert np.ptp(shown, axis=0).max() > 0.5
    material = document["materials"][mesh["primitives"][0]["material"]]["pbrMetallicRoughness"]
    assert material["baseColorFactor"] == [1.0, 1.0, 1.0, 1.0]


def test_what_cannot_be_coloured_is_refused(run: Run, tmp_path: Path) -> None:
    model, result = run
    with pytest.raises(supple.StateError, match="color: no quantity 'heat'; expected one of"):
        supple.render(result, tmp_path / "x.png", model=model, color="heat")
    with pytest.raises(supple.StateError, match="color: no quantity 'heat'"):
        supple.render(result, tmp_path / "x.glb", model=model, color="heat")
    mech = supple.Mechanism("rigid")
    mech.add_body("arm", supple.RigidBody(1.0, (0, 0, -1)))
    with pytest.raises(supple.StateError, match="color: expected a flexible body whose stress is known, got none"):
        supple.render(mech.build(), tmp_path / "x.png", color="stress")
