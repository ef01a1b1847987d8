"""Flexible bodies from the user's own modes: shapes and frequencies, and the masses of the nodes.

The nodal body of Jain and Rodriguez: node j has the mass m, its centre at the offset p and the inertia J about the
node, which make M_s(j) of (3.1), and moves by the six rows of Pi(j).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import ArrayLike

from supple.call_checks import checked
from supple.checks import Floats, array, freeze, text
from supple.errors import ModelError, PhysicsWarning, nearest, warn
from supple.structures.body.flexible_body import FlexibleBody, modal_body
from supple.structures.body.integration import modal_integrals
from supple.structures.damping import Damping
from supple.structures.discretization.dof_map import DofLayout
from supple.structures.discretization.frames import named
from supple.structures.discretization.mass import MassModel
from supple.structures.discretization.mass_classification import on_nodes
from supple.structures.eigen.lowest_modes import lowest_modes

ORTHONORMAL = 1e-9
"""Entries of phi* M phi - I below which modes are taken as they are."""
SLANTED = 0.05
"""Entries beyond which modes hardly belong to these masses."""
UNPHYSICAL = 1e-9
"""Second moment below zero, relative to the largest, which no mass has."""


@checked
@dataclass(frozen=True, eq=False)
class NodalMasses:
    """Rigid pieces of mass on the nodes of a body.

    Parameters
    ----------
    mass : (k,) array_like
        m, kg.
    offset : (k, 3) array_like, optional
        p, from each node to the centre of its mass, m.
    inertia : (k, 3, 3) array_like, optional
        J about each node, in the axes of the body, kg m^2; by default that of point masses at the offsets.
    """

    mass: Floats
    offset: Floats
    inertia: Floats

    def __init__(self, mass: ArrayLike, offset: ArrayLike | None = None, inertia: ArrayLike | None = None) -> None:
        count = np.size(mass)
        m = array(mass, (count,), "nodal masses: mass")
        p = np.zeros((count, 3)) if offset is None else array(offset, (count, 3), "nodal masses: offset")
        steiner = m[:, None, None] * (
            np.einsum("ka,ka->k", p, p)[:, None, None] * np.eye(3) - p[:, :, None] * p[:, None]
        )
        J = steiner if inertia is None else array(inertia, (count, 3, 3), "nodal masses: inertia")
        if (m < 0).any() or not m.sum() > 0:
            raise ModelError(f"nodal masses: mass: expected none below zero and some above, got {m.tolist()}")
        for name, x in (("mass", m), ("offset", p), ("inertia", J)):
            object.__setattr__(self, name, x)
        own = J - steiner
        second = np.trace(own, axis1=1, axis2=2)[:, None, None] / 2.0 * np.eye(3) - own
        lowest = np.linalg.eigvalsh((second + np.swapaxes(second, 1, 2)) / 2.0)
        bad = np.flatnonzero(lowest[:, 0] < -UNPHYSICAL * np.abs(J).max(axis=(1, 2)))
        if len(bad) or not np.allclose(J, np.swapaxes(J, 1, 2), rtol=1e-9, atol=0.0):
            node = int(bad[0]) if len(bad) else int(np.argmax(np.abs(J - np.swapaxes(J, 1, 2)).max(axis=(1, 2))))
            raise ModelError(
                f"nodal masses: inertia of node {node}: expected one that a mass of {m[node]:g} kg at its offset can "
                f"have about the node, got {J[node].tolist()}"
            )
        object.__setattr__(self, "_second", np.where(np.abs(second) > UNPHYSICAL * np.abs(J).max(), second, 0.0))
        freeze(self, "mass", "offset", "inertia")

    def rows(self, layout: DofLayout) -> MassModel:
        """The same mass as points that move with the degrees of freedom."""
        second: Floats = getattr(self, "_second")  # noqa: B009
        return on_nodes(layout, self.mass, self.offset, second)


@checked
def from_modes(
    nodes: ArrayLike,
    masses: NodalMasses | ArrayLike,
    shapes: ArrayLike,
    frequencies: ArrayLike,
    frames: Mapping[str, int],
    root: str = "start",
    damping: Damping = None,
) -> FlexibleBody:
    """A flexible body from modes that are known, of a measurement or of another program.

    Parameters
    ----------
    nodes : (k, 3) array_like
        Positions, m.
    masses : NodalMasses or (k,) array_like
        Of the nodes; numbers are point masses, kg.
    shapes : (k, 6, n) array_like
        Rotation and displacement of each node for each mode, in the axes of `nodes`, of any size.
    frequencies : (n,) array_like
        Hz, above zero: rigid motions are the joint's.
    frames : dict of str to int
        Named nodes, the root among them.
    root : str
        Frame at the inboard hinge. Modes that move it, as those of a free structure do, are taken relative to it: they
        span the same deformations.
    damping : float, sequence of float or Rayleigh, optional
        As for `Structure.reduce`.

    Notes
    -----
    Modes are scaled to unit mass with the nodal masses; their stiffness is that of the frequencies. Where they are not
    orthogonal with these masses, or move the root, the coordinates of the body are the modes of their span with the
    root held, in the order of frequency. The body, free in space, has the given frequencies.

    Examples
    --------
    Two masses on a massless rod, of which the outer one swings with 2 Hz:

    >>> shapes = np.zeros((2, 6, 1))
    >>> shapes[1, 5] = 1.0
    >>> body = from_modes([[0, 0, 0], [1, 0, 0]], [1.0, 0.5], shapes, [2.0], {"start": 0, "end": 1})
    >>> body.mass, body.labels
    (1.5, ('mode1',))
    """
    x, Pi, squares = _arguments(nodes, shapes, frequencies)
    own = masses if isinstance(masses, NodalMasses) else NodalMasses(masses)
    if len(own.mass) != len(x):
        raise ModelError(f"masses: expected one for each of the {len(x)} nodes, got {len(own.mass)}")
    layout = DofLayout(x, np.ones(len(x), dtype=bool))
    known = _frames(frames, len(x), root)
    rows = own.rows(layout)
    M = rows.matrix
    Pi = _normalised(Pi, M)
    origin = x[known[root]]
    moved = Pi[6 * known[root] : 6 * known[root] + 6]
    seen = Pi - layout.rigid_motions(origin) @ moved
    G = seen.T @ (M @ seen)
    y = np.eye(len(squares))
    if np.abs(G - y).max(initial=0.0) > ORTHONORMAL:
        squares, y = _own_modes(np.diag(squares), (G + G.T) / 2.0)
    seen = seen @ y
    return modal_body(
        "free-free" if moved.any() else "cantilever",
        root,
        known,
        x - origin,
        layout.turning,
        seen,
        squares,
        damping,
        modal_integrals(rows, seen, layout, origin),
    )


def _arguments(nodes: ArrayLike, shapes: ArrayLike, frequencies: ArrayLike) -> tuple[Floats, Floats, Floats]:
    """Positions (k, 3), shapes (6 k, n) and squared frequencies (n,), rad^2/s^2."""
    if np.ndim(nodes) != 2 or len(np.asarray(nodes)) == 0:
        raise ModelError(f"nodes: expected positions of shape (k, 3), got shape {np.shape(nodes)}")
    k, n = len(np.asarray(nodes)), np.size(frequencies)
    x = array(nodes, (k, 3), "nodes")
    f = array(frequencies, (n,), "frequencies")
    if (f <= 0.0).any():
        r = int(np.argmin(f))
        raise ModelError(
            f"frequencies: mode {r + 1}: expected one above zero, got {f[r]:g}; rigid motions are no modes"
        )
    Pi = array(shapes, (k, 6, n), "shapes")
    return x, Pi.reshape(6 * k, n), (2.0 * np.pi * f) ** 2


def _frames(frames: Mapping[str, int], count: int, root: str) -> dict[str, int]:
    """Frames by name, each one node."""
    if not isinstance(frames, Mapping) or any(isinstance(x, Iterable) for x in frames.values()):
        raise ModelError(f"frames: expected the number of one node for each name, got {frames!r}")
    known = {name: found[0] for name, found in named(frames, count).items()}
    if text(root, "root") not in known:
        raise ModelError(f"root: no frame {root!r}{nearest(root, known)}")
    return known


def _normalised(Pi: Floats, M: scipy.sparse.csr_array) -> Floats:
    """Shapes of unit modal mass; a warning where they are far from orthogonal."""
    G = Pi.T @ (M @ Pi)
    size = np.diagonal(G)
    if not (size > 0).all():
        raise ModelError(f"shapes: mode {int(np.argmin(size)) + 1} moves no mass")
    G = G / np.sqrt(np.outer(size, size)) - np.eye(len(size))
    off = np.abs(G).max(initial=0.0)
    if off > SLANTED:
        r, s = (int(i) + 1 for i in np.unravel_index(np.argmax(np.abs(G)), G.shape))
        warn(
            f"modes {r} and {s} are not orthogonal with the nodal masses: {off:.2g} of their own modal mass; do shapes "
            "and masses belong together?",
            PhysicsWarning,
        )
    return Pi / np.sqrt(size)


def _own_modes(K: Floats, G: Floats) -> tuple[Floats, Floats]:
    """Squared frequencies and mass-normalised coordinates of a span, the largest entry of each positive."""
    squares, y = lowest_modes(scipy.sparse.csr_array(K), scipy.sparse.csr_array(G), len(K))
    if len(squares) < len(K):
        raise ModelError(f"shapes: expected {len(K)} independent ones relative to the root, got {len(squares)}")
    signs = np.sign(y[np.abs(y).argmax(axis=0), np.arange(len(K))])
    return squares, y * signs
