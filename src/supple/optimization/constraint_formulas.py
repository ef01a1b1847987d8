"""Constraints of an optimization: a measure compared with a number, "max(abs(arm.angle)) <= 0.5"."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from supple.errors import StateError
from supple.optimization.measure_slopes import DifferentiableMeasure

SIDES = {ast.LtE: "<=", ast.GtE: ">=", ast.Eq: "=="}
ACTIVE = 1e-6
"""A constraint is active that is closer to its limit than this, against the size of the limit."""


@dataclass(frozen=True, eq=False)
class MeasureConstraint:
    """A measure and the numbers between which it has to stay.

    Attributes
    ----------
    name, text : str
    measure : DifferentiableMeasure
        Left less right side.
    lower, upper : float
        Zero or infinite.
    """

    name: str
    text: str
    measure: DifferentiableMeasure
    lower: float
    upper: float

    def violation(self, value: float) -> float:
        """By how much a value breaks it; not positive if it does not."""
        return max(self.lower - value, value - self.upper)


def read_constraints(given: Sequence[str] | Mapping[str, str]) -> tuple[MeasureConstraint, ...]:
    """Constraints of their texts, each with one of <=, >= and ==."""
    if isinstance(given, str):
        given = [given]
    named = dict(given) if isinstance(given, Mapping) else {str(text): text for text in given}
    return tuple(_read(name, text) for name, text in named.items())


def _read(name: str, text: str) -> MeasureConstraint:
    where = f"constraint {name!r}"
    if not isinstance(text, str):
        raise StateError(f"{where}: expected a formula, got {text!r}")
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError):
        tree = None
    if not isinstance(tree, ast.Compare) or len(tree.ops) != 1 or type(tree.ops[0]) not in SIDES:
        raise StateError(f"{where}: expected two sides with one of {', '.join(SIDES.values())} between, got {text!r}")
    left, right = (ast.get_source_segment(text.strip(), x) or "" for x in (tree.left, tree.comparators[0]))
    lower = -np.inf if isinstance(tree.ops[0], ast.LtE) else 0.0
    upper = np.inf if isinstance(tree.ops[0], ast.GtE) else 0.0
    return MeasureConstraint(name, text, DifferentiableMeasure(f"({left}) - ({right})", where), lower, upper)
