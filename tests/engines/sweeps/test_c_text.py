"""Sweeps printed as C do what they do in Python."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from supple.engines.kernels import step, sweep
from supple.engines.llvm.call import _invoke
from supple.engines.plain import plain
from supple.engines.sweeps.c_text import HELPERS, CText, array_text
from supple.engines.sweeps.c_values import CArray, CFunction, CNumber
from supple.engines.sweeps.values import FLOAT, INT
from support.programs.c_programs import built

WEIGHTS = (0.5, 2.0, -1.0)


class Room(NamedTuple):
    """Arrays that a sweep works on."""

    x: Any
    A: Any


@step
def largest(x: Any) -> float:
    """The largest size in a row."""
    found = 0.0
    for i in range(len(x)):
        found = max(found, abs(x[i]))
    return found


@step
def steps_to(x: float, short: int) -> int:
    """How often x is halved; a name that C has for something else."""
    count = 0
    while True:
        if x < 1.0 or count >= short:
            return count
        x, count = 0.5 * x, count + 1


@sweep
def work(room: Room, n: int, out: Any) -> float:
    """Everything that the language has."""
    x, A = room
    total, flag = 0, False
    for i in range(1, n):
        if i % 2 == 0 and not (x[i] <= 0.0 or i == 4):
            continue
        out[i] += 3.0 * A[1, i] - x[i] ** 2 / n
        total = total + (1 if x[i] > 0 else 2)
        if i == 5:
            flag = True
            break
    a, b = x[0], x[1]
    a, b = b, a - b
    for w in WEIGHTS:
        b = b + w * a
    out[0] = min(a, b, x[2]) ** 3.0 + np.sign(b) + np.nextafter(1.0, np.inf) - 1.0
    return total + largest(A[0]) + steps_to(40.0, n) + (10.0 if flag else 0.0)


def printed() -> tuple[CText, str]:
    text = CText()
    room = Room(CArray(FLOAT, "room_x", (7,)), CArray(FLOAT, "room_A", (2, 7)))
    name, kind, written, _ = text.function(work, (room, CNumber(INT, "n"), CArray(FLOAT, "out", (7,))))
    assert (kind, written) == (FLOAT, [True])
    return text, name


@pytest.mark.parametrize("n", [2, 5, 7])
def test_a_sweep_in_c_gives_the_same_numbers(n: int, tmp_path: Path) -> None:
    rng = np.random.default_rng(n)
    x, A = rng.normal(size=7), rng.normal(size=(2, 7))
    text, name = printed()
    functions = "\n".join(text.functions)
    helpers = [helper for word, helper in HELPERS.items() if f"{word}(" in functions]
    arrays = [array_text("room_x", FLOAT, x), array_text("room_A", FLOAT, A)]
    main = (
        "int main(void)\n{\n    double out[7] = {0.0};\n    int i;\n"
        f'    printf("%.17g", {name}({n}, out));\n'
        '    for (i = 0; i < 7; i++)\n        printf(" %.17g", out[i]);\n    return 0;\n}\n'
    )
    source = "\n".join(["#include <math.h>", "#include <stdio.h>", *arrays, *helpers, functions, main])
    found = subprocess.run([built(source, tmp_path)], capture_output=True, text=True, check=True).stdout
    out = np.zeros(7)
    expected = plain(work)(Room(x, A), n, out)
    np.testing.assert_allclose([float(word) for word in found.split()], [expected, *out], rtol=1e-15)


def test_a_step_is_printed_once_for_arguments_of_one_form() -> None:
    text, _ = printed()
    again = text.function(largest, (CArray(FLOAT, "other", (7,)),))
    assert again[0] == "largest"
    assert len(text.functions) == 3
    text.function(largest, (CArray(FLOAT, "longer", (9,)),))
    assert len(text.functions) == 4
    assert "static double largest_2(const double *x)" in text.functions[-1]


@sweep
def asking(kernel: int, t: Any, out: Any) -> None:
    """Calls other code, if there is any."""
    if kernel != 0:
        _invoke(kernel, 0, 1, (t, t, t, out))


def test_other_code_is_called_by_its_name() -> None:
    t, out = CArray(FLOAT, "t", (1,)), CArray(FLOAT, "out", (1,))
    text = CText()
    text.function(asking, (CFunction("rates"), t, out))
    assert "    rates(t, t, t, out);" in text.functions[0]
    text.function(asking, (0, t, out))
    assert "rates" not in text.functions[1]
    assert "(void)out;" in text.functions[1]


class Now(NamedTuple):
    """Arrays that are reached through a pointer."""

    y: Any
    K: Any


@step
def doubled(x: Any, out: Any) -> None:
    """out = 2 x."""
    for i in range(len(x)):
        out[i] = 2.0 * x[i]


@step
def moved(now: Now) -> None:
    """K = 2 y."""
    doubled(now.y, now.K)


@sweep
def twice(kernel: int, now: Now) -> None:
    """Calls other code, then moves."""
    _invoke(kernel, 0, 1, (now.y, now.y, now.y, now.K))
    moved(now)


def test_arrays_behind_a_pointer_are_handed_on_where_they_are_needed() -> None:
    text = CText("struct room *now")
    now = Now(CArray(FLOAT, "now->y", (3,)), CArray(FLOAT, "now->K", (3,)))
    assert text.function(twice, (CFunction("rates"), now)).context
    first, second, third = text.functions
    assert "static void doubled(const double *x, double *out)" in first
    assert "static void moved(struct room *now)" in second
    assert "    doubled(now->y, now->K);" in second
    assert "static void twice(struct room *now)" in third
    assert "    rates(now, now->y, now->y, now->y, now->K);\n    moved(now);" in third
