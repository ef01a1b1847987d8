"""Controllers that are FMUs: the motion is that under the same controller written in supple, by FMI 2 and 3."""

from __future__ import annotations

import gc
import json
import os
import pickle
import re
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import supple
from controller_fmus import description, packed, place_of
from supple.files import check, read
from supple.inputs.inputs import Inputs

pytest.importorskip("fmpy", reason="fmpy is not installed")

EXAMPLES = Path(__file__).parents[2] / "examples"
RATE = 40.0
INPUTS: dict[str, float | str] = {"measured": "cart.position", "rate": "rate(cart.position)", "reference": 0.5}
SETTING: dict[str, Any] = {
    "q": {"arm.angle": 0.3, "cart.position": 0.2},
    "integrator": "DOP853",
    "rtol": 1e-9,
    "samples": 21,
}
SAME: dict[str, Any] = {"rtol": 0, "atol": 1e-12}
"""Of motions of some 0.5 m and rad: rounding differs where h x is x/rate."""


@pytest.fixture(scope="module")
def cart() -> supple.Model:
    return supple.load(EXAMPLES / "cart_pendulum.toml")


def fmu(folder: Path, version: int = 3, **options: Any) -> supple.FmuController:
    wiring: dict[str, Any] = {"inputs": INPUTS, "outputs": {"force": "cart.position"}, "rate": RATE}
    parameters = {"kp": 20.0, "ki": 5.0, "kd": 8.0, "limit": 1e6, "fail_at": 1e300}
    parameters |= options.pop("parameters", {})
    file = options.pop("file", f"pi{version}.fmu")
    return supple.FmuController("pi", folder / file, **wiring | options, parameters=parameters)


def linear(ahead: bool = False) -> supple.LinearController:
    """The controller without its limit."""
    A, B = np.array([[1.0]]), np.array([[-1.0 / RATE, 0.0]])
    C, D = np.array([[5.0]]), np.array([[-20.0, -8.0]])
    if ahead:  # outputs after the step, with the inputs of the sample
        C, D = C @ A, C @ B + D
    measured, reference = ["cart.position", "rate(cart.position)"], [0.5, 0.0]
    return supple.LinearController("pi", measured, ["cart.position"], A, B, C, D, reference=reference, rate=RATE)


@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.parametrize("ahead", [False, True])
def test_it_moves_as_a_linear_controller_does(cart: supple.Model, fmu_folder: Path, version: int, ahead: bool) -> None:
    expected = supple.simulate(cart, 2.0, tau=linear(ahead), **SETTING)
    found = supple.simulate(cart, 2.0, tau=fmu(fmu_folder, version, ahead=ahead), **SETTING)
    assert np.ptp(expected.q.values[:, 0]) > 0.1
    np.testing.assert_allclose(found.q, expected.q, **SAME)
    np.testing.assert_allclose(found.tau, expected.tau, rtol=0, atol=1e-10)
    assert found.attrs["functions"] == f"controller 'pi': pi{version}.fmu, an FMU, stepped 40 times a second"


SLAVE = """
from pythonfmu import Fmi2Causality, Fmi2Slave, Fmi2Variability, Real


class PI(Fmi2Slave):
    def __init__(self, **arguments):
        super().__init__(**arguments)
        self.measured, self.speed, self.kp, self.x, self.force = 0.0, 0.0, 1.0, 0.0, 0.0
        for name in ("measured", "speed"):
            self.register_variable(Real(name, causality=Fmi2Causality.input))
        self.register_variable(Real("kp", causality=Fmi2Causality.parameter, variability=Fmi2Variability.tunable))
        self.register_variable(Real("force", causality=Fmi2Causality.output))

    def do_step(self, t, h):
        self.x += h * (0.5 - self.measured)
        self.force = self.kp * (0.5 - self.measured) + 5.0 * self.x - 8.0 * self.speed
        return True
"""


