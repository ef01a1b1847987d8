"""What results say of a run is what was done: every attribute against a recount of the run itself."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import supple
from supple import integrators
from supple.simulation.methods.fixed_step_driver import FixedStepDriver
from supple.simulation.run import Run
from support.public_calls import closed

PLAIN = [name for name in integrators.BY_NAME if name not in ("CVODE", "IDA")]
EXPLICIT = ("auto", "DOP853", "RK45", "RK23", "rk4", "leapfrog", "semi_implicit_euler")


class Recount:
    """Counts evaluations of a law, and steps of fixed length, while integrators are at work."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.calls = self.evaluations = 0
        self.lengths: list[float] = []
        run, drive = Run._run, FixedStepDriver._driven

        def counted(own: Run, *arguments: Any) -> Any:
            before = self.calls
            found = run(own, *arguments)
            self.evaluations += self.calls - before
            return found

        def driven(own: Any, *arguments: Any) -> Any:
            make = own._stepper

            def noted(task: Any, h: float, count: int) -> Any:
                self.lengths += [h] * count
                return make(task, h, count)

            own._stepper = noted
            found = drive(own, *arguments)
            del own._stepper
            return found

        monkeypatch.setattr(Run, "_run", counted)
        monkeypatch.setattr(FixedStepDriver, "_driven", driven)

    def law(self, t: float, q: Any, v: Any) -> float:
        self.calls += 1
        return 0.1 * float(q[0])


def oscillator() -> supple.Model:
    mech = supple.Mechanism("oscillator", gravity=(0, 0, 0))
    mech.add_body("a", supple.RigidBody(1.0), joint=supple.Prismatic("x", stiffness=4.0))
    return mech.build()


@pytest.mark.parametrize("name", PLAIN)
def test_steps_and_evaluations_are_those_of_the_run(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Evaluations of implicit methods are those of their stages, without those of Jacobians and trials."""
    options: dict[str, Any] = {"step": 0.02} if name in integrators.STEPPED else {}
    recount = Recount(monkeypatch)
    run = supple.simulate(
        oscillator(), 1.0, v=[1.0], tau={"a.position": recount.law}, integrator=name, samples=21, **options
    )
    said = run.attrs
    assert said["integrator"] == ("DOP853" if name == "auto" else name)
    if name in EXPLICIT:
        assert said["evaluations"] == recount.evaluations
    assert 0 < said["evaluations"] <= recount.evaluations
    if name in integrators.STEPPED:
        assert said["steps"] == len(recount.lengths) == 60
        assert said["step"] == pytest.approx(max(recount.lengths), rel=1e-11)
        assert said["step"] == pytest.approx(0.05 / 3, rel=1e-11)
        assert "in steps of 0.0166667 s that end at the output times, instead of 0.02 s" in said["reason"]
        assert said["rejected_steps"] == 0
    else:
        assert said["rtol"] == 1e-8
    assert ("rejected_steps" in said) == (name not in ("Radau", "BDF", "LSODA"))


def test_steps_that_fit_are_as_asked() -> None:
    run = supple.simulate(oscillator(), 1.0, v=[1.0], integrator="rk4", step=0.005, samples=21)
    assert (run.attrs["step"], run.attrs["reason"], run.attrs["steps"]) == (0.005, "as asked", 200)


def test_explicit_steps_of_scipy_count_what_they_reject() -> None:
    """A force that grows a million times within a thousandth of a second."""
    run = supple.simulate(
        oscillator(), 1.0, v=[1.0], tau={"a.position": "1e6*exp(-((t - 0.5)*1e3)**2)"}, integrator="RK45"
    )
    assert run.attrs["rejected_steps"] > 10
    n = run.attrs["steps"] + run.attrs["rejected_steps"]
    assert 6 * n < run.attrs["evaluations"] < 6 * n + 20  # with the first rates, and those of the first step


def test_options_of_an_object_are_said() -> None:
    options = integrators.GeneralizedAlpha(0.005, rho=0.5, tolerance=1e-6)
    said = supple.simulate(oscillator(), 0.1, v=[1.0], integrator=options, samples=21).attrs
    assert (said["step"], said["rho"], said["tolerance"]) == (0.005, 0.5, 1e-6)
    said = supple.simulate(oscillator(), 0.1, v=[1.0], integrator=integrators.Variational(0.005, 4), samples=21).attrs
    assert (said["step"], said["order"]) == (0.005, 4)
    said = supple.simulate(oscillator(), 0.1, v=[1.0], rtol=1e-5, atol=1e-9).attrs
    assert (said["rtol"], said["atol"]) == (1e-5, 1e-9)


def test_a_tolerance_that_a_solver_does_not_take_is_not_said() -> None:
    """Scipy's solvers raise smaller relative tolerances of a step to 100 eps."""
    said = supple.simulate(oscillator(), 0.01, v=[1.0], integrator="RK45", rtol=1e-16, atol=1e-9).attrs
    assert said["rtol"] == pytest.approx(100 * np.finfo(float).eps)


def test_an_integrator_that_carries_no_sensitivities_is_not_said_to_be_as_asked() -> None:
    said = supple.simulate(oscillator(), 0.1, v=[1.0], integrator="ESDIRK54", sensitivities=["v.a.position"]).attrs
    assert said["integrator"] == "Radau"
    assert said["reason"] == "as asked; ESDIRK54 carries no sensitivities, Radau does"


HERE = {"integrator", "reason", "rtol", "atol", "step", "steps", "evaluations", "rejected_steps"}
HERE |= {"rho", "tolerance", "order"}
ELSEWHERE = {
    "model": "simulation/test_simulate.py",
    "formulation": "files/test_formulation.py",
    "engine": "simulation/test_simulator.py",
    "error_control": "simulation/test_choice.py",
    "estimated_error": "simulation/test_accuracy.py",
    "events": "simulation/test_recorder.py",
    "finished": "simulation/test_recorder.py",
    "independent": "simulation/test_closed_loops.py",
    "validity": "linear_theory/test_validity.py",
}
"""Attributes that other tests compare with what was done, and where."""


def test_every_attribute_is_compared_with_what_was_done(tmp_path: Path) -> None:
    """Of runs by every integrator, with a check, into a file, of closed loops by independent speeds."""
    runs = [
        supple.simulate(oscillator(), 0.1, v=[1.0], integrator=name, samples=3, **options)
        for name in PLAIN
        for options in [{"step": 0.02} if name in integrators.STEPPED else {}]
    ]
    runs.append(supple.simulate(oscillator(), 0.1, v=[1.0], check=True))
    runs.append(supple.simulate(oscillator(), 0.1, v=[1.0], file=tmp_path / "m.nc"))
    runs.append(supple.simulate(closed(), 0.01, samples=3, loops="independent"))
    assert {str(name) for run in runs for name in run.attrs} == HERE | {*ELSEWHERE}
    for name, place in ELSEWHERE.items():
        assert f'attrs["{name}"]' in (Path(__file__).parents[1] / place).read_text()
