"""One Newton iteration of an implicit step: inverse dynamics for what is left, vector sweeps for the correction.

The matrix M + g_1 C + g_2 K has the operator factors of M (see `simulation.methods.generalized_alpha`), so that it is
another tree's mass matrix; its articulated inertias change little in a step and may be kept.
"""

from __future__ import annotations

from supple.engines.kernels import sweep
from supple.recursions.articulated import articulated_inertias, inverse_mass_times
from supple.recursions.composite import configuration_step
from supple.recursions.forces import loaded_motion, passive_forces
from supple.recursions.kinematics import ground_acceleration
from supple.recursions.newton_euler import at_rest, newton_euler
from supple.recursions.tree import Array, Flex, Tree, Workspace


@sweep
def newton_iteration(
    tree: Tree,
    flex: Flex | None,
    stiff: Tree,
    stiff_flex: Flex | None,
    renew: bool,
    q: Array,
    v: Array,
    w: Array,
    drive: Array,
    given: Array,
    wrench: Array,
    ws: Workspace,
    stiff_ws: Workspace,
    force: Array,
    residual: Array,
    correction: Array,
) -> None:
    """Forces that the accelerations w take, what the drives leave of them, and the correction of w.

    With `renew` the inertias of the stiff tree are those of this configuration, else those in its workspace. `wrench`
    (n + 1, 6) are the applied wrenches.
    """
    ground_acceleration(-1.0, tree, ws)
    loaded_motion(tree, flex, q, v, wrench, ws)
    newton_euler(tree, flex, w, ws, force)
    passive_forces(tree, flex, q, v, ws.eps)
    for i in range(len(w)):
        force[i] -= ws.eps[i]
        residual[i] = 0.0 if given[i] else drive[i] - force[i]
    if renew:
        at_rest(stiff_flex, stiff_ws)
        for k in range(1, len(tree.parent)):
            configuration_step(stiff, stiff_flex, k, q, stiff_ws)
        articulated_inertias(stiff, stiff_flex, given, stiff_ws)
    inverse_mass_times(stiff, stiff_flex, residual, given, stiff_ws, correction)