def test_an_fmu_of_another_program(cart: supple.Model, tmp_path: Path) -> None:
    """PythonFMU computes outputs in steps alone."""
    builder = pytest.importorskip("pythonfmu.builder", reason="pythonfmu is not installed")
    (tmp_path / "pi.py").write_text(SLAVE)
    file = builder.FmuBuilder.build_FMU(str(tmp_path / "pi.py"), dest=str(tmp_path))
    inputs: dict[str, float | str] = {"measured": "cart.position", "speed": "rate(cart.position)"}
    outputs, parameters = {"force": "cart.position"}, {"kp": 20.0}
    controller = supple.FmuController("pi", file, inputs, outputs, rate=RATE, parameters=parameters, ahead=True)
    found = supple.simulate(cart, 1.0, tau=controller, **SETTING)
    np.testing.assert_allclose(found.q, supple.simulate(cart, 1.0, tau=linear(True), **SETTING).q, **SAME)


def test_its_limit_holds_the_integral(cart: supple.Model, fmu_folder: Path) -> None:
    law = {"cart.position": supple.PID(0.5, 20.0, 8.0, 5.0, limit=1.5, rate=RATE)}
    expected = supple.simulate(cart, 2.0, tau=law, **SETTING)
    found = supple.simulate(cart, 2.0, tau=fmu(fmu_folder, parameters={"limit": 1.5}), **SETTING)
    assert (np.abs(expected.tau.values[:, 0]) == 1.5).sum() > 2
    np.testing.assert_allclose(found.q, expected.q, **SAME)


def test_outputs_set_variables_and_switches_are_inputs(cart: supple.Model, fmu_folder: Path) -> None:
    """Through a variable and a formula the force is the same; Boolean inputs follow formulas, outputs are numbers."""
    outputs = {"force": "push", "saturated": "limited", "steps": "count"}
    controller = fmu(fmu_folder, outputs=outputs, inputs={**INPUTS, "enabled": "step(1.0 - t)"})
    law: dict[str, Any] = {**controller, "cart.position": "push + 0*limited + 0*count"}
    result = supple.simulate(cart, 2.0, tau=law, variables={"push": 0.0, "limited": 0.0, "count": 0.0}, **SETTING)
    expected = supple.simulate(cart, 1.0, tau=linear(), **SETTING | {"samples": 11})
    np.testing.assert_allclose(result.q[:11], expected.q, rtol=0, atol=1e-9)  # other steps: as exact as asked
    assert (result.tau.values[12:, 0] == 0.0).all()
    simulator = supple.Simulator(cart, tau=law, variables={"push": 0.0, "limited": 0.0, "count": 0.0})
    simulator.advance_to(0.51)
    assert simulator.variables["count"] == 20.0


def test_a_wrench_follows_it_through_a_variable(cart: supple.Model, fmu_folder: Path) -> None:
    push = supple.Wrench("push", "cart", force=("push", 0, 0), axes="ground")
    controller = fmu(fmu_folder, outputs={"force": "push"})
    found = supple.simulate(cart, 1.0, tau=controller, variables={"push": 0.0}, wrenches=[push], **SETTING)
    expected = supple.simulate(cart, 1.0, tau=linear(), **SETTING)
    np.testing.assert_allclose(found.q, expected.q, rtol=0, atol=1e-9)


def test_several_runs_at_once_do_not_share_it(cart: supple.Model, fmu_folder: Path) -> None:
    controller = fmu(fmu_folder)
    pair = [supple.Simulator(cart, SETTING["q"], tau=controller) for _ in range(2)]
    for t in (0.2, 0.4, 0.6):
        for x in pair:
            x.advance_to(t)
    alone = supple.Simulator(cart, SETTING["q"], tau=controller)
    for t in (0.2, 0.4, 0.6):
        alone.advance_to(t)
    for x in pair:
        np.testing.assert_array_equal(x.state.q, alone.state.q)


@pytest.mark.parametrize("version", [2, 3])
def test_a_checkpoint_has_its_state(cart: supple.Model, fmu_folder: Path, version: int) -> None:
    def simulator() -> supple.Simulator:
        return supple.Simulator(cart, SETTING["q"], tau=fmu(fmu_folder, version))

    whole, rest = simulator(), simulator()
    whole.advance_to(0.5)
    kept = json.loads(json.dumps(whole.checkpoint()))
    whole.advance_to(1.0)
    rest.restore(kept)
    rest.advance_to(1.0)
    np.testing.assert_array_equal(rest.state.q, whole.state.q)
    whole.restore(kept)  # back again
    whole.advance_to(1.0)
    np.testing.assert_array_equal(rest.state.q, whole.state.q)
    with pytest.raises(supple.StateError, match=r"expected a checkpoint with this controller, got one of another"):
        supple.Simulator(cart, SETTING["q"], tau=fmu(fmu_folder, version, parameters={"kp": 21.0})).restore(kept)


