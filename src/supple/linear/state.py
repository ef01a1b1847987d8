"""Linear state-space models with named inputs and outputs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import linalg

from supple.errors import StateError, SuppleError
from supple.linear.equations import Floats, LinearEquations, Numbers, Values, linear_equations
from supple.linear.signals import Sensing, input_forces, output_rows
from supple.model.model import Loads, Model


@dataclass(frozen=True, eq=False)
class StateSpace:
    """x' = A x + B u, y = C x + D u about a state; all of them are changes from their values there.

    Attributes
    ----------
    equations : LinearEquations
    inputs, outputs : tuple of str
    forces : (n, inputs) array
        Force on the free speeds for a unit of each input.
    sensing : Sensing
        Outputs from coordinates, speeds and accelerations.
    """

    equations: LinearEquations
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    forces: Floats
    sensing: Sensing

    @property
    def states(self) -> tuple[str, ...]:
        """Names: "x:..." for changes of coordinates in the directions of the speeds, then "v:..." for the speeds."""
        names = self.equations.names
        return (*(f"x:{name}" for name in names), *(f"v:{name}" for name in names))

    @cached_property
    def A(self) -> Floats:
        """(2 n, 2 n)."""
        e = self.equations
        lower = -linalg.solve(e.M, np.hstack([e.K, e.C]), assume_a="pos")
        return np.vstack([np.hstack([e.N, np.eye(len(e.free))]), lower])

    @cached_property
    def B(self) -> Floats:
        """(2 n, inputs)."""
        lower = linalg.solve(self.equations.M, self.forces, assume_a="pos")
        return np.vstack([np.zeros_like(lower), lower])

    @cached_property
    def C(self) -> Floats:
        """(outputs, 2 n)."""
        n = len(self.equations.free)
        return np.hstack([self.sensing.by_x, self.sensing.by_v]) + self.sensing.by_a @ self.A[n:]

    @cached_property
    def D(self) -> Floats:
        """(outputs, inputs)."""
        return self.sensing.by_a @ self.B[len(self.equations.free) :]

    def transfer(self, frequencies: ArrayLike) -> Numbers:
        """Frequency response (..., outputs, inputs), complex, at frequencies (...) in Hz; zero is the static response.

        One solution of (s M + C)(s - N) + K a frequency; A is not formed.
        """
        f = np.asarray(frequencies, dtype=float)
        e, g = self.equations, self.sensing
        out = np.zeros((f.size, len(self.outputs), len(self.inputs)), complex)
        eye = np.eye(len(e.free))
        for i, s in enumerate(2j * np.pi * f.ravel()):
            lag = s * eye - e.N
            Z = (s * e.M + e.C) @ lag + e.K
            out[i] = (g.by_x + (g.by_v + s * g.by_a) @ lag) @ self._solved(Z, s)
        return out.reshape((*f.shape, len(self.outputs), len(self.inputs)))

    def _solved(self, Z: Numbers, s: complex) -> Numbers:
        """Motion (n, inputs) for a unit of each input; Z is scaled, factored and judged by its condition."""
        size = np.sqrt(np.abs(Z).max(axis=1, initial=0.0))
        size = np.where(size > 0, size, 1.0)
        scaled = Z / np.outer(size, size)
        factors, pivots, singular = linalg.lapack.zgetrf(scaled)
        if singular or linalg.lapack.zgecon(factors, np.linalg.norm(scaled, 1))[0] < 1e-14:
            free = self.equations.names[int(np.argmax(np.abs(linalg.svd(scaled)[2][-1] / size)))]
            raise StateError(
                f"model {self.equations.model.name!r}: no response at {s.imag / (2 * np.pi):g} Hz: "
                f"the motion of {free!r} has no stiffness there; choose another frequency or hold it with `fixed`"
            )
        return linalg.lapack.zgetrs(factors, pivots, self.forces / size[:, None])[0] / size[:, None]

    def to_control(self) -> Any:
        """The same as a `control.StateSpace` with names; needs python-control.

        Dots of the names are turned to underscores there: python-control uses them for parts of systems.
        """
        try:
            control = import_module("control")
        except ImportError:
            raise SuppleError("to_control: expected the package 'control': python -m pip install control") from None
        names = {
            key: [name.replace(".", "_") for name in getattr(self, key)] for key in ("inputs", "outputs", "states")
        }
        return control.ss(self.A, self.B, self.C, self.D, name=self.equations.model.name.replace(".", "_"), **names)

    def __str__(self) -> str:
        lines = [f"{self.equations.model.name}: {len(self.states)} states"]
        lines += [f"{what}: {', '.join(getattr(self, what)) or 'none'}" for what in ("inputs", "outputs")]
        return "\n".join(lines)


def state_space(
    model: Model,
    q: Values | None = None,
    v: Values | None = None,
    tau: Values | None = None,
    inputs: Sequence[str] | None = None,
    outputs: Sequence[str] | None = None,
    external: Loads | None = None,
    fixed: Iterable[str] = (),
) -> StateSpace:
    """The linear system about a state, with named inputs and outputs.

    Parameters
    ----------
    q, v, tau, external, fixed
        As for `modes`.
    inputs : sequence of str, optional
        Drive forces by the names of speeds ("arm.angle"), or moments and forces at frames in ground axes:
        "boom/end.mx", "boom/end.fz". By default the drives of all joints.
    outputs : sequence of str, optional
        "q:arm.angle" coordinates, "v:arm.angle" speeds, "a:arm.angle" their rates; of a frame, in ground axes,
        "boom/end.z" position, "boom/end.rz" small rotation, "boom/end.vz" and "boom/end.wz" velocity, "boom/end.az"
        acceleration. By default the speeds of all joints.

    Examples
    --------
    >>> import supple
    >>> mech = supple.Mechanism("mass on a spring", gravity=(0, 0, 0))
    >>> mech.add_body("mass", supple.RigidBody(2.0), joint=supple.Prismatic("x", stiffness=8.0))
    >>> system = state_space(mech.build(), inputs=["mass.fx"], outputs=["mass.x", "a:mass.position"])
    >>> float(system.A[1, 0])
    -4.0
    >>> float(system.transfer(0.0)[0, 0].real)
    0.125
    """
    e = linear_equations(model, q, v, tau, external, fixed)
    joints = [model.speeds[i] for i in e.free if not model._is_mode[i]]
    u = tuple(joints if inputs is None else _names(inputs, "inputs"))
    y = tuple([f"v:{name}" for name in joints] if outputs is None else _names(outputs, "outputs"))
    return StateSpace(e, u, y, input_forces(e, u), output_rows(e, y))


def _names(names: Sequence[str], what: str) -> list[str]:
    if isinstance(names, str) or len(set(names)) != len(names):
        raise StateError(f"{what}: expected a sequence of different names, got {names!r}")
    return list(names)
