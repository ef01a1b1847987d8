"""Which bodies of a model have inertial parameters."""

from __future__ import annotations

from typing import Any

from supple.structures.body.flexible_body import FlexibleBody


def rigid_bodies(model: Any) -> list[int]:
    """Return the places of the rigid bodies; all bodies of what has no description."""
    description = getattr(model, "description", None)
    if description is None:
        return list(range(len(model.bodies)))
    return [i for i, x in enumerate(description.bodies.values()) if not isinstance(x.body, FlexibleBody)]
