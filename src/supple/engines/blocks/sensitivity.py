"""Which operations of a program change along which directions, and whose changes somebody needs.

Sets of directions are the bits of whole numbers: one pass forward and one back serve all directions. What does not
change has no tangent, so a cell is read only where something was written there before: nothing has to be cleared.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from supple.engines.blocks.block_recorder import MEMORY
from supple.engines.blocks.blocks import Instance
from supple.engines.blocks.tangent_blocks import LinearBlock

Bits = int


class Needed(NamedTuple):
    """Of one instance: (operations, directions) and (stores, directions), where changes are needed."""

    number: int
    operations: NDArray[np.bool_]
    stores: NDArray[np.bool_]


class Sensitivity:
    """The analysis of one program.

    Parameters
    ----------
    instances : sequence of Instance
    linear : mapping
        The blocks by name.
    alias : mapping of int to int
        Cells whose changes are those of other cells.
    passive : set of int
        Cells that are taken not to change.
    """

    def __init__(
        self,
        instances: Sequence[Instance],
        linear: Mapping[str, LinearBlock],
        alias: Mapping[int, int],
        passive: frozenset[int],
    ) -> None:
        self._instances, self._linear, self._alias, self._passive = instances, linear, alias, passive

    def cell(self, at: int) -> int:
        """Where the changes of a cell are."""
        return self._alias.get(at, at)

    def needed(self, seeds: Sequence[int], wanted: Mapping[int, Bits]) -> tuple[list[Needed], dict[int, Bits]]:
        """Of the instances in order, those left out that no direction moves or whose results nobody needs.

        And the wanted cells that change, with the directions that move them: also what a direction moves itself.

        Parameters
        ----------
        seeds : sequence of int
            The cell that each direction moves.
        wanted : mapping
            Cells whose changes are read afterwards, with the directions whose changes are.
        """
        outputs = [self.cell(at) for at in wanted]
        relevant = self._relevant(outputs)
        active: dict[int, Bits] = {at: 1 << n for n, at in enumerate(seeds)}
        moved = {n: self._forward(self._instances[n], active) for n in relevant}
        live = {at: active.get(at, 0) & bits for at, bits in zip(outputs, wanted.values(), strict=True)}
        changed = {at: bits for at, bits in live.items() if bits}
        found = []
        for n in reversed(relevant):
            if any(moved[n]):
                operations, stores = self._back(self._instances[n], moved[n], live)
                if any(stores):
                    found.append(Needed(n, _matrix(operations, len(seeds)), _matrix(stores, len(seeds))))
        return found[::-1], changed

    def _relevant(self, outputs: list[int]) -> list[int]:
        """Instances on the way to the outputs."""
        live, found = set(outputs), []
        for n in range(len(self._instances) - 1, -1, -1):
            instance = self._instances[n]
            stores = {self.cell(instance.rows[slot] + place) for slot, place, _ in instance.block.stores}
            if not live.isdisjoint(stores):
                found.append(n)
                live.difference_update(stores)
                live.update(
                    self.cell(instance.rows[x[1]] + x[2])
                    for x in instance.block.operations
                    if x[0] == "load" and instance.block.spaces[x[1]] == MEMORY
                )
                live.difference_update(self._passive)
        return found[::-1]

    def _forward(self, instance: Instance, active: dict[int, Bits]) -> list[Bits]:
        """Directions that move the operations; `active` becomes what they leave in the cells."""
        linear, rows = self._linear[instance.block.name], instance.rows
        moved: list[Bits] = [0] * len(instance.block.operations)
        for i in range(len(moved)):
            if i in linear.loads:
                slot, place = linear.loads[i]
                moved[i] = active.get(self.cell(rows[slot] + place), 0)
            else:
                for _, a in linear.slopes(i):
                    moved[i] |= moved[a]
        for slot, place, value in instance.block.stores:
            at = rows[slot] + place
            active[self.cell(at)] = moved[value] if isinstance(value, int) and at not in self._passive else 0
        return moved

    def _back(self, instance: Instance, moved: list[Bits], live: dict[int, Bits]) -> tuple[list[Bits], list[Bits]]:
        """Directions for which the operations and the stores are needed; `live` becomes what the loads need."""
        linear, rows = self._linear[instance.block.name], instance.rows
        needed: list[Bits] = [0] * len(moved)
        stores: list[Bits] = []
        for slot, place, value in instance.block.stores:
            wanted = live.pop(self.cell(rows[slot] + place), 0)
            stores.append(wanted & moved[value] if isinstance(value, int) else 0)
            if stores[-1]:
                needed[int(value)] |= stores[-1]
        for i in range(len(moved) - 1, -1, -1):
            if not needed[i]:
                continue
            if i in linear.loads:
                slot, place = linear.loads[i]
                at = self.cell(rows[slot] + place)
                live[at] = live.get(at, 0) | needed[i]
            else:
                for _, a in linear.slopes(i):
                    needed[a] |= needed[i] & moved[a]
        return needed, stores


def _matrix(rows: Sequence[Bits], count: int) -> NDArray[np.bool_]:
    """Sets as rows of flags."""
    size = (count + 7) // 8
    text = b"".join(x.to_bytes(size, "little") for x in rows)
    flags = np.frombuffer(text, dtype=np.uint8).reshape(len(rows), size)
    return np.unpackbits(flags, axis=1, count=count, bitorder="little").astype(bool)
