"""Stores of sweeps: resumed, refused, out of space, and equal to what is in memory."""

from __future__ import annotations

import errno
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray as xr

import supple
from supple.sweeps import progression, sweep_store
from support.mechanisms.swept_models import swept

NAMES = ("end", "f", "status", "message", "body.mass.joint.stiffness", "q")


class Interrupt:
    """Progress that interrupts the sweep after some cases."""

    def __init__(self, after: int) -> None:
        self.after = after

    def __call__(self, done: int, failed: int, total: int) -> None:
        if done >= self.after:
            raise KeyboardInterrupt


def require_equal(found: xr.Dataset, expected: xr.Dataset) -> None:
    for name in NAMES:
        a, b = found[name].values, expected[name].values
        assert a.tobytes() == b.tobytes() if a.dtype != object else a.tolist() == b.tolist(), name


@pytest.fixture(scope="module")
def memory(tmp_path_factory: pytest.TempPathFactory) -> xr.Dataset:
    return supple.sweep(swept(tmp_path_factory.mktemp("memory")), engine="serial")


def test_an_interrupted_sweep_is_resumed(tmp_path: Path, memory: xr.Dataset) -> None:
    file, store = swept(tmp_path), tmp_path / "a.sweep.zarr"
    with pytest.raises(KeyboardInterrupt):
        supple.sweep(file, store=store, engine="serial", progress=Interrupt(5))
    status = supple.open_sweep(store).status.values
    assert 0 < np.count_nonzero(status) < 12
    ran: list[int] = []
    found = supple.sweep(file, store=store, engine="serial", resume=True, progress=lambda done, *_: ran.append(done))
    assert len(ran) == np.count_nonzero(status == 0)
    require_equal(found, memory)
    assert found.end.attrs["units"] == "m"
    assert found.attrs.keys() == memory.attrs.keys() | {"coordinates"} - {"coordinates"}


def test_a_finished_sweep_is_not_run_again(tmp_path: Path, memory: xr.Dataset, monkeypatch: pytest.MonkeyPatch) -> None:
    file, store = swept(tmp_path), tmp_path / "a.sweep.zarr"
    supple.sweep(file, store=store, engine="serial")
    monkeypatch.setattr("supple.sweeps.case_run.simulate", lambda *args, **more: pytest.fail("a case was run"))
    require_equal(supple.sweep(file, store=store, resume=True), memory)
    with pytest.raises(
        supple.ResultsError, match="holds a sweep; resume=True continues it, overwrite=True discards it"
    ):
        supple.sweep(file, store=store)


def test_another_sweep_is_refused_by_name(tmp_path: Path) -> None:
    file, store = swept(tmp_path), tmp_path / "a.sweep.zarr"
    supple.sweep(file, store=store, engine="serial", samples=3)
    with pytest.raises(supple.ResultsError, match="another sweep, which differs in samples: 3 there, 4 here"):
        supple.sweep(file, store=store, resume=True, samples=4)
    with pytest.raises(supple.ResultsError, match="differs in seed: 3 there, 4 here"):
        supple.sweep(file, store=store, resume=True, samples=3, seed=4)
    file.write_text(file.read_text().replace("mass = 1.0", "mass = 2.0"))
    with pytest.raises(supple.ResultsError, match=r"the model file: line \d+: 'mass = 1.0' there, 'mass = 2.0' here"):
        supple.sweep(file, store=store, resume=True, samples=3)
    found = supple.sweep(file, store=store, overwrite=True, samples=3, engine="serial")
    assert np.allclose(found.f, np.sqrt(found["body.mass.joint.stiffness"] / 2) / (2 * np.pi))


def test_other_directories_are_left_alone(tmp_path: Path) -> None:
    store = tmp_path / "mine"
    store.mkdir()
    (store / "thesis.txt").write_text("years of work")
    for overwrite in (False, True):
        with pytest.raises(supple.ResultsError, match="expected no directory, or that of a sweep"):
            supple.sweep(swept(tmp_path), store=store, overwrite=overwrite)
    assert (store / "thesis.txt").exists()
    with pytest.raises(supple.ResultsError, match="no sweep there"):
        supple.open_sweep(store)


@pytest.mark.parametrize("more", [["q"], []], ids=["trajectories", "measures"])
def test_a_full_disk_loses_nothing(
    tmp_path: Path, memory: xr.Dataset, monkeypatch: pytest.MonkeyPatch, more: list[str]
) -> None:
    file, store = swept(tmp_path), tmp_path / "a.sweep.zarr"
    monkeypatch.setattr(progression, "KEPT", 0.0)
    local: Any = pytest.importorskip("zarr.storage._local")
    put, writes = local._put, [0]

    def full(*args: Any, **options: Any) -> Any:
        writes[0] += 1
        if writes[0] > 70:
            raise OSError(errno.ENOSPC, "No space left on device")
        return put(*args, **options)

    with monkeypatch.context() as patch:
        patch.setattr(local, "_put", full)
        with pytest.raises(
            supple.ResultsError, match=r"cannot be written: No space left on device; .*resume=True"
        ) as raised:
            supple.sweep(file, store=store, engine="serial", trajectories=more)
    assert "\n" not in str(raised.value)
    kept = np.flatnonzero(supple.open_sweep(store).status.values)
    assert 0 < len(kept) < 12
    found = supple.sweep(file, store=store, engine="serial", resume=True, trajectories=more)
    assert found.end.values.tobytes() == memory.end.values.tobytes()


