"""Pages and films look alike: numbers are defined once, and written alike; pictures of both have the same colours."""

from __future__ import annotations

import json
import re
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

import supple
from supple import shapes
from supple.checks import Floats
from supple.view import write_report
from supple.view.pages.page import write_page
from supple.view.scene.look import QUANTITIES, brief, clock, look, prefixed
from support.scripts import STATIC, evaluated, node


def test_scripts_take_only_what_is_defined_and_have_no_colours_or_letters_of_their_own() -> None:
    used: set[str] = set()
    for script in STATIC.rglob("*.js"):
        text = script.read_text()
        used.update(re.findall(r"LOOK\.([A-Z_]+)", text))
        assert "system-ui" not in text, script.name
        ramp = "sweep_canvas.js" in script.name  # colours of cases are the sweep's own
        assert ramp or script.name == "svg_pen.js" or not re.search(r"#[0-9a-f]{6}", text), script.name
    assert used <= set(look())
    assert len(used) > 20
    assert json.loads(json.dumps(look())) is not None
    assert "#" not in re.sub(r"#d9822b(22)?|#c8741d|#0003", "", (STATIC / "page.css").read_text())


@node
def test_numbers_and_times_are_written_alike() -> None:
    rng = np.random.default_rng(0)
    numbers = [0.0, 1.0, 1e6, 999999.0, 0.000999, *(rng.normal(size=200) * 10.0 ** rng.uniform(-9, 9, 200))]
    assert evaluated(f"{json.dumps(numbers)}.map(brief)", "plots/axes.js") == [brief(x) for x in numbers]
    times = [(0.01234, 0.05, 0.04), (1.2345, 9.0, 9.0), (12.345, 60.0, 60.0), (1e-5, 2e-5, 2e-5)]
    motions = [[t, {"start": stop - length, "stop": stop}] for t, stop, length in times]
    found = evaluated(f"{json.dumps(motions)}.map(([t, motion]) => clock(t, motion))", "viewer/controls.js")
    assert found == [clock(*x) for x in times]


@pytest.mark.parametrize(("most", "unit"), [(2e9, "GPa"), (0.5, "mPa"), (0.0, "nPa")])
def test_the_smallest_prefix_is_the_last(most: float, unit: str) -> None:
    assert prefixed(QUANTITIES["stress"][1], most)[1] == unit


def kinds(picture: Floats) -> dict[str, Floats]:
    """Median colours (3,) of paper, of a blue and a translucent red body, and of the shadow."""
    red, green, blue = np.moveaxis(picture, 2, 0)
    dark = (np.ptp(picture, axis=2) < 12) & (np.abs(picture.mean(axis=2) - 165.0) < 20.0)  # lines are lighter
    return {
        "paper": np.median(picture[:20, :20].reshape(-1, 3), axis=0),
        "blue": np.median(picture[(blue > red + 60) & (blue > green + 20)], axis=0),
        "red": np.median(picture[(red > blue + 40) & (red > green + 40)], axis=0),
        "shadow": np.median(picture[dark], axis=0),
    }


def test_a_page_and_a_film_have_the_same_colours(browser: Any, tmp_path: Path) -> None:
    mech = supple.Mechanism("two")
    mech.add_body("arm", supple.RigidBody(1.0, (0, 0, 0.5), (0.1, 0.1, 0.1)), joint=supple.Revolute("z"))
    mech.add_visual("arm", shapes.Box((0.6, 0.4, 0.3), at=(0, 0, 0.8), color="#2060c0"))
    mech.add_visual("arm", shapes.Sphere(0.25, at=(0.7, 0, 0.5), color="#d03030", opacity=0.5))
    model = mech.build()
    result = supple.simulate(model, 0.1, samples=11)
    page = browser.new_page(viewport={"width": 1500, "height": 900}, color_scheme="light")
    page.goto(write_report(model, result, tmp_path / "page.html").as_uri())
    page.evaluate("report.viewer.control('joints').click()")
    canvas = page.locator("canvas.space")
    angle = np.degrees(page.evaluate("report.viewer.camera.angle"))
    shot = np.asarray(Image.open(BytesIO(canvas.screenshot())).convert("RGB")).astype(float)
    page.close()
    file = supple.render(result, tmp_path / "film.png", model=model, camera=angle.tolist(), size=shot.shape[1::-1])
    film = np.asarray(Image.open(file).convert("RGB")).astype(float)
    own, other = kinds(shot), kinds(film)
    np.testing.assert_array_equal(own["paper"], other["paper"])
    for name, tolerance in (("blue", 8.0), ("red", 8.0), ("shadow", 12.0)):
        np.testing.assert_allclose(own[name], other[name], atol=tolerance, err_msg=name)
    assert np.ptp([*own.values()]) > 100  # they differ from each other


def test_a_page_that_cannot_be_written_leaves_the_old_one(tmp_path: Path) -> None:
    path = write_page(tmp_path / "page.html", "whole")
    with pytest.raises(UnicodeEncodeError):
        write_page(path, "half \ud800")  # what UTF-8 cannot have
    assert path.read_text() == "whole"
    assert list(tmp_path.iterdir()) == [path]
