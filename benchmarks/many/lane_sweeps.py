"""Sweeps whose cases are lanes: 4,096 carts with a pendulum, and 4,096 flexible arms, each with other numbers.

    python -m benchmarks.many.lane_sweeps [--small]

Masses, lengths and stiffnesses are varied; of the arm also the material, so that every case has modes of its own. The
loop loads the model with the numbers of a case and calls `supple.simulate` with the same steps; some cases of it are
timed and scaled. Most of its time for arms goes into making their models: with four times as many steps a case, lanes
are half as far ahead. Beside them are MuJoCo's `rollout` with a model for each cart and Exudyn's `ParameterVariation`.
All on one core, in seconds of the processor; results are compared before. Code is compiled before anything is timed.
"""

from __future__ import annotations

import copy
import time
from collections.abc import Callable, Mapping
from functools import partial
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import mujoco
import mujoco.rollout
import numpy as np
from rich.console import Console
from rich.table import Table

import supple
from benchmarks.sizes import SMALL, compile_at_once
from supple.files import read
from supple.sweeps.lane_engine import LaneEngine

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
SIDE = 4 if SMALL else 16
"""Values of each of three numbers of the cart."""
ARMS = 4 if SMALL else 4096
LOOP = {"cart": 2 if SMALL else 48, "arm": 1 if SMALL else 8}
"""Cases of the loop."""
DT, DURATION = 0.01, 1.0 if SMALL else 10.0
CART = {
    "body.arm.mass": [1.0, 2.0],
    "body.arm.com[2]": [-0.9, -0.7],
    "body.cart.joint.stiffness": [1.0, 4.0],
}
ARM = {
    "body.payload.mass": {"uniform": [0.4, 0.6]},
    "body.elbow.mass": {"uniform": [0.9, 1.1]},
    "structure.link.length": {"uniform": [0.95, 1.05]},
    "material.aluminium.E": {"uniform": [6.5e10, 7.5e10]},
}
RUNS: dict[str, dict[str, Any]] = {
    "cart": {"integrator": "rk4", "step": DT, "duration": DURATION},
    "arm": {"integrator": "rk4", "step": 2e-4, "duration": 0.01 if SMALL else 0.05, "samples": 6 if SMALL else 26},
}
MEASURE = {
    "cart": {"x": "last(cart.position)", "angle": "last(arm.angle)", "widest": "max(abs(cart.position))"},
    "arm": {"angle": "last(upper.angle)", "bend": "max(abs(upper.mode1))", "y": "last(position.payload.y)"},
}


def timed(f: Callable[[], Any]) -> tuple[float, Any]:
    """Seconds of the processor, and what came of it."""
    start = time.process_time()
    found = f()
    return time.process_time() - start, found


def files(folder: Path) -> dict[str, Path]:
    """The examples; the arm without the tolerances of its adaptive integrator."""
    arm = (EXAMPLES / "flexible_two_link_arm.toml").read_text()
    for key in ("rtol", "atol"):
        arm = "\n".join(line for line in arm.splitlines() if not line.startswith(key))
    (folder / "arm.toml").write_text(arm)
    return {"cart": EXAMPLES / "cart_pendulum.toml", "arm": folder / "arm.toml"}


def swept(path: Path, name: str, given: Mapping[str, Any], engine: LaneEngine) -> Any:
    """A sweep in lanes on one core."""
    changes = {f"simulation.{key}": x for key, x in RUNS[name].items()}
    return supple.sweep(path, measure=MEASURE[name], changes=changes, engine=engine, **given)


def looped(path: Path, name: str, found: Any, paths: list[str], cases: list[int]) -> dict[str, list[float]]:
    """The same measures of some cases, one after another by `supple.simulate`."""
    out: dict[str, list[float]] = {key: [] for key in MEASURE[name]}
    for case in cases:
        contents = read(path, changes={x: float(found[x].values[case]) for x in paths})
        result = supple.simulate(contents.model, **contents.run_arguments() | RUNS[name])
        q = result.q.sel
        if name == "cart":
            x = q(coordinate="cart.position").values
            values = {"x": x[-1], "angle": q(coordinate="arm.angle").values[-1], "widest": np.abs(x).max()}
        else:
            bend = np.abs(q(coordinate="upper.mode1").values).max()
            y = result.position.sel(frame="payload", axis="y").values[-1]
            values = {"angle": q(coordinate="upper.angle").values[-1], "bend": bend, "y": y}
        for key, value in values.items():
            out[key].append(float(value))
    return out


