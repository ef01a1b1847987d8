"""FMUs run in other programs as the models run here."""

from __future__ import annotations

import re
import shutil
import subprocess
import zipfile
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import fmpy
import fmpy.build
import fmpy.validation
import numpy as np
import pytest

import supple
from supple.errors import StateError, SuppleError
from support.cases import thinned
from support.programs.fmu_models import CASES, EXACT, Case, Floats, Opened, case, double_pendulum, fmu_path, run

TOLERANCE = 1e-8
"""Of the motions; solvers run with relative tolerances of 1e-11 and less."""


def motion(path: str, of: Case, kind: str, **options: Any) -> Any:
    """A run by FMPy, its rows at the times of the run here alone."""
    duration, samples = of.arguments["duration"], of.arguments["samples"]
    options = {"stop_time": duration, "output_interval": duration / (samples - 1), "record_events": False, **options}
    if kind == "ModelExchange":
        options["relative_tolerance"] = 1e-11
    return fmpy.simulate_fmu(path, fmi_type=kind, **options)


def coordinates(model: supple.Model, found: Any) -> Floats:
    return np.array([found[name] for name in model.coordinates]).T


@pytest.mark.parametrize(
    ("name", "fmi"),
    thinned(product(CASES, (3, 2)), [*product(CASES, (3,)), ("four-bar", 2), ("sampled", 2)], several=True),
)
def test_motions_are_those_of_simulate(name: str, fmi: int) -> None:
    """Co-Simulation by the integrator of the FMU itself, Model Exchange by CVode."""
    path, expected, model = fmu_path(name, fmi), run(name), case(name).model
    assert fmpy.validation.validate_fmu(path) == []
    for kind in ("CoSimulation", "ModelExchange"):
        options = {"output_interval": 2e-4} if name == "flexible arm" else {}  # CVode takes 500 steps between two rows
        found = motion(path, case(name), kind, **options)
        same = np.searchsorted(found["time"], expected.time.values - 1e-9)[: len(found["time"])]
        if name == "sampled":  # an event ends the run between two rows
            assert found["time"][-1] == pytest.approx(0.87, abs=0.05)
            assert float(expected.time[-1]) == pytest.approx(0.87, abs=1e-12)
            same = same[: np.count_nonzero(expected.time.values < 0.86)]
        np.testing.assert_allclose(found["time"][same], expected.time[: len(same)], atol=1e-12)
        q = coordinates(model, found)[same]
        np.testing.assert_allclose(q, expected.q.values[: len(same)], atol=TOLERANCE, err_msg=kind)
        assert len(same) > 10
    assert float(np.ptp(expected.q.values, axis=0).max()) > 1e-3


def test_outputs_are_those_of_the_run() -> None:
    """Frames with quaternions, forces of laws, wrenches."""
    found, expected = motion(fmu_path("satellite"), case("satellite"), "CoSimulation"), run("satellite")
    for i, frame in enumerate(expected.frame.values):
        for kind, variable in (("position", expected.position), ("quaternion", expected.orientation)):
            for part in "xyzw"[: variable.shape[2]]:
                values = variable.values[:, i, "xyzw".index(part)]
                np.testing.assert_allclose(found[f"{kind}({frame}).{part}"], values, atol=TOLERANCE)
    smooth = np.abs(found["time"] - 3.0) > 1e-9  # then the thrust turns round
    np.testing.assert_allclose(found["tau(bus.wz)"][smooth], expected.tau.values[smooth, 2], atol=1e-12)
    found, expected = motion(fmu_path("gate"), case("gate"), "CoSimulation"), run("gate")
    for j, (kind, axis) in enumerate((kind, axis) for kind in ("moment", "force") for axis in "xyz"):
        np.testing.assert_allclose(found[f"{kind}(gate).{axis}"], expected.wrench.values[:, 0, j], atol=1e-6)
    np.testing.assert_allclose(found["push"], np.where(found["time"] < 1.76, 30.0, 0.0))  # an event takes it away


