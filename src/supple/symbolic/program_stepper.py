"""The integrator of a simulation program: the loop of a run's own integrator, printed as C, and its arrays."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from supple.engines.sweeps.c_text import HELPERS, CText, array_text
from supple.engines.sweeps.c_values import C_TYPES, CArray, CFunction, CNumber
from supple.engines.sweeps.values import FLOAT, INT
from supple.stepping import native_loop
from supple.stepping.native_loop import ErrorRule, Integration, Kernels, Scaling, Scratch, Tableau

AHEAD = 256
"""Output times that the loop is given at once."""


CONTEXT = "struct simulation *now"
"""What functions take first that change something: all of it is there."""


class Stepper(NamedTuple):
    """Texts of C: constant arrays, members of the structure that all else lives in, and functions."""

    arrays: str
    members: list[str]
    functions: str


def stepper(sizes: Mapping[str, int], rule: ErrorRule | None, closing: bool, most: int = AHEAD) -> Stepper:
    """The loop `native_loop.advance` for a program.

    Parameters
    ----------
    sizes : mapping of str to int
        See `ProgramParts.sizes`.
    rule : ErrorRule, optional
        Without it errors are atol + rtol times every state.
    closing : bool
        Whether there are loops to be closed after every step.
    most : int
        Output times that the loop is given at once.
    """
    n, watched = sizes["STATE"], sizes["WATCHED"]
    chosen = by_state(n) if rule is None else rule
    groups = max(n, int(chosen.scaling.group.max(initial=-1)) + 1)
    shapes: dict[str, tuple[str, tuple[int, ...]]] = {}

    def array(name: str, *shape: int, kind: str = FLOAT) -> CArray:
        shapes[name] = kind, shape
        return CArray(kind, f"now->{name}", shape)

    now = Integration(
        clock=array("clock", 8),
        y=array("y", n),
        u=array("u", sizes["HELD"]),
        sizes=array("sizes", 2, groups),
        g=array("g", 3, watched),
        margin=array("margin", 2, sizes["ROWS"]),
        counts=array("counts", 5, kind=INT),
    )
    scratch = Scratch(array("K", 16, n), array("F", 7, n), array("work", 6, n), array("tt", 1))
    ahead = CNumber(INT, "now->ahead")
    output = CArray(FLOAT, "now->output_times", (ahead,)), CArray(FLOAT, "now->output_states", (ahead, n))
    shapes |= {"output_times": (FLOAT, (most,)), "output_states": (FLOAT, (most, n))}
    tables, constants = _constants(Tableau, native_loop.tableau(), "tables")
    scaling, numbers = _constants(Scaling, chosen.scaling, "rule")
    rules, more = _constants(ErrorRule, chosen._replace(scaling=np.zeros(0)), "rule")
    changing = [*scaling, rules.rules, rules.atol]
    shapes |= {x.base: (x.kind, x.shape) for x in changing}
    scaling = Scaling(*(replace(x, base=f"now->{x.base}") for x in scaling))
    rules = rules._replace(**{x: replace(getattr(rules, x), base=f"now->rule_{x}") for x in ("rules", "atol")})
    called: tuple[Any, Any, Any] = (
        CFunction("rates"),
        CFunction("watched") if watched else 0,
        CFunction("closed", 2) if closing else 0,
    )
    kernels = Kernels(*called)
    text = CText(CONTEXT)
    text.function(
        native_loop.advance,
        (kernels, CNumber(INT, "limit"), now, rules._replace(scaling=scaling), output, tables, scratch),
    )
    functions = "\n".join(text.functions)
    used = [helper for name, helper in HELPERS.items() if f"{name}(" in functions]
    idle = {"g": not watched, "margin": not closing}
    shapes = {name: x for name, x in shapes.items() if not idle.get(name)}
    members = [f"{C_TYPES[kind]} {name}[{max(1, int(np.prod(shape)))}];" for name, (kind, shape) in shapes.items()]
    members.append("long ahead; /* output times that are in `output_times` */")
    return Stepper("\n".join([*constants, *numbers, *more, ""]), members, "\n".join([*used, functions]))


def by_state(n: int) -> ErrorRule:
    """Errors atol + rtol times every state of n."""
    each = np.arange(n)
    scaling = Scaling(each, each, np.zeros(n, dtype=np.int64), np.ones(n), np.zeros(n))
    return ErrorRule(np.zeros(7), np.zeros(n), scaling, np.ones(n))


def _constants(kind: Any, arrays: Any, prefix: str) -> tuple[Any, list[str]]:
    """Arrays of numbers as a named tuple for the printer, and their texts."""
    found, texts = [], []
    for name, x in zip(kind._fields, arrays, strict=True):
        own = INT if x.dtype.kind == "i" else FLOAT
        found.append(CArray(own, f"{prefix}_{name}", x.shape))
        if x.size:
            texts.append(array_text(f"{prefix}_{name}", own, x))
    return kind(*found), texts
