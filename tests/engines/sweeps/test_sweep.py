"""Sweeps: the language that they are written in gives what plain Python gives, and compiled code is kept safely."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

import numpy as np
import pytest

from supple.engines.kernels import step, sweep
from supple.engines.llvm import jit
from supple.engines.sweeps import sweep as sweeps

TABLE = ((1, 2), (3, 4))
GAPS = (0.25, 0.5, 0.75)


class Pair(NamedTuple):
    x: Any
    n: Any


@step
def squared(x: Any) -> Any:
    return x[0] * x[0], x[1] * x[1]


@step
def first_beyond(x: Any, limit: float) -> int:
    for i in range(len(x)):
        if x[i] > limit:
            return i
    return -1


@step
def gap(x: float) -> float:
    for g in GAPS[1:]:
        if x <= g:
            return x / g
    return x


@sweep
def arithmetic(x: Any, n: Any, out: Any) -> None:
    a, b = x[0], x[1]
    out[0] = a + b * 2 - 1.5
    out[1] = -a / (b + 3)
    out[2] = a**2 + b**0.5
    out[3] = n[0] // 3 + n[0] % 3 + 1 / n[0]
    out[4] = abs(a) + min(a, b, 0.25) - max(a, b)
    out[5] = np.sin(a) + np.cos(b) + np.sqrt(b)
    out[6] = np.sign(a)
    out[7] = np.nextafter(a, b)
    out[8] = TABLE[1][0] * a
    out[9] = int(b) + n[1]


@sweep
def loops(x: Any, out: Any) -> int:
    total = 0.0
    for i in range(len(x) - 1, -1, -1):
        if x[i] < 0.0:
            continue
        if x[i] > 100.0:
            break
        total += x[i]
    pair = (0.0, 1.0)
    for _ in range(20):
        pair = (pair[1], pair[0] + pair[1])
    k = 0
    while k < len(x) and x[k] < 2.0:
        k += 1
    out[0], out[1] = total, pair[1]
    out[2] = k
    return first_beyond(x, 1.5)


@sweep
def branches(x: Any, m: Any, pair: Pair, out: Any) -> bool:
    value = 1.0
    if m is not None and x[0] > 0.0:
        value = 2.0 + m[0]
    elif x[0] < -1.0 or x[1] > 5.0:
        value = 3.0
    else:
        value = pair.x[0] if pair.n > 2 else 4.0
    out[0] = value
    out[1] = gap(x[1])
    square = squared((x[0], x[1]))
    out[2] = square[0] - square[1]
    return 0.0 < x[0] < 1.0 and not x[1] > 0.5


@sweep
def arrays(A: Any, out: Any) -> None:
    out[:] = 1.0
    for i in range(A.shape[0]):
        row = A[i]
        for j in range(len(row)):
            out[j, i] += row[j] * A[i, j]
    out[1] = 7.0


@sweep
def widening(z: Any, out: Any) -> None:
    total = 0.0
    for i in range(len(z)):
        total = total + z[i] * z[i] / (2 + z[i])
    out[0] = total + np.sin(total) * np.cos(z[0]) + np.sqrt(total)


def test_arithmetic() -> None:
    for x in ([0.3, 1.7], [-2.5, 4.9]):
        args = np.array(x), np.array([7, 3])
        found, wanted = np.zeros(10), np.zeros(10)
        arithmetic(*args, found)
        arithmetic.py_func(*args, wanted)  # type: ignore[attr-defined]
        np.testing.assert_allclose(found, wanted, rtol=1e-15, equal_nan=True)
        assert len(set(found)) == 10


def test_loops_and_jumps() -> None:
    x = np.array([1.0, 1.25, -3.0, 2.5, 4.0])
    out = np.zeros(3)
    assert loops(x, out) == 3
    assert out.tolist() == [8.75, 10946.0, 3.0]
    assert loops(np.array([1.0, 200.0, 3.0]), out) == 1
    assert out[0] == 3.0
    assert loops(np.zeros(0), out) == -1


def test_branches_and_what_is_known_about_types() -> None:
    found = set()
    for m in (None, np.array([0.5])):
        for x in ([0.5, 0.3], [-2.0, 0.9], [0.5, 0.7], [-0.5, 9.0], [-0.5, 0.2]):
            for n in (1, 3):
                out = np.zeros(3)
                pair = Pair(np.array([6.0]), n)
                value = branches(np.array(x), m, pair, out)
                expected = (2.0 + m[0]) if m is not None and x[0] > 0 else 3.0 if x[0] < -1 or x[1] > 5 else None
                expected = (6.0 if n > 2 else 4.0) if expected is None else expected
                assert out[0] == expected
                assert value is (0 < x[0] < 1 and not x[1] > 0.5)
                assert out[1] == pytest.approx(x[1] / 0.5 if x[1] <= 0.5 else x[1] / 0.75 if x[1] <= 0.75 else x[1])
                assert out[2] == pytest.approx(x[0] ** 2 - x[1] ** 2)
                found.add(out[0])
    assert len(found) == 4


def test_rows_and_whole_arrays() -> None:
    A = np.arange(6.0).reshape(2, 3)
    out = np.zeros((3, 2))
    arrays(A, out)
    expected = 1.0 + (A * A).T
    expected[1] = 7.0
    np.testing.assert_array_equal(out, expected)


def test_a_number_that_begins_real_may_become_complex() -> None:
    z = np.array([0.5 + 0.1j, 1.5 - 0.2j])
    out, total = np.zeros(1, complex), complex((z * z / (2 + z)).sum())
    widening(z, out)
    assert out[0] == pytest.approx(total + np.sin(total) * np.cos(z[0]) + np.sqrt(total), rel=1e-14)
    real = np.zeros(1)
    widening(z.real.copy(), real)
    assert real[0] != pytest.approx(out[0].real)


@sweep
def several(x: Any) -> tuple[int, float, bool]:
    return len(x), x[0] * 0.5, x[0] > 1.0


def test_several_results() -> None:
    assert several(np.array([3.0, 1.0])) == (2, 1.5, True)
    assert several(np.array([0.5])) == (1, 0.25, False)


@pytest.mark.parametrize(
    "bad", [np.zeros((4, 4))[::2], np.zeros(3, np.float32), np.zeros(3, ">f8"), "text", [1.0, 2.0]]
)
def test_what_is_no_argument_is_refused(bad: Any) -> None:
    with pytest.raises(TypeError, match="expected"):
        arrays(bad, np.zeros((3, 2)))


def test_what_is_not_of_the_language_is_refused_by_name() -> None:
    with pytest.raises(TypeError, match=r"outside: sorted\(x\): no function of the language"):
        sweep(outside)(np.zeros(2))


def outside(x: Any) -> Any:
    return sorted(x)


def twice(x: float) -> float:
    return 2.0 * x


def thrice(x: float) -> float:
    return 3.0 * x


def fresh() -> tuple[list[float], int]:
    """What two sweeps return and how many had to be compiled, as in a new process."""
    functions: list[Any] = [sweep(twice), sweep(thrice)]
    with mock.patch.object(sweeps, "optimized_code", wraps=jit.optimized_code) as compiled:
        return [f(7.0) for f in functions], compiled.call_count


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """The files of the two sweeps, compiled once."""
    monkeypatch.setenv("SUPPLE_CACHE_DIR", str(tmp_path))
    assert fresh() == ([14.0, 21.0], 2)
    assert fresh() == ([14.0, 21.0], 0)
    return sorted((tmp_path / "sweeps").iterdir())


def test_damaged_entries_are_compiled_again(kept: list[Path]) -> None:
    good = [path.read_bytes() for path in kept]
    for share in (0.0, 0.01, 0.5, 0.999):
        for path, content in zip(kept, good, strict=True):
            i = int(share * len(content))
            path.write_bytes(content[:i] + bytes([content[i] ^ 4]) + content[i + 1 :])
        assert fresh() == ([14.0, 21.0], 2)
        assert fresh() == ([14.0, 21.0], 0)


def test_exchanged_entries_are_compiled_again(kept: list[Path]) -> None:
    contents = [path.read_bytes() for path in kept]
    for path, content in zip(kept, reversed(contents), strict=True):
        path.write_bytes(content)
    assert fresh() == ([14.0, 21.0], 2)


def test_directories_in_the_place_of_entries_are_done_without(kept: list[Path]) -> None:
    for path in kept:
        path.unlink()
        path.mkdir()
    assert fresh() == ([14.0, 21.0], 2)


PENDULUM = """
import supple
mech = supple.Mechanism("p")
mech.add_body("arm", supple.RigidBody(1.0, (0, 0, -1)))
print(mech.build().derivative([0.5], [2.0])[0])
"""


def run_with_cache(path: Path) -> str:
    environment = {**os.environ, "SUPPLE_CACHE_DIR": str(path)}
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", PENDULUM], env=environment, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def test_compiled_code_is_kept_in_the_chosen_directory(tmp_path: Path) -> None:
    assert run_with_cache(tmp_path) == "2.0"
    kept = sorted(tmp_path.rglob("*.o"))
    assert kept
    stamps = [path.stat().st_mtime_ns for path in kept]
    assert run_with_cache(tmp_path) == "2.0"
    assert [path.stat().st_mtime_ns for path in sorted(tmp_path.rglob("*.o"))] == stamps


def test_a_cache_that_cannot_be_written_is_done_without(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a directory")
    assert run_with_cache(blocked) == "2.0"
