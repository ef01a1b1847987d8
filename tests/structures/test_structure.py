"""Frames, rigid regions and added masses."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import cache

import numpy as np
import pytest

from supple.errors import ModelError, PhysicsWarning
from supple.structures import (
    Circle,
    Layer,
    Material,
    Orthotropic,
    Rectangle,
    Section,
    Structure,
    Tube,
    beam,
    box,
    from_matrices,
    plate,
    shell,
)
from supple.structures.discretization.dof_map import cross_matrix

ALUMINIUM = Material(E=70e9, nu=0.3, rho=2700)
SECTION = Rectangle(0.05, 0.1)


@cache
def bar(elements: int = 4) -> Structure:
    return beam(0.8, SECTION, ALUMINIUM, elements)


@cache
def block() -> Structure:
    return box(0.2, 0.05, 0.04, ALUMINIUM, (3, 2, 2), quadratic=False)


def test_an_added_mass_is_where_it_was_put() -> None:
    J, offset = np.diag([1e-3, 2e-3, 2.5e-3]), np.array([0.1, -0.2, 0.3])
    plain, loaded = bar(), bar().with_mass("end", 2.0, J, offset)
    assert loaded.mass == pytest.approx(plain.mass + 2.0)
    np.testing.assert_allclose(
        loaded.com * loaded.mass, plain.com * plain.mass + 2.0 * (np.array([0.8, 0, 0]) + offset)
    )
    added = (loaded.mass_matrix - plain.mass_matrix).toarray()[-6:, -6:]
    p = cross_matrix(offset)
    np.testing.assert_allclose(added, np.block([[J - 2 * p @ p, 2 * p], [-2 * p, 2 * np.eye(3)]]), atol=1e-14)
    a, b = (s.reduce("cantilever", 1) for s in (plain, loaded))
    difference = b.about_origin() - a.about_origin()
    r = cross_matrix(np.array([0.8, 0, 0]) + offset)
    np.testing.assert_allclose(difference, J - 2.0 * r @ r, atol=1e-13)
    assert plain.mass == pytest.approx(2700 * SECTION.A * 0.8)  # the first one is unchanged


def test_mass_on_the_root_moves_with_the_body_only() -> None:
    a, b = (s.reduce("cantilever", 3) for s in (bar(), bar().with_mass("start", 5.0)))
    np.testing.assert_array_equal(a.stiffness.diagonal(), b.stiffness.diagonal())
    np.testing.assert_allclose(a.integrals.E, b.integrals.E)
    assert b.mass == pytest.approx(a.mass + 5.0)


def test_a_mass_on_a_rigid_face_turns_with_it() -> None:
    plain = block()
    loaded = plain.with_mass("end", 0.3, (1e-4, 1e-4, 1e-4), (0.05, 0.01, 0.0))
    small, face = loaded.condensed, loaded.condensed.frames["end"]
    rows = small.layout.of([face])
    added = (small.mass.matrix - plain.condensed.mass.matrix).toarray()[np.ix_(rows, rows)]
    p = cross_matrix(np.array([0.05, 0.01, 0.0]))
    expected = np.block([[1e-4 * np.eye(3) - 0.3 * p @ p, 0.3 * p], [-0.3 * p, 0.3 * np.eye(3)]])
    np.testing.assert_allclose(added, expected, atol=1e-15)
    found, before = (s.reduce("cantilever", 1).stiffness.diagonal()[0] for s in (loaded, plain))
    assert found < before
    corner = plain.with_mass(0, 0.1)
    assert corner.mass == pytest.approx(plain.mass + 0.1)


def test_a_rigid_region_moves_as_one() -> None:
    structure = bar().with_frame("clamp", [3, 4])
    assert structure.condensed.names == ("0", "1", "2", "clamp")
    body = structure.reduce("cantilever", 5)
    tip, other, clamp = body.frame("4"), body.frame("3"), body.frame("clamp")
    np.testing.assert_allclose(clamp.position, [0.7, 0, 0])
    np.testing.assert_array_equal(tip.shape[:3], other.shape[:3])
    arm = np.array([0.2, 0.0, 0.0])
    np.testing.assert_allclose(tip.shape[3:] - other.shape[3:], np.cross(tip.shape[:3].T, arm).T, atol=1e-14)
    # bending along 0.6 m only
    free = bar().reduce("cantilever", 5)
    assert body.stiffness.diagonal()[0] > free.stiffness.diagonal()[0]
    assert structure.reduce("nodal").labels[-1] == "clamp.uz"
    alias = structure.with_frame("same", [4, 3])
    assert alias.condensed.frames["same"] == alias.condensed.frames["clamp"]


def test_nodes_of_solids_have_no_rotation_but_faces_do() -> None:
    structure = block().with_frame("corner", 0).with_frame("inner", 18)
    body = structure.reduce("cantilever", 2)
    assert structure.frames["corner"][0] in structure.frames["start"]
    assert body.frame("end").turning
    assert not body.frame("inner").turning
    assert not body.frame("inner").shape[:3].any()
    assert body.frame("inner").shape[3:].any()
    assert not body.turning[18]
    assert body.turning[structure.frames["end"][0]]
    loads = structure.static({"end": (0, 0, 0, 0, 0, 1.0)})
    assert loads[list(structure.frames["end"]), 5].min() > 0


def test_named_nodes() -> None:
    body = bar().reduce("cantilever", 2)
    np.testing.assert_array_equal(body.frame("end").shape, body.frame("4").shape)
    with pytest.raises(ModelError, match="no frame 'edn'; did you mean 'end'"):
        body.frame("edn")
    with pytest.raises(ModelError, match="no frame '5'"):
        body.frame("5")


@pytest.mark.parametrize(
    ("act", "message"),
    [
        (lambda: bar().with_frame("a", [1, 2]).with_frame("b", [2, 3]), r"'a' and 'b': .* got nodes \[2\] in both"),
        (lambda: bar().with_frame("a", 9), "frame 'a': expected node numbers from 0 to 4, got 9"),
        (lambda: bar().with_mass("edn", 1.0), "no frame 'edn'; did you mean 'end'"),
        (lambda: bar().with_mass(7, 1.0), "no node 7: expected a number from 0 to 4"),
        (lambda: bar().with_mass("end", -1.0), "mass on 'end': expected at least 0, got -1"),
        (lambda: bar().with_mass("end", 1.0, (1, 1, 5)), "triangle inequality"),
        (lambda: block().with_mass(18, 1.0, offset=(1, 0, 0)), "node 18 has no rotations"),
        (lambda: block().with_frame("edge", [18, 19]), "three or more nodes not in one line, .* got 2 nodes"),
        (
            lambda: block().with_frame("p", 18).reduce("cantilever", 1, root="p"),
            "root 'p': .* node 18, which has no rot",
        ),
        (
            lambda: bar().with_average("p", [1, 2, 3]).reduce("cantilever", 1, root="p"),
            "root 'p': it moves as the mean of other nodes",
        ),
        (lambda: bar().with_average("end", [1, 2]), "frame 'end': there is one of this name already"),
        (lambda: bar().with_average("p", [1, 2], [1.0, 0.0]), "frame 'p': weights: expected numbers above zero, got 0"),
        (lambda: block().with_average("p", [18, 19]).condensed, "average: node .* three or more nodes not in one line"),
        (lambda: block().static({18: (1.0, 0, 0, 0, 0, 0)}), "it has no rotations, so it takes no moment"),
        (lambda: bar().static({"end": (1.0, 0)}), r"load on 'end': expected numbers of shape \(6,\), got shape \(2,\)"),
    ],
)
def test_faults_are_named(act: Callable[[], object], message: str) -> None:
    with pytest.raises(ModelError, match=message):
        act()


def test_collinear_nodes_do_not_make_a_region() -> None:
    structure = block()
    line = np.flatnonzero((structure.nodes[:, 1] == 0) & (structure.nodes[:, 2] == 0))[1:3]
    M, K = structure.mass_matrix, structure.stiffness
    with pytest.raises(ModelError, match="not in one line"):
        from_matrices(structure.nodes, M, K, {"line": line})


STEEL = Material(E=2e11, nu=0.3, rho=7800.0)
HUGE: dict[str, Callable[[float], object]] = {
    "circle: radius": lambda x: Circle(x),
    "rectangle: width": lambda x: Rectangle(x, 0.1),
    "tube: radius": lambda x: Tube(x, thickness=0.1),
    "section: A": lambda x: Section(A=x, Iy=1.0, Iz=1.0, J=1.0),
    "section: Iy": lambda x: Section(A=1.0, Iy=x, Iz=1.0, J=1.0),
    "material: E": lambda x: Material(E=x, nu=0.3, rho=1.0),
    "material: rho": lambda x: Material(E=2e11, nu=0.3, rho=x),
    "material: E1": lambda x: Orthotropic(E1=x, E2=1e9, nu12=0.3, G12=1e9, rho=1.0),
    "beam: length": lambda x: beam(x, Circle(0.1), STEEL, 1),
    "plate: outline: length": lambda x: plate((x, 1.0), 0.1, STEEL, elements=(1, 1)),
    "plate: thickness": lambda x: plate((1.0, 1.0), x, STEEL, elements=(1, 1)),
    "layer: thickness": lambda x: Layer(x, STEEL),
    "shell: nodes: extent": lambda x: shell(x * np.eye(3), [[0, 1, 2]], 0.1, STEEL),
    "shell: thickness": lambda x: shell(np.eye(3), [[0, 1, 2]], x, STEEL),
    "box: height": lambda x: box(1.0, 1.0, x, STEEL, (1, 1, 1)),
    "mass on 'end'": lambda x: beam(1.0, Circle(0.1), STEEL, 1).with_mass("end", x),
}


@pytest.mark.parametrize("what", HUGE)
@pytest.mark.parametrize("value", [1e300, 1e-300])
def test_sizes_that_cannot_be_computed_with_are_errors(what: str, value: float) -> None:
    with pytest.raises(ModelError, match=rf"{what}: expected a number from 1e-\d+ to 1e\+\d+, got 1e.300"):
        HUGE[what](value)


@pytest.mark.parametrize(("matrix", "factor"), [("stiffness", 1e150), ("stiffness", 1e-150), ("mass", 1e150)])
def test_matrices_that_cannot_be_computed_with_are_errors(matrix: str, factor: float) -> None:
    made = beam(1.0, Circle(0.01), STEEL, 2)
    order = [6 * node + c for node in range(3) for c in (3, 4, 5, 0, 1, 2)]
    M, K = (x.toarray()[order][:, order] for x in (made.mass_matrix, made.stiffness))
    scale = {"mass": 1.0, "stiffness": 1.0, matrix: factor}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PhysicsWarning)  # a speed of sound in other units
        found = from_matrices(made.nodes, scale["mass"] * M, scale["stiffness"] * K, {"start": 0})
    with pytest.raises(ModelError, match=f"{matrix}: expected .*; use SI units"):
        found.reduce("cantilever", 2)
