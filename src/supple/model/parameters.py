"""Numbers of a model that can stay symbols in its equations, and what they are called."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from supple.call_checks import checked
from supple.errors import StateError, nearest, unexpected
from supple.expressions.graph import Expr, Graph
from supple.model.flatten import element_frames
from supple.recursions.tree import Tree
from supple.structures.body.flexible_body import FlexibleBody

if TYPE_CHECKING:
    from supple.model.model import Model

INERTIA = ("xx", "xy", "xz", "yy", "yz", "zz")
PLACES = ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))
"""Where these stand in the matrix."""
SPRING = ("stiffness", "damping", "length")
MOMENTS = ("xx", "yy", "zz")
STILL = 1e-9
"""Angular velocity for a unit speed, rad/s, that is rounding."""
WRENCH = (*(f"moment.{c}" for c in "xyz"), *(f"force.{c}" for c in "xyz"))
"""Numbers of spring-dampers and wrenches, in the order of the tree's arrays."""


def parameter_values(model: Model) -> dict[str, float]:
    """Everything that can be left symbolic, with its number.

    For each rigid body mass, com.x ..., inertia.xx ... (about the centre of mass), for every body at.x ... (position of
    its joint) and the pitch of a screw; for each speed stiffness, rest, damping and inertia; gravity.x ...; by their
    names stiffness, damping and length of spring-dampers, moment.x ... and force.x ... of wrenches; and the places of
    those frames that these and closed loops are on, "rod/pin.x" ...
    """
    if not isinstance(getattr(model, "tree", None), Tree):
        raise unexpected("parameters", "a Model", model)
    out = {f"gravity.{c}": x for c, x in zip("xyz", model.tree.gravity, strict=True)}
    for k, (name, placed) in enumerate(model.description.bodies.items(), start=1):
        body = placed.body
        if not isinstance(body, FlexibleBody):
            out[f"{name}.mass"] = body.mass
            out |= {f"{name}.com.{c}": x for c, x in zip("xyz", body.com, strict=True)}
            out |= {f"{name}.inertia.{ij}": body.inertia[at] for ij, at in zip(INERTIA, PLACES, strict=True)}
        out |= {f"{name}.at.{c}": x for c, x in zip("xyz", model.tree.position[k], strict=True)}
        if model.tree.pitch[k]:
            out[f"{name}.pitch"] = model.tree.pitch[k]
    tree = model.tree
    for i, speed in enumerate(model.speeds):
        numbers = tree.stiffness[i], tree.rest[i], tree.damping[i], tree.joint_inertia[i]
        out |= {
            f"{speed}.{what}": x for what, x in zip(("stiffness", "rest", "damping", "inertia"), numbers, strict=True)
        }
    for label, (array, place) in element_places(model).items():
        out[label] = array[place]
    return {label: float(x) for label, x in out.items()}


def element_places(model: Model) -> dict[str, tuple[Any, tuple[int, int]]]:
    """Numbers of spring-dampers, wrenches and frames by name: the array of the tree, and the place there."""
    mech, tree = model.description, model.tree
    out: dict[str, tuple[Any, tuple[int, int]]] = {}
    for e, name in enumerate(mech.springs):
        out |= {f"{name}.{what}": (tree.spring_constants, (e, i)) for i, what in enumerate(SPRING)}
    for e, name in enumerate(mech.wrenches):
        out |= {f"{name}.{what}": (tree.wrench_value, (e, i)) for i, what in enumerate(WRENCH)}
    for i, name in reversed(list(enumerate(element_frames(mech)))):  # the first of equal ones
        if name in mech.frames and mech.frames[name].node is None:
            out |= {f"{name}.{c}": (tree.frames.position, (i, j)) for j, c in enumerate("xyz")}
    return out


@checked
def parameter_names(model: Model) -> list[str]:
    """Names of everything that can be left symbolic."""
    return list(parameter_values(model))


class SignedName(NamedTuple):
    """A symbol, or its negative: sign 1 or -1."""

    name: str
    sign: int = 1


