"""Python source."""

from __future__ import annotations

import keyword
from collections.abc import Iterable

from supple.expressions.function import Function
from supple.expressions.operations import FUNCTIONS
from supple.expressions.printers.head import Place, head, identifiers, leaf_names, places
from supple.expressions.printers.writer import CodeWriter
from supple.expressions.printers.writing_plan import planned

GLOBAL = {*keyword.kwlist, "np", "math", "sign", "abs", "smaller", "larger", "float"}
RESERVED = GLOBAL | {"shape", "kind", "constants", "parameters"}
NUMPY = {name: f"np.{function.numpy}" for name, function in FUNCTIONS.items()}
MATH = {name: function.math or f"math.{name}" for name, function in FUNCTIONS.items()}
HELPERS = {
    "sign": ["def sign(x):", "    return 1.0 if x > 0 else -1.0 if x < 0 else x + 0.0", "", ""],
    "min": ["def smaller(a, b):", "    return a if a < b or a != a else b", "", ""],
    "max": ["def larger(a, b):", "    return a if a > b or a != a else b", "", ""],
}
"""Functions that Python lacks, or whose own depend on the order of what is not a number: min and max."""


def python_source(function: Function, numpy: bool = True) -> str:
    """A module with one function of the inputs that returns the outputs, in a tuple if there are several.

    With parameters there are two: `<name>_precompute(parameters)` gives what depends on them alone, and the function
    itself takes the inputs, the parameters and these constants.

    Parameters
    ----------
    function : Function
    numpy : bool
        Take arrays (..., n) whose leading axes broadcast, return arrays, need numpy; otherwise take sequences of
        floats, return (nested) lists, need the standard library alone, and raise where a function is not defined.
    """
    plan = planned(function)
    word = identifiers([function.name], GLOBAL)[function.name]
    words = identifiers(plan.inputs, RESERVED) | {"parameters": "parameters"}
    made = identifiers(function.outputs, {*RESERVED, *words.values()}, "_out")
    names = leaf_names(plan, lambda key, at: _entry(words[key], at, numpy))
    writer = CodeWriter(names, NUMPY if numpy else MATH, _number)

    title = head(function, plan, names, lambda key, at: _entry(made[key], at, numpy))
    lines = [f"# {line}".rstrip() for line in title]
    lines += ["", "import numpy as np" if numpy else "import math", "", ""]
    used = {node.op for node in function.order}
    lines += [line for name, helper in HELPERS.items() if name in used and not numpy for line in helper]
    dimensions = {words[key]: x.ndim for key, x in plan.inputs.items()}
    if plan.parameters:
        items = [(f"p{i + 1}", node) for i, node in enumerate(plan.constants)]
        lines += [f"def {word}_precompute(parameters):", *_opening({"parameters": 1}, numpy)]
        lines += [f"    {name} = {writer.define(node, name)}" for name, node in items]
        lines += [*_filled("constants", (len(items),), [((i,), name) for i, (name, _) in enumerate(items)], numpy)]
        lines += ["    return constants", "", ""]
        writer.names |= {node.id: _entry("constants", (i,), numpy) for i, (_, node) in enumerate(items)}
        dimensions |= {"parameters": 1, "constants": 1}
    lines += [f"def {word}({', '.join(dimensions)}):", *_opening(dimensions, numpy)]
    for i, node in enumerate(plan.variables, start=1):
        lines.append(f"    z{i} = {writer.define(node, f'z{i}')}")
    for key, x in function.outputs.items():
        lines += _filled(made[key], x.shape, [(at, writer.expression(node)) for at, node in places(x)], numpy)
    lines.append(f"    return {', '.join(made.values())}")
    return "\n".join(lines) + "\n"


def _opening(dimensions: dict[str, int], numpy: bool) -> list[str]:
    """Lines that make arrays of the arguments and find the leading axes."""
    if not numpy:
        return []
    lines = [f"    {name} = np.asarray({name})" for name in dimensions]
    leads = [f"{name}.shape[:-{n}]" if n else f"{name}.shape" for name, n in dimensions.items()]
    lines.append(f"    shape = np.broadcast_shapes({', '.join(leads)})")
    lines.append(f"    kind = np.result_type({', '.join([*dimensions, 'float'])})")
    return lines


def _filled(name: str, shape: Place, items: Iterable[tuple[Place, str]], numpy: bool) -> list[str]:
    """Lines that make an array or list of expressions."""
    if not numpy:
        texts = [text for _, text in items]
        return [f"    {name} = {_nested(texts, shape)}"]
    sizes = f"(*shape, {', '.join(map(str, shape))})" if shape else "shape"
    lines = [f"    {name} = np.empty({sizes}, kind)"]
    return lines + [f"    {_entry(name, at, True) if at else f'{name}[...]'} = {text}" for at, text in items]


def _nested(texts: list[str], shape: Place) -> str:
    if not shape:
        return texts[0]
    step = len(texts) // shape[0] if shape[0] else 0
    return f"[{', '.join(_nested(texts[i * step : (i + 1) * step], shape[1:]) for i in range(shape[0]))}]"


def _entry(name: str, at: Place, numpy: bool) -> str:
    """One number of an array: its last axes, or nested lists."""
    if not at:
        return name
    return f"{name}[..., {', '.join(map(str, at))}]" if numpy else name + "".join(f"[{i}]" for i in at)


def _number(value: float) -> str:
    return repr(value) if value - value == 0.0 else f'float("{value}")'
