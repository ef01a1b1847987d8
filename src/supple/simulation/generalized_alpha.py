"""Generalized-alpha steps, implicit at the price of explicit ones.

The stiff part of a system is its elasticity and the springs and dampers of its joints: K and C that stand on single
freedoms or single bodies. M + g_1 C + g_2 K therefore has the same operator factors as M: with G + g_1 C + g_2 K in the
place of the modal mass and the joints' terms added to their own inertia, the articulated-body recursion solves it.
A Newton iteration is one inverse dynamics for the residual and two vector sweeps for the correction; no Jacobian is
formed. What K leaves out (weight, spin) only slows the iteration down a little.

Chung and Hulbert (1993), on rotations as Arnold and Bruls (2007): displacements in a step are speeds times the step,
applied as the motion they are.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supple.engines.plain import plain
from supple.errors import SimulationError, StateError
from supple.model.compiled import Compiled, estimated_operations
from supple.model.flatten import numbering
from supple.model.flexible import flexible_arrays
from supple.model.model import Model
from supple.recursions import articulated, composite
from supple.recursions.tree import Flex, Tree
from supple.simulation.drives import Drive
from supple.simulation.fixed_steps import steps_between
from supple.structures.body import FlexibleBody
from supple.symbolic.function import Function
from supple.symbolic.trace import Trace, as_objects

Vector = NDArray[np.float64]
WORTH_COMPILING = 25_000
"""Operations of forward dynamics up to which a step, three times as large, is soon compiled."""


@dataclass(frozen=True)
class GeneralizedAlpha:
    """Fixed implicit steps of second order for stiff systems, with chosen numerical damping.

    Parameters
    ----------
    step : float
        Longest step, s; output times are met exactly.
    rho : float
        Spectral radius at high frequencies, 0 ... 1: one keeps all vibration, zero kills what the step cannot resolve.
    tolerance : float
        Of the accelerations in Newton's iteration, relative to the largest.
    """

    step: float
    rho: float = 0.9
    tolerance: float = 1e-9

    def __post_init__(self) -> None:
        if not (np.isfinite(self.step) and self.step > 0):
            raise StateError(f"generalized-alpha: step: expected a positive number, got {self.step}")
        if not 0 <= self.rho <= 1:
            raise StateError(f"generalized-alpha: rho: expected a number from 0 to 1, got {self.rho}")

    def constants(self) -> tuple[float, float, float, float]:
        """alpha_m, alpha_f, beta, gamma."""
        m, f = (2 * self.rho - 1) / (self.rho + 1), self.rho / (self.rho + 1)
        return m, f, 0.25 * (1 - m + f) ** 2, 0.5 - m + f

    def slopes(self) -> tuple[float, float]:
        """g_1, g_2: what speeds and coordinates at the end of a step change with the acceleration there."""
        m, f, beta, gamma = self.constants()
        share = (1 - f) / (1 - m)
        return self.step * gamma * share, self.step**2 * beta * share


def implicit_arrays(model: Model, g_1: float, g_2: float) -> tuple[Tree, Flex | None]:
    """The arrays of the model with M + g_1 C + g_2 K in the place of M, for elasticity and joints."""
    rates = model.tree.q_of_speed >= 0
    own = model.tree.joint_inertia + g_1 * model.tree.damping + g_2 * np.where(rates, model.tree.stiffness, 0.0)
    tree = model.tree._replace(joint_inertia=own)
    if model.flex is None:
        return tree, None
    stiff: dict[int, FlexibleBody] = {}
    mech = model.description._copy()
    for name, placed in mech.bodies.items():
        body = placed.body
        if isinstance(body, FlexibleBody):
            G = body.mass_matrix + g_1 * body.damping + g_2 * body.stiffness
            stiff.setdefault(id(body), replace(body, mass_matrix=G.tocsr()))
            mech.bodies[name] = replace(placed, body=stiff[id(body)])
    return tree, flexible_arrays(mech, numbering(mech), model.flex.q_mode, model.flex.v_mode)


def _end(method: GeneralizedAlpha, advance: Any, q_0: Any, v_0: Any, w_0: Any, c_0: Any, w: Any) -> tuple[Any, ...]:
    """q, v and c at the end of a step with the accelerations w there; numbers or nodes."""
    m, f, beta, gamma = method.constants()
    h = method.step
    c = ((1 - f) * w + f * w_0 - m * c_0) / (1 - m)
    return advance(q_0, v_0 + h * ((0.5 - beta) * c_0 + beta * c), h), v_0 + h * ((1 - gamma) * c_0 + gamma * c), c


class ImplicitStep(Compiled):
    """One step in machine code: (q, v, w, c, tau, guess) -> (q, v, w, c, correction).

    w are the accelerations, c those of the method; two Newton iterations from `guess`, the last correction beside.
    """

    def __init__(self, model: Model, method: GeneralizedAlpha) -> None:
        self.method = method
        super().__init__(model, f"generalized_alpha {method.step!r} {method.rho!r}", (), (), 1)

    def _signature(self) -> tuple[dict[str, int], dict[str, tuple[int, ...]]]:
        n, nq = self.model.nv, self.model.nq
        shapes: dict[str, tuple[int, ...]] = {"q": (nq,), "v": (n,), "w": (n,), "c": (n,), "correction": (n,)}
        return {"q": nq, "v": n, "w": n, "c": n, "tau": n, "guess": n}, shapes

    @cached_property
    def function(self) -> Function:
        """The graph."""
        t = Trace(self.model)
        w_0, c_0, guess = (t.leaves(kind, self.model.speeds) for kind in ("w", "c", "guess"))
        tree, flex = implicit_arrays(self.model, *self.method.slopes())
        stiff = Tree(**as_objects(tree)), None if flex is None else Flex(**as_objects(flex))
        free = np.zeros(self.model.nv, dtype=bool)
        ws = t.workspace()
        w = guess
        for iteration in range(2):
            q, v, _ = _end(self.method, t.advanced, t.q, t.v, w_0, c_0, w)
            if iteration == 0:
                for k in range(1, len(self.model.bodies) + 1):
                    plain(composite.posture_step)(*stiff, k, q, ws)
                plain(articulated.articulated_inertias)(*stiff, free, ws)
            residual = t.tau - t.inverse_dynamics(q, v, w)
            x = np.zeros(self.model.nv, dtype=object)
            plain(articulated.inverse_mass_times)(*stiff, residual, free, ws, x)
            w = w + x
        q, v, c = _end(self.method, t.advanced, t.q, t.v, w_0, c_0, w)
        inputs = {"q": t.q, "v": t.v, "w": w_0, "c": c_0, "tau": t.tau, "guess": guess}
        return Function("generalized_alpha", t.graph, inputs, {"q": q, "v": v, "w": w, "c": c, "correction": x})


class GenericStep:
    """The same step by the generic engine, for models too large for straight-line code."""

    def __init__(self, model: Model, method: GeneralizedAlpha) -> None:
        self.model, self.method = model, method
        self.tree, self.flex = implicit_arrays(model, *method.slopes())
        self.free = np.zeros(model.nv, dtype=np.bool_)

    def __call__(self, *state: Vector) -> tuple[Vector, ...]:
        q_0, v_0, w_0, c_0, tau, w = state
        x = w
        for _ in range(2):
            q, v, _c = _end(self.method, self.model.integrate, q_0, v_0, w_0, c_0, w)
            x = self._solve(q, tau - self.model.inverse_dynamics(q, v, w))
            w = w + x
        q, v, c = _end(self.method, self.model.integrate, q_0, v_0, w_0, c_0, w)
        return q, v, w, c, x

    def _solve(self, q: Vector, residual: Vector) -> Vector:
        """(M + g_1 C + g_2 K)^-1 times the residual."""
        (q_,), _, dtype, ws = self.model._batch(q=(q, self.model.nq))
        x = np.zeros((1, self.model.nv), dtype)
        articulated.inverse_mass_solve(self.tree, self.flex, q_, self.free, ws, residual[None].copy(), x)
        return x[0]


def march(
    model: Model, method: GeneralizedAlpha, times: Vector, q: Vector, v: Vector, drive: Drive, a: Vector
) -> Iterator[tuple[Vector, Vector, int]]:
    """States (q, v) and the number of iterations so far at all times, one after another, the first included.

    Output times are equally spaced; a whole number of steps leads from each to the next. `a` are the accelerations at
    the start.
    """
    count = steps_between(times, method.step)
    method = replace(method, step=float(times[1] - times[0]) / count)
    small = estimated_operations(model) <= WORTH_COMPILING
    step = ImplicitStep(model, method) if small else GenericStep(model, method)
    state: tuple[Vector, ...] = (q, v, a, a)
    yield q, v, 0
    used = 0
    for n in range(len(times) - 1):
        for i in range(count):
            t = float(times[n]) + (i + 1) * method.step
            tau = np.asarray(drive(t, state[0], state[1]), dtype=float)
            state, tries = _solved(model, method, step, t, state, tau)
            used += 2 * tries
        yield state[0], state[1], used


def _solved(
    model: Model, method: GeneralizedAlpha, step: Any, t: float, state: tuple[Vector, ...], tau: Vector
) -> tuple[tuple[Vector, ...], int]:
    """The state at the end of a step, and how often two iterations were needed."""
    guess = state[2]
    for tries in range(1, 21):
        *end, x = step(*state, tau, guess)
        guess = end[2]
        if np.abs(x).max() <= method.tolerance * (1e-6 + np.abs(guess).max()):
            return tuple(end), tries
    worst = model.speeds[int(np.argmax(np.nan_to_num(np.abs(x), nan=np.inf)))]
    raise SimulationError(
        f"model {model.name!r}: generalized-alpha did not converge at t = {t:.6g} s with steps of {method.step:.3g} s; "
        f"look at {worst!r}, or take shorter steps"
    )
