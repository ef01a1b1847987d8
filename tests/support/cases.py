"""Cases of grids: a few of them always run, all of them before a release."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

import pytest


def thinned(cases: Iterable[Any], kept: Collection[Any], several: bool = False) -> list[Any]:
    """Cases for `parametrize`: those that are kept always run, the others with `-m exhaustive`.

    Parameters
    ----------
    cases
        Values of one argument, or tuples of several.
    kept
        Cases that always run.
    several
        Whether a case is a tuple of several arguments.
    """
    all_cases = list(cases)
    unknown = [case for case in kept if case not in all_cases]
    assert not unknown, f"expected cases of the grid, got {unknown}"
    return [
        case if case in kept else pytest.param(*(case if several else (case,)), marks=pytest.mark.exhaustive)
        for case in all_cases
    ]
