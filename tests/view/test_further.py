"""Whatever a result holds over time has plots, with its names and units."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np
import pytest
import xarray as xr

import supple
from supple.view.plots.output_plots import MOST_PLOTS, output_plots

Run = tuple[supple.Model, xr.Dataset]


STATE = ["q", "v", "kinetic_energy", "potential_energy"]


def shown(run: Run, **variables: Any) -> list[dict[str, Any]]:
    return output_plots(run[0], run[1][STATE].assign(variables), 500)


def names(plot: dict[str, Any]) -> list[str]:
    return [curve["name"] for curve in plot["curves"]]


def over_time(run: Run, dims: tuple[str, ...], shape: tuple[int, ...], **more: Any) -> xr.DataArray:
    values = np.random.default_rng(0).normal(size=(run[1].sizes["time"], *shape))
    return xr.DataArray(values, dims=("time", *dims), **more)


def test_state_and_energies_are_not_repeated(chain: Run) -> None:
    assert shown(chain) == []


def test_accelerations_and_drive_forces_have_joints_and_modes_apart(chain: Run) -> None:
    model = chain[0]
    units = {"a_unit": ("speed", [f"{unit}^2" for unit in model.speed_units])}
    named = {"units": "see a_unit", "long_name": "accelerations, rates of the speeds"}
    plots = shown(
        chain,
        a=over_time(chain, ("speed",), (model.nv,), coords=units, attrs=named),
        tau=over_time(chain, ("speed",), (model.nv,), attrs={"long_name": "generalized_forces"}),
    )
    assert [(p["title"], p["y"]["name"], p["y"]["unit"]) for p in plots] == [
        ("Generalized forces of joints", "generalized forces", ""),
        ("Generalized forces of modes", "generalized forces", ""),
        ("Accelerations of joints", "angular acceleration", "rad/s^2"),
        ("Accelerations of modes", "accelerations", "kg^0.5 m/s^2"),
    ]
    assert sorted(names(plots[2])) == ["bob.angle", "link2.angle", "link<1>.angle"]
    assert plots[2]["note"] == "Accelerations, rates of the speeds."
    assert {p["section"] for p in plots} == {"Dynamics"}
    values = np.frombuffer(base64.b64decode(plots[2]["curves"][1]["values"]), "<f4")
    expected = over_time(chain, ("speed",), (model.nv,)).values[:, model.speed_index(names(plots[2])[1])]
    np.testing.assert_array_equal(values, expected.astype("f4"))


def test_frames_have_a_plot_each_until_there_are_more_of_them_than_axes(chain: Run) -> None:
    axes = {"axis": ["x", "y", "z"]}
    few = over_time(chain, ("frame", "axis"), (2, 3), coords=axes | {"frame": ["tip", "root"]}, attrs={"units": "m"})
    plots = shown(chain, position=few)
    assert [(p["title"], p["y"]["unit"], names(p)) for p in plots] == [
        ("Position: tip", "m", ["x", "y", "z"]),
        ("Position: root", "m", ["x", "y", "z"]),
    ]
    plots = shown(chain, displacement=over_time(chain, ("node", "axis"), (90, 3), coords=axes))
    assert [p["title"] for p in plots] == ["Displacement: x", "Displacement: y", "Displacement: z"]
    assert {"node 0", "node 1"} <= {name for p in plots for name in names(p)}
    assert {p["section"] for p in plots} == {"Outputs"}
    assert plots[0]["note"] == "The 80 largest of 90 curves. The 8 largest are switched on."


def test_parts_with_units_of_their_own_are_parted(chain: Run) -> None:
    component = {"component": [f"{what} {axis}" for what in ("angular", "linear") for axis in "xyz"]}
    wrench = over_time(chain, ("joint", "component"), (1, 6), coords=component, attrs={"units": "N m, N"})
    plots = shown(chain, wrench=wrench)
    assert [(p["y"]["unit"], names(p)) for p in plots] == [("N m", ["x", "y", "z"]), ("N", ["x", "y", "z"])]
    assert [(p["title"], p["y"]["name"]) for p in plots] == [
        ("Joint moment: joint 0", "joint moment"),
        ("Joint force: joint 0", "joint force"),
    ]
    units = {"component_unit": ("component", ["kg m^2/s"] * 3 + ["kg m/s"] * 3)}
    each = {"units": "see component_unit"}
    plots = shown(chain, momentum=over_time(chain, ("component",), (6,), coords=component | units, attrs=each))
    assert [(p["y"]["unit"], len(p["curves"])) for p in plots] == [("kg m^2/s", 3), ("kg m/s", 3)]


def test_numbers_of_one_unit_share_a_plot_and_texts_have_none(chain: Run) -> None:
    plots = shown(
        chain,
        loss=over_time(chain, (), (), attrs={"units": "J"}),
        heat=over_time(chain, (), (), attrs={"units": "J"}),
        word=xr.DataArray(np.full(chain[1].sizes["time"], "a"), dims="time"),
        table=xr.DataArray(np.zeros(3), dims="row"),
    )
    assert [(p["title"], p["y"]["unit"]) for p in plots] == [("Loss, heat", "J")]


def test_very_many_plots_are_cut_with_a_note(chain: Run) -> None:
    plots = shown(chain, strain=over_time(chain, ("recovery_point", "layer"), (20, 20)))
    assert len(plots) == MOST_PLOTS
    assert plots[-1]["note"].startswith(f"The first {MOST_PLOTS} of 20 plots of this quantity.")


def test_what_is_only_rounding_has_no_plot(chain: Run) -> None:
    frames = {"axis": ["x", "y", "z"], "frame": ["tip", "root"]}
    velocity = over_time(chain, ("frame", "axis"), (2, 3), coords=frames, attrs={"units": "m/s"})
    velocity[:, 1] *= 1e-15
    momentum = 1e-16 * over_time(chain, ("component",), (6,))
    momentum.attrs = {"units": "kg m^2/s, kg m/s"}
    small = 1e-9 * over_time(chain, ("node", "axis"), (1, 3))
    plots = shown(chain, velocity=velocity, momentum=momentum, displacement=small)
    assert [p["title"] for p in plots if "curves" in p] == ["Displacement: node 0", "Velocity: tip"]
    zero = {p["title"]: p["zero"] for p in plots if "zero" in p}
    assert zero.keys() == {"Velocity: root", "Angular momentum", "Linear momentum"}
    assert float(zero["Velocity: root"].removesuffix(" m/s")) == pytest.approx(
        float(np.abs(velocity[:, 1]).max()), rel=0.5
    )


def test_a_force_is_not_called_a_moment(chain: Run) -> None:
    model, result = chain
    wrench = supple.simulate(model, 0.01, samples=3, outputs=supple.Outputs(wrenches="bob"))["wrench"]
    plots = output_plots(
        model, result.isel(time=slice(3)).drop_vars(["a", "tau"]).assign(wrench=wrench.drop_vars("time")), 500
    )
    assert ("joint force", "N") in [(p["y"]["name"], p["y"]["unit"]) for p in plots if "curves" in p]
    assert ("joint moment", "N") not in [(p["y"]["name"], p["y"]["unit"]) for p in plots if "curves" in p]
