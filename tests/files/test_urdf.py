"""URDF robot descriptions: what is taken from them, and a clear word for each error."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import supple
from supple.files import urdf

INERTIAL = """
<inertial>
  <origin xyz="0.1 0.2 0.3" rpy="0.4 0.5 0.6"/>
  <mass value="2"/>
  <inertia ixx="2" ixy="0.1" ixz="0.2" iyy="3" iyz="0.3" izz="4"/>
</inertial>
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "robot.urdf"


def reading(file: Path, *elements: str, joint_damping: bool = False) -> supple.Mechanism:
    file.write_text(f'<robot name="r">{"".join(elements)}</robot>', encoding="utf-8")
    return urdf.read(file, joint_damping)


def link(name: str, content: str = "") -> str:
    return f'<link name="{name}">{content}</link>'


def joint(name: str, parent: str, child: str, kind: str = "continuous", content: str = "") -> str:
    ends = f'<parent link="{parent}"/><child link="{child}"/>'
    return f'<joint name="{name}" type="{kind}">{ends}{content}</joint>'


PAIR = link("base") + link("arm")


# ------------------------------------------------------------ reading


def test_inertia_is_turned_into_body_axes(file: Path) -> None:
    body = reading(file, link("base", INERTIAL)).bodies["base"].body
    R = Rotation.from_euler("ZYX", [0.6, 0.5, 0.4]).as_matrix()
    assert body.mass == 2
    assert body.com.tolist() == [0.1, 0.2, 0.3]
    # Two ways to the same rotation, then two products of 3x3 matrices with entries up to 4.
    np.testing.assert_allclose(
        body.inertia, R @ [[2, 0.1, 0.2], [0.1, 3, 0.3], [0.2, 0.3, 4]] @ R.T, rtol=0, atol=1e-14
    )


def test_a_link_without_inertia_has_no_mass(file: Path) -> None:
    body = reading(file, link("base")).bodies["base"].body
    assert body.mass == 0
    assert not body.inertia.any()


@pytest.mark.parametrize(
    ("kind", "coordinates"),
    [
        ("revolute", ["arm.angle"]),
        ("continuous", ["arm.angle"]),
        ("prismatic", ["arm.position"]),
        ("fixed", []),
        ("floating", [f"arm.{c}" for c in ("x", "y", "z", "qx", "qy", "qz", "qw")]),
        ("planar", ["arm.x", "arm.y", "arm.angle"]),
    ],
)
def test_joint_kinds(file: Path, kind: str, coordinates: list[str]) -> None:
    model = reading(file, PAIR, joint("j", "base", "arm", kind, '<axis xyz="0 0 2"/>')).build()
    assert list(model.coordinates) == coordinates


def test_joints_move_along_and_about_their_axes(file: Path) -> None:
    axis = '<axis xyz="0 0 2"/>'
    for kind, turned, moved in (
        ("revolute", 0.1, [0, 0, 0]),
        ("continuous", 0.1, [0, 0, 0]),
        ("prismatic", 0.0, [0, 0, 0.1]),
        ("planar", 0.3, [0.1, 0.2, 0]),
    ):
        model = reading(file, PAIR, joint("j", "base", "arm", kind, axis)).build()
        R, p = model.pose([0.1, 0.2, 0.3][: model.nq], "arm")
        # Products with ones and zeros, and one sine.
        np.testing.assert_allclose(R[1, 0], np.sin(turned), rtol=0, atol=1e-15)
        np.testing.assert_allclose(p, moved, rtol=0, atol=1e-15)


def test_the_axis_is_x_if_there_is_none(file: Path) -> None:
    model = reading(file, PAIR, joint("j", "base", "arm", "prismatic")).build()
    assert model.pose([0.5], "arm")[1].tolist() == [0.5, 0, 0]


@pytest.mark.parametrize("turn", ['rpy="0.1 0.2 0.3"', 'quat_xyzw="0 0 0.6 0.8"'])
def test_origin_of_a_joint(file: Path, turn: str) -> None:
    placed = reading(file, PAIR, joint("j", "base", "arm", content=f'<origin xyz="1 2 3" {turn}/>')).bodies["arm"]
    expected = Rotation.from_euler("ZYX", [0.3, 0.2, 0.1]) if "rpy" in turn else Rotation.from_quat([0, 0, 0.6, 0.8])
    assert placed.position.tolist() == [1, 2, 3]
    np.testing.assert_allclose(placed.rotation, expected.as_matrix(), rtol=0, atol=1e-15)


def test_order_is_depth_first_by_the_codes_of_joint_names(file: Path) -> None:
    links = "".join(link(name) for name in "edcba")
    joints = joint("z", "a", "b") + joint("a", "b", "c") + joint("Z", "a", "d") + joint("y", "a", "e")
    assert list(reading(file, links, joints).bodies) == ["a", "d", "e", "b", "c"]


