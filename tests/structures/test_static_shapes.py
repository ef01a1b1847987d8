"""What modes leave of static deflections: as coordinates and as shapes that follow the loads."""

import numpy as np
import pytest

from supple.errors import ModelError
from supple.structures import FlexibleBody, Material, Rectangle, beam
from supple.structures.reduction.residual_vectors import LEFT

METAL = Material(E=70e9, nu=0.3, rho=2700)
BOOM = beam(1.0, Rectangle(0.02, 0.04), METAL, 8)


@pytest.mark.parametrize("basis", ["cantilever", "free-free", "craig-bampton"])
def test_residual_vectors_make_the_body_as_stiff_as_the_structure(basis: str) -> None:
    plain, stiff = BOOM.reduce(basis, modes=2), BOOM.reduce(basis, modes=2, residual=["end", "inertia"])
    assert plain.report is not None
    assert stiff.report is not None
    np.testing.assert_allclose(stiff.report.static_share, 1.0, rtol=1e-9)
    assert plain.modes < stiff.modes <= plain.modes + 18
    if basis == "cantilever":
        assert plain.report.static_share.min() < 0.9
        np.testing.assert_allclose(stiff.report.frequencies[:2], plain.report.frequencies, rtol=1e-9)
        np.testing.assert_allclose(stiff.report.interface[:3], [0.0, 0.0, 1.0], atol=1e-9)


def test_static_shapes_are_what_the_modes_leave() -> None:
    """With R* K R = I and without stiffness in common; with the modes they span the static deflection."""
    body = BOOM.reduce("cantilever", modes=2)
    assert body.recovery is not None
    assert body.recovery.static is not None
    R = body.recovery.static
    K, Psi = BOOM.stiffness, body.shapes.toarray()
    rounding = 10 * np.finfo(float).eps / LEFT  # of shapes that are made of the smallest share of a load that counts
    np.testing.assert_allclose(R.shapes.T @ (K @ R.shapes), np.eye(R.count), atol=rounding)
    np.testing.assert_allclose(Psi.T @ (K @ R.shapes), 0.0, atol=1e-6 * np.sqrt(body.stiffness.diagonal().max()))
    load = np.array([0.3, 0.1, 0.0, 2.0, 1.0, -5.0])
    eta = body.frames["end"].shape.T @ load / body.stiffness.diagonal()
    whole = Psi @ eta + R.shapes @ (R.frames["end"].T @ load)
    expected = BOOM.static({"end": load}).ravel()
    np.testing.assert_allclose(whole, expected, atol=1e-8 * np.abs(expected).max())
    assert np.abs(Psi @ eta - expected).max() > 0.01 * np.abs(expected).max()


def test_nothing_is_left_where_nothing_is_missing() -> None:
    whole: FlexibleBody = BOOM.reduce("cantilever", modes=48)
    assert whole.recovery is not None
    assert whole.recovery.static is not None
    assert whole.recovery.static.count == 0
    assert BOOM.reduce("cantilever", modes=48, residual=["end"]).modes == 48
    nodal = BOOM.reduce("nodal").recovery
    assert nodal is not None
    assert nodal.static is None


@pytest.mark.parametrize(
    ("residual", "said"),
    [
        (["ende"], "residual: no frame or load case 'ende'; did you mean 'end'"),
        (["force q at end"], "did you mean 'force . at end'"),
        ("end", "residual: expected a list of frames or load cases, got 'end'"),
        (["start"], "'start' is the root, which is held"),
    ],
)
def test_wrong_residuals_are_refused(residual: list[str], said: str) -> None:
    with pytest.raises(ModelError, match=said):
        BOOM.reduce("cantilever", modes=2, residual=residual)


def test_the_nodal_basis_takes_no_residual_vectors() -> None:
    with pytest.raises(ModelError, match="nodal basis leaves nothing"):
        BOOM.reduce("nodal", residual=["end"])
