"""Gradients in reverse: those of tangents, by parameters those of differences; on trees and a closed mechanism."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import supple
from supple.errors import StateError
from supple.model.parameters import parameter_values
from support.cases import thinned
from support.generated.generators import KINDS, random_tree
from support.generated.generators_flexible import random_flexible_tree
from support.mechanisms.closed_mechanisms import slider_crank


@cache
def tree(kind: str) -> supple.Model:
    """With every kind of joint, or with flexible bodies and springs between frames."""
    return random_tree(4, KINDS) if kind == "rigid" else random_flexible_tree(2, 4, 4, fidelity=kind, forces=True)[0]


@pytest.mark.parametrize("kind", thinned(["rigid", "full", "ruthless"], ["rigid", "full"]))
@pytest.mark.parametrize("what", ["forward_dynamics", "inverse_dynamics", "energy"])
def test_gradients_are_weighted_sums_of_tangents(kind: str, what: str) -> None:
    model = tree(kind)
    (q, v), rng = model.random_state(1), np.random.default_rng(1)
    names = {"forward_dynamics": ("q", "v", "tau"), "inverse_dynamics": ("q", "v", "a"), "energy": ("q", "v")}[what]
    inputs = (q, v, rng.normal(size=model.nv))[: len(names)]
    results = model.compile(what, derivatives=names)(*inputs)
    count = len(results) // (1 + len(names))
    w = rng.normal(size=sum(np.size(x) for x in results[:count]))
    blocks = np.reshape([np.atleast_2d(x) for x in results[count:]], (count, len(names), -1, model.nv))
    jacobians = np.moveaxis(blocks, 1, 0).reshape(len(names), len(w), model.nv)
    found = model.gradient(what)(*inputs, weights=w)
    assert list(found) == list(names)
    for name, J in zip(names, jacobians, strict=True):
        np.testing.assert_allclose(found[name], w @ J, atol=1e-10 * max(np.abs(w @ J).max(), 1e-3), err_msg=name)
    assert np.abs(found["q"]).max() > 1e-3


def test_batches_agree_with_single_states() -> None:
    model, rng = tree("rigid"), np.random.default_rng(2)
    states = [model.random_state(seed) for seed in range(40)]
    q, v = (np.stack(x).reshape(4, 10, -1) for x in zip(*states, strict=True))
    tau, w = rng.normal(size=model.nv), rng.normal(size=(10, model.nv))
    gradient = model.gradient("forward_dynamics", ["gravity.z"])
    many = gradient(q, v, tau, weights=w)
    assert {name: x.shape for name, x in many.items()} == {
        "q": (4, 10, model.nv),
        "v": (4, 10, model.nv),
        "tau": (4, 10, model.nv),
        "parameters": (4, 10, 1),
    }
    for i, j in ((0, 0), (3, 9)):
        one = gradient(q[i, j], v[i, j], tau, weights=w[j])
        for name, x in one.items():
            np.testing.assert_allclose(many[name][i, j], x, atol=1e-11 * max(np.abs(x).max(), 1.0))


@pytest.mark.parametrize("kind", ["rigid", "full", "closed"])
def test_gradients_by_parameters_are_those_of_differences(kind: str) -> None:
    model = slider_crank() if kind == "closed" else tree(kind)
    q, v = model.random_state(3)
    if model.loops is not None:
        q = model.loops.assemble([0.7, -0.2, 1.2])
        v = model.loops.consistent(q, v)
    rng = np.random.default_rng(3)
    tau, w = rng.normal(size=model.nv), rng.normal(size=model.nv)
    values = parameter_values(model)
    chosen = [x for x in values if values[x] != 0.0 and ".mode" not in x and x[-2:] not in ("xy", "xz", "yz")][::3]
    found = model.gradient("forward_dynamics", chosen)(q, v, tau, weights=w)["parameters"]
    rough = []
    for name in chosen:
        h = 1e-6 * abs(values[name])
        ends = [model.with_parameters({name: values[name] + s * h}).forward_dynamics(q, v, tau) for s in (1, -1)]
        rough.append(w @ (ends[0] - ends[1]) / (2 * h))
    scale = max(1.0, abs(float(w @ model.forward_dynamics(q, v, tau))))
    sizes = np.array([abs(values[name]) for name in chosen])
    np.testing.assert_allclose(found * sizes, np.array(rough) * sizes, atol=1e-7 * scale)
    assert np.abs(found).max() > 1e-2
    assert len(chosen) >= 4


def test_a_closed_mechanism_has_the_gradient_of_its_linearization() -> None:
    model = slider_crank()
    assert model.loops is not None
    q, rng = model.loops.assemble([0.7, -0.2, 1.2]), np.random.default_rng(4)
    v, tau, w = model.loops.consistent(q, np.ones(3)), rng.normal(size=3), rng.normal(size=3)
    A, B = model.linearize(q, v, tau)
    found = model.gradient("forward_dynamics")(q, v, tau, weights=w)
    for name, J in (("q", A[3:, :3]), ("v", A[3:, 3:]), ("tau", B[3:])):
        np.testing.assert_allclose(found[name], w @ J, atol=1e-11 * np.abs(w @ J).max(), err_msg=name)


def test_what_has_no_gradient_is_refused() -> None:
    model = slider_crank()
    with pytest.raises(StateError, match="no function 'forward_dynamic'"):
        model.gradient("forward_dynamic")
    with pytest.raises(StateError, match=r"'crank.com.y' changes a number that is zero"):
        model.gradient("forward_dynamics", ["crank.mass", "crank.com.y"])
    with pytest.raises(StateError, match=r"no parameter 'crank\.weight'"):
        model.gradient("forward_dynamics", ["crank.weight"])
    with pytest.raises(StateError, match="expected real states"):
        model.gradient("forward_dynamics")(model.neutral() + 0j, np.zeros(3), np.zeros(3), weights=np.ones(3))
    with pytest.raises(StateError, match="expected \\['q', 'v', 'tau'\\], got 2"):
        model.gradient("forward_dynamics")(model.neutral(), np.zeros(3), weights=np.ones(3))
