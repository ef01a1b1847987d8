"""Links: six rigid modes and elastic ones orthogonal to them, whatever the body was reduced to."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from scipy import sparse
from scipy.linalg import eigh

from supple import ModelError, RigidBody
from supple.erls.display import with_rigid_modes
from supple.erls.links import make_link
from supple.structures import Rectangle, Structure, beam, beam_path, from_matrices
from support.generated.generators_flexible import random_flexible
from support.mechanisms.rigid_links import ALUMINIUM, relative


@cache
def frame() -> Structure:
    """A bent beam with a mass on it."""
    points = [(0, 0, 0), (0.3, 0, 0), (0.3, 0.2, 0.1)]
    bent = beam_path(points, Rectangle(0.02, 0.008), ALUMINIUM, elements=2)
    return bent.with_mass("end", 0.1, inertia=(1e-4, 2e-4, 2e-4), offset=(0.01, 0.0, 0.02))


@pytest.mark.parametrize("basis", ["free-free", "nodal"])
def test_elastic_modes_are_those_of_the_free_structure(basis: str) -> None:
    """A full basis with the rigid modes spans all there is: frequencies of the whole finite-element model."""
    structure = frame()
    count = 24 - 6
    body = structure.reduce(basis, modes=8 if basis == "free-free" else None)
    link = make_link("frame", body, 8)
    w2 = eigh(structure.stiffness.toarray(), structure.mass_matrix.toarray(), eigvals_only=True)
    assert len(w2) >= count
    assert relative(link.squares, w2[6:14]) < 1e-8


@pytest.mark.parametrize("basis", ["cantilever", "free-free", "craig-bampton", "nodal"])
def test_modes_of_all_bases_are_orthonormal_with_the_rigid_ones(basis: str) -> None:
    """U* M U of the paper in nodal degrees of freedom: diag(J, m) of the rigid modes, then the unit matrix."""
    structure = frame()
    options = {"interfaces": ["end"]} if basis == "craig-bampton" else {}
    body = structure.reduce(basis, modes=None if basis == "nodal" else 4, **options)  # type: ignore[arg-type]
    link = make_link("frame", body, None)
    U = with_rigid_modes(link, {}).shapes.toarray()
    mass = U.T @ structure.mass_matrix.toarray() @ U
    expected = np.zeros_like(mass)
    expected[:6, :6] = link.inertia
    expected[6:, 6:] = np.eye(link.modes)
    assert relative(mass, expected) < 1e-9
    stiffness = U.T @ structure.stiffness.toarray() @ U
    assert relative(stiffness[6:, 6:], np.diag(link.squares)) < 1e-9
    assert np.abs(stiffness[:6]).max() < 1e-9 * link.squares.max()


def test_integrals_are_sums_over_the_points() -> None:
    """S, X and N of a body of point masses, and X_k skew."""
    body, points = random_flexible(np.random.default_rng(3), 4, coupled=True)
    link = make_link("points", body, None)
    m, x = points.mass, points.x - link.com
    lean = link.participation[None, 3:] + np.cross(link.participation[:3].T[None], x[:, None]).transpose(0, 2, 1)
    Psi = points.Psi @ link.shapes + lean
    assert relative(link.second, np.einsum("p,pi,pj->ij", m, x, x)) < 1e-12
    assert relative(link.X, np.einsum("p,pi,pjr->rij", m, x, Psi)) < 1e-11
    assert relative(link.N, np.einsum("p,pis,pjr->srij", m, Psi, Psi)) < 1e-11
    A = np.cross(np.eye(3)[:, None, :, None], Psi[None], axisa=2, axisb=2, axisc=2)
    assert relative(link.gyroscopic, np.einsum("p,pir,kpis->krs", m, Psi, A)) < 1e-11
    assert relative(link.gyroscopic, -np.swapaxes(link.gyroscopic, 1, 2)) < 1e-12


def test_printed_gyroscopic_matrices_of_a_consistent_mass_are_not_skew() -> None:
    """Why the integrals are over material points: U* M A_k U of (84) has a symmetric part, which does work."""
    structure = frame()
    link = make_link("frame", structure.reduce("free-free", modes=6), None)
    U = with_rigid_modes(link, {}).shapes.toarray()[:, 6:]
    A_x = np.kron(np.eye(10), np.array([[0.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]]))
    printed = U.T @ structure.mass_matrix.toarray() @ A_x @ U
    assert np.abs(printed + printed.T).max() > 1e-3 * np.abs(printed).max()
    assert relative(link.gyroscopic[0], -link.gyroscopic[0].T) < 1e-12


def test_straight_rods_of_point_masses_need_no_inertia_about_themselves() -> None:
    """Nodes in line with rotations are a link like any other; a motion that moves no mass is left alone."""
    rod = beam(0.5, Rectangle(1e-5, 1e-5), ALUMINIUM, elements=4, lumped=True).reduce("free-free", modes=3)
    link = make_link("rod", rod, None)
    assert link.inertia[0, 0] < 1e-6 * link.inertia[1, 1]
    assert np.isfinite(link.participation).all()
    assert (link.squares > 0).all()


def test_nodes_in_line_without_rotations_are_no_link() -> None:
    """Their turn about the line cannot be seen: the rigid modes are not complete, and no joint can hold them."""
    nodes = np.array([[0.0, 0.0, 0.0], [0.1, 0.0, 0.0], [0.2, 0.0, 0.0]])
    K = 1e5 * np.kron(np.array([[1.0, -1.0, 0.0], [-1.0, 2.0, -1.0], [0.0, -1.0, 1.0]]), np.diag([1.0, 0.0, 0.0]))
    with pytest.raises(ModelError, match=r"root 'start': expected a frame that can turn.*not in one line"):
        from_matrices(nodes, np.eye(9), K, {"start": 0}).reduce("free-free", modes=1)
    with pytest.raises(ModelError, match=r"frame 'start': expected a rigid region.*not in one line"):
        from_matrices(nodes, np.eye(9), K, {"start": [0, 1, 2]})


def test_what_is_wrong_is_named() -> None:
    body = frame().reduce("free-free", modes=3)
    for wrong in (-1, 4, 1.5, True):
        with pytest.raises(ModelError, match=r"link 'l': modes: expected a number of elastic modes from 0 to 3, the 6"):
            make_link("l", body, wrong)  # type: ignore[arg-type]
    with pytest.raises(ModelError, match="link 'l': modes: a rigid body has none besides the 6 rigid ones, got 2"):
        make_link("l", RigidBody(1.0), 2)
    loose = replace(body, stiffness=sparse.csr_array(np.diag([0.0, 1e4, 1e5])))
    with pytest.raises(ModelError, match="link 'l': expected 6 rigid modes, got 7 without stiffness"):
        make_link("l", loose, None)
