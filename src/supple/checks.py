"""Reading numbers that a user wrote: shape, finiteness, and where they stood."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.linalg import LinAlgError
from numpy.typing import ArrayLike, NDArray

from supple.errors import ModelError, SuppleError

if TYPE_CHECKING:
    from scipy.spatial.transform import Rotation

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
LEAST_SIZE, MOST_SIZE = 1e-30, 1e30
"""Lengths, moduli and masses of structures, in SI units: products of some of them are finite, and not zero."""
AXES = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}


@contextmanager
def computed() -> Iterator[None]:
    """Make what numbers of absurd size lead to inside (overflow, no convergence, no memory) an error of the model."""
    try:
        yield
    except (ArithmeticError, LinAlgError, MemoryError) as error:
        if isinstance(error, SuppleError):
            raise
        what = f"{type(error).__name__}: {error}"
        raise ModelError(f"cannot be computed, some number is far too large or too small: {what}") from None


def is_number(x: Any) -> bool:
    """Whether x is one finite real number."""
    try:
        return isinstance(x, Real) and not isinstance(x, bool | np.bool_) and math.isfinite(float(x))
    except OverflowError:  # a whole number of hundreds of digits
        return False


def is_index(text: str) -> bool:
    """Whether a string is an integer of at most 18 digits, such as the number of a node."""
    return text.isdecimal() and len(text) <= 18


def number(value: Any, what: str, minimum: float | None = None) -> float:
    """`value` as a finite float, not below `minimum`."""
    try:
        x = float(value)
    except (TypeError, ValueError, OverflowError):
        raise ModelError(f"{what}: expected a number, got {value!r}") from None
    if not np.isfinite(x):
        raise ModelError(f"{what}: expected a finite number, got {x}")
    if minimum is not None and x < minimum:
        raise ModelError(f"{what}: expected at least {minimum:g}, got {x:g}")
    return x


def integer(value: Any, what: str, minimum: int, maximum: int | None = None) -> int:
    """`value` as an integer, not below `minimum` and not above `maximum`."""
    whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if not whole or value < minimum or (maximum is not None and value > maximum):
        limits = f"of at least {minimum}" if maximum is None else f"from {minimum} to {maximum:,}"
        raise ModelError(f"{what}: expected an integer {limits}, got {value!r:.60}")
    return int(value)


def size(value: Any, what: str, power: int = 1) -> float:
    """`value` as a positive float that can be computed with, such as a length, or a `power` of one."""
    x = number(value, what)
    if x <= 0:
        raise ModelError(f"{what}: expected a positive number, got {x:g}")
    least, most = LEAST_SIZE**power, MOST_SIZE**power
    if not least <= x <= most:
        raise ModelError(f"{what}: expected a number from {least:g} to {most:g}, got {x:g}")
    return x


def array(value: ArrayLike, shape: tuple[int, ...], what: str) -> Floats:
    """`value` as finite floats of just this shape."""
    x = floats(value)
    if x is None:
        raise ModelError(f"{what}: expected numbers of shape {shape}, got {value!r}")
    if x.shape != shape:
        raise ModelError(f"{what}: expected numbers of shape {shape}, got shape {x.shape}")
    if not np.isfinite(x).all():
        raise ModelError(f"{what}: expected finite numbers, got {x.tolist()}")
    return x


def floats(value: Any) -> Floats | None:
    """Return `value` as an array of real numbers of its own, or None if it is none."""
    try:
        x = np.array(value)
        return None if x.dtype.kind == "c" else x.astype(np.float64)
    except (TypeError, ValueError, OverflowError):
        return None


def freeze(owner: Any, *names: str) -> None:
    """Give a frozen dataclass arrays of its own, dense or sparse by rows, in place of those it was made with.

    Nobody can write to them. What is frozen already is not copied again.
    """
    for name in names:
        x = getattr(owner, name)
        if all(not part.flags.writeable and part.base is None for part in _parts(x)):
            continue
        x = x.copy()
        if not isinstance(x, np.ndarray):
            x.sum_duplicates()  # else it would be done later, in place
        for part in _parts(x):
            part.flags.writeable = False
        object.__setattr__(owner, name, x)


def _parts(x: Any) -> tuple[NDArray[Any], ...]:
    return (x,) if isinstance(x, np.ndarray) else (x.data, x.indices, x.indptr)


def own_axes(owner: Any, *names: str) -> None:
    """The same for axes that were given as arrays or lists and are known to be right: they become tuples of numbers."""
    for name in names:
        value = getattr(owner, name)
        if value is not None and not isinstance(value, str):
            object.__setattr__(owner, name, tuple(array(value, (3,), name).tolist()))


def generator(seed: int | np.random.Generator, what: str) -> np.random.Generator:
    """Return the random numbers of a seed, an integer of at least 0, or the generator that is given."""
    return np.random.default_rng(seed if isinstance(seed, np.random.Generator) else integer(seed, what, 0))


def dimensions(value: Any, what: str) -> int:
    """How many axes an array or lists of numbers have."""
    try:
        return np.ndim(value)
    except ValueError:  # lists of different lengths
        raise ModelError(f"{what}: expected numbers, got {value!r}") from None


def text(value: Any, what: str) -> str:
    """`value`, which is to be a name."""
    if not isinstance(value, str):
        raise ModelError(f"{what}: expected a name, got {value!r}")
    return value


def direction(value: str | ArrayLike, what: str) -> Floats:
    """A unit vector from "x", "-z" or three numbers."""
    if isinstance(value, str):
        sign = -1.0 if value.startswith("-") else 1.0
        try:
            return sign * np.array(AXES[value.removeprefix("-")]) + 0.0
        except KeyError:
            raise ModelError(f"{what}: expected 'x', 'y', 'z', '-x', ... or three numbers, got {value!r}") from None
    x = array(value, (3,), what)
    length = float(np.linalg.norm(x))
    if length < 1e-12:
        raise ModelError(f"{what}: expected a direction, got the zero vector {x.tolist()}")
    return x / length if abs(length - 1.0) > 1e-15 else x


def rotation_matrix(value: ArrayLike | Rotation | None, what: str) -> Floats:
    """A 3x3 rotation from a matrix, a scipy Rotation, or nothing."""
    if value is None:
        return np.eye(3)
    transform = sys.modules.get("scipy.spatial.transform")  # loaded by whoever has a Rotation
    if transform is not None and isinstance(value, transform.Rotation):
        if not value.single:
            raise ModelError(f"{what}: expected one rotation, got {len(value)}")
        return np.asarray(value.as_matrix(), dtype=np.float64)
    matrix: Any = value
    R = array(matrix, (3, 3), what)
    error = float(np.abs(R @ R.T - np.eye(3)).max())
    if error > 1e-8 or np.linalg.det(R) < 0:
        raise ModelError(
            f"{what}: expected a rotation matrix (R R* = I, determinant +1), "
            f"got |R R* - I| = {error:.2g}, determinant {np.linalg.det(R):.6g}"
        )
    return R


def per_dof(value: float | Sequence[float], count: int, what: str, minimum: float | None = None) -> Floats:
    """One number for each degree of freedom of a joint, from one for all or a list."""
    if dimensions(value, what) == 0:
        return np.full(count, number(value, what, minimum))
    x = array(value, (count,), what)
    if minimum is not None and (x < minimum).any():
        raise ModelError(f"{what}: expected at least {minimum:g}, got {x.tolist()}")
    return x
