"""States of an equivalent rigid-link system from those of the floating-frame model, and small motions about them.

The floating-frame model has the whole relative motion of two links at their joint as its coordinate, theta + xi, and
deformations in the coordinates y of the bodies, seen from their roots. The elastic modes s_r of the free link are
combinations of the same shapes that are orthogonal in the stiffness K, so of any deformation the part in them is
s_r* K y / (s_r* K s_r), also where fewer modes are kept.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import eigh

from supple.call_checks import checked
from supple.checks import Floats
from supple.erls.model import ErlsModel
from supple.errors import SingularError, StateError
from supple.model.complex_steps import by_complex_steps
from supple.structures.body.flexible_body import FlexibleBody

TOLERANCE = 1e-13
"""Steps of Newton's method below it, or below a thousand times this share of the first, change nothing."""
LIMIT = 30
SLOWEST = 1e-3
"""Hz; below it is rounding in place of zero."""


@checked
def matched_state(model: ErlsModel, q: ArrayLike, v: ArrayLike) -> tuple[Floats, Floats]:
    """State (q, v) that puts joints and links where the floating-frame model of the same mechanism has them.

    Parameters
    ----------
    model : ErlsModel
    q, v : (nq,), (nv,) array_like
        Of the floating-frame model; what of a deformation is not in the modes that are kept is left out.

    Examples
    --------
    >>> from supple import Mechanism, Revolute
    >>> from supple.erls import build
    >>> from supple.structures import Material, Rectangle, beam
    >>> boom = beam(0.5, Rectangle(0.02, 0.005), Material(E=70e9, nu=0.3, rho=2700), elements=4)
    >>> mech = Mechanism("boom")
    >>> mech.add_body("boom", boom.reduce("free-free", modes=4), joint=Revolute("y"))
    >>> model = build(mech)
    >>> q, v = matched_state(model, [0.3, 1e-4, 0, 0, 0], [1, 0, 0, 0, 0])
    >>> model.joint_positions(q).round(12).tolist()
    [0.3]
    """
    position, rate = _wanted(model, q), _wanted(model, v)
    joints = ~_elastic(model)

    def change(x: Floats) -> Floats:
        out = np.zeros(model.nv)
        own = model.actuation_matrix(x)[np.ix_(joints, joints)]
        out[joints] = np.linalg.solve(own, position[joints] - model.joint_positions(x))
        return out

    x = _newton(change, position, f"model {model.name!r}: the equivalent rigid links cannot have their joints there")
    return x, np.asarray(np.linalg.solve(model.actuation_matrix(x), rate), dtype=float)


@checked
def held_configuration(model: ErlsModel, q: ArrayLike) -> Floats:
    """Coordinates (nq,) at which actuators hold the joints where they are in q, and the links have settled on them."""
    joints, rest = ~_elastic(model), np.zeros(model.nv)
    start = np.array(q, dtype=float)
    target = model.joint_positions(start)

    def left(x: Floats) -> Floats:
        out = model.inverse_dynamics(x, rest, rest)
        out[..., joints] = model.joint_positions(x) - target
        return out

    def change(x: Floats) -> Floats:
        return np.asarray(-np.linalg.solve(by_complex_steps(left, x, np.eye(model.nv)), left(x)), dtype=float)

    return _newton(change, start, f"model {model.name!r}: the links do not settle while their joints are held")


@checked
def natural_frequencies(model: ErlsModel, q: ArrayLike) -> Floats:
    """Frequencies of small oscillations about a configuration held by constant forces, Hz, slowest first.

    Dampers are left out. Motions that nothing brings back, or that gravity drives away, are not oscillations.
    """
    at, rest = np.asarray(q, dtype=float), np.zeros(model.nv)
    tau = model.inverse_dynamics(at, rest, rest)

    def left(x: Floats) -> Floats:
        force: Floats = model.bias_forces(x, rest) - (np.swapaxes(model.actuation_matrix(x), -1, -2) @ tau)
        return force

    K = by_complex_steps(left, at, np.eye(model.nv))
    squares = eigh((K + K.T) / 2.0, model.mass_matrix(at), eigvals_only=True)
    return np.sqrt(squares[squares > (2.0 * np.pi * SLOWEST) ** 2]) / (2.0 * np.pi)


def _newton(change: Callable[[Floats], Floats], x: Floats, fault: str) -> Floats:
    """Where the changes have become nothing."""
    first = 0.0
    for i in range(LIMIT):
        step = change(x)
        x = x + step
        size = float(np.abs(step).max(initial=0.0))
        first = first if i else size
        if size <= TOLERANCE * max(1.0, 1e3 * first):
            return x
    raise SingularError(fault)


def _elastic(model: ErlsModel) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Which coordinates are elastic."""
    return np.asarray(model.order) >= model.chain.joints


def _wanted(model: ErlsModel, values: ArrayLike) -> Floats:
    """Joint positions and elastic coordinates, or their rates, in the order of q."""
    chain = model.chain
    given = np.asarray(values, dtype=float)
    sizes = [link.body.modes if isinstance(link.body, FlexibleBody) else 0 for link in chain.links]
    expected = sum(sizes) + chain.joints
    if given.shape != (expected,):
        raise StateError(
            f"model {model.name!r}: expected {expected} numbers of the floating-frame model, got shape {given.shape}"
        )
    out = np.zeros(chain.joints + chain.modes)
    at = 0
    for i, (link, connection) in enumerate(zip(chain.links, chain.connections, strict=True)):
        if connection.coordinate >= 0:
            out[connection.coordinate] = given[at]
            at += 1
        if link.modes and isinstance(link.body, FlexibleBody):
            span = chain.span(i)
            part = link.shapes.T @ (link.body.stiffness @ given[at : at + sizes[i]]) / link.squares
            out[chain.joints + span.start : chain.joints + span.stop] = part
        at += sizes[i]
    return out[model.order]
