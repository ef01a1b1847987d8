"""What is frozen cannot be written to, and does not share memory with what it was made from."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np
import pytest
from scipy import sparse

import supple
from supple import structures
from supple.description.constraints import Constraint
from support.mechanisms.closed_mechanisms import n_four_bar

STEEL = structures.Material(E=2.1e11, nu=0.3, rho=7850.0)


def beam() -> structures.Structure:
    return structures.beam(2.0, structures.Circle(0.01), STEEL, 4)


def arrays(x: Any) -> Iterator[tuple[str, Any]]:
    """All arrays in the fields of a dataclass."""
    for field in fields(x):
        value = getattr(x, field.name)
        parts = value.values() if isinstance(value, dict) else [value]
        for part in parts:
            if isinstance(part, np.ndarray):
                yield field.name, part
            elif isinstance(part, sparse.csr_array):
                yield field.name, part.data
            elif is_dataclass(part) and not isinstance(part, type):
                yield from arrays(part)


def model() -> supple.Model:
    mech = supple.Mechanism("m")
    mech.add_body("boom", beam().reduce("cantilever", modes=2), joint=supple.Revolute("z"))
    mech.add_body("tip", supple.RigidBody(1.0, (0, 0, 0.1), (1, 1, 1)), "boom", supple.Revolute("y"), at="end")
    mech.add_frame("side", "tip", (0.1, 0, 0))
    mech.add_wrench("push", "tip/side", force=(1, 0, 0))
    return mech.build()


def test_arrays_of_bodies_and_places_are_read_only() -> None:
    m = model()
    frozen = [
        supple.RigidBody(1.0),
        beam(),
        beam().reduce("cantilever", modes=2),
        *m.description.bodies.values(),
        *m.description.frames.values(),
        *m.description.wrenches.values(),
        *(m.find_frame(name) for name in m.frames),
    ]
    found = [(type(x).__name__, name, array) for x in frozen for name, array in arrays(x)]
    assert {"RigidBody", "Beam", "FlexibleBody", "Placed", "Frame", "AppliedWrench", "BodyFrame"} <= {
        kind for kind, _, _ in found
    }
    assert [(kind, name) for kind, name, array in found if array.flags.writeable] == []


@pytest.mark.parametrize("make", [model, lambda: n_four_bar(1)])
def test_arrays_of_a_model_are_read_only(make: Any) -> None:
    m = make()
    for name, x in m.arrays().items():
        assert not x.flags.writeable, name
    with pytest.raises(ValueError, match="read-only"):
        m.is_mode[0] = True
    if m.loops is not None:
        with pytest.raises(ValueError, match="read-only"):
            m.loops.arrays.row_number[0] = 1.0
        assert not m.loops.holonomic.flags.writeable


def test_bodies_do_not_follow_the_arrays_they_were_made_from() -> None:
    com, inertia = np.array([0.0, 0.0, 1.0]), np.eye(3)
    body = supple.RigidBody(1.0, com, inertia)
    com[:], inertia[:] = 7.0, 0.0
    np.testing.assert_array_equal(body.com, [0, 0, 1])
    np.testing.assert_array_equal(body.inertia, np.eye(3))
    with pytest.raises(ValueError, match="read-only"):
        body.com[0] = 1.0


@pytest.mark.parametrize(
    ("make", "name"),
    [
        (supple.Revolute, "axis"),
        (supple.Prismatic, "axis"),
        (supple.Cylindrical, "axis"),
        (supple.Planar, "normal"),
        (lambda axis: supple.Universal(first=axis, second="z"), "first"),
        (lambda axis: supple.BuildingBlock(translations=[axis]), "translations"),
        (lambda axis: supple.PointOnLine("a", "b", axis), "axis"),
        (lambda axis: supple.PointOnPlane("a", "b", axis), "normal"),
        (lambda axis: supple.Rolling("a", "b", 1.0, axis), "axis"),
    ],
)
def test_joints_and_constraints_do_not_follow_either(make: Any, name: str) -> None:
    axis = np.array([0.0, 1.0, 0.0])
    made = make(axis)

    def seen() -> Any:
        if isinstance(made, Constraint):
            return np.concatenate([np.concatenate([row.a, row.b]) for row in made.rows()])
        return np.concatenate([*made.layout().axes, *made.layout().directions])

    before = seen()
    axis[:] = 1.0, 0.0, 0.0
    np.testing.assert_array_equal(seen(), before)
    np.testing.assert_array_equal(np.ravel(getattr(made, name)), [0.0, 1.0, 0.0])


def test_structures_do_not_follow_their_matrices() -> None:
    b = beam()
    order = [6 * node + c for node in range(5) for c in (3, 4, 5, 0, 1, 2)]
    M, K = b.mass_matrix[order][:, order], b.stiffness[order][:, order]
    nodes = b.nodes.copy()
    copy = structures.from_matrices(nodes, M, K, {"start": 0, "end": 4})
    nodes[:], K.data[:] = 0.0, 0.0
    np.testing.assert_array_equal(copy.nodes, b.nodes)
    np.testing.assert_allclose(copy.stiffness.toarray(), b.stiffness.toarray(), rtol=1e-12)
