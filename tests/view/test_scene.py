"""The numbers of the 3-D view place bodies and nodes where the model does."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np
import pytest
import xarray as xr
from scipy.spatial.transform import Rotation

import supple
from supple.view.pages.scene_json import MOST_SHAPES, scene
from supple.view.scene.surfaces import amplitudes, drawn

Run = tuple[supple.Model, xr.Dataset]
FLOAT32 = 3e-6
"""Rounding of numbers around one, added along a chain."""


def unpack(text: str, kind: str = "<f4") -> Any:
    return np.frombuffer(base64.b64decode(text), dtype=kind)


class Rebuilt:
    """Poses of all bodies in one frame, as the page finds them."""

    def __init__(self, data: dict[str, Any], frame: int) -> None:
        self.data = data
        count = len(unpack(data["times"], "<f8"))
        self.eta = unpack(data["amplitudes"]).reshape(count, -1)[frame] if data["amplitudes"] else np.zeros(0)
        joints = unpack(data["joints"]).reshape(count, -1, 7)[frame]
        self.R, self.p = [np.eye(3)], [np.zeros(3)]
        for k, joint in enumerate(joints):
            R, p = self.place(k)
            self.R.append(R @ Rotation.from_quat(joint[:4]).as_matrix())
            self.p.append(p + R @ joint[4:])

    def place(self, i: int) -> tuple[Any, Any]:
        x = self.data["places"][i]
        R, p, u = self.R[x["body"]], self.p[x["body"]], np.zeros(6)
        if x["shape"]:
            body = self.data["bodies"][x["body"] - 1]
            own = self.eta[body["first"] : body["first"] + body["modes"]]
            u = unpack(x["shape"]).reshape(6, -1) @ own
        R_node = R @ Rotation.from_rotvec(u[:3]).as_matrix()
        return R_node @ np.reshape(x["R"], (3, 3)), p + R @ (np.array(x["l"]) + u[3:]) + R_node @ x["offset"]


@pytest.mark.parametrize("name", ["chain", "satellite"])
def test_bodies_are_where_the_model_has_them(name: str, request: pytest.FixtureRequest) -> None:
    model, result = request.getfixturevalue(name)
    data = scene(model, result.time.values, result.q.values)
    times = unpack(data["times"], "<f8")
    assert len(times) == len(result.time)
    R, p = model.poses(result.q.sel(time=times).values)
    assert np.ptp(p, axis=0).max() > 0.01
    for frame in (0, len(times) // 2, len(times) - 1):
        rebuilt = Rebuilt(data, frame)
        np.testing.assert_allclose(rebuilt.R, R[frame], atol=FLOAT32)
        np.testing.assert_allclose(rebuilt.p, p[frame], atol=FLOAT32)
        for trace in data["traces"]:
            q = result.q.sel(time=times[frame]).values
            expected = model.pose(q, trace["name"])[1] if "/" in trace["name"] else None
            if expected is not None:
                np.testing.assert_allclose(rebuilt.place(trace["place"])[1], expected, atol=FLOAT32)


def test_deformed_surfaces_come_from_few_shapes(satellite: Run) -> None:
    model, result = satellite
    data = scene(model, result.time.values, result.q.values)
    expected = {x.body: x for x in drawn(model) if x.shapes is not None}
    assert len(expected) == 2
    for k, name in enumerate(model.bodies):
        if name not in expected:
            continue
        entry, surface = data["bodies"][k], expected[name]
        assert entry["modes"] <= MOST_SHAPES
        assert surface.shapes is not None
        eta = unpack(data["amplitudes"]).reshape(len(result.time), -1)[20, entry["first"] :][: entry["modes"]]
        (sent,) = entry["surfaces"]
        seen = unpack(sent["vertices"], "<u2").reshape(-1, 3) * sent["step"] + sent["low"]
        moves = (unpack(sent["shapes"]).reshape(-1, entry["modes"]) @ eta).reshape(-1, 3)
        own = (surface.shapes @ amplitudes(model, name, result.q.values[20])).reshape(-1, 3)
        assert np.abs(own).max() > 1e-4
        np.testing.assert_allclose(moves[: len(own)], own, atol=FLOAT32)
        np.testing.assert_allclose(seen[: len(own)], surface.vertices, atol=max(sent["step"]))


def test_inertia_boxes_loads_and_reactions_are_sent() -> None:
    mech = supple.Mechanism("loaded")
    mech.add_body("arm", supple.RigidBody(3.0, (0.1, 0.2, 0.3), (0.2, 0.3, 0.4)))
    mech.add_frame("tip", "arm", (1.0, 0, 0))
    mech.add_wrench("weight", "arm/tip", force=(0, 0, -5.0), axes="ground")
    model = mech.build()
    gust = supple.Wrench("gust", "arm/tip", force=(0, "7*t", 0), axes="ground")
    result = supple.simulate(model, 0.1, samples=11, wrenches=[gust], outputs=supple.Outputs(wrenches="all"))
    data = scene(model, result.time.values, result.q.values, result=result)
    (body,) = data["bodies"]
    ((hinge,),) = [[x for x in data["symbols"] if x["group"] == "joints"]]
    assert hinge["shape"] == "rod"
    (x0, y0, z0), (x1, y1, z1) = (end["at"] for end in hinge["ends"])
    assert [end["on"] for end in hinge["ends"]] == [{"body": 1}, {"body": 1}]
    assert (x0, z0, x1, z1, y0 + y1) == (0.0,) * 5
    assert y1 > 0.01
    assert [x["name"] for x in body["surfaces"]].count("inertia") == 1
    assert (body["mass"], body["com"]) == (3.0, [0.1, 0.2, 0.3])
    assert [(x["kind"], x["axes"]) for x in data["forces"]] == [
        ("load", None),
        ("load", None),
        ("reaction", {"body": 1}),
    ]
    wrenches = unpack(data["wrenches"]).reshape(11, 3, 6)
    np.testing.assert_allclose(wrenches[:, 0], np.tile([0, 0, 0, 0, 0, -5.0], (11, 1)))
    np.testing.assert_allclose(wrenches[:, 1, 4], 7 * result.time, rtol=1e-6, atol=1e-7)
    np.testing.assert_allclose(wrenches[:, 2], result["wrench"].values[:, 0], rtol=1e-6, atol=1e-6)
    assert data["scales"]["load"] == pytest.approx((0.0, 0.28 * data["size"] / 5.0))  # metres for 1 N m and 1 N
    place = data["places"][data["forces"][0]["at"]["place"]]
    assert (place["body"], place["offset"]) == (1, [1.0, 0.0, 0.0])


def test_many_bodies_make_a_page_of_bounded_size() -> None:
    mech = supple.Mechanism("long")
    for i in range(200):
        mech.add_body(f"b{i}", supple.RigidBody(1.0, (0.05, 0, 0)), f"b{i - 1}" if i else "ground", at=(0.1, 0, 0))
    model = mech.build()
    q = np.zeros((1000, model.nq))
    data = scene(model, np.linspace(0, 1, 1000), q)
    assert len(unpack(data["times"], "<f8")) == 375
    assert len(data["joints"]) < 3_000_000


@pytest.mark.parametrize(("force", "length"), [(1e-6, 0.28 * 1e-6 / (1e-6 * 9.80665 * 100.0)), (5.0, 0.28)])
def test_forces_that_move_nothing_have_no_long_arrows(force: float, length: float) -> None:
    """A millionth of a newton on 100 kg is a tide, and 5 N are a thruster."""
    mech = supple.Mechanism("satellite", gravity=(0, 0, 0))
    mech.add_body("bus", supple.RigidBody(100.0, inertia=(10, 10, 10)), joint=supple.Free())
    mech.add_wrench("push", "bus", force=(force, 0, 0), axes="ground")
    model = mech.build()
    data = scene(model, np.zeros(1), model.neutral()[None])
    assert data["scales"]["load"] == pytest.approx((0.0, length * data["size"] / force))
    assert (length * data["size"] > data["arrow"]["shortest"]) == (force > 1.0)  # shorter ones are not drawn