def compared(name: str, path: Path, given: Mapping[str, Any], few: Mapping[str, Any], tolerance: float) -> Any:
    """Times of a sweep in lanes and of the loop, their results compared; gives both rates and the sweep."""
    engine = LaneEngine()
    swept(path, name, few, engine)
    seconds, found = timed(lambda: swept(path, name, given, engine))
    assert (found.status == 1).all(), found.message.values[found.status.values != 1][:3]
    assert SMALL or not engine.why, engine.why
    paths = [x for x in found.coords if x != "case"]
    count = found.sizes["case"]
    cases = np.linspace(0, count - 1, LOOP[name]).astype(int).tolist()
    looped(path, name, found, paths, cases[:1])
    loop, one_by_one = timed(lambda: looped(path, name, found, paths, cases))
    off = {key: float(np.max(np.abs(found[key].values[cases] - x) / np.abs(x))) for key, x in one_by_one.items()}
    assert max(off.values()) < tolerance, off
    return seconds / count, loop / len(cases), max(off.values()), found


def mujoco_carts(found: Any) -> tuple[float, float]:
    """Seconds a cart of MuJoCo's rollout, and to make its model; the same motion."""
    text = f"""<mujoco><option timestep="{DT}" integrator="RK4" gravity="0 -9.81 0"/><worldbody>
      <body><inertial pos="0 0 0" mass="3" diaginertia="1 1 1"/><joint type="slide" axis="1 0 0"/>
        <body><inertial pos="0 -0.8 0" mass="1.5" diaginertia="0.08 0.001 0.08"/><joint type="hinge" axis="0 0 1"/>
      </body></body></worldbody></mujoco>"""
    text = text.replace("<mujoco>", '<mujoco><compiler boundinertia="0" balanceinertia="false"/>')
    base = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(base)
    columns = [found[path].values for path in CART]

    def model(case: int) -> Any:
        own = copy.copy(base)
        mass, com, stiffness = (x[case] for x in columns)
        own.body_mass[2], own.body_ipos[2, 1], own.jnt_stiffness[0] = mass, com, stiffness
        mujoco.mj_setConst(own, data)
        return own

    steps, total, making = round(DURATION / DT), 0.0, 0.0
    x = np.zeros((len(columns[0]), 2))
    for first in range(0, len(x), 256):
        cases = range(first, min(first + 256, len(x)))
        spent, models = timed(partial(lambda some: [model(i) for i in some], cases))
        initial = np.tile([0.0, 0.0, 2.0, 0.0, 0.0], (len(models), 1))
        again, (states, _) = timed(partial(mujoco.rollout.rollout, models, [data], initial, nstep=steps))
        making, total = making + spent, total + again
        x[cases.start : cases.stop] = states[:, -1, 1:3]
    ours = np.stack([found.x.values, found.angle.values], axis=1)
    assert np.abs(x - ours).max() < 1e-6, np.abs(x - ours).max()  # the same steps, other roundings of 10 s of swinging
    return total / len(x), making / len(x)


