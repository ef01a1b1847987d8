"""Formulas of generalized-alpha steps of one length, for numbers and for nodes (see `generalized_alpha`)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from supple.errors import SimulationError
from supple.model.flatten import numbering
from supple.model.flexible import flexible_arrays
from supple.model.model import Model
from supple.recursions.tree import Flex, Tree
from supple.simulation.methods.segment import Vector
from supple.simulation.system import System
from supple.structures.body import FlexibleBody

Gains = tuple[Vector, Vector]
"""Damping and stiffness (nv,) that the laws give their own degrees of freedom."""


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

    def constants(self) -> tuple[float, float, float, float]:
        """alpha_m, alpha_f, beta, gamma."""
        m, f = (2 * self.rho - 1) / (self.rho + 1), self.rho / (self.rho + 1)
        return m, f, 0.25 * (1 - m + f) ** 2, 0.5 - m + f

    def slopes(self) -> tuple[float, float]:
        """g_1, g_2: what speeds and coordinates at the end of a step change with the acceleration there."""
        m, f, beta, gamma = self.constants()
        share = (1 - f) / (1 - m)
        return self.step * gamma * share, self.step**2 * beta * share

    def end(self, advance: Any, q_0: Any, v_0: Any, w_0: Any, c_0: Any, w: Any) -> tuple[Any, ...]:
        """q, v and c at the end of a step with the accelerations w there; numbers or nodes."""
        m, f, beta, gamma = self.constants()
        h = self.step
        c = ((1 - f) * w + f * w_0 - m * c_0) / (1 - m)
        return advance(q_0, v_0 + h * ((0.5 - beta) * c_0 + beta * c), h), v_0 + h * ((1 - gamma) * c_0 + gamma * c), c


def implicit_arrays(model: Model, g_1: float, g_2: float, gains: Gains | None = None) -> tuple[Tree, Flex | None]:
    """The arrays of the model with M + g_1 C + g_2 K in the place of M, for elasticity, joints and gains.

    `gains` are the damping and stiffness (nv,) that controllers add to their own degrees of freedom.
    """
    rates = model.q_of_speed >= 0
    own = model.tree.joint_inertia + g_1 * model.tree.damping + g_2 * np.where(rates, model.tree.stiffness, 0.0)
    if gains is not None:
        own = own + np.where(model.is_mode, 0.0, g_1 * gains[0] + g_2 * gains[1])
    tree = model.tree._replace(joint_inertia=own)
    if model.flex is None:
        return tree, None
    stiff: dict[int, FlexibleBody] = {}
    mech = model.description.copy()
    for name, placed in mech.bodies.items():
        body = placed.body
        if isinstance(body, FlexibleBody):
            G = body.mass_matrix + g_1 * body.damping + g_2 * body.stiffness
            stiff.setdefault(id(body), replace(body, mass_matrix=G.tocsr()))
            mech.bodies[name] = replace(placed, body=stiff[id(body)])
    return tree, flexible_arrays(mech, numbering(mech), model.flex.q_mode, model.flex.v_mode)


def converged(size: float, before: float, allowed: float) -> bool:
    """Whether what a correction of this size leaves, after one of the size `before`, is small enough.

    The next correction would be as much smaller as this one is; `native_loop.implicit_steps` has the same rule.
    """
    return size <= allowed or (before > 0 and size < 0.1 * before and size * (size / before) <= allowed)


def not_converged(system: System, correction: Vector, t: float, h: float) -> SimulationError:
    """The error of a step of the length h to the time t that did not converge; `correction` (nv,) is its last."""
    worst = system.model.speeds[int(np.argmax(np.nan_to_num(np.abs(correction), nan=np.inf)))]
    return SimulationError(
        f"model {system.model.name!r}: generalized-alpha did not converge at t = {t:.6g} s with steps of "
        f"{h:.3g} s; look at {worst!r}, or take shorter steps"
    )
