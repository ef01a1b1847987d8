"""Inverse operational space inertia J M^-1 J* of frames on a branched arm: time a call, growth with bodies and frames.

Half of the bodies are a trunk, the others two arms on it; frames are at the tips and evenly down the arms. Beside
Pinocchio's Delassus operators in the same run: `computeDelassusMatrix`, and the Cholesky decomposition of its
constraint dynamics (mass matrix and all). Its `Data` holds tensors of nv^3 numbers, so that it is timed on trees that
fit. All answers agree, with a dense J M^-1 J* too, before anything is timed.

    python -m benchmarks.speed.operational_inertia [--small]
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

import supple
from benchmarks.sizes import SMALL, best_time, compile_at_once

Floats = NDArray[np.float64]
SIZES = ((16, 1), (32, 2)) if SMALL else ((8, 1), (32, 2), (100, 2), (100, 6), (300, 2), (1_000, 2), (10_000, 2))
LARGEST_PEER = 300
MASS, COM, INERTIA, OFFSET = 1.0, (0.0, 0.0, 0.05), (0.01, 0.01, 0.002), (0.0, 0.0, 0.1)


def parents(bodies: int) -> list[int]:
    """Number of each body's parent, -1 for the ground."""
    trunk, arm = bodies // 2, bodies // 4
    return [trunk - 1 if k == trunk + arm else k - 1 for k in range(bodies)]


def carriers(bodies: int, frames: int) -> list[int]:
    """Bodies that the frames are on, on both arms in turn."""
    arm, half = bodies // 4, (frames + 1) // 2
    tips = (bodies - 1, bodies // 2 + arm - 1)
    return [tips[i % 2] - (i // 2) * (arm // half) for i in range(frames)]


def branched(bodies: int) -> supple.Model:
    """Equal links with axes x, y, z in turn."""
    mech = supple.Mechanism("two arms")
    for k, p in enumerate(parents(bodies)):
        link = supple.RigidBody(MASS, COM, INERTIA)
        at = OFFSET if k else None
        mech.add_body(f"b{k}", link, "ground" if p < 0 else f"b{p}", supple.Revolute("xyz"[k % 3]), at=at)
    return mech.build()


def peer(bodies: int, at: list[int], q: Floats) -> tuple[Any, Any, Floats] | None:
    """Two functions of Pinocchio that compute the same, and what they give: moments first, axes of the bodies."""
    try:
        import pinocchio as pin
    except ImportError:
        return None
    model, number = pin.Model(), {-1: 0}
    joints = [pin.JointModelRX, pin.JointModelRY, pin.JointModelRZ]
    for k, p in enumerate(parents(bodies)):
        place = pin.SE3(np.eye(3), np.array(OFFSET if k else (0.0, 0.0, 0.0)))
        number[k] = model.addJoint(number[p], joints[k % 3](), place, f"j{k}")
        model.appendBodyToJoint(number[k], pin.Inertia(MASS, np.array(COM), np.diag(INERTIA)), pin.SE3.Identity())
    contacts, datas = pin.StdVec_RigidConstraintModel(), pin.StdVec_RigidConstraintData()
    for k in at:
        contact = pin.RigidConstraintModel(pin.ContactType.CONTACT_6D, model, number[k], pin.ReferenceFrame.LOCAL)
        contacts.append(contact)
        datas.append(contact.createData())
    data = model.createData()
    delassus = partial(pin.computeDelassusMatrix, model, data, q, contacts, datas)
    cholesky = pin.ContactCholeskyDecomposition(model, data, contacts, datas)

    def decomposed() -> Any:
        pin.crba(model, data, q, pin.Convention.WORLD)
        cholesky.compute(model, data, contacts, datas, 0.0)
        return cholesky.getInverseOperationalSpaceInertiaMatrix()

    order = np.concatenate([6 * i + np.array([3, 4, 5, 0, 1, 2]) for i in range(len(at))])
    found = np.array(delassus())[np.ix_(order, order)]
    other = np.array(decomposed())[np.ix_(order, order)]
    assert np.abs(other - found).max() < 1e-6 * np.abs(found).max(), "Pinocchio gives two answers"
    return delassus, decomposed, found


def dense(model: supple.Model, q: Floats, names: list[str]) -> Floats:
    """J M^-1 J*."""
    J = np.concatenate([model.jacobian(q, name, axes="frame") for name in names])
    return np.asarray(J @ np.linalg.solve(model.mass_matrix(q), J.T))


def main() -> None:
    """Print the table."""
    compile_at_once()
    table = Table(title="J M^-1 J* of frames on two arms, one state, microseconds")
    for column in ("bodies", "frames", "supple", "a body", "dense J M^-1 J*", "Delassus", "Cholesky", "ratio"):
        table.add_column(column, justify="right")
    rng = np.random.default_rng(0)
    for bodies, frames in SIZES:
        model, at = branched(bodies), carriers(bodies, frames)
        names, q = [f"b{k}" for k in at], rng.uniform(-0.3, 0.3, bodies)
        mine = partial(model.inverse_operational_inertia, q, names, axes="frame")
        found = mine()
        cells = ["", "", "", ""]
        if bodies <= LARGEST_PEER:
            expected = dense(model, q, names)
            assert np.abs(found - expected).max() < 1e-9 * np.abs(expected).max()
            cells[0] = f"{1e6 * best_time(partial(dense, model, q, names)):.0f}"
        spent = best_time(mine)
        other = peer(bodies, at, q) if bodies <= LARGEST_PEER else None
        if other is not None:
            assert np.abs(found - other[2]).max() < 1e-6 * np.abs(found).max(), "Pinocchio gives another answer"
            times = [best_time(f) for f in other[:2]]
            cells[1:] = [f"{1e6 * times[0]:.1f}", f"{1e6 * times[1]:.1f}", f"{spent / min(times):.2f}"]
        table.add_row(f"{bodies:,}", str(frames), f"{1e6 * spent:.1f}", f"{1e6 * spent / bodies:.3f}", *cells)
    Console().print(table)
    Console().print("ratio: to the faster of Pinocchio's two")


if __name__ == "__main__":
    main()
