"""Every example runs and gives its number."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

import supple
from supple.cli import main
from supple.files import check, read
from support.cases import thinned

EXAMPLES = Path(__file__).parents[2] / "examples"

# Each number is checked inside its example, against a closed form or another computation; here it is pinned, so that a
# change is seen.
NUMBERS = {
    "pendulum": (-7.1586289925, 1e-9),
    "cart_pendulum": (3.6142627304, 1e-9),
    "tumbling_body": (6.617116, 1e-5),
    "spherical_pendulum": (-0.8660254, 1e-7),
    "heavy_top": (-0.74849079, 1e-7),
    "furuta_pendulum": (-3.8468291752, 1e-8),
    "six_axis_arm": (-31.5532764396, 1e-9),
    "arm_under_pd_control": (0.049812671235, 1e-10),
    "flexible_two_link_arm": (1.177010712, 1e-8),
    "imported_arm": (38.0226, 1e-4),
    "satellite_two_booms": (0.4808844812, 1e-8),  # 0.480871999 without the stiffening of the booms
    "satellite_solar_arrays": (0.3220432972, 1e-8),
    "uncertain_panels": (0.0114220, 1e-6),
    "hanging_chain": (2.0409764903, 1e-8),  # 2.040980585 without the stiffening of the links
    "nodal_beam": (0.014175286458, 1e-11),
    "spinning_beam": (5.5850304836, 1e-7),  # 5.58916 extrapolated from pieces that did not stiffen
    "helicopter_blade": (2.671, 1e-3),
    "boom_spin_up": (0.53647, 2e-5),
    "overhung_rotor": (114.36720053, 1e-5),
    "bracket_on_a_shaker": (101.5239, 2e-3),
    "robot_from_urdf": (0.039855338, 1e-8),
    "gate_with_stops": (10.63171373, 1e-7),
    "space_crane": (0.96766113, 1e-6),  # 0.96766341 without stiffening
    "slider_crank": (16.138960409, 1e-7),
    "flexible_slider_crank": (0.183123013, 1e-7),  # 0.185060720 without the stiffening of its rod
    "four_bar": (9.131010728, 1e-7),
    "flexible_five_bar": (11.316371332, 1e-6),
    "rolling_coin": (102.2500675195, 1e-7),
    "l_mechanism": (125.4075795, 1e-5),
    "l_mechanism_torque": (12.26376328, 1e-6),
    "l_mechanism_stiffness": (113.4865947, 1e-4),
    "stewart_platform": (59.670385439, 1e-7),
    "rolling_disc": (0.9904544411532, 1e-10),
    "bicycle": (4.29238253634111, 1e-9),
    "double_pendulum": (3.39015190017201, 1e-11),
    "gyroscope": (4.58480468804563, 1e-10),
    "ten_dof_satellite": (-0.017807477591, 1e-9),
    "vehicle_with_suspension": (1.1317039728, 1e-9),
    "vibration_free_slew": (15.703, 2e-3),
    "swing_up": (58.8077, 1e-4),  # Kelly (2017), 100 segments
}


LONG = ("boom_spin_up", "flexible_five_bar", "l_mechanism_stiffness", "l_mechanism_torque")
"""Those that take seconds and whose kind another one shows: spinning_beam, flexible_slider_crank, l_mechanism."""


@pytest.mark.parametrize("name", thinned(NUMBERS, NUMBERS.keys() - LONG))
def test_example_gives_its_number(name: str) -> None:
    expected, tolerance = NUMBERS[name]
    assert runpy.run_path(str(EXAMPLES / f"{name}.py"))["main"]() == pytest.approx(expected, abs=tolerance)


def test_all_examples_are_pinned() -> None:
    assert {path.stem for path in EXAMPLES.glob("*.py")} == set(NUMBERS)


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.toml")), ids=lambda p: p.stem)
def test_every_model_file_is_right(path: Path) -> None:
    assert check(path) == []
    contents = read(path)
    assert contents.model.nv > 0
    assert contents.run_arguments()["duration"] > 0


@pytest.mark.parametrize("name", ["pendulum", "spherical_pendulum", "heavy_top", "rolling_coin"])
def test_model_files_run_by_themselves(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "out.nc"
    monkeypatch.setattr("sys.argv", ["supple", "run", str(EXAMPLES / f"{name}.toml"), "-o", str(target), "--no-report"])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 0
    with supple.open_results(target) as result:
        assert float(result.time[-1]) == read(EXAMPLES / f"{name}.toml").run_arguments()["duration"]
