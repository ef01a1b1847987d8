"""Derivatives of forward dynamics in C: by the closed form of rigid trees, else by tangents, a direction at a time.

M a + bias = tau gives da = M^-1 (dtau - dforce), dforce the change of inverse dynamics at the accelerations found; see
`model/tangents.py`. All directions go through one list of tangents, so that the tables do not grow with their number.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from supple.engines.blocks.block_c_tables import Place, laid_out
from supple.engines.blocks.block_c_text import reads_tape, tangent_as_block
from supple.engines.blocks.block_program import Program
from supple.engines.blocks.block_recorder import MEMORY
from supple.engines.blocks.blocks import Block, Instance
from supple.engines.blocks.split_blocks import in_pieces
from supple.engines.blocks.tangent_groups import Visit
from supple.engines.blocks.tangent_program import TangentProgram
from supple.errors import StateError
from supple.export.c_library_functions import CFunction, clear_lines, closed_motion, recursion, run_line
from supple.export.c_library_numbers import LibraryNumbers
from supple.model.programs import Ends
from supple.model.recorded_tangents import differentiated_program
from supple.model.recorded_trace import recorded_program
from supple.model.tangents import tangent_program

NAME = "forward_dynamics_derivatives"
PURPOSE = (
    "Accelerations and their derivatives, row by row: by q in the directions of the speeds, by v, and by tau (M^-1)."
)
INPUTS = {"q": "NQ", "v": "NV", "tau": "NV"}
OUTPUTS = {"a": "NV", "da_dq": "NV * NV", "da_dv": "NV * NV", "da_dtau": "NV * NV"}
MOST_CONSTRAINTS = 24
"""Constraint equations beyond which there are no derivatives of closed loops: the code grows with their cube."""
FACTOR = """/* M = L* D L in place, along the branches of the tree. */
static void factor(real *restrict M)
{
    int i, j, k;
    for (k = NV - 1; k >= 0; k--) {
        for (i = parents[k]; i >= 0; i = parents[i]) {
            const real ratio = M[k * NV + i] / M[k * NV + k];
            for (j = i; j >= 0; j = parents[j]) {
                M[i * NV + j] -= ratio * M[k * NV + j];
            }
            M[k * NV + i] = ratio;
        }
    }
}

