"""Linear models for MATLAB, about the state at which a run starts."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import scipy

import supple

CART = Path(__file__).parents[2] / "examples" / "cart_pendulum.toml"


def test_the_file_has_the_linear_model_about_the_start(tmp_path: Path) -> None:
    model = supple.load(CART)
    start = {"arm.angle": np.pi}
    outputs = ["q:cart.position", "q:arm.angle"]
    path = supple.export.mat(model, tmp_path / "cart.mat", {"q": start}, inputs=["cart.position"], outputs=outputs)
    found = scipy.io.loadmat(path, simplify_cells=True)
    # Upright, by hand: m + M = 4.5, m l = 1.2, I + m l^2 = 1.04; with x the cart and s the arm,
    # 4.5 x'' - 1.2 s'' = f, 1.04 s'' - 1.2 x'' = 1.2 g s.
    M = np.array([[4.5, -1.2], [-1.2, 1.04]])
    lower = np.linalg.solve(M, [[0.0, 0.0], [0.0, 1.2 * 9.81]])
    np.testing.assert_allclose(found["A"][2:, :2], lower, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(found["B"][2:], np.linalg.solve(M, [1.0, 0.0]), rtol=1e-12)
    assert found["outputs"].tolist() == outputs
    assert found["inputs"] == "cart.position"
    np.testing.assert_allclose(found["C"], np.eye(4)[:2], atol=1e-14)


def test_what_cannot_be_written(tmp_path: Path) -> None:
    model = supple.load(CART)
    with pytest.raises(supple.ResultsError, match=r"cart\.mat: cannot be written: No such file"):
        supple.export.mat(model, tmp_path / "nowhere" / "cart.mat")
    with pytest.raises(supple.StateError, match=r"no coordinate 'arm\.angel'; did you mean 'arm\.angle'"):
        supple.export.mat(model, tmp_path / "cart.mat", outputs=["q:arm.angel"])
    with pytest.raises(supple.StateError, match=r"supple\.export\.mat: expected a Model"):
        supple.export.mat(supple.Mechanism("none"), tmp_path / "cart.mat")  # type: ignore[arg-type]
