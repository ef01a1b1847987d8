"""Controllers that are FMUs: the motion is that under the same controller written in supple, by FMI 2 and 3."""

from __future__ import annotations

import pickle
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import supple
from supple.inputs.inputs import Inputs
from support.mechanisms.controlled_cart import SAME, SETTING, cart_pendulum
from support.programs.controller_fmus import PI_INPUTS, RATE, pi_fmu, pi_linear

pytest.importorskip("fmpy", reason="fmpy is not installed")


@pytest.fixture(scope="module")
def cart() -> supple.Model:
    return cart_pendulum()


@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.parametrize("ahead", [False, True])
def test_it_moves_as_a_linear_controller_does(cart: supple.Model, fmu_folder: Path, version: int, ahead: bool) -> None:
    expected = supple.simulate(cart, 2.0, tau=pi_linear(ahead), **SETTING)
    found = supple.simulate(cart, 2.0, tau=pi_fmu(fmu_folder, version, ahead=ahead), **SETTING)
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
    np.testing.assert_allclose(found.q, supple.simulate(cart, 1.0, tau=pi_linear(True), **SETTING).q, **SAME)


@pytest.mark.parametrize("version", [2, 3])
def test_an_fmu_that_supple_has_written(cart: supple.Model, tmp_path: Path, version: int) -> None:
    """A rotor with a damper makes a lag: J w' = u - d w. Held inputs make it a discrete system, exactly."""
    if shutil.which("cc") is None:
        pytest.skip("no C compiler")
    J, d = 0.2, 4.0
    mech = supple.Mechanism("lag", gravity=(0, 0, 0))
    mech.add_body("rotor", supple.RigidBody(1.0, inertia=(J, J, J)), joint=supple.Revolute("z", damping=d))
    file = supple.export.fmu(mech.build(), tmp_path / "lag.fmu", {"rtol": 1e-11}, fmi=version)
    inputs: dict[str, float | str] = {"tau(rotor.angle)": "-20*cart.position - 8*rate(cart.position)"}
    controller = supple.FmuController("lag", file, inputs, {"rate(rotor.angle)": "lagged"}, rate=RATE)
    law: dict[str, Any] = {**controller, "cart.position": f"{d}*lagged"}
    found = supple.simulate(cart, 1.0, tau=law, variables={"lagged": 0.0}, **SETTING)
    decay = np.exp(-d / J / RATE)
    B = (1.0 - decay) / d * np.array([[-20.0, -8.0]])
    measured = ["cart.position", "rate(cart.position)"]
    exact = supple.LinearController("lag", measured, ["cart.position"], [[decay]], B, [[d]], rate=RATE)
    expected = supple.simulate(cart, 1.0, tau=exact, **SETTING)
    assert np.ptp(expected.tau.values[:, 0]) > 1.0
    np.testing.assert_allclose(found.q, expected.q, rtol=0, atol=1e-9)  # as exact as the steps of the FMU


def test_its_limit_holds_the_integral(cart: supple.Model, fmu_folder: Path) -> None:
    law = {"cart.position": supple.PID(0.5, 20.0, 8.0, 5.0, limit=1.5, rate=RATE)}
    expected = supple.simulate(cart, 2.0, tau=law, **SETTING)
    found = supple.simulate(cart, 2.0, tau=pi_fmu(fmu_folder, parameters={"limit": 1.5}), **SETTING)
    assert (np.abs(expected.tau.values[:, 0]) == 1.5).sum() > 2
    np.testing.assert_allclose(found.q, expected.q, **SAME)


def test_outputs_set_variables_and_switches_are_inputs(cart: supple.Model, fmu_folder: Path) -> None:
    """Through a variable and a formula the force is the same; Boolean inputs follow formulas, outputs are numbers."""
    outputs = {"force": "push", "saturated": "limited", "steps": "count"}
    controller = pi_fmu(fmu_folder, outputs=outputs, inputs={**PI_INPUTS, "enabled": "step(1.0 - t)"})
    law: dict[str, Any] = {**controller, "cart.position": "push + 0*limited + 0*count"}
    result = supple.simulate(cart, 2.0, tau=law, variables={"push": 0.0, "limited": 0.0, "count": 0.0}, **SETTING)
    expected = supple.simulate(cart, 1.0, tau=pi_linear(), **SETTING | {"samples": 11})
    np.testing.assert_allclose(result.q[:11], expected.q, rtol=0, atol=1e-9)  # other steps: as exact as asked
    assert (result.tau.values[12:, 0] == 0.0).all()
    simulator = supple.Simulator(cart, tau=law, variables={"push": 0.0, "limited": 0.0, "count": 0.0})
    simulator.advance_to(0.51)
    assert simulator.variables["count"] == 20.0


def test_a_wrench_follows_it_through_a_variable(cart: supple.Model, fmu_folder: Path) -> None:
    push = supple.Wrench("push", "cart", force=("push", 0, 0), axes="ground")
    controller = pi_fmu(fmu_folder, outputs={"force": "push"})
    found = supple.simulate(cart, 1.0, tau=controller, variables={"push": 0.0}, wrenches=[push], **SETTING)
    expected = supple.simulate(cart, 1.0, tau=pi_linear(), **SETTING)
    np.testing.assert_allclose(found.q, expected.q, rtol=0, atol=1e-9)


def test_equilibrium_is_found_with_it(cart: supple.Model, fmu_folder: Path) -> None:
    held = supple.simulate(cart, 0.2, tau=pi_fmu(fmu_folder), start="equilibrium", samples=3)
    np.testing.assert_allclose(held.q.values, [[0.5, 0.0]] * 3, atol=1e-8)


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
        pi_fmu(fmu_folder, **options)


def test_two_of_one_name_are_refused(cart: supple.Model, fmu_folder: Path) -> None:
    other = pi_fmu(fmu_folder, outputs={"force": "arm.angle"})
    with pytest.raises(supple.StateError, match=r"controller 'pi': there are two of this name"):
        Inputs(cart, {**pi_fmu(fmu_folder), **other})


def test_a_variable_of_a_prescribed_motion_stays(cart: supple.Model, fmu_folder: Path) -> None:
    controller = pi_fmu(fmu_folder, outputs={"force": "size"})
    with pytest.raises(supple.StateError, match=r"controller 'pi': 'size' stays as it is in a run"):
        Inputs(cart, controller, {"cart.position": "size*sin(t)"}, {"size": 1.0})


def test_what_has_no_equations_is_refused_where_these_are_needed(
    cart: supple.Model, fmu_folder: Path, tmp_path: Path
) -> None:
    with pytest.raises(supple.StateError, match=r"sensitivities: controller 'pi' is an FMU, whose derivative"):
        supple.simulate(cart, 0.1, tau=pi_fmu(fmu_folder), sensitivities=["arm.mass"])
    with pytest.raises(supple.StateError, match=r"controller 'pi' is an FMU, which cannot be written"):
        supple.export.python(cart, tmp_path / "cart.py", {"tau": pi_fmu(fmu_folder)})


def test_it_is_sent_to_other_processes_and_known_again(fmu_folder: Path) -> None:
    controller = pi_fmu(fmu_folder)
    again = pickle.loads(pickle.dumps(controller))
    assert again == controller
    assert repr(again) == repr(controller)
    assert pi_fmu(fmu_folder, parameters={"kp": 3.0}) != controller
