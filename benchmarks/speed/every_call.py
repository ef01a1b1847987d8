"""Every function of a model, one state a call from Python, beside Pinocchio and MuJoCo in the same run.

A call of a peer is what its users write for the same result: `crba` for the mass matrix, `forwardKinematics` and
`updateFramePlacement` for a pose. All answers agree before anything is timed; calls of the libraries alternate.

    python -m benchmarks.speed.every_call [--small]
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from itertools import repeat
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pinocchio as pin
from rich.console import Console
from rich.table import Table

import supple
from benchmarks.sizes import SMALL, compile_at_once
from supple.bench.pinocchio import Peer
from support.files.robots import robot_directory

Call = Callable[[], Any]
Function = Callable[..., Any]
ROBOTS = ("ur5_robot",) if SMALL else ("panda", "talos_reduced, floating")
ROUNDS, ROUND = (1, 1.0) if SMALL else (200, 1e3)
"""How many rounds are timed, and how long each is, microseconds."""
GROUND = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
DT = 1e-3
AGREE = 1e-8
"""Largest difference over the largest entry; accelerations of Talos lose digits to its condition."""


class Pinocchio:
    """Calls of Pinocchio for one state of a robot, and what they give in the terms of supple.

    Speeds of these robots stand in another order alone, so that forces are mapped as accelerations are.
    """

    def __init__(self, peer: Peer, state: tuple[Any, Any, Any], frame: str) -> None:
        self.m, self.d = peer.pin, peer.data
        q, v, x = state
        self.T = peer.speed_map(q)
        self.q, self.v, self.x = peer.coordinates(q), self.T @ v, self.T @ x
        self.frame = self.m.getFrameId(frame)

    def calls(self) -> dict[str, tuple[Call, Function]]:
        """A call of each function, and the map of its result."""
        m, d, q, v, x, T, f = self.m, self.d, self.q, self.v, self.x, self.T, self.frame
        swapped = [3, 4, 5, 0, 1, 2]

        def symmetric(upper: Any) -> Any:
            return np.triu(upper) + np.triu(upper, 1).T

        def velocity() -> Any:
            pin.forwardKinematics(m, d, q, v)
            return pin.getFrameVelocity(m, d, f, GROUND)

        def acceleration() -> Any:
            pin.forwardKinematics(m, d, q, v, x)
            return pin.getFrameClassicalAcceleration(m, d, f, GROUND)

        def pose() -> Any:
            pin.forwardKinematics(m, d, q)
            return pin.updateFramePlacement(m, d, f)

        def wrenches() -> Any:
            pin.rnea(m, d, q, v, x)
            return d.f

        def energy() -> Any:
            return pin.computeKineticEnergy(m, d, q, v), pin.computePotentialEnergy(m, d, q)

        return {
            "forward_dynamics": (lambda: pin.aba(m, d, q, v, x), lambda a: T.T @ a),
            "inverse_dynamics": (lambda: pin.rnea(m, d, q, v, x), lambda tau: T.T @ tau),
            "bias_forces": (lambda: pin.nonLinearEffects(m, d, q, v), lambda tau: T.T @ tau),
            "mass_matrix": (lambda: pin.crba(m, d, q), lambda M: T.T @ symmetric(M) @ T),
            "inverse_mass_matrix": (lambda: pin.computeMinverse(m, d, q), lambda W: T.T @ symmetric(W) @ T),
            "energy": (energy, lambda e: np.array(e)),
            "momentum": (
                lambda: pin.computeCentroidalMomentum(m, d, q, v),
                lambda h: np.concatenate([h.angular + np.cross(d.com[0], h.linear), h.linear]),
            ),
            "center_of_mass": (lambda: pin.centerOfMass(m, d, q), lambda c: c),
            "joint_wrenches": (wrenches, lambda _: np.empty(0)),
            "regressor": (lambda: pin.computeJointTorqueRegressor(m, d, q, v, x), lambda _: np.empty(0)),
            "integrate": (lambda: pin.integrate(m, q, v * DT), lambda q: q),
            "linearize": (
                lambda: pin.computeABADerivatives(m, d, q, v, x),
                lambda _: np.concatenate([T.T @ y @ T for y in (d.ddq_dv, symmetric(d.Minv))]),
            ),
            "pose": (pose, lambda M: np.concatenate([M.rotation.ravel(), M.translation])),
            "velocity": (velocity, lambda V: V.vector[swapped]),
            "acceleration": (acceleration, lambda A: A.vector[swapped]),
            "jacobian": (lambda: pin.computeFrameJacobian(m, d, q, f, GROUND), lambda J: J[swapped] @ T),
        }


class MuJoCo:
    """Calls of MuJoCo for one state of a robot on a fixed base, without contacts."""

    def __init__(self, path: Path, state: tuple[Any, Any, Any], speeds: tuple[str, ...], body: str) -> None:
        text = re.sub(r"<(visual|collision)\b.*?</\1>", "", path.read_text(), flags=re.DOTALL)
        options = '<mujoco><compiler fusestatic="false" strippath="true" balanceinertia="false"/></mujoco>'
        self.m = mujoco.MjModel.from_xml_string(re.sub(r"(<robot[^>]*>)", rf"\1{options}", text, count=1))
        self.m.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT | mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
        self.m.dof_damping[:] = self.m.dof_frictionloss[:] = self.m.dof_armature[:] = 0.0
        self.d = mujoco.MjData(self.m)
        names = [self.m.body(int(b)).name for b in self.m.dof_bodyid]
        self.order = [names.index(name.partition(".")[0]) for name in speeds]
        self.d.qpos[self.order], self.d.qvel[self.order], self.d.qfrc_applied[self.order] = state
        self.x = self.d.qfrc_applied.copy()
        self.body = self.m.body(body).id

    def calls(self) -> dict[str, tuple[Call, Function]]:
        """A call of each function that it has, and the map of its result."""
        m, d, body, order = self.m, self.d, self.body, self.order
        tau, M, J = np.zeros(m.nv), np.zeros((m.nv, m.nv)), np.zeros((6, m.nv))

        def placed() -> None:
            mujoco.mj_kinematics(m, d)
            mujoco.mj_comPos(m, d)

        def forces(accelerated: int) -> Any:
            placed()
            mujoco.mj_comVel(m, d)
            mujoco.mj_rne(m, d, accelerated, tau)
            return tau

        def inverse() -> Any:
            d.qacc[:] = self.x
            return forces(1)

        def forward() -> Any:
            mujoco.mj_forward(m, d)
            return d.qacc

        def mass_matrix() -> Any:
            placed()
            mujoco.mj_makeM(m, d)
            mujoco.mj_fullM(m, d, M)
            return M

        def pose() -> Any:
            mujoco.mj_kinematics(m, d)
            return d.xmat[body], d.xpos[body]

        def jacobian() -> Any:
            placed()
            mujoco.mj_jacBody(m, d, J[3:], J[:3], body)
            return J

        return {
            "forward_dynamics": (forward, lambda a: a[order]),
            "inverse_dynamics": (inverse, lambda tau: tau[order]),
            "bias_forces": (lambda: forces(0), lambda tau: tau[order]),
            "mass_matrix": (mass_matrix, lambda M: M[np.ix_(order, order)]),
            "pose": (pose, np.concatenate),
            "jacobian": (jacobian, lambda J: J[:, order]),
        }


def supple_calls(model: supple.Model, state: tuple[Any, Any, Any], frame: str) -> dict[str, tuple[Call, Function]]:
    """Calls of supple, and maps of what they give to what is compared."""
    q, v, x = state
    n = model.nv

    def flat(one: Any) -> Any:
        return np.concatenate([np.ravel(y) for y in one])

    return {
        "forward_dynamics": (lambda: model.forward_dynamics(q, v, x), lambda a: a),
        "inverse_dynamics": (lambda: model.inverse_dynamics(q, v, x), lambda tau: tau),
        "bias_forces": (lambda: model.bias_forces(q, v), lambda tau: tau),
        "mass_matrix": (lambda: model.mass_matrix(q), lambda M: M),
        "inverse_mass_matrix": (lambda: model.inverse_mass_matrix(q), lambda W: W),
        "energy": (lambda: model.energy(q, v), np.array),
        "momentum": (lambda: model.momentum(q, v), lambda h: h),
        "center_of_mass": (lambda: model.center_of_mass(q), lambda c: c),
        "joint_wrenches": (lambda: model.joint_wrenches(q, v, x), lambda _: np.empty(0)),
        "regressor": (lambda: model.regressor(q, v, x), lambda _: np.empty(0)),
        "integrate": (lambda: model.integrate(q, v, DT), lambda q: q),
        "linearize": (lambda: model.linearize(q, v, x), lambda AB: np.concatenate([AB[0][n:, n:], AB[1][n:]])),
        "pose": (lambda: model.pose(q, frame), flat),
        "velocity": (lambda: model.velocity(q, v, frame), lambda V: V),
        "acceleration": (lambda: model.acceleration(q, v, x, frame), lambda A: A),
        "jacobian": (lambda: model.jacobian(q, frame), lambda J: J),
    }


def call_times(calls: list[Call]) -> list[float]:
    """Microseconds of calls that take turns, the shortest of many short rounds each.

    Rounds of a millisecond fit between what else the machine does.
    """
    best, numbers = [np.inf] * len(calls), [1] * len(calls)
    for _ in range(ROUNDS):
        for i, call in enumerate(calls):
            start = time.perf_counter()
            for _ in repeat(None, numbers[i]):
                call()
            spent = time.perf_counter() - start
            best[i] = min(best[i], spent / numbers[i] * 1e6)
            numbers[i] = max(1, min(2 * numbers[i], int(ROUND / best[i])))
    return best


def agree(name: str, ours: Any, theirs: Any) -> None:
    """Stop if answers differ."""
    assert ours.shape == theirs.shape, f"{name}: {ours.shape} and {theirs.shape}"
    difference = abs(ours - theirs).max(initial=0.0) / max(1.0, abs(theirs).max(initial=0.0))
    assert difference < AGREE, f"{name}: answers differ by {difference}"


def robot(label: str) -> Table:
    """The table of a robot."""
    name, _, change = label.partition(", ")
    path = next(robot_directory().rglob(f"{name}.urdf"))
    peer = Peer.of_file(path, change == "floating")
    model = peer.model
    q, v = model.random_state(1)
    state = q, v, np.random.default_rng(2).normal(size=model.nv)
    frame = model.bodies[-1]
    pinocchio = Pinocchio(peer, state, frame)
    ours, theirs = supple_calls(model, state, frame), pinocchio.calls()
    others = {} if change else MuJoCo(path, state, model.speeds, frame).calls()
    table = Table(title=f"{label}: {model.nv} speeds, one state from Python, microseconds")
    for column in ("function", "supple", "Pinocchio", "ratio", "MuJoCo"):
        table.add_column(column, justify="left" if column == "function" else "right")
    for function, (call, mapped) in ours.items():
        calls = [call]
        for library in (theirs, others):
            if function in library:
                other, other_mapped = library[function]
                expected = other_mapped(other())
                found = peer.coordinates(mapped(call())) if function == "integrate" else mapped(call())
                agree(f"{label}: {function}", found, expected)
                calls.append(other)
        mine, pins, *further = call_times(calls)
        cells = [f"{mine:.2f}", f"{pins:.2f}", f"{mine / pins:.2f}", *(f"{x:.2f}" for x in further)]
        table.add_row(function, *cells)
    return table


def arm() -> Table:
    """The table of a flexible arm: two beams with four modes each."""
    S = supple.structures
    beam = S.beam(1.0, S.Tube(0.05, 0.04), S.Material(E=70e9, nu=0.3, rho=2700.0), 10)
    mech = supple.Mechanism("arm")
    for name, parent, at in (("first", "ground", None), ("second", "first", "end")):
        mech.add_body(name, beam.reduce("cantilever", modes=4), parent, supple.Revolute("y"), at=at)
    model = mech.build()
    q, v = model.random_state(1)
    state = q, v, np.random.default_rng(2).normal(size=model.nv)
    table = Table(title=f"flexible arm: {model.nv} speeds, one state from Python, microseconds")
    table.add_column("function")
    table.add_column("supple", justify="right")
    for function, (call, _) in supple_calls(model, state, "second/end").items():
        if function != "regressor":
            call()
            table.add_row(function, f"{call_times([call])[0]:.2f}")
    return table


def main() -> None:
    """Print the tables."""
    compile_at_once()
    console = Console(width=120)
    for label in ROBOTS:
        console.print(robot(label))
    console.print(arm())


if __name__ == "__main__":
    main()
