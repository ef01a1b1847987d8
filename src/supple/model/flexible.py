"""The arrays of flexible bodies: what the recursions need of their modes, attachment nodes and ports, computed once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from supple.checks import Floats
from supple.model.flexible_ports import port_arrays
from supple.model.flexible_rows import Constants, Rows, stack
from supple.recursions.tree import Flex
from supple.structures.body.flexible_body import FlexibleBody, ShapeFrame

if TYPE_CHECKING:
    from supple.description.description import Description

HEAVY = 30.0
"""Mass that a body carries, relative to its own, from which on rounding is worth a correction."""


def flexible_arrays(
    mech: Description, number: dict[str, int], q_mode: Any, v_mode: Any, like: Flex | None = None
) -> Flex | None:
    """The flexible bodies of a description as read-only arrays; None if there are none.

    With `like`, the arrays of a description that differs in its numbers alone, these are taken: flexible bodies and
    what they carry are the same, only the masses that they carry may not be.
    """
    if not any(isinstance(placed.body, FlexibleBody) for placed in mech.bodies.values()):
        return None
    parents = [0, *(number[placed.parent] for placed in mech.bodies.values())]
    masses = [0.0, *(placed.body.mass for placed in mech.bodies.values())]
    if like is not None:
        heavy = _heavy(masses, parents, like.attachment)
        heavy.flags.writeable = False
        return like._replace(heavy=heavy)
    bodies = [None, *(placed.body for placed in mech.bodies.values())]
    made = [body if isinstance(body, FlexibleBody) else None for body in bodies]
    for k, placed in enumerate(mech.bodies.values(), start=1):
        if placed.fidelity == "estimated-inertia" and isinstance(placed.body, FlexibleBody):
            made[k] = placed.body.with_estimated_inertia()
    modes = np.array([body.modes if body else 0 for body in made])
    full = np.array([False, *(placed.fidelity != "ruthless" for placed in mech.bodies.values())]) & (modes > 0)
    stiffening = np.array([False, *(placed.stiffens for placed in mech.bodies.values())]) & full
    rows = Rows()
    constants = [rows.add(body, bool(on)) if body else None for body, on in zip(made, stiffening, strict=True)]
    attachments = _Attachments()
    second = np.array([c.shapes if c else 0 for c in constants])
    out: dict[str, Any] = {
        "modes": modes,
        "full": full,
        "q_mode": q_mode,
        "v_mode": v_mode,
        "second_order": second,
        "massive": np.array([c.massive if c else 0 for c in constants]),
        "xi_first": np.cumsum(second) - second,
        "mode_row": np.array([c.row if c else 0 for c in constants]),
        "condensed_inertia": _condensed_inertias(made, constants),
    }
    child_shapes: list[tuple[int, ShapeFrame]] = []
    attachment = np.full(len(made), -1)
    for k, placed in enumerate(mech.bodies.values(), start=1):
        if placed.node is not None:
            parent = number[placed.parent]
            frame = attachment_frame(made[parent], placed.node)
            attachment[k] = attachments.add(parent, frame, constants[parent])
            child_shapes.append((k, frame))
    out["attachment"] = attachment
    out |= port_arrays(constants, parents, child_shapes)
    out["heavy"] = _heavy(masses, parents, attachment)
    out |= rows.arrays() | attachments.arrays()
    for x in out.values():
        x.flags.writeable = False
    return Flex(**out)


def _heavy(masses: list[float], parents: list[int], attachment: Any) -> Any:
    """(n + 1,) which bodies carry more than `HEAVY` times their own mass on attachment nodes."""
    outboard, carried = np.array(masses), np.zeros(len(masses))
    for k in range(len(masses) - 1, 0, -1):
        outboard[parents[k]] += outboard[k]
        if attachment[k] >= 0:
            carried[parents[k]] += outboard[k]
    return carried > HEAVY * np.array(masses)


def attachment_frame(body: FlexibleBody | None, node: str) -> ShapeFrame:
    """The frame of a node that is known to be on a flexible body."""
    assert body is not None
    return body.frame(node)


class _Attachments:
    """The attachment nodes, and the rows of their shapes; a node that is used several times has its rows once."""

    def __init__(self) -> None:
        self.rows: dict[tuple[int, bytes], int] = {}
        self.shapes: list[Floats] = []
        self.count = 0
        self.bodies: list[int] = []
        self.first: list[int] = []
        self.positions: list[Floats] = []

    def add(self, k: int, frame: ShapeFrame, constants: Constants | None) -> int:
        """Number of a new attachment node on body k."""
        assert constants is not None
        key = (constants.row, frame.shape.tobytes())
        if key not in self.rows:
            self.rows[key] = self.count
            self.shapes += [frame.shape.T, frame.second.T[: constants.shapes]]
            self.count += frame.shape.shape[1] + constants.shapes
        self.bodies.append(k)
        self.first.append(self.rows[key])
        self.positions.append(frame.position)
        return len(self.bodies) - 1

    def arrays(self) -> dict[str, Any]:
        """The fields of `Flex` about attachment nodes."""
        return {
            "attachment_body": np.array(self.bodies, dtype=np.int64),
            "attachment_row": np.array(self.first, dtype=np.int64),
            "attachment_position": stack([p[None] for p in self.positions], 3),
            "attachment_shape": stack(self.shapes, 6),
        }


def spatial_inertia(body: FlexibleBody) -> Floats:
    """M_rr (6, 6) of the undeformed body at its origin."""
    h = np.cross(np.eye(3), body.integrals.moment)
    return np.block([[body.about_origin(), h], [-h, body.mass * np.eye(3)]])


def _condensed_inertias(made: list[FlexibleBody | None], constants: list[Constants | None]) -> Floats:
    """M_rr - M_rf Lam M_fr of the undeformed bodies, 21 numbers each."""
    out = np.zeros((len(made), 21))
    for k, (body, c) in enumerate(zip(made, constants, strict=True)):
        if body and c:
            half = c.half_solve(c.coupling) if body.modes else c.coupling
            S = spatial_inertia(body) - half.T @ half
            upper = np.triu_indices(3)
            out[k] = np.concatenate([S[:3, :3][upper], S[:3, 3:].reshape(9), S[3:, 3:][upper]])
    return out
