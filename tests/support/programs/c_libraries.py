"""C libraries of models, compiled and called from Python; for their tests."""

from __future__ import annotations

import ctypes
import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import ArrayLike, NDArray

import supple
import supple.export

STRICT = ["-std=c99", "-O1", "-Wall", "-Wextra", "-Werror", "-pedantic", "-Wconversion", "-ffp-contract=off"]
Floats = NDArray[np.float64]


def tool(name: str) -> str:
    """A tool of the machine; without it tests are skipped, but not where they must run."""
    found = shutil.which(name)
    if found is None:
        if os.environ.get("CI"):
            pytest.fail(f"no {name}")
        pytest.skip(f"no {name}")
    return found


def built(folder: Path, output: str, files: Sequence[str], *options: str, compiler: str = "cc") -> Path:
    """What a compiler makes of files without any warning."""
    command = [tool(compiler), *STRICT, *options, *(str(folder / x) for x in files), "-o", str(folder / output)]
    done = subprocess.run([*command, "-lm"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert not done.stderr
    return folder / output


class Library:
    """A library that was written for a model, in this process.

    Parameters
    ----------
    model : Model
    folder : Path
    functions : sequence of str
    **options
        Of `supple.export.c_library`.
    """

    def __init__(self, model: supple.Model, folder: Path, functions: Sequence[str], **options: Any) -> None:
        self.folder = supple.export.c_library(model, folder, functions, name="lib", **options)
        self.header, self.source = ((folder / f"lib.{end}").read_text() for end in "hc")
        self.type = np.float32 if options.get("precision") == "float" else np.float64
        self._code = ctypes.CDLL(str(built(folder, "lib.so", ["lib.c"], "-shared", "-fPIC")))
        self._numbers = ctypes.addressof(ctypes.c_char.in_dll(self._code, "lib_default_numbers"))
        self.numbers: NDArray[Any] | None = None
        self.work = self.workspace()

    def workspace(self) -> NDArray[Any]:
        """Memory for a call, with something in it."""
        (cells,) = re.findall(r"LIB_CELLS (\d+)", self.header)
        nq, nv = (int(re.findall(rf"LIB_{x} (\d+)", self.header)[0]) for x in ("NQ", "NV"))
        return np.full(int(cells) + 4 * nq + 5 * nv, np.nan, self.type)

    def set(self, parameters: ArrayLike) -> None:
        """Use numbers of other parameters."""
        (count,) = re.findall(r"LIB_NUMBERS (\d+)", self.header)
        self.numbers = np.full(int(count), np.nan, self.type)
        self._code.lib_set_parameters(*map(_pointer, (np.array(parameters, self.type), self.numbers)))

    def default_numbers(self) -> NDArray[Any]:
        """The numbers of the model as it was."""
        (count,) = re.findall(r"LIB_NUMBERS (\d+)", self.header)
        kind = ctypes.c_float if self.type == np.float32 else ctypes.c_double
        return np.array((kind * int(count)).from_address(self._numbers))

    def __call__(self, name: str, inputs: Sequence[ArrayLike], *sizes: int, work: NDArray[Any] | None = None) -> Any:
        """Outputs of so many numbers; of one output alone the output itself."""
        arrays = [np.ascontiguousarray(x, self.type) for x in inputs]
        found = [np.full(n, np.nan, self.type) for n in sizes]
        numbers = ctypes.c_void_p(self._numbers) if self.numbers is None else _pointer(self.numbers)
        memory = self.work if work is None else work
        getattr(self._code, f"lib_{name}")(numbers, _pointer(memory), *map(_pointer, [*arrays, *found]))
        return found[0] if len(found) == 1 else found

    def step(self, dt: float, tau: ArrayLike, q: NDArray[Any], v: NDArray[Any], work: NDArray[Any]) -> None:
        """One step with held forces, in place."""
        kind = ctypes.c_float if self.type == np.float32 else ctypes.c_double
        arrays = [_pointer(x) for x in (np.array(tau, self.type), q, v)]
        self._code.lib_rk4_held(ctypes.c_void_p(self._numbers), _pointer(work), kind(dt), *arrays)


def _pointer(x: NDArray[Any]) -> ctypes.c_void_p:
    return x.ctypes.data_as(ctypes.c_void_p)


def difference(found: ArrayLike, expected: ArrayLike) -> float:
    """The largest difference against the largest number that is expected."""
    a, b = np.asarray(found, dtype=float).ravel(), np.asarray(expected, dtype=float).ravel()
    assert a.shape == b.shape
    assert np.isfinite(a).all()
    return float(np.abs(a - b).max() / max(np.abs(b).max(), 1e-9))


def link(mech: supple.Mechanism, name: str, parent: str, at: ArrayLike = (0, 0, 0), axis: str = "y") -> None:
    """Add a link of a chain."""
    body = supple.RigidBody(1.2, com=(0.1, 0.02, -0.25), inertia=(0.03, 0.04, 0.02))
    mech.add_body(name, body, parent, supple.Revolute(axis, damping=0.05), at=at)


def chain(links: int) -> supple.Model:
    """A chain of equal links."""
    mech = supple.Mechanism("chain")
    for i in range(links):
        link(mech, f"link{i}", f"link{i - 1}" if i else "ground", (0, 0, -0.5) if i else (0, 0, 0))
    return mech.build()


def free_tree() -> supple.Model:
    """A free body with an arm of three joints, one of them with a quaternion, and a spring: not all of it simple."""
    mech = supple.Mechanism("free tree")
    mech.add_body("hub", supple.RigidBody(5.0, inertia=(0.4, 0.5, 0.6)), joint=supple.Free())
    link(mech, "upper", "hub", (0.3, 0, 0), "x")
    mech.add_body(
        "ball", supple.RigidBody(0.7, (0, 0.1, 0), (0.01, 0.02, 0.02)), "upper", supple.Spherical(), (0, 0, -1)
    )
    link(mech, "tip", "ball", (0.1, 0.2, 0), "z")
    mech.add_frame("hook", "hub", (0.2, 0.1, 0))
    mech.add_spring_damper("cord", "hub/hook", "tip", stiffness=30.0, length=0.4, damping=0.3)
    return mech.build()


def flexible_arm(modes: int = 2) -> supple.Model:
    """A flexible beam with a rigid link at its end."""
    s = supple.structures
    beam = s.beam(1.0, s.Rectangle(0.02, 0.01), s.Material(E=70e9, nu=0.3, rho=2700.0), elements=4)
    mech = supple.Mechanism("flexible arm")
    mech.add_body("boom", beam.reduce("cantilever", modes=modes, root="start"), joint=supple.Revolute("y"))
    link(mech, "tip", "boom", "end", "z")
    return mech.build()
