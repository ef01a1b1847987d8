"""C programs and FMUs take the integration of a run, or name what they do not take of it."""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import supple
from supple.errors import StateError
from supple.files import read
from supple.integrators import DOP853, ESDIRK54, GeneralizedAlpha
from supple.model.parameters import symbols_of
from supple.simulation.program_integration import program_run
from supple.simulation.run_program import run_program, simplified_program
from support.programs.c_programs import EXAMPLES


def pendulum(closed: bool = False) -> supple.Model:
    if closed:
        return read(EXAMPLES / "four_bar.toml").model
    mech = supple.Mechanism("pendulum")
    mech.add_body("arm", supple.RigidBody(1.0, (0, 0, -0.5)), joint=supple.Revolute("y"))
    return mech.build()


def as_program(model: supple.Model, arguments: dict[str, Any], _: Path) -> str:
    return run_program(model, arguments, symbols_of(model))


def as_simplified(model: supple.Model, arguments: dict[str, Any], _: Path) -> str:
    return simplified_program(model, arguments, route="kane")


def as_fmu(model: supple.Model, arguments: dict[str, Any], folder: Path) -> str:
    path = supple.export.fmu(model, folder / "made.fmu", arguments, sources_only=True)
    return zipfile.ZipFile(path).read("modelDescription.xml").decode()


WRITERS: dict[Callable[[supple.Model, dict[str, Any], Path], str], str] = {
    as_program: "a program",
    as_simplified: "a program",
    as_fmu: "an FMU",
}
UNTAKEN: dict[str, dict[str, Any]] = {
    "integrator 'generalized_alpha', step 0.001; a stiff": {"integrator": "generalized_alpha", "step": 1e-3},
    "integrator 'generalized_alpha', step 0.002; a stiff": {"integrator": GeneralizedAlpha(2e-3)},
    "integrator 'ESDIRK54'; a stiff model takes many steps": {"integrator": ESDIRK54()},
    "to rtol 1e-08; not taken: sensitivities": {"sensitivities": ["arm.mass"]},
}


@pytest.mark.parametrize("writer", WRITERS)
@pytest.mark.parametrize("message", UNTAKEN)
def test_what_is_not_taken_of_an_integration_is_named(message: str, writer: Any, tmp_path: Path) -> None:
    with pytest.warns(supple.OmissionWarning) as found:
        writer(pendulum(), {"duration": 1.0, **UNTAKEN[message]}, tmp_path)
    (text,) = (str(x.message) for x in found)
    assert text.startswith(f"model 'pendulum': {WRITERS[writer]} integrates with DOP853 to rtol 1e-08; not taken: ")
    assert message in text


@pytest.mark.parametrize("writer", [as_program, as_fmu])
def test_a_way_to_keep_loops_closed_that_is_not_taken_is_named(writer: Any, tmp_path: Path) -> None:
    arguments = read(EXAMPLES / "four_bar.toml").run_arguments() | {"loops": "independent"}
    with pytest.warns(supple.OmissionWarning, match=r"closed by projection; not taken: loops 'independent'$"):
        writer(pendulum(closed=True), arguments, tmp_path)
    with pytest.raises(StateError, match="loops: model 'pendulum' has no closed loops, got 'independent'"):
        writer(pendulum(), {"duration": 1.0, "loops": "independent"}, tmp_path)


@pytest.mark.parametrize("writer", WRITERS)
def test_options_that_contradict_each_other_are_those_of_runs(writer: Any, tmp_path: Path) -> None:
    with pytest.raises(StateError, match=r"step: only generalized_alpha, variational, .* got 0.1 for 'DOP853'"):
        writer(pendulum(), {"duration": 1.0, "integrator": "DOP853", "step": 0.1}, tmp_path)


def test_tolerances_of_an_integrator_count() -> None:
    assert program_run({"integrator": DOP853(1e-5, 1e-7), "duration": 2}) == (2.0, 201, 1e-5, 1e-7)
    assert program_run({"integrator": "generalized_alpha", "step": 0.1, "rtol": 1e-6}) == (10.0, 201, 1e-6, 0.0)


@pytest.mark.parametrize("writer", [as_program, as_simplified])
def test_a_program_needs_a_duration(writer: Any, tmp_path: Path) -> None:
    with pytest.raises(StateError, match="model 'pendulum': no duration: a program needs one; give duration, or"):
        writer(pendulum(), {}, tmp_path)


def test_an_fmu_without_a_duration_leaves_the_stop_time_to_its_importer(tmp_path: Path) -> None:
    assert '<DefaultExperiment startTime="0.0" tolerance="1e-08" />' in as_fmu(pendulum(), {}, tmp_path)
    assert 'startTime="0.0" stopTime="3.0" tolerance="1e-08" stepSize="0.015"' in as_fmu(
        pendulum(), {"duration": 3}, tmp_path
    )
