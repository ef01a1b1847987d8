"""One Newton iteration of an implicit step: inverse dynamics for what is left, vector sweeps for the correction.

The matrix M + g_1 C + g_2 K has the operator factors of M (see `simulation.methods.generalized_alpha`), so that it is
another tree's mass matrix; its articulated inertias change little in a step and may be kept.
"""

from __future__ import annotations

from typing import NamedTuple

from supple.engines.kernels import step, sweep
from supple.recursions.articulated import articulated_inertias, inverse_mass_times
from supple.recursions.composite import configuration_step
from supple.recursions.forces import loaded_motion, passive_forces
from supple.recursions.kinematics import ground_acceleration
from supple.recursions.newton_euler import at_rest, newton_euler
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


@step
def renew_inertias(stiff: WorkingTree, q: Array, given: Array) -> None:
    """Articulated inertias of the stiff tree in this configuration."""
    at_rest(stiff.flex, stiff.ws)
    for k in range(1, len(stiff.tree.parent)):
        configuration_step(stiff.tree, stiff.flex, k, q, stiff.ws)
    articulated_inertias(stiff.tree, stiff.flex, given, stiff.ws)


@sweep
def newton_iteration(
    own: WorkingTree,
    stiff: WorkingTree,
    renew: bool,
    state: States,
    actuation: Actuation,
    w: Array,
    out: Correction,
) -> None:
    """Forces that the accelerations w (nv,) of one state take, what the drives leave of them, the correction of w.

    With `renew` the inertias of the stiff tree are those of this configuration, else those in its workspace.
    """
    given = actuation.given
    ground_acceleration(-1.0, own.tree, own.ws)
    loaded_motion(own.tree, own.flex, state, actuation.wrench, own.ws)
    newton_euler(own.tree, own.flex, w, own.ws, out.force)
    passive_forces(own.tree, own.flex, state.q, state.v, own.ws.eps)
    for i in range(len(w)):
        out.force[i] -= own.ws.eps[i]
        out.residual[i] = 0.0 if given[i] else actuation.drive[i] - out.force[i]
    if renew:
        renew_inertias(stiff, state.q, given)
    inverse_mass_times(stiff.tree, stiff.flex, out.residual, given, stiff.ws, out.change)
