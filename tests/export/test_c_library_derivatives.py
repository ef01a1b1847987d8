"""Derivatives of forward dynamics in C."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import supple
from support.mechanisms.closed_mechanisms import bricard, slider_crank
from support.programs.c_libraries import Library, chain, difference, flexible_arm, free_tree

NAME = "forward_dynamics_derivatives"
MODELS: dict[str, tuple[Callable[[], supple.Model], str, float]] = {
    "closed form": (lambda: chain(3), "double", 1e-12),
    "closed form in single precision": (lambda: chain(3), "float", 2e-5),
    "tangents": (flexible_arm, "double", 1e-12),
    "tangents with quaternions": (free_tree, "double", 1e-12),
    "closed loops": (slider_crank, "double", 1e-12),
    "redundant constraints": (bricard, "double", 1e-7),
}
"""Redundant constraints are regularized by 1e-7 (`closure_forces.REGULARIZATION`)."""


@pytest.mark.parametrize("case", MODELS)
def test_derivatives_agree_with_those_of_the_model(case: str, tmp_path: Path) -> None:
    make, precision, tolerance = MODELS[case]
    model = make()
    own = Library(model, tmp_path / "c", [NAME], precision=precision)
    q, v = model.random_state(3)
    if model.loops is not None:
        q = model.loops.assemble(model.neutral() + (0.3 if case == "closed loops" else 0.0))
        v = model.loops.consistent(q, v)
    n, tau = model.nv, np.random.default_rng(2).normal(size=model.nv)
    expected = model.compile("forward_dynamics", derivatives=("q", "v", "tau"))(q, v, tau)
    found = own(NAME, [q, v, tau], n, n * n, n * n, n * n)
    assert np.abs(expected[1]).max() > 0.1
    for what, x, y in zip(("a", "da_dq", "da_dv", "da_dtau"), found, expected, strict=True):
        assert difference(x, y) < tolerance, what


def test_single_precision_is_refused_where_constraints_are_redundant(tmp_path: Path) -> None:
    with pytest.raises(supple.StateError, match="has redundant constraints, expected precision 'double'"):
        supple.export.c_library(bricard(), tmp_path / "c", [NAME], precision="float")
    assert not (tmp_path / "c").exists()
