"""SID_FEM, read and written: standard input data of flexible bodies, as FEMBS, FEMBeam and others write them.

After O. Wallrapp (1994), and Schwertassek and Wallrapp (1999), table 6.9. With the integrals of `body.integration`,
those of geometric stiffening of `geometric_matrices`, C4_l = int x~ Psi_l~ = X_l* - tr(X_l) I and [A] for the factors
of w_x^2, w_y^2, w_z^2, w_x w_y, w_y w_z, w_z w_x in w* A w - w* w tr(A):

    mdCM = int x, J = tr(S_0) I - S_0     Ct = E, Ct1 = E2        Cr = ax(X), Cr1[l, m] = ax(N(m, l)) + ax(X2(m, l))
    Gr = -2 C4, Gr1[l, m] = -2 int Psi_m~ Psi_l~                  Ge[m, l] = 2 ax(N(l, m))
    Oe[l] = [X_l], Oe1[l, m] = [N(m, l) + X2(m, l)]
    node: origin position, phi and psi displacement and rotation, phi1 and psi1 those of second order

Written files have the terms of first order of Gr too, by which a reader can tell the integrals N from those of
geometric stiffening.
"""

from __future__ import annotations

import os
from collections.abc import Mapping

import numpy as np

from supple.call_checks import checked
from supple.checks import Floats
from supple.errors import FileFormatError, ModelError, OmissionWarning, PhysicsWarning, warn
from supple.structures.body.flexible_body import FlexibleBody
from supple.structures.body.modal_integrals import ModalIntegrals, axial, no_pairs, pairs
from supple.structures.discretization.dof_map import cross_matrix
from supple.structures.formats.modal_body import flexible_body
from supple.structures.formats.modal_data import ModalData
from supple.structures.formats.sid_text import SidReader, SidText
from supple.structures.formats.text_files import write_lines
from supple.structures.stiffening.stiffening_matrices import GeometricMatrices, from_spin_parts, spin_parts


@checked
def read_sid(
    path: str | os.PathLike[str],
    root: str | None = None,
    frames: Mapping[str, str] | None = None,
    length: float = 1.0,
    mass: float = 1.0,
) -> FlexibleBody:
    """A flexible body from a SID_FEM file.

    Files without terms of first order in Oe, or without Ge, say nothing of the products of modes: their bodies are of
    fidelity "ruthless" only.

    Parameters
    ----------
    path : str or path
    root : str, optional
        Label of the node at the inboard hinge; by default a node that no coordinate moves, else the first one.
    frames : dict of str to str, optional
        Labels of nodes by the names that they get as frames; by default every node is a frame with its own label.
    length, mass : float
        Metres and kilograms in the file's units, 1e-3 and 1e3 for a file in mm, t and s.
    """
    sid = SidReader(path).read()
    try:
        return flexible_body(_data(sid, path).in_units(length, mass), root, frames)
    except FileFormatError:
        raise
    except ModelError as error:
        raise FileFormatError(f"{path}: {error}") from None


def _data(sid: SidText, path: str | os.PathLike[str]) -> ModalData:
    n = len(sid.names)
    m0 = {name: block.m0 for name, block in sid.blocks.items() if block.m0 is not None}
    for name in ("mdCM", "J", *(("Ct", "Cr", "Me", "Ke") if n else ())):
        if name not in m0:
            raise FileFormatError(f"{path}: expected a block {name!r} with numbers")
    if np.any(m0.get("ksigma", 0.0)):
        warn(f"{path}: stresses of reference (ksigma) are left out", OmissionWarning)
    if any("AP" in x and x["AP"].m0 is not None and not np.allclose(x["AP"].m0, np.eye(3)) for x in sid.nodes.values()):
        warn(f"{path}: orientations of nodes (AP) are left out: frames have the axes of the body", OmissionWarning)
    X = _second(m0, n, path)
    N, geometric, lacking = _products(sid, m0, n)
    J = m0["J"]
    blocks = list(sid.nodes.values())
    values = [(np.asarray(x["origin"].m0), np.asarray(x["psi"].m0), np.asarray(x["phi"].m0)) for x in blocks]
    if geometric is not None:
        _warn_of_signs(geometric, m0["mdCM"][:, 0], [x[:, 0] for x, _, _ in values], list(sid.nodes), path)
    second = np.trace(J) / 2.0 * np.eye(3) - (J + J.T) / 2.0
    E = m0.get("Ct", np.zeros((n, 3)))
    return ModalData(
        integrals=ModalIntegrals(sid.mass, m0["mdCM"][:, 0], second, E, X, no_pairs(n) if N is None else pairs(N)),
        mass_matrix=m0.get("Me", np.zeros((n, n))),
        stiffness=m0.get("Ke", np.zeros((n, n))),
        damping=m0.get("De", np.zeros((n, n))),
        coordinates=tuple(sid.names),
        labels=tuple(sid.nodes),
        positions=np.array([x[:, 0] for x, _, _ in values]).reshape(-1, 3),
        shapes=np.array([np.concatenate([turn, move]) for _, turn, move in values]).reshape(-1, 6, n),
        geometric=geometric,
        lacking=lacking,
    )


