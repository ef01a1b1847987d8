"""A parallel robot with thin arms: after a fast move the tool rings at the frequencies of the closed mechanism."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import supple
from supple import linear
from supple.files import read

FILE = Path(__file__).with_suffix(".toml")
MOTORS, ARM, FOREARM = 0.15, 0.25, 0.4
SPRING = 3 * 70e9 * 0.03 * 0.005**3 / 12 / ARM**3  # of an arm at its end
TOOL, ROD, STRIP = 0.5, 0.2, 33 / 140 * 2700.0 * 0.03 * 0.005 * ARM


def tool(angles: np.ndarray, bent: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Where the tool is, and the two elbows, (x, z) in m; each arm's end is bent across the arm."""
    along = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    across = np.stack([-np.sin(angles), np.cos(angles)], axis=1)
    elbows = np.array([[-MOTORS, 0.0], [MOTORS, 0.0]]) + ARM * along + bent[:, None] * across
    half = (elbows[1] - elbows[0]) / 2
    up = np.sqrt(FOREARM**2 / (half @ half) - 1)
    return elbows[0] + half + up * np.array([-half[1], half[0]]), elbows


def by_hand(angles: np.ndarray) -> np.ndarray:
    """Two frequencies, Hz: arms as springs with 33/140 of their mass at the end, rods, and the tool as a point."""
    h = 1e-6
    ends = [[np.concatenate([x[None], y]) for x, y in (tool(angles, s * e) for s in (h, -h))] for e in np.eye(2)]
    rates = np.array([(ahead - behind) / (2 * h) for ahead, behind in ends])  # of tool, left and right elbow
    t, elbows = rates[:, 0], rates[:, 1:]
    M = STRIP * np.eye(2) + TOOL * t @ t.T
    for side in range(2):
        e = elbows[:, side]
        M += ROD / 6 * (2 * e @ e.T + e @ t.T + t @ e.T + 2 * t @ t.T)
    return np.sort(np.sqrt(SPRING / np.linalg.eigvalsh(M))) / (2 * np.pi)


def main() -> float:
    """Print and return the frequency at which the tool rings, Hz."""
    contents = read(FILE)
    model = contents.model
    motion = supple.simulate(model, **contents.run_arguments() | {"duration": 0.5, "samples": 501})
    energy = motion.kinetic_energy + motion.potential_energy
    assert abs(energy - motion.work).max() < 1e-6 * energy.max()
    assert abs(motion.constraint_error).max() < 1e-10

    held = {name: float(motion.q.sel(coordinate=name)[-1]) for name in ("left.angle", "right.angle")}
    bends = [i for i, name in enumerate(model.coordinates) if ".mode" in name]
    q = motion.q.values[-1].copy()
    q[bends] = 0.0
    straight = model.loops.assemble(q, [*held])
    modes = linear.modes(model, straight, fixed=[*held])
    expected = by_hand(np.array([*held.values()]))
    print("Hz, of the model:", modes.frequencies[:2].round(3), "by hand:", expected.round(3))
    assert np.abs(modes.frequencies[:2] / expected - 1).max() < 0.03

    after = motion.sel(time=slice(0.2, None))
    ringing = after.position.sel(frame="tool", axis="x").values - model.pose(straight, "tool")[1][0]
    turns = 2 * np.pi * np.outer(after.time, modes.frequencies[:2])
    waves = np.concatenate([np.sin(turns), np.cos(turns)], axis=1)
    left = np.abs(ringing - waves @ np.linalg.lstsq(waves, ringing, rcond=None)[0]).max() / np.abs(ringing).max()
    print(f"the tool rings by {1e3 * np.ptp(ringing):.3f} mm; two waves leave {100 * float(left):.1f} percent of it")
    assert left < 0.05
    return float(modes.frequencies[0])


if __name__ == "__main__":
    main()
