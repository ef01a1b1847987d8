"""Flexible systems in motion: energy and momentum are kept, stiff beams swing like rigid ones."""

from __future__ import annotations

import numpy as np
import pytest

import supple
from supple import structures
from support.cases import thinned

RUBBERY = structures.Material(E=3e8, nu=0.4, rho=1200.0)
SQUARE = structures.Rectangle(0.03, 0.03)


def link(basis: str = "cantilever", modes: int = 4, material: structures.Material = RUBBERY) -> structures.FlexibleBody:
    return structures.beam(0.5, SQUARE, material, 6).reduce(basis, modes=modes, root="start")


def drift(values: np.ndarray, size: float) -> float:
    return float(np.abs(values - values[0]).max()) / size


CHAINS = [("cantilever", 4, 2.0), ("free-free", 4, 2.0), ("craig-bampton", 0, 1.0)]


@pytest.mark.parametrize(("basis", "modes", "duration"), thinned(CHAINS, CHAINS[1:2], several=True))
def test_a_swinging_chain_keeps_its_energy(basis: str, modes: int, duration: float) -> None:
    mech = supple.Mechanism("chain")
    body = link(basis, modes, structures.Material(E=1e9, nu=0.4, rho=1200.0))
    for i in range(3):
        axis = "y" if i != 1 else "z"
        parent, at = ("ground", None) if i == 0 else (f"l{i - 1}", "end")
        mech.add_body(f"l{i}", body, parent, supple.Revolute(axis), at)
    model = mech.build()
    result = supple.simulate(model, duration, v={"l1.angle": 2.0}, rtol=1e-11, atol=1e-12)
    energy = (result.kinetic_energy + result.potential_energy).values
    size = float(np.ptp(result.kinetic_energy.values))
    assert size > 1.0
    assert drift(energy, size) < 1e-8
    tip = np.array([model.pose(q, "l2/end")[1] for q in result.q.values[::20]])
    assert np.ptp(tip, axis=0).max() > 0.5
    names = [name for name in model.coordinates if name.startswith("l0.mode")]
    deflection = result.q.sel(coordinate=names).values @ body.frames["end"].shape[3:].T
    assert np.abs(deflection).max() > 0.005


def test_a_free_flexible_tree_keeps_energy_and_momentum() -> None:
    mech = supple.Mechanism("satellite", gravity=(0, 0, 0))
    mech.add_body("bus", supple.RigidBody(4.0, (0.02, 0.0, -0.01), (0.1, 0.12, 0.15)), joint=supple.Free())
    boom = structures.beam(0.5, SQUARE, RUBBERY, 6).with_mass(
        "end", 0.2, inertia=(1e-3, 2e-3, 2e-3), offset=(0, 0.02, 0)
    )
    body = boom.reduce("cantilever", modes=5)
    mech.add_body("left", body, "bus", supple.Revolute("z", stiffness=3.0), at=(0.2, 0.0, 0.0))
    mech.add_body("right", body, "bus", supple.Fixed(), at=(-0.2, 0.0, 0.0), rotation=np.diag([-1.0, -1.0, 1.0]))
    mech.add_body("wheel", supple.RigidBody(0.3, (0, 0, 0), (1e-3, 1e-3, 2e-3)), "left", supple.Revolute("x"), at="end")
    model = mech.build()
    start = {"bus.wx": 0.8, "bus.wy": 1.0, "bus.wz": -1.2, "bus.vx": 0.1, "wheel.angle": 30.0, "left.mode1": 0.3}
    result = supple.simulate(model, 0.4, v=start, rtol=1e-11, atol=1e-12)
    q, v = result.q.values, result.v.values
    energy = (result.kinetic_energy + result.potential_energy).values
    assert drift(energy, float(np.ptp(result.kinetic_energy.values))) < 1e-8
    momentum = model.momentum(q, v)
    assert drift(momentum[:, :3], float(np.linalg.norm(momentum[0, :3]))) < 1e-8
    assert drift(momentum[:, 3:], float(np.linalg.norm(momentum[0, 3:]))) < 1e-8
    assert np.ptp(result.q.sel(coordinate="left.mode1").values) > 0.01


def test_stiff_beams_swing_like_rigid_bodies() -> None:
    """The error falls with the stiffness, tenfold for a tenfold modulus."""
    errors = []
    for modulus in (1e9, 1e10):
        flexible = link(modes=3, material=structures.Material(E=modulus, nu=0.3, rho=1200.0))
        rigid = supple.RigidBody(flexible.mass, flexible.com, flexible.inertia)
        ends = []
        for body in (rigid, flexible):
            mech = supple.Mechanism("pendulum")
            mech.add_body("a", body)
            mech.add_body("b", body, "a", at="end" if body is flexible else (0.5, 0.0, 0.0))
            result = supple.simulate(mech.build(), 0.5, rtol=1e-9, atol=1e-11)
            ends.append(result.q.sel(coordinate=["a.angle", "b.angle"]).values[-1])
        errors.append(float(np.abs(ends[0] - ends[1]).max()))
    assert 5e-4 < errors[0] < 5e-2
    assert errors[1] < 0.2 * errors[0]
