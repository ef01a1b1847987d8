"""The page of a Campbell diagram holds all of it, stands alone and draws without complaint."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray as xr

import supple
from supple.linear import campbell
from supple.view import write_campbell
from supple.view.pages.campbell import plots
from support.browser import wait
from support.mechanisms import rotors


@pytest.fixture(scope="module")
def found() -> xr.Dataset:
    """A damped rotor with a name that a page must not take for its own text."""
    diagram = campbell(rotors.overhung(damping=0.01), {"shaft": np.linspace(0.0, 800.0, 21)}, count=5)
    return diagram.assign_attrs(model="rotor <&>")


def test_the_page_stands_alone(found: xr.Dataset, tmp_path: Path) -> None:
    path = write_campbell(found, tmp_path / "page.html")
    source = path.read_text()
    assert not re.search(r"https?://|\bfetch\b|\beval\b", source)
    assert "rotor &lt;&amp;&gt;: Campbell diagram" in source
    assert "rotor <&>" not in source
    assert source.count("<td>1/rev</td>") == int((found.critical_order == 1).sum()) > 0
    assert path.stat().st_size < 150_000


def test_plots_have_modes_orders_and_stability(found: xr.Dataset) -> None:
    sheet, *stability = plots(found)
    names = [curve["name"] for curve in sheet["curves"]]
    assert len(names) == 5 + 2
    assert names[-2:] == ["1/rev", "2/rev"]
    assert {curve["line"] for curve in sheet["curves"] if "backward" in curve["name"]} == {"dashed"}
    assert len(sheet["marks"]) == int((found.critical_order == 1).sum())
    assert [sheet["title"] for sheet in stability] == ["Damping ratio", "Growth"]  # its own damping drives it
    undamped = campbell(rotors.laval(), {"shaft": [1.0, 2.0]})
    assert [sheet["title"] for sheet in plots(undamped)] == ["Frequencies in fixed axes"]


def test_other_datasets_are_refused(tmp_path: Path) -> None:
    with pytest.raises(supple.StateError, match=r"expected what supple\.linear\.campbell gives, got no frequency"):
        write_campbell(xr.Dataset(), tmp_path / "page.html")
    with pytest.raises(supple.StateError, match="expected two speeds or more, got 1"):
        write_campbell(campbell(rotors.laval(), {"shaft": [1.0]}), tmp_path / "page.html")


def test_the_page_opens_in_a_browser(browser: Any, found: xr.Dataset, tmp_path: Path) -> None:
    faults: list[str] = []
    page = browser.new_page(viewport={"width": 1200, "height": 900})
    page.on("console", lambda message: faults.append(message.text))
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.goto(write_campbell(found, tmp_path / "page.html").as_uri())
    wait(page, "window.report !== undefined")
    assert page.locator("table.numbers").count() == 2
    assert page.locator("figure h3").all_inner_texts() == ["Frequencies in fixed axes", "Damping ratio", "Growth"]
    assert page.locator("section:visible").count() == 4
    legend = page.locator("figure").first.locator(".legend button")
    assert legend.count() == 7
    # The pointer reads values; a line of orders that has left the plot has none.
    canvas = page.locator("figure").first.locator("canvas.cursor")
    box = canvas.bounding_box()
    page.mouse.move(box["x"] + box["width"] - 20, box["y"] + box["height"] / 2)
    read = legend.locator("output").all_inner_texts()
    assert all(read[:5])
    assert "NaN" not in "".join(read)
    legend.first.click()
    assert legend.first.get_attribute("aria-pressed") == "false"
    page.close()
    assert faults == []
