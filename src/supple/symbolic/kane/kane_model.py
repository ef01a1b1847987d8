"""A system of vectors as a model: simulated, shown, saved and loaded like any other."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from supple.call_checks import checked
from supple.checks import Floats, generator
from supple.description.description import Description
from supple.description.overview import coordinates, overview
from supple.engines.blocks.block_program import Program
from supple.errors import FileFormatError, SingularError, StateError
from supple.expressions.derivatives import forward, jacobian
from supple.expressions.function import Function, Nodes
from supple.model.arguments import batch, index_of, of_each_state, singular_pivot
from supple.model.dynamic_functions import Loads
from supple.model.model import Model
from supple.model.motion_slopes import InverseSlopes, MotionSlopes
from supple.model.programs import Ends, traced_program
from supple.model.recorded_trace import LIMIT
from supple.symbolic.kane.folded_terms import FoldedTerms, evaluated
from supple.symbolic.kane.kane_display import display_model
from supple.symbolic.kane.kane_refusals import KaneRefusals
from supple.symbolic.kane.kane_system import KaneSystem
from supple.symbolic.kane.kane_trace import KaneTrace, hybrid
from supple.symbolic.kane.written_system import system_of_tables, written

Numbers = NDArray[Any]
Mask = NDArray[np.bool_]
ITERATIONS, FARTHEST, CLOSED = 100, 0.5, 1e-12
"""Of Newton's method on loops: how many, the longest step, and the gap at which loops are closed."""
STEP = 1e-30
"""Of an imaginary step."""


