"""Optima with closed forms, under bounds and constraints, and refusals."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import supple

NATURAL = 2.0
"""rad/s"""


@cache
def oscillator(damping: float = 2.4, stiffness: float = NATURAL**2) -> supple.Model:
    mech = supple.Mechanism("oscillator", gravity=(0, 0, 0))
    joint = supple.Prismatic("x", stiffness=stiffness, damping=damping)
    mech.add_body("m", supple.RigidBody(1.0), joint=joint)
    return mech.build()


SETTINGS: dict[str, Any] = {"duration": 20.0, "samples": 801, "q": {"m.position": 0.7}}
DAMPING = "m.position.damping"


@pytest.mark.parametrize("method", [None, "SLSQP", "trust-constr"])
def test_the_damping_of_the_smallest_squared_error(method: str | None) -> None:
    # From a displacement s the integral of x^2 is s^2 (1 + 4 z^2) / (4 z w), smallest at a damping ratio z of 1 / 2.
    found = supple.optimize(oscillator(), [DAMPING], "integral(m.position**2)", method=method, **SETTINGS)
    assert found.values[DAMPING] == pytest.approx(2 * 0.5 * NATURAL, rel=1e-4)
    assert found.value == pytest.approx(0.7**2 * 2 / (4 * 0.5 * NATURAL), rel=1e-6)
    assert found.start_value > 1.01 * found.value
    assert found.exact.all()
    assert found.converged
    assert abs(found.gradient[DAMPING]) < 1e-5
    assert isinstance(found.model, supple.Model)
    assert found.model.tree.damping[0] == found.values[DAMPING]
    assert f"{DAMPING}" in str(found)
    assert "at the optimum" in found._repr_html_()


def test_bounds_hold() -> None:
    found = supple.optimize(oscillator(), [DAMPING], "rms(m.position)", bounds={DAMPING: (2.2, 3.0)}, **SETTINGS)
    assert found.values[DAMPING] == 2.2
    assert found.active() == [DAMPING]
    assert found.gradient[DAMPING] > 0.0


def test_a_constraint_that_decides() -> None:
    # A step of force F: x = F / k (1 - cos w t). The largest x is 2 F / k, the largest kinetic energy F^2 / (2 k).
    F, limit = 3.0, 0.5
    stiffness = "m.position.stiffness"
    found = supple.optimize(
        oscillator(0.0, 20.0),
        [stiffness],
        "max(kinetic_energy)",
        constraints={"travel": f"max(m.position) <= {limit}"},
        bounds={stiffness: (1.0, 100.0)},
        maximize=True,
        duration=3.0,
        samples=601,
        tau={"m.position": F},
    )
    # Samples 5 ms apart miss the extreme by less than (w h)^2 / 16, 2e-5.
    assert found.values[stiffness] == pytest.approx(2 * F / limit, rel=1e-4)
    assert found.value == pytest.approx(F**2 / (2 * 2 * F / limit), rel=1e-4)
    assert found.active() == ["travel"]
    assert not found.violated()
    assert "active: travel" in str(found)


def test_files_and_frequencies(tmp_path: Path) -> None:
    # Frequencies are differentiated by differences: sqrt(k / m) / (2 pi) is 1 Hz.
    path = tmp_path / "mass.toml"
    path.write_text(
        'name = "mass"\n[[body]]\nname = "m"\nmass = 2.0\n'
        'joint = { type = "prismatic", axis = "x", stiffness = 60.0 }\n[simulation]\nduration = 0.1\n'
    )
    measure = "(frequency(1) - 1)**2"
    found = supple.optimize(path, {"body.m.mass": 1.8}, measure, changes={"body.m.joint.stiffness": 80.0})
    assert found.values["body.m.mass"] == pytest.approx(80.0 / (2 * np.pi) ** 2, rel=1e-4)
    assert not found.exact.any()
    assert "by differences of runs: body.m.mass" in str(found)


@pytest.mark.parametrize(
    ("measure", "options", "message"),
    [
        ("m.position", {}, "expected a number for each case, got a signal over time"),
        ("last(m.positoin)", {}, "no signal 'm.positoin'; did you mean 'm.position'"),
        ("last(m.position)", {"constraints": ["max(m.position)"]}, "expected two sides with one of <=, >=, == between"),
        ("last(m.position)", {"constraints": ["max(m.position) < 1"]}, "expected two sides with one of"),
        ("last(m.position)", {"constraints": ["rate <="]}, "expected two sides with one of"),
        ("last(m.position)", {"constraints": [3]}, "constraint '3': expected a formula, got 3"),
        ("last(m.position)", {"method": "BFGS"}, "method: expected one of SLSQP, trust-constr, L-BFGS-B, got 'BFGS'"),
        ("last(m.position)", {"method": "L-BFGS-B", "constraints": ["last(t) >= 1"]}, "L-BFGS-B takes no constraints"),
        ("time_of_max(m.position)", {}, "time_of_max: is a time of samples, which has no derivative"),
        (3, {}, "measure: expected a formula, got 3"),
        ("first(m.position > 9)", {}, "expected a finite number, got nan"),
        ("last(m.position)", {"bounds": {"m.position.dampin": (0, 1)}}, "bounds: 'm.position.dampin' is not varied"),
    ],
)
def test_wrong_arguments(measure: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(supple.StateError, match=message):
        supple.optimize(oscillator(), [DAMPING], measure, duration=0.5, q=[0.7], **options)


def test_what_is_not_there() -> None:
    with pytest.raises(supple.StateError, match=r"vary: model 'oscillator': no 'm.masse'.*'m.mass'"):
        supple.optimize(oscillator(), ["m.masse"], "last(m.position)", duration=0.5)
    with pytest.raises(supple.StateError, match="no duration: expected"):
        supple.optimize(oscillator(), [DAMPING], "last(m.position)")


def test_changes_of_a_model_are_those_of_a_sweep() -> None:
    """A mass of four with its critical damping of its own; sweeps, fits and optima take the same names."""
    changes = {"m.mass": 4.0, "simulation.q.m.position": 0.35}
    found = supple.optimize(oscillator(), [DAMPING], "integral(m.position**2)", changes=changes, **SETTINGS)
    assert found.values[DAMPING] == pytest.approx(4.0 * 2 * 0.5 * (NATURAL / 2), rel=1e-3)
    measure = {"e": "integral(m.position**2)"}
    one_case = {"changes": changes | {"simulation.samples": 801}, "duration": 20.0, "q": SETTINGS["q"]}
    swept = supple.sweep(oscillator(), {DAMPING: [found.values[DAMPING]]}, measure, **one_case)
    assert swept.sizes == {"case": 1}
    exact = 0.35**2  # s^2 (1 + 4 z^2) / (4 z w)
    assert [float(swept.e[0]), found.value] == pytest.approx([exact, exact], rel=1e-6)
    with pytest.raises(supple.StateError, match=r"changes: model 'oscillator': no 'm\.mas'; did you mean 'm\.mass'"):
        supple.optimize(oscillator(), [DAMPING], "rms(m.position)", changes={"m.mas": 4.0}, **SETTINGS)
