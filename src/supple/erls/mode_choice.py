"""Which elastic modes of its own a link keeps: so many, within a bandwidth, by rank; and static correction shapes.

The paper leaves the choice open and names two rules: modes within the bandwidth of the actuators, and a ranking by how
much a mode takes part. A link is loaded through its joints, so a mode takes part as it yields to forces there: its
share u_i u_i* / omega_i^2 in the compliance of the free link at its root and where it carries others.

What the modes that are left out would yield statically can be kept without them. With t those modes, a unit force at a
joint bends the free link (its rigid acceleration apart) by

    sum_t phi_i (phi_i* f) / omega_i^2                     residual attachment shapes

These are orthogonal to the modes kept, in mass and stiffness. A small eigenproblem among them makes them orthogonal to
each other, so that they are modes like any others, of pseudo-frequencies above those kept. With them the link yields to
slow forces at its joints as the whole body does, however few modes are kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supple.call_checks import checked
from supple.checks import Floats
from supple.errors import ModelError

RANKINGS = ("frequency", "compliance")
INDEPENDENT = 1e-7
"""Share of the largest below which a static shape is a sum of others."""
Numbers = NDArray[np.intp]


@checked
@dataclass(frozen=True)
class ModeChoice:
    """The elastic modes that a link keeps; see `build`.

    Parameters
    ----------
    count : int, optional
        How many at most; the six rigid ones are not counted.
    bandwidth : float, optional
        Highest natural frequency of the free link, Hz.
    ranking : str
        Which come first where not all are kept: "frequency", the slowest, or "compliance", those that yield most to
        forces and moments at the joints.
    numbers : sequence of int, optional
        In place of these three: the modes by number, 1 being the slowest.
    static : bool or sequence of str
        Keep what the other modes yield statically to forces and moments at the root and where other links hang on the
        link; or at these frames of the body.

    Examples
    --------
    >>> ModeChoice(count=4, ranking="compliance", static=True).settings()
    {'count': 4, 'ranking': 'compliance', 'static': True}
    """

    count: int | None = None
    bandwidth: float | None = None
    ranking: str = "frequency"
    numbers: Sequence[int] | None = None
    static: bool | Sequence[str] = False

    def __post_init__(self) -> None:
        if self.ranking not in RANKINGS:
            raise ModelError(f"ranking: expected one of {', '.join(RANKINGS)}, got {self.ranking!r}")
        if self.bandwidth is not None and not self.bandwidth > 0:
            raise ModelError(f"bandwidth: expected a positive frequency, Hz, got {self.bandwidth!r}")
        if self.numbers is not None:
            if self.count is not None or self.bandwidth is not None or self.ranking != "frequency":
                raise ModelError("numbers: expected them in place of count, bandwidth and ranking, got both")
            if not all(_whole(n) and n > 0 for n in self.numbers) or len(set(self.numbers)) < len(self.numbers):
                raise ModelError(f"numbers: expected different modes from 1 on, got {list(self.numbers)!r}")
            object.__setattr__(self, "numbers", tuple(sorted(int(n) for n in self.numbers)))
        if not isinstance(self.static, bool | str):
            object.__setattr__(self, "static", tuple(self.static))
        elif isinstance(self.static, str):
            raise ModelError(f"static: expected true, false or names of frames, got the text {self.static!r}")

    def settings(self) -> dict[str, Any]:
        """What is not as by default, as JSON and TOML can hold it."""
        given = {name: getattr(self, name) for name in ("count", "bandwidth", "ranking", "numbers", "static")}
        plain = ModeChoice()
        kept = {name: x for name, x in given.items() if x != getattr(plain, name)}
        return {name: list(x) if isinstance(x, tuple) else x for name, x in kept.items()}

    def chosen(self, link: str, squares: Floats, compliance: Floats) -> Numbers:
        """Places among all modes of a link, slowest first.

        Parameters
        ----------
        link : str
            Its name, for messages.
        squares : (n,) array
            Squared frequencies, ascending.
        compliance : (n,) array
            What the modes yield at the joints.
        """
        most = len(squares)
        if self.numbers is not None:
            if self.numbers and max(self.numbers) > most:
                raise ModelError(f"link {link!r}: numbers: expected modes from 1 to {most}, got {list(self.numbers)}")
            return np.array([n - 1 for n in self.numbers], dtype=np.intp)
        if self.count is not None and not (_whole(self.count) and 0 <= self.count <= most):
            raise ModelError(
                f"link {link!r}: modes: expected a number of elastic modes from 0 to {most}, the 6 rigid ones not "
                f"counted, got {self.count!r}"
            )
        within = np.arange(most)
        if self.bandwidth is not None:
            within = within[np.sqrt(squares) <= 2.0 * np.pi * self.bandwidth]
        if self.ranking == "compliance":
            within = within[np.argsort(-compliance[within], kind="stable")]
        return np.sort(within[: self.count])


def residual_shapes(squares: Floats, yielding: Floats) -> tuple[Floats, Floats]:
    """Static shapes as sums over the modes that are left out, and their squared pseudo-frequencies.

    Parameters
    ----------
    squares : (t,) array
        Squared frequencies of these modes.
    yielding : (t, k) array
        Their motions in the directions of k unit forces, lengths and angles scaled alike.

    Returns
    -------
    (t, s) and (s,) arrays
        Orthonormal, of unit modal mass; s is at most k and t.
    """
    shapes = yielding / squares[:, None]
    if not shapes.size:
        return np.zeros((len(squares), 0)), np.zeros(0)
    # independent in strain energy, which weighs what yields little as the forces do
    energy = np.sqrt(squares)[:, None] * shapes
    left, sizes, _ = np.linalg.svd(energy, full_matrices=False)
    kept = sizes > INDEPENDENT * max(float(sizes[0]), 1e-300)
    basis = np.linalg.qr(left[:, kept] / np.sqrt(squares)[:, None])[0]
    values, vectors = np.linalg.eigh(basis.T @ (squares[:, None] * basis))
    return basis @ vectors, values


def _whole(n: Any) -> bool:
    return isinstance(n, int | np.integer) and not isinstance(n, bool)
