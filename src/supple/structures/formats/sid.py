"""SID_FEM: standard input data of flexible bodies, as FEMBS, FEMBeam and others write them.

After O. Wallrapp (1994), and Schwertassek and Wallrapp (1999), table 6.9. With the integrals of `structures.integrals`,
those of geometric stiffening of `geometric_matrices`, C4_l = int x~ Psi_l~ = X_l* - tr(X_l) I and [A] for the factors
of w_x^2, w_y^2, w_z^2, w_x w_y, w_y w_z, w_z w_x in w* A w - w* w tr(A):

    mdCM = int x, J = tr(S_0) I - S_0     Ct = E, Ct1 = E2        Cr = ax(X), Cr1[l, m] = ax(N(m, l)) + ax(X2(m, l))
    Gr = -2 C4, Gr1[l, m] = -2 int Psi_m~ Psi_l~                  Ge[m, l] = 2 ax(N(l, m))
    Oe[l] = [X_l], Oe1[l, m] = [N(m, l) + X2(m, l)]
    node: origin position, phi and psi displacement and rotation, phi1 and psi1 those of second order
"""

from __future__ import annotations

import os
from collections.abc import Mapping

import numpy as np

from supple.call_checks import checked
from supple.checks import Floats
from supple.errors import FileFormatError, ModelError, OmissionWarning, PhysicsWarning, warn
from supple.structures.body.flexible_body import FlexibleBody
from supple.structures.body.modal_integrals import ModalIntegrals, no_pairs, pairs
from supple.structures.discretization.dof_map import cross_matrix
from supple.structures.formats.modal_body import flexible_body
from supple.structures.formats.modal_data import ModalData
from supple.structures.formats.sid_text import SidReader, SidText
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
