"""MBDyn's modal data (.fem), read and written, with or without invariants and matrices of geometric stiffening.

Record groups, in any order, after MBDyn's input manual and its reader modal.cc; mboct-fem-pkg writes them all. Shapes
are displacement before rotation. With the integrals of `structures.body.integration`:

    14, 15   Inv3 = E, Inv4 = ax(X), 3 x n                 16   Inv8_j = tr(X_j) I - X_j*, 3 x 3 n
    17       Inv5_jk = ax(N(j, k)), 3 x n^2                18   Inv9_jk = N(k, j) - tr(N) I, 3 x 3 n^2
    19       stiffness of unit loads: tags 1-6 spin, 7-9 angular, 10-12 linear acceleration, then 6 an interface

Interface nodes of record group 19 that are written are the named frames but the root, in their order: the modal joint
in MBDyn has to name them in that order, and the root as its origin node.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from supple.call_checks import checked
from supple.checks import Floats
from supple.errors import FileFormatError, ModelError, OmissionWarning, nearest, warn
from supple.structures.body.flexible_body import FlexibleBody
from supple.structures.body.integration import modal_integrals
from supple.structures.body.modal_integrals import ModalIntegrals, axial, no_pairs, pairs
from supple.structures.builders.from_modes import NodalMasses
from supple.structures.discretization.dof_map import DofLayout, cross_matrix
from supple.structures.formats.modal_body import flexible_body, root_node
from supple.structures.formats.modal_data import ModalData
from supple.structures.formats.text_files import numbers, read_lines, table, write_lines, wrong
from supple.structures.stiffening.stiffening_matrices import GeometricMatrices, from_spin_parts, spin_parts

GROUP = re.compile(r"\*\*\s*RECORD\s+GROUP\s+(\d+)", re.IGNORECASE)
NEEDED = {1: "header", 2: "node list", 5: "x coordinates", 6: "y coordinates", 7: "z coordinates", 8: "mode shapes"}
NEEDED |= {9: "modal mass matrix", 10: "modal stiffness matrix"}


@dataclass(frozen=True)
class Groups:
    """Record groups of a file, with the counts of its header."""

    path: str | os.PathLike[str]
    lines: dict[int, list[tuple[int, str]]]
    start: dict[int, int]
    nodes: int
    modes: int
    rejected: int

    def __contains__(self, group: int) -> bool:
        return group in self.lines

    def numbers(self, group: int, *shape: int) -> Floats:
        """An array that fills a whole group."""
        count = int(np.prod(shape, dtype=object))
        what = f"record group {group}"
        return numbers(self.path, self.lines[group], what, count, self.start[group]).reshape(shape)


@checked
def read_mbdyn(
    path: str | os.PathLike[str],
    root: str | None = None,
    frames: Mapping[str, str] | None = None,
    interfaces: Sequence[str] | None = None,
    length: float = 1.0,
    mass: float = 1.0,
) -> FlexibleBody:
    """A flexible body from modal data of MBDyn.

    Parameters
    ----------
    path : str or path
        The .fem file.
    root : str, optional
        Label of the node at the inboard hinge; by default a node that no mode moves, else the first one.
    frames : dict of str to str, optional
        Labels of nodes by the names that they get as frames; by default every node is a frame with its own label.
    interfaces : sequence of str, optional
        Labels of the interface nodes in the order of MBDyn's modal joint, which record group 19 counts them in; by
        default all nodes but the root, in the order of the file.
    length, mass : float
        Metres and kilograms in the file's units, 1e-3 and 1e3 for a file in mm, t and s.
    """
    groups = _groups(path)
    try:
        data = _data(groups, root, interfaces)
        return flexible_body(data.in_units(length, mass), root, frames)
    except FileFormatError:
        raise
    except ModelError as error:
        raise FileFormatError(f"{path}: {error}") from None


def _groups(path: str | os.PathLike[str]) -> Groups:
    lines: dict[int, list[tuple[int, str]]] = {}
    start: dict[int, int] = {}
    group = 0
    for i, line in enumerate(read_lines(path), start=1):
        found = GROUP.match(line.strip())
        if found:
            group = int(found[1][:19])
            if group in lines:
                raise wrong(path, i, f"record group {group} is there already, in line {start[group]}")
            lines[group], start[group] = [], i
        elif group and line.strip() and not line.lstrip().startswith("**"):
            lines[group].append((i, line))
    if not lines:
        raise FileFormatError(f"{path}: expected modal data of MBDyn, got a file without '** RECORD GROUP 1'")
    for needed, what in NEEDED.items():
        if needed not in lines:
            raise FileFormatError(f"{path}: expected record group {needed}, {what}; the file has {sorted(lines)}")
    words = " ".join(text for _, text in lines[1]).split()
    at = lines[1][0][0] if lines[1] else start[1]
    if len(words) != 6 or not all(word.isdecimal() for word in words[1:]):
        raise wrong(path, at, f"record group 1: expected a revision and five counts, got {' '.join(words)[:80]!r}")
    nodes, normal, attached, constraint, rejected = (int(word[:19]) for word in words[1:])
    modes = normal + attached + constraint - rejected
    if nodes < 1 or modes < 0:
        raise wrong(path, at, f"record group 1: expected nodes and modes, got {nodes} and {modes}")
    return Groups(path, lines, start, nodes, modes, rejected)


def _data(groups: Groups, root: str | None, interfaces: Sequence[str] | None) -> ModalData:
    """What the groups say, in units of the file."""
    n, k = groups.modes, groups.nodes
    labels = _labels(groups)
    x = np.stack([groups.numbers(group, k) for group in (5, 6, 7)], axis=1)
    written = groups.numbers(8, groups.rejected + n, k, 6)[groups.rejected :]
    shapes = np.concatenate([written[..., 3:], written[..., :3]], axis=2).transpose(1, 2, 0)
    G, K = groups.numbers(9, n, n), groups.numbers(10, n, n)
    C = groups.numbers(13, n, n) if 13 in groups else np.zeros((n, n))
    for group in (3, 4):
        if group in groups and groups.numbers(group, n).any():
            warn(
                f"{groups.path}: initial values of the modes (record group {group}) are left out: a run has its own",
                OmissionWarning,
            )
    integrals, lacking = _integrals(groups, x, shapes)
    geometric = _geometric(groups, labels, shapes, root, interfaces) if 19 in groups else None
    names = tuple(f"mode {i + 1}" for i in range(n))
    return ModalData(integrals, G, K, C, names, labels, x, shapes, geometric, lacking)


def _labels(groups: Groups) -> tuple[str, ...]:
    words = [word for _, line in groups.lines[2] for word in line.split()]
    if len(words) != groups.nodes:
        at = groups.lines[2][-1][0] if groups.lines[2] else groups.start[2]
        raise wrong(groups.path, at, f"record group 2: expected {groups.nodes:,} labels, got {len(words):,}")
    if len(set(words)) < len(words):
        twice = next(word for word in words if words.count(word) > 1)
        raise wrong(groups.path, groups.start[2], f"record group 2: node {twice!r} is there twice")
    return tuple(words)


def _integrals(groups: Groups, x: Floats, shapes: Floats) -> tuple[ModalIntegrals, str]:
    """Integrals, without N where it is not known, and what is missing for full fidelity."""
    n, k = groups.modes, groups.nodes
    rigid = _rigid(groups.numbers(12, 13)) if 12 in groups else None
    if 11 in groups:
        lumped = groups.numbers(11, k, 6)
        if np.ptp(lumped[:, :3], axis=1).max() > 1e-6 * lumped[:, :3].max():
            warn(
                f"{groups.path}: masses of nodes differ by direction (record group 11); as in MBDyn the first is used",
                OmissionWarning,
            )
        inertia = lumped[:, 3:, None] * np.eye(3)
        layout = DofLayout(x, np.ones(k, dtype=bool))
        rows = NodalMasses(lumped[:, 0], inertia=inertia).rows(layout)
        made = modal_integrals(rows, shapes.reshape(6 * k, n), layout, np.zeros(3))
        return (made if rigid is None else ModalIntegrals(*rigid, made.E, made.X, made.N)), ""
    if rigid is None:
        raise FileFormatError(f"{groups.path}: expected record group 12, mass and inertia, or 11, masses of nodes")
    for group, what in ((14, "invariant 3"), (15, "invariant 4")):
        if group not in groups:
            raise FileFormatError(
                f"{groups.path}: expected record group {group}, {what}, or 11, masses of nodes: without them nothing "
                "is known of the coupling between the modes and the motion of the body"
            )
    E, F = groups.numbers(14, 3, n).T, groups.numbers(15, 3, n).T
    if 16 not in groups:
        lacking = "record group 16, invariant 8 of MBDyn, is not in the file"
        return ModalIntegrals(*rigid, E, -cross_matrix(F) / 2.0, no_pairs(n)), lacking
    # Invariant 4 has the rotary inertia of nodes, invariant 8 has not: what couples is taken from the former.
    I8 = groups.numbers(16, 3, n, 3).transpose(1, 0, 2)
    X = np.trace(I8, axis1=1, axis2=2)[:, None, None] / 2.0 * np.eye(3) - (I8 + I8.transpose(0, 2, 1)) / 2.0
    X -= cross_matrix(F) / 2.0
    if 18 not in groups:
        lacking = "record group 18, invariant 9 of MBDyn, is not in the file"
        return ModalIntegrals(*rigid, E, X, no_pairs(n)), lacking
    I9 = groups.numbers(18, 3, n, n, 3).transpose(2, 1, 0, 3)  # [k, j]
    N = pairs(I9 - np.trace(I9, axis1=2, axis2=3)[..., None, None] / 2.0 * np.eye(3))
    return ModalIntegrals(*rigid, E, X, N), ""


def _rigid(values: Floats) -> tuple[float, Floats, Floats]:
    """Mass, int x and int x x* from mass, centre of mass and the inertia about it."""
    m, c, J = float(values[0]), values[1:4], values[4:].reshape(3, 3)
    J = (J + J.T) / 2.0
    return m, m * c, np.trace(J) / 2.0 * np.eye(3) - J + m * np.outer(c, c)


def _geometric(
    groups: Groups, labels: tuple[str, ...], shapes: Floats, root: str | None, interfaces: Sequence[str] | None
) -> GeometricMatrices:
    """Matrices of record group 19: a count, then a tag and an n x n matrix each."""
    n, lines, path = groups.modes, groups.lines[19], groups.path
    words = sum(len(line.split()) for _, line in lines)
    each = 1 + n * n
    if words < 1 or (words - 1) % each:
        at = lines[-1][0] if lines else groups.start[19]
        raise wrong(
            path, at, f"record group 19: expected a count and tags with {n} x {n} matrices, got {words} numbers"
        )
    values = groups.numbers(19, words)
    given = (words - 1) // each
    if values[0] != given:
        raise wrong(path, lines[0][0], f"record group 19: expected {values[0]:g} matrices, got {given}")
    if interfaces is None:
        hinge, _ = root_node(labels, shapes, root)
        interfaces = [label for i, label in enumerate(labels) if i != hinge]
    nodes = [_node(label, labels) for label in interfaces]
    found = np.zeros((12 + 6 * len(nodes), n, n))
    for block in values[1:].reshape(given, each):
        tag = int(block[0])
        if tag != block[0] or not 1 <= tag <= len(found):
            raise wrong(
                path,
                groups.start[19],
                f"record group 19: expected tags from 1 to {len(found)} for {len(nodes)} interfaces, got {block[0]:g}",
            )
        K = block[1:].reshape(n, n)
        found[tag - 1] = (K + K.T) / 2.0
    forces = found[12:].reshape(-1, 6, n, n)
    loaded = {i: -np.concatenate([K[3:], K[:3]]) for i, K in zip(nodes, forces, strict=True) if K.any()}
    return GeometricMatrices(found[9:12], from_spin_parts(found[:6], found[6:9]), loaded)


def _node(label: str, labels: tuple[str, ...]) -> int:
    if label not in labels:
        raise ModelError(f"interfaces: no node {label!r}{nearest(label, labels)}")
    return labels.index(label)


def write_mbdyn(data: ModalData, path: str | os.PathLike[str]) -> None:
    """Write modal data for MBDyn."""
    for label in data.labels:
        if label.split() != [label]:
            raise ModelError(f"frame {label!r}: labels of MBDyn have no blanks")
    write_lines(path, _written(data))


def _written(data: ModalData) -> list[str]:
    n, k = len(data.coordinates), len(data.labels)
    out = ["** MBDyn MODAL DATA FILE", '** NODE SET "ALL"', "** written by supple; SI units", "**"]
    out += ["** RECORD GROUP 1, HEADER"]
    out += ["**   REVISION,  NODE,  NORMAL, ATTACHMENT, CONSTRAINT, REJECTED MODES.", f"REV0 {k} {n} 0 0 0", "**"]
    out += ["** RECORD GROUP 2, FINITE ELEMENT NODE LIST", *data.labels, "**"]
    for group, what in ((3, "DISPLACEMENTS"), (4, "VELOCITIES")):
        out += [f"** RECORD GROUP {group}, INITIAL MODAL {what}", *table(np.zeros(n)), "**"]
    for i, axis in enumerate("XYZ"):
        out += [f"** RECORD GROUP {5 + i}, NODAL {axis} COORDINATES", *table(data.positions[:, i, None]), "**"]
    out += ["** RECORD GROUP 8, MODE SHAPES"]
    written = np.concatenate([data.shapes[:, 3:], data.shapes[:, :3]], axis=1)
    for r in range(n):
        out += [f"**    NORMAL MODE SHAPE #  {r + 1}", *table(written[:, :, r])]
    for group, what, values in _invariants(data):
        out += ["**", f"** RECORD GROUP {group}, {what}", *table(values)]
    if data.geometric is not None:
        out += _stiffening(data.geometric, n)
    return [*out, "**"]


def _invariants(data: ModalData) -> list[tuple[int, str, Floats]]:
    """Groups 9 to 18."""
    own, n = data.integrals, len(data.coordinates)
    c, X = own.moment / own.mass, own.X
    J = own.J_0 - own.mass * (float(c @ c) * np.eye(3) - np.outer(c, c))
    I8 = np.trace(X, axis1=1, axis2=2)[:, None, None] * np.eye(3) - X.transpose(0, 2, 1)
    out = [
        (9, "MODAL MASS MATRIX", data.mass_matrix),
        (10, "MODAL STIFFNESS MATRIX", data.stiffness),
        (12, "RIGID BODY INERTIA MATRIX", np.concatenate([[own.mass], c, J.ravel()])[:, None]),
        (13, "MODAL DAMPING MATRIX", data.damping),
        (14, "INVARIANT 3", own.E.T),
        (15, "INVARIANT 4", own.F_0.T),
        (16, "INVARIANT 8", I8.transpose(1, 0, 2).reshape(3, 3 * n)),
    ]
    if not data.lacking:
        N = own.N.dense().transpose(1, 0, 2, 3)  # [j, k] is N(k, j)
        I9 = N - np.trace(N, axis1=2, axis2=3)[..., None, None] * np.eye(3)
        out += [
            (17, "INVARIANT 5", axial(N).transpose(2, 1, 0).reshape(3, n * n)),
            (18, "INVARIANT 9", I9.transpose(2, 0, 1, 3).reshape(3, 3 * n * n)),
        ]
    return out


def _stiffening(matrices: GeometricMatrices, n: int) -> list[str]:
    """Group 19; matrices that are zero are left out."""
    inertial = [*spin_parts(matrices.X2), *axial(matrices.X2.transpose(2, 3, 0, 1)).transpose(2, 0, 1), *matrices.E2]
    tagged = list(enumerate(inertial, start=1))
    for i, g in matrices.nodes.items():
        tagged += enumerate(-np.concatenate([g[3:], g[:3]]), start=13 + 6 * (i - 1))
    tagged = [(tag, K) for tag, K in tagged if K.any()]
    out = ["**", "** RECORD GROUP 19, MODAL STRESS STIFFENING MATRIX", str(len(tagged))]
    for tag, K in tagged:
        out += [str(tag), *table(K)]
    return out
