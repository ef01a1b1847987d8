"""Vectors, rotations and inertias as tuples of numbers of any type.

    3-vector        (x, y, z)
    rotation        nine numbers, row by row; `R_parent_child` turns child components into parent components
    symmetric 3x3   six numbers: xx, xy, xz, yy, yz, zz
    6-vector        angular part, then linear part
    inertia         21 numbers: the symmetric 6x6 [[A, B], [B*, C]] as A (6, symmetric), B (9), C (6, symmetric)

Tuples, not arrays: compiled, every number lives in a register; on graph nodes the same lines build expressions.
The transformation to the parent is phi(parent, child) (3.8) followed by the change of axes:
X = [[R, l~ R], [0, R]] for forces, X* for velocities, where l runs from the parent's origin to the child's.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from supple.engines.kernels import step

Number = Any
Vec3 = tuple[Number, Number, Number]
Vec6 = tuple[Number, Number, Number, Number, Number, Number]
Sym3 = tuple[Number, Number, Number, Number, Number, Number]
Mat3 = tuple[Number, Number, Number, Number, Number, Number, Number, Number, Number]
Inertia = tuple[Number, ...]
Array = np.ndarray[Any, Any]
TINY = 1e-300
"""Added to a square before its root is taken and divided by: a vector of no length then gives zero, not NaN."""
TURN_4 = tuple((-1.0) ** k / math.factorial(2 * k + 4) for k in range(9))
TURN_5 = tuple((-1.0) ** k / math.factorial(2 * k + 5) for k in range(9))
"""Coefficients of c_4 and c_5 in `so3_coefficients`."""
HALVINGS = 4
"""How often `so3_coefficients` halves the angle."""
SLOT = (
    (0, 1, 2, 6, 7, 8),
    (1, 3, 4, 9, 10, 11),
    (2, 4, 5, 12, 13, 14),
    (6, 9, 12, 15, 16, 17),
    (7, 10, 13, 16, 18, 19),
    (8, 11, 14, 17, 19, 20),
)
"""Where entry (i, j) of a 6x6 stands among the 21 numbers of an inertia."""

# ---------------------------------------------------------------- arrays <-> tuples


@step
def load3(a: Array, k: int) -> Vec3:
    """Row k of an (n, 3) array."""
    return a[k, 0], a[k, 1], a[k, 2]


@step
def load6(a: Array, k: int) -> Vec6:
    """Row k of an (n, 6) array."""
    return a[k, 0], a[k, 1], a[k, 2], a[k, 3], a[k, 4], a[k, 5]


@step
def load9(a: Array, k: int) -> Mat3:
    """Row k of an (n, 9) array."""
    return a[k, 0], a[k, 1], a[k, 2], a[k, 3], a[k, 4], a[k, 5], a[k, 6], a[k, 7], a[k, 8]


@step
def store(a: Array, k: int, x: tuple[Number, ...]) -> None:
    """Write a tuple into row k."""
    for i in range(len(x)):
        a[k, i] = x[i]


@step
def store_pair(a: Array, k: int, x: Vec3, y: Vec3) -> None:
    """Write two 3-vectors, of whatever number types, into row k of an (n, 6) array."""
    for i in range(3):
        a[k, i] = x[i]
        a[k, 3 + i] = y[i]


@step
def accumulate(a: Array, k: int, x: tuple[Number, ...]) -> None:
    """Add a tuple to row k."""
    for i in range(len(x)):
        a[k, i] += x[i]


@step
def copy_rows(a: Array, out: Array) -> None:
    """Write all rows of a into out."""
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            out[i, j] = a[i, j]


# ---------------------------------------------------------------- 3-vectors


@step
def add(a: Vec3, b: Vec3) -> Vec3:
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


@step
def scale(s: Number, a: Vec3) -> Vec3:
    return s * a[0], s * a[1], s * a[2]


@step
def dot(a: Vec3, b: Vec3) -> Number:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@step
def cross(a: Vec3, b: Vec3) -> Vec3:
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


# ---------------------------------------------------------------- rotations


@step
def rotate(R: Mat3, x: Vec3) -> Vec3:
    """R x: child components to parent components."""
    return (
        R[0] * x[0] + R[1] * x[1] + R[2] * x[2],
        R[3] * x[0] + R[4] * x[1] + R[5] * x[2],
        R[6] * x[0] + R[7] * x[1] + R[8] * x[2],
    )


@step
def unrotate(R: Mat3, x: Vec3) -> Vec3:
    """R* x: parent components to child components."""
    return (
        R[0] * x[0] + R[3] * x[1] + R[6] * x[2],
        R[1] * x[0] + R[4] * x[1] + R[7] * x[2],
        R[2] * x[0] + R[5] * x[1] + R[8] * x[2],
    )


@step
def matmul(A: Mat3, B: Mat3) -> Mat3:
    return (
        A[0] * B[0] + A[1] * B[3] + A[2] * B[6],
        A[0] * B[1] + A[1] * B[4] + A[2] * B[7],
        A[0] * B[2] + A[1] * B[5] + A[2] * B[8],
        A[3] * B[0] + A[4] * B[3] + A[5] * B[6],
        A[3] * B[1] + A[4] * B[4] + A[5] * B[7],
        A[3] * B[2] + A[4] * B[5] + A[5] * B[8],
        A[6] * B[0] + A[7] * B[3] + A[8] * B[6],
        A[6] * B[1] + A[7] * B[4] + A[8] * B[7],
        A[6] * B[2] + A[7] * B[5] + A[8] * B[8],
    )


@step
def rotation_about(a: Vec3, c: Number, s: Number) -> Mat3:
    """Rotation about the unit vector a by the angle with cosine c and sine s."""
    x, y, z = (1 - c) * a[0], (1 - c) * a[1], (1 - c) * a[2]
    sx, sy, sz = s * a[0], s * a[1], s * a[2]
    xy, xz, yz = x * a[1], x * a[2], y * a[2]
    return x * a[0] + c, xy - sz, xz + sy, xy + sz, y * a[1] + c, yz - sx, xz - sy, yz + sx, z * a[2] + c


@step
def quaternion_rotation(x: Number, y: Number, z: Number, w: Number) -> Mat3:
    """Rotation of the quaternion (x, y, z, w) of any length but zero."""
    s = 2 / (x * x + y * y + z * z + w * w)
    sx, sy, sz = s * x, s * y, s * z
    wx, wy, wz = w * sx, w * sy, w * sz
    xx, xy, xz, yy, yz, zz = x * sx, x * sy, x * sz, y * sy, y * sz, z * sz
    return 1 - (yy + zz), xy - wz, xz + wy, xy + wz, 1 - (xx + zz), yz - wx, xz - wy, yz + wx, 1 - (xx + yy)


@step
def so3_coefficients(x: Number) -> tuple[Number, Number, Number, Number]:
    """a = (1 - cos t) / t^2, b = (t - sin t) / t^3 and their derivatives by x, where x = t^2.

    Both are Stumpff functions c_n = 1/n! - x/(n + 2)! + x^2/(n + 4)! - ...: a = c_2, b = c_3, c_n = 1/n! - x c_(n+2),
    and 2 dc_n/dx = n c_(n+2) - c_(n+1). The series are summed for a sixteenth of the angle, which is then doubled:

        c_2 <- c_1^2 / 2,  c_3 <- (c_3 + c_1 c_2) / 4,  c_4 <- c_3 (1 + c_1) / 8,  c_5 <- (c_5 + c_4 + c_2 c_3) / 16

    with c_1 = 1 - x c_3 of the half angle. No division by a small angle, no branch; to rounding for up to four turns
    (25 rad). Cost: 72 operations for a and b, 105 for all.
    """
    y = x * 0.25**HALVINGS
    c_4 = c_5 = 0.0 * y
    for i in range(len(TURN_4) - 1, -1, -1):
        c_4 = TURN_4[i] + y * c_4
        c_5 = TURN_5[i] + y * c_5
    c_2, c_3 = 1 / 2 - y * c_4, 1 / 6 - y * c_5
    for _ in range(HALVINGS):
        c_1 = 1 - y * c_3
        c_5 = (c_5 + c_4 + c_2 * c_3) * (1 / 16)
        c_4 = c_3 * (1 + c_1) * (1 / 8)
        c_3 = (c_3 + c_1 * c_2) * (1 / 4)
        c_2 = c_1 * c_1 * (1 / 2)
        y = 4 * y
    return c_2, c_3, c_4 - 0.5 * c_3, 1.5 * c_5 - 0.5 * c_4


@step
def turn_rotation(theta: Vec3, a: Number, b: Number) -> Mat3:
    """exp(theta~) = I + (1 - x b) theta~ + a theta~ theta~ (Rodrigues), with a, b of `so3_coefficients`."""
    p, q, r = theta
    s = 1 - (p * p + q * q + r * r) * b
    ap, aq, ar = a * p, a * q, a * r
    pq, pr, qr, pp, qq, rr = ap * q, ap * r, aq * r, ap * p, aq * q, ar * r
    sp, sq, sr = s * p, s * q, s * r
    return 1 - (qq + rr), pq - sr, pr + sq, pq + sr, 1 - (pp + rr), qr - sp, pr - sq, qr + sp, 1 - (pp + qq)


@step
def left_jacobian(theta: Vec3, a: Number, b: Number) -> Mat3:
    """Q = I + a theta~ + b theta~ theta~: angular velocity, in the axes turned from, for a unit rate of theta."""
    p, q, r = theta
    bp, bq, br = b * p, b * q, b * r
    pq, pr, qr, pp, qq, rr = bp * q, bp * r, bq * r, bp * p, bq * q, br * r
    ap, aq, ar = a * p, a * q, a * r
    return 1 - (qq + rr), pq - ar, pr + aq, pq + ar, 1 - (pp + rr), qr - ap, pr - aq, qr + ap, 1 - (pp + qq)


@step
def turn_bias(theta: Vec3, rate: Vec3, b: Number, da: Number, db: Number) -> Vec3:
    """dQ/dt times the rate of theta."""
    across = cross(theta, rate)
    growth = 2 * dot(theta, rate)
    first = add(scale(growth * da, across), scale(growth * db, cross(theta, across)))
    return add(first, scale(b, cross(rate, across)))


@step
def congruence(A: Mat3, S: Sym3) -> Sym3:
    """A S A* of a symmetric 3x3, for any A."""
    t0 = rotate(A, (S[0], S[1], S[2]))
    t1 = rotate(A, (S[1], S[3], S[4]))
    t2 = rotate(A, (S[2], S[4], S[5]))
    return (
        t0[0] * A[0] + t1[0] * A[1] + t2[0] * A[2],
        t0[0] * A[3] + t1[0] * A[4] + t2[0] * A[5],
        t0[0] * A[6] + t1[0] * A[7] + t2[0] * A[8],
        t0[1] * A[3] + t1[1] * A[4] + t2[1] * A[5],
        t0[1] * A[6] + t1[1] * A[7] + t2[1] * A[8],
        t0[2] * A[6] + t1[2] * A[7] + t2[2] * A[8],
    )


@step
def rotate_symmetric(R: Mat3, S: Sym3) -> Sym3:
    """R S R* of a symmetric 3x3, for a rotation R: graphs have a cheaper form of it (`model.rotations`)."""
    return congruence(R, S)


@step
def rotate_matrix(R: Mat3, B: Mat3) -> Mat3:
    """R B R* of any 3x3, for a rotation R: graphs have a cheaper form of it (`model.rotations`)."""
    T = matmul(R, B)
    return (
        T[0] * R[0] + T[1] * R[1] + T[2] * R[2],
        T[0] * R[3] + T[1] * R[4] + T[2] * R[5],
        T[0] * R[6] + T[1] * R[7] + T[2] * R[8],
        T[3] * R[0] + T[4] * R[1] + T[5] * R[2],
        T[3] * R[3] + T[4] * R[4] + T[5] * R[5],
        T[3] * R[6] + T[4] * R[7] + T[5] * R[8],
        T[6] * R[0] + T[7] * R[1] + T[8] * R[2],
        T[6] * R[3] + T[7] * R[4] + T[8] * R[5],
        T[6] * R[6] + T[7] * R[7] + T[8] * R[8],
    )


# ---------------------------------------------------------------- 6-vectors


@step
def angular(x: Vec6) -> Vec3:
    return x[0], x[1], x[2]


@step
def linear(x: Vec6) -> Vec3:
    return x[3], x[4], x[5]


@step
def join(a: Vec3, b: Vec3) -> Vec6:
    return a[0], a[1], a[2], b[0], b[1], b[2]


@step
def add6(a: Vec6, b: Vec6) -> Vec6:
    return a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3], a[4] + b[4], a[5] + b[5]


@step
def add_scaled(a: Vec6, s: Number, b: Vec6) -> Vec6:
    """a + s b."""
    return (
        a[0] + s * b[0],
        a[1] + s * b[1],
        a[2] + s * b[2],
        a[3] + s * b[3],
        a[4] + s * b[4],
        a[5] + s * b[5],
    )


@step
def scale6(s: Number, a: Vec6) -> Vec6:
    return s * a[0], s * a[1], s * a[2], s * a[3], s * a[4], s * a[5]


@step
def dot6(a: Vec6, b: Vec6) -> Number:
    # In two halves that a processor computes side by side: the recursions wait for this sum at every body.
    return (a[0] * b[0] + a[1] * b[1] + a[2] * b[2]) + (a[3] * b[3] + a[4] * b[4] + a[5] * b[5])


@step
def motion_to_child(R: Mat3, l: Vec3, x: Vec6) -> Vec6:
    """X* x: velocity or acceleration at the parent's origin, seen at the child's, in child axes."""
    w = angular(x)
    return join(unrotate(R, w), unrotate(R, add(linear(x), cross(w, l))))


@step
def force_to_parent(R: Mat3, l: Vec3, f: Vec6) -> Vec6:
    """X f: force at the child's origin, referred to the parent's, in parent axes."""
    F = rotate(R, linear(f))
    return join(add(rotate(R, angular(f)), cross(l, F)), F)


# ---------------------------------------------------------------- inertias


@step
def load_inertia(a: Array, k: int) -> Inertia:
    """Row k of an (n, 21) array."""
    return (
        a[k, 0], a[k, 1], a[k, 2], a[k, 3], a[k, 4], a[k, 5],
        a[k, 6], a[k, 7], a[k, 8], a[k, 9], a[k, 10], a[k, 11], a[k, 12], a[k, 13], a[k, 14],
        a[k, 15], a[k, 16], a[k, 17], a[k, 18], a[k, 19], a[k, 20],
    )  # fmt: skip


@step
def store_inertia(a: Array, k: int, P: Inertia) -> None:
    """Write an inertia into row k of an (n, 21) array; spelled out, as a loop this long would not be unrolled."""
    a[k, 0], a[k, 1], a[k, 2] = P[0], P[1], P[2]
    a[k, 3], a[k, 4], a[k, 5] = P[3], P[4], P[5]
    a[k, 6], a[k, 7], a[k, 8] = P[6], P[7], P[8]
    a[k, 9], a[k, 10], a[k, 11] = P[9], P[10], P[11]
    a[k, 12], a[k, 13], a[k, 14] = P[12], P[13], P[14]
    a[k, 15], a[k, 16], a[k, 17] = P[15], P[16], P[17]
    a[k, 18], a[k, 19], a[k, 20] = P[18], P[19], P[20]


@step
def accumulate_inertia(a: Array, k: int, P: Inertia) -> None:
    """Add an inertia to row k of an (n, 21) array."""
    a[k, 0] += P[0]
    a[k, 1] += P[1]
    a[k, 2] += P[2]
    a[k, 3] += P[3]
    a[k, 4] += P[4]
    a[k, 5] += P[5]
    a[k, 6] += P[6]
    a[k, 7] += P[7]
    a[k, 8] += P[8]
    a[k, 9] += P[9]
    a[k, 10] += P[10]
    a[k, 11] += P[11]
    a[k, 12] += P[12]
    a[k, 13] += P[13]
    a[k, 14] += P[14]
    a[k, 15] += P[15]
    a[k, 16] += P[16]
    a[k, 17] += P[17]
    a[k, 18] += P[18]
    a[k, 19] += P[19]
    a[k, 20] += P[20]


@step
def rigid_inertia(m: Number, h: Vec3, J: Sym3) -> Inertia:
    """[[J, h~], [-h~, m I]] (3.1): mass m, first moment h = m c and J, both about the body frame's origin."""
    zero = 0 * m
    return (
        J[0], J[1], J[2], J[3], J[4], J[5],
        zero, -h[2], h[1], h[2], zero, -h[0], -h[1], h[0], zero,
        m, zero, zero, m, zero, m,
    )  # fmt: skip


