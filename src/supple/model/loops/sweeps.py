"""The recursions of `recursions.closed_chains` for the constraints of one model, on batches of checked states.

Programs of blocks where these are quickly made (see `closed_programs`), else compiled sweeps; for complex states their
plain twins.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from supple.engines.plain import plain
from supple.model.loops.closed_programs import ClosedPrograms, Found
from supple.recursions import closed_chains
from supple.recursions.closures import ClosedTree, Closures, ClosureWorkspace, Projection, closure_workspace
from supple.recursions.states import Actuation, States

if TYPE_CHECKING:
    from supple.model.model import Model

Numbers = NDArray[Any]


class Response(NamedTuple):
    """Forward dynamics of a closed system."""

    a: Numbers
    """(states, nv) accelerations."""
    force: Numbers
    """(states, rows) forces of the constraint equations."""
    last: ClosureWorkspace
    """What was computed on the way for the last state, the tree still open."""


class ConstraintSweeps:
    """Errors, projection, dynamics and wrenches of constraints.

    Parameters
    ----------
    model : Model
    closures : Closures
    """

    def __init__(self, model: Model, closures: Closures) -> None:
        self._model = model
        self.system = ClosedTree(model.tree, model.flex, closures)
        self.programs = ClosedPrograms(model, closures)

    def errors(self, states: States) -> tuple[Numbers, Numbers]:
        """Errors and their rates (states, rows)."""
        return self._kinematics(states, 0)[:2]

    def jacobian(self, q: Numbers) -> Numbers:
        """J (states, rows, nv)."""
        return self._kinematics(self._still(q), len(q))[2]

    def configuration(self, q: Numbers) -> ClosureWorkspace:
        """Errors, J and how the frames lie of one configuration (nq,); no inertia is needed."""
        return self._kinematics(self._still(q[None]), 1)[3]

    def projection(self, states: States, given: Numbers, matrices: bool = False) -> Projection:
        """Steps that close the loops of nearly closed states, prescribed dofs held; with `matrices` J, X and S too.

        Raises
        ------
        SingularError
            If a degree of freedom of the open tree has no inertia: there is no M^-1 then.
        """
        found = self.programs.projection(states.q, states.v, given)
        if found is None:
            return self._swept_projection(states, given, matrices)
        if len(found.rest):
            part = self._swept_projection(_some(states, found.rest), given, True)
            _put(found, part._asdict())
        return Projection(**found.results)

    def _swept_projection(self, states: States, given: Numbers, matrices: bool) -> Projection:
        model, dtype, n, rows = self._model, states.q.dtype, len(states.q), self._rows
        kept, nv = n if matrices else 0, model.nv
        shapes = (n, rows), (n, rows), (n, nv), (n, nv), (kept, rows, nv), (kept, rows, nv), (kept, rows, rows)
        out = Projection(*(np.zeros(shape, dtype) for shape in shapes))
        with model.workspace(dtype.type) as ws:
            fault = _run(closed_chains.projection, dtype)(self.system, states, given, ws, self._workspace(dtype), out)
        model.refuse_singular(fault)
        return out

    def forward(self, states: States, drive: Numbers, given: Numbers) -> tuple[Numbers, Numbers, Numbers]:
        """Accelerations, forces of the constraint equations and generalized forces, without applied wrenches.

        `drive` (states, nv) holds accelerations where they are `given`, else forces.

        Raises
        ------
        SingularError
            As above.
        """
        found = self.programs.forward(states.q, states.v, drive, given)
        if found is None:
            return self._swept_forward(states, drive, given)
        if len(found.rest):
            part = self._swept_forward(_some(states, found.rest), drive[found.rest], given)
            _put(found, dict(zip(("a", "force", "tau"), part, strict=True)))
        return found.results["a"], found.results["force"], found.results["tau"]

    def _swept_forward(self, states: States, drive: Numbers, given: Numbers) -> tuple[Numbers, Numbers, Numbers]:
        tau = drive.copy()
        response = self.response(states, Actuation(tau, given, self._model.no_wrench(states.q.dtype)))
        return response.a, response.force, tau

    def response(self, states: States, actuation: Actuation) -> Response:
        """The same with applied wrenches, and all that is computed; `actuation.drive` becomes the generalized forces.

        Raises
        ------
        SingularError
            As above.
        """
        model, dtype, n = self._model, states.q.dtype, len(states.q)
        out = Response(np.zeros((n, model.nv), dtype), np.zeros((n, self._rows), dtype), self._workspace(dtype))
        with model.workspace(dtype.type) as ws:
            sweep = _run(closed_chains.forward_dynamics, dtype)
            fault = sweep(self.system, states, actuation, ws, out.last, out.a, out.force)
        model.refuse_singular(fault)
        return out

    def wrenches(self, q: Numbers, force: Numbers) -> Numbers:
        """What forces of the rows (states, rows) do to bodies, (states, n + 1, 6) in body axes at body origins."""
        model, dtype = self._model, q.dtype
        out = np.zeros((len(q), len(model.bodies) + 1, 6), dtype)
        with model.workspace(dtype.type) as ws:
            cw = self._workspace(dtype)
            _run(closed_chains.constraint_wrenches, dtype)(self.system, self._still(q), force, ws, cw, out)
        return out

    def _kinematics(self, states: States, kept: int) -> tuple[Numbers, Numbers, Numbers, ClosureWorkspace]:
        """Errors and rates (states, rows), J (kept, rows, nv), and all that is known of the last state."""
        found = self.programs.kinematics(states.q, states.v)
        if found is None:
            return self._swept_kinematics(states, kept)
        results, last = found.results, self._workspace(states.q.dtype)
        if len(found.rest):
            *part, last = self._swept_kinematics(_some(states, found.rest), len(found.rest))
            _put(found, dict(zip(("position", "velocity", "J"), part, strict=True)))
        if len(states.q) - 1 not in found.rest:
            last = last._replace(**{name: x[-1] for name, x in results.items()})
        return results["position"], results["velocity"], results["J"][:kept], last

    def _swept_kinematics(self, states: States, kept: int) -> tuple[Numbers, Numbers, Numbers, ClosureWorkspace]:
        dtype, shape, cw = states.q.dtype, (len(states.q), self._rows), self._workspace(states.q.dtype)
        position, velocity = np.zeros(shape, dtype), np.zeros(shape, dtype)
        J = np.zeros((kept, self._rows, self._model.nv), dtype)
        with self._model.workspace(dtype.type) as ws:
            sweep = _run(closed_chains.constraint_kinematics, dtype)
            sweep(self.system, states, ws, cw, position, velocity, J)
        return position, velocity, J, cw

    def _still(self, q: Numbers) -> States:
        return States(q, np.zeros((len(q), self._model.nv), q.dtype))

    def _workspace(self, dtype: Any) -> ClosureWorkspace:
        return closure_workspace(self.system.closures, self._model.nv, dtype)

    @property
    def _rows(self) -> int:
        return len(self.system.closures.row_kind)


def _some(states: States, numbers: Numbers) -> States:
    """Some of the states."""
    return States(states.q[numbers], states.v[numbers])


def _put(found: Found, results: Mapping[str, Numbers]) -> None:
    """Put what sweeps have found where programs had nothing."""
    for name, x in results.items():
        found.results[name][found.rest] = x


def _run(sweep: Any, dtype: Any) -> Callable[..., Any]:
    """A sweep for numbers of a type: of complex ones its plain twin, for which nothing has to be compiled."""
    found: Callable[..., Any] = plain(sweep) if dtype == np.complex128 else sweep
    return found
