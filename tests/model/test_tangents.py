"""Derivatives by tangents of blocks against complex steps through the compiled sweeps."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import supple
from supple.model.complex_steps import imaginary_steps, step_slopes
from supple.model.model import Model
from supple.model.step_formulas import STEPS
from support.by_nodes import by_nodes
from support.cases import thinned
from support.generated.generators import random_tree
from support.generated.generators_flexible import random_flexible_tree

DIFFERENTIATED = [
    *("forward_dynamics", "inverse_dynamics", "bias_forces", "mass_matrix", "inverse_mass_matrix"),
    *("energy", "energy_and_momentum", "derivative", "poses"),
]
STATES = 9
"""More than twice the widest lanes but one: batches go by states in lanes, single states by directions."""


def models() -> list[Model]:
    """Trees with all kinds of joints, springs and wrenches, rigid and flexible."""
    return [random_tree(4, 7), random_tree(5, 11, forces=False), random_flexible_tree(2, 3, forces=True)[0]]


def states(model: Model) -> dict[str, Any]:
    rng = np.random.default_rng(3)
    q = np.stack([model.random_state(i)[0] for i in range(STATES)])
    v, x = rng.normal(size=(2, STATES, model.nv))
    return {"q": q, "v": v, "tau": x, "a": x}


def by_complex_steps(model: Model, what: str, inputs: dict[str, Any], by: str) -> list[Any]:
    """Derivatives of all outputs by one input, the direction last."""
    x = inputs[by]
    directions = np.swapaxes(model.tangent(x), -1, -2) if by == "q" else np.eye(x.shape[1])[None]
    moved = {name: imaginary_steps(x, directions) if name == by else y[:, None] for name, y in inputs.items()}
    results = getattr(model, what)(*moved.values())
    found = list(results) if isinstance(results, tuple) else [results]
    return [np.moveaxis(step_slopes(y), 1, -1) for y in found]


@pytest.mark.parametrize("what", DIFFERENTIATED)
@pytest.mark.parametrize("model", models(), ids=lambda x: x.name)
def test_tangents_and_complex_steps_agree(model: Model, what: str) -> None:
    f = model.compile(what, derivatives=_inputs(model, what))
    inputs = {name: states(model)[name] for name in f.inputs}
    found = dict(zip(f.outputs, f(*inputs.values()), strict=True))
    for by in f.inputs:
        results = [name for name in f.outputs if name.endswith(f"_d{by}")]
        for name, wanted in zip(results, by_complex_steps(model, what, inputs, by), strict=True):
            size = np.abs(wanted).max()
            assert found[name].shape == wanted.shape
            np.testing.assert_allclose(found[name], wanted, rtol=0, atol=2e-11 * size + 1e-30, err_msg=name)
    for s in (0, 4):
        one = f(*(x[s].copy() for x in inputs.values()))
        for name, x in zip(f.outputs, one, strict=True):
            np.testing.assert_allclose(x, found[name][s], rtol=0, atol=1e-12 * np.abs(found[name]).max(), err_msg=name)


@pytest.mark.parametrize("what", thinned(STEPS, ["leapfrog"]))
def test_steps_are_differentiated_as_their_graphs_are(what: str) -> None:
    model = random_tree(4, 2)
    given = states(model) | {"dt": np.array([0.01])}
    names = ["b1.mass", "gravity.z"]
    by = ("q", "v", "tau", "dt", "parameters")
    f = model.compile(what, parameters=names, derivatives=by)
    arguments = [given[name] for name in ("q", "v", "tau", "dt")] + [np.array([2.0, -5.0])]
    for name, a, b in zip(f.outputs, f(*arguments), by_nodes(f.function, *arguments), strict=True):
        np.testing.assert_allclose(a, b, rtol=0, atol=2e-12 * np.abs(b).max() + 1e-30, err_msg=name)


def _inputs(model: Model, what: str) -> tuple[str, ...]:
    return tuple(model.compile(what, derivatives=("q",)).inputs)


def test_the_second_call_gives_what_the_first_gave() -> None:
    model = models()[0]
    x = states(model)
    f = model.compile("forward_dynamics", derivatives=("q", "v", "tau"))
    for part in (slice(0, 1), slice(None)):
        first = f(x["q"][part], x["v"][part], x["tau"][part])
        f(x["q"][::-1][part], 2 * x["v"][part], x["tau"][part])
        for a, b in zip(first, f(x["q"][part], x["v"][part], x["tau"][part]), strict=True):
            np.testing.assert_array_equal(a, b)


def test_outputs_go_where_they_are_wanted() -> None:
    model = models()[0]
    x = states(model)
    for what, inputs in (("forward_dynamics", ("q", "v", "tau")), ("poses", ("q",))):
        f = model.compile(what, derivatives=("q",))
        arguments = [x[name] for name in inputs]
        out = [np.full((STATES, *shape), np.nan) for shape in f.outputs.values()]
        assert f(*arguments, out=out)[0] is out[0]
        for a, b in zip(out, f(*arguments), strict=True):
            np.testing.assert_array_equal(a, b)


def test_hybrid_dynamics() -> None:
    model = models()[0]
    x = states(model)
    q, v, drive = x["q"], x["v"], x["tau"]
    mask = np.arange(model.nv) % 3 == 0
    assert model.evaluation.tangents is not None
    found = model.evaluation.tangents.jacobians(
        "hybrid_dynamics", ("coordinates", "v", "drive"), (q, v, drive), tuple(mask.tolist()), False
    )
    for by, inputs in (("coordinates", q), ("v", v), ("drive", drive)):
        moved = [y[:, None] for y in (q, v, drive)]
        moved[("coordinates", "v", "drive").index(by)] = imaginary_steps(inputs, np.eye(inputs.shape[1])[None])
        for name, wanted in zip(("a", "drive"), model.hybrid(moved[0], moved[1], moved[2], mask), strict=True):
            slopes = np.swapaxes(step_slopes(wanted), 1, 2)
            size = np.abs(slopes).max()
            np.testing.assert_allclose(found[f"d{name}_d{by}"], slopes, rtol=0, atol=2e-11 * size, err_msg=name + by)


def test_a_long_chain_needs_no_other_engine() -> None:
    """Its derivatives as straight-line code would have millions of operations."""
    mech = supple.Mechanism("chain")
    for i in range(60):
        joint = supple.Revolute("xyz"[i % 3])
        mech.add_body(
            f"b{i}", supple.RigidBody(1.0, (0.1, 0, 0.2), (0.1, 0.2, 0.3)), f"b{i - 1}" if i else "ground", joint
        )
    model = mech.build()
    q, v = model.random_state(0)
    tau = np.ones(60)
    f = model.compile("forward_dynamics", derivatives=("v", "tau"))
    _, by_v, W = f(q, v, tau)
    x = imaginary_steps(v, np.eye(60))
    wanted = step_slopes(model.forward_dynamics(q, x, tau)).T
    # The mass matrix of so long a chain is badly conditioned.
    np.testing.assert_allclose(by_v, wanted, rtol=0, atol=1e-8 * np.abs(wanted).max())
    np.testing.assert_allclose(W @ model.mass_matrix(q), np.eye(60), atol=1e-6)
