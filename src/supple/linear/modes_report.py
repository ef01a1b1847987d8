"""The natural modes of a model as text: what `supple modes FILE` prints."""

from __future__ import annotations

from collections.abc import Iterable

from supple.formulations import Formulation
from supple.linear.spins import without_gravity
from supple.linear.start import Values
from supple.linear.statics import equilibrium
from supple.linear.vibration import modes


def modes_report(
    model: Formulation,
    q: Values | None = None,
    *,
    static: bool = False,
    fixed: Iterable[str] = (),
    count: int | None = 20,
    gravity: bool = True,
) -> str:
    """The table of modes as text, after that of the equilibrium if asked for.

    Parameters
    ----------
    q : array_like or mapping of name to number, optional
        The configuration, or where the search for the equilibrium starts; by default neutral.
    static : bool
        Let the model settle under its loads first.
    fixed : names, optional
        Coordinates that are held, or bodies whose joint is.
    count : int, optional
        Number of modes shown; all if None.
    gravity : bool
        Whether gravity acts.
    """
    fixed = tuple(fixed)
    model = model if gravity else without_gravity(model)
    if not static:
        return modes(model, q, fixed=fixed).table(count)
    rest = equilibrium(model, q, fixed=fixed)
    return f"{rest}\n\n{modes(model, rest.q, fixed=fixed).table(count)}"
