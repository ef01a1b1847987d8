"""The plain Python twin of a compiled function: the same source, run on numbers of any kind."""

from __future__ import annotations

import dis
from collections.abc import Callable
from functools import cache
from types import FunctionType
from typing import Any

Replacements = tuple[tuple[Any, Callable[..., Any]], ...]
"""Pairs: a compiled function, and what is called in its place."""
Wrapper = Callable[[FunctionType], Callable[..., Any]]


@cache
def plain(compiled: Any, replaced: Replacements = (), wrap: Wrapper | None = None) -> Callable[..., Any]:
    """`compiled` (a step or a sweep) as ordinary Python, all the way down.

    Its code object is given globals in which every compiled function it calls is replaced by its own twin, so that
    arrays of objects (dual numbers, graph nodes) can go through it. There is no second copy of any formula.

    Parameters
    ----------
    compiled : compiled function
    replaced : tuple of pairs
        Compiled functions, however deep they are called, for which something else stands in: the same result by
        another way that suits the numbers better.
    wrap : function of a twin, optional
        What is called in place of each twin.
    """
    for function, other in replaced:
        if compiled is function:
            return other
    function = compiled.py_func
    names = dict(function.__globals__)
    compiled_names = {name for name in function.__code__.co_names if hasattr(names.get(name), "py_func")}
    if compiled_names:  # these may be attributes of the same name
        compiled_names &= _globals_of(function)
    for name in compiled_names:
        names[name] = plain(names[name], replaced, wrap)
    twin = FunctionType(function.__code__, names, function.__name__, function.__defaults__, function.__closure__)
    twin.__annotations__ = function.__annotations__
    return twin if wrap is None else wrap(twin)


@cache
def _globals_of(function: FunctionType) -> frozenset[str]:
    """Return the names of the globals that a function reads."""
    return frozenset(i.argval for i in dis.get_instructions(function) if i.opname == "LOAD_GLOBAL")
