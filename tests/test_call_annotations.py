"""A call that fails names the argument that does not fit its annotation; all other errors stay as they are."""

from __future__ import annotations

import doctest
import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, Protocol

import numpy as np
import pytest
from numpy.typing import ArrayLike

import supple
from supple.call_checks import checked
from supple.structures.builders import beam as beams

Name = str | Sequence[str]


class Steered(Protocol):
    """Something with a wheel."""

    wheels: int

    def steer(self, angle: float) -> None:
        """Turn it."""


class Car:
    """Has a wheel and can be steered."""

    wheels = 4

    def steer(self, angle: float) -> None:
        """Turn it."""


@checked
def fails(
    number: float = 1.0,
    count: int = 1,
    flag: bool = True,
    name: Name = "a",
    values: ArrayLike = (1.0, 2.0),
    table: Mapping[str, float] | None = None,
    kind: Literal["x", "y"] = "x",
    car: Steered | None = None,
    body: supple.RigidBody | None = None,
    call: Callable[[float], float] | None = None,
    things: Iterable[Any] = (),
    path: str | Path = "p",
) -> None:
    """Fail as numpy would."""
    raise ValueError("operands could not be broadcast together")


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"number": "1"}, "number: expected a finite number, got '1'"),
    ({"number": float("nan")}, "number: expected a finite number, got nan"),
    ({"number": 10**400}, "number: expected a finite number, got int"),
    ({"number": True}, "number: expected a finite number, got True"),
    ({"count": 1.5}, "count: expected an integer, got 1.5"),
    ({"flag": 1}, "flag: expected True or False, got 1"),
    ({"name": ["a", 3]}, "name: expected a string or a sequence of strings, got ['a', 3]"),
    ({"values": [[1], [2, 3]]}, "values: expected finite numbers, got [[1], [2, 3]]"),
    ({"values": np.array([1.0, np.inf])}, "values: expected finite numbers, got float64 of shape (2,)"),
    ({"values": [1 + 2j]}, "values: expected real numbers, got [(1+2j)]"),
    ({"table": {"a": "b"}}, "table: expected a mapping, got {'a': 'b'}"),
    ({"kind": "z"}, "kind: expected one of 'x', 'y', got 'z'"),
    ({"car": 3}, "car: expected a Steered, got 3"),
    ({"body": "arm"}, "body: expected a RigidBody, got 'arm'"),
    ({"call": "f"}, "call: expected a function, got 'f'"),
    ({"things": None}, "things: expected a sequence, got None"),
    ({"path": object()}, "path: expected a string or a Path, got object"),
    ({"number": 2.0, "count": None}, "count: expected an integer, got None"),
]


@pytest.mark.parametrize(("given", "message"), WRONG, ids=[message for _, message in WRONG])
def test_the_argument_that_does_not_fit_is_named(given: dict[str, Any], message: str) -> None:
    with pytest.raises(supple.StateError) as caught:
        fails(**given)
    assert str(caught.value) == f"fails: {message}"
    assert isinstance(caught.value.__cause__, ValueError)


def test_an_error_that_no_argument_explains_stays() -> None:
    with pytest.raises(ValueError, match="could not be broadcast") as caught:
        fails(np.float64(2.0), np.int64(3), np.bool_(True), ("a", "b"), np.eye(2), {"a": 1}, "y", Car())  # type: ignore[arg-type]
    assert type(caught.value) is ValueError
    with pytest.raises(supple.ModelError, match=r"^mass"):  # one of the package is as good
        supple.RigidBody("heavy")  # type: ignore[arg-type]


def test_arguments_that_a_function_does_not_have_are_named() -> None:
    with pytest.raises(supple.StateError, match=r"^fails: no argument 'colour'$"):
        fails(colour="red")  # type: ignore[call-arg]


def test_methods_and_constructors_are_named() -> None:
    @checked
    class Robot:
        def __init__(self, name: str) -> None:
            self.first = name[0].upper()

        @classmethod
        def of(cls, names: Sequence[str]) -> Robot:
            return cls("".join(names))

        @staticmethod
        def twice(x: float) -> float:
            return 2 * x + 0.0

        def _own(self, x: Any) -> Any:
            return x.missing

    assert (Robot.of(["a", "b"]).first, Robot.twice(2.0)) == ("A", 4.0)
    with pytest.raises(supple.StateError, match=r"Robot: name: expected a string, got 3$"):
        Robot(3)  # type: ignore[arg-type]
    with pytest.raises(supple.StateError, match=r"Robot.of: names: expected a sequence of strings, got 3$"):
        Robot.of(3)  # type: ignore[arg-type]
    with pytest.raises(supple.StateError, match=r"Robot.twice: x: expected a finite number, got 'a'$"):
        Robot.twice("a")  # type: ignore[arg-type]
    with pytest.raises(AttributeError):
        Robot("a")._own(3)


def test_an_error_of_a_function_that_the_user_gave_stays() -> None:
    def broken(t: float, q: Any, v: Any) -> float:
        raise KeyError("no sensor")

    mech = supple.Mechanism("pendulum")
    mech.add_body("arm", supple.RigidBody(1.0, (0, 0, -1)))
    with pytest.raises(Exception, match="no sensor"):
        supple.simulate(mech.build(), 0.1, tau={"arm.angle": broken}, samples=3)


def test_a_checked_function_is_one_of_its_module() -> None:
    """Signatures, documentation and the examples of docstrings are found as if nothing was around it."""
    assert list(inspect.signature(beams.beam).parameters)[:2] == ["length", "section"]
    assert beams.beam.__module__ == "supple.structures.builders.beam"
    assert {"supple.structures.builders.beam.beam"} <= {
        x.name for x in doctest.DocTestFinder().find(beams) if x.examples
    }
