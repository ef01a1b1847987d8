"""The compatibility matrix C(theta) as the paper has it: C q = 0, (6)-(9) of Vidoni et al. (2015).

The equations of motion never form it, see `compatibility`. It is here to look at and to check with.
"""

from __future__ import annotations

import numpy as np

from supple.checks import Floats
from supple.erls.arrays import Numbers
from supple.erls.chain import Chain, Connection
from supple.erls.compatibility import Configuration
from supple.erls.links import RIGID, Link


def compatibility_matrix(chain: Chain, at: Configuration, axes: tuple[int, ...]) -> Numbers:
    """C (..., v, 6 links + d), columns link by link: q_r (rotation, displacement), then q_d.

    The rows of a joint are those that it constrains, in link axes: five, or six where it is fixed. The paper's first
    block row, of the joint on the ground, does not depend on theta; neither does it here.
    """
    widths = [RIGID + link.modes for link in chain.links]
    first = np.concatenate([[0], np.cumsum(widths)])
    blocks = []
    for i, (link, c) in enumerate(zip(chain.links, chain.connections, strict=True)):
        kept = constrained(c)
        row = np.zeros((*axes, len(kept), int(first[-1])), at.T[i].dtype)
        row[..., first[i] : first[i + 1]] = kept @ _root(link, c)
        if c.parent >= 0:
            carrier = chain.links[c.parent]
            end = np.concatenate([c.B, c.B @ carrier.participation + c.F], axis=1)
            row[..., first[c.parent] : first[c.parent + 1]] = -(kept @ at.T[i] @ end)
        blocks.append(row)
    return np.concatenate(blocks, axis=-2)


def constrained(c: Connection) -> Floats:
    """Rows (5 or 6, 6) that pick the motions that a joint does not allow: an orthonormal complement of its axis."""
    if c.coordinate < 0:
        return np.eye(RIGID)
    whole = np.linalg.qr(np.column_stack([c.A, np.eye(RIGID)]))[0]
    return whole[:, 1:RIGID].T


def _root(link: Link, c: Connection) -> Floats:
    """S U (6, 6 + d): motion of the root for a unit of each mode."""
    back = np.linalg.inv(c.K)
    return np.concatenate([back, back @ link.participation], axis=1)
