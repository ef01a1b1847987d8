"""Functions of a model compiled to machine code: `Model.compile`.

Values are recorded node by node, in blocks that are long and fast. What would take long to record so (large chains) is
recorded body by body, in blocks that bodies and models share.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from supple.engines.blocks.block_program import BoundProgram
from supple.engines.blocks.block_recorder import LARGE
from supple.engines.blocks.compiled_function import LONG, CompiledFunction, Computed, Runnable
from supple.engines.llvm.batches import Numbers
from supple.model.functions.holes import require_made
from supple.model.functions.recorded import function_program
from supple.model.functions.recursions import made_by_recursion, parametrized, recursion_of
from supple.model.functions.table import FUNCTIONS, chosen_frames, signature
from supple.model.looped_closures import WRITTEN_OUT
from supple.model.program_sizes import row_steps, rows_quickly_made
from supple.model.programs import program
from supple.model.recorded_tangents import RecordedTangents
from supple.model.tangents import Tangents
from supple.model.traced_functions import traced
from supple.recursions.tree import Flex, Tree

if TYPE_CHECKING:
    from supple.model.model import Model

LARGEST = 150_000
"""Operations beyond which equations are not written out as one straight piece of code."""
LIMIT = 20 * LARGEST
"""Nodes at which tracing is given up: derivatives make many that are not needed in the end."""
VALUES = 60_000
"""Operations up to which values are recorded node by node, which takes a second then; in blocks of bodies a tenth."""
ROW_STEP = 25
"""Operations of a row of the mass matrix for each body on its way to the ground, roughly."""
DIFFERENTIATED: dict[str, tuple[Any, ...]] = {
    "forward_dynamics": ("accelerations",),
    "inverse_mass_matrix": ("mass_matrix",),
}
"""What is differentiated where that is not the recursion of a function itself."""
SQUARES = ("mass_matrix", "regressor")
"""Functions whose operations grow with the square of the bodies on a path."""
MATRICES = {"inverse_mass_matrix": "inverse_mass_matrix", "mass_matrix": "mass_columns"}
"""Matrices dy/dx that are made as derivatives of these recursions."""


def estimated_operations(tree: Tree, flex: Flex | None) -> int:
    """Operations of forward dynamics, roughly, from the arrays of a model."""
    total = 500 * (len(tree.parent) - 1)
    if flex is not None:
        n, full, row = flex.modes, flex.full, flex.mode_row
        ports = flex.port_first[1:] - flex.port_first[:-1]
        pairs, mesh, factor = (
            x[row + n] - x[row] for x in (flex.pair_first, flex.offdiagonal_first, flex.factor_first)
        )
        total += int(np.sum(80 * n + 1500 * ports + 4 * mesh + 4 * factor))
        total += int(np.sum(full * (40 * n + 80 * n * ports + 25 * pairs + 24 * factor)))
    return total


class Numbered(Protocol):
    """What has numbers and names that decide its equations: a model of any formulation."""

    @property
    def bodies(self) -> tuple[str, ...]:
        """Their names."""
        ...

    @property
    def coordinates(self) -> tuple[str, ...]:
        """Their names."""
        ...

    @property
    def speeds(self) -> tuple[str, ...]:
        """Their names."""
        ...

    def arrays(self) -> dict[str, Numbers]:
        """All numbers, by name."""
        ...


def model_key(model: Numbered, *more: Any) -> str:
    """What decides the code of a function of a model: the model's numbers and names, and what else is given.

    Everything that a trace reads must be among the model's `arrays`, also numbers that it takes from the description.
    """
    digest = hashlib.sha256(repr(more).encode())
    for field, x in model.arrays().items():
        digest.update(f"{field} {x.dtype} {x.shape}".encode() + np.ascontiguousarray(x).tobytes())
    digest.update(repr((model.bodies, model.coordinates, model.speeds)).encode())
    return digest.hexdigest()


def compiled(
    model: Model,
    what: str,
    parameters: Sequence[str],
    derivatives: Sequence[str],
    threads: int | None,
    frames: Sequence[str] | None = None,
) -> CompiledFunction:
    """Compile a function of a model.

    Parameters
    ----------
    model : Model
    what : str
        A name of the table of functions.
    parameters : sequence of str
        Numbers that are one more input.
    derivatives : sequence of str
        Inputs by which the outputs are differentiated too.
    threads : int, optional
    frames : sequence of str, optional
        See `Model.compile`.
    """
    own, function = chosen_frames(model, what, frames), FUNCTIONS[what]
    require_made(model, what, "derivatives" if derivatives else "compile")
    if function.derivative_of and not derivatives:
        what, *derivatives = function.derivative_of
    on_cells = made_by_recursion(model, what, own)
    inputs, outputs = signature(model, what, parameters, derivatives, own)
    results: dict[str, str] = {}
    bound: Runnable
    if derivatives and on_cells and what == "inverse_mass_matrix":
        bound = _inverse_with_derivatives(model, inputs, outputs, parameters, derivatives)
    elif derivatives and not on_cells:
        bound = _recorded_derivatives(model, what, inputs, outputs, parameters, derivatives, own)
    elif derivatives:
        recursion, *options = DIFFERENTIATED.get(what) or recursion_of(what)
        bound = _tangents(model, parameters)(recursion, derivatives, *options)
    elif on_cells and (what == "inverse_mass_matrix" or (what == "mass_matrix" and not rows_quickly_made(model.tree))):
        bound = _tangents(model, parameters)(MATRICES[what], ())
        results = dict.fromkeys(outputs, "dy_dx")
    else:
        bound = BoundProgram(*_values(model, what, parameters, own))

    def source() -> Any:
        return traced(model, what, parameters, derivatives, frames=own or None)

    name = f"{what} of {model.name!r}"
    return CompiledFunction(name, bound, outputs, threads=threads, source=source, results=results)


def _tangents(model: Model, parameters: Sequence[str]) -> Tangents:
    """The recursions of a tree with their derivatives."""
    own = model.evaluation.tangents
    return Tangents(parametrized(model, parameters)) if parameters or own is None else own


def _values(model: Model, what: str, parameters: Sequence[str], frames: Sequence[str]) -> tuple[Any, Numbers]:
    """A program without derivatives, and the numbers that it loads."""
    operations = estimated_operations(model.tree, model.flex) * (4 if what == "rk4" else 1)
    if what in SQUARES:
        operations += ROW_STEP * row_steps(model.tree)
    closes, rows = FUNCTIONS[what].solves, 0 if model.loops is None else len(model.loops.arrays.row_kind)
    long = operations <= VALUES and not (closes and rows > WRITTEN_OUT)
    if long or not made_by_recursion(model, what, frames):
        return function_program(model, what, parameters, frames, largest=LONG if long else LARGE)
    structure = parametrized(model, parameters)
    recursion, *options = recursion_of(what)
    return program(structure, structure.digest(), recursion, *options), structure.numbers.values()


def _recorded_derivatives(
    model: Model,
    what: str,
    inputs: dict[str, int],
    outputs: dict[str, tuple[int, ...]],
    parameters: Sequence[str],
    derivatives: Sequence[str],
    frames: Sequence[str],
) -> Computed:
    """A function that closes loops or is about frames, with derivatives.

    Those of accelerations are those of the equations that they solve, see `closed_slopes`; by parameters, and of other
    functions, the tangents of all that is computed.
    """
    sizes = {name: int(np.prod(shape)) for name, shape in outputs.items()}
    weight = model.estimated_operations * (1 + len(derivatives) * model.nv)
    _, values = signature(model, what, parameters, (), frames)
    if what == "forward_dynamics" and not (parameters or frames) and model.evaluation.tangents is not None:

        def solved(q: Numbers, v: Numbers, tau: Numbers) -> list[Numbers]:
            assert model.loops is not None
            slopes = model.loops.derivatives(q, v, tau, model.none_prescribed)
            parts = np.split(slopes.a_slopes, [model.nq, model.nq + model.nv], axis=-1)
            by = dict(zip(inputs, parts, strict=True))
            if "q" in derivatives:
                by["q"] = by["q"] @ model.tangent(q)
            return [slopes.a, *(by[name] for name in derivatives)]

        return Computed(inputs, sizes, weight, solved)
    made = RecordedTangents(function_program(model, what, parameters, frames, straight=True), derivatives, [*values])

    def differentiated(q: Numbers, *others: Numbers) -> list[Numbers]:
        found = made(q, *others)
        return [found[name] @ model.tangent(q) if name.endswith("_dq") else found[name] for name in outputs]

    return Computed(inputs, sizes, weight, differentiated)


def _inverse_with_derivatives(
    model: Model,
    inputs: dict[str, int],
    outputs: dict[str, tuple[int, ...]],
    parameters: Sequence[str],
    derivatives: Sequence[str],
) -> Computed:
    """W = M^-1 and dW = -W dM W."""
    recursion, *options = DIFFERENTIATED["inverse_mass_matrix"]
    tangents, n = _tangents(model, parameters), model.nv
    bound, inverse = tangents(recursion, derivatives, *options), tangents("inverse_mass_matrix", ())

    def inverted(*arrays: Numbers) -> list[Numbers]:
        found, W = bound.by_name(arrays), inverse.by_name(arrays)["dy_dx"]
        results = [W]
        for by in derivatives:
            dM = np.moveaxis(found[f"dM_d{by}"].reshape(len(W), n, n, -1), -1, 1)
            results.append(np.moveaxis(-(W[:, None] @ dM @ W[:, None]), 1, -1))
        return results

    sizes = {name: int(np.prod(shape)) for name, shape in outputs.items()}
    return Computed(inputs, sizes, bound.weight, inverted)
