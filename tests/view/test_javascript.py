"""What the scripts of the pages compute, and what a linter says of them."""

from __future__ import annotations

import json

from support.scripts import evaluated, node


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
