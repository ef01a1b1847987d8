"""Forward dynamics by conjugate gradients: M is applied, never formed (section 10).

M x is one Newton-Euler sweep without velocities. The preconditioner is the diagonal of M, which the composite bodies
give in O(n).
"""

from __future__ import annotations

from supple.engines.kernels import step, sweep
from supple.recursions.articulated import articulated_inertias, singular_dof
from supple.recursions.composite import composite, configuration_step
from supple.recursions.newton_euler import at_rest, mass_times
from supple.recursions.nodes import node_shape
from supple.recursions.second_order import shape_inertia_entry
from supple.recursions.tree import Array, Flex, FlexWorkspace, Tree, Workspace
from supple.spatial import Number, dot6, inertia_times, load6, load_inertia

TOLERANCE = 1e-15
"""Of the residual in the norm of the iteration, relative to that at the start."""


@step
def most_iterations(speeds: int) -> int:
    """Iterations after which a mass matrix of this size counts as too badly scaled."""
    return 200 + 20 * speeds


@step
def inner(x: Array, y: Array) -> Number:
    """x* y without conjugation, so that complex steps stay differentiable."""
    total = x[0] * y[0]
    for i in range(1, len(x)):
        total = total + x[i] * y[i]
    return total


@step
def modal_diagonal(flex: Flex, k: int, w: FlexWorkspace, d: Array) -> None:
    """What bodies on the attachment nodes of body k add to the diagonal for its modes. Given Gamma."""
    for p in range(flex.port_first[k], flex.port_first[k + 1]):
        c = flex.port_child[p]
        for r in range(flex.modes[k]):
            shape = node_shape(flex, flex.attachment[c], r, w)
            d[flex.v_mode[k] + r] += dot6(shape, inertia_times(load_inertia(w.Gamma, c), shape))


@step
def diagonal(tree: Tree, flex: Flex | None, ws: Workspace, d: Array) -> None:
    """Diagonal of the mass matrix, H R H*. Given the composite inertias, Gamma."""
    for k in range(1, len(tree.parent)):
        R = load_inertia(ws.P, k)
        for i in range(tree.v_first[k], tree.v_mode[k]):
            h = load6(ws.H, i)
            d[i] = dot6(h, inertia_times(R, h)) + tree.joint_inertia[i]
        for i in range(tree.v_mode[k], tree.v_first[k + 1]):
            d[i] = tree.joint_inertia[i]
        if flex is not None:
            for r in range(flex.modes[k]):
                d[flex.v_mode[k] + r] += shape_inertia_entry(flex, k, r, r, ws.flex)
            modal_diagonal(flex, k, ws.flex, d)


@step
def start(x: Array, work: Array) -> Number:
    """Solution, residual and direction at the start, for M y = x; return rho. Given the diagonal, last of `work`."""
    y, r, p, _, d = work[0], work[1], work[2], work[3], work[4]
    for i in range(len(x)):
        y[i] = 0.0
        r[i] = x[i]
        p[i] = r[i] / d[i]
    return inner(r, p)


@step
def iteration(tree: Tree, flex: Flex | None, rho: Number, ws: Workspace, work: Array) -> Number:
    """One step along the direction p, and the next direction; return rho = r* M_0^-1 r after it.

    Given R, l, H, second; the rest `at_rest`. Cost: one Newton-Euler sweep, 5 products and a division a speed.
    """
    y, r, p, Mp, d = work[0], work[1], work[2], work[3], work[4]
    mass_times(tree, flex, p, ws, Mp)
    length = rho / inner(p, Mp)
    for i in range(len(y)):
        y[i] += length * p[i]
        r[i] -= length * Mp[i]
        Mp[i] = r[i] / d[i]
    rho_next = inner(r, Mp)
    for i in range(len(y)):
        p[i] = Mp[i] + (rho_next / rho) * p[i]
    return rho_next


@step
def iterate(tree: Tree, flex: Flex | None, x: Array, ws: Workspace, work: Array) -> int:
    """Overwrite x by M^-1 x; return the iterations used, or -1 when `most_iterations` did not suffice.

    `work` (5, nv) is working space: solution, residual, direction, M times direction, diagonal.
    """
    diagonal(tree, flex, ws, work[4])
    rho = start(x, work)
    goal = TOLERANCE * TOLERANCE * abs(rho)
    limit = most_iterations(len(x))
    count = 0
    while not abs(rho) <= goal:
        if count == limit:
            return -1
        rho = iteration(tree, flex, rho, ws, work)
        count += 1
    for i in range(len(x)):
        x[i] = work[0, i]
    return count


@sweep
def conjugate_gradient_solve(
    tree: Tree,
    flex: Flex | None,
    q: Array,
    given: Array,
    ws: Workspace,
    work: Array,
    x: Array,
) -> int:
    """Overwrite a batch of forces x (s, nv) by M^-1 x; return the most iterations used.

    -1 when `most_iterations` did not suffice, -2 - i when degree of freedom i has no inertia: a force that does not act
    on it would not show that, so the innovations D of the articulated bodies are looked at. No acceleration is `given`.
    """
    at_rest(flex, ws)
    most = 0
    for s in range(len(q)):
        for k in range(1, len(tree.parent)):
            configuration_step(tree, flex, k, q[s], ws)
        articulated_inertias(tree, flex, given, ws)
        fault = singular_dof(given, ws)
        if fault > 0:
            return -1 - fault
        composite(tree, flex, q[s], ws)
        count = iterate(tree, flex, x[s], ws, work)
        if count < 0:
            return -1
        most = max(most, count)
    return most
