"""The page in a browser: it draws without complaint, plays, deforms, zooms."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray as xr

import supple
from browser import slide, wait
from supple.view import write_report

Run = tuple[supple.Model, xr.Dataset]


@pytest.fixture
def show(browser: Any, tmp_path: Path) -> Iterator[Any]:
    """Opens the report of a run; at the end nothing was complained about and nothing fetched."""
    faults: list[str] = []
    fetched: list[str] = []
    pages = []

    def opened(run: Run, **options: Any) -> Any:
        page = browser.new_page(viewport={"width": 1200, "height": 900}, **options)
        pages.append(page)
        page.on("console", lambda message: faults.append(message.text))
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("request", lambda request: fetched.append(request.url))
        page.goto(write_report(*run, tmp_path / "page.html").as_uri())
        wait(page, "window.report !== undefined && report.viewer !== null")
        return page

    yield opened
    for page in pages:
        page.close()
    assert faults == []
    assert all(url.startswith(("file:", "data:")) for url in fetched)


def pose(page: Any, body: int) -> Any:
    return np.array(page.evaluate(f"report.viewer.motion.poses[{body}].p"))


def picture(page: Any) -> bytes:
    shot: bytes = page.locator(".stage").screenshot()
    return shot


@pytest.mark.parametrize("name", ["chain", "satellite"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_part_is_drawn(show: Any, name: str, scheme: str, request: pytest.FixtureRequest) -> None:
    run = request.getfixturevalue(name)
    page = show(run, color_scheme=scheme)
    assert page.locator("h1").inner_text() == run[0].name
    assert page.locator("tbody tr").count() == len(run[0].bodies)
    assert page.locator("figure").count() >= 6
    pixels = page.evaluate(
        """() => { const v = report.viewer, gl = v.drawing.gl, n = v.canvas.width * v.canvas.height;
        const all = new Uint8Array(4 * n), seen = new Set(); v.draw();
        gl.readPixels(0, 0, v.canvas.width, v.canvas.height, gl.RGBA, gl.UNSIGNED_BYTE, all);
        for (let i = 0; i < n; i++) seen.add(all[4 * i] * 65536 + all[4 * i + 1] * 256 + all[4 * i + 2]);
        return seen.size; }"""
    )
    assert pixels > 20
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_play_moves_the_bodies_and_space_stops_them(show: Any, chain: Run) -> None:
    page = show(chain)
    before, image = pose(page, 3), picture(page)
    page.get_by_role("button", name="Play").click()
    wait(page, "report.viewer.time > 0.1")
    page.locator("canvas.space").focus()
    page.keyboard.press("Space")
    assert page.get_by_role("button", name="Play").is_visible()
    time = page.evaluate("report.viewer.time")
    assert np.linalg.norm(pose(page, 3) - before) > 1e-3
    assert picture(page) != image
    page.wait_for_timeout(100)
    assert page.evaluate("report.viewer.time") == time


def test_the_slider_shows_the_model_at_its_time(show: Any, chain: Run) -> None:
    model, result = chain
    page = show(chain)
    slide(page, "time", 0.75)
    expected = model.poses(result.q.values[150])[1]
    for k in range(1, 4):
        np.testing.assert_allclose(pose(page, k), expected[k], atol=1e-5)
    end = page.evaluate("[...report.viewer.motion.nodes(2).slice(-3)]")
    np.testing.assert_allclose(end, model.pose(result.q.values[150], "link2/end")[1], atol=1e-5)
    assert page.locator(".clock").inner_text() == "0.750 s"


def test_deformation_is_exaggerated_and_bodies_stay_joined(show: Any, chain: Run) -> None:
    page = show(chain)
    slide(page, "time", 0.5)
    nodes = "[...report.viewer.motion.nodes(1)]"
    before, image = np.array(page.evaluate(nodes)), picture(page)
    slide(page, "deformation", 1.0)
    after = np.array(page.evaluate(nodes))
    R = np.array(page.evaluate("[...report.viewer.motion.poses[1].R]")).reshape(3, 3)
    x = np.stack([np.linspace(0, 0.5, 7), np.zeros(7), np.zeros(7)], axis=1)
    moves = [nodes.reshape(-1, 3) @ R - x for nodes in (before, after)]
    assert np.abs(moves[0]).max() > 1e-4
    np.testing.assert_allclose(moves[1], 10.0 * moves[0], atol=1e-5)
    np.testing.assert_allclose(after[-3:], pose(page, 2), atol=1e-6)
    assert picture(page) != image
    assert page.locator(".factor").inner_text() == "10\u00d7"


def test_the_camera_turns_and_zooms(show: Any, satellite: Run) -> None:
    page = show(satellite)
    frame = page.locator("canvas.space").bounding_box()
    x, y = frame["x"] + frame["width"] / 2, frame["y"] + frame["height"] / 2
    images = [picture(page)]
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 80, y + 30)
    page.mouse.up()
    images.append(picture(page))
    page.mouse.wheel(0, -300)
    wait(page, "report.viewer.distance < 1.1 * report.viewer.extent")
    images.append(picture(page))
    page.locator("canvas.space").press("ArrowLeft")
    images.append(picture(page))
    assert len(set(images)) == 4


def test_plots_zoom_read_and_switch(show: Any, chain: Run) -> None:
    result = chain[1]
    page = show(chain)
    plot = page.locator("figure").first
    plot.scroll_into_view_if_needed()
    frame = plot.locator("canvas.cursor").bounding_box()
    x, y = frame["x"] + 200, frame["y"] + 60
    window = "report.plots[0].window"
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 100, y + 80)
    page.mouse.up()
    low, high = page.evaluate(window)
    assert 0.0 < low < high < 1.0
    at = page.evaluate("report.plots[0].at")
    shown = plot.locator("output").all_inner_texts()
    np.testing.assert_allclose([float(s) for s in shown], result.q.values[at, [0, 4, 8]], rtol=1e-4)
    page.mouse.dblclick(x, y)
    assert page.evaluate(window) == [0.0, 1.0]
    button = plot.get_by_role("button", name="link2.angle")
    button.click()
    assert button.get_attribute("aria-pressed") == "false"
    assert page.evaluate("report.plots[0].curves.map((c) => c.shown)") == [True, False, True]
    page.mouse.click(frame["x"] + 300, frame["y"] + 60)
    assert page.evaluate("report.viewer.time") > 0.1
