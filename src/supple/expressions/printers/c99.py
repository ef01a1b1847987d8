"""C source."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from supple.expressions.function import Function
from supple.expressions.operations import FUNCTIONS
from supple.expressions.printers.head import Place, head, identifiers, leaf_names
from supple.expressions.printers.writer import CodeWriter
from supple.expressions.printers.writing_plan import planned

KEYWORDS = """auto break case char const continue default do double else enum extern float for goto if inline int long
register restrict return short signed sizeof static struct switch typedef union unsigned void volatile while asm bool
complex imaginary true false class new delete this template typename namespace operator private protected public
virtual friend using try catch throw""".split()  # noqa: SIM905 - one word a line is no easier to read
LIBRARY = """acos asin atan atan2 cos sin tan acosh asinh atanh cosh sinh tanh exp exp2 expm1 frexp ilogb ldexp log
log10 log1p log2 logb modf scalbn scalbln cbrt fabs hypot pow sqrt erf erfc lgamma tgamma ceil floor nearbyint rint
lrint llrint lround llround round trunc fmod remainder remquo copysign nan nextafter nexttoward fdim fmax fmin fma
fpclassify isfinite isinf isnan isnormal signbit isgreater isgreaterequal isless islessequal islessgreater isunordered
gamma j0 j1 jn y0 y1 yn signgam float_t double_t abs main""".split()  # noqa: SIM905
OWN = ["sign", "smaller", "larger", "parameters", "constants", "INFINITY", "NAN"]
RESERVED = {*KEYWORDS, *LIBRARY, *(f"{name}{end}" for name in LIBRARY for end in "fl"), *OWN}
CALLS = {name: function.c or name for name, function in FUNCTIONS.items()}
HELPERS = {
    "sign": ["static double sign(double x)", "{", "    return x > 0.0 ? 1.0 : x < 0.0 ? -1.0 : x;", "}", ""],
    "min": ["static double smaller(double a, double b)", "{", "    return a < b || a != a ? a : b;", "}", ""],
    "max": ["static double larger(double a, double b)", "{", "    return a > b || a != a ? a : b;", "}", ""],
}
"""Functions that C lacks, or whose own take what is not a number for nothing: fmin and fmax."""


def c_source(function: Function) -> str:
    """One file of C99 that needs the mathematical library alone and keeps nothing between calls.

    `void <name>(const double *<input>, ..., double *<output>, ...)`, arrays row by row, outputs apart from inputs.
    With parameters `void <name>_precompute(const double *parameters, double *constants)` fills in what depends on them
    alone, and the function itself takes both after the inputs. Numbers are written to the last bit.
    """
    return c_functions([function])


def c_functions(functions: Sequence[Function], linkage: Sequence[str] | None = None) -> str:
    """The same of several functions, whose names as identifiers differ, in one file.

    `linkage` stands in front of each of them: "static " where the file alone has it.
    """
    used = {node.op for function in functions for node in function.order}
    shared = ["#include <math.h>", "", *(line for name, x in HELPERS.items() if name in used for line in x)]
    fronts = [""] * len(functions) if linkage is None else linkage
    texts = [_c_function(f, [] if i else shared, fronts[i]) for i, f in enumerate(functions)]
    return "\n".join(texts)


def _c_function(function: Function, shared: list[str], linkage: str) -> str:
    """One of them; behind its head what all of them share."""
    plan = planned(function)
    word = identifiers([function.name], RESERVED)[function.name]
    words = identifiers(plan.inputs, RESERVED) | {"parameters": "parameters"}
    made = identifiers(function.outputs, {*RESERVED, *words.values()}, "_out")
    shapes = {key: x.shape for key, x in plan.inputs.items()} | {"parameters": (len(plan.parameters),)}
    names = leaf_names(plan, lambda key, at: _entry(words[key], shapes[key], at))
    writer = CodeWriter(names, CALLS, _number)

    title = head(function, plan, names, lambda key, at: _entry(made[key], function.outputs[key].shape, at))
    if plan.parameters:
        title += ["", f"Constants: {len(plan.constants)}, from {word}_precompute."]
    title += ["", "Outputs must not overlap inputs."]
    title = [re.sub(r"\?(?=\?)", "? ", line) for line in title]  # two question marks may start a trigraph
    lines = ["/*", *(f" * {line}".rstrip() for line in title), " */", "", *shared]
    inputs = [words[key] for key in plan.inputs]
    if plan.parameters:
        body = []
        for i, node in enumerate(plan.constants):
            body.append(f"constants[{i}] = {writer.define(node, f'constants[{i}]')};")
        lines += [*_routine(f"{linkage}void {word}_precompute", ["parameters"], ["constants"], body), ""]
        inputs += ["parameters", "constants"]
    body = [f"const double z{i} = {writer.define(node, f'z{i}')};" for i, node in enumerate(plan.variables, start=1)]
    for key, x in function.outputs.items():
        body += [f"{made[key]}[{i}] = {writer.expression(node)};" for i, node in enumerate(x.flat)]
    return "\n".join(lines + _routine(f"{linkage}void {word}", inputs, list(made.values()), body)) + "\n"


def _entry(name: str, shape: Place, at: Place) -> str:
    """One number of an array, row by row; without a place the array itself, or the one number it has."""
    if shape and not at:
        return name
    place = 0
    for i, n in zip(at, shape, strict=True):
        place = place * n + i
    return f"{name}[{place}]"


def _number(value: float) -> str:
    if math.isfinite(value):
        return repr(value)
    return "INFINITY" if math.isinf(value) else "NAN"


def _routine(head: str, inputs: list[str], outputs: list[str], body: list[str]) -> list[str]:
    """A function; arguments that its body does not use are said to be so, or compilers complain."""
    arguments = [f"const double *{x}" for x in inputs] + [f"double *{x}" for x in outputs]
    used = set(re.findall(r"(\w+)\[", "\n".join(body)))
    unused = [f"(void){x};" for x in (*inputs, *outputs) if x not in used]
    return [f"{head}({', '.join(arguments) or 'void'})", "{", *(f"    {line}" for line in [*unused, *body]), "}"]
