"""The page in a browser: it draws without complaint, plays, deforms, zooms, finds, saves. One page for many tests."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
import xarray as xr

import supple
from supple.view import write_report
from support.browser import slide, wait

Run = tuple[supple.Model, xr.Dataset]
REFERENCE = Path(__file__).parent / "reference_view.npy"
PIXELS = """(size) => { const v = report.viewer, gl = v.drawing.gl, { width: w, height: h } = v.canvas;
    const all = new Uint8Array(4 * w * h); v.draw(); gl.readPixels(0, 0, w, h, gl.RGBA, gl.UNSIGNED_BYTE, all);
    const [m, n] = size, sums = new Float64Array(3 * m * n), counts = new Float64Array(m * n);
    for (let y = 0; y < h; y++) for (let x = 0; x < w; x++) {
      const cell = Math.floor((m * x) / w) + m * (n - 1 - Math.floor((n * y) / h));
      counts[cell]++;
      for (let c = 0; c < 3; c++) sums[3 * cell + c] += all[4 * (x + w * y) + c];
    }
    return [...sums].map((s, i) => s / counts[Math.floor(i / 3)]); }"""


class OpenPages:
    """Pages that are open, and what they complained about or fetched."""

    def __init__(self, browser: Any, folder: Path) -> None:
        self.browser, self.folder = browser, folder
        self.faults: list[str] = []
        self.fetched: list[str] = []

    def open(self, run: Run, name: str, **options: Any) -> Any:
        page = self.browser.new_page(viewport={"width": 1200, "height": 900}, **options)
        page.on("console", lambda message: self.faults.append(message.text))
        page.on("pageerror", lambda error: self.faults.append(str(error)))
        page.on("request", lambda request: self.fetched.append(request.url))
        page.goto(write_report(*run, self.folder / f"{name}.html").as_uri())
        wait(page, "window.report !== undefined && report.viewer !== null")
        return page


@pytest.fixture(scope="module")
def shown(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[OpenPages]:
    """At the end nothing was complained about and nothing fetched."""
    found = OpenPages(browser, tmp_path_factory.mktemp("pages"))
    yield found
    assert found.faults == []
    assert all(url.startswith(("file:", "data:", "blob:")) for url in found.fetched)


@pytest.fixture(scope="module")
def page(shown: OpenPages, chain: Run) -> Iterator[Any]:
    """The chain, in light colours."""
    page = shown.open(chain, "chain", color_scheme="light")
    yield page
    page.close()


@pytest.fixture(scope="module")
def dark(shown: OpenPages, satellite: Run) -> Iterator[Any]:
    """The satellite, in dark colours."""
    page = shown.open(satellite, "satellite", color_scheme="dark")
    yield page
    page.close()


def pose(page: Any, body: int) -> Any:
    return np.array(page.evaluate(f"report.viewer.motion.poses[{body}].p"))


def picture(page: Any, size: tuple[int, int] = (60, 40)) -> Any:
    """Mean colours (rows, columns, 3) of the cells of a raster over the view, 0 to 1."""
    return np.array(page.evaluate(PIXELS, list(size))).reshape(size[1], size[0], 3) / 255


def difference(a: Any, b: Any) -> float:
    return float(np.abs(a - b).mean())


@pytest.mark.parametrize("scheme", ["page", "dark"])
def test_every_part_is_drawn(scheme: str, request: pytest.FixtureRequest) -> None:
    page = request.getfixturevalue(scheme)
    model = request.getfixturevalue({"page": "chain", "dark": "satellite"}[scheme])[0]
    assert page.locator("h1").inner_text() == model.name
    assert page.locator("tbody tr").count() == len(model.bodies)
    assert page.locator(".key figure").count() == 3
    tabs = page.get_by_role("tab").all_inner_texts()
    assert [tab for tab in tabs if tab not in ("Outputs", "Dynamics")] == [
        "Coordinates",
        "Speeds",
        "Energy",
        "Spectra",
        "Explore",
        "System",
        "Run",
    ]
    seen = {tuple(cell) for cell in (255 * picture(page).reshape(-1, 3)).astype(int).tolist()}
    assert len(seen) > 100
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_no_legend_hides_a_curve_and_a_name_has_one_colour(page: Any) -> None:
    hidden = """report.key.filter(({ root, curves }) => { const legend = root.querySelector(".legend");
        return legend.children.length !== curves.length || legend.scrollHeight > legend.clientHeight; }).length"""
    assert page.evaluate("Math.max(...report.key.map(({ curves }) => curves.length))") >= 3
    assert page.evaluate(hidden) == 0
    colors = page.evaluate("[...report.plots, ...report.key].flatMap((p) => p.curves.map((c) => [c.name, c.color]))")
    assert len({name for name, _ in colors}) == len({tuple(pair) for pair in colors}) > 8


def test_tabs_show_one_section(page: Any) -> None:
    page.get_by_role("tab", name="System").click()
    assert page.locator("[role=tabpanel]:visible").count() == 1
    assert page.locator("td", has_text="link2/end").is_visible()
    page.keyboard.press("ArrowRight")
    assert page.get_by_role("tab", name="Run").get_attribute("aria-selected") == "true"
    assert page.locator("dd", has_text="DOP853").is_visible()


def test_the_slider_shows_the_model_at_its_time(page: Any, chain: Run) -> None:
    model, result = chain
    slide(page, "time", 0.75)
    expected = model.poses(result.q.values[150])[1]
    for k in range(1, 4):
        np.testing.assert_allclose(pose(page, k), expected[k], atol=1e-5)
    end = page.evaluate("report.viewer.motion.place(2).p")
    np.testing.assert_allclose(end, model.pose(result.q.values[150], "link2/end")[1], atol=1e-5)
    assert page.locator(".clock").inner_text() == "0.750 s"
    assert page.evaluate("[...report.key, ...report.plots].filter((p) => p.marker === 0.75).length") > 5


def test_deformation_is_exaggerated_and_bodies_stay_joined(page: Any) -> None:
    slide(page, "time", 0.5)
    moves = """(() => { const s = report.viewer.surfaces[1][0];
        return [...s.places].map((x, i) => x - s.rest[3 * s.vertices[Math.floor(i / 3)] + (i % 3)]); })()"""
    before, image = np.array(page.evaluate(moves)), picture(page)
    slide(page, "deformation", 1.0)
    after = np.array(page.evaluate(moves))
    assert np.abs(before).max() > 1e-4
    np.testing.assert_allclose(after, 10.0 * before, atol=1e-6)
    np.testing.assert_allclose(page.evaluate("report.viewer.motion.place(1).p"), pose(page, 2), atol=1e-6)
    assert difference(picture(page), image) > 1e-4
    assert page.locator(".factor").inner_text() == "10\u00d7"
    slide(page, "deformation", 0.0)


def test_play_moves_the_bodies_and_space_stops_them(page: Any) -> None:
    slide(page, "time", 0.0)
    before = pose(page, 3)
    page.get_by_role("button", name="Play").click()
    wait(page, "report.viewer.time > 0.1")
    page.locator("canvas.space").focus()
    page.keyboard.press("Space")
    assert page.get_by_role("button", name="Play").is_visible()
    time = page.evaluate("report.viewer.time")
    assert np.linalg.norm(pose(page, 3) - before) > 1e-3
    page.wait_for_timeout(100)
    assert page.evaluate("report.viewer.time") == time


@pytest.mark.parametrize(("width", "height"), [(390, 844), (1200, 900)])
def test_the_camera_has_the_whole_motion_in_its_picture(page: Any, width: int, height: int) -> None:
    page.set_viewport_size({"width": width, "height": height})
    wait(page, f"report.viewer.canvas.clientWidth < {width}")
    page.get_by_role("button", name="Reset view").click()
    places = page.evaluate(
        """[0, 0.2, 0.4, 0.6, 0.8, 1].flatMap((t) => { const v = report.viewer, out = []; v.seek(t);
        for (let k = 1; k < v.motion.poses.length; k++) out.push(v.labels.at(v.motion.poses[k].p));
        return out.map(([x, y]) => [x / v.labels.width, y / v.labels.height]); })"""
    )
    assert np.min(places) >= 0.03
    assert np.max(places) <= 0.97
    assert max(np.ptp(places, axis=0)) > 0.3
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_the_camera_turns_zooms_and_follows(dark: Any) -> None:
    frame = dark.locator("canvas.space").bounding_box()
    x, y = frame["x"] + frame["width"] / 2, frame["y"] + frame["height"] / 2
    images = [picture(dark)]
    dark.mouse.move(x, y)
    dark.mouse.down()
    dark.mouse.move(x + 80, y + 30)
    dark.mouse.up()
    images.append(picture(dark))
    before = dark.evaluate("report.viewer.camera.distance")
    dark.mouse.wheel(0, -300)
    wait(dark, f"report.viewer.camera.distance < 0.9 * {before}")
    images.append(picture(dark))
    dark.locator("canvas.space").press("ArrowLeft")
    images.append(picture(dark))
    assert min(difference(a, b) for i, a in enumerate(images) for b in images[:i]) > 1e-3
    dark.locator("[name=follow]").select_option("boom")
    at, moves = [], []
    for time in (0.1, 0.45, 0.9):
        dark.evaluate(f"report.viewer.seek({time})")
        at.append(dark.evaluate("report.viewer.labels.at(report.viewer.motion.poses[3].p)"))
        moves.append(pose(dark, 3))
    assert np.ptp(moves, axis=0).max() > 1e-3
    assert np.ptp(at, axis=0).max() < 0.1  # a tenth of a pixel: single precision


def test_what_is_not_a_surface_can_be_switched(dark: Any) -> None:
    base = picture(dark)
    for name in ("centres", "frames", "boxes", "labels"):
        box = dark.locator(f"[name={name}]")
        if box.evaluate("(x) => x.closest('label').hidden"):
            assert name == "frames"
            continue
        box.evaluate("(x) => { x.checked = true; x.dispatchEvent(new Event('change')); }")
    assert difference(picture(dark), base) > 1e-4
    before = picture(dark)
    dark.locator("[name=springs]").evaluate("(x) => { x.checked = false; x.dispatchEvent(new Event('change')); }")
    assert difference(picture(dark), before) > 1e-5
    hidden = dark.evaluate("['ground', 'loads', 'reactions'].map((n) => report.viewer.shows(n))")
    assert hidden == [False, False, False]


def test_plots_zoom_read_and_switch(page: Any, chain: Run) -> None:
    result = chain[1]
    page.get_by_role("tab", name="Coordinates").click()
    plot = page.locator("[data-section=Coordinates] figure").first
    plot.scroll_into_view_if_needed()
    frame = plot.locator("canvas.cursor").bounding_box()
    x, y = frame["x"] + 150, frame["y"] + 40
    window = "report.plots[0].window"
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 100, y + 80)
    page.mouse.up()
    low, high = page.evaluate(window)
    assert 0.0 < low < high < 1.0
    at = page.evaluate("report.plots[0].at")
    names = plot.locator(".legend span").all_inner_texts()
    read = [float(s) for s in plot.locator("output").all_inner_texts()]
    np.testing.assert_allclose(read, result.q.sel(coordinate=names).values[at], rtol=1e-4)
    page.mouse.dblclick(x, y)
    assert page.evaluate(window) == [0.0, 1.0]
    button = plot.get_by_role("button", name="link2.angle")
    button.click()
    assert button.get_attribute("aria-pressed") == "false"
    assert page.evaluate("report.plots[0].curves.map((c) => c.shown)") == [name != "link2.angle" for name in names]
    button.click()
    page.mouse.click(frame["x"] + 250, frame["y"] + 60)
    assert page.evaluate("report.viewer.time") > 0.1


def test_any_variable_is_found_and_put_against_another(page: Any, chain: Run) -> None:
    model, result = chain
    page.get_by_role("tab", name="Explore").click()
    page.locator("[name=search]").fill("link<1> angles rad")
    rows = page.locator(".variables li")
    assert rows.count() == 1
    rows.first.get_by_role("button", name="x", exact=True).click()
    page.locator("[name=search]").fill("joint angles link2")
    page.locator(".variables li button").first.click()
    title = page.locator(".explorer h3").inner_text()
    assert "link2.angle over link<1>.angle" in title
    x, y = (np.array(page.evaluate(f"[...report.explorer.plot.{part}]")) for part in ("x", "curves[1].values"))
    np.testing.assert_allclose(x, result.q.values[:, model.coordinate_index("link<1>.angle")], rtol=1e-6)
    np.testing.assert_allclose(y, result.q.values[:, model.coordinate_index("link2.angle")], rtol=1e-6, atol=1e-7)
    page.locator("[name=search]").fill("nothing has this name")
    assert "No variable" in page.locator(".variables").inner_text()
    page.get_by_role("button", name="Time as horizontal axis").click()
    assert page.evaluate("report.explorer.plot.data.x.unit") == "s"


def test_pictures_and_numbers_are_saved(page: Any, chain: Run, tmp_path: Path) -> None:
    model, result = chain

    def saved(press: Any) -> Path:
        with page.expect_download() as waiting:
            press()
        assert "<" not in waiting.value.suggested_filename
        waiting.value.save_as(path := tmp_path / waiting.value.suggested_filename)
        return path

    page.get_by_role("tab", name="Coordinates").click()
    plot = page.locator("[data-section=Coordinates] figure").first
    plot.hover()
    root = ElementTree.fromstring(saved(plot.get_by_role("button", name="SVG").click).read_bytes())
    texts = [x.text for x in root.iter("{http://www.w3.org/2000/svg}text")]
    assert {"Joint angles", "link<1>.angle", "angle, rad", "time, s"} <= set(texts)
    assert len([x for x in root.iter("{http://www.w3.org/2000/svg}path") if len(x.get("d", "")) > 1000]) == 3
    assert saved(plot.get_by_role("button", name="PNG").click).read_bytes()[:4] == b"\x89PNG"
    with saved(plot.get_by_role("button", name="CSV").click).open(newline="") as file:
        head, *rows = csv.reader(file)
    assert head[0] == "time, s"
    assert "link<1>.angle, rad" in head
    values = np.array(rows, dtype=float)
    np.testing.assert_allclose(values[:, 0], result.time, rtol=1e-9)
    i = head.index("link<1>.angle, rad")
    np.testing.assert_allclose(values[:, i], result.q.values[:, model.coordinate_index("link<1>.angle")], rtol=1e-6)
    page.get_by_role("tab", name="Explore").click()
    with saved(page.get_by_role("button", name="All variables, CSV").click).open(newline="") as file:
        assert len(next(csv.reader(file))) > 1 + model.nq + model.nv
    assert saved(page.get_by_role("button", name="Picture").click).read_bytes()[:4] == b"\x89PNG"


def test_a_film_is_recorded(page: Any, tmp_path: Path) -> None:
    if not page.evaluate("!report.viewer.control('film').hidden"):
        pytest.skip("this browser records no films")
    page.locator("[name=speed]").select_option("0.1")  # it is not over before the first pictures are encoded
    page.get_by_role("button", name="Film").click()
    wait(page, "report.viewer.recorder.parts.reduce((size, part) => size + part.size, 0) > 1000")
    with page.expect_download() as waiting:
        page.get_by_role("button", name="End film").click()
    waiting.value.save_as(path := tmp_path / "film.webm")
    page.get_by_role("button", name="Pause").click()
    page.locator("[name=speed]").select_option("1")
    assert path.stat().st_size > 1000


def test_the_view_looks_as_it_did(page: Any) -> None:
    """Beside a small picture of 30 x 20 cells: other renderers differ at edges, which the means of cells hardly see."""
    page.set_viewport_size({"width": 1200, "height": 900})
    page.evaluate("report.viewer.seek(0.5)")
    page.get_by_role("button", name="Reset view").click()
    now = picture(page, (30, 20))
    expected = np.load(REFERENCE) / 255
    allowed = 0.002  # the bodies alone make 0.005
    assert difference(now, expected) < allowed
    page.evaluate("report.viewer.surfacesKept = report.viewer.surfaces; report.viewer.surfaces = []")
    assert difference(picture(page, (30, 20)), expected) > 2 * allowed
    page.evaluate("report.viewer.surfaces = report.viewer.surfacesKept; report.viewer.draw()")


def test_surfaces_are_coloured_by_stress_and_back(page: Any) -> None:
    """The scale ends at the largest stress of the motion, colours change, and the worst point is on the beam."""
    slide(page, "time", 0.5)
    before = picture(page)
    options = page.evaluate("[...document.querySelector('[name=color]').options].map((x) => x.value)")
    assert options == ["", "displacement", "strain", "stress"]
    choose = "(x) => { const c = report.viewer.control('color'); c.value = x; c.onchange(); }"
    page.evaluate(choose, "stress")
    assert np.abs(picture(page) - before).max() > 0.2
    most, worst = page.evaluate("[report.viewer.coloring.most.stress, report.viewer.coloring.worst.value]")
    assert 0.0 < worst <= most
    mark = page.evaluate("report.viewer.coloring.worst.p")
    near = page.evaluate(
        """(p) => Math.min(...report.viewer.surfaces.flatMap((list, k) => (list ?? []).flatMap((s) => {
        const { R, p: origin } = report.viewer.motion.poses[k], out = [];
        for (let i = 0; i < s.places.length; i += 3)
            out.push(Math.hypot(...p.map((x, j) => x - origin[j] - R[3 * j] * s.places[i]
                - R[3 * j + 1] * s.places[i + 1] - R[3 * j + 2] * s.places[i + 2])));
        return out; })))""",
        mark,
    )
    assert near < 0.02  # a recovery point of a beam, on no triangle
    page.evaluate("report.viewer.scale = 3; report.viewer.draw()")
    assert page.evaluate("report.viewer.coloring.worst.value") == pytest.approx(worst, rel=1e-4)
    page.evaluate("report.viewer.scale = 1")
    page.evaluate(choose, "")
    np.testing.assert_allclose(picture(page), before, atol=1e-6)
