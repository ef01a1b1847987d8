"""The equations of a model by every way there is, and the cheapest of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from supple.call_checks import checked
from supple.errors import ModelError, StateError, nearest, unexpected
from supple.expressions.graph import Expr
from supple.expressions.linear_equations import zeros_seen
from supple.expressions.small import truncated
from supple.model.model import Model
from supple.model.parameters import Symbols, symbols_of
from supple.model.trace import Trace
from supple.recursions.tree import THREE_AXES
from supple.structures.body.flexible_body import FlexibleBody
from supple.symbolic.equations_of_motion import EquationsOfMotion, Variables
from supple.symbolic.kane.derivation import derivation, derivation_without_vectors
from supple.symbolic.kane.derive import cheapest_of, derive, truncations
from supple.symbolic.kane.from_model import system_of
from supple.symbolic.omission import omitting

ROUTES = ("kane", "composite", "articulated")
"""Kane's method in vectors; mass matrix of composite bodies, bias forces and elimination; articulated bodies."""
LONGEST = 60
"""Speeds beyond which partial velocities, as many as bodies times speeds, are not worth trying."""

NEAR = 1.5
"""Routes that take this many times the operations of the best are out before common factors are looked for."""

SAMPLES, SPANNED = 3, 1e-9
"""States at which it is seen which speeds are small, and how near to the span of small rates they have to be."""

Small = tuple[list[int], list[int]]
"""Numbers of the coordinates and of the speeds that stay small."""


@checked
def equations(
    model: Model,
    parameters: Sequence[str] | None = None,
    small: Sequence[str] = (),
    route: str = "auto",
    names: Mapping[str, str] | None = None,
    inputs: Mapping[str, str] | Sequence[str] | None = None,
    omit: Sequence[str] = (),
) -> EquationsOfMotion:
    """The equations of motion of a model in symbols.

    Parameters
    ----------
    model : Model
    parameters : sequence of str, optional
        What stays symbolic, see `parameter_names`; without it every number that is not zero.
    small : sequence of str
        Coordinates that stay small, with their rates: names, or q1, q2, ... in the order of `model.coordinates`. The
        equations are then right to first order in them, and in the speeds that are small because these rates are: of
        speeds in body axes those that no other rate adds to.
    route : str
        "kane", "composite", "articulated"; "auto" takes the one with the fewest operations.
    names, inputs
        What parameters, coordinates and generalized forces are called, see `symbols_of`.
    omit : sequence of str
        Coordinates whose rates are left out, as nothing else depends on them; "ignorable" stands for all of these.

    Examples
    --------
    >>> from supple import Mechanism, RigidBody, Revolute
    >>> mech = Mechanism("pendulum")
    >>> mech.add_body("arm", RigidBody(2.0, com=(0, 0, -1)), joint=Revolute("y"))
    >>> e = equations(mech.build())
    >>> e.route, e.operations.functions
    ('kane', 1)
    """
    if not isinstance(model, Model):
        raise unexpected("supple.equations", "a Model", model)
    if route not in (*ROUTES, "auto"):
        raise StateError(f"route: expected one of auto, {', '.join(ROUTES)}, got {route!r}{nearest(route, ROUTES)}")
    if model.loops is not None:
        raise ModelError(
            f"model {model.name!r} has closed loops: their equations are written by `supple equations FILE` and by "
            "`supple.inputs.law_equations`, or with dependent speeds by `supple.symbolic.KaneSystem`"
        )
    symbols = symbols_of(model, parameters, names, inputs)
    little = _small(model, small, symbols)
    found: dict[str, EquationsOfMotion] = {}
    if route == "kane" or (route == "auto" and model.flex is None and model.nv <= LONGEST):
        found["kane"] = _by_kane(model, symbols, little)
    if route != "kane":
        found |= {own: e for own, e in _by_recursions(model, symbols, little).items() if route in (own, "auto")}
    if omit:
        found = {own: omitting(e, omit) for own, e in found.items()}
    counts = {own: e.unfactored.operations for own, e in found.items()}
    least = min(count.total for count in counts.values())
    near = [own for own, count in counts.items() if count.total <= NEAR * least]
    counts |= {own: found[own].operations for own in near}
    best = min(near, key=lambda own: counts[own].total)
    chosen = found[best]
    readable = found.get("kane", chosen)
    if readable is not chosen:
        chosen = replace(chosen, form=readable)
    return replace(chosen, counts=counts)


@checked
def derivation_of(
    model: Model,
    parameters: Sequence[str] | None = None,
    small: Sequence[str] = (),
    route: str = "auto",
    names: Mapping[str, str] | None = None,
    inputs: Mapping[str, str] | Sequence[str] | None = None,
    omit: Sequence[str] = (),
    driven: EquationsOfMotion | None = None,
) -> str:
    """How the equations of a model come about: Sayers' Tables 1 to 10, pattern and elimination of M, counts by table.

    Parameters
    ----------
    model, parameters, small, route, names, inputs, omit
        As for `equations`. Of a flexible model there is no derivation in vectors: what it has is there.
    driven : EquationsOfMotion, optional
        The equations with the laws of a run, see `supple.inputs.law_equations`; of closed loops there are no others.
    """
    if model.loops is not None and driven is not None:
        return derivation_without_vectors(driven, "forces close the loops")
    found = equations(model, parameters, small, route, names, inputs, omit)
    if model.flex is not None:
        flexible = next(name for name, x in model.description.bodies.items() if isinstance(x.body, FlexibleBody))
        return derivation_without_vectors(
            found, f"Kane's method takes rigid bodies, and {flexible!r} is flexible", driven
        )
    return derivation(system_of(model, symbols_of(model, parameters, names, inputs)), found, driven)