@step
def rigid_momentum(m: Number, h: Vec3, J: Sym3, x: Vec6) -> Vec6:
    """Rigid inertia times a 6-vector: (J w + h x v, m v - h x w)."""
    w = angular(x)
    v = linear(x)
    hw = cross(h, w)
    return join(
        add(symmetric_times(J, w), cross(h, v)),
        (m * v[0] - hw[0], m * v[1] - hw[1], m * v[2] - hw[2]),
    )


@step
def symmetric_times(S: Sym3, x: Vec3) -> Vec3:
    return (
        S[0] * x[0] + S[1] * x[1] + S[2] * x[2],
        S[1] * x[0] + S[3] * x[1] + S[4] * x[2],
        S[2] * x[0] + S[4] * x[1] + S[5] * x[2],
    )


@step
def inertia_times(P: Inertia, x: Vec6) -> Vec6:
    """P x."""
    return (
        (P[0] * x[0] + P[1] * x[1] + P[2] * x[2]) + (P[6] * x[3] + P[7] * x[4] + P[8] * x[5]),
        (P[1] * x[0] + P[3] * x[1] + P[4] * x[2]) + (P[9] * x[3] + P[10] * x[4] + P[11] * x[5]),
        (P[2] * x[0] + P[4] * x[1] + P[5] * x[2]) + (P[12] * x[3] + P[13] * x[4] + P[14] * x[5]),
        (P[6] * x[0] + P[9] * x[1] + P[12] * x[2]) + (P[15] * x[3] + P[16] * x[4] + P[17] * x[5]),
        (P[7] * x[0] + P[10] * x[1] + P[13] * x[2]) + (P[16] * x[3] + P[18] * x[4] + P[19] * x[5]),
        (P[8] * x[0] + P[11] * x[1] + P[14] * x[2]) + (P[17] * x[3] + P[19] * x[4] + P[20] * x[5]),
    )


