"""A mechanism as a table: its bodies, joints and masses."""

from __future__ import annotations

from collections.abc import Sequence, Sized
from typing import TYPE_CHECKING

import numpy as np

from supple.html_tables import html_table
from supple.structures.body.flexible_body import FlexibleBody

if TYPE_CHECKING:
    from supple.description.description import Description

MOST_NAMES = 12
"""Of coordinates in a note."""
COLUMNS = ("body", "on", "joint", "joint dof>", "mass, kg>", "basis", "modes>")


def counted(number: int, what: str) -> str:
    """A number with its noun.

    >>> counted(1, "frame"), counted(2, "body")
    ('1 frame', '2 bodies')
    """
    plural = f"{what[:-1]}ies" if what.endswith("y") else f"{what}s"
    return f"{number:,} {what if number == 1 else plural}"


def summary(description: Description) -> str:
    """Bodies, and whatever else there is, in one line."""
    other: dict[str, Sized] = {
        "frame": description.frames,
        "spring": description.springs,
        "constraint": description.constraints,
        "load": description.wrenches,
    }
    parts = [counted(len(description.bodies), "body"), *(counted(len(x), what) for what, x in other.items() if x)]
    return ", ".join(parts)


def coordinates(names: Sequence[str]) -> str:
    """The coordinates of a model in one line; of many the first."""
    more = f", ... ({len(names):,})" if len(names) > MOST_NAMES else ""
    return f"coordinates: {', '.join(names[:MOST_NAMES])}{more}"


def overview(description: Description, title: str, note: str = "") -> str:
    """The bodies of a mechanism as HTML, a line each; a beam in pieces is one."""
    rows = []
    for placed, beam in description.parts():
        body, basis, modes = placed.body, "", ""
        mass = body.mass if beam is None else beam.pieces.mass
        if isinstance(body, FlexibleBody):
            basis, modes = body.basis, str(body.modes)
            if beam is not None:
                basis, modes = f"{basis}, {len(beam.pieces)} pieces", str(beam.pieces.modes)
        carrier = "/".join(filter(None, description.carrier(placed.parent, placed.node)))
        dof = str(np.size(placed.joint.inertia))
        rows.append((placed.name, carrier, placed.joint.kind, dof, f"{mass:.5g}", basis, modes))
    return html_table(title, COLUMNS, rows, note)
