"""Which nodes a user means: a number, several, or a function of the positions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeAlias

import numpy as np

from supple.checks import Floats
from supple.errors import ModelError

Where: TypeAlias = "int | Iterable[int] | Callable[[Floats], Any]"
"""A node, several, or a function of all positions (3, k) that says which nodes are in."""


def nodes_in(where: Callable[[Floats], Any], nodes: Floats, what: str) -> list[int]:
    """Return the nodes that a function of all positions (3, k) chooses."""
    found = np.flatnonzero(where(nodes.T))
    if not len(found):
        raise ModelError(f"{what}: expected some nodes, got none from its function")
    return [int(i) for i in found]


def chosen(frames: Mapping[str, Where], nodes: Floats, prefix: str = "") -> dict[str, tuple[int, ...]]:
    """Return the nodes of each frame, checked."""
    found = {
        name: nodes_in(where, nodes, f"{prefix}frame {name!r}") if callable(where) else where
        for name, where in frames.items()
    }
    return named(found, len(nodes))


def named(frames: Mapping[str, int | Iterable[int]], count: int) -> dict[str, tuple[int, ...]]:
    """Frames as tuples of node numbers, checked."""
    out: dict[str, tuple[int, ...]] = {}
    for name, nodes in frames.items():
        if not isinstance(name, str) or not name or "/" in name or name.isdecimal():
            raise ModelError(f"frame {name!r}: expected a name that is no number and has no '/', got {name!r}")
        numbers = np.atleast_1d(np.asarray(nodes if np.ndim(nodes) == 0 else list(nodes)))  # type: ignore[arg-type]
        if numbers.ndim != 1 or len(numbers) == 0 or not np.issubdtype(numbers.dtype, np.integer):
            raise ModelError(f"frame {name!r}: expected a node number or several, got {nodes!r}")
        wrong = numbers[(numbers < 0) | (numbers >= count)]
        if len(wrong):
            raise ModelError(f"frame {name!r}: expected node numbers from 0 to {count - 1}, got {int(wrong[0])}")
        if len(np.unique(numbers)) != len(numbers):
            raise ModelError(f"frame {name!r}: expected each node once, got {numbers.tolist()}")
        out[name] = tuple(int(i) for i in numbers)
    return out
