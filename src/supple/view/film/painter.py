"""Pictures of triangles: everything that stays from frame to frame, and one frame after the other."""

from __future__ import annotations

import numpy as np

from supple.checks import Floats
from supple.view.film.camera import View
from supple.view.film.floor import NONE, Floor
from supple.view.film.legend import Lettering, Picture, pixel
from supple.view.film.raster import NUMBERS, cover, project, vertex_normals
from supple.view.film.shading import shade
from supple.view.film.surfaces import MovingSurfaces
from supple.view.scene.level import Level
from supple.view.scene.look import brief


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
    dark : bool
        Whether that is dark.
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
        dark: bool,
        samples: int,
    ) -> None:
        if len(surfaces.faces) >= NUMBERS - 1:
            raise ValueError(f"expected less than {NUMBERS - 1:,} triangles, got {len(surfaces.faces):,}")
        width, height = size
        self._surfaces, self._view, self._floor, self._dark = surfaces, view, floor, dark
        self._lens = view.lens(width, height, samples)
        self._growth = surfaces.growth * pixel(size) * samples / self._lens[0]
        self._sky = np.stack([background, level.up, view.sun(level)])
        self._samples = np.zeros((samples * height, samples * width), dtype=np.int64)
        self._pixels = np.zeros((height, width), dtype=np.int64)

    def picture(self, frame: int, followed: Floats, clock: str = "") -> Picture:
        """The model at a frame; `followed` (3,) is what the camera moves with, `clock` what is written of the time."""
        faces, colors, opaque = self._surfaces.faces, self._surfaces.colors, self._surfaces.opaque
        points = self._surfaces.points(frame)
        eye = self._view.eye(followed)
        on_picture, normals = np.zeros_like(points), np.zeros_like(points)
        vertex_normals(points, faces, normals)
        points += (self._growth * np.maximum((points - eye) @ self._view.axes[2], 0.0))[:, None] * normals
        project(points, self._view.axes, eye, self._lens, on_picture)
        ground, shadow = NONE if self._floor is None else self._floor.parameters(points, faces[: self._surfaces.lit])
        self._samples[:] = 0
        vertex_colors, found = self._surfaces.colored(frame)
        fixed = (
            on_picture,
            normals,
            faces,
            colors,
            vertex_colors,
            self._view.axes,
            eye,
            self._lens,
            self._sky,
            ground,
            shadow,
        )
        for first, last in ((0, opaque), (opaque, len(faces))):
            if first < last or first == 0:
                cover(self._samples, on_picture, faces, first, last)
                shade(self._pixels, self._samples, *fixed, first)
        rgb = self._pixels.astype("<u4").view(np.uint8).reshape(*self._pixels.shape, 4)
        picture = np.ascontiguousarray(rgb[..., :3])
        lettering = Lettering(picture, self._dark)
        grid = "" if self._floor is None else f"grid {brief(self._floor.spacing)} m"
        lettering.axes(self._view.axes)
        lettering.foot("   ".join(filter(None, (clock, grid))))
        if found is not None:
            x, y, near = on_picture[found.worst] / (self._samples.shape[1] / self._pixels.shape[1])
            worst = float(x), float(y), found.value
            lettering.scale(found.quantity, found.most, worst if found.worst >= 0 and near > 0.0 else None)
        return picture
