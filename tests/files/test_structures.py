"""Materials, sections and structures of model files: what arrives, and a clear word for each error."""

from __future__ import annotations

import tomllib
from pathlib import Path

import numpy as np
import pytest

import supple
from supple.files import check
from supple.files.error_list import ErrorList
from supple.files.flexible_bodies import FlexibleBodies
from supple.files.schema import ModelFile
from supple.structures import (
    Circle,
    FlexibleBody,
    IBeam,
    Material,
    Rayleigh,
    Rectangle,
    Section,
    Structure,
    Tube,
    beam,
    beam_path,
    box,
)

STEEL = Material(E=200e9, nu=0.3, rho=7800)
BOOM = """
name = "one"
[[material]]
name = "steel"
E = 200e9
nu = 0.3
rho = 7800
[[structure]]
name = "beam"
type = "beam"
length = 2
section = { type = "rectangle", width = 0.02, height = 0.01 }
material = "steel"
elements = 4
[[body]]
name = "boom"
joint = { type = "revolute", axis = "y" }
flexible = { structure = "beam", basis = "cantilever", modes = 3 }
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "model.toml"


def made(file: Path, structure: str) -> Structure:
    """The structure of a file that has this one beside the first."""
    file.write_text(f'{BOOM}[[structure]]\nname = "other"\n{structure}\n')
    errors = ErrorList(file)
    found = FlexibleBodies(ModelFile.model_validate(tomllib.loads(file.read_text())), errors).structures["other"]
    errors.raise_any()
    assert isinstance(found, Structure)
    return found


def same(a: Structure, b: Structure) -> bool:
    """Whether two structures are equal to the last bit."""
    return (
        np.array_equal(a.nodes, b.nodes)
        and a.frames == b.frames
        and all(
            np.array_equal(x.toarray(), y.toarray())
            for x, y in ((a.stiffness, b.stiffness), (a.mass_matrix, b.mass_matrix))
        )
    )


@pytest.mark.parametrize(
    ("written", "section"),
    [
        ('{ type = "rectangle", width = 0.02, height = 0.01 }', Rectangle(0.02, 0.01)),
        ('{ type = "circle", radius = 0.02 }', Circle(0.02)),
        ('{ type = "tube", radius = 0.02, inner = 0.01 }', Tube(0.02, 0.01)),
        ('{ type = "tube", radius = 0.02, thickness = 0.002 }', Tube(0.02, thickness=0.002)),
        ('{ type = "i-beam", width = 0.1, height = 0.2, flange = 0.01, web = 0.005 }', IBeam(0.1, 0.2, 0.01, 0.005)),
        ('{ type = "constants", A = 1e-3, Iy = 1e-6, Iz = 2e-6, J = 3e-6 }', Section(1e-3, 1e-6, 2e-6, 3e-6)),
        (
            '{ type = "constants", A = 1e-3, Iy = 1e-6, Iz = 2e-6, J = 3e-6, shear = [0.4, 0.6] }',
            Section(1e-3, 1e-6, 2e-6, 3e-6, (0.4, 0.6)),
        ),
    ],
)
def test_sections(file: Path, written: str, section: Section) -> None:
    found = made(
        file, f'type = "beam"\nlength = 1\nelements = 2\nmaterial = "steel"\nshear = true\nsection = {written}'
    )
    assert same(found, beam(1.0, section, STEEL, 2, shear=True))


def test_materials_by_either_constant(file: Path) -> None:
    keys = 'type = "beam"\nlength = 1\nelements = 2\nsection = { type = "circle", radius = 0.01 }\n'
    found = made(file, keys + "material = { E = 70e9, G = 26e9, rho = 2700 }")
    assert same(found, beam(1.0, Circle(0.01), Material(E=70e9, G=26e9, rho=2700), 2))


def test_every_key_of_a_beam_arrives(file: Path) -> None:
    found = made(
        file,
        """
        type = "beam"
        length = 1.5
        section = { type = "circle", radius = 0.01 }
        material = "steel"
        elements = 6
        lumped = true
        frames = { middle = 3, "far third" = [4, 5, 6] }
        [[structure.point_mass]]
        at = "start"
        mass = 0.3
        inertia = [1e-3, 2e-3, 2.5e-3]
        offset = [0, 0.1, 0]
        [[structure.point_mass]]
        at = 2
        mass = 0.1
        """,
    )
    expected = beam(1.5, Circle(0.01), STEEL, 6, lumped=True).with_frame("middle", 3)
    expected = expected.with_frame("far third", [4, 5, 6])
    expected = expected.with_mass("start", 0.3, (1e-3, 2e-3, 2.5e-3), (0, 0.1, 0)).with_mass(2, 0.1)
    assert same(found, expected)


def test_every_key_of_a_path_arrives(file: Path) -> None:
    points = [[0, 0, 0], [1, 0, 0], [1, 0, 2]]
    keys = f'type = "beam-path"\npoints = {points}\n'
    one = made(file, keys + 'elements = 2\nmaterial = "steel"\nsection = { type = "circle", radius = 0.01 }')
    assert same(one, beam_path(points, Circle(0.01), STEEL, 2))
    each = made(
        file,
        keys
        + """
        elements = [2, 3]
        material = ["steel", { E = 70e9, nu = 0.3, rho = 2700 }]
        section = [{ type = "circle", radius = 0.01 }, { type = "rectangle", width = 0.02, height = 0.01 }]
        y_axis = ["y", [1, 1, 0]]
        shear = true
        lumped = true
        """,
    )
    expected = beam_path(
        points,
        [Circle(0.01), Rectangle(0.02, 0.01)],
        [STEEL, Material(E=70e9, nu=0.3, rho=2700)],
        [2, 3],
        lumped=True,
        shear=True,
        y_axis=["y", (1, 1, 0)],
    )
    assert same(each, expected)
    assert not same(each, one)


def test_every_key_of_a_box_arrives(file: Path) -> None:
    pytest.importorskip("skfem", reason="solid elements need scikit-fem")
    keys = 'type = "box"\nlength = 1\nwidth = 0.2\nheight = 0.1\nmaterial = "steel"\nelements = [3, 1, 1]\n'
    assert same(made(file, keys + "quadratic = false"), box(1.0, 0.2, 0.1, STEEL, (3, 1, 1), quadratic=False))


@pytest.mark.parametrize(
    ("written", "arguments"),
    [
        ('basis = "cantilever", modes = 3', ("cantilever", 3)),
        ('basis = "free-free", modes = 2, damping = 0.01', ("free-free", 2, "start", None, 0.01)),
        (
            'basis = "cantilever", modes = 2, root = "end", damping = [0.01, 0.02]',
            ("cantilever", 2, "end", None, [0.01, 0.02]),
        ),
        ('basis = "craig-bampton", modes = 1, interfaces = ["end"]', ("craig-bampton", 1, "start", ["end"])),
        (
            'basis = "nodal", damping = { alpha = 0.1, beta = 1e-4 }',
            ("nodal", None, "start", None, Rayleigh(0.1, 1e-4)),
        ),
        (
            'basis = "nodal", damping = { frequencies = [10, 40], ratios = [0.02, 0.03] }',
            ("nodal", None, "start", None, Rayleigh.at([10.0, 40.0], [0.02, 0.03])),
        ),
        ('basis = "nodal", damping = { beta = 1e-4 }', ("nodal", None, "start", None, Rayleigh(0.0, 1e-4))),
    ],
)
def test_reductions(file: Path, written: str, arguments: tuple[object, ...]) -> None:
    file.write_text(BOOM.replace('basis = "cantilever", modes = 3', written))
    expected = beam(2.0, Rectangle(0.02, 0.01), STEEL, 4).reduce(*arguments)  # type: ignore[arg-type]
    mech = supple.Mechanism("one")
    mech.add_body("boom", expected)
    assert supple.load(file) == mech.build()
    body = supple.load(file).description.bodies["boom"].body
    assert isinstance(body, FlexibleBody)
    assert body.labels == expected.labels


# ------------------------------------------------------------ errors

SECTION = '{ type = "rectangle", width = 0.02, height = 0.01 }'
FLEXIBLE = 'flexible = { structure = "beam", basis = "cantilever", modes = 3 }'
MASS = '[[structure.point_mass]]\nat = "end"\nmass = 1\n'
OTHER = '[[structure]]\nname = "other"\n'
PATH = (
    OTHER
    + f'type = "beam-path"\npoints = [[0, 0, 0], [1, 0, 0]]\nelements = 2\nmaterial = "steel"\nsection = {SECTION}\n'
)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("nu = 0.3", "nu = 0.7", r"material\[1\] 'steel': nu: expected a number between -1 and 0.5, got 0.7"),
        ("nu = 0.3", "", r"material\[1\] 'steel': expected Poisson's ratio nu or the shear modulus G, got neither"),
        ("E = 200e9", "E = 0", r"material\[1\] 'steel': E: expected a number greater than zero, got 0"),
        ("rho = 7800", "roh = 7800", r"material\[1\] 'steel': rho: missing; expected a number, zero or more"),
        ("rho = 7800", "rho = 7800\nroh = 1", r"material\[1\] 'steel': roh: unknown key; did you mean 'rho'"),
        (
            'material = "steel"',
            'material = "stel"',
            r"structure\[1\] 'beam': material: no \[\[material\]\] 'stel'; did",
        ),
        ('material = "steel"', "material = 3", r"'beam': material: expected the name of a \[\[material\]\] or a table"),
        ('material = "steel"', 'material = ["steel"]', r"'beam': material: expected the name of a \[\[material\]\]"),
        ('material = "steel"', "material = { E = 1e9, nu = 0 }", "'beam': material: rho: missing; expected"),
        ('material = "steel"', "material = { E = 1e9, nu = 9, rho = 1 }", "'beam': material: nu: expected .* got 9"),
        ('"rectangle"', '"rectangel"', "'beam': section: type: expected one of .* did you mean 'rectangle'"),
        ('type = "rectangle", ', "", "'beam': section: expected a table such as"),
        ("width = 0.02", "width = -1", "'beam': section: width: expected a number greater than zero, got -1"),
        (SECTION, "3", "'beam': section: expected a table such as"),
        (SECTION, '{ type = "tube", radius = 1 }', "'beam': tube: expected the inner radius or the thickness"),
        (
            'type = "beam"',
            "",
            r'structure\[1\] \'beam\': type: missing; expected one of "beam", "beam-path", "plate", "shell", "box",',
        ),
        ('type = "beam"', 'type = "bem"', r"structure\[1\] 'beam': type: expected one of .* did you mean 'beam'"),
        ("length = 2", "", "'beam': length: missing; expected a number greater than zero"),
        ("elements = 4", "elements = 4.5", "'beam': elements: expected a whole number, one or more, got 4.5"),
        ("elements = 4", "elements = true", "'beam': elements: expected a whole number"),
        ("elements = 4", "elements = 4\nframes = { end = 2 }", "'beam': frames: there is a frame 'end' already"),
        (
            "elements = 4",
            "elements = 4\nframes = { x = 9 }",
            "'beam': frame 'x': expected node numbers from 0 to 4, got",
        ),
        ("elements = 4", "elements = 4\nframes = { x = -1 }", "'beam': frames: expected a table of node numbers"),
        ("elements = 4", "elements = 4\nframes = 3", "'beam': frames: expected a table of node numbers by name, got 3"),
        ("[[body]]", MASS.replace("end", "edn") + "[[body]]", r"'beam': point_mass\[1\]: no frame 'edn'; did you mean"),
        ("[[body]]", MASS + MASS.replace("mass =", "mas =") + "[[body]]", r"'beam': point_mass\[2\]: mass: missing"),
        (
            "[[body]]",
            MASS.replace('"end"', "99") + "[[body]]",
            r"'beam': point_mass\[1\]: no node 99: expected a number",
        ),
        (
            "[[body]]",
            MASS.replace('"end"', "1.5") + "[[body]]",
            r"point_mass\[1\]: at: expected the name of a frame or",
        ),
        ("[[body]]", MASS + "inertia = [1, 1, 5]\n[[body]]", r"point_mass\[1\]: inertia: breaks the triangle"),
        ("[[body]]", OTHER + "[[body]]", r"structure\[2\] 'other': type: missing"),
        (
            "[[body]]",
            PATH.replace("other", "beam") + "[[body]]",
            r"structure\[2\] 'beam': name: there is a structure of",
        ),
        (
            "[[body]]",
            PATH.replace("[1, 0, 0]", "[1, 0]") + "[[body]]",
            "'other': points: expected two or more rows of 3",
        ),
        ("[[body]]", PATH.replace("[1, 0, 0]", "[0, 0, 0]") + "[[body]]", "'other': segment 1: expected two different"),
        (
            "[[body]]",
            PATH.replace("= 2", "= [2, 2]") + "[[body]]",
            "'other': elements: expected one or 1, one for each",
        ),
        ("[[body]]", PATH + "y_axis = 'q'\n[[body]]", "'other': y_axis: expected 'x', 'y', 'z'"),
        (
            "[[body]]",
            PATH.replace(SECTION, f"[{SECTION}, 3]") + "[[body]]",
            "'other': section: expected a table such as",
        ),
        (
            "[[body]]",
            PATH.replace(SECTION, f"[{SECTION.replace('width', 'widht')}]") + "[[body]]",
            r"'other': section\[1\]: widht: unknown key; did you mean 'width'",
        ),
        (
            "[[body]]",
            PATH.replace('"steel"', '["steel", "stel"]').replace("[1, 0, 0]", "[1, 0, 0], [2, 0, 0]") + "[[body]]",
            "'other': material: no .* 'stel'",
        ),
        (
            "[[structure]]",
            "[[material]]\nname = 'steel'\nE = 1e9\nG = 1e9\nrho = 1\n[[structure]]",
            r"material\[2\] 'steel'",
        ),
        ("[[structure]]", "[structure]", r"structure: expected \[\[structure\]\] tables, got"),
        ('structure = "beam"', 'structure = "baem"', r"'boom': flexible: structure: no \[\[structure\]\] 'baem'; did"),
        ('structure = "beam", ', "", "'boom': flexible: structure: missing; expected a text"),
        ('"cantilever"', '"cantilver"', "'boom': flexible: basis: expected .* got 'cantilver'"),
        (", modes = 3", "", "'boom': flexible: modes: missing; expected a whole number for the basis 'cantilever'"),
        ("modes = 3", "modes = 300", "'boom': flexible: modes: 300 asked for, but the structure has 24"),
        (
            "modes = 3",
            "modes = -3",
            "modes: expected a whole number, a list of mode numbers, .*, got -3",
        ),
        ("modes = 3", 'modes = 3, root = "strt"', "'boom': flexible: root: no frame 'strt'; did you mean 'start'"),
        (
            "modes = 3",
            'modes = 3, interfaces = ["end"]',
            "flexible: interfaces: only the basis 'craig-bampton' has them",
        ),
        ("modes = 3", "modes = 3, damping = -1", "'boom': flexible: damping: expected at least 0, got -1"),
        ("modes = 3", "modes = 3, damping = [1, 2]", r"'boom': flexible: damping: expected numbers of shape \(3,\)"),
        (
            "modes = 3",
            "modes = 3, damping = { alpa = 2 }",
            "flexible: damping: alpa: unknown key; did you mean 'alpha'",
        ),
        (
            FLEXIBLE,
            FLEXIBLE.replace("3 }", "3, damping = { frequencies = [10] } }"),
            "flexible: damping: requires frequencies and ratios together",
        ),
        (
            FLEXIBLE,
            FLEXIBLE.replace("3 }", "3, damping = { frequencies = [10, 20], ratios = [0.1, 0.3] } }"),
            "flexible: damping: .* with 0.1 at 10 Hz the ratio at 20 Hz must be between 0.05 and 0.2, got 0.3",
        ),
        (
            FLEXIBLE,
            FLEXIBLE.replace("3 }", "3, damping = { frequencies = [10], ratios = [0.1], beta = 1e-3 } }"),
            "flexible: damping: frequencies and ratios cannot be combined with alpha or beta",
        ),
        ("modes = 3", "modes = 3, damping = 'x'", "flexible: damping: expected a number, a list .* got 'x'"),
        (
            '"cantilever"',
            '"nodal"',
            "'boom': flexible: modes: the nodal basis keeps all degrees of freedom, got modes=3",
        ),
        (FLEXIBLE, "flexible = 3", "'boom': flexible: expected a table with structure, frequencies or file, got 3"),
        (FLEXIBLE, "", r"'boom': mass: missing; expected a number, or flexible in its place"),
        (
            FLEXIBLE,
            "mass = 1\nfidelity = 'full'",
            "'boom': fidelity: expected only in a flexible body, got it in a rigid",
        ),
        (FLEXIBLE, FLEXIBLE + "\nmass = 1", "'boom': mass: expected only in a rigid body, got it in a flexible one"),
        (FLEXIBLE, FLEXIBLE + "\ncom = [0, 0, 1]", "'boom': com: expected only in a rigid body"),
        (
            FLEXIBLE,
            FLEXIBLE + "\nfidelity = 'half'",
            '\'boom\': fidelity: expected "full", "estimated-inertia" or "ruthless", got \'half\'',
        ),
        (FLEXIBLE, FLEXIBLE.replace("modes = 3", "file = 'x.h5'"), "'boom': flexible: structure: unknown key"),
    ],
)
def test_each_fault_is_named_once(file: Path, old: str, new: str, message: str) -> None:
    assert BOOM.count(old) == 1
    file.write_text(BOOM.replace(old, new))
    with pytest.raises(supple.FileFormatError, match=message) as caught:
        supple.load(file)
    lines = str(caught.value).split("\n")
    assert all(line.startswith(f"{file}: ") for line in lines)
    assert check(file) == lines
    places = {line.removeprefix(f"{file}: ").split(":")[0].split("[")[0] for line in lines}
    assert len(places) == 1, "what an error of a material or structure makes impossible is no error of its own"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("structure = [3]", r"structure: expected \[\[structure\]\] tables, got \[3\]"),
        ("structure = 3", r"structure: expected \[\[structure\]\] tables, got 3"),
        ("material = [3]", r"material\[1\]: expected a table, got 3"),
        ('structure = [{ type = "beam", name = "b", point_mass = [3] }]', r"'b': point_mass\[1\]: expected a table"),
    ],
)
def test_what_is_no_table(file: Path, line: str, message: str) -> None:
    file.write_text(f'name = "m"\n{line}\n[[body]]\nname = "a"\nmass = 1\njoint = {{ type = "fixed" }}\n')
    with pytest.raises(supple.FileFormatError, match=message):
        supple.load(file)


def test_what_looks_like_other_units_is_doubted(file: Path) -> None:
    file.write_text(BOOM.replace("E = 200e9", "E = 200e3"))
    with pytest.warns(supple.PhysicsWarning, match=r"material\[1\] 'steel': E = 200000 Pa is very soft; is it in MPa"):
        model = supple.load(file)
    assert model.nv == 4
    with pytest.warns(supple.PhysicsWarning, match="very soft"):
        assert check(file) == []
