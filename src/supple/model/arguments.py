"""What a caller hands to a model's functions: arrays of any leading axes, wrenches at frames, names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypeGuard

import numpy as np
from numpy.typing import ArrayLike, NDArray

from supple.checks import floats
from supple.engines.llvm.batches import ANY, FLOAT, as_array, common_axes, in_rows, require_rows
from supple.errors import StateError, nearest
from supple.model.body_frames import BodyFrame, load_on_body, modal_span
from supple.recursions.articulated import SINGULAR
from supple.recursions.tree import Flex, Tree

Numbers = NDArray[Any]


def batch(
    where: str, parts: Mapping[str, tuple[ArrayLike, int]]
) -> tuple[list[Numbers], tuple[int, ...], type[np.float64] | type[np.complex128]]:
    """Arrays (..., length) as contiguous, writeable (states, length) of one type; their common leading axes; the type.

    Parameters
    ----------
    where : str
        What the messages begin with.
    parts : mapping of name to (array, length)
    """
    ready = [x.reshape(1, n) for x, n in parts.values() if _is_ready(x, n)]
    if len(ready) == len(parts):
        return ready, (), np.float64
    arrays = {name: as_array(where, name, value, n, ANY) for name, (value, n) in parts.items()}
    for name, x in arrays.items():
        require_rows(where, name, x, parts[name][1], ANY)
        if not np.isfinite(x).all():
            raise StateError(f"{where}: {name}: expected finite numbers, got NaN or infinity")
    shape = common_axes(where, arrays)
    dtype = np.complex128 if any(x.dtype.kind == "c" for x in arrays.values()) else np.float64
    return [in_rows(x, shape, dtype) for x in arrays.values()], shape, dtype


def _is_ready(x: Any, length: int) -> TypeGuard[Numbers]:
    """Whether x is one state that needs no preparation; most single calls are with such."""
    return (
        x.__class__ is np.ndarray
        and x.dtype is FLOAT
        and x.shape == (length,)
        and x.flags.carray
        and bool(np.isfinite(x).all())
    )


def of_each_state(where: str, name: str, value: ArrayLike) -> Numbers:
    """Numbers (...), one for each state, as an array (..., 1)."""
    return as_array(where, name, value, 1, ANY)[..., None]


def known_motion(
    where: str, tau: ArrayLike, count: int, given: Mapping[str, ArrayLike]
) -> tuple[Numbers, dict[str, Numbers]]:
    """Forces (..., count) and prescribed accelerations (...) by name, all with the same leading axes and type."""
    if not isinstance(given, Mapping):
        raise StateError(f"{where}: given: expected accelerations by the names of speeds, got {given!r}")
    parts: dict[str, tuple[ArrayLike, int]] = {
        f"given: {name!r}": (of_each_state(where, f"given: {name!r}", x), 1) for name, x in given.items()
    }
    (drive, *values), shape, _ = batch(where, {"tau": (tau, count)} | parts)
    return drive.reshape((*shape, count)), {name: x.reshape(shape) for name, x in zip(given, values, strict=True)}


def flat_rows(where: str, name: str, value: ArrayLike, count: int, length: int) -> Numbers:
    """Rows of numbers (..., count, length), one after the other: (..., count * length)."""
    x = as_array(where, name, value, length, ANY)
    if x.shape[-2:] != (count, length):
        raise StateError(f"{where}: {name}: expected numbers of shape (..., {count}, {length}), got shape {x.shape}")
    return x.reshape((*x.shape[:-2], count * length))


def body_wrenches(
    tree: Tree, flex: Flex | None, q: Numbers, external: Mapping[str, tuple[BodyFrame, Numbers]]
) -> tuple[Numbers, Numbers]:
    """Wrenches at frames, in their axes, as sums for each body and each speed.

    Parameters
    ----------
    q : (..., nq) array
    external : mapping of frame name to (frame, (..., 6) array)

    Returns
    -------
    wrenches : (..., bodies + 1, 6) array
        At body origins in body axes.
    forces : (..., nv) array
        On the modes of flexible bodies.
    """
    shape = np.broadcast_shapes(q.shape[:-1], *(wrench.shape[:-1] for _, wrench in external.values()))
    dtype = np.result_type(q, *(wrench for _, wrench in external.values()))
    states = np.broadcast_to(q, (*shape, q.shape[-1])).reshape(-1, q.shape[-1])
    on_bodies = np.zeros((len(states), len(tree.parent), 6), dtype)
    on_speeds = np.zeros((len(states), len(tree.v_parent)), dtype)
    for name, (frame, wrench) in external.items():
        require_turning(name, frame, wrench)
        total, on_modes = load_on_body(flex, frame, states, np.broadcast_to(wrench, (*shape, 6)).reshape(-1, 6))
        on_bodies[:, frame.body] += total
        first, last = modal_span(flex, frame)
        on_speeds[:, first:last] += on_modes
    return on_bodies.reshape((*shape, *on_bodies.shape[1:])), on_speeds.reshape((*shape, -1))


def require_turning(name: str, frame: BodyFrame, wrench: Numbers) -> None:
    """Refuse a moment (..., 6) at a node that has no rotations."""
    if wrench[..., :3].any():
        require_turning_node(frame, f"external wrench at {name!r}", f", got {wrench}")


def require_turning_node(frame: BodyFrame, where: str, got: str = "") -> None:
    """Refuse a frame on a node that has no rotations; messages begin with `where`."""
    if frame.node is not None and not frame.node.turning:
        raise StateError(f"{where}: a node without rotations takes no moment{got}")


def singular_pivot(M: NDArray[np.float64]) -> int:
    """1 + the speed that one of the mass matrices (states, nv, nv) has no inertia for, to rounding; 0 if all have.

    Speeds are eliminated last to first, as articulated bodies do it, and each pivot is judged against its diagonal.
    """
    size = np.sqrt(np.maximum(np.einsum("sii->si", M), np.finfo(float).tiny))
    scaled = (M / (size[:, :, None] * size[:, None, :]))[:, ::-1, ::-1]
    try:
        if (np.einsum("sii->si", np.linalg.cholesky(scaled)) ** 2 > SINGULAR).all():
            return 0
    except np.linalg.LinAlgError:
        pass
    n = M.shape[-1]
    for A in scaled.copy():
        for i in range(n):
            if not A[i, i] > SINGULAR:
                return n - i
            A[i + 1 :, i + 1 :] -= np.outer(A[i + 1 :, i], A[i, i + 1 :]) / A[i, i]
    return 0


def index_of(names: Iterable[str], name: str, what: str) -> int:
    """Place of a name among others, or an error with the nearest."""
    known = list(names)
    try:
        return known.index(name)
    except ValueError:
        raise StateError(f"no {what} {name!r}{nearest(name, known)}") from None


def _number(value: Any, what: str) -> float:
    """Return a number given by name."""
    found = None if isinstance(value, str) else floats(value)
    if found is None or found.shape:
        raise StateError(f"{what}: expected a number, in SI units and radians, got {value!r}")
    return float(found)


def named_vector(
    names: tuple[str, ...], values: Any, what: str, start: NDArray[np.float64] | None = None
) -> NDArray[np.float64]:
    """Numbers in the order of `names`, from an array or a mapping of some of the names.

    Parameters
    ----------
    start : (n,) array, optional
        What entries not named are; zero if not given.
    """
    out = np.zeros(len(names)) if start is None else start.copy()
    if isinstance(values, Mapping):
        for name, value in values.items():
            if name not in names:
                raise StateError(f"{what}: no entry {name!r}{nearest(name, names)}")
            out[names.index(name)] = _number(value, f"{what}: {name!r}")
    else:
        given = floats(values)
        if given is None:
            raise StateError(f"{what}: expected numbers or a mapping from names, got {values!r}")
        if given.shape != out.shape:
            raise StateError(f"{what}: expected shape {out.shape}, got {given.shape}")
        out = given
    if not np.isfinite(out).all():
        bad = names[int(np.flatnonzero(~np.isfinite(out))[0])]
        raise StateError(f"{what}: expected finite numbers, got {out[names.index(bad)]} for {bad!r}")
    return out
