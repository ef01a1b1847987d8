"""Wrong calls are errors of the package, in one line that says what to write."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import pytest

import supple
from supple.call_checks import require_signature

B = "block.position"


@cache
def block() -> supple.Model:
    mech = supple.Mechanism("block", gravity=(0, 0, 0))
    mech.add_body("block", supple.RigidBody(1.0), joint=supple.Prismatic("x"))
    return mech.build()


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"q0": [1.0]}, "simulate: no argument 'q0'; use 'q'"),
        ({"outptus": None}, "simulate: no argument 'outptus'; did you mean 'outputs'?"),
        ({"limits": {B: (-1, 1)}}, f"limits: expected a list of supple.Limit, got {{'{B}': (-1, 1)}}"),
        ({"limits": [(B, -1, 1)]}, f"limits: expected a list of supple.Limit, got ('{B}', -1, 1) among them"),
        ({"events": "t - 1"}, "events: expected a list of supple.Event, got 't - 1'"),
        ({"q": {B: "30 deg"}}, f"q: '{B}': expected a number, in SI units and radians, got '30 deg'"),
        ({"v": ["fast"]}, "v: expected numbers or a mapping from names, got ['fast']"),
        ({"tau": {B: lambda t, q: 0.0}}, f"tau: '{B}': expected a function of (t, q, v), got one of (t, q)"),
        ({"tau": lambda: [0.0]}, "tau: expected a function of (t, q, v), got one of ()"),
        ({"tau": {B: lambda t, q, v: [1.0, 2.0]}}, f"tau: '{B}': the function gave shape (2,), expected ()"),
        ({"variables": ["a"]}, "variables: expected a mapping from names, got ['a']"),
        ({"motion": ["a"]}, "motion: expected a mapping from names, got ['a']"),
        ({"outputs": ["q"]}, "outputs: expected a supple.Outputs, got ['q']"),
        ({"progress": 3}, "progress: expected a function of the time, got 3"),
        ({"file": 3}, "file: expected the path of a results file, got 3"),
        ({"start": 3}, "start: expected one of given, equilibrium, steady, got 3"),
        ({"loops": 3}, "loops: expected one of projection, independent, got 3"),
        ({"duration": "5 s"}, "duration: expected a positive number, got '5 s'"),
        ({"duration": None}, "supple.simulate: expected a duration, s, got none"),
    ],
)
def test_a_wrong_argument_is_an_error_of_the_package(arguments: dict[str, Any], expected: str) -> None:
    with pytest.raises(supple.SuppleError) as found:
        supple.simulate(block(), **{"duration": 1.0, **arguments})
    assert str(found.value).startswith(expected)
    assert "\n" not in str(found.value)


@pytest.mark.parametrize("path", ["arm.toml", Path("arm.toml")])
def test_a_path_is_no_model(path: Any) -> None:
    expected = r"got 'arm.toml'; supple.load\('arm.toml'\) makes a model of a file, `supple run arm.toml` simulates it"
    with pytest.raises(supple.StateError, match=expected):
        supple.simulate(path)


def test_functions_of_events_and_controllers_take_three_arguments() -> None:
    wrong: Any = lambda t: t  # noqa: E731
    with pytest.raises(supple.StateError, match=r"'e': when: expected a function of \(t, q, v\), got one of \(t\)"):
        supple.Event("e", wrong)
    with pytest.raises(supple.StateError, match=r"^event 'e': action: expected a function of \(t, q, v\)"):
        supple.Event("e", "t - 1", action=wrong)
    with pytest.raises(supple.StateError, match=r"^Sampled: function: expected a function of \(t, q, v\)"):
        supple.Sampled(wrong, 10.0)
    require_signature(max, "t, q, v", "where")  # written in C, and without a signature
    nothing: Any = lambda t, q, v: None  # noqa: E731
    with pytest.raises(supple.StateError, match=r"event 'e': action: expected the state \(q, v\), got None"):
        supple.simulate(block(), 1.0, events=[supple.Event("e", "t - 0.5", action=nothing)])


def test_simulators_and_live_motions_know_their_arguments() -> None:
    wrong: dict[str, Any] = {"nonsense": 3}
    with pytest.raises(supple.StateError, match=r"^Simulator: no argument 'nonsense'"):
        supple.Simulator(block(), **wrong)
    with pytest.raises(supple.StateError, match=r"^Simulator.set: no argument 'nonsense'"):
        supple.Simulator(block()).set(**wrong)
    for other in ({"nonsense": 3}, {"samples": 3}):  # the second is one of supple.simulate that nothing asks for here
        unused: dict[str, Any] = other
        with pytest.raises(supple.StateError, match=f"^supple.live: no argument '{next(iter(other))}'"):
            supple.live(block(), **unused)
