"""What was done on a live page as a result, like that of a run: `supple.open_results` and `supple view` read it."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import numpy as np

from supple.checks import Floats
from supple.errors import ResultsError
from supple.inputs.inputs import WORK
from supple.inputs.requests import Outputs
from supple.linear_theory.linear_range import LinearRange
from supple.linear_theory.validity import VALIDITY, judged
from supple.simulation import result_variables
from supple.simulation.datasets import variables
from supple.simulation.manifest import RunManifest
from supple.simulation.recording import Recording
from supple.simulation.result_variables import TimeSeries
from supple.simulation.run_attributes import attributes
from supple.simulation.samples import Samples
from supple.simulation.simulator import Simulator
from supple.view.live.motion import FrameBatch
from supple.view.live.mouse_force import MouseForce
from supple.view.live.pace import FRAME

if TYPE_CHECKING:
    import xarray as xr

MOST_NUMBERS = 20_000_000
"""That are kept; older ones go first."""


class LiveRecord:
    """The motion since the last reset, and what the reader did.

    Parameters
    ----------
    outputs : Outputs
        What is recorded besides the state.
    """

    def __init__(self, outputs: Outputs) -> None:
        self._outputs = outputs
        self._simulator: Simulator | None = None
        self.clear()

    def clear(self) -> None:
        """Forget all."""
        self._pieces: list[tuple[FrameBatch, dict[str, float]]] = []
        self._numbers = 0
        self._actions: list[tuple[float, str, float]] = []
        self._values: dict[str, float] = {}

    def begin(self, simulator: Simulator) -> None:
        """Note whose motion it is."""
        self._simulator = simulator

    def add(self, piece: FrameBatch) -> None:
        """Some frames more."""
        if not len(piece.samples):
            return
        self._pieces.append((piece, dict(self._values)))
        self._numbers += _size(piece)
        while self._numbers > MOST_NUMBERS and len(self._pieces) > 1:
            self._numbers -= _size(self._pieces.pop(0)[0])

    def note(self, t: float, values: Mapping[str, float]) -> None:
        """What the reader has set at a time."""
        self._actions += [(t, name, float(x)) for name, x in values.items()]
        self._values |= {name: float(x) for name, x in values.items()}

    @property
    def seconds(self) -> float:
        """Simulated time that is kept."""
        if not self._pieces:
            return 0.0
        return float(self._pieces[-1][0].samples.t[-1] - self._pieces[0][0].samples.t[0])

    def dataset(self, units: Mapping[str, str]) -> xr.Dataset:
        """The motion with all that a run records, what the reader has set over time, and the force of the mouse.

        Parameters
        ----------
        units : mapping of str to str
            Of what the reader can set, by name.
        """
        simulator, pieces = self._simulator, list(self._pieces)
        if simulator is None or self.seconds <= 0:
            raise ResultsError("live: nothing is recorded yet: expected a motion, got its start alone")
        samples = Samples.joined([piece.samples for piece, _ in pieces])
        found = self._variables(simulator, pieces)
        integrals = simulator.system.inputs.integrals
        if WORK in integrals:
            work = samples.z[:, integrals.index(WORK)]
            found[WORK] = result_variables.variable(work, (), "J", "work of all inputs")
        if simulator.system.inputs.wrenches:
            found["applied_wrench"] = result_variables.applied(simulator.system.inputs.wrenches, samples)
        found |= self._done(pieces, units)
        attrs = {
            "model": simulator.model.name,
            "formulation": simulator.model.formulation,
            **attributes(simulator),
            "actions": json.dumps(self._actions),
        }
        out = result_variables.dataset(samples.t, found, attrs)
        watched = LinearRange(simulator.model, len(samples), FRAME)
        watched.add(out)
        out.attrs[VALIDITY] = json.dumps(judged(simulator.model, watched.peaks()).warnings)
        return out

    def _variables(
        self, simulator: Simulator, pieces: list[tuple[FrameBatch, dict[str, float]]]
    ) -> dict[str, TimeSeries]:
        """States, energies and what the file asks for; each part with the numbers that the model had then."""
        parts: list[dict[str, TimeSeries]] = []
        first, last = 0, None
        for end in range(1, len(pieces) + 1):
            if end < len(pieces) and pieces[end][0].model is pieces[first][0].model:
                continue
            model = pieces[first][0].model
            samples = Samples.joined([piece.samples for piece, _ in pieces[first:end]])
            prescribed = simulator.system.prescribed
            parts.append(variables(model, samples, self._outputs, orientation=last, prescribed=prescribed))
            last = parts[-1]["orientation"].values[-1] if "orientation" in parts[-1] else None
            first = end
        return {key: x._replace(values=np.concatenate([y[key].values for y in parts])) for key, x in parts[0].items()}

    def _done(
        self, pieces: list[tuple[FrameBatch, dict[str, float]]], units: Mapping[str, str]
    ) -> dict[str, TimeSeries]:
        """What was set by hand, as far as something was, and the force of the mouse."""
        out: dict[str, TimeSeries] = {}
        counts = [len(piece.samples) for piece, _ in pieces]
        names = sorted({name for _, name, _ in self._actions})
        if names:
            values = np.repeat([[x.get(name, np.nan) for name in names] for _, x in pieces], counts, axis=0)
            labels = {
                "control": result_variables.names(names),
                "control_unit": result_variables.along("control", [units.get(name, "") for name in names]),
            }
            what = "set by hand; not a number before it was first set"
            out["controls"] = result_variables.variable(values, ("control",), "see control_unit", what, labels)
        pulls = [piece.pull for piece, _ in pieces]
        if any(x is not None for x in pulls):
            force = np.repeat([_force(x) for x in pulls], counts, axis=0)
            out["mouse_force"] = result_variables.variable(force, ("axis",), "N", "force of the mouse, ground axes")
        return out

    def write(self, path: str | os.PathLike[str], units: Mapping[str, str]) -> None:
        """Write the results to a netCDF file, with the model as it is now."""
        result = self.dataset(units)
        simulator = self._simulator
        assert simulator is not None
        manifest = RunManifest.of(simulator, self._outputs)
        times = result["time"].values
        real = {"duration": float(times[-1] - times[0]), "samples": len(times)}
        with Recording.begin(path, replace(manifest, settings={**manifest.settings, **real}), overwrite=True) as file:
            file.append(result, {})
            file.finish()

    def image(self, units: Mapping[str, str]) -> bytes:
        """The bytes of such a file."""
        with TemporaryDirectory() as folder:
            path = Path(folder) / "live.nc"
            self.write(path, units)
            return path.read_bytes()


def _force(pull: MouseForce | None) -> Floats:
    return np.zeros(3) if pull is None else pull.force


def _size(piece: FrameBatch) -> int:
    x = piece.samples
    return int(x.q.size + 3 * x.v.size + x.z.size + x.wrench.size + x.on_bodies.size)
