"""Model, mesh, matrix and results files with random damage: every one is read, or refused with an error of supple.

`python mutated_files.py KIND COUNT SEED DIRECTORY` reads a given number of damaged files of a kind (see `KINDS`) in
DIRECTORY, or of several, `toml,urdf,results:10`, and prints a JSON line for each outcome that is wrong: another
exception, `check` and `load` that do not agree on the model, or a model that is another one when it is saved and read
again; at the end of each kind how many were read and how many refused. A file that needs more than `SECONDS` of
processor time or `MEMORY` ends the process by a signal; the number of the file that is being read is in the file `case`
in DIRECTORY.
"""

from __future__ import annotations

import base64
import io
import json
import os
import random
import re
import resource
import signal
import sys
import traceback
import warnings
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any, NoReturn

import h5py
import numpy as np
import scipy

import supple
from supple.checksums import seal
from supple.files import check, read
from supple.results.signals import signals
from supple.shapes import Mesh
from supple.structures import Material, Rectangle, beam, box
from supple.structures import read as read_structure
from supple.view.pages.report import report_page

SECONDS, MEMORY = 20.0, 6 * 2**30
KINDS = ("toml", "urdf", "hdf5", "netcdf", "mesh", "deck", "matrix", "results", "run")
NUMBERS = (
    *("0", "-1", "1", "1e-300", "1e300", "-1e308", "nan", "inf", "1e400", "10000000", "1000000000000000000", "0.5"),
    *("\u00b2", "1e30", "1" + 30 * "0", "9" * 5000),
)
WORDS = ("", "x", "start", "end", "ground", "arm", "a/b", "a.b", "x" * 5000, "\\u0000", "ee", "\N{SNOWMAN}", "../arm")
NO_FILES = ("pipe", "loop", "/dev/zero", "/proc/self/mem", ".")
"""Names of what cannot be read, put where files are named: `main` makes the first two."""
ARRAYS: tuple[Any, ...] = (0, 1.5, float("nan"), "x", [], [1.0, 2.0], [[1, 2], [3, 4]], ["a", "b"], [10**18, 1])
ARRAYS += (1j, [1.0, 2j], True, [[[1.0]]], np.zeros(2, dtype=[("a", float), ("b", int)]))
"""Values in the place of others in HDF5."""
VALUES = ("[]", "{}", "true", '""', "[1, 2, 3]", "[[1, 0, 0], [0, 1, 0], [0, 0, 1]]", "1979-05-27", "[1e9, 1e9, 1e9]")
HEAD = """
name = "fuzzed"
gravity = [0.0, 0.0, -9.81]
[[body]]
name = "cart"
mass = 2.0
inertia = [0.1, 0.1, 0.1]
joint = { type = "prismatic", axis = "x", damping = 0.1, stiffness = 2.0 }
"""
RIGID = """
[[body]]
name = "arm"
parent = "cart"
at = [0.0, 0.0, 0.1]
rotation = { axis = "y", angle_deg = 30.0 }
mass = 1.0
com = [0.0, 0.0, 0.2]
joint = { type = "revolute", axis = [0.0, 1.0, 0.0] }
visuals = [{ type = "box", size = [0.1, 0.1, 0.4], at = [0, 0, 0.2], color = "red" }, { type = "mesh", file = "a.stl" }]
[[body]]
name = "load"
parent = "arm"
mass = 0.3
inertia = [[0.01, 0.0, 0.0], [0.0, 0.01, 0.0], [0.0, 0.0, 0.01]]
joint = { type = "spherical" }
[[frame]]
name = "end"
body = "arm"
position = [0.0, 0.0, 0.4]
[[spring_damper]]
name = "stay"
first = "ground"
second = "arm/end"
stiffness = 100.0
length = 0.3
[[wrench]]
name = "push"
frame = "load"
force = [1.0, 0.0, 0.0]
[variables]
strength = 1.0
[[actuator]]
speed = "cart.position"
force = "2*sin(t)*strength"
[[event]]
name = "turn"
when = "arm.angle - 0.3"
change = { strength = "-strength" }
[[limit]]
coordinate = "cart.position"
upper = 1.0
[simulation]
duration = 1.0
q = { "arm.angle" = 0.1 }
"""
BEAMS = """
[[material]]
name = "steel"
E = 2.1e11
nu = 0.3
rho = 7850
[[structure]]
name = "rod"
type = "beam"
length = 0.5
section = { type = "rectangle", width = 0.02, height = 0.01 }
material = "steel"
elements = 2
frames = { middle = 1 }
[[structure.point_mass]]
at = "end"
mass = 0.1
[[structure]]
name = "corner"
type = "beam-path"
points = [[0.0, 0.0, 0.0], [0.3, 0.0, 0.0], [0.3, 0.2, 0.0]]
section = { type = "tube", radius = 0.01, thickness = 0.002 }
material = { E = 7e10, nu = 0.33, rho = 2700 }
elements = [1, 1]
[[body]]
name = "arm"
parent = "cart"
flexible = { structure = "rod", basis = "cantilever", modes = 2, damping = 0.01 }
joint = { type = "revolute", axis = "y" }
[[body]]
name = "tip"
parent = "arm"
at = "end"
flexible = { structure = "corner", basis = "craig-bampton", modes = 1, interfaces = ["start", "end"] }
joint = { type = "universal", first = "x", second = "y" }
"""
SOLID = """
[[structure]]
name = "block"
type = "box"
length = 0.4
width = 0.1
height = 0.1
material = { E = 7e10, nu = 0.33, rho = 2700 }
elements = [1, 1, 1]
quadratic = false
[[body]]
name = "brick"
parent = "cart"
flexible = { structure = "block", basis = "free-free", modes = 2 }
joint = { type = "fixed" }
"""
TOML = [HEAD + RIGID] * 6 + [HEAD + BEAMS] * 3 + [HEAD + SOLID]
URDF = """<robot name="fuzzed">
  <link name="base"><inertial><origin xyz="0 0 0.1" rpy="0 0.1 0"/><mass value="2"/>
    <inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial></link>
  <link name="arm"><inertial><mass value="1"/>
    <inertia ixx="0.1" ixy="0.01" ixz="0" iyy="0.1" iyz="0" izz="0.05"/></inertial>
    <visual><origin xyz="0 0 0.2"/><geometry><cylinder radius="0.1" length="0.4"/></geometry></visual>
    <visual><geometry><mesh filename="package://arm/a.stl" scale="1 1 1"/></geometry>
      <material name="grey"><color rgba="0.5 0.5 0.5 1"/></material></visual></link>
  <link name="hand"/>
  <link name="finger"><inertial><origin quat_xyzw="0 0 0 1"/><mass value="0.1"/>
    <inertia ixx="0.001" ixy="0" ixz="0" iyy="0.001" iyz="0" izz="0.001"/></inertial></link>
  <joint name="shoulder" type="revolute"><parent link="base"/><child link="arm"/><origin xyz="0 0 1" rpy="0 0 0.2"/>
    <axis xyz="0 1 0"/><limit lower="-1" upper="1" effort="10" velocity="3"/><dynamics damping="0.1"/></joint>
  <joint name="wrist" type="fixed"><parent link="arm"/><child link="hand"/><origin xyz="0 0 0.5"/></joint>
  <joint name="grip" type="prismatic"><parent link="hand"/><child link="finger"/><axis xyz="1 0 0"/>
    <mimic joint="shoulder" multiplier="0.1" offset="0"/></joint>
</robot>
"""


