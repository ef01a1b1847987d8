"""Linear controllers: equal to PID controllers where these can do the same, on one speed or several, in files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.io import savemat

import supple
from supple.files import read
from supple.inputs.inputs import Inputs
from support.mechanisms.controlled_cart import EXAMPLES, SETTING, cart_pendulum

MEASURED = ["cart.position", "rate(cart.position)"]


@pytest.fixture(scope="module")
def cart() -> supple.Model:
    return cart_pendulum()


def pi(rate: float | None = None) -> supple.LinearController:
    A, B = ([[0.0]], [[-1.0, 0.0]]) if rate is None else ([[1.0]], [[-1.0 / rate, 0.0]])
    return supple.LinearController(
        "pi", MEASURED, ["cart.position"], A, B, [[5.0]], [[-20.0, -8.0]], reference=[0.5, 0.0], rate=rate
    )


@pytest.mark.parametrize("rate", [None, 40.0])
def test_it_moves_as_a_pid_controller_does(cart: supple.Model, rate: float | None) -> None:
    expected = supple.simulate(cart, 2.0, tau={"cart.position": supple.PID(0.5, 20.0, 8.0, 5.0, rate=rate)}, **SETTING)
    found = supple.simulate(cart, 2.0, tau=pi(rate), **SETTING)
    assert np.ptp(expected.q.values[:, 0]) > 0.1
    np.testing.assert_allclose(found.q, expected.q, rtol=0, atol=1e-9)  # rounding may change steps: as exact as asked
    np.testing.assert_allclose(found.tau, expected.tau, rtol=0, atol=1e-7)


def test_several_outputs_and_other_laws_beside_it(cart: supple.Model) -> None:
    both = supple.LinearController("both", [*MEASURED, "arm.angle"], cart.speeds, D=[[-9.0, -4.0, 1.0], [0, 0.5, -3.0]])
    formulas = {
        "cart.position": "-9*cart.position - 4*rate(cart.position) + arm.angle",
        "arm.angle": "0.5*rate(cart.position) - 3*arm.angle",
    }
    expected = supple.simulate(cart, 1.0, tau=formulas, **SETTING)
    np.testing.assert_allclose(supple.simulate(cart, 1.0, tau=both, **SETTING).q, expected.q, rtol=0, atol=1e-9)
    single = supple.LinearController("single", [*MEASURED, "arm.angle"], ["cart.position"], D=[[-9.0, -4.0, 1.0]])
    mixed = supple.simulate(cart, 1.0, tau={**single, "arm.angle": formulas["arm.angle"]}, **SETTING)
    np.testing.assert_allclose(mixed.q, expected.q, rtol=0, atol=1e-9)


def test_bias_and_limit(cart: supple.Model) -> None:
    push = supple.LinearController("push", ["t"], ["cart.position"], D=[[100.0]], bias=[1.5], limit=(-1.0, 4.0))
    forces = supple.simulate(cart, 1.0, tau=push, **SETTING).tau.values[:, 0]
    assert forces[0] == 1.5
    assert forces[-1] == 4.0


def test_in_a_model_file(cart: supple.Model, tmp_path: Path) -> None:
    text = (EXAMPLES / "cart_pendulum.toml").read_text()
    table = """
[[controller]]
name = "pi"
measured = ["cart.position", "rate(cart.position)"]
speeds = ["cart.position"]
reference = [0.5, 0.0]
"""
    written = tmp_path / "written.toml"
    written.write_text(text + table + "A = [[0.0]]\nB = [[-1.0, 0.0]]\nC = [[5.0]]\nD = [[-20.0, -8.0]]\n")
    given = read(written).run_arguments()["tau"]
    assert given == dict(pi())
    savemat(tmp_path / "design.mat", {"A": [[0.0]], "B": [[-1.0, 0.0]], "C": [[5.0]], "D": [[-20.0, -8.0]]})
    beside = tmp_path / "beside.toml"
    beside.write_text(text + table + 'file = "design.mat"\n')
    assert read(beside).run_arguments()["tau"] == given


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("A = [[0.0]]\nB = [[-1.0]]", "expected A, B and C together"),
        ("D = [[1.0, 2.0, 3.0]]", r"D: expected finite numbers of shape \(1, 1\)"),
        ('file = "nothing.mat"', "nothing.mat"),
        ('file = "text.mat"', "text.mat: expected a MATLAB file"),
        ('D = [[1.0]]\nfile = "text.mat"', "either matrices or file, got both"),
        ("D = [[1.0]]\nrate = -3.0", "rate: expected a number greater than zero"),
    ],
)
def test_wrong_tables_are_named(lines: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "text.mat").write_text("no matrices")
    file = tmp_path / "wrong.toml"
    head = '\n[[controller]]\nname = "c"\nmeasured = ["arm.angle"]\nspeeds = ["cart.position"]\n'
    file.write_text((EXAMPLES / "cart_pendulum.toml").read_text() + head + lines + "\n")
    with pytest.raises(supple.FileFormatError, match=message):
        read(file).run_arguments()


def test_wrong_arguments_are_named(cart: supple.Model) -> None:
    with pytest.raises(supple.StateError, match=r"controller 'c': B: expected finite numbers of shape \(1, 2\)"):
        supple.LinearController("c", MEASURED, ["cart.position"], [[0.0]], [[1.0]], [[1.0]])
    with pytest.raises(supple.StateError, match=r"there are two of this name"):
        Inputs(cart, {**pi(), "arm.angle": supple.LinearController("pi", ["t"], ["arm.angle"], D=[[1.0]])["arm.angle"]})
    with pytest.raises(supple.StateError, match=r"does not drive 'cart.angle'.*'cart.position'"):
        pi()["cart.angle"]
    with pytest.raises(supple.StateError, match=r"measured"):
        supple.simulate(cart, 0.1, tau=supple.LinearController("c", ["carts.position"], ["cart.position"], D=[[1.0]]))
