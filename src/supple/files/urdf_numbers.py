"""Numbers and poses in the elements of a URDF file."""

from __future__ import annotations

from xml.etree.ElementTree import Element

import numpy as np
import scipy

from supple.checks import Floats
from supple.errors import ModelError


def origin(element: Element) -> tuple[Floats, Floats]:
    """Position and rotation of an `<origin>` inside an element: turns about the fixed x, y, z, or a quaternion."""
    origin = element.find("origin")
    if origin is None:
        return np.zeros(3), np.eye(3)
    position = numbers(origin, "xyz", "0 0 0")
    if "quat_xyzw" not in origin.attrib:
        return position, np.asarray(
            scipy.spatial.transform.Rotation.from_euler("xyz", numbers(origin, "rpy", "0 0 0")).as_matrix()
        )
    quaternion = numbers(origin, "quat_xyzw", count=4)
    # Squares of numbers beyond these overflow or vanish.
    if "rpy" in origin.attrib or not 1e-100 < np.abs(quaternion).max() < 1e100:
        raise ModelError(f"origin: expected either rpy or a quaternion, got {origin.attrib}")
    return position, np.asarray(scipy.spatial.transform.Rotation.from_quat(quaternion).as_matrix())


def numbers(element: Element, key: str, default: str | None = None, count: int = 3) -> Floats:
    """The numbers of an attribute, finite and just so many."""
    value = element.get(key, default)
    what = f"{element.tag}: {key}"
    wanted = f"{count} numbers" if count > 1 else "a number"
    if value is None:
        raise ModelError(f"{what}: missing; expected {wanted}")
    try:
        # Python would also read 1_000.
        found = np.array([float(word.replace("_", "?")) for word in value.split()])
    except ValueError:
        raise ModelError(f"{what}: expected {wanted}, got {value!r}") from None
    if len(found) != count or not np.isfinite(found).all():
        raise ModelError(f"{what}: expected {wanted}, finite, got {value!r}")
    return found


def number(element: Element, key: str, default: str | None = None) -> float:
    """The one finite number of an attribute."""
    return float(numbers(element, key, default, count=1)[0])
