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
from supple.recursions.tree import Flex, Tree

if TYPE_CHECKING:
    from supple.model.model import Model


def refuse_ruthless(model: Model, names: Sequence[str], closures: Closures) -> None:
    """Refuse constraints that depend on the deformation of a "ruthless" body; `names` are those of the pairs."""
    for name, bodies, attachments in zip(names, closures.pair_bodies, closures.pair_attachments, strict=True):
        for k in sorted(deformed_between(model.tree, model.flex, bodies, attachments)):
            if model.flex is not None and not model.flex.full[k]:
                raise ModelError(
                    f"model {model.name!r}: constraint {name!r} closes a loop through the deformation of "
                    f"{model.bodies[k - 1]!r}: expected fidelity 'full', got 'ruthless', whose Jacobians leave the "
                    "deformation out"
                )


def deformed_between(tree: Tree, flex: Flex | None, bodies: NDArray[Any], attachments: NDArray[Any]) -> set[int]:
    """Flexible bodies whose deformation moves one of two frames against the other: those on the way between them.

    Parameters
    ----------
    bodies : (2,) array of int
    attachment nodes : (2,) array of int
        Of the frames on flexible bodies; -1 on rigid ones.
    """
    if flex is None:
        return set()
    ways: list[dict[int, bytes]] = []  # of each end: the node at which its way to the ground comes upon each body
    for body, attachment in zip(bodies, attachments, strict=True):
        k, way = int(body), {int(body): _moving_node(flex, attachment)}
        while k > 0:
            node, k = _moving_node(flex, flex.attachment[k]), int(tree.parent[k])
            way[k] = node
        ways.append(way)
    first, second = ways
    met = next(k for k in first if k in second)
    # Both move alike with all that is inward of the body where the ways meet, and with its node if they share that.
    apart = met if first[met] != second[met] else met + 1
    return {k for way in ways for k, node in way.items() if k >= apart and node}


def _moving_node(flex: Flex, attachment: int) -> bytes:
    """Shapes and position of the node of an attachment node; empty where the deformation does not move it."""
    if attachment < 0:
        return b""
    first, modes = flex.attachment_row[attachment], flex.modes[flex.attachment_body[attachment]]
    shape = flex.attachment_shape[first : first + modes]
    return bytes(shape.tobytes() + flex.attachment_position[attachment].tobytes()) if shape.any() else b""
