"""Modes, state-space models and equilibria of equivalent rigid-link systems are those of floating frames, nearly."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import expm

import supple
from supple import linear
from supple.erls import ErlsModel, build, held_configuration, natural_frequencies
from supple.structures import Material, Rectangle, beam
from support.mechanisms.rigid_links import arm, relative

STEEL = Material(E=210e9, nu=0.3, rho=7800.0)


def sprung(gravity: tuple[float, float, float] = (0.0, 0.0, -9.81)) -> supple.Mechanism:
    """Two flexible links whose joints have springs, dampers and rotors."""
    rod = beam(0.5, Rectangle(0.02, 0.008), STEEL, elements=4).with_mass("end", 0.2, inertia=(1e-4, 1e-4, 1e-4))
    mech = supple.Mechanism("sprung", gravity)
    joint = {"stiffness": 60.0, "damping": 0.02, "inertia": 0.01}
    mech.add_body("a", rod.reduce("free-free", modes=6), joint=supple.Revolute("z", **joint))
    mech.add_body("b", rod.reduce("free-free", modes=6), "a", supple.Revolute("y", **joint), "end")
    return mech


def test_all_modes_are_those_of_floating_frames_without_load() -> None:
    """About the undeformed state both are the same linear structure: frequencies, damping, energies of the links."""
    mech = sprung((0.0, 0.0, 0.0))
    floating, links = mech.build(), build(mech)
    found, expected = linear.modes(links), linear.modes(floating)
    assert len(found) == len(expected) == 14
    np.testing.assert_allclose(found.frequencies, expected.frequencies, rtol=1e-7)
    np.testing.assert_allclose(found.damping, expected.damping, atol=1e-9)
    assert expected.damping.max() > 1e-3
    np.testing.assert_allclose(found.energies, expected.energies, atol=1e-7)
    assert relative(np.abs(found.shape_at("b/end")), np.abs(expected.shape_at("b/end"))) < 1e-6
    assert "a " in found.table(3)


def test_equilibrium_is_that_of_floating_frames() -> None:
    mech = sprung()
    floating, links = mech.build(), build(mech)
    found, expected = linear.equilibrium(links), linear.equilibrium(floating)
    assert found.stable
    sag = expected.displacement("b/end")
    assert 0.01 < np.linalg.norm(sag) < 0.2
    assert relative(found.displacement("b/end"), sag) < 1e-2
    held = linear.equilibrium(links, fixed=["a"])
    assert held.q[links.coordinate_index("a.angle")] == 0.0
    modes = linear.modes(links, found.q)
    np.testing.assert_allclose(modes.frequencies[:5], linear.modes(floating, expected.q).frequencies[:5], rtol=2e-2)


def test_natural_frequencies_are_the_modes_without_dampers() -> None:
    links = build(arm(2, "free-free", 4))
    q = held_configuration(links, links.random_state(1)[0] * 0.3)
    found = linear.modes(links, q)
    oscillating = found.frequencies[[kind == "" for kind in found.kinds]]
    np.testing.assert_allclose(oscillating[-6:], natural_frequencies(links, q)[-6:], rtol=1e-9)


def test_the_state_space_follows_small_motions() -> None:
    """Against the exact motion of A and B of `linearize`, and frequency responses at a tip beside floating frames."""
    links, floating = build(sprung((0, 0, 0))), sprung((0, 0, 0)).build()
    inputs, outputs = ["a.angle", "b/end.fz"], ["v:b.angle", "b/end.z", "b/end.vz", "b/end.az"]
    system, other = (linear.state_space(m, inputs=inputs, outputs=outputs) for m in (links, floating))
    A, B = links.linearize(links.neutral(), np.zeros(links.nv), np.zeros(links.nv))
    assert relative(expm(1e-4 * system.A), expm(1e-4 * A)) < 1e-8
    assert relative(system.B[:, 0], B[:, 0]) < 1e-9
    for row in range(1, 4):
        assert relative(system.transfer([1.0, 7.0])[:, row], other.transfer([1.0, 7.0])[:, row]) < 1e-6


def test_accelerations_under_constant_forces_are_those_of_the_model() -> None:
    links = build(sprung())
    q, v = links.random_state(3)
    v, tau = 0.1 * v, np.where(links.is_mode, 0.0, 0.7)
    e = linear.linear_equations(links, q, v, tau)
    assert relative(e.state.a, links.forward_dynamics(q, v, tau)) < 1e-9
    external = {"b/end": np.array([0.1, 0.2, 0.3, 1.0, 2.0, 3.0])}
    loaded = linear.linear_equations(links, q, v, tau, external)
    step, n = 1e-30, links.nv

    def accelerations(x: np.ndarray, s: np.ndarray) -> np.ndarray:
        return np.asarray(links.forward_dynamics(x, s, tau, external=external))

    by_q = accelerations(q + 1j * step * np.eye(n), v).imag.T / step
    by_v = accelerations(q, v + 1j * step * np.eye(n)).imag.T / step
    assert relative(-np.linalg.solve(loaded.M, loaded.K), by_q) < 1e-7
    assert relative(-np.linalg.solve(loaded.M, loaded.C), by_v) < 1e-7
    assert isinstance(loaded.model, ErlsModel)


def test_what_is_no_model_is_refused() -> None:
    with pytest.raises(supple.StateError, match=r"supple.linear: expected a Model or an equivalent rigid-link system"):
        linear.equilibrium("arm")  # type: ignore[arg-type]
