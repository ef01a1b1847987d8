"""A sweep of a model from its distributions to its statistics: the motion of an oscillator of uncertain stiffness."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import integrate

import supple
from supple.sweeps import summary

MASS, LOW, HIGH, TIME = 2.0, 40.0, 60.0, 2.0


def oscillator() -> supple.Model:
    mech = supple.Mechanism("oscillator", gravity=(0, 0, 0))
    mech.add_body("slider", supple.RigidBody(MASS), joint=supple.Prismatic("x", stiffness=50.0))
    return mech.build()


def test_an_oscillator_of_uncertain_stiffness_and_start() -> None:
    """x(T) = x0 cos(sqrt(k / m) T); k and x0 are independent, so the moments are products of integrals."""
    sweep = supple.sweep(
        oscillator(),
        {
            "slider.position.stiffness": {"uniform": [LOW, HIGH]},
            "simulation.q.slider.position": {"uniform": [0.5, 1.5]},
        },
        {"last": "last(slider.position)"},
        sampler="saltelli",
        samples=64,
        engine="lanes",
        duration=TIME,
        integrator="rk4",  # wrong by 1e-5 here
        step=0.01,
    )
    assert sweep.sizes["case"] == 64 * 4
    found = summary(sweep).sel(measure="last")

    def moment(n: int) -> float:
        """E(cos^n)."""
        whole = integrate.quad(lambda k: np.cos(np.sqrt(k / MASS) * TIME) ** n, LOW, HIGH)[0]
        return float(whole) / (HIGH - LOW)

    center, start = moment(1), (1.0, 1.0 + 1.0 / 12.0)  # of x0, first and second moments
    variance = start[1] * moment(2) - center**2
    assert float(found["mean"]) == pytest.approx(center, abs=0.01)
    assert float(found["mean_low"]) < center < float(found["mean_high"])
    assert float(found["std"]) == pytest.approx(np.sqrt(variance), rel=0.05)
    # V(E(x | k)) = E(x0)^2 V(cos), V(E(x | x0)) = V(x0) E(cos)^2
    truth = {"slider.position.stiffness": moment(2) - center**2, "simulation.q.slider.position": center**2 / 12.0}
    for path, part in truth.items():
        first, total = (found[f"{kind}_order"].sel(factor=path) for kind in ("first", "total"))
        assert float(first) == pytest.approx(part / variance, abs=0.1)
        assert float(total) >= float(first) - 0.05
    assert float(found["total_order"].sel(factor="slider.position.stiffness")) > 0.5  # it is what matters here
