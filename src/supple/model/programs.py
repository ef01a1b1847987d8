"""The model's functions as programs of blocks: which recursion each is, and what it reads and writes.

A program belongs to a structure: the integers of the model and where its numbers are zero (in rotations and axes also
one). Models of one structure share it, whatever their other numbers are.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supple.engines.blocks.block_program import BoundProgram, Program
from supple.engines.blocks.block_recorder import BlockRecorder, by_element, recording
from supple.engines.blocks.cells import ROW, Cells
from supple.engines.blocks.instancing import Prototypes
from supple.engines.blocks.lifted_program import lifted_program
from supple.engines.blocks.places import Indices
from supple.engines.blocks.program_cache import PROGRAMS
from supple.engines.plain import plain
from supple.expressions.function import Function, Nodes
from supple.model.coordinate_programs import COORDINATE_RECURSIONS
from supple.model.frame_programs import FRAME_RECURSIONS
from supple.model.looped_closures import RECORDED
from supple.model.number_arrays import NumberArrays
from supple.model.operational_programs import OPERATIONAL_RECURSIONS
from supple.model.parameter_arrays import ParameterArrays
from supple.model.program_sizes import matrices_quickly_made, quickly_made, rows_quickly_made
from supple.model.step_programs import STEP_RECURSIONS
from supple.recursions import articulated, composite, coordinates, energy, kinematics, newton_euler, regressor
from supple.recursions.articulated import SINGULAR
from supple.recursions.frame_paths import FramePaths
from supple.recursions.states import Actuation, States
from supple.recursions.tree import Flex, Sizes, Tree, sizes, workspace

Numbers = NDArray[np.float64]
Ends = tuple[Mapping[str, Nodes], Mapping[str, Nodes]]
"""Inputs and outputs of a function on nodes, by name."""
MATRICES = ("mass_matrix", "regressor", "tangent", "direction_rates")
"""Recursions whose results grow with the square of the speeds."""
SEGMENTS = Prototypes()
"""What was recorded of bodies, for those that are alike in other programs."""


def recorded(compiled: Any) -> Callable[..., Any]:
    """The twin of a recursion that runs on cells."""
    return plain(compiled, RECORDED, by_element)


@dataclass(frozen=True)
class ModelStructure:
    """The arrays of a model, what is needed to lay out its state, and parameters and paths of frames, if any."""

    tree: Tree
    flex: Flex | None
    nq: int
    parameters: ParameterArrays | None = field(default=None, kw_only=True)
    paths: FramePaths | None = field(default=None, kw_only=True)

    @property
    def size(self) -> Sizes:
        """Sizes of the workspace."""
        return sizes(self.tree, self.flex)

    @property
    def numbers(self) -> NumberArrays:
        """All arrays."""
        described = None if self.parameters is None else self.parameters.described
        groups: dict[str, Any] = {"tree": self.tree, "flex": self.flex, "described": described}
        return NumberArrays(groups if self.paths is None else groups | {"paths": self.paths})

    def digest(self) -> str:
        """Equal for models whose programs are the same."""
        parameters = "" if self.parameters is None else repr(self.parameters.key)
        return f"{self.nq} {self.numbers.digest()} {parameters}"

    def fits(self) -> bool:
        """Whether the blocks are quickly made, but for the mass matrix and derivatives."""
        return quickly_made(self.tree, self.flex)

    def differentiable(self) -> bool:
        """Whether the blocks of derivatives are quickly made."""
        return self.fits() and matrices_quickly_made(self.flex)


class RecursionRecording:
    """A structure as a recursion sees it while it is recorded: model, workspace, inputs and outputs."""

    def __init__(self, structure: ModelStructure) -> None:
        self.recorder = BlockRecorder(shared=SEGMENTS)
        self.structure = structure
        self.loaded = structure.numbers.loaded(self.recorder)
        self.tree: Tree = self.loaded["tree"]
        self.flex: Flex | None = self.loaded["flex"]
        self.ws = self.fresh()
        self.nv, self.bodies = structure.size.speeds, structure.size.bodies
        self.inputs: dict[str, Cells] = {}
        self.outputs: dict[str, Cells] = {}
        if structure.parameters is not None:
            self._parametrize(structure.parameters, self.loaded["described"])

    def _parametrize(self, parameters: ParameterArrays, described: Any) -> None:
        """Compute arrays of the tree from parameters, which are one more input."""
        given = self.input("parameters", len(parameters.names))[0]
        arrays = parameters.nodes([given[i] for i in range(len(given))], self.tree, described)
        found = dict[str, Any]()
        for name, x in arrays.items():
            found[name] = Cells(self.recorder, x.shape, rows=x.ndim == 2)
            for place in np.ndindex(x.shape):
                found[name][place if len(place) > 1 else place[0]] = x[place]
        self.tree = self.tree._replace(**found)
        self.recorder.end()

    def run(self, recursion: Any) -> Callable[..., Any]:
        """A step or sweep as it is recorded, a block a body."""
        return recorded(recursion)

    def fresh(self) -> Any:
        """A new workspace."""
        return self.cells(workspace(self.structure.size, np.float64))

    def cells(self, ws: Any) -> Any:
        """A named tuple of arrays to work in, as cells."""
        parts: dict[str, Any] = {}
        for name, x in ws._asdict().items():
            if x is None:
                parts[name] = None
            else:
                parts[name] = self.cells(x) if hasattr(x, "_asdict") else self._array(x)
        return type(ws)(**parts)

    def _array(self, x: Numbers) -> Cells:
        """An array of the workspace; long rows are of use within a step only."""
        return Cells(self.recorder, x.shape, x, rows=x.ndim == 2 and x.shape[1] <= ROW)

    def input(self, name: str, *shape: int, rows: bool = False) -> Any:
        """Cells (1, ...) of one state that the caller fills."""
        self.inputs[name] = Cells(self.recorder, (1, *shape), rows=rows)
        return self.inputs[name]

    def output(self, name: str, *shape: int, rows: bool = False) -> Any:
        """Cells (1, ...) of one state that the caller reads, zero at the start."""
        self.outputs[name] = Cells(self.recorder, (1, *shape), 0.0, rows=rows)
        return self.outputs[name]

    def state(self) -> tuple[Any, Any]:
        """q and v."""
        return self.input("q", self.structure.nq), self.input("v", self.nv)

    def wrench(self, applied: bool) -> Any:
        """Wrenches on the bodies: one more input, or none."""
        if applied:
            return self.input("wrench", self.bodies + 1, 6, rows=True)
        return Cells(self.recorder, (1, self.bodies + 1, 6), 0.0)

    def margin(self, given: tuple[bool, ...]) -> Cells:
        """The least of D - SINGULAR size over all degrees of freedom that are eliminated: positive where all can be."""
        out = Cells(self.recorder, (1,))
        out[0] = 1.0
        for i in range(self.nv):
            if not given[i]:
                out[0] = np.minimum(out[0], self.ws.D[i] - SINGULAR * self.ws.size[i])
                self.recorder.cut()
        return out

    def mark(self) -> int:
        """End the block; the number of the next."""
        self.recorder.end()
        return len(self.recorder.blocks) - 1

    def program(self, margin: Cells | None = None) -> Program:
        """What has been recorded."""
        return Program(self.recorder, self.ordered_inputs(), self.outputs, margin)

    def ordered_inputs(self) -> dict[str, Cells]:
        """The inputs as callers give them, parameters last."""
        return {name: self.inputs[name] for name in sorted(self.inputs, key=lambda name: name == "parameters")}


def hybrid_dynamics(r: RecursionRecording, given: tuple[bool, ...], applied: bool) -> Program:
    """Accelerations, and of those `given` the forces."""
    q, v = r.state()
    drive, wrench = r.input("drive", r.nv), r.wrench(applied)
    a = r.output("a", r.nv)
    recorded(kinematics.ground_acceleration)(-1.0, r.tree, r.ws)
    mask: Any = Indices(given)
    actuation = Actuation(drive[0], mask, wrench[0])
    recorded(articulated.articulate)(r.tree, r.flex, States(q[0], v[0]), actuation, r.ws, a[0])
    if any(given):
        r.outputs["drive"] = drive
    return r.program(r.margin(given))


def pivots(r: RecursionRecording, given: tuple[bool, ...]) -> Program:
    """D and the inertia around each degree of freedom: where one is singular, for the message."""
    hybrid_dynamics(r, given, False)
    r.outputs = {"D": r.ws.D, "size": r.ws.size}
    return r.program()


def inverse_dynamics(r: RecursionRecording, applied: bool, keep: bool) -> Program:
    """Generalized forces, and joint wrenches where they are kept."""
    q, v = r.state()
    a, wrench = r.input("a", r.nv), r.wrench(applied)
    tau = r.output("tau", r.nv)
    f: Any = r.output("f", r.bodies + 1, 6, rows=True) if keep else ()
    out = newton_euler.Forces(tau, f)
    recorded(newton_euler.inverse_dynamics)(r.tree, r.flex, States(q, v), a, wrench, r.ws, out)
    return r.program()


def joint_wrenches(r: RecursionRecording) -> Program:
    """Wrenches that the joints pass to their bodies, without the ground's."""
    inverse_dynamics(r, False, True)
    f = r.outputs["f"]
    r.outputs = {"f": Cells(r.recorder, (1, r.bodies, 6), rows=True, first=f.first + 6)}
    return r.program()


