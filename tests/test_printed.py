"""Numbers on pages are compared as numbers, everything else as it stands."""

from __future__ import annotations

import pytest

from support.printed import same

EQUAL = [
    ("8.2657j", "(-0+8.2657j)"),
    ("[ 0.03  0.05 -0.23]", "[0.03 0.05 -0.23]"),
    ("[ 0.03  0.05 -0.23]", "[ 0.031  0.05  -0.22999]"),
    ("[1. 0. 0.]", "[ 1. -0.  0.]"),
    ("7 modes, all   14   0.0065   ...", "7 modes, all 14 0.0064  1e-9 1e-8"),
    ("energy 1.2e-05 J", "energy 1.3e-05 J"),
    ("x = 0.7071067811865476", "x = 0.70710678118654"),
    ("1,444 numbers", "1,444 numbers"),
    ("('upper.mode1', 12)", "('upper.mode1', 12)"),
    ("nan inf", "nan inf"),
    ("a\n...\nb 1.5\n", "a\nanything\nelse 2\nb 1.5"),
]
DIFFERENT = [
    ("8.2657j", "8.2659j"),
    ("8.2657j", "(0.1+8.2657j)"),
    ("0.0065", "0.0062"),
    ("12 degrees of freedom", "13 degrees of freedom"),
    ("upper.mode1", "upper.mode2"),
    ("1 2", "12"),
    ("[1. 0. 0.]", "[1. 0.]"),
    ("1.5 m", "1.5 mm"),
    ("energy 1.2e-05 J", "energy 1.2e-06 J"),
    ("nan", "1.0"),
    ("-0.23", "0.23"),
]


@pytest.mark.parametrize(("shown", "printed"), EQUAL)
def test_what_differs_in_the_last_digit_is_the_same(shown: str, printed: str) -> None:
    assert same(shown, printed)


@pytest.mark.parametrize(("shown", "printed"), DIFFERENT)
def test_what_says_something_else_is_not(shown: str, printed: str) -> None:
    assert not same(shown, printed)
