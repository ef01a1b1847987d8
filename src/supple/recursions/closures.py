"""Closed chains: constraints between frames on top of the tree (section 9).

A constraint is a row: a number that depends on how a second frame lies and moves relative to a first one. With the
relative pose R, p, velocity w, u and acceleration dw, du, all relative to the first frame and in its axes, a row has

    phi(R, p) = 0,    phi' = N . (w, u),    phi'' = N . (dw, du) + curvature,

and its force acts as the wrench lambda N on the second body and -lambda N on the first. J* is found by carrying these
wrenches inward, M^-1 J* by the articulated sweeps: linear in the bodies for each row. The effective inertia that the
tree reflects to the closures is the inverse of S = J M^-1 J*; it is never needed itself.

S may be singular: rows repeat each other in an overconstrained mechanism, or in passing where a mechanism has a choice.
So forces are found by rounds of solutions with a little more than S on the diagonal (Tikhonov, iterated), each of what
the ones before have left. That gives the forces of least size, and passes through singular configurations.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from supple.recursions.tree import Array, Flex, Tree

# What a row demands (`Closures.row_kind`); a is fixed in the first frame, b in the second, c and d are numbers.
ALONG = 0  # a . p = c
ANGLE = 1  # a . R b = c
DISTANCE = 2  # |p| = c
SCREW = 3  # a . p = d times the angle about a
COUPLING = 4  # a sum of two coordinates times numbers is c; it has no frames
HEIGHT = 5  # a wheel with axis b (a ball for b = 0) and radius d stands on the plane z = c of the first frame
SLIP = 6  # its touching point does not move along a: a condition on velocities alone


class Closures(NamedTuple):
    """Constraints of a model as flat arrays. Never written to."""

    pair_frames: Array
    """(pairs, 2) first and second frame, by their numbers in `Tree.frames`."""
    row_kind: Array
    """(rows,) one of the constants above."""
    row_pair: Array
    """(rows,) its pair of frames; -1 of a coupling."""
    row_first: Array
    """(rows, 3) a."""
    row_second: Array
    """(rows, 3) b."""
    row_number: Array
    """(rows, 2) c, d."""
    row_coordinates: Array
    """(rows, 2) coordinates that a coupling joins."""
    row_speeds: Array
    """(rows, 2) their speeds."""
    row_ratios: Array
    """(rows, 2) their factors."""
    row_path: Array
    """(rows, n + 1) bodies that its force goes through: those that it acts on, and all inboard of these."""
    row_reach: Array
    """(rows, n + 1) bodies that its force moves: the same, and all that they carry."""


class ClosedTree(NamedTuple):
    """A tree with constraints on top. Never written to."""

    tree: Tree
    flex: Flex | None
    closures: Closures


class ClosureWorkspace(NamedTuple):
    """What is computed of the closures. One for each thread."""

    R_first: Array
    """(pairs, 9) R_ground_first."""
    p_second: Array
    """(pairs, 3) origin of the second frame in the ground frame."""
    R: Array
    """(pairs, 9) R_first_second."""
    p: Array
    """(pairs, 3) origin of the second frame in the first."""
    V: Array
    """(pairs, 6) w, u."""
    A: Array
    """(pairs, 6) dw, du for the accelerations in `Workspace.alpha`."""
    N: Array
    """(rows, 6) how a row sees the relative velocity."""
    position: Array
    """(rows,) phi; zero where there is none."""
    velocity: Array
    """(rows,) phi'."""
    curvature: Array
    """(rows,) phi'' less N . (dw, du)."""
    acceleration: Array
    """(rows,) phi'' for the accelerations in `Workspace.alpha`."""
    J: Array
    """(rows, nv) phi' = J v."""
    columns: Array
    """(nv, rows) J*, of use within a step only."""
    X: Array
    """(rows, nv) M^-1 J*, its columns as rows."""
    S: Array
    """(rows, rows) J M^-1 J*."""
    hold: Array
    """(rows, nv) generalized forces that hold prescribed accelerations at zero against a unit force of a row."""
    force: Array
    """(rows,) lambda."""
    L: Array
    """(rows, rows) factor of the regularized S, the same in both halves."""
    pivot: Array
    """(rows,) D of L D L*."""
    left: Array
    """(rows,) of use within a step only."""
    error: Array
    """(rows,) what the forces must bring about."""
    still: Array
    """(nv,) zeros."""


class Projection(NamedTuple):
    """What a batch of states has of its constraints, and the steps that close them. By `closed_chains.projection`."""

    position: Array
    """(s, rows) phi."""
    velocity: Array
    """(s, rows) phi'."""
    shift: Array
    """(s, nv) steps that close the loops, in the directions of the speeds."""
    impulse: Array
    """(s, nv) changes of the speeds after which they fulfil the rows."""
    J: Array
    """(s, rows, nv); if it is empty, neither this nor X and S are kept."""
    X: Array
    """(s, rows, nv) M^-1 J*, its columns as rows."""
    S: Array
    """(s, rows, rows) J M^-1 J*."""


def closure_workspace(closures: Closures, speeds: int, dtype: Any) -> ClosureWorkspace:
    """New arrays."""
    pairs, rows = len(closures.pair_frames), len(closures.row_kind)
    return ClosureWorkspace(
        R_first=np.zeros((pairs, 9), dtype),
        p_second=np.zeros((pairs, 3), dtype),
        R=np.zeros((pairs, 9), dtype),
        p=np.zeros((pairs, 3), dtype),
        V=np.zeros((pairs, 6), dtype),
        A=np.zeros((pairs, 6), dtype),
        N=np.zeros((rows, 6), dtype),
        position=np.zeros(rows, dtype),
        velocity=np.zeros(rows, dtype),
        curvature=np.zeros(rows, dtype),
        acceleration=np.zeros(rows, dtype),
        J=np.zeros((rows, speeds), dtype),
        columns=np.zeros((speeds, rows), dtype),
        X=np.zeros((rows, speeds), dtype),
        S=np.zeros((rows, rows), dtype),
        hold=np.zeros((rows, speeds), dtype),
        force=np.zeros(rows, dtype),
        L=np.zeros((rows, rows), dtype),
        pivot=np.zeros(rows, dtype),
        left=np.zeros(rows, dtype),
        error=np.zeros(rows, dtype),
        still=np.zeros(speeds, dtype),
    )