@pytest.mark.parametrize("kind", ["CoSimulation", "ModelExchange"])
def test_inputs_are_forces_without_a_law_and_variables(kind: str, tmp_path: Path) -> None:
    model = double_pendulum()
    of = Case(model, duration=0.5, samples=6, tau={"upper.angle": "f*cos(t)"}, variables={"f": 2.0})
    path = supple.export.fmu(model, tmp_path / "driven.fmu", of.arguments)
    signals = np.array(
        [(0.0, 3.0, -0.7), (1.0, 3.0, -0.7)], dtype=[("time", "d"), ("f", "d"), ("tau(lower.angle)", "d")]
    )
    found = motion(str(path), of, kind, input=signals)
    arguments = of.arguments | {"tau": {"upper.angle": "3*cos(t)", "lower.angle": -0.7}, "variables": {}}
    expected = supple.simulate(model, **arguments)
    np.testing.assert_allclose(coordinates(model, found), expected.q, atol=TOLERANCE)


def test_parameters_can_be_tuned(tmp_path: Path) -> None:
    """Before the start, and between two steps."""
    of = case("cart pendulum")
    lighter = {"arm.mass": 0.4, "gravity.y": -3.0}
    other = of.model.with_parameters(lighter)
    found = motion(fmu_path("cart pendulum"), of, "CoSimulation", start_values=lighter)
    expected = supple.simulate(other, **of.arguments)
    np.testing.assert_allclose(coordinates(of.model, found), expected.q, atol=TOLERANCE)
    opened = Opened(fmu_path("cart pendulum"), kind="CoSimulation")
    opened.fmu.doStep(0.0, 0.5)
    opened.set(lighter)
    opened.fmu.doStep(0.5, 0.5)
    first = supple.simulate(of.model, **of.arguments | {"duration": 0.5})
    start = {"q": first.q.values[-1], "v": first.v.values[-1], "duration": 0.5}
    expected = supple.simulate(other, **of.arguments | start)
    np.testing.assert_allclose(opened.get(*of.model.coordinates), expected.q[-1], atol=TOLERANCE)
    assert np.abs(opened.get(*of.model.coordinates) - run("cart pendulum").q.values[-1]).max() > 1e-3
    opened.close()


def test_a_tuned_length_in_a_loop() -> None:
    """The loop is closed anew at the start."""
    of, longer = case("four-bar"), {"coupler/pin.x": 0.27}
    found = motion(fmu_path("four-bar"), of, "CoSimulation", start_values=longer)
    expected = supple.simulate(of.model.with_parameters(longer), **of.arguments)
    np.testing.assert_allclose(coordinates(of.model, found), expected.q, atol=TOLERANCE)


def test_a_length_tuned_in_event_mode_closes_the_loop_and_says_so() -> None:
    x, model = Opened(fmu_path("four-bar")), case("four-bar").model
    x.fmu.updateDiscreteStates()
    x.set({"coupler/pin.x": 0.26})
    q = x.get(*model.coordinates)
    longer = model.with_parameters({"coupler/pin.x": 0.26})
    assert np.abs(longer.loops.errors(q)[0]).max() < 1e-13  # type: ignore[union-attr]
    assert [bool(x.fmu.updateDiscreteStates()[3]) for _ in range(2)] == [True, False]
    x.close()


@pytest.mark.parametrize("kind", ["CoSimulation", "ModelExchange"])
def test_a_loop_that_a_tuned_length_leaves_open_is_named(kind: str) -> None:
    """The crank points away from the rocker, which is moved out of its reach."""
    x = Opened(fmu_path("four-bar"), kind=kind)
    if kind == "CoSimulation":
        x.fmu.doStep(0.0, 0.0625)
    x.set({"rocker.at.x": 0.5})
    with pytest.raises(fmpy.fmi1.FMICallException):
        x.fmu.doStep(0.0625, 0.01) if kind == "CoSimulation" else x.fmu.updateDiscreteStates()
    (message,) = x.messages
    assert re.match(r"time 0(\.0\d+)?: constraint 'pin': position is off by 0.\d+ \(m or rad\): prescribed", message)
    x.close()


def test_a_sampled_controller_late_in_a_long_run() -> None:
    """When rounding of the time is more than the distance at which times are one in a run of a second."""
    late, total = 1e6, 0.0
    x = Opened(fmu_path("sampled"), kind="CoSimulation")
    x.fmu.reset()
    x.fmu.enterInitializationMode(startTime=late)
    x.fmu.exitInitializationMode()
    for k in range(5):
        force, q, v = x.get("tau(upper.angle)", "upper.angle", "rate(upper.angle)")
        assert force == pytest.approx(30.0 * (0.4 - q) - 2.0 * v + 20.0 * total, abs=1e-9)
        total += (0.4 - q) / 12.5
        x.fmu.doStep(late + 0.08 * k, 0.08)
    x.close()