OBJ = """mtllib a.mtl
v 0 0 0
v 1 0 0
v 0 1 0
v 0 0 1
usemtl red
f 1 3 2
f 1/1 2/2 4/3
f -4 -1 -2 -3
"""
COLLADA = """<COLLADA version="1.4.1"><asset><unit meter="0.01" name="cm"/></asset>
<library_geometries><geometry id="g"><mesh><source id="p">
<float_array id="pa" count="12">0 0 0 1 0 0 1 1 0 0 1 0</float_array>
<technique_common><accessor source="#pa" count="4" stride="3" offset="0"/></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
<polylist count="1" material="m"><input semantic="VERTEX" source="#v" offset="0"/>
<vcount>4</vcount><p>0 1 2 3</p></polylist>
<triangles count="1"><input semantic="VERTEX" source="#v" offset="0"/><p>0 1 2</p></triangles></mesh></geometry>
</library_geometries><library_visual_scenes><visual_scene id="s"><node id="a"><translate>1 0 0</translate>
<rotate>0 0 1 90</rotate><scale>2 1 1</scale><matrix>1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1</matrix>
<instance_geometry url="#g"/>
<node id="b"><instance_geometry url="#g"/></node></node><node><instance_node url="#b"/></node></visual_scene>
</library_visual_scenes><scene><instance_visual_scene url="#s"/></scene></COLLADA>"""
GLTF = {
    "asset": {"version": "2.0"},
    "scene": 0,
    "scenes": [{"nodes": [0]}],
    "nodes": [{"mesh": 0, "translation": [1, 0, 0], "rotation": [0, 0, 0, 1], "children": [1]}, {"scale": [1, 1, 1]}],
    "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1, "material": 0, "mode": 4}]}],
    "materials": [{"pbrMetallicRoughness": {"baseColorFactor": [1, 0, 0, 1]}}],
    "accessors": [
        {"bufferView": 0, "componentType": 5126, "type": "VEC3", "count": 3},
        {"bufferView": 1, "componentType": 5123, "type": "SCALAR", "count": 3},
    ],
    "bufferViews": [{"buffer": 0, "byteLength": 36}, {"buffer": 0, "byteOffset": 36, "byteLength": 6}],
    "buffers": [{"byteLength": 44}],
}


