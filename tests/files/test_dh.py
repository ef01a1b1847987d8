"""Joints placed by Denavit-Hartenberg parameters in model files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import supple
from supple.erls import DH, from_dh
from supple.files import check

ROWS = (
    {"a": 0.1, "alpha_deg": 90.0, "d": 0.3},
    {"a": 0.4, "theta_deg": -30.0},
    {"alpha_deg": -90.0, "d": 0.05, "theta_deg": 20.0},
    {"a": 0.02, "alpha_deg": 35.0, "d": 0.2},
)
KINDS = ("revolute", "revolute", "prismatic", "revolute")


def text(convention: str, kinds: tuple[str, ...] = KINDS, axis: str = "z") -> str:
    """A robot of four rigid links."""
    lines, parent = ['name = "robot"'], "ground"
    for i, (row, kind) in enumerate(zip(ROWS, kinds, strict=True)):
        given = ", ".join(f"{key} = {x}" for key, x in row.items())
        lines += [
            "[[body]]",
            f'name = "l{i}"',
            f'parent = "{parent}"',
            f'joint = {{ type = "{kind}", axis = "{axis}", damping = 0.1 }}',
            f'dh = {{ {given}, convention = "{convention}" }}',
            f"mass = {1.0 + i}",
            "com = [0.05, 0.01, 0.02]",
            "inertia = [0.01, 0.02, 0.03]",
        ]
        parent = f"l{i}"
    return "\n".join(lines)


@pytest.mark.parametrize("convention", ["standard", "modified"])
def test_a_file_is_the_table_in_python(convention: str, tmp_path: Path) -> None:
    (tmp_path / "robot.toml").write_text(text(convention))
    model = supple.load(tmp_path / "robot.toml")
    rows = [
        DH(
            x.get("a", 0),
            np.deg2rad(x.get("alpha_deg", 0)),
            x.get("d", 0),
            np.deg2rad(x.get("theta_deg", 0)),
            kind,
            damping=0.1,
        )
        for x, kind in zip(ROWS, KINDS, strict=True)
    ]
    links = {f"l{i}": supple.RigidBody(1.0 + i, (0.05, 0.01, 0.02), (0.01, 0.02, 0.03)) for i in range(4)}
    assert model == from_dh("robot", links, rows, convention).build()
    assert ("l3/dh" in model.frames) == (convention == "standard")
    supple.save(model, tmp_path / "again.toml")
    assert supple.load(tmp_path / "again.toml") == model


def test_the_end_is_the_product_of_the_rows(tmp_path: Path) -> None:
    """Against the matrices of the textbook, row by row."""
    (tmp_path / "robot.toml").write_text(text("standard"))
    q, end = np.array([0.3, -0.4, 0.15, 0.9]), np.eye(4)
    for x, kind, value in zip(ROWS, KINDS, q, strict=True):
        theta = np.deg2rad(x.get("theta_deg", 0.0)) + (value if kind == "revolute" else 0.0)
        d = x.get("d", 0.0) + (value if kind == "prismatic" else 0.0)
        a, alpha = x.get("a", 0.0), np.deg2rad(x.get("alpha_deg", 0.0))
        c, s, ca, sa = np.cos(theta), np.sin(theta), np.cos(alpha), np.sin(alpha)
        end = end @ np.array([[c, -s * ca, s * sa, a * c], [s, c * ca, -c * sa, a * s], [0, sa, ca, d], [0, 0, 0, 1]])
    R, p = supple.load(tmp_path / "robot.toml").pose(q, "l3/dh")
    np.testing.assert_allclose(R, end[:3, :3], atol=1e-14)
    np.testing.assert_allclose(p, end[:3, 3], atol=1e-14)


FLEXIBLE = """
name = "arm"

[[structure]]
name = "rod"
type = "beam"
length = 0.5
section = { type = "rectangle", width = 0.02, height = 0.01 }
material = { E = 70e9, nu = 0.33, rho = 2700 }
elements = 4

[[body]]
name = "upper"
joint = { type = "revolute", axis = "z" }
dh = { a = LENGTH, alpha_deg = 90 }
flexible = { structure = "rod", basis = "craig-bampton", modes = 2 }

[[body]]
name = "fore"
parent = "upper"
joint = { type = "revolute", axis = "z" }
dh = { a = 0.3 }
mass = 1.0
inertia = [0.1, 0.1, 0.1]
"""


def test_flexible_links_carry_the_next_at_their_end(tmp_path: Path) -> None:
    file = tmp_path / "arm.toml"
    file.write_text(FLEXIBLE.replace("LENGTH", "0.5"))
    model = supple.load(file)
    assert model.description.bodies["fore"].node == "end"
    np.testing.assert_allclose(model.pose(model.neutral(), "fore/dh")[1], [0.8, 0, 0], atol=1e-15)
    file.write_text(FLEXIBLE.replace("LENGTH", "0.45"))
    errors = "\n".join(check(file))
    assert "body[1] 'upper': dh: expected a node at [0.45, 0.0, 0.0], where its outboard frame is" in errors


def test_wrong_tables_are_named(tmp_path: Path) -> None:
    file = tmp_path / "robot.toml"
    file.write_text(text("standard", axis="y"))
    assert (
        f"{file}: body[1] 'l0': dh: expected a revolute or prismatic joint about z, got another revolute joint"
        in check(file)
    )
    file.write_text(text("standard").replace("mass = 1.0", "mass = 1.0\nat = [0, 0, 1]"))
    assert check(file) == [f"{file}: body[1] 'l0': at: expected either this or dh, got both"]
    file.write_text(text("standard").replace("a = 0.1", "b = 0.1"))
    assert any("body[1] 'l0': dh: b: unknown key" in line for line in check(file))
    file.write_text(text("old"))
    assert any('dh: convention: expected "standard" or "modified", got \'old\'' in line for line in check(file))
