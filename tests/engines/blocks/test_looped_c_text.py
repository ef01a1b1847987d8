"""Steps in loops printed as C."""

from __future__ import annotations

import ctypes
from pathlib import Path

import numpy as np

from supple.engines.blocks.block_c_text import CPrecision
from supple.engines.blocks.looped_c_text import looped_function
from supple.recursions import closure_forces
from support.programs.c_libraries import built

HEAD = """typedef double real;
typedef unsigned short place;
void evaluate(real *m, const real *p, const place *at);
"""
CALL = """
void evaluate(real *m, const real *p, const place *at)
{
    factored(m, p, at);
    solved(m, p, at + 8);
}
"""


def test_forces_of_constraints_are_found_by_their_source(tmp_path: Path) -> None:
    n = 5
    steps = (
        (closure_forces.factor_closures, (2, 2, 1), "factored"),
        (closure_forces.solve_closures, (2, 2, 1, 1, 1, 1), "solved"),
    )
    texts = [looped_function(step, ranks, name, CPrecision("double")) for step, ranks, name in steps]
    (tmp_path / "steps.c").write_text(HEAD + "\n".join(texts) + CALL)
    code = ctypes.CDLL(str(built(tmp_path, "steps.so", ["steps.c"], "-shared", "-fPIC")))
    rng = np.random.default_rng(0)
    A, r = rng.normal(size=(n, n)), rng.normal(size=n)
    S = A @ A.T + np.eye(n)
    S_at, L_at, pivot, right, left, x = 0, n * n, 2 * n * n, 2 * n * n + n, 2 * n * n + 2 * n, 2 * n * n + 3 * n
    m = np.concatenate([S.ravel(), np.full(n * n + n, np.nan), r, np.full(2 * n, np.nan)])
    words = [S_at, n, n, L_at, n, n, pivot, n, S_at, n, n, L_at, n, n, pivot, n, right, n, left, n, x, n]
    at = np.array(words, dtype=np.uint16)
    code.evaluate(*(y.ctypes.data_as(ctypes.c_void_p) for y in (m, np.zeros(1), at)))
    np.testing.assert_allclose(m[x:], np.linalg.solve(S, r), rtol=1e-12)
