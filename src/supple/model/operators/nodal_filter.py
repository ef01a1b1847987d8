"""Kalman filter and smoother over the nodes of all bodies: (9.10)-(9.26) of Rodriguez, body by body."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from supple.model.operators.linear_operator import BlockDiagonal, Numbers
from supple.model.operators.nodal_operators import NodalOperators


class NodalFilter:
    """Filter and smoother of one state, an array for each body, in lists.

    Parameters
    ----------
    operators : NodalOperators
    force : (nv,) array
        Applied forces less those of velocity, gravity and strain, which the source disregards.

    Attributes
    ----------
    z_minus, z_plus : lists of (6 nodes,) arrays
        Forces at the nodes before and after the displacements are freed (9.11), (9.14).
    Z_minus, Z_plus : lists of (6,) arrays
        Forces at the joints before and after these are freed (9.15), (9.18).
    e_minus, e_plus, E_minus, E_plus : lists of arrays
        Innovations and residual accelerations of displacements (9.12), (9.13) and joints (9.16), (9.17).
    A_plus, A_minus, a_plus, a_minus : lists of arrays
        Accelerations at the joints (9.26), (9.21) and at the nodes (9.23), (9.25). The lost acceleration of (9.22) is
        A_minus.
    u, theta : lists of arrays
        Accelerations of displacements (9.24) and joints (9.20).
    """

    def __init__(self, operators: NodalOperators, force: Numbers) -> None:
        n = self._n = operators
        self.f = _split(n.displacements, force)
        self.F = _split(n.joints, force)
        bodies = range(len(n.B.blocks))
        self.z_minus = [np.zeros(n.B.blocks[k].shape[1]) for k in bodies]
        self.z_plus, self.Z_minus, self.Z_plus, self.e_minus, self.e_plus, self.E_minus, self.E_plus = (
            [np.zeros(0) for _ in bodies] for _ in range(7)
        )
        for k in reversed(bodies):
            self._filter(k)

    def _filter(self, k: int) -> None:
        n = self._n
        self.e_minus[k] = self.f[k] - n.h.blocks[k] @ self.z_minus[k]
        self.e_plus[k] = np.linalg.solve(n.d.blocks[k], self.e_minus[k])
        self.z_plus[k] = self.z_minus[k] + n.g.blocks[k] @ self.e_minus[k]
        self.Z_minus[k] = n.B.blocks[k] @ self.z_plus[k]
        self.E_minus[k] = self.F[k] - n.H.blocks[k] @ self.Z_minus[k]
        self.E_plus[k] = np.linalg.solve(n.D.blocks[k], self.E_minus[k])
        self.Z_plus[k] = self.Z_minus[k] + n.G.blocks[k] @ self.E_minus[k]
        parent = n.C.parents[k]
        if parent >= 0:
            self.z_minus[parent] = self.z_minus[parent] + n.C.blocks[k].T @ self.Z_plus[k]

    @cached_property
    def _smoothed(self) -> dict[str, list[Numbers]]:
        n = self._n
        out: dict[str, list[Numbers]] = {x: [] for x in ("A_plus", "A_minus", "a_plus", "a_minus", "u", "theta")}
        for k, parent in enumerate(n.C.parents):
            A_plus = n.C.blocks[k] @ out["a_minus"][parent] if parent >= 0 else np.zeros(6)
            theta = self.E_plus[k] - n.G.blocks[k].T @ A_plus
            A_minus = A_plus + n.H.blocks[k].T @ theta
            a_plus = n.B.blocks[k].T @ A_minus
            u = self.e_plus[k] - n.g.blocks[k].T @ a_plus
            a_minus = a_plus + n.h.blocks[k].T @ u
            for name, x in zip(out, (A_plus, A_minus, a_plus, a_minus, u, theta), strict=True):
                out[name].append(x)
        return out

    @property
    def A_plus(self) -> list[Numbers]:
        return self._smoothed["A_plus"]

    @property
    def A_minus(self) -> list[Numbers]:
        return self._smoothed["A_minus"]

    @property
    def a_plus(self) -> list[Numbers]:
        return self._smoothed["a_plus"]

    @property
    def a_minus(self) -> list[Numbers]:
        return self._smoothed["a_minus"]

    @property
    def u(self) -> list[Numbers]:
        return self._smoothed["u"]

    @property
    def theta(self) -> list[Numbers]:
        return self._smoothed["theta"]

    @property
    def accelerations(self) -> Numbers:
        """Of all degrees of freedom (nv,), as the model has them."""
        n, none = self._n, np.zeros(0)
        joints, displacements = np.concatenate([none, *self.theta]), np.concatenate([none, *self.u])
        return n.joints @ joints + n.displacements @ displacements


def _split(chosen: BlockDiagonal, force: Numbers) -> list[Numbers]:
    """The chosen entries of a vector over all degrees of freedom, body by body."""
    ends = np.cumsum([b.shape[1] for b in chosen.blocks])
    return np.split(chosen.T @ force, ends[:-1]) if len(ends) else []
