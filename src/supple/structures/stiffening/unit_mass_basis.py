"""A basis of second-order shapes in which their masses are numbers: one, or nothing.

With g = Psi* M b and c = Lam g of modes Psi with the mass matrix G = Lam^-1, b - Psi c is what shapes b move beside the
modes. In the basis made here its mass b* M b - g* c is one for the first shapes, and zero for the others, whose motion
modes have in common with them: a recursion then needs no mass matrix of shapes to free them from the modes.
"""

from __future__ import annotations

import numpy as np
import scipy

from supple.checks import Floats
from supple.structures.eigen.lowest_modes import canonical_rotation, first_largest

DEPENDENT = 1e-12
"""Mass of a shape, less what modes explain of it, that counts as rounding, relative to its mass."""
ROUNDING = 1e-11
"""Error of a unit of mass, relative to the whole masses of shapes."""
COUPLED, ALONE = 1e-15, 1e-12
"""Mass that two shapes have in common that counts as rounding: relative to their whole masses, and to what these leave
beside the modes, of which it may then be no more when that is one. Rounding must not decide which shapes are mixed."""


def residual_mass(mass_matrix: scipy.sparse.csr_array, cross: Floats, own: Floats) -> Floats:
    """(k, k) b* M b - g* Lam g, given G (n, n), g (n, k) and b* M b."""
    if not cross.any():
        return own
    solved = np.asarray(scipy.sparse.linalg.spsolve(scipy.sparse.csc_array(mass_matrix), cross))
    rest = own - cross.T @ solved.reshape(cross.shape)
    return (rest + rest.T) / 2.0


def is_mass_orthonormal(rest: Floats, own: Floats) -> bool:
    """Whether shapes with the masses `rest` beside the modes, `own` with them, are in that basis."""
    size = np.sqrt(np.diagonal(own))
    unit = np.diag(np.diagonal(rest) > 0.5)
    return bool((np.abs(rest - unit) <= ROUNDING * np.outer(size, size)).all())


def unit_masses(rest: Floats, own: Floats) -> Floats:
    """(k, k) combinations of shapes with the masses `rest` beside the modes, `own` with them.

    Principal axes, so that what moves little mass gets a small amplitude and not one that others cancel. Shapes that
    have no mass in common are not mixed.
    """
    whole = np.diagonal(own)
    size = np.sqrt(np.where(whole > 0.0, whole, 1.0))
    rest, own = rest / np.outer(size, size), own / np.outer(size, size)
    alone = np.sqrt(np.maximum(np.diagonal(rest), 0.0))
    common = np.abs(rest) > np.maximum(COUPLED, ALONE * np.outer(alone, alone))
    count, label = scipy.sparse.csgraph.connected_components(common, directed=False)
    massive, massless = [np.zeros((len(size), 0))], [np.zeros((len(size), 0))]
    for members in (np.flatnonzero(label == i) for i in range(count)):
        values, axes = np.linalg.eigh(rest[np.ix_(members, members)])
        T = np.zeros((len(size), len(members)))
        T[members] = axes
        mass = np.einsum("ij,ij->j", T, own @ T)
        kept = values > DEPENDENT * mass
        massive.append((T[:, kept] / np.sqrt(values[kept]))[:, ::-1])
        massless.append(
            T[:, ~kept] @ canonical_rotation(T[:, ~kept])
        )  # of one space, in which no axis is a principal one
    T = np.concatenate([*massive, *massless], axis=1)
    signs = [np.sign(t[first_largest(np.abs(t))]) for t in T.T]
    return T * signs / size[:, None]