def mutated_text(text: str, rng: random.Random) -> bytes:
    """The text with one to three changes: of numbers, words, values, lines, characters or bytes."""
    if rng.random() < 0.03:
        text = rng.choice((_many, _nested))(text, rng)
    for _ in range(rng.choice((1, 1, 2, 3))):
        text = rng.choice((_number, _number, _word, _word, _value, _line, _character))(text, rng)
    content = text.encode()
    if rng.random() < 0.05:
        i = rng.randrange(len(content) + 1)
        content = rng.choice((content[:i], content[:i] + bytes([rng.randrange(256)]) + content[i:]))
    return content


def _replaced(text: str, pattern: str, new: str, rng: random.Random) -> str:
    """The text with one of the matches replaced."""
    found = list(re.finditer(pattern, text))
    if not found:
        return text
    start, end = rng.choice(found).span()
    return text[:start] + new + text[end:]


def _number(text: str, rng: random.Random) -> str:
    return _replaced(text, r"-?\b\d+(\.\d+)?(e-?\d+)?\b", rng.choice(NUMBERS), rng)


def _word(text: str, rng: random.Random) -> str:
    words = [*WORDS, *NO_FILES, *re.findall(r"[a-z_]+", text)]
    return _replaced(text, r"\b[a-z_]+\b" if rng.random() < 0.5 else r'(?<=")[^"\n]*(?=")', rng.choice(words), rng)


def _value(text: str, rng: random.Random) -> str:
    return _replaced(text, r'(?<== )[^\n]*|(?<==)"[^"]*"', rng.choice(VALUES), rng)


def _line(text: str, rng: random.Random) -> str:
    """A line deleted, repeated, or put elsewhere."""
    lines = text.split("\n")
    line = lines.pop(rng.randrange(len(lines)))
    for _ in range(rng.randrange(3)):
        lines.insert(rng.randrange(len(lines) + 1), line)
    return "\n".join(lines)


def _many(text: str, rng: random.Random) -> str:
    """A line or a pair of neighbouring lines many times more."""
    lines = text.split("\n")
    i = rng.randrange(len(lines))
    lines[i:i] = lines[i : i + rng.choice((1, 2))] * rng.choice((30, 3000, 100_000))
    return "\n".join(lines)


def _nested(text: str, rng: random.Random) -> str:
    """A word or a value nested many times: dotted keys, arrays in arrays, elements in elements, sets of sets."""
    n = rng.choice((30, 3000, 20_000))
    word = rng.choice(re.findall(r"[a-z_]+", text) or ["a"])
    if text.startswith("<"):
        return text.replace("</robot>", f"<{word}>" * n + f"</{word}>" * n + "</robot>")
    if "*NSET" in text:
        sets = "".join(f"*NSET, NSET=S{i}\nS{i - 1}, S{i - 1}, ROOT\n" for i in range(1, min(n, 3000)))
        return text.replace("*STEP", f"*NSET, NSET=S0\nTIP\n{sets}*STEP")
    new = rng.choice((".".join([word] * n), "[" * n + "]" * n, "{ a = " * n + "1" + " }" * n))
    return _replaced(text, r"(?m)^[a-z_]+(?= =)" if new[0] not in "[{" else r"(?<== )[^\n]*", new, rng)


