"""One source, other numbers: the recursions run in plain Python on dual numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from supple.engines.plain import plain
from supple.recursions import articulated, kinematics, newton_euler
from supple.recursions.states import Actuation, States
from supple.recursions.tree import sizes, workspace
from support.generated.generators import KINDS, random_tree


class Dual:
    """A number with a derivative; all that the recursions ask of a number."""

    def __init__(self, value: float, slope: float = 0.0) -> None:
        self.value, self.slope = value, slope

    @staticmethod
    def of(x: Any) -> Dual:
        return x if isinstance(x, Dual) else Dual(float(x))

    def __add__(self, other: Any) -> Dual:
        o = Dual.of(other)
        return Dual(self.value + o.value, self.slope + o.slope)

    def __mul__(self, other: Any) -> Dual:
        o = Dual.of(other)
        return Dual(self.value * o.value, self.slope * o.value + self.value * o.slope)

    def __truediv__(self, other: Any) -> Dual:
        o = Dual.of(other)
        return Dual(self.value / o.value, (self.slope - self.value / o.value * o.slope) / o.value)

    def __neg__(self) -> Dual:
        return Dual(-self.value, -self.slope)

    def __sub__(self, other: Any) -> Dual:
        return self + -Dual.of(other)

    def __rsub__(self, other: Any) -> Dual:
        return Dual.of(other) - self

    def __rtruediv__(self, other: Any) -> Dual:
        return Dual.of(other) / self

    __radd__, __rmul__ = __add__, __mul__

    def sin(self) -> Dual:
        return Dual(np.sin(self.value), np.cos(self.value) * self.slope)

    def cos(self) -> Dual:
        return Dual(np.cos(self.value), -np.sin(self.value) * self.slope)

    def sqrt(self) -> Dual:
        root = np.sqrt(self.value)
        return Dual(root, self.slope / (2 * root))


def duals(x: Any, dx: Any) -> Any:
    return np.array([Dual(a, b) for a, b in zip(x, dx, strict=True)], dtype=object)


def test_dual_numbers_give_the_derivative_of_forward_and_inverse_dynamics() -> None:
    model = random_tree(5, KINDS)
    q, v = model.random_state(1)
    rng = np.random.default_rng(2)
    tau, dq, dv = rng.normal(size=model.nv), rng.normal(size=model.nq), rng.normal(size=model.nv)
    tree, ws = model.tree, workspace(sizes(model.tree, model.flex), object)
    wrench = np.zeros((len(model.bodies) + 1, 6))
    given = np.zeros(model.nv, dtype=bool)
    a = np.zeros(model.nv, dtype=object)
    plain(kinematics.ground_acceleration)(-1.0, tree, ws)
    state, actuation = States(duals(q, dq), duals(v, dv)), Actuation(tau.astype(object), given, wrench)
    plain(articulated.articulate)(tree, None, state, actuation, ws, a)

    h = 1e-30
    expected = model.forward_dynamics(q + 1j * h * dq, v + 1j * h * dv, tau)
    value, slope = np.array([x.value for x in a]), np.array([x.slope for x in a])
    assert np.abs(slope).max() > 1
    assert np.allclose(value, expected.real, rtol=0, atol=1e-12 * np.abs(value).max())
    assert np.allclose(slope, expected.imag / h, rtol=0, atol=1e-11 * np.abs(slope).max())

    out = newton_euler.Forces(np.zeros((1, model.nv), dtype=object), np.zeros((0, 0, 6), dtype=object))
    states = States(state.q[None], state.v[None])
    plain(newton_euler.inverse_dynamics)(tree, None, states, a[None], wrench[None], ws, out)
    force = out.tau
    assert np.allclose([x.value for x in force[0]], tau, atol=1e-11 * np.abs(expected).max())
    assert np.allclose([x.slope for x in force[0]], 0, atol=1e-10 * np.abs(slope).max())
