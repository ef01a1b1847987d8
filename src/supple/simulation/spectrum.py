"""The spectrum of a sampled signal."""

from __future__ import annotations

import numpy as np

from supple.checks import Floats


def amplitude_spectrum(t: Floats, x: Floats) -> tuple[Floats, Floats]:
    """Frequencies (Hz) and amplitudes of the sines in x, its straight trend taken out, seen through Hann's window.

    >>> t = np.linspace(0.0, 10.0, 1001)
    >>> f, amplitude = amplitude_spectrum(t, 3.0 * np.sin(2 * np.pi * 5.0 * t))
    >>> round(float(f[amplitude.argmax()]), 2), round(float(amplitude.max()), 1)
    (5.0, 3.0)
    """
    even = np.linspace(t[0], t[-1], len(t))
    x = np.interp(even, t, x)
    rest = x - np.polyval(np.polyfit(even - t[0], x, 1), even - t[0]) if len(t) > 2 else x - x.mean()
    window = np.hanning(len(t) + 1)[:-1]
    amplitude = 2.0 * np.abs(np.fft.rfft(rest * window)) / window.sum()
    return np.fft.rfftfreq(len(t), even[1] - even[0])[1:], amplitude[1:]
