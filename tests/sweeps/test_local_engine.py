"""Supervised processes: dead ones are replaced, and only the case that killed them fails."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
import xarray as xr

import supple
from supple.sweeps import local_engine
from supple.sweeps.local_engine import DIED, LocalEngine
from support.mechanisms.swept_models import swept
from support.runs.troubled_measures import ENDLESS, KILLER, RAISER, KillsOnce, endless, last_angle

STATUS = [2 if case in (KILLER, RAISER) else 1 for case in range(12)]


@pytest.fixture(scope="module")
def calm(tmp_path_factory: pytest.TempPathFactory) -> xr.Dataset:
    """The same sweep without trouble, in this process."""
    measure = {"end": "last(mass.position)", "angle": last_angle}
    return supple.sweep(swept(tmp_path_factory.mktemp("calm")), measure=measure, engine="serial")


def require_equal(found: xr.Dataset, calm: xr.Dataset) -> None:
    """Bit for bit, but where a case failed."""
    done = found.status.values == 1
    for name in ("end", "angle", "q"):
        assert found[name].values[done].tobytes() == calm[name].values[done].tobytes()
        assert np.isnan(found[name].values[~done]).all()


def test_a_case_that_kills_fails_alone(tmp_path: Path, calm: xr.Dataset) -> None:
    """One case kills its process once and is repeated, one always, one raises; trajectories go to the store."""
    measure = {"end": "last(mass.position)", "angle": KillsOnce(tmp_path, (1,))}
    engine, store = LocalEngine(1), tmp_path / "a.sweep.zarr"
    found = supple.sweep(swept(tmp_path), measure=measure, engine=engine, store=store)
    assert (tmp_path / "killed-1").exists()
    assert found.status.values.tolist() == STATUS
    assert found.message.values[KILLER] == DIED
    assert found.message.values[RAISER] == "ValueError: case five"
    require_equal(found, calm)


def test_a_case_that_never_ends_is_given_up(tmp_path: Path, calm: xr.Dataset, monkeypatch: pytest.MonkeyPatch) -> None:
    """The time that a case may take is made short when it is the only one that is left; no case in this is quick."""
    monkeypatch.setattr(local_engine, "WORTH", 1e-9)  # two processes at once, however quick the cases
    engine = LocalEngine(2, timeout=1e6)

    def left(done: int, failed: int, total: int) -> None:
        if done == total - 1:
            engine.timeout = 0.2

    vary_all = {"measure": {"end": "last(mass.position)", "angle": endless}, "engine": engine, "progress": left}
    found = supple.sweep(swept(tmp_path), **vary_all)  # type: ignore[arg-type]
    assert found.status.values.tolist() == [2 if case == ENDLESS else 1 for case in range(12)]
    assert found.message.values[ENDLESS] == "took longer than 0.2 s, and was stopped"
    require_equal(found, calm)


def test_what_cannot_be_sent_is_refused(tmp_path: Path) -> None:
    lock = __import__("threading").Lock()
    with pytest.raises(supple.StateError, match=r"cannot be sent to another process: .*engine='serial'"):
        supple.sweep(swept(tmp_path), measure={"x": lambda result: lock.acquire()}, engine="local")


def test_processes_that_cannot_start_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = tmp_path / "python"
    broken.write_text("#!/bin/sh\necho no such luck >&2\nexit 3\n")
    broken.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(broken))
    with pytest.raises(supple.SuppleError, match="processes die before they are ready: no such luck"):
        supple.sweep(swept(tmp_path), engine="local")
