"""Errors are relative to the motion: small vibrations are as exact as large ones, and rounding costs no steps."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import supple
from supple.files import read
from supple.inputs.inputs import Inputs
from supple.simulation.driven_system import DrivenSystem
from supple.simulation.methods.tolerances import Tolerances, extent
from supple.stepping import native_loop
from supple.structures import FlexibleBody, Material, Rectangle, beam

EXAMPLES = Path(__file__).parents[2] / "examples"
AMPLITUDES = (1e-9, 1e-8, 1e-3)


@cache
def strip() -> FlexibleBody:
    """A boom of 2 m."""
    material = Material(E=70e9, nu=0.3, rho=2700.0)
    return beam(2.0, Rectangle(0.05, 0.02), material, elements=8).reduce("cantilever", modes=2)


def boom(joint: Any = None) -> supple.Model:
    mech = supple.Mechanism("boom", gravity=(0, 0, 0))
    mech.add_body("boom", strip(), joint=joint or supple.Fixed(), stiffening=False)  # rings as the books say
    return mech.build()


def ringing(periods: float, amplitude: float, integrator: str, **settings: Any) -> tuple[float, Any]:
    """Largest error of the first mode over its amplitude, and the run."""
    model = boom()
    w = float(np.sqrt(strip().stiffness.diagonal().min()))
    times = periods * 2 * np.pi / w
    run = supple.simulate(model, times, [amplitude, 0.0], integrator=integrator, samples=101, **settings)
    return float(np.abs(run.q[:, 0] - amplitude * np.cos(w * run.time)).max()) / amplitude, run


def test_a_boom_of_two_metres_rings_at_a_nanometre() -> None:
    errors = [ringing(100.25, amplitude, "DOP853")[0] for amplitude in AMPLITUDES]
    assert max(errors) < 1e-6
    assert max(errors) < 1.2 * min(errors)
    # Not trivial: an absolute tolerance, which is taken as it is given, loses the motion.
    lost, run = ringing(100.25, 1e-9, "DOP853", atol=1e-10)
    assert lost > 0.1
    assert (run.attrs["atol"], run.attrs["rtol"]) == (1e-10, 1e-8)


@pytest.mark.parametrize("integrator", ["RK45", "Radau", "BDF", "LSODA", "CVODE", "IDA"])
def test_every_adaptive_integrator_measures_the_motion(integrator: str) -> None:
    """At a nanometre as at a millimetre, up to a factor of four, as some change their order at other times."""
    if integrator in ("CVODE", "IDA"):
        pytest.importorskip("sksundae")
    errors = [ringing(2.25, amplitude, integrator, rtol=1e-6)[0] for amplitude in (1e-9, 1e-3)]
    assert max(errors) < 2e-4
    assert max(errors) < 4 * min(errors)


@pytest.mark.parametrize("integrator", ["DOP853", "ESDIRK54", "RK45", "RK23", "Radau", "BDF", "LSODA", "CVODE", "IDA"])
def test_a_spinning_top_is_as_exact_as_was_asked(integrator: str) -> None:
    """Within a factor of 30, though it forgets no error; of backward differences at 1e-7 too, where steps are many."""
    if integrator in ("CVODE", "IDA"):
        pytest.importorskip("sksundae")
    contents = read(EXAMPLES / "heavy_top.toml")
    model, given = contents.model, contents.run_arguments() | {"samples": 101}
    given = {key: given[key] for key in ("duration", "q", "v", "samples") if key in given}
    exact = supple.simulate(model, **given, integrator="DOP853", rtol=1e-11).q.values
    for rtol in (1e-4, 1e-7) if integrator in ("BDF", "CVODE", "IDA") else (1e-4,):
        found = supple.simulate(model, **given, integrator=integrator, rtol=rtol).q.values
        assert 0 < np.abs(found - exact).max() / np.ptp(exact, axis=0).max() < 30 * rtol


def test_a_free_body_keeps_a_small_vibration() -> None:
    """On a free body a vibration of 1 nm is one of 1 um, scaled down.

    Up to what rounding allows: its quaternion is of the size 1, so speeds are right to eps 2 m / h = 1e-14 m/s in each
    of some hundred steps of 0.03 s, and they are of 1e-7 m/s.
    """
    model = boom(supple.Free())
    start = [np.where(np.arange(model.nq) == model.nq - 2, amplitude, model.neutral()) for amplitude in (1e-9, 1e-6)]
    small, large = (supple.simulate(model, 5.0, q, samples=101, integrator="DOP853") for q in start)
    np.testing.assert_allclose(1e3 * small.v, large.v, atol=1e-4 * np.abs(large.v).max())
    assert np.abs(large.v).max() > 1e-5


@cache
def chain(links: int) -> supple.Model:
    """Rods whose joints are turned, so that nothing about them is exactly zero."""
    mech = supple.Mechanism("chain")
    for i in range(links):
        rod = supple.RigidBody(1.0, (0.25, 0, 0), (0.01, 0.02, 0.02))
        turned = np.array([[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]])
        at: dict[str, Any] = {"at": (0.5, 0, 0)} if i else {"rotation": turned}
        mech.add_body(f"rod{i}", rod, f"rod{i - 1}" if i else "ground", supple.Spherical(), **at)
    return mech.build()


def test_what_only_rounding_moves_costs_no_steps() -> None:
    hanging = supple.simulate(chain(4), 10.0, integrator="DOP853")
    assert np.abs(hanging.v).max() < 1e-12
    assert hanging.attrs["steps"] < 200
    # A rod that swings in a plane: rounding alone moves the others out of it.
    swinging = supple.simulate(chain(2), 10.0, v={"rod0.wy": 1.0}, integrator="DOP853")
    given = supple.simulate(chain(2), 10.0, v={"rod0.wy": 1.0}, integrator="DOP853", atol=1e-10)
    assert swinging.attrs["steps"] < 1.3 * given.attrs["steps"]


@pytest.mark.parametrize("integrator", ["DOP853", "RK45", "CVODE", "IDA"])
def test_what_is_at_rest_begins_to_move(integrator: str) -> None:
    """The force has a corner at 0.5 s, before which nothing moves: x = (t - 0.5)^3 / 6 behind it."""
    if integrator in ("CVODE", "IDA"):
        pytest.importorskip("sksundae")
    mech = supple.Mechanism("mass", gravity=(0, 0, 0))
    mech.add_body("mass", supple.RigidBody(1.0), joint=supple.Prismatic("x"))
    run = supple.simulate(mech.build(), 1.0, tau={"mass.position": "max(0, t - 0.5)"}, integrator=integrator)
    assert float(run.q[-1, 0]) == pytest.approx(0.5**3 / 6, rel=1e-5)
    assert run.attrs["steps"] < 3000


def test_the_native_loop_allows_what_the_formula_says() -> None:
    """Machine code and numbers, on a flexible arm with a controller's integral."""
    mech = supple.Mechanism("arm")
    mech.add_body("hub", supple.RigidBody(1.0, (0.1, 0, 0), (0.1, 0.1, 0.1)), joint=supple.Free())
    mech.add_body("boom", strip(), "hub", supple.Revolute("z"))
    model = mech.build()
    assert 2.0 <= extent(model) < 2.6
    inputs = Inputs(model, {"boom.angle": supple.PID(0.1, kp=1.0, ki=0.5, kd=0.1)})
    q, v = model.random_state(0)
    system = DrivenSystem(model, inputs, q, v)
    tolerances = Tolerances(system, 1e-8, None)
    y, new = np.random.default_rng(1).normal(size=(2, system.size))
    sizes = np.zeros((2, tolerances.count))
    found = np.zeros(system.size)
    step = native_loop.allowed_errors.py_func  # type: ignore[attr-defined]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(native_loop, "copy", native_loop.copy.py_func)  # type: ignore[attr-defined]
        step(0.01, 1.0, y, new, tolerances.rule, sizes, found)
    both = np.maximum(np.abs(y), np.abs(new))
    np.testing.assert_allclose(found, tolerances.allowed(0.01, both, tolerances.sizes(both)), rtol=1e-14)
    # Bodies, kinds, positions and speeds are groups of their own: hub 2, boom 2, twice; integral and work.
    assert tolerances.count == 2 * 4 + 2


def test_a_first_step_that_is_no_number_ends_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """No comparison with it would end the native loop."""
    monkeypatch.setattr(Tolerances, "first_step", lambda *_: (np.nan, np.zeros(1)))
    with pytest.raises(supple.SimulationError, match="rates are beyond the range of numbers"):
        supple.simulate(boom(), 1.0, [1e-3, 0.0], integrator="DOP853")
