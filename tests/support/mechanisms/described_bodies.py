"""Bodies of Kane systems, described by one dictionary in tables of cases."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from supple.symbolic.kane import KaneJoint, MassProperties

MASS = ("mass", "com", "inertia")


def described(given: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments of `KaneSystem.add_body` from those of its joint and of its mass properties, and `at`."""
    joint = {key: x for key, x in given.items() if key not in (*MASS, "at")}
    mass = {key: x for key, x in given.items() if key in MASS}
    at = {"at": given["at"]} if "at" in given else {}
    return {"joint": KaneJoint(**joint), "body": MassProperties(**mass), **at}
