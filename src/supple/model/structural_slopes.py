"""How a model's numbers change with the material, section, thickness, length or damping: through the reduction.

Modes, modal integrals and shapes of second order follow from the structure; their derivatives are central differences
of order 6 of the whole reduction. Modes are tracked: they keep order and sign where they change little, and what does
not is refused.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from supple.errors import StateError
from supple.model.recorded_trace import model_numbers
from supple.recursions.tree import Flex
from supple.structures.body.flexible_body import FlexibleBody
from supple.structures.reduction.parameters import rebuilt, require_rebuildable, structural_values
from supple.structures.stiffening.second_order import SecondOrder

if TYPE_CHECKING:
    from supple.model.model import Model

Vector = NDArray[np.float64]
STEP = 2e-3
"""Relative change of a parameter: the error of the formula is about its sixth power, that of rounding 1e-16 over it."""
WEIGHTS = {1: 45 / 60, 2: -9 / 60, 3: 1 / 60}
"""Of differences at 1, 2 and 3 steps either side."""
ALIKE = 0.999
"""Least modal assurance between a mode and itself after a step."""
NOISE = 1e-11
"""Changes of a number, relative to the largest of its array, that are rounding."""
LISTS = {
    "pair": ("mode", ("value", "axial")),
    "shape_pair": ("number", ("value", "axial")),
    "curvature": ("mode", ("value",)),
    "offdiagonal": ("mode", ("value",)),
    "factor": ("mode", ("value",)),
}
"""Arrays of `Flex` that list entries row by row: what names the other, and what is listed."""
STRUCTURE = "structure."
"""In front of a body's name: the parameter of all bodies that were made with it."""


def structural_parameters(model: Model) -> dict[str, tuple[float, tuple[str, ...], str]]:
    """Structural parameters by name: the number, the bodies that change with it, and its name in a structure."""
    own = {name: x.body for name, x in model.description.bodies.items() if isinstance(x.body, FlexibleBody)}
    found: dict[str, tuple[float, tuple[str, ...], str]] = {}
    for name, body in own.items():
        together = tuple(other for other, x in own.items() if x is body)
        for what, x in structural_values(body).items():
            found[f"{name}.{what}"] = x, (name,), what
            found[f"{STRUCTURE}{name}.{what}"] = x, together, what
    return found


def structural_slopes(model: Model, name: str) -> Vector:
    """Derivatives (n,) of all numbers of a model (`model_numbers`) by a structural parameter, times its value."""
    before = model_numbers(model)

    def numbers(made: Model) -> Vector:
        if made.flex is not None and model.flex is not None:
            made.flex = _on_pattern(made.flex, model.flex)
        found = model_numbers(made)
        if [x.shape for x in found.arrays()] != [x.shape for x in before.arrays()]:
            raise StateError(
                f"model {model.name!r}: {name!r} changes the structure of the model, not its numbers alone"
            )
        return found.values()

    total, first = structural_change(model, name, numbers), 0
    for x in before.arrays():
        own = total[first : first + x.size]
        own[np.abs(own) <= NOISE * np.abs(x).max(initial=0.0)] = 0.0
        first += x.size
    return total


def structural_change(model: Model, name: str, quantity: Callable[[Model], Vector]) -> Vector:
    """Derivative (n,) of what is a function of a model by a structural parameter, times its value.

    Raises
    ------
    StateError
        If modes change places or mix when the parameter changes a little.
    """
    value, bodies, _ = structural_parameters(model)[name]
    body = model.description.bodies[bodies[0]].body
    assert isinstance(body, FlexibleBody)
    require_rebuildable(body, bodies[0])
    if value == 0.0:
        raise StateError(f"model {model.name!r}: {name!r} is zero, so that relative changes of it say nothing")
    total: Any = 0.0
    for steps, weight in WEIGHTS.items():
        for sign in (1, -1):
            changed = with_structural(model, name, value * (1.0 + sign * steps * STEP))
            total = total + sign * weight / STEP * quantity(changed)
    return np.asarray(total)


def with_structural(model: Model, name: str, value: float) -> Model:
    """The model with another value of a structural parameter.

    Raises
    ------
    StateError
        If its modes are no longer those that they were.
    """
    _, bodies, what = structural_parameters(model)[name]
    body = model.description.bodies[bodies[0]].body
    assert isinstance(body, FlexibleBody)
    _require_apart(model, name)
    new = rebuilt(body, {what: value})
    _require_tracked(model, name, body, new)
    new = _aligned(new, body)
    mech = model.description.copy()
    for own in bodies:
        mech.bodies[own] = replace(mech.bodies[own], body=new)
    return type(model)(mech)


