"""The state about which motions are small: given as arrays or by names, with the loops closed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from supple.errors import StateError, nearest
from supple.formulations import Formulation
from supple.model.arguments import named_vector
from supple.model.loops.assembly import assembled

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Numbers = NDArray[Any]
Values = ArrayLike | Mapping[str, float]
NAMED = 8
"""Speeds that a message names."""


class NothingMovesError(StateError):
    """All of a model is held."""


def coordinates(model: Formulation, q: Values | None, held: Bools, rigid: bool = True) -> Floats:
    """Coordinates (nq,) from an array, or from names; what is not named is neutral.

    Closed loops are closed: what is held keeps its value, and so do coordinates given by name whose rates are speeds.
    With `rigid`, a warning says where flexible bodies had to be strained for that.
    """
    start = model.neutral()
    found = start if q is None else model.normalize(named_vector(model.coordinates, q, "q", start))
    if model.loops is None:
        return found
    kept = _kept(model, q, held)
    return model.loops.assemble(found, kept) if rigid else assembled(model.loops, found, model.loops.held(kept))


def speeds(model: Formulation, q: Floats, v: Values | None, held: Bools) -> Floats:
    """Speeds (nv,) in the same way."""
    found = np.zeros(model.nv) if v is None else named_vector(model.speeds, v, "v")
    if model.loops is None or not found.any():
        return found
    return model.loops.consistent(q, found, _kept(model, v, held))


def _kept(model: Formulation, given: Values | None, held: Bools) -> list[str]:
    """Speeds that are held, and those whose name is given."""
    named = [name for name in given if name in model.speeds] if isinstance(given, Mapping) else []
    return [*named, *(name for name, x in zip(model.speeds, held, strict=True) if x and name not in named)]


def held_speeds(model: Formulation, fixed: Iterable[str]) -> Bools:
    """Which speeds (nv,) the names of coordinates or bodies hold."""
    if isinstance(fixed, str):
        raise StateError(f"fixed: expected a sequence of names, got the text {fixed!r}")
    held = np.zeros(model.nv, dtype=bool)
    own = [name for name in model.speeds if name in model.coordinates]
    for name in fixed:
        if name in own:
            held[model.speeds.index(name)] = True
        elif name in model.bodies:
            held[model.joint_speeds(name)] = True
        else:
            raise StateError(
                f"fixed: expected a body, or a coordinate whose rate is a speed of the model, got {name!r}"
                f"{nearest(name, [*own, *model.bodies])}"
            )
    require_dofs(model, int((~held).sum()), held)
    return held


def require_dofs(model: Formulation, count: int, held: Bools) -> None:
    """Raise if loops and held speeds (nv,) leave a model no motion."""
    if count:
        return
    by = "" if model.loops is None else " that its constraints let move"
    names = [name for name, x in zip(model.speeds, held, strict=True) if x]
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    besides = f"besides what is fixed or prescribed, {', '.join(names[:NAMED])}{more}; leave some of it free"
    raise NothingMovesError(
        f"fixed: nothing of model {model.name!r}{by} is left to move{f' {besides}' if names else ''}"
    )
