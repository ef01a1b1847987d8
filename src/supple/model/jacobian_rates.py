"""How the Jacobian of a frame changes with the motion: its derivative along the rates of the coordinates, on nodes."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from supple.engines.blocks.block_program import BoundProgram
from supple.engines.blocks.lifted_program import lifted_program
from supple.expressions.derivatives import along
from supple.expressions.function import Function
from supple.model.body_frames import BodyFrame, frame_arrays
from supple.model.frame_programs import Seen, along_axes
from supple.model.symbolic_tree import zeros
from supple.model.trace import Trace
from supple.recursions.frame_jacobian import jacobian_columns
from supple.recursions.frame_paths import frame_paths
from supple.recursions.kinematics import joint_step, pose_step

if TYPE_CHECKING:
    from supple.model.model import Model


def jacobian_rate(model: Model, frames: Sequence[BodyFrame], how: Seen) -> BoundProgram:
    """Return the program of dJ/dt (6, nv) of the first frame from q and v.

    Parameters
    ----------
    model : Model
    frames : sequence of BodyFrame
        The frame, and the one along whose axes its motion is taken, if it is another one.
    how : Seen
    """
    trace = Trace(model)
    arrays, ws, J = frame_arrays(frames), trace.workspace(), zeros(6, model.nv)
    own, paths = trace.nodes_of(arrays), frame_paths(model.tree.parent, arrays)
    for k in paths.body.tolist():
        trace.run(joint_step)(trace.tree, trace.flex, k, trace.q, ws)
        trace.run(pose_step)(trace.tree, trace.flex, k, trace.q, ws)
    trace.run(jacobian_columns)(trace.tree, trace.flex, own, 0, trace.q, ws, J)
    seen: Any = SimpleNamespace(run=trace.run, flex=trace.flex, ws=ws, structure=SimpleNamespace(paths=paths))
    columns = [along_axes(seen, own, 0, trace.q, how, tuple(J[:, j]), None) for j in range(model.nv)]
    entries = [trace.graph.node(x) for x in np.array(columns, dtype=object).reshape(model.nv, 6).T.flat]
    (slopes,) = along(entries, [dict(zip(trace.q, trace.rates(trace.q, trace.v), strict=True))])
    outputs = {"dJ": np.array(slopes, dtype=object).reshape(6, model.nv)}
    function = Function("jacobian_derivative", trace.graph, {"q": trace.q, "v": trace.v}, outputs)
    return BoundProgram(*lifted_program(function))
