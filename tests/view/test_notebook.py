"""Objects show themselves in notebooks; names are text, views move, and nothing needs a server."""

from __future__ import annotations

import html
import re
import runpy
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

import supple
from supple import linear, structures
from supple.html_tables import MOST_ROWS, html_table
from support.browser import wait

DOCS = Path(__file__).parents[2] / "docs"
HOSTILE = "<img src=x onerror=alert(1)>\"'&<td><script>alert(1)<"
STEEL = structures.Material(E=2e11, nu=0.3, rho=7800)


class Tags(HTMLParser):
    """Elements of a piece of HTML, and whether each that was opened was closed."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.names: set[str] = set()
        self.open: list[str] = []
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.names.add(tag)
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.fixture(scope="module")
def shown() -> dict[str, Any]:
    """One object of each kind, with a name that is no friend of a page."""
    structure = structures.beam(0.5, structures.Rectangle(0.02, 0.01), STEEL, elements=3).with_frame(HOSTILE, 2)
    body = structure.reduce("cantilever", modes=2)
    mech = supple.Mechanism(HOSTILE)
    mech.add_body(HOSTILE, body, joint=supple.Revolute("y", stiffness=1.0))
    model = mech.build()
    return {
        "mechanism": mech,
        "model": model,
        "erls": supple.erls.build(mech),
        "structure": structure,
        "body": body,
        "modes": linear.modes(model, q=linear.equilibrium(model).q),
        "state space": linear.state_space(model, q=linear.equilibrium(model).q),
    }


def test_names_are_text_in_every_table(shown: dict[str, Any]) -> None:
    for kind, thing in shown.items():
        text = thing._repr_html_()
        names = Tags(text).names
        assert (
            {"div", "strong", "table", "tr", "td"}
            <= names
            <= {"div", "strong", "table", "thead", "tbody", "tr", "th", "td"}
        )
        assert "onerror" in html.unescape(text), kind  # not trivial: the name is in it


def test_reprs_are_one_short_line(shown: dict[str, Any]) -> None:
    for thing in shown.values():
        line = repr(thing)
        assert re.fullmatch(r"<supple [^\n]{10,200}>", line), line
    assert repr(supple.Mechanism("m")) == "<supple mechanism 'm': 0 bodies>"
    assert repr(shown["structure"]) == "<supple structure: 4 nodes, 24 degrees of freedom, 0.78 kg>"
    assert repr(shown["body"]) == "<supple flexible body: cantilever, 2 coordinates, 4 nodes, 0.78 kg>"


def test_what_has_no_modes_shows_itself_too(shown: dict[str, Any]) -> None:
    nodal = shown["structure"].reduce("nodal")
    assert "frames:" in nodal._repr_html_()
    assert "18 coordinates" in repr(nodal)
    empty = supple.Mechanism("m")._repr_html_()
    assert empty == "<div><strong>Mechanism m: 0 bodies</strong></div>"


def test_long_tables_say_how_many_rows_are_left_out() -> None:
    text = html_table("t", ("a>",), [(i,) for i in range(MOST_ROWS + 7)])
    assert "... and 7 more" in text
    assert text.count("<tr>") == MOST_ROWS + 2


def test_equations_are_typeset_where_they_are_short() -> None:
    cart = supple.equations(supple.files.read(DOCS.parent / "examples" / "cart_pendulum.toml").model)
    text = cart._repr_latex_()
    assert text is not None
    assert text.startswith("$$\n\\begin{aligned}")
    assert text.endswith("\\end{aligned}\n$$")
    assert repr(cart).startswith("<supple equations of motion of 'cart pendulum': 2 coordinates, 2 speeds")
    robot = supple.equations(supple.load(DOCS.parent / "examples" / "robot_from_urdf.urdf", limits=False))
    assert robot._repr_latex_() is None  # it is too long to be read


def test_a_view_is_a_frame_whose_names_are_text(chain: tuple[supple.Model, Any]) -> None:
    model, result = chain
    view = supple.show(result, model=model, height=300)
    text = view._repr_html_()
    assert Tags(text).names == {"iframe"}
    assert "height:300px" in text
    assert 'sandbox="allow-scripts allow-downloads"' in text
    assert repr(view) == f"<supple view of {model.name!r}: shown by a notebook>"


@pytest.mark.parametrize("height", [100, 5000, "tall"])
def test_heights_are_checked(chain: tuple[supple.Model, Any], height: Any) -> None:
    with pytest.raises(supple.StateError, match="height: expected 200 to 4000 pixels, got"):
        supple.show(chain[0], height=height)


def test_the_notebook_of_the_docs_runs_and_shows_everything(browser: Any, tmp_path: Path) -> None:
    script = runpy.run_path(str(DOCS / "tools" / "make_notebook.py"))
    notebook = script["executed"]()
    outputs = [x for cell in notebook.cells if cell.cell_type == "code" for x in cell.outputs]
    results = [x.data for x in outputs if x.output_type == "execute_result"]
    assert len(results) == len(outputs) == 10  # every cell shows its object, and nothing is printed besides
    assert sum("text/html" in x for x in results) == 9
    assert sum("text/latex" in x for x in results) == 1
    for data in results[:-2]:
        assert len(data["text/plain"]) < 5000
    file = tmp_path / "notebook.html"
    file.write_text(script["page"](notebook), encoding="utf-8")
    text = file.read_text(encoding="utf-8")
    assert all(html.escape(cell.source) in text for cell in notebook.cells if cell.cell_type == "code")
    page = browser.new_page(viewport={"width": 950, "height": 700})
    errors: list[str] = []
    page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(file.as_uri())
    still, moving = page.frames[1:]
    for frame in (still, moving):
        wait(frame, "() => Boolean(window.report?.viewer)")
    assert still.evaluate("() => report.player === null && document.querySelector('[name=play]') === null")
    page.locator("iframe").nth(1).scroll_into_view_if_needed()
    moving.locator("[name=play]").click()
    wait(moving, "() => report.viewer.time > 0")
    assert moving.evaluate("() => document.documentElement.scrollHeight <= innerHeight")
    assert errors == []
    page.close()
