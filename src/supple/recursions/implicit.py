"""One Newton iteration of an implicit step: inverse dynamics for what is left, vector sweeps for the correction.

The matrix M + g_1 C + g_2 K has the operator factors of M (see `simulation.methods.generalized_alpha`), so that it is
another tree's mass matrix; its articulated inertias change little in a step and may be kept.
"""

from __future__ import annotations

from typing import NamedTuple

from supple.engines.kernels import step
from supple.recursions.articulated import articulated_inertias, inverse_mass_times
from supple.recursions.forces import loaded_motion, passive_forces
from supple.recursions.kinematics import ground_acceleration
from supple.recursions.modal import shape_seconds
from supple.recursions.newton_euler import at_rest, newton_euler
from supple.recursions.second_order import second_order_step
from supple.recursions.states import Actuation, States
from supple.recursions.tree import Array, Flex, Tree, Workspace


class WorkingTree(NamedTuple):
    """A tree and the arrays that its recursions work in."""

    tree: Tree
    flex: Flex | None
    ws: Workspace


class Correction(NamedTuple):
    """What an iteration gives, (nv,) each."""

    force: Array
    """Generalized forces that the accelerations take."""
    residual: Array
    """What the drives leave of them; used up."""
    change: Array
    """Of the accelerations."""


def stiff_workspace(own: Workspace, fresh: Workspace) -> Workspace:
    """Arrays for the stiff tree: new ones, but what the configuration alone decides is that of the model's.

    Second-order shapes are not among it: their basis goes by the mass matrix of the modes.
    """
    shared = {name: getattr(own, name) for name in ("R", "l", "H")}
    if own.flex is not None:
        names = (
            "moment",
            "inertia",
            "second",
            "coupling",
            "node_l",
            "node_R",
            "node_Q",
            "node_rate",
        )
        shared["flex"] = fresh.flex._replace(**{name: getattr(own.flex, name) for name in names})
    return fresh._replace(**shared)


@step
def iteration_motion(own: WorkingTree, state: States, actuation: Actuation) -> None:
    """Configuration, velocities and gyroscopic forces at the end of the step."""
    ground_acceleration(-1.0, own.tree, own.ws)
    loaded_motion(own.tree, own.flex, state, actuation.wrench, own.ws)


@step
def renew_inertias(stiff: WorkingTree, q: Array, given: Array) -> None:
    """Articulated inertias of the stiff tree in this configuration. Given `iteration_motion`."""
    at_rest(stiff.flex, stiff.ws)
    if stiff.flex is not None:
        for k in range(1, len(stiff.tree.parent)):
            if stiff.flex.second_order[k] > 0:
                second_order_step(stiff.flex, k, q, stiff.ws.flex)
                shape_seconds(stiff.flex, k, q, stiff.ws.flex)
    articulated_inertias(stiff.tree, stiff.flex, given, stiff.ws)


@step
def iteration_correction(
    own: WorkingTree, stiff: WorkingTree, state: States, actuation: Actuation, w: Array, out: Correction
) -> None:
    """What the accelerations w take, and their correction. Given `iteration_motion` and inertias."""
    newton_euler(own.tree, own.flex, w, own.ws, out.force)
    passive_forces(own.tree, own.flex, state.q, state.v, own.ws.eps)
    for i in range(len(w)):
        out.force[i] -= own.ws.eps[i]
        out.residual[i] = 0.0 if actuation.given[i] else actuation.drive[i] - out.force[i]
    inverse_mass_times(stiff.tree, stiff.flex, out.residual, actuation.given, stiff.ws, out.change)


@step
def tree_iteration(
    own: WorkingTree, stiff: WorkingTree, renew: bool, state: States, actuation: Actuation, w: Array, out: Correction
) -> None:
    """An iteration of the tree alone: without the springs between its frames, with its loops open.

    With `renew` the inertias of the stiff tree are those of this configuration, else those in its workspace, which is
    a `stiff_workspace`.
    """
    iteration_motion(own, state, actuation)
    if renew:
        renew_inertias(stiff, state.q, actuation.given)
    iteration_correction(own, stiff, state, actuation, w, out)
