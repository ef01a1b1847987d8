"""Robots in supple and in Pinocchio; `benchmarks/peers/all_robots.py` asks the same of every robot there is."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest

import supple
from supple.bench.pinocchio import Peer, compared
from support.cases import thinned
from support.files.robots import robot_directory

ROBOTS = (
    "double_pendulum_continuous",
    "ur5_robot",
    "panda",
    "kinova",
    "solo12",
    "hyq_no_sensors",
    "allegro_right_hand",
    "talos_reduced",
    "tiago_dual",
)

EVERY_KIND = """
<robot name="kinds">
  <link name="base">{inertial}</link>
  <link name="slide">{inertial}</link><link name="plate">{inertial}</link><link name="wheel">{inertial}</link>
  <link name="kite">{inertial}</link><link name="arm">{inertial}</link><link name="hand">{inertial}</link>
  <joint name="y" type="prismatic">
    <parent link="base"/><child link="slide"/><axis xyz="0 1 1"/><limit effort="1" velocity="1"/>
  </joint>
  <joint name="X" type="planar">
    <parent link="slide"/><child link="plate"/><axis xyz="0 0 1"/><origin xyz="1 2 3" rpy="1 2 3"/>
  </joint>
  <joint name="x" type="continuous">
    <parent link="plate"/><child link="wheel"/><axis xyz="1 2 3"/><origin xyz="1 0 1" rpy="3 2 1"/>
    <dynamics damping="3" friction="2"/>
  </joint>
  <joint name="a" type="floating"><parent link="plate"/><child link="kite"/><origin xyz="0 1 0" rpy="0 1 2"/></joint>
  <joint name="b" type="revolute">
    <parent link="wheel"/><child link="arm"/><limit effort="1" velocity="1" lower="-9" upper="9"/>
    <mimic joint="x" multiplier="2"/>
  </joint>
  <joint name="c" type="fixed"><parent link="arm"/><child link="hand"/><origin xyz="1 1 1" rpy="1 1 1"/></joint>
</robot>
"""
INERTIAL = """
<inertial>
  <origin xyz="0.1 0.2 0.3" rpy="0.4 0.5 0.6"/><mass value="2"/>
  <inertia ixx="2" ixy="0.1" ixz="0.2" iyy="3" iyz="0.3" izz="4"/>
</inertial>
"""


def assert_agrees(peer: Peer) -> None:
    """Rounding of the longest branch, and for forward dynamics rounding times the condition of the mass matrix."""
    found = compared(peer, states=3)
    assert peer.model.nv == peer.pin.nv > 0
    assert found.inverse < 1e-10
    assert found.mass_matrix < 1e-10
    assert found.forward is not None
    assert found.forward < found.forward_allowed


@pytest.mark.parametrize("floating_base", [False, True])
@pytest.mark.parametrize("robot", thinned(ROBOTS, [name for name in ROBOTS if name != "tiago_dual"]))
def test_robot(robot: str, floating_base: bool) -> None:
    peer = Peer.of_file(next(robot_directory().rglob(f"{robot}.urdf")), floating_base)
    assert_agrees(peer)


@pytest.mark.parametrize("floating_base", [False, True])
def test_every_kind_of_joint(tmp_path: Path, floating_base: bool) -> None:
    path = tmp_path / "kinds.urdf"
    path.write_text(EVERY_KIND.format(inertial=INERTIAL))
    peer = Peer.of_file(path, floating_base)
    assert {m.kind for m in peer.matches} >= {"single", "continuous", "planar", "free"}
    assert_agrees(peer)


@pytest.mark.parametrize("robot", ["tiago_dual", "talos_reduced", "allegro_right_hand"])
def test_order_of_the_bodies(robot: str) -> None:
    peer = Peer.of_file(next(robot_directory().rglob(f"{robot}.urdf")), floating_base=True)
    assert [m.v for m in peer.matches] == sorted(m.v for m in peer.matches)
    assert len(peer.matches) == len(peer.model.bodies)


def test_poses_of_merged_links() -> None:
    peer = Peer.of_file(next(robot_directory().rglob("panda.urdf")))
    q, _ = peer.model.random_state(0)
    pin.framesForwardKinematics(peer.pin, peer.data, peer.coordinates(q))
    links = [(i, f.name) for i, f in enumerate(peer.pin.frames) if f.type == pin.FrameType.BODY]
    assert len(links) > len(peer.model.bodies)
    for number, name in links:
        R, p = peer.model.pose(q, name)
        place = peer.data.oMf[number]
        # A dozen products of rotations, lengths below 2 m.
        np.testing.assert_allclose(R, place.rotation, rtol=0, atol=1e-14)
        np.testing.assert_allclose(p, place.translation, rtol=0, atol=1e-14)


@pytest.mark.parametrize("floating_base", [False, True])
@pytest.mark.parametrize("robot", thinned(["talos_reduced", "tiago_dual", "romeo_laas_small"], ["talos_reduced"]))
def test_real_robots_are_saved_exactly(tmp_path: Path, robot: str, floating_base: bool) -> None:
    model = Peer.of_file(next(robot_directory().rglob(f"{robot}.urdf")), floating_base).model
    supple.save(model, tmp_path / "robot.toml")
    assert supple.load(tmp_path / "robot.toml") == model
