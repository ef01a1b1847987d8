"""SymPy's KanesMethod on systems that textbooks solve: the same mass matrix and forces, or the same accelerations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from supple.expressions.function import Function
from supple.symbolic.equations_of_motion import EquationsOfMotion
from supple.symbolic.kane import KaneJoint, KaneSystem, MassProperties

sympy = pytest.importorskip("sympy")
mechanics = pytest.importorskip("sympy.physics.mechanics")

Floats = NDArray[np.float64]
TOLERANCE = 1e-12
STATES = range(3)


class Peer:
    """A SymPy model: coordinates, speeds, kinematical equations, bodies and loads; then numbers of its equations.

    Parameters
    ----------
    values : mapping of str to float
        Numbers of all symbols.
    """

    def __init__(self, values: dict[str, float]) -> None:
        self.values = values
        self.frame, self.origin = mechanics.ReferenceFrame("N"), mechanics.Point("O")
        self.origin.set_vel(self.frame, 0)
        self.bodies: list[Any] = []
        self.loads: list[Any] = []

    def __getitem__(self, name: str) -> Any:
        return sympy.Symbol(name)

    def add(self, point: Any, frame: Any, mass: Any, inertia: Sequence[Any], weight: Any) -> None:
        """A rigid body with its mass centre at a point; and its weight as a vector."""
        central = mechanics.inertia(frame, *inertia)
        self.bodies.append(mechanics.RigidBody("B", point, frame, mass, (central, point)))
        self.loads.append((point, weight))

    def solve(self, q: Any, u: Any, kd: Any, **constraints: Any) -> None:
        """Derive; `constraints` as KanesMethod has them."""
        self.q, self.u = list(q), list(u)
        self.method = mechanics.KanesMethod(self.frame, self.q, self.u, kd, **constraints)
        self.method.kanes_equations(self.bodies, self.loads)
        known = [*self.q, *self.u, *constraints.get("u_dependent", ()), *map(sympy.Symbol, self.values)]
        self.numbers = sympy.lambdify(
            known, [self.method.mass_matrix, self.method.forcing, *self._rates()], modules="numpy", cse=True
        )

    def _rates(self) -> list[Any]:
        kindiff = self.method.kindiffdict()
        return [sympy.Matrix([kindiff[x.diff()] for x in self.q])]

    def at(self, q: Floats, u: Floats) -> tuple[Floats, Floats, Floats]:
        """M, f and rates."""
        M, f, rates = self.numbers(*q, *u, *self.values.values())
        return np.asarray(M, dtype=float), np.asarray(f, dtype=float)[:, 0], np.asarray(rates, dtype=float)[:, 0]


def assert_same_equations(e: EquationsOfMotion, peer: Peer) -> None:
    """M, f and the rates of the coordinates agree, and what follows from them."""
    for seed in STATES:
        rng = np.random.default_rng(seed)
        q, u = rng.uniform(0.3, 1.2, len(e.variables.q)), rng.normal(size=len(e.variables.v))
        M, f, rates = peer.at(q, u)
        found = e.implicit.evaluate(e.numbers(), q=q, v=u)
        np.testing.assert_allclose(found["M"], M, rtol=0, atol=TOLERANCE * np.abs(M).max())
        np.testing.assert_allclose(found["f"], f, rtol=0, atol=TOLERANCE * np.abs(f).max())
        np.testing.assert_allclose(found["rate"], rates, rtol=TOLERANCE, atol=TOLERANCE)
        a = e.evaluate(q, u)[1]
        a_peer = np.linalg.solve(M, f)
        np.testing.assert_allclose(a, a_peer, rtol=0, atol=TOLERANCE * np.abs(a_peer).max())
        assert np.abs(a).max() > 0.1


def with_values(s: KaneSystem, values: dict[str, float]) -> dict[str, Any]:
    return dict(zip(values, s.parameters(**values), strict=True))


def test_pendulum() -> None:
    values = {"m": 1.3, "L": 0.7, "J": 0.05, "g": 9.81}
    s = KaneSystem("pendulum")
    p = with_values(s, values)
    s.gravity = -p["g"] * s.ground.axes[1]
    s.add_body(
        "arm", joint=KaneJoint(rotations="3"), body=MassProperties(p["m"], com=(0, -p["L"], 0), inertia=(0, 0, p["J"]))
    )

    peer = Peer(values)
    q, u = mechanics.dynamicsymbols("q u")
    arm = peer.frame.orientnew("A", "Axis", [q, peer.frame.z])
    arm.set_ang_vel(peer.frame, u * peer.frame.z)
    centre = peer.origin.locatenew("C", -peer["L"] * arm.y)
    centre.v2pt_theory(peer.origin, peer.frame, arm)
    peer.add(centre, arm, peer["m"], (0, 0, peer["J"]), -peer["m"] * peer["g"] * peer.frame.y)
    peer.solve([q], [u], [u - q.diff()])
    assert_same_equations(s.equations(), peer)


def test_double_pendulum() -> None:
    values = {"m1": 1.3, "m2": 0.6, "L1": 0.7, "L2": 0.4, "J1": 0.05, "J2": 0.02, "g": 9.81}
    s = KaneSystem("double pendulum")
    p = with_values(s, values)
    s.gravity = -p["g"] * s.ground.axes[1]
    first = s.add_body(
        "a", joint=KaneJoint(rotations="3"), body=MassProperties(p["m1"], com=(0, -p["L1"], 0), inertia=(0, 0, p["J1"]))
    )
    s.add_body(
        "b",
        first,
        joint=KaneJoint(rotations="3"),
        body=MassProperties(p["m2"], com=(0, -p["L2"], 0), inertia=(0, 0, p["J2"])),
        at=(0, -p["L1"], 0),
    )

    peer = Peer(values)
    q, u = mechanics.dynamicsymbols("q1:3"), mechanics.dynamicsymbols("u1:3")
    frame, point, z = peer.frame, peer.origin, peer.frame.z
    for i, (m, L, J) in enumerate(zip(*([peer[f"{x}{k}"] for k in (1, 2)] for x in "mLJ"), strict=True)):
        turned = frame.orientnew(f"A{i}", "Axis", [q[i], z])
        turned.set_ang_vel(frame, u[i] * z)
        centre = point.locatenew(f"C{i}", -L * turned.y)
        centre.v2pt_theory(point, peer.frame, turned)
        peer.add(centre, turned, m, (0, 0, J), -m * peer["g"] * peer.frame.y)
        frame, point = turned, centre
    peer.solve(q, u, [b - a.diff() for a, b in zip(q, u, strict=True)])
    assert_same_equations(s.equations(), peer)


def test_cart_pendulum() -> None:
    values = {"M": 2.0, "m": 0.6, "L": 0.4, "J": 0.02, "g": 9.81, "k": 5.0, "c": 0.3}
    s = KaneSystem("cart pendulum")
    p = with_values(s, values)
    x, y, _ = s.ground.axes
    s.gravity = -p["g"] * y
    cart = s.add_body("cart", joint=KaneJoint(translations=["x"]), body=MassProperties(p["M"]))
    s.add_body(
        "arm",
        cart,
        joint=KaneJoint(rotations="3"),
        body=MassProperties(p["m"], com=(0, -p["L"], 0), inertia=(0, 0, p["J"])),
    )
    s.add_force(-(p["k"] * cart.coordinates[0] + p["c"] * cart.speeds[0]) * x, cart)

    peer = Peer(values)
    q, u = mechanics.dynamicsymbols("q1:3"), mechanics.dynamicsymbols("u1:3")
    N = peer.frame
    pivot = peer.origin.locatenew("P", q[0] * N.x)
    pivot.set_vel(N, u[0] * N.x)
    arm = N.orientnew("A", "Axis", [q[1], N.z])
    arm.set_ang_vel(N, u[1] * N.z)
    centre = pivot.locatenew("C", -peer["L"] * arm.y)
    centre.v2pt_theory(pivot, N, arm)
    peer.add(centre, arm, peer["m"], (0, 0, peer["J"]), -peer["m"] * peer["g"] * N.y)
    spring = -(peer["k"] * q[0] + peer["c"] * u[0]) * N.x
    peer.bodies.append(mechanics.Particle("cart", pivot, peer["M"]))
    peer.loads.append((pivot, spring))
    peer.solve(q, u, [b - a.diff() for a, b in zip(q, u, strict=True)])
    assert_same_equations(s.equations(), peer)


def test_gyroscope_with_speeds_in_body_axes() -> None:
    values = {"m": 1.5, "L": 0.3, "A": 0.2, "B": 0.25, "C": 0.1, "g": 9.81}
    s = KaneSystem("gyroscope")
    p = with_values(s, values)
    s.gravity = -p["g"] * s.ground.axes[2]
    s.add_body(
        "top",
        joint=KaneJoint(rotations="313"),
        body=MassProperties(p["m"], com=(0, 0, p["L"]), inertia=(p["A"], p["B"], p["C"])),
    )

    peer = Peer(values)
    q, u = mechanics.dynamicsymbols("q1:4"), mechanics.dynamicsymbols("u1:4")
    N = peer.frame
    top = N.orientnew("T", "Body", q, "313")
    spin = top.ang_vel_in(N).express(top)
    kd = [spin.dot(a) - w for a, w in zip((top.x, top.y, top.z), u, strict=True)]
    top.set_ang_vel(N, u[0] * top.x + u[1] * top.y + u[2] * top.z)
    centre = peer.origin.locatenew("C", peer["L"] * top.z)
    centre.v2pt_theory(peer.origin, N, top)
    peer.add(centre, top, peer["m"], [peer[x] for x in "ABC"], -peer["m"] * peer["g"] * N.z)
    peer.solve(q, u, kd)
    assert_same_equations(s.equations(), peer)


def test_spherical_pendulum() -> None:
    values = {"m": 1.5, "L": 0.8, "g": 9.81}
    s = KaneSystem("spherical pendulum")
    p = with_values(s, values)
    s.gravity = -p["g"] * s.ground.axes[2]
    s.add_body("bob", joint=KaneJoint(rotations="12"), body=MassProperties(p["m"], com=(0, 0, -p["L"])))

    peer = Peer(values)
    q, u = mechanics.dynamicsymbols("q1:3"), mechanics.dynamicsymbols("u1:3")
    N = peer.frame
    first = N.orientnew("A", "Axis", [q[0], N.x])
    second = first.orientnew("B", "Axis", [q[1], first.y])
    second.set_ang_vel(N, u[0] * N.x + u[1] * first.y)
    bob = peer.origin.locatenew("C", -peer["L"] * second.z)
    bob.v2pt_theory(peer.origin, N, second)
    peer.bodies.append(mechanics.Particle("bob", bob, peer["m"]))
    peer.loads.append((bob, -peer["m"] * peer["g"] * N.z))
    peer.solve(q, u, [b - a.diff() for a, b in zip(q, u, strict=True)])
    assert_same_equations(s.equations(), peer)


DISC = {"m": 2.0, "r": 0.3, "g": 9.81, "I": 0.045, "J": 0.09}


def rolling_disc() -> EquationsOfMotion:
    """Yaw, lean and spin; the point that touches the ground has no velocity."""
    s = KaneSystem("disc")
    p = with_values(s, DISC)
    s.gravity = -p["g"] * s.ground.axes[2]
    yaw = s.add_body("yaw", joint=KaneJoint(translations=["x", "y"], rotations="3", speeds="rates"))
    lean = s.add_body("lean", yaw, joint=KaneJoint(rotations="1"))
    inertia = (p["I"], p["J"], p["I"])
    disc = s.add_body(
        "disc", lean, joint=KaneJoint(rotations="2"), body=MassProperties(p["m"], inertia=inertia), at=(0, 0, p["r"])
    )
    touching = disc.velocity(-p["r"] * lean.axes[2])
    for direction, speed in zip(yaw.axes, yaw.speeds[:2], strict=False):
        s.constrain(touching @ direction, speed)
    return s.equations()


def rolling_peer() -> Peer:
    """The same in SymPy; there the point on the ground that is touched has the dependent speeds."""
    peer = Peer(DISC)
    N = peer.frame
    q, u = mechanics.dynamicsymbols("q1:6"), mechanics.dynamicsymbols("u1:6")
    yaw = N.orientnew("Y", "Axis", [q[2], N.z])
    lean = yaw.orientnew("L", "Axis", [q[3], yaw.x])
    disc = lean.orientnew("D", "Axis", [q[4], lean.y])
    disc.set_ang_vel(N, u[2] * N.z + u[3] * yaw.x + u[4] * lean.y)
    lean.set_ang_vel(N, u[2] * N.z + u[3] * yaw.x)
    foot = peer.origin.locatenew("F", q[0] * N.x + q[1] * N.y)
    foot.set_vel(N, u[0] * N.x + u[1] * N.y)
    centre = foot.locatenew("C", peer["r"] * lean.z)
    centre.v2pt_theory(foot, N, lean)
    touching = centre.vel(N) + disc.ang_vel_in(N).cross(-peer["r"] * lean.z)
    peer.add(centre, disc, peer["m"], (peer["I"], peer["J"], peer["I"]), -peer["m"] * peer["g"] * N.z)
    peer.solve(
        q,
        u[2:],
        [b - a.diff() for a, b in zip(q, u, strict=True)],
        u_dependent=u[:2],
        velocity_constraints=[touching.dot(yaw.x), touching.dot(yaw.y)],
    )
    return peer


def test_rolling_disc() -> None:
    # SymPy keeps all five rates of speeds as unknowns, with the constraints among its equations.
    e, peer = rolling_disc(), rolling_peer()
    assert e.dependence is not None
    dependent = Function(
        "dependent",
        e.variables.graph,
        {"q": e.variables.q, "v": e.variables.v},
        {"speeds": e.dependence.values},
        e.variables.symbols,
    )
    for seed in STATES:
        rng = np.random.default_rng(seed)
        q, u = rng.uniform(0.2, 0.9, 5), rng.normal(size=3)
        speeds = dependent.evaluate(e.numbers(), q=q, v=u)["speeds"]
        M, f, rates = peer.at(q, np.concatenate([u, speeds]))
        expected = np.linalg.solve(M, f)[:3]
        rate, a = e.evaluate(q, u)
        np.testing.assert_allclose(a, expected, rtol=0, atol=TOLERANCE * np.abs(expected).max())
        np.testing.assert_allclose(rate, rates, rtol=0, atol=TOLERANCE)
        assert np.abs(speeds).max() > 0.01
        assert np.abs(a).max() > 0.1
