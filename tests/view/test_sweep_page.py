"""The page of a sweep: what is brushed drives everything, a case is found, shown and repeated; nothing is fetched."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray as xr
from scipy import stats

import supple
from supple.sweeps import saltelli_points, summary
from supple.sweeps.sweep_cases import sweep_cases
from supple.view import write_sweep
from supple.view.pages.sweep import EXTREMES, kept_cases, sweep_page
from support.browser import wait
from support.runs.synthetic_sweeps import ishigami, sweep_of

PEAK = 4
"""Place of the first measure among the axes."""
DRAWN = (
    "new Promise((done) => requestAnimationFrame(() => setTimeout(() => requestAnimationFrame(() => done(true)), 30)))"
)
COLORS = """(() => { const { sheet } = report.parallel, pen = sheet.getContext("2d"), seen = new Set();
    const all = new Uint32Array(pen.getImageData(0, 0, sheet.width, sheet.height).data.buffer);
    for (const pixel of all) seen.add(pixel);
    return seen.size; })()"""
MESSAGE = "<img src=x> stopped converging"


def sweep_with_motion(count: int = 300, **options: Any) -> xr.Dataset:
    """A sweep with names that a page must not take for its own text, failed cases and trajectories."""
    points = np.random.default_rng(1).uniform(size=(count, 3))
    kind = np.array(["rk4", "<radau>"])[(points[:, 0] > 0.5).astype(int)]
    varied = {f"body.<b>{name}.mass": x for name, x in zip("abc", points.T, strict=True)}
    t = np.linspace(0.0, 2.0, 501)
    motion = (1 + points[:, :1]) * np.cos(2 * np.pi * (1 + points[:, 1:2]) * t)
    measured = {"peak<": ishigami(points), "swing": np.abs(motion).max(axis=1)}
    sweep = sweep_of(varied | {"simulation.integrator": kind}, measured, title="sweep <&>", **options)
    sweep["message"][sweep["status"].values == 2] = MESSAGE
    motion[sweep["status"].values == 2] = np.nan
    sweep["q"] = (("case", "time", "coordinate"), np.stack([motion, -motion], axis=2))
    units = {"coordinate": ["arm.angle", "lift"], "coordinate_unit": ("coordinate", ["rad", "m"])}
    return sweep.assign_coords({"time": ("time", t), **units})


@pytest.fixture(scope="module")
def sweep() -> xr.Dataset:
    return sweep_with_motion(failed=(7, 11))


@pytest.fixture(scope="module")
def page(browser: Any, sweep: xr.Dataset, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """At the end nothing was complained about and nothing fetched."""
    path = write_sweep(sweep, tmp_path_factory.mktemp("sweep") / "page.html", file="my model.toml")
    faults: list[str] = []
    fetched: list[str] = []
    context = browser.new_context(viewport={"width": 1200, "height": 900}, accept_downloads=True)
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    page = context.new_page()
    page.on("console", lambda message: faults.append(message.text))
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("request", lambda request: fetched.append(request.url))
    page.goto(path.as_uri())
    wait(page, "window.report !== undefined && report.parallel.px !== undefined")
    yield page
    context.close()
    assert faults == []
    assert all(url.startswith(("file:", "data:", "blob:")) for url in fetched)


@pytest.fixture
def fresh(page: Any) -> Any:
    """The page with all cases, none chosen, in its first tab."""
    page.evaluate("report.cases.clear(); report.cases.choose(null); report.tabs.choose(0);")
    page.evaluate(DRAWN)
    return page


def brush(page: Any, axis: int, low: float, high: float) -> None:
    """Drag along an axis between shares of its height, from the top."""
    box = page.locator(".parallel .cursor").bounding_box()
    place = page.evaluate(f"[report.parallel.px[{axis}], report.parallel.box.top, report.parallel.box.bottom]")
    x, ends = box["x"] + place[0], [box["y"] + place[2] - share * (place[2] - place[1]) for share in (high, low)]
    page.mouse.move(x, ends[0])
    page.mouse.down()
    page.mouse.move(x, (ends[0] + ends[1]) / 2)
    page.mouse.move(x, ends[1])
    page.mouse.up()
    page.evaluate(DRAWN)


def test_the_page_stands_alone_and_is_safe(sweep: xr.Dataset) -> None:
    text = sweep_page(sweep)
    assert not re.search(r"https?://|\bfetch\b|\beval\b", text)
    for name in ("sweep <&>", "<b>a", "<radau>", "<img", "peak<,"):
        assert name not in text
    assert "supple run FILE" in text


def test_every_part_is_drawn(fresh: Any, sweep: xr.Dataset) -> None:
    assert fresh.locator("h1").inner_text() == "sweep <&>"
    assert fresh.locator(".count").inner_text() == "300 of 300 cases"
    assert "2 failed" in fresh.locator("header .alert").inner_text()
    tabs = ["Worst cases", "Trajectories", "Distributions", "Scatter", "Influence", "Statistics", "Failed cases"]
    assert fresh.get_by_role("tab").all_inner_texts() == tabs
    assert fresh.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert fresh.evaluate(COLORS) > 100


def test_a_brushed_range_selects_cases_everywhere(fresh: Any, sweep: xr.Dataset) -> None:
    brush(fresh, PEAK, 0.75, 1.0)
    low, high = fresh.evaluate(f"report.cases.ranges.get({PEAK})")
    y = sweep["peak<"].values
    kept = np.flatnonzero((y >= low) & (y <= high))
    assert 3 < len(kept) < 100
    assert fresh.locator(".count").inner_text() == f"{len(kept)} of 300 cases"
    lines = fresh.locator(".ranking tbody tr")
    assert lines.count() == len(kept)
    fresh.get_by_role("tab", name="Distributions").click()
    fresh.evaluate(DRAWN)
    assert fresh.locator(".histograms .note").first.inner_text().startswith(f"{len(kept)} cases; mean ")
    found = fresh.evaluate("report.histograms[0].quantiles")
    np.testing.assert_allclose(found, np.quantile(y[kept], [0.05, 0.5, 0.95], method="hazen"), rtol=1e-12)
    brush(fresh, 0, 0.7, 0.8)  # a second axis narrows it further
    low, high = fresh.evaluate("report.cases.ranges.get(0)")
    both = [i for i in kept if low <= sweep["body.<b>a.mass"].values[i] <= high]
    assert 0 < len(both) < len(kept)
    assert fresh.locator(".count").inner_text() == f"{len(both)} of 300 cases"
    fresh.get_by_role("button", name="All cases").click()
    assert fresh.locator(".count").inner_text() == "300 of 300 cases"


def test_a_click_on_an_axis_frees_it(fresh: Any) -> None:
    brush(fresh, 1, 0.2, 0.5)
    assert fresh.evaluate("report.cases.ranges.size") == 1
    box = fresh.locator(".parallel .cursor").bounding_box()
    fresh.mouse.click(box["x"] + fresh.evaluate("report.parallel.px[1]"), box["y"] + 100)
    assert fresh.evaluate("report.cases.ranges.size") == 0


def test_worst_cases_are_sorted_by_any_number(fresh: Any, sweep: xr.Dataset) -> None:
    y = sweep["peak<"].values
    first = fresh.locator(".ranking tbody tr").first.locator("td").first
    assert int(first.inner_text()) == int(np.nanargmax(y))
    fresh.locator(".ranking th button").nth(1).click()
    assert int(first.inner_text()) == int(np.nanargmin(y))
    assert fresh.locator(".ranking th").nth(1).get_attribute("aria-sort") == "ascending"
    fresh.locator(".ranking th button").nth(3).click()
    assert int(first.inner_text()) == int(np.argmax(sweep["body.<b>a.mass"].values))
    fresh.locator(".ranking th button").nth(1).click()


def test_a_chosen_case_shows_its_numbers_its_motion_and_its_command(fresh: Any, sweep: xr.Dataset) -> None:
    worst = int(np.nanargmax(sweep["peak<"].values))
    assert not fresh.locator(".case").is_visible()
    fresh.locator(".ranking tbody tr").first.click()
    assert fresh.locator(".case h2").inner_text() == f"Case {worst}"
    assert fresh.locator(".case code").inner_text() == f"supple run 'my model.toml' --case {worst}"
    shown = dict(
        zip(fresh.locator(".values dt").all_inner_texts(), fresh.locator(".values dd").all_inner_texts(), strict=True)
    )
    assert float(shown["peak<, m"]) == pytest.approx(float(sweep["peak<"][worst]), rel=1e-5)
    assert shown["simulation.integrator"] == str(sweep["simulation.integrator"].values[worst])
    fresh.get_by_role("button", name="Copy").click()
    wait(fresh, "document.querySelector('.command output').textContent === 'copied'")
    assert fresh.evaluate("navigator.clipboard.readText()") == f"supple run 'my model.toml' --case {worst}"
    fresh.get_by_role("tab", name="Trajectories").click()
    fresh.evaluate(DRAWN)
    own = np.array(fresh.evaluate("[...report.envelope.plot.curves[0].values]"))
    t = np.array(fresh.evaluate("[...report.envelope.times]"))
    truth = sweep["q"].isel(coordinate=0).sel(case=worst).interp(time=t).values
    np.testing.assert_allclose(own, truth, atol=4.0 / 65534)  # 16 bits of a range of 4
    fresh.get_by_role("button", name="Close").click()
    assert not fresh.locator(".case").is_visible()


def test_a_line_is_picked_by_a_click(fresh: Any) -> None:
    fresh.evaluate("report.cases.keep(report.cases.axes[0], [0.0, 0.02])")
    fresh.evaluate(DRAWN)
    where = fresh.evaluate("""(() => { const { parallel: p, cases: c } = report, i = c.selected[0], [a, b] = c.axes;
        return [i, (p.px[0] + p.px[1]) / 2, (p.py(a, a.values[i]) + p.py(b, b.values[i])) / 2]; })()""")
    box = fresh.locator(".parallel .cursor").bounding_box()
    fresh.mouse.click(box["x"] + where[1], box["y"] + where[2])
    assert fresh.evaluate("report.cases.chosen") == where[0]


def test_envelopes_are_the_quantiles_of_the_selected_cases(fresh: Any, sweep: xr.Dataset) -> None:
    fresh.get_by_role("tab", name="Trajectories").click()
    fresh.locator("[name=signal]").select_option(label="q.lift")
    brush(fresh, 0, 0.0, 0.5)
    fresh.evaluate(DRAWN)
    kept = np.array(fresh.evaluate("report.cases.selected"))
    t = np.array(fresh.evaluate("[...report.envelope.times]"))
    motion = sweep["q"].isel(coordinate=1, case=kept).sel(time=t, method="nearest").values
    for p, found in zip(
        (0.05, 0.95), fresh.evaluate("report.envelope.quantiles([0.05, 0.95]).map((x) => [...x])"), strict=True
    ):
        truth = np.nanquantile(motion[np.isfinite(motion[:, 0])], p, axis=0, method="hazen")
        np.testing.assert_allclose(found, truth, atol=1e-3)
    assert fresh.locator(".envelopes h3").inner_text() == "q.lift"
    assert fresh.evaluate("report.envelope.plot.data.bands.length") == 3
    assert fresh.evaluate("report.envelope.plot.data.y.unit") == "m"


def test_correlations_of_the_page_are_those_of_scipy(fresh: Any, sweep: xr.Dataset) -> None:
    brush(fresh, 2, 0.3, 1.0)
    fresh.get_by_role("tab", name="Influence").click()
    fresh.evaluate(DRAWN)
    kept = np.array(fresh.evaluate("report.cases.selected"))
    kept = kept[np.isfinite(sweep["peak<"].values[kept])]
    truth = stats.spearmanr(sweep["body.<b>a.mass"].values[kept], sweep["peak<"].values[kept]).statistic
    first = fresh.locator(".ranks figure").first.locator(".bar").first
    assert first.locator(".name").inner_text() == "body.<b>a.mass"
    assert float(first.locator("output").inner_text().replace("\u2212", "-")) == pytest.approx(truth, abs=0.006)
    assert fresh.locator(".ranks figure").first.locator(".bar.faint").count() > 0
    assert fresh.locator(".indices figure").count() == 2


def test_the_scatter_matrix_finds_a_case_and_changes_its_axes(fresh: Any) -> None:
    fresh.get_by_role("tab", name="Scatter").click()
    fresh.evaluate(DRAWN)
    count = fresh.evaluate("report.matrix.shown.length")
    fresh.locator(".chosen input").nth(3).uncheck()
    assert fresh.evaluate("report.matrix.shown.length") == count - 1
    fresh.locator(".chosen input").nth(3).check()
    fresh.evaluate(DRAWN)
    box = fresh.locator(".matrix canvas").bounding_box()
    size = box["width"] / count
    found = None
    for dx in range(5, int(size), 7):  # somewhere in a full cell there is a point
        found = fresh.evaluate(f"report.matrix.nearestTo({dx}, {1.5 * size})")
        if found is not None:
            fresh.locator(".matrix canvas").click(position={"x": dx, "y": 1.5 * size})
            break
    assert found is not None
    assert fresh.evaluate("report.cases.chosen") == found


def test_failed_cases_are_listed_with_their_messages(fresh: Any) -> None:
    fresh.get_by_role("tab", name="Failed cases").click()
    fresh.evaluate(DRAWN)
    rows = fresh.locator(".failures tbody tr")
    assert rows.count() == 2
    assert rows.first.inner_text().split("\t") == ["7", MESSAGE]
    rows.first.click()
    assert fresh.locator(".case .alert").inner_text() == MESSAGE
    assert fresh.locator(".case code").inner_text().endswith("--case 7")


def test_selected_cases_are_saved_as_csv(fresh: Any, sweep: xr.Dataset) -> None:
    brush(fresh, 0, 0.0, 0.3)
    with fresh.expect_download() as saved:
        fresh.get_by_role("button", name="Selected cases, CSV").click()
    lines = Path(saved.value.path()).read_text().splitlines()
    assert lines[0].startswith('"case","body.<b>a.mass"')
    assert len(lines) - 1 == fresh.evaluate("report.cases.selected.length")
    cells = lines[1].split(",")
    assert float(cells[1]) == float(sweep["body.<b>a.mass"][int(cells[0])])


def test_a_small_dark_screen_and_a_sweep_of_saltelli(browser: Any, tmp_path: Path) -> None:
    points = saltelli_points(64, 3, seed=1)
    sweep = sweep_of({f"p{i}": x for i, x in enumerate(points.T)}, {"y": ishigami(points)}, sampler="saltelli")
    found = summary(sweep)
    faults: list[str] = []
    page = browser.new_page(viewport={"width": 390, "height": 800}, color_scheme="dark")
    page.on("console", lambda message: faults.append(message.text))
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.goto(write_sweep(sweep, tmp_path / "page.html", found=found).as_uri())
    wait(page, "window.report !== undefined && report.parallel.px !== undefined")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert "Trajectories" not in page.get_by_role("tab").all_inner_texts()
    page.get_by_role("tab", name="Influence").click()
    page.evaluate(DRAWN)
    bars = page.locator(".indices .bar")
    assert bars.count() == 6  # first and total of three factors
    totals = [float(x) for x in page.locator(".indices .bar output").all_inner_texts()[1::2]]
    np.testing.assert_allclose(totals, sorted(found["total_order"].values[0], reverse=True), atol=0.006)
    page.close()
    assert faults == []


def test_large_sweeps_keep_their_extremes_and_all_their_statistics(monkeypatch: pytest.MonkeyPatch) -> None:
    sweep = sweep_with_motion(3000, failed=range(5))
    whole = len(sweep_page(sweep))
    monkeypatch.setattr("supple.view.pages.sweep.MOST_NUMBERS", 9000)
    monkeypatch.setattr("supple.view.pages.sweep_trajectories.MOST_NUMBERS", 100_000)
    cases = sweep_cases(sweep)
    kept = kept_cases(cases)
    assert len(kept) == 1500
    y = cases.measured["peak<"]
    assert set(np.argsort(y)[:EXTREMES]) | set(range(5)) <= set(kept)
    text = sweep_page(sweep)
    assert len(text) < 0.3 * whole
    assert "The page holds 1,500 of 3,000 cases" in text
    assert "of 501 times" in text
    assert "<td>2,995</td>" in text  # statistics are those of all
    data = json.loads(re.search(r'id="data">(.*?)</script>', text, re.DOTALL)[1])  # type: ignore[index]
    assert len(data["trajectories"]["signals"]) == 2


def test_a_sweep_without_measures_has_a_page_and_one_without_results_none(tmp_path: Path) -> None:
    sweep = sweep_with_motion(20).drop_vars(["peak<", "swing"])
    assert "Trajectories" in sweep_page(sweep)
    sweep["status"][:] = 2
    with pytest.raises(supple.StateError, match="all 20 cases failed"):
        write_sweep(sweep, tmp_path / "page.html")
    with pytest.raises(supple.StateError, match=r"expected what supple\.sweep gives"):
        write_sweep(xr.Dataset(), tmp_path / "page.html")
