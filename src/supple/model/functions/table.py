"""The table of functions: what a model offers as a function of its state, under one name in every product.

Methods, compiled functions, derivatives, gradients, CasADi, JAX and PyTorch functions, C libraries and equations are
made from these rows, and messages and reference pages list them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from supple.errors import StateError, nearest
from supple.model.functions import formulas
from supple.model.functions.formulas import Formula
from supple.model.functions.sizes import rigid_bodies

Length = int | str
"""A number, or a name of `LENGTHS`."""
LENGTHS = {
    "nq": "coordinates",
    "nv": "speeds",
    "bodies": "bodies",
    "places": "the ground and the bodies",
    "inertial": "inertial parameters of rigid bodies",
    "motion": "coordinates in the directions of the speeds, and speeds",
    "constraints": "constraint equations of closed loops",
    "frames": "frames",
    "axes": "six for each frame",
}
"""Names of lengths, and what is counted."""


@dataclass(frozen=True)
class Argument:
    """An input or output of a function.

    Attributes
    ----------
    name : str
    shape : tuple of int or str
        Names of `LENGTHS` stand for numbers that depend on the model.
    purpose : str
        What it is, with its unit.
    """

    name: str
    shape: tuple[Length, ...]
    purpose: str


@dataclass(frozen=True)
class ModelFunction:
    """A function of the state of a model.

    Attributes
    ----------
    name : str
    purpose : str
        One line.
    inputs, outputs : tuple of Argument
    formula : function
        Gives the outputs on the nodes of a trace.
    recursion : str
        The recursion that computes it, see `programs.RECURSIONS`, or what is differentiated if `by` is given; none
        where only the formula does.
    options : tuple
        Of the recursion.
    unchecked : str
        The same recursion without the margin that tells of degrees of freedom without inertia.
    by : str
        Input by which the recursion is differentiated: the output is this derivative.
    free : bool
        Whether the first option is a mask of prescribed speeds, here none.
    frames : bool
        Whether it is about frames, which are named besides the inputs.
    loaded : str
        The recursion with wrenches at frames; it has no options besides the mask.
    wrenches : bool
        Whether wrenches may act at frames, which are one more input.
    solves : bool
        Whether it finds the forces that close loops.
    closed_only : bool
        Whether only models with closed loops have it.
    closed_inputs : tuple of Argument
        Further inputs where loops are closed.
    derivative_of : tuple of str
        The function whose values and derivatives are the outputs, and the inputs with respect to which.
    differentiates : bool
        Whether the formula takes derivatives of its nodes.
    method : str
        What calls it, by the name of an attribute of models, if that is another one; "-" for nothing.
    """

    name: str
    purpose: str
    inputs: tuple[Argument, ...]
    outputs: tuple[Argument, ...]
    formula: Formula
    recursion: str = ""
    options: tuple[Any, ...] = ()
    unchecked: str = ""
    by: str = ""
    free: bool = False
    frames: bool = False
    loaded: str = ""
    wrenches: bool = False
    solves: bool = False
    closed_only: bool = False
    closed_inputs: tuple[Argument, ...] = ()
    derivative_of: tuple[str, ...] = ()
    differentiates: bool = False
    method: str = ""

    def lengths(self, sizes: Mapping[str, int]) -> dict[str, int]:
        """Return the lengths of the inputs, by name."""
        return {x.name: math.prod(shape_of(x, sizes)) for x in self.inputs}

    def shapes(self, sizes: Mapping[str, int]) -> dict[str, tuple[int, ...]]:
        """Return the shapes of the outputs, by name."""
        return {x.name: shape_of(x, sizes) for x in self.outputs}


def shape_of(x: Argument, sizes: Mapping[str, int]) -> tuple[int, ...]:
    """Return the shape of an input or output in numbers."""
    return tuple(n if isinstance(n, int) else sizes[n] for n in x.shape)


class Sized(Protocol):
    """Whatever decides the lengths of inputs and outputs: a model of any formulation."""

    @property
    def nq(self) -> int:
        """Number of coordinates."""
        ...

    @property
    def nv(self) -> int:
        """Number of speeds."""
        ...

    @property
    def bodies(self) -> tuple[str, ...]:
        """Their names."""
        ...


def sizes_of(model: Sized, frames: int = 1) -> dict[str, int]:
    """Return the lengths of a model, by the names of `LENGTHS`."""
    bodies, loops = len(model.bodies), getattr(model, "loops", None)
    return {
        "nq": model.nq,
        "nv": model.nv,
        "bodies": bodies,
        "places": bodies + 1,
        "motion": 2 * model.nv,
        "inertial": 10 * len(rigid_bodies(model)),
        "constraints": 0 if loops is None else len(loops),
        "frames": frames,
        "axes": 6 * frames,
    }


Q = Argument("q", ("nq",), "coordinates")
V = Argument("v", ("nv",), "speeds")
A = Argument("a", ("nv",), "accelerations")
TAU = Argument("tau", ("nv",), "generalized forces")
DT = Argument("dt", (), "time step, s")
WRENCH = Argument("wrench", ("frames", 6), "moments and forces at the frames, in their axes, N m and N")
ROWS = Argument("constraint_forces", ("constraints",), "forces of the constraint equations, N or N m")
NEXT = Argument("q", ("nq",), "coordinates after the step"), Argument("v", ("nv",), "speeds after the step")
ENERGY = Argument("kinetic", (), "kinetic energy, J"), Argument("potential", (), "potential energy, J")
MOMENTUM = Argument("momentum", (6,), "angular momentum about the ground's origin and linear momentum, ground axes")
MOMENT = Argument("moment", (3,), "first moment of mass, kg m, ground axes")
MOTION = "angular and linear, ground axes"


def _slopes(result: str, *by: str) -> tuple[Argument, ...]:
    words = {"q": "coordinates in the directions of the speeds", "v": "speeds", "a": "accelerations", "tau": "forces"}
    return tuple(Argument(f"d{result}_d{x}", ("nv", "nv"), f"derivative with respect to {words[x]}") for x in by)


FUNCTIONS: dict[str, ModelFunction] = {
    x.name: x
    for x in (
        ModelFunction(
            "forward_dynamics",
            "Accelerations that generalized forces give",
            (Q, V, TAU),
            (A,),
            formulas.forward_dynamics,
            "hybrid_dynamics",
            (False,),
            unchecked="forward_dynamics",
            free=True,
            loaded="loaded_dynamics",
            wrenches=True,
            solves=True,
        ),
        ModelFunction(
            "inverse_dynamics",
            "Generalized forces that give accelerations; closed loops are cut open",
            (Q, V, A),
            (TAU,),
            formulas.inverse_dynamics,
            "inverse_dynamics",
            (False, False),
            loaded="loaded_forces",
            wrenches=True,
        ),
        ModelFunction(
            "bias_forces",
            "Generalized forces at zero acceleration",
            (Q, V),
            (TAU,),
            formulas.bias_forces,
            "bias_forces",
            wrenches=True,
        ),
        ModelFunction(
            "mass_matrix",
            "Mass matrix",
            (Q,),
            (Argument("M", ("nv", "nv"), "generalized forces for unit accelerations"),),
            formulas.mass_matrix,
            "mass_matrix",
        ),
        ModelFunction(
            "inverse_mass_matrix",
            "Inverse of the mass matrix",
            (Q,),
            (Argument("W", ("nv", "nv"), "accelerations for unit generalized forces"),),
            formulas.inverse_mass_matrix,
            "inverse_mass_matrix",
            by="x",
        ),
        ModelFunction(
            "forward_dynamics_derivatives",
            "Accelerations and their derivatives",
            (Q, V, TAU),
            (A, *_slopes("a", "q", "v", "tau")),
            formulas.forward_dynamics_derivatives,
            solves=True,
            derivative_of=("forward_dynamics", "q", "v", "tau"),
            differentiates=True,
        ),
        ModelFunction(
            "inverse_dynamics_derivatives",
            "Generalized forces and their derivatives",
            (Q, V, A),
            (TAU, *_slopes("tau", "q", "v", "a")),
            formulas.inverse_dynamics_derivatives,
            derivative_of=("inverse_dynamics", "q", "v", "a"),
            differentiates=True,
        ),
        ModelFunction(
            "linearize",
            "Small motions about a state: dx/dt = A x + B u",
            (Q, V, TAU),
            (
                Argument("A", ("motion", "motion"), "rates for unit changes of coordinates and speeds"),
                Argument("B", ("motion", "nv"), "rates for unit generalized forces"),
            ),
            formulas.linearize,
            solves=True,
            differentiates=True,
        ),
        ModelFunction(
            "joint_wrenches",
            "Wrenches that the joints pass to their bodies",
            (Q, V, A),
            (Argument("f", ("bodies", 6), "moment and force, body axes, body origin, N m and N"),),
            formulas.joint_wrenches,
            "joint_wrenches",
            closed_inputs=(ROWS,),
            wrenches=True,
        ),
        ModelFunction(
            "constraint_forces",
            "Forces that keep loops closed",
            (Q, V, TAU),
            (Argument("force", ("constraints",), "forces of the constraint equations, N or N m"),),
            formulas.constraint_forces,
            wrenches=True,
            solves=True,
            closed_only=True,
        ),
        ModelFunction(
            "regressor",
            "Generalized forces for unit inertial parameters of the rigid bodies",
            (Q, V, A),
            (Argument("Y", ("nv", "inertial"), "generalized forces for unit inertial parameters"),),
            formulas.force_regressor,
            "regressor",
        ),
        ModelFunction(
            "energy",
            "Kinetic and potential energy",
            (Q, V),
            ENERGY,
            formulas.energy,
            "kinetic_and_potential",
        ),
        ModelFunction(
            "center_of_mass",
            "Centre of mass of all bodies",
            (Q,),
            (Argument("c", (3,), "position, m, ground axes"),),
            formulas.center_of_mass,
            "center_of_mass",
        ),
        ModelFunction("momentum", "Angular and linear momentum", (Q, V), (MOMENTUM,), formulas.momentum, "sums"),
        ModelFunction(
            "energy_and_momentum",
            "Energies, momentum and first moment of mass",
            (Q, V),
            (Argument("energy", (2,), "kinetic and potential energy, J"), MOMENTUM, MOMENT),
            formulas.energy_and_momentum,
            "sums",
        ),
        ModelFunction(
            "derivative",
            "Rates of the coordinates",
            (Q, V),
            (Argument("rate", ("nq",), "rates of the coordinates"),),
            formulas.coordinate_rates,
            "rates",
        ),
        ModelFunction(
            "tangent",
            "Rates of the coordinates for unit speeds",
            (Q,),
            (Argument("S", ("nq", "nv"), "rates of the coordinates for unit speeds"),),
            formulas.tangent,
            "tangent",
        ),
        ModelFunction(
            "direction_rates",
            "How the directions of the speeds turn with the motion",
            (Q, V),
            (Argument("N", ("nv", "nv"), "x' = N x + y for small motions dq = S x, dv = y"),),
            formulas.direction_rates,
            "direction_rates",
        ),
        ModelFunction(
            "integrate",
            "Coordinates after a time at constant speeds",
            (Q, V, DT),
            (Argument("q_1", ("nq",), "coordinates after the time"),),
            formulas.integrate,
            "advance",
        ),
        ModelFunction(
            "poses",
            "Poses of the ground and of all body frames",
            (Q,),
            (
                Argument("R", ("places", 3, 3), "rotation from body to ground axes"),
                Argument("p", ("places", 3), "origin, m, ground axes"),
            ),
            formulas.poses,
            "poses",
        ),
        ModelFunction(
            "motions",
            "Velocities and accelerations of the ground and of all body frames",
            (Q, V, A),
            (
                Argument("V", ("places", 6), "angular and linear velocity, body axes"),
                Argument("A", ("places", 6), "angular and linear acceleration, body axes"),
            ),
            formulas.motions,
            "motions",
        ),
        ModelFunction(
            "pose",
            "Poses of frames",
            (Q,),
            (
                Argument("R", ("frames", 3, 3), "rotation from frame to ground axes"),
                Argument("p", ("frames", 3), "origin, m, ground axes"),
            ),
            formulas.pose,
            "frame_poses",
            frames=True,
        ),
        ModelFunction(
            "velocity",
            "Velocities of frames",
            (Q, V),
            (Argument("V", ("frames", 6), f"velocity, {MOTION}"),),
            formulas.velocity,
            "frame_velocities",
            frames=True,
        ),
        ModelFunction(
            "acceleration",
            "Accelerations of frames",
            (Q, V, A),
            (Argument("A", ("frames", 6), f"acceleration without gravity, {MOTION}"),),
            formulas.acceleration,
            "frame_accelerations",
            frames=True,
        ),
        ModelFunction(
            "jacobian",
            "Jacobians of frames",
            (Q,),
            (Argument("J", ("frames", 6, "nv"), f"velocity for unit speeds, {MOTION}"),),
            formulas.jacobian,
            "frame_jacobians",
            frames=True,
        ),
        ModelFunction(
            "jacobian_derivative",
            "Rates of the Jacobians of frames",
            (Q, V),
            (Argument("dJ", ("frames", 6, "nv"), f"rate of the Jacobian, {MOTION}"),),
            formulas.jacobian_derivative,
            frames=True,
            differentiates=True,
        ),
        ModelFunction(
            "inverse_operational_inertia",
            "Accelerations of frames for unit wrenches at them",
            (Q,),
            (Argument("W", ("axes", "axes"), "accelerations for unit moments and forces, ground axes"),),
            formulas.inverse_operational_inertia,
            "inverse_operational_inertia",
            free=True,
            frames=True,
            solves=True,
        ),
        ModelFunction(
            "operational_inertia",
            "Wrenches at frames for unit accelerations of them",
            (Q,),
            (Argument("L", ("axes", "axes"), "moments and forces for unit accelerations, ground axes"),),
            formulas.operational_inertia,
            frames=True,
            solves=True,
        ),
        ModelFunction(
            "rk4",
            "One step of the classical Runge-Kutta method",
            (Q, V, TAU, DT),
            NEXT,
            formulas.step("rk4"),
            "rk4",
            solves=True,
        ),
        ModelFunction(
            "semi_implicit_euler",
            "One step of the semi-implicit Euler method: speeds, then coordinates with the new speeds",
            (Q, V, TAU, DT),
            NEXT,
            formulas.step("semi_implicit_euler"),
            "semi_implicit_euler",
            solves=True,
        ),
        ModelFunction(
            "leapfrog",
            "One step of the leapfrog method: half a step of the coordinates, a step of the speeds, the other half",
            (Q, V, TAU, DT),
            NEXT,
            formulas.step("leapfrog"),
            "leapfrog",
            solves=True,
        ),
    )
}
"""All functions, by name."""
INTEGRATORS = ("rk4", "semi_implicit_euler", "leapfrog")
"""Functions that are steps of integrators."""


def require_function(name: str, *further: str) -> ModelFunction:
    """Return a function by its name.

    Raises
    ------
    StateError
        If there is no function of this name; the message lists the table and the `further` names.
    """
    found = FUNCTIONS.get(name) if isinstance(name, str) else None
    if found is None:
        names = (*FUNCTIONS, *further)
        near = nearest(name, names) if isinstance(name, str) else ""
        raise StateError(f"no function {name!r}{near}; expected one of {', '.join(names)}")
    return found


def signature(
    model: Sized,
    what: str,
    parameters: Sequence[str] = (),
    derivatives: Sequence[str] = (),
    frames: Sequence[str] = (),
) -> tuple[dict[str, int], dict[str, tuple[int, ...]]]:
    """Return the lengths of the inputs and the shapes of the outputs of a function.

    Parameters
    ----------
    model : Model
    what : str
    parameters : sequence of str
        Parameters that are one more input.
    derivatives : sequence of str
        Inputs with respect to which the outputs are differentiated, which gives further outputs.
    frames : sequence of str
        As `chosen_frames` returns them.
    """
    function = require_function(what)
    sizes = sizes_of(model, len(frames))
    taken = list(function.inputs)
    if getattr(model, "loops", None) is not None:
        taken += function.closed_inputs
    if function.wrenches and frames:
        taken.append(WRENCH)
    inputs = {x.name: math.prod(shape_of(x, sizes)) for x in taken}
    if parameters:
        inputs["parameters"] = len(parameters)
    shapes = function.shapes(sizes)
    outputs = dict(shapes)
    for name, shape in shapes.items():
        for by in derivatives:
            if by not in inputs:
                raise StateError(f"derivatives: {what} has no input {by!r}{nearest(by, inputs)}")
            outputs[f"d{name}_d{by}"] = (*shape, model.nv if by == "q" else inputs[by])
    return inputs, outputs


def chosen_frames(model: Sized, what: str, frames: Sequence[str] | None) -> tuple[str, ...]:
    """Return the frames of a function: those given, or all bodies if it is about frames.

    Raises
    ------
    StateError
        If the function has no use for frames.
    """
    function = require_function(what)
    if isinstance(frames, str):
        raise StateError(f"frames: expected a sequence of names, got {frames!r}")
    if frames is None:
        return tuple(model.bodies) if function.frames else ()
    if not (function.frames or function.wrenches):
        known = [x.name for x in FUNCTIONS.values() if x.frames or x.wrenches]
        raise StateError(f"frames: {what} takes none; functions that do are {', '.join(known)}")
    return tuple(frames)
