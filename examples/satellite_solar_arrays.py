"""A satellite with two solar arrays is turned by a push and a brake: how its panels vibrate, and how far it turns."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from scipy.spatial.transform import Rotation

import supple
from supple import linear, structures
from supple.files import read

FILE = Path(__file__).with_suffix(".toml")
TORQUE, PUSH, BUS, HUB = 5.0, 4.0, 90.0, 0.5


def array() -> structures.Structure:
    """The array of the model file, by calls."""
    carbon = structures.Orthotropic(E1=70e9, E2=70e9, nu12=0.05, G12=5e9, rho=1600)
    honeycomb = structures.Orthotropic(E1=1e6, E2=1e6, nu12=0.3, G12=1e6, G13=180e6, G23=90e6, rho=32)
    face, core = structures.Layer(0.0002, carbon), structures.Layer(0.02, honeycomb)
    panel = structures.plate(
        (3.6, 1.8),
        layup=structures.Layup([face, core, face]),
        elements=(8, 4),
        frames={"hinge1": (0.0, -0.45), "hinge2": (0.0, 0.45), "tip": (3.6, 0.0)},
    )
    tube, aluminium = structures.Tube(0.02, thickness=0.0015), structures.Material(E=70e9, nu=0.3, rho=2700)
    yoke = structures.beam_path([(0.6, -0.45, 0), (0, 0, 0), (0.6, 0.45, 0)], tube, aluminium, elements=2)
    return structures.assemble(
        {"yoke": yoke, "panel": structures.Part(panel, at=(0.6, 0, 0))},
        [structures.Weld(["yoke.start", "panel.hinge1"]), structures.Weld(["yoke.end", "panel.hinge2"])],
        frames={"start": "yoke.corner1", "tip": "panel.tip"},
    )


def first_mode_on_a_free_bus(body: structures.FlexibleBody) -> float:
    """Hz, of both arrays against the bus, by the first mode of one that is held: f / sqrt(1 - 2 h^2 / J).

    h is the angular momentum about the middle of the bus of a unit speed of the mode, J the inertia of it all.
    """
    assert body.report is not None
    h = body.integrals.F_0[0, 1] - HUB * body.integrals.E[0, 2]
    return float(body.report.frequencies[0] / np.sqrt(1 - 2 * h**2 / inertia(body)))


def inertia(body: structures.FlexibleBody) -> float:
    """Of the undeformed satellite about y, kg m^2."""
    return BUS + 2 * float(body.inertia[1, 1] + body.mass * ((HUB + body.com[0]) ** 2 + body.com[2] ** 2))


def main() -> float:
    """Print and return the angle it turns by, rad; check it and the frequency of the arrays."""
    model = read(FILE).model
    body = model.description.bodies["array1"].body
    assert isinstance(body, structures.FlexibleBody)
    assert body.report is not None
    made = array().reduce("cantilever", modes=4, damping=0.02)
    assert np.array_equal(made.stiffness.diagonal(), body.stiffness.diagonal())

    modes, expected = linear.modes(model), first_mode_on_a_free_bus(body)
    i = int(np.argmin(np.abs(modes.frequencies - expected)))
    print(f"an array of {body.mass:.2f} kg vibrates at {body.report.frequencies[0]:.4f} Hz on a bus that is held,")
    print(f"both at {modes.frequencies[i]:.4f} Hz against a free one; by the first mode alone {expected:.4f} Hz")
    assert np.isclose(modes.frequencies[i], expected, rtol=0.01)

    run = read(FILE).run_arguments() | {"duration": 40.0, "samples": 401, "rtol": 1e-9, "atol": 1e-11}
    motion = supple.simulate(model, **run)
    t, momentum = motion.time.values, motion.momentum.values
    pushed = TORQUE * (np.minimum(t, PUSH) - np.clip(t - PUSH, 0, PUSH))
    assert np.allclose(momentum, pushed[:, None] * [0, 1, 0, 0, 0, 0], rtol=0, atol=1e-7)

    attitude = Rotation.from_quat(motion.orientation.sel(frame="bus").values)
    tip = attitude.inv().apply((motion.position.sel(frame="array1/tip") - motion.position.sel(frame="bus")).values)
    print(f"a tip bends by up to {1e3 * np.abs(tip[:, 2]).max():.2f} mm")
    angle, rigid = float(attitude[-1].magnitude()), TORQUE * PUSH**2 / inertia(body)
    print(f"it has turned by {angle:.6f} rad; torque times time squared over inertia is {rigid:.6f} rad")
    assert np.isclose(angle, rigid, rtol=1e-3)
    return angle


if __name__ == "__main__":
    main()
