"""Gradients of programs: every operation, overwritten cells, any lanes and states, and nothing left of other calls."""

from __future__ import annotations

import numpy as np
import pytest

from supple.engines.blocks.adjoint_program import AdjointProgram, BoundAdjoints
from supple.engines.blocks.block_program import Program
from supple.engines.blocks.block_recorder import BlockRecorder
from supple.engines.blocks.cells import Cells, ModelNumbers
from supple.engines.blocks.tangent_groups import Pass
from supple.engines.blocks.tangent_program import BoundTangents, TangentProgram
from supple.expressions.operations import OPERATIONS

NUMBERS = np.array([1.5, -2.5])


@pytest.fixture(scope="module")
def program() -> Program:
    """z = (x1 x2, 3 x0), y = c0 sin(x0) z0, ..., then y overwritten: by 7 and by y x2, and z0 by z0 z1 twice."""
    r = BlockRecorder()
    x, y, z = Cells(r, (3,)), Cells(r, (3,), 0.0), Cells(r, (2,), 0.0)
    c = ModelNumbers(r, NUMBERS, 0, (0.0,))
    z[0], z[1] = x[1] * x[2], 3 * x[0]
    r.end()
    y[0] = c[0] * np.sin(x[0]) * z[0]
    y[1] = x[0] / x[1] + c[1] * x[2]
    y[2] = x[0] * x[0]
    r.end()
    for _ in range(2):
        z[0] = z[0] * z[1] * c[1]
        r.end()
    y[1] = 7.0
    y[2] = y[2] * x[2] + z[0]
    return Program(r, {"x": x}, {"y": y, "z": z})


def expected(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """dy/dx and dy/dc, transposed, of states (n, 3)."""
    a, b, c = x.T
    k, m = NUMBERS
    zero = np.zeros_like(a)
    end = b * c * (3 * a) ** 2 * m**2
    by_x = [
        [k * np.cos(a) * b * c, zero, 2 * a * c + 2 * end / a],
        [k * np.sin(a) * c, zero, end / b],
        [k * np.sin(a) * b, zero, a * a + end / c],
    ]
    by_c = [[np.sin(a) * b * c, zero, zero], [zero, zero, 2 * end / m]]
    return np.moveaxis(np.array(by_x), -1, 0), np.moveaxis(np.array(by_c), -1, 0)


@pytest.mark.parametrize("lanes", [1, 2, 8])
@pytest.mark.parametrize("by_states", [False, True])
@pytest.mark.parametrize("states", [1, 3, 13])
def test_any_lanes(program: Program, lanes: int, by_states: bool, states: int) -> None:
    adjoints = AdjointProgram(program, ["y"], ["x"], len(NUMBERS))
    loaded = adjoints.loaded(lanes, by_states)
    for seed in (1, 2):  # the second call must not see the first
        x = np.random.default_rng(seed).normal(size=(states, 3))
        out = [np.full((states, n), np.nan) for n in (3, 2, 9, 6)]
        loaded.run(0, states, [x, *out], NUMBERS)
        by_x, by_c = expected(x)
        np.testing.assert_allclose(out[2].reshape(states, 3, 3), by_x, rtol=1e-12)
        np.testing.assert_allclose(out[3].reshape(states, 2, 3), by_c, rtol=1e-12)


def test_gradients_without_numbers(program: Program) -> None:
    bound = BoundAdjoints(AdjointProgram(program, ["y"], ["x"]), NUMBERS)
    x = np.random.default_rng(3).normal(size=(2, 3))
    _, found = bound.gradients([x])
    assert list(found) == ["x"]
    np.testing.assert_allclose(found["x"], expected(x)[0], rtol=1e-12)


def test_what_is_taken_not_to_change_has_no_part(program: Program) -> None:
    """Without z, which y0 and y2 depend on, nothing moves y1, and y2 with its own squares alone."""
    bound = BoundAdjoints(AdjointProgram(program, ["y"], ["x"], len(NUMBERS), ["z"]), NUMBERS)
    x = np.array([[0.3, 0.4, -0.5]])
    values, found = bound.gradients([x])
    a, b, c = x[0]
    by_x = [[1.5 * np.cos(a) * b * c, 0, 2 * a * c], [0, 0, 0], [0, 0, a * a]]
    np.testing.assert_allclose(found["x"][0], by_x, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(found["numbers"][0], [[np.sin(a) * b * c, 0, 0], [0, 0, 0]], rtol=1e-12, atol=1e-14)
    assert values["z"][0, 1] == pytest.approx(3 * a)


def test_every_operation_as_tangents_have_it() -> None:
    """Also of a value that is used twice."""
    r = BlockRecorder()
    x, y = Cells(r, (3,)), Cells(r, (len(OPERATIONS),), 0.0)
    for i, (name, operation) in enumerate(OPERATIONS.items()):
        made = getattr(r, name)(*[x[j] for j in range(operation.arity)])
        y[i] = made * x[2] + made * made
    program = Program(r, {"x": x}, {"y": y})
    state = np.array([[0.4, 0.7, 1.3]])
    tangents = BoundTangents(TangentProgram(program, [Pass(program.inputs, program.outputs)], {}), np.zeros(0))
    found = BoundAdjoints(AdjointProgram(program, ["y"], ["x"]), np.zeros(0)).gradients([state])[1]["x"]
    np.testing.assert_allclose(found, np.swapaxes(tangents.by_name([state])["dy_dx"], 1, 2), rtol=1e-14, atol=1e-14)
