"""The numbers of the 3-D view place bodies and nodes where the model does."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np
import pytest
import xarray as xr
from scipy.spatial.transform import Rotation

import supple
from supple.structures import FlexibleBody
from supple.view.scene import MOST_SHAPES, scene

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
    assert len(times) == min(len(result.time), 300)
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


def test_deformed_nodes_come_from_few_shapes(satellite: Run) -> None:
    model, result = satellite
    data = scene(model, result.time.values, result.q.values)
    assert model.flex is not None
    for k, name in enumerate(model.bodies):
        body = model.description.bodies[name].body
        if not isinstance(body, FlexibleBody):
            continue
        entry = data["bodies"][k]
        assert entry["modes"] <= MOST_SHAPES
        amplitudes = unpack(data["amplitudes"]).reshape(len(result.time), -1)
        eta = amplitudes[20, entry["first"] : entry["first"] + entry["modes"]]
        seen = unpack(entry["nodes"]) + unpack(entry["shapes"]).reshape(-1, entry["modes"]) @ eta
        q = result.q.values[20]
        start = model.flex.q_mode[k + 1]
        own, shapes = body.with_followers(q[start : start + body.modes], model.description.bodies[name].stiffens)
        moves = (shapes @ own).reshape(-1, 6)[:, 3:]
        assert np.abs(moves).max() > 1e-4
        nodes = (body.nodes + moves)[:, None]
        assert np.linalg.norm(nodes - seen.reshape(-1, 3), axis=2).min(axis=0).max() < FLOAT32


def test_a_box_has_the_inertia_of_its_body() -> None:
    R = Rotation.from_rotvec([1, 2, 3]).as_matrix()
    body = supple.RigidBody(3.0, (0.1, 0.2, 0.3), R @ np.diag([0.2, 0.3, 0.4]) @ R.T)
    mech = supple.Mechanism("box")
    mech.add_body("box", body)
    model = mech.build()
    box = scene(model, np.array([0.0, 1.0]), np.zeros((2, 1)))["bodies"][0]["box"]
    a, b, c = np.square(box["sides"])
    axes = np.reshape(box["axes"], (3, 3))
    np.testing.assert_allclose(axes @ np.diag([b + c, a + c, a + b]) @ axes.T * 3.0 / 12.0, body.inertia, atol=1e-12)
    assert box["centre"] == [0.1, 0.2, 0.3]


def test_many_bodies_make_a_page_of_bounded_size() -> None:
    mech = supple.Mechanism("long")
    for i in range(200):
        mech.add_body(f"b{i}", supple.RigidBody(1.0, (0.05, 0, 0)), f"b{i - 1}" if i else "ground", at=(0.1, 0, 0))
    model = mech.build()
    q = np.zeros((1000, model.nq))
    data = scene(model, np.linspace(0, 1, 1000), q)
    assert len(unpack(data["times"], "<f8")) == 156
    assert len(data["joints"]) < 1_400_000