class Interrupt(Exception):
    """In the middle of a run."""


def interrupted(t: float) -> None:
    if t > 1.0:
        raise Interrupt


def test_an_interrupted_run_is_resumed_bit_for_bit_or_refused(
    cart: supple.Model, fmu_folder: Path, tmp_path: Path
) -> None:
    run = {**SETTING, "samples": 101}
    supple.simulate(cart, 2.0, tau=fmu(fmu_folder), **run, file=tmp_path / "whole.nc").close()
    for name, file in (("saved", "pi3.fmu"), ("unsaved", "unsaved3.fmu")):
        controller = fmu(fmu_folder, file=file)
        with pytest.raises(Interrupt):
            supple.simulate(cart, 2.0, tau=controller, **run, file=tmp_path / f"{name}.nc", progress=interrupted)
    supple.simulate(cart, 2.0, tau=fmu(fmu_folder), **run, file=tmp_path / "saved.nc", resume=True).close()
    with supple.open_results(tmp_path / "saved.nc") as found, supple.open_results(tmp_path / "whole.nc") as whole:
        np.testing.assert_array_equal(found.q, whole.q)
    unsaved = fmu(fmu_folder, file="unsaved3.fmu")
    with pytest.raises(
        supple.StateError, match=r"^controller 'pi': unsaved3\.fmu cannot save its state, so that a run"
    ):
        supple.simulate(cart, 2.0, tau=unsaved, **run, file=tmp_path / "unsaved.nc", resume=True)
    other = fmu(fmu_folder, parameters={"kp": 30.0})
    with pytest.raises(supple.SuppleError, match=r"pi3\.fmu"):
        supple.simulate(cart, 2.0, tau=other, **run, file=tmp_path / "unsaved.nc", resume=True)


