"""supple.render: pictures show bodies where the model has them, films have their frames, options are checked."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import imageio_ffmpeg
import numpy as np
import pytest
import xarray as xr
from PIL import Image

import supple
from supple import shapes
from supple.view.film.camera import Camera, view_of
from supple.view.film.surfaces import MovingSurfaces
from supple.view.scene.level import Level
from supple.view.scene.motion import scene_motion

SMALL = (160, 96)
Run = tuple[supple.Model, xr.Dataset]


def picture(path: Path) -> Any:
    return np.asarray(Image.open(path).convert("RGB")).astype(int)


def test_a_picture_shows_bodies_where_the_model_has_them(run: Run, tmp_path: Path) -> None:
    model, result = run
    file = supple.render(result, tmp_path / "a.png", model=model, time=0.2, size=SMALL, camera=(-60.0, 25.0))
    found = picture(file)
    assert found.shape == (96, 160, 3)
    surfaces = MovingSurfaces(model, scene_motion(result, model).at(np.array([0.2])))
    view = view_of(Camera(-60.0, 25.0), Level.of(model.tree.gravity), surfaces.points(0), *SMALL)
    focal, x, y, _ = view.lens(*SMALL)
    _, p = model.pose(scene_motion(result, model).at(np.array([0.2]))[0], "stone")
    seen = view.axes @ (p - view.eye(np.zeros(3)))
    j, i = (np.array([x, y]) + focal * seen[:2] / seen[2]).astype(int)
    red, green, blue = found[i, j]
    assert red > green + 40
    assert red > blue + 40
    # translucent: what is behind shines through, so it is not as dark as full red
    assert green > 100


def test_the_last_configuration_is_shown_by_default(run: Run, tmp_path: Path) -> None:
    model, result = run
    end, same, start = (tmp_path / name for name in ("end.png", "same.png", "start.png"))
    supple.render(result, end, model=model, size=SMALL)
    supple.render(result, same, model=model, time=float(result.time[-1]), size=SMALL)
    supple.render(result, start, model=model, time=0.0, size=SMALL)
    assert end.read_bytes() == same.read_bytes()
    assert end.read_bytes() != start.read_bytes()
    still = supple.render(model, same, q=result.q.values[-1], size=SMALL, show=(), camera=(-50.0, 20.0))
    moving = supple.render(result, end, model=model, size=SMALL, show=(), camera=(-50.0, 20.0))
    # ground and grid are those of the whole motion; bodies, which are coloured, are the same
    shown, expected = picture(moving), picture(still)
    colored = np.ptp(expected, axis=2) > 60
    assert colored.mean() > 0.02
    assert np.abs(shown - expected)[colored].mean() < 3.0


def test_deformation_and_background_and_follow_act(run: Run, tmp_path: Path) -> None:
    model, result = run
    plain = picture(supple.render(result, tmp_path / "a.png", model=model, size=SMALL))
    bent = picture(supple.render(result, tmp_path / "b.png", model=model, size=SMALL, deformation=20.0))
    dark = picture(supple.render(result, tmp_path / "c.png", model=model, size=SMALL, background="navy"))
    assert np.abs(plain - bent).max() > 50
    assert plain[0, 0].tolist() == [0xF6, 0xF8, 0xFA]
    assert dark[0, 0].tolist() == [0, 0, 0x80]
    traced = picture(supple.render(result, tmp_path / "e.png", model=model, size=SMALL, traces=["boom/end"]))
    assert np.abs(plain - traced).max() > 50
    near = picture(
        supple.render(result, tmp_path / "d.png", model=model, size=SMALL, follow="stone", camera=(0, 20, 2))
    )
    i, j = np.nonzero(near[..., 0] > near[..., 1] + 40)
    middle = np.array([j.mean(), i.mean()]) / SMALL
    assert np.abs(middle - 0.5).max() < 0.35  # the box is in the picture, near the middle


def test_loads_reactions_and_contacts_are_drawn_where_they_act(tmp_path: Path) -> None:
    mech = supple.Mechanism("loaded")
    mech.add_body("block", supple.RigidBody(1.0, inertia=(0.1, 0.1, 0.1)), joint=supple.Prismatic("x"))
    mech.add_visual("block", shapes.Box((0.03, 0.03, 0.03), color="white"))
    mech.add_visual("ground", shapes.Box((1.0, 0.02, 0.02), at=(0, 0, -0.3), color="white"))
    mech.add_wrench("push", "block", force=(5.0, 0, 0), axes="ground")
    model = mech.build()
    stop = supple.Limit("block.position", upper=0.2)
    outputs = supple.Outputs(wrenches="all")
    result = supple.simulate(model, 0.5, samples=26, limits=[stop], outputs=outputs)
    assert result.q.values[-1, 0] == pytest.approx(0.2)

    def columns(color: tuple[int, int, int], **options: Any) -> Any:
        """Where pixels of about the hue of a colour are, from left to right."""
        file = supple.render(result, tmp_path / "a.png", model=model, size=SMALL, camera=(-90.0, 10.0), **options)
        x, wanted = picture(file) / 255.0, np.array(color) / np.linalg.norm(color)
        near = (x @ wanted) / np.linalg.norm(x, axis=2) > 0.985
        return np.nonzero(near & (np.ptp(x, axis=2) > 0.25))[1]

    red, violet, orange = (0xD6, 0x26, 0x1F), (0x7A, 0x40, 0xB8), (0xE8, 0x78, 0x0C)
    everything = ("joints", "loads", "reactions", "contacts")
    for color, one in ((red, "loads"), (violet, "reactions"), (orange, "contacts")):
        others = tuple(x for x in everything if x != one)
        assert len(columns(color, show=everything)) > 3, one
        assert not len(columns(color, show=others)), one
    assert not len(columns(orange, show=everything, time=0.1))  # not yet at its stop
    tip = 80.0 + 0.2 * 0.92 * 160.0  # the bar of 1 m fills the picture, nearly, and the block is at 0.2 m
    assert tip - 12 < columns(red).max() <= tip  # a load pushes
    with pytest.raises(supple.StateError, match=r"show: expected any of joints, .*, got 'load'; did you mean 'loads'"):
        supple.render(result, tmp_path / "b.png", model=model, show=["load"])


def test_what_goes_far_is_followed_and_stays_large(tmp_path: Path) -> None:
    mech = supple.Mechanism("sledge", gravity=(0, 0, 0))
    mech.add_body("sledge", supple.RigidBody(1.0, inertia=(0.1, 0.1, 0.1)), joint=supple.Planar("z"))
    mech.add_visual("sledge", shapes.Box((1.0, 0.5, 0.2), color="red"))
    mech.add_visual("ground", shapes.Box((0.1, 0.1, 0.1)))
    model = mech.build()
    result = supple.simulate(model, 1.0, v={"sledge.x": 100.0}, samples=5)
    for time in (0.0, 1.0):
        x = picture(supple.render(result, tmp_path / "a.png", model=model, size=SMALL, time=time))
        assert (x[..., 0] > x[..., 1] + 40).mean() > 0.1


def test_films_have_their_frames(run: Run, tmp_path: Path) -> None:
    model, result = run
    shares: list[float] = []
    gif = supple.render(result, tmp_path / "a.gif", model=model, size=SMALL, fps=30, speed=0.5, progress=shares.append)
    with Image.open(gif) as film:
        assert film.n_frames == 19  # 0.6 s of 30 frames, both ends
        lengths = []
        for k in range(film.n_frames):
            film.seek(k)
            lengths.append(film.info["duration"])
    assert sum(lengths) == pytest.approx(1000 * 19 / 30, abs=10)
    assert shares == pytest.approx(np.arange(1, 20) / 19)
    mp4 = supple.render(result, tmp_path / "a.mp4", model=model, size=SMALL, fps=20)
    frames, _ = imageio_ffmpeg.count_frames_and_secs(str(mp4))
    assert frames == 7
    reader = imageio_ffmpeg.read_frames(str(mp4))
    assert next(reader)["size"] == SMALL
    first = np.frombuffer(next(reader), dtype=np.uint8).reshape(96, 160, 3).astype(int)
    reader.close()
    assert np.abs(first[0, 0] - [0xF6, 0xF8, 0xFA]).max() < 8  # as exact as the film's compression


def test_quaternions_are_followed_over_a_change_of_sign(run: Run) -> None:
    model, result = run
    turned = result.copy(deep=True)
    turned.q[10:, -4:] *= -1.0
    t = np.linspace(0.0, 0.3, 57)
    expected, found = scene_motion(result, model).at(t), scene_motion(turned, model).at(t)
    np.testing.assert_array_equal(model.poses(found)[0], model.poses(expected)[0])


def test_results_from_files_hold_their_model(tmp_path: Path) -> None:
    mech = supple.Mechanism("one")
    mech.add_body("arm", supple.RigidBody(1.0, (0, 0, -0.3), (0.02, 0.02, 0.002)))
    with supple.simulate(mech.build(), 0.1, file=tmp_path / "a.nc", samples=3) as result:
        assert supple.render(result, tmp_path / "a.png", size=SMALL).stat().st_size > 500


OPTIONS: list[tuple[str, dict[str, Any], str]] = [
    ("a.jpg", {}, "expected a name that ends in .png, .gif, .mp4 or .glb, got 'a.jpg'"),
    ("a.png", {"size": (10, 100)}, "size: expected a width from 16 to 8192 pixels, got 10"),
    ("a.mp4", {"size": (160, 97)}, "size: expected an even height for an MP4, got 97"),
    ("a.png", {"time": 0.4}, "time: expected a time of the motion, 0 to 0.3 s, got 0.4"),
    ("a.gif", {"time": 0.1}, "time: expected for a picture alone, .png, got it for .gif"),
    ("a.gif", {"fps": 0}, "fps: expected a number above zero and up to 240, got 0"),
    ("a.gif", {"speed": -1.0}, "speed: expected a number above zero, got -1.0"),
    ("a.png", {"camera": (1.0,)}, r"camera: expected azimuth and elevation, or these and a distance, got \(1.0,\)"),
    ("a.png", {"follow": "ston"}, "follow: expected a body, got 'ston'; did you mean 'stone'"),
    ("a.png", {"traces": ["boom/tip"]}, "boom/tip"),
    ("a.png", {"deformation": np.nan}, "deformation: expected a finite number, got nan"),
    ("a.png", {"background": "blak"}, "background: expected '#rrggbb' or the name of a colour, got 'blak'"),
    ("a.png", {"q": [0.0]}, "q: a result has its own coordinates; expected q for a model alone"),
    ("a.png", {"model": None}, "result: expected one that holds its model"),
]


@pytest.mark.parametrize(("name", "options", "message"), OPTIONS)
def test_what_does_not_fit_is_refused(
    run: Run, tmp_path: Path, name: str, options: dict[str, Any], message: str
) -> None:
    model, result = run
    with pytest.raises(supple.SuppleError, match=message):
        supple.render(result, tmp_path / name, **({"model": model} | options))
    assert not list(tmp_path.iterdir())


def test_what_is_no_model_and_no_result_is_refused(run: Run, tmp_path: Path) -> None:
    with pytest.raises(supple.StateError, match=r"expected a Model or a result of supple.simulate, got Mechanism 'm'"):
        supple.render(supple.Mechanism("m"), tmp_path / "a.png")
    with pytest.raises(supple.StateError, match="a film needs a motion; expected a result"):
        supple.render(run[0], tmp_path / "a.gif")
    with pytest.raises(supple.StateError, match="model: expected one model, got 'rig' and 'rig'"):
        supple.render(run[0], tmp_path / "a.png", model=run[0])


@pytest.mark.parametrize(("name", "package"), [("a.gif", "pillow"), ("a.mp4", "imageio-ffmpeg")])
def test_a_missing_extra_is_named(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, package: str
) -> None:
    model, result = run
    monkeypatch.setitem(sys.modules, "PIL.Image", None)
    monkeypatch.setitem(sys.modules, "imageio_ffmpeg", None)
    message = rf"is written by {package}, which is not installed; python -m pip install 'supple\[film\]'"
    with pytest.raises(supple.SuppleError, match=message):
        supple.render(result, tmp_path / name, model=model, size=SMALL)
    assert supple.render(result, tmp_path / "a.png", model=model, size=SMALL).exists()
