"""The table of functions: what a model offers as a function of its state, under one name in every product.

Methods, compiled functions, derivatives, gradients, CasADi, JAX and PyTorch functions, C libraries and equations are
made from these rows, and messages and reference pages list them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from supple.errors import StateError, nearest, one_of

Length = int | str
"""A number, or a name of `LENGTHS`."""
LENGTHS = {
    "nq": "coordinates",
    "nv": "speeds",
    "bodies": "bodies",
    "places": "the ground and the bodies",
    "parameters": "inertial parameters of rigid bodies",
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
    recursion : str
        The recursion that computes it, see `programs.RECURSIONS`, or what is differentiated if `by` is given.
    options : tuple
        Of the recursion.
    by : str
        Input by which the recursion is differentiated: the output is this derivative.
    free : bool
        Whether the first option is a mask of prescribed speeds, here none.
    frames : bool
        Whether it is about frames, which are named besides the inputs.
    loaded : str
        The recursion with wrenches at frames, which are one more input; it has no options besides the mask.
    """

    name: str
    purpose: str
    inputs: tuple[Argument, ...]
    outputs: tuple[Argument, ...]
    recursion: str
    options: tuple[Any, ...] = ()
    by: str = ""
    free: bool = False
    frames: bool = False
    loaded: str = ""

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
    bodies = len(model.bodies)
    return {
        "nq": model.nq,
        "nv": model.nv,
        "bodies": bodies,
        "places": bodies + 1,
        "parameters": 10 * bodies,
        "frames": frames,
        "axes": 6 * frames,
    }


Q = Argument("q", ("nq",), "coordinates")
V = Argument("v", ("nv",), "speeds")
A = Argument("a", ("nv",), "accelerations")
TAU = Argument("tau", ("nv",), "generalized forces")
DT = Argument("dt", (), "time step, s")
WRENCH = Argument("wrench", ("frames", 6), "moments and forces at the frames, in their axes, N m and N")
NEXT = Argument("q", ("nq",), "coordinates after the step"), Argument("v", ("nv",), "speeds after the step")
ENERGY = Argument("kinetic", (), "kinetic energy, J"), Argument("potential", (), "potential energy, J")
MOMENTUM = Argument("momentum", (6,), "angular momentum about the ground's origin and linear momentum, ground axes")
MOMENT = Argument("moment", (3,), "first moment of mass, kg m, ground axes")
MOTION = "angular and linear, ground axes or those of the frame"

FUNCTIONS: dict[str, ModelFunction] = {
    x.name: x
    for x in (
        ModelFunction(
            "forward_dynamics",
            "Accelerations that generalized forces give",
            (Q, V, TAU),
            (A,),
            "hybrid_dynamics",
            (False,),
            free=True,
            loaded="loaded_dynamics",
        ),
        ModelFunction(
            "inverse_dynamics",
            "Generalized forces that give accelerations",
            (Q, V, A),
            (TAU,),
            "inverse_dynamics",
            (False, False),
            loaded="loaded_forces",
        ),
        ModelFunction("bias_forces", "Generalized forces at zero acceleration", (Q, V), (TAU,), "bias_forces"),
        ModelFunction(
            "joint_wrenches",
            "Wrenches that the joints pass to their bodies",
            (Q, V, A),
            (Argument("f", ("bodies", 6), "moment and force, body axes, body origin, N m and N"),),
            "joint_wrenches",
        ),
        ModelFunction(
            "mass_matrix",
            "Mass matrix",
            (Q,),
            (Argument("M", ("nv", "nv"), "generalized forces for unit accelerations"),),
            "mass_matrix",
        ),
        ModelFunction(
            "inverse_mass_matrix",
            "Inverse of the mass matrix",
            (Q,),
            (Argument("W", ("nv", "nv"), "accelerations for unit generalized forces"),),
            "inverse_mass_matrix",
            by="x",
        ),
        ModelFunction("energy", "Kinetic and potential energy", (Q, V), ENERGY, "kinetic_and_potential"),
        ModelFunction(
            "center_of_mass",
            "Centre of mass of all bodies",
            (Q,),
            (Argument("c", (3,), "position, m, ground axes"),),
            "center_of_mass",
        ),
        ModelFunction("momentum", "Angular and linear momentum", (Q, V), (MOMENTUM,), "sums"),
        ModelFunction(
            "energy_and_momentum",
            "Energies, momentum and first moment of mass",
            (Q, V),
            (Argument("energy", (2,), "kinetic and potential energy, J"), MOMENTUM, MOMENT),
            "sums",
        ),
        ModelFunction(
            "derivative",
            "Rates of the coordinates",
            (Q, V),
            (Argument("rate", ("nq",), "rates of the coordinates"),),
            "rates",
        ),
        ModelFunction(
            "tangent",
            "Rates of the coordinates for unit speeds",
            (Q,),
            (Argument("S", ("nq", "nv"), "rates of the coordinates for unit speeds"),),
            "tangent",
        ),
        ModelFunction(
            "direction_rates",
            "How the directions of the speeds turn with the motion",
            (Q, V),
            (Argument("N", ("nv", "nv"), "x' = N x + y for small motions dq = S x, dv = y"),),
            "direction_rates",
        ),
        ModelFunction(
            "integrate",
            "Coordinates after a time at constant speeds",
            (Q, V, DT),
            (Argument("q_1", ("nq",), "coordinates after the time"),),
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
            "motions",
        ),
        ModelFunction(
            "regressor",
            "Generalized forces for unit inertial parameters",
            (Q, V, A),
            (Argument("Y", ("nv", "parameters"), "generalized forces for unit inertial parameters"),),
            "regressor",
        ),
        ModelFunction(
            "pose",
            "Poses of frames",
            (Q,),
            (
                Argument("R", ("frames", 3, 3), "rotation from frame to ground axes"),
                Argument("p", ("frames", 3), "origin, m, ground axes"),
            ),
            "frame_poses",
            frames=True,
        ),
        ModelFunction(
            "velocity",
            "Velocities of frames",
            (Q, V),
            (Argument("V", ("frames", 6), f"velocity, {MOTION}"),),
            "frame_velocities",
            frames=True,
        ),
        ModelFunction(
            "acceleration",
            "Accelerations of frames",
            (Q, V, A),
            (Argument("A", ("frames", 6), f"acceleration without gravity, {MOTION}"),),
            "frame_accelerations",
            frames=True,
        ),
        ModelFunction(
            "jacobian",
            "Jacobians of frames",
            (Q,),
            (Argument("J", ("frames", 6, "nv"), f"velocity for unit speeds, {MOTION}"),),
            "frame_jacobians",
            frames=True,
        ),
        ModelFunction(
            "inverse_operational_inertia",
            "Accelerations of frames for unit wrenches at them",
            (Q,),
            (Argument("W", ("axes", "axes"), "accelerations for unit moments and forces"),),
            "inverse_operational_inertia",
            free=True,
            frames=True,
        ),
        ModelFunction("rk4", "One step of the classical Runge-Kutta method", (Q, V, TAU, DT), NEXT, "rk4"),
        ModelFunction(
            "semi_implicit_euler",
            "One step of the semi-implicit Euler method",
            (Q, V, TAU, DT),
            NEXT,
            "semi_implicit_euler",
        ),
        ModelFunction("leapfrog", "One step of the leapfrog method", (Q, V, TAU, DT), NEXT, "leapfrog"),
    )
}
"""All functions, by name."""


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
        raise StateError(f"no function {name!r}{nearest(name, names) or one_of(names)}")
    return found
