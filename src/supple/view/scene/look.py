"""Colours of bodies and of the background, as linear light."""

from __future__ import annotations

import numpy as np

from supple.checks import Floats
from supple.model.model import Model

PALETTE = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#8f7ee0", "#8a8f98")
"""Of bodies, in their order; that of the pages."""
GREY = "#8a8f98"
"""Of the ground and of springs."""


def linear(color: str) -> Floats:
    """Red, green and blue of "#rrggbb" as linear light (3,): the square, as `raster.byte` takes the root."""
    return np.array([int(color[i : i + 2], 16) / 255.0 for i in (1, 3, 5)]) ** 2


def body_color(model: Model, body: str) -> str:
    """The colour of a body that has none of its own; pieces of one beam have the same."""
    if body not in model.bodies:
        return GREY
    mech = model.description
    beam = mech.beams.get(mech.owner(body))
    return PALETTE[model.bodies.index(beam.names[0] if beam is not None else body) % len(PALETTE)]
