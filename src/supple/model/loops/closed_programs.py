"""The recursions of closed chains as programs of blocks, for real numbers and constraints that are not too many."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from supple.engines.blocks.block_program import BoundProgram
from supple.engines.llvm.batches import CORES
from supple.expressions.function import Nodes
from supple.model.recorded_trace import RecordedTrace, closed_program
from supple.recursions import closed_chains, closure_forces
from supple.recursions.articulated import SINGULAR
from supple.recursions.closures import Closures
from supple.recursions.kinematics import joint_step
from supple.recursions.states import States

if TYPE_CHECKING:
    from supple.model.model import Model

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
MARGIN = "margin"
MOST = 1500
"""Bodies and modes that all constraint equations reach, beyond which recording takes longer than compiling sweeps."""

WORTH_LANES = 50_000_000
"""Operations beyond which states go side by side, some tens of milliseconds: less is done before that is compiled."""


class Found(NamedTuple):
    """What a program gives: results (s, ...) by name, and the numbers of those states that sweeps have to serve.

    At these a result is not finite: where nothing moves a constraint equation any more sweeps leave it out, and where a
    degree of freedom has no inertia they say which.
    """

    results: dict[str, Floats]
    rest: NDArray[np.intp]


class ClosedPrograms:
    """Functions of states (s, n); None where sweeps serve: for complex states and large systems.

    Parameters
    ----------
    model : Model
    closures : Closures
    """

    def __init__(self, model: Model, closures: Closures) -> None:
        self._model, self._closures = model, closures
        size = np.ones(len(model.tree.parent)) if model.flex is None else 1 + model.flex.modes
        fits = (closures.row_reach @ size).sum() <= MOST
        self._serves = fits and model.evaluation.programs is not None
        self._bound: dict[Any, tuple[BoundProgram, dict[str, tuple[int, ...]]]] = {}

    def kinematics(self, q: Floats, v: Floats) -> Found | None:
        """Errors, their rates, J, and how the frames lie."""
        return self._run("kinematics", (), _kinematics, {"q": q, "v": v})

    def projection(self, q: Floats, v: Floats, given: Mask) -> Found | None:
        """All of `Projection`."""
        return self._run("projection", tuple(given.tolist()), lambda t: _projection(t, given), {"q": q, "v": v})

    def forward(self, q: Floats, v: Floats, drive: Floats, given: Mask) -> Found | None:
        """Accelerations, forces of the constraint equations, and generalized forces."""
        inputs = {"q": q, "v": v, "tau": drive}
        return self._run("forward", tuple(given.tolist()), lambda t: _forward(t, given), inputs)

    @property
    def accelerations(self) -> BoundProgram | None:
        """The program of `forward` where nothing is prescribed, for one state; None where sweeps serve."""
        if not self._serves:
            return None
        given = self._model.none_prescribed
        return self._program("forward", tuple(given.tolist()), lambda t: _forward(t, given), ("q", "v", "tau"))[0]

    def _program(
        self,
        what: str,
        options: tuple[Any, ...],
        make: Callable[[RecordedTrace], dict[str, Nodes]],
        inputs: Iterable[str],
    ) -> tuple[BoundProgram, dict[str, tuple[int, ...]]]:
        """A program with the model's numbers, and the shapes of its results."""
        key = what, options
        if key not in self._bound:
            program, numbers = closed_program(self._model, self._closures, key, list(inputs), make)
            self._bound[key] = BoundProgram(program, numbers), program.shapes
        return self._bound[key]

    def _run(
        self,
        what: str,
        options: tuple[Any, ...],
        make: Callable[[RecordedTrace], dict[str, Nodes]],
        inputs: Mapping[str, Floats],
    ) -> Found | None:
        states = len(inputs["q"])
        if not self._serves or not states or any(x.dtype != np.float64 for x in inputs.values()):
            return None
        bound, shapes = self._program(what, options, make, inputs)
        rows = [np.ascontiguousarray(x) for x in inputs.values()]
        found = bound.batch(rows, states, CORES, worth=WORTH_LANES)
        results = {name: x.reshape(states, *shape) for (name, shape), x in zip(shapes.items(), found, strict=True)}
        good = results.pop(MARGIN, np.ones((states, 1)))[:, 0] > 0.0
        for x in found:
            if not np.isfinite(x).all():
                good &= np.isfinite(x).all(axis=1)
        return Found(results, np.flatnonzero(~good))


def _kinematics(t: RecordedTrace) -> dict[str, Nodes]:
    ct, cw = t.closures()
    ws = t.workspace()
    for k in range(1, len(ct.tree.parent)):
        t.run(joint_step)(ct.tree, ct.flex, k, t.q, ws)
    t.run(closed_chains.constraint_rates)(ct, States(t.q, t.v), ws, cw)
    t.run(closure_forces.jacobian_rows)(ct, t.q, ws, cw)
    return {"position": cw.position, "velocity": cw.velocity, "J": cw.J, "R": cw.R, "p_second": cw.p_second, "N": cw.N}


def _projection(t: RecordedTrace, given: Mask) -> dict[str, Nodes]:
    ws = t.workspace()
    cw, shift, impulse = t.closing_steps(t.q, t.v, given, ws)
    matrices = {"J": cw.J, "X": cw.X, "S": cw.S}
    steps = {"shift": shift, "impulse": impulse}
    return {"position": cw.position, "velocity": cw.velocity} | steps | matrices | _margin(t, given, ws)


def _forward(t: RecordedTrace, given: Mask) -> dict[str, Nodes]:
    ws = t.workspace()
    a, tau, force = t.closed_dynamics(t.q, t.v, t.tau, given, ws)
    return {"a": a, "force": force, "tau": tau} | _margin(t, given, ws)


def _margin(t: RecordedTrace, given: Mask, ws: Any) -> dict[str, Nodes]:
    """Positive where all degrees of freedom of the open tree have inertia, see `programs.RecursionRecording.margin`."""
    least: Any = t.graph.one
    for i in np.flatnonzero(~given):
        least = np.minimum(least, t.graph.node(ws.D[i]) - SINGULAR * ws.size[i])
    return {MARGIN: np.array([least], dtype=object)}
