"""Python functions of the user's as laws: turned into equations where that gives the same, else called."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from supple.errors import SimulationError, StateError
from supple.expressions.function import Function, Nodes
from supple.expressions.graph import Graph
from supple.formulations import Formulation
from supple.inputs.controllers import Sampled
from supple.inputs.identity import NoValueError, digest
from supple.inputs.quantities import Quantities

Vector = NDArray[np.float64]
UNKNOWN = "depends on what cannot be compared:"
"""In the text of a law that two runs cannot be compared by."""
ForceFunction = Callable[[float, Vector, Vector], ArrayLike]


def is_function(law: Any) -> bool:
    """Whether a law is a function that is asked at every evaluation."""
    return callable(law) and not isinstance(law, Sampled)


def equations(law: Any, model: Formulation, count: int) -> Function | None:
    """A function of (t, q, v) as equations, if it gives the same numbers as when it is called."""
    graph = Graph()
    t = graph.new_input("t")
    q, v = graph.new_inputs("q", model.coordinates), graph.new_inputs("v", model.speeds)
    try:
        found = np.asarray(law(t, q.copy(), v.copy()), dtype=object).reshape(-1)
        inputs = {"t": np.array([t], dtype=object), "q": q, "v": v}
        function = Function("law", graph, inputs, {"force": found})
        if function.outputs["force"].shape != (count,):
            return None
        for trial in range(3):
            q_, v_ = model.random_state(trial)
            for _ in range(2):  # a function with a memory answers differently
                numbers = np.asarray(law(0.37 * trial, q_.copy(), v_.copy()), dtype=float).reshape(-1)
                own = function.evaluate(t=[0.37 * trial], q=q_, v=v_)["force"]
                if not (np.isfinite(numbers).all() and np.allclose(numbers, own, rtol=1e-12, atol=1e-12)):
                    return None
    except Exception:  # whatever a function cannot do with symbols, it may do with numbers
        return None
    return function


def inserted(function: Function, at: Quantities) -> Nodes:
    """The equations of a function, in another graph."""
    image = dict(zip(function.inputs["q"], at.q, strict=True)) | dict(zip(function.inputs["v"], at.v, strict=True))
    image[function.inputs["t"][0]] = at.t
    return function.moved(at.graph, image)["force"]


def asked(function: Any, t: float, q: Vector, v: Vector, shape: tuple[int, ...], where: str) -> Any:
    """What a function answers, checked."""
    answer = function(t, q, v)
    if not shape and isinstance(answer, float) and math.isfinite(answer):
        return answer
    try:
        found = np.asarray(answer, dtype=float)
    except (TypeError, ValueError):
        raise StateError(f"{where}: the function gave {answer!r}, expected numbers") from None
    if found.shape != shape and not (shape == () and found.size == 1):
        raise StateError(f"{where}: the function gave shape {found.shape}, expected {shape}")
    if not np.isfinite(found).all():
        raise SimulationError(f"{where}: the function gave {answer} at t = {t:.6g} s, expected finite numbers")
    return found if shape else float(found.reshape(()))


def text(law: Any) -> str:
    """A law as text; of a function its name and a digest of all that it depends on (see `identity`)."""
    if isinstance(law, Sampled):
        return f"{text(law.function)} at {law.rate!r} Hz"
    if is_function(law):
        name = getattr(law, "__qualname__", type(law).__name__)
        try:
            return f"{name} {digest(law)[:16]}"
        except NoValueError as error:
            return f"{name} {UNKNOWN} {str(error).removeprefix('it.')}"
    return repr(law)
