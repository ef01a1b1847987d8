"""Denavit-Hartenberg parameters: poses are the textbook's products, and the dynamics is that of the mechanism."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from supple import ModelError
from supple.erls import DH, build, from_dh
from supple.structures import Rectangle, beam
from support.mechanisms.rigid_links import ALUMINIUM, random_body, relative

Floats = NDArray[np.float64]
ROWS = (
    DH(a=0.3, alpha=np.pi / 2, d=0.2, theta=0.1),
    DH(a=0.1, alpha=-0.4, d=0.3, theta=-0.7, joint="prismatic"),
    DH(a=-0.2, alpha=1.1, d=-0.1, theta=0.5, inertia=0.05),
    DH(alpha=0.2, d=0.15, joint="prismatic"),
)


def turn(axis: int, angle: float) -> Floats:
    out, (i, j) = np.eye(4), ((1, 2), (2, 0), (0, 1))[axis]
    out[i, i] = out[j, j] = np.cos(angle)
    out[j, i], out[i, j] = np.sin(angle), -np.sin(angle)
    return out


def shift(axis: int, length: float) -> Floats:
    out = np.eye(4)
    out[axis, 3] = length
    return out


def textbook(convention: str, row: DH, q: float) -> Floats:
    theta, d = (row.theta + q, row.d) if row.joint == "revolute" else (row.theta, row.d + q)
    if convention == "standard":
        return turn(2, theta) @ shift(2, d) @ shift(0, row.a) @ turn(0, row.alpha)
    return turn(0, row.alpha) @ shift(0, row.a) @ turn(2, theta) @ shift(2, d)


@pytest.mark.parametrize("convention", ["standard", "modified"])
def test_poses_are_products_of_the_textbook_matrices(convention: str) -> None:
    rng = np.random.default_rng(1)
    links = {f"link{i}": random_body(rng) for i in range(len(ROWS))}
    mech = from_dh("robot", links, ROWS, convention)
    model, erls = mech.build(), build(mech)
    q = rng.uniform(-1, 1, len(ROWS))
    T = np.eye(4)
    for i, row in enumerate(ROWS):
        T = T @ textbook(convention, row, q[i])
        frame = f"link{i}/dh" if convention == "standard" else f"link{i}"
        for R, p in (model.pose(q, frame), erls.pose(q, frame)):
            assert relative(R, T[:3, :3]) < 1e-14
            assert relative(p, T[:3, 3]) < 1e-13
    v, tau = rng.normal(size=4), rng.normal(size=4)
    assert relative(erls.forward_dynamics(q, v, tau), model.forward_dynamics(q, v, tau)) < 1e-9


def test_flexible_links_carry_the_next_joint_at_the_node_that_is_there() -> None:
    rod = beam(0.4, Rectangle(0.02, 0.01), ALUMINIUM, elements=2).reduce("free-free", modes=2)
    mech = from_dh("planar", {"upper": rod, "fore": rod}, [DH(a=0.4), DH(a=0.4)])
    model = build(mech)
    assert model.coordinates == (
        "upper.angle",
        "upper.mode1",
        "upper.mode2",
        "fore.angle",
        "fore.mode1",
        "fore.mode2",
    )
    q = model.neutral()
    q[0], q[3] = 0.5, 0.3
    x = 0.4 * np.array([np.cos(0.5) + np.cos(0.8), np.sin(0.5) + np.sin(0.8), 0.0])
    assert relative(model.pose(q, "fore/dh")[1], x) < 1e-14
    with pytest.raises(ModelError, match=r"link 'upper': expected a node at \[0.3, 0.0, 0.0\].*got \[0.2"):
        from_dh("planar", {"upper": rod}, [DH(a=0.3)])


def test_what_is_wrong_is_named() -> None:
    body = random_body(np.random.default_rng(0))
    with pytest.raises(ModelError, match=r"mechanism 'r': convention: expected one of standard, modified, got 'Craig'"):
        from_dh("r", {"a": body}, [DH()], "Craig")
    with pytest.raises(ModelError, match="expected a row of parameters for each link, got 2 for 1"):
        from_dh("r", {"a": body}, [DH(), DH()])
    with pytest.raises(ModelError, match=r"link 'a': joint: expected one of revolute, prismatic, got 'spherical'"):
        from_dh("r", {"a": body}, [DH(joint="spherical")])