@step
def subtract_outer(P: Inertia, g: Vec6, u: Vec6) -> Inertia:
    """P - g u*, where g is a multiple of u, so that the result is symmetric."""
    return (
        P[0] - g[0] * u[0], P[1] - g[0] * u[1], P[2] - g[0] * u[2],
        P[3] - g[1] * u[1], P[4] - g[1] * u[2], P[5] - g[2] * u[2],
        P[6] - g[0] * u[3], P[7] - g[0] * u[4], P[8] - g[0] * u[5],
        P[9] - g[1] * u[3], P[10] - g[1] * u[4], P[11] - g[1] * u[5],
        P[12] - g[2] * u[3], P[13] - g[2] * u[4], P[14] - g[2] * u[5],
        P[15] - g[3] * u[3], P[16] - g[3] * u[4], P[17] - g[3] * u[5],
        P[18] - g[4] * u[4], P[19] - g[4] * u[5], P[20] - g[5] * u[5],
    )  # fmt: skip


@step
def rotate_inertia(R: Mat3, P: Inertia) -> Inertia:
    """An inertia in the child's axes, in the parent's."""
    A = rotate_symmetric(R, (P[0], P[1], P[2], P[3], P[4], P[5]))
    B = rotate_matrix(R, (P[6], P[7], P[8], P[9], P[10], P[11], P[12], P[13], P[14]))
    C = rotate_symmetric(R, (P[15], P[16], P[17], P[18], P[19], P[20]))
    return (*A, *B, *C)


