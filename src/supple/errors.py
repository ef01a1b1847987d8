"""Everything supple raises: one family, each message with what, where, expected and got."""

from __future__ import annotations

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
    """A file says something about a mechanism that the model does not act on."""


class PerformanceWarning(UserWarning):
    """Something works, but slower than asked for."""


def nearest(name: str, known: Iterable[str]) -> str:
    """A hint naming the closest of the `known` names, upper and lower case alike, or all of them if they are few.

    Examples
    --------
    >>> nearest("Bom", ["boom", "hub"])
    "; did you mean 'boom'?"
    """
    choices = sorted(known)
    folded = {choice.casefold(): choice for choice in reversed(choices)}
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
    return StateError(f"{what}: expected {expected}, got {shown}{hint}")
