"""TOML model files: what is read, exact writing, and a clear word for each error."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

import supple
from supple.description.rewriting import merged
from supple.files import read, toml
from supple.files.toml_text import text
from support.generated.generators import KINDS, random_tree

ARM = """
name = "one"
[[body]]
name = "arm"
mass = 1.0
joint = { type = "revolute", axis = "y" }
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "model.toml"


def reading(file: Path, content: str) -> supple.Mechanism:
    file.write_text(content, encoding="utf-8")
    return toml.read(file).mechanism


# ------------------------------------------------------------ reading


def test_every_key_arrives(file: Path) -> None:
    mech = reading(
        file,
        """
        name = "all"
        gravity = [1, 2, 3]
        [[body]]
        name = "arm"
        parent = "ground"
        joint = { type = "helical", axis = [0, 0, 1], pitch = 0.1, stiffness = 1, rest = 2, damping = 3, inertia = 4 }
        at = [1, 2, 3]
        rotation = { axis = "x", angle_deg = 90 }
        mass = 2
        com = [0.1, 0.2, 0.3]
        inertia = [[2, 0.1, 0], [0.1, 3, 0], [0, 0, 4]]
        [[frame]]
        name = "tip"
        body = "arm"
        position = [0, 0, 1]
        rotation = [[0, -1, 0], [1, 0, 0], [0, 0, 1]]
        [[spring_damper]]
        name = "s"
        first = "ground"
        second = "arm/tip"
        stiffness = 5
        damping = 6
        length = 7
        [[wrench]]
        name = "w"
        frame = "arm/tip"
        moment = [1, 0, 0]
        force = [0, 1, 0]
        axes = "ground"
        [[coupling]]
        follower = "arm"
        leader = "arm"
        ratio = 2
        offset = 3
        """,
    )
    expected = supple.Mechanism("all", gravity=(1, 2, 3))
    expected.add_body(
        "arm",
        supple.RigidBody(2.0, (0.1, 0.2, 0.3), [[2.0, 0.1, 0.0], [0.1, 3.0, 0.0], [0.0, 0.0, 4.0]]),
        joint=supple.Helical("z", 0.1, stiffness=1, rest=2, damping=3, inertia=4),
        at=(1, 2, 3),
        rotation=Rotation.from_rotvec([np.pi / 2, 0, 0]),
    )
    expected.add_frame("tip", "arm", (0, 0, 1), [[0, -1, 0], [1, 0, 0], [0, 0, 1]])
    expected.add_spring_damper("s", "ground", "arm/tip", 5, 6, 7)
    expected.add_wrench("w", "arm/tip", (1, 0, 0), (0, 1, 0), "ground")
    expected.add_coupling("arm", "arm", 2, 3)
    assert mech.build() == expected.build()


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("{ axis = 'z', angle_deg = 30 }", Rotation.from_euler("z", 30, degrees=True)),
        ("{ axis = [0, 0, -2], angle_deg = 30 }", Rotation.from_euler("z", -30, degrees=True)),
        ("{ rpy_deg = [10, 20, 30] }", Rotation.from_euler("ZYX", [30, 20, 10], degrees=True)),
        ("{ quaternion = [0.6, 0, 0, 0.8] }", Rotation.from_quat([0.6, 0, 0, 0.8])),
    ],
)
def test_rotations(file: Path, written: str, expected: Rotation) -> None:
    mech = reading(file, f"{ARM}rotation = {written}")
    # Two ways to the same nine numbers, a few operations each.
    np.testing.assert_allclose(mech.bodies["arm"].rotation, expected.as_matrix(), rtol=0, atol=1e-15)


def test_bodies_in_any_order_with_frames_behind(file: Path) -> None:
    body = '[[body]]\nname = "{0}"\nparent = "{1}"\nat = {2}\nmass = 1\njoint = {{ type = "revolute", axis = "z" }}\n'
    mech = reading(
        file,
        'name = "chain"\n'
        + body.format("c", "b", "'tip'")
        + body.format("d", "ground", "[0, 0, 0]")
        + body.format("b", "a", "[1, 0, 0]")
        + body.format("a", "ground", "'b'")
        + '[[frame]]\nname = "tip"\nbody = "b"\nposition = [0, 0, 2]\n'
        + '[[frame]]\nname = "b"\nbody = "ground"\nposition = [0, 3, 0]\n',
    )
    assert list(mech.bodies) == ["a", "b", "c", "d"]
    assert mech.bodies["c"].position.tolist() == [0, 0, 2]
    assert mech.bodies["a"].position.tolist() == [0, 3, 0]