@checked
class KaneModel(KaneRefusals):
    """A system of vectors with numbers: simulated, shown, saved and loaded like any other model.

    Its speeds are the independent ones. Generalized forces tau act along them, besides the forces of the system.
    Coordinates that closed loops make dependent are part of q: they are found from the others at the start of a run.

    Parameters
    ----------
    system : KaneSystem
    inputs : mapping of str to (str or float)
        For every input of the system a formula of time t, coordinates, speeds and parameters, or a number.
    parameters : mapping of str to float, optional
        Other numbers than those the system has.

    Attributes
    ----------
    parameters : dict of str to float
        Numbers of all of them.
    name : str
    bodies : tuple of str
    coordinates, speeds : tuple of str
        Names; the last coordinate is "time" if something in the system depends on it.
    formulation : str
        By this name results files know it.

    Examples
    --------
    >>> from supple.symbolic.kane import KaneJoint, KaneSystem, MassProperties
    >>> s = KaneSystem("pendulum")
    >>> m, L, g = s.parameters(m=1.0, L=0.5, g=9.81)
    >>> s.gravity = -g * s.ground.axes[1]
    >>> arm = s.add_body("arm", joint=KaneJoint(rotations="3"), body=MassProperties(m, com=(0, -L, 0)))
    >>> KaneModel(s).forward_dynamics([0.1], [0.0], [0.0]).round(4)
    array([-1.9587])
    """

    formulation: ClassVar[str] = "vectors"
    loops = None
    quaternions = ()
    implicit_steps = implicit_blocks = False

    def __init__(
        self,
        system: KaneSystem,
        inputs: Mapping[str, str | float] | None = None,
        parameters: Mapping[str, float] | None = None,
    ) -> None:
        self.system, self.inputs = system, dict(inputs or {})
        self.equations = system.equations()
        self.parameters = self.equations.numbers(parameters)
        self.terms = FoldedTerms(system, self.equations, self.parameters, self.inputs)
        self._written = written(system, self.inputs, self.parameters)
        self.display = display_model(system, self.parameters)
        self.description: Description = self.display.description
        self.name, self.bodies = system.name, tuple(system.bodies)
        q, v = self.terms.leaves
        self.coordinates: tuple[str, ...] = tuple(leaf.name for leaf in q)
        self.speeds: tuple[str, ...] = tuple(leaf.name for leaf in v)
        self.nq, self.nv = len(q), len(v)
        self.mass: float = self.display.mass
        self.is_mode: Mask = np.zeros(self.nv, dtype=bool)
        rates = list(self.equations.terms.rates)
        self.q_of_speed: NDArray[np.int64] = np.array(
            [rates.index(leaf) if leaf in rates else -1 for leaf in self.equations.variables.v], dtype=np.int64
        )
        self.coordinate_units: tuple[str, ...] = tuple(self._units())
        self.speed_units: tuple[str, ...] = tuple(self._speed_units())
        self._slopes: dict[bytes, Function] = {}

    def __repr__(self) -> str:
        return f"<supple system of vectors {self.name!r}: {len(self.bodies)} bodies, {self.nv} independent speeds>"

    def _repr_html_(self) -> str:
        title = f"System of vectors {self.name}: {self.nv} independent speeds"
        return overview(self.description, title, coordinates(self.coordinates))

    def _units(self) -> list[str]:
        joints = [body.joint for body in self.system.bodies.values()]
        kinds = [(len(x.translation.coordinates), len(x.rotation.coordinates)) for x in joints]
        return [unit for m, n in kinds for unit in m * ["m"] + n * ["rad"]] + ["s"] * self.terms.timed

    def _speed_units(self) -> list[str]:
        straight = {dof.speed for body in self.system.bodies.values() for dof in body.moves}
        return ["m/s" if leaf in straight else "rad/s" for leaf in self.equations.variables.v]

    def arrays(self) -> dict[str, Numbers]:
        """All that decides the numbers: of the model drawn, and the expressions, which hold the parameters."""
        digest = np.frombuffer(bytes.fromhex(self.terms.function.digest), dtype=np.uint8)
        return {**self.display.arrays(), "expressions": digest}

    # ------------------------------------------------------------ states

    def coordinate_index(self, name: str) -> int:
        """Place of a coordinate in q."""
        return index_of(self.coordinates, name, "coordinate")

    def speed_index(self, name: str) -> int:
        """Place of a speed in v."""
        return index_of(self.speeds, name, "speed")

    def body_of_state(self, name: str) -> str:
        """The body to which a coordinate or speed belongs; time belongs to none but itself."""
        for body in self.system.bodies.values():
            if any(leaf.name == name for leaf in (*body.coordinates, *body.speeds)):
                return body.name
        return name

    def neutral(self) -> Floats:
        """Coordinates (nq,) all zero, or as near to it as closed loops are."""
        return np.asarray(self.normalize(np.zeros(self.nq)))

    def random_state(self, seed: int) -> tuple[Floats, Floats]:
        """A random state (q, v): coordinates uniform in -1 ... 1, of closed loops in -0.1 ... 0.1, speeds normal."""
        rng = generator(seed, f"model {self.name!r}: random state: seed")
        closing = "gap" in self.terms.function.outputs
        q = rng.uniform(-1.0, 1.0, self.nq) * (0.1 if closing else 1.0)
        return np.asarray(self.normalize(q)), rng.normal(size=self.nv)

    def normalize(self, q: ArrayLike) -> Numbers:
        """Coordinates (..., nq) with closed loops: the dependent ones are found from the others.

        Raises
        ------
        StateError
            If a loop cannot be closed.
        """
        (q_,), shape = self._batch(q=q)
        found = q_.reshape((*shape, self.nq)).copy()
        dependence = self.equations.dependence
        if dependence is None or not len(dependence.coordinates):
            return found
        places = [self.coordinate_index(x.name) for x in dependence.coordinates]
        still = np.zeros((*found.shape[:-1], self.nv))
        for _ in range(ITERATIONS):
            at = evaluated(self._closing, q=found, v=still)
            change = -np.linalg.solve(at["slope"], at["gap"][..., None])[..., 0]
            size = np.abs(change).max(axis=-1, keepdims=True)
            if not size.max(initial=0.0) > CLOSED * max(1.0, float(np.abs(found).max(initial=0.0))):
                return found
            found[..., places] += change * np.minimum(1.0, FARTHEST / np.maximum(size, FARTHEST))
        names = ", ".join(repr(leaf.name) for leaf in dependence.coordinates)
        raise StateError(
            f"system {self.name!r}: the loops cannot be closed by {names} from the coordinates that are given: still "
            f"open by {np.abs(at['gap']).max():.3g}"
        )

    def derivative(self, q: ArrayLike, v: ArrayLike) -> Numbers:
        """Rates of the coordinates, (..., nq)."""
        (q_, v_), shape = self._batch(q=q, v=v)
        return evaluated(self._rates, q=q_, v=v_)["rate"].reshape((*shape, self.nq))

    def integrate(self, q: ArrayLike, v: ArrayLike, dt: ArrayLike) -> Numbers:
        """Coordinates (..., nq) after the time `dt` at constant speeds, with the rates in the middle."""
        where = f"model {self.name!r}"
        parts = {"q": (q, self.nq), "v": (v, self.nv), "dt": (of_each_state(where, "dt", dt), 1)}
        (x, v_, h), shape, _ = batch(where, parts)
        moved = x + h * self.derivative(x + 0.5 * h * self.derivative(x, v_), v_)
        return moved.reshape((*shape, self.nq))

    def tangent(self, q: ArrayLike) -> Numbers:
        """S (..., nq, nv): rates of the coordinates are S v, and besides what time and open loops change."""
        (q_,), shape = self._batch(q=q)
        states = q_.reshape((*shape, 1, self.nq))
        rates = self.derivative(states, np.eye(self.nv)) - self.derivative(states, np.zeros(self.nv))
        return np.swapaxes(rates, -1, -2)

    @property
    def none_prescribed(self) -> Mask:
        """(nv,) no speed, as a new array."""
        return np.zeros(self.nv, dtype=bool)

    # ------------------------------------------------------------ dynamics

    def mass_matrix(self, q: ArrayLike) -> Numbers:
        """M (..., nv, nv) of the independent speeds."""
        (q_, v_), shape = self._batch(q=q, v=np.zeros(self.nv))
        return evaluated(self._matrices, q=q_, v=v_)["M"].reshape((*shape, self.nv, self.nv))

    def bias_forces(self, q: ArrayLike, v: ArrayLike, external: Loads | None = None) -> Numbers:
        """b (..., nv) of M a + b = tau: Coriolis, gravity, all forces of the system; further wrenches are refused."""
        self._refuse_wrenches(external)
        (q_, v_), shape = self._batch(q=q, v=v)
        return -evaluated(self._matrices, q=q_, v=v_)["f"].reshape((*shape, self.nv))

    def forward_dynamics(self, q: ArrayLike, v: ArrayLike, tau: ArrayLike) -> Numbers:
        """Accelerations (..., nv) that generalized forces tau give, besides the forces of the system."""
        return self.hybrid(q, v, tau, np.zeros(self.nv, dtype=bool))[0]

    def inverse_dynamics(self, q: ArrayLike, v: ArrayLike, a: ArrayLike, external: Loads | None = None) -> Numbers:
        """Generalized forces (..., nv) that give the accelerations a; wrenches at frames are refused."""
        self._refuse_wrenches(external)
        return self.hybrid(q, v, a, np.ones(self.nv, dtype=bool))[1]

    def hybrid(self, q: ArrayLike, v: ArrayLike, known: ArrayLike, prescribed: Mask) -> tuple[Numbers, Numbers]:
        """Accelerations and generalized forces; `known` has accelerations where they are prescribed, else forces."""
        (q_, v_, known_), shape = self._batch(q=q, v=v, known=known)
        at = evaluated(self._matrices, q=q_, v=v_)
        M, f = at["M"], at["f"]
        a, tau = known_.astype(np.result_type(known_, M)), known_.astype(np.result_type(known_, M))
        free = np.flatnonzero(~prescribed)
        if len(free):
            held = np.where(prescribed, known_, 0.0)
            force = f + known_ - (M @ held[..., None])[..., 0]
            inertia = M[:, free][:, :, free]
            fault = singular_pivot(inertia.real)
            if fault:
                speed = self.speeds[free[fault - 1]]
                raise SingularError(
                    f"system {self.name!r}: nothing resists the speed {speed!r} in this configuration (its pivot in "
                    "the mass matrix is zero to rounding); give the bodies that it moves mass or inertia"
                )
            a[:, free] = np.linalg.solve(inertia, force[:, free, None])[..., 0]
        tau[:, prescribed] = ((M @ a[..., None])[..., 0] - f)[:, prescribed]
        return a.reshape((*shape, self.nv)), tau.reshape((*shape, self.nv))

    def hybrid_slopes(self, q: Floats, v: Floats, known: Floats, prescribed: Mask) -> MotionSlopes:
        """Derivatives of the motion of one state by q, v and `known`."""

        def outputs(rate: Nodes, M: Nodes, f: Nodes, v: Nodes, known: Nodes) -> list[Nodes]:
            a, tau = hybrid(M, f, known, prescribed, self.speeds)
            return [rate, a, np.array([tau @ v], dtype=object)]

        found = self._derivatives(prescribed.tobytes(), outputs, q, v, known)
        return MotionSlopes(found[0], found[1], found[2][0])

    def inverse_slopes(self, q: Floats, v: Floats, a: Floats, tau: Floats) -> InverseSlopes:
        """Derivatives of inverse dynamics of one state, and of the power of constant tau, by q, v and a."""

        def outputs(rate: Nodes, M: Nodes, f: Nodes, v: Nodes, a: Nodes) -> list[Nodes]:
            return [rate, M @ a - f]

        rate, force = self._derivatives(b"inverse", outputs, q, v, a)
        return InverseSlopes(rate, force, np.concatenate([np.zeros(self.nq), tau, np.zeros(self.nv)]))

    def _derivatives(
        self, key: bytes, outputs: Callable[..., list[Nodes]], q: Floats, v: Floats, third: Floats
    ) -> list[Floats]:
        """Jacobians of functions of q, v and a third vector by all three; their expressions are kept."""
        if key not in self._slopes:
            x, graph = self.terms.function, self.terms.function.graph
            more = np.array([graph.input(name, "known") for name in self.speeds], dtype=object)
            leaves = np.concatenate([*self.terms.leaves, more])
            made = outputs(x.outputs["rate"], x.outputs["M"], x.outputs["f"], x.inputs["v"], more)
            slopes = {str(i): jacobian(y, leaves) for i, y in enumerate(made)}
            self._slopes[key] = Function("slopes", graph, {**x.inputs, "known": more}, slopes)
        found = evaluated(self._slopes[key], q=q, v=v, known=third)
        return [found[str(i)].astype(float) for i in range(len(found))]

    def power(self, q: ArrayLike, v: ArrayLike, tau: ArrayLike) -> Numbers:
        """Power (...) of generalized forces, W."""
        (v_, tau_), shape = self._batch(v=v, tau=tau)
        return np.asarray((tau_ * v_).sum(axis=-1)).reshape(shape)

    def energy(self, q: ArrayLike, v: ArrayLike) -> tuple[Numbers, Numbers]:
        """Kinetic energy, and potential energy of gravity (...), J: what potential a force has is not known."""
        (q_, v_), shape = self._batch(q=q, v=v)
        found = evaluated(self._sums, q=q_, v=v_)["energy"].reshape((*shape, 2))
        return found[..., 0], found[..., 1]

    def energy_and_momentum(self, q: ArrayLike, v: ArrayLike) -> tuple[Numbers, Numbers, Numbers]:
        """Kinetic and potential energy (..., 2), momentum (..., 6) and first moment of mass (..., 3)."""
        (q_, v_), shape = self._batch(q=q, v=v)
        found = evaluated(self._sums, q=q_, v=v_)
        energy, momentum, moment = (
            found[key].reshape((*shape, n)) for key, n in (("energy", 2), ("momentum", 6), ("moment", 3))
        )
        return energy, momentum, moment

    # ------------------------------------------------------------ looking at it

    def display_frame(self, frame: str) -> str:
        """The frame of `display` that is meant: the same."""
        return frame

    def pose(self, q: ArrayLike, frame: str) -> tuple[Numbers, Numbers]:
        """Rotation R (..., 3, 3) and position p (..., 3) of a body in the ground frame."""
        (q_,), shape = self._batch(q=q)
        return self.display.pose(self._drawn(q_.reshape((*shape, self.nq))), frame)

    def _drawn(self, q: Numbers) -> Numbers:
        """Coordinates of `display`, of rates or second derivatives too."""
        return q[..., : self.display.nq]

    def display_state(self, q: ArrayLike, v: ArrayLike, a: ArrayLike | None = None) -> tuple[Numbers, Numbers, Numbers]:
        """Coordinates, speeds and accelerations of `display`, whose speeds are others: S v = q', S a = q'' - S' v."""
        (q_, v_, a_), shape = self._batch(q=q, v=v, a=np.zeros(self.nv) if a is None else a)
        found = evaluated(self._second, q=q_, v=v_, a=a_)
        x, rate, second = (self._drawn(y) for y in (q_, found["rate"], found["second"]))
        shown = self.display
        back = np.linalg.pinv(shown.tangent(x))
        speeds = (back @ rate[..., None])[..., 0]
        turning = shown.derivative(x + 1j * STEP * rate, speeds.astype(complex)).imag / STEP
        accelerations = (back @ (second - turning)[..., None])[..., 0]
        return tuple(y.reshape((*shape, -1)) for y in (x, speeds, accelerations))  # type: ignore[return-value]

    # ------------------------------------------------------------ equations, files, other formulations

    def traced(self, limit: float) -> KaneTrace:
        """The system on graph nodes; the graph may have `limit` of them."""
        return KaneTrace(self, limit)

    def block_program(
        self, key: tuple[Any, ...], make: Callable[[Any, Mapping[str, Any]], Ends], arrays: Mapping[str, Any]
    ) -> tuple[Program, NDArray[np.float64]]:
        """A program of blocks for a function on graph nodes, and the numbers that it loads."""
        return traced_program(self.traced(LIMIT), make, arrays)

    def forward_dynamics_function(self, limit: float) -> Function:
        """Accelerations as a function of (q, v, tau) on graph nodes."""
        t = self.traced(limit)
        found = {"a": t.forward_dynamics(t.q, t.v, t.tau)}
        return t.function("forward_dynamics", {"q": t.q, "v": t.v, "tau": t.tau}, found)

    @property
    def estimated_operations(self) -> int:
        """Operations of forward dynamics, roughly."""
        return len(self.terms.function.order) + self.nv**3 // 3 + self.nv**2

    def mechanism_model(self) -> Model:
        """The model that looks the same: its bodies on their joints, without forces and constraints."""
        return self.display

    def formulation_settings(self) -> dict[str, Any]:
        """What `restored` needs: the system, written down."""
        return {"system": self._written}

    @classmethod
    def restored(cls, model: Model, settings: Mapping[str, Any]) -> KaneModel:
        """The system that `formulation_settings` has written down; its bodies are drawn as those of the model."""
        tables = settings.get("system")
        if not isinstance(tables, Mapping):
            raise FileFormatError(f"system: expected the tables of a system of vectors, got {tables!r}")
        system, inputs = system_of_tables(tables)
        system.visuals = dict(model.description.visuals)
        return cls(system, inputs)

    # ------------------------------------------------------------ functions and shapes

    def _part(self, *names: str) -> Function:
        x = self.terms.function
        return Function(x.name, x.graph, x.inputs, {name: x.outputs[name] for name in names})

    @cached_property
    def _rates(self) -> Function:
        return self._part("rate")

    @cached_property
    def _matrices(self) -> Function:
        return self._part("M", "f")

    @cached_property
    def _sums(self) -> Function:
        return self._part("energy", "momentum", "moment")

    @cached_property
    def _closing(self) -> Function:
        return self._part("gap", "slope")

    @cached_property
    def _second(self) -> Function:
        """First and second derivatives of the coordinates, of q, v and accelerations a."""
        x = self.terms.function
        a = np.array([x.graph.input(name, "a") for name in self.speeds], dtype=object)
        rate = x.outputs["rate"]
        motion = {**dict(zip(x.inputs["q"], rate, strict=True)), **dict(zip(x.inputs["v"], a, strict=True))}
        second = np.array(forward(list(rate), motion), dtype=object)
        return Function("second", x.graph, {**x.inputs, "a": a}, {"rate": rate, "second": second})

    def _batch(self, **parts: ArrayLike) -> tuple[list[Numbers], tuple[int, ...]]:
        sizes = {name: (x, self.nq if name == "q" else self.nv) for name, x in parts.items()}
        arrays, shape, _ = batch(f"model {self.name!r}", sizes)
        return arrays, shape
