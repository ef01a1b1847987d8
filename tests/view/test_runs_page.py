"""The page of several runs: every signal to be searched, the difference of each run, drawn without complaint."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr

from supple.results import Runs
from supple.view import write_runs
from support.browser import wait


def run(t: np.ndarray, bump: float) -> xr.Dataset:
    values = np.stack([np.sin(3 * t) + bump * t, np.cos(t)], axis=1)
    labels = {"time": t, "coordinate": ["arm<b>.angle", "lift"], "coordinate_unit": ("coordinate", ["rad", "m"])}
    return xr.Dataset({"q": (("time", "coordinate"), values, {"units": "see coordinate_unit"})}, labels)


T = np.linspace(0, 1, 5001)


def runs() -> Runs:
    """Two runs, the second shorter, with names that a page must not take for its own text."""
    return Runs({"first": run(T, 0.0), "<other>": run(T[:4001], 0.25)})


def test_the_page_opens_is_searched_and_states_the_largest_difference(browser: Any, tmp_path: Path) -> None:
    path = write_runs(runs(), tmp_path / "page.html")
    source = path.read_text()
    assert not re.search(r"https?://|\bfetch\b|\beval\b", source)
    assert "<other>" not in source
    assert "arm<b>" not in source
    faults: list[str] = []
    page = browser.new_page(viewport={"width": 1200, "height": 900})
    page.on("console", lambda message: faults.append(message.text))
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.goto(path.as_uri())
    wait(page, "document.querySelectorAll('.plot canvas.curves').length === 4")  # two signals with their differences
    lines = page.locator(".signals tbody tr")
    assert lines.nth(0).inner_text().split() == ["q.arm<b>.angle", "rad", "0.2"]  # the one that differs comes first
    assert "at most 0.2 rad, at t = 0.8 s" in page.locator(".plot .note").nth(1).inner_text()
    page.locator(".search input").fill("LIFT q")
    assert page.locator(".signals tbody tr:visible").count() == 1
    assert page.locator(".search output").inner_text() == "1 of 2"
    page.get_by_role("button", name="q.lift").click()
    assert page.locator(".plot h3").all_inner_texts() == ["q.arm<b>.angle", "q.arm<b>.angle: less first"]
    page.get_by_role("button", name="q.lift").click()
    assert page.locator(".plot").count() == 4
    curves = page.evaluate("report.open.get('q.arm<b>.angle')[0].curves.map((c) => [...c.values])")
    assert [len(curve) for curve in curves] == [len(curves[0])] * 2
    assert len(curves[0]) <= 3000
    short = np.array(curves[1], dtype=float)  # nothing is drawn where the second run has ended
    ended = round(0.8 * len(short))
    assert np.isfinite(short[: ended - 2]).all()
    assert np.isnan(short[ended + 2 :]).all()
    assert faults == []
    page.close()


def test_one_run_alone_is_shown_and_signals_that_are_asked_for_are_all_open(tmp_path: Path) -> None:
    alone = write_runs(Runs({"first": run(T, 0.0)}, ["lift"]), tmp_path / "page.html").read_text()
    assert '"shown":["q.lift"]' in alone
    assert "less first" not in alone
