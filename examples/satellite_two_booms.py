"""A satellite with two flexible booms is turned by a push and a brake: how far it turns, how its booms ring then."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

import supple
from supple import linear
from supple.files import read
from supple.structures import FlexibleBody

Floats = NDArray[np.float64]
FILE = Path(__file__).with_suffix(".toml")
TORQUE, PUSH, DAMPING = 10.0, 3.0, 0.03
BUS, LENGTH, HUB, TIP = 50.0, 5.0, 0.5, 2.0
OUTER, INNER, E, RHO = 0.015, 0.014, 120e9, 1600.0
AREA, SECOND, ARM = np.pi * (OUTER**2 - INNER**2), np.pi * (OUTER**4 - INNER**4) / 4, HUB + LENGTH


def inertia_of_it_all() -> float:
    """Undeformed, about z through the middle of the bus, by hand."""
    line, slices = RHO * AREA, RHO * SECOND * LENGTH
    boom = line * (ARM**3 - HUB**3) / 3 + slices + TIP * ARM**2
    return BUS + 2 * boom


def one_mode() -> tuple[float, float, float]:
    """Of both tips against the bus: frequency, Hz, damping ratio, and how far a lasting 1 N m bends them, m.

    Masses on springs 3 EI / L^3, with Rayleigh's 33/140 of the booms' mass. Where the whole turns with the angular
    acceleration 1 / inertia each spring pulls its mass along; a boom's own mass counts as much as its points move when
    the tip does, which leaves 11/40 of its length and 3/8 of the hub's arm.
    """
    boom = RHO * AREA * LENGTH
    tip, spring = TIP + 33 / 140 * boom, 3 * E * SECOND / LENGTH**3
    faster = np.sqrt(1 + 2 * tip * ARM**2 / BUS)  # than on a bus that is held
    load = TIP * ARM + boom * (11 / 40 * LENGTH + 3 / 8 * HUB)
    return float(np.sqrt(spring / tip) * faster / (2 * np.pi)), DAMPING * faster, load / spring / inertia_of_it_all()


def ringing(t: Floats) -> Floats:
    """Of a tip after the push and the brake, m: three steps of torque, each with its damped response."""
    frequency, damping, bend = one_mode()
    rate, w = 2 * np.pi * frequency * damping, 2 * np.pi * frequency * np.sqrt(1 - damping**2)
    out = np.zeros(len(t))
    for start, step in ((0.0, TORQUE), (PUSH, -2 * TORQUE), (2 * PUSH, TORQUE)):
        s = t - start
        out -= step * bend * (1 - np.exp(-rate * s) * (np.cos(w * s) + rate / w * np.sin(w * s)))
    return out


def main() -> float:
    """Print and return the angle it turns by, rad; check it, the momentum and how the booms ring."""
    model = read(FILE).model
    boom1, boom2 = (model.description.bodies[name].body for name in ("boom1", "boom2"))
    assert isinstance(boom1, FlexibleBody)
    assert boom1 is boom2  # equal reductions of one structure are one body

    frequency, damping, _ = one_mode()
    modes = linear.modes(model)
    i = int(np.argmin(np.abs(modes.frequencies - frequency)))
    print(f"booms against the bus {modes.frequencies[i]:.4f} Hz, estimated {frequency:.4f} Hz")
    assert np.isclose(modes.frequencies[i], frequency, rtol=0.01)
    assert np.isclose(modes.damping[i], damping, rtol=0.01)

    run = read(FILE).run_arguments() | {"duration": 60.0, "samples": 1201, "rtol": 1e-10, "atol": 1e-12}
    motion = supple.simulate(model, **run)
    t, momentum = motion.time.values, motion.momentum.values
    pushed = TORQUE * (np.minimum(t, PUSH) - np.clip(t - PUSH, 0, PUSH))
    assert np.allclose(momentum, pushed[:, None] * [0, 0, 1, 0, 0, 0], rtol=0, atol=1e-8)

    attitude = Rotation.from_quat(motion.orientation.sel(frame="bus").values)
    tip = (motion.position.sel(frame="boom1/end") - motion.position.sel(frame="bus")).values
    after = (t >= 2 * PUSH) & (t < 2 * PUSH + 4)
    swing, expected = attitude.inv().apply(tip)[after, 1], ringing(t[after])
    print(f"after the brake the tips ring by {1e3 * np.abs(swing).max():.2f} mm, by the formula of one mode ", end="")
    print(f"{1e3 * np.abs(expected).max():.2f} mm")
    assert np.abs(swing - expected).max() < 0.06 * np.abs(swing).max()

    angle, rigid = float(attitude[-1].magnitude()), TORQUE * PUSH**2 / inertia_of_it_all()
    print(f"it has turned by {angle:.7f} rad; torque times time squared over inertia is {rigid:.7f} rad")
    assert np.isclose(angle, rigid, rtol=1e-4)  # up to the square of the deformation
    return angle


if __name__ == "__main__":
    main()
