"""Small models that tests of sweeps vary."""

from __future__ import annotations

from pathlib import Path

OSCILLATOR = """
name = "oscillator"
gravity = [0.0, 0.0, 0.0]

[[body]]
name = "mass"
joint = { type = "prismatic", axis = "x", stiffness = 4.0 }
mass = 1.0

[variables]
limit = 100.0

[[event]]
name = "too far"
when = "mass.position - limit"
stop = true

[simulation]
duration = 1.0
samples = 11

[simulation.q]
mass.position = 1.0
"""
SWEEP = """
[sweep]
samples = 12
seed = 3
trajectories = ["q"]

[sweep.vary]
"body.mass.joint.stiffness" = { uniform = [1.0, 9.0] }
simulation.q.mass.position = { normal = [1.0, 0.1], truncate = 3 }

[sweep.measure]
end = "last(mass.position)"
f = "frequency(1)"
"""


def swept(folder: Path, more: str = SWEEP, name: str = "oscillator.toml") -> Path:
    """The file of an oscillator with a table [sweep], in a folder."""
    file = folder / name
    file.write_text(OSCILLATOR + more)
    return file
