"""Random mechanisms for tests: any tree, every joint kind, springs, dampers and wrenches."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from scipy.spatial.transform import Rotation

import supple
from supple.description.joints import Joint

SEEDS = [int(seed) for seed in np.random.default_rng(0).integers(0, 10**6, 12)]
TREES = list(zip(SEEDS, [*range(1, 22, 2), 45], strict=True))
"""Seeds and numbers of bodies: 1 to 21, and 45. The same for all laws, so that what is compiled for one serves the
others; every kind of joint is in each that has 11 bodies or more."""
FEW_TREES = TREES[0:8:3]
"""Those that always run: of 1, 7 and 13 bodies."""


def random_body(rng: np.random.Generator) -> supple.RigidBody:
    """A body made of six random point masses, so that its inertia is one that a real body can have."""
    masses = rng.uniform(0.1, 1.0, 6)
    points = rng.normal(size=(6, 3)) * 0.3
    com = masses @ points / masses.sum()
    d = points - com
    inertia = np.einsum("i,ij,ij->", masses, d, d) * np.eye(3) - np.einsum("i,ij,ik->jk", masses, d, d)
    return supple.RigidBody(float(masses.sum()), rng.normal(size=3) * 0.3, inertia)


def random_joint(rng: np.random.Generator, kind: int, bare: bool = False) -> Joint:
    """The joint of number `kind`, 0 to 10, with random axes; half with spring, damper and rotor, unless `bare`."""
    extra = {}
    if rng.random() < 0.5 and not bare:
        extra = {"damping": float(rng.uniform(0, 2)), "inertia": float(rng.uniform(0, 0.2))}
    spring = {"stiffness": float(rng.uniform(0, 30)), "rest": float(rng.normal())} if extra else {}
    axis, other, third = Rotation.random(random_state=int(rng.integers(2**31))).as_matrix()
    skew = axis + 0.3 * other
    return (
        lambda: supple.Revolute(axis, **extra, **spring),
        lambda: supple.Prismatic(axis, **extra, **spring),
        lambda: supple.Helical(axis, pitch=0.3, **extra, **spring),
        lambda: supple.Cylindrical(axis, **extra, **spring),
        lambda: supple.Universal(axis, skew + other, **extra, **spring),
        lambda: supple.Spherical(**extra),
        lambda: supple.Planar(axis, **extra, **spring),
        lambda: supple.Free(**extra),
        lambda: supple.Fixed(),
        lambda: supple.BuildingBlock([axis, skew + third], "2", **extra, **spring),
        lambda: supple.BuildingBlock([axis, other, skew + third], str(rng.choice(["123", "313", "231"])), **extra),
    )[kind]()


KINDS = 11


@lru_cache(maxsize=64)  # models do not change, and those that laws share are loaded once
def random_tree(
    seed: int, bodies: int, gravity: bool = True, forces: bool = True, free_base: bool = False
) -> supple.Model:
    """A model of so many bodies; with as many as there are kinds every kind occurs.

    Tests that change what models are made of take `random_tree.__wrapped__`, which makes a new one.
    """
    rng = np.random.default_rng(seed)
    mech = supple.Mechanism(f"tree {seed}", gravity=(0.3, -0.5, -9.81) if gravity else (0, 0, 0))
    kinds = rng.permutation(np.arange(bodies) % KINDS)
    names: list[str] = []
    for i in range(bodies):
        joint = supple.Free() if free_base and i == 0 else random_joint(rng, int(kinds[i]))
        near = names[-3:] if rng.random() < 0.7 else names
        ground = not names or (rng.random() < 0.1 and not free_base)
        parent = "ground" if ground else str(rng.choice(near))
        rotation = Rotation.random(random_state=int(rng.integers(2**31)))
        mech.add_body(f"b{i}", random_body(rng), parent, joint, at=rng.normal(size=3) * 0.5, rotation=rotation)
        names.append(f"b{i}")
    if forces:
        mech.add_frame("tip", names[-1], rng.normal(size=3))
        mech.add_spring_damper("s", f"{names[-1]}/tip", "ground", 20.0, 3.0, 0.2)
        mech.add_spring_damper("t", names[0], f"{names[-1]}/tip", 10.0, 1.0, 0.5)
        mech.add_wrench("thrust", f"{names[-1]}/tip", rng.normal(size=3), rng.normal(size=3))
        mech.add_wrench("wind", names[0], rng.normal(size=3), rng.normal(size=3), axes="ground")
    return mech.build()
