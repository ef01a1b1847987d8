"""Runs that are interrupted: what is left, and that they go on to the same end, bit for bit."""

from __future__ import annotations

import functools
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray as xr

import supple
from supple.simulation import recorder
from supple.simulation.recording import Recording
from support.runs import interrupted_runs
from support.runs.interrupted_runs import OPTIONS, PARTS

FEW = {"DOP853": "files:10:DOP853"}
"""Of the integrator whose run is always killed, ten times. Of one with fixed steps see what stops in one process."""
MANY = {name: f"files:25:{name}" for name in OPTIONS}
MOMENTS = "moments:3:DOP853"


def killed(directory: Path, *runs: str) -> dict[str, Any]:
    """All in one process: the interpreter takes longer to start than a run."""
    done = subprocess.run(
        [sys.executable, interrupted_runs.__file__, str(directory), *runs], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.fixture(scope="module")
def few_kills(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return killed(tmp_path_factory.mktemp("killed"), *FEW.values(), MOMENTS)


@pytest.fixture(scope="module")
def many_kills(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return killed(tmp_path_factory.mktemp("killed"), *MANY.values())


def same_end(found: dict[str, Any], kills: int) -> None:
    assert found["codes"] == [-9] * kills + [0]
    assert found["broken"] == found["whole"]
    assert found["files"] == ["broken.nc", "model.toml", "whole.nc"]
    # Not trivial: it was killed at many places, what it left could be read, and what should happen did happen.
    assert found["parts"] == sorted(found["parts"])
    assert len(set(found["parts"])) >= 4
    finished, times = found["left"]
    assert not finished
    assert times == 1 + 200 // PARTS[kills] * found["parts"][-1]
    names = [name for _, name in json.loads(found["whole"]["events"])]
    assert {"lift.position lower", "lift.position release", "turn", "second"} <= set(names)


@pytest.mark.parametrize("integrator", FEW)
def test_a_run_killed_again_and_again_comes_to_the_same_end(integrator: str, few_kills: dict[str, Any]) -> None:
    same_end(few_kills[FEW[integrator]], 10)


@pytest.mark.exhaustive
@pytest.mark.parametrize("integrator", MANY)
def test_a_run_killed_25_times_comes_to_the_same_end(integrator: str, many_kills: dict[str, Any]) -> None:
    same_end(many_kills[MANY[integrator]], 25)


def test_a_run_killed_at_random_moments_comes_to_the_same_end(few_kills: dict[str, Any]) -> None:
    found = few_kills[MOMENTS]
    assert found["codes"][-1] == 0
    assert found["broken"] == found["whole"]


# ------------------------------------------------------------ in one process


def pendulum(mass: float = 1.0) -> supple.Model:
    mech = supple.Mechanism("pendulum")
    mech.add_body("arm", supple.RigidBody(mass, (0, 0, -1)), joint=supple.Revolute("y"))
    return mech.build()


def ran(path: Path, duration: float = 2.0, mass: float = 1.0, **more: Any) -> xr.Dataset:
    settings = {"q": [1.0], "samples": 41, **more}
    with supple.simulate(pendulum(mass), duration, file=path, **settings) as found:
        return found.load()


@pytest.fixture
def every_part(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every part is written, however small."""
    monkeypatch.setattr(recorder, "WORTH_WRITING", 0.0)
    monkeypatch.setattr(recorder, "PARTS", 8)


@pytest.fixture
def stop_at(monkeypatch: pytest.MonkeyPatch) -> Callable[[int, BaseException], None]:
    """Makes the writing of the n-th part from now on raise an error."""
    append = Recording.append

    def arm(count: int, error: BaseException) -> None:
        seen = 0

        def broken(self: Recording, *arguments: Any) -> None:
            nonlocal seen
            seen += 1
            if seen == count:
                raise error
            append(self, *arguments)

        monkeypatch.setattr(Recording, "append", broken)

    return arm


def on_disk(directory: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in directory.rglob("*") if path.is_file()}


def test_the_keyboard_leaves_a_file_in_order(
    tmp_path: Path, every_part: None, stop_at: Callable[[int, BaseException], None]
) -> None:
    whole = ran(tmp_path / "whole.nc")
    target = tmp_path / "motion.nc"
    stop_at(4, KeyboardInterrupt())
    with pytest.raises(KeyboardInterrupt):
        ran(target)
    with xr.open_dataset(target, engine="h5netcdf") as left:
        assert left.attrs["finished"] == 0
        assert left.sizes["time"] == 16
        assert left.q.equals(whole.q[:16])
    assert ran(target, resume=True).identical(whole)


def test_gains_that_change_with_the_state_are_those_of_the_start(
    tmp_path: Path, every_part: None, stop_at: Callable[[int, BaseException], None]
) -> None:
    settings: dict[str, Any] = {
        "tau": {"arm.angle": "-50*arm.angle**3 - 2*rate(arm.angle)**3"},
        "integrator": "generalized_alpha",
        "step": 0.01,
    }
    whole = ran(tmp_path / "whole.nc", **settings)
    stop_at(4, KeyboardInterrupt())
    with pytest.raises(KeyboardInterrupt):
        ran(tmp_path / "motion.nc", **settings)
    assert ran(tmp_path / "motion.nc", resume=True, **settings).identical(whole)


def test_an_error_of_a_function_leaves_a_file_in_order(tmp_path: Path, every_part: None) -> None:
    device = str(tmp_path / "device")  # its state is none of the law's

    def force(t: float, q: Any, v: Any) -> Any:
        if float(t) > 1.1 and not os.path.exists(device):
            raise OSError("the device is gone")
        return np.array([-float(v[0])])

    with pytest.raises(OSError, match="the device is gone"):
        ran(tmp_path / "motion.nc", tau=force)
    with supple.open_results(tmp_path / "motion.nc") as left:
        assert 0.9 < float(left.time[-1]) < 1.1
    Path(device).touch()
    whole = ran(tmp_path / "whole.nc", tau=force)
    assert ran(tmp_path / "motion.nc", tau=force, resume=True).identical(whole)


def test_an_unfinished_run_is_not_touched_without_being_told(
    tmp_path: Path, every_part: None, stop_at: Callable[[int, BaseException], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "motion.nc"
    stop_at(4, KeyboardInterrupt())
    with pytest.raises(KeyboardInterrupt):
        ran(target)
    before = on_disk(tmp_path)
    with pytest.raises(
        supple.ResultsError, match=r"unfinished run .*resume=True continues it, overwrite=True starts over"
    ):
        ran(target)
    changes: list[tuple[dict[str, Any], str]] = [
        ({"duration": 3.0}, r"duration: was 2\.0, is 3\.0"),
        ({"rtol": 1e-6}, "rtol: was 1e-08, is 1e-06"),
        ({"mass": 2.0}, r"model: line \d+: was .*mass = 1"),
        ({"tau": {"arm.angle": "sin(t)"}}, r"inputs\.tau arm\.angle: was null, is .*sin"),
        ({"events": [supple.Event("e", lambda t, q, v: float(q[0]))]}, r"events: was \[\], is .*name='e', when=test_"),
        ({"outputs": supple.Outputs(frames=["arm"])}, "outputs: was .*arm"),
    ]
    for change, message in changes:
        with pytest.raises(supple.ResultsError, match=f"(?s)a different one; overwrite=True starts over.*{message}"):
            ran(target, resume=True, **change)
    assert on_disk(tmp_path) == before
    monkeypatch.undo()
    assert float(ran(target, 1.0, overwrite=True).time[-1]) == 1.0
    with pytest.raises(supple.ResultsError, match="nothing to resume: the run is finished"):
        ran(target, 1.0, resume=True)


def test_functions_of_events_are_known_again(
    tmp_path: Path, every_part: None, stop_at: Callable[[int, BaseException], None]
) -> None:
    def event() -> supple.Event:
        return supple.Event("down", lambda t, q, v: float(q[0]), action=lambda t, q, v: (q, 0.9 * v))

    whole = ran(tmp_path / "whole.nc", events=[event()])
    assert len(json.loads(whole.attrs["events"])) > 1
    stop_at(6, KeyboardInterrupt())
    with pytest.raises(KeyboardInterrupt):
        ran(tmp_path / "motion.nc", events=[event()])
    assert ran(tmp_path / "motion.nc", events=[event()], resume=True).identical(whole)


class Spring:
    def __init__(self, gain: Any) -> None:
        self.gain = gain

    def __call__(self, t: float, q: Any, v: Any) -> float:
        return float(-np.mean(self.gain) * q[0])  # float: called, not traced


def spring(t: float, q: Any, v: Any, gain: float) -> float:
    return float(-gain * q[0])


@pytest.mark.parametrize("law", [Spring, lambda gain: functools.partial(spring, gain=gain)])
def test_another_law_of_the_same_type_is_refused(
    law: Callable[[float], Any], tmp_path: Path, every_part: None, stop_at: Callable[[int, BaseException], None]
) -> None:
    target = tmp_path / "motion.nc"
    whole = ran(tmp_path / "whole.nc", tau={"arm.angle": law(50.0)})
    stop_at(3, KeyboardInterrupt())
    with pytest.raises(KeyboardInterrupt):
        ran(target, tau={"arm.angle": law(50.0)})
    with pytest.raises(
        supple.ResultsError, match=r"(?s)a different one; overwrite=True starts over.*tau arm\.angle: was"
    ):
        ran(target, tau={"arm.angle": law(0.0)}, resume=True)
    assert ran(target, tau={"arm.angle": law(50.0)}, resume=True).identical(whole)


def test_a_law_without_a_value_is_not_resumed(
    tmp_path: Path, every_part: None, stop_at: Callable[[int, BaseException], None]
) -> None:
    law = Spring(50.0)
    law.generator = np.random.default_rng(0)  # type: ignore[attr-defined]
    stop_at(3, KeyboardInterrupt())
    with pytest.raises(KeyboardInterrupt):
        ran(tmp_path / "motion.nc", tau={"arm.angle": law})
    with pytest.raises(supple.StateError, match=r"resume: tau arm\.angle: Spring .*generator.*overwrite=True"):
        ran(tmp_path / "motion.nc", tau={"arm.angle": law}, resume=True)


def test_a_run_that_an_event_ended_has_nothing_left_to_do(
    tmp_path: Path, every_part: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    down = supple.Event("down", "arm.angle", stop=True)
    whole = ran(tmp_path / "whole.nc", events=[down])
    with monkeypatch.context() as patch:
        patch.setattr(Recording, "finish", lambda self, finished=True: self.__exit__(None, None, None))
        with pytest.raises(supple.ResultsError):
            supple.simulate(pendulum(), 2.0, [1.0], samples=41, file=tmp_path / "x" / "motion.nc", events=[down])
        ran(tmp_path / "motion.nc", events=[down])
    assert ran(tmp_path / "motion.nc", events=[down], resume=True).identical(whole)
    assert whole.attrs["finished"] == 1


def test_a_run_that_diverged_keeps_every_time_once(tmp_path: Path, every_part: None) -> None:
    law = {"arm.angle": "1/max(1 - t, 1e-300)**3"}
    reached = []
    for resume in (False, True):
        with pytest.raises(supple.SimulationError, match="stopped at t = ") as caught:
            ran(tmp_path / "motion.nc", tau=law, resume=resume)
        with supple.open_results(tmp_path / "motion.nc") as left:
            assert left.identical(caught.value.result.load())  # type: ignore[attr-defined]
            assert np.array_equal(left.time, np.linspace(0, 2, 41)[: left.sizes["time"]])
            assert np.isfinite(left.q).all()
            reached.append(float(left.time[-1]))
    assert reached[0] == reached[1] > 0.9


def test_small_parts_are_written_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []
    append = Recording.append

    def noted(self: Recording, segment: xr.Dataset, memory: Any) -> None:
        seen.append(segment.sizes["time"])
        append(self, segment, memory)

    monkeypatch.setattr(Recording, "append", noted)
    together = ran(tmp_path / "a.nc")
    assert seen == [41]
    monkeypatch.setattr(recorder, "WORTH_WRITING", 0.0)
    apart = ran(tmp_path / "b.nc")
    assert len(seen) > 30
    assert apart.identical(together)


def test_resume_needs_a_file() -> None:
    with pytest.raises(supple.StateError, match="resume: expected the file"):
        supple.simulate(pendulum(), 1.0, resume=True)
