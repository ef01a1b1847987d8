"""From what a file says to a structure: units, numbering, frames, checks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import scipy

from supple.checks import Floats, Ints, computed, freeze
from supple.errors import FileFormatError, ModelError, nearest
from supple.structures.builders.from_matrices import sound_structure
from supple.structures.discretization.dof_map import DofLayout
from supple.structures.discretization.frames import named, nodes_in
from supple.structures.discretization.mass import Sparse
from supple.structures.elements.external import ExternalElements
from supple.structures.elements.surface import BodySurface
from supple.structures.formats.outer_faces import enclosed_volume, outer_surface
from supple.structures.formats.raw_model import COMPONENT_NAMES, RawModel
from supple.structures.formats.report import ImportReport, import_report
from supple.structures.formats.tangents import TangentModel, tangent_stress
from supple.structures.formats.units import Units
from supple.structures.structure import Structure

GivenFrames: TypeAlias = "Mapping[str, int | str | Iterable[int] | Callable[[Floats], Any]] | None"
"""Name to the label of a node or several, the name of a node set, or a function of positions (3, k), m."""
SUPPORTS = "leave supports (*BOUNDARY) out of the deck: the root is fixed by the reduction"


@dataclass(frozen=True, eq=False)
class ImportSource:
    """Where a structure comes from.

    Attributes
    ----------
    program : str
    files : tuple of Path
    units : Units
        Of the files.
    labels : (k,) array of int
        Numbers that the files give to the nodes.
    sets : dict of str to tuple of int
        Their node sets, by index.
    volume : float
        Of solid elements, m^3; zero where it is not known.
    asymmetry : (float, float)
        Of stiffness and mass, relative.
    remarks : tuple of str
        What the reader noticed.
    """

    program: str = ""
    files: tuple[Path, ...] = ()
    units: Units = field(default_factory=Units)
    labels: Ints = field(default_factory=lambda: np.zeros(0, np.int64))
    sets: dict[str, tuple[int, ...]] = field(default_factory=dict)
    volume: float = 0.0
    asymmetry: tuple[float, float] = (0.0, 0.0)
    remarks: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        freeze(self, "labels")


@dataclass(frozen=True, eq=False, repr=False)
class ImportedStructure(Structure):
    """A structure that `read` made of files; `report` says what to check before use.

    Attributes
    ----------
    source : ImportSource
        Files, units, labels of the nodes, node sets.
    """

    source: ImportSource = field(default_factory=ImportSource)

    @cached_property
    def report(self) -> ImportReport:
        """Mass, frequencies, residuals and warnings."""
        return import_report(self)

    def node(self, label: int) -> int:
        """Index of the node of a label."""
        place = np.flatnonzero(self.source.labels == label)
        if not len(place):
            raise ModelError(f"no node {label} in {', '.join(path.name for path in self.source.files)}")
        return int(place[0])

    def nodes_of(self, where: Any, what: str = "frame") -> list[int]:
        """Indices of nodes given by labels, by the name of a node set or by a function of positions (3, k)."""
        return _nodes_of(where, what, self.source, self.nodes)


def imported_structure(
    raw: RawModel, frames: GivenFrames, units: Units, tangents: Mapping[str, TangentModel] | None = None
) -> ImportedStructure:
    """The structure of a file, in SI, free in space, checked.

    Nodes without degrees of freedom are left out. Tangents are matrices of the same mesh under loads.
    """
    used = np.unique(raw.dof_node)
    layout, order = _layout(raw, used, units)
    scale = layout.scales(units.metre)
    M, K = (_ordered(matrix, order, scale) for matrix in (raw.mass, raw.stiffness))
    M, K = M * units.kilogram, K * (units.kilogram / units.second**2)
    place = np.full(len(raw.labels), -1)
    place[used] = np.arange(len(used))
    elements = {kind: place[table] for kind, table in raw.elements.items()}
    elements = {kind: table for kind, table in elements.items() if table.min(initial=0) >= 0}
    source = ImportSource(
        program=raw.program,
        files=raw.files,
        units=units,
        labels=raw.labels[used],
        sets={name: tuple(place[x][place[x] >= 0].tolist()) for name, x in raw.sets.items()},
        volume=enclosed_volume(layout.points, elements) if elements else 0.0,
        asymmetry=raw.asymmetry,
        remarks=raw.remarks,
    )
    chosen = {
        name: _nodes_of(where, f"frame {name!r}", source, layout.points) for name, where in (frames or {}).items()
    }

    def name_of(row: int) -> str:
        return f"{COMPONENT_NAMES[raw.dof_component[order[row]]]} of node {raw.labels[raw.dof_node[order[row]]]}"

    try:
        with computed():
            structure = sound_structure(layout, M, K, named(chosen, len(used)), name_of)
    except FileFormatError:
        raise
    except ModelError as error:
        raise FileFormatError(f"{raw.files[0]}: {error}") from None
    return ImportedStructure(
        nodes=structure.nodes,
        turning=structure.turning,
        stiffness=structure.stiffness,
        masses=structure.masses,
        frames=structure.frames,
        elements=_external(structure, outer_surface(elements), tangents, raw, order, units),
        source=source,
    )


def _external(
    structure: Structure,
    outer: BodySurface | None,
    tangents: Mapping[str, TangentModel] | None,
    raw: RawModel,
    order: Ints,
    units: Units,
) -> ExternalElements | None:
    """What is known of the elements of a file; None if nothing is."""
    if outer is None and not tangents:
        return None
    known = ExternalElements(structure.layout, structure.stiffness, structure.masses, outer=outer)
    if not tangents:
        return known
    cases, matrices, clamped = tangent_stress(tangents, raw, order, structure, units)
    return replace(known, cases=cases, tangents=matrices, roots=clamped)


def _layout(raw: RawModel, used: Ints, units: Units) -> tuple[DofLayout, Ints]:
    """Numbering of the structure, and the row of the file for each of its degrees of freedom."""
    place = np.searchsorted(used, raw.dof_node)
    has = np.zeros((len(used), 6), bool)
    row = np.full((len(used), 6), -1, np.int64)
    if np.unique(6 * place + raw.dof_component).size < len(place):
        key = np.sort(6 * place + raw.dof_component)
        node, component = divmod(int(key[:-1][key[1:] == key[:-1]][0]), 6)
        raise FileFormatError(
            f"{raw.files[-1]}: {COMPONENT_NAMES[component]} of node {raw.labels[used[node]]} is there twice"
        )
    has[place, raw.dof_component] = True
    row[place, raw.dof_component] = np.arange(len(place))
    turning = np.asarray(has[:, 3:].all(axis=1))
    wrong = np.flatnonzero(~has[:, :3].all(axis=1) | (has[:, 3:].any(axis=1) & ~turning))
    if len(wrong):
        i = int(wrong[0])
        there = ", ".join(name for name, x in zip(COMPONENT_NAMES, has[i], strict=True) if x)
        raise FileFormatError(
            f"{raw.files[-1]}: node {raw.labels[used[i]]}: expected ux, uy, uz, or these with rx, ry, rz, got {there} "
            f"({len(wrong)} such nodes); write the matrices without supports, couplings and rigid bodies: the root is "
            "held by the reduction, and frames of several nodes are rigid"
        )
    layout = DofLayout(raw.nodes[used] * units.metre, turning)
    return layout, row[layout.point, (layout.component + 3) % 6]


def _ordered(matrix: Sparse, order: Ints, scale: Floats) -> Sparse:
    """Rows and columns in this order, rotations scaled by the unit of length."""
    scaling = scipy.sparse.diags_array(scale)
    return scipy.sparse.csr_array(scaling @ matrix[order][:, order] @ scaling)


def _nodes_of(where: Any, what: str, source: ImportSource, nodes: Floats) -> list[int]:
    if callable(where):
        return nodes_in(where, nodes, what)
    if isinstance(where, str):
        name = next((x for x in source.sets if x.casefold() == where.casefold()), None)
        if name is None:
            hint = nearest(where, source.sets) if source.sets else "; the file has none"
            raise ModelError(f"{what}: no node set {where!r}{hint}")
        if not source.sets[name]:
            raise ModelError(f"{what}: no node of the set {name!r} has degrees of freedom; {SUPPORTS}")
        return list(source.sets[name])
    wanted = np.atleast_1d(np.asarray(where if np.ndim(where) == 0 else list(where)))
    if wanted.ndim != 1 or not len(wanted) or not np.issubdtype(wanted.dtype, np.integer):
        raise ModelError(f"{what}: expected labels of nodes, the name of a node set or a function, got {where!r}")
    place = np.searchsorted(source.labels, wanted)
    found = np.append(source.labels, -1)[place] == wanted
    if not found.all():
        raise ModelError(
            f"{what}: no node {int(wanted[~found][0])} with degrees of freedom; labels are those of the file, from "
            f"{source.labels.min()} to {source.labels.max()}; {SUPPORTS}"
        )
    return [int(i) for i in place]
