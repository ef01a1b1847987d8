"""How far the flexible bodies of a run went: the largest rotation, strain, stress and load of each, and when.

All are taken from what is recorded anyway, over all samples at once. Of many rows only those are evaluated that can
hold the largest value.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import scipy

from supple.checks import Floats
from supple.errors import AssemblyError
from supple.formulations import Formulation
from supple.inputs.wrenches import GROUND, OWN
from supple.linear_theory.closed_buckling import LoadedState
from supple.linear_theory.closed_buckling import softening as softening_in_loops
from supple.model.loops.assembly import closed
from supple.model.model import Model
from supple.structures.body.flexible_body import FlexibleBody
from supple.structures.discretization.mass import Sparse
from supple.structures.elements.recovery_table import SOLID, RecoveryTable
from supple.structures.stiffening.stiffness_change import StressedStiffness

if TYPE_CHECKING:
    import xarray as xr

ROTATION, STRAIN, STRESS = "rotation", "strain", "stress"
SOFTENING, STIFFENING = "softening", "stiffening"
LINEAR = (ROTATION, STRAIN, STRESS)
MEMORY = "linear range"
SAMPLES = 2_000
"""Samples of one batch."""
CELLS = 2_000_000
"""Numbers of one batch: fewer samples at a time where a body has many nodes."""
SUSTAINED = 16
"""Samples, at least, over which loads are averaged. A load that changes its sign before a body can bend, as that of
axial vibrations, neither stiffens nor buckles it, and samples may be too few to show its course."""
MOST_LOADED = 400
"""Samples of a run of which loads are taken, evenly: they cost more than all the rest."""
SUPPORTED = 0.1
"""Softening from which on the supports that closed loops give to a body are looked at."""
TIP_SLOPE = 1.5
"""Rotation at the end of a beam with a force there, over its deflection as a share of its length: where nodes have no
rotations of their own."""


class Peak(NamedTuple):
    """The largest value of a quantity, and its time, s."""

    value: float
    time: float


Peaks = dict[str, dict[str, Peak]]
"""By body and quantity: rotation (rad), strain, stress (of the yield strength), softening (of the buckling load) and
stiffening (relative change of the stiffness)."""


class LinearRange:
    """How far the flexible bodies of a model go in a motion that is added piece by piece.

    Parameters
    ----------
    model : Formulation
        Of equivalent rigid links only rotations, strains and stresses are watched.
    times : int
        Samples of the whole motion.
    interval : float
        Between them, s.
    """

    def __init__(self, model: Formulation, times: int, interval: float) -> None:
        self.model = model
        self._count, self._stride = 0, max(1, times // MOST_LOADED)
        shown = model.display
        placed = shown.description.bodies if shown.flex is not None else {}
        self._bodies = {k: x.body for k, x in placed.items() if isinstance(x.body, FlexibleBody) and x.body.modes > 0}
        self._rows = {name: _Rows(body) for name, body in self._bodies.items()}
        self._peaks: Peaks = {name: {} for name in self._bodies}
        self._loads = model.shape_loads if self._bodies and isinstance(model, Model) else None
        self._sustained: dict[str, _SustainedLoads] = {}
        if self._loads is not None:
            self._sustained = {
                name: _SustainedLoads(self._bodies[name], self._stride * interval) for name in self._loads.bodies
            }
        self._states = _StateRows()

    def add(self, motion: xr.Dataset) -> None:
        """Look at the next samples of the motion."""
        if self._bodies:
            for first in range(0, motion.sizes["time"], SAMPLES):
                self._add(motion.isel(time=slice(first, first + SAMPLES)))

    def peaks(self) -> Peaks:
        """The largest values so far."""
        out = {name: dict(found) for name, found in self._peaks.items()}
        for name, sustained in self._sustained.items():
            found = sustained.peaks()
            if SOFTENING in found and found[SOFTENING].value > SUPPORTED and isinstance(self.model, Model):
                state = self._states.state(self.model, sustained.worst)
                value = None if state is None else softening_in_loops(self.model, name, state)
                if value is not None:
                    found[SOFTENING] = found[SOFTENING]._replace(value=max(0.0, value))
            out[name] |= found
        return out

    def memory(self) -> dict[str, Floats]:
        """What `restore` needs to go on in another process."""
        out = {f"{MEMORY}: samples": np.array(float(self._count))}
        for name, found in self._peaks.items():
            values = [found.get(what, Peak(np.nan, np.nan)) for what in LINEAR]
            out[f"{MEMORY} of {name}"] = np.array(values)
        for name, sustained in self._sustained.items():
            out[f"{MEMORY} of loads on {name}"] = sustained.memory()
        return out

    def restore(self, memory: Mapping[str, Any]) -> None:
        """Go on from the `memory` of an earlier one."""
        self._count = int(memory[f"{MEMORY}: samples"])
        for name in self._peaks:
            values = np.asarray(memory[f"{MEMORY} of {name}"])
            pairs = zip(LINEAR, values, strict=True)
            self._peaks[name] = {what: Peak(float(x), float(t)) for what, (x, t) in pairs if not np.isnan(x)}
        for name, sustained in self._sustained.items():
            sustained.restore(np.asarray(memory[f"{MEMORY} of loads on {name}"]))

    def _add(self, motion: xr.Dataset) -> None:
        loaded = np.arange(self._count, self._count + motion.sizes["time"]) % self._stride == 0
        self._count += len(loaded)
        t, own = motion["time"].values, [motion[key].values for key in ("q", "v", "a")]
        finite = np.logical_and.reduce([np.isfinite(x).all(axis=1) for x in own])
        if not finite.all():  # of a run that failed
            motion, t, own, loaded = motion.isel(time=finite), t[finite], [x[finite] for x in own], loaded[finite]
        if len(t) == 0:
            return
        shown, (q, v, a) = self.model.display, self.model.display_state(*own)
        assert shown.flex is not None
        for name, rows in self._rows.items():
            k = shown.bodies.index(name) + 1
            first = int(shown.flex.q_mode[k])
            eta = q[:, first : first + int(shown.flex.modes[k])]
            peaks = self._peaks[name]
            for what, (value, i) in rows.largest(eta).items():
                if what not in peaks or value > peaks[what].value:
                    peaks[what] = Peak(value, float(t[i]))
        if self._loads is not None and self._loads.bodies and loaded.any():
            motion, t, q, v, a = motion.isel(time=loaded), t[loaded], q[loaded], v[loaded], a[loaded]
            forces = motion["constraint_force"].values if "constraint_force" in motion else None
            states = self._states.rows(motion, q, v, a)
            for name, loads in self._loads(q, v, a, applied_wrenches(shown, motion, q) or None, forces).items():
                self._sustained[name].add(t, loads, states)


class _StateRows:
    """States and loads of a model with closed loops, a row a sample, to judge bodies with the supports that these give.

    Rows of models without closed loops are empty.
    """

    def __init__(self) -> None:
        self._laws: list[tuple[str, str]] = []

    def rows(self, motion: xr.Dataset, q: Floats, v: Floats, a: Floats) -> Floats:
        """(samples, columns): q, v, a, constraint forces and wrenches of laws."""
        if "constraint_force" not in motion:
            return np.zeros((len(q), 0))
        parts = [q, v, a, motion["constraint_force"].values]
        if "applied_wrench" in motion:
            names = zip(motion["law_frame"].values, motion["law_axes"].values, strict=True)
            self._laws = [(str(frame), str(axes)) for frame, axes in names]
            parts.append(motion["applied_wrench"].values.reshape(len(q), -1))
        return np.concatenate(parts, axis=1)

    def state(self, model: Model, row: Floats) -> LoadedState | None:
        """The state of a row, the mean of some; None if there is none.

        A mean of configurations is not one itself: its quaternions are brought back to unit length and its loops are
        closed, with as little strain as can be. There is none where they cannot be closed, where the row is empty, or
        where the run was resumed and has not continued.
        """
        if not len(row) or model.loops is None:
            return None
        ends = np.cumsum([model.nq, model.nv, model.nv, len(model.loops)])
        q, v, a, closing, laws = np.split(row, ends)
        if len(laws) != 6 * len(self._laws):
            return None
        wrenches: dict[tuple[str, str], Floats] = {}
        for law, wrench in zip(self._laws, laws.reshape(-1, 6), strict=True):
            wrenches[law] = wrenches.get(law, 0.0) + wrench
        try:
            q = closed(model.loops, model.normalize(q), model.none_prescribed, held=False)
        except AssemblyError:
            return None
        return LoadedState(q, v, a, closing, wrenches)


class _SustainedLoads:
    """Loads on the second-order shapes of a body, averaged, and what they do to its stiffness.

    Attributes
    ----------
    worst : (columns,) array
        Of the rows that belong to the samples: their mean where the body softens most.
    """

    def __init__(self, body: FlexibleBody, interval: float) -> None:
        self._stiffness = StressedStiffness(body)
        squares = body.stiffness.diagonal() / body.mass_matrix.diagonal()
        half = np.pi / np.sqrt(squares.min()) / interval if interval > 0.0 else 0.0
        self._window = int(np.clip(half, SUSTAINED, MOST_LOADED // 2))
        assert body.second_order is not None
        self._loads = slice(1, 1 + body.second_order.count)
        self._last = np.zeros((0, self._loads.stop))  # time and loads of samples, and what else belongs to them
        self.worst: Floats = np.zeros(0)
        self._found = {what: Peak(-np.inf, 0.0) for what in (SOFTENING, STIFFENING)}

    def add(self, t: Floats, loads: Floats, states: Floats) -> None:
        """Further samples."""
        rows = np.concatenate([t[:, None], loads, states], axis=1)
        every = np.concatenate([self._last, rows]) if len(self._last) else rows
        windows = len(every) - self._window + 1
        if windows > 0:
            sums = np.cumsum(np.concatenate([np.zeros((1, every.shape[1])), every]), axis=0)
            self._found = self._judged((sums[self._window :] - sums[:windows]) / self._window)
        self._last = every[max(0, windows) :]

    def peaks(self) -> dict[str, Peak]:
        """The largest so far; of a motion that is shorter than a window, by the mean over all of it."""
        found, empty = self._found, len(self._last) == 0
        if found[SOFTENING].value == -np.inf:
            found = {} if empty else self._judged(self._last.mean(axis=0)[None])
        return {what: Peak(max(0.0, x.value), x.time) for what, x in found.items()}

    def memory(self) -> Floats:
        """Peaks and what belongs to the first, then the last samples."""
        first = np.zeros((3, self._last.shape[1]))
        first[:2, :2] = [self._found[what] for what in (SOFTENING, STIFFENING)]
        first[2, self._loads.stop :][: len(self.worst)] = self.worst
        return np.concatenate([first, self._last])

    def restore(self, memory: Floats) -> None:
        """Go on from a `memory`."""
        pairs = zip((SOFTENING, STIFFENING), memory[:2, :2], strict=True)
        self._found = {what: Peak(float(x), float(t)) for what, (x, t) in pairs}
        self.worst, self._last = memory[2, self._loads.stop :], memory[3:]

    def _judged(self, mean: Floats) -> dict[str, Peak]:
        """The larger of what was found and what mean loads, each behind its time, do."""
        out = {}
        least, most = self._stiffness.change(mean[:, self._loads])
        for what, values in ((SOFTENING, -least), (STIFFENING, most)):
            i = int(np.argmax(values))
            out[what] = found = self._found[what]
            if values[i] > found.value:
                out[what] = Peak(float(values[i]), float(mean[i, 0]))
                if what == SOFTENING:
                    self.worst = mean[i, self._loads.stop :]
        return out


class _Rows:
    """Rows of a body's coordinates whose largest value is looked for, by quantity."""

    def __init__(self, body: FlexibleBody) -> None:
        self._size = np.sqrt(np.maximum(body.stiffness.diagonal(), 0.0))
        self._vectors = {ROTATION: [_rotations(body)]}
        if not body.turning.all():
            self._vectors[ROTATION].append(_slopes(body))
        self._strains: RecoveryTable | None = None
        if body.strains is not None:
            self._add_strains(body.strains)

    def _add_strains(self, x: RecoveryTable) -> None:
        """Strains along fibres and of solids, and stresses where the yield strength is known."""
        solid = np.array([kind in SOLID for kind in x.quantities], bool)
        along = np.array([kind == "axial strain" or kind.startswith("fibre") for kind in x.quantities], bool)
        matrix = scipy.sparse.csr_array(x.matrix)
        self._vectors[STRAIN] = [(matrix[solid | along], 1)]
        modulus, _, limit = x.material.T
        used = along & np.isfinite(limit)
        if used.any():
            scale = scipy.sparse.diags_array((modulus / limit)[used])
            self._vectors[STRESS] = [(scipy.sparse.csr_array(scale @ matrix[used]), 1)]
        if (solid & np.isfinite(limit)).any():
            self._strains = x

    def largest(self, eta: Floats) -> dict[str, tuple[float, int]]:
        """The largest value of each quantity, and its sample, for coordinates (samples, n)."""
        out = {}
        widest = int(np.argmax(np.linalg.norm(eta * self._size, axis=1)))
        for what, parts in self._vectors.items():
            found = [_largest(rows, width, eta, widest) for rows, width in parts if rows.shape[0]]
            if found:
                out[what] = max(found)
        if self._strains is not None:
            x, count = self._strains, max(1, CELLS // max(1, self._strains.matrix.shape[0]))
            for first in range(0, len(eta), count):
                stress = np.nan_to_num(x.utilization((x.matrix @ eta[first : first + count].T).T)).max(axis=1)
                i = int(np.argmax(stress))
                out[STRESS] = max(out.get(STRESS, (0.0, 0)), (float(stress[i]), first + i))
        return out


Vectors = tuple[Sparse, int]
"""Rows, and how many of them are the components of one vector."""


def _rotations(body: FlexibleBody) -> Vectors:
    """Of all nodes and frames that have rotations, less that of the root."""
    root = scipy.sparse.csr_array(body.frames[body.root].shape[:3])
    nodes = np.flatnonzero(body.turning)
    turns = body.shapes[(6 * nodes[:, None] + np.arange(3)).ravel()]
    frames = [scipy.sparse.csr_array(f.shape[:3]) for name, f in body.frames.items() if f.turning and name != body.root]
    every = scipy.sparse.vstack([turns, *frames])
    return scipy.sparse.csr_array(every - scipy.sparse.vstack([root] * (every.shape[0] // 3))), 3


def _slopes(body: FlexibleBody) -> Vectors:
    """Displacements of all nodes as rotations that go with them."""
    length = float(np.linalg.norm(body.nodes, axis=1).max())
    rows = (6 * np.arange(len(body.nodes))[:, None] + np.arange(3, 6)).ravel()
    shapes: Any = body.shapes[rows]
    return scipy.sparse.csr_array(TIP_SLOPE / length * shapes), 3


def _largest(rows: Sparse, width: int, eta: Floats, widest: int) -> tuple[float, int]:
    """The largest norm of vectors of `width` rows each times coordinates (samples, n), and its sample.

    Vectors that cannot reach what is found in the sample `widest` are left out.
    """
    bound = _norms(abs(rows) @ np.abs(eta).max(axis=0)[:, None], width)[:, 0]
    reached = _norms(rows @ eta[widest][:, None], width).max()
    kept = np.flatnonzero(bound >= reached)
    chosen = rows[(width * kept[:, None] + np.arange(width)).ravel()]
    best, count = (float(reached), widest), max(1, CELLS // max(1, chosen.shape[0]))
    for first in range(0, len(eta), count):
        sizes = _norms(chosen @ eta[first : first + count].T, width).max(axis=0)
        i = int(np.argmax(sizes))
        if sizes[i] > best[0]:
            best = float(sizes[i]), first + i
    return best


def _norms(x: Floats, width: int) -> Floats:
    """(vectors, samples)."""
    return np.asarray(np.sqrt((x.reshape(-1, width, x.shape[1]) ** 2).sum(axis=1)))


def applied_wrenches(model: Model, motion: Any, q: Floats) -> Mapping[str, Floats]:
    """Wrenches of laws (samples, 6) by frame, in its axes."""
    out: dict[str, Floats] = {}
    if "applied_wrench" not in motion or "law_axes" not in motion.coords:
        return out
    laws = zip(motion["law_frame"].values, motion["law_axes"].values, strict=True)
    for i, (frame, axes) in enumerate((str(x), str(y)) for x, y in laws):
        wrench = motion["applied_wrench"].values[:, i]
        if axes != OWN:
            R = np.swapaxes(model.pose(q, frame)[0], -1, -2)
            if axes != GROUND:
                R = R @ model.pose(q, axes)[0]
            wrench = (R[:, None] @ wrench.reshape(-1, 2, 3, 1)).reshape(-1, 6)
        out[frame] = out.get(frame, 0.0) + wrench
    return out