@dataclass(frozen=True)
class Symbols:
    """What the equations of a model call its numbers, states and forces.

    Attributes
    ----------
    names : dict of str to SignedName
        Of what `parameter_names` has to the symbol, or its negative, that stands for it.
    values : dict of str to float
        Numbers of the symbols.
    states : dict of str to str
        Of coordinates and speeds to the names they have instead.
    inputs : dict of str to str
        Of speeds to the names of the forces that drive them; others have none.
    """

    names: dict[str, SignedName]
    values: dict[str, float]
    states: dict[str, str]
    inputs: dict[str, str]

    def nodes(self, graph: Graph) -> dict[str, Expr]:
        """Nodes that stand for the numbers, by what they stand for."""
        return {
            label: graph.parameter(x.name) if x.sign > 0 else -graph.parameter(x.name)
            for label, x in self.names.items()
        }

    def leaves(self, graph: Graph) -> dict[str, Expr]:
        """The symbols themselves, by name."""
        return {name: graph.parameter(name) for name in self.values}

    def called(self, states: Sequence[str]) -> list[str]:
        """Names of coordinates or speeds."""
        return [self.states.get(name, name) for name in states]


def symbols_of(
    model: Model,
    parameters: Sequence[str] | None = None,
    names: Mapping[str, str] | None = None,
    inputs: Mapping[str, str] | Sequence[str] | None = None,
) -> Symbols:
    """The symbols of a model.

    Parameters
    ----------
    model : Model
    parameters : sequence of str, optional
        What stays symbolic (see `parameter_names`); without it every number that is not zero.
    names : mapping of str to str
        Symbols to use instead of the names of parameters, coordinates and speeds: {"L": "-arm.com.y"} means that com.y
        is -L, {"theta": "arm.angle"} that the angle is called theta.
    inputs : mapping of str to str, or sequence of str
        Names of generalized forces and the speeds they act on, or the speeds alone; without it all speeds.

    Notes
    -----
    Numbers that are equal among the moments of inertia of a body are one symbol: that two of them are equal is a
    property of its shape, and makes a rotor a rotor. See `equal_moments` for its name.

    Forces that `inputs` does not name are called as their speeds are here.
    """
    values = parameter_values(model)
    _require_known(model, parameters or (), values)
    known = {*model.coordinates, *model.speeds}
    own = {symbol: meaning for symbol, meaning in (names or {}).items() if meaning not in known}
    states = _turned_round(model, {x: meaning for x, meaning in (names or {}).items() if meaning in known})
    called = _called(model, values, own)
    if parameters is None:
        chosen = [label for label, x in values.items() if x != 0.0 or label in called]
    else:
        chosen = list(parameters)
    for label, x in called.items():
        if label not in chosen:
            raise StateError(f"model {model.name!r}: symbol {x.name!r}: {label!r} is not among the parameters")
    found: dict[str, SignedName] = {}
    equal = equal_moments(model, chosen, called)
    for label in chosen:
        leader = equal.get(label, label)
        found[label] = called.get(leader, SignedName(leader))
    order = {symbol: place for place, symbol in enumerate(own)}
    numbers = {x.name: x.sign * values[label] for label, x in found.items()}
    listed = sorted(numbers, key=lambda name: order.get(name, len(order)))
    symbols = Symbols(found, {name: numbers[name] for name in listed}, states, _drives(model, inputs, states))
    _require_one_meaning(model, symbols, values, {*(names or {}), *(inputs or {})})
    return symbols


def plain_symbols(model: Model, parameters: Sequence[str]) -> Symbols:
    """Symbols with the names that the model has, each number by itself."""
    values = parameter_values(model)
    _require_known(model, parameters, values)
    return Symbols(
        {x: SignedName(x) for x in parameters}, {x: values[x] for x in parameters}, {}, _drives(model, None, {})
    )


def _require_known(model: Model, parameters: Sequence[str], values: Mapping[str, float]) -> None:
    """Refuse names of parameters that the model does not have, and those that stand twice."""
    for i, label in enumerate(parameters):
        if label not in values:
            raise StateError(f"model {model.name!r}: no parameter {label!r}{nearest(label, values)}")
        if label in parameters[:i]:
            raise StateError(f"model {model.name!r}: parameters: {label!r} stands twice")


