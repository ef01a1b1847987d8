"""Pictures and films as files: PNG by ourselves, GIF by Pillow, MP4 by ffmpeg."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterable
from importlib import import_module
from itertools import chain, islice
from pathlib import Path
from typing import Any

import numpy as np

from supple.drafts import draft_of
from supple.errors import SuppleError
from supple.view.film.legend import Picture

INSTALL = "python -m pip install 'supple[film]'"
SHARED = 8
"""Frames from which the colours of a GIF are chosen: the first of them, which are the same for all."""


def write_png(target: Path, picture: Picture) -> None:
    """One picture."""
    height, width, _ = picture.shape
    lines = np.concatenate([np.zeros((height, 1), dtype=np.uint8), picture.reshape(height, -1)], axis=1)
    parts = (
        (b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)),
        (b"IDAT", zlib.compress(lines.tobytes(), 6)),
        (b"IEND", b""),
    )
    with draft_of(target) as draft:
        chunks = [struct.pack(">I", len(x)) + kind + x + struct.pack(">I", zlib.crc32(kind + x)) for kind, x in parts]
        draft.write_bytes(b"\x89PNG\r\n\x1a\n" + b"".join(chunks))


def write_gif(target: Path, pictures: Iterable[Picture], fps: float) -> None:
    """A film that runs for ever. Frames last whole hundredths of a second, in the mean 1 / fps."""
    image = _installed("PIL.Image", "a GIF")
    frames = iter(pictures)
    first = list(islice(frames, SHARED))
    palette = image.fromarray(np.concatenate(first)).quantize(256)
    images = [image.fromarray(x).quantize(palette=palette, dither=image.Dither.NONE) for x in chain(first, frames)]
    ends = np.round(100.0 * np.arange(len(images) + 1) / fps)
    lengths = [int(10.0 * x) for x in np.diff(ends)]
    with draft_of(target) as draft:
        images[0].save(draft, "GIF", save_all=True, append_images=images[1:], duration=lengths, loop=0, optimize=False)


def write_mp4(target: Path, pictures: Iterable[Picture], fps: float) -> None:
    """A film in H.264, which every browser and player shows."""
    ffmpeg = _installed("imageio_ffmpeg", "an MP4")
    frames = iter(pictures)
    first = next(frames)
    height, width, _ = first.shape
    with draft_of(target) as draft:
        film = ffmpeg.write_frames(
            str(draft),
            (width, height),
            fps=fps,
            quality=7,
            macro_block_size=2,
            output_params=["-f", "mp4", "-movflags", "+faststart"],
        )
        film.send(None)
        try:
            for picture in chain((first,), frames):
                film.send(picture)
        finally:
            film.close()


def _installed(name: str, what: str) -> Any:
    """A module of the extra "film"."""
    try:
        return import_module(name)
    except ImportError:
        package = {"PIL.Image": "pillow", "imageio_ffmpeg": "imageio-ffmpeg"}[name]
        raise SuppleError(f"{what} is written by {package}, which is not installed; {INSTALL}") from None
