"""Mesh files have the bounds, area and volume that trimesh finds; what is none is refused in one line."""

from __future__ import annotations

import json
import struct
from pathlib import Path

import numpy as np
import pytest
import trimesh

import supple
from supple.shapes import Mesh
from supple.shapes.readers.mesh_file import read_mesh
from supple.shapes.triangle_mesh import TriangleMesh, joined
from support.files.robots import robot_directory

SAMPLE = (
    "panda_description/meshes/visual/finger.dae",
    "panda_description/meshes/visual/link1.dae",
    "panda_description/meshes/collision/link1.stl",
    "alex_description/meshes/ALX02_02_A05_UJointLink.obj",
    "a1_description/meshes/thigh_mirror.dae",
    "solo_description/meshes/stl/without_foot/solo_upper_leg_left_side.stl",
)
SINGLE = 2e-7
"""Rounding of single precision, in which trimesh reads COLLADA."""
CUBE = """
mtllib cube.mtl
v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1
usemtl red
f 4 3 2 1
f 5/1 6/2 7/3 8/4
f -8//1 -7//1 -3//1 -4//1
usemtl none
f 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8
"""
COLLADA = """<?xml version="1.0"?><COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema">
<asset><unit meter="0.01"/><up_axis>Y_UP</up_axis></asset>
<library_effects><effect id="paint"><profile_COMMON><technique sid="t"><lambert>
<diffuse><color>1 0.5 0 1</color></diffuse>
</lambert></technique></profile_COMMON></effect></library_effects>
<library_materials><material id="orange"><instance_effect url="#paint"/></material></library_materials>
<library_geometries><geometry id="g"><mesh>
<source id="p"><float_array id="pa" count="12">0 0 0 1 0 0 1 1 0 0 1 0</float_array>
<technique_common><accessor source="#pa" count="4" stride="3"/></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
<polylist count="1" material="m"><input semantic="VERTEX" source="#v" offset="0"/>
<input semantic="NORMAL" source="#v" offset="1"/><vcount>4</vcount><p>0 0 1 0 2 0 3 0</p></polylist></mesh></geometry>
</library_geometries>
<library_visual_scenes><visual_scene id="s"><node>
<translate>100 0 0</translate><rotate>0 0 1 90</rotate><scale>2 1 1</scale>
<instance_geometry url="#g"><bind_material><technique_common><instance_material symbol="m" target="#orange"/>
</technique_common></bind_material></instance_geometry></node></visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#s"/></scene></COLLADA>"""


def whole(path: Path) -> TriangleMesh:
    return joined([part.mesh for part in read_mesh(path)])


@pytest.mark.parametrize("name", SAMPLE)
def test_as_trimesh(name: str) -> None:
    path = robot_directory() / name
    own = whole(path)
    other = trimesh.load(path, process=False, force="mesh")
    corners = np.asarray(other.triangles)
    volume = np.einsum("ij,ij->", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])) / 6.0
    assert len(own.faces) == len(corners) > 100
    size = float(np.ptp(other.bounds, axis=0).max())
    np.testing.assert_allclose(own.bounds, other.bounds, atol=SINGLE * size)
    assert own.area == pytest.approx(other.area, rel=1e-6)
    assert own.volume == pytest.approx(volume, abs=1e-6 * own.area * size)


def test_obj_with_polygons_and_materials(tmp_path: Path) -> None:
    (tmp_path / "cube.obj").write_text(CUBE)
    (tmp_path / "cube.mtl").write_text("newmtl red\nKd 1 0 0\n")
    first, second = read_mesh(tmp_path / "cube.obj")
    assert (first.color, second.color) == ("#ff0000", None)
    assert whole(tmp_path / "cube.obj").volume == pytest.approx(1.0, rel=1e-12)
    assert [p.color for p in Mesh(tmp_path / "cube.obj", color="blue").parts()] == ["#ff0000", "#0000ff"]
    assert Mesh(tmp_path / "cube.obj", scale=(-2, 1, 1)).triangles().volume == pytest.approx(2.0, rel=1e-12)


