"""Matrices in Matrix Market or Harwell-Boeing format with a table of nodes, as Ansys and MATLAB write them.

Three files, in any order: stiffness, mass, and a text with "x y z" or "label x y z" for each node. Ansys numbers its
rows in an order of its own and writes it as a fourth file, a vector of nodes (*VEC, MAP, I, IMPORT, FULL, ...). Which
matrix is the stiffness is seen from what they do to a rigid motion.
"""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

from supple.checks import Floats, Ints
from supple.errors import FileFormatError
from supple.input_files import read_bytes
from supple.structures.discretization.dof_map import DofLayout
from supple.structures.discretization.mass import Sparse
from supple.structures.discretization.validation import RESISTANCE, rigid_resistance
from supple.structures.formats.file_set import MOST_BYTES, FileSet, is_text
from supple.structures.formats.number_table import parsed_table, whole
from supple.structures.formats.raw_model import RawModel
from supple.structures.formats.stored_matrix import (
    harwell_boeing_matrix,
    is_harwell_boeing,
    is_market,
    market_matrix,
    market_shape,
    market_vector,
)

UNFORCED = 1e-6
"""Force against a motion, relative to its terms, that a stiffness matrix has."""


def is_exchange(files: FileSet) -> bool:
    """Some file is a matrix in one of these formats."""
    return any(is_text(path) and (is_market(path) or is_harwell_boeing(path)) for path in files.paths)


def read_exchange(files: FileSet) -> RawModel:
    """Two matrices, a table of nodes and maybe the order of the rows."""
    matrices: list[tuple[Path, tuple[Sparse, float]]] = []
    tables, orders = [], []
    for path in files.paths:
        if not is_text(path):
            raise FileFormatError(f"{path}: expected a text file")
        if is_market(path) and market_shape(path)[1:] == (1,):
            orders.append(whole(market_vector(path), path, "node"))
        elif is_market(path):
            matrices.append((path, market_matrix(path)))
        elif is_harwell_boeing(path):
            matrices.append((path, harwell_boeing_matrix(path)))
        else:
            tables.append(path)
    if len(matrices) != 2 or len(tables) != 1 or len(orders) > 1:
        raise FileFormatError(
            f"{files.first}: expected a stiffness matrix, a mass matrix, a table of nodes and at most one vector "
            f"with the order of the rows, got {len(matrices)}, {len(tables)} and {len(orders)} of matrices, tables and "
            "vectors"
        )
    labels, nodes = _nodes(tables[0], bool(orders))
    (first, (A, _)), (second, (B, _)) = matrices
    if A.shape != B.shape:
        raise FileFormatError(f"{second}: expected {A.shape[0]} rows as in {first.name}, got {B.shape[0]}")
    each = next((n for n in (3, 6) if n * len(nodes) == A.shape[0]), 0)
    if not each:
        raise FileFormatError(
            f"{first}: expected {3 * len(nodes)} or {6 * len(nodes)} rows for the {len(nodes)} nodes of "
            f"{tables[0].name}, got {A.shape[0]}"
        )
    stiff = [_forceless(matrix, each) for matrix in (A, B)]
    if stiff[0] == stiff[1]:
        what = "both have" if stiff[0] else "none has"
        raise FileFormatError(
            f"{first}, {second.name}: expected one matrix that needs no force for a rigid displacement, the stiffness, "
            f"and one that does, the mass; {what} none; leave supports out"
        )
    (_, (K, asymmetry_K)), (_, (M, asymmetry_M)) = matrices if stiff[0] else matrices[::-1]
    order = _order(K, nodes, labels, orders[0] if orders else None, each, tables[0])
    return RawModel(
        program="matrices",
        files=files.paths,
        labels=labels,
        nodes=nodes,
        dof_node=np.repeat(order, each),
        dof_component=np.tile(np.arange(each), len(nodes)).astype(np.int64),
        stiffness=K,
        mass=M,
        asymmetry=(asymmetry_K, asymmetry_M),
    )


def _nodes(path: Path, mapped: bool) -> tuple[Ints, Floats]:
    """Ascending labels and positions; without labels nodes are numbered from 1.

    They may stand in any order if rows are `mapped` to them by their labels.
    """
    content = _plain_table(read_bytes(path, MOST_BYTES))
    lines = (x.replace(b",", b" ").split() for x in content.splitlines() if x.strip()[:1] not in (b"", b"*", b"#"))
    columns = len(next(lines, ()))
    if columns not in (3, 4):
        raise FileFormatError(
            f"{path}: expected lines of x, y, z or of label, x, y, z, got {columns} entries in a line"
        )
    table = parsed_table(content, path, columns, "x, y, z" if columns == 3 else "label, x, y, z", comment=b"#")
    if columns == 3:
        return np.arange(1, len(table) + 1, dtype=np.int64), table
    labels = whole(table[:, 0], path, "label")
    place = np.argsort(labels, kind="stable")
    if (np.diff(labels[place]) == 0).any():
        raise FileFormatError(f"{path}: expected each node once")
    if not mapped and (place != np.arange(len(place))).any():
        raise FileFormatError(f"{path}: expected nodes in ascending order, as the rows of the matrices")
    return labels[place], table[place, 1:]


def _plain_table(content: bytes) -> bytes:
    """A table without the heading that Ansys gives it, and with decimal points where fields are parted by tabs."""
    lines = content.split(b"\n")
    heading = next((i for i, x in enumerate(lines) if x.strip()[:1] not in (b"", b"*", b"#")), 0)
    if re.match(rb"\s*[A-Za-z]", lines[heading]):
        lines[heading] = b""
    content = b"\n".join(lines)
    return content.replace(b",", b".") if b"\t" in content else content


def _forceless(matrix: Sparse, each: int) -> bool:
    """Whether a displacement of all nodes needs no force."""
    motion = np.zeros((matrix.shape[0], 3))
    for axis in range(3):
        motion[axis::each, axis] = 1.0
    terms = (abs(matrix) @ motion).max(axis=1)
    return bool((np.abs(matrix @ motion).max(axis=1) <= UNFORCED * terms.max()).all())


def _order(K: Sparse, nodes: Floats, labels: Ints, given: Ints | None, each: int, path: Path) -> Ints:
    """Index of the node of each block of rows.

    A vector of nodes may say which node a block belongs to, or which block a node has; rigid rotations tell.
    """
    straight = np.arange(len(nodes), dtype=np.int64)
    if given is None:
        return straight
    if len(given) != len(nodes) or set(given.tolist()) != set(labels.tolist()):
        raise FileFormatError(f"{path}: expected the {len(nodes)} nodes of the order of rows, got others")
    forward = np.searchsorted(labels, given).astype(np.int64)
    fits = []
    for order in (forward, np.argsort(forward).astype(np.int64)):
        rows = (np.argsort(order)[:, None] * each + np.arange(each)).ravel()
        layout = DofLayout(nodes, np.full(len(nodes), each == 6))
        turned = (np.arange(len(rows)) // 6 * 6 + (np.arange(len(rows)) + 3) % 6) if each == 6 else np.arange(len(rows))
        ordered = K[rows[turned]][:, rows[turned]]
        fits.append((float(rigid_resistance(ordered, layout).max()), order))
    worst, order = min(fits, key=lambda x: x[0])
    if worst > RESISTANCE:
        raise FileFormatError(
            f"{path}: expected rows in the given order of the nodes, got matrices whose rigid rotations need "
            f"{worst:.1e} of their forces; is the vector the nodal mapping of the same file?"
        )
    return order
