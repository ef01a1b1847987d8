"""What the scripts of the pages compute, and what a linter says of them."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from supple.view.live.session import SCRIPTS as LIVE
from supple.view.pages.page import SCRIPTS, program
from supple.view.pages.sweep import SCRIPTS as SWEEP
from support.scripts import STATIC, evaluated, node

ROOT = Path(__file__).parents[2]
PLAYER = "viewer/player.js"
PAGES = {
    "report": (PLAYER, "viewer/tabs.js", "plots/explorer.js", "pages/report.js"),
    "modes": (PLAYER, "pages/modes.js"),
    "runs": ("pages/runs.js",),
    "campbell": ("pages/campbell.js",),
    "shown": (PLAYER, "pages/shown.js"),
    "sweep": SWEEP,
    "live": (*LIVE, "live/live_server.js"),
    "widget": (*LIVE, "live/live_widget.js"),
}
"""Scripts of each page besides those of all."""


@node
def test_every_axis_has_two_ticks_that_read_differently() -> None:
    ranges = """[...Array(4000).keys()].flatMap((i) => {
        const r = (k) => ((i * 0.6180339887 * k) % 1), low = (r(1) - 0.5) * 10 ** (6 * r(2) - 3);
        return [3, 3.5, 8].flatMap((count) => [
          [low, low + 10 ** (8 * r(3) - 4), count, false],
          [-6 + 6 * r(1), -5.9 + 6 * r(1) + 8 * r(2), count, true]]); })"""
    counts = evaluated(
        f"""{ranges}.map(([low, high, count, log]) => {{
          const {{ values, step }} = ticks(low, high, count, log);
          if (values.some((v) => v < low - 1e-6 * (high - low) || v > high + 1e-6 * (high - low))) return -1;
          return new Set(values.map((v) => written(log ? 10 ** v : v, step))).size; }})""",
        "plots/axes.js",
    )
    assert len(counts) == 24000
    assert min(counts) >= 2
    assert max(counts) < 30
    assert evaluated("ticks(2, 2, 5).values", "plots/axes.js") == []


@node
def test_a_name_has_one_colour_on_all_plots() -> None:
    plots = [["tip", "mid"], ["mid"], ["mid", "root", "tip"], ["root"], ["other"]]
    sheets = [{"curves": [{"name": name, "shown": True} for name in names]} for names in plots]
    places = evaluated(
        f"(shareColors({json.dumps(sheets)}), {json.dumps(sheets)}.map(({{ curves }}) =>"
        " [...placesOf(curves, [...curves.keys()]).entries()].map(([i, place]) => [curves[i].name, place])))",
        "plots/plot.js",
    )
    assert {name for sheet in places for name, _ in sheet} == {"tip", "mid", "root", "other"}
    assert {tuple(pair) for sheet in places for pair in sheet} == {("tip", 0), ("mid", 1), ("root", 2), ("other", 0)}


def test_a_linter_finds_nothing_in_the_programs_of_pages(tmp_path: Path) -> None:
    """Biome, of all pages as they are put together; what only some of them use is no fault."""
    biome = shutil.which("biome") or shutil.which("biome", path=str(ROOT / "node_modules" / ".bin"))
    if biome is None:
        pytest.skip("biome is not installed: npm install @biomejs/biome")
    names = {*SCRIPTS, *(name for scripts in PAGES.values() for name in scripts)}
    assert names == {str(path.relative_to(STATIC)) for path in STATIC.rglob("*.js")}
    for name, scripts in PAGES.items():
        own = 'const BODY = "", STYLE = "";\n' if name == "widget" else ""
        (tmp_path / f"{name}.js").write_text(own + program(scripts))
    (tmp_path / "wrong.js").write_text("const x = () => undeclared;\n")
    run = subprocess.run(
        [biome, "lint", f"--config-path={ROOT}", "--max-diagnostics=none", "--reporter=json", str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
    )
    unused: dict[str, set[str]] = {}
    said = []
    for found in json.loads(run.stdout)["diagnostics"]:
        page = Path(found["location"]["path"]).stem
        if found["category"] == "lint/correctness/noUnusedVariables" and page in PAGES:
            unused.setdefault(found["message"], set()).add(page)
        else:
            said.append((page, found["category"], found["message"], found["location"]["start"]["line"]))
    assert {(page, kind.rpartition("/")[2]) for page, kind, *_ in said if page == "wrong"} == {
        ("wrong", "noUndeclaredVariables"),
        ("wrong", "noUnusedVariables"),
    }
    assert [x for x in said if x[0] != "wrong"] == []
    texts = {name: (tmp_path / f"{name}.js").read_text() for name in PAGES}
    for message, pages in unused.items():
        name = message.split()[2]
        assert any(name in text for page, text in texts.items() if page not in pages), message
