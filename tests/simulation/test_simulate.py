"""Simulation: conservation, results, and what happens when it cannot go on."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
import pytest

import supple
from support.generated.generators import random_tree


@cache
def pendulum() -> supple.Model:
    mech = supple.Mechanism("pendulum")
    mech.add_body("arm", supple.RigidBody(1.0, (0, 0, -1)), joint=supple.Revolute("y"))
    return mech.build()


def test_energy_and_momentum_of_a_free_system_are_held() -> None:
    model = random_tree(31, 5, gravity=False, forces=False, free_base=True)
    bare = supple.Mechanism("free", gravity=(0, 0, 0))
    for name, placed in model.description.bodies.items():
        joint = type(placed.joint)() if isinstance(placed.joint, supple.Free) else supple.Universal("x", "y")
        bare.add_body(name, placed.body, placed.parent, joint, at=placed.position, rotation=placed.rotation)
    system = bare.build()
    v = np.random.default_rng(0).normal(size=system.nv)
    rtol = 1e-10
    result = supple.simulate(system, 3.0, v=v, rtol=rtol, atol=1e-12, samples=31)
    q, v_ = result.q.values, result.v.values
    momentum = system.momentum(q, v_)
    assert np.abs(v_ - v_[0]).max() > 0.1
    energy = (result.kinetic_energy + result.potential_energy).values
    # The local error of a step is rtol; some hundred steps of it are allowed to add up.
    assert np.ptp(energy) < 300 * rtol * energy[0]
    assert np.abs(momentum - momentum[0]).max() < 300 * rtol * np.abs(momentum).max()
    length = np.linalg.norm(q[:, 3:7], axis=1)
    assert np.allclose(length, 1.0, atol=1e-14)


@pytest.mark.parametrize("integrator", ["DOP853", "RK45", "RK23", "Radau", "BDF", "LSODA", "CVODE", "IDA"])
def test_every_integrator_gives_the_same_motion(integrator: str) -> None:
    result = supple.simulate(pendulum(), 2.0, q=[1.0], integrator=integrator, rtol=1e-7, atol=1e-9, samples=5)
    best = supple.simulate(pendulum(), 2.0, q=[1.0], rtol=1e-12, atol=1e-13, samples=5)
    assert np.ptp(best.q.values) > 1
    assert np.allclose(result.q, best.q, atol=1e-4)
    assert result.attrs["integrator"] == integrator


def test_results_carry_names_units_and_survive_a_file(tmp_path: object) -> None:
    import xarray as xr

    result = supple.simulate(pendulum(), 0.1, q={"arm.angle": 0.5}, v={"arm.angle": 1.0}, samples=3)
    assert result.q.dims == ("time", "coordinate")
    assert result.v.dims == ("time", "speed")
    assert float(result.q.sel(coordinate="arm.angle")[0]) == 0.5
    assert list(result.coordinate_unit.values) == ["rad"]
    assert result.time.attrs["units"] == "s"
    path = f"{tmp_path}/motion.nc"
    result.to_netcdf(path, engine="h5netcdf")
    with xr.open_dataset(path, engine="h5netcdf") as again:
        assert np.array_equal(again.q, result.q)
        assert again.attrs["model"] == "pendulum"


def test_drives_may_be_numbers_names_or_a_function() -> None:
    model = pendulum()
    by_array = supple.simulate(model, 0.5, tau=[2.0], samples=3)
    by_name = supple.simulate(model, 0.5, tau={"arm.angle": 2.0}, samples=3)
    by_function = supple.simulate(model, 0.5, tau=lambda t, q, v: np.array([2.0]), samples=3)
    assert float(by_array.q[-1, 0]) > 0.1
    assert np.array_equal(by_array.q, by_name.q)
    assert np.array_equal(by_array.q, by_function.q)


@pytest.mark.parametrize("integrator", ["DOP853", "RK45", "CVODE"])
def test_progress_is_told(integrator: str) -> None:
    seen: list[float] = []
    supple.simulate(pendulum(), 1.0, q=[1.0], integrator=integrator, progress=seen.append)
    assert seen == sorted(seen)
    assert seen[-1] == 1.0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda m: supple.simulate(m, -1.0), "duration: expected a positive number, got -1"),
        (lambda m: supple.simulate(m, 1.0, samples=1), "samples: expected at least 2, got 1"),
        (lambda m: supple.simulate(m, 1.0, rtol=0), "rtol: expected a positive number, got 0"),
        (
            lambda m: supple.simulate(m, 1.0, integrator="RK54"),
            r"integrator: no 'RK54'; expected one of 'auto'",
        ),
        (lambda m: supple.simulate(m, 1.0, q=[1, 2]), r"q: expected shape \(1,\), got \(2,\)"),
        (lambda m: supple.simulate(m, 1.0, q=[np.nan]), "q: expected finite numbers, got nan for 'arm.angle'"),
        (lambda m: supple.simulate(m, 1.0, v={"arm.angel": 1}), r"v: no entry 'arm.angel'; did you mean 'arm.angle'\?"),
    ],
)
def test_wrong_settings_are_refused(call: Callable[[supple.Model], object], message: str) -> None:
    with pytest.raises(supple.StateError, match=message):
        call(pendulum())


@pytest.mark.parametrize("integrator", ["DOP853", "RK45", "Radau"])
def test_a_motion_that_cannot_go_on_says_when_and_what_and_keeps_what_was_found(integrator: str) -> None:
    law = "1/max(1 - t, 1e-300)**3"
    with pytest.raises(supple.SimulationError, match=rf"{integrator} stopped at t = .*'rate of arm.angle'") as caught:
        supple.simulate(pendulum(), 2.0, tau={"arm.angle": law}, integrator=integrator, samples=41)
    kept = caught.value.result
    assert 0.9 <= float(kept.time[-1]) <= 1.0
    assert np.isfinite(kept.q).all()


@pytest.mark.parametrize("integrator", ["CVODE", "IDA"])
def test_steps_are_those_of_the_solver_and_not_output_times(integrator: str) -> None:
    """Few or many outputs: about the same steps, more than there are intervals and fewer than evaluations."""
    pytest.importorskip("sksundae")
    model = pendulum()
    few, many = (supple.simulate(model, 2.0, [1.0], integrator=integrator, samples=n) for n in (3, 801))
    assert few.attrs["steps"] == pytest.approx(many.attrs["steps"], rel=0.02)
    assert 50 < few.attrs["steps"] < few.attrs["evaluations"]
    np.testing.assert_allclose(few.q, many.q[::400], atol=1e-6)
    exact = supple.simulate(model, 2.0, [1.0], rtol=1e-11, samples=801)
    np.testing.assert_allclose(many.q, exact.q, atol=1e-5)


def test_fixed_steps_can_be_given_as_an_object() -> None:
    by_name = supple.simulate(pendulum(), 1.0, [1.0], integrator="rk4", step=1e-3)
    as_object = supple.simulate(pendulum(), 1.0, [1.0], integrator=supple.integrators.RK4(1e-3))
    assert by_name.q.equals(as_object.q)
