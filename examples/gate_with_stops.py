"""A gate is pushed open and falls shut: it bounces off its post at the times that the falling of a ball has."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

import supple
from supple.files import read

FILE = Path(__file__).with_suffix(".toml")
INERTIA = 4.8 + 40.0 * 0.6**2  # about the hinge
PUSH, CLOSER, LET_GO, RESTITUTION = 30.0, 15.0, 1.2, 0.5


def by_hand(bounces: int) -> list[float]:
    """Times when it is let go, and when it meets the post: each flight is as long as the one before times e."""
    opening, closing = (PUSH - CLOSER) / INERTIA, CLOSER / INERTIA
    let_go = np.sqrt(2 * LET_GO / opening)
    speed = opening * let_go
    shut = np.sqrt(speed**2 + 2 * closing * LET_GO)  # the speed with which it comes to the post
    times = [let_go, let_go + (speed + shut) / closing]
    for n in range(1, bounces):
        times.append(times[-1] + 2 * shut * RESTITUTION**n / closing)
    return times


def main() -> float:
    """Print and return the time of the fifth bounce, s; check the first eight by hand, and the work."""
    contents = read(FILE)
    model = contents.model
    motion = supple.simulate(model, **contents.run_arguments())
    happened = json.loads(motion.attrs["events"])
    for t, name in happened:
        print(f"{t:10.6f} s: {name}")
    expected = by_hand(bounces=8)
    assert [name for _, name in happened].count("let go") == 1
    assert np.allclose([t for t, _ in happened[:9]], expected, rtol=1e-8)

    # In the end the post holds the gate against the closer. What the push has put in, the post has taken.
    assert motion.q.values[-1, 0] == 0.0
    assert motion.v.values[-1, 0] == 0.0
    print(f"the push has done {motion.work.values[-1]:.6f} J, all of it lost at the post")
    assert np.isclose(motion.work.values[-1], PUSH * LET_GO, rtol=1e-8)
    return float(happened[5][0])


if __name__ == "__main__":
    main()
