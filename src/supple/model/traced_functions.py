"""The functions of the table as graphs: inputs, outputs and derivatives on the nodes of a trace."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from supple.call_checks import checked
from supple.expressions.function import Function, Nodes
from supple.model.functions.derivative_rules import derivative
from supple.model.functions.frames_on_nodes import NodeFrames
from supple.model.functions.holes import require_made
from supple.model.functions.table import FUNCTIONS, chosen_frames, signature
from supple.model.functions.values import Values
from supple.model.trace import Trace

if TYPE_CHECKING:
    from supple.model.model import Model


@checked
def traced(
    model: Model,
    what: str,
    parameters: Sequence[str] = (),
    derivatives: Sequence[str] = (),
    limit: float = math.inf,
    frames: Sequence[str] | None = None,
) -> Function:
    """One of the model's functions as a graph.

    Parameters
    ----------
    model : Model
    what : str
        A name of the table of functions, `supple.model.functions.table`.
    parameters : sequence of str
        What stays symbolic, see `parameter_names`.
    derivatives : sequence of str
        Inputs by which the outputs are differentiated as well ("parameters" are one); by q in the directions of the
        speeds, dq = S x, as `Model.linearize` has it.
    limit : int
        Most nodes there may be.
    frames : sequence of str, optional
        The frames of functions about frames, by default all bodies. For dynamics frames at which wrenches act, which
        are one more input.
    """
    own = chosen_frames(model, what, frames)
    require_made(model, what, "graph")
    return traced_on(Trace(model, parameters, limit), what, parameters, derivatives, own)


def traced_on(
    t: Any, what: str, parameters: Sequence[str] = (), derivatives: Sequence[str] = (), frames: Sequence[str] = ()
) -> Function:
    """The same on a trace of any formulation."""
    lengths, shapes = signature(t.model, what, parameters, derivatives, frames)
    x = inputs_on(t, lengths, frames)
    outputs = traced_outputs(t, what, x)
    for name, nodes in list(outputs.items()):
        for by in derivatives:
            outputs[f"d{name}_d{by}"] = derivative(t, what, x, nodes, by)
    arguments = {name: x.leaves(name) for name in lengths}
    purpose = FUNCTIONS[what].purpose
    wanted = {name: outputs[name] for name in shapes}
    return Function(what, t.graph, arguments, wanted, purpose=purpose[0].lower() + purpose[1:])


def inputs_on(t: Any, lengths: Mapping[str, int], frames: Sequence[str] = ()) -> Values:
    """The inputs of a function on a trace, by their lengths: leaves that it has, or new ones."""
    known: dict[str, Nodes] = {"q": t.q, "v": t.v, "tau": t.tau, "a": t.a}
    inputs: dict[str, Nodes] = {}
    for name, n in lengths.items():
        if name == "dt":
            inputs[name] = t.graph.new_inputs("", ["dt"])
        elif name != "parameters":
            inputs[name] = known[name] if name in known else t.graph.new_inputs(name, map(str, range(n)))
    parameters = np.array(list(t.parameters.values()), dtype=object)
    return Values(inputs, t.q, t.v, t.a, t.tau, NodeFrames(t, frames) if len(frames) else None, parameters)


def traced_outputs(t: Any, what: str, x: Values) -> dict[str, Nodes]:
    """The outputs of a function by name, on the nodes of a trace."""
    function = FUNCTIONS[what]
    found = function.formula(t, x)
    return dict(zip((y.name for y in function.outputs), found, strict=True))
