"""The arrays of flexible bodies: what the recursions need of their modes, attachment nodes and ports, computed once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy

from supple.checks import Floats
from supple.recursions.tree import Flex
from supple.structures.body import FlexibleBody, ShapeFrame
from supple.structures.integrals import axial

if TYPE_CHECKING:
    from supple.description.description import Description

DEPENDENT = 1e-12
"""What is left of a direction of Omega, relative to its own compliance, when the others before it explain it."""


@dataclass(frozen=True, eq=False)
class Constants:
    """What a flexible body is to the recursions, apart from where it stands.

    Attributes
    ----------
    row : int
        Where its modes stand in the arrays of rows.
    coupling : (n, 6) array
        M_fr of the undeformed body.
    modal participation : (n, 6) array
        Lam M_fr.
    lower : sparse array
        L of G = L D L*, unit diagonal.
    scale : (n,) array
        1 / D.
    """

    row: int
    coupling: Floats
    participation: Floats
    lower: scipy.sparse.csr_array
    scale: Floats

    def solve(self, x: Floats) -> Floats:
        """Lam x of the columns of x (n, m)."""
        y = scipy.sparse.linalg.spsolve_triangular(self.lower, x, lower=True, unit_diagonal=True)
        return scipy.sparse.linalg.spsolve_triangular(
            self.lower.T.tocsr(), self.scale[:, None] * y, lower=False, unit_diagonal=True
        )


def flexible_arrays(mech: Description, number: dict[str, int], q_mode: Any, v_mode: Any) -> Flex | None:
    """The flexible bodies of a description as read-only arrays; None if there are none."""
    if not any(isinstance(placed.body, FlexibleBody) for placed in mech.bodies.values()):
        return None
    bodies = [None, *(placed.body for placed in mech.bodies.values())]
    made = [body if isinstance(body, FlexibleBody) else None for body in bodies]
    modes = np.array([body.modes if body else 0 for body in made])
    full = np.array([False, *(placed.fidelity == "full" for placed in mech.bodies.values())]) & (modes > 0)
    rows = _Rows()
    constants = [rows.add(body) if body else None for body in made]
    attachments = _Attachments()
    out: dict[str, Any] = {
        "modes": modes,
        "full": full,
        "q_mode": q_mode,
        "v_mode": v_mode,
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
    parents = [0, *(number[placed.parent] for placed in mech.bodies.values())]
    out |= _ports(made, constants, parents, child_shapes)
    out |= rows.arrays() | attachments.arrays()
    for x in out.values():
        x.flags.writeable = False
    return Flex(**out)


def attachment_frame(body: FlexibleBody | None, node: str) -> ShapeFrame:
    """The frame of a node that is known to be on a flexible body."""
    assert body is not None
    return body.frame(node)


class _Rows:
    """The arrays of rows, one a mode; a body that occurs several times has its rows once."""

    def __init__(self) -> None:
        self.known: dict[int, Constants] = {}
        self.parts: list[tuple[FlexibleBody, Constants]] = []
        self.count = 0

    def add(self, body: FlexibleBody) -> Constants:
        """Constants of a body."""
        found = self.known.get(id(body))
        if found is None:
            found = self.known[id(body)] = _constants(body, self.count)
            self.parts.append((body, found))
            self.count += body.modes
        return found

    def arrays(self) -> dict[str, Any]:
        """The fields of `Flex` with a row for each mode."""
        bodies = [body for body, _ in self.parts]
        mesh = [_off_diagonal(body) for body in bodies]
        factors = [scipy.sparse.tril(c.lower, -1, format="csr") for _, c in self.parts]
        pairs = [body.integrals.N for body in bodies]
        return {
            "mode_momentum": _stack([b.integrals.E for b in bodies], 3),
            "mode_second": _stack([b.integrals.X.reshape(-1, 9) for b in bodies], 9),
            "mode_participation": _stack([c.participation for _, c in self.parts], 6),
            "pair_first": _firsts([p.first for p in pairs]),
            "pair_mode": _join([p.other for p in pairs]),
            "pair_value": _stack([p.value.reshape(-1, 9) for p in pairs], 9),
            "pair_axial": _stack([axial(p.value) for p in pairs], 3),
            "offdiagonal_first": _firsts([m.indptr for m, _ in mesh]),
            "offdiagonal_mode": _join([m.indices for m, _ in mesh]),
            "offdiagonal_value": _stack([values for _, values in mesh], 3),
            "factor_first": _firsts([f.indptr for f in factors]),
            "factor_mode": _join([f.indices for f in factors]),
            "factor_value": np.concatenate([np.zeros(0), *(f.data for f in factors)]),
            "factor_scale": np.concatenate([np.zeros(0), *(c.scale for _, c in self.parts)]),
        }


class _Attachments:
    """The attachment nodes, and the rows of their shapes; a node that is used several times has its rows once."""

    def __init__(self) -> None:
        self.rows: dict[tuple[int, bytes], int] = {}
        self.shapes: list[Floats] = []
        self.gains: list[Floats] = []
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
            self.shapes.append(frame.shape.T)
            self.gains.append(constants.solve(frame.shape.T))
            self.count += frame.shape.shape[1]
        self.bodies.append(k)
        self.first.append(self.rows[key])
        self.positions.append(frame.position)
        return len(self.bodies) - 1

    def arrays(self) -> dict[str, Any]:
        """The fields of `Flex` about attachment nodes."""
        return {
            "attachment_body": np.array(self.bodies, dtype=np.int64),
            "attachment_row": np.array(self.first, dtype=np.int64),
            "attachment_position": _stack([p[None] for p in self.positions], 3),
            "attachment_shape": _stack(self.shapes, 6),
            "attachment_gain": _stack(self.gains, 6),
        }


def _constants(body: FlexibleBody, row: int) -> Constants:
    """G factored without fill beyond its band, and what follows from it."""
    G = scipy.sparse.csc_array(body.mass_matrix)
    if body.modes == 0:
        return Constants(row, np.zeros((0, 6)), np.zeros((0, 6)), scipy.sparse.csr_array((0, 0)), np.zeros(0))
    lu = scipy.sparse.linalg.splu(G, permc_spec="NATURAL", diag_pivot_thresh=0.0, options={"SymmetricMode": True})
    lower, scale = scipy.sparse.csr_array(lu.L), 1 / lu.U.diagonal()
    coupling = np.concatenate([axial(body.integrals.X), body.integrals.E], axis=1)
    found = Constants(row, coupling, np.zeros_like(coupling), lower, scale)
    return Constants(row, coupling, found.solve(coupling), lower, scale)


def _off_diagonal(body: FlexibleBody) -> tuple[scipy.sparse.csr_array, Floats]:
    """Pattern of G, K and C off the diagonal, and their values there (entries, 3)."""
    parts = [scipy.sparse.csr_array(x) for x in (body.mass_matrix, body.stiffness, body.damping)]
    G, K, C = (abs(x) for x in parts)
    pattern = scipy.sparse.csr_array(G + K + C)
    pattern.setdiag(0.0)
    pattern.eliminate_zeros()
    pattern.sort_indices()
    entries = pattern.tocoo()
    values = [np.asarray(x[entries.row, entries.col]).reshape(-1) for x in parts]
    return pattern, np.stack(values, axis=1) if entries.nnz else np.zeros((0, 3))


def spatial_inertia(body: FlexibleBody) -> Floats:
    """M_rr (6, 6) of the undeformed body at its origin."""
    h = _cross(body.integrals.moment)
    return np.block([[body.about_origin(), h], [-h, body.mass * np.eye(3)]])


def _condensed_inertias(made: list[FlexibleBody | None], constants: list[Constants | None]) -> Floats:
    """M_rr - M_rf Lam M_fr of the undeformed bodies, 21 numbers each."""
    out = np.zeros((len(made), 21))
    for k, (body, c) in enumerate(zip(made, constants, strict=True)):
        if body and c:
            S = spatial_inertia(body) - c.coupling.T @ c.participation
            upper = np.triu_indices(3)
            out[k] = np.concatenate([S[:3, :3][upper], S[:3, 3:].reshape(9), S[3:, 3:][upper]])
    return out


def _ports(
    made: list[FlexibleBody | None],
    constants: list[Constants | None],
    parents: list[int],
    children: list[tuple[int, ShapeFrame]],
) -> dict[str, Any]:
    """Children of each flexible body, and the matrices of its ports."""
    rest = np.zeros((len(made), 36))
    columns = np.zeros(len(made), dtype=np.int64)
    first, start, order = [0], [0], []
    compliances, factors = [np.zeros(0)], [np.zeros(0)]
    for k in range(len(made)):
        own = [(c, frame) for c, frame in children if parents[c] == k]
        constant = constants[k]
        if own and constant:
            shapes = np.concatenate([frame.shape for _, frame in own])
            gains = constant.solve(shapes.T)
            for i, (c, frame) in enumerate(own):
                phi = np.eye(6)
                phi[:3, 3:] = _cross(frame.position)
                rest[c] = (phi - constant.coupling.T @ gains[:, 6 * i : 6 * i + 6]).reshape(36)
            Omega = _clean(shapes @ gains)
            F = _factor(Omega)
            columns[k] = F.shape[1]
            compliances.append(Omega.reshape(-1))
            factors.append(np.pad(F, ((0, 0), (0, len(F) - F.shape[1]))).reshape(-1))
            order += [c for c, _ in own]
        first.append(len(order))
        start.append(start[-1] + (6 * len(own)) ** 2)
    return {
        "attachment_rest": rest,
        "columns": columns,
        "port_first": np.array(first),
        "port_child": np.array(order, dtype=np.int64),
        "port_matrix": np.array(start),
        "compliance": np.concatenate(compliances),
        "column": np.concatenate(factors),
    }


def _clean(Omega: Floats) -> Floats:
    """Omega made symmetric, with zeros where rounding left something."""
    Omega = 0.5 * (Omega + Omega.T)
    size = np.sqrt(np.abs(np.diag(Omega)))
    return np.where(np.abs(Omega) < 1e-14 * np.outer(size, size), 0.0, Omega)


def _factor(Omega: Floats) -> Floats:
    """F, lower triangular, with F F* = Omega, which may be singular; a column for each independent direction."""
    rest = Omega.copy()
    columns = []
    for i in range(len(Omega)):
        if rest[i, i] > DEPENDENT * Omega[i, i]:
            f = rest[:, i] / np.sqrt(rest[i, i])
            f[:i] = 0.0
            columns.append(f)
            rest -= np.outer(f, f)
    return np.array(columns).T if columns else np.zeros((len(Omega), 0))


def _cross(a: Floats) -> Floats:
    """a~ (3, 3)."""
    return np.cross(np.eye(3), a)


def _stack(parts: list[Floats], width: int) -> Floats:
    return np.concatenate([np.zeros((0, width)), *parts])


def _join(parts: list[Any]) -> Any:
    return np.concatenate([np.zeros(0, dtype=np.int64), *(np.asarray(p, dtype=np.int64) for p in parts)])


def _firsts(parts: list[Any]) -> Any:
    """Row pointers of stacked sparse rows."""
    total, out = 0, [np.zeros(1, dtype=np.int64)]
    for p in parts:
        out.append(total + np.asarray(p[1:], dtype=np.int64))
        total += int(p[-1])
    return np.concatenate(out)
