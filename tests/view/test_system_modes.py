"""Marks of the whole system stand at its frequencies, or there is a reason for none."""

from __future__ import annotations

import numpy as np
import pytest
import xarray as xr

import supple
from supple.view.plots import system_modes as module
from supple.view.plots.system_modes import system_modes


def motion(model: supple.Model, q: np.ndarray[tuple[int, int], np.dtype[np.float64]], speed: float = 0.0) -> xr.Dataset:
    return xr.Dataset({"q": (("time", "coordinate"), q), "v": (("time", "speed"), np.full((len(q), model.nv), speed))})


def sprung() -> supple.Model:
    """Two masses in a row, each on a spring, with known frequencies."""
    mech = supple.Mechanism("pair", gravity=(0, 0, 0))
    mech.add_body("low", supple.RigidBody(2.0), joint=supple.Prismatic("z", stiffness=800.0))
    mech.add_body("high", supple.RigidBody(1.0), "low", supple.Prismatic("z", stiffness=300.0))
    return mech.build()


def test_marks_are_those_of_the_coupled_system_and_not_of_its_parts() -> None:
    found = system_modes(sprung(), motion(sprung(), np.zeros((5, 2))))
    K, M = np.array([[1100.0, -300.0], [-300.0, 300.0]]), np.diag([2.0, 1.0])
    expected = np.sqrt(np.sort(np.linalg.eigvals(np.linalg.inv(M) @ K))) / (2 * np.pi)
    assert [mark["x"] for mark in found.marks] == pytest.approx(expected)
    assert [mark["label"] for mark in found.marks] == ["low.position", "high.position"]
    assert found.note == "Dashed: modes of the system about its mean configuration."


def pendulum() -> supple.Model:
    mech = supple.Mechanism("pendulum")
    mech.add_body("arm", supple.RigidBody(1.0, (0, 0, -9.81)))
    return mech.build()


def test_a_small_swing_is_linearized_about_its_mean_and_a_large_one_about_its_start() -> None:
    t = np.linspace(0, 10, 101)[:, None]
    small = system_modes(pendulum(), motion(pendulum(), 0.2 * np.cos(t)))
    assert small.note.endswith("mean configuration.")
    assert small.marks[0]["x"] == pytest.approx(1 / (2 * np.pi), rel=1e-3)
    large = system_modes(pendulum(), motion(pendulum(), 1.0 * np.cos(t)))
    assert large.note.endswith("configuration at the start.")
    assert large.marks[0]["x"] == pytest.approx(np.sqrt(np.cos(1.0)) / (2 * np.pi))


def test_fast_spin_many_freedoms_and_no_inertia_are_reasons(monkeypatch: pytest.MonkeyPatch) -> None:
    still = np.zeros((5, 1))
    spun = system_modes(pendulum(), motion(pendulum(), still, 3.0))
    assert spun.marks == []
    assert "arm.angle turns at 3 rad/s" in spun.note
    mech = supple.Mechanism("mast")
    mech.add_body("mast", supple.RigidBody(0.0), joint=supple.Revolute("z"))
    mast = system_modes(mech.build(), motion(mech.build(), still))
    assert mast.marks == []
    assert "could not be linearized" in mast.note
    monkeypatch.setattr(module, "MOST_SPEEDS", 0)
    assert "1 speeds, more than the 0" in system_modes(pendulum(), motion(pendulum(), still)).note
