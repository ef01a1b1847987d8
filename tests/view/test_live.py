"""The simulation behind the live page: it follows simulate, obeys, and survives its own failures."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest

import supple
from supple.view.live.pace import FRAME
from supple.view.live.simulation import Live


def pendulum() -> supple.Model:
    mech = supple.Mechanism("pendulum")
    mech.add_body("arm", supple.RigidBody(1.0, (0, 0, -0.5), (0.02, 0.02, 0.001)), joint=supple.Revolute("y"))
    return mech.build()


def newest(live: Live) -> tuple[float, float, int]:
    """Time, first coordinate and run of the newest frame."""
    news = live.news(-1, -1, 0.0)
    assert news is not None
    frame = news[1][-1]
    return frame.t, float(frame.q[0]), frame.run


def test_frames_are_those_of_one_long_simulation() -> None:
    model = pendulum()
    live = Live(model, q={"arm.angle": 1.0}, v={"arm.angle": 0.3}, tau={"arm.angle": 0.2})
    for _ in range(15):
        live.advance()
    t, q, _ = newest(live)
    assert t == pytest.approx(0.5)
    whole = supple.simulate(model, 0.5, {"arm.angle": 1.0}, {"arm.angle": 0.3}, {"arm.angle": 0.2}, samples=2)
    assert q == pytest.approx(float(whole.q[-1, 0]), abs=1e-7)
    assert abs(q - 1.0) > 0.1


def test_speed_makes_frames_longer_and_forces_move() -> None:
    live = Live(pendulum())
    live.advance()
    assert newest(live)[:2] == (FRAME, 0.0)
    live.set_speed(3.0)
    live.set({"arm.angle": 2.0})
    live.advance()
    t, q, _ = newest(live)
    assert t == pytest.approx(4.0 * FRAME)
    assert q > 1e-3


def test_reset_goes_back_to_the_start_and_to_that_of_the_file() -> None:
    live = Live(pendulum(), q={"arm.angle": 1.0}, tau={"arm.angle": 0.5})
    live.advance()
    before = newest(live)
    live.reset()
    assert newest(live)[:2] == (0.0, 1.0)
    assert newest(live)[2] > before[2]
    live.set_configuration(lambda q: q + 0.5)
    live.set({"arm.angle": 0.0})
    live.advance()
    live.reset()
    assert newest(live)[:2] == (0.0, 1.5)
    live.reset(to_file=True)
    assert newest(live)[:2] == (0.0, 1.0)
    news = live.news(-1, -1, 0.0)
    assert news is not None
    assert live.motion.forces == {"arm.angle": 0.5}
    assert not news[2]["altered"]


def test_a_posture_is_set_at_rest_and_only_when_paused() -> None:
    model = pendulum()
    live = Live(model, v={"arm.angle": 2.0})
    live.advance()
    live.set_configuration(lambda q: np.zeros(1))
    live.advance()
    t, q, _ = newest(live)
    assert t == pytest.approx(FRAME)
    assert q == pytest.approx(0.0, abs=1e-12)
    live.run(True)
    with pytest.raises(supple.StateError, match="expected a paused simulation"):
        live.set_configuration(lambda q: q)
    with pytest.raises(supple.StateError, match="speed: expected a positive number, got -1"):
        live.set_speed(-1.0)
    with pytest.raises(supple.StateError, match=r"arm\.angel"):
        live.set({"arm.angel": 1.0})


def test_what_goes_wrong_is_said_and_reset_works_afterwards() -> None:
    """A point mass on the axis of a massless mast: nothing resists the mast there, but everywhere else."""
    mech = supple.Mechanism("mast")
    mech.add_body("mast", supple.RigidBody(0.0), joint=supple.Revolute("z"))
    mech.add_body("rod", supple.RigidBody(1.0, (0, 0, 1.0)), "mast", supple.Revolute("y"))
    live = Live(mech.build())
    live.run(True)
    live.advance()
    assert "mast" in live.error
    assert not live.running
    live.reset()
    assert live.error == ""
    live.set_configuration(lambda q: np.array([0.0, 1.0]))
    live.advance()
    assert live.error == ""
    assert newest(live)[0] == FRAME


def test_a_stiff_model_takes_implicit_steps_and_keeps_its_slow_motion() -> None:
    mech = supple.Mechanism("stiff")
    rod = supple.RigidBody(1.0, (0, 0, -0.5), (0.02, 0.02, 0.001))
    mech.add_body("arm", rod, joint=supple.Revolute("y"))
    mech.add_body("tip", rod, "arm", supple.Revolute("y", stiffness=1e10), at=(0, 0, -1.0))
    model = mech.build()
    start = {"arm.angle": 0.5}
    live = Live(model, q=start)
    for _ in range(10):
        live.advance()
    assert live.motion.method.startswith("generalized-alpha, steps of 1/512 s")
    t, q, _ = newest(live)
    mech = supple.Mechanism("rigid")
    mech.add_body("arm", rod, joint=supple.Revolute("y"))
    mech.add_body("tip", rod, "arm", supple.Fixed(), at=(0, 0, -1.0))
    rigid = supple.simulate(mech.build(), t, start, samples=2)
    assert q == pytest.approx(float(rigid.q[-1, 0]), abs=1e-3)
    assert abs(q - 0.5) > 0.05


def test_who_watches_last_pauses_it() -> None:
    live = Live(pendulum())
    for _ in range(2):
        live.watch()
    live.run(True)
    live.leave()
    assert live.running
    live.leave()
    assert not live.running


def test_frames_wait_for_a_reader_and_old_ones_are_not_repeated() -> None:
    live = Live(pendulum())
    news = live.news(-1, -1, 0.0)
    assert news is not None
    version, first, _ = news
    assert live.news(version, first[-1].number, 0.0) is None
    live.advance()
    live.advance()
    news = live.news(version, first[-1].number, 0.0)
    assert news is not None
    assert [x.t for x in news[1]] == pytest.approx([FRAME, 2 * FRAME])


@pytest.mark.parametrize("watched", ["before", "after"])
def test_the_thread_runs_while_watched_and_ends(watched: str) -> None:
    live = Live(pendulum(), q={"arm.angle": 1.0})
    live.start()
    if watched == "before":
        live.watch()
    live.run(True)
    if watched == "after":
        time.sleep(0.1)  # the thread waits by now, most likely
        live.watch()
    version, number = -1, -1
    for _ in range(200):
        news = live.news(version, number, 10.0)
        assert news is not None
        version = news[0]
        if news[1] and (number := news[1][-1].number) > 5:
            break
    else:
        pytest.fail("no frames came")
    live.close()
    assert live.closed
    assert not live.running


def test_a_pause_drops_the_frame_that_is_being_computed(monkeypatch: pytest.MonkeyPatch) -> None:
    live = Live(pendulum(), q={"arm.angle": 1.0})
    live.run(True)
    advance_to = supple.Simulator.advance_to

    def paused_meanwhile(*arguments: Any, **options: Any) -> Any:
        live.run(False)
        return advance_to(*arguments, **options)

    monkeypatch.setattr(supple.Simulator, "advance_to", paused_meanwhile)
    live.advance()
    assert newest(live)[:2] == (0.0, 1.0)
    monkeypatch.undo()
    live.advance()
    assert newest(live)[0] == FRAME
