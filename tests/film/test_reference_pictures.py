"""Pictures of six models, on light and on dark paper, are those that were looked at when the references were made.

A picture is kept as the means of its cells. To make the references anew, after looking at the pictures:
`PYTHONPATH=tests python tests/film/test_reference_pictures.py FOLDER`, which also writes the pictures there.
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

import supple
from support.files.robots import robot_directory

EXAMPLES = Path(__file__).parents[2] / "examples"
REFERENCE = Path(__file__).parent / "reference_pictures.npz"
SIZE, CELL = (320, 208), 16
PAPERS = {"light": "#f6f8fa", "dark": "#13171d"}
MODELS: dict[str, dict[str, Any]] = {
    "panda": {"q": {f"panda_link{i + 1}.angle": x for i, x in enumerate((0.3, -0.4, 0.0, -2.0, 0.0, 1.7, 0.6))}},
    "satellite_two_booms": {"camera": (-40.0, 25.0), "deformation": 20.0},
    "space_crane": {"camera": (-70.0, 15.0)},
    "overhung_rotor": {"camera": (-30.0, 20.0)},
    "vehicle_with_suspension": {},
    "rolling_coin": {"camera": (-20.0, 15.0)},
}
NEAR, MEAN = 4.0, 0.5
"""Of 255: how far a cell and all cells in the mean may be away; another processor rounds otherwise, at edges."""


def model_of(name: str) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", supple.OmissionWarning)  # limits and mimic joints: nothing moves
        return supple.load(
            next(robot_directory().rglob(f"{name}.urdf")) if name == "panda" else EXAMPLES / f"{name}.toml"
        )


def pictures(name: str, folder: Path) -> dict[str, Any]:
    """Means (rows, columns, 3) of the cells of both pictures."""
    model, out = model_of(name), {}
    for paper, background in PAPERS.items():
        file = supple.render(model, folder / f"{name}_{paper}.png", size=SIZE, background=background, **MODELS[name])
        pixels = np.asarray(Image.open(file).convert("RGB")).astype(float)
        columns, rows = SIZE[0] // CELL, SIZE[1] // CELL
        out[f"{name}_{paper}"] = pixels.reshape(rows, CELL, columns, CELL, 3).mean(axis=(1, 3))
    return out


@pytest.mark.parametrize("name", MODELS)
def test_pictures_are_as_they_were(name: str, tmp_path: Path) -> None:
    with np.load(REFERENCE) as known:
        for key, found in pictures(name, tmp_path).items():
            expected = known[key].astype(float)
            assert np.abs(expected - expected[0, 0]).max() > 60  # something is seen on the paper
            away = np.abs(found - expected)
            assert away.max() <= NEAR, key
            assert away.mean() <= MEAN, key


if __name__ == "__main__":
    target = Path(sys.argv[1])
    made = {key: x for name in MODELS for key, x in pictures(name, target).items()}
    np.savez_compressed(REFERENCE, **{key: np.round(x).astype(np.uint8) for key, x in made.items()})  # type: ignore[arg-type]
