"""Linear models for MATLAB, about the state at which a run starts."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import scipy

import supple

CART = Path(__file__).parents[2] / "examples" / "cart_pendulum.toml"


def test_the_file_has_the_linear_model_about_the_start(tmp_path: Path) -> None:
    model = supple.files.read(CART).model
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


def test_laws_of_the_run_are_in_it(tmp_path: Path) -> None:
    """A satellite whose panel stands on a hinge spring and damper given by a formula: its poles are as of a joint."""

    def satellite(stiffness: float, damping: float) -> supple.Model:
        mech = supple.Mechanism("satellite", gravity=(0, 0, 0))
        mech.add_body("bus", supple.RigidBody(100.0, inertia=np.diag([20.0, 20.0, 30.0])), joint=supple.Free())
        hinge = supple.Revolute("y", stiffness=stiffness, damping=damping)
        panel = supple.RigidBody(4.0, (1, 0, 0), np.diag([0.1, 1.5, 1.5]))
        mech.add_body("panel", panel, "bus", hinge, at=(0.5, 0, 0))
        return mech.build()

    run = {"tau": {"panel.angle": "-50*panel.angle - 0.4*rate(panel.angle)"}}
    path = supple.export.mat(satellite(0.0, 0.0), tmp_path / "satellite.mat", run)
    expected = supple.linear.state_space(satellite(50.0, 0.4))
    A = scipy.io.loadmat(path, simplify_cells=True)["A"]
    np.testing.assert_allclose(A, expected.A, rtol=1e-12, atol=1e-12)
    assert np.linalg.eigvals(A).imag.max() > 1.0


def test_a_start_that_does_not_last_is_named(tmp_path: Path) -> None:
    model = supple.files.read(CART).model
    with pytest.warns(supple.PhysicsWarning, match=r"no equilibrium: .* takes 1[01]\.\d+ N m on 'arm\.angle'"):
        supple.export.mat(model, tmp_path / "cart.mat", {"q": {"arm.angle": 2.0}})
    sampled = {"tau": {"arm.angle": supple.PID(0.0, kp=10.0, rate=50.0)}}
    with pytest.warns(
        supple.OmissionWarning, match="constant in the linear model: outputs of controllers and FMUs sam"
    ):
        supple.export.mat(model, tmp_path / "cart.mat", sampled)


def test_what_cannot_be_written(tmp_path: Path) -> None:
    model = supple.files.read(CART).model
    with pytest.raises(supple.ResultsError, match=r"cart\.mat: cannot be written: No such file"):
        supple.export.mat(model, tmp_path / "nowhere" / "cart.mat")
    with pytest.raises(supple.StateError, match=r"no coordinate 'arm\.angel'; did you mean 'arm\.angle'"):
        supple.export.mat(model, tmp_path / "cart.mat", outputs=["q:arm.angel"])
    with pytest.raises(supple.StateError, match=r"supple\.export\.mat: expected a Model"):
        supple.export.mat(supple.Mechanism("none"), tmp_path / "cart.mat")  # type: ignore[arg-type]
