"""Tuple formulas against their matrices."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from supple import spatial
from supple.engines.plain import plain

rng = np.random.default_rng(0)
R = Rotation.random(random_state=3).as_matrix()
l = rng.normal(size=3)


def skew(a: Any) -> Any:
    return np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])


X = np.block([[R, skew(l) @ R], [np.zeros((3, 3)), R]])


def pack(P: Any) -> tuple[float, ...]:
    upper = np.triu_indices(3)
    return (*P[:3, :3][upper], *P[:3, 3:].reshape(-1), *P[3:, 3:][upper])


def symmetric(n: int) -> Any:
    A = rng.normal(size=(n, n))
    return A + A.T


def test_transformations_are_transposes_of_each_other() -> None:
    x = rng.normal(size=6)
    assert np.allclose(plain(spatial.force_to_parent)(R.reshape(-1), l, x), X @ x, atol=1e-14)
    assert np.allclose(plain(spatial.motion_to_child)(R.reshape(-1), l, x), X.T @ x, atol=1e-14)


def test_inertia_to_parent() -> None:
    P = symmetric(6)
    moved = plain(spatial.inertia_to_parent)(R.reshape(-1), l, pack(P))
    assert np.allclose(moved, pack(X @ P @ X.T), atol=1e-13)


def test_inertia_times_vector_and_rank_one_update() -> None:
    P, x = symmetric(6), rng.normal(size=6)
    assert np.allclose(plain(spatial.inertia_times)(pack(P), x), P @ x, atol=1e-14)
    u = rng.normal(size=6)
    assert np.allclose(plain(spatial.subtract_outer)(pack(P), 0.3 * u, u), pack(P - 0.3 * np.outer(u, u)), atol=1e-14)


def test_rigid_inertia_and_momentum() -> None:
    m, h, J = 2.0, rng.normal(size=3), symmetric(3)
    M = np.block([[J, skew(h)], [-skew(h), m * np.eye(3)]])
    packed = tuple(J[np.triu_indices(3)])
    assert np.allclose(plain(spatial.rigid_inertia)(m, h, packed), pack(M))
    x = rng.normal(size=6)
    assert np.allclose(plain(spatial.rigid_momentum)(m, h, packed, x), M @ x, atol=1e-14)


def test_rotations() -> None:
    axis = l / np.linalg.norm(l)
    turned = plain(spatial.rotation_about)(axis, np.cos(0.7), np.sin(0.7))
    assert np.allclose(np.reshape(turned, (3, 3)), Rotation.from_rotvec(0.7 * axis).as_matrix(), atol=1e-15)
    quaternion = Rotation.from_matrix(R).as_quat()
    assert np.allclose(np.reshape(plain(spatial.quaternion_rotation)(*(3 * quaternion)), (3, 3)), R, atol=1e-15)


@pytest.mark.parametrize("name", ["rotate", "unrotate"])
def test_rotated_vectors(name: str) -> None:
    x = rng.normal(size=3)
    expected = R @ x if name == "rotate" else R.T @ x
    assert np.allclose(plain(getattr(spatial, name))(R.reshape(-1), x), expected, atol=1e-15)


@pytest.mark.parametrize("angle", [0.0, 1e-9, 0.3, 1.0, 3.0, np.pi, 7.0, 12.0, 4 * np.pi, 18.0, 25.0])
def test_a_rotation_vector_of_any_length_gives_its_rotation(angle: float) -> None:
    theta = angle * np.array([2.0, -1.0, 2.0]) / 3
    a, b, _, _ = plain(spatial.so3_coefficients)(theta @ theta)
    turned = np.reshape(plain(spatial.turn_rotation)(theta, a, b), (3, 3))
    # an angle of 25 rad is itself known to 4e-15
    assert np.abs(turned - Rotation.from_rotvec(theta).as_matrix()).max() < 1e-15 * (5 + 2 * angle)
    assert np.abs(turned @ turned.T - np.eye(3)).max() < 1e-15 * (5 + 2 * angle)


@pytest.mark.parametrize("angle", [0.5, 1.0, 3.0, 7.0, 12.0, 18.0, 25.0])
def test_coefficients_of_a_rotation_vector_and_their_derivatives(angle: float) -> None:
    x, s, c = angle**2, np.sin(angle), np.cos(angle)
    expected = [
        (1 - c) / x,
        (angle - s) / angle**3,
        (angle * s - 2 * (1 - c)) / (2 * x**2),
        (3 * s - angle * c - 2 * angle) / (2 * angle**5),
    ]
    found = plain(spatial.so3_coefficients)(x)
    scale = np.array([x, angle**3, x**2, angle**5])  # of their parts, which cancel for small angles
    assert np.abs((np.array(found) - expected) * scale).max() < 1e-14 * (1 + x)
    h = 1e-30
    by_x = plain(spatial.so3_coefficients)(x + 1j * h)
    assert np.allclose([by_x[0].imag / h, by_x[1].imag / h], found[2:], rtol=1e-11, atol=1e-16)


def test_the_rate_of_a_large_rotation_is_that_of_its_matrix() -> None:
    theta, rate, h = np.array([9.0, -4.0, 6.0]), np.array([0.3, 0.5, -0.2]), 1e-30
    a, b, _, _ = plain(spatial.so3_coefficients)((theta + 1j * h * rate) @ (theta + 1j * h * rate))
    turned = np.reshape(plain(spatial.turn_rotation)(theta + 1j * h * rate, a, b), (3, 3))
    omega = np.reshape(plain(spatial.left_jacobian)(theta, a.real, b.real), (3, 3)) @ rate
    assert np.allclose(turned.imag / h, skew(omega) @ turned.real, atol=1e-13)
    assert np.linalg.norm(omega) > 0.05
