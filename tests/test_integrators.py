"""Integrators as objects: names stand for them, and what contradicts them is refused."""

from __future__ import annotations

from dataclasses import FrozenInstanceError
from typing import Any

import pytest
from scipy import integrate

import supple
from supple import integrators
from supple.integrators import BY_NAME, DOP853, RK4, Auto, CustomSolver, GeneralizedAlpha, Variational, resolved


def test_every_name_has_its_kind() -> None:
    for name, kind in BY_NAME.items():
        found = resolved(name, step=1e-3) if name in integrators.STEPPED else resolved(name)
        assert type(found) is kind
        assert found.name == name
    assert set(integrators.STEPPED) == {"generalized_alpha", "variational", "rk4", "leapfrog", "semi_implicit_euler"}


def test_short_forms_are_options() -> None:
    assert resolved("DOP853", rtol=1e-6, atol=1e-9) == DOP853(1e-6, 1e-9) != DOP853(1e-6)
    assert resolved("rk4", step=0.1) == RK4(0.1)
    assert resolved("leapfrog", step=0.1) != resolved("rk4", step=0.1)
    assert resolved("auto", rtol=1e-5) == Auto(rtol=1e-5)
    assert resolved("rk4", step=0.1, rtol=1e-5) == RK4(0.1)
    assert resolved(integrate.RK45, rtol=1e-5) == CustomSolver(1e-5, solver=integrate.RK45)
    assert resolved(DOP853(1e-6), rtol=1e-6) == DOP853(1e-6)
    assert resolved(GeneralizedAlpha(0.1, rho=0.5), step=0.1).rho == 0.5  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"integrator": "RK54"}, r"integrator: no 'RK54'; expected one of 'auto', 'DOP853', .*'rk4'"),
        ({"integrator": 3}, "integrator: expected a name, one of supple.integrators or a class of solvers, got 3"),
        ({"integrator": integrators.Adaptive()}, "integrator: expected a name"),
        ({"integrator": "rk4"}, "step: rk4 needs the length of its steps, s"),
        ({"integrator": "DOP853", "step": 0.1}, "step: only .*rk4.* take one, got 0.1 for 'DOP853'"),
        ({"integrator": DOP853(1e-6), "rtol": 1e-8}, "rtol: the integrator says 1e-06, got 1e-08 beside DOP853"),
        ({"integrator": RK4(0.1), "rtol": 1e-8}, "rtol: only auto, .* got 1e-08 for 'rk4'"),
        ({"integrator": RK4(0.1), "step": 0.2}, "step: the integrator says 0.1, got 0.2"),
        ({"integrator": "auto", "rtol": -1.0}, "rtol: expected a positive number, got -1"),
        ({"integrator": "rk4", "step": "short"}, "rk4: step: expected a positive number, got 'short'"),
    ],
)
def test_what_does_not_fit_is_refused(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(supple.StateError, match=message):
        resolved(**arguments)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: DOP853(rtol=0.0), "rtol: expected a positive number, got 0"),
        (lambda: DOP853(atol=float("nan")), "atol: expected a positive number, got nan"),
        (lambda: GeneralizedAlpha(1.0, rho=2.0), "generalized-alpha: rho: expected a number from 0 to 1, got 2"),
        (lambda: Variational(1.0, order=3), "variational: order: expected 2 or 4, got 3"),
        (lambda: GeneralizedAlpha(1.0, tolerance=0.0), "generalized-alpha: tolerance: expected a positive number"),
    ],
)
def test_bad_options_are_refused(make: Any, message: str) -> None:
    with pytest.raises(supple.StateError, match=message):
        make()


def test_options_are_frozen() -> None:
    with pytest.raises(FrozenInstanceError):
        DOP853().rtol = 1.0  # type: ignore[misc]
