"""Coloured pictures: the scale, its numbers, the ring, and what cannot be coloured."""

from __future__ import annotations

import json
import struct
from pathlib import Path

import numpy as np
import pytest
import xarray as xr

import supple
from supple.view.film.coloring import Coloring
from supple.view.film.legend import unit_of, with_legend, write
from supple.view.scene.quantities import mapped
from supple.view.scene.surfaces import drawn

Run = tuple[supple.Model, xr.Dataset]


def test_letters_are_dots() -> None:
    paper, ink = np.zeros((9, 16, 3), np.uint8), np.array([255, 255, 255], np.uint8)
    write(paper, "1-", (1, 1), 1, ink)
    assert paper[1, 3, 0] == 255  # the tip of the 1
    assert (paper[4, 7:12, 0] == 255).all()  # the dash
    assert not paper[8].any()
    write(paper, "8", (-3, -3), 1, ink)  # cut off, not wrapped
    assert not paper[:, -2:].any()


@pytest.mark.parametrize(
    ("quantity", "most", "size", "unit"),
    [("stress", 2.3e8, 1e6, "MPa"), ("displacement", 4e-3, 1e-3, "mm"), ("strain", 1e-3, 1.0, "")],
)
def test_units_have_prefixes(quantity: str, most: float, size: float, unit: str) -> None:
    assert unit_of(quantity, most) == (size, unit)


def test_the_scale_is_light_at_its_top() -> None:
    picture = with_legend(np.full((180, 320, 3), 250, np.uint8), "stress", 1e6, (50.0, 60.0, 8e5))
    bar = picture[24:98, 320 - 40 + 4].astype(float)
    assert bar[1, 0] > 240 > bar[-2, 0]
    assert (picture[55, 40:60] < 100).any()  # the ring


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
