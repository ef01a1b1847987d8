"""The coefficients of DOP853 are scipy's, to the last bit."""

from __future__ import annotations

import numpy as np
from scipy.integrate import DOP853

from supple.stepping.native_loop import STAGES, tableau


def test_the_coefficients_are_those_of_scipy() -> None:
    A, C, E3, E5, D = tableau()
    np.testing.assert_array_equal(A[:STAGES, :STAGES], DOP853.A)
    np.testing.assert_array_equal(A[STAGES, :STAGES], DOP853.B)
    np.testing.assert_array_equal(A[STAGES + 1 :], DOP853.A_EXTRA)
    np.testing.assert_array_equal(A[: STAGES + 1, STAGES:], 0.0)
    np.testing.assert_array_equal(C, [*DOP853.C, 1.0, *DOP853.C_EXTRA])
    for found, known in ((E3, DOP853.E3), (E5, DOP853.E5), (D, DOP853.D)):
        np.testing.assert_array_equal(found, known)
    assert all(x.flags.c_contiguous and x.dtype == float for x in tableau())
