"""The satellite of Sayers (1991), Fig. 1 and Table 2, as tests describe it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from supple.expressions.function import Function, Nodes
from supple.symbolic.kane import KaneJoint, KaneSystem, MassProperties

Floats = NDArray[np.float64]

NUMBERS = {
    "MB": 8.0, "MC": 1.5, "MD": 2.5, "MF": 0.7,
    "L1": 0.4, "L2": 0.3, "L3": 0.25, "L5": 0.15, "L6": 0.35, "L7": 0.9, "L8": 1.3,
    "IB11": 3.0, "IB12": 0.1, "IB13": -0.2, "IB22": 4.0, "IB23": 0.3, "IB33": 3.5,
    "IC": 0.2, "IC33": 0.35,
    "ID11": 0.5, "ID12": 0.02, "ID13": -0.03, "ID22": 0.6, "ID23": 0.04, "ID33": 0.55,
    "IF1": 0.4, "IF2": 0.05,
}  # fmt: skip


def satellite() -> KaneSystem:
    """A bus B in free space, a camera D on a clock C, a boom F that bends in two directions (E has no mass)."""
    s = KaneSystem("satellite")
    p = dict(zip(NUMBERS, s.parameters(**NUMBERS), strict=True))

    def full(body: str) -> list[list[Any]]:
        return [[p["I" + body + "".join(sorted(f"{i}{j}"))] for j in "123"] for i in "123"]

    b = s.add_body(
        "b",
        joint=KaneJoint(translations=["x", "y", "z"], rotations="123"),
        body=MassProperties(p["MB"], inertia=full("B")),
    )
    clock = (p["IC"], p["IC"], p["IC33"])
    c = s.add_body(
        "c", b, joint=KaneJoint(rotations="3"), body=MassProperties(p["MC"], com=(0, 0, -p["L2"]), inertia=clock)
    )
    arm, eye = (0, p["L3"], -p["L1"]), (0, -p["L5"], -p["L6"])
    d = s.add_body(
        "d", c, joint=KaneJoint(rotations="1"), body=MassProperties(p["MD"], com=eye, inertia=full("D")), at=arm
    )
    e = s.add_body("e", b, joint=KaneJoint(rotations="3"), at=(0, -p["L7"], 0))
    boom = (p["IF1"], p["IF2"], p["IF1"])
    f = s.add_body(
        "f", e, joint=KaneJoint(rotations="1"), body=MassProperties(p["MF"], com=(0, -p["L8"], 0), inertia=boom)
    )
    for body in (c, d, e, f):
        s.add_speed_force(body.speeds[0], s.input(f"T{body.name}"))
    return s


def numbers(s: KaneSystem, nodes: Any, q: ArrayLike, u: ArrayLike) -> Floats:
    """Values of expressions of a system without inputs, at coordinates and speeds."""
    f = Function("f", s.graph, {"q": leaves(s.q), "u": leaves(s.v)}, {"y": nodes}, s.symbols.values())
    return f.evaluate(s.values, q=q, u=u)["y"]


def leaves(nodes: Any) -> Nodes:
    """A list of nodes as an array."""
    return np.array(list(nodes), dtype=object)
