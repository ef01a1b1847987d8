"""A simulator: jumps, clocks, events and parts do not depend on where output times and parts happen to be."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import supple
from supple.simulation import recorder, run


@cache
def slider(gravity: float = 0.0) -> supple.Model:
    mech = supple.Mechanism("slider", gravity=(0, 0, -gravity))
    mech.add_body("block", supple.RigidBody(2.0), joint=supple.Prismatic("z"))
    return mech.build()


def happened(result: Any) -> list[Any]:
    found: list[Any] = json.loads(result.attrs["events"])
    return found


@pytest.mark.parametrize(
    ("integrator", "at"),
    [("DOP853", 0.1), ("DOP853", 0.3), ("DOP853", 0.5), ("DOP853", 0.7), ("Radau", 0.3), ("RK45", 0.7)],
)
def test_an_event_at_the_end_of_a_part_is_not_lost(
    integrator: str, at: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recorder, "WORTH_WRITING", 0.0)
    monkeypatch.setattr(recorder, "PARTS", 10)  # 0.1 s each, but for rounding
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


def test_a_fast_clock_between_far_output_times_is_no_chatter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "MOST_EVENTS", 200)
    drive = {"block.position": supple.PID(1.0, 4.0, 4.0, rate=100.0)}
    result = supple.simulate(slider(), 10.0, tau=drive, samples=2)
    assert float(result.q[-1, 0]) == pytest.approx(1.0, abs=1e-3)


def test_a_model_that_chatters_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "MOST_EVENTS", 20)
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
    assert result.attrs["engine"] == "blocks"
    assert 0 < result.attrs["steps"] < result.attrs["evaluations"]
    assert [name for _, name in happened(result)] == ["up"]
    with supple.simulate(model, 1.0, file=tmp_path / "motion.nc", **settings) as stored:
        assert set(stored.variables) == set(result.variables)
        assert set(stored.attrs) == {*result.attrs, "finished"}
        assert np.allclose(stored.q, result.q, rtol=0, atol=1e-8)
    assert supple.load(tmp_path / "motion.nc") == model


@pytest.mark.parametrize("integrator", ["DOP853", "ESDIRK54", "Radau", "generalized_alpha", "variational", "leapfrog"])
def test_progress_goes_up_to_the_end(integrator: str) -> None:
    seen: list[float] = []
    drive = {"block.position": supple.PID(1.0, 4.0, 4.0, rate=7.0)}
    step = 0.01 if integrator in ("generalized_alpha", "variational", "leapfrog") else None
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


# ------------------------------------------------------------ the simulator itself


def swinging(**more: Any) -> supple.Simulator:
    """A pendulum with a sampled controller, a variable, an event and a stop."""
    mech = supple.Mechanism("pendulum")
    mech.add_body("arm", supple.RigidBody(1.0, (0, 0, -0.5), (0.02, 0.02, 0.001)), joint=supple.Revolute("y"))
    settings: dict[str, Any] = {
        "q": {"arm.angle": 1.0},
        "tau": {"arm.angle": supple.PID("0", 3.0, 0.5, 0.1, feedforward="f", rate=30.0)},
        "variables": {"f": 0.2},
        "events": [supple.Event("down", "arm.angle", change={"f": "-f"})],
        "limits": [supple.Limit("arm.angle", -0.2, 2.0, restitution=0.5)],
    }
    return supple.Simulator(mech.build(), **settings | more)


def test_steps_of_a_simulator_are_those_of_simulate() -> None:
    model = slider(9.81)
    times = np.linspace(0.0, 1.0, 11)
    whole = supple.simulate(model, 1.0, [1.0], [2.0], samples=11, integrator="DOP853")
    one = supple.Simulator(model, [1.0], [2.0], integrator="DOP853", horizon=supple.Horizon(1.0, 11))
    found = one.advance_to(1.0, times)
    assert np.array_equal(found.q, whole.q)
    assert np.array_equal(found.a, whole.a)
    assert one.t == 1.0
    assert one.state.q[0] == found.q[-1, 0]
    parts = supple.Simulator(model, [1.0], [2.0], integrator="DOP853")
    assert len(parts.advance_to(0.25)) == 0
    second = parts.advance_to(1.0, [0.5, 1.0])
    assert second.t.tolist() == [0.5, 1.0]
    np.testing.assert_allclose(second.q[-1], whole.q[-1], rtol=1e-12)
    assert abs(float(whole.q[-1, 0]) - 1.0) > 1.0  # not trivial


@pytest.mark.parametrize(
    "integrator", ["DOP853", "ESDIRK54", "Radau", "BDF", "LSODA", "rk4", "generalized_alpha", "variational", "CVODE"]
)
def test_a_restored_simulator_goes_on_to_the_last_bit(integrator: str) -> None:
    step = 1e-3 if integrator in ("rk4", "generalized_alpha", "variational") else None
    options = {"integrator": supple.integrators.resolved(integrator, step=step)}
    first = swinging(**options)
    first.advance_to(0.53)
    kept = json.loads(json.dumps(first.checkpoint()))
    ends = []
    for one in (first, swinging(**options), first):
        one.restore(kept)
        assert one.t == 0.53
        found = one.advance_to(1.9, [1.0, 1.9])
        ends.append((found.q.tolist(), found.v.tolist(), one.happened, vars(one.effort)))
    assert ends[0] == ends[1] == ends[2]
    assert any(name == "arm.angle lower" for _, name in ends[0][2])
    assert any(t > 0.53 for t, _ in ends[0][2])


def test_closed_loops_in_independent_coordinates_are_restored() -> None:
    mech = supple.Mechanism("geared")
    rod = supple.RigidBody(1.0, (0.1, 0, 0), (0.01, 0.01, 0.01))
    mech.add_body("a", rod, joint=supple.Revolute("y"))
    mech.add_body("b", rod, "a", supple.Revolute("y"), at=(0.3, 0, 0))
    mech.constrain("gear", supple.Gear("b.angle", "a.angle", 2.0))
    model = mech.build()
    first, second = (supple.Simulator(model, {"a.angle": 0.3}, loops="independent") for _ in range(2))
    first.advance_to(0.3)
    second.restore(first.checkpoint())
    assert np.array_equal(first.advance_to(1.0, [1.0]).q, second.advance_to(1.0, [1.0]).q)
    assert first.partition is not None
    assert second.partition is not None
    assert first.partition.choices == second.partition.choices != []
    first.set(q={"a.angle": 1.0})
    assert first.state.q.tolist() == pytest.approx([1.0, 2.0])


def test_state_variables_and_forces_can_be_changed() -> None:
    simulator = supple.Simulator(slider(), tau={"block.position": "f"}, variables={"f": 4.0})
    simulator.advance_to(1.0)
    assert simulator.state.v[0] == pytest.approx(2.0)
    assert simulator.state.a[0] == pytest.approx(2.0)
    simulator.set(variables={"f": 0.0}, v=[1.0])
    assert simulator.state.variables == {"f": 0.0}
    assert simulator.state.tau[0] == 0.0
    simulator.advance_to(2.0)
    assert simulator.state.q[0] == pytest.approx(2.0)
    simulator.set(q={"block.position": -1.0}, tau={"block.position": "2*t"})
    simulator.advance_to(3.0)  # a = t: v = 1 + (9 - 4) / 2, q = -1 + 1 + (27 - 8) / 6 - 2
    assert simulator.state.v[0] == pytest.approx(3.5)
    assert simulator.state.q[0] == pytest.approx(19 / 6 - 2)
    assert simulator.variables == {"f": 0.0}


def test_new_laws_start_their_clocks_and_keep_the_work() -> None:
    simulator = supple.Simulator(slider(), tau={"block.position": 2.0})
    simulator.advance_to(1.0)
    law = supple.Sampled(lambda t, q, v: round(4 * t) / 4, 4.0)
    simulator.set(tau={"block.position": law})
    found = simulator.advance_to(1.6, [1.1, 1.3, 1.6])
    assert found.tau[:, 0].tolist() == [1.0, 1.25, 1.5]
    energy = 0.5 * 2.0 * found.v[-1, 0] ** 2
    assert found.z[-1, 0] == pytest.approx(energy)


def test_an_event_that_stops_ends_the_simulator() -> None:
    simulator = supple.Simulator(slider(), v=[1.0], events=[supple.Event("there", "block.position - 0.5", stop=True)])
    simulator.advance_to(2.0)
    assert simulator.ended
    assert simulator.t == pytest.approx(0.5)
    assert len(simulator.advance_to(3.0)) == 0
    assert simulator.t == pytest.approx(0.5)
    with pytest.raises(supple.StateError, match=r"set: the run has ended at t = 0\.5 s"):
        simulator.set(v=[1.0])


def test_what_progress_raises_leaves_the_simulator_where_it_was() -> None:
    simulator = supple.Simulator(slider(9.81), [1.0], integrator="RK45")

    def interrupt(t: float) -> None:
        raise KeyboardInterrupt

    before = simulator.checkpoint()
    with pytest.raises(KeyboardInterrupt):
        simulator.advance_to(1.0, progress=interrupt)
    assert simulator.t == 0.0
    after = simulator.checkpoint()
    assert {**after, "effort": None} == {**before, "effort": None}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda s: s.advance_to(-1.0), "advance_to: expected a time from 0 s on, got -1.0"),
        (lambda s: s.advance_to("soon"), "advance_to: expected a time from 0 s on, got 'soon'"),
        (lambda s: s.advance_to(1.0, [0.5, 0.4]), "times: expected rising times from 0 s to 1 s"),
        (lambda s: s.advance_to(1.0, [2.0]), "times: expected rising times from 0 s to 1 s"),
        (lambda s: s.set(variables={"g": 1.0}), r"variables: no 'g'"),
        (lambda s: s.set(variables={"f": "much"}), "variables: 'f': expected a finite number, got 'much'"),
        (lambda s: s.set(q={"arm.angel": 1.0}), r"q: no entry 'arm\.angel'; did you mean 'arm\.angle'"),
        (lambda s: s.set(q={"arm.angle": 3.0}), r"limit of 'arm\.angle': expected a start between -0\.2 and 2"),
        (lambda s: s.set(v=[1.0], tau={"arm.angel": 1.0}), r"tau: no entry 'arm\.angel'; did you mean 'arm\.angle'"),
        (lambda s: s.set(v=[1.0], tau={"arm.angle": "nothing"}), "nothing"),
        (lambda s: s.restore({"t": 1.0}), "checkpoint: expected what Simulator.checkpoint gives, got t"),
        (lambda s: s.restore(b"bytes"), "checkpoint: expected what Simulator.checkpoint gives, got bytes"),
        (
            lambda s: s.restore(swinging(integrator="RK45").checkpoint()),
            "checkpoint: expected one of the same run: integrator was 'RK45",
        ),
        (
            lambda s: s.restore(swinging(tau=None, variables={"f": 0.0}).checkpoint()),
            "checkpoint: expected one of the same run: laws was",
        ),
    ],
)
def test_what_does_not_fit_is_refused_and_changes_nothing(change: Any, message: str) -> None:
    simulator = swinging()
    before = simulator.checkpoint()
    with pytest.raises(supple.StateError, match=message):
        change(simulator)
    assert simulator.checkpoint() == before


def test_a_checkpoint_of_a_heavier_model_is_refused() -> None:
    heavy = supple.Mechanism("slider", gravity=(0, 0, 0))
    heavy.add_body("block", supple.RigidBody(3.0), joint=supple.Prismatic("z"))
    with pytest.raises(supple.StateError, match="expected one of the same run: numbers was"):
        supple.Simulator(slider()).restore(supple.Simulator(heavy.build()).checkpoint())


def test_a_prescribed_motion_cannot_be_changed() -> None:
    simulator = supple.Simulator(slider(), motion={"block.position": "sin(t)"})
    with pytest.raises(supple.StateError, match=r"set: the motion of 'block\.position' is prescribed"):
        simulator.set(q={"block.position": 1.0})


def test_what_is_no_model_is_refused() -> None:
    with pytest.raises(supple.StateError, match=r"supple\.Simulator: expected a Model"):
        supple.Simulator({"name": "slider"})  # type: ignore[arg-type]
