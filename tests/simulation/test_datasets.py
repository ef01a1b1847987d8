"""What is read from a motion: names and units, and that each variable is what it says."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray as xr
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

import supple
from supple import structures
from supple.inputs.requests import Outputs
from supple.simulation import result_variables
from supple.simulation.datasets import as_dataset, joined, variables
from supple.simulation.samples import Samples
from support.generated.generators_flexible import random_flexible_tree

Floats = NDArray[np.float64]
RUBBERY = structures.Material(E=3e8, nu=0.4, rho=1200.0)
SQUARE = structures.Rectangle(0.03, 0.03)
EVERYTHING = Outputs(frames=["hub", "boom/end", "boom/2", "camera"], wrenches="all", nodes=["boom"], strains=["boom"])


@cache
def satellite() -> supple.Model:
    """A hub with a flexible boom that carries a camera, free in space."""
    mech = supple.Mechanism("satellite", gravity=(0, 0, 0))
    mech.add_body("hub", supple.RigidBody(4.0, (0.02, 0.0, -0.01), (0.1, 0.12, 0.15)), joint=supple.Free())
    boom = structures.beam(0.5, SQUARE, RUBBERY, 4).reduce("craig-bampton", modes=1)
    mech.add_body("boom", boom, "hub", supple.Revolute("z", stiffness=3.0), at=(0.2, 0.0, 0.0))
    mech.add_body("camera", supple.RigidBody(0.2, (0, 0, 0.1), (1e-3, 1e-3, 2e-3)), "boom", supple.Revolute("x"), "end")
    return mech.build()


@cache
def pendulum() -> supple.Model:
    mech = supple.Mechanism("pendulum")
    mech.add_body("arm", supple.RigidBody(2.0, (0, 0, -0.5)), joint=supple.Revolute("y"))
    return mech.build()


def dataset(
    model: supple.Model, t: Any, q: Any, v: Any, a: Any, tau: Any, outputs: Outputs | None = None, **more: Any
) -> xr.Dataset:
    return as_dataset(model, Samples.of(model, t, q, v, a, tau), outputs, **more)


def motion(model: supple.Model, duration: float, outputs: Outputs | None = None, **start: Any) -> xr.Dataset:
    """A free motion as a dataset, with accelerations of the equations of motion."""
    found = supple.simulate(model, duration, integrator="DOP853", rtol=1e-10, atol=1e-12, **start)
    q, v = found.q.values, found.v.values
    tau = np.zeros_like(v)
    return dataset(model, found.time.values, q, v, model.forward_dynamics(q, v, tau), tau, outputs)


def states(model: supple.Model, count: int, seed: int = 0) -> tuple[Floats, Floats, Floats, Floats]:
    """Random q, v, a, tau."""
    found = [model.random_state(seed + i) for i in range(count)]
    rng = np.random.default_rng(seed)
    a, tau = rng.normal(size=(2, count, model.nv))
    return np.array([q for q, _ in found]), np.array([v for _, v in found]), a, tau


# ------------------------------------------------------------ names and units


def test_every_variable_has_units_and_every_axis_names(tmp_path: Path) -> None:
    model = satellite()
    result = dataset(model, np.arange(3.0), *states(model, 3), EVERYTHING, attrs={"integrator": "none"})
    assert {name: x.dims for name, x in result.data_vars.items()} == {
        "q": ("time", "coordinate"),
        "v": ("time", "speed"),
        "a": ("time", "speed"),
        "tau": ("time", "speed"),
        "kinetic_energy": ("time",),
        "potential_energy": ("time",),
        "momentum": ("time", "component"),
        "center_of_mass": ("time", "axis"),
        "position": ("time", "frame", "axis"),
        "orientation": ("time", "frame", "quaternion"),
        "velocity": ("time", "frame", "component"),
        "acceleration": ("time", "frame", "component"),
        "wrench": ("time", "joint", "component"),
        "displacement": ("time", "node", "axis"),
        "strain": ("time", "recovery_point"),
    }
    assert all(x.attrs["units"] and x.attrs["long_name"] for x in result.data_vars.values())
    assert set(result.dims) <= set(result.coords)
    for x in result.data_vars.values():
        named = x.attrs["units"].removeprefix("see ")
        assert named == x.attrs["units"] or named in x.coords
    assert list(result.joint.values) == ["hub", "boom", "camera"]
    assert list(result.node.values) == [f"boom/{i}" for i in range(5)]
    assert "boom/3-4 at 4 curvature y" in result.recovery_point
    assert result.attrs == {"model": "satellite", "formulation": "floating frames", "integrator": "none"}
    result.to_netcdf(tmp_path / "motion.nc", engine="h5netcdf")
    with xr.open_dataset(tmp_path / "motion.nc", engine="h5netcdf") as again:
        xr.testing.assert_identical(again.load(), result)


def test_units_of_speeds_accelerations_and_forces() -> None:
    result = dataset(satellite(), [0.0], *states(satellite(), 1))
    units = result.v.sel(speed=["hub.wx", "hub.vx", "boom.mode1"])
    assert list(units.speed_unit.values) == ["rad/s", "m/s", "kg^0.5 m/s"]
    assert list(units.acceleration_unit.values) == ["rad/s^2", "m/s^2", "kg^0.5 m/s^2"]
    assert list(units.force_unit.values) == ["N m", "N", "kg^0.5 m/s^2"]
    assert "position" not in result
    assert "wrench" not in result


def test_names_may_stand_alone_and_count_once() -> None:
    wanted = Outputs(frames="hub", wrenches=["hub", "all"], nodes=["boom/2", "boom", "boom/end"])
    assert wanted.frames == ("hub",)
    result = dataset(satellite(), [0.0], *states(satellite(), 1), wanted)
    assert list(result.frame.values) == ["hub"]
    assert list(result.joint.values) == ["hub", "boom", "camera"]
    assert sorted(result.node.values) == [*(f"boom/{i}" for i in range(5)), "boom/end"]
    at_end = result.displacement.sel(node=["boom/4", "boom/end"]).values
    np.testing.assert_allclose(at_end[:, 0], at_end[:, 1], rtol=1e-14)


@pytest.mark.parametrize(
    ("wanted", "message"),
    [
        (Outputs(frames=["hup"]), r"outputs: frames: model 'satellite': no frame 'hup'; did you mean 'hub'\?"),
        (Outputs(wrenches=["bom"]), r"outputs: wrenches: no body 'bom'; did you mean 'boom'\?"),
        (Outputs(nodes=["boom/9"]), r"nodes: no node 'boom/9': 'boom' has nodes 0 to 4"),
        (Outputs(nodes=["boom/ned"]), r"nodes: no node 'boom/ned': .*; did you mean 'end'\?"),
        (Outputs(nodes=["hub"]), r"nodes: expected a flexible body, got 'hub', which is rigid; there are 'boom'"),
        (Outputs(strains=["booom"]), r"strains: no flexible body 'booom'; did you mean 'boom'\?"),
        (Outputs(frames=["hup"], strains=["x"]), "frames: .*\noutputs: strains: no flexible body 'x'"),
    ],
)
def test_wrong_names_are_refused_with_the_nearest(wanted: Outputs, message: str) -> None:
    with pytest.raises(supple.StateError, match=message):
        dataset(satellite(), [0.0], *states(satellite(), 1), wanted)
    assert len(wanted.errors(satellite())) == 1 + (wanted.frames == ("hup",) and bool(wanted.strains))


def test_what_is_no_name_is_refused() -> None:
    for given in ([3], 3):
        with pytest.raises(supple.StateError, match="outputs: frames: expected names, got 3"):
            Outputs(frames=given)  # type: ignore[arg-type]
    model = pendulum()
    with pytest.raises(supple.StateError, match=r"a: expected shape \(2, 1\), got \(1, 1\)"):
        Samples.of(model, [0.0, 1.0], [[0.0], [1.0]], [[0.0], [1.0]], [[0.0]], [[0.0], [0.0]])


def test_bodies_of_unknown_elements_have_no_strains() -> None:
    source = structures.beam(0.5, SQUARE, RUBBERY, 3)
    order = [6 * node + c for node in range(4) for c in (3, 4, 5, 0, 1, 2)]
    M, K = (m.toarray()[order][:, order] for m in (source.mass_matrix, source.stiffness))
    body = structures.from_matrices(source.nodes, M, K, {"start": 0, "end": 3}).reduce("cantilever", 2)
    mech = supple.Mechanism("imported")
    mech.add_body("boom", body)
    with pytest.raises(supple.StateError, match="strains: 'boom' has none: it was made of matrices or read from a"):
        Outputs(strains=["boom"]).check(mech.build())


def test_a_model_without_freedoms_and_one_without_mass() -> None:
    mech = supple.Mechanism("still")
    mech.add_body("block", supple.RigidBody(1.0, (0, 0, 0.2)), joint=supple.Fixed())
    nothing = np.zeros((2, 0))
    wanted = Outputs(frames=["block"], wrenches="all")
    still = dataset(mech.build(), [0.0, 1.0], nothing, nothing, nothing, nothing, wanted)
    assert still.q.shape == (2, 0)
    np.testing.assert_allclose(still.center_of_mass, [[0, 0, 0.2]] * 2)
    np.testing.assert_allclose(still.wrench[:, 0], [[0, 0, 0, 0, 0, 9.81]] * 2)
    mech = supple.Mechanism("light")
    mech.add_body("rotor", supple.RigidBody(0.0), joint=supple.Revolute("z", inertia=1.0))
    light = dataset(mech.build(), [0.0], *np.zeros((4, 1, 1)))
    assert "center_of_mass" not in light
    assert light.momentum.shape == (1, 6)


def test_no_times_give_an_empty_stretch() -> None:
    model = satellite()
    none = np.zeros((0, model.nv))
    empty = dataset(model, [], np.zeros((0, model.nq)), none, none, none, EVERYTHING)
    assert empty.sizes["time"] == 0
    full = dataset(model, [0.0], *states(model, 1), EVERYTHING, before=empty)
    assert joined([empty, full]).sizes["time"] == 1


# ------------------------------------------------------------ frames


def test_frames_are_those_of_the_model() -> None:
    model, _ = random_flexible_tree(5, 6, beams=True, forces=True)
    q, v, a, tau = states(model, 4)
    names = ["ground", *(name for name in model.frames if name != "ground")]
    assert any("/" in name for name in names)
    result = dataset(model, np.arange(4.0), q, v, a, tau, Outputs(frames=names))
    for name in names:
        R, p = model.pose(q, name)
        one = result.sel(frame=name)
        np.testing.assert_allclose(one.position, p, rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(Rotation.from_quat(one.orientation.values).as_matrix(), R, atol=1e-12)
        np.testing.assert_allclose(one.velocity, model.velocity(q, v, name), rtol=1e-11, atol=1e-11)
        np.testing.assert_allclose(one.acceleration, model.acceleration(q, v, a, name), rtol=1e-10, atol=1e-10)


def test_velocities_and_accelerations_are_differences() -> None:
    model = satellite()
    (q,), (v,), (a,), _ = states(model, 1, seed=7)
    h = 2e-6  # the fastest turn is 150 rad/s: differences are right to (150 h)^2 / 6, and rounding to 1e-16 / h
    # With v(t) = v + a t the coordinates after h are, to third order, those at the mean speed.
    t = np.array([-h, 0.0, h])
    Q = model.integrate(q, v + a * t[:, None] / 2, t)
    V = v + a * t[:, None]
    A = np.tile(a, (3, 1))
    names = ["camera", "boom/2", "boom/end", "hub"]
    result = dataset(model, t, Q, V, A, np.zeros_like(A), Outputs(frames=names))
    linear, angular = slice(3, 6), slice(0, 3)
    moved = (result.position[2] - result.position[0]).values / (2 * h)
    velocity = result.velocity[1].values
    assert np.abs(velocity[:, linear]).max() > 1.0
    np.testing.assert_allclose(velocity[:, linear], moved, rtol=1e-6, atol=1e-6)
    before, after = (Rotation.from_quat(result.orientation[i].values) for i in (0, 2))
    turned = (after * before.inv()).as_rotvec() / (2 * h)
    np.testing.assert_allclose(velocity[:, angular], turned, rtol=1e-6, atol=1e-6)
    gained = (result.velocity[2] - result.velocity[0]).values / (2 * h)
    assert np.abs(gained).max() > 1.0
    np.testing.assert_allclose(result.acceleration[1].values, gained, rtol=1e-6, atol=1e-7 * np.abs(gained).max())


def test_orientations_never_jump_not_even_between_stretches() -> None:
    model = pendulum()
    t = np.linspace(0.0, 10.0, 401)
    q = 3.0 * t[:, None]
    v, a = np.full_like(q, 3.0), np.zeros_like(q)
    wanted = Outputs(frames=["arm", "ground"])
    whole = dataset(model, t, q, v, a, a, wanted)
    half = q / 2
    expected = np.concatenate([0 * half, np.sin(half), 0 * half, np.cos(half)], axis=1)
    assert expected[:, 3].min() < -0.99  # several turns: the sign must change by itself
    np.testing.assert_allclose(whole.orientation.sel(frame="arm"), expected, atol=1e-12)
    pieces: list[xr.Dataset] = []
    for part in np.array_split(np.arange(len(t)), 7):
        before = pieces[-1] if pieces else None
        pieces.append(dataset(model, t[part], q[part], v[part], a[part], a[part], wanted, before=before))
    xr.testing.assert_allclose(joined(pieces), whole)
    assert joined(pieces).time.attrs["units"] == "s"
    alone = dataset(model, t[-5:], q[-5:], v[-5:], a[-5:], a[-5:], wanted)
    assert (alone.orientation.sel(frame="arm")[0] @ whole.orientation.sel(frame="arm")[-5]) < 0


# ------------------------------------------------------------ forces, energies, deformation


def test_a_hanging_pendulum_passes_on_its_weight() -> None:
    model = pendulum()
    angles = np.array([0.0, np.pi / 2])  # hanging, and held level along -x
    hold = model.bias_forces(angles[:, None], np.zeros((2, 1)))
    result = dataset(
        model, [0.0, 1.0], angles[:, None], np.zeros((2, 1)), np.zeros((2, 1)), hold, Outputs(wrenches=["arm"])
    )
    weight = 2.0 * 9.81
    wrench = result.wrench.sel(joint="arm")
    np.testing.assert_allclose(wrench[0], [0, 0, 0, 0, 0, weight], atol=1e-12)
    assert abs(float(hold[1, 0])) == pytest.approx(0.5 * weight)
    np.testing.assert_allclose(wrench[1].sel(component="angular y"), result.tau[1, 0])
    np.testing.assert_allclose(np.linalg.norm(wrench[1, 3:]), weight)
    np.testing.assert_allclose(wrench[1].sel(component="linear z"), 0.0, atol=1e-12)


def test_a_free_system_keeps_energy_and_momentum() -> None:
    start = {"hub.wx": 0.8, "hub.wy": 1.0, "hub.wz": -1.2, "hub.vx": 0.1, "boom.mode1": 0.2, "camera.angle": 3.0}
    result = motion(satellite(), 1.0, Outputs(nodes=["boom/end"]), v=start)
    energy = (result.kinetic_energy + result.potential_energy).values
    assert np.ptp(result.potential_energy.values) > 1e-3
    assert np.ptp(energy) < 1e-7 * np.ptp(result.potential_energy.values)
    momentum = result.momentum.values
    assert np.abs(momentum[0]).min() > 1e-3
    assert np.abs(momentum - momentum[0]).max() < 1e-8
    # the centre of mass goes straight on
    expected = result.center_of_mass[0].values + result.time.values[:, None] * momentum[0, 3:] / satellite().mass
    np.testing.assert_allclose(result.center_of_mass, expected, atol=1e-8)
    assert np.abs(result.displacement).max() > 1e-4


def test_another_function_may_give_the_energies() -> None:
    model = pendulum()

    def own(q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        return np.stack([q[:, 0], 2 * q[:, 0]], axis=1), np.zeros((1, 6)), np.zeros((1, 3))

    result = variables(model, Samples.of(model, [0.0], *states(model, 1)), sums=own)
    energies = result["kinetic_energy"].values[0], result["potential_energy"].values[0]
    assert energies == (result["q"].values[0, 0], 2 * result["q"].values[0, 0])


def test_displacement_is_the_difference_of_poses() -> None:
    model = satellite()
    q, v, a, tau = states(model, 5)
    result = dataset(model, np.arange(5.0), q, v, a, tau, Outputs(nodes=["boom"]))
    R, p = model.pose(q, "boom")
    for i in range(5):
        _, x = model.pose(q, f"boom/{i}")
        in_body = np.einsum("tji,tj->ti", R, x - p)
        one = result.displacement.sel(node=f"boom/{i}")
        place = np.array([float(one[f"node_{axis}"]) for axis in "xyz"])
        np.testing.assert_allclose(one, in_body - place, atol=1e-13)
    assert float(np.abs(result.displacement.sel(node="boom/4")).max()) > 1e-3
    assert not result.displacement.sel(node="boom/0").any()


def test_a_body_without_modes_is_not_strained() -> None:
    mech = supple.Mechanism("stiff")
    mech.add_body("boom", structures.beam(0.5, SQUARE, RUBBERY, 2).reduce("cantilever", 0))
    model = mech.build()
    result = dataset(model, [0.0, 1.0], *states(model, 2), Outputs(nodes=["boom"], strains=["boom"]))
    assert result.strain.shape == (2, 28)
    assert result.displacement.shape == (2, 3, 3)
    assert not result.strain.any()
    assert not result.displacement.any()


def test_strain_of_a_cantilever_that_holds_a_weight() -> None:
    """The weight of the tip mass bends a light beam: curvature at the root is m g l / (E I)."""
    light = structures.Material(E=2e11, nu=0.3, rho=1e-3)
    boom = structures.beam(0.8, SQUARE, light, 4).reduce("craig-bampton", modes=0)
    mech = supple.Mechanism("crane")
    mech.add_body("boom", boom, joint=supple.Fixed())
    mech.add_body("load", supple.RigidBody(3.0), "boom", supple.Fixed(), at="end")
    model = mech.build()
    still = np.zeros(model.nv)
    q = np.linalg.solve(boom.stiffness.toarray(), -model.bias_forces(model.neutral(), still))
    rest = still[None]
    result = dataset(model, [0.0], q[None], rest, rest, rest, Outputs(strains=["boom"]))
    found = result.strain[0].sel(recovery_point=["boom/0-1 at 0 curvature y", "boom/0-1 at 0 fibre +y+z"])
    curvature = 3.0 * 9.81 * 0.8 / (2e11 * SQUARE.Iy)
    np.testing.assert_allclose(found, [curvature, curvature * 0.015], rtol=1e-6)
    bends = result.strain.where(result.recovery_quantity == "curvature y", drop=True)
    x = bends.recovery_x.values
    np.testing.assert_allclose(bends[0], curvature * (1 - x / 0.8), atol=1e-6 * curvature)
    assert list(found.recovery_unit.values) == ["1/m", "1"]


def test_an_orientation_that_a_diverged_run_has_lost_is_refused_by_name() -> None:
    """A node turned by fifty turns has no rotation any more."""
    mech = supple.Mechanism("shaft", gravity=(0, 0, 0))
    mech.add_body("shaft", structures.beam(1.0, SQUARE, RUBBERY, 2).reduce("nodal"), joint=supple.Fixed())
    model = mech.build()
    q, still = np.zeros((2, model.nq)), np.zeros((2, model.nv))
    q[:, model.coordinate_index("shaft.2.rx")] = 20.0, 300.0
    found = result_variables.frames(model, {"tip": "shaft/end"}, (q[:1], still[:1], still[:1]), None)
    expected = Rotation.from_rotvec([20.0, 0, 0]).as_quat(canonical=True)
    np.testing.assert_allclose(found["orientation"].values[0, 0], expected, atol=1e-13)
    with pytest.raises(supple.SimulationError, match="frame 'tip': its orientation is lost in sample 2 of 2"):
        result_variables.frames(model, {"tip": "shaft/end"}, (q, still, still), None)


def moved() -> tuple[supple.Model, Floats, Floats, Floats]:
    """The satellite at some states, with made-up accelerations."""
    model = satellite()
    states = [model.random_state(seed) for seed in range(3)]
    q, v = np.array([model.normalize(q) for q, _ in states]), np.array([v for _, v in states])
    return model, q, v, np.cos(v)


@pytest.mark.parametrize("axes", ["ground", "parent", "body", "frame"])
def test_velocities_of_frames_are_along_the_axes_that_are_asked_for(axes: str) -> None:
    model, q, v, a = moved()
    wanted = Outputs(frames=["hub", "boom/end", "camera"], velocity_axes=axes)
    found, plain = (dataset(model, range(3), q, v, a, 0 * v, x) for x in (wanted, Outputs(frames=wanted.frames)))
    assert f"{axes} axes" in found.velocity.long_name
    bodies = {"hub": ("ground", "hub"), "boom/end": ("hub", "boom"), "camera": ("boom", "camera")}
    for name, (parent, body) in bodies.items():
        of = {"parent": parent, "body": body, "frame": name, "ground": "ground"}[axes]
        R = np.broadcast_to(np.eye(3), (3, 3, 3)) if of == "ground" else model.pose(q, of)[0]
        for key in ("velocity", "acceleration"):
            x, y = (result[key].sel(frame=name).values.reshape(3, 2, 3) for result in (found, plain))
            assert np.allclose(np.einsum("tij,tkj->tki", R, x), y, atol=1e-12)
            assert np.abs(y).max() > 0.1


@pytest.mark.parametrize("axes", ["ground", "parent", "body"])
def test_wrenches_of_joints_are_along_the_axes_that_are_asked_for(axes: str) -> None:
    model, q, v, a = moved()
    found, plain = (
        dataset(model, range(3), q, v, a, 0 * v, x).wrench
        for x in (Outputs(wrenches=["camera", "boom"], wrench_axes=axes), Outputs(wrenches=["camera", "boom"]))
    )
    for name, parent in (("camera", "boom"), ("boom", "hub")):
        R_body = model.pose(q, name)[0]
        R = {"ground": np.broadcast_to(np.eye(3), (3, 3, 3)), "parent": model.pose(q, parent)[0], "body": R_body}[axes]
        x, y = (wrench.sel(joint=name).values.reshape(3, 2, 3) for wrench in (found, plain))
        assert np.allclose(np.einsum("tij,tkj->tki", R, x), np.einsum("tij,tkj->tki", R_body, y), atol=1e-10)
        assert np.abs(y).max() > 0.1


@pytest.mark.parametrize(
    ("request_", "words"),
    [
        ({"velocity_axes": "sky"}, "velocity_axes: no 'sky'; expected one of 'ground', 'parent', 'body', 'frame'"),
        ({"wrench_axes": "frame"}, "wrench_axes: no 'frame'; expected one of 'ground', 'parent', 'body'"),
        ({"euler_sequence": "xx"}, "euler_sequence: expected three axes"),
    ],
)
def test_axes_that_are_none(request_: dict[str, str], words: str) -> None:
    with pytest.raises(supple.StateError, match=f"outputs: {words}"):
        Outputs(**request_)  # type: ignore[arg-type]
    assert repr(Outputs(frames="hub")) == "Outputs(frames=('hub',), wrenches=(), nodes=(), strains=())"
    assert repr(Outputs(wrench_axes="ground")).endswith("strains=(), wrench_axes='ground')")
