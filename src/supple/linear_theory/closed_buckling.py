"""Buckling of flexible bodies in closed loops, with the supports that the loops give."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import scipy

from supple.checks import Floats
from supple.inputs.wrenches import GROUND, OWN
from supple.model.model import Model
from supple.structures.body.flexible_body import FlexibleBody
from supple.structures.discretization.dof_map import cross_matrix

MOST_COORDINATES = 200
"""Bodies with more coordinates are judged with their root clamped."""
DEPENDENT = 1e-9
"""Relative size of a rate of the constraints that is rounding."""


class LoadedState(NamedTuple):
    """A state and its loads.

    Attributes
    ----------
    q, v, a : (nq,), (nv,), (nv,) arrays
    closing : (rows,) array
        Constraint forces.
    wrenches : dict of (frame, axes) to (6,) array
        Applied at frames, in these axes: "frame" (they turn with it), "ground" or a frame.
    """

    q: Floats
    v: Floats
    a: Floats
    closing: Floats
    wrenches: Mapping[tuple[str, str], Floats]


def softening(model: Model, name: str, state: LoadedState) -> float | None:
    """Loads on a body as a fraction of its buckling load; None if loops do not support it.

    The body deforms, the joints of the mechanism follow as little as the loops require, and the other bodies keep their
    shape. With deformations Y that the loops allow and the motion X = (joints, Y) of the mechanism, at constant speeds,
    accelerations and constraint forces lambda,

        X* (d(inverse dynamics)/dq - d(J* lambda)/dq) X = Y* K Y + K_sigma

    and the fraction is the largest p with (K_sigma + p Y* K Y) y = 0 for some y.
    """
    loops, flex = model.loops, model.flex
    body = model.description.bodies[name].body
    assert flex is not None
    assert isinstance(body, FlexibleBody)
    if loops is None or body.modes > MOST_COORDINATES:
        return None
    q = state.q
    first = flex.v_mode[model.bodies.index(name) + 1]
    own = np.arange(first, first + body.modes)
    joints = np.setdiff1d(np.arange(model.nv), _modes(model))
    J = np.asarray(loops.jacobian(q))
    unit = 1.0 / np.sqrt(body.stiffness.diagonal())
    rates, moved = J[:, own] * unit, J[:, joints]
    if not rates.any():
        return None
    follow = np.linalg.lstsq(moved, -rates, rcond=DEPENDENT)[0]
    _, sizes, V = np.linalg.svd(rates + moved @ follow)
    kept = np.ones(body.modes, bool)
    kept[: len(sizes)] = sizes <= DEPENDENT * np.abs(rates).max()
    Y = V[kept].T
    if not Y.shape[1]:
        return None
    X = np.zeros((model.nv, Y.shape[1]))
    X[joints], X[own] = follow @ Y, unit[:, None] * Y
    tangent = X.T @ (_force_changes(model, state) @ X)
    elastic = X[own].T @ (body.stiffness @ X[own])
    stress = (tangent + tangent.T) / 2.0 - elastic
    return float(-scipy.linalg.eigh(stress, elastic, eigvals_only=True)[0])


def _modes(model: Model) -> list[int]:
    """Speeds of all flexible bodies' coordinates."""
    flex = model.flex
    assert flex is not None
    return [int(flex.v_mode[k]) + i for k in range(len(flex.modes)) for i in range(int(flex.modes[k]))]


def _force_changes(model: Model, state: LoadedState) -> Floats:
    """(nv, nv) change of the forces on the speeds with q, in the directions of the speeds."""
    q, v, a, closing, wrenches = state
    loops, still = model.loops, np.zeros((1, model.nv))
    assert loops is not None
    pull = loops.constraint_slopes(q[None], still, still, closing[None]).pull_by_q[0] @ model.tangent(q)
    applied: dict[str, Floats] = {}
    turned = np.zeros((model.nv, model.nv))
    for (frame, axes), wrench in wrenches.items():
        R, turn = np.asarray(model.pose(q, frame)[0]), np.eye(3)
        if axes != GROUND:
            turn = np.asarray(model.pose(q, axes)[0]) if axes != OWN else R
        moment, force = turn @ wrench[:3], turn @ wrench[3:]
        applied[frame] = applied.get(frame, 0.0) + np.concatenate([R.T @ moment, R.T @ force])
        if axes != OWN:  # it turns with other axes, or stays
            J = np.asarray(model.jacobian(q, frame))
            back = J[:3] if axes == GROUND else J[:3] - np.asarray(model.jacobian(q, axes))[:3]
            turned -= J.T @ np.concatenate([cross_matrix(moment) @ back, cross_matrix(force) @ back])
    return np.asarray(model.balance_slopes(q, v, a, applied).by_q - pull + turned)