def force_regressor(r: RecursionRecording) -> Program:
    """Generalized forces for units of the inertial parameters."""
    q, v = r.state()
    a, Y = r.input("a", r.nv), r.output("Y", r.nv, r.bodies, regressor.PARAMETERS)
    recorded(regressor.regressor)(r.tree, r.flex, States(q, v), a, r.ws, Y)
    return r.program()


def mass_matrix(r: RecursionRecording) -> Program:
    """M."""
    q, M = r.input("q", r.structure.nq), r.output("M", r.nv, r.nv)
    recorded(composite.mass_matrix)(r.tree, r.flex, q, r.ws, M)
    return r.program()


def poses(r: RecursionRecording) -> Program:
    """R and p of all bodies."""
    q = r.input("q", r.structure.nq)
    R, p = r.output("R", r.bodies + 1, 9, rows=True), r.output("p", r.bodies + 1, 3, rows=True)
    recorded(kinematics.poses)(r.tree, r.flex, q, r.ws, R, p)
    return r.program()


def body_poses(r: RecursionRecording) -> Program:
    """The same without the ground's."""
    poses(r)
    for name, x in list(r.outputs.items()):
        width = x.shape[2]
        r.outputs[name] = Cells(r.recorder, (1, r.bodies, width), rows=True, first=x.first + width)
    return r.program()


