"""The page holds the model and its motion, and nothing from outside."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray as xr

import supple
from supple.structures import FlexibleBody
from supple.view import write_report

Run = tuple[supple.Model, xr.Dataset]


class Page(HTMLParser):
    """Elements and texts of a page; the text of its data apart."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.data: Any = None
        self.source = path.read_text(encoding="utf-8")
        self.feed(self.source)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        if self.tags and self.tags[-1][1].get("id") == "data" and self.data is None:
            self.data = json.loads(data)
        elif data.strip():
            self.texts.append(data)


def test_the_page_stands_alone_and_is_small(chain: Run, tmp_path: Path) -> None:
    path = write_report(*chain, tmp_path / "page.html")
    page = Page(path)
    assert not [a for _, attrs in page.tags for key, a in attrs.items() if key in ("src", "href") and a != "data:,"]
    assert not re.search(r"https?://|\bimport\b|\bfetch\b|\beval\b", page.source)
    assert path.stat().st_size < 500_000


def test_names_are_text_and_never_markup(chain: Run, tmp_path: Path) -> None:
    page = Page(write_report(*chain, tmp_path / "page.html"))
    assert chain[0].name in page.texts
    assert "link<1>" in page.texts
    assert [tag for tag, _ in page.tags].count("script") == 2
    assert "b" not in [tag for tag, _ in page.tags]
    assert page.data["scene"]["bodies"][0]["name"] == "link<1>"
    embedded = page.source.split('id="data">')[1].split("</script>")[0]
    assert "<" not in embedded


def test_header_and_table_say_what_was_run(chain: Run, tmp_path: Path) -> None:
    model, result = chain
    texts = Page(write_report(model, result, tmp_path / "page.html")).texts
    for expected in ("DOP853", "1 s", f"{result.attrs['steps']:,}", result.attrs["engine"], "cantilever", "link2/end"):
        assert expected in texts
    body = model.description.bodies["link2"].body
    assert isinstance(body, FlexibleBody)
    assert body.report is not None
    assert ", ".join(f"{f:.4g}" for f in body.report.frequencies) in texts


def test_results_read_back_from_a_file_give_the_same_page(chain: Run, tmp_path: Path) -> None:
    model, result = chain
    result.to_netcdf(tmp_path / "result.nc", engine="h5netcdf")
    with xr.open_dataset(tmp_path / "result.nc", engine="h5netcdf") as again:
        pages = [write_report(model, r, tmp_path / f"{i}.html").read_text() for i, r in enumerate((result, again))]
    assert pages[0] == pages[1]


def test_what_does_not_fit_is_refused(chain: Run, satellite: Run, tmp_path: Path) -> None:
    (model, result), path = chain, tmp_path / "page.html"
    with pytest.raises(supple.StateError, match=r"coordinates of model 'satellite', bus\.x"):
        write_report(satellite[0], result, path)
    with pytest.raises(supple.StateError, match="no kinetic_energy"):
        write_report(model, result.drop_vars("kinetic_energy"), path)
    with pytest.raises(supple.StateError, match=r"others in 'link2\.angle'"):
        write_report(model, result.assign(q=result.q.where(result.coordinate != "link2.angle")), path)
    with pytest.raises(supple.StateError, match="two times"):
        write_report(model, result.isel(time=[0]), path)
    with pytest.raises(supple.StateError, match="no frame 'link3'"):
        write_report(model, result, path, traces=["link3"])
    with pytest.raises(supple.StateError, match=r"link3\.angle"):
        write_report(model, result, path, spectra=["link3.angle"])
    assert not path.exists()


def test_a_model_that_cannot_move_has_a_page(tmp_path: Path) -> None:
    mech = supple.Mechanism("statue")
    mech.add_body("stone", supple.RigidBody(10.0, (0, 0, 1)), joint=supple.Fixed())
    model = mech.build()
    page = Page(write_report(model, supple.simulate(model, 1.0, samples=3), tmp_path / "page.html"))
    assert {"Energy"} <= {p["section"] for p in page.data["plots"]} <= {"Energy", "Dynamics"}


def test_an_unfinished_run_and_the_choice_of_the_integrator_are_said(chain: Run, tmp_path: Path) -> None:
    model, result = chain
    path = tmp_path / "page.html"
    plain = result.assign_attrs({})
    plain.attrs.pop("reason", None)
    texts = Page(write_report(model, plain, path)).texts
    assert not [text for text in texts if "Unfinished" in text or "Why" in text]
    result = result.isel(time=slice(100)).assign_attrs(finished=0, reason="the fastest mode <b> has 5 Hz")
    page = Page(write_report(model, result, path))
    assert "Unfinished run, up to t = 0.495 s" in page.texts
    assert "the fastest mode <b> has 5 Hz" in page.texts
    assert "b" not in [tag for tag, _ in page.tags]


