"""Which constraints see the deformation of a body, and why those of "ruthless" bodies are refused.

Frames are where the deformed nodes are, while (8.1) has velocities and forces at the undeformed ones. A row between
frames on both sides of such a deformation would have a J that is not its derivative: the loop drifts open, and the
forces that close it do work. Consistent rows need the Jacobians of the deformed tree, and those are "full".
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from supple.errors import ModelError
from supple.recursions.closures import Closures
from supple.recursions.tree import Flex, Frames, Tree

if TYPE_CHECKING:
    from supple.model.model import Model


def refuse_ruthless(model: Model, names: Sequence[str], closures: Closures) -> None:
    """Refuse constraints that depend on the deformation of a "ruthless" body; `names` are those of the pairs."""
    for name, (first, second) in zip(names, closures.pair_frames, strict=True):
        for k in sorted(deformed_between(model.tree, model.flex, int(first), int(second))):
            if model.flex is not None and not model.flex.full[k]:
                raise ModelError(
                    f"model {model.name!r}: constraint {name!r} closes a loop through the deformation of "
                    f"{model.bodies[k - 1]!r}: expected fidelity 'full', got 'ruthless', whose Jacobians leave the "
                    "deformation out"
                )


def deformed_between(tree: Tree, flex: Flex | None, first: int, second: int) -> set[int]:
    """Flexible bodies whose deformation moves one of two frames against the other: those on the way between them."""
    if flex is None:
        return set()
    ways: list[dict[int, bytes]] = []  # of each frame: the node at which its way to the ground comes upon each body
    for i in (first, second):
        k = int(tree.frames.body[i])
        way = {k: _frame_node(tree.frames, flex, i)}
        while k > 0:
            node, k = _attachment_node(flex, int(flex.attachment[k])), int(tree.parent[k])
            way[k] = node
        ways.append(way)
    one, other = ways
    met = next(k for k in one if k in other)
    # Both move alike with all that is inward of the body where the ways meet, and with its node if they share that.
    apart = met if one[met] != other[met] else met + 1
    return {k for way in ways for k, node in way.items() if k >= apart and node}


def _attachment_node(flex: Flex, s: int) -> bytes:
    """Shapes and position of an attachment node; empty where the deformation does not move it, or there is none."""
    if s < 0:
        return b""
    first, modes = flex.attachment_row[s], flex.modes[flex.attachment_body[s]]
    return _moving_node(flex.attachment_shape[first : first + modes], flex.attachment_position[s])


def _frame_node(frames: Frames, flex: Flex, i: int) -> bytes:
    """The same of the node that a frame moves with."""
    if frames.shape_row[i] < 0:
        return b""
    first, modes = frames.shape_row[i], flex.modes[frames.body[i]]
    return _moving_node(frames.shape[first : first + modes], frames.node_position[i])


def _moving_node(shape: NDArray[Any], position: NDArray[Any]) -> bytes:
    return bytes(shape.tobytes() + position.tobytes()) if shape.any() else b""
