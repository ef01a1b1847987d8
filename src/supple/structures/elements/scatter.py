"""Arrays of elements as sparse matrices over the degrees of freedom of all nodes."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy

from supple.checks import Floats, Ints
from supple.structures.discretization.mass import Sparse

NOISE = 1e-14
"""A sum below this fraction of its terms is their rounding."""


def element_matrix(values: Floats, dofs: Ints, size: int) -> Sparse:
    """Return the sum (size, size) of element matrices (e, d, d), one for each or one for all, at dofs (e, d)."""
    shape = (*dofs.shape, dofs.shape[1])
    every = np.broadcast_to(values, shape)
    used = every != 0.0
    rows, columns = np.broadcast_to(dofs[:, :, None], shape), np.broadcast_to(dofs[:, None, :], shape)
    return scipy.sparse.csr_array((every[used], (rows[used], columns[used])), shape=(size, size))


def element_rows(values: Floats, dofs: Ints, size: int) -> Sparse:
    """Return the rows (e r, size) of elements (e or 1, ..., d), at dofs (e, d), one below the other."""
    flat = np.broadcast_to(values, (len(dofs), *values.shape[1:])).reshape(len(dofs), -1, dofs.shape[1])
    columns = np.broadcast_to(dofs[:, None], flat.shape)
    rows = np.repeat(np.arange(flat.shape[0] * flat.shape[1]), flat.shape[2])
    shape = (flat.shape[0] * flat.shape[1], size)
    matrix = scipy.sparse.csr_array((flat.ravel(), (rows, columns.ravel())), shape=shape)
    matrix.eliminate_zeros()
    return matrix


def rows_in_motion(rows: Sparse, motion: Any) -> Sparse:
    """Return rows (r, 6 k) times motions (6 k or more, c) of all nodes, without rounding in those that deform nothing.

    Nodes behind those of the elements do not strain them.
    """
    moved = scipy.sparse.csr_array(motion[: rows.shape[1]])
    values = scipy.sparse.coo_array(rows @ moved)
    terms = scipy.sparse.csr_array(abs(rows) @ abs(moved))
    kept = np.abs(values.data) > NOISE * np.asarray(terms[values.row, values.col]).reshape(-1)
    places = (values.row[kept], values.col[kept])
    return scipy.sparse.csr_array((values.data[kept], places), shape=values.shape)