def test_order_of_the_file_is_kept_where_it_can_be(file: Path) -> None:
    bodies = "".join(
        f'[[body]]\nname = "{n}"\nparent = "{p}"\nmass = 1\njoint = {{ type = "fixed" }}\n'
        for n, p in (("z", "ground"), ("b", "z"), ("y", "ground"), ("a", "z"))
    )
    assert list(reading(file, f'name = "m"\n{bodies}').bodies) == ["z", "b", "y", "a"]


def test_a_long_chain_from_tip_to_base(file: Path) -> None:
    count = 3000
    bodies = "".join(
        f'[[body]]\nname = "b{i}"\nparent = "b{i - 1}"\nmass = 1\njoint = {{ type = "fixed" }}\n'
        for i in range(count, 0, -1)
    )
    bodies += '[[body]]\nname = "b0"\nmass = 1\njoint = { type = "fixed" }\n'
    assert list(reading(file, f'name = "m"\n{bodies}').bodies) == [f"b{i}" for i in range(count + 1)]


# ------------------------------------------------------------ writing


@pytest.mark.parametrize("number", range(5))
def test_what_is_written_is_read_the_same(file: Path, number: int) -> None:
    model = random_tree(number, 2 * KINDS)
    toml.write(model, file)
    again = toml.read(file).mechanism.build()
    assert again == model
    assert again != random_tree(number + 1, 2 * KINDS)
    assert text(again.description) == file.read_text()


@pytest.mark.parametrize("number", range(5))
def test_merged_bodies_stay_frames(file: Path, number: int) -> None:
    model = supple.Model(merged(random_tree(number, 2 * KINDS).description))
    assert any("/" not in label for label in model.description.frames)
    toml.write(model, file)
    assert toml.read(file).mechanism.build() == model


finite = st.floats(allow_nan=False, allow_infinity=False)
names = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="./"), min_size=1)


@settings(max_examples=50, deadline=None)
@given(mass=st.floats(0, 1e300), position=st.lists(finite, min_size=3, max_size=3), name=names)
def test_any_number_and_name_is_read_the_same(
    tmp_path_factory: pytest.TempPathFactory, mass: float, position: list[float], name: str
) -> None:
    mech = supple.Mechanism("m")
    mech.add_body(name, supple.RigidBody(mass), at=position, joint=supple.Revolute("-z", rest=position[0]))
    file = tmp_path_factory.getbasetemp() / "any.toml"
    toml.write(mech, file)
    assert toml.read(file).mechanism.build() == mech.build()


def test_loads_of_single_freedoms_are_kept_apart(file: Path) -> None:
    mech = supple.Mechanism("m")
    mech.add_body("a", supple.RigidBody(1.0), joint=supple.Universal("x", "z", stiffness=(1, 2), damping=3))
    toml.write(mech, file)
    assert "stiffness = [1.0, 2.0], damping = 3.0 }" in file.read_text()
    assert toml.read(file).mechanism.build() == mech.build()


def test_a_file_that_cannot_be_written_leaves_nothing(tmp_path: Path) -> None:
    mech = supple.Mechanism("m")
    mech.add_body("a", supple.RigidBody(1.0))
    (tmp_path / "taken.toml").mkdir()
    with pytest.raises(supple.FileFormatError, match="cannot be written"):
        toml.write(mech, tmp_path / "taken.toml")
    assert [p.name for p in tmp_path.iterdir()] == ["taken.toml"]


def test_a_mechanism_without_bodies_is_not_written(file: Path) -> None:
    with pytest.raises(supple.ModelError, match="at least one body"):
        toml.write(supple.Mechanism("m"), file)
    assert not file.exists()


# ------------------------------------------------------------ errors

