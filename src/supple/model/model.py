"""The frozen model: every quantity of a mechanism as a function of its state.

Arrays in, arrays out. Every function takes leading batch axes, which broadcast against each other, and complex numbers
(for derivatives by complex steps). A model is never modified and may be used from several threads at once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from supple.call_checks import checked
from supple.engines.blocks.block_program import Program
from supple.errors import StateError
from supple.expressions.function import Function
from supple.expressions.printers.casadi_ import to_casadi
from supple.model.balance_functions import BalanceFunctions
from supple.model.compiled import compiled, estimated_operations, value_program
from supple.model.flatten import name_states
from supple.model.frozen import Numbers
from supple.model.functions.holes import require_made
from supple.model.functions.table import require_function
from supple.model.gradients import Gradients
from supple.model.linearization import linearized
from supple.model.loops.loops import Loops
from supple.model.motion_slopes import (
    InverseSlopes,
    Mask,
    MotionSlopes,
    Vector,
    inverse_slopes_by_tangents,
    slopes_by_tangents,
)
from supple.model.programs import Ends
from supple.model.recorded_trace import recorded_program
from supple.model.renumbering import renumbered
from supple.model.rollout import Rollout
from supple.model.shape_loads import ShapeLoads, static_shapes
from supple.model.trace import Trace
from supple.model.traced_functions import traced as traced_function

if TYPE_CHECKING:
    from supple.description.description import Description
    from supple.recursions.tree import Flex


class Model(BalanceFunctions):
    """A frozen tree of bodies; made by `Mechanism.build` or `supple.load`.

    Attributes
    ----------
    name : str
    bodies : tuple of str
        In order, parents first; the ground is not among them.
    nq, nv : int
        Numbers of coordinates and speeds.
    coordinates, speeds : tuple of str
        Their names, "body.what"; a speed that is the rate of a coordinate has its name.
    frames : tuple of str
        Names that `pose` and the like understand.
    formulation : str
        Flexible bodies move with floating frames; by this name results files know it.
    """

    formulation: ClassVar[str] = "floating frames"

    def __init__(self, description: Description, like: Flex | None = None) -> None:
        super().__init__(description, like)
        self._one.values = lambda what: value_program(self, what)
        if description.constraints:
            self.loops = loops = Loops(self, name_states(description))
            self._one.closed = lambda: loops.sweeps.programs.accelerations

    @cached_property
    def shape_loads(self) -> ShapeLoads:
        """Loads on the second-order shapes of flexible bodies in a motion, as its validity is judged by."""
        return ShapeLoads(self, _OpenTree)

    @cached_property
    def static_loads(self) -> ShapeLoads:
        """Loads on the static shapes of flexible bodies in a motion, by which their stresses are corrected."""
        return ShapeLoads(self, _OpenTree, static_shapes)

    # ------------------------------------------------------------ sums over the bodies

    def energy(self, q: ArrayLike, v: ArrayLike) -> tuple[Numbers, Numbers]:
        """Kinetic and potential energy (...), J; gravity and springs are in the second, zero at the ground's origin."""
        one: tuple[Numbers, Numbers] | None = self._one.energy(q, v)
        if one is not None:
            return one
        E, _, _, shape = self._sums(q, v)
        return E[:, 0].reshape(shape), E[:, 1].reshape(shape)

    def momentum(self, q: ArrayLike, v: ArrayLike) -> Numbers:
        """Angular momentum about the ground's origin and linear momentum (..., 6), ground axes."""
        one: Numbers | None = self._one.momentum(q, v)
        if one is not None:
            return one
        _, L, _, shape = self._sums(q, v)
        return L.reshape((*shape, 6))

    def center_of_mass(self, q: ArrayLike) -> Numbers:
        """Centre of mass of all bodies (..., 3) in the ground frame."""
        one: Numbers | None = self._one.center_of_mass(q)
        if one is not None:
            return one
        if not self.mass > 0:
            raise StateError(f"model {self.name!r}: no centre of mass, the total mass is {self.mass:g}")
        _, _, c, shape = self._sums(q, np.zeros(self.nv))
        return (c / self.mass).reshape((*shape, 3))

    def energy_and_momentum(self, q: ArrayLike, v: ArrayLike) -> tuple[Numbers, Numbers, Numbers]:
        """Kinetic and potential energy (..., 2), momentum (..., 6) and first moment of mass (..., 3), in one sweep."""
        one: tuple[Numbers, Numbers, Numbers] | None = self._one.energy_and_momentum(q, v)
        if one is not None:
            return one
        E, L, c, shape = self._sums(q, v)
        return E.reshape((*shape, 2)), L.reshape((*shape, 6)), c.reshape((*shape, 3))

    def _sums(self, q: ArrayLike, v: ArrayLike) -> tuple[Numbers, Numbers, Numbers, tuple[int, ...]]:
        (q_, v_), shape, _ = self.batch(q=(q, self.nq), v=(v, self.nv))
        return *self.evaluation.sums(q_, v_), shape

    # ------------------------------------------------------------ other numbers

    @checked
    def with_parameters(self, values: Mapping[str, float]) -> Model:
        """The model with other numbers; it shares all machine code with this one, so that nothing is compiled.

        Only a number that becomes zero, or was zero, may change the structure: then what depends on it is compiled.

        Parameters
        ----------
        values : mapping of str to float
            By the names of `supple.symbolic.parameter_names`: "arm.mass", "arm.com.x", "arm.inertia.zz", "arm.at.z",
            "arm.angle.damping", "gravity.z".

        Examples
        --------
        >>> from supple import Mechanism, RigidBody
        >>> mech = Mechanism("pendulum")
        >>> mech.add_body("arm", RigidBody(1.0, com=(0, 0, -0.5), inertia=(0.1, 0.1, 0.01)))
        >>> mech.build().with_parameters({"arm.mass": 2.0}).mass
        2.0
        """
        return type(self)(renumbered(self, values), self.flex)

    # ------------------------------------------------------------ derivatives

    def linearize(self, q: ArrayLike, v: ArrayLike, tau: ArrayLike) -> tuple[Numbers, Numbers]:
        """A (..., 2 nv, 2 nv) and B (..., 2 nv, nv) of the motion close to states: dx/dt = A x + B u.

        x holds the change of the coordinates in the directions of the speeds (dq = S x, see `tangent`: for angles and
        positions the change itself, for rotations and free bodies a small motion in body axes), then the change of the
        speeds; u the change of tau. Exact to rounding, no step size to choose.

        Of a model with closed loops it is the motion of all speeds, about states that fulfil the constraints: small
        motions that keep the loops closed go on to do so. `supple.linear.state_space` has A and B of the independent
        speeds alone.
        """
        if self.loops is None:
            one = self._one.linearize(q, v, tau)
            if one is not None:
                return one
        (q_, v_, u_), shape, dtype = self.batch(q=(q, self.nq), v=(v, self.nv), tau=(tau, self.nv))
        if dtype != np.float64:
            raise StateError(f"model {self.name!r}: linearize: expected real states, got complex numbers")
        A, B = linearized(self, q_, v_, u_)
        return A.reshape((*shape, *A.shape[1:])), B.reshape((*shape, *B.shape[1:]))

    def forward_dynamics_derivatives(self, q: ArrayLike, v: ArrayLike, tau: ArrayLike) -> tuple[Numbers, ...]:
        """Return a (..., nv) and its derivatives (..., nv, nv) with respect to q, v and tau.

        Those by q are in the directions of the speeds, dq = S x, as for `linearize`.
        """
        return self._compiled("forward_dynamics_derivatives", q, v, tau=(tau, self.nv))

    def inverse_dynamics_derivatives(self, q: ArrayLike, v: ArrayLike, a: ArrayLike) -> tuple[Numbers, ...]:
        """Return tau (..., nv) and its derivatives (..., nv, nv) with respect to q, v and a."""
        return self._compiled("inverse_dynamics_derivatives", q, v, a=(a, self.nv))

    def rk4(self, q: ArrayLike, v: ArrayLike, tau: ArrayLike, dt: ArrayLike) -> tuple[Numbers, ...]:
        """Return q and v after one step of the classical Runge-Kutta method, dt in s, with constant tau."""
        return self._step("rk4", q, v, tau, dt)

    def semi_implicit_euler(self, q: ArrayLike, v: ArrayLike, tau: ArrayLike, dt: ArrayLike) -> tuple[Numbers, ...]:
        """Return q and v after one step: speeds first, then coordinates with the new speeds."""
        return self._step("semi_implicit_euler", q, v, tau, dt)

    def leapfrog(self, q: ArrayLike, v: ArrayLike, tau: ArrayLike, dt: ArrayLike) -> tuple[Numbers, ...]:
        """Return q and v after half a step of the coordinates, a step of the speeds, and the other half."""
        return self._step("leapfrog", q, v, tau, dt)

    def _step(self, name: str, q: ArrayLike, v: ArrayLike, tau: ArrayLike, dt: ArrayLike) -> tuple[Numbers, ...]:
        """Return q and v after a step by the function of this name."""
        one: tuple[Numbers, ...] | None = getattr(self._one, name)(q, v, tau, dt)
        return self._compiled(name, q, v, tau=(tau, self.nv), dt=(_column(dt), 1)) if one is None else one

    def _compiled(self, name: str, q: ArrayLike, v: ArrayLike, **more: tuple[ArrayLike, int]) -> tuple[Numbers, ...]:
        """Call a compiled function with real states, after checks."""
        call = self._compiled_functions.get(name)
        if call is None:
            call = self._compiled_functions[name] = self.compile(name)
        rows, shape, dtype = self.batch(q=(q, self.nq), v=(v, self.nv), **more)
        if dtype != np.float64:
            raise StateError(f"model {self.name!r}: {name}: expected real states, got complex numbers")
        return tuple(x.reshape((*shape, *x.shape[1:])) for x in call(*rows))

    @cached_property
    def _compiled_functions(self) -> dict[str, Any]:
        """Functions that have been called."""
        return {}

    def constraint_forces(self, q: ArrayLike, v: ArrayLike, tau: ArrayLike) -> Numbers:
        """Return the forces (..., rows) of the constraint equations, see `Loops.forces`."""
        require_made(self, "constraint_forces", "method")
        assert self.loops is not None
        return self.loops.forces(q, v, tau)

    def hybrid_slopes(self, q: Vector, v: Vector, known: Vector, prescribed: Mask) -> MotionSlopes:
        """Derivatives of the motion of one state by q, v and `known`; see `hybrid`."""
        return slopes_by_tangents(self, q, v, known, prescribed)

    def inverse_slopes(self, q: Vector, v: Vector, a: Vector, tau: Vector) -> InverseSlopes:
        """Derivatives of the tree's inverse dynamics of one state, and of the power of constant tau, by q, v and a."""
        return inverse_slopes_by_tangents(self, q, v, a, tau)

    @checked
    def gradient(self, what: str, parameters: Sequence[str] = (), *, frames: Sequence[str] | None = None) -> Gradients:
        """The gradient of a weighted sum of results, in reverse: by all arguments and parameters at once.

        It costs a few times what the function does, however many parameters there are.

        Parameters
        ----------
        what : str
            A name of the table of functions (docs/functions.md).
        parameters : sequence of str
            Numbers of the model (see `supple.symbolic.parameter_names`) by which it is taken too. Zeros belong to the
            structure, and are refused.
        frames : sequence of str, optional
            As for `compile`.

        Returns
        -------
        Gradients
            To be called as `g(q, v, tau, weights=w)`, with leading batch axes, one weight for each entry of the
            outputs: arrays (..., n) by the names of the
            arguments, "q" in the directions of the speeds, and "parameters".

        Examples
        --------
        >>> from supple import Mechanism, RigidBody
        >>> mech = Mechanism("pendulum")
        >>> mech.add_body("arm", RigidBody(2.0, com=(0, 0, -0.5)))
        >>> g = mech.build().gradient("forward_dynamics", ["arm.mass"])([0.0], [0.0], [3.0], weights=[1.0])
        >>> {name: round(float(x[0]), 6) for name, x in g.items()}
        {'q': -19.62, 'v': 0.0, 'tau': 2.0, 'parameters': -3.0}
        """
        return Gradients(self, what, tuple(parameters), frames)

    # ------------------------------------------------------------ machine code

    @checked
    def compile(
        self,
        what: str,
        *,
        parameters: Sequence[str] = (),
        derivatives: Sequence[str] = (),
        integrator: str = "rk4",
        threads: int | None = None,
        frames: Sequence[str] | None = None,
    ) -> Any:
        """One of the model's functions in machine code, called with arrays of any leading axes.

        All models of one structure share it, whatever their numbers; what is not there yet takes tenths of a second to
        record and to compile, at the first call with one state or with many.

        Parameters
        ----------
        what : str
            A name of the table of functions (docs/functions.md), or "rollout" for whole trajectories.
        parameters : sequence of str
            Numbers of the model (see `supple.symbolic.parameter_names`) that become one more argument, in this order:
            one set of them for all states, or one for each.
        derivatives : sequence of str
            Arguments by which the outputs are differentiated too; each gives one more output. By q they are taken in
            the directions of the speeds, as in `linearize`.
        integrator : str
            Of a rollout: "rk4", "semi_implicit_euler", or "leapfrog", the cheapest for stiff flexible systems.
        threads : int, optional
            Cores that a large batch is spread over; all if not given.
        frames : sequence of str, optional
            The frames of functions about frames, by default all bodies. For dynamics frames at which wrenches act:
            these are one more argument (..., 6 m), along the axes of the frames.

        Returns
        -------
        CompiledFunction or Rollout
            To be called as `f(q, v, tau)`, with leading batch axes; `f.operations`, `f.c_source()`.
        """
        if what == "rollout":
            if derivatives:
                raise StateError(f"derivatives: a rollout has none, got {list(derivatives)}")
            return Rollout(self, integrator, parameters, lambda step: compiled(self, step, parameters, (), threads))
        require_function(what, "rollout")
        return compiled(self, what, parameters, derivatives, threads, frames)

    @checked
    def casadi(
        self,
        what: str,
        *,
        parameters: Sequence[str] = (),
        derivatives: Sequence[str] = (),
        frames: Sequence[str] | None = None,
    ) -> Any:
        """One of the model's functions for CasADi, to optimise motions with; needs `supple[casadi]`.

        Parameters
        ----------
        what : str
            A name of the table of functions (docs/functions.md). Outputs with the name of an input are next_q, next_v.
        parameters : sequence of str
            Numbers of the model that become one more argument.
        derivatives : sequence of str
            Arguments by which the outputs are differentiated too, as for `compile`. CasADi does not need them: it
            differentiates the function itself, exactly.
        frames : sequence of str, optional
            As for `compile`.

        Returns
        -------
        casadi.Function
            With named inputs and outputs: `f(q, v, tau)`, or `f(q=q, v=v, tau=tau)["a"]`.
        """
        return to_casadi(traced_function(self, what, parameters, derivatives, frames=frames))

    # ------------------------------------------------------------ what simulation asks of a formulation

    def traced(self, limit: float) -> Trace:
        """The model on graph nodes; the graph may have `limit` of them."""
        return Trace(self, limit=limit)

    def block_program(
        self, key: tuple[Any, ...], make: Callable[[Any, Mapping[str, Any]], Ends], arrays: Mapping[str, Any]
    ) -> tuple[Program, NDArray[np.float64]]:
        """A program of blocks for a function on graph nodes, and the numbers that it loads."""
        return recorded_program(self, key, make, arrays)

    def forward_dynamics_function(self, limit: float) -> Function:
        """Accelerations as a function of (q, v, tau) on graph nodes."""
        return traced_function(self, "forward_dynamics", (), (), limit)

    @property
    def estimated_operations(self) -> int:
        """Operations of forward dynamics, roughly, without tracing the model."""
        return estimated_operations(self.tree, self.flex)

    @property
    def implicit_steps(self) -> bool:
        """Whether generalized-alpha steps can solve its equations: of a tree they can."""
        return self.loops is None

    @property
    def implicit_blocks(self) -> bool:
        """Whether implicit steps run in blocks of machine code."""
        return self.evaluation.programs is not None

    def newton_iteration(self, slopes: tuple[float, float], gains: tuple[Vector, Vector], prescribed: Mask) -> None:
        """None: implicit steps have their own, by the recursions."""

    @property
    def display(self) -> Model:
        """The model to look at: this one."""
        return self

    def display_state(self, q: ArrayLike, v: ArrayLike, a: ArrayLike | None = None) -> tuple[Numbers, Numbers, Numbers]:
        """Coordinates, speeds and accelerations of `display`: these themselves."""
        v = np.asarray(v)
        return np.asarray(q), v, np.zeros_like(v) if a is None else np.asarray(a)

    def display_frame(self, frame: str) -> str:
        """The frame of `display` that is meant by one of this model: itself."""
        return frame

    def floating_frames(self, what: str) -> Model:
        """This model: it is one of floating frames, which `what` takes."""
        return self

    def mechanism_model(self) -> Model:
        """The model of the same mechanism in floating frames: this one."""
        return self

    @checked
    def body_of_state(self, name: str) -> str:
        """The body to which a coordinate or speed belongs."""
        return name.rpartition(".")[0]

    def formulation_settings(self) -> dict[str, Any]:
        """What `restored` needs besides the mechanism: nothing."""
        return {}

    @classmethod
    def restored(cls, model: Model, settings: Mapping[str, Any]) -> Model:
        """The model of a results file in this formulation."""
        return model


class _OpenTree(Model):
    """A model whose loops are left open: its constraints have frames, and no equations."""

    def __init__(self, description: Description, like: Flex | None = None) -> None:
        super(Model, self).__init__(description, like)


def _column(dt: ArrayLike) -> Numbers:
    """A number, or one for each state, as rows of one number."""
    return np.asarray(dt)[..., None]
