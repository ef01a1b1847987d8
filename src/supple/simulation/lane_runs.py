"""Many runs side by side: a lane for each, with its own numbers of model, flexible bodies, laws and start."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from supple.engines.blocks.block_program import Program
from supple.engines.blocks.lane_program import OWN, Schedule, lane_program
from supple.inputs.inputs import WORK
from supple.integrators import FixedStep
from supple.model.programs import ModelStructure, program
from supple.simulation.driven_system import DrivenSystem
from supple.simulation.lane_setup import FRAMES, MODEL, LaneSetup, like_model, span_of, structure_of
from supple.simulation.methods.fixed_step_driver import steps_between
from supple.simulation.methods.fixed_steps import step_kernel
from supple.simulation.state_kernel import LAWS, WRENCHES, StateKernel

Vector = NDArray[np.float64]


class LaneRuns:
    """Runs of one structure.

    Parameters
    ----------
    setup : LaneSetup
        Of one of them: names, laws, integrator, output times.
    values : (cases, n) array
        Numbers of each, as `LaneSetup.values` has them.
    threads : int
        Most cores that are used.
    """

    def __init__(self, setup: LaneSetup, values: Vector, threads: int = 1) -> None:
        self.setup, self.threads, self._rows = setup, threads, np.ascontiguousarray(values, dtype=float)
        self._values, self._start, self._held = setup.split(values)
        self._groups = structure_of(setup.groups, self._values)
        self.cases = len(values)
        options = setup.simulator.choice.options
        assert isinstance(options, FixedStep)
        self.method, self.step = options.name, options.step

    @cached_property
    def _system(self) -> DrivenSystem:
        """The run whose programs serve all lanes."""
        old, model = self.setup.simulator.system, like_model(self.setup.model, self._groups)
        inputs = copy.copy(old.inputs)
        inputs.model, inputs.frame_wrenches = model, self._groups.get(WRENCHES)
        return DrivenSystem(model, inputs, *self.setup.simulator.start, laws=old.laws_equations)

    @cached_property
    def _numbers(self) -> Vector:
        """What kernels load, in their order: the first of all groups."""
        return self._rows[
            :, : sum(self._values[name].shape[1] for name in (*MODEL, LAWS, WRENCHES) if name in self._values)
        ]

    @cached_property
    def _of_model(self) -> Vector:
        """What recursions of the model load."""
        return self._rows[:, : sum(self._values[name].shape[1] for name in MODEL)]

    def run(self) -> LaneMotion:
        """The motion of all cases at their output times; not a number from where on a case has no motion."""
        setup, system = self.setup, self._system
        kernel = step_kernel(system, self.method)
        lanes = lane_program(kernel.program, self._numbers.shape[1], fed_back=("y", "y"))
        times, bounds = setup.simulator.horizon.times(), setup.segments[0]
        close = setup.simulator.horizon.close
        out = np.empty((self.cases, len(times), system.size))
        segment = np.zeros(len(times), dtype=np.int64)
        out[:, 0], y, done = self._start, self._start, 1
        for s, (begin, end) in enumerate(pairwise(bounds)):
            upto = int(np.searchsorted(times, end + close, side="right"))
            within = np.minimum(times[done:upto], end)
            goals = within if len(within) and within[-1] == end else np.append(within, end)
            schedule = _schedule(begin, goals, self.step)
            found = lanes.run({"y": y, "u": self._held[s], OWN: self._numbers}, schedule, self.threads)["y"]
            out[:, done:upto], y = found[:, : len(within)], found[:, -1]
            segment[done:upto] = s
            done = upto
        return LaneMotion(self, times, out, segment)

    # ------------------------------------------------------------ functions of the states

    def kernel(self, kernel: StateKernel, names: tuple[str, ...], motion: LaneMotion) -> dict[str, Vector]:
        """Outputs (cases, samples, n) of a kernel for all states of a motion."""
        lanes = lane_program(kernel.program.giving(names), self._numbers.shape[1])
        inputs = {"y": motion.y, OWN: self._numbers, "u": self._held[0]}
        if len(self._held) > 1:
            inputs["u"] = np.moveaxis(self._held[motion.segment], 0, 1)
        return lanes.run(inputs, Schedule.at(motion.t), self.threads)

    def recursion(self, what: str, inputs: Mapping[str, Vector], frames: bool = False) -> dict[str, Vector]:
        """Outputs (cases, samples, n) of a recursion of the model for inputs (cases, samples, n)."""
        groups = self._groups
        structure = ModelStructure(groups["tree"], groups["flex"], self.setup.model.nq)
        numbers = self._of_model
        if frames:
            structure = ModelStructure(groups["tree"], groups["flex"], structure.nq, paths=groups[FRAMES])
            numbers = np.concatenate([numbers, self._values[FRAMES]], axis=1)
        made: Program = program(structure, structure.digest(), what)
        samples = next(iter(inputs.values())).shape[1]
        lanes = lane_program(made, numbers.shape[1])
        return lanes.run({**inputs, OWN: numbers}, Schedule.at(np.zeros(samples)), self.threads)

    @property
    def mass(self) -> Vector:
        """(cases,) mass of all bodies, kg."""
        return np.asarray(self._values["tree"][:, span_of(self.setup.model.tree, "mass")].sum(axis=1))


def _schedule(begin: float, goals: Vector, step: float) -> Schedule:
    """Equal steps from one goal to the next, as `FixedStepDriver` takes them."""
    starts = np.append(begin, goals[:-1])
    counts = np.array([steps_between(*x, step) for x in zip(starts, goals, strict=True)], dtype=np.int64)
    return Schedule(counts, np.stack([starts, (goals - starts) / counts], axis=1))


@dataclass(frozen=True, eq=False)
class LaneMotion:
    """The motion of many cases.

    Attributes
    ----------
    runs : LaneRuns
    t : (samples,) array
    y : (cases, samples, n) array
        States, see `driven_system`.
    segment : (samples,) array
        Between which jumps of the laws each output time is.
    """

    runs: LaneRuns
    t: Vector
    y: Vector
    segment: NDArray[np.int64]

    @cached_property
    def failures(self) -> dict[int, str]:
        """Cases whose state is not finite to the end, and a message about each."""
        bad = np.asarray(~np.isfinite(self.y).all(axis=2))
        runs, found = self.runs, {}
        for case in np.flatnonzero(bad.any(axis=1)):
            first = int(bad[case].argmax())
            found[int(case)] = (
                f"model {runs.setup.model.name!r}: {runs.method} stopped before t = {self.t[first]:.6g} s: the state "
                f"is no longer finite; steps of {runs.step:.3g} s are too long for the fastest vibration, or the "
                "configuration is singular"
            )
        return found

    @cached_property
    def states(self) -> tuple[Vector, Vector]:
        """q and v (cases, samples, n), prescribed ones as prescribed, quaternions of unit length."""
        system = self.runs._system
        nq, nv = system.nq, system.nv
        q, v = self.y[..., :nq], self.y[..., nq : nq + nv]
        if system.prescribed.any():
            found = self.runs.kernel(system.laws, ("q", "v"), self)
            q, v = found["q"], found["v"]
        finite = np.isfinite(q).all(axis=-1, keepdims=True)
        q = np.where(finite, system.model.normalize(np.where(finite, q, system.model.neutral())), np.nan)
        return q, np.ascontiguousarray(v)

    @cached_property
    def forces(self) -> tuple[Vector, Vector]:
        """Accelerations and generalized forces (cases, samples, nv); without those of wrenches."""
        system = self.runs._system
        found = self.runs.kernel(system.motion_kernel, ("a", "tau"), self)
        tau = found["tau"]
        if system.inputs.wrenches:
            tau = tau - self.wrenches["pull"]
        return found["a"], tau

    @cached_property
    def wrenches(self) -> dict[str, Vector]:
        """Wrenches of laws and what they do to the speeds, see `DrivenEquations.wrenches`."""
        return self.runs.kernel(self.runs._system.wrenches, ("wrench", "pull"), self)

    @cached_property
    def sums(self) -> dict[str, Vector]:
        """Energies, momentum and first moment of mass."""
        q, v = self.states
        return self.runs.recursion("sums", {"q": q, "v": v})

    @cached_property
    def frames(self) -> dict[str, Vector]:
        """R, p, V and A of the frames that are wanted."""
        (q, v), a = self.states, self.forces[0]
        found = self.runs.recursion("frame_motions", {"q": q, "v": v, "a": a}, frames=True)
        return {name: x.reshape(*x.shape[:2], len(self.runs.setup.outputs.frames), -1) for name, x in found.items()}

    @property
    def work(self) -> Vector | None:
        """Work of all inputs (cases, samples), J; None where nothing acts."""
        system = self.runs._system
        if WORK not in system.inputs.integrals:
            return None
        return self.y[..., system.nq + system.nv + system.inputs.integrals.index(WORK)]