def _character(text: str, rng: random.Random) -> str:
    i = rng.randrange(len(text))
    return text[:i] + rng.choice(("", chr(rng.randrange(1, 0x250)), text[i] * 2)) + text[i + 1 :]


def mutated_bytes(content: bytes, rng: random.Random) -> bytes:
    """The bytes with one to four changes: of a byte, a run of bytes, the order of two blocks, or the length."""
    for _ in range(rng.choice((1, 1, 2, 4))):
        i, n = rng.randrange(len(content)), rng.choice((1, 1, 2, 8, 64))
        kind = rng.randrange(6)
        if kind == 0:
            content = content[:i] + rng.choice((b"", content[i : i + n] * 2)) + content[i + n :]
        elif kind == 1:
            content = content[: max(i, 1)]
        else:
            fill = rng.choice((bytes(n), b"\xff" * n, rng.randbytes(n), rng.randbytes(1) + content[i + 1 : i + n]))
            content = content[:i] + fill[: len(content) - i] + content[i + n :]
    return content


def outcome(file: Path) -> str:
    """ "read" or "refused" if it is as it should be, else what is wrong.

    `check` also looks at what a TOML file says about a run: these errors alone are in files that `load` reads.
    """
    try:
        errors = check(file)
        try:
            model = supple.load(file)
        except supple.SuppleError as error:
            return "refused" if errors else f"load refuses what check accepts: {error}"
        if file.suffix == ".toml":
            contents = read(file)
            assert contents.tables is not None
            described: Any = contents.model
            run = [f"{file}: {line}" for line in contents.tables.run_errors(described, file.parent)]
            errors = [] if errors == run else errors
        if errors:
            return f"check refuses what load accepts: {errors[0]}"
        if file.suffix != ".nc":
            return written_again(model, file.parent)
    except Exception:
        return traceback.format_exc()
    return "read"


def written_again(model: supple.Model, folder: Path) -> str:
    """ "read" if a model is the same when it is saved and read again."""
    if not model.bodies:  # a robot that is fixed altogether; files of models have a body at least
        return "read"
    path = folder / "saved" / "saved.toml"
    path.parent.mkdir(exist_ok=True)
    supple.save(model, path)
    return "read" if supple.load(path) == model else "another model when saved and read again"


def mutated_hdf5(content: bytes, rng: random.Random) -> bytes:
    """The file with damaged bytes; or with one of its arrays, texts or attributes changed or removed, and sealed."""
    if rng.random() < 0.5:
        return mutated_bytes(content, rng)
    image = io.BytesIO(content)
    with h5py.File(image, "r+") as file:
        places: list[str] = []
        file.visit(places.append)
        # In results only the model: HDF5 itself crashes on dimensions that were tampered with.
        results = [name for name in ("model/model_text", "model/model_bodies") if name in file]
        place = file[rng.choice(results or sorted(places))]
        if rng.random() < 0.2:
            del file[place.name]
        elif not results and place.attrs and (isinstance(place, h5py.Group) or rng.random() < 0.2):
            place.attrs[rng.choice(sorted(place.attrs))] = rng.choice(ARRAYS)
        elif isinstance(place, h5py.Dataset):
            _change(place, rng)
    with NamedTemporaryFile() as target:
        Path(target.name).write_bytes(image.getvalue())
        seal(Path(target.name))
        return Path(target.name).read_bytes()


