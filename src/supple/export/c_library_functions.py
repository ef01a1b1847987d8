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
from supple.model.programs import Ends, program
from supple.model.recorded_trace import recorded_program

SIZES = {
    "q": "NQ",
    "v": "NV",
    "tau": "NV",
    "a": "NV",
    "rate": "NQ",
    "M": "NV * NV",
    "energy": "2",
    "R": "FRAMES * 9",
    "p": "FRAMES * 3",
    "V": "FRAMES * 6",
    "closed_q": "NQ",
    "closed_v": "NV",
}
"""Lengths of the arrays that programs take and give, see `CFunction`."""
CALLED = {"R": "rotation", "p": "position", "V": "velocity"}
"""Arrays that have other names as arguments."""


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
    name: str, purpose: str, made: Program, shift: Callable[[int], int], inputs: Sequence[str], outputs: Sequence[str]
) -> CFunction:
    """A function that is one program; of its inputs those that are not named matter to none of the outputs."""
    kept = _small(made if tuple(outputs) == tuple(made.outputs) else made.giving(outputs))
    results = {CALLED.get(key, key): key for key in outputs}
    places = {f"given {key}": kept.inputs[key] for key in inputs}
    places |= {word: kept.outputs[key] for word, key in results.items()}
    own = laid_out({name: kept.instances}, places, [f"given {key}" for key in inputs], shift)
    body = [*clear_lines(own), run_line(name)]
    lengths = {word: SIZES[key] for word, key in results.items()}
    return CFunction(name, purpose, {x: SIZES[x] for x in inputs}, lengths, own, body)


def _small(made: Program) -> Program:
    """A program in equal pieces, on cells that are used again unless some of its results are left as they were."""
    pieces = made.with_instances(list(in_pieces(made.instances)), made.cells)
    written = {at for x in pieces.instances for at in x.cells[1]}
    whole = all(at in written for first, n in made.outputs.values() for at in range(first, first + n))
    return in_less_memory(pieces) if whole else pieces


def recursion(numbers: LibraryNumbers, what: str, *options: Any) -> Program:
    """A recursion of the tree."""
    return program(numbers.structure, numbers.structure.digest(), what, *options)


def forward_dynamics(numbers: LibraryNumbers) -> CFunction:
    """Accelerations; those of closed loops with the forces that keep them closed."""
    purpose = "Accelerations a that the generalized forces tau give."
    if numbers.model.loops is None:
        made, shift = recursion(numbers, "forward_dynamics"), int
        return plain_function("forward_dynamics", purpose, made, shift, ("q", "v", "tau"), ("a",))
    return _closed_function(numbers, "forward_dynamics", purpose, closed_motion, ("q", "v", "tau"), ("a",))


def closed_motion(t: Any, _: Mapping[str, Any]) -> Ends:
    """Forward dynamics of closed loops on the nodes of a trace."""
    a = t.closed_dynamics(t.q, t.v, t.tau, t.model.none_prescribed, t.workspace())[0]
    return {"q": t.q, "v": t.v, "tau": t.tau}, {"a": a}


def close_loops(numbers: LibraryNumbers) -> CFunction:
    """One step towards the closed loops."""

    def make(t: Any, _: Mapping[str, Any]) -> Ends:
        q, v, _ = t.closed(t.q, t.v, t.model.none_prescribed)
        return {"q": t.q, "v": t.v}, {"closed_q": q, "closed_v": v}

    purpose = "Coordinates and speeds after one step towards closed loops, which leaves the square of an error."
    outputs = ("closed_q", "closed_v")
    return _closed_function(numbers, "close_loops", purpose, make, ("q", "v"), outputs)


def _closed_function(
    numbers: LibraryNumbers, name: str, purpose: str, make: Any, inputs: Sequence[str], outputs: Sequence[str]
) -> CFunction:
    made, _ = recorded_program(numbers.model, ("c library", name), make, {"tree": numbers.tree})
    return plain_function(name, purpose, made, int, inputs, outputs)


def inverse_dynamics(numbers: LibraryNumbers) -> CFunction:
    """Generalized forces."""
    made, loops = recursion(numbers, "inverse_dynamics", False, False), numbers.model.loops
    purpose = "Generalized forces tau that the accelerations a take" + (
        "." if loops is None else ", those of the open tree: without the forces that close the loops."
    )
    return plain_function("inverse_dynamics", purpose, made, int, ("q", "v", "a"), ("tau",))


def bias_forces(numbers: LibraryNumbers) -> CFunction:
    """Generalized forces at zero acceleration."""
    purpose = "Generalized forces tau at zero acceleration: Coriolis, gravity, springs, dampers, wrenches."
    return plain_function("bias_forces", purpose, recursion(numbers, "bias_forces"), int, ("q", "v"), ("tau",))


def mass_matrix(numbers: LibraryNumbers) -> CFunction:
    """M."""
    purpose = "Mass matrix M, row by row."
    return plain_function("mass_matrix", purpose, recursion(numbers, "mass_matrix"), int, ("q",), ("M",))


def energy(numbers: LibraryNumbers) -> CFunction:
    """Energies."""
    purpose = "Kinetic and potential energy; gravity and springs are in the second."
    return plain_function("energy", purpose, recursion(numbers, "energies"), int, ("q", "v"), ("energy",))


def coordinate_rates(numbers: LibraryNumbers) -> CFunction:
    """Rates of coordinates."""
    purpose = "Rates of the coordinates."
    return plain_function("coordinate_rates", purpose, recursion(numbers, "rates"), int, ("q", "v"), ("rate",))


def kinematics(numbers: LibraryNumbers) -> CFunction:
    """Frames."""
    structure = numbers.framed
    made = program(structure, structure.digest(), "frame_motions")
    base, more = numbers.base, numbers.shift("paths")
    purpose = (
        "Rotations (9 each, row by row), positions (3) and velocities (6, angular first) of all frames, in ground axes."
    )
    return plain_function(
        "kinematics", purpose, made, lambda row: row + more if row >= base else row, ("q", "v"), ("R", "p", "V")
    )


PLAIN: dict[str, Callable[[LibraryNumbers], CFunction]] = {
    "forward_dynamics": forward_dynamics,
    "inverse_dynamics": inverse_dynamics,
    "bias_forces": bias_forces,
    "mass_matrix": mass_matrix,
    "kinematics": kinematics,
    "energy": energy,
    "coordinate_rates": coordinate_rates,
    "close_loops": close_loops,
}
"""Functions that are one program each."""
