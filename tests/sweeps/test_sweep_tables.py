"""Tables of a summary: text in every cell, the largest influence first."""

from __future__ import annotations

import numpy as np

from supple.sweeps import summary, summary_tables
from supple.sweeps.sweep_tables import MOST_ROWS
from synthetic_sweeps import ishigami, sweep_of


def test_tables_say_what_the_summary_holds() -> None:
    points = np.random.default_rng(1).uniform(size=(300, 3))
    varied = {f"p{i}": points[:, i] for i in range(3)}
    tables = {t.title: t for t in summary_tables(summary(sweep_of(varied, {"peak": ishigami(points)}, failed=[5])))}
    assert list(tables) == ["Measures", "Quantiles", "What peak depends on", "Failed cases"]
    for table in tables.values():
        assert all(len(row) == len(table.columns) for row in table.rows)
    assert tables["Measures"].rows[0][:2] == ("peak, m", "299")
    assert tables["Quantiles"].rows[1][0] == "  95 % interval"
    influence = tables["What peak depends on"]
    assert influence.columns == ("varied", "rank correlation>", "chance>", "first-order index>", "95 %>")
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
