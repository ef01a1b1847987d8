"""A program with gradients: values once, then weights of all cells from the last block to the first.

One number costs a few times its value, by however many inputs and numbers of the model it is differentiated. The
drivers and the machinery are those of tangents: a direction is one entry of an output whose gradient is taken.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from supple.engines.blocks.adjoint_blocks import AdjointForm, adjoint, weighed_backwards
from supple.engines.blocks.block_program import Program
from supple.engines.blocks.block_recorder import NUMBERS
from supple.engines.blocks.blocks import Instance
from supple.engines.blocks.driven_code import Numbers
from supple.engines.blocks.loaded_tangents import Jacobian
from supple.engines.blocks.sensitivity import Needed
from supple.engines.blocks.tangent_blocks import LinearBlock, TangentBlock
from supple.engines.blocks.tangent_groups import Group, Pass, Visit, taped
from supple.engines.blocks.tangent_program import BoundTangents, TangentProgram

ALL_NUMBERS = "numbers"
"""The name of the numbers that a program loads, as something by which is differentiated."""


class AdjointAnalysis:
    """What a pass backwards needs of a program.

    Parameters
    ----------
    program : Program
    linear : mapping
        Its blocks by name.
    own : Pass
        The entries of `seeds` are what is differentiated, `results` what by; the numbers follow after all cells.
    """

    def __init__(self, program: Program, linear: Mapping[str, LinearBlock], own: Pass) -> None:
        self.own, self._program, self._linear = own, program, linear
        self._numbers = ALL_NUMBERS in own.results
        self._directions = [(name, i) for name, (_, n) in own.seeds.items() for i in range(n)]
        self._moving = self._forward()
        forms, _ = self._backward(self._seed(d) for d in range(len(self._directions)))
        self.needed = [self._needed(n, form) for n, form in forms]

    def groups(self, size: int, tapes: Mapping[int, int], places: Mapping[str, Mapping[int, int]]) -> list[Group]:
        """So many entries at a time, and what is done for them."""
        entries = range(len(self._directions))
        parts = [entries[i : i + size] for i in range(0, len(entries), size)]
        known: dict[tuple[str, AdjointForm], tuple[TangentBlock, list[int]]] = {}
        return [self._group(part, tapes, places, known) for part in parts]

    def _group(
        self,
        part: Sequence[int],
        tapes: Mapping[int, int],
        places: Mapping[str, Mapping[int, int]],
        known: dict[tuple[str, AdjointForm], tuple[TangentBlock, list[int]]],
    ) -> Group:
        seeds = [self._seed(d) for d in part]
        forms, cells = self._backward(seeds)
        visits = []
        for n, form in forms:
            instance = self._program.instances[n]
            name = instance.block.name
            if (name, form) not in known:
                known[name, form] = adjoint(self._linear[name], form, places[name])
            block, slots = known[name, form]
            visits.append(Visit(block, tapes[n], tuple(self._row(instance, slot) for slot in slots)))
        return Group(tuple(self._directions[d] for d in part), tuple(seeds), tuple(visits), frozenset(cells))

    def _seed(self, direction: int) -> int:
        name, i = self._directions[direction]
        return self.own.seeds[name][0] + i

    def _row(self, instance: Instance, slot: int) -> int:
        """The first of the weights of a slot."""
        return instance.rows[slot] + (self._program.cells if instance.block.spaces[slot] == NUMBERS else 0)

    def _forward(self) -> list[list[bool]]:
        """Operations of all instances that move with anything by which is differentiated."""
        cells, passive = {first + i for first, n in self.own.results.values() for i in range(n)}, set(self.own.passive)
        found = []
        for instance in self._program.instances:
            linear, moving = self._linear[instance.block.name], list[bool]()
            for i, operation in enumerate(instance.block.operations):
                if operation[0] == "load":
                    moving.append(self._row(instance, operation[1]) + operation[2] in cells)
                else:
                    moving.append(any(moving[a] for _, a in linear.slopes(i)))
            for slot, place, value in instance.block.stores:
                at = instance.rows[slot] + place
                moves = isinstance(value, int) and moving[value] and at not in passive
                (cells.add if moves else cells.discard)(at)
            found.append(moving)
        return found

    def _backward(self, seeds: Iterable[int]) -> tuple[list[tuple[int, AdjointForm]], set[int]]:
        """Instances that have weights, the last first, with their forms; and the cells that have one at the start."""
        weighed, forms = set(seeds), []
        for n in range(len(self._moving) - 1, -1, -1):
            instance = self._program.instances[n]

            def cell(slot: int, place: int, instance: Instance = instance) -> int:
                return self._row(instance, slot) + place

            linear = self._linear[instance.block.name]
            form = weighed_backwards(linear, instance, self._moving[n], cell, weighed)
            if form.loads:
                forms.append((n, form))
        return forms, weighed

    def _needed(self, n: int, form: AdjointForm) -> Needed:
        operations = np.zeros((len(self._moving[n]), 1), dtype=bool)
        operations[list(form.weighed)] = True
        return Needed(n, operations, np.zeros((0, 1), dtype=bool))


class AdjointProgram(TangentProgram):
    """Outputs of a program and the gradients of some of them.

    Parameters
    ----------
    program : Program
    outputs : sequence of str
        What is differentiated; of each entry a gradient of its own.
    inputs : sequence of str
        By what.
    numbers : int
        How many numbers the program loads, if it is differentiated by these too.
    passive : sequence of str
        Outputs that are taken not to change.

    Attributes
    ----------
    jacobians : dict of Jacobian to tuple of int
        Shapes (by what, entries of the output): gradients are columns.
    """

    def __init__(
        self,
        program: Program,
        outputs: Sequence[str],
        inputs: Sequence[str],
        numbers: int = 0,
        passive: Sequence[str] = (),
    ) -> None:
        results = {name: program.inputs[name] for name in inputs}
        if numbers:
            results[ALL_NUMBERS] = (program.cells, numbers)
        held = [at for name in passive for at in range(program.outputs[name][0], sum(program.outputs[name]))]
        own = Pass({name: program.outputs[name] for name in outputs}, results, passive=held)
        self.program, self.passes, self.matrix = program, (own,), 0
        self.known, self.branches = (), None
        self.jacobians = {
            Jacobian(name, of): (size, count)
            for name, (_, size) in own.results.items()
            for of, (_, count) in own.seeds.items()
        }
        linear = {x.block.name: LinearBlock(x.block) for x in program.instances}
        analysis = AdjointAnalysis(program, linear, own)
        self.analyses = [analysis]
        self.values, self._tapes, self._places = taped(program, linear, analysis.needed)
        self.rows = self.pitch = 0
        self.factors, self.span = self.values.cells, program.cells + numbers
        self.weight = program.weight + sum(int(x.operations.sum()) for x in analysis.needed)
        self._loaded = {}
        self._lock = threading.Lock()


class BoundAdjoints(BoundTangents):
    """A program with its gradients and the numbers of one model."""

    def gradients(self, inputs: Sequence[Numbers], threads: int = 1) -> tuple[dict[str, Numbers], dict[str, Numbers]]:
        """Outputs (s, n), and gradients (s, n, entries) of the one that is differentiated by the names of inputs."""
        found, shapes = iter(self.evaluated(inputs, threads)), self.program.jacobians.items()
        values = {name: next(found) for name in self.program.program.outputs}
        return values, {x.result: next(found).reshape(len(inputs[0]), *shape) for x, shape in shapes}
