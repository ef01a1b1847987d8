"""The constant arrays a recursion reads and the arrays it works in.

Bodies are numbered parent first, and number 0 is the ground, so that every loop over bodies runs from 1 and the
ground's motion (gravity as an upward acceleration) is a row like any other. The freedoms of body k are the speeds
`v_first[k] ... v_first[k + 1] - 1`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

Array = np.ndarray[Any, Any]

# How the rotation of a joint is described (`Tree.rotation_kind`).
NO_ROTATION = 0  # none
ONE_AXIS = 1  # an angle about `axes[0]`; the speed is its rate; `pitch` metres along the axis a radian
TWO_AXES = 2  # angles about `axes[0]`, then `axes[1]`; the speeds are their rates
THREE_AXES = 3  # angles about three axes in turn; the speeds are the angular velocity in body axes
QUATERNION = 4  # a quaternion x, y, z, w; the speeds are the angular velocity in body axes


class Tree(NamedTuple):
    """A model as flat arrays; n bodies and the ground, nv speeds. Never written to."""

    parent: Array
    """(n + 1,) number of the parent body; the ground is its own parent."""
    v_first: Array
    """(n + 2,) first speed of each body."""
    rotation_kind: Array
    """(n + 1,) one of the constants above."""
    translations: Array
    """(n + 1,) number of translations, 0 to 3; with three, the speeds are the velocity in body axes."""
    q_rotation: Array
    """(n + 1,) first rotational coordinate."""
    q_translation: Array
    """(n + 1,) first translational coordinate."""
    v_rotation: Array
    """(n + 1,) first rotational speed."""
    v_translation: Array
    """(n + 1,) first translational speed."""
    rotation: Array
    """(n + 1, 9) R_parent_joint: the joint frame in the parent's."""
    position: Array
    """(n + 1, 3) origin of the joint frame in the parent's, m."""
    axes: Array
    """(n + 1, 9) up to three rotation axes, unit vectors in the joint frame."""
    pitch: Array
    """(n + 1,) advance of a screw, m/rad."""
    directions: Array
    """(n + 1, 9) up to three translation directions, unit vectors in the joint frame."""
    rates: Array
    """(n + 1, 9) inverse of the matrix whose columns are three directions: body-axis velocity to coordinate rates."""
    mass: Array
    """(n + 1,) kg."""
    moment: Array
    """(n + 1, 3) mass times the centre of mass, in the body frame, kg m."""
    inertia: Array
    """(n + 1, 6) xx, xy, xz, yy, yz, zz about the body frame's origin, kg m^2."""
    v_parent: Array
    """(nv,) next speed towards the ground, in the same joint or an ancestor's; -1 at the end."""
    q_of_speed: Array
    """(nv,) coordinate whose rate a speed is; -1 where there is none (body axes)."""
    joint_inertia: Array
    """(nv,) inertia that turns with the joint alone (rotors, reflected motors), kg m^2 or kg."""
    stiffness: Array
    """(nv,) joint spring, N m/rad or N/m."""
    rest: Array
    """(nv,) coordinate at which that spring is free."""
    damping: Array
    """(nv,) joint damper, N m s/rad or N s/m."""
    gravity: Array
    """(3,) m/s^2, in the ground frame."""
    spring_bodies: Array
    """(springs, 2) bodies that a point-to-point spring-damper joins."""
    spring_points: Array
    """(springs, 6) its two ends, each in its body's frame, m."""
    spring_constants: Array
    """(springs, 3) stiffness N/m, damping N s/m, free length m."""
    wrench_body: Array
    """(wrenches,) body that a constant wrench acts on."""
    wrench_point: Array
    """(wrenches, 3) where, in the body's frame, m."""
    wrench_rotation: Array
    """(wrenches, 9) axes of the wrench: in the body's frame, or in the ground's where `wrench_grounded`."""
    wrench_grounded: Array
    """(wrenches,) whether the axes keep their direction in the ground frame."""
    wrench_value: Array
    """(wrenches, 6) moment N m, force N."""


class Workspace(NamedTuple):
    """What a recursion computes on its way; all in body axes, at body origins. One for each thread."""

    R: Array
    """(n + 1, 9) R_parent_body. By `kinematics.joint_step`."""
    l: Array
    """(n + 1, 3) from the parent's origin to the body's, in parent axes. By `kinematics.joint_step`."""
    H: Array
    """(nv, 6) rows of the joint map H(k): the motion one speed gives. By `kinematics.joint_step`."""
    omega: Array
    """(n + 1, 3) angular velocity. By `kinematics.velocity_step`."""
    R_ground: Array
    """(n + 1, 9) R_ground_body. By `kinematics.pose_step`."""
    p_ground: Array
    """(n + 1, 3) origin of the body in the ground frame. By `kinematics.pose_step`."""
    V: Array
    """(n + 1, 6) velocity of the body frame. By `kinematics.twist_step`."""
    bias: Array
    """(n + 1, 6) Coriolis acceleration a(k) (3.27). By `kinematics.velocity_step`."""
    load: Array
    """(n + 1, 6) gyroscopic force b(k) (3.33) less what is applied. By `forces.loaded_motion`."""
    alpha: Array
    """(n + 1, 6) acceleration of the body frame less gravity; the ground's row holds -g."""
    f: Array
    """(n + 1, 6) force across the inboard joint, f(k) of (4.1), or the articulated bias z(k) of (7.2)."""
    P: Array
    """(n + 1, 21) articulated or composite inertia at the joint, P(k) of (6.1) or R(k) of (5.2)."""
    G: Array
    """(nv, 6) Kalman gain of each freedom, P H* D^-1; for a given acceleration, P H*."""
    D: Array
    """(nv,) innovation of each freedom, D = H P H* + joint inertia."""
    size: Array
    """(nv,) inertia around each freedom, against which D is judged."""
    eps: Array
    """(nv,) force left for each freedom, eps of (7.2)."""


def workspace(bodies: int, speeds: int, dtype: Any) -> Workspace:
    """New arrays for `bodies` bodies (the ground not counted) and `speeds` speeds."""
    rows = bodies + 1
    return Workspace(
        R=np.zeros((rows, 9), dtype),
        l=np.zeros((rows, 3), dtype),
        H=np.zeros((speeds, 6), dtype),
        omega=np.zeros((rows, 3), dtype),
        R_ground=np.tile(np.eye(3, dtype=dtype).reshape(9), (rows, 1)),
        p_ground=np.zeros((rows, 3), dtype),
        V=np.zeros((rows, 6), dtype),
        bias=np.zeros((rows, 6), dtype),
        load=np.zeros((rows, 6), dtype),
        alpha=np.zeros((rows, 6), dtype),
        f=np.zeros((rows, 6), dtype),
        P=np.zeros((rows, 21), dtype),
        G=np.zeros((speeds, 6), dtype),
        D=np.zeros(speeds, dtype),
        size=np.zeros(speeds, dtype),
        eps=np.zeros(speeds, dtype),
    )
