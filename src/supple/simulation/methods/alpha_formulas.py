"""Formulas of generalized-alpha steps of one length (see `generalized_alpha`)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from supple.engines.plain import plain
from supple.errors import SimulationError
from supple.model.evaluation import Evaluation
from supple.model.flatten import numbering
from supple.model.flexible import flexible_arrays
from supple.model.model import Model
from supple.recursions.tree import Flex, Tree
from supple.simulation.driven_system import DrivenSystem
from supple.simulation.methods.alpha_loop import AlphaConstants, end_speed, mean_speed, method_acceleration
from supple.simulation.methods.segment import Vector
from supple.structures.body.flexible_body import FlexibleBody

Gains = tuple[Vector, Vector]
"""Damping and stiffness (nv,) that the laws give their own degrees of freedom."""
MOST_KEPT = 64
"""Lengths of steps for which the arrays of a model's flexible bodies are kept."""
_kept: WeakKeyDictionary[Evaluation, dict[tuple[float, float], Flex]] = WeakKeyDictionary()


class AlphaState(NamedTuple):
    """All that goes from step to step: coordinates, speeds, integrals; accelerations w, those of the method c, and the
    rates r of the integrals.
    """

    q: Vector
    v: Vector
    z: Vector
    w: Vector
    c: Vector
    r: Vector


class LawValues(NamedTuple):
    """What the laws make of a state: coordinates and speeds, forces or prescribed accelerations, rates of integrals."""

    q: Vector
    v: Vector
    known: Vector
    z_rate: Vector


@dataclass(frozen=True)
class AlphaFormulas:
    """What a step of one length does with accelerations.

    Attributes
    ----------
    step : float
        Length, s.
    rho : float
        Spectral radius at high frequencies.
    tolerance : float
        Error of the accelerations that may be left, relative to the largest.
    """

    step: float
    rho: float
    tolerance: float

    def constants(self) -> AlphaConstants:
        """Of the method."""
        m, f = (2 * self.rho - 1) / (self.rho + 1), self.rho / (self.rho + 1)
        return AlphaConstants(m, f, 0.25 * (1 - m + f) ** 2, 0.5 - m + f, self.tolerance)

    def slopes(self) -> tuple[float, float]:
        """g_1, g_2: what speeds and coordinates at the end of a step change with the acceleration there."""
        m, f, beta, gamma, _ = self.constants()
        share = (1 - f) / (1 - m)
        return self.step * gamma * share, self.step**2 * beta * share

    def end(self, start: AlphaState, w: Vector) -> tuple[Vector, Vector, Vector]:
        """c, mean speeds of the coordinates and speeds at the end of a step with the accelerations w there."""
        k, h = self.constants(), self.step
        c = plain(method_acceleration)(k, w, start.w, start.c)
        return c, plain(mean_speed)(k, h, start.v, start.c, c), plain(end_speed)(k, h, start.v, start.c, c)


def implicit_arrays(model: Model, g_1: float, g_2: float, gains: Gains | None = None) -> tuple[Tree, Flex | None]:
    """The arrays of the model with M + g_1 C + g_2 K in the place of M, for elasticity, joints and gains.

    Springs between frames have g_2 k and g_1 c in the place of k and c (see `recursions.spring_slopes`).
    `gains` are the damping and stiffness (nv,) that controllers add to their own degrees of freedom.
    """
    rates = model.q_of_speed >= 0
    own = model.tree.joint_inertia + g_1 * model.tree.damping + g_2 * np.where(rates, model.tree.stiffness, 0.0)
    if gains is not None:
        own = own + np.where(model.is_mode, 0.0, g_1 * gains[0] + g_2 * gains[1])
    springs = model.tree.spring_constants * (g_2, g_1, 1.0)
    tree = model.tree._replace(joint_inertia=own, spring_constants=springs)
    return tree, None if model.flex is None else _stiff_flex(model, g_1, g_2)


def _stiff_flex(model: Model, g_1: float, g_2: float) -> Flex:
    """Arrays of the flexible bodies with their elasticity; kept for the next run of a model."""
    assert model.flex is not None
    kept = _kept.setdefault(model.evaluation, {})  # which is compared by identity, a model by all its numbers
    if (g_1, g_2) in kept:
        return kept[g_1, g_2]
    stiff: dict[int, FlexibleBody] = {}
    mech = model.description.copy()
    for name, placed in mech.bodies.items():
        body = placed.body
        if isinstance(body, FlexibleBody):
            if id(body) not in stiff:
                G = body.mass_matrix + g_1 * body.damping + g_2 * body.stiffness
                stiff[id(body)] = replace(body, mass_matrix=G.tocsr())
            mech.bodies[name] = replace(placed, body=stiff[id(body)])
    found = flexible_arrays(mech, numbering(mech), model.flex.q_mode, model.flex.v_mode)
    assert found is not None
    if len(kept) >= MOST_KEPT:
        kept.pop(next(iter(kept)), None)
    kept[g_1, g_2] = found
    return found


def law_gains(system: DrivenSystem, y: Vector, u: Vector) -> Gains:
    """Damping and stiffness (nv,) that the laws give their own degrees of freedom at the start."""
    damping, stiffness = np.zeros(system.nv), np.zeros(system.nv)
    if not system.inputs.constant:
        _, slopes = system.laws_slopes(np.zeros(1), y, u)
        force = slopes[system.nq + system.nv : system.nq + 2 * system.nv].toarray()
        for i in np.flatnonzero(~system.prescribed):
            damping[i] = max(0.0, -force[i, system.nq + i])
            place = system.model.q_of_speed[i]
            stiffness[i] = max(0.0, -force[i, place]) if place >= 0 else 0.0
    return damping, stiffness


def not_converged(system: DrivenSystem, name: str, correction: Vector, t: float, h: float) -> SimulationError:
    """The error of a step of the length h to the time t that did not converge; `correction` (nv,) is its last."""
    worst = system.model.speeds[int(np.argmax(np.nan_to_num(np.abs(correction), nan=np.inf)))]
    return SimulationError(
        f"model {system.model.name!r}: {name} did not converge at t = {t:.6g} s with steps of "
        f"{h:.3g} s; look at {worst!r}, or take shorter steps"
    )
