"""After a run the program says which flexible body left the range of its linear theory, and what to do."""

from __future__ import annotations

import json
import warnings
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray as xr

import supple
from supple import erls, structures
from supple.linear_theory.linear_range import LinearRange
from supple.linear_theory.validity import MOST_BUCKLING, MOST_ROTATION, MOST_STRAIN, MOST_UNSTIFFENED

with warnings.catch_warnings():
    warnings.simplefilter("ignore", supple.PhysicsWarning)
    RUBBER = structures.Material(E=1e7, nu=0.45, rho=1100.0)
STEEL = structures.Material(E=210e9, nu=0.3, rho=7800.0, yield_strength=3e8)
LINK = structures.beam(0.4, structures.Rectangle(0.03, 0.03), RUBBER, 12).reduce(
    "craig-bampton", modes=2, interfaces=["end"], damping=0.01
)
STRIP = structures.Rectangle(0.02, 0.004)
BLADE = structures.beam(1.0, STRIP, STEEL, 10).reduce("cantilever", modes=3)
UNIT = float(np.sqrt(STEEL.E * STRIP.Iy / (STEEL.rho * STRIP.A)))
"""Spin at which centrifugal forces are of the size of elastic ones, rad/s, for a length of 1 m."""


@cache
def rubber_chain(stiffening: bool) -> supple.Model:
    """As the README once had it."""
    mech = supple.Mechanism("rubber chain")
    mech.add_body("upper", LINK, stiffening=stiffening)
    mech.add_body("lower", LINK, "upper", supple.Revolute("y", damping=0.001), "end", stiffening=stiffening)
    load = supple.RigidBody(mass=0.1, inertia=(1e-4, 1e-4, 1e-4))
    mech.add_body("load", load, "lower", supple.Fixed(), at="end")
    return mech.build()


@cache
def blade(stiffening: bool, axis: str = "y") -> supple.Model:
    """On a hinge about `axis`: y is that of its soft bending, in whose plane it then rotates."""
    mech = supple.Mechanism("rotor", gravity=(0, 0, 0))
    mech.add_body("blade", BLADE, joint=supple.Revolute(axis), stiffening=stiffening)
    return mech.build()


def motion(model: supple.Model, **values: float) -> xr.Dataset:
    """40 samples of rest, the last ones at other coordinates; no accelerations."""
    q, v = np.tile(model.neutral(), (40, 1)), np.zeros((40, model.nv))
    for name, x in values.items():
        q[-1, model.coordinates.index(f"blade.{name}")] = x
    both = ("time", "speed")
    names = {"coordinate": list(model.coordinates), "speed": list(model.speeds), "time": 0.01 * np.arange(40)}
    return xr.Dataset({"q": (("time", "coordinate"), q), "v": (both, v), "a": (both, v)}, names)


# ------------------------------------------------------------ what must be said, and what not


def test_the_rubber_chain_without_stiffening_left_its_range() -> None:
    model = rubber_chain(stiffening=False)
    with pytest.warns(
        supple.PhysicsWarning, match="rubber chain.*left the range of linear theory.*'upper' turned"
    ) as told:
        result = supple.simulate(model, 1.0)
    assert len(told) == 1
    lines = json.loads(result.attrs["validity"])
    assert [line.split(" ")[1] for line in lines] == ["'upper'", "'lower'"]
    assert "set stiffening = true; if it still turns that far cut it into pieces (pieces = " in lines[0]
    found = supple.validity(model, result)
    assert list(found.warnings) == lines
    assert found.peaks["upper"]["rotation"].value > 5 * MOST_ROTATION
    assert found.peaks["upper"]["strain"].value > 5 * MOST_STRAIN
    assert found.peaks["upper"]["stiffening"].value > 10 * MOST_UNSTIFFENED


def test_with_stiffening_the_same_chain_stays_in_its_range() -> None:
    """The tension of its fall, 1.6 times its own stiffness, is what the chain lacked."""
    model = rubber_chain(stiffening=True)
    result = supple.simulate(model, 1.0)
    assert json.loads(result.attrs["validity"]) == []
    upper = supple.validity(model, result).peaks["upper"]
    assert 0.02 < upper["rotation"].value < 0.5 * MOST_ROTATION
    assert upper["stiffening"].value > 1.0


