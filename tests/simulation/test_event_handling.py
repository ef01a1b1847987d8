"""Events: their times against closed forms, their order, what they change, with every kind of integrator."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.special import ellipk

import supple
from supple import Event
from supple.errors import SimulationError, StateError
from supple.inputs.events import require_sound
from supple.inputs.inputs import Inputs
from support.mechanisms.falling_ball import FALL, G, ball, happened, methods

Vector = NDArray[np.float64]
NOTHING: Any = None
TEXT: Any = "x"


@methods
def test_a_falling_ball_reaches_the_floor_when_it_should_and_the_run_ends_there(method: dict[str, Any]) -> None:
    floor = Event("floor", "ball.position", stop=True)
    result = supple.simulate(ball(), 1.0, q=[1.0], events=[floor], samples=11, **method)
    ((t, name),) = happened(result)
    assert name == "floor"
    assert t == pytest.approx(FALL, abs=1e-9)  # the motion is a parabola, which every method has exactly
    assert np.allclose(result.time, [0.0, 0.1, 0.2, 0.3, 0.4, t], atol=1e-15)
    assert float(result.q[-1, 0]) == pytest.approx(0.0, abs=1e-9)
    assert float(result.v[-1, 0]) == pytest.approx(-G * FALL, rel=1e-8)


@pytest.mark.parametrize("integrator", ["DOP853", "RK45", "Radau", "CVODE"])
def test_a_pendulum_passes_the_bottom_at_quarters_of_its_period(integrator: str) -> None:
    mech = supple.Mechanism("pendulum")
    mech.add_body("arm", supple.RigidBody(1.0, (0, 0, -1)), joint=supple.Revolute("y"))
    quarter = ellipk(math.sin(0.5) ** 2) / math.sqrt(G)
    events = [Event("left", "arm.angle", "falling"), Event("right", "arm.angle", "rising"), Event("any", "arm.angle")]
    result = supple.simulate(
        mech.build(), 5.0, q=[1.0], events=events, integrator=integrator, rtol=1e-12, atol=1e-13, samples=51
    )
    names = [name for _, name in happened(result)]
    times = np.array([t for t, _ in happened(result)])
    assert names == ["left", "any", "right", "any"] * (len(names) // 4) + ["left", "any"] * (len(names) % 4 // 2)
    assert len(names) >= 6
    tolerance = 1e-7 if integrator == "CVODE" else 1e-9
    assert np.allclose(times, np.repeat(quarter * (2 * np.arange(len(names) // 2) + 1), 2), rtol=0, atol=tolerance)


@methods
def test_rising_and_falling_are_told_apart_and_what_starts_from_zero_has_not_passed_it(method: dict[str, Any]) -> None:
    events = [
        Event("up", "ball.position - 1", "rising"),
        Event("down", "ball.position - 1", "falling"),
        Event("back", "ball.position"),
    ]
    result = supple.simulate(ball(), 1.2, v=[5.0], events=events, samples=25, **method)
    root = math.sqrt(25 - 2 * G)
    expected = [((5 - root) / G, "up"), ((5 + root) / G, "down"), (10 / G, "back")]
    assert [name for _, name in happened(result)] == [name for _, name in expected]
    assert np.allclose([t for t, _ in happened(result)], [t for t, _ in expected], rtol=0, atol=1e-8)


@methods
def test_what_happens_at_one_instant_happens_together_and_in_order(method: dict[str, Any]) -> None:
    events = [
        Event("first", "ball.position", change={"k": "k + 1"}),
        Event("first", "2*ball.position", change={"k": "10*k"}),
        Event("never", "ball.position", "rising", change={"k": "0"}),
        Event("third", "-ball.position", change={"ball.position": "k"}, stop=True),
    ]
    result = supple.simulate(ball(), 1.0, q=[1.0], events=events, variables={"k": 1.0}, samples=5, **method)
    assert [name for _, name in happened(result)] == ["first", "first", "third"]
    assert float(result.q[-1, 0]) == 20.0


@methods
def test_an_event_at_an_output_time_gives_one_sample(method: dict[str, Any]) -> None:
    half = Event("half", "t - 0.5", stop=True)
    result = supple.simulate(ball(), 1.0, q=[1.0], events=[half], samples=5, **method)
    ((at, _),) = happened(result)
    assert at == pytest.approx(0.5, abs=1e-12)
    assert np.allclose(result.time, [0.0, 0.25, 0.5], atol=1e-12)
    assert (np.diff(result.time) > 0.1).all()


@methods
def test_variables_coordinates_and_rates_are_changed(method: dict[str, Any]) -> None:
    """After 0.4 s the ball is put to 3 m, thrown up at twice its speed, and pushed by a force."""
    event = Event(
        "kick",
        "t - 0.4",
        change={"push": "4 + ball.position*0", "ball.position": 3, "rate(ball.position)": "-2*rate(ball.position)"},
    )
    result = supple.simulate(
        ball(),
        1.0,
        q=[1.0],
        tau={"ball.position": "push"},
        variables={"push": 0.0},
        events=[event],
        samples=6,
        **method,
    )
    t = result.time.values - 0.4
    z = np.where(t <= 1e-12, 1 - G * (t + 0.4) ** 2 / 2, 3 + 2 * G * 0.4 * t - (G - 2.0) * t**2 / 2)
    assert np.allclose(result.q.values[:, 0], z, atol=1e-7)


def test_an_action_gives_a_new_state() -> None:
    seen: list[tuple[float, float]] = []

    def action(t: float, q: Vector, v: Vector) -> tuple[Any, Any]:
        seen.append((t, float(v[0])))
        return q, [0.0]

    result = supple.simulate(ball(), 0.8, q=[1.0], events=[Event("stop", "t - 0.5", action=action)], samples=9)
    ((t, v),) = seen
    assert np.allclose([t, v], [0.5, -G * 0.5])
    assert float(result.q[-1, 0]) == pytest.approx(1 - G * 0.25 / 2 - G * 0.09 / 2, abs=1e-9)


@methods
def test_a_function_may_be_watched(method: dict[str, Any]) -> None:
    def height(t: float, q: Vector, v: Vector) -> float:
        return float(q[0]) if q[0] < 10 else 0.0

    result = supple.simulate(ball(), 1.0, q=[1.0], events=[Event("floor", height, stop=True)], samples=3, **method)
    assert float(result.time[-1]) == pytest.approx(FALL, abs=1e-9)


@methods
def test_an_event_that_turns_its_own_motion_back_happens_once(method: dict[str, Any]) -> None:
    bounce = Event("bounce", "ball.position", change={"rate(ball.position)": "-rate(ball.position)"})
    result = supple.simulate(ball(), 2.0, q=[1.0], events=[bounce], samples=21, **method)
    assert np.allclose([t for t, _ in happened(result)], [FALL, 3 * FALL], atol=1e-7)
    energy = (result.kinetic_energy + result.potential_energy).values
    assert np.allclose(energy, energy[0], rtol=1e-7)


def test_chattering_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("supple.simulation.run.MOST_EVENTS", 200)
    relay = [
        Event("over", "ball.position", "rising", change={"push": -1e3}),
        Event("under", "ball.position", "falling", change={"push": 1e3}),
    ]
    with pytest.raises(SimulationError, match="more than 200 events") as error:
        supple.simulate(
            ball(),
            1.0,
            q=[1e-6],
            tau={"ball.position": "push - 5*rate(ball.position)"},
            variables={"push": -1e3},
            events=relay,
            samples=3,
        )
    assert float(error.value.result.time[0]) == 0.0  # type: ignore[attr-defined]


def test_a_sequence_of_events_without_end_is_told() -> None:
    """Bounces of a ball come together at FALL (1 + e) / (1 - e), however many there are."""
    bounce = Event("bounce", "ball.position", "falling", change={"rate(ball.position)": "-0.5*rate(ball.position)"})
    with pytest.raises(
        SimulationError, match=r"'bounce' happened 20 times within .* after 0\.5 of the time before: .*\(Zeno\)"
    ) as error:
        supple.simulate(ball(), 5.0, q=[1.0], events=[bounce], samples=51)
    reached = error.value.result  # type: ignore[attr-defined]
    assert float(reached.time[-1]) == pytest.approx(3.0 * FALL, abs=0.1)


def test_an_event_that_undoes_itself_is_told() -> None:
    def there_and_back(t: float, q: Any, v: Any) -> tuple[Any, Any]:
        return q + 1e-9, v

    stuck = Event("stuck", "ball.position", "falling", action=there_and_back)
    with pytest.raises(SimulationError, match=r"'stuck' happened 20 times within .*, it chatters: "):
        supple.simulate(ball(), 5.0, q=[1.0], events=[stuck], samples=51)


def test_many_events_at_one_time_are_no_chatter() -> None:
    floors = [Event(f"floor {i}", "ball.position", "falling") for i in range(30)]
    assert len(happened(supple.simulate(ball(), 1.0, q=[1.0], events=floors, samples=3))) == 30


def test_a_run_in_a_file_is_the_same(tmp_path: Any) -> None:
    bounce = Event("bounce", "ball.position", "falling", change={"rate(ball.position)": "-0.9*rate(ball.position)"})
    plain = supple.simulate(ball(), 2.0, q=[1.0], events=[bounce], samples=101)
    stored = supple.simulate(ball(), 2.0, q=[1.0], events=[bounce], samples=101, file=tmp_path / "run.nc")
    assert len(happened(plain)) == 3
    assert np.allclose([t for t, _ in happened(stored)], [t for t, _ in happened(plain)], atol=1e-9)
    assert np.allclose(stored.q, plain.q, atol=1e-8)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Event("e", "t", "up"), "event 'e': direction: expected one of rising, falling, both, got 'up'"),
        (lambda: Event("e", NOTHING), r"event 'e': when: expected a formula or a function of \(t, q, v\), got None"),
        (lambda: Event("e", "t", action=TEXT), r"event 'e': action: expected a function of \(t, q, v\), got 'x'"),
        (
            lambda: Event("e", "t", change={"k": NOTHING}),
            "event 'e': change: 'k': expected a finite number or a formula",
        ),
        (lambda: Event("e", "t", change={"k": math.nan}), "event 'e': change: 'k': expected a finite number"),
    ],
)
def test_wrong_events_are_refused(make: Any, words: str) -> None:
    with pytest.raises(StateError, match=words):
        make()


@pytest.mark.parametrize(
    ("event", "words"),
    [
        (Event("e", "ball.positon"), r"event 'e': 'ball.positon': no quantity 'ball.positon'; did you mean"),
        (Event("e", "t", change={"ball.positon": 1}), r"event 'e': change: no variable or coordinate 'ball.positon'"),
        (Event("e", "t", change={"k": "u"}), r"event 'e': 'k': 'u': no quantity 'u'"),
        (Event("e", lambda t, q, v: None), "event 'e': when: expected a number, got None"),  # type: ignore[arg-type,return-value]
        (Event("e", lambda t, q, v: math.nan), "event 'e': when: expected a number, got nan at t = "),
        (Event("e", "t - 0.5", change={"k": "1/(k - 1)"}), "event 'e': change: 'k' would become inf at t = 0.5 s"),
        (Event("e", "t - 0.5", action=lambda t, q, v: (q, [])), r"event 'e': action: expected q and v of shapes"),
        (Event("e", "t - 0.5", action=lambda t, q, v: (q, [math.nan])), "event 'e': action: expected finite numbers"),
    ],
)
def test_events_that_do_not_fit_are_refused(event: Event, words: str) -> None:
    with pytest.raises((StateError, SimulationError), match=words):
        supple.simulate(ball(), 1.0, variables={"k": 1.0}, events=[event])


@pytest.mark.parametrize(("name", "allowed"), [("position", ()), ("velocity", ("p",)), ("acceleration", ("p", "v"))])
def test_prescribed_motions_are_not_changed(name: str, allowed: tuple[str, ...]) -> None:
    motion = {"ball.position": supple.Motion(**{name: "t**2"})}
    for key, what in (("p", "ball.position"), ("v", "rate(ball.position)")):
        event = Event("e", "t - 0.5", change={what: 1.0})
        inputs = Inputs(ball(), None, motion)
        if key in allowed:
            require_sound(ball(), inputs, [event], [])
        else:
            with pytest.raises(StateError, match="is prescribed, so it cannot be changed"):
                require_sound(ball(), inputs, [event], [])


def test_events_speak_of_the_bodies_of_their_own_model() -> None:
    """Two models of one structure, whose bodies have changed their names, have programs in common, but not these."""
    times = []
    for names in ("ab", "ba"):
        mech = supple.Mechanism("two balls")
        for name in names:
            mech.add_body(name, supple.RigidBody(1.0), joint=supple.Prismatic("z"))
        start = dict(zip([f"{name}.position" for name in names], (1.0, 2.0), strict=True))
        result = supple.simulate(mech.build(), 1.0, q=start, events=[Event("floor", "a.position", stop=True)])
        times.append(float(result.time[-1]))
    assert times == pytest.approx([math.sqrt(2 / G), math.sqrt(4 / G)], rel=1e-9)


@pytest.mark.parametrize("integrator", ["DOP853", "ESDIRK54", "RK45"])
def test_a_latch_happens_once(integrator: str) -> None:
    """A pendulum is held where it comes to an angle, by a force that balances its weight but for rounding."""
    mech = supple.Mechanism("pendulum")
    body = supple.RigidBody(1.0, com=(0.5, 0, 0), inertia=(0.1, 0.1, 0.1))
    mech.add_body("arm", body, joint=supple.Revolute("y"))
    hold: dict[str, float | str] = {"place": "arm.angle", "rate(arm.angle)": 0.0, "force": f"{0.5 * G}*cos(arm.angle)"}
    latch = Event("latch", "arm.angle - place", change=hold)
    result = supple.simulate(
        mech.build(),
        20.0,
        v=[3.0],
        tau={"arm.angle": "-force"},
        variables={"place": 0.3, "force": 0.0},
        events=[latch],
        integrator=integrator,
    )
    assert len(happened(result)) == 1
    assert float(result.q[-1, 0]) == pytest.approx(0.3, abs=1e-12)