/* x = M^-1 x from the factors of M, into a column of a matrix. */
static void solve(const real *restrict M, real *restrict x, real *restrict column)
{
    int i, k;
    for (k = NV - 1; k >= 0; k--) {
        for (i = parents[k]; i >= 0; i = parents[i]) {
            x[i] -= M[k * NV + i] * x[k];
        }
    }
    for (k = 0; k < NV; k++) {
        x[k] /= M[k * NV + k];
        for (i = parents[k]; i >= 0; i = parents[i]) {
            x[k] -= M[k * NV + i] * x[i];
        }
        column[k * NV] = x[k];
    }
}
"""
"""Of rigid trees; `parents` has the next degree of freedom towards the ground, -1 for none."""


def derivatives(numbers: LibraryNumbers) -> CFunction:
    """Forward dynamics with its derivatives by q, v and tau."""
    if numbers.model.loops is not None:
        return _of_closed_loops(numbers)
    structure = numbers.structure
    made = tangent_program(structure, structure.digest(), "accelerations", ("q", "v", "tau"))
    return _by_branches(made) if made.branches is not None else _by_tangents(made)


def _places(made: TangentProgram) -> dict[str, Place]:
    program = made.program
    return {f"given {key}": program.inputs[key] for key in INPUTS} | {"a": program.outputs["a"]}


def _by_branches(made: TangentProgram) -> CFunction:
    """From derivatives of inverse dynamics in closed form, and the factors of M."""
    assert made.branches is not None
    n = len(made.branches.ancestors)
    known = {x.by: x for x in made.known}
    places = _places(made) | {"M": (made.branches.first, n * n), "x": (made.branches.scratch, n)}
    places |= {f"force by {by}": (known[by].first, n * n) for by in ("q", "v")}
    given = [*(f"given {key}" for key in INPUTS), "x"]
    own = laid_out({NAME: list(in_pieces(made.values.instances))}, places, given)
    M, x = own.places["M"][0], own.places["x"][0]
    body = ["int i, j;", *clear_lines(own), run_line(NAME), f"factor(m + {M});", "for (j = 0; j < NV; j++) {"]
    for by in ("q", "v"):
        first = own.places[f"force by {by}"][0]
        body += ["    for (i = 0; i < NV; i++) {", f"        m[{x} + i] = -m[{first} + i * NV + j];", "    }"]
        body.append(f"    solve(m + {M}, m + {x}, da_d{by} + j);")
    body += [f"    clear(m + {x}, NV);", f"    m[{x} + j] = 1;", f"    solve(m + {M}, m + {x}, da_dtau + j);", "}"]
    return CFunction(NAME, PURPOSE, INPUTS, OUTPUTS, own, body)


def _by_tangents(made: TangentProgram) -> CFunction:
    """By tangents: W = M^-1 first, then -W times the change of forces along each direction."""
    offset = made.values.cells
    groups = made.groups(sum(n for x in made.passes for _, n in x.seeds.values()))
    segments = {NAME: list(in_pieces(made.values.instances))}
    for name, own_pass in zip(("tau", "state"), made.passes, strict=True):
        visits = [x for other, group in groups if other is own_pass for x in group.visits]
        segments[f"{NAME}_{name}"] = [_instance(x, offset) for x in visits]
    (tau_result,), (state_result,) = (x.results.values() for x in made.passes)
    places = _places(made) | {"by tau": _raised(tau_result, offset), "by state": _raised(state_result, offset)}
    seeds = {"tau": made.passes[0].seeds["tau"], **made.passes[1].seeds}
    places |= {f"seed {by}": _raised(x, offset) for by, x in seeds.items()}
    given = [*(f"given {key}" for key in INPUTS), *(f"seed {by}" for by in seeds)]
    own = laid_out(segments, places, given)
    at = {key: first for key, (first, _) in own.places.items()}
    body = ["int i, j, k;", *clear_lines(own), run_line(NAME), f"clear(m + {at['seed tau']}, NV);"]
    body += [
        "for (j = 0; j < NV; j++) {",
        f"    m[{at['seed tau']} + j] = 1;",
        f"    {run_line(f'{NAME}_tau')}",
        f"    m[{at['seed tau']} + j] = 0;",
        "    for (i = 0; i <= j; i++) {",
        f"        da_dtau[i * NV + j] = da_dtau[j * NV + i] = m[{at['by tau']} + i];",
        "    }",
        "}",
        *(f"clear(m + {at[f'seed {by}']}, NV);" for by in ("q", "v")),
    ]
    for by in ("q", "v"):
        body += [
            "for (j = 0; j < NV; j++) {",
            f"    m[{at[f'seed {by}']} + j] = 1;",
            f"    {run_line(f'{NAME}_state')}",
            f"    m[{at[f'seed {by}']} + j] = 0;",
            "    for (i = 0; i < NV; i++) {",
            "        real sum = 0;",
            "        for (k = 0; k < NV; k++) {",
            f"            sum -= da_dtau[i * NV + k] * m[{at['by state']} + k];",
            "        }",
            f"        da_d{by}[i * NV + j] = sum;",
            "    }",
            "}",
        ]
    return CFunction(NAME, PURPOSE, INPUTS, OUTPUTS, own, body)


def _of_closed_loops(numbers: LibraryNumbers) -> CFunction:
    """By tangents of straight-line code, along the rates of q that each speed gives, along v and tau."""
    made = differentiated_program(_straight(numbers), tuple(INPUTS), ("a",))
    rates, (own_pass,) = recursion(numbers, "rates"), made.passes
    offset, last = made.values.cells, made.values.cells + made.span
    visits = [x for _, group in made.groups(sum(n for _, n in own_pass.seeds.values())) for x in group.visits]
    rated = [Instance(x.block, tuple(_in_memory(x.block, x.rows, last))) for x in rates.instances]
    segments = {NAME: list(in_pieces(made.values.instances)), f"{NAME}_rates": rated}
    segments[f"{NAME}_state"] = [_instance(x, offset) for x in visits]
    seeds = {f"seed {by}": _raised(x, offset) for by, x in own_pass.seeds.items()}
    places = _places(made) | seeds | {"change": _raised(own_pass.results["a"], offset)}
    places |= {f"rates {key}": _raised(x, last) for key, x in (rates.inputs | rates.outputs).items()}
    given = [*(f"given {key}" for key in INPUTS), *seeds, "rates q", "rates v"]
    own = laid_out(segments, places, given)
    at = {key: first for key, (first, _) in own.places.items()}
    body = ["int i, j;", *clear_lines(own), run_line(NAME), f"copy(m + {at['rates q']}, q, NQ);"]
    body += [f"clear(m + {at[f'seed {by}']}, {n});" for by, n in INPUTS.items()]
    body.append(f"clear(m + {at['rates v']}, NV);")
    for by in INPUTS:
        unit = at["rates v"] if by == "q" else at[f"seed {by}"]
        moved = (
            [run_line(f"{NAME}_rates"), f"copy(m + {at['seed q']}, m + {at['rates rate']}, NQ);"] if by == "q" else []
        )
        body += [
            "for (j = 0; j < NV; j++) {",
            f"    m[{unit} + j] = 1;",
            *(f"    {line}" for line in [*moved, run_line(f"{NAME}_state")]),
            f"    m[{unit} + j] = 0;",
            "    for (i = 0; i < NV; i++) {",
            f"        da_d{by}[i * NV + j] = m[{at['change']} + i];",
            "    }",
            "}",
            *([f"clear(m + {at['seed q']}, NQ);"] if by == "q" else []),
        ]
    return CFunction(NAME, PURPOSE, INPUTS, OUTPUTS, own, body)


def _straight(numbers: LibraryNumbers) -> Program:
    """Forward dynamics of closed loops without steps in loops, which have no tangents."""

    def make(t: Any, groups: Mapping[str, Any]) -> Ends:
        t.graph.straight = True
        return closed_motion(t, groups)

    loops = numbers.model.loops
    assert loops is not None
    if len(loops) > MOST_CONSTRAINTS:
        raise StateError(
            f"c_library: {NAME}: model {numbers.model.name!r} has {len(loops)} constraint equations, of which there is "
            f"straight-line code for {MOST_CONSTRAINTS} at most"
        )
    return recorded_program(numbers.model, ("c library", NAME), make, {"tree": numbers.tree})[0]


def _in_memory(block: Block, rows: Sequence[int], offset: int) -> list[int]:
    """Rows of a block, those in memory raised."""
    return [row + offset * (space == MEMORY) for space, row in zip(block.spaces, rows, strict=True)]


def _instance(visit: Visit, offset: int) -> Instance:
    """A tangent as a block, its changes after all values."""
    rows = [row + offset for row in visit.rows]
    return Instance(tangent_as_block(visit.block), tuple([visit.tape, *rows] if reads_tape(visit.block) else rows))


def _raised(place: Place, offset: int) -> Place:
    return place[0] + offset, place[1]
