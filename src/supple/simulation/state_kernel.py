"""A function of time, state and held values in machine code, all numbers loaded."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from supple.engines.blocks.block_program import BoundProgram
from supple.engines.blocks.compiled_function import CompiledFunction
from supple.expressions.function import Nodes
from supple.formulations import TracedFormulation
from supple.inputs.driven import DrivenEquations
from supple.inputs.quantities import Quantities
from supple.model.compiled import LIMIT
from supple.model.programs import traced_program

if TYPE_CHECKING:
    from supple.simulation.driven_system import DrivenSystem

LAWS, WRENCHES = "laws", "wrenches"
"""The groups of the laws' numbers, and of the frames at which wrenches act."""
Groups = Mapping[str, Any]
"""Further arrays of numbers by name, or the nodes that load them."""


class StateKernel(CompiledFunction):
    """One function of (t, y, u).

    Parameters
    ----------
    system : DrivenSystem
    what : str
        Its name, and all that decides it beside the structure of model and laws.
    shapes : mapping of output name to shape
    make : function of (DrivenEquations, nodes of `arrays` by name)
        Gives the outputs as nodes.
    lanes : int, optional
        One for functions that are asked for one state after another.
    extra : mapping of name to names of entries, optional
        Arguments after (t, y, u).
    arrays : mapping of name to arrays, optional
        Further numbers that it loads.
    differentiated : bool
        Whether `make` takes derivatives of nodes: then all of them have to be in one graph, which is traced anew for
        other numbers.
    """

    def __init__(
        self,
        system: DrivenSystem,
        what: str,
        shapes: Mapping[str, tuple[int, ...]],
        make: Callable[[DrivenEquations, Groups], Mapping[str, Nodes]],
        lanes: int | None = None,
        extra: Mapping[str, Sequence[str]] | None = None,
        arrays: Groups | None = None,
        differentiated: bool = False,
    ) -> None:
        more = {key: tuple(names) for key, names in (extra or {}).items()}
        laws, model = system.laws_equations, system.model

        def recorded(trace: TracedFormulation, groups: Groups) -> tuple[Mapping[str, Nodes], Mapping[str, Nodes]]:
            def applied(at: Quantities) -> Any:
                return laws.applied(at, lambda i: trace.graph.node(groups[LAWS][i]))

            wrenches = None if differentiated else groups.get(WRENCHES)
            e = DrivenEquations(model, system.inputs, system.independent, trace, applied, wrenches)
            for key, names in more.items():
                e.inputs[key] = trace.graph.new_inputs(key, names)
            outputs = make(e, groups)
            return e.inputs, {name: outputs[name] for name in shapes}

        key = (what, laws.structure, tuple(sorted(system.independent)), tuple(more.items()))
        groups = {LAWS: laws.lifted.numbers, **(arrays or {})}
        if system.inputs.frame_wrenches is not None:
            groups[WRENCHES] = system.inputs.frame_wrenches
        if differentiated:
            program, numbers = traced_program(model.traced(LIMIT), recorded, groups)
        else:
            program, numbers = model.block_program(key, recorded, groups)
        super().__init__(
            f"{what.split()[0]} of {model.name!r}", BoundProgram(program, numbers, lanes), shapes, threads=1
        )

    def giving(self, *names: str, lanes: int | None = None) -> CompiledFunction:
        """A function that gives some of the outputs only, by the same machine code."""
        shapes = {name: self.outputs[name] for name in names}
        bound = BoundProgram(self.program.giving(names), self.numbers, lanes)
        return CompiledFunction(self.name, bound, shapes, threads=1)