@pytest.mark.usefixtures("own_garbage")
def test_what_was_unpacked_is_removed(
    cart: supple.Model, fmu_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    simulator = supple.Simulator(cart, tau=fmu(fmu_folder))
    simulator.advance_to(0.1)
    (folder,) = tmp_path.iterdir()
    assert folder.stat().st_mode & 0o077 == 0
    assert (folder / "modelDescription.xml").exists()
    del simulator
    gc.collect()
    assert list(tmp_path.iterdir()) == []


def test_equilibrium_is_found_with_it(cart: supple.Model, fmu_folder: Path) -> None:
    held = supple.simulate(cart, 0.2, tau=fmu(fmu_folder), start="equilibrium", samples=3)
    np.testing.assert_allclose(held.q.values, [[0.5, 0.0]] * 3, atol=1e-8)


def test_laws_change_in_the_middle_of_an_interval(cart: supple.Model, fmu_folder: Path) -> None:
    simulator = supple.Simulator(cart, SETTING["q"])
    simulator.advance_to(0.01)
    simulator.set(tau=fmu(fmu_folder))
    simulator.advance_to(0.2)
    assert simulator.state.tau[0] != 0.0
    simulator = supple.Simulator(cart, SETTING["q"])
    simulator.advance_to(0.01)
    simulator.set(tau=fmu(fmu_folder, file="unsaved3.fmu"))
    with pytest.raises(supple.SimulationError, match=r"takes no steps of other lengths than 0\.025 s, got 0\.015 s"):
        simulator.advance_to(0.2)


# ------------------------------------------------------------ in files

TABLE = """
[variables]
goal = 0.5

[[actuator]]
name = "pi"
fmu = "pi2.fmu"
inputs = { measured = "cart.position", rate = "rate(cart.position)", reference = "goal" }
outputs = { force = "cart.position" }
rate = 40.0
parameters = { kp = 20.0, ki = 5.0, kd = 8.0, limit = 1e6, fail_at = 1e300 }
"""


def written(folder: Path, table: str) -> Path:
    file = folder / "cart.toml"
    file.write_text((EXAMPLES / "cart_pendulum.toml").read_text() + table)
    return file


def test_in_a_model_file(cart: supple.Model, fmu_folder: Path) -> None:
    contents = read(written(fmu_folder, TABLE))
    assert check(contents.path) == []
    given = contents.run_arguments()
    found = supple.simulate(cart, 1.0, tau=given["tau"], variables=given["variables"], **SETTING)
    np.testing.assert_allclose(found.q, supple.simulate(cart, 1.0, tau=linear(), **SETTING).q, **SAME)


def test_a_sweep_varies_its_parameters(cart: supple.Model, fmu_folder: Path) -> None:
    file = written(fmu_folder, TABLE)
    measure = {"end": "last(cart.position)"}
    found = supple.sweep(
        file, {"actuator.pi.parameters.kp": {"values": [10.0, 20.0]}}, measure, changes={"simulation.duration": 0.5}
    )
    for kp, end in zip((10.0, 20.0), found.end.values, strict=True):
        law = {"cart.position": supple.PID(0.5, kp, 8.0, 5.0, rate=RATE)}
        alone = supple.simulate(cart, 0.5, {"arm.angle": 2.0}, tau=law)
        np.testing.assert_allclose(end, alone.q.values[-1, 0], rtol=0, atol=1e-8)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("pi2.fmu", "pj2.fmu"), r"actuator.*'pi'.*pj2\.fmu: no such file; did you mean 'pi2\.fmu'"),
        (("pi2.fmu", "cart.toml"), r"cart\.toml: expected an FMU, which is a ZIP archive, got another file"),
        (("measured =", "measurd ="), r"inputs: pi2\.fmu has no variable 'measurd'; did you mean 'measured'"),
        (("{ force =", "{ kp ="), r"outputs: pi2\.fmu: 'kp': expected one of causality 'output', got 'parameter'"),
        (
            ("kp = 20.0", "force = 20.0"),
            r"parameters: pi2\.fmu: 'force': expected one of causality 'parameter', got 'out",
        ),
        (("kp = 20.0", 'kp = "much"'), r"parameters: 'kp': expected a number, got 'much'"),
        (('force = "cart.position"', 'force = "cart.velocity"'), r"no entry 'cart\.velocity'.*'cart\.position'"),
        (("rate = 40.0", "rate = 0.0"), r"rate: expected a number greater than zero"),
        (("rate = 40.0\n", ""), r"rate: missing; expected a number greater than zero"),
        (("rate = 40.0", "rates = 40.0"), r"rates: unknown key; did you mean 'rate'"),
        (('"cart.position",', '"cart.place",'), r"controller 'pi': inputs: 'measured'.*'cart\.place'"),
        (('"pi"', '"p.i"'), r"name: expected a name without '/' and '\.'"),
    ],
)
def test_wrong_tables_are_named(change: tuple[str, str], message: str, fmu_folder: Path) -> None:
    assert change[0] in TABLE
    errors = check(written(fmu_folder, TABLE.replace(*change, 1)))
    assert any(re.search(message, line) for line in errors), errors
    assert len(errors) <= 2


# ------------------------------------------------------------ what is wrong


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"rate": 0.0}, "rate: expected a positive number of samples a second, got 0.0"),
        ({"rate": None}, "rate: expected a positive number of samples a second, got None"),
        ({"inputs": ["measured"]}, "inputs: expected a mapping by names of the FMU's variables"),
        ({"inputs": {"measured": None}}, "inputs: 'measured': expected a finite number or a formula, got None"),
        ({"outputs": {}}, "outputs: expected different speeds or variables, got {}"),
        ({"outputs": {"force": "a", "steps": "a"}}, "outputs: expected different speeds or variables"),
        ({"parameters": {"kp": True}}, "parameters: 'kp': expected a number, got True"),
    ],
)
def test_wrong_arguments_are_named(options: dict[str, Any], message: str, fmu_folder: Path) -> None:
    with pytest.raises(supple.StateError, match=message):
        fmu(fmu_folder, **options)


