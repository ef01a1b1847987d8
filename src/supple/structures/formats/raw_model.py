"""What a file of a finite-element program says, in its own units and numbering."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from supple.checks import Floats, Ints
from supple.errors import FileFormatError
from supple.structures.discretization.mass import Sparse

COMPONENT_NAMES = ("ux", "uy", "uz", "rx", "ry", "rz")
"""Degrees of freedom 1 to 6 of finite-element programs."""


@dataclass(frozen=True, eq=False)
class RawModel:
    """Nodes, matrices and what else is known, as a program wrote them.

    Attributes
    ----------
    program : str
        "CalculiX", "Abaqus", ...
    files : tuple of Path
        All that were read.
    labels : (k,) array of int
        Of the nodes.
    nodes : (k, 3) array
        Positions, in the file's unit of length.
    dof_node, dof_component : (n,) arrays of int
        Of each row: index of its node, and 0 to 5 for ux, uy, uz, rx, ry, rz.
    stiffness, mass : (n, n) sparse arrays
    sets : dict of str to array of int
        Named nodes, by index.
    elements : dict of str to (m, c) array of int
        Corner and other nodes of elements by type, by index, in the order of Abaqus; empty where they are not known.
    asymmetry : (float, float)
        Relative difference of the triangles of stiffness and mass; zero where the file has one triangle.
    remarks : tuple of str
        What the reader noticed.
    """

    program: str
    files: tuple[Path, ...]
    labels: Ints
    nodes: Floats
    dof_node: Ints
    dof_component: Ints
    stiffness: Sparse
    mass: Sparse
    sets: Mapping[str, Ints] = field(default_factory=dict)
    elements: Mapping[str, Ints] = field(default_factory=dict)
    asymmetry: tuple[float, float] = (0.0, 0.0)
    remarks: tuple[str, ...] = ()


def index_of(labels: Ints, wanted: Ints, path: Path, what: str) -> Ints:
    """Places of labels among ascending `labels`; a label that is not there is refused by name."""
    place = np.searchsorted(labels, wanted)
    found = place < len(labels)
    found[found] = labels[place[found]] == wanted[found]
    if not found.all():
        missing = np.unique(wanted[~found])
        shown = ", ".join(str(x) for x in missing[:5]) + (", ..." if len(missing) > 5 else "")
        raise FileFormatError(f"{path}: {what}: no node {shown}")
    return place.astype(np.int64)