def test_collada_with_poses_units_and_colours(tmp_path: Path) -> None:
    (tmp_path / "sheet.dae").write_text(COLLADA)
    (part,) = read_mesh(tmp_path / "sheet.dae")
    assert part.color == "#ff8000"
    np.testing.assert_allclose(part.mesh.bounds, [[0.99, 0, 0], [1.0, 0.02, 0]], atol=1e-15)


@pytest.mark.parametrize("suffix", ["stl", "stl_ascii", "glb", "gltf", "obj", "dae"])
def test_what_trimesh_writes(suffix: str, tmp_path: Path) -> None:
    ball = trimesh.creation.icosphere(subdivisions=1, radius=0.5)
    ball.apply_translation([1.0, 2.0, 3.0])
    if suffix == "gltf":
        for name, content in trimesh.Scene(ball).export(file_type="gltf").items():
            (tmp_path / name).write_bytes(content)
        path = tmp_path / "model.gltf"
    else:
        path = tmp_path / f"ball.{suffix[:3]}"
        made = ball.export(file_type=suffix)
        path.write_bytes(made if isinstance(made, bytes) else made.encode())
    own = whole(path)
    assert own.volume == pytest.approx(ball.volume, rel=1e-5)  # from coordinates up to 3 in single precision
    np.testing.assert_allclose(own.bounds, ball.bounds, atol=1e-6)


def gltf(tmp_path: Path, **parts: object) -> Path:
    data = {"asset": {"version": "2.0"}, **parts}
    (tmp_path / "m.gltf").write_text(json.dumps(data))
    return tmp_path / "m.gltf"


def test_hostile_files_are_refused(tmp_path: Path) -> None:
    def refused(path: Path, content: bytes | None = None) -> str:
        if content is not None:
            path.write_bytes(content)
        with pytest.raises(supple.FileFormatError) as caught:
            read_mesh(path)
        assert "\n" not in str(caught.value)
        return str(caught.value).removeprefix(f"{path}: ")

    entity = b'<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><COLLADA>&b;</COLLADA>'
    assert "expected no document type" in refused(tmp_path / "a.dae", entity)
    doubling = "".join(f'<node id="n{i}">' + 2 * f'<instance_node url="#n{i + 1}"/>' + "</node>" for i in range(60))
    library = f'<library_visual_scenes><visual_scene id="s">{doubling}<node id="n60"/></visual_scene>'
    scene = f'<COLLADA>{library}</library_visual_scenes><scene><instance_visual_scene url="#s"/></scene></COLLADA>'
    assert "expected at most 5,000,000 triangles in 10,000 parts" in refused(tmp_path / "b.dae", scene.encode())
    assert "within each other" in refused(gltf(tmp_path, scenes=[{"nodes": [0]}], nodes=[{"children": [0]}]))
    outside = {"buffers": [{"uri": "../secret.bin"}], "bufferViews": [{"buffer": 0}]}
    accessor = {"bufferView": 0, "componentType": 5126, "type": "VEC3", "count": 3}
    mesh = {"meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}], "nodes": [{"mesh": 0}]}
    assert "below the folder" in refused(gltf(tmp_path, accessors=[accessor], **outside, **mesh))
    assert refused(tmp_path / "c.stl", bytes(80) + struct.pack("<I", 2**31)) == (
        "expected triangles in binary or in words, got neither"
    )
    assert "expected numbers of vertices from 0 to 0" in refused(tmp_path / "d.obj", b"v 0 0 0\nf 1 2 9999999\n")
    assert "damaged" in refused(tmp_path / "e.obj", b"v 0 0 x\nf 1 1 1\n")
    assert refused(tmp_path / "f.obj", b"") == "expected some triangles, got none"
    assert refused(tmp_path / "g.ply", b"") == ("expected a .stl, .obj, .dae, .gltf or .glb file, got suffix '.ply'")
    assert refused(tmp_path / "none.stl") == "no such file"
