"""What the spatial operators of a state are made of: poses, joint maps, biases and forces of all bodies, kept."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from supple.engines.kernels import step, sweep
from supple.recursions.forces import load_step, loaded_motion, passive_forces
from supple.recursions.kinematics import pose_step
from supple.recursions.states import States, state_at
from supple.recursions.tree import Array, Flex, FlexWorkspace, Sizes, Tree, Workspace
from supple.spatial import copy_rows


class BodyStates(NamedTuple):
    """Of a batch of s states, by `body_states`; names as in `Workspace` and `FlexWorkspace`."""

    R: Array
    """(s, n + 1, 9)."""
    l: Array
    """(s, n + 1, 3)."""
    H: Array
    """(s, nv, 6)."""
    R_ground: Array
    """(s, n + 1, 9)."""
    omega: Array
    """(s, n + 1, 3)."""
    bias: Array
    """(s, n + 1, 6)."""
    gyroscopic: Array
    """(s, n + 1, 6) b(k) by itself."""
    load: Array
    """(s, n + 1, 6) b(k) less what is applied."""
    passive: Array
    """(s, nv) forces of springs, dampers and elasticity on all degrees of freedom."""
    moment: Array
    """(s, n + 1, 3)."""
    inertia: Array
    """(s, n + 1, 6)."""
    coupling: Array
    """(s, nv, 6)."""
    node_l: Array
    """(s, attachment nodes, 3)."""
    node_Q: Array
    """(s, attachment nodes, 9)."""
    xi: Array
    """(s, shapes)."""
    xi_slope: Array
    """(s, nv, most shapes)."""
    modal_gyroscopic: Array
    """(s, nv) b of the modes by itself."""
    modal: Array
    """(s, nv) b of the modes less what is applied."""


def new_body_states(size: Sizes, states: int, dtype: Any) -> BodyStates:
    """New arrays; those of flexible bodies are not written to in a rigid model."""
    rows, nv, nodes = size.bodies + 1, size.speeds, size.attachments
    shapes: dict[str, tuple[int, ...]] = {
        "R": (rows, 9),
        "l": (rows, 3),
        "H": (nv, 6),
        "R_ground": (rows, 9),
        "omega": (rows, 3),
    }
    shapes |= {"bias": (rows, 6), "gyroscopic": (rows, 6), "load": (rows, 6), "moment": (rows, 3)}
    shapes |= {"inertia": (rows, 6), "coupling": (nv, 6), "node_l": (nodes, 3), "node_Q": (nodes, 9)}
    shapes |= {"xi": (size.shapes,), "xi_slope": (nv, size.most_shapes)}
    vectors = {name: np.zeros((states, nv), dtype) for name in ("passive", "modal_gyroscopic", "modal")}
    return BodyStates(**vectors, **{name: np.zeros((states, *shape), dtype) for name, shape in shapes.items()})


@step
def keep_modes(s: int, w: FlexWorkspace, out: BodyStates) -> None:
    """Copy what flexible bodies have into row s of `out`."""
    copy_rows(w.moment, out.moment[s])
    copy_rows(w.inertia, out.inertia[s])
    copy_rows(w.coupling, out.coupling[s])
    copy_rows(w.node_l, out.node_l[s])
    copy_rows(w.node_Q, out.node_Q[s])
    copy_rows(w.xi_slope, out.xi_slope[s])
    for i in range(len(w.xi)):
        out.xi[s, i] = w.xi[i]
    for i in range(len(w.modal)):
        out.modal[s, i] = w.modal[i]


@sweep
def body_states(tree: Tree, flex: Flex | None, states: States, still: Array, ws: Workspace, out: BodyStates) -> None:
    """Fill `out` for a batch of states; `still` (1, n + 1, 6) are zeros."""
    for s in range(len(states.q)):
        state = state_at(states, s)
        loaded_motion(tree, flex, state, still[0], ws)
        passive_forces(tree, flex, state.q, state.v, out.passive[s])
        copy_rows(ws.R, out.R[s])
        copy_rows(ws.l, out.l[s])
        copy_rows(ws.H, out.H[s])
        copy_rows(ws.omega, out.omega[s])
        copy_rows(ws.bias, out.bias[s])
        copy_rows(ws.load, out.load[s])
        if flex is not None:
            keep_modes(s, ws.flex, out)
        for k in range(1, len(tree.parent)):
            pose_step(tree, flex, k, state.q, ws)
            load_step(tree, flex, k, state, still[0], ws)
        copy_rows(ws.R_ground, out.R_ground[s])
        copy_rows(ws.load, out.gyroscopic[s])
        if flex is not None:
            for i in range(len(ws.flex.modal)):
                out.modal_gyroscopic[s, i] = ws.flex.modal[i]
