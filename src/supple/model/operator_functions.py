"""Spatial operators of a state, and the filter and smoother that they make of its forces."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from supple.errors import StateError
from supple.model.complex_states import sweep_states
from supple.model.complex_steps import by_complex_steps
from supple.model.frozen import Numbers
from supple.model.operators.body_blocks import Bodies
from supple.model.operators.innovations import Innovations
from supple.model.operators.state_operators import Operators
from supple.model.regressor_functions import RegressorFunctions
from supple.recursions.body_states import body_states, new_body_states
from supple.recursions.states import States
from supple.recursions.tree import sizes


class OperatorFunctions(RegressorFunctions):
    """The operators of the sources by name."""

    def operators(self, q: ArrayLike, v: ArrayLike | None = None) -> Operators:
        """The spatial operators of one state: H, Phi, Psi, M, P, D, K, ... with `@`, `.T`, `.inverse()`, `.dense()`.

        Parameters
        ----------
        q : (nq,) array_like
            May be complex, for derivatives by complex steps.
        v : (nv,) array_like, optional
            Speeds; zero if not given. The vectors a_m, b_m, C and passive depend on them.
        """
        (q_, v_), shape, dtype = self.batch(q=(q, self.nq), v=(np.zeros(self.nv) if v is None else v, self.nv))
        if shape != ():
            raise StateError(f"operators: expected one configuration of shape ({self.nq},), got shape {np.shape(q)}")
        return Operators(self._bodies(q_, v_, dtype), q_[0], v_[0])

    def innovations(self, q: ArrayLike, v: ArrayLike, tau: ArrayLike) -> Innovations:
        """Filter and smoother of one state with the generalized forces tau: z, eps, nu, ... (7.2), (7.3), as arrays.

        Examples
        --------
        >>> from supple import Mechanism, RigidBody
        >>> mech = Mechanism("pendulum")
        >>> mech.add_body("arm", RigidBody(1.0, com=(0, 0, -0.5), inertia=(0.1, 0.15, 0.1)))
        >>> found = mech.build().innovations([0.3], [2.0], [1.0])
        >>> print(found.D.dense(), found.xi @ found.xi / 2)  # inertia about the hinge, kinetic energy
        [[0.4]] 0.8
        """
        if self.loops is not None:
            raise StateError(f"model {self.name!r} has closed loops: innovations: expected a tree")
        (q_, v_, tau_), shape, dtype = self.batch(q=(q, self.nq), v=(v, self.nv), tau=(tau, self.nv))
        if shape != () or dtype != np.float64:
            raise StateError(f"innovations: expected one real state, got shapes {np.shape(q)}, {np.shape(v)}")

        def momenta(x: Numbers) -> Numbers:
            return np.asarray(self.operators(x[0]).root.T @ v_[0])[None]

        def root_rate() -> Numbers:
            return by_complex_steps(momenta, q_[0], self.derivative(q_, v_))[:, 0]

        return Innovations(self.operators(q, v), tau_[0], root_rate)

    def _bodies(self, q: Numbers, v: Numbers, dtype: type) -> Bodies:
        """All bodies in one state (1, nq), (1, nv)."""
        size = sizes(self.tree, self.flex)
        out, still = new_body_states(size, 1, dtype), np.zeros((1, len(self.bodies) + 1, 6))
        if dtype == np.complex128:
            sweep_states(body_states, self.tree, self.flex, (States(q, v), still), size, (out,))
        else:
            with self.workspace(dtype) as ws:
                body_states(self.tree, self.flex, States(q, v), still, ws, out)
        described = [placed.body for placed in self.description.bodies.values()]
        return Bodies(self.tree, self.flex, out, described, self.refuse_singular)