def test_a_start_time_other_than_zero() -> None:
    """Tables and clocks are those of the time."""
    of = case("sampled")
    late = Opened(fmu_path("sampled"), kind="CoSimulation")
    late.fmu.reset()
    late.fmu.enterInitializationMode(startTime=0.4)
    late.fmu.exitInitializationMode()
    assert late.get("time", "tau(lower.angle)").tolist() == pytest.approx([0.4, 2.0])
    late.fmu.doStep(0.4, 0.2)
    assert late.get("time", "tau(lower.angle)").tolist() == pytest.approx([0.6, -2.0])
    assert of.arguments["duration"] == 1.0
    late.close()


@pytest.mark.parametrize(("name", "moved"), [("four-bar", "rocker.angle"), ("satellite", "bus.qw")])
def test_event_mode_closes_loops_and_keeps_quaternions(name: str, moved: str) -> None:
    """When an integrator has let them drift, and not before."""
    x = Opened(fmu_path(name))
    y = x.get(*x.states)
    for far in (0.0, 1e-6):
        y[x.states.index(moved)] += far
        x.move(0.0, y)
        assert bool(x.fmu.completedIntegratorStep()[0]) is (far > 0.0)
        x.fmu.enterEventMode()
        assert bool(x.fmu.updateDiscreteStates()[3]) is (far > 0.0)
    q = x.get(*case(name).model.coordinates)
    if name == "four-bar":
        assert np.abs(case(name).model.loops.errors(q)[0]).max() < 1e-14  # type: ignore[union-attr]
    else:
        assert np.linalg.norm(q[3:7]) == pytest.approx(1.0, abs=1e-15)
    x.close()


# ------------------------------------------------------------ instances and their states


def test_instances_run_side_by_side() -> None:
    """Step by step in turns they give the very numbers of each alone."""
    path = fmu_path("gate")
    starts = [{"gate.angle": 0.2}, {"gate.angle": 0.9, "gate.mass": 30.0}]

    def steps(instances: list[Opened]) -> list[list[float]]:
        rows: list[list[float]] = [[] for _ in instances]
        for k in range(70):
            for row, x in zip(rows, instances, strict=True):
                x.fmu.doStep(0.1 * k, 0.1)
                row += x.get("gate.angle", "push").tolist()
        for x in instances:
            x.close()
        return rows

    alone = [steps([Opened(path, start, "CoSimulation")])[0] for start in starts]
    assert steps([Opened(path, start, "CoSimulation") for start in starts]) == alone
    assert alone[0] != alone[1]


def test_a_state_is_kept_restored_and_written_as_bytes() -> None:
    x = Opened(fmu_path("gate"), kind="CoSimulation")
    x.fmu.doStep(0.0, 1.5)
    state = x.fmu.getFMUState()
    stored = x.fmu.serializeFMUState(state)
    x.fmu.doStep(1.5, 5.0)
    later = x.get("gate.angle", "rate(gate.angle)", "push")
    x.fmu.setFMUState(state)
    assert x.get("time", "push").tolist() == [1.5, 30.0]
    x.fmu.doStep(1.5, 5.0)
    assert x.get("gate.angle", "rate(gate.angle)", "push").tolist() == later.tolist()
    other = Opened(fmu_path("gate"), kind="CoSimulation")
    restored = other.fmu.deserializeFMUState(stored)
    other.fmu.setFMUState(restored)
    other.fmu.doStep(1.5, 5.0)
    assert other.get("gate.angle", "rate(gate.angle)", "push").tolist() == later.tolist()
    assert later[2] == 0.0
    with pytest.raises(fmpy.fmi1.FMICallException):
        other.fmu.deserializeFMUState(stored[:-1])
    assert other.messages == ["serialized state: it is not of this model"]
    for own, states in ((x, [state]), (other, [restored])):
        for one in states:
            own.fmu.freeFMUState(one)
        own.close()