def require_known(
    model: Model,
    parameters: Sequence[str] | None = None,
    small: Sequence[str] = (),
    names: Mapping[str, str] | None = None,
    inputs: Mapping[str, str] | Sequence[str] | None = None,
) -> None:
    """Raise what `equations` would raise for names that the model does not have, without deriving anything."""
    _small(model, small, symbols_of(model, parameters, names, inputs))


def _by_kane(model: Model, symbols: Symbols, small: Small) -> EquationsOfMotion:
    system = system_of(model, symbols)
    return derive(system, [*(system.q[i] for i in small[0]), *(system.v[i] for i in small[1])])


def _by_recursions(model: Model, symbols: Symbols, small: Small) -> dict[str, EquationsOfMotion]:
    """Both from one trace, with inertia moved inward, which neither motion nor generalized forces notice."""
    t = Trace(model, symbols, regroup=True)
    little = (*(t.q[i] for i in small[0]), *(t.v[i] for i in small[1]))
    driven = np.array([leaf if name in symbols.inputs else 0.0 for leaf, name in zip(t.tau, model.speeds, strict=True)])
    rates, M, f = t.rates(t.q, t.v), zeros_seen(t.mass_matrix(t.q)), driven - t.bias_forces(t.q, t.v)
    a = t.forward_dynamics(t.q, t.v, driven)
    variables = Variables(
        graph=t.graph,
        time=t.graph.new_input("time", "t"),
        q=t.q,
        v=t.v,
        inputs=np.array([leaf for leaf in driven if isinstance(leaf, Expr)], dtype=object),
        symbols=tuple(symbols.leaves(t.graph).values()),
        values=dict(symbols.values),
    )
    composite = list(truncations(rates, M, f, little, model.speeds))
    solved = (truncated(a, little, "accelerations", apart) for apart in (True, False))
    articulated = [replace(terms, accelerations=x) for terms, x in zip(composite, solved, strict=False)]
    return {
        own: cheapest_of(EquationsOfMotion(model.name, variables, x, route=own, small=little) for x in terms)
        for own, terms in (("composite", composite), ("articulated", articulated))
    }


def _small(model: Model, names: Sequence[str], symbols: Symbols) -> Small:
    """Numbers of the coordinates with these names, and of the speeds that are small with their rates."""
    numbers = {f"q{i + 1}": i for i in range(model.nq)} | {name: i for i, name in enumerate(model.coordinates)}
    numbers |= {name: i for i, name in enumerate(symbols.called(model.coordinates))}
    coordinates: list[int] = []
    for name in names:
        if name not in numbers:
            raise StateError(f"model {model.name!r}: small: no coordinate {name!r}{nearest(name, numbers)}")
        coordinates.append(numbers[name])
    for i in coordinates:
        if any(first <= i < first + 4 for first in model.quaternions):
            raise ModelError(
                f"model {model.name!r}: small: {model.coordinates[i]!r} is part of a quaternion, which is not small; "
                'a building-block joint with rotations "123" has angles'
            )
    _refuse_coinciding_axes(model, coordinates)
    return coordinates, _small_speeds(model, coordinates)


def _refuse_coinciding_axes(model: Model, coordinates: Sequence[int]) -> None:
    """Refuse the middle angle of "313" and its kind: the rates of the angles have its sine below the bar."""
    tree = model.tree
    for k in np.flatnonzero(tree.rotation_kind == THREE_AXES):
        middle = int(tree.q_rotation[k]) + 1
        if middle in coordinates and not np.cross(tree.axes[k, :3], tree.axes[k, 6:]).any():
            raise StateError(
                f"model {model.name!r}: small: {model.coordinates[middle]!r} cannot be small: where it is zero the "
                "first and the last axis of its joint coincide, and the rates of the angles are not defined"
            )


def _small_speeds(model: Model, coordinates: Sequence[int]) -> list[int]:
    """Speeds that are as small as the rates of these coordinates, whatever the other rates are.

    With q' = S(q) v they are those whose unit row is in the span of the small coordinates' rows of S, where these
    coordinates are zero. A speed that is a rate is small with its coordinate. Speeds in body axes are not tied to one
    angle each: about "321", small angle2 and angle3 leave wx and wy small; about "313", small angle1 and angle3 leave
    wy and wz small; one small angle leaves none so, as the other two turn its axis in the body.
    """
    small = np.ones(model.nv, dtype=bool)
    for seed in range(SAMPLES):
        q, _ = model.random_state(seed)
        q[list(coordinates)] = 0.0
        rows = model.tangent(q)[list(coordinates)]
        projection = np.linalg.pinv(rows, rcond=SPANNED) @ rows
        small &= np.abs(projection.diagonal() - 1.0) < SPANNED
    return [int(i) for i in np.flatnonzero(small)]