def test_failed_cases_are_retried_on_request(tmp_path: Path) -> None:
    file, store = swept(tmp_path), tmp_path / "a.sweep.zarr"
    broken = [True]

    def fragile(result: xr.Dataset) -> float:
        if broken[0] and result.attrs["case"] % 2:
            raise ValueError("not today")
        return 1.0

    measure = {"end": "last(mass.position)", "x": fragile}
    found = supple.sweep(file, measure=measure, store=store, engine="serial")
    assert found.status.values.tolist() == [1, 2] * 6
    assert found.message.values[1] == "ValueError: not today"
    broken[0] = False
    again = supple.sweep(file, measure=measure, store=store, engine="serial", resume=True)
    assert again.status.values.tolist() == [1, 2] * 6
    again = supple.sweep(file, measure=measure, store=store, engine="serial", retry=True)
    assert again.status.values.tolist() == [1] * 12
    assert again.message.values.tolist() == [""] * 12
    assert np.isfinite(again.q.values).all()


def test_two_processes_do_not_write_to_one_store(tmp_path: Path) -> None:
    file, store = swept(tmp_path), tmp_path / "a.sweep.zarr"

    def second(done: int, failed: int, total: int) -> None:
        with pytest.raises(supple.ResultsError, match="another process is writing to it"):
            supple.sweep(file, store=store, engine="serial", resume=True)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        supple.sweep(file, store=store, engine="serial", progress=second)


def test_names_with_slashes_come_back(tmp_path: Path) -> None:
    file = swept(tmp_path, '[[frame]]\nname = "tip"\nbody = "mass"\n[output]\nframes = ["mass/tip"]\n')
    found = supple.sweep(
        file,
        {"body.mass.mass": [1.0, 2.0]},
        {"far": "max(mass/tip.x)"},
        trajectories=["mass/tip.x"],
        store=tmp_path / "a.sweep.zarr",
        engine="serial",
    )
    assert np.array_equal(found["position.mass/tip.x"].max("time"), found.far)


def test_a_sweep_that_is_killed_and_resumed_is_the_same(tmp_path: Path, memory: xr.Dataset) -> None:
    """SIGKILL of the whole process, in the middle of a case, with what was written so far on disk."""
    file, store = swept(tmp_path), tmp_path / "a.sweep.zarr"
    script = (
        "import os, supple\n"
        "from supple.sweeps import progression\n"
        "progression.KEPT = 0.0\n"
        "def kill(result):\n"
        "    if result.attrs['case'] == 7:\n"
        "        os.kill(os.getpid(), 9)\n"
        "    return 0.0\n"
        f"supple.sweep({str(file)!r}, measure={{'end': 'last(mass.position)', 'f': 'frequency(1)', 'k': kill}},\n"
        f"             store={str(store)!r}, engine='serial')\n"
    )
    done = subprocess.run([sys.executable, "-c", script], check=False, capture_output=True)
    assert done.returncode == -9, done.stderr.decode()
    assert supple.open_sweep(store).status.values.tolist() == [1] * 7 + [0] * 5

    def kill(result: xr.Dataset) -> float:
        return 0.0

    measure = {"end": "last(mass.position)", "f": "frequency(1)", "k": kill}
    kill.__qualname__ = "kill"
    require_equal(supple.sweep(file, measure=measure, store=store, engine="serial", resume=True), memory)


def test_without_zarr_there_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "zarr", None)
    with pytest.raises(supple.ResultsError, match=r"needs zarr: pip install supple\[sweep\]"):
        supple.sweep(swept(tmp_path), store=tmp_path / "a.sweep.zarr")


def test_a_store_is_plain_zarr_with_its_plan(tmp_path: Path) -> None:
    store = tmp_path / "a.sweep.zarr"
    supple.sweep(swept(tmp_path), store=store, engine="serial", samples=3)
    attributes = json.loads((store / "zarr.json").read_text())["attributes"]
    assert json.loads(attributes["sweep"])["samples"] == 3
    chunks = json.loads((store / "q" / "zarr.json").read_text())["chunk_grid"]["configuration"]["chunk_shape"]
    assert chunks == [1, 11, 1]
    assert sweep_store.chunk_cases(3) == 16
