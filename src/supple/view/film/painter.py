"""Pictures of triangles: everything that stays from frame to frame, and one frame after the other."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from supple.checks import Floats
from supple.view.film.camera import Level, View
from supple.view.film.floor import NONE, Floor
from supple.view.film.legend import with_legend
from supple.view.film.raster import NUMBERS, cover, project, shade, vertex_normals
from supple.view.film.surfaces import MovingSurfaces

Picture = NDArray[np.uint8]
"""(height, width, 3), red, green and blue."""


def sun_of(view: View, level: Level) -> Floats:
    """Direction to the light (3,): high, from behind the camera and its left, so that shadows fall to the right."""
    away = view.axes[2] - (view.axes[2] @ level.up) * level.up
    size = float(np.linalg.norm(away))
    away = away / size if size > 1e-6 else view.axes[1]
    out = level.up - 0.5 * view.axes[0] - 0.4 * away
    return np.asarray(out / np.linalg.norm(out))


class Painter:
    """Draws a moving model.

    Parameters
    ----------
    surfaces : MovingSurfaces
    view : View
    level : Level
    floor : Floor, optional
    size : (int, int)
        Width and height of pictures, pixels.
    background : (3,) array
        Linear light.
    samples : int
        Of a pixel, in each direction.
    """

    def __init__(
        self,
        surfaces: MovingSurfaces,
        view: View,
        level: Level,
        floor: Floor | None,
        size: tuple[int, int],
        background: Floats,
        samples: int,
    ) -> None:
        if len(surfaces.faces) >= NUMBERS - 1:
            raise ValueError(f"expected less than {NUMBERS - 1:,} triangles, got {len(surfaces.faces):,}")
        width, height = size
        self._surfaces, self._view, self._floor = surfaces, view, floor
        self._lens = view.lens(samples * width, samples * height)
        self._sky = np.stack([background, level.up, sun_of(view, level) if floor is None else floor.sun])
        self._samples = np.zeros((samples * height, samples * width), dtype=np.int64)
        self._pixels = np.zeros((height, width), dtype=np.int64)

    def picture(self, frame: int, followed: Floats) -> Picture:
        """The model at a frame; `followed` (3,) is what the camera moves with."""
        faces, colors, opaque = self._surfaces.faces, self._surfaces.colors, self._surfaces.opaque
        points = self._surfaces.points(frame)
        eye = self._view.eye(followed)
        on_picture, normals = np.zeros_like(points), np.zeros_like(points)
        project(points, self._view.axes, eye, self._lens, on_picture)
        vertex_normals(points, faces, normals)
        ground, shadow = NONE if self._floor is None else self._floor.parameters(points, faces[:opaque])
        self._samples[:] = 0
        tints = self._surfaces.tints(frame)
        fixed = on_picture, normals, faces, colors, tints, self._view.axes, eye, self._lens, self._sky, ground, shadow
        for first, last in ((0, opaque), (opaque, len(faces))):
            if first < last or first == 0:
                cover(self._samples, on_picture, faces, first, last)
                shade(self._pixels, self._samples, *fixed, first)
        rgb = self._pixels.astype("<u4").view(np.uint8).reshape(*self._pixels.shape, 4)
        picture = np.ascontiguousarray(rgb[..., :3])
        found = self._surfaces.scale(frame)
        if found is None:
            return picture
        worst = None
        if found.worst >= 0 and on_picture[found.worst, 2] > 0.0:
            x, y = on_picture[found.worst, :2] / self._samples.shape[1] * self._pixels.shape[1]
            worst = float(x), float(y), found.value
        return with_legend(picture, found.quantity, found.most, worst)
