"""Scripts of the pages by themselves, run by Node.js where it is installed."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

import supple

STATIC = Path(supple.__file__).parent / "view" / "static"
node = pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")


def evaluated(expression: str, *scripts: str) -> Any:
    """The value of an expression after these scripts, as JSON."""
    text = "\n".join((STATIC / name).read_text() for name in scripts)
    found = subprocess.run(
        ["node", "--input-type=module", "-e", f"{text}\nconsole.log(JSON.stringify({expression}));"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.returncode == 0, found.stderr
    return json.loads(found.stdout)


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
