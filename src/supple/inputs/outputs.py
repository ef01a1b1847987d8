"""What is to be read from a motion besides its states, by name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields
from typing import Any

from supple.errors import StateError
from supple.inputs import requests
from supple.model.model import Model

MEANINGS: dict[str, Callable[[Model, str], Any]] = {
    "frames": requests.frame,
    "wrenches": requests.joints,
    "nodes": requests.node,
    "strains": requests.gauges,
}


@dataclass(frozen=True)
class Outputs:
    """What a simulation records besides states, energies and momentum. A name alone stands for a list of one.

    Parameters
    ----------
    frames : sequence of str
        "body", "body/place" or "body/12": position, orientation, velocity and acceleration in ground axes.
    wrenches : sequence of str
        Bodies whose joints' moments and forces are wanted, or "all".
    nodes : sequence of str
        Nodes of flexible bodies, "boom/12" or "boom/end", whose elastic displacement is wanted; "boom" for all of them.
    strains : sequence of str
        Flexible bodies whose strains are wanted.

    Examples
    --------
    >>> Outputs(frames=["arm/tip"], wrenches="all")
    Outputs(frames=('arm/tip',), wrenches=('all',), nodes=(), strains=())
    """

    frames: Sequence[str] = ()
    wrenches: Sequence[str] = ()
    nodes: Sequence[str] = ()
    strains: Sequence[str] = ()

    def __post_init__(self) -> None:
        for field in fields(self):
            given: Any = getattr(self, field.name)
            if not isinstance(given, Iterable):
                raise StateError(f"outputs: {field.name}: expected names, got {given!r}")
            names = (given,) if isinstance(given, str) else tuple(given)
            for name in names:
                if not isinstance(name, str):
                    raise StateError(f"outputs: {field.name}: expected names, got {name!r}")
            object.__setattr__(self, field.name, tuple(dict.fromkeys(names)))

    def faults(self, model: Model) -> list[str]:
        """What does not fit a model, each with the nearest name that does."""
        found = []
        for key, meaning in MEANINGS.items():
            for name in getattr(self, key):
                try:
                    meaning(model, name)
                except StateError as error:
                    found.append(f"{key}: {error}")
        return found

    def check(self, model: Model) -> None:
        """Raise a `StateError` with all faults, if there are any."""
        found = self.faults(model)
        if found:
            raise StateError("\n".join(f"outputs: {fault}" for fault in found))
