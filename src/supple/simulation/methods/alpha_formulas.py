"""Formulas of generalized-alpha steps of one length, for numbers and for nodes (see `generalized_alpha`)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from supple.errors import SimulationError
from supple.model.flatten import numbering
from supple.model.flexible import flexible_arrays
from supple.model.model import Model
from supple.recursions.tree import Flex, Tree
from supple.simulation.driven_system import DrivenSystem
from supple.simulation.methods.segment import Vector
from supple.structures.body import FlexibleBody

Gains = tuple[Vector, Vector]
"""Damping and stiffness (nv,) that the laws give their own degrees of freedom."""


class AlphaState(NamedTuple):
    """All that goes from step to step: coordinates, speeds, integrals; accelerations w, those of the method c, and the
    rates r of the integrals. Numbers or nodes.
    """

    q: Any
    v: Any
    z: Any
    w: Any
    c: Any
    r: Any


class NewtonStep(NamedTuple):
    """Accelerations w after a Newton iteration, the forces that they took before it, and by how much they changed."""

    w: Any
    force: Any
    correction: Any


class LawValues(NamedTuple):
    """What the laws make of a state: coordinates and speeds, forces or prescribed accelerations, rates of integrals."""

    q: Any
    v: Any
    known: Any
    z_rate: Any


class AlphaEngine(Protocol):
    """What a step asks for, on numbers or on nodes.

    Attributes
    ----------
    prescribed : (nv,) array of bool
    acting : bool
        Whether the work of the generalized forces is among the integrals.
    """

    prescribed: NDArray[np.bool_]
    acting: bool

    def advanced(self, q: Any, v: Any, h: float) -> Any:
        """Coordinates after h at constant speeds."""
        ...

    def laws(self, q: Any, v: Any, z: Any) -> LawValues:
        """What the laws make of a state at the end of the step."""
        ...

    def balance(self, iteration: int, x: LawValues, w: Any) -> tuple[Any, Any]:
        """Forces that the accelerations w take, and the correction of w."""
        ...


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

    def corrected(self, engine: AlphaEngine, start: AlphaState, w: Any, iteration: int) -> NewtonStep:
        """One Newton iteration for the accelerations w at the end of a step; numbers or nodes."""
        x, _ = self._end(engine, start, w)
        w = np.where(engine.prescribed, x.known, w)
        force, correction = engine.balance(iteration, x, w)
        return NewtonStep(w + correction, force, correction)

    def finished(self, engine: AlphaEngine, start: AlphaState, last: NewtonStep) -> AlphaState:
        """The state at the end of a step, after its last correction."""
        x, c = self._end(engine, start, last.w)
        tau = np.where(engine.prescribed, last.force, x.known)
        r = np.array([*x.z_rate, *([tau @ x.v] if engine.acting else [])], dtype=start.r.dtype)
        return AlphaState(x.q, x.v, start.z + 0.5 * self.step * (start.r + r), last.w, c, r)

    def _end(self, engine: AlphaEngine, start: AlphaState, w: Any) -> tuple[LawValues, Any]:
        """What the laws make of the state at the end of a step with the accelerations w there, and c."""
        m, f, beta, gamma = self.constants()
        h = self.step
        c = ((1 - f) * w + f * start.w - m * start.c) / (1 - m)
        q = engine.advanced(start.q, start.v + h * ((0.5 - beta) * start.c + beta * c), h)
        return engine.laws(q, start.v + h * ((1 - gamma) * start.c + gamma * c), start.z + h * start.r), c


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


def not_converged(system: DrivenSystem, correction: Vector, t: float, h: float) -> SimulationError:
    """The error of a step of the length h to the time t that did not converge; `correction` (nv,) is its last."""
    worst = system.model.speeds[int(np.argmax(np.nan_to_num(np.abs(correction), nan=np.inf)))]
    return SimulationError(
        f"model {system.model.name!r}: generalized-alpha did not converge at t = {t:.6g} s with steps of "
        f"{h:.3g} s; look at {worst!r}, or take shorter steps"
    )