def _change(place: h5py.Dataset, rng: random.Random) -> None:
    """Give an array other values, or another shape and type; a text other words."""
    value = place[()]
    if isinstance(value, bytes):
        place[()] = mutated_text(value.decode(), rng).decode(errors="replace").replace("\0", "")
    elif value.dtype.kind in "fiu" and value.size and rng.random() < 0.7:
        value = value.copy()
        limit = np.iinfo(value.dtype).max if value.dtype.kind in "iu" else 1e300
        value.flat[rng.randrange(value.size)] = rng.choice((0, 1, limit, limit // 3))
        place[...] = value
    else:
        file, name = place.file, place.name
        del file[name]
        file[name] = rng.choice(ARRAYS)


def mutated_mesh(rng: random.Random) -> tuple[str, bytes]:
    """Suffix and content of a damaged mesh file."""
    suffix = rng.choice((".stl", ".obj", ".dae", ".gltf", ".glb"))
    corners = np.array([(0, 0, 0), (1, 0, 0), (0, 1, 0)], dtype="<f4").tobytes()
    if suffix == ".stl":
        words = b"solid a facet normal 0 0 1 outer loop vertex 0 0 0 vertex 1 0 0 vertex 0 1 0 endloop endfacet"
        binary = bytes(80) + (2).to_bytes(4, "little") + 2 * (bytes(12) + corners + bytes(2))
        return suffix, mutated_bytes(rng.choice((binary, words)), rng)
    if suffix == ".obj":
        return suffix, mutated_text(OBJ, rng)
    if suffix == ".dae":
        return suffix, mutated_text(COLLADA, rng)
    buffer = corners + np.array([0, 1, 2, 0], dtype="<u2").tobytes()
    if suffix == ".gltf":
        uri = "data:application/octet-stream;base64," + base64.b64encode(buffer).decode()
        return suffix, mutated_text(json.dumps(GLTF | {"buffers": [{"byteLength": 44, "uri": uri}]}, indent=1), rng)
    words = mutated_text(json.dumps(GLTF, indent=1), rng)
    chunks = [(words, b"JSON"), (buffer, b"BIN\0")]
    content = b"glTF" + bytes(8) + b"".join(len(x).to_bytes(4, "little") + kind + x for x, kind in chunks)
    return suffix, content if rng.random() < 0.5 else mutated_bytes(content, rng)


def mesh_outcome(folder: Path, rng: random.Random) -> str:
    """The same as `outcome` for a damaged mesh."""
    suffix, content = mutated_mesh(rng)
    file = folder / f"m{suffix}"
    file.write_bytes(content)
    return reading(lambda: Mesh(file).triangles())


def reading(read: Callable[[], Any]) -> str:
    """ "read" or "refused" if what a function reads is read, or refused in one line; else what is wrong."""
    try:
        read()
    except supple.SuppleError as error:
        return "refused" if "\n" not in str(error) else f"expected one line, got {error}"
    except Exception:
        return traceback.format_exc()
    return "read"


def matrices_outcome(kind: str, folder: Path, rng: random.Random) -> str:
    """The same for a damaged file among those of a structure: a deck of CalculiX, or matrices with a table of nodes."""
    brick = box(0.4, 0.1, 0.1, Material(E=7e10, nu=0.33, rho=2700), (1, 1, 1), quadratic=False)
    nodes = "".join(f"{i}, {x}, {y}, {z}\n" for i, (x, y, z) in enumerate(brick.nodes.tolist(), 1))
    entries = []
    for matrix in (brick.stiffness, brick.mass_matrix):
        lower = scipy.sparse.coo_array(scipy.sparse.tril(matrix))
        rows = zip(lower.row + 1, lower.col + 1, lower.data, strict=True)
        entries.append("".join(f"{i} {j} {x!r}\n" for i, j, x in ((int(i), int(j), float(x)) for i, j, x in rows)))
    if kind == "deck":
        dofs = "".join(f"{i}.{k}\n" for i in range(1, 9) for k in (1, 2, 3))
        files = {"m.inp": DECK.replace("@", nodes), "m.sti": entries[0], "m.mas": entries[1], "m.dof": dofs}
        files["part.inp"] = "*NSET, NSET=SIDE\n1, 2, 5, 6\n"
        named = ["m.inp"]
    else:
        head = "%%MatrixMarket matrix coordinate real symmetric\n24 24 {}\n"
        files = {f"{name}.mtx": head.format(text.count("\n")) + text for name, text in zip("km", entries, strict=True)}
        files["nodes.txt"] = nodes.replace(",", " ")
        named = [*files]
    damaged = rng.choice(["m.inp", *files]) if kind == "deck" else rng.choice([*files])
    for name, text in files.items():
        content = mutated_text(text, rng) if name == damaged else text.encode()
        (folder / name).write_bytes(content)
    return reading(lambda: read_structure([folder / name for name in named]))


DECK = """*HEADING
a box
*NODE, NSET=ALL
@*ELEMENT, TYPE=C3D8, ELSET=BRICK
1, 1, 2, 3, 4, 5, 6, 7, 8
*NSET, NSET=ROOT
1, 2, 3
*INCLUDE, INPUT=part.inp
*NSET, NSET=TIP, GENERATE
5, 8, 1
*NSET, NSET=BOTH
ROOT, TIP, 4
*INSTANCE, NAME=I, PART=P
0., 0., 0.
*STEP
*FREQUENCY, SOLVER=MATRIXSTORAGE
6
*END STEP
"""


RUN = """
[[controller]]
name = "hold"
measured = ["cart.position"]
speeds = ["cart.position"]
A = [[-1.0]]
B = [[1.0]]
C = [[-2.0]]
D = [[-4.0]]
[[actuator]]
speed = "arm.angle"
target = 0.3
kp = 5.0
kd = 1.0
rate = 100.0
[simulation]
@
integrator = "rk4"
step = 0.01
q = { "arm.angle" = 0.1 }
v = { "cart.position" = 0.1 }
"""
ADAPTIVE = ("DOP853", "RK45", "Radau", "ESDIRK54", "auto")


class Stopped(BaseException):
    """A run that is stopped: no handler of the package catches it."""


def stop(*_: object) -> NoReturn:
    """Stop a run, as the handler of a signal."""
    raise Stopped


def run_outcome(folder: Path, rng: random.Random) -> str:
    """The same for runs of a file with one to three other numbers: they end, with numbers or with an error.

    A clock of 10 MHz and a gain of 1e18 are possible and take their time: such a run has to listen when it is stopped.
    """
    text = HEAD + RIGID.partition("[[spring_damper]]")[0].partition("visuals")[0] + "\n" + RUN
    if rng.random() < 0.5:
        text = text.replace("step = 0.01", "rtol = 1e-6").replace('"rk4"', f'"{rng.choice(ADAPTIVE)}"')
    for _ in range(rng.choice((1, 1, 2, 3))):
        text = _replaced(text, r"-?\b\d+(\.\d+)?(e-?\d+)?\b", rng.choice((*NUMBERS, "5e-324", "1e-18", "1e18")), rng)
    path = folder / "m.toml"
    path.write_text(text.replace("@", "duration = 0.02\nsamples = 3"))
    if check(path):
        return "refused"

    def ran() -> None:
        contents = read(path)
        signal.setitimer(signal.ITIMER_VIRTUAL, 2.0)
        try:
            result = supple.simulate(contents.model, **contents.run_arguments())
        except Stopped:
            return
        finally:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0.0)
        if not (np.isfinite(result.q).all() and np.isfinite(result.v).all()):
            raise ArithmeticError("the motion is not finite")

    return reading(ran)


def results_outcome(folder: Path, rng: random.Random) -> str:
    """The same for results with other variables, dimensions or attributes in a sound netCDF file, and their page."""
    mech = supple.Mechanism("m")
    mech.add_body("arm", supple.RigidBody(1.0, (0, 0, -1)), joint=supple.Revolute("y"))
    model, path, sound = mech.build(), folder / "r.nc", folder / "sound.nc"
    if not sound.exists():
        outputs = supple.Outputs(frames=["arm"])
        supple.simulate(model, 0.01, samples=4, outputs=outputs, file=sound)
    with supple.open_results(sound) as found:
        data = found.load()
    for _ in range(rng.choice((1, 1, 2))):
        with suppress(ValueError):  # no such dataset can be made
            data = _changed_results(data, rng)
    path.unlink(missing_ok=True)
    page = rng.random() < 0.1  # it takes its time
    data.to_netcdf(path, engine="h5netcdf", invalid_netcdf=True)

    def shown() -> None:
        with supple.open_results(path) as result:
            signals(result)
            if page:
                report_page(model, result)

    return reading(shown)


def _changed_results(data: Any, rng: random.Random) -> Any:
    """Results with a variable of other values, kind or dimensions, one less, fewer of a dimension, or an attribute."""
    kind = rng.randrange(4)
    if kind == 0:
        name = rng.choice([*data.attrs, "events", "validity", "independent"])
        return data.assign_attrs({name: rng.choice(("x", "[1]", "{}", '[["a", 1]]', 3, -1.5, np.zeros(2), "[]"))})
    if kind == 1:
        dim = rng.choice([*data.sizes])
        count = rng.randrange(data.sizes[dim] + 1)
        return data.isel({dim: rng.choice((slice(count), slice(None, None, -1)))})
    name = rng.choice([*data.data_vars, "time", "event_time", "work"])
    if kind == 2 and name in data:
        return data.drop_vars(name)
    dims, shape = (data[name].dims, data[name].shape) if name in data else (("event",), (2,))
    values = rng.choice((np.zeros, np.ones, lambda s: np.full(s, 1j), lambda s: np.full(s, np.nan), _words, _truths))
    if rng.random() < 0.5:
        shape = tuple(rng.randrange(4) for _ in range(rng.randrange(4)))
        dims = tuple(f"d{axis}_{n}" for axis, n in enumerate(shape))
    data = data.drop_vars(name, errors="ignore")
    data[name] = dims, values(shape)
    return data


def _words(shape: tuple[int, ...]) -> Any:
    return np.full(shape, "x")


def _truths(shape: tuple[int, ...]) -> Any:
    return np.zeros(shape, dtype=bool)


def cases(kind: str, folder: Path) -> tuple[Path, Path, Callable[[random.Random], bytes]]:
    """The file to damage, the file to read, and what makes a damaged one."""
    if kind == "toml":
        return folder / "m.toml", folder / "m.toml", lambda rng: mutated_text(rng.choice(TOML), rng)
    if kind == "urdf":
        return folder / "m.urdf", folder / "m.urdf", lambda rng: mutated_text(URDF, rng)
    rod = beam(0.5, Rectangle(0.02, 0.01), Material(E=7e10, nu=0.33, rho=2700), elements=2)
    mech = supple.Mechanism("rod")
    mech.add_body("rod", rod.reduce("cantilever", modes=2))
    if kind == "hdf5":
        supple.save(mech, folder / "m.toml")
        (damaged,), read = folder.glob("*.h5"), folder / "m.toml"
    else:
        mech.add_body("arm", supple.RigidBody(1.0, (0, 0, -1)))
        damaged = read = folder / "m.nc"
        supple.simulate(mech.build(), 0.01, samples=2, file=read)
    content = damaged.read_bytes()
    return damaged, read, lambda rng: mutated_hdf5(content, rng)


def main(kind: str, count: int, seed: int, folder: Path, first: int = 0) -> None:
    """Read the files and print what is wrong."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    warnings.simplefilter("ignore")
    others: dict[str, Callable[[random.Random], str]] = {
        "mesh": lambda rng: mesh_outcome(folder, rng),
        "deck": lambda rng: matrices_outcome(kind, folder, rng),
        "matrix": lambda rng: matrices_outcome(kind, folder, rng),
        "results": lambda rng: results_outcome(folder, rng),
        "run": lambda rng: run_outcome(folder, rng),
    }
    if not (folder / "pipe").exists():
        os.mkfifo(folder / "pipe")
        (folder / "loop").symlink_to("loop")
    signal.signal(signal.SIGVTALRM, stop)
    damaged, target, make = cases("toml" if kind in others else kind, folder)
    counts: dict[str, int] = {}
    for i in range(first, count):
        rng = random.Random(f"{kind} {seed} {i}")
        (folder / "case").write_text(str(i))
        signal.setitimer(signal.ITIMER_PROF, SECONDS)
        if kind in others:
            found = others[kind](rng)
        else:
            damaged.write_bytes(make(rng))
            found = outcome(target)
        counts[found] = counts.get(found, 0) + 1
        if found not in ("read", "refused"):
            print(json.dumps({"case": i, "wrong": found}), flush=True)
    signal.setitimer(signal.ITIMER_PROF, 0.0)
    print(kind, counts.get("read", 0), counts.get("refused", 0), flush=True)


if __name__ == "__main__":
    for word in sys.argv[1].split(","):
        what, _, own_count = word.partition(":")
        main(what, int(own_count or sys.argv[2]), int(sys.argv[3]), Path(sys.argv[4]), *map(int, sys.argv[5:]))
