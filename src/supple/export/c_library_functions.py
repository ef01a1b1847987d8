"""The functions of a model that a C library can have: their programs of blocks, their arguments, what they do."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from supple.engines.blocks.block_c_tables import CProgram, laid_out
from supple.engines.blocks.block_program import Program
from supple.engines.blocks.cell_sharing import in_less_memory
from supple.engines.blocks.split_blocks import in_pieces
from supple.export.c_library_numbers import LibraryNumbers
from supple.model.frame_programs import Seen
from supple.model.functions.recorded import ends
from supple.model.functions.recursions import BY_FORMULA, made_by_recursion, recursion_of
from supple.model.functions.table import FUNCTIONS, Argument
from supple.model.programs import Ends, program
from supple.model.recorded_trace import FRAMES, recorded_program

CONSTANTS = {
    "nq": "NQ",
    "nv": "NV",
    "bodies": "BODIES",
    "places": "PLACES",
    "motion": "2 * NV",
    "inertial": "INERTIAL",
    "constraints": "CONSTRAINTS",
    "frames": "FRAMES",
    "axes": "6 * FRAMES",
}
"""Constants of a library, or products with them, by the names of lengths in the table of functions."""
STEPPED = "close_loops"
"""A function of libraries alone: one step towards closed loops, which steps in time call."""


@dataclass(frozen=True)
class CFunction:
    """A function of the library.

    Attributes
    ----------
    name : str
        Without the prefix of the library.
    purpose : str
        What it does, for the header.
    inputs, outputs : dict of str to str
        Names of its arrays and their lengths: numbers, or names of constants of the library without their prefix.
    program : CProgram
    body : list of str
        Statements between the copies of inputs to memory and of outputs from it.
    """

    name: str
    purpose: str
    inputs: dict[str, str]
    outputs: dict[str, str]
    program: CProgram
    body: list[str]

    @property
    def arrays(self) -> tuple[dict[str, str], dict[str, str]]:
        """Inputs and outputs."""
        return self.inputs, self.outputs


def run_line(segment: str) -> str:
    """The statement that runs a segment of a program."""
    return f"run(m, numbers->value, {segment}_runs, {segment}_rows);"


def clear_lines(own: CProgram) -> list[str]:
    """Statements that clear what has to be zero."""
    return [f"clear(m + {first}, {n});" for first, n in own.cleared]


def plain_function(
    name: str, purpose: str, made: Program, shift: Callable[[int], int], lengths: tuple[dict[str, str], dict[str, str]]
) -> CFunction:
    """A function that is one program.

    Parameters
    ----------
    name, purpose : str
    made : Program
        Of its inputs those that are not named matter to none of the outputs.
    shift : function
        Gives the place of a number in the library from that in the program.
    lengths : dicts of str to str
        Lengths of inputs and outputs, in the order of those of the program.
    """
    inputs, outputs = lengths
    kept = _small(made)
    results = {word if word not in inputs else f"next_{word}": word for word in outputs}
    places = {f"given {key}": kept.inputs[key] for key in inputs}
    places |= dict(zip(results, kept.outputs.values(), strict=True))
    own = laid_out({name: kept.instances}, places, [f"given {key}" for key in inputs], shift)
    body = [*clear_lines(own), run_line(name)]
    return CFunction(name, purpose, inputs, {word: outputs[key] for word, key in results.items()}, own, body)


def length_of(x: Argument) -> str:
    """The length of an input or output, as a product of constants."""
    return " * ".join(str(n) if isinstance(n, int) else CONSTANTS[n] for n in x.shape) or "1"


def _small(made: Program) -> Program:
    """A program in equal pieces, on cells that are used again unless some of its results are left as they were."""
    pieces = made.with_instances(list(in_pieces(made.instances)), made.cells)
    written = {at for x in pieces.instances for at in x.cells[1]}
    whole = all(at in written for first, n in made.outputs.values() for at in range(first, first + n))
    return in_less_memory(pieces) if whole else pieces


def recursion(numbers: LibraryNumbers, what: str, *options: Any) -> Program:
    """A recursion of the tree."""
    return program(numbers.structure, numbers.structure.digest(), what, *options)


def of_the_table(numbers: LibraryNumbers, what: str) -> CFunction:
    """A function of the table."""
    function, model = FUNCTIONS[what], numbers.model
    taken = [*function.inputs, *(function.closed_inputs if model.loops is not None else ())]
    lengths = ({x.name: length_of(x) for x in taken}, {x.name: length_of(x) for x in function.outputs})
    frames = numbers.frames if function.frames else ()
    made, shift = _program(numbers, what, frames)
    named = [name for name in made.outputs if name in lengths[1]]
    if named and tuple(made.outputs) != tuple(lengths[1]):
        made = made.giving(tuple(lengths[1]))
    return plain_function(what, f"{function.purpose}.", made, shift, lengths)


def _program(numbers: LibraryNumbers, what: str, frames: Sequence[str]) -> tuple[Program, Callable[[int], int]]:
    """The program of a function, and where its numbers are in the library: a recursion of the tree if there is one."""
    function, model = FUNCTIONS[what], numbers.model
    if made_by_recursion(model, what, frames) and what not in BY_FORMULA:
        return recursion(numbers, *recursion_of(what)), int
    if function.frames and function.recursion and not function.free:
        base, more = numbers.base, numbers.shift("paths")
        made = program(numbers.framed, numbers.framed.digest(), function.recursion, *Seen(len(frames)))
        return made, lambda row: row + more if row >= base else row
    groups: dict[str, Any] = {"tree": numbers.tree} | ({FRAMES: numbers.opened_frames} if frames else {})
    return recorded_program(model, ("c library", what), lambda t, _: ends(t, what, frames), groups)[0], int


def closed_motion(t: Any, _: Mapping[str, Any]) -> Ends:
    """Forward dynamics of closed loops on the nodes of a trace."""
    return ends(t, "forward_dynamics")


def close_loops(numbers: LibraryNumbers) -> CFunction:
    """One step towards the closed loops."""

    def make(t: Any, _: Mapping[str, Any]) -> Ends:
        q, v, _ = t.closed(t.q, t.v, t.model.none_prescribed)
        return {"q": t.q, "v": t.v}, {"closed_q": q, "closed_v": v}

    purpose = "Coordinates and speeds after one step towards closed loops, which leaves the square of an error."
    made, _ = recorded_program(numbers.model, ("c library", STEPPED), make, {"tree": numbers.tree})
    lengths = {"q": "NQ", "v": "NV"}, {"closed_q": "NQ", "closed_v": "NV"}
    return plain_function(STEPPED, purpose, made, int, lengths)
