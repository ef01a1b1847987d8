"""Fits of motions: parameters come back, deviations are honest, what cannot be seen is named, bad input is refused."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import supple
from supple.sweeps.case_derivatives import DifferentiatedCases
from supple.sweeps.case_sources import FileCases

FILE = Path(__file__).with_name("flexible_arm.toml")
VARIED = {"material.strip.E": 70e9, "body.arm.flexible.damping": 0.02, "body.payload.mass": 0.5}
SIGNALS = ("arm.angle", "position.payload.y")
LEVELS = {"arm.angle": 0.002, "position.payload.y": 0.001}
T = np.linspace(0.0, 0.5, 41)


@pytest.fixture(scope="module")
def measured() -> dict[str, Any]:
    """What sensors without noise would have seen of the arm with the numbers of VARIED."""
    cases = DifferentiatedCases(FileCases.read(FILE, {}), tuple(VARIED), SIGNALS, T)
    found = cases(np.array(list(VARIED.values())))
    return {"time": T, **{name: found.signals[name].values for name in SIGNALS}}


@cache
def oscillator(stiffness: float = 60.0, damping: float = 1.5) -> supple.Model:
    mech = supple.Mechanism("oscillator", gravity=(0, 0, 0))
    joint = supple.Prismatic("x", stiffness=stiffness, damping=damping)
    mech.add_body("m", supple.RigidBody(2.0), joint=joint)
    return mech.build()


def test_a_flexible_arm_without_noise(measured: dict[str, Any]) -> None:
    found = supple.fit(FILE, pd.DataFrame(measured), list(VARIED))
    for name, x in VARIED.items():
        assert found.values[name] == pytest.approx(x, rel=1e-8)
    assert found.case.exact.all()
    assert found.converged
    assert not found.unidentified
    assert found.model.mass == pytest.approx(0.5 + 0.004 * 0.04 * 2700.0)


@pytest.mark.exhaustive
def test_a_flexible_arm_with_noise(measured: dict[str, Any]) -> None:
    rng = np.random.default_rng(5)
    noisy = {name: x + LEVELS[name] * rng.normal(size=len(x)) if name in LEVELS else x for name, x in measured.items()}
    found = supple.fit(FILE, noisy, list(VARIED), noise=LEVELS)
    for name, x in VARIED.items():
        assert abs(found.values[name] - x) < 3 * found.standard_deviations[name]
        assert found.standard_deviations[name] < 0.2 * x
    free = found.degrees_of_freedom
    assert free == 2 * len(T) - 3
    assert abs(found.chi_square - free) < 4 * np.sqrt(2 * free)
    assert found.residuals["arm.angle"].std() == pytest.approx(0.002, rel=0.4)
    text = str(found)
    assert "body.payload.mass" in text
    assert "chi-square" in text
    assert "material.strip.E" in found._repr_html_()


def test_deviations_of_many_fits() -> None:
    true = {"m.position.stiffness": 80.0, "m.position.damping": 0.8}
    t = np.linspace(0, 2, 41)
    x = supple.simulate(oscillator(80.0, 0.8), 2.0, q=[0.5], samples=41).q.values[:, 0]
    away = []
    for seed in range(6):
        data = {"t": t, "m.position": x + 0.02 * np.random.default_rng(seed).normal(size=len(t))}
        found = supple.fit(oscillator(75.0, 1.0), data, list(true), noise=0.02, q=[0.5])
        away += [(found.values[name] - y) / found.standard_deviations[name] for name, y in true.items()]
    assert np.abs(away).max() < 3.0
    assert 0.3 < np.sqrt(np.mean(np.square(away))) < 1.8  # of 12 normal numbers


def test_what_the_data_cannot_see_is_named() -> None:
    t = np.linspace(0, 2, 41)
    x = supple.simulate(oscillator(80.0, 0.8), 2.0, q=[0.5], samples=41).q.values[:, 0]
    names = ["m.position.stiffness", "m.position.damping", "m.mass", "m.inertia.xx"]
    found = supple.fit(
        oscillator(80.0, 0.8), {"t": t, "m.position": x}, names, noise=0.01, scale={"m.inertia.xx": 1.0}, q=[0.5]
    )
    seen = [set(x.shares) for x in found.unidentified]
    assert {"m.inertia.xx"} in seen
    assert {"m.position.stiffness", "m.position.damping", "m.mass"} in seen
    assert len(seen) == 2
    assert np.isinf(found.standard_deviations["m.mass"])
    assert "not identified: m.inertia.xx: the data determine it not at all" in str(found)
    assert found.values["m.inertia.xx"] == 0.0, "what nothing depends on stays"
    # From elsewhere the search finds the ratios, and does not run away along what it cannot see.
    far = supple.fit(oscillator(60.0, 1.5), {"t": t, "m.position": x}, names[:3], noise=0.01, q=[0.5])
    assert far.values["m.position.stiffness"] / far.values["m.mass"] == pytest.approx(40.0, rel=1e-4)
    assert 1.0 < far.values["m.mass"] < 4.0
    # One of the three known beforehand, the others are identified; the start may be later than the first sample.
    known = supple.fit(
        oscillator(60.0, 1.5),
        {"t": t[5:], "m.position": x[5:]},
        names[:3],
        noise=0.01,
        priors={"m.mass": (2.0, 0.001)},
        bounds={"m.mass": (0.5, None)},
        q=[0.5],
    )
    assert not known.unidentified
    assert known.values["m.position.stiffness"] == pytest.approx(80.0, rel=2e-3)
    low, high = known.confidence(0.99)["m.mass"]
    assert low < 2.0 < high
    np.testing.assert_allclose(np.diag(known.correlation), 1.0)
    assert 0.1 < known.correlation[0, 2] < 1.0, "stiffness goes with mass"


DATA = {"t": [0.0, 0.5, 1.0], "m.position": [0.5, 0.1, -0.3]}
VARY = ["m.mass"]


@pytest.mark.parametrize(
    ("data", "vary", "options", "message"),
    [
        ({**DATA, "m.positoin": [0, 0, 0]}, VARY, {}, "no signal 'm.positoin'; did you mean 'm.position'"),
        (DATA, ["m.mas"], {}, "vary: model 'oscillator': no 'm.mas'; did you mean 'm.mass'"),
        (DATA, [], {}, "vary: expected names of parameters, got"),
        (DATA, "m.mass", {}, "vary: expected names of parameters, got 'm.mass'"),
        (DATA, ["m.mass", "m.mass"], {}, "vary: 'm.mass' stands twice"),
        (DATA, VARY, {"duration": 0.8}, r"data: expected times of the run, from 0 to 0\.8 s, got 0 to 1 s"),
        (
            {"t": [-0.5, 0.5], "m.position": [0, 1]},
            VARY,
            {},
            r"data: expected times of the run, .* got -0\.5 to 0\.5 s",
        ),
        (DATA, VARY, {"noise": {"m.postion": 0.1}}, "noise: no signal 'm.postion' in the data; did you mean"),
        (DATA, VARY, {"noise": 0.0}, "noise: signal 'm.position': expected positive finite numbers, got 0"),
        (DATA, VARY, {"noise": [1.0, 2.0]}, "noise: signal 'm.position': expected a number, or 3 of them"),
        (DATA, VARY, {"bounds": {"m.mas": (0, 1)}}, "bounds: 'm.mas' is not varied; did you mean 'm.mass'"),
        (DATA, VARY, {"bounds": {"m.mass": (3.0, 4.0)}}, "bounds: 'm.mass': the start 2 is not between 3 and 4"),
        (DATA, VARY, {"bounds": {"m.mass": (4.0, 3.0)}}, "bounds: 'm.mass': expected a lower and a higher number"),
        (DATA, VARY, {"bounds": {"m.mass": 3.0}}, "bounds: 'm.mass': expected two numbers, got 3.0"),
        (DATA, VARY, {"priors": {"m.mass": (2.0, 0.0)}}, "priors: 'm.mass': expected a positive standard deviation"),
        (DATA, VARY, {"scale": {"m.mass": -1.0}}, "scale: 'm.mass': expected a positive number, got -1.0"),
        (DATA, VARY, {"changes": {"a": 1}}, r"changes: model '.*': no 'a'"),
        (DATA, VARY, {"rtoll": 1e-3}, "supple.fit: no argument 'rtoll' of supple.simulate; did you mean 'rtol'"),
        (
            {"t": [0.0, 1.0], "m.position": [0.5, np.nan]},
            VARY,
            {},
            "signal 'm.position': expected finite numbers, got nan",
        ),
        ({**DATA, "q.m.position": DATA["m.position"]}, VARY, {}, "data: expected each signal once"),
    ],
)
def test_wrong_input(data: Any, vary: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(supple.StateError, match=message):
        supple.fit(oscillator(), data, vary, **options)


def test_wrong_files_and_paths() -> None:
    with pytest.raises(supple.FileFormatError, match=r"flexible_arm.toml: vary: .*'payloda'.*'payload'"):
        supple.fit(FILE, DATA, ["body.payloda.mass"])
    with pytest.raises(supple.FileFormatError, match=r"arm.urdf: supple.fit: expected a .toml file, got '.urdf'"):
        supple.fit("arm.urdf", DATA, VARY)
    with pytest.raises(supple.StateError, match=r"supple.fit: expected a Model or the path of a model file, got int"):
        supple.fit(3, DATA, VARY)  # type: ignore[arg-type]
    with pytest.raises(supple.StateError, match=r"supple.fit: 'rtol': expected with a model, got a file"):
        supple.fit(FILE, DATA, VARY, rtol=1e-3)
