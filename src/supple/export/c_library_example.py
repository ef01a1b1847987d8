"""What stands beside a C library: a program that uses it, a file for CMake, and a page that says how to build it."""

from __future__ import annotations

from collections.abc import Sequence

from supple.export.c_library_source import CLibrary, length_text
from supple.expressions.printers.head import one_line

ROWS, STEPS = 10, 50
"""Rows of the motion that the example prints, and steps between them."""
MOTION = """#include "{p}.h"

#include <stdio.h>

int main(void)
{{
    /* Too large for the stack of a small processor, and constant in size: static. */
    static {p}_workspace work;
    const {p}_real dt = {dt};
    const {p}_real tau[{U}_NV] = {{0}};
    {p}_real q[{U}_NQ] = {{{q}}};
    {p}_real v[{U}_NV] = {{{v}}};
    int row, step, i;
    printf("time");
    for (i = 0; i < {U}_NQ; i++) {{
        printf(",%s", {p}_coordinates[i]);
    }}
    printf("\\n");
    for (row = 0; row <= {rows}; row++) {{
        printf("%.9g", (double)dt * {steps} * row);
        for (i = 0; i < {U}_NQ; i++) {{
            printf(",%.9g", (double)q[i]);
        }}
        printf("\\n");
        for (step = 0; step < {steps}; step++) {{
            {p}_rk4_held(&{p}_default_numbers, &work, dt, tau, q, v);
        }}
    }}
    return 0;
}}
"""
CALL = """#include "{p}.h"

#include <stdio.h>

int main(void)
{{
    /* Too large for the stack of a small processor, and constant in size: static. */
    static {p}_workspace work;
{arrays}
    int i;
    {p}_{function}({arguments});
    for (i = 0; i < {length}; i++) {{
        printf("{output}[%d] = %.9g\\n", i, (double){output}[i]);
    }}
    return 0;
}}
"""
CMAKE = """cmake_minimum_required(VERSION 3.10)
project({p} C)

add_library({p} STATIC {p}.c)
set_target_properties({p} PROPERTIES C_STANDARD 99 C_STANDARD_REQUIRED ON C_EXTENSIONS OFF)
target_include_directories({p} PUBLIC ${{CMAKE_CURRENT_SOURCE_DIR}})
if(CMAKE_C_COMPILER_ID MATCHES "GNU|Clang")
  # Products and sums are rounded one by one: the same bits on all processors.
  target_compile_options({p} PRIVATE -ffp-contract=off)
endif()
if(UNIX OR CMAKE_CROSSCOMPILING)
  target_link_libraries({p} PUBLIC m)
endif()

if(NOT CMAKE_CROSSCOMPILING)
  add_executable({p}_main {p}_main.c)
  target_link_libraries({p}_main PRIVATE {p})
endif()
"""
README = """# {p}

C99 library of the model "{name}", written by supple: {precision} precision, {blocks} functions of blocks and tables of
their places. It allocates nothing, has no state, and may be called from several threads, each with its own workspace.

| | bytes |
|---|---|
| `{p}_workspace`, one for each thread | {work} |
| `{p}_numbers`, constant unless parameters are set | {numbers} |

Build it with CMake:

    cmake -B build && cmake --build build && ./build/{p}_main

or with a compiler alone:

    cc -std=c99 -O2 -ffp-contract=off {p}.c {p}_main.c -lm -o {p}_main

For a microcontroller compile `{p}.c` with the flags of your project; it needs `math.h` and `stdint.h` alone.

Functions, declared and described in `{p}.h`:

{functions}
"""


def main_text(library: CLibrary, start: tuple[Sequence[float], Sequence[float]], dt: float) -> str:
    """A program that prints a motion; without an integrator, what the first function gives."""
    p, upper, literal = library.prefix, library.upper, library.precision.number
    q, v = (", ".join(literal(float(x)) for x in part) for part in start)
    if library.integrator:
        return MOTION.format(p=p, U=upper, q=q, v=v, dt=literal(dt), rows=ROWS, steps=STEPS)
    function = library.functions[0]
    values = {"q": q, "v": v}
    arrays = [f"    {p}_real {x}[{length_text(n, upper)}] = {{{values.get(x, '0')}}};" for x, n in _arrays(library)]
    output, n = next(iter(function.outputs.items()))
    arguments = ", ".join([f"&{p}_default_numbers", "&work", *function.inputs, *function.outputs])
    return CALL.format(
        p=p,
        arrays="\n".join(arrays),
        function=function.name,
        arguments=arguments,
        output=output,
        length=length_text(n, upper),
    )


def _arrays(library: CLibrary) -> list[tuple[str, str]]:
    function = library.functions[0]
    return [*function.inputs.items(), *function.outputs.items()]


def cmake_text(library: CLibrary) -> str:
    """The file for CMake."""
    return CMAKE.format(p=library.prefix)


def readme_text(library: CLibrary) -> str:
    """How to build and call it."""
    p, bytes_, constants = library.prefix, library.precision.bytes, library.constants
    stages = 4 * constants["NQ"] + 5 * constants["NV"] if library.integrator else 0
    names = [f"- `{p}_{x.name}`: {x.purpose}" for x in library.functions]
    if library.integrator:
        names.append(f"- `{p}_rk4`, `{p}_rk4_held`: steps of the classical Runge-Kutta method.")
    if library.parameters:
        names.append(f"- `{p}_set_parameters`: numbers of the model for other parameters.")
    return README.format(
        p=p,
        name=one_line(library.numbers.model.name),
        precision="single" if library.precision.name == "float" else "double",
        blocks=library.tables.blocks,
        work=bytes_ * (constants["CELLS"] + stages),
        numbers=bytes_ * constants["NUMBERS"],
        functions="\n".join(names),
    )
