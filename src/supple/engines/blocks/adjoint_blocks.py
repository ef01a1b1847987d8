"""Adjoints of blocks: from how much a number depends on a block's results to how much it does on what the block loads.

The weight of a cell is the derivative of that number by what the cell holds. A block loads, computes and then stores:
backwards, the weights of the cells that it stores become those of the values stored, each operation hands its weight,
times its slopes, to its arguments, and the loads add theirs to the weights of their cells. That is linear in weights,
with factors on the tape, so an adjoint is of the same form as a tangent (`TangentBlock`).

A cell that is stored has no weight before that: it is overwritten. Which cells have weights is known beforehand, so
nothing is cleared; what has none yet is stored, not added to.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from supple.engines.blocks.blocks import Instance, Operation
from supple.engines.blocks.tangent_blocks import Factor, LinearBlock, TangentBlock, factor_of

Place = tuple[int, int]
"""Slot and place of a cell in a block."""


@dataclass(frozen=True)
class AdjointForm:
    """All that decides the adjoint of a block besides its operations.

    Attributes
    ----------
    stores : tuple of Place and int
        Cells that are stored and have a weight, and the operation whose value each takes.
    loads : tuple of int and Place and bool
        Operations that load what moves, the first place by which the block knows the cell of each, and whether the cell
        has a weight that is added to.
    weighed : tuple of int
        Operations that have a weight.
    """

    stores: tuple[tuple[Place, int], ...]
    loads: tuple[tuple[int, Place, bool], ...]
    weighed: tuple[int, ...]


def weighed_backwards(
    linear: LinearBlock,
    instance: Instance,
    moving: list[bool],
    cell: Callable[[int, int], int],
    weighed_cells: set[int],
) -> AdjointForm:
    """The form that a block takes where some cells have weights; these become those that have one before it.

    Parameters
    ----------
    linear : LinearBlock
    instance : Instance
    moving : list of bool
        Operations that move with anything by which is differentiated.
    cell : function of slot and place
    weighed_cells : set of int
        Changed.
    """
    block, weighed, stores = instance.block, [False] * len(moving), []
    for slot, place, value in block.stores:
        at = cell(slot, place)
        if at in weighed_cells and isinstance(value, int) and moving[value]:
            stores.append(((slot, place), value))
            weighed[value] = True
    weighed_cells.difference_update(cell(slot, place) for slot, place, _ in block.stores)
    loads, known = [], dict[int, Place]()
    for i in range(len(moving) - 1, -1, -1):
        if not weighed[i]:
            continue
        if block.operations[i][0] == "load":
            _, slot, place = block.operations[i]
            at = cell(slot, place)
            loads.append((i, known.setdefault(at, (slot, place)), at in weighed_cells))
        for _, a in linear.slopes(i):
            weighed[a] = weighed[a] or moving[a]
    weighed_cells.update(known)
    return AdjointForm(tuple(stores), tuple(loads), tuple(i for i, x in enumerate(weighed) if x))


def adjoint(linear: LinearBlock, form: AdjointForm, places: Mapping[int, int]) -> tuple[TangentBlock, list[int]]:
    """The adjoint of a block in a form, and which of the block's slots it uses, in their order there.

    Parameters
    ----------
    linear : LinearBlock
    form : AdjointForm
    places : mapping
        Of slopes on the tape.
    """
    slots: dict[int, int] = {}
    operations: list[Operation] = []
    terms: dict[int, list[tuple[Factor, int]]] = {i: [] for i in form.weighed}

    def loaded(place: Place) -> int:
        operations.append(("load", slots.setdefault(place[0], len(slots)), place[1]))
        return len(operations) - 1

    for place, value in form.stores:
        terms[value].append((1.0, loaded(place)))
    before = {place: loaded(place) for place in dict.fromkeys(place for _, place, adds in form.loads if adds)}
    for i in reversed(form.weighed):
        slopes = [(slope, a) for slope, a in linear.slopes(i) if a in terms]
        if slopes or linear.block.operations[i][0] == "load":
            weight = _summed(operations, terms[i])
            terms[i] = [(1.0, weight)]
            for slope, a in slopes:
                terms[a].append((factor_of(slope, places), weight))
    totals: dict[Place, list[tuple[Factor, int]]] = {}
    for i, place, _ in form.loads:
        start: list[tuple[Factor, int]] = [(1.0, before[place])] if place in before else []
        totals.setdefault(place, start).extend(terms[i])
    stored = [
        (slots.setdefault(slot, len(slots)), at, _summed(operations, total)) for (slot, at), total in totals.items()
    ]
    return TangentBlock(len(slots), tuple(operations), tuple(stored)), list(slots)


def _summed(operations: list[Operation], terms: list[tuple[Factor, int]]) -> int:
    """The number of the operation that sums terms; of one that is taken as it is, its own."""
    if len(terms) == 1 and isinstance(terms[0][0], float) and terms[0][0] == 1.0:
        return terms[0][1]
    operations.append(("sum", *terms))
    return len(operations) - 1
