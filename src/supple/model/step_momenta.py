"""Momenta of a model on graph nodes, as variational steps take them (see `simulation.methods.variational`)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supple.engines.blocks.block_program import Program
from supple.engines.blocks.driven_code import Numbers
from supple.expressions.function import Nodes
from supple.model.model import Model
from supple.model.programs import Ends
from supple.model.recorded_trace import RecordedTrace
from supple.model.symbolic_tree import zeros
from supple.model.trace import Trace
from supple.recursions import articulated, closed_chains, composite, joint_groups, newton_euler
from supple.recursions.closures import ClosedTree, closure_workspace
from supple.recursions.states import States
from supple.recursions.tree import Flex, Tree

Mask = NDArray[np.bool_]
Recorded = tuple[Program, Numbers]


def momenta(t: Trace, q: Nodes, v: Nodes) -> Nodes:
    """M v, by one sweep without gravity and velocities."""
    ws, out = t.workspace(), zeros(t.model.nv)
    t.run(newton_euler.at_rest)(t.flex, ws)
    for k in range(1, len(t.model.bodies) + 1):
        t.run(composite.configuration_step)(t.moving, t.flex, k, q, ws)
    t.run(newton_euler.mass_times)(t.moving, t.flex, v, ws, out)
    return out


def middle_balance(t: Trace, v: Nodes, h: Nodes, start: Nodes, p: Nodes) -> tuple[Nodes, Nodes]:
    """What momenta at the start and in the middle of a step leave for the forces, and ad* p: see `joint_groups`."""
    out, spin = zeros(t.model.nv), zeros(t.model.nv)
    t.run(joint_groups.middle_balance)(t.tree, v, h, start, p, out, spin)
    return out, spin


def middle_program(model: Model) -> Recorded:
    """(q, v, s) -> (middle, p): coordinates after the time s at constant speeds, and momenta there."""

    def make(t: RecordedTrace, _: Mapping[str, Any]) -> Ends:
        s = t.graph.new_inputs("s", ["s"])
        middle = t.advanced(t.q, t.v, s[0])
        return {"q": t.q, "v": t.v, "s": s}, {"middle": middle, "p": momenta(t, middle, t.v)}

    return model.block_program(("momenta in the middle",), make, {})


def end_program(model: Model) -> Recorded:
    """(v, h, start, force) -> momenta at the end of a step: see `joint_groups.carried_momenta`."""

    def make(t: RecordedTrace, _: Mapping[str, Any]) -> Ends:
        h, (start, force) = t.graph.new_inputs("h", ["h"]), (t.graph.new_inputs(x, model.speeds) for x in "Pf")
        out = zeros(model.nv)
        t.run(joint_groups.carried_momenta)(t.tree, t.v, h, start, force, out)
        return {"v": t.v, "h": h, "start": start, "force": force}, {"end": out}

    return model.block_program(("momenta at the end",), make, {})


def speed_program(model: Model, given: Mask) -> Recorded:
    """(q, p) -> speeds of momenta, closed loops and all; those that are given are zero."""

    def make(t: RecordedTrace, _: Mapping[str, Any]) -> Ends:
        ws, v = t.workspace(), zeros(model.nv)
        t.run(newton_euler.at_rest)(t.flex, ws)
        for k in range(1, len(model.bodies) + 1):
            t.run(composite.configuration_step)(t.moving, t.flex, k, t.q, ws)
        t.run(articulated.articulated_inertias)(t.moving, t.flex, given, ws)
        p = np.where(given, 0.0, t.tau)
        t.run(articulated.inverse_mass_times)(t.moving, t.flex, p, given, ws, v)
        if model.loops is not None:
            v = v + t.closing_steps(t.q, v, given, t.workspace())[2]
        return {"q": t.q, "tau": t.tau}, {"v": v}

    return model.block_program(("speeds of momenta", tuple(given.tolist())), make, {})


def closing_program(model: Model, stiff: tuple[Tree, Flex | None], given: Mask) -> Recorded:
    """(q) -> (shift, force, J): speeds times a step that close the loops, the forces of that, Jacobian (rows nv,).

    The shift is of the metric of the stiff tree.
    """

    def make(t: RecordedTrace, groups: Mapping[str, Any]) -> Ends:
        cl, still = t.closure_arrays(), zeros(model.nv)
        state, ws = States(t.q, still), t.workspace()
        ct, cw = ClosedTree(groups["stiff_tree"], groups["stiff_flex"], cl), closure_workspace(cl, model.nv, object)
        t.run(closed_chains.open_motion)(ct, state, given, ws, cw)
        J, error = np.array(cw.J, dtype=object), cw.position
        if model.flex is not None:  # second-order shapes of the stiff tree are others
            ct, own, ws = ClosedTree(t.tree, t.flex, cl), closure_workspace(cl, model.nv, object), t.workspace()
            t.run(closed_chains.still_motion)(t.tree, t.flex, t.q, still, still, ws)
            t.run(closed_chains.constraint_rates)(ct, state, ws, own)
            error = own.position
        (force,) = t.least_forces(cw.S, error)
        shift = -t.weighted_rows(force, cw.X)
        return {"q": t.q}, {"shift": shift, "force": force, "J": J.reshape(-1)}

    arrays = {"stiff_tree": stiff[0], "stiff_flex": stiff[1]}
    return model.block_program(("variational closing", tuple(given.tolist())), make, arrays)
