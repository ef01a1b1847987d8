"""What a flexible body was made of: its structure, and how that was reduced."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from supple.structures.damping import Damping
from supple.structures.reduction.mode_selection import Modes


class Reduction(NamedTuple):
    """A structure with the arguments of `Structure.reduce`."""

    structure: Any
    basis: str
    modes: Modes | None
    root: str
    interfaces: Sequence[str] | None
    damping: Damping
    residual: Sequence[str]
