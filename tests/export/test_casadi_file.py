"""Functions of models as files of CasADi."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

import supple

CART = Path(__file__).parents[2] / "examples" / "cart_pendulum.toml"


def test_the_file_has_the_function_and_its_derivatives(tmp_path: Path) -> None:
    casadi = pytest.importorskip("casadi", reason="casadi is not installed")
    model = supple.files.read(CART).model
    f = casadi.Function.load(str(supple.export.casadi(model, tmp_path / "cart.casadi", parameters=["arm.mass"])))
    assert (f.name_in(), f.name_out()) == (["q", "v", "tau", "parameters"], ["a"])
    q, v, tau = [0.1, 0.4], [0.2, -0.3], [1.0, 0.5]
    expected = model.with_parameters({"arm.mass": 2.0}).forward_dynamics(q, v, tau)
    np.testing.assert_allclose(np.array(f(q, v, tau, 2.0)).ravel(), expected, rtol=1e-12)
    by_tau = np.array(f.jacobian()(q, v, tau, 1.5, 0)[2])
    np.testing.assert_allclose(by_tau, model.inverse_mass_matrix(q), rtol=1e-12)


def test_without_casadi_one_line_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "casadi", None)
    with pytest.raises(supple.SuppleError, match=r"^export: casadi needs CasADi: pip install supple\[casadi\]$"):
        supple.export.casadi(supple.files.read(CART).model, tmp_path / "cart.casadi")
    assert list(tmp_path.iterdir()) == []


def test_names_that_are_wrong(tmp_path: Path) -> None:
    pytest.importorskip("casadi", reason="casadi is not installed")
    with pytest.raises(supple.StateError, match=r"expected a name that ends in \.casadi, got"):
        supple.export.casadi(supple.files.read(CART).model, tmp_path / "cart.py")
    with pytest.raises(supple.StateError, match=r"no function 'rk5'; did you mean 'rk4'"):
        supple.export.casadi(supple.files.read(CART).model, tmp_path / "cart.casadi", function="rk5")
    assert list(tmp_path.iterdir()) == []
