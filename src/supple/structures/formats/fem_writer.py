"""MBDyn's modal data (.fem): shapes, modal matrices, invariants and matrices of geometric stiffening.

Groups as in `imports.mbdyn`. Interface nodes of record group 19 are the named frames but the root, in their order: the
modal joint in MBDyn has to name them in that order, and the root as its origin node.
"""

from __future__ import annotations

import os

import numpy as np

from supple.checks import Floats
from supple.errors import ModelError
from supple.structures.body.modal_integrals import axial
from supple.structures.formats.modal_data import ModalData
from supple.structures.formats.text_files import table, write_lines
from supple.structures.stiffening.stiffening_matrices import GeometricMatrices, spin_parts


def write_mbdyn(data: ModalData, path: str | os.PathLike[str]) -> None:
    """Write modal data for MBDyn."""
    for label in data.labels:
        if label.split() != [label]:
            raise ModelError(f"frame {label!r}: labels of MBDyn have no blanks")
    write_lines(path, _lines(data))


def _lines(data: ModalData) -> list[str]:
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
    for group, what, values in _matrices(data):
        out += ["**", f"** RECORD GROUP {group}, {what}", *table(values)]
    if data.geometric is not None:
        out += _geometric(data.geometric, n)
    return [*out, "**"]


def _matrices(data: ModalData) -> list[tuple[int, str, Floats]]:
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


def _geometric(matrices: GeometricMatrices, n: int) -> list[str]:
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
