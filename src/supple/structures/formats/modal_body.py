"""Flexible bodies from the modal data of files: checked, seen from their root, in coordinates of modes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import scipy

from supple.checks import Floats
from supple.errors import ModelError, OmissionWarning, PhysicsWarning, nearest, warn
from supple.structures.body.flexible_body import FlexibleBody, modal_body
from supple.structures.discretization.dof_map import extent
from supple.structures.discretization.validation import ASYMMETRY
from supple.structures.formats.modal_data import ModalData
from supple.structures.stiffening.stiffening_matrices import second_order_from

MODAL = 1e-10
"""Entries of mass - 1 and of stiffness off the diagonal, relative to it, below which coordinates are those of modes."""
AT_REST = 1e-12
"""Motion of a node, relative to that of others, that counts as rounding."""
INDEFINITE = 1e-8
"""Negative eigenvalue, the diagonal being one, that rounding in a file may cause."""
UNREAL = 1e-4
"""The same of all integrals together, beyond which a warning says so; six decimals, as some write, leave 1e-5."""


def flexible_body(data: ModalData, root: str | None = None, frames: Mapping[str, str] | None = None) -> FlexibleBody:
    """The body of some data.

    Parameters
    ----------
    data : ModalData
        In metres and kilograms.
    root : str, optional
        Label of the node at the inboard hinge; by default a node that no coordinate moves, else the first one.
    frames : dict of str to str, optional
        Labels of nodes by the names that they get as frames; by default every node is a frame with its own label.
    """
    _require_sound(data)
    node, moving = root_node(data.labels, data.shapes, root)
    if moving and data.geometric is not None:
        warn(
            f"coordinates move the root {data.labels[node]!r}: matrices of geometric stiffening, which are those of a "
            "root at rest, are left out",
            OmissionWarning,
        )
    if not moving:
        shapes = data.shapes.copy()
        shapes[node] = 0.0
        data = replace(data, shapes=shapes)
    here = _as_modes(data.seen_from(node))
    _require_mass(here)
    known = _frames(here, node, frames)
    name = next(name for name, i in known.items() if i == node)
    return _body(here, name, known, "free-free" if moving else "cantilever")


def _require_sound(data: ModalData) -> None:
    """Refuse numbers that no body has."""
    for what in ("mass_matrix", "stiffness", "damping"):
        A = getattr(data, what)
        worst, size = np.abs(A - A.T).max(initial=0.0), np.abs(A).max(initial=0.0)
        if worst > ASYMMETRY * size + 1e-6 * (what == "damping"):
            i, j = (int(k) + 1 for k in np.unravel_index(np.argmax(np.abs(A - A.T)), A.shape))
            raise ModelError(
                f"{what.replace('_', ' ')}: expected a symmetric matrix, got {A[i - 1, j - 1]:.6g} and "
                f"{A[j - 1, i - 1]:.6g} in rows and columns {i} and {j}"
            )
    if len(data.labels) == 0:
        raise ModelError("nodes: expected at least one, got none")
    if not data.integrals.mass > 0:
        raise ModelError(f"mass: expected a number above zero, got {data.integrals.mass:g}")
    for what, A in (("mass matrix", data.mass_matrix), ("stiffness", data.stiffness)):
        d = np.diagonal(A)
        if d.size and not d.min() > 0:
            r = int(np.argmin(d))
            hint = "; leave rigid motions out: they are those of the joint" if what == "stiffness" else ""
            raise ModelError(
                f"{what}: coordinate {r + 1} ({data.coordinates[r]}): expected a number above zero on the diagonal, "
                f"got {d[r]:g}{hint}"
            )


def root_node(labels: tuple[str, ...], shapes: Floats, root: str | None) -> tuple[int, bool]:
    """Number of the node at the hinge, and whether coordinates move it, given the shapes (k, 6, n) of nodes.

    Of nodes that nothing moves, one with a name comes before one with a number.
    """
    size = np.repeat(np.abs(shapes).max(axis=(0, 2), initial=0.0).reshape(2, 3).max(axis=1), 3)
    rest = [bool((np.abs(shape) <= AT_REST * size[:, None]).all()) for shape in shapes]
    if root is not None:
        if root not in labels:
            raise ModelError(f"root: no node {root!r}{nearest(root, labels)}")
        node = labels.index(root)
    else:
        clamped = (i for i, at_rest in enumerate(rest) if at_rest)
        node = min(clamped, key=lambda i: (labels[i].isdecimal(), i), default=0)
    return node, not rest[node]


def _as_modes(data: ModalData) -> ModalData:
    """The data in coordinates with a unit mass matrix and a diagonal stiffness; as it is if it has them."""
    G, K = ((A + A.T) / 2.0 for A in (data.mass_matrix, data.stiffness))
    n = len(G)
    d = np.sqrt(np.diagonal(K))
    if n == 0 or max(np.abs(G - np.eye(n)).max(), np.abs(K / np.outer(d, d) - np.eye(n)).max()) <= MODAL:
        return replace(data, mass_matrix=np.eye(n), stiffness=np.diag(np.diagonal(K)))
    try:
        squares, y = scipy.linalg.eigh(K, G)
    except np.linalg.LinAlgError:
        lowest = np.linalg.eigvalsh(G / np.sqrt(np.outer(np.diagonal(G), np.diagonal(G))))[0]
        raise ModelError(
            f"mass matrix: expected a positive definite one, got the eigenvalue {lowest:.3g} (diagonal scaled to 1)"
        ) from None
    if not squares[0] > 0:
        raise ModelError(
            f"stiffness: expected a positive definite matrix, got the squared frequency {squares[0]:.6g} rad^2/s^2; "
            "leave rigid motions out: they are those of the joint"
        )
    y = y * np.sign(y[np.abs(y).argmax(axis=0), np.arange(n)])
    made = data.in_coordinates(y)
    return replace(made, mass_matrix=np.eye(n), stiffness=np.diag(squares))


def _require_mass(data: ModalData) -> None:
    """Refuse a mass matrix, of the frame's motion and of the coordinates, with negative eigenvalues."""
    own, n, h = data.integrals, len(data.coordinates), np.cross(np.eye(3), data.integrals.moment)
    F, E = own.F_0, own.E
    M = np.block([[own.J_0, h, F.T], [-h, own.mass * np.eye(3), E.T], [F, E, np.eye(n)]])
    lowest = _lowest(M)
    if lowest < -INDEFINITE:
        raise ModelError(
            f"mass, inertia and coupling with the coordinates: expected a positive definite mass matrix, got the "
            f"eigenvalue {lowest:.3g} (diagonal scaled to 1); are the numbers of one body, with enough digits?"
        )
    if not data.lacking:
        N = own.N.dense().transpose(0, 2, 1, 3).reshape(3 * n, 3 * n)
        modes = np.concatenate([E[:, None], own.X], axis=1).transpose(1, 0, 2).reshape(4, 3 * n)
        lowest = _lowest(np.block([[own.rigid, modes], [modes.T, N]]))
        if lowest < -UNREAL:
            warn(
                f"modal integrals: no mass has these, an eigenvalue of theirs is {lowest:.3g} (diagonal scaled to 1); "
                "were they rounded, or taken from different masses?",
                PhysicsWarning,
            )


