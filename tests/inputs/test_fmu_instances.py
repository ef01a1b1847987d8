"""Instances of FMUs: apart from each other, saved and restored, removed, and named where they fail."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from pathlib import Path

import numpy as np
import pytest

import supple
from support.mechanisms.controlled_cart import SETTING, cart_pendulum
from support.programs.controller_fmus import description, packed, pi_fmu, place_of

pytest.importorskip("fmpy", reason="fmpy is not installed")


@pytest.fixture(scope="module")
def cart() -> supple.Model:
    return cart_pendulum()


def test_several_runs_at_once_do_not_share_it(cart: supple.Model, fmu_folder: Path) -> None:
    controller = pi_fmu(fmu_folder)
    pair = [supple.Simulator(cart, SETTING["q"], tau=controller) for _ in range(2)]
    for t in (0.2, 0.4, 0.6):
        for x in pair:
            x.advance_to(t)
    alone = supple.Simulator(cart, SETTING["q"], tau=controller)
    for t in (0.2, 0.4, 0.6):
        alone.advance_to(t)
    for x in pair:
        np.testing.assert_array_equal(x.state.q, alone.state.q)


@pytest.mark.parametrize("version", [2, 3])
def test_a_checkpoint_has_its_state(cart: supple.Model, fmu_folder: Path, version: int) -> None:
    def simulator() -> supple.Simulator:
        return supple.Simulator(cart, SETTING["q"], tau=pi_fmu(fmu_folder, version))

    whole, rest = simulator(), simulator()
    whole.advance_to(0.5)
    kept = json.loads(json.dumps(whole.checkpoint()))
    whole.advance_to(1.0)
    rest.restore(kept)
    rest.advance_to(1.0)
    np.testing.assert_array_equal(rest.state.q, whole.state.q)
    whole.restore(kept)  # back again
    whole.advance_to(1.0)
    np.testing.assert_array_equal(rest.state.q, whole.state.q)
    with pytest.raises(supple.StateError, match=r"expected a checkpoint with this controller, got one of another"):
        supple.Simulator(cart, SETTING["q"], tau=pi_fmu(fmu_folder, version, parameters={"kp": 21.0})).restore(kept)


class Interrupt(Exception):
    """In the middle of a run."""


def interrupted(t: float) -> None:
    if t > 1.0:
        raise Interrupt


def test_an_interrupted_run_is_resumed_bit_for_bit_or_refused(
    cart: supple.Model, fmu_folder: Path, tmp_path: Path
) -> None:
    run = {**SETTING, "samples": 101}
    supple.simulate(cart, 2.0, tau=pi_fmu(fmu_folder), **run, file=tmp_path / "whole.nc").close()
    for name, file in (("saved", "pi3.fmu"), ("unsaved", "unsaved3.fmu")):
        controller = pi_fmu(fmu_folder, file=file)
        with pytest.raises(Interrupt):
            supple.simulate(cart, 2.0, tau=controller, **run, file=tmp_path / f"{name}.nc", progress=interrupted)
    supple.simulate(cart, 2.0, tau=pi_fmu(fmu_folder), **run, file=tmp_path / "saved.nc", resume=True).close()
    with supple.open_results(tmp_path / "saved.nc") as found, supple.open_results(tmp_path / "whole.nc") as whole:
        np.testing.assert_array_equal(found.q, whole.q)
    unsaved = pi_fmu(fmu_folder, file="unsaved3.fmu")
    with pytest.raises(
        supple.StateError, match=r"^controller 'pi': unsaved3\.fmu cannot save its state, so that a run"
    ):
        supple.simulate(cart, 2.0, tau=unsaved, **run, file=tmp_path / "unsaved.nc", resume=True)
    other = pi_fmu(fmu_folder, parameters={"kp": 30.0})
    with pytest.raises(supple.SuppleError, match=r"pi3\.fmu"):
        supple.simulate(cart, 2.0, tau=other, **run, file=tmp_path / "unsaved.nc", resume=True)


def test_what_was_unpacked_is_removed(
    cart: supple.Model, fmu_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    simulator = supple.Simulator(cart, tau=pi_fmu(fmu_folder))
    simulator.advance_to(0.1)
    (folder,) = tmp_path.iterdir()
    assert folder.stat().st_mode & 0o077 == 0
    assert (folder / "modelDescription.xml").exists()
    simulator.set(tau=pi_fmu(fmu_folder, 2))
    assert len(list(tmp_path.iterdir())) == 1
    del simulator  # at once, without a collection of garbage
    assert list(tmp_path.iterdir()) == []
    supple.simulate(cart, 0.1, tau=pi_fmu(fmu_folder), samples=3, check=True)
    assert list(tmp_path.iterdir()) == []


def test_laws_change_in_the_middle_of_an_interval(cart: supple.Model, fmu_folder: Path) -> None:
    simulator = supple.Simulator(cart, SETTING["q"])
    simulator.advance_to(0.01)
    simulator.set(tau=pi_fmu(fmu_folder))
    simulator.advance_to(0.2)
    assert simulator.state.tau[0] != 0.0
    simulator = supple.Simulator(cart, SETTING["q"])
    simulator.advance_to(0.01)
    simulator.set(tau=pi_fmu(fmu_folder, file="unsaved3.fmu"))
    with pytest.raises(supple.SimulationError, match=r"takes no steps of other lengths than 0\.025 s, got 0\.015 s"):
        simulator.advance_to(0.2)


def test_a_failing_fmu_is_named_with_its_time_and_words(cart: supple.Model, fmu_folder: Path) -> None:
    for version in (2, 3):
        controller = pi_fmu(fmu_folder, version, parameters={"fail_at": 0.11})
        with pytest.raises(supple.SimulationError) as caught:
            supple.simulate(cart, 1.0, tau=controller)
        said = (
            rf"controller 'pi': pi{version}\.fmu could not be stepped to t = 0\.125 s: .*; it says: it was told to fail"
        )
        assert caught.match(said)
        assert len(caught.value.result.time) > 5  # the motion up to there


def test_outputs_that_are_no_numbers_are_named(cart: supple.Model, fmu_folder: Path) -> None:
    controller = pi_fmu(fmu_folder, parameters={"kp": 1e308, "limit": float("inf")})
    with pytest.raises(supple.SimulationError, match=r"output 'force' is -?(inf|nan) at t = .* s, expected a finite"):
        supple.simulate(cart, 1.0, {"cart.position": -10.0}, tau=controller)


def test_without_fmpy_one_line_says_what_to_install(
    cart: supple.Model, fmu_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "fmpy", None)
    with pytest.raises(supple.SuppleError, match=r"^controller 'pi': an FMU needs fmpy: pip install supple\[fmu\]$"):
        supple.Simulator(cart, tau=pi_fmu(fmu_folder))


def test_libraries_that_are_missing_or_damaged_are_named(cart: supple.Model, fmu_folder: Path, tmp_path: Path) -> None:
    packed(tmp_path / "sources.fmu", description(3))
    with pytest.raises(supple.FileFormatError, match=r"sources\.fmu: expected a binary for \w+-\w+, got none"):
        supple.Simulator(cart, tau=pi_fmu(tmp_path, file="sources.fmu"))
    packed(tmp_path / "mac.fmu", description(2), b"", "binaries/darwin32/pi.dylib")
    with pytest.raises(supple.FileFormatError, match=r"mac\.fmu: expected a binary for \w+64, got darwin32"):
        supple.Simulator(cart, tau=pi_fmu(tmp_path, file="mac.fmu"))
    here = os.getcwd()
    packed(tmp_path / "damaged.fmu", description(3), b"no library", place_of(3))
    with pytest.raises(supple.FileFormatError, match=r"damaged\.fmu: its library for .* cannot be loaded: "):
        supple.Simulator(cart, tau=pi_fmu(tmp_path, file="damaged.fmu"))
    assert os.getcwd() == here