@step
def shift_inertia(l: Vec3, P: Inertia) -> Inertia:
    """phi P phi*: an inertia at a point, referred to the origin from which l runs to the point.

    C' = C, B' = B + l~ C, A' = A + l~ B* + B' l~* = A + l~ B* - B' l~.
    """
    B = (P[6], P[7], P[8], P[9], P[10], P[11], P[12], P[13], P[14])
    C = (P[15], P[16], P[17], P[18], P[19], P[20])
    x, y, z = l
    E = (
        B[0] + y * C[2] - z * C[1], B[1] + y * C[4] - z * C[3], B[2] + y * C[5] - z * C[4],
        B[3] + z * C[0] - x * C[2], B[4] + z * C[1] - x * C[4], B[5] + z * C[2] - x * C[5],
        B[6] + x * C[1] - y * C[0], B[7] + x * C[3] - y * C[1], B[8] + x * C[4] - y * C[2],
    )  # fmt: skip
    return (
        P[0] + (y * B[2] - z * B[1]) + (y * E[2] - z * E[1]),
        P[1] + (y * B[5] - z * B[4]) + (z * E[0] - x * E[2]),
        P[2] + (y * B[8] - z * B[7]) + (x * E[1] - y * E[0]),
        P[3] + (z * B[3] - x * B[5]) + (z * E[3] - x * E[5]),
        P[4] + (z * B[6] - x * B[8]) + (x * E[4] - y * E[3]),
        P[5] + (x * B[7] - y * B[6]) + (x * E[7] - y * E[6]),
        E[0], E[1], E[2], E[3], E[4], E[5], E[6], E[7], E[8],
        C[0], C[1], C[2], C[3], C[4], C[5],
    )  # fmt: skip


@step
def inertia_to_parent(R: Mat3, l: Vec3, P: Inertia) -> Inertia:
    """X P X*: an inertia at the child's origin, referred to the parent's, in parent axes."""
    return shift_inertia(l, rotate_inertia(R, P))