def test_what_is_wrong_is_told() -> None:
    x = Opened(fmu_path("cart pendulum"), kind="CoSimulation")
    tried: dict[str, Callable[[], Any]] = {
        "the variable with the value reference 1 cannot be set now": lambda: x.set({"cart.position": 1.0}),
        "expected a finite number for the value reference": lambda: x.set({"tau(cart.position)": np.nan}),
        "there is no variable with the value reference 999": lambda: x.fmu.getFloat64([999]),
        "this model has no variables of type Int32": lambda: x.fmu.getInt32([1]),
        "current communication point: expected 0, got 0.5": lambda: x.fmu.doStep(0.5, 0.1),
        "communication step size: expected more than 0, got -0.1": lambda: x.fmu.doStep(0.0, -0.1),
        "no derivatives by the value reference": lambda: x.directional(["der(cart.position)"], ["arm.mass"]),
        "this mode cannot be entered now": lambda: x.fmu.enterEventMode(),
    }
    for message, call in tried.items():
        with pytest.raises(fmpy.fmi1.FMICallException):
            call()
        assert x.messages.pop().startswith(message)
    assert x.messages == []
    x.close()


# ------------------------------------------------------------ other importers, other compilers


def test_sources_are_built_by_cmake(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Without the library of the archive; the same bits."""
    if shutil.which("cmake") is None:
        pytest.skip("no cmake")
    of = case("cart pendulum")
    bare = supple.export.fmu(of.model, tmp_path / "bare.fmu", of.arguments, sources_only=True)
    unzipped = Path(fmpy.extract(str(bare), str(tmp_path / "bare")))
    assert not (unzipped / "binaries").exists()
    (tmp_path / "build").mkdir()
    fmpy.build.build_platform_binary(unzipped, tmp_path / "build")
    capfd.readouterr()
    found = motion(str(unzipped), of, "CoSimulation")
    assert found.tolist() == motion(fmu_path("cart pendulum"), of, "CoSimulation").tolist()


@pytest.mark.parametrize("fmi", [3, 2])
def test_another_importer_gives_the_same_digits(fmi: int, capfd: pytest.CaptureFixture[str]) -> None:
    """Of another code base, in C++."""
    try:
        import ecospy
    except (ImportError, OSError) as error:
        pytest.skip(f"ecospy cannot be imported: {error}")
    of, path = case("gate"), fmu_path("gate", fmi)
    structure = ecospy.EcosSimulationStructure()
    structure.add_model("gate", path)
    step = of.arguments["duration"] / (of.arguments["samples"] - 1)
    with ecospy.EcosSimulation(structure=structure, step_size=step) as simulation:
        simulation.init()
        simulation.step(70)
        angle, push = simulation.get_real("gate::gate.angle"), simulation.get_real("gate::push")
        simulation.terminate()
    capfd.readouterr()
    row = motion(path, of, "CoSimulation")[70]
    assert (angle, push) == (pytest.approx(row["gate.angle"], abs=1e-13), row["push"])
    assert (push, angle > 0.05) == (0.0, True)


# ------------------------------------------------------------ what is refused


REFUSED: dict[str, dict[str, Any]] = {
    "fmi: expected 2 or 3, got 1": {"fmi": 1},
    "platforms: no 'amiga'; ": {"platforms": ["amiga"]},
    "platforms: expected a sequence of names, got 'host'": {"platforms": "host"},
    "duration: expected more than 0, got 0": {"arguments": {"duration": 0.0}},
    "the law of 'upper.angle' is a Python function": {
        "arguments": {"tau": {"upper.angle": lambda t, q, v: float(np.interp(t, [0.0, 1.0], [0.0, 1.0]))}}
    },
    "no parameter 'upper.maas'; did you mean 'upper.mass'?": {"parameters": ["upper.maas"]},
}


@pytest.mark.parametrize("message", REFUSED)
def test_what_cannot_be_written_is_refused_in_one_line(message: str, tmp_path: Path) -> None:
    with pytest.raises(StateError) as error:
        supple.export.fmu(double_pendulum(), tmp_path / "no.fmu", **REFUSED[message])
    assert message in str(error.value)
    assert "\n" not in str(error.value)
    assert list(tmp_path.iterdir()) == []


def test_a_name_with_control_characters(tmp_path: Path) -> None:
    mech = supple.Mechanism("tabbed")
    mech.add_body("a\tb", supple.RigidBody(1.0), joint=supple.Prismatic("x"))
    with pytest.raises(StateError, match=r"an FMU cannot have a name with control characters: 'a\\tb\.position'$"):
        supple.export.fmu(mech.build(), tmp_path / "no.fmu", sources_only=True)


def test_any_other_name_is_fine(tmp_path: Path) -> None:
    """Words of C and XML, letters beyond ASCII, quotation marks."""
    mech = supple.Mechanism('for <"\u00e9"> &')
    mech.add_body("\u00e9* ??<&>\"'", supple.RigidBody(1.0), joint=supple.Prismatic("x"))
    model = mech.build()
    limits = [supple.Limit(model.coordinates[0], upper=1.0)]
    path = supple.export.fmu(model, tmp_path / "odd.fmu", {"limits": limits})
    assert fmpy.validation.validate_fmu(str(path)) == []
    x = Opened(str(path), {model.coordinates[0]: 0.5})
    assert x.get(model.coordinates[0]) == 0.5
    x.close()


@pytest.mark.parametrize(("most", "provided"), [(250, (False, False)), (300, (True, False)), (500, (True, True))])
def test_derivatives_that_are_too_large_are_left_out(
    most: int, provided: tuple[bool, bool], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("supple.export.fmu_run.LARGEST", most)
    monkeypatch.setenv("CFLAGS", "-Wall -Wextra -Werror -O0")
    for fmi in (3, 2):
        path = supple.export.fmu(double_pendulum(), tmp_path / f"{fmi}.fmu", EXACT, fmi=fmi)
        assert fmpy.validation.validate_fmu(str(path)) == []
        with zipfile.ZipFile(path) as archive:
            description = archive.read("modelDescription.xml").decode()
        told = re.findall(r'provides(?:Directional|Adjoint)Derivatives?="(\w+)"', description)
        assert told == 2 * [str(x).lower() for x in provided[: fmi - 1]]  # for Model Exchange and Co-Simulation
    x = Opened(str(tmp_path / "3.fmu"))
    for expected, call in zip(provided, (x.directional, x.adjoint), strict=True):
        if not expected:
            with pytest.raises(fmpy.fmi1.FMICallException):
                call(x.unknowns, x.knowns)
            assert "it is too large for them" in x.messages.pop()
    x.close()


@pytest.mark.parametrize("fmi", [3, 2])
@pytest.mark.parametrize("name", ["cart pendulum", "four-bar", "gate", "sampled"])
def test_sources_have_no_warnings_and_libraries_all_functions(name: str, fmi: int, tmp_path: Path) -> None:
    unzipped = Path(fmpy.extract(fmu_path(name, fmi), str(tmp_path)))
    (source,) = (unzipped / "sources").glob("*.c")
    command = ["cc", "-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", str(source)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    (library,) = (unzipped / "binaries").glob("*/*")
    found = library.read_bytes()
    header = Path(fmpy.__file__).parent / "c-code" / f"fmi{fmi}Functions.h"
    names = set(re.findall(rf"FMI{fmi}_Export fmi\w+TYPE\s+(fmi\w+);", header.read_text()))
    assert len(names) > 40
    assert [word for word in names if f"\0{word}\0".encode() not in found] == []


def test_a_model_that_is_too_large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("supple.export.fmu_run.LARGEST", 90)
    with pytest.raises(StateError, match=r"'double pendulum': too large.*at most 90 operations, got about 1000$"):
        supple.export.fmu(double_pendulum(), tmp_path / "no.fmu", EXACT)
    monkeypatch.setattr(supple.Model, "estimated_operations", 0)
    with pytest.raises(StateError, match=r"'double pendulum': too large for an FMU.*at most 90 operations, got \d+$"):
        supple.export.fmu(double_pendulum(), tmp_path / "no.fmu", EXACT)
    assert list(tmp_path.iterdir()) == []


def test_a_path_that_cannot_be_written(tmp_path: Path) -> None:
    missing = tmp_path / "nowhere" / "a.fmu"
    with pytest.raises(SuppleError, match=r"a\.fmu: cannot be written: No such file or directory$"):
        supple.export.fmu(double_pendulum(), missing, sources_only=True)


def test_the_same_model_gives_the_same_file(tmp_path: Path) -> None:
    first, second = (
        supple.export.fmu(double_pendulum(), tmp_path / f"{name}.fmu", sources_only=True).read_bytes() for name in "ab"
    )
    assert first == second
    other = supple.export.fmu(double_pendulum(damping=0.2), tmp_path / "c.fmu", sources_only=True)
    with zipfile.ZipFile(other) as archive:
        assert {x.external_attr >> 16 for x in archive.infolist()} == {0o644}
    tokens = [fmpy.read_model_description(str(x)).guid for x in (tmp_path / "a.fmu", other)]
    assert tokens[0] != tokens[1]
