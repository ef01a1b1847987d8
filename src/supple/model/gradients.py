"""Gradients of weighted sums of a model's results, in reverse: by all arguments and all parameters at once.

The cost is a few times that of the function, however many parameters there are: what optimization asks for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from supple.call_checks import checked
from supple.engines.blocks.adjoint_program import ALL_NUMBERS, AdjointProgram, BoundAdjoints
from supple.engines.blocks.block_program import Program
from supple.engines.blocks.block_recorder import recording
from supple.engines.blocks.program_cache import PROGRAMS
from supple.engines.llvm.batches import CORES
from supple.errors import StateError, nearest
from supple.expressions.derivatives import jacobian
from supple.expressions.function import Function
from supple.expressions.graph import Expr, Graph
from supple.model.loops.constraint_slopes import rates_and_forces
from supple.model.number_arrays import flat, folded
from supple.model.parameters import plain_symbols
from supple.model.programs import RECURSIONS, Ends, ModelStructure, RecursionRecording, recorded
from supple.model.recorded_trace import RecordedTrace, recorded_program
from supple.model.symbolic_tree import symbolic_tree
from supple.model.traced_functions import signature
from supple.recursions import articulated, kinematics, newton_euler
from supple.recursions.states import Actuation, States

if TYPE_CHECKING:
    from supple.model.model import Model

Numbers = NDArray[np.float64]
RECURSION = {
    "forward_dynamics": "",
    "inverse_dynamics": "inverse_dynamics",
    "bias_forces": "bias_forces",
    "mass_matrix": "mass_matrix",
    "energy": "energies",
    "derivative": "rates",
}
"""Functions that have gradients, and the recursions that they are; accelerations solve one."""
VALUE, WEIGHTS, MU = "value", "weights", "mu"


@checked
class Gradients:
    """The gradients of one function of a model.

    Parameters
    ----------
    model : Model
    what : str
        One of `RECURSION`.
    parameters : sequence of str
        See `parameter_names`.
    """

    def __init__(self, model: Model, what: str, parameters: Sequence[str]) -> None:
        if what not in RECURSION:
            raise StateError(f"gradient: no function {what!r}{nearest(what, RECURSION)}")
        if model.evaluation.programs is None:
            raise StateError(f"model {model.name!r}: gradient: the model is too large to be recorded as blocks")
        self._model, self.what = model, what
        self.inputs, shapes = signature(model, what)
        ((_, shape),) = shapes.items()
        self.size = int(np.prod(shape))
        self._parameters = parameter_slopes(model, parameters) if parameters else None
        self._closed = model.loops is not None and what == "forward_dynamics"
        program, numbers = balance_sum(model) if self._closed else weighted_sum(model, what)
        names, passive = [x for x in self.inputs if x != "tau"], tuple(x for x in program.outputs if x != VALUE)
        count = len(numbers) if parameters else 0
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
        by, by_numbers = self._closed_gradients(*rows) if self._closed else self._tree_gradients(rows)
        by["q"] = np.einsum("si,sij->sj", by["q"], self._model.tangent(rows[0]))
        if self._parameters is not None:
            at, slopes = self._parameters
            by["parameters"] = by_numbers[:, at] @ slopes
        return {name: x.reshape((*shape, x.shape[-1])) for name, x in by.items()}

    def _tree_gradients(self, rows: Sequence[Numbers]) -> tuple[dict[str, Numbers], Numbers]:
        """Gradients by the arguments, and by all numbers if there are parameters."""
        held, found = self._bound.gradients(rows, CORES)
        by = {name: held[MU] if name == "tau" else found[name][..., 0] for name in self.inputs}
        return by, found[ALL_NUMBERS][..., 0] if self._parameters is not None else np.zeros((len(rows[0]), 0))

    def _closed_gradients(self, q: Numbers, v: Numbers, tau: Numbers, w: Numbers) -> tuple[dict[str, Numbers], Numbers]:
        """The same of accelerations of a closed model: sums over the equations that they solve."""
        loops = self._model.loops
        assert loops is not None
        equations = loops.derivatives.weights(q, v, tau, w)
        by, by_numbers = self._tree_gradients(equations.inputs)
        total = {name: np.zeros((len(q), x.shape[1])) for name, x in (by | {"": by_numbers}).items()}
        for name, x in (by | {"": by_numbers}).items():
            np.add.at(total[name], equations.state, x)
        by_numbers = total.pop("")
        return total | {"tau": equations.mu}, by_numbers


def adjoint_program(program: Program, by: tuple[str, ...], numbers: int, passive: tuple[str, ...]) -> AdjointProgram:
    """The program of a weighted sum with its gradient by some inputs, and by numbers that it loads."""
    key = "gradient", program, by, numbers, passive
    return PROGRAMS.get(key, lambda: AdjointProgram(program, [VALUE], by, numbers, passive))


def weighted_sum(model: Model, what: str) -> tuple[Program, Numbers]:
    """A recursion of a tree as a program for the weighted sum of its results, and its numbers."""
    structure = ModelStructure(model.tree, model.flex, model.nq)

    def make() -> Program:
        r = RecursionRecording(structure)
        with recording(r.recorder):
            if what == "forward_dynamics":
                out, weights, kept = accelerations_balance(r)
            else:
                RECURSIONS[RECURSION[what]](r, *((False, False) if what == "inverse_dynamics" else ()))
                ((_, out),) = r.outputs.items()
                weights, kept = r.input(WEIGHTS, out.size), {}
            value = r.output(VALUE, 1)
            for i, place in enumerate(np.ndindex(*out.shape)):
                value[0, 0] = value[0, 0] + weights[0, i] * out[place]
                r.recorder.cut()
            r.outputs = {VALUE: value, **kept}
            made = r.program()
        r.recorder.release()
        return made

    return PROGRAMS.stored(Program, (structure.digest(), "gradient", what), make), structure.numbers.values()


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
