"""A free body spun about its middle axis: the time between two flips is an elliptic integral of its inertias."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from scipy.special import ellipk

import supple
from supple.files import read


def main() -> float:
    """Print and return the time between flips found in the motion; check it against Euler's solution."""
    path = Path(__file__).with_suffix(".toml")
    contents = read(path)
    model = contents.model
    result = supple.simulate(model, **contents.run_arguments())

    w_y, t = result.v.sel(speed="tool.wy").values, result.time.values
    turns = np.flatnonzero(w_y[:-1] * w_y[1:] < 0)
    crossings = t[turns] - w_y[turns] * (t[turns + 1] - t[turns]) / (w_y[turns + 1] - w_y[turns])
    between = float(np.diff(crossings).mean())

    A, B, C = 0.001, 0.002, 0.0025
    w = result.v.values[0, :3]
    energy2, momentum2 = np.array([A, B, C]) @ w**2, np.array([A, B, C]) ** 2 @ w**2
    # Euler: w_y = sn(rate t, m); for a momentum above the middle axis' the axes of A and C change places.
    if momentum2 > B * energy2:
        A, C = C, A
    rate = np.sqrt((A - B) * (momentum2 - C * energy2) / (A * B * C))
    m = (B - C) * (A * energy2 - momentum2) / ((A - B) * (momentum2 - C * energy2))
    closed_form = 2 * ellipk(m) / rate
    assert np.isclose(between, closed_form, rtol=1e-4)
    assert np.allclose(model.momentum(result.q.values, result.v.values)[:, 3:], [0.05, 0, 0], atol=1e-9)
    print(f"time between flips {between:.6f} s, Euler's solution {closed_form:.6f} s")
    return between


if __name__ == "__main__":
    main()
