"""`supple.optimize`: values of a model for which a measure of its motion is smallest or largest."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import scipy.optimize

from supple.call_checks import checked
from supple.checks import Floats
from supple.errors import StateError, nearest
from supple.formulations import Formulation
from supple.identification.fitting import case_source, read_unknowns
from supple.optimization.constraint_formulas import MeasureConstraint, read_constraints
from supple.optimization.measure_slopes import DifferentiableMeasure
from supple.optimization.measured_cases import MeasuredCases
from supple.optimization.optimum import Optimum, by_name

OPTIONS: dict[str, dict[str, float]] = {
    "SLSQP": {"ftol": 1e-10, "maxiter": 200},
    "trust-constr": {"gtol": 1e-8, "xtol": 1e-10, "maxiter": 500},
    "L-BFGS-B": {"ftol": 1e-12, "gtol": 1e-8, "maxiter": 200},
}
"""Methods, and when they end; the measure is scaled by its start."""


@checked
def optimize(
    model: Formulation | str | os.PathLike[str],
    vary: Sequence[str] | Mapping[str, float | None],
    measure: str,
    *,
    bounds: Mapping[str, tuple[float | None, float | None]] | None = None,
    constraints: Sequence[str] | Mapping[str, str] = (),
    maximize: bool = False,
    method: str | None = None,
    scale: Mapping[str, float] | None = None,
    changes: Mapping[str, Any] | None = None,
    **run: Any,
) -> Optimum:
    """Values of a model for which a measure of its motion is smallest, within bounds and under constraints.

    It is a local optimum, found by a gradient method from the start. Derivatives are exact where values lead to
    parameters of the model and measures depend on coordinates, speeds, accelerations, energies and positions of frames;
    elsewhere they are central differences of runs.

    Parameters
    ----------
    model : Model or path
        A model, or a model file (.toml) that says what is simulated.
    vary : sequence of str, or mapping of str to number
        What is chosen, and where the search starts if not at the present value: paths of a file, "body.arm.mass", or
        names of parameters of a model, as for `supple.fit`.
    measure : str
        A formula of the motion, as of sweeps: "integral(arm.angle**2)", "rms(tip.z) + 0.1*max(abs(arm.angle))".
    bounds : mapping of str to (low, high), optional
        None for no bound.
    constraints : sequence of str, or mapping of name to str
        Formulas with <=, >= or == between two measures or numbers: "max(abs(arm.angle)) <= 0.5".
    maximize : bool
        Look for the largest value.
    method : str, optional
        "SLSQP", "trust-constr" or "L-BFGS-B" of SciPy, the last without constraints. By default SLSQP with constraints,
        else L-BFGS-B.
    scale : mapping of str to float, optional
        Size of a change of a value that matters, if not the value itself.
    changes : mapping of path to value, optional
        Values that differ in all runs: paths of a file, or names of parameters, variables and settings of a model.
    **run
        Of a model: keyword arguments of `supple.simulate`, the duration among them.

    Returns
    -------
    Optimum
        Values, measure, gradient, constraints; the model and its motion. Prints as a table.
    """
    source = case_source(model, changes, run, "supple.optimize")
    if not isinstance(measure, str):
        raise StateError(f"measure: expected a formula, got {measure!r}")
    limits = read_constraints(constraints)
    chosen = _method(method, limits)
    unknowns = read_unknowns(source, vary, bounds, scale=scale)
    formulas = [DifferentiableMeasure(measure), *(c.measure for c in limits)]
    cases = MeasuredCases(source, unknowns.names, formulas)
    first = cases(unknowns.start)
    sizes = np.where(first.values != 0.0, np.abs(first.values), 1.0)
    sign = -1.0 if maximize else 1.0

    def value(x: Floats) -> float:
        return sign * float(cases(x * unknowns.scale).values[0]) / sizes[0]

    def slope(x: Floats) -> Floats:
        return np.asarray(sign * cases(x * unknowns.scale).slopes[0] * unknowns.scale / sizes[0])

    minimize: Any = scipy.optimize.minimize
    found = minimize(
        value,
        unknowns.start / unknowns.scale,
        jac=slope,
        method=chosen,
        bounds=scipy.optimize.Bounds(unknowns.lower / unknowns.scale, unknowns.upper / unknowns.scale),
        constraints=_constraints(cases, unknowns.scale, sizes[1:], limits),
        options=OPTIONS[chosen],
    )
    best = cases(np.asarray(found.x) * unknowns.scale)
    return Optimum(
        measure,
        float(best.values[0]),
        float(first.values[0]),
        by_name(unknowns.names, np.asarray(found.x) * unknowns.scale),
        by_name(unknowns.names, best.slopes[0]),
        by_name(tuple(c.name for c in limits), best.values[1:]),
        best.case.model,
        best.case.result,
        unknowns,
        limits,
        best.case.exact & all(f.analytic for f in formulas),
        cases.runs,
        bool(found.success),
        str(found.message),
    )


def _method(method: str | None, limits: tuple[MeasureConstraint, ...]) -> str:
    if method is None:
        return "SLSQP" if limits else "L-BFGS-B"
    if method not in OPTIONS:
        raise StateError(f"method: expected one of {', '.join(OPTIONS)}, got {method!r}{nearest(method, OPTIONS)}")
    if limits and method == "L-BFGS-B":
        raise StateError("method: L-BFGS-B takes no constraints; expected SLSQP or trust-constr")
    return method


def _constraints(cases: MeasuredCases, scale: Floats, sizes: Floats, limits: tuple[MeasureConstraint, ...]) -> Any:
    """All constraints as one of SciPy; none if there are none."""
    if not limits:
        return ()
    return scipy.optimize.NonlinearConstraint(
        lambda x: cases(x * scale).values[1:] / sizes,
        np.array([c.lower for c in limits]) / sizes,
        np.array([c.upper for c in limits]) / sizes,
        jac=lambda x: cases(x * scale).slopes[1:] * scale / sizes[:, None],
    )
