"""Which coordinates or speeds belong in one plot."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from supple.formulations import Formulation


def groups(model: Formulation, key: str, units: Sequence[str]) -> dict[tuple[bool, str], list[int]]:
    """Places in q or v of what belongs in one plot: joints and modes apart, one unit each."""
    if key == "q":
        modal = {int(i) for i in model.q_of_speed[model.is_mode]}
    else:
        modal = {int(i) for i in np.flatnonzero(model.is_mode)}
    groups: dict[tuple[bool, str], list[int]] = {}
    for i, unit in enumerate(units):
        groups.setdefault((i in modal, unit), []).append(i)
    return dict(sorted(groups.items(), key=lambda item: item[0][0]))


def quantity(key: str, modal: bool, unit: str) -> str:
    """The word for a coordinate (key "q") or speed ("v") of a unit."""
    if modal:
        return "amplitude" if key == "q" else "rate"
    if key == "q":
        return {"rad": "angle", "m": "position", "1": "quaternion", "s": "time"}[unit]
    return "angular speed" if unit == "rad/s" else "speed"
