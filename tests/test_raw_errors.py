"""Wrong arguments of every public function, constructor and method: no raw error of Python or numpy comes out.

What comes out is an error of the package, which names the argument; Python's own error for arguments that a signature
does not have names the function. Each argument in turn is wrong, the others are right.
"""

from __future__ import annotations

import os
import signal
import traceback
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import pytest

import supple
from supple import checks
from support.public_calls import MADE_INSIDE, Call, calls, seconds, untried

WRONG: dict[str, Any] = {
    "None": None,
    "a string": "wrong",
    "an object": object(),
    "a complex number": 1 + 2j,
    "a negative number": -1,
    "NaN": float("nan"),
    "infinity": float("inf"),
    "a huge integer": 10**400,
    "no entries": [],
    "no names": {},
    "a wrong name": {"wrong": "wrong"},
    "bytes": b"x",
    "a list of objects": [object()],
    "lists of different lengths": [[1], [2, 3]],
    "an array of three axes": np.zeros((2, 2, 2)),
}
SHAPES = ("lists of different lengths", "an array of three axes")
"""Only for parameters that take numbers: flags and names are not arrays."""
SAMPLED = 40
"""One of so many cases runs always, another one for each argument; all run before a release."""
PACKAGE = os.sep + "supple" + os.sep
OWN_WARNINGS = [x for x in vars(supple.errors).values() if isinstance(x, type) and issubclass(x, Warning)]


class TooLong(BaseException):
    """A call takes longer than any of these should; no handler of the package catches it."""


@contextmanager
def limited(time: int) -> Iterator[None]:
    """Interrupt a call that would go on for ever."""

    def interrupt(*_: object) -> NoReturn:
        raise TooLong

    before = signal.signal(signal.SIGALRM, interrupt)
    signal.alarm(time)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def raw(error: BaseException) -> str | None:
    """What a raw error says and where it comes from; None for one of the package, or of a signature."""
    if type(error).__module__.startswith("supple.") or isinstance(error, OSError):  # the system's name the file
        return None
    frames = traceback.extract_tb(error.__traceback__)
    inner = [x for x in frames if PACKAGE in x.filename and not x.filename.endswith(f"{PACKAGE}edges.py")]
    if isinstance(error, TypeError) and not inner:  # Python: the function has no such argument, or needs one more
        return None
    last = frames[-1]
    raised = PACKAGE in last.filename and (last.line or "").startswith("raise ")
    if raised and isinstance(error, TypeError | ValueError | ImportError):
        return None
    where = f"{inner[-1].filename.rpartition(PACKAGE)[2]}:{inner[-1].lineno}" if inner else "outside of the package"
    return f"{type(error).__name__}: {error} ({where})"


def outcome(call: Call, argument: str, value: Any) -> str | None:
    """What is raw about a call with one wrong argument."""
    given = {name: make() for name, make in call.arguments.items()} | {argument: value}
    target = call.target()
    try:
        with warnings.catch_warnings(), limited(seconds(call)):
            warnings.simplefilter("error")
            for own in OWN_WARNINGS:
                warnings.simplefilter("ignore", own)
            target(**given)
    except TooLong:
        return "does not end"
    except Exception as error:
        return raw(error)
    return None


@cache
def all_calls() -> tuple[Call, ...]:
    return tuple(calls())


def found(step: int) -> list[str]:
    """Raw errors of every `step`-th case."""
    out, number = [], 0
    for call in all_calls():
        for argument, annotation in call.parameters.items():
            for kind, value in WRONG.items():
                if kind in SHAPES and annotation in ("str", "bool"):
                    continue
                number += 1
                if number % step == 0 and (said := outcome(call, argument, value)) is not None:
                    out.append(f"{call.name}({argument}={kind}): {said}")
    return out


@pytest.fixture
def closed_world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files are written here, and no page is opened."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("webbrowser.open", lambda *_: True)


@pytest.mark.usefixtures("closed_world")
@pytest.mark.skipif(not hasattr(signal, "SIGALRM"), reason="calls are interrupted by a signal of Unix")
@pytest.mark.parametrize("step", [SAMPLED, pytest.param(1, marks=pytest.mark.exhaustive)])
def test_wrong_arguments_are_named(step: int) -> None:
    assert found(step) == []


@pytest.mark.usefixtures("closed_world")
def test_the_calls_are_those_of_the_package() -> None:
    names = {call.name for call in all_calls()}
    assert {"supple.load", "supple.structures.beam", "Model.pose", "Mechanism.add_body", "StateSpace.transfer"} <= names
    assert len(names) > 350


def test_every_public_class_has_its_methods_called() -> None:
    assert {*untried()} == {*MADE_INSIDE}


def test_a_raw_error_would_be_found() -> None:
    with pytest.raises(AttributeError) as caught:
        checks.freeze(object(), "x")
    assert str(raw(caught.value)).startswith("AttributeError: 'object' object has no attribute 'x' (checks.py:")


def test_arguments_that_do_not_exist_are_named() -> None:
    with pytest.raises(supple.StateError, match=r"^RigidBody: no argument 'moss'; did you mean 'mass'\?$") as caught:
        supple.RigidBody(1.0, moss=2.0)  # type: ignore[call-arg]
    assert raw(caught.value) is None