def test_a_failing_fmu_is_named_with_its_time_and_words(cart: supple.Model, fmu_folder: Path) -> None:
    for version in (2, 3):
        controller = fmu(fmu_folder, version, parameters={"fail_at": 0.11})
        with pytest.raises(supple.SimulationError) as caught:
            supple.simulate(cart, 1.0, tau=controller)
        said = (
            rf"controller 'pi': pi{version}\.fmu could not be stepped to t = 0\.125 s: .*; it says: it was told to fail"
        )
        assert caught.match(said)
        assert len(caught.value.result.time) > 5  # the motion up to there


def test_outputs_that_are_no_numbers_are_named(cart: supple.Model, fmu_folder: Path) -> None:
    controller = fmu(fmu_folder, parameters={"kp": 1e308, "limit": float("inf")})
    with pytest.raises(supple.SimulationError, match=r"output 'force' is -?(inf|nan) at t = .* s, expected a finite"):
        supple.simulate(cart, 1.0, {"cart.position": -10.0}, tau=controller)


def test_two_of_one_name_are_refused(cart: supple.Model, fmu_folder: Path) -> None:
    other = fmu(fmu_folder, outputs={"force": "arm.angle"})
    with pytest.raises(supple.StateError, match=r"controller 'pi': there are two of this name"):
        Inputs(cart, {**fmu(fmu_folder), **other})


def test_a_variable_of_a_prescribed_motion_stays(cart: supple.Model, fmu_folder: Path) -> None:
    controller = fmu(fmu_folder, outputs={"force": "size"})
    with pytest.raises(supple.StateError, match=r"controller 'pi': 'size' stays as it is in a run"):
        Inputs(cart, controller, {"cart.position": "size*sin(t)"}, {"size": 1.0})


def test_what_has_no_equations_is_refused_where_these_are_needed(
    cart: supple.Model, fmu_folder: Path, tmp_path: Path
) -> None:
    with pytest.raises(supple.StateError, match=r"sensitivities: controller 'pi' is an FMU, whose derivative"):
        supple.simulate(cart, 0.1, tau=fmu(fmu_folder), sensitivities=["arm.mass"])
    with pytest.raises(supple.StateError, match=r"controller 'pi' is an FMU, which cannot be written"):
        supple.export.python(cart, tmp_path / "cart.py", {"tau": fmu(fmu_folder)})


def test_without_fmpy_one_line_says_what_to_install(
    cart: supple.Model, fmu_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "fmpy", None)
    with pytest.raises(supple.SuppleError, match=r"^controller 'pi': an FMU needs fmpy: pip install supple\[fmu\]$"):
        supple.Simulator(cart, tau=fmu(fmu_folder))


def test_libraries_that_are_missing_or_damaged_are_named(cart: supple.Model, fmu_folder: Path, tmp_path: Path) -> None:
    packed(tmp_path / "sources.fmu", description(3))
    with pytest.raises(supple.FileFormatError, match=r"sources\.fmu: expected a binary for \w+-\w+, got none"):
        supple.Simulator(cart, tau=fmu(tmp_path, file="sources.fmu"))
    packed(tmp_path / "mac.fmu", description(2), b"", "binaries/darwin32/pi.dylib")
    with pytest.raises(supple.FileFormatError, match=r"mac\.fmu: expected a binary for \w+64, got darwin32"):
        supple.Simulator(cart, tau=fmu(tmp_path, file="mac.fmu"))
    here = os.getcwd()
    packed(tmp_path / "damaged.fmu", description(3), b"no library", place_of(3))
    with pytest.raises(supple.FileFormatError, match=r"damaged\.fmu: its library for .* cannot be loaded: "):
        supple.Simulator(cart, tau=fmu(tmp_path, file="damaged.fmu"))
    assert os.getcwd() == here


def test_it_is_sent_to_other_processes_and_known_again(fmu_folder: Path) -> None:
    controller = fmu(fmu_folder)
    again = pickle.loads(pickle.dumps(controller))
    assert again == controller
    assert repr(again) == repr(controller)
    assert fmu(fmu_folder, parameters={"kp": 3.0}) != controller