def four_bar() -> Run:
    """A four-bar with a crank that turns; three joints, one degree of freedom."""
    mech = supple.Mechanism("four-bar")
    for name, parent, at, length in (
        ("crank", "ground", (0, 0, 0), 0.1),
        ("coupler", "crank", (0.1, 0, 0), 0.3),
        ("rocker", "ground", (0.3, 0, 0), 0.25),
    ):
        mech.add_body(name, supple.RigidBody(1.0, (length / 2, 0, 0), (0, 0.01, 0.01)), parent, at=at)
        mech.add_frame("end", name, (length, 0, 0))
    mech.close_loop("pin", "coupler/end", "rocker/end", supple.Revolute("y"))
    model = mech.build()
    start = {"crank.angle": -1.0}
    return model, supple.simulate(model, 0.2, q=start, v={"crank.angle": 3.0}, samples=41)


def test_degrees_of_freedom_are_those_of_the_closed_mechanism(tmp_path: Path) -> None:
    model, result = four_bar()
    page = Page(write_report(model, result, tmp_path / "page.html"))
    assert page.texts[page.texts.index("Degrees of freedom") + 1] == "1"
    (zero,) = (text for text in page.texts if text.startswith("Zero but for rounding"))
    assert "Constraint errors (at most " in zero
    assert not [p for p in page.data["plots"] if p["title"].startswith("Constraint errors")]


def test_fixed_steps_have_a_length_and_no_tolerance(tmp_path: Path) -> None:
    model, _ = four_bar()
    result = supple.simulate(model, 0.1, integrator="rk4", step=1e-3, samples=11)
    texts = Page(write_report(model, result, tmp_path / "page.html")).texts
    assert texts[texts.index("Length of steps") + 1] == "0.001 s"
    assert "unknown" not in texts
    assert not [text for text in texts if "olerance" in text and len(text) < 30]


def test_a_box_at_the_top_tells_of_bodies_beyond_linear_theory(chain: Run, tmp_path: Path) -> None:
    model, result = chain
    page = Page(write_report(model, result, tmp_path / "well.html"))
    assert "alert" not in [attrs.get("class") for _, attrs in page.tags]
    told = result.assign_attrs(validity=json.dumps(["body 'link<1>' turned by 0.9 rad: cut it into pieces"]))
    page = Page(write_report(model, told, tmp_path / "beyond.html"))
    assert "alert" in [attrs.get("class") for _, attrs in page.tags]
    assert "Body 'link<1>' turned by 0.9 rad: cut it into pieces" in page.texts
    assert page.source.index('class="alert"') < page.source.index("<dl>")


def test_what_was_asked_for_stands_beside_the_view_else_the_coordinates(chain: Run, tmp_path: Path) -> None:
    model, result = chain
    data = Page(write_report(model, result, tmp_path / "plain.html")).data
    assert [data["plots"][i]["section"] for i in data["key"]] == ["Coordinates", "Coordinates", "Energy"]
    outputs = supple.Outputs(frames=["link2/end"], wrenches="bob")
    asked = supple.simulate(model, 0.01, samples=3, outputs=outputs)
    page = Page(write_report(model, asked, tmp_path / "asked.html"))
    shown = [page.data["plots"][i]["title"] for i in page.data["key"]]
    assert shown == ["Position: link2/end", "Joint moment: bob", "Energy balance"]
    assert [text for text in page.texts if "The plots hold all 3 samples of this run, the film all of them" in text]


def test_a_long_run_says_how_much_of_it_the_page_holds(tmp_path: Path) -> None:
    mech = supple.Mechanism("pendulum")
    mech.add_body("arm", supple.RigidBody(1.0, (0, 0, -1)))
    model = mech.build()
    t = np.linspace(0.0, 10.0, 20_001)
    result = xr.Dataset(
        {
            "q": (("time", "coordinate"), np.sin(t)[:, None]),
            "v": (("time", "speed"), np.cos(t)[:, None]),
            "kinetic_energy": ("time", np.cos(t) ** 2),
            "potential_energy": ("time", np.sin(t) ** 2),
        },
        {"time": t, "coordinate": list(model.coordinates), "speed": list(model.speeds)},
    )
    path = write_report(model, result, tmp_path / "page.html")
    said = " ".join(" ".join(Page(path).texts).split())
    assert "The plots hold 10,000 points a curve, with all extremes, of this run, the film 3,000 of 20,001" in said
    assert path.stat().st_size < 2_000_000
