"""Joints, springs, contacts and arrows of forces in a motion, as triangles: the same as on pages."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from supple.checks import Floats
from supple.view.scene.extent import MotionExtent
from supple.view.scene.look import PAINTS, linear
from supple.view.scene.motion import SceneMotion
from supple.view.scene.places import ScenePlaces
from supple.view.scene.sampling import evenly
from supple.view.scene.stops import recorded_stops, touching
from supple.view.scene.symbol_parts import Point, Pose, Symbol, Touch, stop_symbols, symbols_of
from supple.view.scene.symbol_shapes import SymbolShape, symbol_shape
from supple.view.scene.symbols import HEAD, SHORT, SHORTEST, ForceArrow, arrow_scales, force_arrows

GROUPS = ("joints", "springs", "contacts", "loads", "reactions")
"""What can be drawn beside the bodies."""
MOST_SAMPLES = 3000
"""Of a result, between which forces are interpolated."""
UP = np.array([0.0, 0.0, 1.0])


class MovingPoses:
    """Poses of bodies and places over frames, each found once."""

    def __init__(self, stage: ScenePlaces, q: Floats, R: Floats, p: Floats) -> None:
        self._stage, self._q, self._R, self._p = stage, q, R, p
        self._known: dict[Pose, tuple[Floats, Floats]] = {}

    def __call__(self, pose: Pose) -> tuple[Floats, Floats]:
        """Rotations (frames, 3, 3) and positions (frames, 3)."""
        if pose.kind == "body":
            return self._R[:, pose.number], self._p[:, pose.number]
        if pose not in self._known:
            self._known[pose] = self._stage.moved(self._stage.places[pose.number], self._q, self._R, self._p)
        return self._known[pose]

    def point(self, end: Point | Touch) -> Floats:
        """An end of a symbol (frames, 3)."""
        return self._touch(end) if isinstance(end, Touch) else self._point(end)

    def _point(self, end: Point) -> Floats:
        R, p = self(end.on)
        out: Floats = p + R @ np.array(end.at)
        if end.to is not None:
            away = self(end.to)[1] - p
            for axis in end.along:
                d = R @ np.array(axis)
                out = out + d * np.sum(d * away, axis=1, keepdims=True)
        return out

    def _touch(self, end: Touch) -> Floats:
        z, (R, p) = self(end.plane)[0][:, :, 2], self(end.wheel)
        down = -z
        if end.axis is not None:
            spin = R @ np.array(end.axis)
            down = down + spin * np.sum(z * spin, axis=1, keepdims=True)
        out: Floats = p + end.radius * _unit(down) + end.above * z
        return out


class MovingSymbol:
    """A shape between two points that move.

    Parameters
    ----------
    shape : SymbolShape
    a, b : (frames, 3) arrays
    size : (frames,) array
        m; zero where it is not drawn.
    color : (3,) array
        Linear light.
    """

    opacity, growth = 1.0, 0.0

    def __init__(self, shape: SymbolShape, a: Floats, b: Floats, size: Floats, color: Floats) -> None:
        self._shape, self._a, self._b, self._size = shape, a, b, size
        self.color, self.faces, self.count = color, shape.faces, len(shape.share)
        d = b[0] - a[0]
        # an axis of the ground frame to turn from: not along the symbol at the start, so that coils do not spin
        self._side = np.eye(3)[np.argmin(np.abs(d if d.any() else UP))]

    def points(self, frame: int) -> Floats:
        """Vertices (n, 3); all at one place where the symbol is not drawn."""
        a, d, size = self._a[frame], self._b[frame] - self._a[frame], self._size[frame]
        if size == 0.0:
            return np.tile(a, (self.count, 1))
        z = _unit(d) if d.any() else UP
        x = np.cross(z, self._side)
        x = _unit(x) if np.linalg.norm(x) > 1e-6 else _unit(np.cross(z, np.eye(3)[np.argmin(np.abs(z))]))
        axes = np.stack([x, np.cross(z, x), z])
        out: Floats = a + np.outer(self._shape.share, d) + size * self._shape.vectors @ axes
        return out


class SymbolScene:
    """What is drawn beside the bodies of a motion.

    Parameters
    ----------
    motion : SceneMotion
    extent : MotionExtent
    shown : sequence of str
        Some of GROUPS.
    dark : bool
        Whether the background is dark.
    """

    def __init__(
        self, motion: SceneMotion, stage: ScenePlaces, extent: MotionExtent, shown: Sequence[str], dark: bool
    ) -> None:
        self._stage, self._extent, self._motion = stage, extent, motion
        self._paints = {name: linear(pair[int(dark)]) for name, pair in PAINTS.items()}
        self._stops = recorded_stops(motion.model, motion.result) if "contacts" in shown else []
        coordinates = [x.coordinate for x in self._stops]
        found = [
            *symbols_of(stage, motion.q, stage.joints(motion.q), extent.symbol),
            *stop_symbols(stage, coordinates, extent.symbol),
        ]
        self._symbols = [x for x in found if x.group in (*shown, "rods")]
        self._samples = evenly(len(motion.times), MOST_SAMPLES)
        arrows = force_arrows(stage, motion.result, self._samples)
        self._arrows = [x for x in arrows if f"{x.kind}s" in shown]
        self._scales = arrow_scales(self._arrows, extent.size, motion.model.mass)

    def moving(self, times: Floats, q: Floats, R: Floats, p: Floats) -> list[MovingSymbol]:
        """At times (n,), coordinates (n, nq) and poses of bodies."""
        poses = MovingPoses(self._stage, q, R, p)
        holds = self._touching(times)
        return [self._symbol(x, poses, holds) for x in self._symbols] + [
            arrow for x in self._arrows for arrow in self._arrow(x, times, poses)
        ]

    def _touching(self, times: Floats) -> NDArray[np.uint8]:
        """Whether stops hold at times, as at the sample before (frames, stops)."""
        known = touching(self._motion.model, self._stops, self._motion.times, self._motion.q)
        before = np.searchsorted(self._motion.times, times + 1e-12, side="right") - 1
        return known[np.clip(before, 0, len(known) - 1)]

    def _symbol(self, x: Symbol, poses: MovingPoses, holds: NDArray[np.uint8]) -> MovingSymbol:
        a, b = (poses.point(end) for end in x.ends)
        size: Floats = x.size * (np.ones(len(a)) if x.stop is None else holds[:, x.stop].astype(float))
        color = self._paints["contact" if x.group == "contacts" else "metal"]
        return MovingSymbol(symbol_shape(x.shape), a, b, size, color)

    def _arrow(self, x: ForceArrow, times: Floats, poses: MovingPoses) -> list[MovingSymbol]:
        """The arrows of its moment and its force; a force of a load pushes at its point, the others leave it."""
        known = self._motion.times[self._samples]
        wrench = np.stack([np.interp(times, known, column) for column in x.wrench.T], axis=-1)
        _, p = poses(x.at)
        out = []
        for name, scale, part in zip(
            ("moment", "force"), self._scales[x.kind], np.split(wrench, 2, axis=1), strict=True
        ):
            d = scale * (part if x.axes is None else (poses(x.axes)[0] @ part[..., None])[..., 0])
            length, symbol = np.linalg.norm(d, axis=1), self._extent.symbol
            size = HEAD * np.minimum(symbol, length / SHORT) * (length >= SHORTEST * symbol)
            if size.any():
                start = p - d if (x.kind, name) == ("load", "force") else p
                out.append(MovingSymbol(symbol_shape(name), start, start + d, size, self._paints[x.kind]))
        return out


def _unit(x: Floats) -> Floats:
    out: Floats = x / np.linalg.norm(x, axis=-1, keepdims=True)
    return out
