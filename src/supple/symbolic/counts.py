"""How many operations the dynamics of a model takes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np

from supple.call_checks import checked
from supple.engines.plain import plain
from supple.errors import StateError, nearest, unexpected
from supple.expressions.function import Function, Nodes, Operations
from supple.expressions.graph import Expr
from supple.model.dynamic_functions import METHODS
from supple.model.model import Model
from supple.model.symbolic_tree import zeros
from supple.model.trace import Trace
from supple.model.traced_functions import traced
from supple.recursions import composite, conjugate_gradient, newton_euler, triangular


@checked
def count_operations(
    model: Model,
    what: str = "forward_dynamics",
    method: str = "articulated",
    parameters: Sequence[str] = (),
    derivatives: Sequence[str] = (),
    iterations: int | None = None,
    frames: Sequence[str] | None = None,
) -> Operations:
    """Operations of one evaluation, found by running the recursion on graph nodes. Checks are not counted.

    Parameters
    ----------
    model : Model
    what : str
        A name of the table of functions, `supple.model.functions.table`. The step of a rollout has the name of its
        integrator.
    method : str
        Of forward dynamics, as `model.forward_dynamics` has them: "articulated"; "composite" (mass matrix, bias, a
        dense solution that sees no zero); "triangular" (mass matrix, bias, elimination along the branches);
        "conjugate_gradient" (of one iteration, see `iterations`).
    parameters : sequence of str
        Numbers of the model that stay symbolic; what depends on them alone is computed once and not counted. All other
        numbers are folded in: zeros and ones in them cost nothing.
    derivatives : sequence of str
        Inputs by which the outputs are differentiated too, see `Model.compile`.
    iterations : int, optional
        Of conjugate gradients: the count is that of a whole evaluation which takes so many iterations, with the bias
        forces, the configuration and the diagonal of the mass matrix. How many are needed depends on the state. If not
        given, the count is that of one iteration alone, a product with the mass matrix and the next direction.
    frames : sequence of str, optional
        As for `Model.compile`.

    Examples
    --------
    >>> from supple import Mechanism, RigidBody
    >>> mech = Mechanism("pendulum")
    >>> mech.add_body("arm", RigidBody(2.0, com=(0, 0, -1)))
    >>> count_operations(mech.build())
    Operations(additions=1, multiplications=2, divisions=0, functions=1)
    """
    if not isinstance(model, Model):
        raise unexpected("supple.count_operations", "a Model", model)
    if method not in METHODS:
        raise StateError(f"method: expected one of {', '.join(METHODS)}, got {method!r}{nearest(method, METHODS)}")
    if iterations is not None and (method != "conjugate_gradient" or iterations < 0):
        raise StateError(f"iterations: conjugate gradients have them, 0 or more; got {iterations} for {method!r}")
    if method == "articulated":
        return traced(model, what, parameters, derivatives, frames=frames).operations
    if what != "forward_dynamics" or derivatives:
        asked = f"derivatives by {', '.join(derivatives)}" if derivatives else repr(what)
        raise StateError(f"method: {asked} has no other than 'articulated', got {method!r}")
    if model.loops is not None:
        raise StateError(f"model {model.name!r} has closed loops: expected method 'articulated', got {method!r}")
    if method == "conjugate_gradient":
        begun, one = _conjugate_gradients(Trace(model, parameters))
        return one if iterations is None else begun + one * iterations
    return COUNTERS[method](Trace(model, parameters))


def dense_solution(n: int) -> Operations:
    """Of n equations without regard to symmetry or zeros, as LAPACK solves them: one division a pivot."""
    updates = (n - 1) * n * (2 * n - 1) // 6
    return Operations(updates + n * (n - 1), updates + 3 * n * (n - 1) // 2 + n, n)


def _composite(t: Trace) -> Operations:
    """Mass matrix and bias by their recursions, a dense solution."""
    equations = {"M": t.mass_matrix(t.q), "rest": t.tau - t.bias_forces(t.q, t.v)}
    return _function(t, equations).operations + dense_solution(t.model.nv)


def _triangular(t: Trace) -> Operations:
    """The same with elimination along the branches."""
    a = t.tau - t.bias_forces(t.q, t.v)
    M = t.mass_matrix(t.q)
    plain(triangular.factor)(t.model.tree.v_parent, M)
    plain(triangular.solve)(t.model.tree.v_parent, M, a)
    return _function(t, {"a": a}).operations


COUNTERS: dict[str, Callable[[Trace], Operations]] = {"composite": _composite, "triangular": _triangular}
"""Of methods that end after a known number of operations."""


def _conjugate_gradients(t: Trace) -> tuple[Operations, Operations]:
    """What is done once, and what each iteration takes: all that depends on its solution, residual and direction."""
    model, ws, work = t.model, t.workspace(), zeros(5, t.model.nv)
    if not model.nv:
        return Operations(), Operations()
    t.run(newton_euler.at_rest)(t.flex, ws)
    t.run(composite.composite)(t.moving, t.flex, t.q, ws)
    t.run(conjugate_gradient.diagonal)(t.moving, t.flex, ws, work[4])
    rho = t.run(conjugate_gradient.start)(t.tau - t.bias_forces(t.q, t.v), work)
    begun = np.array([*work[1:3].flat, rho], dtype=object)
    leaves = {name: t.graph.new_inputs(name, model.speeds) for name in ("solution", "residual", "direction")}
    leaves["rho"] = t.graph.new_inputs("", ["rho"])
    work[:3] = list(leaves.values())[:3]
    rho = t.run(conjugate_gradient.iteration)(t.moving, t.flex, leaves["rho"][0], ws, work)
    after = np.array([*work[:3].flat, rho], dtype=object)
    both = _function(t, {"begun": begun, "after": after}, leaves)
    counted = [node for node in both.order if node.id not in both.constant_ids]
    moving = _depending(counted, (leaf for x in leaves.values() for leaf in x))
    return (
        Operations.of(node for node in counted if node.id not in moving),
        Operations.of(node for node in counted if node.id in moving),
    )


def _depending(order: Iterable[Expr], leaves: Iterable[Expr]) -> set[int]:
    """Nodes that depend on any of the leaves; arguments come first in the order."""
    found = {leaf.id for leaf in leaves}
    for node in order:
        if any(a.id in found for a in node.args):
            found.add(node.id)
    return found


def _function(t: Trace, outputs: dict[str, Nodes], more: dict[str, Nodes] | None = None) -> Function:
    return t.function("forward_dynamics", {"q": t.q, "v": t.v, "tau": t.tau, **(more or {})}, outputs)
