"""The numbers of a model and of what acts on it, as blocks load them: what belongs to the structure, and what does not.

Zeros belong to the structure, in arrays of directions ones too, because most joints turn about coordinate axes. All
other numbers are loaded: models that differ in these alone share their machine code.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supple.engines.blocks.block_recorder import BlockRecorder
from supple.engines.blocks.cells import ModelNumbers
from supple.engines.blocks.places import Indices

Numbers = NDArray[np.float64]
DIRECTIONS = ("rotation", "axes", "directions", "rates", "frames.rotation", "row_first", "row_second", "row_ratios")
"""Arrays in which ones belong to the structure as zeros do."""
ZERO, UNIT = (0.0,), (0.0, 1.0, -1.0)


def flat(arrays: Any, inside: str = "") -> Iterator[tuple[str, NDArray[Any]]]:
    """Names and arrays of a named tuple, those of inner ones in their place; an array is itself."""
    if not hasattr(arrays, "_asdict"):
        yield inside, arrays
        return
    for name, x in arrays._asdict().items():
        yield from flat(x, f"{inside}.{name}" if inside else name)


def folded(name: str) -> tuple[float, ...]:
    """Values that belong to the structure in the array of this name."""
    return UNIT if name in DIRECTIONS else ZERO


class NumberArrays:
    """Named groups of arrays, None where there is no such group.

    Parameters
    ----------
    groups : mapping of str to array, named tuple of arrays, or None
    """

    def __init__(self, groups: Mapping[str, Any]) -> None:
        self.groups = dict(groups)

    def digest(self) -> str:
        """Equal where programs are the same: of integers, shapes, and where numbers belong to the structure."""
        digest = hashlib.sha256()
        for group, arrays in self.groups.items():
            digest.update(f"{group} {arrays is None}".encode())
            for name, x in flat(arrays) if arrays is not None else ():
                digest.update(f"{name} {x.shape}".encode())
                if x.dtype.kind != "f":
                    digest.update(x.tobytes())
                elif folded(name) is UNIT:
                    kept = np.logical_or.reduce([x == unit for unit in UNIT])  # np.isin imports half of numpy
                    digest.update(np.where(kept, x, 0.5).tobytes())
                else:
                    digest.update((x == 0.0).tobytes())
        return digest.hexdigest()

    def values(self) -> Numbers:
        """All numbers, one array after the other."""
        return np.concatenate([np.zeros(0), *(x.ravel() for x in self.arrays())])

    def arrays(self) -> list[Numbers]:
        """All arrays of numbers, in order."""
        found = [x for arrays in self.groups.values() if arrays is not None for _, x in flat(arrays)]
        return [x for x in found if x.dtype.kind == "f"]

    def loaded(self, recorder: BlockRecorder) -> dict[str, Any]:
        """The groups as a recorder sees them: integers as they are, numbers as loads."""
        out, first = dict[str, Any](), 0
        for name, arrays in self.groups.items():
            out[name], first = (None, first) if arrays is None else _loaded(recorder, arrays, "", first)
        return out


def _loaded(recorder: BlockRecorder, arrays: Any, inside: str, first: int) -> tuple[Any, int]:
    """Arrays as a recorder sees them, their first number being the `first`, and the next one after them."""
    if hasattr(arrays, "_asdict"):
        parts = {}
        for name, x in arrays._asdict().items():
            parts[name], first = _loaded(recorder, x, f"{inside}.{name}" if inside else name, first)
        return type(arrays)(**parts), first
    if arrays.dtype.kind != "f":
        return Indices(arrays), first
    return ModelNumbers(recorder, arrays, first, folded(inside)), first + arrays.size
