"""The coefficients of ESDIRK5(4)7L[2]SA2, a diagonally implicit Runge-Kutta pair with an explicit first stage.

Order 5 with an embedded method of order 4, L-stable, stage order 2, all diagonal coefficients equal; the last stage is
the new state. From Kennedy and Carpenter (2019). The dense output of order 4 is derived here from its conditions.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
DIAGONAL = 23 / 125
STAGE_TIMES = (
    0.0, 2 * DIAGONAL, 7121331996143 / 11335814405378, 49 / 353, 3706679970760 / 5295570149437, 347 / 382, 1.0
)  # fmt: skip
"""Of the stages, as fractions of a step."""
STAGES = len(STAGE_TIMES)
INNER = (
    (),
    (),
    (791020047304 / 3561426431547,),
    (-158159076358 / 11257294102345, -85517644447 / 5003708988389),
    (-1653327111580 / 4048416487981, 1514767744496 / 9099671765375, 14283835447591 / 12247432691556),
    (
        -4540011970825 / 8418487046959,
        -1790937573418 / 7393406387169,
        10819093665085 / 7266595846747,
        4109463131231 / 7386972500302,
    ),
    (
        -188593204321 / 4778616380481,
        2809310203510 / 10304234040467,
        1021729336898 / 2364210264653,
        870612361811 / 2470410392208,
        -1307970675534 / 8059683598661,
    ),
)
"""Of each stage, the coefficients between the first, which follows from the time of the stage, and the diagonal."""
EMBEDDED = (
    -582099335757 / 7214068459310,
    615023338567 / 3362626566945,
    3192122436311 / 6174152374399,
    6156034052041 / 14430468657929,
    -1011318518279 / 9693750372484,
    1914490192573 / 13754262428401,
)
"""Of the method of order 4, without its first, which makes their sum one."""
DEGREE = 5
"""Of the polynomials of the dense output."""


class Coefficients(NamedTuple):
    """Of the stages A (7, 7) and C (7,), of the error E (7,), of the dense output D (5, 7), and of the predictor P.

    The state at a fraction x of a step of the length h is y + h sum_k x^(k + 1) sum_j D[k, j] K[j]; P (7, 7) are the
    weights of the stages before in the first guess of each.
    """

    A: Floats
    C: Floats
    E: Floats
    D: Floats
    P: Floats


def coefficients() -> Coefficients:
    """All coefficients of the method."""
    A, c = np.zeros((STAGES, STAGES)), np.array(STAGE_TIMES)
    for i in range(1, STAGES):
        row = (*INNER[i], DIAGONAL)
        A[i, 1 : i + 1] = row
        A[i, 0] = c[i] - sum(row)
    embedded = np.array([1.0 - sum(EMBEDDED), *EMBEDDED])
    return Coefficients(A, c, A[-1] - embedded, _dense_rows(A, c), _predictor(c))


def _dense_rows(A: Floats, c: Floats) -> Floats:
    """D (5, 7): weights b(x) of order 4 for all x, with the right rates at both ends, and nearly of order 5.

    Stage order 2 leaves five conditions of order 4, linear in b(x). At the ends b(0) = 0, b'(0) and b'(1) are the first
    and the last stage, b(1) the method itself. Of what is still free the conditions of order 5 take the least squares.
    """
    powers = np.arange(1, DEGREE + 1)
    order_4 = [(c**k, k + 1, 1 / (k + 1)) for k in range(4)] + [(A @ c**2, 4, 1 / 12)]
    order_5 = [(c**4, 5, 1 / 5), (c * (A @ c**2), 5, 1 / 15), (A @ c**3, 5, 1 / 20), (A @ A @ c**2, 5, 1 / 60)]

    def conditions(wanted: list[tuple[Floats, int, float]]) -> tuple[Floats, Floats]:
        """Rows for the entries of D: sum_j w_j D[k, j] is the coefficient of x^(k + 1), zero but for one power."""
        rows = [np.kron(np.eye(DEGREE)[k], w) for w, _, _ in wanted for k in range(DEGREE)]
        return np.array(rows), np.array([x * (power == p) for _, power, x in wanted for p in powers])

    first, last = np.eye(STAGES)[[0, -1]]
    ends = [(powers**0, A[-1]), (powers, last), (powers * (powers == 1), first)]
    exact, value = conditions(order_4)
    exact = np.vstack([exact, *(np.kron(weights, np.eye(STAGES)) for weights, _ in ends)])
    value = np.concatenate([value, *(x for _, x in ends)])
    nearly, wanted = conditions(order_5)
    particular = np.linalg.lstsq(exact, value, rcond=1e-10)[0]
    _, sizes, directions = np.linalg.svd(exact)
    free = directions[int((sizes > 1e-10 * sizes[0]).sum()) :].T
    rest = np.linalg.lstsq(nearly @ free, wanted - nearly @ particular, rcond=1e-10)[0]
    found: Floats = (particular + free @ rest).reshape(DEGREE, STAGES)
    return found


def _predictor(c: Floats) -> Floats:
    """P (7, 7): for each stage the parabola that comes nearest to all stages before, at its time."""
    P = np.zeros((STAGES, STAGES))
    for i in range(1, STAGES):
        powers = np.arange(min(i, 3))
        P[i, :i] = c[i] ** powers @ np.linalg.pinv(c[:i, None] ** powers)
    return P
