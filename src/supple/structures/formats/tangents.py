"""Tangent stiffness under loads, as a finite-element program wrote it, and what of it the stresses add."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import scipy

from supple.call_checks import checked
from supple.checks import Floats, Ints, number
from supple.errors import FileFormatError, ModelError, nearest
from supple.structures.discretization.mass import Sparse
from supple.structures.discretization.validation import check_symmetric
from supple.structures.formats.raw_model import COMPONENT_NAMES, RawModel, index_of
from supple.structures.formats.units import Units
from supple.structures.stiffening.load_cases import AXES, case_names
from supple.structures.structure import Structure

Files: TypeAlias = "str | os.PathLike[str] | Sequence[str | os.PathLike[str]]"
SAME = 1e-9
"""Largest difference of a tangent and the stiffness, relative, that is rounding in their files."""


@checked
@dataclass(frozen=True)
class Tangent:
    """Where the stiffness of a mesh under a load stands.

    Attributes
    ----------
    file : path or sequence of paths
        A deck of the same mesh beside which the matrices stand, or all files, as for `read`. In the deck the root is
        held, and a nonlinear static step under the load goes before the one that writes the matrices.
    size : float
        Of the load, SI: rad/s, rad/s^2, m/s^2, N or N m.
    softened : bool
        Whether the tangent of a spin contains the centrifugal softening, -omega^2 times the masses across the axis, as
        it does in CalculiX and Abaqus. It is no stress and is taken out.
    """

    file: Files
    size: float
    softened: bool = True

    def __post_init__(self) -> None:
        if number(self.size, "tangent: size") == 0.0:
            raise ModelError("tangent: size: expected the size of the load, got 0")


@dataclass(frozen=True, eq=False)
class TangentModel:
    """What the files of a `Tangent` say, with its size and whether it is softened."""

    raw: RawModel
    size: float
    softened: bool


def tangent_stress(
    tangents: Mapping[str, TangentModel], base: RawModel, order: Ints, structure: Structure, units: Units
) -> tuple[tuple[str, ...], tuple[Sparse, ...], dict[int, str]]:
    """Return load cases, what their stresses add to the stiffness of a structure, and nodes clamped in them by name.

    Parameters
    ----------
    tangents : dict of load case to TangentModel
    base : RawModel
        The unloaded mesh, whose row `order[i]` is degree of freedom i of the structure.
    """
    known = case_names(structure.frames)
    layout = structure.layout
    unit = layout.scales(units.metre) * np.sqrt(units.kilogram) / units.second
    cases, matrices, clamped = [], [], np.zeros(len(layout.points), bool)
    for case, tangent in tangents.items():
        if case not in known:
            raise ModelError(f"tangents: {case!r}: no such load case{nearest(case, known)}")
        place = _places(tangent.raw, base, order)
        there = np.flatnonzero(place >= 0)
        clamped[layout.point[place < 0]] = True
        loaded = tangent.raw.stiffness[place[there]][:, place[there]]
        scaling = scipy.sparse.diags_array(unit[there])
        difference = scaling @ loaded @ scaling - structure.stiffness[there][:, there]
        path = tangent.raw.files[0]
        if abs(difference).max() <= SAME * abs(structure.stiffness).max():
            raise FileFormatError(
                f"{path}: tangent of {case!r}: expected another stiffness than that of the unloaded structure, got the "
                "same; is the load step nonlinear (NLGEOM), and do the matrices come after it?"
            )
        spin = case.startswith("spin about ")
        if spin and tangent.softened:
            difference = difference + tangent.size**2 * _across(structure, AXES.index(case[-1]), there)
        whole = scipy.sparse.csr_array((np.ones(len(there)), (there, np.arange(len(there)))), (layout.size, len(there)))
        matrix = scipy.sparse.csr_array(whole @ difference @ whole.T) / (tangent.size**2 if spin else tangent.size)
        cases.append(case)
        try:
            matrices.append(check_symmetric(scipy.sparse.csr_array(matrix), f"tangent of {case!r}"))
        except ModelError as error:
            raise FileFormatError(f"{path}: {error}") from None
    used = np.unique(base.dof_node)
    names = {int(i): f"node {base.labels[used[i]]}" for i in np.flatnonzero(clamped)}
    return tuple(cases), tuple(matrices), names


def _places(raw: RawModel, base: RawModel, order: Ints) -> Ints:
    """Row of the tangent for each degree of freedom of the structure; -1 where the tangent holds it."""
    index = index_of(base.labels, raw.labels[raw.dof_node], raw.files[0], f"nodes of {base.files[0].name}")
    moved = np.abs(base.nodes[index] - raw.nodes[raw.dof_node]).max(axis=1)
    worst = int(np.argmax(moved))
    if moved[worst] > SAME * max(float(np.ptp(base.nodes, axis=0).max()), 1e-300):
        raise FileFormatError(
            f"{raw.files[0]}: node {raw.labels[raw.dof_node[worst]]}: expected the position that {base.files[0].name} "
            f"has, got one {moved[worst]:.3g} away"
        )
    row = np.full((len(base.labels), len(COMPONENT_NAMES)), -1, np.int64)
    row[index, raw.dof_component] = np.arange(len(index))
    return row[base.dof_node[order], base.dof_component[order]]


def _across(structure: Structure, axis: int, rows: Ints) -> Sparse:
    """Mass matrix of displacements across an axis, in some rows."""
    component = structure.layout.component
    keep: Floats = ((component >= 3) & (component != 3 + axis)).astype(np.float64)
    across = scipy.sparse.diags_array(keep)
    return scipy.sparse.csr_array((across @ structure.mass_matrix @ across)[rows][:, rows])