def _on_pattern(flex: Flex, like: Flex) -> Flex:
    """The arrays with the entries that others list: what rounding leaves of zeros is listed or not, by chance."""
    new: dict[str, Any] = {}
    for name, (other, values) in LISTS.items():
        rows, wanted = _entries(flex, name, other), _entries(like, name, other)
        if rows == wanted:
            continue
        number = {key: i for i, key in enumerate(rows)}
        new |= {f"{name}_first": getattr(like, f"{name}_first"), f"{name}_{other}": getattr(like, f"{name}_{other}")}
        for value in values:
            x = getattr(flex, f"{name}_{value}")
            zero = np.zeros(x.shape[1:])
            rest = [x[i] for key, i in number.items() if key not in set(wanted)]
            if np.abs(rest).max(initial=0.0) > NOISE * np.abs(x).max(initial=0.0):
                return flex
            new[f"{name}_{value}"] = np.array([x[number[key]] if key in number else zero for key in wanted])
    return flex._replace(**new)


def _entries(flex: Flex, name: str, other: str) -> list[tuple[int, int]]:
    """Row and other of each entry of a list."""
    first, others = getattr(flex, f"{name}_first"), getattr(flex, f"{name}_{other}")
    rows = np.repeat(np.arange(len(first) - 1), np.diff(first))
    return list(zip(rows.tolist(), np.asarray(others).tolist(), strict=True))


def _require_apart(model: Model, name: str) -> None:
    """Refuse to change one of several bodies that are one in the arrays of the model."""
    bodies = structural_parameters(model)[name][1]
    own = model.description.bodies[bodies[0]].body
    others = [x for x, placed in model.description.bodies.items() if placed.body is own and x not in bodies]
    if others:
        what = name.removeprefix(f"{bodies[0]}.")
        raise StateError(
            f"model {model.name!r}: {name!r}: {bodies[0]!r} shares its structure with {', '.join(map(repr, others))}; "
            f"expected '{STRUCTURE}{bodies[0]}.{what}', which changes them together, or bodies reduced one by one"
        )


def _aligned(body: FlexibleBody, like: FlexibleBody) -> FlexibleBody:
    """The body with its shapes of second order turned among themselves so that they are nearest to those of another.

    Any orthogonal combination of them is as good; reduction takes one that may jump. Some move no node, but points on
    arms alone: they are known by their integrals.
    """
    old, new = like.second_order, body.second_order
    if old is None or new is None or old.count != new.count or not new.count:
        return body
    S = sum(x.T @ y / (float(np.sum(y * y)) or 1.0) for x, y in zip(_marks(new), _marks(old), strict=True))
    U, _, V = np.linalg.svd(S)
    T = U @ V
    frames = {name: replace(x, second=x.second @ T) for name, x in body.frames.items()}
    return replace(body, second_order=new.in_basis(T), frames=frames)


def _marks(x: SecondOrder) -> list[Vector]:
    """What tells shapes of second order from each other, a column a shape."""
    k = x.count
    turned = np.moveaxis(x.N_cross, 1, -1)
    return [x.shapes, x.E.T, x.X.reshape(k, 9).T, turned.reshape(-1, k), x.mass_cross, x.quadratic.value]


def _require_tracked(model: Model, name: str, before: FlexibleBody, after: FlexibleBody) -> None:
    """Refuse modes that are not what they were: swapped, mixed, or of the other sign."""
    A, B = before.shapes.toarray(), after.shapes.toarray()
    sizes = np.linalg.norm(A, axis=0) * np.linalg.norm(B, axis=0)
    alike = (A * B).sum(axis=0) / np.where(sizes > 0.0, sizes, 1.0)
    if (alike < np.sqrt(ALIKE)).any():
        worst = int(alike.argmin())
        raise StateError(
            f"model {model.name!r}: {name!r}: mode {before.labels[worst]!r} becomes another one when it changes a "
            f"little (modal assurance {alike[worst] ** 2:.3f}): modes of equal frequency have no "
            "derivatives of their own; take a section whose bending frequencies differ, or fewer modes"
        )
