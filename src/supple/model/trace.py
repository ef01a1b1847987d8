"""Running the recursions on graph nodes: equations from the one source."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from supple.expressions.elimination import pivots, solve_symmetric
from supple.expressions.function import Function, Nodes
from supple.expressions.graph import Graph
from supple.model.body_frames import frame_arrays
from supple.model.parameters import Symbols, plain_symbols
from supple.model.prescribed_modes import require_tree
from supple.model.regroup import regrouped
from supple.model.rotations import on_nodes
from supple.model.symbolic_tree import as_objects, symbolic_tree, zeros
from supple.recursions import (
    articulated,
    closed_chains,
    closure_forces,
    closures,
    composite,
    coordinates,
    energy,
    frame_wrenches,
    kinematics,
    newton_euler,
)
from supple.recursions.closures import Closures, ClosureWorkspace
from supple.recursions.frame_wrenches import FrameWrenches
from supple.recursions.frames import frame_pose
from supple.recursions.states import Actuation, States
from supple.recursions.tree import Flex, Frames, sizes, workspace

if TYPE_CHECKING:
    from supple.model.model import Model


class Trace:
    """A model whose state is made of nodes.

    Parameters
    ----------
    model : Model
    parameters : sequence of str, or Symbols
        Names (see `parameter_names`) of what stays symbolic, or these with names of their own for all leaves; all other
        numbers are folded in.
    limit : int, optional
        Most nodes the graph may have.
    regroup : bool
        Move inertia inward where the motion does not notice, see `regroup`: cheaper equations of motion. Energy and
        momentum stay those of the bodies as they are.
    """

    def __init__(
        self,
        model: Model,
        parameters: Sequence[str] | Symbols = (),
        limit: float = math.inf,
        regroup: bool = False,
    ) -> None:
        self.model = model
        self.graph = Graph(limit)
        symbols = parameters if isinstance(parameters, Symbols) else plain_symbols(model, parameters)
        self.parameters = symbols.nodes(self.graph)
        self.symbols = symbols.leaves(self.graph)
        self.tree = symbolic_tree(model, self.parameters)
        self.flex = None if model.flex is None else Flex(**as_objects(model.flex))
        self.moving = regrouped(self.tree, self.flex) if regroup else self.tree
        self.q = self.graph.new_inputs("q", symbols.called(model.coordinates))
        self.v = self.graph.new_inputs("v", symbols.called(model.speeds))
        self.tau = self.graph.new_inputs("tau", [symbols.inputs.get(speed, speed) for speed in model.speeds])
        self.a = self.graph.new_inputs("a", symbols.called(model.speeds))

    # ------------------------------------------------------------ the recursions

    def run(self, recursion: Any) -> Callable[..., Any]:
        """A step or sweep as it runs on nodes."""
        return on_nodes(recursion)

    def nodes_of(self, arrays: Any) -> Any:
        """Further arrays of numbers, a named tuple, for recursions on nodes."""
        return type(arrays)(**as_objects(arrays))

    def forward_dynamics(self, q: Nodes, v: Nodes, tau: Nodes) -> Nodes:
        """Accelerations."""
        return self.hybrid_dynamics(q, v, tau, np.zeros(self.model.nv, dtype=bool))[0]

    def hybrid_dynamics(self, q: Nodes, v: Nodes, drive: Nodes, given: NDArray[np.bool_]) -> tuple[Nodes, Nodes]:
        """Accelerations and generalized forces; `drive` holds accelerations where they are `given`, else forces."""
        if (given & self.model.is_mode).any():
            return self._held_modes(q, v, drive, given)
        if self.model.loops is not None:
            return self.closed_dynamics(q, v, drive, given, self.workspace())[:2]
        ws, a, tau = self.workspace(), zeros(self.model.nv), drive.copy()
        self.run(kinematics.ground_acceleration)(-1.0, self.moving, ws)
        actuation = Actuation(tau, given, self._unloaded())
        self.run(articulated.articulate)(self.moving, self.flex, States(q, v), actuation, ws, a)
        return a, tau

    def _held_modes(self, q: Nodes, v: Nodes, drive: Nodes, given: NDArray[np.bool_]) -> tuple[Nodes, Nodes]:
        """The same where modes are among the prescribed: see `prescribed_modes`."""
        require_tree(self.model)
        joints, modes = given & ~self.model.is_mode, given & self.model.is_mode
        held = np.flatnonzero(modes)
        free = drive.copy()
        free[held] = 0.0
        a, tau = self.hybrid_dynamics(q, v, free, joints)
        ws, nv = self.workspace(), self.model.nv
        self.run(newton_euler.at_rest)(self.flex, ws)
        for k in range(1, len(self.model.bodies) + 1):
            self.run(composite.configuration_step)(self.moving, self.flex, k, q, ws)
        self.run(articulated.articulated_inertias)(self.moving, self.flex, joints, ws)
        X, hold = zeros(len(held), nv), zeros(len(held), nv)
        for row, i in enumerate(held):
            hold[row, i] = 1.0
            self.run(articulated.inverse_mass_times)(self.moving, self.flex, hold[row], joints, ws, X[row])
        force = solve_symmetric(X[:, held], (drive - a)[held])
        a = np.where(modes, drive, a + force @ X)
        tau = np.where(joints, tau + force @ hold, tau)
        tau[held] = force
        return a, tau

    def closed_dynamics(
        self, q: Nodes, v: Nodes, drive: Nodes, given: NDArray[np.bool_], ws: Any
    ) -> tuple[Nodes, Nodes, Nodes]:
        """The same, and the forces that close the loops, those of rows that repeat others left out."""
        ct, cw = self.closures()
        a, tau = zeros(self.model.nv), drive.copy()
        actuation = Actuation(tau, given, self._unloaded())
        self.run(closed_chains.free_motion)(ct, States(q, v), actuation, ws, cw, a)
        (cw.force[:],) = self.least_forces(cw.S, -cw.acceleration)
        self.run(closure_forces.close)(given, tau, cw, a)
        return a, tau, cw.force

    def constraint_pull(self, q: Nodes, force: Nodes, ct: closures.ClosedTree, ws: Any, cw: ClosureWorkspace) -> Nodes:
        """J* force: what forces of all rows do to the speeds. Given `constraint_rates`; leaves loads behind."""
        cl, balance = ct.closures, zeros(self.model.nv)
        self.run(newton_euler.at_rest)(ct.flex, ws)
        for i in range(len(cl.row_pair)):
            if cl.row_pair[i] >= 0:
                self.run(closure_forces.row_force)(ct, i, force[i], q, ws, cw)
        self.run(closure_forces.carry_inward)(ct.tree, ct.flex, self.everywhere(), 0, cw.still, ws, balance)
        for i in range(len(cl.row_pair)):
            for j in range(2 if cl.row_pair[i] < 0 else 0):
                speed = cl.row_speeds[i, j]
                balance[speed] = balance[speed] - cl.row_ratios[i, j] * force[i]
        return -balance

    def pull_of_loops(self, q: Nodes, v: Nodes, force: Nodes) -> Nodes:
        """J* force at a state: the generalized forces of what closes the loops."""
        ws, (ct, cw) = self.workspace(), self.closures()
        none = np.zeros(self.model.nv, dtype=bool)
        self.run(closed_chains.open_motion)(ct, States(q, v), none, ws, cw)
        return self.constraint_pull(q, force, ct, ws, cw)

    def least_forces(self, S: Nodes, *right: Nodes) -> list[Nodes]:
        """Forces of least size with S force = r, by `closure_forces.REFINEMENTS` solutions with a regularized S."""
        rows = self._changing(S)
        own = S[np.ix_(rows, rows)]
        regularized, found = _regularized(own), []
        for r in right:
            force = zeros(len(rows))
            for _ in range(closure_forces.REFINEMENTS):
                force = force + solve_symmetric(regularized, r[rows] - own @ force)
            found.append(zeros(len(r)))
            found[-1][rows] = force
        return found

    def weighted_rows(self, weights: Nodes, rows: Nodes) -> Nodes:
        """The sum of the rows of a matrix, each times its weight."""
        return weights @ rows

    def _changing(self, S: Nodes) -> list[int]:
        """Rows that something changes."""
        return [i for i in range(len(S)) if self.graph.node(S[i, i]) is not self.graph.zero]

    def closures(self) -> tuple[closures.ClosedTree, ClosureWorkspace]:
        """The tree with its constraints, and arrays of nodes to work in."""
        cl = self.closure_arrays()
        return closures.ClosedTree(self.moving, self.flex, cl), closures.closure_workspace(cl, self.model.nv, object)

    def closure_arrays(self) -> Closures:
        """The constraints as recursions on nodes take them."""
        assert self.model.loops is not None
        found: Closures = self.nodes_of(self.model.loops.arrays)
        return found

    def closed(self, q: Nodes, v: Nodes, given: NDArray[np.bool_]) -> tuple[Nodes, Nodes, Nodes]:
        """Coordinates and speeds after one step towards the closed loops, of least kinetic energy, and S before it.

        Prescribed speeds stay.
        """
        cw, dq, dv = self.closing_steps(q, v, given, self.workspace())
        return q + self.tangent(q) @ dq, v + dv, cw.S

    def closing_steps(
        self, q: Nodes, v: Nodes, given: NDArray[np.bool_], ws: Any
    ) -> tuple[ClosureWorkspace, Nodes, Nodes]:
        """All that is known of the open loops, and the changes of position and of speed that close them."""
        ct, cw = self.closures()
        self.run(closed_chains.open_motion)(ct, States(q, v), given, ws, cw)
        dq, dv = (-self.weighted_rows(x, cw.X) for x in self.least_forces(cw.S, cw.position, cw.velocity))
        return cw, dq, dv

    def closure_margins(self, S: Nodes) -> Nodes:
        """What rows add to those before them, each as a share of the rows of its kind between the same two frames.

        Near zero where a row repeats others, and where nothing that the joints do changes it any more: a row by itself
        would not tell, as its own size goes to zero with what it adds.
        """
        rows = self._changing(S)
        own = S[np.ix_(rows, rows)]
        out = np.array([self.graph.one] * len(S), dtype=object)
        out[rows] = self.pivots(own) / self._sizes_of_kind(rows, own.diagonal())
        return out

    def pivots(self, S: Nodes) -> Nodes:
        """What is left of the diagonal of the regularized S where rows are eliminated one after the other."""
        return pivots(_regularized(S))

    def _sizes_of_kind(self, rows: list[int], own: Nodes) -> Nodes:
        """The mean of the entries `own` of all those rows that measure lengths, or angles, between the same frames."""
        assert self.model.loops is not None
        arrays = self.model.loops.arrays
        kinds = [(arrays.row_pair[i], arrays.row_kind[i] == closures.ANGLE) for i in rows]
        kinds = [(-1 - i, False) if pair < 0 else (pair, angle) for i, (pair, angle) in enumerate(kinds)]
        means = {
            kind: sum(own[i] for i, x in enumerate(kinds) if x == kind) / kinds.count(kind)
            for kind in dict.fromkeys(kinds)
        }
        return np.array([means[kind] for kind in kinds], dtype=object)

    def frame_motions(self, laws: FrameWrenches, q: Nodes, v: Nodes) -> Nodes:
        """How the frames of wrenches move, (m, 9): see `frame_wrenches.MOTION`."""
        out = zeros(len(laws.frame), frame_wrenches.MOTION)
        self.run(frame_wrenches.frame_motions)(self.tree, self.flex, laws, States(q, v), self.workspace(), out)
        return out

    def wrench_forces(self, laws: FrameWrenches, q: Nodes, wrench: Nodes) -> tuple[Nodes, Nodes]:
        """J* F: generalized forces (nv,) of wrenches (m, 6), and what acts on each body, (bodies, 6) at its origin."""
        ws, still, balance = self.workspace(), zeros(self.model.nv), zeros(self.model.nv)
        self.run(newton_euler.at_rest)(self.flex, ws)
        self.run(frame_wrenches.law_wrenches)(self.tree, self.flex, laws, States(q, still), wrench, ws)
        on_bodies = -ws.load[1:]
        self.run(closure_forces.carry_inward)(self.tree, self.flex, self.everywhere(), 0, still, ws, balance)
        return -balance, on_bodies

    def power(self, q: Nodes, v: Nodes, tau: Nodes) -> Any:
        """Power of the generalized forces."""
        return tau @ v

    def inverse_dynamics(self, q: Nodes, v: Nodes, a: Nodes) -> Nodes:
        """Generalized forces."""
        out = newton_euler.Forces(zeros(1, self.model.nv), zeros(0, 0, 6))
        states, wrench = States(q[None], v[None]), self._unloaded()[None]
        self.run(newton_euler.inverse_dynamics)(self.moving, self.flex, states, a[None], wrench, self.workspace(), out)
        return out.tau[0]

    def bias_forces(self, q: Nodes, v: Nodes) -> Nodes:
        """Generalized forces at zero acceleration."""
        return self.inverse_dynamics(q, v, zeros(self.model.nv))

    def mass_matrix(self, q: Nodes) -> Nodes:
        """M."""
        M = zeros(self.model.nv, self.model.nv)
        self.run(composite.mass)(self.moving, self.flex, q, self.workspace(), M)
        return M

    def inverse_mass_matrix(self, q: Nodes) -> Nodes:
        """M^-1, from its innovations factors."""
        model, ws, given = self.model, self.workspace(), np.zeros(self.model.nv, dtype=bool)
        for k in range(1, len(model.bodies) + 1):
            self.run(composite.configuration_step)(self.moving, self.flex, k, q, ws)
        self.run(articulated.articulated_inertias)(self.moving, self.flex, given, ws)
        W = zeros(model.nv, model.nv)
        for i in range(model.nv):
            x, row = zeros(model.nv), zeros(model.nv)
            x[i] = 1.0
            self.run(articulated.inverse_mass_times)(self.moving, self.flex, x, given, ws, row)
            W[i, : i + 1] = W[: i + 1, i] = row[: i + 1]  # the other half is the same, and costs more this way
        return W

    def balance(self, q: Nodes, v: Nodes, a: Nodes, tau: Nodes) -> Nodes:
        """Forces that the accelerations take on the speeds; those of constant tau change with nothing."""
        return self.inverse_dynamics(q, v, a)

    def by_forces(self, q: Nodes, W: Nodes) -> Nodes:
        """Changes (nv, nv) of the accelerations with tau, from W = M^-1."""
        return W

    def rates(self, q: Nodes, v: Nodes) -> Nodes:
        """Rates of the coordinates."""
        out = zeros(1, self.model.nq)
        self.run(coordinates.rates)(self.tree, self.flex, q[None], v[None], out)
        return out[0]

    def advanced(self, q: Nodes, v: Nodes, dt: Any) -> Nodes:
        """Coordinates after dt at constant speeds."""
        out = zeros(1, self.model.nq)
        step = np.empty(1, dtype=object)
        step[0] = dt
        self.run(coordinates.advance)(self.tree, self.flex, q[None], v[None], step, out)
        return out[0]

    def poses(self, q: Nodes) -> tuple[Nodes, Nodes]:
        """R (bodies, 3, 3) and p (bodies, 3) in the ground frame."""
        rows = len(self.model.bodies) + 1
        R, p = zeros(1, rows, 9), zeros(1, rows, 3)
        self.run(kinematics.poses)(self.tree, self.flex, q[None], self.workspace(), R, p)
        return R[0, 1:].reshape(-1, 3, 3), p[0, 1:]

    def mass(self) -> Any:
        """Mass of all bodies."""
        return sum(self.tree.mass[k] for k in range(1, len(self.model.bodies) + 1))

    def frames_by_name(self, names: Sequence[str]) -> Frames:
        """Frames of the model; coordinates of one may be parameters."""
        found: Frames = self.nodes_of(frame_arrays(self.model.find_frame(name) for name in names))
        for i, name in enumerate(names):
            for j, c in enumerate("xyz"):
                found.position[i, j] = self.parameters.get(f"{name}.{c}", found.position[i, j])
        return found

    def frame_positions(self, q: Nodes, frames: Frames) -> Nodes:
        """Origins (frames, 3) of frames in the ground frame."""
        return self.posed_frames(q, frames)[1]

    def posed_frames(self, q: Nodes, frames: Frames) -> tuple[Nodes, Nodes]:
        """Rotations (frames, 3, 3) and origins (frames, 3) of frames in the ground frame."""
        rows, ws = len(self.model.bodies) + 1, self.workspace()
        R, p = zeros(1, rows, 9), zeros(1, rows, 3)
        self.run(kinematics.poses)(self.tree, self.flex, q[None], ws, R, p)
        own, turns, out = frames, zeros(len(frames.body), 9), zeros(len(frames.body), 3)
        if isinstance(frames.position, np.ndarray):
            own = Frames(*(x.astype(object) if x.dtype.kind == "f" else x for x in frames))
        for i in range(len(out)):
            turns[i], out[i] = self.run(frame_pose)(self.flex, own, i, q, ws)
        return turns.reshape(-1, 3, 3), out

    def joint_wrenches(
        self, q: Nodes, v: Nodes, a: Nodes, on_bodies: Nodes | None = None, force: Nodes | None = None
    ) -> Nodes:
        """Moments and forces (bodies, 6) that joints pass to their bodies, under wrenches (bodies, 6).

        Of closed loops with the `force` of their rows.
        """
        bodies, ws = len(self.model.bodies), self.workspace()
        out = newton_euler.Forces(zeros(1, self.model.nv), zeros(1, bodies + 1, 6))
        wrench = self._unloaded() if force is None else self._wrenches_of_loops(q, v, force)
        states = States(q[None], v[None])
        if on_bodies is not None:
            wrench[1:] = wrench[1:] + on_bodies
        self.run(newton_euler.inverse_dynamics)(self.tree, self.flex, states, a[None], wrench[None], ws, out)
        return out.f[0, 1:]

    def _wrenches_of_loops(self, q: Nodes, v: Nodes, force: Nodes) -> Nodes:
        """What forces of the rows do to bodies, (bodies + 1, 6)."""
        (ct, cw), ws = self.closures(), self.workspace()
        for k in range(1, len(self.model.bodies) + 1):
            self.run(kinematics.joint_step)(ct.tree, ct.flex, k, q, ws)
        self.run(closed_chains.constraint_rates)(ct, States(q, v), ws, cw)
        self.run(newton_euler.at_rest)(ct.flex, ws)
        for i in range(len(force)):
            if ct.closures.row_pair[i] >= 0:
                self.run(closure_forces.row_force)(ct, i, -force[i], q, ws, cw)
        return np.array(ws.load, dtype=object)

    def responses(self, q: Nodes, speeds: Sequence[int], given: NDArray[np.bool_]) -> Nodes:
        """(speeds, nv): changes of all speeds by a unit impulse at each of some, loops kept closed.

        Where loops are closed, M^-1 e less M^-1 J* S^-1 J M^-1 e.
        """
        ws = self.workspace()
        if self.model.loops is None:
            return self._open_responses(q, speeds, given, ws)
        cw = self.closing_steps(q, zeros(self.model.nv), given, ws)[0]
        out = self._answers(speeds, given, ws)
        for i in range(len(speeds)):
            out[i] = out[i] - self.least_forces(cw.S, cw.J @ out[i]) @ cw.X
        return out

    def open_responses(self, q: Nodes, speeds: Sequence[int], given: NDArray[np.bool_]) -> Nodes:
        """(speeds, nv): the same with the loops open, M^-1 e."""
        return self._open_responses(q, speeds, given, self.workspace())

    def _open_responses(self, q: Nodes, speeds: Sequence[int], given: NDArray[np.bool_], ws: Any) -> Nodes:
        for k in range(1, len(self.model.bodies) + 1):
            self.run(composite.configuration_step)(self.moving, self.flex, k, q, ws)
        self.run(articulated.articulated_inertias)(self.moving, self.flex, given, ws)
        return self._answers(speeds, given, ws)

    def _answers(self, speeds: Sequence[int], given: NDArray[np.bool_], ws: Any) -> Nodes:
        """M^-1 e of some speeds, given the articulated inertias."""
        out = zeros(len(speeds), self.model.nv)
        for i, speed in enumerate(speeds):
            impulse = zeros(self.model.nv)
            impulse[speed] = 1.0
            self.run(articulated.inverse_mass_times)(self.moving, self.flex, impulse, given, ws, out[i])
        return out

    def energy(self, q: Nodes, v: Nodes) -> Nodes:
        """Kinetic and potential energy."""
        return self.sums(q, v)[0]

    def sums(self, q: Nodes, v: Nodes) -> tuple[Nodes, Nodes, Nodes]:
        """Energies (2,), momentum (6,), first moment of mass (3,)."""
        out, momentum, moment = zeros(1, 2), zeros(1, 6), zeros(1, 3)
        self.run(energy.energy_and_momentum)(
            self.tree, self.flex, States(q[None], v[None]), self.workspace(), out, momentum, moment
        )
        return out[0], momentum[0], moment[0]

    def function(self, name: str, inputs: dict[str, Nodes], outputs: dict[str, Nodes]) -> Function:
        """A function of these inputs and of the symbolic parameters."""
        return Function(name, self.graph, inputs, outputs, self.symbols.values())

    def tangent(self, q: Nodes) -> Nodes:
        """S (nq, nv): rates of the coordinates are S v."""
        columns = [
            self.rates(q, np.array([float(i == j) for i in range(self.model.nv)], dtype=object))
            for j in range(self.model.nv)
        ]
        return np.array(columns, dtype=object).reshape(self.model.nv, self.model.nq).T

    # ------------------------------------------------------------ arrays of nodes

    def workspace(self) -> Any:
        """New arrays of nodes."""
        return workspace(sizes(self.model.tree, self.model.flex), object)

    def everywhere(self) -> NDArray[np.bool_]:
        """A row of `Closures.row_path` with all bodies."""
        return np.ones((1, len(self.model.bodies) + 1), dtype=bool)

    def _unloaded(self) -> Nodes:
        return zeros(len(self.model.bodies) + 1, 6)


def _regularized(S: Nodes) -> Nodes:
    """See `closure_forces.REGULARIZATION`."""
    return S + np.diag(closure_forces.REGULARIZATION * S.diagonal())
