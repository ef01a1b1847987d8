"""Solids held at nodes, which have no rotations: constraints on points alone."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import linalg

import supple
from supple import structures
from supple.linear import equilibrium, modes
from supple.structures import Material

STEEL = Material(E=2e11, nu=0.3, rho=8000.0)


def plate(elements: int) -> tuple[structures.Structure, list[int]]:
    """10 m x 10 m x 1 m of quadratic hexahedra, and the nodes of its lower edges.

    Its root, which must be able to turn, is a corner of the upper face with the two nodes beside it.
    """
    skfem = pytest.importorskip("skfem")
    ticks = np.linspace(-5.0, 5.0, elements + 1)
    mesh = skfem.MeshHex2.from_mesh(skfem.MeshHex.init_tensor(ticks, ticks, np.array([-0.5, 0.5])))
    near = 5.0 / elements + 1e-9

    def corner(x: np.ndarray) -> np.ndarray:
        return np.asarray((x[0] + x[1] < near - 10.0) & (x[2] > 0.4))

    x, y, z = mesh.doflocs
    edges = (np.maximum(np.abs(x), np.abs(y)) > 5.0 - 1e-9) & (z < -0.5 + 1e-9)
    return structures.from_mesh(mesh, STEEL, {"start": corner}), [int(i) for i in np.flatnonzero(edges)]


def held_directly(structure: structures.Structure, edges: list[int]) -> NDArray[np.float64]:
    """Frequencies of the structure whose edges keep their height."""
    small = structure.condensed
    held = small.motion[[6 * i + 5 for i in edges]].toarray()
    basis = linalg.null_space(held)
    K, M = (basis.T @ A.toarray() @ basis for A in (small.stiffness, small.mass.matrix))
    return np.asarray(np.sqrt(np.abs(linalg.eigh(K, M, eigvals_only=True))) / (2 * np.pi))


def test_a_simply_supported_thick_plate() -> None:
    """NAFEMS FV52: three rigid motions in the plane, then 45.897 Hz. The oracle is the same structure held directly."""
    assert held_directly(*plate(4))[3] == pytest.approx(45.897, rel=0.05)
    structure, edges = plate(1)
    expected = held_directly(structure, edges)
    mech = supple.Mechanism("plate", gravity=(0, 0, 0))
    body = structure.reduce("nodal")
    origin = structure.nodes[0] - body.nodes[0]
    mech.add_body("plate", body, joint=supple.Free(), at=origin)
    mech.add_frame("floor", "ground", (0, 0, -0.5))
    for i in edges:
        mech.constrain(f"support {i}", supple.PointOnPlane("ground/floor", f"plate/{i}"))
    found = modes(mech.build())
    assert len(found) == len(expected)
    assert found.kinds[:3] == ("rigid",) * 3
    assert found.frequencies[3:20] == pytest.approx(expected[3:20], rel=1e-7)


@pytest.fixture(scope="module")
def block() -> structures.FlexibleBody:
    return structures.box(0.5, 0.1, 0.1, STEEL, elements=(1, 1, 1)).reduce("nodal")


def corners(block: structures.FlexibleBody) -> list[int]:
    """Three nodes in the middle of the block, at its surface."""
    at = [(0.25, -0.05, -0.05), (0.25, 0.05, -0.05), (0.25, 0.0, 0.05)]
    return [int(np.linalg.norm(block.nodes - p, axis=1).argmin()) for p in at]


def on_three_points(block: structures.FlexibleBody) -> supple.Model:
    """A ball, a line and a plane hold it; a distance holds its last motion."""
    ball, line, plane = corners(block)
    mech = supple.Mechanism("block")
    mech.add_body("block", block, joint=supple.Free())
    for name, i in (("ball", ball), ("line", line), ("plane", plane)):
        mech.add_frame(name, "ground", block.nodes[i])
    mech.add_frame("peg", "ground", block.nodes[plane] + [1.0, 0, 0])
    mech.close_loop("ball", f"block/{ball}", "ground/ball", supple.Spherical())
    mech.constrain("line", supple.PointOnLine("ground/line", f"block/{line}", axis="y"))
    mech.constrain("rod", supple.Distance("ground/peg", f"block/{plane}", 1.0))
    return mech.build()


def test_a_block_on_three_points_stands(block: structures.FlexibleBody) -> None:
    """The supports carry its weight."""
    ball, line, plane = corners(block)
    model = on_three_points(block)
    assert model.loops is not None
    assert len(model.loops) == 6
    rest = equilibrium(model)
    for name, i, fixed in (("ball", ball, [0, 1, 2]), ("line", line, [0, 2]), ("plane", plane, [0])):
        off = model.pose(rest.q, f"block/{i}")[1] - model.pose(rest.q, f"ground/{name}")[1]
        assert off[fixed] == pytest.approx(np.zeros(len(fixed)), abs=1e-9)
    forces = model.loops.sweeps.wrenches(
        rest.q[None], model.loops.forces(rest.q, np.zeros(model.nv), np.zeros(model.nv))[None]
    )
    R = model.poses(rest.q)[0][1]
    assert R @ forces[0, 1, 3:] == pytest.approx([0, 0, model.mass * 9.81], rel=1e-6, abs=1e-6 * model.mass)
    assert np.abs(rest.amplitudes["block"]).max() > 1e-9


@pytest.mark.exhaustive  # its equations take seconds to record; runs of closed loops are tested with few modes
def test_a_block_on_three_points_stays(block: structures.FlexibleBody) -> None:
    model = on_three_points(block)
    result = supple.simulate(model, 1e-4, q=equilibrium(model).q, samples=3)
    assert float(abs(result.constraint_error).max()) < 1e-9


def test_what_needs_the_rotation_of_a_node_is_refused(block: structures.FlexibleBody) -> None:
    i = corners(block)[0]
    mech = supple.Mechanism("block")
    mech.add_body("block", block, joint=supple.Free())
    mech.add_frame("off", f"block/{i}", (0.01, 0, 0))
    words = rf"constraint 'x': node '{i}' has displacements but no rotations .* constraint that uses its rotation"
    with pytest.raises(supple.ModelError, match=words):
        mech.constrain("x", supple.Rolling("ground", f"block/{i}", 0.1))
    with pytest.raises(supple.ModelError, match=words):
        mech.constrain("x", supple.Distance("ground", "block/off", 1.0))
    for joint in (supple.Revolute("z"), supple.Fixed(), supple.Prismatic("x"), supple.Universal("x", "y")):
        with pytest.raises(supple.ModelError, match=words):
            mech.close_loop("x", "ground", f"block/{i}", joint)
