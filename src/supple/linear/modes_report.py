"""The natural modes of a model, and the text that `supple modes FILE` prints of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from supple.call_checks import checked
from supple.formulations import Formulation
from supple.linear.spins import without_gravity
from supple.linear.start import Values
from supple.linear.statics import equilibrium
from supple.linear.steady import steady_rotation
from supple.linear.vibration import Modes, modes


def modes_and_state(
    model: Formulation,
    q: Values | None = None,
    *,
    static: bool = False,
    fixed: Iterable[str] = (),
    gravity: bool = True,
    spin: Mapping[str, float] | None = None,
) -> tuple[Modes, str]:
    """The modes that `modes_report` prints, and the text about the equilibrium or steady rotation, "" for neither."""
    fixed = tuple(fixed)
    model = model if gravity else without_gravity(model)
    if spin is not None:
        state = steady_rotation(model, spin, q, fixed=fixed)
        return modes(model, state.q, fixed=fixed, spin=spin), str(state)
    if not static:
        return modes(model, q, fixed=fixed), ""
    rest = equilibrium(model, q, fixed=fixed)
    return modes(model, rest.q, fixed=fixed), str(rest)


@checked
def modes_report(
    model: Formulation,
    q: Values | None = None,
    *,
    static: bool = False,
    fixed: Iterable[str] = (),
    count: int | None = 20,
    gravity: bool = True,
    spin: Mapping[str, float] | None = None,
) -> str:
    """The table of modes as text, after that of the equilibrium or steady rotation if asked for.

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
    spin : mapping of str to float, optional
        Constant speeds of joints, rad/s.
    """
    found, state = modes_and_state(model, q, static=static, fixed=fixed, gravity=gravity, spin=spin)
    return "\n\n".join(filter(None, (state, found.table(count))))
