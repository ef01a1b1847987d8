"""Curves keep their extremes, plots hold one unit, spectra find the frequencies."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np
import pytest
import xarray as xr

import supple
from supple import structures
from supple.linear import modes
from supple.simulation.spectrum import amplitude_spectrum
from supple.view.plots.plot import plot
from supple.view.plots.result_plots import plots
from supple.view.plots.spectra import frequencies

Run = tuple[supple.Model, xr.Dataset]


def unpack(text: str, kind: str = "<f4") -> Any:
    return np.frombuffer(base64.b64decode(text), dtype=kind)


def test_joints_modes_and_units_have_their_own_plots(satellite: Run, chain: Run) -> None:
    names = [(p["section"], p["title"], p["y"]["unit"]) for p in plots(*satellite)]
    for expected in [
        ("Coordinates", "Joint positions", "m"),
        ("Coordinates", "Joint quaternions", ""),
        ("Coordinates", "Modal amplitudes", "kg^0.5 m"),
        ("Speeds", "Joint angular speeds", "rad/s"),
        ("Energy", "Change of the total energy", "J"),
        ("Spectra", "Spectra of joint angles", "rad"),
    ]:
        assert expected in names
    model, result = chain
    for sheet in plots(model, result)[:2]:
        for curve in sheet["curves"]:
            expected_values = result.q.sel(coordinate=curve["name"]).values.astype("f4")
            np.testing.assert_array_equal(unpack(curve["values"]), expected_values)


def test_with_drives_the_balance_has_their_work(chain: Run) -> None:
    model, result = chain
    energy = (result.kinetic_energy + result.potential_energy).values
    driven = result.assign(work=("time", energy - energy[0] + 0.5 * result.time.values))
    balance, lost = (p for p in plots(model, driven) if p["section"] == "Energy")
    assert [curve["name"] for curve in balance["curves"]][-1] == "work of the actuators"
    assert lost["title"] == "Energy lost to dampers and stops"
    assert unpack(lost["curves"][0]["values"])[-1] == pytest.approx(0.5 * float(result.time[-1]), rel=1e-6)
    assert not [p for p in plots(model, driven) if p["title"].startswith("work")]


def test_chosen_spectra_alone_are_shown(chain: Run) -> None:
    shown = [p for p in plots(*chain, spectra=["link2.mode1"]) if p["section"] == "Spectra"]
    assert [[c["name"] for c in p["curves"]] for p in shown] == [["link2.mode1"]]


def test_spectra_are_marked_by_the_system_and_fainter_by_its_bodies(chain: Run) -> None:
    model, result = chain
    (shown,) = (p for p in plots(model, result, spectra=["link2.mode1"]) if p["section"] == "Spectra")
    beam = model.description.bodies["link2"].body
    assert isinstance(beam, structures.FlexibleBody)
    faint = [mark for mark in shown["marks"] if mark.get("kind") == "faint"]
    assert faint[0] == {"x": pytest.approx(frequencies(beam, 1)[0]), "label": "link<1>.mode1 +1", "kind": "faint"}
    strong = [mark["x"] for mark in shown["marks"] if "kind" not in mark]
    found = modes(model, result.q.values[0])
    expected = found.eigenvalues.imag[found.eigenvalues.imag > 0] / (2 * np.pi)
    np.testing.assert_allclose(strong, expected[: len(strong)])
    assert len(strong) >= 3
    assert shown["note"].startswith(
        "Dashed: modes of the system about its configuration at the start. Faint: the bodies"
    )


def test_events_are_marked_in_the_plots_over_time(chain: Run) -> None:
    model, result = chain
    times = xr.DataArray([0.7, 0.2, 5.0], dims="event", coords={"event": ["contact", "release", "later"]})
    said = result.assign_attrs(events='[[0.7, "contact"], [0.2, "release"], [5.0, "later"]]')
    assert plots(model, said) == (shown := plots(model, result.assign(event_time=times)))
    expected = [{"x": 0.2, "label": "release", "kind": "event"}, {"x": 0.7, "label": "contact", "kind": "event"}]
    assert {p["section"] for p in shown if p.get("marks") == expected} >= {"Coordinates", "Speeds", "Energy"}
    assert all(p["marks"] != expected for p in shown if p["section"] == "Spectra")


def test_frequencies_above_the_sampling_are_pointed_out(chain: Run) -> None:
    model, result = chain
    coarse = result.isel(time=slice(None, None, 10))
    notes = [p.get("note", "") for p in plots(model, coarse) if p["section"] == "Spectra"]
    assert all("Simulate with more samples" in note for note in notes)


def test_long_curves_keep_their_extremes() -> None:
    mech = supple.Mechanism("pendulum")
    mech.add_body("arm", supple.RigidBody(1.0, (0, 0, -1)))
    model = mech.build()
    t = np.linspace(0.0, 100.0, 100_001)
    q = np.sin(40.0 * t) * (1 + 0.1 * t)
    q[70_123] = 50.0
    zero = np.zeros(len(t))
    result = xr.Dataset(
        {
            "q": (("time", "coordinate"), q[:, None]),
            "v": (("time", "speed"), q[:, None]),
            "kinetic_energy": ("time", zero),
            "potential_energy": ("time", zero),
        },
        {"time": t},
    )
    sheet = plots(model, result)[0]
    x, y = unpack(sheet["x"]["values"], "<f8"), unpack(sheet["curves"][0]["values"])
    assert len(x) == len(y) <= 10_000
    assert np.all(np.diff(x) > 0)
    assert y.max() == 50.0
    assert x[y.argmax()] == pytest.approx(70.123, abs=0.1)
    assert y.min() == pytest.approx(q.min(), rel=1e-6)


def test_spectra_of_uneven_samples_find_the_frequency() -> None:
    rng = np.random.default_rng(0)
    t = np.sort(rng.uniform(0.0, 20.0, 4000))
    f, amplitude = amplitude_spectrum(t, 5.0 + 0.3 * t + 0.7 * np.sin(2 * np.pi * 3.0 * t))
    assert f[amplitude.argmax()] == pytest.approx(3.0, abs=0.05)
    assert amplitude.max() == pytest.approx(0.7, rel=0.05)


def test_a_nodal_body_has_the_frequencies_of_its_modes() -> None:
    beam = structures.beam(0.5, structures.Circle(0.01), structures.Material(E=7e10, nu=0.3, rho=2700.0), 4)
    modal, nodal = beam.reduce("cantilever", modes=4), beam.reduce("nodal")
    np.testing.assert_allclose(frequencies(nodal, 4), frequencies(modal, 4), rtol=1e-9)


def test_the_largest_of_many_curves_are_shown() -> None:
    t = np.linspace(0.0, 1.0, 11)
    curves = {f"mode{i}": np.full(11, (1.0 if i % 10 == 5 else 0.1) / (i + 1)) for i in range(100)}
    sheet = plot("Coordinates", "Modal amplitudes", ("time", "s"), ("amplitude", ""), t, curves, 500)
    reach = {name: y[0] for name, y in curves.items()}
    order = sorted(reach, key=lambda name: -reach[name])
    assert {c["name"] for c in sheet["curves"]} == set(order[:80])
    assert {c["name"] for c in sheet["curves"] if c["shown"]} == set(order[:8])
    assert "mode95" in {c["name"] for c in sheet["curves"]}
    assert [c["name"] for c in sheet["curves"]] == [name for name in curves if name in order[:80]]


def test_the_widest_curves_come_first_and_rounding_is_zero(chain: Run) -> None:
    model, result = chain
    still = result.copy(deep=True)
    i = model.coordinate_index("link2.angle")
    still["q"].values[:, i] = 1e-15 * np.random.default_rng(0).normal(size=len(still.time))
    angles = plots(model, still)[0]
    names = [c["name"] for c in angles["curves"]]
    spans = [float(np.ptp(still.q.sel(coordinate=name).values)) for name in names]
    assert spans == sorted(spans, reverse=True)
    assert names[-1] == "link2.angle"
    assert not unpack(angles["curves"][-1]["values"]).any()
    assert "drawn as zero: link2.angle." in angles["note"]
    assert unpack(angles["curves"][0]["values"]).any()


def test_spectra_leave_out_what_does_not_move(chain: Run) -> None:
    model, result = chain
    still = result.copy(deep=True)
    i = model.coordinate_index("bob.angle")
    still["q"].values[:, i] = 1e-17 * np.random.default_rng(0).normal(size=len(still.time))
    (angles,) = (p for p in plots(model, still) if p["title"] == "Spectra of joint angles")
    assert [c["name"] for c in angles["curves"]] == ["link<1>.angle", "link2.angle"]


def test_a_change_of_energy_that_is_rounding_is_drawn_flat(chain: Run) -> None:
    model, result = chain
    noise = 1e-15 * np.random.default_rng(0).normal(size=len(result.time))
    kept = result.assign(potential_energy=5.0 - result.kinetic_energy + noise)
    (change,) = (p for p in plots(model, kept) if p["title"] == "Change of the total energy")
    assert change["note"] == "Zero but for rounding."
    assert change["min_range"] > 100 * np.abs(noise).max()
