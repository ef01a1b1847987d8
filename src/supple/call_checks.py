"""Calls that a user got wrong: arguments that do not exist, or are not what the annotations of the function say.

Functions check the values that they are given where they read them. What is no such thing at all, such as a list for a
string, fails somewhere in Python or numpy; then the arguments are compared with their annotations, and the first that
does not fit is named. Calls that succeed cost nothing more, and an error that no argument explains stays as it is.
"""

from __future__ import annotations

import ast
import inspect
import math
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import wraps
from numbers import Integral, Real
from types import FunctionType, GenericAlias, UnionType
from typing import Any, Literal, NamedTuple, TypeVar, Union, get_args, get_origin

import numpy as np

from supple.errors import StateError, SuppleError, nearest

RAW = (TypeError, ValueError, AttributeError, LookupError, ArithmeticError, RecursionError)
"""Errors of Python, numpy and scipy for arguments that they cannot work with."""
Checked = TypeVar("Checked", bound=Callable[..., Any])
T = TypeVar("T")
ELSEWHERE = {
    "q0": "q", "x0": "q", "v0": "v", "qd0": "v", "dt": "step", "h": "step", "t_end": "duration", "tmax": "duration",
    "t_span": "duration", "method": "integrator", "solver": "integrator", "forces": "tau", "torques": "tau",
}  # fmt: skip
"""Names of arguments in other programs, and here."""


class Kind(NamedTuple):
    """Kind of value that an annotation allows: in words, and as a test."""

    words: str
    fits: Callable[[Any], bool]


def _number(x: Any) -> bool:
    try:
        return isinstance(x, Real) and not isinstance(x, bool | np.bool_) and math.isfinite(x)
    except OverflowError:  # an integer of hundreds of digits
        return False


def _numbers(x: Any) -> bool:
    try:
        found = np.asarray(x)
    except ValueError:  # lists of different lengths
        return False
    return found.dtype.kind in "fciub" and bool(np.isfinite(found).all())


ANYTHING = Kind("anything", lambda x: True)
NOTHING = Kind("None", lambda x: x is None)
ARRAY = Kind("finite numbers", _numbers)
BY_NAME = {
    "Any": ANYTHING,
    "object": ANYTHING,
    "None": NOTHING,
    "NoneType": NOTHING,
    "bool": Kind("True or False", lambda x: isinstance(x, bool | np.bool_)),
    "int": Kind("an integer", lambda x: isinstance(x, Integral) and not isinstance(x, bool)),
    "float": Kind("a finite number", _number),
    "str": Kind("a string", lambda x: isinstance(x, str)),
    "PathLike": Kind("a path", lambda x: isinstance(x, os.PathLike)),
    "Callable": Kind("a function", callable),
    "Sequence": Kind("a sequence", lambda x: isinstance(x, Sequence | np.ndarray) and not isinstance(x, str | bytes)),
    "Iterable": Kind("a sequence", lambda x: isinstance(x, Iterable) and not isinstance(x, str | bytes)),
    "Nodes": Kind("an array of expressions", lambda x: isinstance(x, np.ndarray) and x.dtype == object),
    "Mapping": Kind("a mapping", lambda x: isinstance(x, Mapping)),
} | dict.fromkeys(("ArrayLike", "NDArray", "ndarray", "Numbers", "Floats", "Ints", "Bools"), ARRAY)
PLURALS = {
    "a string": "strings",
    "a finite number": "finite numbers",
    "an integer": "integers",
    "a mapping": "mappings",
}


def checked(target: Checked) -> Checked:
    """Let a function, or the public methods of a class, name the argument by which a call fails.

    Examples
    --------
    >>> @checked
    ... def shifted(names: Sequence[str], by: float) -> list[str]:
    ...     return [f"{x}{by + 1}" for x in names]
    >>> shifted(None, 2.0)
    Traceback (most recent call last):
    ...
    supple.errors.StateError: shifted: names: expected a sequence of strings, got None
    """
    if not isinstance(target, type):
        return _checked_function(target)
    for name, found in list(vars(target).items()):
        if name.startswith("_") and name not in ("__init__", "__call__"):
            continue
        if isinstance(found, classmethod | staticmethod):
            setattr(target, name, type(found)(_checked_function(found.__func__)))
        elif isinstance(found, FunctionType):
            setattr(target, name, _checked_function(found))
    return target


