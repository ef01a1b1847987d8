"""Flexible bodies of model files: places on them, what is shared, bodies from HDF5 files, exact writing."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import supple
from supple.files import check, read, toml
from supple.files.toml_text import body_files, text
from supple.structures import FlexibleBody, Material, Rectangle, beam
from supple.structures.body.hdf5_reader import load_body
from supple.structures.body.hdf5_writer import save_body
from support.cases import thinned
from support.generated.generators_flexible import random_flexible

ARM = """
name = "arm"
[[structure]]
name = "link"
type = "beam"
length = 1
section = { type = "rectangle", width = 0.02, height = 0.01 }
material = { E = 70e9, nu = 0.3, rho = 2700 }
elements = 4
[[body]]
name = "upper"
joint = { type = "revolute", axis = "y" }
flexible = { structure = "link", basis = "craig-bampton", modes = 1 }
[[body]]
name = "fore"
parent = "upper"
at = "end"
joint = { type = "revolute", axis = "y" }
flexible = { structure = "link", basis = "craig-bampton", modes = 1 }
fidelity = "ruthless"
"""


def link(basis: str = "craig-bampton", modes: int | None = 1) -> FlexibleBody:
    return beam(1.0, Rectangle(0.02, 0.01), Material(E=70e9, nu=0.3, rho=2700), 4).reduce(basis, modes)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "model.toml"


# ------------------------------------------------------------ reading


def test_a_mechanism_is_read_as_it_is_built_by_hand(file: Path) -> None:
    file.write_text(
        ARM
        + """
        [[body]]
        name = "hand"
        parent = "fore"
        at = "tool"
        offset = [0.1, 0, 0]
        rotation = { axis = "x", angle_deg = 90 }
        joint = { type = "fixed" }
        mass = 1
        [[body]]
        name = "camera"
        parent = "fore"
        at = "2"
        joint = { type = "fixed" }
        mass = 1
        [[body]]
        name = "lamp"
        parent = "fore"
        at = [0.25, 0, 0]
        joint = { type = "fixed" }
        mass = 1
        [[frame]]
        name = "finger"
        body = "fore/tool"
        position = [0, 0, 0.1]
        [[frame]]
        name = "tool"
        body = "fore/end"
        position = [0, 0.2, 0]
        rotation = { axis = "z", angle_deg = 90 }
        [[frame]]
        name = "inside"
        body = "fore/3"
        [[frame]]
        name = "base"
        body = "upper"
        position = [0.1, 0, 0]
        [[spring_damper]]
        name = "s"
        first = "upper/1"
        second = "fore/finger"
        stiffness = 10
        [[wrench]]
        name = "w"
        frame = "fore/3"
        force = [0, 0, 1]
        """
    )
    mech = supple.Mechanism("arm")
    body = link()
    mech.add_body("upper", body)
    mech.add_body("fore", body, "upper", at="end", fidelity="ruthless")
    quarter = [[0, -1, 0], [1, 0, 0], [0, 0, 1]]
    mech.add_frame("tool", "fore/end", (0, 0.2, 0), quarter)
    mech.add_frame("finger", "fore/tool", (0, 0, 0.1))
    mech.add_frame("inside", "fore/3")
    mech.add_frame("base", "upper", (0.1, 0, 0))
    mech.add_frame("seat", "fore/tool", (0.1, 0, 0))
    joint = supple.Fixed()
    mech.add_body("hand", supple.RigidBody(1.0), "fore", joint, "seat", [[1, 0, 0], [0, 0, -1], [0, 1, 0]])
    mech.add_body("camera", supple.RigidBody(1.0), "fore", joint, "2")
    mech.add_body("lamp", supple.RigidBody(1.0), "fore", joint, "1")
    mech.add_spring_damper("s", "upper/1", "fore/finger", 10.0)
    mech.add_wrench("w", "fore/3", force=(0, 0, 1))
    del mech.frames["fore/seat"]
    model, expected = supple.load(file), mech.build()
    assert (model.bodies, model.speeds) == (expected.bodies, expected.speeds)
    assert set(model.frames) == set(expected.frames)
    q, v = expected.random_state(3)
    for frame in expected.frames:
        for a, b in zip(model.pose(q, frame), expected.pose(q, frame), strict=True):
            np.testing.assert_allclose(a, b, atol=1e-14)
    # A quarter turn of the file is off by rounding of its cosine.
    np.testing.assert_allclose(model.mass_matrix(q), expected.mass_matrix(q), rtol=1e-12, atol=1e-12)
    bias = expected.bias_forces(q, v)
    np.testing.assert_allclose(model.bias_forces(q, v), bias, atol=1e-12 * np.abs(bias).max())


def test_equal_tables_share_one_body_and_others_do_not(file: Path) -> None:
    third = ARM.replace('name = "arm"', "").split("[[body]]")[1].replace("upper", "third")
    file.write_text(f"{ARM}[[body]]{third.replace('modes = 1', 'modes = 2')}")
    upper, fore, third_body = (placed.body for placed in toml.read(file).mechanism.bodies.values())
    assert upper is fore
    assert upper is not third_body


def test_nodal_coordinates_go_by_three_names(file: Path) -> None:
    nodal = ARM.replace('"craig-bampton", modes = 1', '"nodal"')
    file.write_text(
        f"{nodal}[simulation]\nduration = 1\nq.fore.4.uz = 0.1\nq.upper.angle = 1\nv = {{ 'upper.1.rx' = 2 }}"
    )
    assert check(file) == []
    given = read(file).run_arguments()
    assert given["q"] == {"fore.4.uz": 0.1, "upper.angle": 1.0}
    assert given["v"] == {"upper.1.rx": 2.0}
    file.write_text(f"{nodal}[simulation]\nduration = 1\nq.fore.4.ua = 0.1\n")
    (error,) = check(file)
    assert "simulation: q: no coordinate 'fore.4.ua'; did you mean 'fore.4.u" in error


@pytest.mark.parametrize(
    ("depth", "expected"), [(20, "simulation: q: no coordinate 'a.a.a."), (5000, "line 23: expected keys of at most")]
)
def test_names_nested_without_end_are_no_coordinates(file: Path, depth: int, expected: str) -> None:
    file.write_text(f"{ARM}[simulation]\nduration = 1\nq.{'a.' * depth}b = 1\n")
    (error,) = check(file)
    assert expected in error


# ------------------------------------------------------------ bodies in files


def test_a_body_from_a_file_beside_the_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "bodies").mkdir()
    save_body(link(), tmp_path / "bodies" / "link.h5")
    table = '{ structure = "link", basis = "craig-bampton", modes = 1 }'
    file = tmp_path / "model.toml"
    stored = ARM.replace(table, '{ file = "bodies/link.h5" }', 1).replace(
        table, '{ file = "bodies/../bodies/link.h5" }'
    )
    file.write_text(ARM)
    whole = supple.load(file)
    file.write_text(stored)
    monkeypatch.chdir(tmp_path / "bodies")
    model = supple.load("../model.toml")
    assert model == whole
    upper, fore = (placed.body for placed in model.description.bodies.values())
    assert upper is fore


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        ("absent", r"body\[1\] 'upper': flexible: file: .*link.h5: no such file; did you mean 'lnk.h5'"),
        ("folder", "flexible: file: .*link.h5: expected a file, got a directory"),
        ("text", "flexible: file: .*link.h5: expected a flexible body in HDF5, got a damaged or foreign file"),
        ("empty", "flexible: file: .*link.h5: expected a flexible body in HDF5"),
        ("half", "flexible: file: .*link.h5: expected a flexible body in HDF5"),
    ],
)
def test_files_that_hold_no_body(tmp_path: Path, damage: str, message: str) -> None:
    path = tmp_path / "link.h5"
    save_body(link(), path)
    whole = path.read_bytes()
    path.unlink()
    if damage == "absent":
        (tmp_path / "lnk.h5").write_bytes(whole)
    elif damage == "folder":
        path.mkdir()
    else:
        path.write_bytes({"text": b"no HDF5", "empty": b"", "half": whole[: len(whole) // 2]}[damage])
    file = tmp_path / "model.toml"
    file.write_text(ARM.replace('{ structure = "link", basis = "craig-bampton", modes = 1 }', '{ file = "link.h5" }'))
    with pytest.raises(supple.FileFormatError, match=message) as caught:
        supple.load(file)
    assert str(caught.value).count("\n") == 0, "two bodies from one file have one error"
    assert check(file) == [str(caught.value)]


# ------------------------------------------------------------ writing


def round_trip(mech: supple.Mechanism, file: Path) -> supple.Model:
    """The model that is read from what is written; equal, and written the same again."""
    model = mech.build()
    supple.save(model, file)
    again = supple.load(file)
    assert again == model
    assert text(again.description, body_files(again.description, file.stem)) == file.read_text()
    return again


def test_what_is_written_is_read_the_same(file: Path) -> None:
    file.write_text(ARM)
    again = round_trip(toml.read(file).mechanism, file)
    assert sorted(path.name for path in file.parent.iterdir()) == ["model.toml", "model.upper.h5"]
    assert file.read_text().count('flexible = { file = "model.upper.h5" }') == 2
    assert "[[frame]]" not in file.read_text()
    fore = again.description.bodies["fore"]
    assert (fore.node, fore.fidelity) == ("end", "ruthless")
    assert fore.body is again.description.bodies["upper"].body
    stored = load_body(file.with_name("model.upper.h5"))
    assert str(stored.report) == str(link().report)


@pytest.mark.parametrize("number", thinned(range(6), [0, 2]))
def test_any_tree_of_rigid_and_flexible_bodies_is_read_the_same(file: Path, number: int) -> None:
    rng = np.random.default_rng(number)
    kinds = [random_flexible(rng, modes, coupled=coupled)[0] for modes, coupled in ((3, False), (2, True), (0, False))]
    mech = supple.Mechanism("any", rng.normal(size=3))
    joints = (
        supple.Revolute("z", damping=0.1),
        supple.Spherical(),
        supple.Fixed(),
        supple.Free(),
        supple.Prismatic("x"),
    )
    for i in range(8):
        flexible = rng.random() < 0.6
        body = kinds[rng.integers(3)] if flexible else supple.RigidBody(rng.random(), rng.normal(size=3))
        parent = str(rng.choice(["ground", *mech.bodies]))
        carrier = mech.bodies[parent].body if parent in mech.bodies else None
        own = [name for name, frame in mech.frames.items() if frame.body == parent]
        at: object = str(rng.choice([*own, f"{parent}/2"])) if isinstance(carrier, FlexibleBody) else rng.normal(size=3)
        rotation = np.linalg.qr(rng.normal(size=(3, 3)))[0]
        rotation *= np.sign(np.linalg.det(rotation))
        fidelity = str(rng.choice(["full", "ruthless"]))
        joint = joints[rng.integers(len(joints))]
        mech.add_body(f"b{i}", body, parent, joint, at, rotation, fidelity)  # type: ignore[arg-type]
        base = f"b{i}/{rng.choice(['a', 'b', '1'])}" if flexible else f"b{i}"
        mech.add_frame("own", base, rng.normal(size=3), rotation)
    mech.add_spring_damper("s", "b0/own", "b7/own", 3.0, 0.1, 0.2)
    mech.add_wrench("w", "b5/own", rng.normal(size=3), rng.normal(size=3), "ground")
    again = round_trip(mech, file)
    used = {id(placed.body) for placed in mech.bodies.values() if isinstance(placed.body, FlexibleBody)}
    assert len(used) >= 2
    assert len(list(file.parent.glob("*.h5"))) == len(used)
    q, v = again.random_state(1)
    assert np.array_equal(again.bias_forces(q, v), mech.build().bias_forces(q, v))


def test_equal_bodies_that_are_not_one_stay_apart(file: Path) -> None:
    mech = supple.Mechanism("m")
    for name in ("a", "A", "a b", "a:b", "\x00", "b" * 300):
        mech.add_body(name, link("cantilever", 2))
    again = round_trip(mech, file)
    names = [path.name for path in file.parent.glob("*.h5")]
    assert len({name.casefold() for name in names}) == 6
    assert {"model.a.h5", "model.A_2.h5", "model.a_b.h5", "model.a_b_2.h5"} < set(names)
    assert len({id(placed.body) for placed in again.description.bodies.values()}) == 6


def test_a_model_is_saved_over_its_own_files(file: Path) -> None:
    file.write_text(ARM)
    supple.save(supple.load(file), file)
    model = supple.load(file)
    supple.save(model, file)
    assert supple.load(file) == model


def test_what_cannot_be_written_leaves_nothing(tmp_path: Path) -> None:
    mech = supple.Mechanism("m")
    mech.add_body("a", link())
    (tmp_path / "taken.toml").mkdir()
    for target in (tmp_path / "taken.toml", tmp_path / "nowhere" / "m.toml"):
        with pytest.raises(supple.FileFormatError, match=f"{target}: cannot be written: .*(directory|folder)"):
            supple.save(mech, target)
    assert [path.name for path in tmp_path.iterdir()] == ["taken.toml"]


# ------------------------------------------------------------ errors


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('at = "end"', 'at = "edn"', r"body\[2\] 'fore': at: no frame 'edn' on 'upper'; did you mean 'end'"),
        ('at = "end"', 'at = "9"', r"body\[2\] 'fore': at: no frame '9' on 'upper'; there are 'end', 'start'"),
        (
            'at = "end"',
            "at = [0.3, 0, 0]",
            "'fore': at: expected a frame or the place of a node .* got .0.3, 0.0, 0.0.;",
        ),
        ('at = "end"', "offset = [1, 2]", "'fore': offset: expected 3 numbers"),
    ],
)
def test_places_on_flexible_bodies_that_are_not_there(file: Path, old: str, new: str, message: str) -> None:
    assert old in ARM
    file.write_text(ARM.replace(old, new))
    with pytest.raises(supple.FileFormatError, match=message) as caught:
        supple.load(file)
    assert check(file) == [str(caught.value)]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('[[frame]]\nname = "f"\nbody = "fore/edn"', r"frame\[1\] 'f': no frame .*edn'; did you mean"),
        ('[[frame]]\nname = "f"\nbody = "for/end"', r"frame\[1\] 'f': body: no body 'for'; did you mean 'fore'"),
        ('[[frame]]\nname = "end"\nbody = "fore"', r"frame\[1\] 'end': name: there is a frame of this name already"),
        ('[[frame]]\nname = "f"\nbody = "fore/f"', r"frame\[1\] 'f': no frame .*f'"),
        ('[[wrench]]\nname = "w"\nframe = "fore/edn"', r"wrench\[1\] 'w': no frame .*edn'"),
        ('[[wrench]]\nname = "w"\nframe = "fore/5"', r"wrench\[1\] 'w': no frame .*5'"),
        (
            '[[spring_damper]]\nname = "s"\nfirst = "ground"\nsecond = "fore/7"',
            r"spring_damper\[1\] 's': no frame .*7'",
        ),
        (
            '[[frame]]\nname = "g"\nbody = "fore/f"\n[[frame]]\nname = "f"\nbody = "fore/edn"\n'
            '[[wrench]]\nname = "w"\nframe = "fore/g"',
            r"frame\[2\] 'f': no frame .*edn'",
        ),
    ],
)
def test_frames_on_flexible_bodies_that_are_not_there(file: Path, content: str, message: str) -> None:
    file.write_text(f"{ARM}{content}\n")
    with pytest.raises(supple.FileFormatError, match=message) as caught:
        supple.load(file)
    assert check(file) == [str(caught.value)]


def test_all_faults_at_once_and_no_echoes_of_them(file: Path) -> None:
    file.write_text(
        ARM.replace("length = 1", "length = 1\nframes = { x = 99 }")
        + '[[structure]]\nname = "other"\ntype = "beam"\nlength = 1\nelements = 1\n'
        "section = { type = 'circle', radius = 1 }\nmaterial = 'stone'\n"
        '[[body]]\nname = "third"\nparent = "fore"\nat = "x"\njoint = { type = "fixed" }\n'
        'flexible = { structure = "none", basis = "nodal" }\n'
        '[[body]]\nname = "last"\nparent = "third"\nat = "3"\njoint = { type = "fixed" }\nmass = -1\n'
        '[[frame]]\nname = "f"\nbody = "third/end"\n'
        '[[wrench]]\nname = "w"\nframe = "upper/x"\n'
        '[[spring_damper]]\nname = "s"\nfirst = "third/f"\nsecond = "nowhere"\n'
    )
    places = [error.partition(";")[0].removeprefix(f"{file}: ").split(": ")[:2] for error in check(file)]
    assert places == [
        ["structure[1] 'link'", "frame 'x'"],
        ["structure[2] 'other'", "material"],
        ["body[3] 'third'", "flexible"],
        ["body[4] 'last'", "mass"],
        ["spring_damper[1] 's'", "no frame 'nowhere'"],
    ]
