"""Sweeps in one process: what comes of the cases, of files and of models, against closed forms."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray as xr

import supple
from supple.files import read
from support.mechanisms.swept_models import OSCILLATOR, swept


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> xr.Dataset:
    return supple.sweep(swept(tmp_path_factory.mktemp("sweep")))


def test_cases_are_those_of_the_closed_form(found: xr.Dataset) -> None:
    """x(T) = x0 cos(sqrt(k/m) T), f = sqrt(k/m)/(2 pi)."""
    k, x0 = found["body.mass.joint.stiffness"].values, found["simulation.q.mass.position"].values
    assert np.ptp(k) > 4
    assert np.allclose(found.end, x0 * np.cos(np.sqrt(k)), atol=1e-6)
    assert np.allclose(found.f, np.sqrt(k) / (2 * np.pi), rtol=1e-12)


def test_the_dataset_says_all_of_the_sweep(found: xr.Dataset) -> None:
    assert found.status.values.tolist() == [1] * 12
    assert found.status.attrs["flag_meanings"].split()[2] == "failed"
    assert found.q.dims == ("case", "time", "coordinate")
    assert found.end.attrs == {"formula": "last(mass.position)", "units": "m"}
    plan = json.loads(found.attrs["sweep"])
    assert plan["sampler"] == "lhs"
    assert plan["samples"] == 12
    assert found.attrs["model_file"].startswith(OSCILLATOR)
    assert np.allclose(found.q.isel(time=-1, coordinate=0), found.end)


def test_a_case_is_the_run_of_the_changed_file(found: xr.Dataset, tmp_path: Path) -> None:
    """Bit for bit, trajectories included, as `supple run` finds it with the file edited by hand."""
    k, x0 = (float(found[path][4]) for path in ("body.mass.joint.stiffness", "simulation.q.mass.position"))
    file = tmp_path / "edited.toml"
    text = OSCILLATOR.replace("stiffness = 4.0", f"stiffness = {k!r}").replace("position = 1.0", f"position = {x0!r}")
    file.write_text(text)
    contents = read(file)
    with supple.simulate(contents.model, file=tmp_path / "run.nc", **contents.run_arguments()) as run:
        assert np.array_equal(run.q.values, found.q.values[4])
        assert float(run.q[-1, 0]) == float(found.end[4])


def test_modes_of_a_case_are_those_of_its_run(tmp_path: Path) -> None:
    """About the start, with laws: springs of 4 N/m and k; a pendulum that a torque holds at an angle."""
    actuator = '[[actuator]]\nspeed = "mass.position"\nforce = "-k*mass.position"\n'
    text = OSCILLATOR.replace("limit = 100.0", "limit = 100.0\nk = 5.0") + actuator
    (file := tmp_path / "sprung.toml").write_text(text)
    measure = {"f": "frequency(1)"}
    found = supple.sweep(file, {"variables.k": [0.0, 5.0, 12.0]}, measure)
    assert np.allclose(found.f, np.sqrt([4.0, 9.0, 16.0]) / (2 * np.pi), rtol=1e-12)
    mech = supple.Mechanism("pendulum")
    mech.add_body("arm", supple.RigidBody(1.0, (0, 0, -1.0)), joint=supple.Revolute("y"))
    angle = 0.5
    tau = {"arm.angle": 9.81 * np.sin(angle)}  # that holds it there
    held = supple.sweep(mech.build(), {"arm.mass": [1.0]}, measure, tau=tau, q=[angle], v=[0.1])
    assert float(held.f[0]) == pytest.approx(np.sqrt(9.81 * np.cos(angle)) / (2 * np.pi), rel=1e-9)


def test_a_model_in_python_is_varied_by_its_parameters(tmp_path: Path) -> None:
    model = supple.files.read(swept(tmp_path)).model
    vary: dict[str, Any] = {
        "mass.position.stiffness": [1.0, 4.0],
        "simulation.q.mass.position": [0.5],
        "simulation.duration": [2.0, 3.0],
    }
    seen: list[int] = []

    def noted(result: xr.Dataset) -> int:
        seen.append(result.attrs["seed"])
        return len(result.time)

    measure = {"end": "last(mass.position)", "seed": noted}
    found = supple.sweep(
        model, vary, measure, duration=1.0, changes={"simulation.samples": 7}, v={"mass.position": 0.0}
    )
    k, T = found["mass.position.stiffness"].values, found["simulation.duration"].values
    assert np.allclose(found.end, 0.5 * np.cos(np.sqrt(k) * T), atol=1e-6)
    assert found.seed.values.tolist() == [7.0] * 4
    assert seen == [supple.sweeps.case_seed(0, i) for i in range(4)]


def test_events_stop_cases_and_errors_fail_them(tmp_path: Path) -> None:
    vary = {"variables.limit": [100.0, -0.2], "simulation.v.mass.position": [0.0, -1.0]}
    measure = {"end": "last(mass.position)", "odd": lambda result: 1.0 / float(result.v[0, 0])}
    found = supple.sweep(swept(tmp_path), vary, {"end": measure["end"]})
    assert found.status.values.tolist() == [1, 1, 3, 3]
    assert found.message.values[3].startswith("stopped by too far at t = ")
    assert np.isfinite(found.end.values).all()
    found = supple.sweep(swept(tmp_path), vary, measure)
    assert found.status.values.tolist() == [2, 1, 2, 3]
    assert "ZeroDivisionError" in found.message.values[0]
    assert np.isnan(found.end.values[0])


def test_a_list_of_values_may_be_text(tmp_path: Path) -> None:
    vary = {"simulation.integrator": ["rk4", "DOP853"], "simulation.step": [0.01]}
    found = supple.sweep(swept(tmp_path), vary, {"end": "last(mass.position)"})
    assert found.status.values.tolist() == [1, 2]  # a step is no option of an adaptive integrator
    assert found["simulation.integrator"].values.tolist() == ["rk4", "DOP853"]


def test_a_table_gives_the_cases(tmp_path: Path) -> None:
    (tmp_path / "cases.csv").write_text("body.mass.mass,simulation.q.mass.position\n1,0.5\n4,0.25\n")
    file = swept(tmp_path, '[sweep]\ntable = "cases.csv"\nmeasure = { end = "last(mass.position)" }\n')
    found = supple.sweep(file)
    assert np.allclose(found.end, [0.5 * np.cos(2.0), 0.25 * np.cos(1.0)], atol=1e-6)
    assert json.loads(found.attrs["sweep"])["sampler"] == "table"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"vary": {"body.mass.mas": [1.0]}}, "no 'body.mass.mas' in the file or in its schema: .*did you mean 'mass'"),
        ({"vary": {"body.mas.mass": [1.0]}}, "no 'mas' in the list; did you mean 'mass'"),
        ({"vary": {"variables.limt": [1.0]}}, "'limt' is not there; (did you mean|there are) 'limit'"),
        ({"vary": {"simulation.q.mass.positio": [1.0]}}, "no 'mass.positio' in the model"),
        ({"vary": {"body[2].mass": [1.0]}}, r"no entry \[2\], got 1 entries"),
        ({"vary": {"sweep.seed": [1]}}, r"expected a path outside the table \[sweep\]"),
        (
            {"vary": {"body.mass.mass": {"normal": [0.5, 0.3]}}, "samples": 50},
            r"case \d+ \(body.mass.mass = -.*truncate",
        ),
        ({"vary": {"simulation.duration": [1.0, -1.0]}}, r"case 1 .*expected a number greater than zero"),
        ({"vary": {}}, "vary: expected one or more paths"),
        ({"measure": {}, "trajectories": []}, "expected measures or trajectories, got neither"),
        ({"measure": {"status": "last(t)"}}, "'status': the results of sweeps have a variable of this name"),
        ({"measure": {"a": 3}}, "measure 'a': expected a formula or a function"),
        ({"engine": "lokal"}, "engine: no 'lokal'"),
        ({"engine": "local", "workers": 0}, "workers: expected a whole number above zero, got 0"),
        ({"engine": "serial", "timeout": 3.0}, "timeout: expected with the engine 'local'"),
        ({"engine": "local", "scheduler": "tcp://x:1"}, "scheduler: expected with the engine 'dask'"),
        ({"resume": True}, "expected with a store"),
        ({"duration": 3.0}, "'duration': expected with a model, got a file; changes sets it"),
        ({"seed": -1}, "seed: expected a whole number"),
    ],
    ids=str,
)
def test_wrong_sweeps_are_refused_before_anything_runs(
    tmp_path: Path, options: dict[str, Any], words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("supple.sweeps.case_run.simulate", lambda *args, **more: pytest.fail("a case was run"))
    with pytest.raises(supple.SuppleError, match=words):
        supple.sweep(swept(tmp_path), **options)


def test_other_arguments_are_refused() -> None:
    with pytest.raises(supple.StateError, match=r"expected a Model or the path of a model file, got int"):
        supple.sweep(3, {}, {})  # type: ignore[arg-type]


def test_a_path_of_the_schema_need_not_be_in_the_file(tmp_path: Path) -> None:
    found = supple.sweep(swept(tmp_path), {"body.mass.joint.damping": [0.0, 0.4]}, {"d": "damping(1)"})
    assert np.allclose(found.d, [0.0, 0.4 / (2 * 2.0)], atol=1e-12)  # c / (2 sqrt(k m))


def test_the_schema_of_a_sweep_names_what_is_wrong(tmp_path: Path) -> None:
    file = swept(tmp_path, '[sweep]\nvary = { "body.mass.mass" = { unifrm = [1, 2] } }\nmeasure = { a = "max(t)" }\n')
    with pytest.raises(supple.FileFormatError, match=r"sweep: vary: 'body.mass.mass': .*did you mean 'uniform'"):
        supple.sweep(file)
