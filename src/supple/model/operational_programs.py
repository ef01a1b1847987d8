"""Inverse operational inertia of some frames as a program of blocks: one call of one state costs what its blocks do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from supple.engines.blocks.block_program import Program
from supple.engines.blocks.places import Indices
from supple.recursions import operational_space
from supple.recursions.frame_paths import path_workspace

if TYPE_CHECKING:
    from supple.model.programs import RecursionRecording


def inverse_operational_inertia(r: RecursionRecording, given: tuple[bool, ...], grounded: bool) -> Program:
    """J M^-1 J* of the frames whose paths the structure has."""
    paths = r.structure.paths
    assert paths is not None
    q, rows = r.input("q", r.structure.nq), 6 * len(paths.of_frame)
    out = r.output("J M^-1 J*", rows, rows)
    pw = r.cells(path_workspace(paths, r.structure.size))
    mask: Any = Indices(given)
    r.run(operational_space.path_inertias)(r.tree, r.flex, q[0], mask, r.ws)
    r.run(operational_space.path_compliances)(r.tree, r.flex, r.loaded["paths"], q[0], mask, grounded, r.ws, pw, out[0])
    return r.program(r.margin(given))


OPERATIONAL_RECURSIONS = {"inverse_operational_inertia": inverse_operational_inertia}
"""What can be recorded, by name."""
