"""Functions of models in C: the numbers of Python's, in double and in single precision."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import product
from pathlib import Path
from threading import Thread
from typing import Any

import numpy as np
import pytest

import supple
from support.cases import thinned
from support.mechanisms.closed_mechanisms import n_four_bar, slider_crank
from support.programs.c_libraries import Library, chain, difference, flexible_arm, free_tree

FUNCTIONS = (
    "forward_dynamics",
    "inverse_dynamics",
    "mass_matrix",
    "bias_forces",
    "pose",
    "velocity",
    "derivative",
)
MODELS: dict[str, Callable[[], supple.Model]] = {
    "chain": lambda: chain(3),
    "free tree": free_tree,
    "flexible arm": flexible_arm,
    "slider crank": slider_crank,
    "row of four-bars": lambda: n_four_bar(4),
}
TOLERANCE = {"double": 1e-13, "float": 2e-5}
"""Rounding of some hundred operations, magnified by the ratio of the inertias."""


def state_of(model: supple.Model) -> tuple[Any, Any]:
    """A state that is not special; of closed loops one that is closed."""
    q, v = model.random_state(3)
    if model.loops is not None:
        start = 0.4 + 0.1 * np.arange(model.nq) * (np.arange(model.nq) < 2)
        q = model.loops.assemble(start)
        v = model.loops.consistent(q, v)
    return q, v


@pytest.mark.parametrize(
    ("name", "precision"),
    thinned(
        product(MODELS, TOLERANCE),
        [*product(MODELS, ["double"]), ("chain", "float"), ("flexible arm", "float")],
        several=True,
    ),
)
def test_functions_agree_with_those_of_the_model(name: str, precision: str, tmp_path: Path) -> None:
    model = MODELS[name]()
    frames = [*model.bodies, *(x for x in model.frames if "/" in x)][:5]
    own = Library(model, tmp_path / "c", FUNCTIONS, precision=precision, frames=frames)
    (q, v), n = state_of(model), model.nv
    rng = np.random.default_rng(1)
    tau, a = rng.normal(size=n), rng.normal(size=n)
    expected: dict[str, Any] = {
        "forward_dynamics": model.forward_dynamics(q, v, tau),
        "inverse_dynamics": model.inverse_dynamics(q, v, a),
        "bias_forces": model.bias_forces(q, v),
        "mass_matrix": model.mass_matrix(q),
        "derivative": model.derivative(q, v),
    }
    inputs = {"forward_dynamics": [q, v, tau], "inverse_dynamics": [q, v, a], "mass_matrix": [q]}
    for function, x in expected.items():
        found = own(function, inputs.get(function, [q, v]), np.size(x))
        assert difference(found, x) < TOLERANCE[precision], function
    R, p = own("pose", [q], 9 * len(frames), 3 * len(frames))
    V = own("velocity", [q, v], 6 * len(frames))
    poses = [model.pose(q, x) for x in frames]
    assert difference(R, [x[0] for x in poses]) < TOLERANCE[precision]
    assert difference(p, [x[1] for x in poses]) < TOLERANCE[precision]
    assert difference(V, [model.velocity(q, v, x) for x in frames]) < TOLERANCE[precision]


def test_code_grows_with_structure_and_tables_with_bodies(tmp_path: Path) -> None:
    sources = {}
    for links in (10, 100):
        folder = supple.export.c_library(chain(links), tmp_path / str(links), ["forward_dynamics", "rk4"], name="lib")
        sources[links] = (folder / "lib.c").read_text()
    blocks = {n: re.findall(r"^static void block_\d+\(.*?^}", x, re.M | re.S) for n, x in sources.items()}
    assert len(blocks[10]) == len(blocks[100]) < 20
    tables = {n: re.findall(r"forward_dynamics_rows\[\] = {(.*?)}", x, re.S)[0] for n, x in sources.items()}
    rows = {n: x.count(",") for n, x in tables.items()}
    assert 8 * rows[10] < rows[100] < 12 * rows[10]


def test_a_long_chain_has_the_accelerations_of_the_model(tmp_path: Path) -> None:
    model = chain(100)
    own = Library(model, tmp_path / "c", ["forward_dynamics"])
    q, v = model.random_state(0)
    tau = np.zeros(model.nv)
    assert difference(own("forward_dynamics", [q, v, tau], model.nv), model.forward_dynamics(q, v, tau)) < 1e-9


def test_threads_with_workspaces_of_their_own_get_the_same_bits(tmp_path: Path) -> None:
    model = free_tree()
    own = Library(model, tmp_path / "c", ["rk4"])
    tau, found = np.zeros(model.nv), dict[int, Any]()

    def move(key: int) -> None:
        q, v = (x.copy() for x in model.random_state(5))
        work = own.workspace()
        for _ in range(300):
            own.step(1e-3, tau, q, v, work)
        found[key] = np.concatenate([q, v])

    move(0)
    threads = [Thread(target=move, args=(key,)) for key in (1, 2)]
    for x in threads:
        x.start()
    for x in threads:
        x.join()
    assert np.isfinite(found[0]).all()
    assert found[0].tobytes() == found[1].tobytes() == found[2].tobytes()
