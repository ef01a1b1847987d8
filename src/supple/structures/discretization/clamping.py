"""A structure held at its root: what a static load does, and where frames are in it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy
from numpy.typing import ArrayLike

from supple.checks import Floats, Ints, array
from supple.errors import ModelError, nearest
from supple.structures.discretization.couplings import FOLLOWING
from supple.structures.discretization.discretization import Discretization
from supple.structures.discretization.dof_map import cross_matrix
from supple.structures.discretization.mass import Sparse
from supple.structures.discretization.validation import clamped_solver
from supple.structures.eigen.lowest_modes import cut


@dataclass(frozen=True, eq=False)
class Clamped:
    """A structure with its root fixed.

    Attributes
    ----------
    point : int
        Of the root, among the points of the condensed structure.
    fixed, free : arrays of int
        Its degrees of freedom and all others.
    solve : function
        From forces on the free degrees of freedom to their displacements.
    pivot : float
        The lowest one of the stiffness, its diagonal being 1.
    """

    point: int
    fixed: Ints
    free: Ints
    solve: Callable[[Floats], Floats]
    pivot: float


def clamp(structure: Discretization, root: str) -> Clamped:
    """The structure with this frame fixed; raises if it does not hold the structure."""
    small = structure.condensed
    point = place(structure, root, "root")
    if root in structure.clamped_at:
        return structure.clamped_at[root]
    if not small.layout.turning[point]:
        raise ModelError(
            f"root {root!r}: expected a frame that can turn, got node {small.names[point]}, which has no rotations; "
            "name a rigid region of three or more nodes not in one line"
        )
    fixed = small.layout.of([point])
    free = np.setdiff1d(np.arange(small.size), fixed)
    solve = clamped_solver(cut(small.stiffness, free), lambda i: small.name_of(int(free[i])))
    structure.clamped_at.clear()
    return structure.clamped_at.setdefault(root, Clamped(point, fixed, free, *solve))


def static(structure: Discretization, loads: Mapping[str | int, ArrayLike], root: str) -> Floats:
    """See `Structure.static`."""
    small = structure.condensed
    clamped = clamp(structure, root)
    f = np.zeros(small.size)
    for where, load in loads.items():
        wrench = array(load, (3,) if np.shape(load) == (3,) else (6,), f"load on {where!r}")
        wrench = np.concatenate([np.zeros(6 - len(wrench)), wrench])
        rows, turns = frame_rows(structure, where)[1:]
        if wrench[:3].any() and not turns:
            raise ModelError(
                f"load on {where!r}: it has no rotations, so it takes no moment, got {wrench[:3].tolist()}"
            )
        f += rows.T @ wrench
    u = np.zeros(small.size)
    u[clamped.free] = clamped.solve(f[clamped.free])
    return np.asarray(small.motion @ u).reshape(-1, 6)


def frame_rows(structure: Discretization, where: str | int) -> tuple[Floats, Sparse, bool]:
    """Position, motion (6, size) and whether it turns, of a frame or node in the condensed structure."""
    small = structure.condensed
    nodes = structure.find(where)
    node = nodes[0]
    if len(nodes) == 1 or small.point_of[node] == FOLLOWING:
        rows = scipy.sparse.csr_array(small.motion[6 * node : 6 * node + 6])
        return structure.nodes[node], rows, bool(small.turning[node])
    point = small.point_of[node]
    seen: Any = small.layout.motion[6 * point : 6 * point + 6]
    rows = scipy.sparse.csr_array(seen)
    position = structure.nodes[list(nodes)].mean(axis=0)
    arm = position - small.layout.points[point]
    if arm.any():
        shift = np.eye(6)
        shift[3:, :3] = -cross_matrix(arm)
        rows = scipy.sparse.csr_array(scipy.sparse.csr_array(shift) @ rows)
    return position, rows, True


def place(structure: Discretization, name: str, what: str) -> int:
    """The point of a frame that has one."""
    if name not in structure.frames:
        raise ModelError(f"{what}: no frame {name!r}{nearest(str(name), structure.frames)}")
    point = structure.condensed.frames.get(name)
    if point is None:
        raise ModelError(
            f"{what} {name!r}: it moves as the mean of other nodes and has no degrees of freedom of its own; name a "
            "rigid region"
        )
    return point
