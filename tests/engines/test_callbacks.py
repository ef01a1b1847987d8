"""Python functions are called from machine code, and what they raise comes out behind it."""

from __future__ import annotations

import numpy as np
import pytest

from supple.engines.llvm.call import invoke
from supple.engines.llvm.callbacks import CalledBack


def test_a_function_is_called_with_the_arrays_of_machine_code() -> None:
    def scaled(x: np.ndarray, none: np.ndarray, out: np.ndarray) -> None:
        assert len(none) == 0
        out[:] = 2 * x

    called = CalledBack(scaled, [3, 0, 3], 1)
    out = np.zeros(3)
    invoke(called.address, 0, 1, np.array([1.0, 2.0, 3.0]), np.zeros(0), out)
    called.require_sound()
    assert out.tolist() == [2.0, 4.0, 6.0]


def test_what_it_raises_is_raised_later_and_it_is_not_called_again() -> None:
    calls = []

    def refused(x: np.ndarray, out: np.ndarray) -> None:
        calls.append(float(x[0]))
        raise KeyboardInterrupt

    called = CalledBack(refused, [1, 2], 1)
    out = np.zeros(2)
    for _ in range(2):
        invoke(called.address, 0, 1, np.array([5.0]), out)
    assert np.isnan(out).all()
    assert calls == [5.0]
    with pytest.raises(KeyboardInterrupt):
        called.require_sound()
