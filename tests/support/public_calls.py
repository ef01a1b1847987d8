"""Every public function, constructor and method, with arguments that it takes: the list is read from the package."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import supple
from supple import erls, linear, shapes, structures, symbolic
from supple.identification import base_parameters, read_measurements
from supple.results import Runs

COMMAND_LINE = {"supple.cli"}
"""Packages that are no interface of Python."""
TRUSTED = {
    "Bools", "Chain", "Floats", "Formulation", "Graph", "Ints", "LinearEquations", "Modes", "Numbers", "Operations",
    "Pairs", "Sparse", "StateSpace", "Variables", "Vector", "Mask", "Ends", "xr.Dataset", "Function",
}  # fmt: skip
"""Types of what the package makes: a class or method that takes one is made, or called, by the package."""
APART = {
    "supple.view.LivePage": "starts a server",
    "supple.live": "starts a server",
    "supple.show": "opens a browser",
    "supple.bench.best_time": "runs what it is given",
    "supple.Model": "is made by Mechanism.build",
    "supple.erls.ErlsTrace": "is made by `traced`",
    "supple.symbolic.Trace": "is made by `traced`",
    "supple.files.read_parsed": "is handed what a reader of TOML gives",
    "supple.formulations.restored": "is handed what a results file holds",
    "supple.formulations.settings_of": "writes what a results file holds",
    "supple.results.find_signal": "is handed the signals of a result",
    "supple.sweeps.summary_tables": "is handed a summary",
    "supple.view.write_glb": "is handed a motion that was made ready to be shown",
    "supple.view.write_runs": "is handed runs that were made ready to be shown",
}
INNER = {
    "block_program", "carrier", "coordinate_leaves", "copied_to", "display_state", "drives", "enter",
    "foresee", "forward_dynamics_function", "hybrid", "in_motions", "inverse_mass_product", "local_triangles",
    "newton_iteration", "no_wrench", "node", "nodes", "owner", "placed", "refuse_singular", "restored", "traced",
    "whole", "with_second_order", "workspace", "written_out",
}  # fmt: skip
"""Methods by which the parts of the package work together."""


@dataclass(frozen=True)
class Call:
    """A function, constructor or method, and arguments that it takes."""

    name: str
    target: Callable[..., Any]
    parameters: Mapping[str, str]
    arguments: Mapping[str, Any]


SLOW = {"supple.sweep", "supple.fit", "supple.optimize", "supple.compare.formulations", "supple.export.fmu"}
"""Whole runs, or files of many functions."""


def seconds(call: Call) -> int:
    """The time that a call may take on a machine that has other things to do."""
    return 60 if call.name in SLOW else 20


def mechanism() -> supple.Mechanism:
    """An arm with an elastic boom on it: rigid and flexible, springs and frames."""
    mech = supple.Mechanism("crane")
    mech.add_body("arm", supple.RigidBody(1.0, (0, 0, -0.5), (0.1, 0.1, 0.01)), joint=supple.Revolute("y", damping=0.1))
    mech.add_frame("end", "arm", (0, 0, -1))
    mech.add_body("boom", boom(), "arm", supple.Revolute("x", stiffness=5.0), at="end")
    return mech


@cache
def structure() -> Any:
    material = structures.Material(E=70e9, nu=0.3, rho=2700.0)
    return structures.beam(0.5, structures.Rectangle(0.02, 0.01), material, 2)


@cache
def boom() -> Any:
    return structure().reduce("cantilever", modes=1)


@cache
def model() -> supple.Model:
    return mechanism().build()


@cache
def closed() -> supple.Model:
    """A four-bar linkage, closed by a joint."""
    mech = supple.Mechanism("four bar")
    bar = supple.RigidBody(1.0, (0, 0, 0.1), (0.1, 0.1, 0.01))
    mech.add_body("crank", bar, joint=supple.Revolute("y"))
    mech.add_body("rocker", bar, joint=supple.Revolute("y"), at=(1, 0, 0))
    mech.add_body("rod", bar, "crank", supple.Revolute("y"), at=(0, 0, 1))
    mech.add_frame("end", "rod", (1, 0, 0))
    mech.add_frame("end", "rocker", (0, 0, 1))
    mech.close_loop("pin", "rod/end", "rocker/end", supple.Revolute("y"))
    return mech.build()


@cache
def erls_model() -> Any:
    mech = supple.Mechanism("links")
    free = structure().reduce("free-free", modes=2)
    mech.add_body("arm", free, joint=supple.Revolute("y"))
    return erls.build(mech)


@cache
def motion() -> Any:
    return supple.simulate(model(), 0.02, samples=3, integrator="rk4", step=0.01)


@cache
def modes() -> Any:
    return linear.modes(model())


@cache
def states() -> Any:
    return linear.state_space(model())


def vectors() -> symbolic.KaneSystem:
    system = symbolic.KaneSystem("pendulum")
    m, length = system.parameters(m=1.5, length=0.5)
    joint = symbolic.KaneJoint(rotations="3", coordinates=["angle"])
    system.add_body("arm", joint=joint, body=symbolic.MassProperties(m, (0, -length, 0), (0.1, 0.1, 0.1)))
    return system


@cache
def kane() -> symbolic.KaneSystem:
    return vectors()


@cache
def equations() -> Any:
    return kane().equations()


@cache
def simulator() -> supple.Simulator:
    return supple.Simulator(model(), integrator=supple.integrators.RK4(0.01))


def instances() -> dict[str, Callable[[], Any]]:
    """Objects that have the methods; those that their methods change are made for each call."""
    return {
        "Mechanism": mechanism,
        "Model": model,
        "Loops": lambda: closed().loops,
        "Operators": _operators,
        "ErlsModel": erls_model,
        "Compiled": lambda: _compiled("forward_dynamics"),
        "Rollout": lambda: _compiled("rollout"),
        "Gradients": _gradients,
        "RigidBody": lambda: supple.RigidBody(1.0, (0, 0, -0.5), (0.1, 0.1, 0.01)),
        "Revolute": lambda: supple.Revolute("y"),
        "Structure": structure,
        "FlexibleBody": boom,
        "Modes": modes,
        "StateSpace": states,
        "Equilibrium": lambda: linear.equilibrium(model()),
        "LinearEquations": lambda: linear.linear_equations(model()),
        "ModeSensitivities": lambda: linear.mode_sensitivities(model(), ["arm.mass"]),
        "Regulator": lambda: linear.lqr(states(), np.eye(len(states().states)), np.eye(len(states().inputs))),
        "TransferFunction": lambda: states().transfer_function(states().inputs[0], states().outputs[0]),
        "KaneSystem": vectors,
        "KaneBody": lambda: kane().bodies["arm"],
        "KaneModel": lambda: symbolic.KaneModel(kane()),
        "Vector": lambda: kane().ground.axes[0],
        "EquationsOfMotion": equations,
        "Runs": lambda: Runs({"a": motion()}),
        "Measurements": lambda: read_measurements(motion(), ["q.arm.angle"]),
        "Simulator": simulator,
        "Layup": lambda: structures.Layup([_layer()]),
        "Box": lambda: shapes.Box((1.0, 1.0, 1.0)),
        "Outputs": lambda: supple.Outputs(frames=["boom/end"]),
        "PID": lambda: supple.PID(0.0, 1.0),
        "Table": lambda: supple.Table([0.0, 1.0], [0.0, 1.0]),
        "Horizon": lambda: supple.Horizon(1.0),
        "DH": lambda: erls.DH(a=1.0),
        "BaseParameters": lambda: base_parameters(_rigid()),
        "Fit": _fit,
        "BeamPieces": lambda: structure().pieces(2, modes=0),
        "Rectangle": lambda: structures.Rectangle(0.02, 0.01),
        "Rayleigh": lambda: structures.Rayleigh(0.1, 0.1),
        "Section": lambda: structures.Section(A=1e-4, Iy=8e-10, Iz=8e-10, J=1.4e-9),
        "RecoveryTable": lambda: boom().recovery.stresses,
        "Dyadic": lambda: kane().ground.axes[0].outer(kane().ground.axes[1]),
        "Function": lambda: _compiled("forward_dynamics").function,
    }


MADE_INSIDE = {
    "supple.structures.ImportedStructure": "is read from files of other programs",
    "supple.structures.Superelement": "is read from files of other programs",
    "supple.structures.ModalIntegrals": "is part of a body",
    "supple.structures.NodalMasses": "is part of a body",
    "supple.structures.Quadratic": "is part of a body",
    "supple.structures.SecondOrder": "is part of a body",
    "supple.compare.Comparison": "takes a run in both formulations",
    "supple.sweeps.Block": "is part of a sweep",
    "supple.sweeps.SweepPlan": "is part of a sweep",
    "supple.symbolic.CompressedJacobian": "is part of a compiled function",
    "supple.symbolic.SparsityPattern": "is part of a compiled function",
    "supple.symbolic.Graph": "takes nodes of its own",
    "supple.symbolic.Operations": "takes nodes of a graph",
    "supple.symbolic.Trace": "takes nodes of a graph",
    "supple.erls.ErlsTrace": "takes nodes of a graph",
}
"""Public classes whose methods are not called with wrong arguments, and why."""


@cache
def _rigid() -> supple.Model:
    mech = supple.Mechanism("pendulum")
    mech.add_body("arm", supple.RigidBody(1.0, (0, 0, -0.5), (0.1, 0.1, 0.01)), joint=supple.Revolute("y"))
    return mech.build()


@cache
def _fit() -> Any:
    return supple.fit(model(), motion(), ["arm.mass"])


def untried() -> Iterator[str]:
    """Yield public classes with a method that takes arguments and that no instance has."""
    kinds = [type(make()) for make in instances().values()]
    tried = {(base, name) for kind in kinds for base in kind.__mro__ for name in vars(base)}
    for place, target in _public():
        if not inspect.isclass(target) or issubclass(target, BaseException) or getattr(target, "_is_protocol", False):
            continue
        for name in {x for x in dir(target) if not x.startswith("_") or x == "__call__"} - INNER:
            found = getattr(target, name)
            if inspect.isclass(found) or not str(getattr(found, "__module__", "")).startswith("supple."):
                continue
            if any((base, name) in tried for base in target.__mro__) or not _takes_arguments(found):
                continue
            if not _internal(found):
                yield place


def _takes_arguments(target: Any) -> bool:
    try:
        return any(name != "self" for name in inspect.signature(target).parameters)
    except (TypeError, ValueError):
        return False


def _layer() -> Any:
    return structures.Layer(0.001, structures.Material(E=7e10, nu=0.3, rho=2700.0))


PENDULUM = Path(__file__).parents[2] / "examples" / "pendulum.toml"


@cache
def _operators() -> Any:
    return model().operators(model().neutral())


@cache
def _compiled(what: str) -> Any:
    return model().compile(what)


@cache
def _gradients() -> Any:
    return model().gradient("forward_dynamics")


def arguments() -> dict[str, Callable[[], Any]]:
    """What parameters take, by their name."""
    material = structures.Material(E=70e9, nu=0.3, rho=2700.0)
    n = model().nv
    return {
        "model": model,
        "mechanism": mechanism,
        "system": states,
        "path": lambda: Path("out"),
        "folder": lambda: Path("out"),
        "q": lambda: model().neutral(),
        "v": lambda: np.zeros(n),
        "a": lambda: np.zeros(n),
        "tau": lambda: np.zeros(n),
        "dt": lambda: 0.01,
        "x": lambda: np.zeros(n),
        "known": lambda: np.zeros(n),
        "prescribed": lambda: np.zeros(n, dtype=bool),
        "given": lambda: {"arm.angle": 0.0},
        "weights": lambda: np.ones(n),
        "frame": lambda: "boom/end",
        "frames": lambda: ["boom/end"],
        "body": lambda: supple.RigidBody(1.0, (0, 0, -0.5), (0.1, 0.1, 0.01)),
        "name": lambda: "arm",
        "names": lambda: ["arm"],
        "parent": lambda: "arm",
        "first": lambda: "arm",
        "second": lambda: "boom/end",
        "follower": lambda: "arm",
        "leader": lambda: "boom",
        "joint": lambda: supple.Revolute("y"),
        "wrench": lambda: np.zeros(6),
        "wrenches": lambda: np.zeros((len(model().bodies), 6)),
        "what": lambda: "forward_dynamics",
        "duration": lambda: 0.02,
        "seed": lambda: 0,
        "spin": lambda: {"boom.angle": 0.5},
        "parameters": lambda: ["arm.mass"],
        "vary": lambda: {"arm.mass": 1.0},
        "values": lambda: {"arm.mass": 2.0},
        "measure": lambda: "max(arm.angle)",
        "data": motion,
        "result": motion,
        "results": lambda: {"a": motion()},
        "structure": structure,
        "material": lambda: material,
        "section": lambda: structures.Rectangle(0.02, 0.01),
        "length": lambda: 0.5,
        "width": lambda: 0.1,
        "height": lambda: 0.1,
        "radius": lambda: 0.1,
        "thickness": lambda: 0.01,
        "elements": lambda: 2,
        "basis": lambda: "cantilever",
        "modes": lambda: 1,
        "step": lambda: 0.01,
        "axis": lambda: "y",
        "mass": lambda: 1.0,
        "E": lambda: 70e9,
        "nu": lambda: 0.3,
        "rho": lambda: 2700.0,
        "time": lambda: 0.01,
        "t": lambda: 0.01,
        "size": lambda: (1.0, 1.0, 1.0),
        "stiffness": lambda: 1.0,
        "rotor": lambda: 0.1,
        "count": lambda: 2,
        "coordinate": lambda: "arm.angle",
        "speed": lambda: "arm.angle",
        "limit": lambda: 1.0,
        "label": lambda: "arm.mass",
    }


def _links(n: int = 3) -> dict[str, Callable[[], Any]]:
    """Arguments of methods of the equivalent rigid-link system."""
    return {"frame": lambda: "arm/end", "frames": lambda: ["arm/end"], "name": lambda: "arm.angle"} | {
        x: lambda: np.zeros(n) for x in ("q", "v", "a", "tau")
    }


def _pendulum() -> dict[str, Callable[[], Any]]:
    """Arguments of methods of the pendulum by vectors."""
    return {"frame": lambda: "arm", "name": lambda: "angle"} | {x: lambda: np.zeros(1) for x in ("q", "v", "a", "tau")}


SERIES = {"values": lambda: np.linspace(0.0, 1.0, 100) ** 2}
OWN: dict[str, dict[str, Callable[[], Any]]] = {
    "ErlsModel": _links(),
    "KaneModel": _pendulum(),
    "ErlsModel.joint_speeds": {"body": lambda: "arm"},
    "ErlsModel.with_parameters": {"values": lambda: {"arm.at.z": 0.1}},
    "ErlsModel.floating_frames": {"what": lambda: "this"},
    "Model.coordinate_index": {"name": lambda: "arm.angle"},
    "Model.speed_index": {"name": lambda: "arm.angle"},
    "Rollout.__call__": {"tau": lambda: np.zeros((2, 3))},
    "RigidBody.joined": {"other": lambda: supple.RigidBody(1.0)},
    "Structure.reduce": {"basis": lambda: "cantilever", "modes": lambda: 1},
    "Structure.static": {"loads": lambda: {"end": (0, 0, 0, 0, 0, 1.0)}},
    "Structure.with_frame": {"name": lambda: "middle", "nodes": lambda: 1},
    "Structure.with_average": {"name": lambda: "middle", "nodes": lambda: [0, 1]},
    "FlexibleBody.frame": {"name": lambda: "end"},
    "FlexibleBody.save": {"path": lambda: Path("out.h5")},
    "Modes": {"number": lambda: 0, "index": lambda: 0, "mode": lambda: 0, "i": lambda: 0},
    "StateSpace.save_mat": {"path": lambda: Path("out.mat")},
    "StateSpace.transfer_function": {"input": lambda: "arm.angle", "output": lambda: "arm.angle"},
    "Regulator.gain": {"input": lambda: "arm.angle", "state": lambda: "arm.angle"},
    "KaneSystem.add_body": {
        "name": lambda: "new",
        "parent": lambda: "arm",
        "joint": lambda: symbolic.KaneJoint(rotations="3"),
    },
    "KaneSystem.body": {"name": lambda: "arm"},
    "KaneSystem.add_visual": {"body": lambda: "arm"},
    "EquationsOfMotion.evaluate": {"q": lambda: [0.1], "v": lambda: [0.0]},
    "Layup.from_abd": {x: lambda: np.eye(3) for x in ("A", "B", "D")},
    "Simulator.restore": {"checkpoint": lambda: simulator().checkpoint()},
    "Limits": {"lower": lambda: 0.0},
    "supple.erls.held_configuration": {"model": erls_model, "q": lambda: erls_model().neutral()},
    "supple.erls.matched_state": {
        "model": erls_model,
        "q": lambda: erls_model().neutral(),
        "v": lambda: np.zeros(erls_model().nv),
    },
    "supple.erls.natural_frequencies": {"model": erls_model, "q": lambda: erls_model().neutral()},
    "supple.erls.from_dh": {"links": lambda: {"arm": supple.RigidBody(1.0)}, "parameters": lambda: [erls.DH(a=1.0)]},
    "Mechanism.add_body": {"name": lambda: "new"},
    "Mechanism.add_frame": {"name": lambda: "new", "body": lambda: "arm"},
    "Mechanism.close_loop": {"joint": lambda: supple.Spherical()},
    "Mechanism.constrain": {"constraint": lambda: supple.Distance("ground", "boom/end", 1.0)},
    "Mechanism.replace_body": {"name": lambda: "arm"},
    "Model.joint_speeds": {"body": lambda: "arm"},
    "supple.PID": {"target": lambda: 0.0, "kp": lambda: 1.0},
    "supple.Table": {"times": lambda: [0.0, 1.0], "values": lambda: [0.0, 1.0]},
    "supple.Event": {"name": lambda: "stop", "when": lambda: "t - 1"},
    "supple.Limit": {"coordinate": lambda: "arm.angle", "lower": lambda: 0.0},
    "supple.Motion": {"position": lambda: "t"},
    "supple.Sampled": {"function": lambda: lambda t, q, v: 0.0, "rate": lambda: 100.0},
    "supple.LinearController": {
        "measured": lambda: ["arm.angle"],
        "speeds": lambda: ["arm.angle"],
        "D": lambda: [[1.0]],
    },
    "supple.orientation": {"body": lambda: "arm"},
    "supple.gradient": {"final": lambda: "arm.angle"},
    "supple.simulate": {
        "duration": lambda: 0.02,
        "samples": lambda: 3,
        "integrator": lambda: "rk4",
        "step": lambda: 0.01,
    },
    "supple.files.read": {"path": lambda: PENDULUM},
    "supple.load": {"path": lambda: PENDULUM},
    "supple.files.check": {"path": lambda: PENDULUM},
    "supple.bench.timing_table": {"path": lambda: Path("none.toml")},
    "supple.export.casadi": {"path": lambda: Path("out.casadi")},
    "supple.export.glb": {"path": lambda: Path("out.glb"), "arguments": lambda: {"duration": 0.02}},
    "supple.export.mat": {"path": lambda: Path("out.mat")},
    "supple.export.python": {"path": lambda: Path("out.py")},
    "supple.export.fmu": {"path": lambda: Path("out.fmu"), "sources_only": lambda: True},
    "supple.save": {"path": lambda: Path("out.toml")},
    "supple.linear.campbell_report": {"found": motion},
    "supple.linear.lqr": {"Q": lambda: np.eye(6), "R": lambda: np.eye(2)},
    "supple.linear.lqg": {
        "Q": lambda: np.eye(6),
        "R": lambda: np.eye(2),
        "process": lambda: np.eye(2),
        "measurement": lambda: np.eye(6),
    },
    "supple.compare.formulations": {"samples": lambda: 3},
    "supple.optimize": {"duration": lambda: 0.02, "vary": lambda: ["arm.mass"]},
    "supple.fit": {"vary": lambda: ["arm.mass"]},
    "supple.sweep": {"vary": lambda: {"arm.mass": [1.0, 2.0]}, "measure": lambda: {"m": "max(arm.angle)"}},
    "supple.sweeps.mean": SERIES,
    "supple.sweeps.standard_deviation": SERIES,
    "supple.sweeps.quantile": SERIES | {"probability": lambda: 0.5},
    "supple.sweeps.wilks_bounds": SERIES,
    "supple.sweeps.rank_correlation": {"x": lambda: np.arange(20.0), "y": lambda: np.arange(20.0) ** 2},
    "supple.sweeps.given_data_indices": SERIES | {"factors": lambda: [np.linspace(0.0, 1.0, 100)]},
    "supple.sweeps.saltelli_indices": {
        "A": lambda: np.arange(16.0),
        "B": lambda: np.arange(16.0) ** 2,
        "AB": lambda: np.arange(32.0).reshape(2, 16),
    },
    "supple.sweeps.saltelli_points": {"samples": lambda: 8, "factors": lambda: 2},
    "supple.sweeps.case_seed": {"seed": lambda: 0, "case": lambda: 1},
    "supple.sweeps.summary": {"sweep": motion},
    "supple.results.write_export": {"path": lambda: Path("out.csv")},
    "supple.shapes.Mesh": {"file": lambda: "mesh.stl"},
    "supple.shapes.Path": {"points": lambda: [(0, 0, 0), (1, 0, 0)], "radius": lambda: 0.1},
    "supple.shapes.Pipe": {"inner": lambda: 0.05},
    "supple.shapes.Text": {"text": lambda: "a", "size": lambda: 0.1},
    "supple.shapes.Triangles": {"vertices": lambda: np.eye(3), "faces": lambda: [(0, 1, 2)]},
    "supple.structures.box": {"elements": lambda: (1, 1, 1)},
    "supple.structures.plate": {
        "outline": lambda: [(0, 0), (1, 0), (1, 1), (0, 1)],
        "thickness": lambda: 0.01,
        "material": lambda: structures.Material(E=70e9, nu=0.3, rho=2700.0),
        "elements": lambda: (1, 1),
    },
    "supple.structures.shell": {
        "nodes": lambda: [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)],
        "elements": lambda: [(0, 1, 2, 3)],
        "thickness": lambda: 0.01,
        "material": lambda: structures.Material(E=70e9, nu=0.3, rho=2700.0),
    },
    "supple.structures.beam_path": {"points": lambda: [(0, 0, 0), (1, 0, 0), (1, 1, 0)]},
    "supple.structures.Tube": {"inner": lambda: 0.05},
    "supple.structures.EffectiveMass": {"share": lambda: 0.9},
    "supple.structures.IBeam": {"flange": lambda: 0.01, "web": lambda: 0.01},
    "supple.structures.Layup": {"layers": lambda: [_layer()]},
    "supple.structures.Layer": {"thickness": lambda: 0.001},
    "supple.structures.Material": {"nu": lambda: 0.3, "rho": lambda: 2700.0},
    "supple.structures.NodalMasses": {"mass": lambda: [1.0, 1.0]},
    "supple.structures.Orthotropic": {"E1": lambda: 1e11, "E2": lambda: 1e10, "nu12": lambda: 0.3, "G12": lambda: 5e9},
    "supple.structures.Tangent": {"file": lambda: "t.op4", "size": lambda: 1.0},
    "supple.structures.assemble": {"parts": lambda: {"boom": structure()}},
    "supple.structures.from_matrices": {
        "nodes": lambda: np.eye(3)[:2],
        "mass": lambda: np.eye(12),
        "stiffness": lambda: np.eye(12),
        "frames": lambda: {"start": 0},
    },
    "supple.structures.from_modes": {
        "nodes": lambda: np.eye(3)[:2],
        "masses": lambda: [1.0, 1.0],
        "shapes": lambda: np.ones((1, 2, 3)),
        "frequencies": lambda: [1.0],
        "frames": lambda: {"start": 0},
    },
    "supple.structures.von_mises": {"components": lambda: np.ones(6)},
    "supple.structures.write": {"body": boom, "path": lambda: Path("out.sid")},
    "supple.structures.nodal_forces": {"body": boom},
    "supple.view.write_modes": {"modes": modes, "path": lambda: Path("modes.html")},
    "supple.view.write_report": {"path": lambda: Path("report.html")},
    "supple.render": {"shown": model, "path": lambda: Path("out.png")},
    "supple.symbolic.KaneModel": {"system": kane},
    "supple.symbolic.MassProperties": {"com": lambda: (0, 0, 0)},
}
"""Arguments of single calls instead of those by name."""


def calls() -> Iterator[Call]:
    """All of them, those of `supple` first."""
    by_name = arguments()
    seen: set[int] = set()
    for name, target in _public():
        if id(target) in seen or name in APART:
            continue
        seen.add(id(target))
        if inspect.isclass(target) and (issubclass(target, BaseException) or _made_by_the_package(target)):
            continue
        yield _call(name, lambda target=target: target, by_name)  # type: ignore[misc]
    for name, make in instances().items():
        kind = type(make())
        for method in dir(kind):
            found = getattr(kind, method)
            if (method.startswith("_") and method != "__call__") or not callable(found) or inspect.isclass(found):
                continue
            if method in INNER or _internal(found):
                continue
            yield _call(f"{name}.{method}", lambda make=make, method=method: getattr(make(), method), by_name)  # type: ignore[misc]


def _public() -> Iterator[tuple[str, Any]]:
    """Names that packages list in `__all__`, those of `supple` itself first."""
    for name in supple.__all__:
        yield f"supple.{name}", getattr(supple, name)
    for info in pkgutil.iter_modules(supple.__path__, "supple."):
        if info.name in COMMAND_LINE:
            continue
        module = importlib.import_module(info.name)
        for name in getattr(module, "__all__", ()):
            if callable(getattr(module, name)):
                yield f"{info.name}.{name}", getattr(module, name)


def _made_by_the_package(target: Any) -> bool:
    return getattr(target, "_is_protocol", False) or _internal(target)


def _internal(target: Any) -> bool:
    """Whether it takes what only the package makes."""
    try:
        parameters = inspect.signature(target).parameters.values()
    except ValueError:
        return True
    return any(str(x.annotation).strip("'") in TRUSTED and x.default is x.empty for x in parameters)


def _call(name: str, make: Callable[[], Any], by_name: Mapping[str, Callable[[], Any]]) -> Call:
    signature = inspect.signature(make())
    own = OWN.get(name.partition(".")[0], {}) | OWN.get(name, {})
    given, names = {}, {}
    for x in signature.parameters.values():
        if x.kind in (x.VAR_POSITIONAL, x.VAR_KEYWORD) or x.name == "self":
            continue
        names[x.name] = str(x.annotation)
        if x.name in own:
            given[x.name] = own[x.name]
        elif x.default is x.empty and x.name in by_name:
            given[x.name] = by_name[x.name]
        elif x.default is x.empty:
            given[x.name] = lambda: 1.0
    return Call(name, make, names, given)
