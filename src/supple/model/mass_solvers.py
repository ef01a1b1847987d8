"""M^-1 times forces by other ways than articulated bodies."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from supple.engines.plain import plain
from supple.errors import SingularError
from supple.model.arguments import singular_pivot
from supple.model.frozen import FrozenModel, Numbers
from supple.recursions import conjugate_gradient, triangular


def dense_solve(model: FrozenModel, q: Numbers, force: Numbers) -> Numbers:
    """M^-1 times forces (states, nv), by the mass matrix and a dense solution."""
    M = model.evaluation.mass_matrix(q)
    model.refuse_singular(singular_pivot(M.real))
    out: Numbers = np.linalg.solve(M, force[..., None])[..., 0]
    return out


def triangular_solve(model: FrozenModel, q: Numbers, force: Numbers) -> Numbers:
    """The same by elimination along the branches; `force` is overwritten."""
    M = np.zeros((model.nv, model.nv), force.dtype)
    with model.workspace(force.dtype.type) as ws:
        fault = triangular.triangular_solve(model.tree, model.flex, q, model.none_prescribed, ws, M, force)
    model.refuse_singular(fault)
    return force


def conjugate_gradient_solve(model: FrozenModel, q: Numbers, force: Numbers) -> Numbers:
    """The same by conjugate gradients; `force` is overwritten."""
    if not model.nv:
        return force
    work = np.zeros((5, model.nv), force.dtype)
    with model.workspace(force.dtype.type) as ws:
        count = conjugate_gradient.conjugate_gradient_solve(
            model.tree, model.flex, q, model.none_prescribed, ws, work, force
        )
    if count == -1:
        limit = plain(conjugate_gradient.most_iterations)(model.nv)
        raise SingularError(
            f"model {model.name!r}: conjugate gradients did not converge in {limit} iterations; "
            "the mass matrix is too badly scaled for this method"
        )
    model.refuse_singular(max(-1 - count, 0))
    return force


SOLVERS: dict[str, Callable[[FrozenModel, Numbers, Numbers], Numbers]] = {
    "composite": dense_solve,
    "triangular": triangular_solve,
    "conjugate_gradient": conjugate_gradient_solve,
}
"""By the names of `Model.forward_dynamics`."""
