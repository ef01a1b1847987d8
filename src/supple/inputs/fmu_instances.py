"""Instances of FMUs at work: unpacked, started, stepped, saved and removed; through fmpy."""

from __future__ import annotations

import base64
import io
import os
import shutil
import tempfile
import weakref
import zipfile
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from supple.errors import FileFormatError, SimulationError, StateError, SuppleError
from supple.inputs.fmu_controllers import FmuController
from supple.inputs.fmu_interface import read_fmu

CLOSE = 1e-6
"""Of an interval between samples: times and steps that differ by less are one."""


Groups = dict[str, tuple[list[int], list[int]]]


class FmuInstance:
    """One FMU of one run.

    Parameters
    ----------
    controller : FmuController

    Attributes
    ----------
    t : float
        The time that the FMU has come to, s.
    """

    def __init__(self, controller: FmuController) -> None:
        self.controller, self.t = controller, 0.0
        self._given, self._asked = _by_kind(controller, controller.inputs), _by_kind(controller, controller.outputs)
        self._messages: deque[str] = deque(maxlen=5)
        self._fmu: Any = None
        self._close: Callable[[], Any] = lambda: None

    # ------------------------------------------------------------ running

    def begin(self, t: float, inputs: Sequence[float]) -> list[float]:
        """Start it anew at a time; what its outputs are then."""
        c, fmu = self.controller, self._loaded()
        self.t = self._sample(t)
        with self._reported("started"):
            self._instantiate(fmu)
            if c.interface.version == 2:
                fmu.setupExperiment(startTime=self.t)
            self._put(_by_kind(c, c.parameters), list(c.parameters.values()))
            if c.interface.version == 2:
                fmu.enterInitializationMode()
            else:
                fmu.enterInitializationMode(startTime=self.t)
            self._set(inputs)
            fmu.exitInitializationMode()
        return self._answer(self.t)

    def tick(self, t: float, inputs: Sequence[float]) -> list[float]:
        """What its outputs are at a sample."""
        now = self._sample(t)
        if self.controller.ahead:
            self.t = now
            self._set(inputs)
        else:
            self._step(now)
            self._set(inputs)
        return self._answer(now)

    def _answer(self, now: float) -> list[float]:
        """The outputs; if these are ahead, those after a step to the next sample."""
        if self.controller.ahead:
            rate = self.controller.rate
            self._step((int(now * rate + 1.0 + CLOSE)) / rate)
        with self._reported("asked"):
            found = self._outputs()
        for name, x in zip(self.controller.outputs, found, strict=True):
            if x - x != 0.0:
                where = f"{self.controller.place}: {self.controller.interface.file.name}: output {name!r}"
                raise SimulationError(f"{where} is {x} at t = {now:.6g} s, expected a finite number")
        return found

    def _sample(self, t: float) -> float:
        """A time as a sample of its clock, if it is one but for rounding."""
        n = round(t * self.controller.rate)
        return n / self.controller.rate if abs(t * self.controller.rate - n) < CLOSE else t

    def _step(self, end: float) -> None:
        """Step it to a time."""
        c, h = self.controller, end - self.t
        usual = 1.0 / c.rate
        if abs(h - usual) < CLOSE * usual:
            h = usual
        elif not c.interface.any_step:
            raise SimulationError(
                f"{c.place}: {c.interface.file.name} takes no steps of other lengths than {usual:g} s, got {h:g} s: "
                "expected a start at one of its samples"
            )
        with self._reported(f"stepped to t = {end:.6g} s"):
            ended = self._fmu.doStep(currentCommunicationPoint=self.t, communicationStepSize=h)
        if ended is not None and ended[1]:
            raise SimulationError(f"{c.place}: {c.interface.file.name} ended the simulation at t = {end:.6g} s")
        self.t = end

    def _set(self, inputs: Sequence[float]) -> None:
        c = self.controller
        with self._reported("given its inputs"):
            self._put(
                self._given, [c.variables[name].of_number(float(x)) for name, x in zip(c.inputs, inputs, strict=True)]
            )

    def _put(self, groups: Groups, values: Sequence[Any]) -> None:
        for kind, (references, places) in groups.items():
            getattr(self._fmu, f"set{kind}")(references, [values[i] for i in places])

    def _outputs(self) -> list[float]:
        found = [0.0] * len(self.controller.outputs)
        for kind, (references, places) in self._asked.items():
            for i, x in zip(places, getattr(self._fmu, f"get{kind}")(references), strict=True):
                found[i] = float(x)
        return found

    # ------------------------------------------------------------ saving

    def saved(self) -> dict[str, Any]:
        """Its state, as texts and numbers; without one if the FMU cannot save it."""
        out: dict[str, Any] = {"digest": self.controller.digest, "t": self.t, "state": None}
        if self.controller.interface.saves and self._fmu is not None:
            with self._reported("saved"):
                state = self._fmu.getFMUState()
                try:
                    out["state"] = base64.b64encode(self._fmu.serializeFMUState(state)).decode("ascii")
                finally:
                    self._fmu.freeFMUState(state)
        return out

    def restore(self, saved: Any) -> None:
        """Take a state that was saved by an instance of the same controller."""
        c = self.controller
        if not isinstance(saved, dict) or saved.get("digest") != c.digest:
            raise StateError(f"{c.place}: expected a checkpoint with this controller, got one of another")
        if saved["state"] is None:
            raise StateError(
                f"{c.place}: {c.interface.file.name} cannot save its state, so that a run with it is not resumed; "
                "expected an FMU with canSerializeFMUState"
            )
        with self._reported("restored"):
            state = self._fmu.deserializeFMUState(base64.b64decode(saved["state"]))
            try:
                self._fmu.setFMUState(state)
            finally:
                self._fmu.freeFMUState(state)
        self.t = float(saved["t"])

    # ------------------------------------------------------------ loading

    def close(self) -> None:
        """End it, and remove what was unpacked; `begin` starts another."""
        self._close()
        self._fmu = None

    def _loaded(self) -> Any:
        """The FMU with its library loaded from a directory of its own."""
        if self._fmu is not None:
            return self._fmu
        c, x = self.controller, self.controller.interface
        try:
            import fmpy
            from fmpy import fmi2, fmi3
        except ImportError:
            raise SuppleError(f"{c.place}: an FMU needs fmpy: pip install supple[fmu]") from None
        here = fmpy.platform if x.version == 2 else fmpy.platform_tuple
        if here not in x.platforms:
            others = ", ".join(x.platforms) or "none"
            raise FileFormatError(f"{x.file}: expected a binary for {here}, got {others}")
        content = read_fmu(x.file)
        folder = tempfile.mkdtemp(prefix="supple-fmu-")
        self._close = weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        kind = fmi2.FMU2Slave if x.version == 2 else fmi3.FMU3Slave
        before = os.getcwd()
        try:
            with zipfile.ZipFile(io.BytesIO(content)) as archive:
                archive.extractall(folder)
            fmu = kind(guid=x.token, modelIdentifier=x.identifier, unzipDirectory=folder, instanceName=c.name)
        except Exception as error:  # fmpy has no error of its own for a library that does not load
            os.chdir(before)  # where fmpy looks for libraries that this one needs
            self._close()
            raise FileFormatError(f"{x.file}: its library for {here} cannot be loaded: {_line(error)}") from None
        self._close.detach()  # type: ignore[attr-defined]
        self._close = weakref.finalize(self, _removed, fmu, folder)
        self._fmu = fmu
        return fmu

    def _instantiate(self, fmu: Any) -> None:
        """A new instance; one that was there is gone."""
        version, messages = self.controller.interface.version, self._messages
        if fmu.component is not None:
            free = fmu.fmi2FreeInstance if version == 2 else fmu.fmi3FreeInstance
            free(fmu.component)
            fmu.component = None
        if version == 3:
            fmu.instantiate(logMessage=lambda _, status, category, text: messages.append(_text(text)))
            return
        import fmpy
        from fmpy import fmi2

        callbacks = fmi2.fmi2CallbackFunctions()
        callbacks.logger = fmi2.fmi2CallbackLoggerTYPE(lambda *x: messages.append(_text(x[-1])))
        callbacks.allocateMemory = fmi2.fmi2CallbackAllocateMemoryTYPE(fmpy.calloc)
        callbacks.freeMemory = fmi2.fmi2CallbackFreeMemoryTYPE(fmpy.free)
        fmu.instantiate(callbacks=callbacks)

    @contextmanager
    def _reported(self, doing: str) -> Iterator[None]:
        """Say which FMU failed at what, and what it said itself."""
        try:
            yield
        except SuppleError:
            raise
        except Exception as error:
            c = self.controller
            said = f"; it says: {self._messages[-1]}" if self._messages else ""
            raise SimulationError(
                f"{c.place}: {c.interface.file.name} could not be {doing}: {_line(error).rstrip('.')}{said}"
            ) from None


def _by_kind(controller: FmuController, names: Iterable[str]) -> Groups:
    """Variables of each type, by what fmpy calls it: their numbers in the FMU, and their places among the names."""
    out: Groups = {}
    for i, name in enumerate(names):
        x = controller.variables[name]
        whole = "Integer" if controller.interface.version == 2 else "Int64"
        references, places = out.setdefault(whole if x.kind == "Enumeration" else x.kind, ([], []))
        references.append(x.reference)
        places.append(i)
    return out


def _text(x: bytes | None) -> str:
    return _line((x or b"").decode("utf-8", "replace"))


def _line(x: object) -> str:
    """One line of a message."""
    return " ".join(str(x).split())


def _removed(fmu: Any, folder: str) -> None:
    """End an instance, unload its library and remove its directory."""
    with suppress(Exception):
        if fmu.component is not None:
            with suppress(Exception):
                fmu.terminate()
            fmu.freeInstance()
        else:
            fmu.freeLibrary()
    shutil.rmtree(folder, ignore_errors=True)
