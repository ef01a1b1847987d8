"""Plates and structures made of others in model files: as made in Python, and errors."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import supple
from supple.errors import FileFormatError
from supple.files import check
from supple.structures import (
    Attach,
    Bushing,
    Follow,
    Layer,
    Layup,
    Material,
    Orthotropic,
    Part,
    Rectangle,
    Structure,
    Weld,
    assemble,
    beam,
    plate,
    shell,
)
from supple.structures.builders.connections import Connection

ALUMINIUM = Material(E=70e9, nu=0.3, rho=2700)
CORE = Orthotropic(E1=1e6, E2=1e6, nu12=0.3, G12=1e6, G13=2e8, G23=1e8, rho=50)
QUARTER = Rotation.from_euler("xyz", (0, 0, 90), degrees=True)
MATERIALS = """\
name = "one"
[[material]]
name = "aluminium"
E = 70e9
nu = 0.3
rho = 2700
[[material]]
name = "core"
E1 = 1e6
E2 = 1e6
nu12 = 0.3
G12 = 1e6
G13 = 2e8
G23 = 1e8
rho = 50
"""
BODY = """
[[body]]
name = "b"
joint = { type = "revolute", axis = "y" }
flexible = { structure = "s", basis = "cantilever", modes = 2 }
"""
PLATE = """\
[[structure]]
name = "s"
type = "plate"
outline = [1.0, 0.5]
thickness = 0.01
material = "aluminium"
elements = [2, 2]
frames = { start = "x_min", tip = [1.0, 0.1] }
"""
SHELL = """\
[[structure]]
name = "s"
type = "shell"
nodes = [[0, 0, 0], [1, 0, 0.1], [1, 1, 0.1], [0, 1, 0], [0, 2, -0.1], [1, 2, 0]]
elements = [[0, 1, 2, 3], [3, 2, 5, 4]]
thickness = 0.01
material = "aluminium"
frames = { start = [0, 3], tip = 5 }
"""
RIB = """\
[[structure]]
name = "panel"
type = "plate"
outline = [1.0, 0.5]
thickness = 0.01
material = "aluminium"
elements = [2, 2]
frames = { start = "x_min" }
[[structure]]
name = "rib"
type = "beam"
length = 1.0
section = { type = "rectangle", width = 0.01, height = 0.03 }
material = "aluminium"
elements = 2
[[structure]]
name = "s"
type = "assembly"
frames = { start = "panel.start" }
[[structure.part]]
name = "panel"
structure = "panel"
[[structure.part]]
name = "rib"
structure = "rib"
at = [0, 0, -0.02]
[[structure.attach]]
part = "rib"
to = "panel"
within = 0.03
"""


def body_of(tmp_path: Path, text: str) -> supple.Model:
    path = tmp_path / "model.toml"
    path.write_text(MATERIALS + text + BODY)
    model = supple.load(path)
    assert isinstance(model, supple.Model)
    return model


def alike(model: supple.Model, structure: Structure) -> bool:
    mech = supple.Mechanism("one")
    mech.add_body("b", structure.reduce("cantilever", 2))
    return model == mech.build()


def panel(**changes: object) -> Structure:
    given: dict[str, object] = {
        "outline": (1.0, 0.5),
        "thickness": 0.01,
        "material": ALUMINIUM,
        "elements": (2, 2),
        "frames": {"start": "x_min", "tip": (1.0, 0.1)},
    }
    return plate(**{**given, **changes})  # type: ignore[arg-type]


def test_plates_are_those_of_python(tmp_path: Path) -> None:
    assert alike(body_of(tmp_path, PLATE), panel())
    layers = (
        "layers = [{ thickness = 0.001, material = 'aluminium' }, "
        "{ thickness = 0.02, material = 'core', angle_deg = 30 }]"
    )
    layered = PLATE.replace("thickness = 0.01", layers).replace('material = "aluminium"\n', "")
    layup = Layup([Layer(0.001, ALUMINIUM), Layer(0.02, CORE, np.pi / 6)])
    assert alike(body_of(tmp_path, layered), panel(thickness=None, material=None, layup=layup))
    rows = "[[1e8, 3e7, 0], [3e7, 1e8, 0], [0, 0, 4e7]]"
    small = rows.replace("e8", "e3").replace("e7", "e2")
    abd = f"abd = {{ A = {rows}, D = {small}, shear = [1e7, 2e7], thickness = 0.01, mass = 5 }}"
    given = PLATE.replace("thickness = 0.01", abd).replace('material = "aluminium"\n', "")
    A, D = (np.array([[x, y, 0], [y, x, 0], [0, 0, z]]) for x, y, z in ((1e8, 3e7, 4e7), (1e3, 3e2, 4e2)))
    by_matrices = Layup.from_abd(A, 0 * A, D, (1e7, 2e7), 0.01, 5.0)
    assert alike(body_of(tmp_path, given), panel(thickness=None, material=None, layup=by_matrices))
    polygon = PLATE.replace("[1.0, 0.5]", "[[0, 0], [1, 0], [0, 1]]").replace("elements = [2, 2]", "spacing = 0.25")
    polygon = polygon.replace('"x_min", tip = [1.0, 0.1]', '"edge3"')
    polygon += "averages = { mean = [[0.2, 0.2], [0.4, 0.2], [0.2, 0.4]] }\n"
    expected = plate([(0, 0), (1, 0), (0, 1)], 0.01, ALUMINIUM, spacing=0.25, frames={"start": "edge3"},
                     averages={"mean": [(0.2, 0.2), (0.4, 0.2), (0.2, 0.4)]})  # fmt: skip
    assert alike(body_of(tmp_path, polygon), expected)


def test_shells_are_those_of_python(tmp_path: Path) -> None:
    nodes = [(0, 0, 0), (1, 0, 0.1), (1, 1, 0.1), (0, 1, 0), (0, 2, -0.1), (1, 2, 0)]
    frames: dict[str, int | tuple[int, ...]] = {"start": (0, 3), "tip": 5}
    expected = shell(nodes, [(0, 1, 2, 3), (3, 2, 5, 4)], 0.01, ALUMINIUM, frames=frames)
    assert alike(body_of(tmp_path, SHELL), expected)
    layers = "layers = [{ thickness = 0.001, material = 'aluminium' }]"
    layered = SHELL.replace("thickness = 0.01", layers).replace('material = "aluminium"\n', "")
    layered = layered.replace("[[0, 1, 2, 3], [3, 2, 5, 4]]", "[[0, 1, 2], [0, 2, 3], [3, 2, 4], [2, 5, 4]]")
    triangles = [(0, 1, 2), (0, 2, 3), (3, 2, 4), (2, 5, 4)]
    thin = shell(nodes, triangles, layup=Layup([Layer(0.001, ALUMINIUM)]), frames=frames)
    assert alike(body_of(tmp_path, layered), thin)


def test_assemblies_are_those_of_python(tmp_path: Path) -> None:
    sheet = panel(frames={"start": "x_min"})
    rib = beam(1.0, Rectangle(0.01, 0.03), ALUMINIUM, 2)
    parts = {"panel": Part(sheet), "rib": Part(rib, at=(0, 0, -0.02))}
    attached = assemble(parts, [Attach("rib", "panel", 0.03)], {"start": "panel.start"})
    assert alike(body_of(tmp_path, RIB), attached)
    other = RIB[: RIB.index("[[structure.attach]]")]
    other = other.replace("at = [0, 0, -0.02]", "rotation = { rpy_deg = [0, 0, 90] }") + (
        "[[structure.weld]]\nframes = ['panel.4', 'rib.start']\n"
        "[[structure.bushing]]\nfirst = 'panel.8'\nsecond = 'rib.end'\n"
        "stiffness = [1e5, 0, 2e5]\nrotational = [0, 3e3, 0]\n"
        "[[structure.follow]]\nframe = 'rib.1'\nothers = ['panel.5', 'panel.7', 'panel.8']\nweights = [1, 1, 2]\n"
    )
    turned = {"panel": Part(sheet), "rib": Part(rib, rotation=QUARTER)}
    joints: list[Connection] = [
        Weld(["panel.4", "rib.start"]),
        Bushing("panel.8", "rib.end", (1e5, 0, 2e5), (0, 3e3, 0)),
        Follow("rib.1", ["panel.5", "panel.7", "panel.8"], [1, 1, 2]),
    ]
    assert alike(body_of(tmp_path, other), assemble(turned, joints, {"start": "panel.start"}))


@pytest.mark.parametrize(
    ("text", "old", "new", "message"),
    [
        (PLATE, '"x_min"', '"left"', r"structure\[1\] 's': frame 'start': no edge or corner 'left'"),
        (PLATE, "[1.0, 0.1]", "[1.0, 0.6]", r"'s': frame 'tip': expected a position on the plate, got \[1.0, 0.6\]"),
        (PLATE, "[1.0, 0.1]", "3", "'s': frames: expected a table of places by name"),
        (PLATE, "thickness = 0.01", "thickness = 0", "'s': thickness: expected a number greater than zero, got 0"),
        (PLATE, "thickness = 0.01\n", "", "'s': expected thickness and material, layers, or abd, got none of them"),
        (PLATE, 'material = "aluminium"\n', "", "'s': material: missing; expected the name"),
        (PLATE, 'material = "aluminium"', 'material = "core"', "'s': material: expected an isotropic one, got 'core'"),
        (PLATE, "elements = [2, 2]\n", "", "'s': expected either elements or a spacing, got neither"),
        (PLATE, "elements = [2, 2]", "elements = [2]", "'s': elements: expected 2 whole numbers, one or more, got"),
        (PLATE, "[1.0, 0.5]", "[[0, 0], [1, 0], [0, 1]]", "'s': elements: expected only for a rectangle"),
        (PLATE, "[1.0, 0.5]\n", "[[0, 0], [1, 1], [1, 0], [0, 1]]\nspacing = 1.0\n", "'s': elements: expected only"),
        (PLATE.replace("elements = [2, 2]", "spacing = 0.1"), "[1.0, 0.5]", "[[0, 0], [1, 1], [1, 0], [0, 1]]",
         "'s': outline: expected a polygon that does not cross itself, but edges 1 and 3 meet"),
        (PLATE.replace('material = "aluminium"\n', ""), "thickness = 0.01",
         "layers = [{ thickness = 0.1, material = 'cor' }]", r"'s': layers\[1\]: material: no .* did you mean 'core'"),
        (PLATE.replace('material = "aluminium"\n', ""), "thickness = 0.01",
         "abd = { A = [[1, 2, 0], [2, 1, 0], [0, 0, 1]], D = [[1, 0, 0], [0, 1, 0], [0, 0, 1]], shear = [1, 1], "
         "thickness = 1, mass = 1 }", "'s': layup: A, B, D: expected a positive definite stiffness"),
        (SHELL, "[0, 1, 2, 3]", "[0, 1, 2, 9]", "'s': element 0: expected numbers of nodes from 0 to 5, got"),
        (SHELL, "[0, 1, 2, 3]", "[0, 1, 2]", "'s': elements: expected quadrilaterals or triangles, got both"),
        (SHELL, "[0, 1, 2, 3]", "[0, 1]", "'s': elements: expected rows of 4 node numbers, or of 3, got"),
        (SHELL, "tip = 5", "tip = 6", "'s': frame 'tip': .*6"),
        (SHELL, "thickness = 0.01\n", "", "'s': expected thickness and material, layers, or abd, got none of them"),
        (RIB, 'structure = "rib"', 'structure = "rob"', r"'s': part\[2\] 'rib': structure: no .* did you mean 'rib'"),
        (RIB, 'structure = "rib"', 'structure = "s"', r"'s': part\[2\] 'rib': structure: .* got itself"),
        (RIB, 'name = "rib"\nstructure', 'name = "panel"\nstructure', r"'s': part\[2\]: there is a part 'panel'"),
        (RIB, 'to = "panel"', 'to = "pannel"', "'s': attach 1: no part 'pannel'; did you mean 'panel'"),
        (RIB, '"panel.start"', '"panel.strat"', "'s': frame 'start': part 'panel': no frame 'strat'; did you mean"),
        (RIB, "within = 0.03", "within = -1", r"'s': attach\[1\]: within: expected a number greater than zero"),
        (RIB, "E1 = 1e6", "E1 = 0", r"material\[2\] 'core': E1: expected a number greater than zero"),
    ],
)  # fmt: skip
def test_errors_name_the_structure_and_the_key(tmp_path: Path, text: str, old: str, new: str, message: str) -> None:
    path = tmp_path / "model.toml"
    whole = MATERIALS + text + BODY
    assert old in whole
    path.write_text(whole.replace(old, new, 1))
    assert check(path)
    with pytest.raises(FileFormatError, match=message):
        supple.load(path)