def test_a_blade_in_the_plane_of_rotation_needs_stiffening() -> None:
    """At 4 units of spin its tip goes metres off, which used to be all there was to see."""
    spin: dict[str, Any] = {"motion": {"blade.angle": f"{4 * UNIT}*t"}, "q": {"blade.mode1": 1e-3}}
    model = blade(stiffening=False)
    with pytest.warns(supple.PhysicsWarning, match="set stiffening = true"):
        result = supple.simulate(model, 1.0, **spin)
    assert np.abs(BLADE.frames["end"].shape[5, 0] * result.q.sel(coordinate="blade.mode1")).max() > 10.0
    peak = supple.validity(model, result).peaks["blade"]["stiffening"]
    assert peak.value == pytest.approx(16 * 1.193336 / 3.51602**2, rel=0.02)
    supple.simulate(blade(stiffening=True), 1.0, **spin)  # a warning would be an error


# ------------------------------------------------------------ each quantity by itself


def test_rotation_is_that_of_the_tip() -> None:
    model = blade(stiffening=True)
    amplitude = 0.5 / float(np.linalg.norm(BLADE.frames["end"].shape[:3, 0]))
    found = supple.validity(model, motion(model, mode1=amplitude))
    peak = found.peaks["blade"]["rotation"]
    assert (peak.value, peak.time) == pytest.approx((0.5, 0.39))
    assert found.warnings[0].startswith(
        "body 'blade' turned by 0.5 rad within itself at t = 0.39 s, 2.5 times the range"
    )
    assert "cut it into pieces (pieces = 6)" in found.warnings[0]
    assert supple.validity(model, motion(model, mode1=0.39 * amplitude)).warnings == ()


def test_stress_is_told_beside_the_yield_strength() -> None:
    model = blade(stiffening=True)
    strains = BLADE.strains
    assert strains is not None
    fibres = [kind.startswith("fibre") for kind in strains.quantities]
    most = np.abs(strains.matrix.toarray()[fibres, 0]).max()
    amplitude = 1.2 * 3e8 / STEEL.E / most
    found = supple.validity(model, motion(model, mode1=amplitude))
    assert found.peaks["blade"]["stress"].value == pytest.approx(1.2)
    assert found.margin("blade") == pytest.approx(1 / 1.2 - 1)
    assert "reached 1.2 times its yield strength" in found.warnings[0]
    assert np.isnan(supple.validity(rubber_chain(True), rest(rubber_chain(True))).margin("upper"))


def rest(model: supple.Model) -> xr.Dataset:
    return motion(model)


def test_a_column_near_its_buckling_load() -> None:
    def column(share: float, stiffening: bool) -> supple.Model:
        mech = supple.Mechanism("column", gravity=(0, 0, 0))
        mech.add_body("blade", BLADE, joint=supple.Fixed(), stiffening=stiffening)
        mech.add_wrench("push", "blade/end", force=(-share * 2.467401 * STEEL.E * STRIP.Iy, 0, 0), axes="ground")
        return mech.build()

    for share, stiffening, said in ((0.4, True, False), (0.6, True, True), (0.08, False, False), (0.2, False, True)):
        model = column(share, stiffening)
        found = supple.validity(model, motion(model))
        assert found.peaks["blade"]["softening"].value == pytest.approx(share, rel=0.02)
        assert bool(found.warnings) == said
        assert not said or "% of its buckling load" in found.warnings[0]
    assert MOST_UNSTIFFENED < MOST_BUCKLING < 1.0


@pytest.mark.parametrize(
    ("joint", "critical", "law"),
    [(supple.Revolute("y"), np.pi**2, True), (supple.Fixed(), 20.190729, False)],
    ids=["pinned", "clamped"],
)
def test_a_rod_in_a_loop_is_judged_with_its_supports(
    joint: supple.Revolute | supple.Fixed, critical: float, law: bool
) -> None:
    """Its end stays on a line: half of Euler's load is half of it, and twice what the rod could take without."""
    rod = structures.beam(1.0, STRIP, STEEL, 12).reduce("craig-bampton", modes=3, damping=0.5)
    unit = STEEL.E * STRIP.Iy
    for share in (0.45, 0.6):
        mech = supple.Mechanism("rod", gravity=(0, 0, 0))
        mech.add_body("rod", rod, joint=joint)
        mech.constrain("slide", supple.PointOnLine("ground", "rod/end", "x"))
        push = (-share * critical * unit, 0.0, 0.0)
        if not law:
            mech.add_wrench("push", "rod/end", force=push, axes="ground")
        laws = [supple.Wrench("push", "rod/end", force=push, axes="ground")] if law else []
        model = mech.build()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", supple.PhysicsWarning)
            result = supple.simulate(model, 0.01, wrenches=laws, samples=41)
        found = supple.validity(model, result)
        assert found.peaks["rod"]["softening"].value == pytest.approx(share, rel=0.02)
        assert bool(found.warnings) == (share > MOST_BUCKLING)


