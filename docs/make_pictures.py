"""Draw the pictures of the README and the docs.

python -m pip install matplotlib && python docs/make_pictures.py
"""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np

import supple
from supple.files import read_simulation

mpl.use("Agg")
ROOT = Path(__file__).resolve().parents[1]


def folding_arm() -> None:
    """The six-axis arm of the first command: where it is at some times, and its energy."""
    path = ROOT / "examples" / "six_axis_arm.toml"
    model, plan = supple.load(path), read_simulation(path)
    assert plan is not None
    result = supple.simulate(model, **{**plan.arguments(), "samples": 501})
    _, p = model.poses(result.q.values)
    _, tool = model.pose(result.q.values, "flange/tool")
    line = np.concatenate([p, tool[:, None]], axis=1)

    figure = plt.figure(figsize=(11, 4.6), dpi=110)
    space = figure.add_subplot(1, 2, 1, projection="3d")
    shown = np.arange(0, 121, 8)
    for i, s in enumerate(shown):
        color = plt.get_cmap("viridis")(i / len(shown))
        space.plot(*line[s].T, "-o", color=color, markersize=3, linewidth=2)
    space.plot(*tool[:121].T, color="0.4", linewidth=0.8)
    space.set_aspect("equal")
    space.view_init(18, -60)
    for axis in (space.xaxis, space.yaxis, space.zaxis):
        axis.set_major_locator(plt.MaxNLocator(4))
    space.set_title("six axis arm: the first 1.2 s, a posture every 0.08 s", fontsize=9)

    time, kinetic, potential = result.time, result.kinetic_energy, result.potential_energy
    energy = figure.add_subplot(1, 2, 2)
    energy.plot(time, kinetic, label="kinetic")
    energy.plot(time, potential, label="potential")
    energy.plot(time, kinetic + potential, "k", label="total, falling by the joint dampers")
    energy.set_xlabel("time, s")
    energy.set_ylabel("energy, J")
    energy.grid(alpha=0.3)
    energy.legend(frameon=False)
    figure.tight_layout()
    figure.savefig(ROOT / "docs" / "images" / "six_axis_arm.png")


if __name__ == "__main__":
    folding_arm()
