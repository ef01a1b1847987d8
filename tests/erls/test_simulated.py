"""Equivalent rigid-link systems in `supple.simulate`: the same states, outputs, files and pages as other models."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import xarray as xr
from typer.testing import CliRunner

import supple
from supple import cli
from supple.cli.console import app
from supple.cli.view import _report
from supple.erls import ErlsModel, build
from supple.inputs.requests import Outputs
from supple.structures import Material, Rectangle, beam
from supple.view import write_report
from support.cases import thinned

START = {"upper.angle": 2.0}


def arm() -> supple.Mechanism:
    strip = beam(0.5, Rectangle(0.02, 0.012), Material(E=70e9, nu=0.3, rho=2700.0), elements=3)
    mech = supple.Mechanism("arm")
    for name, parent, axis, at in (("upper", "ground", "z", None), ("fore", "upper", "y", "end")):
        body = strip.reduce("craig-bampton", modes=0)
        mech.add_body(name, body, parent, supple.Revolute(axis, damping=0.01), at=at, stiffening=False)
    return mech


@pytest.fixture(scope="module")
def two_modes() -> ErlsModel:
    return build(arm(), modes=2)


@pytest.fixture(scope="module")
def best(two_modes: ErlsModel) -> xr.Dataset:
    return supple.simulate(two_modes, 0.02, v=START, rtol=1e-11, atol=1e-13, samples=3)


def test_both_formulations_give_the_same_outputs() -> None:
    """Tips, roots and strains by name; the energy is the work of actuators and what dampers take."""
    mech = arm()
    wanted = Outputs(frames=["fore/end", "fore"], nodes=["upper/end", "fore/end"])
    tau: dict[str, float | str] = {"fore.angle": "0.4*sin(9*t)", "upper.angle": 0.1}
    runs = [
        supple.simulate(model, 0.3, v=START, tau=dict(tau), outputs=wanted, rtol=1e-8, samples=31)
        for model in (mech.build(), build(mech))
    ]
    assert set(runs[1].variables) - set(runs[0].variables) == {"elastic_displacement"}
    assert set(runs[0].variables) < set(runs[1].variables)
    assert runs[0].coordinate.values.tolist() == runs[1].coordinate.values.tolist()
    gap = np.linalg.norm(runs[0].position - runs[1].position, axis=-1).max()
    bent = np.linalg.norm(runs[0].displacement, axis=-1).max()
    assert 5e-4 < bent < 1e-2
    assert gap < 0.01 * bent
    elastic = runs[1].elastic_displacement
    np.testing.assert_allclose(elastic, runs[0].displacement, atol=0.01 * bent)
    assert elastic.attrs["long_name"] == "displacement of nodes from the root of their body, body axes"
    whole = runs[1].displacement
    assert whole.attrs["long_name"] == "displacement of nodes from the equivalent rigid link, link axes"
    assert float(np.abs(whole - elastic).max()) > 0.1 * bent
    np.testing.assert_allclose(runs[1].center_of_mass, runs[0].center_of_mass, atol=1e-5)
    np.testing.assert_allclose(runs[1].work, runs[0].work, atol=1e-4)
    assert float(runs[1].work[-1]) > 0.05


@pytest.mark.parametrize(
    "integrator", thinned(["DOP853", "ESDIRK54", "rk4", "RK45", "IDA"], ["DOP853", "ESDIRK54", "IDA"])
)
def test_integrators_agree(integrator: str, two_modes: ErlsModel, best: xr.Dataset) -> None:
    settings = {"step": 2e-5} if integrator == "rk4" else {"rtol": 1e-9, "atol": 1e-11}
    if integrator == "IDA":
        pytest.importorskip("sksundae")
    run = supple.simulate(two_modes, 0.02, v=START, integrator=integrator, samples=3, **settings)  # type: ignore[arg-type]
    np.testing.assert_allclose(run.q, best.q, atol=1e-6)


def test_generalized_alpha_steps_follow_motors_and_prescribed_joints(two_modes: ErlsModel) -> None:
    """Implicit steps of fixed length beside explicit ones; the error falls with the square of the step."""
    model = two_modes
    law = {"fore.angle": "0.4*sin(9*t) - 0.05*rate(fore.angle)"}
    given = {"v": {"fore.angle": 1.0}, "tau": law, "motion": {"upper.angle": "1 - cos(9*t)"}, "samples": 3}
    best = supple.simulate(model, 0.02, rtol=1e-10, atol=1e-12, **given)  # type: ignore[arg-type]
    gaps = []
    for step in (2e-4, 1e-4):
        run = supple.simulate(model, 0.02, integrator="generalized_alpha", step=step, **given)  # type: ignore[arg-type]
        gaps.append(float(np.abs(run.q.values - best.q.values)[:, ~model.is_mode].max()))
        np.testing.assert_allclose(run.work, best.work, atol=2e-2 * float(np.abs(best.work).max()))
    assert np.ptp(best.q.values) > 0.01
    assert gaps[1] < 0.5 * gaps[0] < 1e-4


@pytest.mark.parametrize("integrator", thinned(["DOP853", "CVODE", "IDA"], ["DOP853", "CVODE"]))
def test_the_work_of_a_prescribed_joint_is_the_energy(integrator: str) -> None:
    """Drives act on the whole motion of a joint, which the modes share in."""
    pytest.importorskip("sksundae")
    mech = supple.Mechanism("arm")
    for name, placed in arm().bodies.items():
        at = "end" if name == "fore" else None
        mech.add_body(name, placed.body, placed.parent, supple.Revolute("y" if at else "z"), at=at)
    model = build(mech, modes=2)
    run = supple.simulate(
        model, 0.025, motion={"upper.angle": "1 - cos(16*t)"}, rtol=1e-8, atol=1e-11, samples=21, integrator=integrator
    )
    np.testing.assert_allclose(run.q.sel(coordinate="upper.angle"), 1 - np.cos(16 * run.time), atol=1e-9)
    energy = run.kinetic_energy + run.potential_energy
    np.testing.assert_allclose(energy - energy[0], run.work, atol=2e-6)
    assert np.ptp(energy.values) > 0.1


def test_results_go_to_files_and_pages(tmp_path: Path, two_modes: ErlsModel) -> None:
    model = two_modes
    target = tmp_path / "motion.nc"
    with supple.simulate(model, 0.02, v=START, samples=5, file=target) as run:
        found = run.load()
    assert target.exists()
    page = write_report(model, found, tmp_path / "motion.html").read_text()
    assert "fore (rigid)" in page


def test_results_remember_the_formulation(tmp_path: Path) -> None:
    """Of equivalent rigid links: the file gives the same model, `supple run` simulates it, `supple view` shows it."""
    model = build(arm(), modes={"upper": 2, "fore": 1})
    target = tmp_path / "motion.nc"
    with supple.simulate(model, 0.02, v=START, samples=5, file=target) as run:
        found = run.load()
    held = supple.load(target)
    assert isinstance(held, ErlsModel)
    assert held.coordinates == model.coordinates
    assert held.nq != model.description.build().nq  # not trivial: the floating frames have other coordinates
    q = found.q.values[-1]
    np.testing.assert_array_equal(held.mass_matrix(q), model.mass_matrix(q))
    with supple.simulate(held, 0.02, v=START, samples=5, file=tmp_path / "again.nc") as again:
        xr.testing.assert_identical(again.q, found.q)
    assert "fore (rigid)" in _report(target, None, False, None)
    cli.command()  # all of them
    commands = CliRunner()
    ran = commands.invoke(app, ["run", str(target), "--duration", "0.01", "-o", str(tmp_path / "run.nc")])
    assert ran.exit_code == 0, ran.output
    assert supple.open_results(tmp_path / "run.nc").sizes["coordinate"] == model.nq
    display = commands.invoke(app, ["info", str(target)])
    assert "simulated as equivalent rigid links, modes: upper 2, fore 1" in display.output
    assert "mode  frequency/Hz" in commands.invoke(app, ["modes", str(target)]).output
    for command in ("equations", "bench"):
        refused = commands.invoke(app, [command, str(target)])
        assert isinstance(refused.exception, supple.StateError), refused.output
        assert f"which supple {command} does not take" in str(refused.exception)


def test_what_floating_frames_alone_can_do_is_refused() -> None:
    model = build(arm(), modes=1)
    what = "is an equivalent rigid-link system, which"
    with pytest.raises(supple.StateError, match=f"{what} a stop of joints, .*, does not take"):
        supple.simulate(model, 0.1, limits=[supple.Limit("fore.angle", upper=1.0)])
