"""The flying rod of Simo and Vu-Quoc in pieces beside Exudyn's geometrically exact beam: time and error.

    python -m benchmarks.peers.flying_rod [--small]

Both use generalized-alpha steps of the same length, on one thread. The error is that of the ends and the middle of the
rod over 10 s, against Exudyn's motion extrapolated from its two finest meshes; also that of pieces without
displacements of second order, `stiffening=False`.
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Sequence
from functools import partial
from importlib.util import find_spec

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from rich.console import Console
from rich.table import Table

import supple
from benchmarks.sizes import SMALL, best_time
from support.mechanisms.flying_rod import DURATION, LENGTH, SOFT, STIFF, ExudynRod, Floats, fly, rod_model

CASES = {STIFF: (8,)} if SMALL else {STIFF: (4, 8, 16, 32), SOFT: (8, 16, 32, 64)}
"""Pieces, and as many elements, by EI in N m^2."""
EXACT = (8, 16) if SMALL else (32, 64)
"""Elements of the two finest meshes of Exudyn."""
STEP, FINE = 0.02, 0.01 if SMALL else 0.005
AGREE = 2e-2 if SMALL else 1e-2
"""Share of the length of the rod by which most pieces may be off."""


def extrapolated(coarse: Floats, fine: Floats) -> Floats:
    """The limit of motions whose error falls with the square of the length of elements, here halved."""
    return fine + (fine - coarse) / 3.0


def largest(x: Floats) -> float:
    """Distance."""
    return float(np.linalg.norm(x, axis=-1).max())


def rod_table(EI: float, counts: Sequence[int]) -> Table:
    """Time and error of both for one bending stiffness."""
    implicit = {"integrator": "generalized_alpha", "step": STEP}
    models = {n: rod_model(n, EI) for n in counts}
    exact = extrapolated(*(ExudynRod(n, EI).run(FINE) for n in EXACT))
    off = largest(fly(models[counts[-1]], **(implicit | {"step": FINE})) - exact)
    assert off < AGREE * LENGTH, f"pieces and Exudyn differ by {off:.1e} m"
    table = Table("pieces, elements", title=f"Flying rod, EI = {EI:g} N m^2, {DURATION:g} s in steps of {STEP:g} s")
    for name in ("supple s", "Exudyn s", "ratio", "supple off, m", "no stiffening", "Exudyn off, m"):
        table.add_column(name, justify="right")
    for n in counts:
        peer = ExudynRod(n, EI)
        plain = fly(rod_model(n, EI, stiffening=False), **implicit)
        errors = [largest(x - exact) for x in (fly(models[n], **implicit), plain, peer.run(STEP))]
        a = best_time(partial(fly, models[n], **implicit), 2.0)
        b = best_time(partial(peer.run, STEP), 2.0)
        table.add_row(str(n), f"{a:.3f}", f"{b:.3f}", f"{b / a:.2f}", *(f"{x:.1e}" for x in errors))
    table.caption = f"In steps of {FINE:g} s {counts[-1]} pieces are {off:.1e} m off, of a rod of {LENGTH:g} m."
    return table


def main() -> None:
    """Print the tables."""
    vars(sys)["exudynFast"] = True
    warnings.simplefilter("ignore", supple.PerformanceWarning)
    console = Console(width=120)
    if not find_spec("exudyn"):
        console.print("Exudyn is not installed: no comparison with it")
        return
    for EI, counts in CASES.items():
        console.print(rod_table(EI, counts))


if __name__ == "__main__":
    main()
