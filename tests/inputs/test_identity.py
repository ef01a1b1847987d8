"""Laws are told apart by value: code, defaults, closures, bound arguments, globals and attributes."""

from __future__ import annotations

import functools
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from supple.inputs import identity
from supple.inputs.controllers import Sampled
from supple.inputs.user_functions import UNKNOWN, text

GAIN = 1.0
Law = Callable[..., Any]


def spring(t: float, q: Any, v: Any, gain: float = 0.0) -> Any:
    return -gain * q[0]


def named(t: float, q: Any, v: Any) -> Any:
    return -GAIN * np.sin(q[0])


class Spring:
    def __init__(self, gain: Any) -> None:
        self.gain = gain

    def __call__(self, t: float, q: Any, v: Any) -> Any:
        return -self.gain * q[0]

    def force(self, t: float, q: Any, v: Any) -> Any:
        return self(t, q, v)


def closed(gain: float) -> Law:
    return lambda t, q, v: -gain * q[0]


def defaulted(gain: float) -> Law:
    return lambda t, q, v, k=gain: -k * q[0]


def wrapped(gain: float) -> Law:
    @functools.lru_cache
    def inner(x: float) -> float:
        return -gain * x

    return lambda t, q, v: inner(float(q[0]))


def local(gain: float) -> Law:
    class Held:
        k = gain

        def __call__(self, t: float, q: Any, v: Any) -> Any:
            return -self.k * q[0]

    return Held()


KINDS: dict[str, Callable[[float], Law]] = {
    "partial": lambda gain: functools.partial(spring, gain=gain),
    "partial of a partial": lambda gain: functools.partial(functools.partial(spring, gain=2.0), gain=gain),
    "callable object": Spring,
    "array in an object": lambda gain: Spring(np.array([1.0, gain])),
    "object in an object": lambda gain: Spring([{"gain": gain}]),
    "bound method": lambda gain: Spring(gain).force,
    "closure": closed,
    "default": defaulted,
    "closure behind a cache": wrapped,
    "attribute of a local class": local,
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("sampled", [False, True])
def test_equal_laws_have_one_text_and_others_another(kind: str, sampled: bool) -> None:
    def made(gain: float) -> str:
        law = KINDS[kind](gain)
        return text(Sampled(law, 100.0) if sampled else law)

    assert made(50.0) == made(50.0)
    assert made(50.0) != made(0.0)
    assert UNKNOWN not in made(50.0)


def test_globals_count_by_value(monkeypatch: pytest.MonkeyPatch) -> None:
    before = text(named)
    assert text(named) == before
    monkeypatch.setitem(globals(), "GAIN", 2.0)
    assert text(named) != before


def test_the_text_is_the_same_in_every_process() -> None:
    code = (
        "import functools, numpy as np\nfrom supple.inputs.user_functions import text\n"
        "k = {'a', 'b', 'c', 'd'}\ndef f(t, q, v, x): return len(k) * np.sin(q[0]) * x\n"
        "print(text(functools.partial(f, x=np.eye(2))))"
    )
    runs = [
        subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            text=True,
            check=True,
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": str(Path(identity.__file__).parents[2])},
        )
        for seed in ("1", "2")
    ]
    assert runs[0].stdout == runs[1].stdout
    assert UNKNOWN not in runs[0].stdout


@pytest.mark.parametrize("held", [np.random.default_rng(0), iter([1.0, 2.0]), sys.stdout])
def test_what_has_no_value_is_said_by_name(held: Any) -> None:
    found = text(Spring(held))
    assert UNKNOWN in found
    assert "gain" in found
