"""Round elastic rotors on supports that stand: small motions with all coordinates in fixed axes.

The coordinates x of what a spinning joint carries turn with it. If its rotor is the same from all sides, deformation x
of a rotor that has turned by an angle is deformation y = G x of one that has not: every displacement and every small
rotation on the axis is turned by that angle, G = exp(angle Gamma). M, C and K at an angle are then G* M G and so on of
those at none, and with x = exp(-W t Gamma) y the coefficients are constant:

    M y'' + (C - 2 M D) y' + (K + M D^2 - C D) y = 0,        D = W Gamma on the rotor, 0 on its supports.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
from scipy import linalg

from supple.formulations import Formulation
from supple.linear.small_motions import LinearEquations
from supple.linear.start import Bools, Floats
from supple.structures.body.flexible_body import FlexibleBody

ROUND = 1e-7
"""What is left of a rotated shape that is no sum of shapes, relative to it, in a round rotor."""
ON_AXIS = 1e-9
"""Distance from the axis, relative to the length of the rotor, which is none."""


def carried_coordinates(model: Formulation, place: int) -> Bools:
    """(nv,) coordinates that turn with a joint: the modes of its body, and all that it carries."""
    mech, joint = model.description, model.body_of_state(model.speeds[place])
    out = np.zeros(model.nv, dtype=bool)
    for i, name in enumerate(model.speeds):
        body = model.body_of_state(name)
        if not model.is_mode[i]:
            body = mech.bodies[body].parent
        out[i] = joint in _path(model, body)
    return out


def _path(model: Formulation, body: str) -> list[str]:
    """The bodies from one down to the ground, itself first."""
    out = []
    while body in model.description.bodies:
        out.append(body)
        body = model.description.bodies[body].parent
    return out


def rotation_generator(e: LinearEquations, place: int) -> Floats | None:
    """Gamma (n, n) of the free coordinates for a joint that spins; None if its rotor is not the same from all sides."""
    model, q = e.model, e.state.q
    joint = model.body_of_state(model.speeds[place])
    turning = carried_coordinates(model, place)[e.free]
    if e.N.any() or e.rolls or not turning.any():
        return None
    axis = model.jacobian(q, joint)[:3, place]
    J = _on_axis(model, q, joint, axis)[:, e.free[turning]]
    cross = np.cross(np.eye(3), axis).T * -1.0
    turned = np.einsum("ij,fjk->fik", cross, J.reshape(-1, 3, J.shape[1])).reshape(J.shape)
    size = np.linalg.norm(J, axis=0)
    if not (size > 0).all():
        return None
    inner, _, rank, _ = np.linalg.lstsq(J / size, turned / size, rcond=1e-9)
    if rank < len(size) or np.abs(J / size @ inner - turned / size).max() > ROUND:
        return None
    out = np.zeros((len(e.free), len(e.free)))
    out[np.ix_(turning, turning)] = inner * size / size[:, None]
    return out


def _on_axis(model: Formulation, q: Floats, joint: str, axis: Floats) -> Floats:
    """Jacobians (6 frames, nv) of all places on the axis of a joint that turn with it."""
    mech, origin = model.description, model.pose(q, joint)[1]
    bodies = [name for name in model.bodies if joint in _path(model, name)]
    frames = [*bodies, *(name for name, frame in mech.frames.items() if frame.body in bodies)]
    for name in bodies:
        body = mech.bodies[name].body
        if isinstance(body, FlexibleBody):
            frames += [f"{name}/{i}" for i in range(len(body.nodes))]
    p = np.array([model.pose(q, frame)[1] for frame in frames]) - origin
    off = np.linalg.norm(p - np.outer(p @ axis, axis), axis=1)
    near = off <= ON_AXIS * max(np.linalg.norm(p, axis=1).max(), 1e-300)
    return np.concatenate([model.jacobian(q, frame) for frame, x in zip(frames, near, strict=True) if x])


def at_angle(e: LinearEquations, generator: Floats, angle: float) -> tuple[Floats, Floats, Floats]:
    """M, C and K with the rotor turned on by an angle, if it is the same from all sides."""
    G = linalg.expm(angle * generator)
    return G.T @ e.M @ G, G.T @ e.C @ G, G.T @ e.K @ G


def in_fixed_axes(e: LinearEquations, places: Iterable[int]) -> LinearEquations:
    """The equations with the coordinates of round rotors in fixed axes, at the moment at which both axes coincide."""
    D = np.zeros_like(e.M)
    for place in places:
        generator = rotation_generator(e, place)
        if generator is not None:
            D += e.state.v[place] * generator
    return replace(e, C=e.C - 2 * e.M @ D, K=e.K + e.M @ D @ D - e.C @ D)