BODY = '[[body]]\nname = "{0}"\nparent = "{1}"\nmass = 1\njoint = {{ type = "fixed" }}\n'


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "name: missing; expected a name"),
        ('name = "m"', r"body: missing; expected at least one \[\[body\]\]"),
        ('name = "m"\nbody = []', r"body: expected at least one \[\[body\]\], got \[\]"),
        ('name = "m"\nbody = 3', "body: expected at least one"),
        ('name = "m"\nbody = [3]', r"body\[1\]: expected a table, got 3"),
        (ARM + "mas = 1", r"body\[1\] 'arm': mas: unknown key; did you mean 'mass'\?"),
        ("gravty = [0, 0, 0]" + ARM, "gravty: unknown key; did you mean 'gravity'"),
        (ARM + "com = [1, 2]", r"body\[1\] 'arm': com: expected 3 numbers, got \[1, 2\]"),
        (ARM + "com = [1, 2, nan]", r"com: expected 3 numbers, got \[1, 2, nan\]"),
        (ARM + "com = [1, 2, -inf]", "com: expected 3 numbers"),
        (ARM + "com = [1, 2, '3']", "com: expected 3 numbers"),
        (ARM + "com = [1, 2, true]", "com: expected 3 numbers"),
        (ARM + f"com = [1, 2, {'9' * 400}]", "com: expected 3 numbers"),
        (ARM + f"com = [1, 2, {'9' * 5000}]", "not valid TOML"),
        (ARM.replace("1.0", "'heavy'"), "mass: expected a number, got 'heavy'"),
        (ARM.replace("1.0", "-1"), r"body\[1\] 'arm': mass: expected zero or more, got -1"),
        (ARM + "inertia = [1, 1, 5]", r"body\[1\] 'arm': inertia: breaks the triangle inequality"),
        (ARM + "allow_unphysical = 1", "allow_unphysical: expected true or false, got 1"),
        (ARM.replace('"arm"', '"a.b"'), "name: expected a name without '/' and '.', got 'a.b'"),
        (ARM.replace('"arm"', '"ground"'), "'ground': name: there is a body of this name already"),
        (
            ARM.replace("revolute", "revolut"),
            "'arm': joint: type: expected one of .* did you mean 'revolute'",
        ),
        (ARM.replace('"revolute"', "3"), "'arm': joint: type: expected one of .* got '3'"),
        (ARM.replace('type = "revolute", ', ""), "'arm': joint: expected a table such as"),
        (ARM.replace('{ type = "revolute", axis = "y" }', '"fixed"'), "'arm': joint: expected a table such as"),
        (ARM.replace("axis", "axs"), "'arm': joint: axs: unknown key; did you mean 'axis'"),
        (ARM.replace('"y"', '"q"'), "'arm': joint: axis: expected 'x', 'y', 'z'.* got 'q'"),
        (ARM.replace('"y"', "[0, 0, 0]"), "'arm': joint: axis: expected a direction, got the zero vector"),
        (ARM.replace('"y"', '"y", damping = [1, 2]'), r"joint: damping: expected numbers of shape \(1,\)"),
        (ARM + "rotation = [[1, 0, 0], [0, 1, 0]]", "'arm': rotation: expected 3 rows of 3 numbers"),
        (ARM + "rotation = [[1, 0, 0], [0, 1, 0], [0, 0, 2]]", "'arm': rotation: expected a rotation matrix"),
        (ARM + "rotation = { axs = 'x', angle_deg = 3 }", "'arm': rotation: axs: unknown key; did you mean 'axis'"),
        (ARM + "rotation = { axis = 'q', angle_deg = 3 }", "'arm': rotation: axis: expected 'x', 'y', 'z'"),
        (ARM + "rotation = { quaternion = [1, 0, 0, 1] }", "rotation: quaternion: expected length 1, got 1.41421"),
        (ARM + "rotation = { nonsense = 1 }", "rotation: expected 3 rows of 3 numbers, or {axis, angle_deg}"),
        (ARM + "at = 'tip'", "'arm': at: no frame 'tip' on 'ground'"),
        (ARM + "parent = 'amr'", "'arm': parent: no body 'amr'; did you mean 'arm'"),
        (ARM + "parent = 'arm'", "parent: expected a way to the ground, got the loop 'arm' -> 'arm'"),
        (
            'name = "m"\n'
            + BODY.format("z", "a")
            + BODY.format("a", "b")
            + BODY.format("b", "c")
            + BODY.format("c", "a"),
            "got the loop 'a' -> 'b' -> 'c' -> 'a'",
        ),
        ('name = "m"\n' + BODY.format("a", "ground") * 2, r"body\[2\] 'a': name: there is a body of this name already"),
        (ARM + '[[frame]]\nname = "f"\nbody = "am"', r"frame\[1\] 'f': body: no body 'am'; did you mean 'arm'"),
        (ARM + '[[frame]]\nname = "f"\nbody = "arm"\n' * 2, r"frame\[2\] 'f': name: there is a frame of this name"),
        (ARM + '[[frame]]\nlabel = "f"\nbody = "arm"\n' * 2, r"frame\[2\] 'f': label: there is a frame of this name"),
        (ARM + '[[frame]]\nlabel = "arm"\nbody = "arm"', r"frame\[1\] 'arm': label: there is a body of this name"),
        (ARM + '[[frame]]\nlabel = "a/b/c"\nbody = "arm"', "label: expected 'name' or 'body/name', got 'a/b/c'"),
        (ARM + '[[frame]]\nname = "a"\nlabel = "b"\nbody = "arm"', "expected either name or label, got both"),
        (ARM + '[[frame]]\nbody = "arm"', r"frame\[1\]: expected either name or label, got neither"),
        (
            ARM + '[[spring_damper]]\nname = "s"\nfirst = "arm/tp"\nsecond = "ground"',
            r"spring_damper\[1\] 's': no frame 'arm/tp'",
        ),
        (ARM + '[[spring_damper]]\nname = "s"\nfirst = "arm"\nsecond = "arm"\nlength = -1', "'s': length: expected"),
        (ARM + '[[wrench]]\nname = "w"\nframe = "amr"', r"wrench\[1\] 'w': no frame 'amr'; did you mean 'arm'"),
        (ARM + '[[wrench]]\nname = "w"\nframe = "arm"\naxes = "body"', r"wrench\[1\] 'w': no frame 'body'"),
        (ARM + '[[coupling]]\nfollower = "a"\nleader = "arm"', r"coupling\[1\]: .* no body 'a'"),
        (ARM + "[simulation]\nduration = 0", "simulation: duration: expected a number greater than zero, got 0"),
        (ARM + "[simulation]\nduration = 1\nsamples = 1", "simulation: samples: expected a whole number, two or more"),
        (ARM + "[simulation]\nduration = 1\nq = 3", "simulation: q: expected a table of numbers by name, got 3"),
        (ARM + "[simulation]\nduration = 1\nq.arm.angle = 'x'", "simulation: q: expected a table of numbers by name"),
        (ARM + "[simulation]\nstp = 1\nduration = 1", "simulation: stp: unknown key; did you mean 'step'"),
        ("[forces]\na = 1\n" + ARM, "forces: unknown key; expected one of 'name', .*'wrench'"),
        ('name = "m"\ngravity = [0, 0', "not valid TOML: .*line 2, column 16, the end of the file"),
        ('name = "m"\ngravity = = 1', "not valid TOML: .*line 2, column 11"),
        ("a = " + "[" * 100_000, "nested too deeply"),
    ],
)
def test_each_fault_is_named(file: Path, content: str, message: str) -> None:
    with pytest.raises(supple.FileFormatError, match=message) as caught:
        reading(file, content)
    assert str(caught.value).startswith(str(file))
    assert toml.check(file) == str(caught.value).split("\n")


