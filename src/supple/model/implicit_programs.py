"""Newton iterations of implicit steps as programs of blocks: see `recursions.implicit`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supple.engines.blocks.block_program import Program
from supple.engines.blocks.block_recorder import recording
from supple.engines.blocks.blocks import instances
from supple.engines.blocks.cells import Cells
from supple.engines.blocks.places import Indices
from supple.engines.blocks.prepared_function import PreparedFunction
from supple.engines.blocks.program_cache import PROGRAMS
from supple.model.loops.closure_arrays import spring_closures
from supple.model.number_arrays import NumberArrays
from supple.model.programs import ModelStructure, RecursionRecording, recorded
from supple.recursions import implicit, spring_slopes
from supple.recursions.closures import closure_workspace
from supple.recursions.implicit import Correction, WorkingTree, stiff_workspace
from supple.recursions.spring_slopes import SpringSlopes
from supple.recursions.states import Actuation, States
from supple.recursions.tree import Flex, Tree


@dataclass(frozen=True)
class ImplicitStructure(ModelStructure):
    """A model, and the tree whose mass matrix is that of its implicit steps."""

    stiff_tree: Tree
    stiff_flex: Flex | None

    @property
    def numbers(self) -> NumberArrays:
        """All arrays of both, and the rows of the springs between frames."""
        springs = spring_closures(self.tree) if len(self.tree.spring_frames) else None
        stiff = {"stiff_tree": self.stiff_tree, "stiff_flex": self.stiff_flex, "springs": springs}
        return NumberArrays({"tree": self.tree, "flex": self.flex} | stiff)


def newton_function(structure: ImplicitStructure, prescribed: NDArray[np.bool_]) -> PreparedFunction:
    """(q, v, drive, w) -> (force, change) of one iteration; the inertias of the stiff tree are renewed, or kept.

    Parameters
    ----------
    structure : ImplicitStructure
    prescribed : (nv,) array of bool
        Degrees of freedom whose acceleration is prescribed.
    """
    given, made = tuple(prescribed.tolist()), list[Program]()

    def part(i: int) -> Program:
        if not made:
            made.extend(_recorded(structure, given))
        return made[i]

    key = "newton_iteration", structure.digest(), given
    whole, rest = (
        PROGRAMS.stored(Program, (*key, "whole"), lambda: part(0)),
        PROGRAMS.stored(Program, (*key, "rest"), lambda: part(1)),
    )
    return PreparedFunction(whole, rest, structure.numbers.values())


def _recorded(structure: ImplicitStructure, given: tuple[bool, ...]) -> tuple[Program, Program]:
    """An iteration whose inertias are renewed, and the same without the blocks that do so."""
    r = RecursionRecording(structure)
    own = WorkingTree(r.tree, r.flex, r.ws)
    stiff = WorkingTree(r.loaded["stiff_tree"], r.loaded["stiff_flex"], stiff_workspace(r.ws, r.fresh()))
    q, v = r.state()
    drive, w = r.input("drive", r.nv), r.input("w", r.nv)
    force, change = r.output("force", r.nv), r.output("change", r.nv)
    mask, residual = Indices(given), Cells(r.recorder, (r.nv,))
    state, actuation = States(q[0], v[0]), Actuation(drive[0], mask, r.wrench(False)[0])  # type: ignore[arg-type]
    with recording(r.recorder):
        recorded(implicit.iteration_motion)(own, state, actuation)
        first = r.mark()
        recorded(implicit.renew_inertias)(stiff, q[0], mask)
        last = r.mark()
        out = Correction(force[0], residual, change[0])  # type: ignore[arg-type]
        recorded(implicit.iteration_correction)(own, stiff, state, actuation, w[0], out)
        again = end = r.mark()
        if r.loaded["springs"] is not None:
            springs = _spring_slopes(r)
            recorded(spring_slopes.renew_springs)(own, stiff, springs, q[0], mask)
            end = r.mark()
            recorded(spring_slopes.spring_correction)(springs, change[0])
        whole = r.program()
    cells = [at for begin, size in whole.outputs.values() for at in range(begin, begin + size)]
    marks = (first, last, again, end)
    a, b, c, d = (len(whole.instances) - len(instances(r.recorder, cells, at)) for at in marks)
    r.recorder.release()
    kept = whole.instances[:a] + whole.instances[b:c] + whole.instances[d:]
    return whole, whole.with_instances(kept, whole.cells)


def _spring_slopes(r: RecursionRecording) -> SpringSlopes:
    """The rows of the springs, in cells."""
    closures = r.loaded["springs"]
    rows = len(closures.row_kind)
    nothing: Any = None  # closures are loaded, not worked in
    room = SpringSlopes(nothing, closure_workspace(closures, r.nv, np.float64), np.zeros(rows * rows), np.zeros(rows))
    found: SpringSlopes = r.cells(room)
    return found._replace(closures=closures)
