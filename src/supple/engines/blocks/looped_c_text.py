"""Steps in loops printed as C99: the source that becomes their machine code, by the printer of sweeps."""

from __future__ import annotations

import re
from typing import Any

from supple.engines.blocks.block_c_text import CPrecision, function_text
from supple.engines.blocks.looped_code import written_arguments
from supple.engines.sweeps.c_text import step_lines
from supple.engines.sweeps.c_values import CArray, CNumber
from supple.engines.sweeps.translate import syntax
from supple.engines.sweeps.values import FLOAT, INT

LITERAL = re.compile(r"(?<![\w.])(\d+\.\d*(?:e[+-]?\d+)?|\d+e[+-]?\d+)")


def looped_function(step: Any, ranks: tuple[int, ...], name: str, precision: CPrecision) -> str:
    """A step on arrays with so many axes each as the function of a block; see `looped_code.looped_text`."""
    definition, _ = syntax(step.py_func)
    arrays, lines, word = [], list[str](), 0
    for x, rank, written in zip(definition.args.args, ranks, written_arguments(step), strict=True):
        lines.append(f"{'' if written else 'const '}real *const {x.arg} = m + at[{word}];")
        lengths = [f"{x.arg}_{axis}" for axis in range(rank)]
        lines += [f"const long {length} = at[{word + 1 + axis}];" for axis, length in enumerate(lengths)]
        arrays.append(CArray(FLOAT, x.arg, tuple(CNumber(INT, length) for length in lengths)))
        word += 1 + rank
    body = [re.sub(r"\bdouble\b", "real", line) for line in step_lines(step, tuple(arrays))]
    used = set(re.findall(r"\w+", "\n".join(body)))
    lines = [line for line in lines if line.split(" = ")[0].split("const ")[-1].split()[-1] in used]
    return function_text(name, lines + [LITERAL.sub(lambda x: precision.number(float(x[1])), line) for line in body])
