"""How many operations the dynamics of a model takes."""

from __future__ import annotations

from collections.abc import Sequence

from supple.engines.plain import plain
from supple.errors import StateError, nearest, unexpected
from supple.expressions.function import Operations
from supple.model.model import Model
from supple.model.trace import Trace
from supple.model.traced_functions import traced
from supple.recursions import triangular

METHODS = ("articulated", "triangular")


def count_operations(
    model: Model, what: str = "forward_dynamics", method: str = "articulated", parameters: Sequence[str] = ()
) -> Operations:
    """Operations of one evaluation, found by running the recursion on graph nodes.

    Parameters
    ----------
    model : Model
    what : str
        One of `supple.model.traced_functions.TRACEABLE`.
    method : str
        Of forward dynamics: "articulated", or "triangular" (mass matrix, bias, elimination along the branches).
    parameters : sequence of str
        Numbers of the model that stay symbolic; what depends on them alone is computed once and not counted. All other
        numbers are folded in: zeros and ones in them cost nothing.

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
    if method == "articulated" or what != "forward_dynamics":
        return traced(model, what, parameters).operations
    t = Trace(model, parameters)
    a = t.tau - t.bias_forces(t.q, t.v)
    M = t.mass_matrix(t.q)
    plain(triangular.factor)(model.tree.v_parent, M)
    plain(triangular.solve)(model.tree.v_parent, M, a)
    return t.function(what, {"q": t.q, "v": t.v, "tau": t.tau}, {"a": a}).operations