def test_names_are_made_fit_and_stay_apart(file: Path) -> None:
    links = link("ground") + link("l.0") + link("l_0") + link("l/0")
    joints = joint("a", "ground", "l.0") + joint("b", "ground", "l_0") + joint("c", "ground", "l/0")
    mech = reading(file, links, joints)
    assert list(mech.bodies) == ["ground_2", "l_0_2", "l_0", "l_0_3"]
    assert {placed.parent for placed in mech.bodies.values()} == {"ground", "ground_2"}


def test_mimic_joints_stay_free_with_the_relation_kept(file: Path) -> None:
    mimic = '<mimic joint="j" multiplier="2" offset="0.5"/>'
    mech = reading(file, PAIR, link("hand"), joint("j", "base", "arm"), joint("k", "arm", "hand", content=mimic))
    model = mech.build(merge_fixed=True)
    assert model.nv == 2
    (coupling,) = model.couplings
    assert (coupling.follower, coupling.leader, coupling.ratio, coupling.offset) == ("hand", "arm", 2, 0.5)


def test_damping_is_taken_only_if_asked_for(file: Path) -> None:
    arm = joint("j", "base", "arm", content='<dynamics damping="3" friction="2"/>')
    assert reading(file, PAIR, arm).build().bias_forces([0.0], [1.0]).tolist() == [0]
    assert reading(file, PAIR, arm, joint_damping=True).build().bias_forces([0.0], [1.0]).tolist() == [3]


def test_elements_of_other_programs_are_left_alone(file: Path) -> None:
    visual = '<visual><geometry><mesh filename="package://nowhere/no.stl"/></geometry></visual>'
    other = '<gazebo><joint name="j"/><x:y undeclared="prefix"/></gazebo><transmission><joint name="j"/></transmission>'
    mech = reading(file, link("base", visual), link("arm"), joint("j", "base", "arm"), other)
    assert list(mech.bodies) == ["base", "arm"]


def test_a_long_chain(file: Path) -> None:
    count = 3000
    links = "".join(link(f"l{i}") for i in range(count))
    mech = reading(file, links, *(joint(f"j{i}", f"l{i}", f"l{i + 1}") for i in range(count - 1)))
    assert len(mech.bodies) == count


def test_one_warning_for_all_that_no_real_body_can_be(file: Path) -> None:
    wrong = INERTIAL.replace('izz="4"', 'izz="40"')
    negative = INERTIAL.replace('izz="4"', 'izz="-4"')
    mimic = joint("j", "base", "arm", content='<mimic joint="i"/>')
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        mech = reading(file, link("base", wrong), link("arm", negative), mimic)
    (warning,) = caught
    assert issubclass(warning.category, supple.PhysicsWarning)
    message = str(warning.message)
    assert "'base': inertia: breaks the triangle inequality" in message
    assert "'arm': inertia: expected no negative principal moment" in message
    assert "joint 'j': mimic left out: no joint 'i'; there are 'j'" in message
    arm = mech.bodies["arm"].body
    assert isinstance(arm, supple.RigidBody)
    assert arm.allow_unphysical
    assert mech.couplings == []


def test_the_warning_points_at_the_call_of_load(file: Path) -> None:
    base = link("base", INERTIAL.replace('izz="4"', 'izz="40"'))
    file.write_text(f'<robot name="r">{base}</robot>')
    with pytest.warns(supple.PhysicsWarning) as caught:
        supple.load(file, floating_base=True)
    assert caught[0].filename == __file__


# ------------------------------------------------------------ errors

BILLION_LAUGHS = '<!DOCTYPE r [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;">]>\n<robot name="&b;"><link name="l"/></robot>'
OUTSIDE = '<!DOCTYPE r SYSTEM "http://nowhere.invalid/r.dtd">\n<robot name="r"><link name="l"/></robot>'


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "not valid XML: no element found at line 1, column 1"),
        ('<robot name="r">\n<link name="a">', "not valid XML: no element found at line 2, column 16"),
        ('<robot name="r">\n<link name=a/></robot>', "not valid XML: .* at line 2, column 12"),
        ('<robot name="&x;"/>', "not valid XML: undefined entity at line 1"),
        ('<?xml version="1.0" encoding="no-such"?><robot/>', "not valid XML: unknown encoding"),
        (BILLION_LAUGHS, "line 1: expected no document type"),
        (OUTSIDE, "line 1: expected no document type"),
        ("<sdf/>", "line 1: expected <robot>, got <sdf>"),
    ],
)
def test_files_that_are_no_robots(file: Path, content: str, message: str) -> None:
    file.write_text(content)
    with pytest.raises(supple.FileFormatError, match=message) as caught:
        urdf.read(file)
    assert str(caught.value).startswith(str(file))
    assert urdf.check(file) == [str(caught.value)]