def _lowest(M: Floats) -> float:
    """Lowest eigenvalue of a symmetric matrix whose diagonal is scaled to one."""
    d = np.diagonal(M)
    size = np.where(d > 1e-14 * np.abs(M).max(), np.sqrt(np.abs(d)), np.sqrt(np.abs(M).max()))
    return float(np.linalg.eigvalsh(M / np.outer(size, size))[0])


def _frames(data: ModalData, node: int, frames: Mapping[str, str] | None) -> dict[str, int]:
    """Nodes by the names of their frames, the root among them."""
    if frames is None:
        frames = {label: label for label in data.labels}
    known: dict[str, int] = {}
    number = {label: i for i, label in enumerate(data.labels)}
    for name, label in frames.items():
        if not name or "/" in name or "." in name:
            raise ModelError(
                f"frames: expected names without '/' and '.', got {name!r}; give `frames` with other names"
            )
        if str(label) not in number:
            raise ModelError(f"frames: {name!r}: no node {label!r}{nearest(str(label), data.labels)}")
        known[name] = number[str(label)]
    return known if node in known.values() else {data.labels[node]: node} | known


def _turning(shapes: Floats) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """(k,) which nodes have rotations of their own: not those that move and never turn while others turn.

    Such are the nodes of solid elements beside those of rigid regions.
    """
    turn, move = (np.abs(shapes[:, part]).max(axis=(1, 2), initial=0.0) for part in (slice(3), slice(3, 6)))
    turns, moves = (x > AT_REST * x.max(initial=0.0) for x in (turn, move))  # rounding beside others is no motion
    return np.asarray(turns | ~(turns.any() & moves))


def _body(data: ModalData, root: str, frames: dict[str, int], basis: str) -> FlexibleBody:
    second = None
    if data.geometric is not None and not data.lacking and data.coordinates:
        size = extent(data.positions) or 1.0
        second = second_order_from(data.geometric, data.integrals, len(data.labels), frames, size)
    return modal_body(
        basis,
        root,
        frames,
        data.positions,
        _turning(data.shapes),
        data.shapes.reshape(6 * len(data.labels), -1),
        np.diagonal(data.stiffness),
        scipy.sparse.csr_array((data.damping + data.damping.T) / 2.0),
        data.integrals,
        second,
        data.lacking,
    )