def exudyn_cart(parameters: Mapping[str, float]) -> list[float]:
    """The cart as a kinematic tree of Exudyn, in minimal coordinates, by RK44."""
    exudyn, items = import_module("exudyn"), import_module("exudyn.itemInterface")
    container = exudyn.SystemContainer()
    system = container.AddSystem()
    node = system.AddNode(
        items.NodeGenericODE2(
            referenceCoordinates=[0.0, 0.0],
            initialCoordinates=[0.0, 2.0],
            initialCoordinates_t=[0.0, 0.0],
            numberOfODE2Coordinates=2,
        )
    )
    system.AddObject(
        items.ObjectKinematicTree(
            nodeNumber=node,
            jointTypes=[exudyn.JointType.PrismaticX, exudyn.JointType.RevoluteZ],
            linkParents=[-1, 0],
            jointTransformations=exudyn.Matrix3DList([np.eye(3)] * 2),
            jointOffsets=exudyn.Vector3DList([[0, 0, 0], [0, 0, 0]]),
            linkInertiasCOM=exudyn.Matrix3DList([np.eye(3), np.diag([0.08, 0.001, 0.08])]),
            linkCOMs=exudyn.Vector3DList([[0, 0, 0], [0, parameters["com"], 0]]),
            linkMasses=[3.0, parameters["mass"]],
            gravity=[0.0, -9.81, 0.0],
            jointPControlVector=[parameters["stiffness"], 0.0],
            jointDControlVector=[0.0, 0.0],
            jointPositionOffsetVector=[0.0, 0.0],
            jointVelocityOffsetVector=[0.0, 0.0],
        )
    )
    system.Assemble()
    settings = exudyn.SimulationSettings()
    settings.timeIntegration.numberOfSteps = round(DURATION / DT)
    settings.timeIntegration.endTime = DURATION
    settings.timeIntegration.verboseMode = 0
    settings.solution.file.write = False
    system.SolveDynamic(settings, solverType=exudyn.DynamicSolverType.RK44)
    return [float(x) for x in system.GetNodeOutput(node, exudyn.OutputVariableType.Coordinates)]


def exudyn_carts(found: Any) -> float:
    """Seconds a cart of Exudyn's ParameterVariation, of the corners of the grid; the same motion."""
    processing = import_module("exudyn.processing")
    ends = {key: CART[path] for key, path in zip(("mass", "com", "stiffness"), CART, strict=True)}
    seconds, (listed, values) = timed(
        lambda: processing.ParameterVariation(exudyn_cart, {k: [*x] for k, x in ends.items()}, showProgress=False)
    )
    columns = [found[path].values for path in CART]
    for row, value in enumerate(values):
        at = [listed[key][row] for key in ends]
        case = int(np.argmin(sum(np.abs(x - y) for x, y in zip(columns, at, strict=True))))
        ours = [found.x.values[case], found.angle.values[case]]
        assert np.abs(np.array(value) - ours).max() < 1e-6, (value, ours)
    return seconds / len(values)


def main() -> None:
    """Print the table."""
    compile_at_once()
    many = {name: round(x["duration"] / x["step"]) for name, x in RUNS.items()}
    title = f"{SIDE**3} carts with a pendulum, {many['cart']} steps of RK4; {ARMS} flexible arms, {many['arm']} steps"
    table = Table(title=title)
    for title in ("", "ms a case", "slower than lanes", "largest difference"):
        table.add_column(title, justify="right" if title else "left")
    grid = {path: {"range": x, "steps": SIDE} for path, x in CART.items()}
    few = {path: {"range": x, "steps": SIDE // 2} for path, x in CART.items()}
    with TemporaryDirectory() as folder:
        paths = files(Path(folder))
        lanes, loop, off, found = compared("cart", paths["cart"], {"vary": grid}, {"vary": few}, 1e-9)
        making = mujoco_carts(found)
        peers = {
            "cart: lanes": (lanes, ""),
            "cart: loop of supple.simulate": (loop, f"{off:.0e}"),
            "cart: mujoco.rollout, a model each": (sum(making), "same steps"),
            "  without making the models": (making[0], ""),
            "cart: Exudyn's ParameterVariation": (exudyn_carts(found), "same steps"),
        }
        sampled = {"vary": ARM, "sampler": "lhs", "samples": ARMS}
        before = sampled | {"samples": min(ARMS, 256)}
        arms, arm_loop, arm_off, _ = compared("arm", paths["arm"], sampled, before, 1e-7)
    for name, (seconds, difference) in peers.items():
        table.add_row(name, f"{1e3 * seconds:.3f}", f"{seconds / lanes:.1f}", difference)
    table.add_row("arm: lanes", f"{1e3 * arms:.3f}", "1.0", "")
    table.add_row("arm: loop of supple.simulate", f"{1e3 * arm_loop:.3f}", f"{arm_loop / arms:.1f}", f"{arm_off:.0e}")
    Console(width=110).print(table)
    if not SMALL:
        assert loop >= 50 * lanes, loop / lanes
        assert arm_loop >= 50 * arms, arm_loop / arms


if __name__ == "__main__":
    main()
