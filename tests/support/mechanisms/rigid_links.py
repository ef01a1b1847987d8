"""Mechanisms for the tests of equivalent rigid-link systems, and their motions by machine code and DOP853 of scipy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

import supple
from supple.description.joints import Joint
from supple.engines.blocks.compiled_function import CompiledFunction
from supple.erls import ErlsModel
from supple.erls.trace import ErlsTrace
from supple.structures import Material, Rectangle, beam
from support.generated.generators_flexible import Points, random_flexible, rigid_of

Floats = NDArray[np.float64]
ALUMINIUM = Material(E=70e9, nu=0.33, rho=2700.0)


def relative(a: Any, b: Any) -> float:
    """Largest difference over the largest entry of b, which is not all zero."""
    size = float(np.abs(b).max())
    assert size > 0
    return float(np.abs(a - b).max()) / size


def arm(links: int, basis: str = "craig-bampton", modes: int = 0, gravity: ArrayLike = (0.0, 0.0, -9.81)) -> Any:
    """A spatial arm of slender beams "l0", "l1", ... with a mass at each end."""
    mech = supple.Mechanism("arm", gravity)
    for i, axis in zip(range(links), "zyx", strict=False):
        rod = beam(0.5 - 0.05 * i, Rectangle(0.02, 0.008), ALUMINIUM, elements=4)
        rod = rod.with_mass("end", 0.05, inertia=(1e-5, 2e-5, 3e-5))
        body = rod.reduce(basis, modes, interfaces=["end"] if basis == "craig-bampton" else None)
        parent, at = ("ground", None) if i == 0 else (f"l{i - 1}", "end")
        mech.add_body(f"l{i}", body, parent, supple.Revolute(axis), at)
    return mech


def random_body(rng: np.random.Generator) -> supple.RigidBody:
    """A rigid body that is not symmetric."""
    A = rng.normal(size=(3, 3)) * 0.1
    S = A @ A.T
    return supple.RigidBody(float(rng.uniform(1, 2)), rng.normal(size=3) * 0.2, np.trace(S) * np.eye(3) - S)


def rigid_tree(seed: int) -> Any:
    """A tree of five rigid bodies on turned joints of every kind that is supported."""
    rng = np.random.default_rng(seed)
    mech = supple.Mechanism("tree", gravity=(0.3, -0.5, -9.81))
    joints = {
        "a": ("ground", supple.Revolute("y", damping=0.1)),
        "b": ("a", supple.Prismatic((1.0, 1.0, 0.0), stiffness=40.0, rest=0.1)),
        "c": ("b", supple.Revolute((1.0, 2.0, 3.0), inertia=0.1)),
        "d": ("a", supple.Revolute("x")),
        "e": ("d", supple.Fixed()),
        "f": ("e", supple.Prismatic("z", inertia=0.3)),
    }
    for name, (parent, joint) in joints.items():
        turn = Rotation.random(random_state=rng.integers(1000))
        mech.add_body(name, random_body(rng), parent, joint, rng.normal(size=3) * 0.3, turn)
    mech.add_wrench("push", "c", moment=(0.1, 0.2, 0.3), force=(1.0, -2.0, 3.0))
    mech.add_wrench("wind", "f", force=(2.0, 1.0, 0.5), axes="ground")
    return mech


def flexible_tree(seed: int, modes: int = 3) -> tuple[Any, dict[str, Points]]:
    """A tree of links made of point masses, "b" rigid and the others flexible, and the points."""
    rng = np.random.default_rng(seed)
    mech = supple.Mechanism("points", gravity=(0.3, -0.5, -9.81))
    joints: dict[str, tuple[str, Any, Joint]] = {
        "a": ("ground", (0.1, 0.2, 0.3), supple.Revolute("y")),
        "b": ("a", "a", supple.Prismatic((1.0, 1.0, 0.0), stiffness=40.0, rest=0.1)),
        "c": ("b", (0.2, -0.1, 0.3), supple.Revolute((1.0, 2.0, 3.0), inertia=0.1)),
        "d": ("a", "b", supple.Revolute("x")),
    }
    points = {}
    for name, (parent, at, joint) in joints.items():
        body, own = random_flexible(rng, modes, damped=False, coupled=name == "c")
        if name == "b":
            own = Points(own.mass, own.x, np.zeros((len(own.x), 3, 0)))
        points[name] = own
        turn = Rotation.random(random_state=rng.integers(1000))
        mech.add_body(name, rigid_of(own) if name == "b" else body, parent, joint, at, turn)
    return mech, points


def accelerations(model: ErlsModel) -> Callable[[Floats, Floats, Floats], Floats]:
    """Forward dynamics compiled from the graph."""
    t = ErlsTrace(model)
    found = {"a": t.forward_dynamics(t.q, t.v, t.tau)}
    return CompiledFunction.of(t.function("a", {"q": t.q, "v": t.v, "tau": t.tau}, found), threads=1)


def moved(
    model: ErlsModel,
    duration: float,
    q: ArrayLike | None = None,
    v: ArrayLike | None = None,
    samples: int = 2,
    rtol: float = 1e-10,
) -> tuple[Floats, Floats]:
    """Coordinates and speeds (samples, nv) at equal intervals of a motion without drives."""
    n, a, none = model.nv, accelerations(model), np.zeros(model.nv)
    start = np.concatenate([none if q is None else q, none if v is None else v])
    done = solve_ivp(
        lambda _, y: np.concatenate([y[n:], a(y[:n].copy(), y[n:].copy(), none)]),
        (0.0, duration),
        start,
        method="DOP853",
        rtol=rtol,
        atol=1e-12,
        t_eval=np.linspace(0.0, duration, samples),
    )
    assert done.success
    return done.y[:n].T, done.y[n:].T
