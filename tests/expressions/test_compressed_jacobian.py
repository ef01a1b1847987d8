"""Jacobians from products with the seeds of colours, against full ones."""

from __future__ import annotations

import numpy as np
import pytest

from supple.engines.blocks.compiled_function import CompiledFunction
from supple.expressions.compressed_jacobian import CompressedJacobian
from supple.expressions.derivatives import jacobian
from supple.expressions.function import Function
from supple.expressions.graph import Graph
from support.generated.random_graphs import random_function


def evaluated(J: CompressedJacobian, at: np.ndarray) -> np.ndarray:
    products = [J.product.evaluate(s=at, seed=seed)["product"] for seed in J.seeds]
    return J.pattern.dense(J.entries(products))


@pytest.mark.parametrize("outputs", [2, 20])
@pytest.mark.parametrize("seed", range(10))
def test_random_graphs_against_the_full_jacobian(seed: int, outputs: int) -> None:
    f = random_function(seed, outputs=outputs)
    at = np.random.default_rng(seed).uniform(-2, 2, f.inputs["s"].size)
    slopes = Function("J", f.graph, f.inputs, {"J": jacobian(f.outputs["r"], f.inputs["s"])})
    expected = slopes.evaluate(s=at)["J"]
    J = CompressedJacobian(f, "r", "s")
    assert len(J.seeds) <= 9
    np.testing.assert_allclose(evaluated(J, at), expected, rtol=1e-10, atol=1e-10)


def test_a_band_takes_three_products_for_a_whole_batch() -> None:
    g = Graph()
    x = g.new_inputs("x", [str(i) for i in range(60)])
    y = np.sin(x) * np.roll(x, 1) + np.exp(np.roll(x, -1))
    y[0], y[-1] = x[0] * x[1], x[-2] * x[-1]
    J = CompressedJacobian(Function("band", g, {"x": x}, {"y": y}), "y", "x")
    assert J.seeds.shape == (3, 60)
    product = CompiledFunction.of(J.product)
    at = np.random.default_rng(0).normal(size=(4, 60))
    found = J.pattern.dense(J.entries(product(at[:, None], J.seeds)))
    i = np.arange(1, 59)
    np.testing.assert_allclose(found[:, i, i], np.cos(at[:, i]) * at[:, i - 1], rtol=1e-12)
    np.testing.assert_allclose(found[:, i, i - 1], np.sin(at[:, i]), rtol=1e-12)
    np.testing.assert_allclose(found[:, i, i + 1], np.exp(at[:, i + 1]), rtol=1e-12)
    assert np.count_nonzero(found[0]) == 3 * 58 + 4


def test_a_sum_of_squares_takes_one_product_in_reverse() -> None:
    g = Graph()
    s = g.new_inputs("s", [str(i) for i in range(30)])
    J = CompressedJacobian(Function("sum", g, {"s": s}, {"r": np.sum(s * s)}), "r", "s")
    assert J.seeds.shape == (1, 1)
    at = np.arange(30.0)
    assert np.array_equal(evaluated(J, at), 2 * at[None])


def test_parameters_stay() -> None:
    g = Graph()
    s, k = g.new_inputs("s", "01"), g.parameter("k")
    J = CompressedJacobian(Function("f", g, {"s": s}, {"r": k * s * s}, [k]), "r", "s")
    product = J.product.evaluate({"k": 3.0}, s=[1.0, 2.0], seed=J.seeds[0])["product"]
    assert list(J.entries([product])) == [6.0, 12.0]
