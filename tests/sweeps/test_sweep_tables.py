"""Tables of a summary: text in every cell, the largest influence first."""

from __future__ import annotations

import numpy as np

from supple.sweeps import summary, summary_tables
from supple.sweeps.sweep_tables import MOST_ROWS, written
from support.runs.synthetic_sweeps import ishigami, sweep_of


def test_tables_say_what_the_summary_holds() -> None:
    points = np.random.default_rng(1).uniform(size=(300, 3))
    varied = {f"p{i}": points[:, i] for i in range(3)}
    found = summary(sweep_of(varied, {"peak": ishigami(points)}, failed=[5]))
    tables = {t.title: t for t in summary_tables(found)}
    assert list(tables) == ["Statistics, with 95 % intervals", "What peak depends on", "Failed cases"]
    for table in tables.values():
        assert all(len(row) == len(table.columns) for row in table.rows)
    statistics = tables["Statistics, with 95 % intervals"]
    assert statistics.columns == ("", "peak, m>")
    cells = {row[0]: row[1] for row in statistics.rows}
    assert cells["cases"] == "299"
    assert cells["mean"] == written(*(float(found[f"mean{end}"][0]) for end in ("", "_low", "_high")))
    assert " to " in cells["95/95 between"]
    influence = tables["What peak depends on"]
    assert influence.columns == ("varied", "rank correlation>", "chance>", "first-order index>")
    assert [row[0] for row in influence.rows][-1] == "p2"  # no index of its own
    assert next(row for row in influence.rows if row[0] == "p0")[2] == "< 1e-6 *"
    assert tables["Failed cases"].rows == [("5", "no convergence at t = 0.3 s")]


def test_long_tables_are_cut_and_say_so() -> None:
    points = np.random.default_rng(1).uniform(size=(100, 30))
    sweep = sweep_of({f"p{i}": x for i, x in enumerate(points.T)}, {"y": points[:, 7]}, failed=range(40))
    tables = {t.title: t for t in summary_tables(summary(sweep))}
    rows = tables[f"What y depends on, {MOST_ROWS} of 30"].rows
    assert rows[0][0] == "p7"
    assert len(rows) == len(tables[f"Failed cases, {MOST_ROWS} of 40"].rows) == MOST_ROWS


def test_measures_stand_beside_each_other_and_a_grid_has_no_bounds() -> None:
    x = np.arange(20.0)
    found = summary(sweep_of({"p": x}, {name: x for name in "abcde"}, sampler="grid"))
    tables = [table for table in summary_tables(found, across=2) if table.title.startswith("Statistics")]
    assert [table.columns[1:] for table in tables] == [("a, m>", "b, m>"), ("c, m>", "d, m>"), ("e, m>",)]
    assert not any("bound" in row[0] for row in tables[0].rows)
    still = summary_tables(summary(sweep_of({"p": x}, {"y": np.ones(20)})))
    assert [table.title for table in still] == ["Statistics, with 95 % intervals"]  # it depends on nothing


def test_few_cases_name_how_many_the_bounds_need_and_groups_share_an_index() -> None:
    x = np.random.default_rng(1).uniform(size=60)
    varied = {"a": x, "b": 2 * x, "kind": np.array(["u", "v"])[(x > 0.5).astype(int)]}
    found = summary(sweep_of(varied, {"y": x}, together=[["a", "b"]]))
    statistics, influence = summary_tables(found)
    cells = {row[0]: row[1] for row in statistics.rows}
    assert cells["95/95 between"] == "needs 93 cases"
    assert float(cells["95/95 upper bound"]) == float(f"{x.max():.4g}")
    rows = {row[0]: row[1:] for row in influence.rows}
    assert list(rows) == ["a", "b", "kind"]
    assert rows["a"] == rows["b"]
    assert rows["kind"][0] == "-"
