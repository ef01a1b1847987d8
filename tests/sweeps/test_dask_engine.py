"""Sweeps on a Dask cluster: workers that die, cases that kill them, and schedulers that are not there."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

import supple
from supple.sweeps import dask_engine
from supple.sweeps.dask_engine import DaskEngine
from supple.sweeps.local_engine import DIED
from support.cases import thinned
from support.mechanisms.swept_models import swept
from support.runs.troubled_measures import KILLER, RAISER, KillsOnce, last_angle

pytest.importorskip("distributed")


# Sockets of workers that were killed are closed when they are collected.
@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("once", thinned([(), (1,)], [()]), ids=["one case", "two cases"])
def test_a_cluster_that_loses_workers_finds_the_same(
    once: tuple[int, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One case always kills, one raises, and one kills once: all others equal an undisturbed run bit for bit."""
    if not once:  # fewer workers, which take seconds to begin
        monkeypatch.setattr(dask_engine, "ALONE", 1)
    file, store = swept(tmp_path), tmp_path / "a.sweep.zarr"
    calm = supple.sweep(file, measure={"end": "last(mass.position)", "angle": last_angle}, engine="serial")
    measure = {"end": "last(mass.position)", "angle": KillsOnce(tmp_path, once)}
    found = supple.sweep(file, measure=measure, engine=DaskEngine(workers=2 if once else 1), store=store)
    assert all((tmp_path / f"killed-{case}").exists() for case in once)
    assert found.status.values.tolist() == [2 if case in (KILLER, RAISER) else 1 for case in range(12)]
    assert found.message.values[KILLER] == DIED
    assert found.message.values[RAISER] == "ValueError: case five"
    done = found.status.values == 1
    for name in ("end", "angle", "q"):
        assert found[name].values[done].tobytes() == calm[name].values[done].tobytes()
    assert np.isnan(found.q.values[~done]).all()


def test_a_scheduler_that_is_not_there_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dask_engine, "ANSWER", 0.5)
    with pytest.raises(supple.ResultsError, match=r"^scheduler tcp://127\.0\.0\.1:9: no answer within 0\.5 s"):
        supple.sweep(swept(tmp_path), scheduler="tcp://127.0.0.1:9")


def test_without_the_package_there_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(supple.StateError, match=r"needs distributed: pip install supple\[sweep\]"):
        supple.sweep(swept(tmp_path), engine="dask")
