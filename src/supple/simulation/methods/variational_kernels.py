"""Machine code of variational steps: what steps of all lengths share, and what they are refused for."""

from __future__ import annotations

import numpy as np

from supple.engines.blocks.block_program import BoundProgram
from supple.engines.blocks.compiled_function import CompiledFunction
from supple.engines.llvm.call import invoke
from supple.engines.llvm.callbacks import CalledBack
from supple.engines.llvm.entries import BLOCKS, record
from supple.engines.llvm.jit import host_lanes
from supple.errors import StateError
from supple.expressions.function import Nodes
from supple.expressions.graph import GraphTooLarge
from supple.inputs.driven import DrivenEquations
from supple.model.model import Model
from supple.model.recorded_tangents import differentiated_program
from supple.model.step_momenta import Recorded, end_program, middle_balance, middle_program, speed_program
from supple.model.trace import Trace
from supple.recursions.tree import THREE_AXES, TWO_AXES
from supple.simulation.driven_system import DrivenSystem
from supple.simulation.methods.segment import Vector
from supple.simulation.state_kernel import Groups, StateKernel


class StepKernels:
    """Machine code that steps of all lengths share.

    Raises
    ------
    StateError
        If a model is too large for it.
    """

    def __init__(self, system: DrivenSystem, model: Model) -> None:
        self.system, self.model = system, model
        nq, nv, nz = system.nq, system.nv, len(system.z_0)
        try:
            self.middle = TangentCode(middle_program(model))
            self.end = CompiledFunction("momenta", BoundProgram(*end_program(model), 1), {"end": (nv,)})
            self.speeds = CompiledFunction(
                "speeds", BoundProgram(*speed_program(model, system.prescribed), 1), {"v": (nv,)}
            )
            names = {key: tuple(model.speeds) for key in ("start", "p")} | {"h": ("h",)}
            shapes = {"acting": (nv,), "known": (nv,), "rate": (nz,)}
            self.balance = StateKernel(system, "balance", shapes, self._balance, lanes=1, extra=names)
        except GraphTooLarge:
            raise StateError(
                f"model {model.name!r}: variational steps run in machine code, for which it is too large; expected "
                "ESDIRK54 or generalized_alpha"
            ) from None
        programs = model.evaluation.programs
        assert programs is not None
        advance = programs("advance")
        self.advance = CompiledFunction("advance", BoundProgram(advance.program, advance.numbers, 1), {"q": (nq,)})
        self.weight = 3 * self.middle.weight + self.balance.program.weight
        self._called = CalledBack(self._call, [1, system.size, len(system.u_0)], 1)

    @staticmethod
    def _balance(e: DrivenEquations, _: Groups) -> dict[str, Nodes]:
        """Forces of the laws less ad* p; these and what momenta leave; rates of all integrals."""
        x, t = e.applied, e.trace
        assert isinstance(t, Trace)
        start, p, h = (e.inputs[key] for key in ("start", "p", "h"))
        left, spin = middle_balance(t, x.v, h, start, p)
        tau = np.where(x.given, 0.0, x.drive)
        work = [t.power(x.q, x.v, tau)] if e.acting else []
        return {
            "acting": tau - spin,
            "known": tau - spin + left,
            "rate": np.array([*x.z_rate, *work], dtype=object),
        }

    def _call(self, t: Vector, y: Vector, u: Vector) -> None:
        self.system.call(float(t[0]), y, u)

    @property
    def call(self) -> int:
        """Address of what asks Python functions; 0 if there are none."""
        return self._called.address if self.system.inputs.calls else 0

    def require_sound(self) -> None:
        """Raise what a Python function has raised."""
        self._called.require_sound()

    def momenta(self, q: Vector, v: Vector) -> Vector:
        """M v."""
        out = np.zeros(self.system.nv)
        invoke(self.middle.address, 0, 1, q.copy(), v.copy(), np.zeros(1), np.zeros(self.system.nq), out, out.copy())
        return out

    def set_speeds(self, y: Vector, p: Vector) -> None:
        """The speeds of momenta p into a state y."""
        nq, nv = self.system.nq, self.system.nv
        invoke(self.speeds.address, 0, 1, y[:nq], p, y[nq : nq + nv])


class TangentCode:
    """The program of the middle of a step with the rates of its momenta along the motion, for one state.

    Attributes
    ----------
    address : int
        Of its record (see `entries`); for one thread at a time.
    weight : int
        Operations.
    """

    def __init__(self, recorded: Recorded) -> None:
        program, self._numbers = recorded
        tangents = differentiated_program(program, ("s",), ("p",))
        self.weight = tangents.weight
        self._loaded = tangents.loaded(host_lanes(), False)
        self._memory = self._loaded.memory()
        pointers = (x.ctypes.data for x in (self._loaded.words, self._memory, self._numbers))
        self._record = record(BLOCKS, self._loaded.driver, *pointers)
        self.address = int(self._record.ctypes.data)


def require_variational(system: DrivenSystem) -> None:
    """Refuse what variational steps do not take, by its name.

    Raises
    ------
    StateError
    """
    model = system.model.floating_frames("variational")
    where = f"model {model.name!r}: "
    if system.inputs.motions:
        names = ", ".join(repr(model.speeds[i]) for i in sorted(system.inputs.motions))
        raise StateError(f"motion: variational takes no prescribed motions, got {names}; expected adaptive steps")
    tree, names_of = model.tree, list(model.bodies)
    for k in range(1, len(tree.parent)):
        kind = tree.rotation_kind[k]
        if kind == THREE_AXES or (kind == TWO_AXES and tree.translations[k] == 3):
            raise StateError(
                f"{where}joint of {names_of[k - 1]!r}: variational takes no successive angles with speeds in body "
                "axes; expected supple.Spherical or supple.Free, or another integrator"
            )
    if model.loops is not None and not model.loops.holonomic.all():
        name, row = model.loops.rows[int(np.flatnonzero(~model.loops.holonomic)[0])]
        raise StateError(
            f"{where}constraint {name!r}: {row.label} is of speeds, which variational does not take; expected DOP853"
        )
    if not model.implicit_blocks:
        raise StateError(f"{where}variational steps run in machine code, for which it is too large; expected ESDIRK54")
