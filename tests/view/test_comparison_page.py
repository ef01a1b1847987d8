"""The page of both formulations holds all of the comparison, stands alone and draws without complaint."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import supple
from supple.compare import Comparison, formulations
from supple.structures import Material, Rectangle, beam
from supple.view import write_comparison
from support.browser import wait


@pytest.fixture(scope="module")
def found() -> Comparison:
    """A level arm with a name that a page must not take for its own text."""
    strip = beam(0.5, Rectangle(0.02, 0.012), Material(E=70e9, nu=0.3, rho=2700.0), elements=3)
    mech = supple.Mechanism("pair <&>")
    mech.add_body("upper", strip.reduce("craig-bampton", modes=0), joint=supple.Revolute("z"))
    mech.add_body("fore", strip.reduce("cantilever", modes=3), "upper", supple.Revolute("y"), "end")
    return formulations(mech, 0.1, [0, 2, 6], v={"upper.angle": 2.0}, samples=101, rtol=1e-7)


def test_the_page_stands_alone(found: Comparison, tmp_path: Path) -> None:
    path = write_comparison(found, tmp_path / "page.html")
    source = path.read_text()
    assert not re.search(r"https?://|\bfetch\b|\beval\b", source)
    assert "pair &lt;&amp;&gt;: two formulations" in source
    assert "pair <&>" not in source
    for title in found.tables:
        assert title in source
    assert path.stat().st_size < 800_000


def test_the_page_opens_in_a_browser(browser: Any, found: Comparison, tmp_path: Path) -> None:
    faults: list[str] = []
    page = browser.new_page(viewport={"width": 1200, "height": 900})
    page.on("console", lambda message: faults.append(message.text))
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.goto(write_comparison(found, tmp_path / "page.html").as_uri())
    wait(page, "window.report !== undefined && report.viewer !== null")
    assert page.locator("table.numbers").count() == 4
    titles = page.locator("figure h3").all_inner_texts()
    assert "z of fore/end" in titles
    assert "Acceleration of fore/end along z" in titles
    assert "Operations of forward dynamics" in titles
    assert page.locator("section:visible").count() == 6
    shown = page.locator("figure", has_text="z of fore/end").first.locator(".legend button").all_inner_texts()
    assert [text.strip() for text in shown] == list(found.runs)
    page.close()
    assert faults == []
