"""Linear state-space models with named inputs and outputs.

The states are changes x of coordinates, y of speeds, and z of the states of controllers.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from itertools import zip_longest
from pathlib import Path
from typing import Any

import numpy as np
import scipy
from numpy.typing import ArrayLike
from scipy import linalg

from supple.call_checks import checked
from supple.checks import floats
from supple.drafts import draft_of
from supple.errors import PhysicsWarning, StateError, SuppleError, warn
from supple.formulations import Formulation
from supple.html_tables import html_table
from supple.linear.acting_laws import ActingLaws
from supple.linear.poles_zeros import TransferFunction, transfer_function
from supple.linear.signals import Sensing, input_forces, output_rows
from supple.linear.small_motions import LinearEquations, linear_equations
from supple.linear.start import Floats, Numbers, Values
from supple.model.dynamic_functions import Loads


@checked
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
        """Names: "x:..." for changes of coordinates in the directions of the speeds, then "v:..." for the speeds.

        Of a closed model those of the independent ones. States of controllers come last.
        """
        e = self.equations
        own = (*(f"x:{e.model.speeds[i]}" for i in e.placed), *(f"v:{name}" for name in e.names))
        return (*own, *e.laws.names)

    @cached_property
    def A(self) -> Floats:
        """(states, states)."""
        e, z = self.equations, self.equations.laws
        lower = -linalg.solve(e.M, np.hstack([e.K, e.C, -z.force]), assume_a="pos")
        upper = np.hstack([e.N, e.T, np.zeros((len(e.placed), len(z.names)))])
        return np.vstack([upper, lower, np.hstack([z.by_x, z.by_y, z.by_z])])

    @cached_property
    def B(self) -> Floats:
        """(states, inputs)."""
        e, count = self.equations, len(self.inputs)
        lower = linalg.solve(e.M, self.forces, assume_a="pos")
        return np.vstack([np.zeros((len(e.placed), count)), lower, np.zeros((len(e.laws.names), count))])

    @cached_property
    def C(self) -> Floats:
        """(outputs, states)."""
        g, none = self.sensing, np.zeros((len(self.outputs), len(self.equations.laws.names)))
        return np.hstack([g.by_x, g.by_v, none]) + g.by_a @ self.A[self._speeds]

    @cached_property
    def D(self) -> Floats:
        """(outputs, inputs)."""
        return self.sensing.by_a @ self.B[self._speeds]

    @property
    def _speeds(self) -> slice:
        """Places of the speeds among the states."""
        p = len(self.equations.placed)
        return slice(p, p + len(self.equations.free))

    def transfer(self, frequencies: ArrayLike) -> Numbers:
        """Frequency response (..., outputs, inputs), complex, at frequencies (...) in Hz; zero is the static response.

        One solution of (s M + C)(s - N) + K a frequency; A is not formed. What rolls moves at rest as its speeds do,
        x = T z with y = s z, so that it has a static response too; at speed x and y are solved for together.
        """
        found = floats(frequencies)
        if found is None or not np.isfinite(found).all():
            raise StateError(f"transfer: frequencies: expected finite numbers, Hz, got {frequencies!r:.60}")
        f = found
        e, g, z = self.equations, self.sensing, self.equations.laws
        out = np.zeros((f.size, len(self.outputs), len(self.inputs)), complex)
        p, n, moving = len(e.placed), len(e.free), e.rolls and e.N.any()
        load = np.zeros((n + len(z.names), len(self.inputs)))
        load[:n] = self.forces
        if moving:
            load = np.vstack([np.zeros((p, len(self.inputs))), load])
        K, by_x, N = e.K @ e.T, g.by_x @ e.T, e.N if not e.rolls else np.zeros_like(e.M)
        for i, s in enumerate(2j * np.pi * f.ravel()):
            inertia, by_y, own = s * e.M + e.C, g.by_v + s * g.by_a, s * np.eye(len(z.names)) - z.by_z
            if moving:
                none = np.zeros((p, len(z.names)))
                Z = np.block([[s * np.eye(p) - e.N, -e.T, none], [e.K, inertia, -z.force], [-z.by_x, -z.by_y, own]])
                seen = np.hstack([g.by_x, by_y])
            else:
                lag = s * np.eye(n) - N
                Z = np.block([[inertia @ lag + K, -z.force], [-(z.by_x @ e.T + z.by_y @ lag), own]])
                seen = by_x + by_y @ lag
            out[i] = seen @ self._solved(Z, load, s)[: seen.shape[1]]
        return out.reshape((*f.shape, len(self.outputs), len(self.inputs)))

    def _solved(self, Z: Numbers, load: Floats, s: complex) -> Numbers:
        """Motion (n, inputs) under a load; Z is scaled, factored and judged by its condition."""
        size = np.sqrt(np.abs(Z).max(axis=1, initial=0.0))
        size = np.where(size > 0, size, 1.0)
        scaled = Z / np.outer(size, size)
        factors, pivots, singular = linalg.lapack.zgetrf(scaled)
        if singular or linalg.lapack.zgecon(factors, np.linalg.norm(scaled, 1))[0] < 1e-14:
            e = self.equations
            moved = [*e.names, *e.laws.names]
            names = [*(e.model.speeds[i] for i in e.placed), *moved][-len(Z) :]
            free = names[int(np.argmax(np.abs(linalg.svd(scaled)[2][-1] / size)))]
            raise StateError(
                f"model {self.equations.model.name!r}: no response at {s.imag / (2 * np.pi):g} Hz: "
                f"the motion of {free!r} has no stiffness there; choose another frequency or hold it with `fixed`"
            )
        return linalg.lapack.zgetrs(factors, pivots, load / size[:, None])[0] / size[:, None]

    def transfer_function(self, input: str, output: str) -> TransferFunction:
        """Poles, zeros and gain from one input to one output.

        Examples
        --------
        >>> import supple
        >>> mech = supple.Mechanism("two masses", gravity=(0, 0, 0))
        >>> mech.add_body("first", supple.RigidBody(1.0), joint=supple.Prismatic("x"))
        >>> mech.add_body("second", supple.RigidBody(1.0), "first", supple.Prismatic("x", stiffness=1.0))
        >>> system = state_space(mech.build(), inputs=["first.fx"], outputs=["first.x", "second.x"])
        >>> system.transfer_function("first.fx", "first.x").zeros.imag.round(9).tolist()
        [-1.0, 1.0]
        >>> system.transfer_function("first.fx", "second.x").zeros.tolist()
        []
        """
        return transfer_function(self, input, output)

    def save_mat(self, file: str | os.PathLike[str]) -> Path:
        """Write A, B, C, D and the names of states, inputs and outputs to a MATLAB file, .mat."""
        path = Path(file)
        if path.suffix != ".mat":
            raise StateError(f"save_mat: expected a name that ends in .mat, got {str(file)!r}")
        names = {key: np.array(getattr(self, key), dtype=object) for key in ("states", "inputs", "outputs")}
        content = {"A": self.A, "B": self.B, "C": self.C, "D": self.D, "name": self.equations.model.name, **names}
        with draft_of(path) as written:
            scipy.io.savemat(str(written), content, appendmat=False)
        return path

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

    def __repr__(self) -> str:
        sizes = f"{len(self.states)} states, {len(self.inputs)} inputs, {len(self.outputs)} outputs"
        return f"<supple state space of {self.equations.model.name!r}: {sizes}>"

    def _repr_html_(self) -> str:
        count = max(len(self.states), len(self.inputs), len(self.outputs))
        rows = list(zip_longest(range(1, count + 1), self.states, self.inputs, self.outputs, fillvalue=""))
        title = f"{self.equations.model.name}: x' = A x + B u, y = C x + D u"
        return html_table(title, (">", "state x", "input u", "output y"), rows)

    def __str__(self) -> str:
        lines = [f"{self.equations.model.name}: {len(self.states)} states"]
        lines += [f"{what}: {', '.join(getattr(self, what)) or 'none'}" for what in ("inputs", "outputs")]
        if self.equations.held_by:
            lines.append(f"not a free equilibrium: the state takes generalized forces, {self.equations.held_by}")
        return "\n".join(lines)


@checked
def state_space(
    model: Formulation,
    q: Values | None = None,
    v: Values | None = None,
    tau: Values | None = None,
    inputs: Sequence[str] | None = None,
    outputs: Sequence[str] | None = None,
    external: Loads | None = None,
    fixed: Iterable[str] = (),
    independent: Sequence[str] = (),
    laws: ActingLaws | None = None,
) -> StateSpace:
    """The linear system about a state, with named inputs and outputs.

    Parameters
    ----------
    q, v, tau, external, fixed, independent, laws
        As for `modes`.
    inputs : sequence of str, optional
        Generalized forces by the names of speeds ("arm.angle"), or moments and forces at frames in ground axes:
        "boom/end.mx", "boom/end.fz". By default the generalized forces of all joints.
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
    e = linear_equations(model, q, v, tau, external, fixed, independent, laws)
    if e.unsteady:
        said = f"model {model.name!r}: linear about a state that does not last: {e.unsteady}; poles hold for an instant"
        warn(f"{said} alone; linear.equilibrium and steady_rotation find states that last", PhysicsWarning)
    joints = [model.speeds[i] for i in np.flatnonzero(~e.held) if not model.is_mode[i]]
    u = tuple(joints if inputs is None else _names(inputs, "inputs"))
    y = tuple([f"v:{name}" for name in joints] if outputs is None else _names(outputs, "outputs"))
    return StateSpace(e, u, y, input_forces(e, u), output_rows(e, y))


def _names(names: Sequence[str], what: str) -> list[str]:
    if isinstance(names, str) or len(set(names)) != len(names):
        raise StateError(f"{what}: expected a sequence of different names, got {names!r}")
    return list(names)