def _second(m0: dict[str, Floats], n: int, path: str | os.PathLike[str]) -> Floats:
    """X (n, 3, 3): ax(X) from Cr, its symmetric part from Gr or Oe."""
    if n == 0:
        return np.zeros((0, 3, 3))
    if "Gr" in m0:
        C4 = -m0["Gr"].reshape(3, n, 3).transpose(1, 0, 2) / 2.0
        even = (C4 + C4.transpose(0, 2, 1)) / 2.0 - np.trace(C4, axis1=1, axis2=2)[:, None, None] / 2.0 * np.eye(3)
        return even - cross_matrix(m0["Cr"]) / 2.0
    if "Oe" in m0:
        return from_spin_parts(m0["Oe"].T, m0["Cr"].T).transpose(2, 0, 1)
    raise FileFormatError(f"{path}: expected a block 'Gr' or 'Oe' with numbers")


def _products(sid: SidText, m0: dict[str, Floats], n: int) -> tuple[Floats | None, GeometricMatrices | None, str]:
    """N (n, n, 3, 3), matrices of geometric stiffening, and what is missing for full fidelity."""
    m1 = {name: block.m1 for name, block in sid.blocks.items() if block.m1 is not None}
    if n == 0:
        return np.zeros((0, 0, 3, 3)), None, ""
    if "Oe" not in m1 or "Ge" not in m0:
        missing = "terms of first order in Oe" if "Oe" not in m1 else "Ge"
        return None, None, f"{missing} of SID_FEM, products of modes, are not in the file"
    F1 = m0["Ge"].reshape(n, n, 3).transpose(1, 0, 2) / 2.0  # [l, m]: int Psi_l x Psi_m
    Cr = m1.get("Cr", F1.transpose(1, 2, 0))
    turned = Cr.transpose(2, 0, 1) - F1  # [m, l]: ax X2
    X2_axial = _symmetric(turned.transpose(2, 0, 1))
    E2 = _symmetric(m1.get("Ct", np.zeros((n, 3, n))).transpose(1, 0, 2))
    spin = m1["Oe"].transpose(1, 2, 0)  # [., m, l]
    loaded = {i: g for i, g in enumerate(map(_node_second, sid.nodes.values(), [n] * len(sid.nodes))) if g.any()}
    tell = np.abs(X2_axial).max() > 1e-9 * max(np.abs(F1).max(), np.abs(spin).max())
    if "Gr" in m1:
        C6 = -m1["Gr"].reshape(3, n, 3, n).transpose(1, 3, 0, 2) / 2.0  # [l, k]
        N = C6 - np.trace(C6, axis1=2, axis2=3)[..., None, None] / 2.0 * np.eye(3)
        spin_2 = _symmetric(spin - spin_parts(N.transpose(2, 3, 0, 1)))
    elif E2.any() or loaded or tell:
        spin_2 = _spin_of_stiffening(sid, m0, _symmetric(spin))
        N = from_spin_parts(spin - spin_2, F1.transpose(2, 0, 1)).transpose(2, 3, 0, 1)
    else:
        return from_spin_parts(spin, F1.transpose(2, 0, 1)).transpose(2, 3, 0, 1), None, ""
    geometric = GeometricMatrices(E2, from_spin_parts(spin_2, X2_axial), loaded)
    return N, geometric if E2.any() or loaded or geometric.X2.any() else None, ""


def _spin_of_stiffening(sid: SidText, m0: dict[str, Floats], spin: Floats) -> Floats:
    """What of Oe1 is that of X2, where Gr1 does not tell it from N.

    Only their sum matters to the order of these files. tr(N) is the modal mass, so that tr(X2) is known; as
    foreshortening goes along a body, X2 is taken with the directions of int x x*, which for a straight beam is exact.
    """
    J = m0["J"]
    S = np.trace(J) / 2.0 * np.eye(3) - (J + J.T) / 2.0
    trace = -spin[:3].sum(axis=0) / 2.0 - _symmetric(m0["Me"])
    return spin_parts((S / np.trace(S))[:, :, None, None] * trace)


def _warn_of_signs(
    geometric: GeometricMatrices, moment: Floats, places: list[Floats], labels: list[str], path: str | os.PathLike[str]
) -> None:
    """A body that gets shorter does so for its mass as for its nodes; some files have phi1 with the other sign."""
    whole = float(np.einsum("a,arr->", moment, geometric.E2))
    for i, g in geometric.nodes.items():
        if whole * float(np.einsum("a,arr->", places[i], g[3:])) < 0.0:
            warn(
                f"{path}: node {labels[i]!r}: forces there and accelerations (phi and Ct of first order) stiffen the "
                "body with opposite signs; has phi the sign of a displacement?",
                PhysicsWarning,
            )
            return


def _node_second(blocks: Mapping[str, object], n: int) -> Floats:
    """Rotation and displacement of second order of a node (6, n, n)."""
    parts = [getattr(blocks[name], "m1", None) for name in ("psi", "phi")]
    return _symmetric(np.concatenate([np.zeros((3, n, n)) if x is None else x for x in parts]))


def _symmetric(A: Floats) -> Floats:
    return (A + np.swapaxes(A, -1, -2)) / 2.0


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
