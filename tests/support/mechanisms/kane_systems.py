"""Systems of vectors that several tests share."""

from __future__ import annotations

from supple.symbolic.kane import KaneJoint, KaneSystem, MassProperties


def tree() -> KaneSystem:
    """A free body in gravity that carries a slider with two rotations and an oblique hinge, all off centre."""
    s = KaneSystem("tree")
    m, L, g = s.parameters(m=1.5, L=0.5, g=9.81)
    s.gravity = -g * s.ground.axes[1]
    end = (0, -L, 0.1)
    hull = MassProperties(m, (0.1, -L, 0.2), ((1.0, 0.1, 0.0), (0.1, 2.0, 0.2), (0.0, 0.2, 2.5)))
    a = s.add_body("a", joint=KaneJoint(["x", "y", "z"], "312"), body=hull)
    names = ["slide", "roll", "yaw"]
    two = KaneJoint([(0, 0.6, 0.8)], "12", coordinates=names, speed_names=[f"{x} rate" for x in names])
    b = s.add_body("b", a, two, MassProperties(m, end, (0.1, 0.2, 0.25)), at=end)
    hinge = KaneJoint(rotations="3", axis=(0, 0.6, 0.8), reference=(1, 0, 0), coordinates=["hinge"])
    s.add_body("c", b, hinge, MassProperties(2 * m, end, (0.1, 0.2, 0.25)), at=end)
    return s


def sprung() -> KaneSystem:
    """A mass on a spring to a moving wall, with a force that depends on speed: time, an input, a vector force."""
    s = KaneSystem("sprung")
    m, k, c = s.parameters(m=2.0, k=50.0, c=0.3)
    cart = s.add_body("cart", joint=KaneJoint(["x"], coordinates=["x"]), body=MassProperties(m))
    stretch = cart.coordinates[0] - s.input("wall")
    s.add_force(-(k * stretch + c * cart.speeds[0]) * s.ground.axes[0], cart)
    return s


def rolling_disc() -> KaneSystem:
    """A disc that rolls without slip on level ground."""
    s = KaneSystem("disc")
    m, r, g, I, J = s.parameters(m=2.0, r=0.3, g=9.81, I=0.045, J=0.09)
    n1, n2, n3 = s.ground.axes
    s.gravity = -g * n3
    yaw = s.add_body("yaw", joint=KaneJoint(["x", "y"], "3", speeds="rates", coordinates=["x", "y", "psi"]))
    lean = s.add_body("lean", yaw, KaneJoint(rotations="1", coordinates=["phi"]))
    rolling = KaneJoint(rotations="2", coordinates=["theta"])
    disc = s.add_body("disc", lean, rolling, MassProperties(m, inertia=(I, J, I)), at=(0, 0, r))
    touching = disc.velocity(-r * lean.axes[2])
    s.constrain(touching @ n1, yaw.speeds[0])
    s.constrain(touching @ n2, yaw.speeds[1])
    return s


def crank_slider() -> KaneSystem:
    """A crank, a rod, and a closed loop: the end of the rod stays on a line."""
    s = KaneSystem("crank slider")
    m, g, r, L = s.parameters(m=1.0, g=9.81, r=0.2, L=0.5)
    s.gravity = -g * s.ground.axes[1]
    rod = MassProperties(m, (r / 2, 0, 0), (0, 0, m * r**2 / 12))
    crank = s.add_body("crank", joint=KaneJoint(rotations="3", coordinates=["crank"]), body=rod)
    swing = KaneJoint(rotations="3", coordinates=["rod"])
    long = MassProperties(m, (L / 2, 0, 0), (0, 0, m * L**2 / 12))
    coupler = s.add_body("coupler", crank, swing, long, at=(r, 0, 0))
    s.close(coupler.position(L * coupler.axes[0]) @ s.ground.axes[1], coupler.coordinates[0])
    return s
