"""Gradients of weighted sums of a model's results, in reverse: by all arguments and all parameters at once.

The cost is a few times that of the function, however many parameters there are: what optimization asks for.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from supple.call_checks import checked
from supple.engines.blocks.adjoint_program import ALL_NUMBERS, AdjointProgram, BoundAdjoints
from supple.engines.blocks.block_program import Program
from supple.engines.blocks.block_recorder import recording
from supple.engines.blocks.lifted_program import lifted_program
from supple.engines.blocks.program_cache import PROGRAMS
from supple.engines.llvm.batches import CORES
from supple.errors import StateError
from supple.expressions.derivatives import jacobian
from supple.expressions.function import Function, Nodes
from supple.expressions.graph import Expr, Graph
from supple.model.functions.holes import require_made
from supple.model.functions.recorded import ends, groups
from supple.model.functions.recursions import BY_FORMULA, made_by_recursion, parametrized, recursion_of
from supple.model.functions.table import FUNCTIONS, chosen_frames, signature
from supple.model.loops.constraint_slopes import rates_and_forces
from supple.model.number_arrays import flat, folded
from supple.model.parameters import plain_symbols
from supple.model.programs import RECURSIONS, Ends, RecursionRecording, recorded
from supple.model.recorded_trace import LIMIT, RecordedTrace, parametrized_program, recorded_program
from supple.model.symbolic_tree import symbolic_tree
from supple.model.traced_functions import traced
from supple.recursions import articulated, kinematics, newton_euler
from supple.recursions.states import Actuation, States

if TYPE_CHECKING:
    from supple.model.model import Model

Numbers = NDArray[np.float64]
VALUE, WEIGHTS, MU = "value", "weights", "mu"


@checked
class Gradients:
    """The gradients of one function of a model.

    Parameters
    ----------
    model : Model
    what : str
        A name of the table of functions.
    parameters : sequence of str
        See `parameter_names`.
    frames : sequence of str, optional
        As for `Model.compile`.
    as_arguments : bool
        Whether the parameters are one more argument; else they have the values of the model.

    Attributes
    ----------
    inputs : dict of str to int
        Names and lengths of the arguments.
    size : int
        Number of weights: of the entries of all outputs, one after the other.
    """

    def __init__(
        self,
        model: Model,
        what: str,
        parameters: Sequence[str] = (),
        frames: Sequence[str] | None = None,
        as_arguments: bool = False,
    ) -> None:
        own = chosen_frames(model, what, frames)
        require_made(model, what, "gradient")
        if model.evaluation.programs is None:
            raise StateError(f"model {model.name!r}: gradient: the model is too large to be recorded as blocks")
        self._model, self.what = model, what
        self.inputs, shapes = signature(model, what, parameters if as_arguments else (), (), own)
        self.size = sum(math.prod(shape) for shape in shapes.values())
        self._parameters: ParameterSlopes | None = None
        self._values: dict[str, Numbers] = {}
        self._closed = model.loops is not None and what == "forward_dynamics" and not own and not as_arguments
        on_cells = made_by_recursion(model, what, own) and what not in BY_FORMULA
        if self._closed:
            program, numbers = balance_sum(model)
        elif on_cells:
            program, numbers = weighted_sum(model, what, parameters if as_arguments else ())
        else:
            program, numbers = formula_sum(model, what, parameters, own)
        if parameters and (self._closed or on_cells) and not as_arguments:
            self._parameters = parameter_slopes(model, parameters)
        elif parameters and not as_arguments:
            self._values["parameters"] = np.array([list(plain_symbols(model, parameters).values.values())])
        taken = [x for x in (*self.inputs, *self._values) if x in program.inputs]
        names, passive = [x for x in taken if MU not in program.outputs or x != "tau"], outputs_besides(program)
        count = len(numbers) if self._parameters is not None else 0
        self._bound = BoundAdjoints(adjoint_program(program, tuple(names), count, passive), numbers)

    def __call__(self, *inputs: ArrayLike, weights: ArrayLike) -> dict[str, Numbers]:
        """Gradients (..., n) by the names of the arguments, and by "parameters"."""
        if len(inputs) != len(self.inputs):
            raise StateError(f"gradient of {self.what}: expected {list(self.inputs)}, got {len(inputs)} arguments")
        parts = dict(zip(self.inputs.items(), inputs, strict=True))
        given = {name: (x, size) for (name, size), x in parts.items()}
        rows, shape, dtype = self._model.batch(**given, weights=(weights, self.size))
        if dtype != np.float64:
            raise StateError(f"model {self._model.name!r}: gradient: expected real states, got complex numbers")
        by, by_numbers = self._closed_gradients(*rows) if self._closed else self._gradients(rows)
        if "q" in by:
            by["q"] = np.einsum("si,sij->sj", by["q"], self._model.tangent(rows[0]))
        if self._parameters is not None:
            at, slopes = self._parameters
            by["parameters"] = by_numbers[:, at] @ slopes
        return {name: x.reshape((*shape, x.shape[-1])) for name, x in by.items()}

    def _gradients(self, rows: Sequence[Numbers]) -> tuple[dict[str, Numbers], Numbers]:
        """Gradients by the arguments, and by all numbers if there are parameters."""
        states = len(rows[0])
        known = dict(zip((*self.inputs, WEIGHTS), rows, strict=True))
        known |= {name: np.repeat(x, states, axis=0) for name, x in self._values.items()}
        return self._swept([known[name] for name in self._bound.program.program.inputs], states)

    def _swept(self, rows: Sequence[Numbers], states: int) -> tuple[dict[str, Numbers], Numbers]:
        """The same from the inputs of the program."""
        held, found = self._bound.gradients(rows, CORES)
        by = {}
        for name, size in (self.inputs | {name: x.shape[1] for name, x in self._values.items()}).items():
            none = np.zeros((states, size))
            by[name] = held[MU] if name == "tau" and MU in held else found[name][..., 0] if name in found else none
        return by, found[ALL_NUMBERS][..., 0] if self._parameters is not None else np.zeros((states, 0))

    def _closed_gradients(self, q: Numbers, v: Numbers, tau: Numbers, w: Numbers) -> tuple[dict[str, Numbers], Numbers]:
        """The same of accelerations of a closed model: sums over the equations that they solve."""
        loops = self._model.loops
        assert loops is not None
        equations = loops.derivatives.weights(q, v, tau, w)
        by, by_numbers = self._swept(equations.inputs, len(equations.inputs[0]))
        total = {name: np.zeros((len(q), x.shape[1])) for name, x in (by | {"": by_numbers}).items()}
        for name, x in (by | {"": by_numbers}).items():
            np.add.at(total[name], equations.state, x)
        by_numbers = total.pop("")
        return total | {"tau": equations.mu}, by_numbers


def outputs_besides(program: Program) -> tuple[str, ...]:
    """The outputs of a program that are held, besides the weighted sum."""
    return tuple(x for x in program.outputs if x != VALUE)


def adjoint_program(program: Program, by: tuple[str, ...], numbers: int, passive: tuple[str, ...]) -> AdjointProgram:
    """The program of a weighted sum with its gradient by some inputs, and by numbers that it loads."""
    key = "gradient", program, by, numbers, passive
    return PROGRAMS.get(key, lambda: AdjointProgram(program, [VALUE], by, numbers, passive))


def weighted_sum(model: Model, what: str, parameters: Sequence[str] = ()) -> tuple[Program, Numbers]:
    """A recursion of a tree as a program for the weighted sum of its results, and its numbers."""
    structure = parametrized(model, parameters)

    def make() -> Program:
        r = RecursionRecording(structure)
        with recording(r.recorder):
            if what == "forward_dynamics":
                force, weights, kept = accelerations_balance(r)
                results = [force]
            else:
                recursion, *options = recursion_of(what)
                RECURSIONS[recursion](r, *options)
                results = [r.outputs[x.name] for x in FUNCTIONS[what].outputs]
                weights, kept = r.input(WEIGHTS, sum(x.size for x in results)), {}
            value, i = r.output(VALUE, 1), 0
            for out in results:
                for place in np.ndindex(*out.shape):
                    value[0, 0] = value[0, 0] + weights[0, i] * out[place if len(place) > 1 else place[0]]
                    i += 1
                    r.recorder.cut()
            r.outputs = {VALUE: value, **kept}
            made = r.program()
        r.recorder.release()
        return made

    return PROGRAMS.stored(Program, (structure.digest(), "gradient", what), make), structure.numbers.values()


def formula_sum(model: Model, what: str, parameters: Sequence[str], frames: Sequence[str]) -> tuple[Program, Numbers]:
    """A function on nodes as a program for the weighted sum of its results, and its numbers."""

    def weighed(graph: Graph, outputs: Mapping[str, Nodes]) -> Ends:
        results = np.concatenate([np.ravel(x) for x in outputs.values()])
        weights = graph.new_inputs(WEIGHTS, map(str, range(len(results))))
        return {WEIGHTS: weights}, {VALUE: np.array([graph.node(weights @ results)], dtype=object)}

    def make(t: RecordedTrace) -> Ends:
        t.graph.straight = True
        inputs, outputs = ends(t, what, frames)
        weights, value = weighed(t.graph, outputs)
        return {**inputs, **weights}, value

    if FUNCTIONS[what].differentiates:
        f = traced(model, what, parameters, (), 20 * LIMIT, frames or None)
        weights, value = weighed(f.graph, f.outputs)
        return lifted_program(Function(what, f.graph, {**f.inputs, **weights}, value))
    return parametrized_program(model, parameters, ("gradient", what), make, groups(model, frames))


def accelerations_balance(r: RecursionRecording) -> tuple[Any, Any, dict[str, Any]]:
    """Inverse dynamics at the accelerations found, its weights -mu, and what is held: a, mu and -mu.

    w . da = mu . (dtau - d(inverse dynamics) at fixed a) with mu = M^-1 w: its gradient is cheaper than one through
    the recursion that finds the accelerations.
    """
    (q, v), none = r.state(), (False,) * r.nv
    tau, w, a, mu = r.input("tau", r.nv), r.input(WEIGHTS, r.nv), r.output("a", r.nv), r.output(MU, r.nv)
    actuation = Actuation(tau[0], none, r.wrench(False)[0])  # type: ignore[arg-type]
    recorded(kinematics.ground_acceleration)(-1.0, r.tree, r.ws)
    recorded(articulated.articulate)(r.tree, r.flex, States(q[0], v[0]), actuation, r.ws, a[0])
    recorded(newton_euler.at_rest)(r.flex, r.ws)
    recorded(articulated.inverse_mass_times)(r.tree, r.flex, w[0], none, r.ws, mu[0])
    opposite, force = r.output("opposite", r.nv), r.output("force", r.nv)
    for i in range(r.nv):
        opposite[0, i] = -mu[0, i]
    r.recorder.end()
    out: Any = newton_euler.Forces(force, ())  # type: ignore[arg-type]
    recorded(newton_euler.inverse_dynamics)(r.tree, r.flex, States(q, v), a, r.wrench(False), r.fresh(), out)
    return force, opposite, {"a": a, MU: mu, "opposite": opposite}


def balance_sum(model: Model) -> tuple[Program, Numbers]:
    """The equations of a closed model as a program for their weighted sum, and its numbers.

    The gradient of accelerations that solve equations is one of the equations, with other weights: much less work than
    through the articulated inertias and the Delassus matrix.
    """

    def make(t: RecordedTrace, _: Mapping[str, Any]) -> Ends:
        inputs, outputs = rates_and_forces(t, {})
        mu = t.graph.new_inputs("mu", model.speeds)
        nu = t.graph.new_inputs("nu", map(str, range(len(inputs["force"]))))
        balance = t.inverse_dynamics(t.q, t.v, t.a) - outputs["pull"]
        value = -(mu @ balance + nu @ outputs["acceleration"])
        found = {VALUE: np.array([t.graph.node(value)], dtype=object), MU: mu}
        return {**inputs, "mu": mu, "nu": nu}, found

    return recorded_program(model, ("balance",), make, {})


class ParameterSlopes(NamedTuple):
    """Places (n,) among the numbers that blocks load, and how these change with parameters (n, parameters)."""

    places: NDArray[np.intp]
    slopes: Numbers


def parameter_slopes(model: Model, parameters: Sequence[str]) -> ParameterSlopes:
    """How a model's numbers change with parameters.

    Raises
    ------
    StateError
        If a number is zero that a parameter would change: zeros belong to the structure.
    """
    found, fixed = number_slopes(model, parameters)
    moved = (found.slopes != 0.0)[fixed].any(axis=0)
    if moved.any():
        name = parameters[int(moved.argmax())]
        raise StateError(
            f"model {model.name!r}: gradient: {name!r} changes a number that is zero, or a direction, which belongs to "
            "the structure; give it a value that is not zero"
        )
    return found


def number_slopes(model: Model, parameters: Sequence[str]) -> tuple[ParameterSlopes, NDArray[np.bool_]]:
    """The same, and which of these numbers (n,) belong to the structure."""
    graph, symbols = Graph(), plain_symbols(model, parameters)
    nodes = symbols.nodes(graph)
    places, entries, fixed, first = list[int](), list[Expr](), list[bool](), 0
    numbers = dict(flat(model.tree))
    for name, x in flat(symbolic_tree(model, nodes)):
        if numbers[name].dtype.kind == "f":
            own = [(i, e) for i, e in enumerate(x.flat) if isinstance(e, Expr)]
            places += [first + i for i, _ in own]
            entries += [e for _, e in own]
            fixed += [numbers[name].flat[i] in folded(name) for i, _ in own]
            first += numbers[name].size
    leaves = np.array([nodes[name] for name in parameters], dtype=object)
    slopes = jacobian(np.array(entries, dtype=object), leaves)
    d = Function("slopes", graph, {"p": leaves}, {"d": slopes}).evaluate(p=list(symbols.values.values()))["d"]
    return ParameterSlopes(np.array(places, dtype=np.intp), d), np.array(fixed, dtype=bool)
