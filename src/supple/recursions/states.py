"""What goes into a sweep beside the model: states, and what acts on them.

The same types hold a batch, with the states along the first axis of each array, and one state of it.
"""

from __future__ import annotations

from typing import NamedTuple

from supple.engines.kernels import step
from supple.recursions.tree import Array


class States(NamedTuple):
    """Configurations and speeds."""

    q: Array
    """(s, nq) coordinates."""
    v: Array
    """(s, nv) speeds."""


class Actuation(NamedTuple):
    """What acts on the states."""

    drive: Array
    """(s, nv) generalized forces, or accelerations where `given`; afterwards the generalized forces of all dofs."""
    given: Array
    """(nv,) whether the acceleration of a degree of freedom is prescribed; the same in all states."""
    wrench: Array
    """(1 or s, n + 1, 6) applied wrenches, in body axes at body origins; one for all states, or one each."""


@step
def state_at(states: States, s: int) -> States:
    """State s of a batch."""
    return States(states.q[s], states.v[s])


@step
def actuation_at(actuation: Actuation, s: int) -> Actuation:
    """What acts on state s of a batch."""
    wrench = actuation.wrench
    return Actuation(actuation.drive[s], actuation.given, wrench[s % len(wrench)])
