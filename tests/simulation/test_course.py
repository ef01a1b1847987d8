"""The course of a run: jumps, clocks, events and parts do not depend on where output times and parts happen to be."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import supple
from supple.simulation import course, run


def slider(gravity: float = 0.0) -> supple.Model:
    mech = supple.Mechanism("slider", gravity=(0, 0, -gravity))
    mech.add_body("block", supple.RigidBody(2.0), joint=supple.Prismatic("z"))
    return mech.build()


def happened(result: Any) -> list[Any]:
    found: list[Any] = json.loads(result.attrs["events"])
    return found


@pytest.mark.parametrize("integrator", ["DOP853", "Radau", "RK45"])
@pytest.mark.parametrize("at", [0.1, 0.3, 0.5, 0.7])
def test_an_event_at_the_end_of_a_part_is_not_lost(
    integrator: str, at: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(course, "WORTH_WRITING", 0.0)
    monkeypatch.setattr(run, "PARTS", 10)  # 0.1 s each, but for rounding
    event = supple.Event("then", f"t - {at}")
    settings: dict[str, Any] = {"v": [1.0], "samples": 11, "events": [event], "integrator": integrator}
    with supple.simulate(slider(), 1.0, file=tmp_path / "motion.nc", **settings) as result:
        assert [name for _, name in happened(result)] == ["then"]
        assert happened(result)[0][0] == pytest.approx(at, abs=1e-12)
        assert result.sizes["time"] == 11


def test_samples_at_ticks_show_the_force_before_the_tick() -> None:
    # 3 * 0.1 and 0.3 are not the same number: without care some samples would come after the tick, others before.
    def count(t: float, q: Any, v: Any) -> float:
        return round(10 * t) + 1.0

    drive = {"block.position": supple.Sampled(count, 10.0)}
    result = supple.simulate(slider(), 1.0, tau=drive, samples=11)
    assert np.array_equal(result.tau[:, 0], [1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10])


def test_a_fast_clock_between_far_output_times_is_no_chatter() -> None:
    drive = {"block.position": supple.PID(1.0, 4.0, 4.0, rate=2000.0)}
    result = supple.simulate(slider(), 10.0, tau=drive, samples=2)
    assert float(result.q[-1, 0]) == pytest.approx(1.0, abs=1e-3)


def test_a_model_that_chatters_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(course, "MOST_EVENTS", 20)
    flip = supple.Event("flip", "block.position", "falling", change={"rate(block.position)": 1e-3})
    with pytest.raises(supple.SimulationError, match=r"more than 20 events up to t = .* 'flip': the model chatters"):
        supple.simulate(slider(9.81), 1.0, q=[0.1], events=[flip], samples=2)


def test_a_stop_at_an_output_time_gives_that_time_once() -> None:
    stop = supple.Event("end", "t - 0.5", stop=True, change={"rate(block.position)": 7.0})
    result = supple.simulate(slider(), 1.0, v=[1.0], samples=11, events=[stop])
    assert np.allclose(result.time, np.linspace(0, 0.5, 6), rtol=0, atol=1e-12)
    assert float(result.v[-1, 0]) == 7.0
    assert np.allclose(result.v[:-1, 0], 1.0)


def test_an_event_at_the_time_of_a_tick_and_of_a_break() -> None:
    force = supple.Table([0.0, 0.5, 1.0], [0.0, 3.0, 3.0], "hold")
    drive = {"block.position": supple.PID("0", 1.0, feedforward="x", rate=4.0)}
    event = supple.Event("then", "t - 0.5", change={"x": 4.0})
    result = supple.simulate(slider(), 1.0, tau=drive, variables={"x": 0.0}, events=[event], samples=5)
    assert len(happened(result)) == 1
    assert result.tau.values[:, 0] == pytest.approx([0.0, 0.0, 0.0, 0.0, 4.0])
    result = supple.simulate(slider(), 1.0, tau={"block.position": force}, events=[supple.Event("e", "t - 0.5")])
    assert float(result.v[-1, 0]) == pytest.approx(0.75, rel=1e-9)


def test_results_say_all(tmp_path: Path) -> None:
    model = slider(9.81)
    settings: dict[str, Any] = {
        "tau": {"block.position": "25*cos(t)"},
        "events": [supple.Event("up", "block.position - 0.01")],
        "outputs": supple.Outputs(frames=["block"], wrenches="all"),
    }
    result = supple.simulate(model, 1.0, **settings)
    for name in ("q", "v", "a", "tau", "kinetic_energy", "potential_energy", "momentum", "work", "position", "wrench"):
        assert np.isfinite(result[name]).all()
        assert result[name].attrs["units"]
    energy = (result.kinetic_energy + result.potential_energy).values
    assert np.allclose(energy - energy[0], result.work, atol=1e-7)
    assert abs(float(result.work[-1])) > 0.1
    assert result.attrs["integrator"] == "DOP853"
    assert "nothing is stiff" in result.attrs["reason"]
    assert result.attrs["engine"] == "llvm"
    assert 0 < result.attrs["steps"] < result.attrs["evaluations"]
    assert [name for _, name in happened(result)] == ["up"]
    with supple.simulate(model, 1.0, file=tmp_path / "motion.nc", **settings) as stored:
        assert set(stored.variables) == {*result.variables, "model_text", "settings"}
        assert set(stored.attrs) == {*result.attrs, "finished"}
        assert np.allclose(stored.q, result.q, rtol=0, atol=1e-8)
    assert supple.load(tmp_path / "motion.nc") == model


@pytest.mark.parametrize("integrator", ["DOP853", "Radau", "generalized_alpha", "leapfrog"])
def test_progress_goes_up_to_the_end(integrator: str) -> None:
    seen: list[float] = []
    drive = {"block.position": supple.PID(1.0, 4.0, 4.0, rate=7.0)}
    step = 0.01 if integrator in ("generalized_alpha", "leapfrog") else None
    supple.simulate(slider(), 1.1, tau=drive, integrator=integrator, step=step, progress=seen.append)
    assert len(seen) > 5
    assert seen == sorted(seen)
    assert seen[-1] == 1.1


def test_a_function_that_gives_no_number_ends_the_run_with_what_was_found() -> None:
    def force(t: float, q: Any, v: Any) -> float:
        return float("nan") if float(t) > 0.6 else np.sin(50 * float(t))

    with pytest.raises(supple.SimulationError, match=r"'block.position': the function gave nan at t = 0\.6") as caught:
        supple.simulate(slider(), 1.0, tau={"block.position": force}, samples=21)
    kept = caught.value.result
    assert np.isfinite(kept.q).all()
    assert 0.2 < float(kept.time[-1]) <= 0.6


def test_a_posture_that_becomes_singular_ends_the_run_with_what_was_found() -> None:
    def force(t: float, q: Any, v: Any) -> float:
        if float(t) > 0.6:  # as the recursions raise it for large models
            raise supple.SingularError("joint of 'block': nothing resists")
        return float(np.sin(50 * float(t)))

    with pytest.raises(supple.SimulationError, match=r"stopped after t = 0\.\d+ s: joint of 'block'") as caught:
        supple.simulate(slider(), 1.0, tau={"block.position": force}, samples=21)
    assert 0.2 < float(caught.value.result.time[-1]) <= 0.6  # type: ignore[attr-defined]
