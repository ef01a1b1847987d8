"""FMUs of some models, each built once, and runs of them to compare with."""

from __future__ import annotations

import ctypes
import os
import shutil
import tempfile
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import Any

import fmpy
import fmpy.fmi3
import numpy as np
import pytest
from numpy.typing import NDArray

import supple
from supple.files import read
from support.programs.c_programs import EXAMPLES

Floats = NDArray[np.float64]
EXACT = {"rtol": 1e-12, "atol": 1e-13}


class Case:
    """A model with the arguments of its run."""

    def __init__(self, model: supple.Model, **arguments: Any) -> None:
        self.model, self.arguments = model, arguments | EXACT

    @property
    def times(self) -> Floats:
        return np.linspace(0.0, self.arguments["duration"], self.arguments["samples"])


def example(name: str, duration: float, samples: int, **more: Any) -> Case:
    contents = read(EXAMPLES / f"{name}.toml")
    arguments = contents.run_arguments() | {"duration": duration, "samples": samples, "integrator": "DOP853"} | more
    arguments.pop("step", None)
    return Case(contents.model, **arguments)


def flexible_arm() -> Case:
    """The arm of the example, its joints under control; it starts bent a little, so that all modes move."""
    tau = {
        "upper.angle": supple.PID("0.3*sin(8*t)", kp=60.0, kd=4.0, ki=20.0),
        "fore.angle": supple.PID(0.2, kp=30.0, kd=2.0),
    }
    return example("flexible_two_link_arm", 0.02, 11, tau=tau)


def double_pendulum(**joint: Any) -> supple.Model:
    mech = supple.Mechanism("double pendulum")
    bar = supple.RigidBody(1.5, (0, 0, -0.4), (0.1, 0.1, 0.01))
    mech.add_body("upper", bar, joint=supple.Revolute("y", **joint))
    mech.add_body("lower", bar, "upper", supple.Revolute("x", damping=0.1), at=(0, 0, -0.8))
    return mech.build()


def sampled() -> Case:
    """A sampled controller, a table, a controller with an integral, an event that ends the run."""
    tau = {
        "upper.angle": supple.PID(0.4, kp=30.0, kd=2.0, ki=20.0, rate=12.5),
        "lower.angle": supple.Table([0.1, 0.35, 0.6], [0.0, 3.0, -2.0]),
    }
    end = supple.Event("end", "t - 0.87", stop=True)
    return Case(double_pendulum(), duration=1.0, samples=21, tau=tau, events=[end])


CASES: dict[str, Callable[[], Case]] = {
    "cart pendulum": lambda: example("cart_pendulum", 1.0, 11),
    "flexible arm": flexible_arm,
    "satellite": lambda: example("satellite_two_booms", 4.0, 21),
    "four-bar": lambda: example("four_bar", 0.5, 21),
    "gate": lambda: example("gate_with_stops", 8.0, 81),
    "sampled": sampled,
}


@cache
def case(name: str) -> Case:
    return CASES[name]()


@cache
def run(name: str) -> Any:
    """The run of `supple.simulate`."""
    return supple.simulate(case(name).model, **case(name).arguments)


@cache
def folder() -> tempfile.TemporaryDirectory[str]:
    """Where FMUs are, until the process ends."""
    return tempfile.TemporaryDirectory()


@cache
def fmu_path(name: str, fmi: int = 3) -> str:
    """The FMU of a case, built once; without a compiler tests are skipped, but not where they must run."""
    if shutil.which("cc") is None:
        if os.environ.get("CI"):
            pytest.fail("no C compiler")
        pytest.skip("no C compiler")
    path = Path(folder().name) / f"{name}{fmi}.fmu"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CFLAGS", "-O0")  # quick to compile
        return str(supple.export.fmu(case(name).model, path, case(name).arguments, fmi=fmi))


class Opened:
    """An instance of an FMU for Model Exchange of FMI 3.0, in event mode; values by names."""

    def __init__(self, path: str, start: dict[str, float] | None = None, kind: str = "ModelExchange") -> None:
        self.description = fmpy.read_model_description(path)
        self.unzipped = Path(fmpy.extract(path, tempfile.mkdtemp(dir=folder().name)))
        self.references = {x.name: x.valueReference for x in self.description.modelVariables}
        own = self.description.modelExchange if kind == "ModelExchange" else self.description.coSimulation
        model = fmpy.fmi3.FMU3Model if kind == "ModelExchange" else fmpy.fmi3.FMU3Slave
        self.fmu = model(
            guid=self.description.guid,
            unzipDirectory=str(self.unzipped),
            modelIdentifier=own.modelIdentifier,
            instanceName="instance",
        )
        self.messages: list[str] = []
        self.fmu.instantiate(logMessage=lambda _, __, ___, text: self.messages.append(text.decode()))
        self.set(start or {})
        self.fmu.enterInitializationMode()
        self.fmu.exitInitializationMode()

    def at(self, names: Iterable[str]) -> list[int]:
        return [self.references[name] for name in names]

    def get(self, *names: str) -> Floats:
        return np.array(self.fmu.getFloat64(self.at(names)))

    def set(self, values: dict[str, float]) -> None:
        if values:
            self.fmu.setFloat64(self.at(values), list(values.values()))

    @property
    def states(self) -> list[str]:
        """Names of the states, in order."""
        return [x.variable.derivative.name for x in self.description.derivatives]

    @property
    def unknowns(self) -> list[str]:
        """Rates of the states, and outputs that are continuous."""
        found = [x.variable for x in (*self.description.derivatives, *self.description.outputs)]
        return [x.name for x in found if x.variability == "continuous"]

    @property
    def knowns(self) -> list[str]:
        """Time, states, inputs."""
        return ["time", *self.states, *(x.name for x in self.description.modelVariables if x.causality == "input")]

    def move(self, t: float, y: Floats) -> None:
        """To another time and state."""
        self.fmu.enterContinuousTimeMode()
        self.fmu.setTime(t)
        values = (ctypes.c_double * len(y))(*y)
        self.fmu.setContinuousStates(values, len(y))

    def directional(self, unknowns: list[str], knowns: list[str]) -> Floats:
        """Derivatives of unknowns by knowns, one known at a time."""
        rows = [self.fmu.getDirectionalDerivative(self.at(unknowns), self.at([x]), [1.0]) for x in knowns]
        return np.array(rows).T

    def adjoint(self, unknowns: list[str], knowns: list[str]) -> Floats:
        """The same, one unknown at a time."""
        at = self.at(knowns)
        rows = [self.fmu.getAdjointDerivative(self.at([x]), at, [1.0], nSensitivity=len(at)) for x in unknowns]
        return np.array(rows)

    def close(self) -> None:
        self.fmu.terminate()
        self.fmu.freeInstance()