def _checked_function(function: Any) -> Any:
    explained, passed, raw = wrong_argument, SuppleError, RAW

    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except passed:
            raise
        except raw as error:
            wrong = explained(function, args, kwargs)
            if wrong is None:
                raise
            raise wrong from error

    # A function of the module that it stands in, as whoever collects the functions of a module expects.
    made: Any = call
    own = FunctionType(made.__code__, function.__globals__, function.__name__, None, made.__closure__)
    return wraps(function)(own)


def wrong_argument(function: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> StateError | None:
    """Return the error of the first argument that does not fit its annotation, or None if all fit."""
    signature = inspect.signature(function)
    where = function.__qualname__.removesuffix(".__init__").removesuffix(".__call__")
    try:
        given = signature.bind(*args, **kwargs).arguments
    except TypeError:  # Python's own message names the function and the argument that is missing
        names = [name for name, x in signature.parameters.items() if name != "self"]
        anything = any(x.kind is x.VAR_KEYWORD for x in signature.parameters.values())
        unknown = [name for name in kwargs if name not in names]
        return None if anything or not unknown else unknown_argument(where, unknown[0], names)
    for name, value in given.items():
        parameter = signature.parameters[name]
        if parameter.annotation is parameter.empty or parameter.kind is parameter.VAR_KEYWORD:
            continue
        kinds = list(_kinds(parameter.annotation, function.__globals__))
        values = value if parameter.kind is parameter.VAR_POSITIONAL else (value,)
        for x in values:
            if not any(kind.fits(x) for kind in kinds):
                return StateError(f"{where}: {name}: expected {_either(kinds)}, got {_shown(x)}")
    for name, value in given.items():  # arrays may be complex, but not for every function
        if isinstance(value, complex | np.ndarray | list | tuple) and _numbers(value) and np.iscomplexobj(value):
            return StateError(f"{where}: {name}: expected real numbers, got {_shown(value)}")
    return None


def _kinds(annotation: Any, scope: Mapping[str, Any]) -> Iterator[Kind]:
    """Yield the kinds that an annotation allows, a string or an object."""
    if isinstance(annotation, str):
        yield from _parsed(ast.parse(annotation.strip(), mode="eval").body, scope)
    elif get_origin(annotation) in (Union, UnionType):
        for x in get_args(annotation):
            yield from _kinds(x, scope)
    elif get_origin(annotation) is Literal:
        yield _one_of(get_args(annotation))
    elif isinstance(annotation, GenericAlias) or get_origin(annotation) is not None:
        parts = [list(_kinds(x, scope)) for x in get_args(annotation) if isinstance(x, type | GenericAlias | str)]
        yield _filled(_named(get_origin(annotation).__name__, get_origin(annotation)), parts)
    elif isinstance(annotation, type):
        yield _named(annotation.__name__, annotation)
    else:
        yield NOTHING if annotation is None else ANYTHING


def _parsed(node: ast.expr, scope: Mapping[str, Any]) -> Iterator[Kind]:
    """The same from the tree of an expression, whose names need not be imported while the program runs."""
    match node:
        case ast.BinOp(left=left, right=right):
            yield from _parsed(left, scope)
            yield from _parsed(right, scope)
        case ast.Subscript(value=ast.Name("Literal"), slice=inner):
            yield _one_of(ast.literal_eval(inner) if isinstance(inner, ast.Tuple) else (ast.literal_eval(inner),))
        case ast.Subscript(value=value, slice=inner):
            (outer,) = _parsed(value, scope)
            parts = inner.elts if isinstance(inner, ast.Tuple) else [inner]
            whole = isinstance(value, ast.Name) and value.id in ("Sequence", "Iterable", "Mapping", "dict", "list")
            yield _filled(outer, [list(_parsed(x, scope)) for x in parts] if whole else [])
        case ast.Name(name) if name in BY_NAME:
            yield BY_NAME[name]
        case ast.Name(name) if name in scope:
            yield from _kinds(scope[name], scope)
        case ast.Name(name) | ast.Attribute(attr=name):
            yield _named(name, None)
        case ast.Constant(value=None):
            yield NOTHING
        case ast.Constant(value=str() as inner):
            yield from _kinds(inner, scope)
        case _:
            yield ANYTHING


def _named(name: str, found: Any) -> Kind:
    """A class by its name; by itself if it is known."""
    if name in BY_NAME:
        return BY_NAME[name]
    article = "an" if name[:1] in "AEIOU" else "a"
    if not isinstance(found, type):
        return Kind(f"{article} {name}", lambda x: any(own.__name__ == name for own in type(x).__mro__))
    if getattr(found, "_is_protocol", False):
        bases = [own for own in found.__mro__ if getattr(own, "_is_protocol", False)]
        names = {x for own in bases for x in (*vars(own), *vars(own).get("__annotations__", ()))}
        wanted = [x for x in names if not x.startswith("_")]
        return Kind(f"{article} {name}", lambda x: all(hasattr(x, own) for own in wanted))
    return Kind(f"{article} {name}", lambda x: isinstance(x, found))


def _filled(outer: Kind, parts: list[list[Kind]]) -> Kind:
    """A sequence or mapping of things, each of which is to fit."""
    if not parts or outer not in (BY_NAME["Sequence"], BY_NAME["Iterable"], BY_NAME["Mapping"]):
        return outer

    def each(x: Any, kinds: list[Kind]) -> bool:
        return all(any(kind.fits(item) for kind in kinds) for item in x)

    if len(parts) == 2:
        keys, values = parts
        return Kind(outer.words, lambda x: outer.fits(x) and each(x, keys) and each(x.values(), values))
    words = " or ".join(PLURALS.get(kind.words, kind.words.partition(" ")[2] + "s") for kind in parts[0])
    known = outer.words if ANYTHING in parts[0] else f"{outer.words} of {words}"
    return Kind(known, lambda x: outer.fits(x) and (isinstance(x, Iterator) or each(x, parts[0])))


def _one_of(values: Iterable[Any]) -> Kind:
    known = tuple(values)
    return Kind("one of " + ", ".join(map(repr, known)), lambda x: isinstance(x, type(known[0])) and x in known)


def _either(kinds: Iterable[Kind]) -> str:
    words = list(dict.fromkeys(kind.words for kind in kinds if kind is not NOTHING))
    return " or ".join(words or [NOTHING.words])


def _shown(value: Any) -> str:
    text = repr(value) if isinstance(value, str | bytes | int | float | list | tuple | dict | None) else ""
    if isinstance(value, np.ndarray):
        return f"{value.dtype} of shape {value.shape}"
    return text if 0 < len(text) <= 60 else type(value).__name__


def unknown_argument(what: str, name: str, names: Sequence[str]) -> StateError:
    """Return the error of an argument that does not exist, with the likely one."""
    here = ELSEWHERE.get(name)
    hint = f"; use {here!r}" if here is not None and here in names else nearest(name, names)
    return StateError(f"{what}: no argument {name!r}{hint}")


def sequence_of(kind: type[T], values: Any, where: str) -> tuple[T, ...]:
    """Return a list of things of a kind as a tuple; raise a `StateError` if it is something else."""
    what = f"a list of supple.{kind.__name__}"
    if isinstance(values, kind | str | Mapping) or not isinstance(values, Iterable):
        raise StateError(f"{where}: expected {what}, got {values!r}")
    found = tuple(values)
    for x in found:
        if not isinstance(x, kind):
            raise StateError(f"{where}: expected {what}, got {x!r} among them")
    return found


def require_mapping(values: Any, where: str) -> None:
    """Raise a `StateError` if values by name are something else."""
    if values is not None and not isinstance(values, Mapping):
        raise StateError(f"{where}: expected a mapping from names, got {values!r}")


def require_signature(function: Any, arguments: str, where: str) -> None:
    """Raise a `StateError` if a function cannot be called with as many arguments as these, "t, q, v"."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # some functions written in C have none
        return
    try:
        signature.bind(*arguments.split(", "))
    except TypeError:
        raise StateError(f"{where}: expected a function of ({arguments}), got one of {signature}") from None
