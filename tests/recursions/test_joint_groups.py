"""Momenta on groups: the closed forms beside series of matrices."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import linalg

from supple.engines.plain import plain
from supple.recursions import joint_groups

Floats = NDArray[np.float64]


def cross_matrix(x: Floats) -> Floats:
    return np.array([[0, -x[2], x[1]], [x[2], 0, -x[0]], [-x[1], x[0], 0]])


def adjoint(x: Floats) -> Floats:
    """ad: (w, u) x (omega, nu) = (w x omega, w x nu + u x omega)."""
    w, u = cross_matrix(x[:3]), cross_matrix(x[3:])
    return np.block([[w, np.zeros((3, 3))], [u, w]])


@pytest.mark.parametrize("angle", [0.0, 1e-9, 1e-3, 0.3, 1.7])
def test_momenta_are_carried_as_series_say(angle: float) -> None:
    rng = np.random.default_rng(4)
    w, u, p = rng.normal(size=3), rng.normal(size=3), rng.normal(size=6)
    x = np.concatenate([angle * w / np.linalg.norm(w), u])
    ad = adjoint(x)
    assert np.allclose(plain(joint_groups.coadjoint)(x, p), ad.T @ p, rtol=0, atol=1e-15)
    assert np.allclose(plain(joint_groups.carried)(x, p), linalg.expm(ad).T @ p, rtol=0, atol=1e-14)
    # d exp = 1 + ad/2! + ad^2/3! + ..., summed far beyond rounding
    d_exp = np.sum([np.linalg.matrix_power(ad, n) / math.factorial(n + 1) for n in range(40)], axis=0)
    found = np.array(plain(joint_groups.inverse_differential)(x, p))
    assert np.allclose(d_exp.T @ found, p, rtol=0, atol=2e-14)
    assert angle < 1e-2 or not np.allclose(found, p, atol=0.1)
