"""Orientations of bodies on free and spherical joints: quaternions as coordinates, Euler angles for people."""

from __future__ import annotations

import warnings
from itertools import pairwise
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import scipy
from numpy.typing import ArrayLike

from supple.call_checks import checked
from supple.checks import Floats, rotation_matrix
from supple.errors import StateError

if TYPE_CHECKING:
    from scipy.spatial.transform import Rotation

QUATERNION = ("qx", "qy", "qz", "qw")
"""Ends of the names of the coordinates."""


@checked
def orientation(body: str, rotation: ArrayLike | Rotation) -> dict[str, float]:
    """Coordinates of a body on a free or spherical joint for an orientation relative to its joint frame, by name.

    Parameters
    ----------
    body : str
    rotation : (3, 3) array_like or Rotation
        `Rotation.from_euler("ZYX", [30, 10, 0], degrees=True)` is given by Euler angles.

    Examples
    --------
    >>> orientation("base", [[-1, 0, 0], [0, -1, 0], [0, 0, 1]])["base.qz"]
    1.0
    """
    R = rotation_matrix(rotation, f"orientation of {body!r}")
    x = scipy.spatial.transform.Rotation.from_matrix(R).as_quat(canonical=True)
    return {f"{body}.{end}": float(value) for end, value in zip(QUATERNION, x, strict=True)}


def euler_sequence(value: Any) -> str:
    """Three axes of Euler angles, or an error: "xyz" about fixed axes, "XYZ" about axes that turn with the body."""
    axes = value.lower() if isinstance(value, str) else ""
    same_case = isinstance(value, str) and value in (axes, axes.upper())
    repeated = any(a == b for a, b in pairwise(axes))
    if len(axes) != 3 or set(axes) - set("xyz") or repeated or not same_case:
        raise StateError(
            "expected three axes, no two neighbours the same, such as 'xyz' about fixed axes or 'ZYX' about axes that "
            f"turn with the body, got {value!r}"
        )
    return str(value)


def euler_angles(quaternions: ArrayLike, sequence: str) -> Floats:
    """Angles (..., 3) of quaternions (..., 4), rad, the middle one in half a turn; NaN where there are no numbers.

    Where the middle angle makes the other two one, the third is zero.
    """
    q = np.asarray(quaternions, dtype=float)
    flat, out = q.reshape(-1, 4), np.full((q.size // 4, 3), np.nan)
    known = np.isfinite(flat).all(axis=1) & flat.any(axis=1)
    if known.any():
        turns, axes = scipy.spatial.transform.Rotation.from_quat(flat[known]), cast(Any, sequence)
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Gimbal lock")
            out[known] = turns.as_euler(axes)
    return out.reshape(*q.shape[:-1], 3)
