"""SID_FEM, the standard input data of flexible bodies of Wallrapp (1994), with terms of first order.

Blocks as in `imports.sid`. The gyroscopic matrix Gr has its terms of first order too, by which a reader can tell the
integrals N from those of geometric stiffening.
"""

from __future__ import annotations

import os

import numpy as np

from supple.checks import Floats
from supple.structures.body.modal_integrals import axial
from supple.structures.discretization.dof_map import cross_matrix
from supple.structures.formats.modal_data import ModalData
from supple.structures.formats.text_files import write_lines
from supple.structures.stiffening.stiffening_matrices import GeometricMatrices, spin_parts

NONE, SYMMETRIC, FULL = 0, 2, 3
"""What is written of a matrix: nothing, its lower triangle, all of it."""


def write_sid(data: ModalData, path: str | os.PathLike[str]) -> None:
    """Write modal data as SID_FEM."""
    n = len(data.coordinates)
    out = [f"{len(data.labels)} nodes, {n} modes, written by supple; SI units", "part", "    new modal"]
    out += [
        "        refmod",
        f"            mass           = {data.integrals.mass!r}",
        f"            nelastq        = {n}",
    ]
    out += [f"            ielastq ({r + 1:4d}) = {name}" for r, name in enumerate(data.coordinates)]
    out += ["        end refmod", "        frame"]
    for i, label in enumerate(data.labels):
        own = None if data.geometric is None else data.geometric.nodes.get(i)
        out += _node(label, data.positions[i], data.shapes[i], own)
    out += ["        end frame", *_blocks(data), "    end modal", "end part"]
    write_lines(path, out)


def _node(label: str, position: Floats, shape: Floats, second: Floats | None) -> list[str]:
    """A node; phi and psi are displacement and rotation, their terms of first order those of second order."""
    turn, move = shape[:3], shape[3:]
    n, deep, indent = shape.shape[1], " " * 16, " " * 20
    out = [f"{deep}new node   = {label}", f"{indent}rframe = body ref"]
    out += taylor("origin", position[:, None], indent, n, move[:, None])
    out += taylor("phi", move, indent, n, None if second is None else second[3:])
    out += taylor("psi", turn, indent, n, None if second is None else second[:3])
    out += taylor("AP", np.eye(3), indent, n, cross_matrix(turn.T).transpose(1, 2, 0))
    return [*out, f"{deep}end node"]


def _blocks(data: ModalData) -> list[str]:
    """Mass, coupling, gyroscopic, centrifugal and stiffness matrices."""
    own, n, indent = data.integrals, len(data.coordinates), " " * 8
    E, X = own.E, own.X
    C4 = X.transpose(0, 2, 1) - np.trace(X, axis1=1, axis2=2)[:, None, None] * np.eye(3)
    Ct = Cr = Gr = Oe = Ge = None
    first = data.geometric or GeometricMatrices(np.zeros((3, n, n)), np.zeros((3, 3, n, n)))
    if not data.lacking:
        products = own.N.dense()
        N = products.transpose(2, 3, 0, 1)  # [a, b, s, r]
        F1 = axial(products)  # [s, r]: int Psi_s x Psi_r
        Cr = F1.transpose(1, 2, 0) + axial(first.X2.transpose(2, 3, 0, 1)).transpose(0, 2, 1)
        Oe = spin_parts(N.transpose(0, 1, 3, 2) + first.X2).transpose(1, 0, 2)
        C6 = products - np.trace(products, axis1=2, axis2=3)[..., None, None] * np.eye(3)  # [l, k]: int Psi_k~ Psi_l~
        Gr = -2.0 * C6.transpose(2, 0, 3, 1).reshape(3, 3 * n, n)
        Ge = 2.0 * F1.transpose(1, 0, 2).reshape(n, 3 * n)
    if data.geometric is not None:
        Ct = first.E2.transpose(1, 0, 2)
    return [
        *taylor("mdCM", own.moment[:, None], indent, n, E.T[:, None]),
        *taylor("J", own.J_0, indent, n, (-C4 - C4.transpose(0, 2, 1)).transpose(1, 2, 0), SYMMETRIC),
        *taylor("Ct", E, indent, n, Ct),
        *taylor("Cr", own.F_0, indent, n, Cr),
        *taylor("Me", data.mass_matrix, indent, 0, None, SYMMETRIC),
        *taylor("Gr", -2.0 * C4.transpose(1, 0, 2).reshape(3, 3 * n), indent, n, Gr),
        *taylor("Ge", np.zeros((n, 3 * n)) if Ge is None else Ge, indent, 0, None, NONE if Ge is None else FULL),
        *taylor("Oe", spin_parts(X.transpose(1, 2, 0)).T, indent, n, Oe),
        *taylor("ksigma", np.zeros((n, 1)), indent, n, None, NONE),
        *taylor("Ke", data.stiffness, indent, 0, None, SYMMETRIC),
        *taylor("De", data.damping, indent, 0, None, SYMMETRIC if data.damping.any() else NONE),
    ]


def taylor(
    name: str, m0: Floats, indent: str, coordinates: int, m1: Floats | None = None, structure: int = FULL
) -> list[str]:
    """A matrix m0 (rows, columns) and its derivatives m1 (rows, columns, coordinates)."""
    rows, columns = m0.shape
    head = {"order": int(m1 is not None), "nrow": rows, "ncol": columns, "nq": coordinates, "nqn": 0}
    out = [f"{indent}{name}", *(f"{indent}    {key:<12} = {x}" for key, x in {**head, "structure": structure}.items())]
    if structure != NONE:
        for i in range(rows):
            for j in range(i + 1 if structure == SYMMETRIC else columns):
                out.append(f"{indent}    m0({i + 1:2d},{j + 1:2d})    = {float(m0[i, j])!r}")
    if m1 is not None:
        for (i, j, k), x in np.ndenumerate(m1):
            out.append(f"{indent}    m1({i + 1:2d},{j + 1:2d},{k + 1:2d}) = {float(x)!r}")
    return [*out, f"{indent}end {name}"]
