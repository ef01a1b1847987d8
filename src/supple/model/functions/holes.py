"""Products of functions that cannot be made, each with the reason that is given to who asks for one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from supple.errors import StateError
from supple.model.functions.table import FUNCTIONS, INTEGRATORS, require_function

PRODUCTS = (
    "method",
    "complex",
    "compile",
    "derivatives",
    "gradient",
    "graph",
    "casadi",
    "jax",
    "torch",
    "c_library",
)
"""What is made of functions. "graph" stands for equations, printed code and counts of operations."""
LINKS = (
    "forward_dynamics",
    "inverse_dynamics",
    "bias_forces",
    "mass_matrix",
    "inverse_mass_matrix",
    "forward_dynamics_derivatives",
    "inverse_dynamics_derivatives",
    "energy",
    "center_of_mass",
    "momentum",
    "energy_and_momentum",
    "derivative",
    "tangent",
    "integrate",
    "poses",
    *INTEGRATORS,
)
"""Functions that equivalent rigid-link systems have on nodes."""
DERIVED = ("forward_dynamics_derivatives", "inverse_dynamics_derivatives", "linearize")
"""Functions whose outputs are Jacobians."""
REAL = (
    *DERIVED,
    "direction_rates",
    "jacobian_derivative",
    "inverse_operational_inertia",
    "operational_inertia",
    *INTEGRATORS,
)
"""Functions that are derivatives themselves, or have no twin for complex numbers."""


def unavailable(model: Any, what: str, product: str) -> str | None:
    """Return why a product of a function cannot be made for a model, or None if it can."""
    function = require_function(what)
    if function.closed_only and model.loops is None:
        return "the model has no closed loops"
    if model.formulation != "floating frames" and product != "method" and what not in LINKS:
        return "an equivalent rigid-link system has it as a method alone, if at all"
    if product == "complex" and what in REAL:
        return "expected real states, got complex numbers"
    if product == "derivatives" and what in DERIVED:
        return "its outputs are derivatives already; CasADi and gradients differentiate them further"
    if product == "c_library" and function.differentiates and what != "forward_dynamics_derivatives":
        return "C libraries have derivatives of forward dynamics alone"
    return None


def require_made(model: Any, what: str, product: str) -> None:
    """Raise StateError, with the reason, if a product of a function cannot be made for a model."""
    reason = unavailable(model, what, product)
    if reason is not None:
        raise StateError(f"model {model.name!r}: {what}: {reason}")


def holes(model: Any, products: Sequence[str] = PRODUCTS) -> dict[tuple[str, str], str]:
    """Return all products that cannot be made for a model, by function and product, with their reasons."""
    found = {(what, product): unavailable(model, what, product) for what in FUNCTIONS for product in products}
    return {key: reason for key, reason in found.items() if reason is not None}
