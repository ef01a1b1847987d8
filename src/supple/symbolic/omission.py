"""Equations without the coordinates that nobody asks for and on which nothing depends (Sayers: n and p differ)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from supple.errors import StateError, nearest
from supple.expressions.graph import Expr, order_of

if TYPE_CHECKING:
    from supple.symbolic.equations_of_motion import EquationsOfMotion

IGNORABLE = "ignorable"
"""Stands for all coordinates on which nothing but their own rates depends."""


def omitting(equations: EquationsOfMotion, names: Sequence[str]) -> EquationsOfMotion:
    """The same equations without the rates of some coordinates.

    Parameters
    ----------
    equations : EquationsOfMotion
    names : sequence of str
        Coordinates, by name or as q1, q2, ...; "ignorable" stands for all that can be left out.

    Raises
    ------
    StateError
        If what is left depends on one of them.
    """
    e = equations
    leaves = list(e.variables.q)
    known = {f"q{i + 1}": leaf for i, leaf in enumerate(leaves)} | {leaf.name: leaf for leaf in leaves}
    gone: set[Expr] = set()
    for name in names:
        if name == IGNORABLE:
            gone |= set(leaves) - _needed(e)
        elif name not in known:
            raise StateError(f"{e.name}: omit: no coordinate {name!r}{nearest(name, [*known, IGNORABLE])}")
        else:
            gone.add(known[name])
    kept = [i for i, leaf in enumerate(leaves) if leaf not in gone]
    _require_independent(e, gone, kept)
    variables = replace(e.variables, q=e.variables.q[kept])
    terms = replace(e.terms, rates=e.terms.rates[kept])
    small = tuple(leaf for leaf in e.small if leaf not in gone)
    form = None if e.form is None else omitting(e.form, [leaf.name for leaf in gone])
    return replace(e, variables=variables, terms=terms, small=small, form=form)


def _needed(e: EquationsOfMotion) -> set[Expr]:
    """Coordinates on which accelerations depend, with those on which the rates of such depend in turn."""
    leaves = set(e.variables.q)
    rates = dict(zip(e.variables.q, e.terms.rates, strict=True))
    found: set[Expr] = set()
    waiting = _used(_dynamics(e), leaves)
    while waiting:
        found |= waiting
        waiting = _used((rates[leaf] for leaf in waiting), leaves) - found
    return found


def _require_independent(e: EquationsOfMotion, gone: set[Expr], kept: Sequence[int]) -> None:
    """Refuse to leave out what the rest depends on, and say what that is."""
    parts = {"the accelerations": _used(_dynamics(e), gone)}
    parts |= {f"the rate of {e.variables.q[i].name!r}": _used([e.terms.rates[i]], gone) for i in kept}
    for what, used in parts.items():
        if used:
            names = ", ".join(repr(leaf.name) for leaf in sorted(used, key=lambda leaf: leaf.id))
            depend = "depend" if what.endswith("s") else "depends"
            raise StateError(f"{e.name}: omit: {names} cannot be left out: {what} {depend} on it")


def _dynamics(e: EquationsOfMotion) -> list[Expr]:
    closures: Iterable[Expr] = () if e.dependence is None else e.dependence.closures
    nodes = [*e.terms.M.flat, *e.terms.f, *e.terms.accelerations, *closures]
    return [node for node in nodes if isinstance(node, Expr)]


def _used(nodes: Iterable[Expr], leaves: set[Expr]) -> set[Expr]:
    return {node for node in order_of(x for x in nodes if isinstance(x, Expr)) if node in leaves}
