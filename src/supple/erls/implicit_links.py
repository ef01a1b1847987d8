"""Newton iterations of implicit steps of an equivalent rigid-link system, with a dense matrix.

The stiff part is that of the modes, which is diagonal, and of the springs and dampers of joints, which act on the whole
motions B v. So M + g_1 C + g_2 K is formed with these alone; what else changes with the state only slows the iteration.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from supple.checks import Floats
from supple.erls.dynamics import hybrid
from supple.erls.link_slopes import LinkSlopes


class LinkNewton:
    """One iteration at the end of a step.

    Parameters
    ----------
    model : ErlsModel
    slopes : two floats
        g_1 and g_2: what speeds and coordinates at the end of a step change with the acceleration there.
    gains : two (nv,) arrays
        Damping and stiffness that the laws give their own degrees of freedom.
    prescribed : (nv,) array of bool

    Attributes
    ----------
    force, correction : (nv,) arrays
        Forces that the accelerations take, and by how much these change.
    """

    def __init__(
        self,
        model: LinkSlopes,
        slopes: tuple[float, float],
        gains: tuple[Floats, Floats],
        prescribed: NDArray[np.bool_],
    ) -> None:
        self._model, self._prescribed = model, prescribed
        g_1, g_2 = slopes
        chain = model.chain
        joints = g_1 * chain.damping + g_2 * chain.stiffness
        back = np.argsort(model.order)
        joints = joints + (g_1 * gains[0] + g_2 * gains[1])[back][: chain.joints]
        self._modes = np.zeros((model.nv, model.nv))
        for i, link in enumerate(chain.links):
            own = slice(chain.joints + chain.first[i], chain.joints + chain.first[i + 1])
            self._modes[own, own] = g_1 * link.damping + g_2 * np.diag(link.squares)
        self._modes = self._modes[np.ix_(model.order, model.order)]
        self._joints = np.where(model.is_mode, 0.0, np.concatenate([joints, np.zeros(chain.modes)])[model.order])
        self.force, self.correction = np.zeros((2, model.nv))

    def __call__(self, renew: bool, q: Floats, v: Floats, known: Floats, w: Floats) -> None:
        """Iterate for the accelerations w; the matrix is always that of this configuration."""
        x = self._model.ordered_equations(q, v)
        B = x.actuation
        taken = x.mass @ w + x.bias
        self.force = np.asarray(np.linalg.solve(B.T, taken), dtype=np.float64)
        stiff = x.mass + self._modes + B.T @ (self._joints[:, None] * B)
        left = np.where(self._prescribed, 0.0, known - self.force)
        self.correction = hybrid(replace(x, mass=stiff, bias=0.0 * x.bias), left, self._prescribed)[0]
