"""Functions of a model compiled to machine code: `Model.compile`.

Values are recorded node by node, in blocks that are long and fast. What would take long to record so (large chains) is
recorded body by body, in blocks that bodies and models share.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from supple.engines.blocks.block_program import Bound
from supple.engines.blocks.block_recorder import LARGE
from supple.engines.blocks.compiled_function import LONG, CompiledFunction, Computed, Runnable
from supple.engines.llvm.batches import Numbers
from supple.model.looped_closures import WRITTEN_OUT
from supple.model.parameter_arrays import ParameterArrays
from supple.model.program_sizes import row_steps, rows_quickly_made
from supple.model.programs import Ends, ModelStructure, program
from supple.model.recorded_tangents import RecordedTangents
from supple.model.recorded_trace import RecordedTrace, parametrized_program
from supple.model.step_formulas import STEPS
from supple.model.tangents import Tangents
from supple.model.traced_functions import signature, traced, traced_outputs
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
RECURSION_OF: dict[str, tuple[Any, ...]] = {
    "forward_dynamics": ("forward_dynamics",),
    "inverse_dynamics": ("inverse_dynamics", False, False),
    "bias_forces": ("bias_forces",),
    "mass_matrix": ("mass_matrix",),
    "kinematics": ("body_poses",),
    "energy": ("energies",),
    "sums": ("sums",),
    "derivative": ("rates",),
    "rk4": ("rk4",),
    "semi_implicit_euler": ("semi_implicit_euler",),
    "leapfrog": ("leapfrog",),
}
"""The recursion of each function of a tree, and its options."""
DIFFERENTIATED: dict[str, tuple[Any, ...]] = RECURSION_OF | {
    "forward_dynamics": ("accelerations",),
    "inverse_mass_matrix": ("mass_matrix",),
}
"""The same where it is differentiated."""
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
    model: Model, what: str, parameters: Sequence[str], derivatives: Sequence[str], threads: int | None
) -> CompiledFunction:
    """Compile a function of a model.

    Parameters
    ----------
    model : Model
    what : str
        One of `TRACEABLE`.
    parameters : sequence of str
        Numbers that are one more input.
    derivatives : sequence of str
        Inputs by which the outputs are differentiated too.
    threads : int, optional
    """
    inputs, outputs = signature(model, what, parameters, derivatives)
    results: dict[str, str] = {}
    bound: Runnable
    if derivatives and what == "inverse_mass_matrix":
        bound = _inverse_with_derivatives(model, inputs, outputs, parameters, derivatives)
    elif derivatives and moves_loops(model, what):
        bound = _closed_derivatives(model, what, inputs, outputs, parameters, derivatives)
    elif derivatives:
        recursion, *options = DIFFERENTIATED[what]
        bound = _tangents(model, parameters)(recursion, derivatives, *options)
    elif what == "inverse_mass_matrix" or (what == "mass_matrix" and not rows_quickly_made(model.tree)):
        bound = _tangents(model, parameters)(MATRICES[what], ())
        results = dict.fromkeys(outputs, "dy_dx")
    else:
        bound = Bound(*_values(model, what, list(inputs), parameters))

    def source() -> Any:
        return traced(model, what, parameters, derivatives)

    name = f"{what} of {model.name!r}"
    return CompiledFunction(name, bound, outputs, threads=threads, source=source, results=results)


def moves_loops(model: Model, what: str) -> bool:
    """Whether a function finds the forces that close loops."""
    return model.loops is not None and (what == "forward_dynamics" or what in STEPS)


def _structure(model: Model, parameters: Sequence[str]) -> ModelStructure:
    """The structure of a model of which some numbers are inputs."""
    arrays = ParameterArrays(model, parameters) if parameters else None
    return ModelStructure(model.tree, model.flex, model.nq, parameters=arrays)


def _tangents(model: Model, parameters: Sequence[str]) -> Tangents:
    """The recursions of a tree with their derivatives."""
    own = model.evaluation.tangents
    return Tangents(_structure(model, parameters)) if parameters or own is None else own


def _values(model: Model, what: str, inputs: Sequence[str], parameters: Sequence[str]) -> tuple[Any, Numbers]:
    """A program without derivatives, and the numbers that it loads."""
    operations = estimated_operations(model.tree, model.flex) * (4 if what == "rk4" else 1)
    if what == "mass_matrix":
        operations += ROW_STEP * row_steps(model.tree)
    closes, rows = moves_loops(model, what), 0 if model.loops is None else len(model.loops.arrays.row_kind)
    long = operations <= VALUES and not (closes and rows > WRITTEN_OUT)
    if long or closes:
        return _recorded(model, what, inputs, parameters, LONG if long else LARGE)
    structure = _structure(model, parameters)
    recursion, *options = RECURSION_OF[what]
    return program(structure, structure.digest(), recursion, *options), structure.numbers.values()


def _recorded(
    model: Model, what: str, inputs: Sequence[str], parameters: Sequence[str], largest: int, straight: bool = False
) -> tuple[Any, Numbers]:
    """A function recorded node by node."""

    def make(t: RecordedTrace) -> Ends:
        t.graph.straight = straight
        dt = t.graph.new_inputs("", ["dt"])
        leaves: dict[str, Any] = {"q": t.q, "v": t.v, "tau": t.tau, "a": t.a, "dt": dt}
        if t.parameters:
            leaves["parameters"] = np.array(list(t.parameters.values()), dtype=object)
        return {name: leaves[name] for name in inputs}, traced_outputs(t, what, dt[0])

    return parametrized_program(model, parameters, ("compiled", what, straight), make, largest)


def _closed_derivatives(
    model: Model,
    what: str,
    inputs: dict[str, int],
    outputs: dict[str, tuple[int, ...]],
    parameters: Sequence[str],
    derivatives: Sequence[str],
) -> Computed:
    """A function that closes loops, with derivatives.

    Those of accelerations are those of the equations that they solve, see `closed_slopes`; by parameters, and of steps,
    the tangents of all that is computed.
    """
    sizes = {name: int(np.prod(shape)) for name, shape in outputs.items()}
    weight = model.estimated_operations * (1 + len(derivatives) * model.nv)
    values = [name for name in outputs if not any(name.endswith(f"_d{by}") for by in derivatives)]
    if what == "forward_dynamics" and not parameters and model.evaluation.tangents is not None:

        def solved(q: Numbers, v: Numbers, tau: Numbers) -> list[Numbers]:
            assert model.loops is not None
            slopes = model.loops.derivatives(q, v, tau, model.none_prescribed)
            parts = np.split(slopes.a_slopes, [model.nq, model.nq + model.nv], axis=-1)
            by = dict(zip(inputs, parts, strict=True))
            if "q" in derivatives:
                by["q"] = by["q"] @ model.tangent(q)
            return [slopes.a, *(by[name] for name in derivatives)]

        return Computed(inputs, sizes, weight, solved)
    made = RecordedTangents(_recorded(model, what, list(inputs), parameters, LARGE, True), derivatives, values)

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