def motions(r: RecursionRecording) -> Program:
    """Velocities and accelerations of all bodies."""
    q, v = r.state()
    a = r.input("a", r.nv)
    V, A = r.output("V", r.bodies + 1, 6, rows=True), r.output("A", r.bodies + 1, 6, rows=True)
    recorded(kinematics.motions)(r.tree, r.flex, States(q, v), a, r.ws, V, A)
    return r.program()


def sums(r: RecursionRecording, moving: bool = True) -> Program:
    """Energies, momentum, first moment of mass."""
    q = r.input("q", r.structure.nq)
    v: Any = r.input("v", r.nv) if moving else Cells(r.recorder, (1, r.nv), 0.0)
    E, L, c = r.output("energy", 2), r.output("momentum", 6), r.output("moment", 3)
    recorded(energy.energy_and_momentum)(r.tree, r.flex, States(q, v), r.ws, E, L, c)
    return r.program()


def center_of_mass(r: RecursionRecording) -> Program:
    """Centre of mass of all bodies in the ground frame."""
    sums(r, moving=False)
    total: Any = 0.0
    for k in range(1, r.bodies + 1):
        total = total + r.tree.mass[k]
        r.recorder.cut()
    moment, c = r.outputs["moment"], r.output("c", 3)
    r.outputs = {"c": c}
    for i in range(3):
        c[0, i] = moment[0, i] / total
    return r.program()


def energies(r: RecursionRecording) -> Program:
    """Energies alone."""
    sums(r)
    E = r.outputs["energy"]
    r.outputs = {"energy": E}
    return r.program()


def kinetic_and_potential(r: RecursionRecording) -> Program:
    """The same as two numbers."""
    sums(r)
    E = r.outputs["energy"]
    r.outputs = {name: Cells(r.recorder, (1,), first=E.first + i) for i, name in enumerate(("kinetic", "potential"))}
    return r.program()


def bias_forces(r: RecursionRecording) -> Program:
    """Generalized forces at zero acceleration."""
    q, v = r.state()
    a, tau = Cells(r.recorder, (1, r.nv), 0.0), r.output("tau", r.nv)
    out: Any = newton_euler.Forces(tau, ())  # type: ignore[arg-type]
    recorded(newton_euler.inverse_dynamics)(r.tree, r.flex, States(q, v), a, r.wrench(False), r.ws, out)
    return r.program()


