"""How much rigid frames raise the lowest frequency of a body."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import scipy

from supple.structures import Material, Rectangle, Structure, beam, from_matrices, plate
from supple.structures.reduction.rigid_frames import stiffening_by_frames

ALUMINIUM = Material(E=70e9, nu=0.3, rho=2700.0)


def panel(width: float) -> Structure:
    """A cantilever with a rigid pad of this width, none for zero, three tenths of its length from the root."""
    frames = {"start": "x_min", "pad": lambda x: abs(x[0] - 0.3) < width / 2.0}
    if width == 0.0:
        frames.pop("pad")
    return plate((1.0, 0.2), 0.003, ALUMINIUM, elements=(20, 2), frames=frames)  # type: ignore[arg-type]


@pytest.mark.parametrize(("width", "basis"), [(0.11, "cantilever"), (0.21, "craig-bampton")])
def test_the_error_is_that_against_the_structure_without_them(width: float, basis: str) -> None:
    """One relaxed deflection beside the mode finds it within some thousandths."""
    without = panel(0.0).reduce("cantilever", modes=1).report
    stiff = panel(width).reduce("cantilever", modes=1).report
    assert without is not None
    assert stiff is not None
    exact = float(stiff.frequencies[0] / without.frequencies[0]) - 1.0
    assert exact > 0.05
    names, error = stiffening_by_frames(panel(width).reduce(basis, modes=2))
    assert names == ("pad",)
    assert error == pytest.approx(exact, rel=5e-3)


def test_single_nodes_and_averages_stiffen_nothing() -> None:
    assert stiffening_by_frames(panel(0.0).reduce("cantilever", modes=1)) == ((), 0.0)
    soft = plate((1.0, 0.2), 0.003, ALUMINIUM, elements=(8, 2), frames={"start": "x_min"}, averages={"end": "x_max"})
    assert stiffening_by_frames(soft.reduce("cantilever", modes=1)) == ((), 0.0)


def test_frames_that_join_loose_parts_have_no_stiffening() -> None:
    """Without the frame the outer half would be free: no frequency to compare with, and no warning."""
    half = beam(0.5, Rectangle(0.01, 0.02), ALUMINIUM, 4)
    K, M = (scipy.sparse.block_diag([A, A]) for A in (half.stiffness, half.mass_matrix))
    order = np.arange(60).reshape(-1, 2, 3)[:, ::-1].ravel()  # displacements first
    nodes = np.concatenate([half.nodes, half.nodes + np.array([0.5, 0.0, 0.0])])
    K, M = (scipy.sparse.csr_array(A)[order][:, order] for A in (K, M))
    joined = from_matrices(nodes, M, K, frames={"start": 0, "joint": (4, 5), "end": 9})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert stiffening_by_frames(joined.reduce("cantilever", modes=2, root="start")) == (("joint",), 0.0)
