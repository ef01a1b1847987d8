"""`supple.render`: pictures and films of models and their motions, without a browser or a graphics card."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from supple.call_checks import checked
from supple.checks import Floats, is_number
from supple.description.members import GROUND
from supple.errors import StateError, nearest
from supple.formulations import Formulation
from supple.shapes.colors import checked_color
from supple.simulation.start_state import Values
from supple.view.film.camera import Camera, view_of
from supple.view.film.coloring import Coloring
from supple.view.film.files import write_gif, write_mp4, write_png
from supple.view.film.floor import floor_below
from supple.view.film.legend import Picture, column
from supple.view.film.painter import Painter
from supple.view.film.paths import path_surfaces
from supple.view.film.surfaces import MovingSurfaces
from supple.view.film.symbols import GROUPS, SymbolScene
from supple.view.gltf.writer import PeakColors, write_glb
from supple.view.scene.extent import FAR, motion_extent
from supple.view.scene.level import Level
from supple.view.scene.look import DARK, PAGE, QUANTITIES, clock, linear
from supple.view.scene.motion import SceneMotion, scene_motion
from supple.view.scene.places import ScenePlaces
from supple.view.scene.surfaces import INERTIA
from supple.view.scene.symbols import law_places

PAPER = PAGE["card"][0]
SIZE = (1280, 720)
LARGEST = 8192
"""Pixels of a side."""
SHOWN = ("joints", "springs", "contacts", "loads")
"""What is drawn beside the bodies if nothing is said."""
STILL, MOVING = 3, 2
"""Samples of a pixel in each direction, of a picture and of a frame of a film."""
LOOKED_AT = 40
"""Frames by which the camera is placed."""
Progress = Callable[[float], None]


@checked
def render(
    shown: Any,
    path: str | os.PathLike[str],
    *,
    model: Formulation | None = None,
    q: Values | None = None,
    size: tuple[int, int] = SIZE,
    fps: float = 30.0,
    speed: float = 1.0,
    time: float | None = None,
    camera: Camera | Sequence[float] = (),
    follow: str | None = None,
    traces: Sequence[str] | None = (),
    deformation: float = 1.0,
    color: str | None = None,
    background: str = PAPER,
    show: Sequence[str] = SHOWN,
    progress: Progress | None = None,
) -> Path:
    """Write a picture or a film of a model or a result, and return its path.

    Parameters
    ----------
    shown : Model or xarray.Dataset
        A model, or what `supple.simulate` gave.
    path : path
        Ends in .png, a picture; .gif or .mp4, a film, which needs the extra "film"; .glb, the model and its motion for
        other viewers, on which only `deformation` and `color` of the options below act.
    model : Model, optional
        That of a result which does not hold it: results hold their models if they were written to a file.
    q : array_like or mapping of name to number, optional
        Coordinates of a model; what is not named is neutral.
    size : (int, int)
        Width and height, pixels.
    fps : float
        Frames a second.
    speed : float
        Seconds of motion in a second of the film.
    time : float, optional
        Of a picture, s; the end of the motion if not given.
    camera : Camera or sequence of 2 or 3 numbers, optional
        Azimuth and elevation in degrees, and distance in m. If not given, flat motions are seen from their front,
        others from a corner, from far enough to see all of the motion.
    follow : str, optional
        A body that the camera moves with; a motion that goes far is followed by the mean of all bodies.
    traces : sequence of str, optional
        Frames whose paths are drawn; none if not given, the tips of the mechanism if None.
    deformation : float
        Factor of the deformation of flexible bodies.
    color : str, optional
        "displacement", "strain" or "stress" (von Mises): what flexible bodies are coloured by, with a scale and a ring
        around the largest value. In .glb, whose colours cannot change, by the largest value in the motion.
    background : str
        "#rrggbb" or the name of a colour.
    show : sequence of str
        What is drawn beside the bodies: any of "joints", "springs", "contacts", "loads" and "reactions".
    progress : function of float, optional
        Called with the share of the frames that are done.

    Raises
    ------
    StateError
        When an option or the result does not fit.
    """
    target = Path(path)
    suffix = _suffix(target)
    motion = scene_motion(shown, model, q)
    plain = motion
    motion = _deformed(motion, deformation)
    if suffix == ".glb":
        return write_glb(motion, target, None if color is None else _peaks(plain, color))
    width, height = _checked_size(size, suffix)
    paper = linear(str(checked_color(background, "background")))
    shown_groups = _groups(show)
    times = _picture_time(motion, time) if suffix == ".png" else _film_times(motion, time, fps, speed, suffix)
    coloring = None if color is None else Coloring(plain.model, color, plain.at(times), plain.q)
    stage = _FilmScene(
        motion,
        times,
        _camera(camera),
        follow,
        traces,
        shown_groups,
        (width, height),
        paper,
        STILL if suffix == ".png" else MOVING,
        coloring,
        timed=suffix != ".png",
    )
    if suffix == ".png":
        write_png(target, stage.picture(0))
    else:
        (write_gif if suffix == ".gif" else write_mp4)(target, stage.pictures(progress), fps)
    return target


class _FilmScene:
    """A motion with its camera and floor, ready to be painted."""

    def __init__(
        self,
        motion: SceneMotion,
        times: Floats,
        camera: Camera | None,
        follow: str | None,
        traces: Sequence[str] | None,
        shown: Sequence[str],
        size: tuple[int, int],
        paper: Floats,
        samples: int,
        coloring: Coloring | None,
        timed: bool,
    ) -> None:
        model, dark = motion.model, bool(paper.mean() < DARK)
        some = np.unique(np.linspace(times[0], times[-1], min(LOOKED_AT, len(times))))
        stage = ScenePlaces(model, traces, () if motion.result is None else law_places(motion.result))
        extent = motion_extent(stage, motion.q)
        scene = SymbolScene(motion, stage, extent, shown, dark)
        paths = path_surfaces(motion, stage, extent.size)
        bodies = [x for x in stage.surfaces if x.name != INERTIA]
        looked_at, filmed = motion.at(some), motion.at(times)
        sample = MovingSurfaces(model, looked_at, bodies, scene.moving(some, looked_at, *model.poses(looked_at)))
        symbols = scene.moving(times, filmed, *model.poses(filmed))
        self._surfaces = MovingSurfaces(model, filmed, [*bodies, *paths], symbols, coloring, dark)
        clouds = [_with_origin(sample.points(i)) for i in range(len(looked_at))]
        clouds[0] = np.concatenate([clouds[0], *[path.vertices for path in paths]])
        seen = np.concatenate(clouds)
        far = bool(np.linalg.norm(np.ptp(seen, axis=0)) > FAR * extent.size)
        self._followed = _followed(model.bodies, self._surfaces.origins, follow, far)
        at = _followed(model.bodies, sample.origins, follow, far)
        if follow is not None or far:  # what stands on the ground passes by
            moving = MovingSurfaces(model, looked_at, [x for x in bodies if x.body != GROUND])
            clouds = [np.concatenate([moving.points(i), moving.origins[i]]) for i in range(len(looked_at))]
        around = np.concatenate([cloud - p for cloud, p in zip(clouds, at, strict=True)])
        level = Level.of(model.tree.gravity)
        camera = camera or Camera(*np.degrees(extent.front).tolist())
        view = view_of(camera, level, around, *size, 0 if coloring is None else column(size))
        floor = None
        if model.tree.gravity.any():
            floor = floor_below(level, extent, around, view.sun(level), view.distance)
        self._painter = Painter(self._surfaces, view, level, floor, size, paper, dark, samples)
        stop, length = float(times[-1]), float(times[-1] - times[0])
        self._clocks = [f"t = {clock(t, stop, length)}" if timed else "" for t in times.tolist()]

    def picture(self, frame: int) -> Picture:
        """One frame."""
        return self._painter.picture(frame, self._followed[frame], self._clocks[frame])

    def pictures(self, progress: Progress | None) -> Iterator[Picture]:
        """All frames, one after the other."""
        for i in range(len(self._followed)):
            yield self.picture(i)
            if progress is not None:
                progress((i + 1) / len(self._followed))


def _peaks(motion: SceneMotion, quantity: str) -> PeakColors:
    """The largest values in a motion, of all flexible bodies."""
    coloring = Coloring(motion.model, quantity, motion.q, motion.q)
    values = {body: field.peaks() for body, field in coloring.fields.items()}
    most = max(float(x.max(initial=0.0)) for x in values.values())
    return PeakColors(quantity, QUANTITIES[quantity][1] or "1", most or 1.0, values)


def _with_origin(points: Floats) -> Floats:
    """Points (n, 3), or the origin if there are none."""
    return points if len(points) else np.zeros((1, 3))


def _followed(bodies: tuple[str, ...], origins: Floats, follow: str | None, far: bool) -> Floats:
    """What the camera moves with (frames, 3)."""
    if follow is not None:
        if follow not in bodies:
            raise StateError(f"follow: expected a body, got {follow!r}{nearest(follow, bodies)}")
        return origins[:, bodies.index(follow)]
    return origins.mean(axis=1) if far else np.zeros((len(origins), 3))


def _deformed(motion: SceneMotion, factor: float) -> SceneMotion:
    """The motion with the coordinates of deformation so many times as large."""
    if not is_number(factor):
        raise StateError(f"deformation: expected a finite number, got {factor!r}")
    q = motion.q.copy()
    q[:, motion.model.q_of_speed[motion.model.is_mode]] *= factor
    return motion._replace(q=q)


def _groups(show: Sequence[str]) -> Sequence[str]:
    for name in show:
        if name not in GROUPS:
            raise StateError(f"show: expected any of {', '.join(GROUPS)}, got {name!r}{nearest(name, GROUPS)}")
    return show


def _suffix(target: Path) -> str:
    suffix = target.suffix.lower()
    if suffix not in (".png", ".gif", ".mp4", ".glb"):
        raise StateError(f"{target}: expected a name that ends in .png, .gif, .mp4 or .glb, got {target.name!r}")
    return suffix


def _checked_size(size: tuple[int, int], suffix: str) -> tuple[int, int]:
    width, height = size
    for name, side in (("width", width), ("height", height)):
        if not (isinstance(side, int) and 16 <= side <= LARGEST):
            raise StateError(f"size: expected a {name} from 16 to {LARGEST} pixels, got {side!r}")
        if suffix == ".mp4" and side % 2:
            raise StateError(f"size: expected an even {name} for an MP4, got {side}")
    return width, height


def _camera(camera: Camera | Sequence[float]) -> Camera | None:
    """A camera; None for the direction from which the motion is seen best."""
    if isinstance(camera, Camera) or not len(camera):
        return camera if isinstance(camera, Camera) else None
    if len(camera) not in (2, 3) or not all(map(is_number, camera)):
        raise StateError(f"camera: expected azimuth and elevation, or these and a distance, got {camera!r}")
    return Camera(*map(float, camera))


def _picture_time(motion: SceneMotion, time: float | None) -> Floats:
    """The one time (1,) of a picture."""
    first, last = motion.times[0], motion.times[-1]
    if time is None:
        return np.array([last])
    if not is_number(time) or not first <= time <= last:
        raise StateError(f"time: expected a time of the motion, {first:g} to {last:g} s, got {time!r}")
    return np.array([float(time)])


def _film_times(motion: SceneMotion, time: float | None, fps: float, speed: float, suffix: str) -> Floats:
    """Times (n,) of the frames of a film."""
    if time is not None:
        raise StateError(f"time: expected for a picture alone, .png, got it for {suffix}")
    if len(motion.times) < 2:
        raise StateError(f"{suffix}: a film needs a motion; expected a result of supple.simulate, got a model")
    for name, value, most in (("fps", fps, 240.0), ("speed", speed, np.inf)):
        if not is_number(value) or not 0.0 < value <= most:
            raise StateError(
                f"{name}: expected a number above zero{'' if most == np.inf else f' and up to {most:g}'}, got {value!r}"
            )
    first, last = motion.times[0], motion.times[-1]
    return first + np.arange(int(np.floor((last - first) / speed * fps + 1e-9)) + 1) * speed / fps
