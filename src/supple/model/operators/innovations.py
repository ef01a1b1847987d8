"""The forces of a state filtered inward and smoothed outward: (7.1)-(7.3), one array for each symbol.

T filtered by I - H Psi K leaves the innovations eps, white where T is a random force with the covariance M; smoothed by
its transpose they become accelerations. See "Forces as random variables" in the theory pages.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

import numpy as np

from supple.model.operators.linear_operator import BlockDiagonal, Numbers
from supple.model.operators.nodal_filter import NodalFilter
from supple.model.operators.state_operators import Operators


class Innovations:
    """What the filter and the smoother make of one state and its forces.

    Vectors are stacked as those of `Operators`: over speeds, or over bodies with the modal part of each first.

    Parameters
    ----------
    operators : Operators
    tau : (nv,) array
    root_rate : function
        Gives dL*/dt v, with L of M = L L*.

    Attributes
    ----------
    T : (nv,) array
        tau with joint springs and dampers and modal damping.
    z, z_plus, alpha_plus, alpha_m, f_m : arrays over bodies
        Bias forces and accelerations before and after the dofs of each body; forces of interaction (3.42).
    eps, nu, a : (nv,) arrays
        Innovations, residual accelerations nu = D^-1 eps (e+ of Rodriguez), accelerations.
    D, d : BlockDiagonal
        Covariances of the innovations of all degrees of freedom together; of joints and of modes, one after the other.
    eps_f, nu_f, z_f, eps_r, nu_r : arrays
        Two stages for each body, its modes first: their innovations and residuals, z after them; those of the joints.
    xi, xi_rate, xi_force, xi_coriolis : (nv,) arrays
        Diagonalised equations of motion: xi = L* v, d xi/dt + xi_coriolis = xi_force, kinetic energy xi . xi / 2. The
        Coriolis term does no work, xi . xi_coriolis = 0, where all deformation is kept ("full").
    """

    def __init__(self, operators: Operators, tau: Numbers, root_rate: Callable[[], Numbers]) -> None:
        self.operators, self.tau, self._root_rate = operators, tau, root_rate
        self.T: Numbers = tau + operators.passive
        self.D: BlockDiagonal = operators.D

    # ------------------------------------------------------------ filter (7.2)

    @cached_property
    def z(self) -> Numbers:
        o = self.operators
        return o.Psi @ (o.K @ self.T + o.P @ o.a_m + o.b_m + o.K_m @ o.eta)

    @cached_property
    def eps(self) -> Numbers:
        return self.T - self.operators.H @ self.z

    @cached_property
    def nu(self) -> Numbers:
        return self.D.inverse() @ self.eps

    @cached_property
    def z_plus(self) -> Numbers:
        return self.z + self.operators.G @ self.eps

    # ------------------------------------------------------------ smoother (7.3)

    @cached_property
    def a(self) -> Numbers:
        o = self.operators
        return o.factor.inverse().T @ self.nu - o.K.T @ (o.Psi.T @ o.a_m)

    @cached_property
    def alpha_m(self) -> Numbers:
        o = self.operators
        return o.Phi.T @ (o.H.T @ self.a + o.a_m)

    @cached_property
    def alpha_plus(self) -> Numbers:
        return self.operators.E_Phi.T @ self.alpha_m

    @cached_property
    def f_m(self) -> Numbers:
        o = self.operators
        return o.Phi @ (o.M @ self.alpha_m + o.b_m + o.K_m @ o.eta)

    # ------------------------------------------------------------ modes, then joints

    @property
    def d(self) -> tuple[BlockDiagonal, BlockDiagonal]:
        return self.operators.split.D_r, self.operators.split.D_f

    @cached_property
    def eps_f(self) -> Numbers:
        return self.operators.bodies.of_modes.T @ self.T - self.operators.split.H_f @ self.z

    @cached_property
    def nu_f(self) -> Numbers:
        return self.operators.split.D_f.inverse() @ self.eps_f

    @cached_property
    def z_f(self) -> Numbers:
        return self.z + self.operators.split.G_f @ self.eps_f

    @cached_property
    def eps_r(self) -> Numbers:
        return self.operators.bodies.of_joints.T @ self.T - self.operators.split.H_r @ self.z_f

    @cached_property
    def nu_r(self) -> Numbers:
        return self.operators.split.D_r.inverse() @ self.eps_r

    @cached_property
    def nodal(self) -> NodalFilter:
        """The same over the nodes of the bodies, (9.10)-(9.26) of Rodriguez, with the forces T - C."""
        return NodalFilter(self.operators.nodal, self.T - self.operators.C)

    # ------------------------------------------------------------ diagonalised equations of motion

    @property
    def log_det(self) -> float | complex:
        """Logarithm of the determinant of the mass matrix."""
        return self.operators.log_det

    @cached_property
    def xi(self) -> Numbers:
        return self.operators.root.T @ self.operators.v

    @cached_property
    def xi_rate(self) -> Numbers:
        return self.operators.root.T @ self.a + self._rate

    @cached_property
    def xi_coriolis(self) -> Numbers:
        o = self.operators
        forces = o.H @ (o.Phi @ (o.M @ (o.Phi.T @ o.coriolis) + o.gyroscopic))
        return np.asarray(o.root.inverse() @ forces - self._rate)

    @cached_property
    def xi_force(self) -> Numbers:
        return self.xi_rate + self.xi_coriolis

    @cached_property
    def _rate(self) -> Numbers:
        return self._root_rate()