def _require_one_meaning(model: Model, symbols: Symbols, values: Mapping[str, float], given: set[str]) -> None:
    """Refuse a given name that would stand for several things: equal names are one leaf, or cannot be told apart.

    A coordinate, the speed that is its rate and the generalized force on that speed may share one, as they do in the
    model.
    """
    rate_of = {i: int(j) for i, j in enumerate(model.q_of_speed) if j >= 0}
    owner = {speed: ("q", rate_of[i]) if i in rate_of else ("v", i) for i, speed in enumerate(model.speeds)}
    claims: list[tuple[str, tuple[str, Any], str]] = [
        *(
            (name, ("q", i), f"the coordinate {model.coordinates[i]!r}")
            for i, name in enumerate(symbols.called(model.coordinates))
        ),
        *((symbols.called([speed])[0], owner[speed], f"the speed {speed!r}") for speed in model.speeds),
        *((name, owner[speed], f"the force along {speed!r}") for speed, name in symbols.inputs.items()),
    ]
    for label in values:
        name = symbols.names.get(label, SignedName(label)).name
        claims.append((name, ("parameter", name), f"the parameter {label!r}"))
    first: dict[str, tuple[tuple[str, Any], str]] = {}
    for name, whose, what in claims:
        other, other_what = first.setdefault(name, (whose, what))
        if other != whose and name in given:
            raise StateError(f"model {model.name!r}: names: {name!r} would stand for {other_what} and for {what}")


def _drives(
    model: Model, inputs: Mapping[str, str] | Sequence[str] | None, states: Mapping[str, str]
) -> dict[str, str]:
    """Names of the generalized forces by the speeds they act on; those that have none are called as their speeds."""
    speeds = model.speeds if inputs is None else inputs
    drives = _turned_round(model, inputs) if isinstance(inputs, Mapping) else {x: states.get(x, x) for x in speeds}
    for speed in drives:
        if speed not in model.speeds:
            raise StateError(f"model {model.name!r}: inputs: no speed {speed!r}{nearest(speed, model.speeds)}")
    return drives


def _turned_round(model: Model, names: Mapping[str, str]) -> dict[str, str]:
    """Names by what they stand for, of which each has one."""
    out: dict[str, str] = {}
    for name, meaning in names.items():
        if meaning in out:
            raise StateError(f"model {model.name!r}: {meaning!r} has two names, {out[meaning]!r} and {name!r}")
        out[meaning] = name
    return out


def _called(model: Model, values: Mapping[str, float], names: Mapping[str, str]) -> dict[str, SignedName]:
    """Symbols by what they stand for; a meaning with "-" in front has the negative of its symbol."""
    called: dict[str, SignedName] = {}
    for symbol, meaning in names.items():
        label = meaning.removeprefix("-")
        if symbol.startswith("-"):
            raise StateError(f"model {model.name!r}: symbol {symbol!r}: expected a name without a sign")
        if meaning.startswith("-") and label in (*model.coordinates, *model.speeds):
            raise StateError(f"model {model.name!r}: symbol {symbol!r}: {label!r} cannot have a sign: is no parameter")
        if label not in values:
            hint = nearest(label, [*values, *model.coordinates, *model.speeds])
            raise StateError(
                f"model {model.name!r}: symbol {symbol!r}: no parameter, coordinate or speed {label!r}{hint}"
            )
        if symbol in values and symbol != label:
            raise StateError(f"model {model.name!r}: symbol {symbol!r}: is the name of another parameter")
        if label in called:
            raise StateError(f"model {model.name!r}: {label!r} has two symbols, {called[label].name!r} and {symbol!r}")
        called[label] = SignedName(symbol, -1 if meaning.startswith("-") else 1)
    return called


def equal_moments(model: Model, labels: Sequence[str], named: Collection[str] = ()) -> dict[str, str]:
    """Return the moment of inertia whose symbol stands for each of `labels` that equal another of their body.

    It is one that is `named`, if there is such; else the first about whose axis the body turns in some motion, since
    equations have no other.
    """
    values, out = parameter_values(model), dict[str, str]()
    equal: dict[tuple[str, float], list[str]] = {}
    for label in labels:
        body, _, what = label.rpartition(".inertia.")
        if what in MOMENTS:
            equal.setdefault((body, values[label]), []).append(label)
    equal = {key: group for key, group in equal.items() if len(group) > 1}
    turns = _turning(model) if equal else {}
    for (body, _), group in equal.items():
        group.sort()
        turning = [x for x in group if turns[body][MOMENTS.index(x[-2:])]]
        leader = next(iter([*(x for x in group if x in named), *turning, *group]))
        out |= {x: leader for x in group if x not in named}
    return out


def _turning(model: Model) -> dict[str, list[bool]]:
    """About which of its axes each body turns in some motion."""
    q, v = model.random_state(0)[0], np.eye(model.nv)
    V = model.motions(np.tile(q, (model.nv, 1)), v, np.zeros_like(v))[0]
    found = np.any(np.abs(V[:, 1:, :3]) > STILL, axis=0)
    return {body: [bool(x) for x in own] for body, own in zip(model.bodies, found, strict=True)}
