"""Children that weigh much more than the flexible body that carries them: forces come back from accelerations."""

from __future__ import annotations

import numpy as np
import pytest

import supple
from supple.structures import Material, Tube, beam
from support.cases import thinned
from support.generated.generators_flexible import random_flexible_tree

BOOM = beam(8.0, Tube(radius=0.05, thickness=0.003), Material(E=70e9, nu=0.3, rho=1600.0), elements=12)
TIPS: dict[str, supple.Joint] = {
    "fixed": supple.Fixed(),
    "revolute": supple.Revolute("z"),
    "spherical": supple.Spherical(),
}


def tip_model(basis: str, joint: str, load: float, **options: bool | str) -> supple.Model:
    """A boom of 12 kg on a hinge with a load at its end."""
    body = BOOM.reduce(basis, modes=6 if basis == "cantilever" else 4)
    mech = supple.Mechanism("heavy tip")
    mech.add_body("boom", body, joint=supple.Revolute("y"), **options)  # type: ignore[arg-type]
    inertia = (load, load, load)
    mech.add_body("tip", supple.RigidBody(load, (0.3, 0.1, 0.0), inertia), "boom", TIPS[joint], at="end")
    return mech.build()


def round_trip(model: supple.Model, seed: int) -> float:
    """Largest difference of forces after forward and inverse dynamics, relative to the largest force."""
    q, v = model.random_state(seed)
    tau = model.inverse_dynamics(q, v, np.random.default_rng(seed).normal(size=model.nv))
    found = model.inverse_dynamics(q, v, model.forward_dynamics(q, v, tau))
    return float(np.abs(found - tau).max() / np.abs(tau).max())


@pytest.mark.parametrize(
    ("basis", "options"),
    [
        ("cantilever", {"stiffening": False}),
        ("cantilever", {"stiffening": True}),
        ("craig-bampton", {"stiffening": True}),
        ("craig-bampton", {"fidelity": "ruthless"}),
    ],
    ids=str,
)
@pytest.mark.parametrize("joint", thinned(TIPS, list(TIPS)[:2]))
def test_forces_come_back(basis: str, joint: str, options: dict[str, bool | str]) -> None:
    """10 t and 1,000 t. Forces are as accurate as the largest; a hinge at the tip loses three digits more.

    Rounding leaves inertia along it, of a share of 1e-16, beside which modes are light.
    """
    for load, allowed in ((1e4, 5e-14), (1e6, 5e-12)):
        model = tip_model(basis, joint, load, **options)
        assert model.flex is not None
        assert model.flex.heavy[1]
        assert max(round_trip(model, seed) for seed in range(3)) < allowed


def test_modes_alone_tell_the_motion_of_a_heavy_child_badly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("supple.model.flexible.HEAVY", 1e300)
    model = tip_model("craig-bampton", "fixed", 1e6, stiffening=False)
    assert max(round_trip(model, seed) for seed in range(3)) > 1e-9


def test_light_children_need_no_correction() -> None:
    flex = tip_model("cantilever", "fixed", 100.0).flex
    assert flex is not None
    assert not flex.heavy.any()


@pytest.mark.parametrize("seed", thinned([3, 5, 6, 10, 11], [3, 10]))
def test_a_correction_where_none_is_needed_changes_nothing(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Trees with several children on a body, modes that move ports in few directions, shapes of second order."""
    options = {
        3: {"modes": 5, "forces": True},
        5: {"modes": 8, "beams": True},
        6: {"modes": 8, "beams": True, "free_base": True},
        10: {"modes": 5, "second_order": True, "forces": True},
        11: {"modes": 6, "beams": True, "fidelity": "full", "second_order": True},
    }[seed]
    model, _ = random_flexible_tree(seed, 6, **options)  # type: ignore[arg-type]
    monkeypatch.setattr("supple.model.flexible.HEAVY", 0.0)
    corrected, _ = random_flexible_tree.__wrapped__(seed, 6, **options)  # type: ignore[arg-type]
    assert model.flex is not None
    assert corrected.flex is not None
    assert corrected.flex.heavy.sum() > model.flex.heavy.sum()
    q, v = model.random_state(seed)
    tau = np.random.default_rng(seed).normal(size=model.nv)
    a, b = (x.forward_dynamics(q, v, tau) for x in (model, corrected))
    condition = float(np.linalg.cond(model.mass_matrix(q)))
    assert np.abs(a - b).max() < (1e-11 + 1e-15 * condition) * np.abs(a).max()
