"""Estimated errors of runs beside their true ones."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import supple
from supple.integrators import DOP853, RK4, GeneralizedAlpha, finer
from supple.simulation import recorder
from supple.simulation.accuracy import Accuracy, estimated_error


def oscillator() -> supple.Model:
    """x'' = -x, from 0.3 m at rest."""
    mech = supple.Mechanism("oscillator", gravity=(0, 0, 0))
    mech.add_body("mass", supple.RigidBody(2.0), joint=supple.Prismatic("x", stiffness=2.0))
    return mech.build()


def run(model: supple.Model, **options: Any) -> tuple[Any, float]:
    """A checked run and its estimated error in the one unit that it has."""
    result = supple.simulate(model, 20.0, q={"mass.position": 0.3}, check=True, **options)
    (found,) = json.loads(result.attrs["estimated_error"])["errors"]
    assert found["coordinate"] == "mass.position"
    assert found["unit"] == "m"
    return result, found["value"]


@pytest.mark.parametrize(
    ("options", "share"),
    [
        ({"integrator": "DOP853", "rtol": 1e-6}, (0.5, 2.0)),
        ({"integrator": "Radau", "rtol": 1e-5}, (0.5, 2.0)),
        ({"integrator": "rk4", "step": 0.1}, (1 - 2 * 2.0**-4, 1.0)),
        ({"integrator": "generalized_alpha", "step": 0.02}, (0.7, 0.8)),
    ],
    ids=lambda x: x["integrator"] if isinstance(x, dict) else "",
)
def test_the_estimate_is_the_error(options: dict[str, Any], share: tuple[float, float]) -> None:
    """With half the step a method of order p leaves 1 - 2^-p of the error to be seen."""
    result, estimate = run(oscillator(), **options)
    true = float(np.abs(result.q.values[:, 0] - 0.3 * np.cos(result.time.values)).max())
    assert true > 1e-9
    assert share[0] * true <= estimate <= share[1] * true


def test_steps_are_finer() -> None:
    assert finer(DOP853(1e-6)) == DOP853(1e-7)
    assert finer(DOP853(1e-6, 1e-8)) == DOP853(1e-7, 1e-9)
    assert finer(DOP853(5e-13)).rtol == 1e-13  # type: ignore[union-attr]
    assert finer(DOP853(1e-14)).rtol == 1e-14  # type: ignore[union-attr]
    assert finer(RK4(0.1)) == RK4(0.05)
    assert finer(GeneralizedAlpha(0.1, rho=0.5)) == GeneralizedAlpha(0.05, rho=0.5)


def test_only_checked_runs_speak_of_it() -> None:
    assert estimated_error(supple.simulate(oscillator(), 0.1)) == ""
    line = estimated_error(run(oscillator(), integrator="rk4", step=0.1)[0])
    assert line.startswith("estimated error: ")
    assert line.endswith("distance from RK4(step=0.05)")


def test_results_in_files_have_it_and_a_resumed_run_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recorder, "WORTH_WRITING", 0.0)
    settings = {"integrator": "rk4", "step": 0.01}
    with run(oscillator(), file=tmp_path / "whole.nc", **settings)[0] as whole:
        known = whole.attrs["estimated_error"]
    seen = [0.0]

    def stop(t: float) -> None:
        again = any(later < before for before, later in pairwise(seen))  # the finer run is done
        seen.append(t)
        if again and t > 8.0:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(oscillator(), file=tmp_path / "broken.nc", progress=stop, **settings)
    with run(oscillator(), file=tmp_path / "broken.nc", resume=True, **settings)[0] as resumed:
        assert resumed.attrs["estimated_error"] == known


def test_a_quaternion_and_its_negative_are_one() -> None:
    mech = supple.Mechanism("top", gravity=(0, 0, 0))
    mech.add_body("top", supple.RigidBody(1.0, inertia=(1.0, 2.0, 3.0)), joint=supple.Spherical())
    model = mech.build()
    horizon = supple.Horizon(10.0, 101)
    found = Accuracy(supple.Simulator(model, v=[0.1, 3.0, 0.1], horizon=horizon, integrator=DOP853(1e-9)))
    motion = supple.simulate(model, 10.0, v=[0.1, 3.0, 0.1], samples=101, rtol=1e-8)
    found.add(motion)
    near = found.largest[:, 0].max()
    assert 0 < near < 1e-5
    found.add(motion.assign(q=-motion.q))
    assert found.largest[:, 0].max() == near


def test_a_finer_run_that_stops_is_compared_as_far_as_it_came() -> None:
    model, horizon = oscillator(), supple.Horizon(20.0, 21)
    found = Accuracy(supple.Simulator(model, tau={"mass.position": "sqrt(10.5 - t)"}, horizon=horizon))
    motion = supple.simulate(model, 20.0, samples=21)
    found.add(motion.assign(q=motion.q + 1e3 * (motion.time > 10.0)))
    found_errors = json.loads(found.attributes()["estimated_error"])
    assert 1.0 < found_errors["errors"][0]["value"] < 10.0  # of what the force does up to 10 s
    assert "which stopped: " in found_errors["reference"]