def test_wrenches_of_laws_are_loads_whatever_their_axes() -> None:
    mech = supple.Mechanism("column", gravity=(0, 0, 0))
    mech.add_body("blade", BLADE, joint=supple.Fixed(), rotation=[[0, -1, 0], [1, 0, 0], [0, 0, 1]])
    model = mech.build()
    force = 0.3 * 2.467401 * STEEL.E * STRIP.Iy
    for axes, push in (("frame", (-force, 0, 0)), ("ground", (0, -force, 0)), ("blade", (-force, 0, 0))):
        law = supple.Wrench("push", "blade/end", force=push, axes=axes)
        result = supple.simulate(model, 0.02, wrenches=[law], samples=21)
        assert supple.validity(model, result).peaks["blade"]["softening"].value == pytest.approx(0.3, rel=0.05)


def test_a_solid_is_judged_by_its_displacements() -> None:
    skfem = pytest.importorskip("skfem", reason="solid elements need scikit-fem")
    mesh = skfem.MeshHex.init_tensor(np.linspace(0, 1, 9), np.linspace(0, 0.05, 2), np.linspace(0, 0.02, 2))
    body = structures.from_mesh(mesh, STEEL, {"start": lambda x: x[0] < 1e-9}).reduce("cantilever", modes=1)
    mech = supple.Mechanism("block")
    mech.add_body("blade", body, joint=supple.Fixed())
    model = mech.build()
    tip = np.linalg.norm(body.shapes.toarray().reshape(-1, 6)[:, 3:], axis=1).max()
    found = supple.validity(model, motion(model, mode1=0.1 / tip))
    assert found.peaks["blade"]["rotation"].value == pytest.approx(0.15, rel=0.05)
    assert found.peaks["blade"]["stress"].value > 0.1


# ------------------------------------------------------------ pieces, formulations, files


def test_the_motion_may_come_in_pieces() -> None:
    model = blade(stiffening=False)
    rng = np.random.default_rng(0)
    whole = motion(model).isel(time=np.zeros(500, int)).assign_coords(time=0.01 * np.arange(500))
    whole["q"].values[:] += 1e-3 * rng.standard_normal(whole.q.shape)
    whole["v"].values[:] += rng.standard_normal(whole.v.shape)
    at_once = LinearRange(model, 500, 0.01)
    at_once.add(whole)
    first = LinearRange(model, 500, 0.01)
    first.add(whole.isel(time=slice(0, 7)))
    second = LinearRange(model, 500, 0.01)
    second.restore(first.memory())
    for part in (slice(7, 8), slice(8, 300), slice(300, 500)):
        second.add(whole.isel(time=part))
    for what, peak in at_once.peaks()["blade"].items():
        assert tuple(second.peaks()["blade"][what]) == pytest.approx(tuple(peak), rel=1e-9)
    assert at_once.peaks()["blade"]["stiffening"].value > 0.0


def test_results_in_files_say_it_too_and_a_resumed_run_says_the_same(tmp_path: Path) -> None:
    model = rubber_chain(stiffening=False)
    settings: dict[str, Any] = {"samples": 101, "integrator": "rk4", "step": 1e-5}

    def stop(t: float) -> None:
        if t > 0.15:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        supple.simulate(model, 0.4, file=tmp_path / "a.nc", progress=stop, **settings)
    with pytest.warns(supple.PhysicsWarning, match="left the range"):
        resumed = supple.simulate(model, 0.4, file=tmp_path / "a.nc", resume=True, **settings).load()
    with pytest.warns(supple.PhysicsWarning, match="left the range"):
        whole = supple.simulate(model, 0.4, **settings)
    assert resumed.attrs["validity"] == whole.attrs["validity"] != "[]"
    with supple.open_results(tmp_path / "a.nc") as stored:
        assert stored.attrs["validity"] == whole.attrs["validity"]


def test_equivalent_rigid_links_are_judged_by_their_deformation() -> None:
    mech = supple.Mechanism("arm", gravity=(0, 0, 0))
    mech.add_body("blade", BLADE, joint=supple.Revolute("y"))
    model = erls.build(mech)
    result = supple.simulate(model, 0.01, samples=5)
    found = supple.validity(model, result)
    assert {*found.peaks["blade"]} == {"rotation", "strain", "stress"}
    assert found.warnings == ()


def test_rigid_models_have_nothing_to_say() -> None:
    mech = supple.Mechanism("pendulum")
    mech.add_body("arm", supple.RigidBody(1.0, com=(0, 0, -1)))
    model = mech.build()
    found = supple.validity(model, supple.simulate(model, 0.1, samples=3))
    assert (found.peaks, found.warnings, str(found)) == ({}, (), "no flexible bodies")


def test_results_of_another_model_are_refused() -> None:
    with pytest.raises(supple.StateError, match="expected q, v and a of model 'rotor'"):
        supple.validity(blade(True), motion(rubber_chain(True)))
