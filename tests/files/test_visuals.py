"""What bodies are drawn as goes through model files, robots and results."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

import supple
from supple import shapes
from supple.files import check
from supple.files.urdf_visuals import mesh_path
from supple.structures import Material, Rectangle, beam
from supple.view.scene.surfaces import DrawnSurface, drawn
from support.files.robots import robot_directory

ALUMINIUM = Material(E=7e10, nu=0.33, rho=2700)
URDF = """<robot name="r"><material name="grey"><color rgba="0.5 0.5 0.5 0.25"/></material>
<link name="base"><visual><geometry><box size="1 1 0.1"/></geometry><material name="grey"/></visual></link>
<link name="arm"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
<collision><geometry><sphere radius="0.5"/></geometry></collision></link>
<link name="hand"><visual><origin xyz="0 0 1"/><geometry>
<mesh filename="package://parts/meshes/hand.stl" scale="1 2 1"/>
</geometry></visual><visual><geometry><cylinder radius="0" length="1"/></geometry></visual></link>
<joint name="a" type="revolute"><parent link="base"/><child link="arm"/><axis xyz="0 0 1"/></joint>
<joint name="b" type="fixed"><parent link="arm"/><child link="hand"/><origin xyz="1 0 0"/></joint></robot>"""


def stored(folder: Path) -> Path:
    """A mesh of one triangle in a package."""
    path = folder / "parts" / "meshes" / "hand.stl"
    path.parent.mkdir(parents=True)
    path.write_text("solid a vertex 0 0 0 vertex 1 0 0 vertex 0 1 0")
    return path


def mechanism(mesh: Path) -> supple.Mechanism:
    mech = supple.Mechanism("all shapes")
    mech.add_body("arm", supple.RigidBody(1.0, (0, 0, 1), (0.1, 0.1, 0.1)))
    rod = beam(1.0, Rectangle(0.02, 0.01), ALUMINIUM, elements=4).reduce("craig-bampton", modes=1)
    mech.add_body("rod", rod, "arm")
    mech.add_frame("tip", "arm", (0, 0, 1), [[0, -1, 0], [1, 0, 0], [0, 0, 1]])
    mech.add_visual("ground", shapes.Disc(1.0, color="gray"), shapes.Text("rig", 0.1))
    mech.add_visual("arm", shapes.Box((0.1, 0.1, 1), at=(0, 0, 0.5)), shapes.Mesh(mesh, scale=0.5, color="red"))
    mech.add_visual("arm/tip", shapes.Cone(0.1, 0.2, top=0.02, axis="x", opacity=0.5), shapes.Pipe(0.2, 0.1, 0.3))
    mech.add_visual("rod/end", shapes.Sphere(0.1), shapes.Capsule(0.02, 0.1, axis=(1, 1, 0)))
    path = [(0, 0, 0), (1, 0, 0), (1, 1, 0)]
    mech.add_visual("rod/2", shapes.Path(path, radius=0.1), shapes.Path(path, section=(0.1, 0.2), closed=True))
    mech.add_visual("rod", shapes.Triangles(np.eye(3), [(0, 1, 2)]), shapes.Cylinder(0.1, 0.2))
    return mech


def alike(a: list[DrawnSurface], b: list[DrawnSurface], atol: float = 1e-15) -> None:
    def key(x: DrawnSurface) -> tuple[str, ...]:
        return x.body, x.place or "", str(x.color), f"{len(x.faces)} {x.vertices.sum():.5f} {x.opacity}"

    assert len(a) == len(b)
    for x, y in zip(sorted(a, key=key), sorted(b, key=key), strict=True):
        assert (x.body, x.place, x.color, x.opacity) == (y.body, y.place, y.color, y.opacity)
        assert x.faces.tolist() == y.faces.tolist()
        np.testing.assert_allclose(x.vertices, y.vertices, atol=atol)


def test_all_shapes_are_saved_and_restored(tmp_path: Path) -> None:
    model = mechanism(stored(tmp_path)).build()
    supple.save(model, tmp_path / "model.toml")
    assert 'file = "parts/meshes/hand.stl"' in (tmp_path / "model.toml").read_text()
    assert check(tmp_path / "model.toml") == []
    read = supple.load(tmp_path / "model.toml")
    first = drawn(model)
    assert {x.place for x in first} == {None, "rod/start", "rod/end", "rod/2"}
    alike(first, drawn(read))
    moved = tmp_path / "moved"
    moved.mkdir()
    for file in ("model.toml", "model.rod.h5"):
        shutil.move(tmp_path / file, moved / file)
    with pytest.warns(
        supple.OmissionWarning, match=r"drawn as boxes: .*hand\.stl: no such file; there is no directory"
    ):
        lost = drawn(supple.load(moved / "model.toml"))
    assert len(lost) == len(first)


def test_results_carry_their_meshes(tmp_path: Path) -> None:
    mesh = stored(tmp_path)
    model = mechanism(mesh).build()
    first = drawn(model)
    supple.simulate(model, 1e-3, samples=2, file=tmp_path / "run.nc")
    mesh.unlink()
    alike(first, drawn(supple.load(tmp_path / "run.nc")), atol=1e-7)  # meshes in single precision


def test_visuals_of_a_robot(tmp_path: Path) -> None:
    stored(tmp_path)
    file = tmp_path / "robots" / "r.urdf"
    file.parent.mkdir()
    file.write_text(URDF)
    with pytest.warns(
        supple.PhysicsWarning, match="link 'hand': visual left out: cylinder: radius: expected a positive"
    ):
        model = supple.load(file)
    box, hand = drawn(model)
    assert (box.body, box.color, box.opacity) == ("ground", "#808080", 0.25)
    assert (hand.body, hand.color) == ("arm", None)
    np.testing.assert_allclose(hand.vertices[hand.faces[0]], [(1, 0, 1), (2, 0, 1), (1, 2, 1)], atol=1e-15)
    with pytest.warns(supple.PhysicsWarning):
        apart = drawn(supple.load(file, merge_fixed=False))
    assert [x.body for x in apart] == ["base", "hand"]
    (ball,) = drawn(supple.load(file, collision=True))
    assert (ball.body, ball.name) == ("arm", "sphere")


def test_where_meshes_are_looked_for(tmp_path: Path) -> None:
    mesh = str(stored(tmp_path))
    elsewhere = Path("/nowhere/robot.urdf")
    name = "package://parts/meshes/hand.stl"
    assert mesh_path(name, tmp_path / "a" / "b" / "robot.urdf", {}) == mesh
    assert mesh_path(name, elsewhere, {"ROS_PACKAGE_PATH": f"/none:{tmp_path}"}) == mesh
    assert mesh_path(name, elsewhere, {"ROS_PACKAGE_PATH": f"{tmp_path}/parts"}) == mesh
    (tmp_path / "share").symlink_to(tmp_path)
    assert mesh_path(name, elsewhere, {"AMENT_PREFIX_PATH": str(tmp_path)}) == str(
        tmp_path / "share/parts/meshes/hand.stl"
    )
    assert mesh_path("meshes/hand.stl", tmp_path / "parts" / "r.urdf", {}) == mesh
    assert mesh_path(f"file://{mesh}", elsewhere, {}) == mesh
    for lost in (name, "https://example.org/hand.stl", "package://\0/x.stl", f"package://{'x' * 5000}/x.stl"):
        assert mesh_path(lost, elsewhere, {}) == lost


def test_pages_of_robots_stay_small() -> None:
    for name in ("panda.urdf", "talos_reduced.urdf"):
        model = supple.load(next(robot_directory().rglob(name)), limits=False, mimic=False)
        surfaces = drawn(model)
        assert 20_000 < sum(len(x.faces) for x in surfaces) < 46_000
        assert sum(12 * len(x.faces) + 6 * len(x.vertices) for x in surfaces) * 4 / 3 < 1.1e6  # bytes in base64


def test_errors_name_their_place(tmp_path: Path) -> None:
    head = (
        'name = "m"\nvisuals = [{ type = "sphere", radius = 1 }, { type = "cone", radius = 1 }]\n[[body]]\nname = "b"\n'
    )
    body = 'mass = 1.0\njoint = { type = "fixed" }\n'
    visuals = 'visuals = [{ type = "bx" }, { type = "sphere", radius = 1, colour = "red" }]\n'
    path = tmp_path / "m.toml"
    path.write_text(head + body + visuals)
    assert [line.removeprefix(f"{path}: ") for line in check(path)] == [
        "visuals[2]: length: missing; expected a number greater than zero",
        "body[1] 'b': visuals[1]: type: expected one of 'box', 'cylinder', 'sphere', 'capsule', 'cone', 'disc', "
        "'pipe', 'path', 'structure', 'text', 'mesh', 'triangles', got 'bx'; did you mean 'box'?",
        "body[1] 'b': visuals[2]: colour: unknown key; did you mean 'color'?",
    ]
    wrong = '[{ type = "pipe", radius = 1, inner = 2, length = 1 }, { type = "sphere", radius = 1, on = "tip" }]'
    path.write_text(f'name = "m"\n[[body]]\nname = "b"\n{body}visuals = {wrong}\n')
    assert [line.removeprefix(f"{path}: ") for line in check(path)] == [
        "body[1] 'b': visuals[1]: inner: expected less than the radius 1, got 2",
        "body[1] 'b': visuals[2]: visual on 'b/tip': no frame 'b/tip'; there are 'b', 'ground'",
    ]
