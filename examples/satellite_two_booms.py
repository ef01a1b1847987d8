"""A satellite with two flexible booms is spun up by a torque pulse: momentum is kept, what rings dies away."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import supple
from supple.structures import FlexibleBody

Floats = NDArray[np.float64]
PEAK, PULSE = 60.0, 1.0
IMPULSE = PEAK * PULSE / 2
BUS, LENGTH, HUB, TIP = 50.0, 5.0, 0.5, 2.0
OUTER, INNER, E, RHO = 0.015, 0.014, 120e9, 1600.0
AREA, SECOND = np.pi * (OUTER**2 - INNER**2), np.pi * (OUTER**4 - INNER**4) / 4


def inertia_of_it_all() -> float:
    """Undeformed, about z through the middle of the bus, by hand."""
    line, slices = RHO * AREA, RHO * SECOND * LENGTH
    boom = line * ((HUB + LENGTH) ** 3 - HUB**3) / 3 + slices + TIP * (HUB + LENGTH) ** 2
    return BUS + 2 * boom


def estimated_frequency() -> float:
    """Of both tips against the bus, Hz: masses on springs 3 EI / L^3, with Rayleigh's 33/140 of the booms' mass."""
    tip = TIP + 33 / 140 * RHO * AREA * LENGTH
    spring = 3 * E * SECOND / LENGTH**3
    against_bus = 1 + 2 * tip * (HUB + LENGTH) ** 2 / BUS
    return float(np.sqrt(spring / tip * against_bus) / (2 * np.pi))


def pulse(t: float, q: Floats, v: Floats) -> Floats:
    """A smooth push about the bus' z axis."""
    tau = np.zeros(len(v))
    tau[2] = PEAK * np.sin(np.pi * t / PULSE) ** 2 if t < PULSE else 0.0
    return tau


def main() -> float:
    """Print and return the spin that is left; check it, the momentum and the frequency of the booms."""
    model = supple.load(Path(__file__).with_suffix(".toml"))
    boom1, boom2 = (model.description.bodies[name].body for name in ("boom1", "boom2"))
    assert isinstance(boom1, FlexibleBody)
    assert boom1 is boom2  # equal reductions of one structure are one body

    A, _ = model.linearize(model.neutral(), np.zeros(model.nv), np.zeros(model.nv))
    frequencies = np.unique(np.abs(np.linalg.eigvals(A).imag).round(9))[1:] / (2 * np.pi)
    estimate = estimated_frequency()
    ringing = float(frequencies[np.argmin(np.abs(frequencies - estimate))])
    print(f"booms against the bus {ringing:.4f} Hz, estimated {estimate:.4f} Hz")
    assert np.isclose(ringing, estimate, rtol=0.01)

    motion = supple.simulate(model, 60.0, tau=pulse, rtol=1e-10, atol=1e-12, samples=601)
    q, v, t = motion.q.values, motion.v.values, motion.time.values
    momentum = model.momentum(q, v)[t >= PULSE]
    assert np.allclose(momentum, [0, 0, IMPULSE, 0, 0, 0], rtol=0, atol=1e-8)
    _, tips = model.pose(q, "boom1/end")
    R, bus = model.pose(q, "bus")
    seen = np.einsum("tji,tj->ti", R, tips - bus)  # from the bus
    spin, expected = float(v[-1, 2]), IMPULSE / inertia_of_it_all()
    energy = (motion.kinetic_energy + motion.potential_energy).values[t >= PULSE]
    print(
        f"the tips swing over {100 * np.ptp(seen[:, 1]):.1f} cm; of {energy[0]:.4f} J the booms take up "
        f"{energy[0] - energy[-1]:.4f} J, of the momentum nothing"
    )
    print(f"the spin settles at {spin:.7f} rad/s; momentum over inertia is {expected:.7f} rad/s")
    assert np.ptp(seen[:, 1]) > 0.05
    assert np.isclose(spin, expected, rtol=1e-7)
    return spin


if __name__ == "__main__":
    main()
