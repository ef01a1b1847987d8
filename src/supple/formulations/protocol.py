"""What inputs, simulation, files and pages ask of a formulation.

A formulation has coordinates q and speeds v with names and units, the equations of motion on numbers and on graph
nodes, an ordinary model that looks the same, and settings from which a results file restores it. What it cannot do it
refuses by name, in `floating_frames`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from supple.description.description import Description
from supple.engines.blocks.block_program import Program
from supple.expressions.function import Function, Nodes
from supple.expressions.graph import Graph
from supple.model.dynamic_functions import Loads
from supple.model.loops.loops import Loops
from supple.model.model import Model
from supple.model.motion_slopes import ForceSlopes, InverseSlopes, MotionSlopes, Vector
from supple.model.step_formulas import Stepping

Numbers = NDArray[Any]
Mask = NDArray[np.bool_]
Sums = tuple[Numbers, Numbers, Numbers]
"""Kinetic and potential energy (..., 2), momentum (..., 6), first moment of mass (..., 3)."""


class TracedFormulation(Stepping, Protocol):
    """A formulation whose state is made of graph nodes."""

    graph: Graph
    q: Nodes
    v: Nodes

    def hybrid_dynamics(self, q: Nodes, v: Nodes, drive: Nodes, given: Mask) -> tuple[Nodes, Nodes]:
        """Accelerations and generalized forces; `drive` has accelerations where they are `given`, else forces."""
        ...

    def inverse_dynamics(self, q: Nodes, v: Nodes, a: Nodes) -> Nodes:
        """Generalized forces."""
        ...

    def power(self, q: Nodes, v: Nodes, tau: Nodes) -> Any:
        """Power of generalized forces."""
        ...

    def closed(self, q: Nodes, v: Nodes, given: Mask) -> tuple[Nodes, Nodes, Nodes]:
        """Coordinates and speeds one step nearer to closed loops, and the Delassus matrix before it."""
        ...

    def closure_margins(self, S: Nodes) -> Nodes:
        """How far constraint equations are from being redundant; S is the Delassus matrix."""
        ...


class NewtonIteration(Protocol):
    """One iteration at the end of an implicit step.

    Attributes
    ----------
    force, correction : (nv,) arrays
        Forces that the accelerations take, and by how much these change.
    """

    force: Vector
    correction: Vector

    def __call__(self, renew: bool, q: Vector, v: Vector, known: Vector, w: Vector) -> None:
        """Iterate for the accelerations w; with `renew` the inertias are those of this configuration."""
        ...


Recorded = Callable[[TracedFormulation, Mapping[str, Any]], tuple[Mapping[str, Nodes], Mapping[str, Nodes]]]
"""Makes inputs and outputs, by name, of a formulation on nodes and of further numbers."""


class Formulation(Protocol):
    """A mechanism with its equations of motion.

    Attributes
    ----------
    formulation : str
        Its name, by which results files know it.
    """

    formulation: ClassVar[str]

    # ------------------------------------------------------------ names, units and numbers

    @property
    def name(self) -> str:
        """Of the mechanism."""
        ...

    @property
    def description(self) -> Description:
        """What the user has described."""
        ...

    @property
    def bodies(self) -> tuple[str, ...]:
        """Parents first."""
        ...

    @property
    def nq(self) -> int:
        """Number of coordinates."""
        ...

    @property
    def nv(self) -> int:
        """Number of speeds."""
        ...

    @property
    def coordinates(self) -> tuple[str, ...]:
        """Names of the entries of q."""
        ...

    @property
    def speeds(self) -> tuple[str, ...]:
        """Names of the entries of v."""
        ...

    @property
    def coordinate_units(self) -> tuple[str, ...]:
        """One for each coordinate."""
        ...

    @property
    def speed_units(self) -> tuple[str, ...]:
        """One for each speed."""
        ...

    @property
    def is_mode(self) -> Mask:
        """(nv,) which speeds are of deformation."""
        ...

    @property
    def q_of_speed(self) -> NDArray[np.int64]:
        """(nv,) the coordinate whose rate each speed is; -1 for speeds in body axes."""
        ...

    @property
    def quaternions(self) -> Sequence[int]:
        """Where in q each quaternion begins."""
        ...

    @property
    def mass(self) -> float:
        """Of all bodies, kg."""
        ...

    @property
    def loops(self) -> Loops | None:
        """Its closed loops."""
        ...

    def arrays(self) -> dict[str, Numbers]:
        """All numbers of the model, by name: what decides its machine code."""
        ...

    def coordinate_index(self, name: str) -> int:
        """Place of a coordinate in q."""
        ...

    def speed_index(self, name: str) -> int:
        """Place of a speed in v."""
        ...

    def body_of_state(self, name: str) -> str:
        """The body to which a coordinate or speed belongs; the joint's are of the body that it carries."""
        ...

    # ------------------------------------------------------------ states

    def neutral(self) -> NDArray[np.float64]:
        """Coordinates (nq,) of the undeformed mechanism, its joints at zero."""
        ...

    def random_state(self, seed: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """A random state (q, v)."""
        ...

    def normalize(self, q: ArrayLike) -> Numbers:
        """Coordinates with quaternions of unit length."""
        ...

    def derivative(self, q: ArrayLike, v: ArrayLike) -> Numbers:
        """Rates of the coordinates, (..., nq)."""
        ...

    def integrate(self, q: ArrayLike, v: ArrayLike, dt: ArrayLike) -> Numbers:
        """Coordinates (..., nq) after the time `dt` at constant speeds."""
        ...

    def tangent(self, q: ArrayLike) -> Numbers:
        """S (..., nq, nv): rates of the coordinates are S v."""
        ...

    @property
    def none_prescribed(self) -> Mask:
        """(nv,) no speed, as a new array."""
        ...

    # ------------------------------------------------------------ dynamics

    def inverse_dynamics(self, q: ArrayLike, v: ArrayLike, a: ArrayLike, external: Loads | None = None) -> Numbers:
        """Generalized forces (..., nv)."""
        ...

    def bias_forces(self, q: ArrayLike, v: ArrayLike, external: Loads | None = None) -> Numbers:
        """Forces (..., nv) on the speeds at zero acceleration."""
        ...

    def mass_matrix(self, q: ArrayLike) -> Numbers:
        """M (..., nv, nv)."""
        ...

    def hybrid(self, q: ArrayLike, v: ArrayLike, known: ArrayLike, prescribed: Mask) -> tuple[Numbers, Numbers]:
        """Accelerations and generalized forces; `known` has accelerations where they are prescribed, else forces."""
        ...

    def hybrid_slopes(self, q: Vector, v: Vector, known: Vector, prescribed: Mask) -> MotionSlopes:
        """Derivatives of the motion of one state by q, v and `known`."""
        ...

    def inverse_slopes(self, q: Vector, v: Vector, a: Vector, tau: Vector) -> InverseSlopes:
        """Derivatives of inverse dynamics of one state, and of the power of constant tau, by q, v and a."""
        ...

    def power(self, q: ArrayLike, v: ArrayLike, tau: ArrayLike) -> Numbers:
        """Power (...) of generalized forces, W."""
        ...

    def energy(self, q: ArrayLike, v: ArrayLike) -> tuple[Numbers, Numbers]:
        """Kinetic and potential energy (...), J."""
        ...

    def energy_and_momentum(self, q: ArrayLike, v: ArrayLike) -> Sums:
        """Energies, momentum and first moment of mass of states."""
        ...

    # ------------------------------------------------------------ frames, small motions, equilibria

    def pose(self, q: ArrayLike, frame: str) -> tuple[Numbers, Numbers]:
        """Rotation R (..., 3, 3) and position p (..., 3) of a frame in the ground frame."""
        ...

    def jacobian(self, q: ArrayLike, frame: str, axes: str = "ground") -> Numbers:
        """J (..., 6, nv): velocity of a frame is J v."""
        ...

    def joint_wrenches(self, q: ArrayLike, v: ArrayLike, a: ArrayLike, external: Loads | None = None) -> Numbers:
        """Wrench (..., bodies, 6) that each joint passes to its body, at its origin and in its axes."""
        ...

    def joint_speeds(self, body: str) -> list[int]:
        """Places in v of the speeds of a body's joint."""
        ...

    def forces_on_speeds(self, q: ArrayLike, tau: ArrayLike) -> Numbers:
        """What generalized forces (..., nv) do to the speeds."""
        ...

    def wrench_forces(self, q: ArrayLike, frame: str, wrench: ArrayLike) -> Numbers:
        """Forces (nv,) on the speeds of a moment and force (6,) at a frame, in its axes."""
        ...

    def balance_slopes(self, q: Vector, v: Vector, a: Vector, external: Loads | None = None) -> ForceSlopes:
        """Changes of the forces on the speeds with q, v and a, at constant generalized forces."""
        ...

    def frame_slopes(self, q: Vector, v: Vector, a: Vector, frame: str) -> dict[str, Vector]:
        """Changes of a frame's velocity and acceleration with q and v."""
        ...

    def direction_rates(self, q: Vector, v: Vector) -> Vector:
        """N (nv, nv): how the directions of the speeds turn with the motion."""
        ...

    def doubled_energies(self, q: Vector, motions: Vector) -> Vector:
        """Twice the kinetic energy (bodies, n) of each body in motions (nv, n) of the speeds."""
        ...

    def unit_changes(self) -> Vector:
        """Changes (nv,) of the coordinates that count as one."""
        ...

    def unloaded(self) -> Formulation:
        """The model without gravity and applied wrenches."""
        ...

    def inner_forces(self, q: Vector) -> Vector:
        """Sums of the sizes (nv,) of the forces of springs and deformed bodies on the speeds."""
        ...

    # ------------------------------------------------------------ equations

    def traced(self, limit: float) -> TracedFormulation:
        """The formulation on graph nodes; the graph may have `limit` of them."""
        ...

    def block_program(
        self, key: tuple[Any, ...], make: Recorded, arrays: Mapping[str, Any]
    ) -> tuple[Program, NDArray[np.float64]]:
        """A program of blocks for a function on graph nodes, and the numbers that it loads.

        Parameters
        ----------
        key : tuple
            All that decides the function beside the model and the structure of `arrays`.
        make : function of (trace, groups)
            Gives inputs and outputs by name; `groups` has the nodes of `arrays`, or their numbers.
        arrays : mapping of str to array or named tuple of arrays
            Further numbers that the function takes.
        """
        ...

    def forward_dynamics_function(self, limit: float) -> Function:
        """Accelerations as a function of (q, v, tau) on graph nodes."""
        ...

    @property
    def estimated_operations(self) -> int:
        """Operations of forward dynamics, roughly, without tracing the model."""
        ...

    @property
    def implicit_steps(self) -> bool:
        """Whether generalized-alpha steps are quick, so that they are chosen for stiff systems."""
        ...

    @property
    def implicit_blocks(self) -> bool:
        """Whether implicit steps run in blocks of machine code."""
        ...

    def newton_iteration(
        self, slopes: tuple[float, float], gains: tuple[Vector, Vector], prescribed: Mask
    ) -> NewtonIteration | None:
        """What solves the equations of a generalized-alpha step; None where the recursions do."""
        ...

    # ------------------------------------------------------------ looking at it

    @property
    def display(self) -> Model:
        """An ordinary model that looks the same: for frames, strains and the 3-D view."""
        ...

    def display_state(self, q: ArrayLike, v: ArrayLike, a: ArrayLike | None = None) -> tuple[Numbers, Numbers, Numbers]:
        """Coordinates, speeds and accelerations of `display`."""
        ...

    def display_frame(self, frame: str) -> str:
        """The frame of `display` that is meant by one of this model."""
        ...

    # ------------------------------------------------------------ other formulations, files

    def floating_frames(self, what: str) -> Model:
        """The model itself, if it is one of floating frames; else a StateError: `what` does not take it."""
        ...

    def mechanism_model(self) -> Model:
        """The model of the same mechanism in floating frames."""
        ...

    def formulation_settings(self) -> dict[str, Any]:
        """What JSON can hold and `restored` needs besides the mechanism."""
        ...

    @classmethod
    def restored(cls, model: Model, settings: Mapping[str, Any]) -> Formulation:
        """This formulation of a mechanism; a `FileFormatError` if the settings are not those of one."""
        ...
