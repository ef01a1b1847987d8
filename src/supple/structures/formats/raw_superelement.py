"""What a file says of a reduced superelement, and the superelement in SI and basic axes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import scipy

from supple.checks import Floats, Ints
from supple.errors import FileFormatError, ModelError
from supple.structures.body.superelement import InteriorRecovery, Superelement, sound_superelement
from supple.structures.discretization.dof_map import DofLayout
from supple.structures.discretization.mass import Sparse
from supple.structures.formats.raw_model import COMPONENT_NAMES
from supple.structures.formats.units import Units


@dataclass(frozen=True, eq=False)
class RawInterior:
    """Motion of g nodes inside, six degrees of freedom each.

    Attributes
    ----------
    labels : (g,) array of int
    nodes : (g, 3) array
    matrix : (6 g, n) array
        ux, uy, uz, rx, ry, rz of each in its own axes.
    axes : (6 g, 3) array
        As of `RawSuperelement`.
    """

    labels: Ints
    nodes: Floats
    matrix: Floats
    axes: Floats


@dataclass(frozen=True, eq=False)
class RawSuperelement:
    """Boundary and modal rows as a program wrote them.

    Attributes
    ----------
    program : str
    files : tuple of Path
    labels, dofs : (n,) arrays of int
        Node and degree of freedom, 1 to 6, of each row; 0 for a modal coordinate.
    positions : dict of int to (3,) array
        Of the nodes, in the file's unit of length.
    axes : (n, 3) array
        Of rows 1 to 3 of a node: its own axes in those of the positions; the same for its rotations.
    stiffness, mass : (n, n) arrays
    recovery : RawInterior, optional
    """

    program: str
    files: tuple[Path, ...]
    labels: Ints
    dofs: Ints
    positions: Mapping[int, Floats]
    axes: Floats
    stiffness: Floats
    mass: Floats
    recovery: RawInterior | None = None


def imported_superelement(
    raw: RawSuperelement, frames: Mapping[str, int | Iterable[int] | str | Callable[..., Any]] | None, units: Units
) -> Superelement:
    """The superelement in SI, free in space, checked; frames are labels of boundary nodes."""
    node_labels = np.array(list(raw.positions), dtype=np.int64)
    rows = {(int(i), int(d)): row for row, (i, d) in enumerate(zip(raw.labels, raw.dofs, strict=True))}
    turning = np.array([_has(raw, rows, int(label)) for label in node_labels])
    nodes = np.array([raw.positions[int(label)] for label in node_labels]) * units.metre
    layout = DofLayout(nodes, turning)
    boundary = [rows[int(node_labels[p]), d] for p, d in zip(layout.point, (layout.component + 3) % 6 + 1, strict=True)]
    modal = np.flatnonzero(raw.dofs == 0).tolist()
    order = np.array([*boundary, *modal], dtype=np.int64)
    turn = _turn(raw, layout, order)
    scale = np.concatenate([layout.scales(units.metre), np.ones(len(modal))])
    B = scipy.sparse.csr_array(turn @ scipy.sparse.diags_array(scale))

    def converted(matrix: Floats, unit: float) -> Sparse:
        ordered = scipy.sparse.csr_array(matrix[np.ix_(order, order)])
        return scipy.sparse.csr_array(unit * (B.T @ ordered @ B))

    K = converted(raw.stiffness, units.kilogram / units.second**2)
    M = converted(raw.mass, units.kilogram)
    try:
        made = sound_superelement(node_labels, nodes, turning, K, M, _recovered(raw, order, B, units))
    except ModelError as error:
        raise FileFormatError(f"{raw.files[0]}: {error}") from None
    return replace(made, frames=_frames(frames, made))


def _has(raw: RawSuperelement, rows: Mapping[tuple[int, int], int], label: int) -> bool:
    """Whether a node has rotations; one with some directions only is refused."""
    there = [d for d in range(1, 7) if (label, d) in rows]
    if there not in ([1, 2, 3], [1, 2, 3, 4, 5, 6]):
        names = ", ".join(COMPONENT_NAMES[d - 1] for d in there)
        raise FileFormatError(
            f"{raw.files[0]}: node {label}: expected ux, uy, uz, or these with rx, ry, rz on the boundary, got {names}"
        )
    return len(there) == 6


def _turn(raw: RawSuperelement, layout: DofLayout, order: Ints) -> Sparse:
    """From basic axes to those of each node, for the rows in `order`; modal coordinates stay."""
    blocks: list[Floats] = []
    for p, turns in enumerate(layout.turning):
        start = int(layout.first[p]) + (3 if turns else 0)
        axes = raw.axes[order[start : start + 3]]
        blocks += [axes, axes] if turns else [axes]
    rest = len(order) - layout.size
    return scipy.sparse.csr_array(scipy.sparse.block_diag([*blocks, np.eye(rest)] if rest else blocks))


def _recovered(raw: RawSuperelement, order: Ints, B: Sparse, units: Units) -> InteriorRecovery | None:
    """Rotations before displacements, basic axes; displacements in m for coordinates in SI."""
    inside = raw.recovery
    if inside is None:
        return None
    g = len(inside.labels)
    own = inside.matrix[:, order].reshape(g, 2, 3, -1)
    axes = inside.axes.reshape(g, 6, 3)[:, :3]
    basic = np.einsum("gij,gkim->gkjm", axes, own)[:, ::-1]
    unit = np.array([1.0, units.metre])[None, :, None, None]
    # a modal coordinate is a displacement in the file's units; boundary rows come in metres
    per = np.ones(len(order)) / units.metre
    return InteriorRecovery(
        inside.labels,
        inside.nodes * units.metre,
        np.asarray((basic * unit).reshape(6 * g, -1) @ (B.toarray() * per[None])),
    )


def _frames(frames: Mapping[str, Any] | None, made: Superelement) -> dict[str, int]:
    known = {int(label): i for i, label in enumerate(made.labels)}
    if frames is None:
        return {f"grid{label}": i for label, i in known.items()}
    out = {}
    for name, label in frames.items():
        if isinstance(label, bool) or not isinstance(label, int | np.integer) or int(label) not in known:
            listed = ", ".join(str(x) for x in list(known)[:12])
            raise ModelError(f"frame {name!r}: expected one boundary node of {listed}, got {label!r}")
        out[name] = known[int(label)]
    return out
