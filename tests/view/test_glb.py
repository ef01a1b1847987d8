"""Binary glTF, read by trimesh and by hand: bodies are where the model has them, surfaces bend as it says."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import trimesh
from scipy.spatial.transform import Rotation

import supple
from supple import shapes, structures
from supple.view.scene.motion import SceneMotion, of_result
from supple.view.scene.surfaces import amplitudes, drawn

STEEL = structures.Material(E=2e11, nu=0.3, rho=7800)
UPRIGHT = Rotation.from_euler("x", -90, degrees=True).as_matrix()
"""From z up to y up."""


def boom(basis: str = "cantilever", **options: Any) -> structures.FlexibleBody:
    strip = structures.beam(0.8, structures.Rectangle(0.03, 0.004), STEEL, elements=6)
    return strip.reduce(basis, **options)


@pytest.fixture(scope="module")
def motion() -> SceneMotion:
    mech = supple.Mechanism("rig")
    mech.add_body("arm", supple.RigidBody(1.0, (0, 0, -0.3), (0.02, 0.02, 0.002)), joint=supple.Revolute("y"))
    mech.add_body("boom", boom(modes=2), "arm", supple.Revolute("y"), at=(0, 0, -0.6))
    mech.add_visual("boom/end", shapes.Sphere(0.05, color="#102030", opacity=0.5))
    model = mech.build()
    return of_result(supple.simulate(model, 0.3, q={"arm.angle": 0.5}, samples=31), model)


class Gltf:
    """The document and the numbers of a file."""

    def __init__(self, path: Path) -> None:
        content = path.read_bytes()
        magic, version, length, size, kind = struct.unpack_from("<4sIII4s", content)
        assert (magic, version, length, kind) == (b"glTF", 2, len(content), b"JSON")
        self.document = json.loads(content[20 : 20 + size])
        self._buffer = content[28 + size :]
        assert len(self._buffer) == self.document["buffers"][0]["byteLength"]

    def numbers(self, i: int) -> Any:
        accessor = self.document["accessors"][i]
        view = self.document["bufferViews"][accessor["bufferView"]]
        width = {"SCALAR": 1, "VEC3": 3, "VEC4": 4}[accessor["type"]]
        kind = {5126: "<f4", 5125: "<u4"}[accessor["componentType"]]
        assert (view["byteOffset"] % 4, view["byteLength"]) == (0, 4 * width * accessor["count"])
        flat = np.frombuffer(self._buffer, kind, width * accessor["count"], view["byteOffset"])
        return flat.reshape(-1, width).squeeze()

    def node(self, name: str) -> int:
        return next(i for i, x in enumerate(self.document["nodes"]) if x["name"] == name)

    def animated(self, node: int, path: str) -> Any:
        animation = self.document["animations"][0]
        for channel in animation["channels"]:
            if channel["target"] == {"node": node, "path": path}:
                return self.numbers(animation["samplers"][channel["sampler"]]["output"])
        return None


@pytest.fixture(scope="module")
def file(motion: SceneMotion, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return supple.render(motion.model, tmp_path_factory.mktemp("glb") / "still.glb").with_name("moving.glb")


@pytest.fixture(scope="module")
def gltf(motion: SceneMotion, file: Path) -> Gltf:
    return Gltf(supple.view.write_glb(motion, file))


def test_poses_over_time_are_those_of_the_model(motion: SceneMotion, gltf: Gltf) -> None:
    times = gltf.numbers(gltf.document["animations"][0]["samplers"][0]["input"])
    np.testing.assert_allclose(times, motion.times, atol=1e-7)
    R, p = motion.model.poses(motion.q)
    for k, name in ((1, "arm"), (2, "boom")):
        node = gltf.node(name)
        turned = gltf.animated(node, "rotation")
        np.testing.assert_allclose(Rotation.from_quat(turned).as_matrix(), R[:, k], atol=1e-6)  # single precision
        assert np.ptp(turned, axis=0).max() > 0.1
        moved = gltf.animated(node, "translation")
        np.testing.assert_allclose(p[:, k] if moved is None else moved, p[:, k], atol=1e-6)
    assert gltf.animated(gltf.node("arm"), "translation") is None  # it turns about a fixed point
    assert gltf.animated(gltf.node("boom"), "translation") is not None


def test_a_flexible_body_bends_by_its_morph_targets(motion: SceneMotion, gltf: Gltf) -> None:
    surface = next(x for x in drawn(motion.model) if x.shapes is not None)
    assert surface.shapes is not None
    node = gltf.node("boom structure")
    primitive = gltf.document["meshes"][gltf.document["nodes"][node]["mesh"]]["primitives"][0]
    rest = gltf.numbers(primitive["attributes"]["POSITION"])
    targets = np.stack([gltf.numbers(x["POSITION"]) for x in primitive["targets"]])
    weights = gltf.animated(node, "weights").reshape(len(motion.times), -1)
    faces = gltf.numbers(primitive["indices"]).reshape(-1, 3)
    for i in (0, 11, 30):
        eta = amplitudes(motion.model, "boom", motion.q[i])
        expected = surface.vertices + (surface.shapes @ eta).reshape(-1, 3)
        found = rest + np.tensordot(weights[i], targets, 1)
        np.testing.assert_allclose(found[faces], expected[surface.faces], atol=1e-6)
    assert np.abs(np.tensordot(weights, targets, 1)).max() > 1e-3


def test_what_is_on_a_node_moves_with_it(motion: SceneMotion, gltf: Gltf) -> None:
    child = gltf.node("boom/end")
    assert child in gltf.document["nodes"][gltf.node("boom")]["children"]
    R, p = motion.model.pose(motion.q, "boom")
    _, end = motion.model.pose(motion.q, "boom/end")
    own = gltf.animated(child, "translation")
    np.testing.assert_allclose(p + np.einsum("nij,nj->ni", R, own), end, atol=1e-6)
    material = gltf.document["materials"][
        gltf.document["meshes"][gltf.document["nodes"][child]["mesh"]]["primitives"][0]["material"]
    ]
    assert material["alphaMode"] == "BLEND"
    np.testing.assert_allclose(
        material["pbrMetallicRoughness"]["baseColorFactor"], [0.00518, 0.01444, 0.02956, 0.5], atol=1e-5
    )


def test_another_reader_finds_the_start(motion: SceneMotion, file: Path, gltf: Gltf) -> None:
    scene = trimesh.load(file, force="scene")
    R, p = motion.model.pose(motion.q[0], "arm")
    transform, _ = scene.graph.get("arm")
    np.testing.assert_allclose(transform[:3, :3], UPRIGHT @ R, atol=1e-6)
    np.testing.assert_allclose(transform[:3, 3], UPRIGHT @ p, atol=1e-6)
    arm = [x.vertices for x in drawn(motion.model) if x.body == "arm"]
    expected = np.concatenate(arm) @ R.T @ UPRIGHT.T
    nodes = [
        n for n in scene.graph.nodes_geometry if scene.graph.get(n)[0][:3, 3] @ [0, 1, 0] > -0.3 and "boom" not in n
    ]
    found = np.concatenate(
        [
            scene.geometry[scene.graph[n][1]].vertices @ scene.graph[n][0][:3, :3].T + scene.graph[n][0][:3, 3]
            for n in nodes
        ]
    )
    np.testing.assert_allclose(found.min(axis=0), expected.min(axis=0), atol=1e-5)
    np.testing.assert_allclose(found.max(axis=0), expected.max(axis=0), atol=1e-5)


def test_a_model_alone_stands_still(file: Path, gltf: Gltf) -> None:
    document = Gltf(file.with_name("still.glb")).document
    assert "animations" not in document
    assert len(document["nodes"]) == len(gltf.document["nodes"])


def test_many_shapes_become_the_principal_ones_of_the_motion(tmp_path: Path) -> None:
    mech = supple.Mechanism("ruler")
    mech.add_body("ruler", boom("nodal"))
    model = mech.build()
    t = np.linspace(0.0, 1.0, 40)
    q = np.zeros((40, model.nq))
    rng = np.random.default_rng(0)
    pattern = rng.normal(size=(2, model.nq - 1)) * 1e-3
    q[:, 1:] = np.outer(np.sin(5 * t), pattern[0]) + np.outer(np.cos(9 * t), pattern[1])
    gltf = Gltf(supple.view.write_glb(SceneMotion(model, t, q), tmp_path / "a.glb"))
    node = gltf.node("ruler structure")
    weights = gltf.animated(node, "weights").reshape(40, -1)
    assert weights.shape[1] == 5  # two patterns, and what follows their squares and product at second order
    surface = drawn(model)[0]
    assert surface.shapes is not None
    primitive = gltf.document["meshes"][gltf.document["nodes"][node]["mesh"]]["primitives"][0]
    rest = gltf.numbers(primitive["attributes"]["POSITION"])
    targets = np.stack([gltf.numbers(x["POSITION"]) for x in primitive["targets"]])
    faces = gltf.numbers(primitive["indices"]).reshape(-1, 3)
    expected = surface.vertices + (surface.shapes @ amplitudes(model, "ruler", q[17])).reshape(-1, 3)
    np.testing.assert_allclose(
        (rest + np.tensordot(weights[17], targets, 1))[faces], expected[surface.faces], atol=1e-6
    )
    q[:, 1:] = rng.normal(size=(40, model.nq - 1)) * 1e-3
    with pytest.warns(supple.OmissionWarning, match="body 'ruler': 16 morph targets leave"):
        supple.view.write_glb(SceneMotion(model, t, q), tmp_path / "b.glb")


def test_names_are_text(tmp_path: Path) -> None:
    name = '"]}<script> \u00e9\n'
    mech = supple.Mechanism(name)
    mech.add_body('a"b<', supple.RigidBody(1.0, (0, 0, -1)))
    names = [x["name"] for x in Gltf(supple.render(mech.build(), tmp_path / "a.glb")).document["nodes"]]
    assert names == ["ground", 'a"b<', name]
