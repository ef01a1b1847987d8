"""What is said of redundant constraint equations."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from supple.model.loops.redundancy import Redundancy

if TYPE_CHECKING:
    from supple.model.loops.loops import Loops


def redundant_sentences(loops: Loops, found: Redundancy) -> list[str]:
    """Sentences that name constraints with equations that are always satisfied, at a dead point, or redundant."""
    satisfied = Counter(name for name, _ in loops.satisfied)
    stuck = Counter(loops.rows[i][0] for i in np.flatnonzero(~found.moved))
    count: Counter[str] = Counter()
    others: dict[str, set[str]] = {}
    for i, explained_by in found.repeated().items():
        name = loops.rows[i][0]
        count[name] += 1
        others.setdefault(name, set()).update(loops.rows[j][0] for j in explained_by)
    return [
        *(f"{_conditions(n)} of {name!r} fulfilled whatever the joints do" for name, n in satisfied.items()),
        *(f"{_conditions(n)} of {name!r} that no joint can change at this dead point" for name, n in stuck.items()),
        *(f"{_conditions(n)} of {x!r} repeating {', '.join(sorted(map(repr, others[x])))}" for x, n in count.items()),
    ]


def _conditions(count: int) -> str:
    return "1 condition" if count == 1 else f"{count} conditions"
