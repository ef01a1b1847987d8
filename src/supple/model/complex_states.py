"""Recursions on complex states without a compiler: the plain twin runs once, every number a vector over the states.

Complex states are few, those of a derivative by complex steps. To compile a recursion for complex numbers takes up to
half a minute, to run its twin on all of them at once some milliseconds.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supple.engines.plain import Replacements, plain
from supple.recursions import articulated
from supple.recursions.articulated import SINGULAR
from supple.recursions.tree import Flex, Sizes, Tree, Workspace, workspace

MOST_CELLS = 2**23
"""Complex numbers of a workspace: more states than fit go one lot after another."""


class Number(np.ndarray[Any, Any]):
    """A number of all states (s,), never changed once it is there."""

    def __iadd__(self, other: Any) -> Any:  # type: ignore[misc]
        return self + other

    def __isub__(self, other: Any) -> Any:  # type: ignore[misc]
        return self - other

    def __imul__(self, other: Any) -> Any:  # type: ignore[misc]
        return self * other

    def __itruediv__(self, other: Any) -> Any:  # type: ignore[misc]
        return self / other


class Cells(np.ndarray[Any, Any]):
    """An array (..., s) of numbers of all states: reading gives the number that is there now, not a view of it."""

    def __getitem__(self, place: Any) -> Any:
        found = super().__getitem__(place)
        return found.copy().view(Number) if found.ndim == 1 else found

    def __setitem__(self, place: Any, value: Any) -> None:
        self.view(np.ndarray)[place] = value  # numpy itself would write to what __getitem__ gives


def sweep_states(
    sweep: Any, tree: Tree, flex: Flex | None, inputs: Sequence[Any], size: Sizes | None, outputs: Sequence[Any]
) -> Any:
    """What a sweep over states returns; the outputs are filled.

    Parameters
    ----------
    sweep : sweep
        Of (tree, flex, inputs, workspace, outputs).
    inputs, outputs : sequences of arrays and tuples of arrays
        Their first axis is that of the states, of the outputs s; arrays of truth values are the same in all states.
    size : Sizes, optional
        Of the workspace; None for a sweep that takes none.
    """
    twin = plain(sweep, SINGULAR_IN_ANY)
    count = len(outputs[0][0] if isinstance(outputs[0], tuple) else outputs[0])
    one = None if size is None else workspace(size, np.complex128)
    lot = max(1, count if one is None else MOST_CELLS // _cells(one))
    found = None
    for first in range(0, count, lot):
        chosen = slice(first, first + lot)
        ws = () if one is None else (_widened(one, len(range(count)[chosen])),)
        given, filled = ([_states_last(x, chosen) for x in values] for values in (inputs, outputs))
        with np.errstate(all="ignore"):  # as in compiled code: what is no number is found in the results
            found = found or twin(tree, flex, *given, *ws, *filled)
    return found


def _states_last(x: Any, chosen: slice) -> Any:
    """Some states of an array (s, ...) as one state (1, ..., s) of vectors, a view; one for all states stays one."""
    if isinstance(x, tuple):
        return type(x)(*(_states_last(y, chosen) for y in x))
    if x.dtype == np.bool_ or not len(x):  # an output that is not wanted
        return x
    return np.moveaxis(x if len(x) == 1 else x[chosen], 0, -1)[None].view(Cells)


def _cells(ws: Any) -> int:
    """Numbers of a workspace."""
    return sum(_cells(x) if isinstance(x, tuple) else x.size for x in ws if x is not None)


def _widened(ws: Any, count: int) -> Any:
    """A workspace whose numbers are vectors over so many states."""

    def wide(x: Any) -> Any:
        if x is None or isinstance(x, tuple):
            return x if x is None else _widened(x, count)
        return np.repeat(x[..., None], count, axis=-1).view(Cells)

    return type(ws)(*map(wide, ws))


def _singular_in_any(given: NDArray[np.bool_], ws: Workspace) -> int:
    """0, or 1 + the outermost degree of freedom whose D is zero to rounding in some state."""
    for i in range(len(given) - 1, -1, -1):
        D, size = ws.D[i].real, ws.size[i].real
        if not given[i] and not ((D > 0.0) & (SINGULAR * size <= D)).all():
            return i + 1
    return 0


SINGULAR_IN_ANY: Replacements = ((articulated.singular_dof, _singular_in_any),)
"""The one branch on a number that depends on the state."""
