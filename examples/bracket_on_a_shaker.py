"""A solid bracket on a shaker table: its frequency and its stress beside those of a beam by hand."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import xarray as xr

import supple
from supple.files import read

FILE = Path(__file__).with_suffix(".toml")
LENGTH, WIDTH, HEIGHT = 0.3, 0.04, 0.012
E, RHO, MOTOR = 70e9, 2700.0, 0.35
INERTIA = WIDTH * HEIGHT**3 / 12
G = 9.81


def by_hand(motion: xr.Dataset, middle: str) -> np.ndarray:
    """Stress on the top at mid-length, Pa, from what the motor and the inertia of the outer half do to that section."""
    arm = LENGTH / 2
    wrench = -motion.wrench.sel(joint="motor")
    moment = wrench.sel(component="angular y") - arm * wrench.sel(component="linear z")
    inner, outer = (motion.acceleration.sel(frame=f, component="linear z") for f in (middle, "bracket/end"))
    spread = RHO * WIDTH * HEIGHT * arm**2 * ((inner + G) / 2 + (outer - inner) / 3)
    return ((moment + spread) * HEIGHT / 2 / INERTIA).values


def main() -> float:
    """Print and return the largest stress of the bracket, MPa; check frequency and bending stress by hand."""
    contents = read(FILE)
    model = contents.model
    frequency = supple.linear.modes(model).frequencies
    first = frequency[frequency > 1.0][0]
    mass = MOTOR + 0.2427 * RHO * LENGTH * WIDTH * HEIGHT  # of a uniform cantilever, as if it were at its end
    expected = np.sqrt(3 * E * INERTIA / LENGTH**3 / mass) / (2 * np.pi)
    print(f"first frequency {first:.3f} Hz, of a beam with a mass at its end {expected:.3f} Hz")
    assert abs(first / expected - 1) < 0.02

    body = model.description.bodies["bracket"].body
    assert isinstance(body, supple.structures.FlexibleBody)
    top = np.argmin(np.linalg.norm(body.nodes - [LENGTH / 2, 0.0, HEIGHT / 2], axis=1))
    node = f"bracket/{top}"
    given = contents.run_arguments() | {
        "outputs": supple.Outputs(
            stresses=node,
            worst_stresses="bracket",
            frames=[node, "bracket/end"],
            wrenches="motor",
            recovery="acceleration",
        )
    }
    motion = supple.simulate(model, **given)
    found = motion.stress.sel(stress_component="xx").values[:, 0]
    hand = by_hand(motion, node)
    off = np.abs(found - hand).max() / np.abs(hand).max()
    print(f"stress at mid-length {abs(found).max() / 1e6:.2f} MPa, by hand {abs(hand).max() / 1e6:.2f} MPa")
    assert off < 0.03

    peaks = supple.stress_peaks(model, motion, recovery="acceleration", margin=True)
    x, y, z = (float(peaks[key][0]) for key in "xyz")
    largest = float(peaks.von_mises[0]) / 1e6
    print(f"at most {largest:.4f} MPa at ({x:.4f}, {y:.4f}, {z:.4f}) m after {float(peaks.time[0]):.3f} s")
    print(f"margin against yield {float(peaks.margin[0]):.2f}")
    assert largest == float(motion.worst_stress.max()) / 1e6
    return largest


if __name__ == "__main__":
    main()
