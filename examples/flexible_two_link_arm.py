"""A two-link arm of aluminium strips: how far it sags, how slowly it rings, and how its tip lags behind the motors."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy import linalg, optimize

import supple
from supple.files import read
from supple.structures import FlexibleBody

Floats = NDArray[np.float64]
FILE = Path(__file__).with_suffix(".toml")
E, RHO, WIDTH, HEIGHT, LENGTH, ELBOW, PAYLOAD, GRAVITY = 70e9, 2700.0, 0.008, 0.06, 1.0, 1.0, 0.5, 9.81
LINE = RHO * WIDTH * HEIGHT


def sag_of_a_beam() -> float:
    """Deflection of the tip of a clamped beam of two lengths under its weight and two masses, by superposition."""
    EI, L = E * WIDTH * HEIGHT**3 / 12, 2 * LENGTH
    elbow = ELBOW * LENGTH**2 * (3 * L - LENGTH) / (6 * EI)
    return GRAVITY * (elbow + LINE * L**4 / (8 * EI) + PAYLOAD * L**3 / (3 * EI))


def frequency_of_a_beam() -> float:
    """First frequency, Hz, of that beam in its soft direction, from Euler and Bernoulli's equation."""
    EI = E * HEIGHT * WIDTH**3 / 12

    def at_free_end(frequency: float) -> float:
        """Zero if moment and shear can vanish; deflection, slope, moment and shear go along the beam."""
        w2 = (2 * np.pi * frequency) ** 2
        link = linalg.expm(LENGTH * np.array([[0, 1, 0, 0], [0, 0, 1 / EI, 0], [0, 0, 0, 1], [LINE * w2, 0, 0, 0]]))
        elbow, payload = np.eye(4), np.eye(4)
        elbow[3, 0], payload[3, 0] = ELBOW * w2, PAYLOAD * w2
        return float(np.linalg.det((payload @ link @ elbow @ link)[2:, 2:]))

    return float(optimize.brentq(at_free_end, 0.5, 3.0, xtol=1e-12))


def with_held_joints(model: supple.Model) -> tuple[Floats, float]:
    """Equilibrium of the links and their first frequency, Hz."""
    bending = [i for i, name in enumerate(model.speeds) if "mode" in name]
    q, still = model.neutral(), np.zeros(model.nv)

    def stiffness() -> Floats:
        steps = 1e-20j * np.eye(model.nq)[bending]
        return model.bias_forces(q + steps, still).imag[:, bending] / 1e-20

    for _ in range(3):  # Newton's method
        q[bending] -= np.linalg.solve(stiffness(), model.bias_forces(q, still)[bending])
    squares = linalg.eigh(stiffness(), model.mass_matrix(q)[np.ix_(bending, bending)], eigvals_only=True)
    return q, float(np.sqrt(squares[0]) / (2 * np.pi))


def twin(model: supple.Model, gravity: float, rigid: bool) -> supple.Model:
    """The same arm under other gravity, or of links that do not bend."""
    mech = supple.Mechanism("twin", gravity=(0, 0, -gravity))
    for name, placed in model.description.bodies.items():
        body, at = placed.body, placed.node
        if rigid and isinstance(body, FlexibleBody):
            body = supple.RigidBody(body.mass, body.com, body.inertia)
        mech.add_body(name, body, placed.parent, placed.joint, (LENGTH, 0, 0) if rigid and at else at)
    return mech.build()


def tip(model: supple.Model, q: Floats) -> Floats:
    """Path of the payload under the torques of the file: both joints speed up and brake again."""
    return supple.simulate(model, **read(FILE).run_arguments() | {"q": q}).position.values[:, 0]


def main() -> float:
    """Print and return the first frequency with held joints; check it and the sag against beam theory."""
    model = read(FILE).model
    q, _ = with_held_joints(model)
    sag, sag_of_beam = -model.pose(q, "payload")[1][2], sag_of_a_beam()
    _, frequency = with_held_joints(twin(model, gravity=0.0, rigid=False))  # as in Euler and Bernoulli's equation
    print(f"sag {1e3 * sag:.4f} mm, of a beam {1e3 * sag_of_beam:.4f} mm")
    print(f"first frequency {frequency:.5f} Hz, of a beam {frequency_of_a_beam():.5f} Hz")
    assert np.isclose(sag, sag_of_beam, rtol=1e-4)
    assert np.isclose(frequency, frequency_of_a_beam(), rtol=1e-5)

    stiff = twin(model, GRAVITY, rigid=True)
    there, wanted = tip(model, q), tip(stiff, stiff.neutral())
    way, off = np.linalg.norm(wanted[-1] - wanted[0]), np.linalg.norm(there - wanted, axis=1).max()
    assert 0.1 < off < way
    print(f"driven over {way:.2f} m, the payload is up to {off:.3f} m off the way of a rigid arm")
    return frequency


if __name__ == "__main__":
    main()