def mass_times(r: RecursionRecording) -> Program:
    """Generalized forces y at rest for accelerations x: M x and what does not depend on x."""
    q, x = r.input("q", r.structure.nq), r.input("x", r.nv)
    v: Any = Cells(r.recorder, (1, r.nv), 0.0)
    y = r.output("y", r.nv)
    out: Any = newton_euler.Forces(y, ())  # type: ignore[arg-type]
    recorded(newton_euler.inverse_dynamics)(r.tree, r.flex, States(q, v), x, r.wrench(False), r.ws, out)
    return r.program()


def inverse_mass_product(r: RecursionRecording, given: tuple[bool, ...]) -> Program:
    """M^-1 x, what is `given` held."""
    q, x = r.input("q", r.structure.nq), r.input("x", r.nv)
    y = r.output("y", r.nv)
    held: Any = Indices(given)
    recorded(newton_euler.at_rest)(r.flex, r.ws)
    for k in range(1, r.bodies + 1):
        recorded(composite.configuration_step)(r.tree, r.flex, k, q[0], r.ws)
    recorded(articulated.articulated_inertias)(r.tree, r.flex, held, r.ws)
    recorded(articulated.inverse_mass_times)(r.tree, r.flex, x[0], held, r.ws, y[0])
    return r.program(r.margin(given))


def rates(r: RecursionRecording) -> Program:
    """Rates of the coordinates."""
    q, v = r.state()
    out = r.output("rate", r.structure.nq)
    recorded(coordinates.rates)(r.tree, r.flex, q, v, out)
    return r.program()


def advance(r: RecursionRecording) -> Program:
    """Coordinates after a time at constant speeds."""
    q, v = r.state()
    dt, out = r.input("dt", 1), r.output("q_1", r.structure.nq)
    recorded(coordinates.advance)(r.tree, r.flex, q, v, dt[0], out)
    return r.program()


RECURSIONS: dict[str, Callable[..., Program]] = {
    "hybrid_dynamics": hybrid_dynamics,
    "pivots": pivots,
    "inverse_dynamics": inverse_dynamics,
    "joint_wrenches": joint_wrenches,
    "bias_forces": bias_forces,
    "regressor": force_regressor,
    "mass_matrix": mass_matrix,
    "mass_times": mass_times,
    "inverse_mass_product": inverse_mass_product,
    "poses": poses,
    "body_poses": body_poses,
    "motions": motions,
    "sums": sums,
    "center_of_mass": center_of_mass,
    "energies": energies,
    "kinetic_and_potential": kinetic_and_potential,
    "rates": rates,
    "advance": advance,
    **STEP_RECURSIONS,
    **OPERATIONAL_RECURSIONS,
    **FRAME_RECURSIONS,
    **COORDINATE_RECURSIONS,
}
"""What can be recorded, by name."""


def traced_program(
    trace: Any, make: Callable[[Any, Mapping[str, Any]], Ends], arrays: Mapping[str, Any]
) -> tuple[Program, Numbers]:
    """A program for a function that is traced as one graph, numbers and all, and the numbers taken out of it again.

    For what takes derivatives of its nodes, and for formulations whose numbers cannot be loaded one by one.
    """
    inputs, outputs = make(trace, arrays)
    return lifted_program(Function("traced", trace.graph, inputs, outputs))


def program(structure: ModelStructure, digest: str, what: str, *options: Any) -> Program:
    """The program of a recursion for a structure."""

    def make() -> Program:
        r = RecursionRecording(structure)
        with recording(r.recorder):
            made = RECURSIONS[what](r, *options)
        r.recorder.release()
        return made

    return PROGRAMS.stored(Program, (digest, what, *options), make)


class Programs:
    """All programs of one model.

    Parameters
    ----------
    structure : ModelStructure
    """

    def __init__(self, structure: ModelStructure) -> None:
        self._structure, self._digest = structure, structure.digest()
        self._numbers = structure.numbers.values()
        self._matrix = matrices_quickly_made(structure.flex) and rows_quickly_made(structure.tree)
        self._bound: dict[tuple[Any, ...], BoundProgram] = {}

    def serves(self, what: str) -> bool:
        """Whether the blocks of a recursion are quickly made."""
        return what not in MATRICES or self._matrix

    def __call__(self, what: str, *options: Any) -> BoundProgram:
        """A recursion with the model's numbers."""
        key = (what, *options)
        if key not in self._bound:
            self._bound[key] = BoundProgram(program(self._structure, self._digest, what, *options), self._numbers)
        return self._bound[key]
