"""The constraint equations of closed loops in a complex state: how they change, and what their forces do.

Run as plain Python: a few milliseconds a state, where machine code for complex numbers would take the better part of a
minute to make.
"""

from __future__ import annotations

import numpy as np

from supple.engines.plain import plain
from supple.linear.start import Floats, Numbers
from supple.model.loops.loops import Loops
from supple.recursions.closed_chains import constraint_accelerations, constraint_rates, still_motion
from supple.recursions.closure_forces import carry_inward, row_force
from supple.recursions.closures import closure_workspace
from supple.recursions.newton_euler import at_rest
from supple.recursions.states import States
from supple.recursions.tree import sizes, workspace


class ConstraintEquations:
    """The constraint equations in one state, (nq,), (nv,), (nv,); the working arrays are its own.

    Attributes
    ----------
    cw : ClosureWorkspace
        Values, first and second rates of the equations, and how they depend on their frames.
    """

    def __init__(self, loops: Loops, q: Numbers, v: Numbers, a: Numbers) -> None:
        m = loops.model
        self.loops = loops
        dtype = np.result_type(q, v, a)
        self.cw = closure_workspace(loops.arrays, m.nv, dtype)
        self.ws = workspace(sizes(m.tree, m.flex), dtype.type)
        q, v, a = (np.asarray(x, dtype) for x in (q, v, a))
        self._q = q
        plain(still_motion)(m.tree, m.flex, q, v, a, self.ws)
        plain(constraint_rates)(loops.sweeps.system, States(q, v), self.ws, self.cw)
        plain(constraint_accelerations)(loops.sweeps.system, States(q, v), a, self.ws, self.cw)

    def pull(self, forces: Floats) -> Numbers:
        """J* lambda (nv,): what constraint forces lambda do to the speeds."""
        m, cl = self.loops.model, self.loops.arrays
        out = np.zeros(m.nv, self.cw.J.dtype)
        plain(at_rest)(m.flex, self.ws)
        for i in np.flatnonzero(cl.row_pair >= 0):
            plain(row_force)(self.loops.sweeps.system, i, forces[i], self._q, self.ws, self.cw)
        plain(carry_inward)(m.tree, m.flex, self.cw.still, self.ws, out)
        out = -out
        for i in np.flatnonzero(cl.row_pair < 0):
            np.add.at(out, cl.row_speeds[i], forces[i] * cl.row_ratios[i])
        return out
