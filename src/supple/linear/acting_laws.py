"""Laws that act in a run, to first order about a state: forces that follow the motion, states of controllers."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from supple.formulations import Formulation
from supple.linear.start import Floats


class ActingLaws(NamedTuple):
    """Generalized forces tau and rates of controller states z near a state; see `simulation.run_laws`.

    Attributes
    ----------
    prescribed : tuple of str
        Speeds whose motion is prescribed: they do not change in small motions.
    states : tuple of str
        Names of z.
    force : (nv,) array
        tau in the state.
    force_by_q, force_by_v, force_by_z : (nv, nq), (nv, nv), (nv, nz) arrays
        Derivatives of tau.
    rate_by_q, rate_by_v, rate_by_z : (nz, nq), (nz, nv), (nz, nz) arrays
        Derivatives of dz/dt.
    """

    prescribed: tuple[str, ...]
    states: tuple[str, ...]
    force: Floats
    force_by_q: Floats
    force_by_v: Floats
    force_by_z: Floats
    rate_by_q: Floats
    rate_by_v: Floats
    rate_by_z: Floats

    @staticmethod
    def none(model: Formulation) -> ActingLaws:
        """Return the laws of a model that nothing acts on."""
        nq, nv = model.nq, model.nv
        sizes = ((nv,), (nv, nq), (nv, nv), (nv, 0), (0, nq), (0, nv), (0, 0))
        return ActingLaws((), (), *(np.zeros(size) for size in sizes))


class LawStates(NamedTuple):
    """Controller states z in the equations of small motions: forces L z, and z' = by_x x + by_y y + by_z z.

    Attributes
    ----------
    names : tuple of str
    force : (n, nz) array
        L, forces on the free speeds.
    by_x, by_y, by_z : (nz, p), (nz, n), (nz, nz) arrays
    """

    names: tuple[str, ...]
    force: Floats
    by_x: Floats
    by_y: Floats
    by_z: Floats
