"""A Stewart platform lifted and tilted by its six legs: the forces that hold it are those of statics."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import supple
from supple.files import read

FILE = Path(__file__).with_suffix(".toml")
LEGS = [f"leg{n}.position" for n in range(1, 7)]
KP, LIFTS = 1e4, np.array([0.08, 0.1, 0.08, 0.02, 0.0, 0.02])
G = np.array([0.0, 0.0, -9.81])


def by_hand(model: supple.Model, q: np.ndarray) -> np.ndarray:
    """Forces of the legs, N, from the balance of the platform's forces and moments.

    Along itself a leg passes on what its actuator gives less the weight of its rod; across, what its weights do by
    their levers about the joint at the ground.
    """
    R, place = model.pose(q, "platform")
    middle = place + R @ [0.04, 0.02, 0.02]
    columns, known = [], np.concatenate([np.zeros(3), 20.0 * G])
    for n in range(1, 7):
        foot, end = model.pose(q, f"tube{n}")[1], model.pose(q, f"leg{n}")[1]
        length = np.linalg.norm(end - foot)
        u = (end - foot) / length
        levers = (1.5 * 0.2 + 0.8 * (length - 0.2)) / length
        passed = 0.8 * (u @ G) * u + levers * (G - (u @ G) * u)
        columns.append(np.concatenate([np.cross(end - middle, u), u]))
        known = known + np.concatenate([np.cross(end - middle, passed), passed])
    return np.linalg.solve(np.transpose(columns), -known)


def main() -> float:
    """Print and return the largest force of a leg at rest, N; check all six by statics and by the control errors."""
    model = read(FILE).model
    assert model.loops is not None
    motion = supple.simulate(model, **read(FILE).run_arguments())
    still = np.zeros(model.nv)
    for at in (0, -1):
        q = motion.q.values[at]
        force = model.loops.drives(q, still, still, LEGS)[[model.speeds.index(leg) for leg in LEGS]]
        assert np.allclose(force, by_hand(model, q), rtol=1e-8)

    # The controllers have no term against the weight: each leg comes to rest off its target by its force over kp.
    lengths = motion.q.sel(coordinate=LEGS).values
    assert np.allclose(lengths[0], 0.0, atol=1e-12)
    assert np.allclose(LIFTS - lengths[-1], force / KP, atol=1e-9)
    assert abs(motion.constraint_error).max() < 1e-12
    lifted = float(np.ptp(motion.position.sel(frame="platform", axis="z").values[[0, -1]]))
    print(f"lifted by {lifted:.6f} m; held by", ", ".join(f"{x:.4f}" for x in force), "N")
    return float(force.max())


if __name__ == "__main__":
    main()
