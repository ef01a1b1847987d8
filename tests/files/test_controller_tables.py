"""FMUs as actuators of model files; linear controllers of files are tested with these."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import supple
from supple.files import check, read
from support.mechanisms.controlled_cart import EXAMPLES, SAME, SETTING, cart_pendulum
from support.programs.controller_fmus import RATE, pi_linear

pytest.importorskip("fmpy", reason="fmpy is not installed")


@pytest.fixture(scope="module")
def cart() -> supple.Model:
    return cart_pendulum()


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
    np.testing.assert_allclose(found.q, supple.simulate(cart, 1.0, tau=pi_linear(), **SETTING).q, **SAME)


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
