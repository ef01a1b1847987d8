"""Arguments of the wrong kind are refused with an error of the package, not with one of Python or numpy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import supple
from supple.structures import Material, Rectangle, beam

WRONG: list[Any] = [[[1], [2, 3]], 10**400, np.zeros((2, 2)), {}, object(), b"x"]


def mechanism() -> supple.Mechanism:
    mech = supple.Mechanism("m")
    mech.add_body("arm", supple.RigidBody(1.0))
    return mech


EDGES: dict[str, Callable[[Any], object]] = {
    "inertia": lambda x: supple.RigidBody(1.0, inertia=x),
    "mass": lambda x: supple.RigidBody(x),
    "stiffness": lambda x: supple.Revolute("y", stiffness=x),
    "parent": lambda x: mechanism().add_body("b", supple.RigidBody(1.0), x),
    "fidelity": lambda x: mechanism().add_body("b", supple.RigidBody(1.0), fidelity=x),
    "frame": lambda x: mechanism().add_wrench("w", x),
    "loop": lambda x: mechanism().close_loop("l", x, "arm", supple.Spherical()),
    "PID limit": lambda x: supple.PID(0.0, 1.0, limit=x),
    "PID rate": lambda x: supple.PID(0.0, 1.0, rate=x),
    "direction": lambda x: supple.Event("e", "t", direction=x),
    "step": lambda x: supple.integrators.GeneralizedAlpha(step=x),
    "basis": lambda x: beam(1.0, Rectangle(0.1, 0.1), Material(E=7e10, nu=0.3, rho=2700), 2).reduce(x, 1),
    "root": lambda x: beam(1.0, Rectangle(0.1, 0.1), Material(E=7e10, nu=0.3, rho=2700), 2).reduce("nodal", root=x),
    "path": supple.load,
}


@pytest.mark.parametrize("edge", EDGES)
def test_wrong_kinds_are_refused(edge: str) -> None:
    for x in WRONG:
        with pytest.raises(supple.SuppleError):
            EDGES[edge](x)


def test_a_limit_of_text_is_named() -> None:
    with pytest.raises(supple.StateError, match=r"PID: limit: expected a positive number, .* got '3'"):
        supple.PID(0.0, 1.0, limit="3")  # type: ignore[arg-type]