def test_bytes_that_are_no_text(file: Path) -> None:
    file.write_bytes(b'name = "m"\n# \xff\n')
    with pytest.raises(supple.FileFormatError, match="expected UTF-8 text, got other bytes at line 2"):
        toml.read(file)


def test_check_finds_all_faults_and_no_echoes_of_them(file: Path) -> None:
    file.write_text(
        'name = "m"\n'
        '[[body]]\nname = "a"\nmass = -1\njoint = { type = "revolute", axis = "q" }\n'
        '[[body]]\nname = "b"\nparent = "a"\nat = "tip"\nmass = 1\njoint = { type = "fixed" }\n'
        '[[body]]\nname = "c"\nparent = "b"\nmass = 1\njoint = { type = "fixed" }\n'
        '[[wrench]]\nname = "w"\nframe = "d"\n'
    )
    found = toml.check(file)
    places = [error.removeprefix(f"{file}: ").split(": ")[:2] for error in found]
    assert places == [
        ["body[1] 'a'", "mass"],
        ["body[1] 'a'", "joint"],
        ["body[2] 'b'", "at"],
        ["wrench[1] 'w'", "no frame 'd'; there are 'a', 'b', 'c', 'ground'"],
    ]


# ------------------------------------------------------------ simulation


def test_simulation_is_read_with_names_quoted_or_not(file: Path) -> None:
    table = "[simulation]\nduration = 2\nsamples = 5\nv = { 'arm.angle' = 2 }\n[simulation.q]\narm.angle = 1\n"
    file.write_text(ARM + table)
    assert read(file).run_arguments() == {"duration": 2.0, "samples": 5, "q": {"arm.angle": 1}, "v": {"arm.angle": 2}}
    assert toml.check(file) == []


def test_simulation_may_be_absent(file: Path) -> None:
    file.write_text(ARM)
    assert read(file).run_arguments() == {}


def test_check_compares_the_simulation_with_the_model(file: Path) -> None:
    file.write_text(f"{ARM}[simulation]\nduration = 2\nq.arm.angel = 1\ntau.arm.x = 1\n")
    first, second = toml.check(file)
    assert first.endswith("simulation: q: no coordinate 'arm.angel'; did you mean 'arm.angle'?")
    assert "simulation: tau: no speed 'arm.x'" in second


@pytest.mark.parametrize("values", ["qx = 1.0", "qw = 0.0"])
def test_check_refuses_a_quaternion_that_is_no_rotation(file: Path, values: str) -> None:
    content = ARM.replace('type = "revolute", axis = "y"', 'type = "spherical"')
    file.write_text(f"{content}[simulation]\nduration = 2\n[simulation.q]\narm.{values}\n")
    (error,) = toml.check(file)
    assert "simulation: q: expected quaternions of length 1" in error
