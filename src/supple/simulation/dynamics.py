"""The functions an integration calls: machine code made for the model where that is soon done, else the recursions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from supple.model.compiled import estimated_operations
from supple.model.model import Model

Vector = NDArray[np.float64]
WORTH_COMPILING = 60_000
"""Operations up to which straight-line code is made within a few seconds."""


@dataclass(frozen=True)
class Dynamics:
    """Accelerations a(q, v, tau), coordinate rates (q, v) and energies (q, v) of a model.

    Attributes
    ----------
    engine : str
        "llvm" or "generic".
    """

    accelerations: Callable[[Vector, Vector, ArrayLike], Vector]
    rates: Callable[[Vector, Vector], Vector]
    energy: Callable[[Vector, Vector], tuple[Vector, Vector]]
    engine: str


def dynamics(model: Model, q: Vector, v: Vector, tau: ArrayLike) -> Dynamics:
    """The functions of a model; the state is one that they will be asked for.

    Where machine code finds no acceleration there, the recursions are used, which say what is wrong.
    """
    generic = Dynamics(model.forward_dynamics, model.derivative, model.energy, "generic")
    if model.nv == 0 or estimated_operations(model) > WORTH_COMPILING:
        return generic
    accelerations = model.compile("forward_dynamics")
    if accelerations.engine != "llvm" or not np.isfinite(accelerations(q, v, tau)).all():
        return generic
    energies = model.compile("energy")

    def energy(q: Any, v: Any) -> tuple[Vector, Vector]:
        both = energies(q, v)
        return both[..., 0], both[..., 1]

    return Dynamics(accelerations, model.compile("derivative"), energy, "llvm")
