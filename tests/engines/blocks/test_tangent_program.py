"""Tangents of programs: every operation, any number of lanes and states, and nothing left of the call before."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from supple.engines.blocks.block_program import Program
from supple.engines.blocks.block_recorder import BlockRecorder
from supple.engines.blocks.cells import Cells, ModelNumbers
from supple.engines.blocks.tangent_groups import Pass
from supple.engines.blocks.tangent_program import BoundTangents, TangentProgram
from supple.expressions.operations import OPERATIONS

NUMBERS = np.array([1.5, -2.5])
NONE = np.zeros(0)


def place(x: Cells) -> tuple[int, int]:
    return x.first, x.size


@pytest.fixture(scope="module")
def program() -> TangentProgram:
    """y = c0 sin(x0) z0, z = (x1 x2, 3 x0), then y overwritten twice: by 7 and by y x2."""
    r = BlockRecorder()
    x, y, z = Cells(r, (3,)), Cells(r, (3,), 0.0), Cells(r, (2,), 0.0)
    c = ModelNumbers(r, NUMBERS, 0, (0.0,))
    z[0], z[1] = x[1] * x[2], 3 * x[0]
    r.end()
    y[0] = c[0] * np.sin(x[0]) * z[0]
    y[1] = x[0] / x[1] + c[1] * x[2]
    y[2] = x[0] * x[0]
    r.end()
    y[1] = 7.0
    y[2] = y[2] * x[2]
    return TangentProgram(
        Program(r, {"x": x}, {"y": y, "z": z}), [Pass({"x": place(x)}, {"y": place(y), "z": place(z)})], {}
    )


def expected(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """dy/dx and dz/dx of states (n, 3)."""
    a, b, c = x.T
    zero = np.zeros_like(a)
    y = [[1.5 * np.cos(a) * b * c, 1.5 * np.sin(a) * c, 1.5 * np.sin(a) * b], [zero] * 3, [2 * a * c, zero, a * a]]
    z = [[zero, c, b], [zero + 3, zero, zero]]
    return np.moveaxis(np.array(y), -1, 0), np.moveaxis(np.array(z), -1, 0)


@pytest.mark.parametrize("lanes", [1, 2, 4, 8])
@pytest.mark.parametrize("by_states", [False, True])
@pytest.mark.parametrize("states", [1, 3, 8, 13])
def test_any_lanes(program: TangentProgram, lanes: int, by_states: bool, states: int) -> None:
    loaded = program.loaded(lanes, by_states)
    for seed in (1, 2):  # the second call must not see the first
        x = np.random.default_rng(seed).normal(size=(states, 3))
        out = [np.full((states, n), np.nan) for n in (3, 2, 9, 6)]
        loaded.run(0, states, [x, *out], NUMBERS)
        dy, dz = expected(x)
        np.testing.assert_allclose(out[2].reshape(states, 3, 3), dy, rtol=1e-13, atol=1e-14)
        np.testing.assert_allclose(out[3].reshape(states, 2, 3), dz, rtol=1e-13, atol=1e-14)
        np.testing.assert_allclose(out[0][:, 2], x[:, 0] ** 2 * x[:, 2], rtol=1e-14)


def test_what_does_not_change_is_not_computed(program: TangentProgram) -> None:
    """x1 moves z0 and y0 alone; nobody needs what y1 was before it was overwritten."""
    (group,) = [g for _, g in program.groups(1) if g.directions == (("x", 1),)]
    operations = [x.block.operations for x in group.visits]
    assert [len(x) for x in operations] == [2, 2]


def test_one_state_from_python(program: TangentProgram) -> None:
    bound = BoundTangents(program, NUMBERS)
    x = np.array([0.3, 0.4, -0.5])
    out = [np.full(n, np.nan) for n in bound.sizes]
    assert bound.one(x, *out) is out[-1]
    np.testing.assert_allclose(out[2].reshape(3, 3), expected(x[None])[0][0], rtol=1e-13, atol=1e-14)


def test_threads_have_memory_of_their_own(program: TangentProgram) -> None:
    bound = BoundTangents(program, NUMBERS)
    x = np.random.default_rng(5).normal(size=(8, 200, 3))
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda part: bound.batch([part], 200)[2], x))
    for part, dy in zip(x, found, strict=True):
        np.testing.assert_allclose(dy.reshape(200, 3, 3), expected(part)[0], rtol=1e-13, atol=1e-14)


def test_every_operation() -> None:
    r = BlockRecorder()
    x, y = Cells(r, (2,)), Cells(r, (len(OPERATIONS),), 0.0)
    for i, (name, operation) in enumerate(OPERATIONS.items()):
        y[i] = getattr(r, name)(*[x[j] for j in range(operation.arity)])
    program = TangentProgram(Program(r, {"x": x}, {"y": y}), [Pass({"x": place(x)}, {"y": place(y)})], {})
    values, h = np.random.default_rng(1).uniform(0.2, 0.8, (12, 2)), 1e-6
    for states in (1, 12):
        _, dy = BoundTangents(program, NONE).batch([values[:states]], states)
        for i, (name, operation) in enumerate(OPERATIONS.items()):
            for j in range(2):
                ends = [values[:states] + s * h * np.eye(2)[j] for s in (1, -1)]
                f = [getattr(np, operation.numpy)(*end[:, : operation.arity].T) for end in ends]
                # Central differences: truncation h^2, rounding / h.
                np.testing.assert_allclose(
                    dy.reshape(states, -1, 2)[:, i, j], (f[0] - f[1]) / (2 * h), rtol=1e-8, atol=1e-9, err_msg=name
                )


@pytest.mark.parametrize("lanes", [1, 2, 4, 8])
@pytest.mark.parametrize("by_states", [False, True])
@pytest.mark.parametrize("n", [1, 3, 6, 11])
def test_products_with_a_symmetric_jacobian(lanes: int, by_states: bool, n: int) -> None:
    """W = dy/du is a tridiagonal matrix of numbers; what goes into "matrix" comes out as -W dz/dx."""
    rng = np.random.default_rng(n)
    numbers = rng.normal(size=3 * n)
    r = BlockRecorder()
    x, u, y, z, W = (Cells(r, shape) for shape in ((n,), (n,), (n,), (n,), (n, n)))
    c = ModelNumbers(r, numbers, 0, ())
    for i in range(n):
        y[i] = c[i] * u[i] + sum((c[n + min(i, j)] * u[j] for j in (i - 1, i + 1) if 0 <= j < n), r.zero)
        z[i] = c[2 * n + i] * x[i] * x[max(i - 2, 0)]
        r.cut()
    passes = [Pass({"u": place(u)}, {"y": place(y)}, "symmetric"), Pass({"x": place(x)}, {"y": place(z)}, "matrix")]
    program = TangentProgram(Program(r, {"x": x, "u": u}, {"y": y}, kept=[z]), passes, {}, W.first)
    wanted = np.diag(numbers[:n]) + np.diag(numbers[n : 2 * n - 1], 1) + np.diag(numbers[n : 2 * n - 1], -1)
    values = rng.normal(size=(9, n))
    out = [np.full((9, size), np.nan) for size in (n, n * n, n * n)]
    program.loaded(lanes, by_states).run(0, 9, [values, values, *out], numbers)
    for s, at in enumerate(values):
        dz = np.zeros((n, n))
        for i in range(n):
            dz[i, i] += numbers[2 * n + i] * at[max(i - 2, 0)]
            dz[i, max(i - 2, 0)] += numbers[2 * n + i] * at[i]
        np.testing.assert_allclose(out[1][s].reshape(n, n), wanted, rtol=1e-14)
        np.testing.assert_allclose(out[2][s].reshape(n, n), -wanted @ dz, rtol=1e-12, atol=1e-13)
