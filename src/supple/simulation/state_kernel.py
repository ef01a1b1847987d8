"""A function of time, state and held values in machine code."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from supple.engines.llvm.machine_code import MachineCode
from supple.expressions.function import Function, Nodes
from supple.expressions.graph import GraphTooLarge
from supple.inputs.driven import DrivenEquations
from supple.model.compiled import LARGEST, model_key

if TYPE_CHECKING:
    from supple.simulation.driven_system import DrivenSystem


class StateKernel(MachineCode):
    """One function of (t, y, u) in machine code.

    Parameters
    ----------
    system : DrivenSystem
    what : str
        Its name; with the laws' digest it decides the code.
    shapes : mapping of output name to shape
    make : function
        Gives the outputs as nodes.
    lanes : int, optional
        One for functions that are asked for one state after another.
    extra : mapping of name to names of entries, optional
        Arguments after (t, y, u).
    """

    def __init__(
        self,
        system: DrivenSystem,
        what: str,
        shapes: Mapping[str, tuple[int, ...]],
        make: Callable[[DrivenEquations], Mapping[str, Nodes]],
        lanes: int | None = None,
        extra: Mapping[str, Sequence[str]] | None = None,
    ) -> None:
        more = {key: tuple(names) for key, names in (extra or {}).items()}
        model, name = system.model, what.split()[0]

        def traced() -> Function:
            e = DrivenEquations(model, system.inputs, system.independent)
            for key, names in more.items():
                e.inputs[key] = e.at.graph.new_inputs(key, names)
            function = Function(name, e.at.graph, e.inputs, make(e))
            if len(function.order) > LARGEST:
                raise GraphTooLarge(f"{name} of {model.name!r}: {len(function.order)} nodes")
            return function

        inputs = {"t": 1, "y": system.size, "u": len(system.inputs.held)}
        inputs |= {key: len(names) for key, names in more.items()}
        super().__init__(
            f"{name} of {model.name!r}",
            inputs,
            shapes,
            model_key(model, what, system.digest, more),
            traced,
            weight=model.estimated_operations // 2,
            threads=1,
            lanes=lanes,
        )
