"""Models as Python modules: what they compute is what the model does, with numpy alone."""

from __future__ import annotations

import ast
import runpy
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import supple
from supple.files import read

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture(scope="module")
def cart() -> supple.Model:
    return read(EXAMPLES / "cart_pendulum.toml").model


def loaded(path: Path) -> dict[str, Any]:
    """The names of a module, which imports numpy and nothing else."""
    imports = [x for x in ast.walk(ast.parse(path.read_text())) if isinstance(x, ast.Import | ast.ImportFrom)]
    assert [ast.unparse(x) for x in imports] == ["import numpy as np"]
    return runpy.run_path(str(path))


def test_functions_are_those_of_the_model(cart: supple.Model, tmp_path: Path) -> None:
    module = loaded(supple.export.python(cart, tmp_path / "cart.py", functions=["forward_dynamics", "mass_matrix"]))
    q, v, tau = np.random.default_rng(1).normal(size=(3, 5, 2))
    np.testing.assert_allclose(module["forward_dynamics"](q, v, tau), cart.forward_dynamics(q, v, tau), rtol=1e-12)
    np.testing.assert_allclose(module["mass_matrix"](q), cart.mass_matrix(q), rtol=1e-13)
    assert (module["COORDINATES"], module["SPEEDS"]) == (cart.coordinates, cart.speeds)
    assert module["PARAMETERS"] == {}


def test_equations_have_the_laws_of_the_file(tmp_path: Path) -> None:
    contents = read(EXAMPLES / "arm_under_pd_control.toml")
    model, run = contents.model, contents.run_arguments()
    module = loaded(supple.export.python(model, tmp_path / "arm.py", run))
    numbers = list(module["PARAMETERS"]["equations"].values())
    simulator = supple.Simulator(model, **{key: run[key] for key in ("q", "v", "tau") if key in run})
    simulator.advance_to(0.05)
    now = simulator.state
    given: dict[str, Any] = {"t": [now.t], "q": now.q, "v": now.v, "parameters": numbers}
    given["constants"] = module["equations_precompute"](numbers)
    code = module["equations"].__code__
    rate, a, *_ = module["equations"](**{name: given[name] for name in code.co_varnames[: code.co_argcount]})
    assert np.abs(now.a).max() > 0.1
    np.testing.assert_allclose(rate[: model.nq], model.derivative(now.q, now.v), atol=1e-12)
    np.testing.assert_allclose(a, now.a, rtol=1e-9, atol=1e-9)


def test_parameters_stay_arguments(cart: supple.Model, tmp_path: Path) -> None:
    path = supple.export.python(cart, tmp_path / "cart.py", functions=["forward_dynamics"], parameters=["arm.mass"])
    module = loaded(path)
    assert module["PARAMETERS"] == {"forward_dynamics": {"arm.mass": 1.5}}
    constants = module["forward_dynamics_precompute"]([2.5])
    found = module["forward_dynamics"]([0.0, 0.3], [0.1, 0.2], [1.0, 0.0], [2.5], constants)
    expected = cart.with_parameters({"arm.mass": 2.5}).forward_dynamics([0.0, 0.3], [0.1, 0.2], [1.0, 0.0])
    np.testing.assert_allclose(found, expected, rtol=1e-12)


@pytest.mark.parametrize(
    ("name", "options", "words"),
    [
        ("cart.txt", {}, "export: expected a name that ends in .py, got"),
        ("nowhere/cart.py", {}, "cart.py: cannot be written: No such file or directory"),
        ("cart.py", {"functions": ["mass_matrx"]}, "functions: no function 'mass_matrx'; did you mean 'mass_matrix'?"),
        ("cart.py", {"functions": "energy"}, "functions: expected a sequence of names, got 'energy'"),
        ("cart.py", {"parameters": ["arm.mas"]}, "arm.mas"),
        ("cart.py", {"arguments": {"tau": {"arm.angle": lambda t, q, v: float(q[0])}}}, "is a Python function"),
    ],
)
def test_what_cannot_be_written(
    cart: supple.Model, name: str, options: dict[str, Any], words: str, tmp_path: Path
) -> None:
    with pytest.raises(supple.SuppleError, match=words.replace("?", r"\?")):
        supple.export.python(cart, tmp_path / name, **options)
    assert list(tmp_path.iterdir()) == []


def test_a_name_that_ends_a_docstring_does_not(tmp_path: Path) -> None:
    mech = supple.Mechanism('an "odd"""name\\')
    mech.add_body("arm", supple.RigidBody(1.0, (0, 0, -1)))
    module = loaded(supple.export.python(mech.build(), tmp_path / "odd.py", functions=["energy"]))
    assert [np.shape(x) for x in module["energy"]([0.3], [0.0])] == [(), ()]
