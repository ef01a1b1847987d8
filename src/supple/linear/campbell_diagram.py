"""The Campbell diagram: frequencies, damping and whirl of a rotor over its speed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from supple.call_checks import checked
from supple.errors import StateError
from supple.formulations import Formulation, require_formulation
from supple.lazy import LazyModule
from supple.linear.critical_speeds import Crossing, critical_speeds
from supple.linear.eigenmodes import SLOWEST
from supple.linear.rotor_modes import RotorState, Sweep
from supple.linear.spins import spin_sweep, without_gravity
from supple.linear.start import Floats, Numbers, Values
from supple.linear.tracking import Tracks
from supple.model.dynamic_functions import Loads
from supple.version import VERSION

if TYPE_CHECKING:
    import xarray as xr
else:
    xr = LazyModule("xarray")

FRAMES = ("auto", "fixed", "rotating")
EQUAL = 1e-6
"""Difference of frequencies, relative to them, which is none."""
ORDERS = {"fixed": (1, 2), "rotating": (1, 2, 3, 4, 5)}
"""Multiples of the speed of rotation whose crossings are listed."""


@checked
def campbell(
    model: Formulation,
    spin: Mapping[str, ArrayLike],
    q: Values | None = None,
    tau: Values | None = None,
    external: Loads | None = None,
    fixed: Iterable[str] = (),
    *,
    frame: str = "auto",
    at: str | None = None,
    count: int | None = 20,
    orders: Sequence[int] | None = None,
    prescribed: bool = True,
    gravity: bool = True,
) -> xr.Dataset:
    """Frequencies, damping, whirl and critical speeds over the speed of spinning joints, with modes that are tracked.

    At every speed the steady rotation is found (`steady_rotation`), and small motions about it. A mode is followed by
    its shape from one speed to the next, so that curves may cross; steps in which shapes change much are halved.

    Parameters
    ----------
    spin : mapping of str to array_like
        Speeds of joints, rad/s, by coordinate ("hub.angle") or body ("hub"), for all joints equally many; those of the
        first, to which whirl and critical speeds refer, ascend.
    q, tau, external, fixed
        As for `steady_rotation`.
    frame : str
        Axes in which motions across the axis are counted. "fixed": those of the ground, as for shafts and discs.
        "rotating": those of the rotor, as for blades. "auto" is "fixed" if every mode has one frequency there at every
        speed, which is so for round rotors; else "rotating".
    at : str, optional
        The frame whose orbit decides about the whirl; by default, for each mode, the one that moves most.
    count : int, optional
        Number of modes, those that are slowest at some speed; all if None.
    orders : sequence of int, optional
        Multiples of the speed of rotation whose crossings are listed; by default 1 and 2 in fixed axes, and 1 to 5 in
        those of the rotor.
    prescribed : bool
        Whether the speeds are held whatever happens; else motors give constant torques.
    gravity : bool
        Whether gravity acts.

    Returns
    -------
    xarray.Dataset
        Over `spin` (rad/s, the speed of the first joint), `mode` and `joint`: `spin_speed`, `frequency` (Hz, of the
        oscillation), `damping` (ratio), `growth` (1/s), `whirl` (1 forward, -1 backward, 0 neither), `assurance` (to
        the speed before), `shape` (unit modal mass, real and imaginary part), `dof` (the speed that moves most), `q`,
        `torque` of the motors. Over `critical`: `critical_speed`, `critical_mode`, `critical_order`,
        `critical_whirl`.

    Examples
    --------
    A disc on an elastic massless shaft whirls at sqrt(k/m), here 10 rad/s, whatever its speed.

    >>> import supple
    >>> mech = supple.Mechanism("Laval rotor", gravity=(0, 0, 0))
    >>> shaft = supple.BuildingBlock(translations=["x", "y"], stiffness=200.0)
    >>> mech.add_body("centre", supple.RigidBody(0.0), joint=shaft)
    >>> mech.add_body("disc", supple.RigidBody(2.0, inertia=(0.1, 0.1, 0.2)), "centre", supple.Revolute("z"))
    >>> found = campbell(mech.build(), {"disc": [5.0, 15.0]})
    >>> found.critical_speed.values.round(6)
    array([10., 10.,  5.,  5.])
    """
    require_formulation(model, "supple.linear")
    model.floating_frames("spin")
    if frame not in FRAMES:
        raise StateError(f"frame: expected one of {', '.join(FRAMES)}, got {frame!r}")
    if count is not None and count < 1:
        raise StateError(f"count: expected at least 1, got {count}")
    if orders is not None:
        _require_orders(orders)
    model = model if gravity else without_gravity(model)
    places, speeds = spin_sweep(model, spin)
    sweep = Sweep.of(model, places, speeds, q, tau, external, fixed, prescribed, at, count and 2 * count)
    states, tracks = sweep.run()
    if frame == "auto":
        frame = "fixed" if all(state.whirl.pure.all() for state in states) else "rotating"
    w = _followed([getattr(state.whirl, frame) for state in states], tracks)
    kept = _slowest(w, count)
    orders = ORDERS[frame] if orders is None else orders
    crossings = critical_speeds(sweep, states, tracks, frame, orders, kept)
    found = _dataset(sweep, states, [_chosen(t, kept) for t in tracks], frame, w[:, kept], crossings)
    return found.assign_attrs(orders=np.array(orders, dtype=np.int64))


def _require_orders(orders: Sequence[int]) -> None:
    if isinstance(orders, str) or any(x != int(x) or x < 1 for x in orders) or len(set(orders)) != len(orders):
        raise StateError(f"orders: expected different whole numbers from 1 on, got {orders!r}")


def _followed(values: Sequence[Numbers], tracks: Sequence[Tracks]) -> Numbers:
    """(speeds, tracks) what each followed mode has at each speed; NaN where it is gone."""
    rows = [np.where(t.places >= 0, x[t.places], np.nan) for x, t in zip(values, tracks, strict=True)]
    return np.stack(rows)


def _slowest(w: Floats, count: int | None) -> list[int]:
    """Tracks that are slowest at some speed, in the order of their frequencies at the first; of equal ones at the last.

    Without spin forward and backward whirl of a round rotor are equal.
    """
    lowest = np.argsort(np.nanmin(w, axis=0), kind="stable")[:count]
    ordered = lowest[np.argsort(w[0, lowest], kind="stable")]
    first = w[0, ordered]
    groups = np.cumsum(np.diff(first, prepend=first[0]) > EQUAL * first)
    return [int(i) for i in ordered[np.lexsort((w[-1, ordered], groups))]]


def _heaviest(states: list[RotorState], shapes: Numbers) -> list[int]:
    """What moves most in each mode at the last speed, weighed with its inertia; of equals the first."""
    size = np.nan_to_num(np.abs(shapes[-1])) * np.sqrt(np.diag(states[-1].modes.mass))
    return [int(i) for i in np.argmax(size >= (1 - 1e-3) * size.max(axis=1, keepdims=True), axis=1)]


def _chosen(tracks: Tracks, kept: list[int]) -> Tracks:
    planes = [tracks.planes[i] for i in kept]
    return Tracks(tracks.places[kept], tracks.values[kept], tracks.slopes[kept], planes, tracks.likeness[kept])


def _dataset(
    sweep: Sweep, states: list[RotorState], tracks: list[Tracks], frame: str, w: Floats, crossings: list[Crossing]
) -> xr.Dataset:
    """All that was found, with names and units."""
    model, joints = sweep.model, list(sweep.places.values())
    values = _followed([state.modes.values for state in states], tracks)
    size = np.hypot(values.real, w)
    still = size <= 2 * np.pi * SLOWEST
    shapes = np.stack([_shape(state, t) for state, t in zip(states, tracks, strict=True)])
    whirl = _followed([state.whirl.sense for state in states], tracks)
    point = ("spin", "mode")
    variables = {
        "spin_speed": (("spin", "joint"), sweep.speeds, "rad/s", "speeds of the spinning joints"),
        "frequency": (point, w / (2 * np.pi), "Hz", f"frequency of the oscillation in {frame} axes"),
        "damping": (point, 0.0 - values.real / np.where(still, 1.0, size), "1", "damping ratio"),
        "growth": (point, values.real, "1/s", "rate of growth"),
        "whirl": (point, np.nan_to_num(whirl).astype(np.int8), "1", "sense of the whirl"),
        "assurance": (point, np.stack([t.likeness for t in tracks]), "1", "modal assurance to the speed before"),
        "shape": (
            ("spin", "mode", "speed", "part"), np.stack([shapes.real, shapes.imag], axis=-1), "kg^-0.5",
            "motion in the directions of the speeds, unit modal mass",
        ),
        "dof": ("mode", [model.speeds[i] for i in _heaviest(states, shapes)], "", "speed that moves most"),
        "q": (("spin", "coordinate"), np.stack([state.q for state in states]), "", "coordinates in steady rotation"),
        "torque": (("spin", "joint"), np.stack([s.holding[joints] for s in states]), "N m", "torques of the motors"),
        "critical_speed": ("critical", [c.speed for c in crossings], "rad/s", "speed of the first joint"),
        "critical_mode": ("critical", [c.mode + 1 for c in crossings], "1", "mode"),
        "critical_order": ("critical", [c.order for c in crossings], "1", "frequency over that of the rotation"),
        "critical_whirl": ("critical", np.array([c.whirl for c in crossings], np.int8), "1", "sense of the whirl"),
    }  # fmt: skip
    flags = {"flag_values": np.array([-1, 0, 1], np.int8), "flag_meanings": "backward neither forward"}
    made = {}
    for name, (dims, x, units, meaning) in variables.items():
        attrs = {"units": units, "long_name": meaning} if units else {"long_name": meaning}
        made[name] = (dims, x, attrs | flags if name.endswith("whirl") else attrs)
    coords = {
        "spin": ("spin", sweep.speeds[:, 0], {"units": "rad/s", "long_name": f"speed of {next(iter(sweep.places))}"}),
        "mode": np.arange(1, w.shape[1] + 1),
        "joint": list(sweep.places),
        "speed": list(model.speeds),
        "coordinate": list(model.coordinates),
        "part": ["real", "imaginary"],
    }
    attrs = {"model": model.name, "formulation": model.formulation, "frame": frame, "supple": VERSION}
    return xr.Dataset(made, coords, attrs)


def _shape(state: RotorState, tracks: Tracks) -> Numbers:
    """(modes, nv) shapes of the followed modes."""
    found = np.where(tracks.places >= 0, state.modes.shapes[:, tracks.places], np.nan)
    return found.astype(complex).T
