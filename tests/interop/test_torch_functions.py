"""Functions of models inside PyTorch: values, derivatives and batches."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import supple
from supple.interop import torch_function
from supple.interop.differentiable import Differentiable

torch = pytest.importorskip("torch", reason="PyTorch is not among the packages of the tests: it is too large")
pytestmark = pytest.mark.filterwarnings("ignore:.*torch.jit.script.*:DeprecationWarning")  # of PyTorch itself
EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.mark.parametrize("name", ["cart_pendulum", "satellite_two_booms"])
def test_values_derivatives_and_batches(name: str) -> None:
    model = supple.files.read(EXAMPLES / f"{name}.toml").model
    f = torch_function(model, "forward_dynamics")
    found = [model.random_state(seed=i) for i in range(4)]
    tau = np.random.default_rng(0).normal(size=(4, model.nv))
    given: list[Any] = [np.array([q for q, _ in found]), np.array([v for _, v in found]), tau]
    batch = [torch.tensor(x) for x in given]
    one = [x[0] for x in batch]
    expected = model.forward_dynamics(*given)
    np.testing.assert_allclose(f(*batch).numpy(), expected, rtol=1e-13)
    np.testing.assert_allclose(
        torch.func.vmap(f, in_dims=(None, None, 0))(*one[:2], batch[2])[0], expected[0], rtol=1e-13
    )
    J = Differentiable(model, "forward_dynamics").jacobians(*(x[0] for x in given))
    for place in range(3):
        back = torch.func.jacrev(f, argnums=place)(*one).numpy()
        scale = np.abs(J[place]).max()
        assert scale > 1e-3
        np.testing.assert_allclose(back, J[place], rtol=0, atol=1e-12 * scale)
    each = torch.func.vmap(torch.func.jacrev(f))(*batch)[0].numpy()
    np.testing.assert_allclose(each, J[0], rtol=0, atol=1e-12 * np.abs(J[0]).max())
    ones = tuple(torch.ones_like(x) for x in one)
    moved = torch.func.jvp(f, tuple(one), ones)[1].numpy()
    np.testing.assert_allclose(moved, sum(x.sum(-1) for x in J), rtol=1e-10)


def test_backward_through_steps() -> None:
    model = supple.files.read(EXAMPLES / "cart_pendulum.toml").model
    step = torch_function(model, "rk4")

    def end(force: Any) -> Any:
        q, v = torch.tensor([0.0, 0.3], dtype=torch.float64), torch.zeros(2, dtype=torch.float64)
        for u in force:
            zero = torch.zeros((), dtype=torch.float64)
            q, v = step(q, v, torch.stack([u, zero]), torch.tensor(0.05, dtype=torch.float64))
        return q[1] + v[0] ** 2

    force = torch.linspace(-1.0, 2.0, 6, dtype=torch.float64, requires_grad=True)
    end(force).backward()
    with torch.no_grad():
        shift = torch.zeros(6, dtype=torch.float64)
        shift[2] = 1e-5
        expected = (end(force + shift) - end(force - shift)) / 2e-5
    assert force.grad is not None
    np.testing.assert_allclose(float(force.grad[2]), float(expected), rtol=1e-7)


def test_wrong_arguments_are_named() -> None:
    f = torch_function(supple.files.read(EXAMPLES / "pendulum.toml").model, "forward_dynamics")
    with pytest.raises(supple.StateError, match=r"q: expected a tensor of torch.float64"):
        f(torch.zeros(1), torch.zeros(1), torch.zeros(1))
    with pytest.raises(supple.StateError, match=r"got 1 arguments"):
        f(torch.zeros(1))
