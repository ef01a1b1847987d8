"""How the kinetic energy of a motion is shared among the bodies."""

from __future__ import annotations

import numpy as np

from supple.formulations import Formulation
from supple.linear.start import Floats, Numbers


def body_energies(model: Formulation, q: Floats, motions: Numbers) -> Floats:
    """Shares (bodies, n) in the kinetic energy of motions (nv, n), real or complex; each column adds up to one."""
    energies = model.doubled_energies(q, motions.real)
    if np.iscomplexobj(motions):
        energies = energies + model.doubled_energies(q, motions.imag)
    total = energies.sum(axis=0)
    return energies / np.where(total > 0, total, 1.0)  # in modes of controllers alone nothing moves
