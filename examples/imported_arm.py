"""An arm from a mesh: CalculiX stored its matrices, the model file takes them and lets it swing."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from supple.files import read
from supple.structures import ImportedStructure, Material, Rectangle, beam_path
from supple.structures import read as read_structure

FILE = Path(__file__).with_suffix(".toml")
FRAMES = {"hinge": "HINGE", "tip": "TIP"}


def main() -> float:
    """Print the import report and return the first frequency with the hinge held; check it against a tapered beam."""
    arm = read_structure(FILE.with_suffix("") / "arm.inp", FRAMES, "mm-t-s")
    assert isinstance(arm, ImportedStructure)
    print(arm.report)
    first = float(arm.report.held_frequencies[0])

    ends = np.linspace(0.0, 0.6, 25)
    widths = 0.060 - 0.036 * (ends[1:] + ends[:-1]) / 2 / 0.6
    points = np.column_stack([ends, np.zeros((25, 2))])
    sections = [Rectangle(width, 0.012) for width in widths]
    strip = beam_path(points, sections, Material(E=70e9, nu=0.3, rho=2700.0), 1)
    assert np.isclose(arm.mass, strip.mass, rtol=1e-12)
    slender = strip.reduce("cantilever", 1).report
    assert slender is not None
    print(f"as a slender beam {slender.frequencies[0]:.5f} Hz")
    assert np.isclose(first, slender.frequencies[0], rtol=0.07)  # three elements are 6 % too stiff

    model = read(FILE).model
    print(f"first frequency {first:.5f} Hz; the model has {model.nv} speeds")
    return first


if __name__ == "__main__":
    main()
