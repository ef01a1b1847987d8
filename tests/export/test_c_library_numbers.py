"""Parameters that a library's user sets, beside those of the model."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import supple
from support.mechanisms.closed_mechanisms import slider_crank
from support.programs.c_libraries import Library, chain, difference, free_tree


def changed(model: supple.Model, own: Library, values: dict[str, float], tolerance: float = 1e-13) -> None:
    """Compare a library of other parameters with the model of these."""
    other = model.with_parameters(values)
    own.set(list(values.values()))
    q, v = model.random_state(1)
    if model.loops is not None:
        q = other.loops.assemble(model.neutral() + 0.3)  # type: ignore[union-attr]
        v = other.loops.consistent(q, v)  # type: ignore[union-attr]
    tau = np.linspace(-1, 1, model.nv)
    expected = other.forward_dynamics(q, v, tau)
    before = model.forward_dynamics(q, v, tau)
    assert difference(before, expected) > 1e-3
    assert difference(own("forward_dynamics", [q, v, tau], model.nv), expected) < tolerance
    assert difference(own("energy", [q, v], 1, 1), other.energy(q, v)) < tolerance


def test_parameters_are_those_of_the_model(tmp_path: Path) -> None:
    model = free_tree()
    values = {
        "upper.mass": 2.5,
        "upper.com.y": -0.3,
        "tip.inertia.xy": 0.004,
        "tip.at.x": 0.4,
        "gravity.z": -3.7,
        "tip.angle.stiffness": 4.0,
        "tip.angle.damping": 0.0,
        "cord.stiffness": 80.0,
        "cord.length": 0.1,
        "hub/hook.y": 0.3,
    }
    own = Library(model, tmp_path / "c", ["forward_dynamics", "energy", "pose"], parameters=list(values))
    changed(model, own, values)


def test_what_was_zero_can_be_set(tmp_path: Path) -> None:
    model = chain(2)
    values = {
        "link0.com.y": 0.2,
        "link1.at.y": 0.3,
        "link1.inertia.yz": 0.004,
        "gravity.x": 2.0,
        "link1.angle.rest": 0.2,
    }
    values |= {"link1.angle.stiffness": 3.0}
    own = Library(model, tmp_path / "c", ["forward_dynamics", "energy"], parameters=list(values))
    changed(model, own, values)


def test_parameters_of_closed_loops(tmp_path: Path) -> None:
    model = slider_crank()
    values = {"rod.mass": 3.5, "crank.at.y": 0.05, "rod/end.x": 1.1, "slider.position.damping": 2.0}
    own = Library(model, tmp_path / "c", ["forward_dynamics", "energy"], parameters=list(values))
    changed(model, own, values, 1e-12)


def test_default_parameters_give_the_default_numbers(tmp_path: Path) -> None:
    model = chain(2)
    names = ["link0.mass", "link1.com.x", "link1.com.z", "gravity.z"]
    own = Library(model, tmp_path / "c", ["forward_dynamics"], parameters=names)
    values = [1.2, 0.1, -0.25, -9.81]
    own.set(values)
    assert own.numbers is not None
    np.testing.assert_allclose(own.numbers, own.default_numbers(), rtol=1e-15, atol=0)
    assert ".link0_mass = 1.2," in own.source


def test_parameters_that_the_model_does_not_have_are_refused(tmp_path: Path) -> None:
    with pytest.raises(supple.StateError, match=r"no parameter 'link0\.mas'; did you mean 'link0\.mass'"):
        supple.export.c_library(chain(1), tmp_path / "c", parameters=["link0.mas"])
    assert not (tmp_path / "c").exists()