ARM = joint("j", "base", "arm")


def with_arm(content: str) -> str:
    return PAIR + joint("j", "base", "arm", content=content)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "expected at least one <link>, got none"),
        ("<link/>", "line 1: link '': name: missing"),
        (link("a") * 2, "link 'a': name: there is a link of this name already"),
        (PAIR + link("c") + ARM + joint("j", "base", "c"), "joint 'j': name: there is a joint of this name already"),
        (PAIR + ARM.replace('name="j" ', ""), "joint '': name: missing"),
        (PAIR, "expected one root link, got 2: 'base', 'arm'"),
        (PAIR + ARM + joint("k", "arm", "base"), "got the loop 'arm' <- 'base' <- 'arm'; there is no root link"),
        (
            PAIR
            + ARM
            + link("x")
            + link("y")
            + link("z")
            + joint("k", "x", "y")
            + joint("l", "y", "x")
            + joint("m", "y", "z"),
            "expected a tree of links, got the loop 'x' <- 'y' <- 'x'$",
        ),
        (PAIR + joint("j", "arm", "arm"), "got the loop 'arm' <- 'arm'"),
        (PAIR + joint("j", "bse", "arm"), "joint 'j': parent: no link 'bse'; did you mean 'base'"),
        (PAIR + joint("j", "base", "am"), "joint 'j': child: no link 'am'; did you mean 'arm'"),
        (PAIR + ARM.replace('<parent link="base"/>', ""), "joint 'j': parent: missing; expected <parent link="),
        (PAIR + ARM.replace('<child link="arm"/>', "<child/>"), "joint 'j': child: missing"),
        (PAIR + link("c") + ARM + joint("k", "c", "arm"), "joint 'j': child: link 'arm' is the child of joint 'k' al"),
        (
            PAIR + ARM.replace("continuous", "continous"),
            "joint 'j': type: .* did you mean 'continuous'",
        ),
        (PAIR + ARM.replace('type="continuous"', ""), "joint 'j': type: expected one of .* got ''"),
        (with_arm('<axis xyz="0 0 0"/>'), "joint 'j': .*axis: expected a direction"),
        (
            with_arm('<axis xyz="0 0"/>'),
            "axis: xyz: expected 3 numbers, finite, got '0 0'",
        ),
        (
            with_arm('<origin xyz="1 2 x"/>'),
            "origin: xyz: expected 3 numbers, got '1 2 x'",
        ),
        (with_arm('<origin xyz="1 2 1_0"/>'), "origin: xyz: expected 3 numbers, got"),
        (
            with_arm('<origin rpy="1 2 nan"/>'),
            "origin: rpy: expected 3 numbers, finite",
        ),
        (
            with_arm('<origin quat_xyzw="0 0 0 1e-300"/>'),
            "origin: expected either rpy or a qua",
        ),
        (with_arm('<dynamics damping="x"/>'), "dynamics: damping: expected a number"),
        (
            with_arm('<mimic joint="j" multiplier="x"/>'),
            "joint 'j': mimic: multiplier: expected a number, got 'x'",
        ),
        (link("a", INERTIAL.replace('value="2"', "")), "link 'a': mass: value: missing; expected a number"),
        (link("a", INERTIAL.replace('value="2"', 'value="inf"')), "mass: value: expected a number, finite, got 'inf'"),
        (
            link("a", INERTIAL.replace('<mass value="2"/>', "")),
            "expected <mass> and <inertia>, got no <mass>",
        ),
        (link("a", INERTIAL.replace('iyz="0.3"', "")), "link 'a': inertia: iyz: missing"),
    ],
)
def test_each_fault_is_named(file: Path, content: str, message: str) -> None:
    with pytest.raises(supple.FileFormatError, match=message) as caught:
        reading(file, content, joint_damping=True)
    assert str(caught.value).startswith(str(file))
    assert urdf.check(file) == str(caught.value).split("\n")


def test_a_robot_without_a_name(file: Path) -> None:
    file.write_text("<robot><link name='a'/></robot>")
    with pytest.raises(supple.FileFormatError, match="line 1: robot: name: missing"):
        urdf.read(file)


def test_check_finds_all_faults(file: Path) -> None:
    bad = joint("j", "base", "arm", "continous", '<origin xyz="1"/>')
    file.write_text(f'<robot name="r">\n{link("base", "<inertial/>")}\n{link("arm")}\n{bad}\n</robot>')
    assert [error.removeprefix(f"{file}: ").split(": ")[:3] for error in urdf.check(file)] == [
        ["line 2", "link 'base'", "inertial"],
        ["line 4", "joint 'j'", "origin"],
        ["line 4", "joint 'j'", "type"],
    ]
