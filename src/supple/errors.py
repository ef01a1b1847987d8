"""Everything supple raises: one family, each message with what, where, expected and got."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any


class SuppleError(Exception):
    """Any error that supple raises on purpose."""


class ModelError(SuppleError, ValueError):
    """A body, joint, frame or force is described wrongly."""


class FileFormatError(ModelError):
    """A file cannot be read as a model."""


class StateError(SuppleError, ValueError):
    """Coordinates, speeds, forces or frame names handed to a model do not fit it."""


class SingularError(SuppleError, ArithmeticError):
    """A joint has no inertia to accelerate in the given configuration."""


class AssemblyError(ModelError):
    """The loops of a model cannot be closed, or its speeds contradict its constraints."""


class SimulationError(SuppleError, RuntimeError):
    """The integration could not go on.

    Attributes
    ----------
    result : xarray.Dataset or None
        The motion up to there.
    """

    result: Any = None


class ResultsError(SuppleError, RuntimeError):
    """Results cannot be written to disk, read back or gone on with."""


class ResultsWarning(UserWarning):
    """Some of the results on disk are damaged, or are not those of the last run."""


class AssemblyWarning(UserWarning):
    """The loops of a model could be closed only with flexible bodies strained."""


class PhysicsWarning(UserWarning):
    """Something cannot be right, and is taken all the same: a number, or a motion beyond the range of its theory."""


class OmissionWarning(UserWarning):
    """A file or a run says something that the model, or what is written of it, does not take."""


class PerformanceWarning(UserWarning):
    """Something works, but slower than asked for."""


def nearest(name: object, known: Iterable[str]) -> str:
    """Return a hint naming the closest of the `known` names, in any case, or all of them if they are few.

    What is no string at all is close to none.

    Examples
    --------
    >>> nearest("Bom", ["boom", "hub"])
    "; did you mean 'boom'?"
    """
    choices = sorted(known)
    folded = {choice.casefold(): choice for choice in reversed(choices)}
    close: list[str] = []
    if isinstance(name, str):
        close = get_close_matches(name, choices, n=1)
        close = close or [folded[x] for x in get_close_matches(name.casefold(), folded, n=1)]
    if close:
        return f"; did you mean {close[0]!r}?"
    if 0 < len(choices) <= 8:
        return "; there are " + ", ".join(map(repr, choices))
    return ""


def one_of(known: Iterable[str]) -> str:
    """A hint naming all choices, in their order: for words with a meaning, where one that looks alike is no guess.

    Examples
    --------
    >>> one_of(["cantilever", "nodal"])
    "; expected one of 'cantilever', 'nodal'"
    """
    return "; expected one of " + ", ".join(map(repr, known))


def unexpected(what: str, expected: str, got: object) -> StateError:
    """What to raise where a thing of another class was given: the message names both, and the thing itself.

    Examples
    --------
    >>> str(unexpected("supple.save", "a Mechanism or a Model", 3))
    'supple.save: expected a Mechanism or a Model, got int'
    """
    name = getattr(got, "name", None)
    shown = type(got).__name__ + (f" {name!r}" if isinstance(name, str) else "")
    hint = "; `build()` makes a Model of it" if hasattr(got, "build") and "a Mechanism" not in expected else ""
    if isinstance(got, str | os.PathLike) and "Model" in expected:
        path = os.fspath(got)
        shown, hint = repr(path), f"; supple.load({path!r}) makes a model of a file, `supple run {path}` simulates it"
    return StateError(f"{what}: expected {expected}, got {shown}{hint}")


def warn(message: str, category: type[Warning]) -> None:
    """Issue a warning at the line of the caller's program that led to it: the first one outside this package."""
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and str(frame.f_globals.get("__name__")).partition(".")[0] == "supple":
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)
