"""Steady rotation: joints turn at constant speeds, and everything else stays where inertial forces and loads hold it.

In axes that turn with the joints this is an equilibrium, and small motions about it have constant coefficients, if
nothing changes as the joints go round. That is so where all that acts on what a joint carries turns with it, and where
what it carries is a rigid round disc; an elastic rotor that is the same from all sides is described in fixed axes
(`round_rotors`). It is not so under gravity across the axis of a flexible rotor.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress

import numpy as np

from supple.call_checks import checked
from supple.errors import AssemblyError, StateError, SuppleError
from supple.formulations import Formulation, require_formulation
from supple.linear.balance import Balance, Forces
from supple.linear.dependents import Dependents
from supple.linear.eigenmodes import eigenmodes, growing
from supple.linear.loading import StuckError, TooLongError, loaded, newton
from supple.linear.round_rotors import at_angle, in_fixed_axes, rotation_generator
from supple.linear.small_motions import LinearEquations, force_unit, linear_equations
from supple.linear.spins import spin_places, spin_speeds, without_gravity
from supple.linear.start import Bools, Floats, Values, coordinates, held_speeds, require_dofs
from supple.linear.statics import Equilibrium, EquilibriumError, configuration_at_rest, warn_of_large_deformation
from supple.model.dynamic_functions import Loads

ANGLES = (0.7, 1.9)
"""By how much a joint is turned to see whether anything changes, rad."""
CHANGED = 1e-7
"""Change of an entry of M, C or K, relative to itself or to the largest in its row and column, beyond rounding."""


@checked
def steady_rotation(
    model: Formulation,
    spin: Mapping[str, float],
    q: Values | None = None,
    tau: Values | None = None,
    external: Loads | None = None,
    fixed: Iterable[str] = (),
) -> Equilibrium:
    """The state near q in which joints turn at constant speeds and nothing else moves: bias_forces(q, v) = tau.

    It is the equilibrium in turning axes, with centrifugal and gyroscopic forces; motors hold the speeds. Newton's
    method with exact derivatives; where it does not converge, loads and inertial forces are raised in steps.

    Parameters
    ----------
    spin : mapping of str to float
        Speeds of joints, rad/s, by coordinate ("hub.angle") or by body ("hub").
    q : array_like or mapping of name to number, optional
        Where to start; by default neutral. Angles of spinning joints keep their value.
    tau, external, fixed
        As for `equilibrium`.

    Raises
    ------
    StateError
        When the equations of small motions change as a joint goes round, for instance by gravity across its axis.
    EquilibriumError
        When no such state is found.

    Examples
    --------
    A mass on a spring, carried round: k u = m w^2 (r + u).

    >>> import supple
    >>> mech = supple.Mechanism("governor", gravity=(0, 0, 0))
    >>> mech.add_body("arm", supple.RigidBody(1.0), joint=supple.Revolute("z"))
    >>> mech.add_body("bob", supple.RigidBody(2.0), "arm", supple.Prismatic("x", stiffness=100.0), at=(0.3, 0, 0))
    >>> state = steady_rotation(mech.build(), {"arm": 5.0})
    >>> state.q.round(12)
    array([0. , 0.3])
    """
    require_formulation(model, "supple.linear")
    model.floating_frames("spin")
    v, places, fixed = spin_speeds(model, spin), spin_places(model, spin), tuple(fixed)
    held = held_and_spinning(model, fixed, places)
    start = coordinates(model, q, held, rigid=False)
    balance = Balance(model, tau, external, held, v)
    found, count = steady_configuration(balance, start)
    equations = linear_equations(model, found, v, None, external, (*fixed, *places))
    equations = in_fixed_axes(equations, require_constant(equations, tau, external))
    f, r = balance.partition(found), balance.residual(found)
    left = r - f.partition.J.T @ f.forces(r)
    stable = not growing(eigenmodes(equations).values).any()
    state = Equilibrium(model, start, found, v, left, f.partition.moving, count, stable)
    warn_of_large_deformation(balance, state)
    return state


def steady_configuration(balance: Balance, start: Floats) -> tuple[Floats, int]:
    """Coordinates (nq,) in which the forces balance at the constant speeds, and the iterations to them.

    Whether they still do when the joints have gone on is not looked at.
    """
    f = balance.partition(start)
    _require_closed(f, balance.v)
    require_dofs(balance.model, f.Z.shape[1], balance.held)
    try:
        found, count = newton(balance, start, 1.0)
    except (TooLongError, AssemblyError):
        try:
            found, count = loaded(balance, start)
        except StuckError as stuck:
            raise EquilibriumError(_failure(balance, stuck)) from None
    _require_closed(balance.partition(found), balance.v)
    return found, count


def balanced_coordinates(model: Formulation, q: Floats, tau: Forces | None, held: Bools, v: Floats) -> Floats:
    """Coordinates (nq,) near q in which tau and the model's own forces balance, at rest or at speeds v of what is held.

    Closed loops are closed first. Speeds are reached from rest where they are not in one go.
    """
    start = coordinates(model, q, held, rigid=False)
    if not v.any():
        return configuration_at_rest(Balance(model, tau, None, held), start).q
    balance = Balance(model, tau, None, held, v)
    try:
        return steady_configuration(balance, start)[0]
    except EquilibriumError:
        rest = configuration_at_rest(Balance(model, tau, None, held), start).q
        return steady_configuration(balance, rest)[0]


def held_and_spinning(model: Formulation, fixed: Iterable[str], places: Mapping[str, int]) -> Bools:
    """Which speeds (nv,) are held or turn; refused where nothing else is left to move."""
    held = held_speeds(model, fixed)
    held[list(places.values())] = True
    if held.all():
        names = " and ".join(map(repr, places))
        raise StateError(f"spin: {names}: nothing else of model {model.name!r} is left to move, so it has no modes")
    return held


def _failure(balance: Balance, stuck: StuckError) -> str:
    model = balance.model
    f = balance.partition(stuck.q)
    left = f.Z.T @ balance.residual(stuck.q)
    worst = int(np.argmax(np.abs(left) / np.maximum(balance.none(f)[0], np.finfo(float).tiny)))
    i = f.partition.moving[worst]
    turning = ", ".join(f"{model.speeds[j]!r} at {balance.v[j]:.6g} rad/s" for j in np.flatnonzero(balance.v))
    return (
        f"model {model.name!r}: no steady rotation found with {turning or 'all joints at rest'}: loads and inertial "
        f"forces could be raised to {stuck.share:.3g} of their size; a force of {left[worst]:.4g} "
        f"{force_unit(model, i)} is left on {model.speeds[i]!r}; start closer, or look whether anything holds it"
    )


def _require_closed(f: Dependents, v: Floats) -> None:
    """Refuse speeds that closed loops do not allow while all else is at rest."""
    J = f.partition.J
    size = np.abs(J) @ np.abs(v)
    if (np.abs(J @ v) > CHANGED * np.maximum(size, np.finfo(float).tiny)).any():
        names = " and ".join(repr(f.model.speeds[i]) for i in np.flatnonzero(v))
        raise StateError(
            f"spin: {names}: the loops of model {f.model.name!r} do not let it turn alone: other joints move with it, "
            "so that no rotation is steady"
        )


def require_constant(e: LinearEquations, tau: Values | None, external: Loads | None) -> list[int]:
    """Places of joints whose rotors must be described in fixed axes for small motions to have constant coefficients.

    Steady rotations whose forces or equations change in any axes as one of the joints goes round are refused.
    """
    out = []
    for place in map(int, np.flatnonzero(e.state.v)):
        if not _changed(e, place, tau, external):
            continue
        generator = rotation_generator(e, place)
        if generator is None or _changed(e, place, tau, external, generator):
            raise StateError(f"spin: {e.model.speeds[place]!r}: {_reason(e, place, tau, external)}")
        out.append(place)
    return out


def _reason(e: LinearEquations, place: int, tau: Values | None, external: Loads | None) -> str:
    """What changes as a joint goes round, and why."""
    what = _changed(e, place, tau, external)
    model, g = e.model, e.model.description.gravity
    axis = model.jacobian(e.state.q, model.body_of_state(model.speeds[place]))[:3, place]
    across = np.linalg.norm(g - axis * (axis @ g)) if g.any() else 0.0
    if across > CHANGED * np.linalg.norm(g):
        names = [name for name, x in zip(model.speeds, e.held, strict=True) if x]
        bare = without_gravity(model)
        with suppress(SuppleError):
            q, _ = steady_configuration(Balance(bare, tau, external, e.held, e.state.v), e.state.q)
            require_constant(linear_equations(bare, q, e.state.v, None, external, names), tau, external)
            return (
                f"gravity acts across its axis, so that {what} as it goes round and there are no modes; "
                "gravity=False leaves gravity out"
            )
    return (
        f"{what} as it goes round, so that there are no modes: what it carries is not the same from all sides, and "
        "what it stands on moves; supports that are equal in all directions may stand behind the joint and turn with it"
    )


def _changed(
    e: LinearEquations, place: int, tau: Values | None, external: Loads | None, generator: Floats | None = None
) -> str:
    """What changes as a joint goes round, empty if nothing does; with a generator, what is not as in a round rotor."""
    model, q, v = e.model, e.state.q, e.state.v
    balance = Balance(model, tau, external, e.held, v)
    f = balance.partition(q)
    force, allowed = f.Z.T @ balance.residual(q), balance.none(f)[1]
    names = [name for name, x in zip(model.speeds, e.held, strict=True) if x]
    none = np.zeros_like(e.M) if generator is None else generator
    for angle in ANGLES:
        turned = np.asarray(model.integrate(q, np.eye(model.nv)[place], angle))
        if model.loops is not None and not np.allclose(coordinates(model, turned, e.held, rigid=False), turned, 1e-7):
            return "its loops do not stay closed"
        off = np.abs(f.Z.T @ balance.residual(turned) - force) > allowed
        if off.any():
            return f"the force on {model.speeds[f.partition.moving[int(np.argmax(off))]]!r} changes"
        other = linear_equations(model, turned, v, None, external, names)
        speed, size = np.abs(v).sum(), np.sqrt(np.diag(e.M))
        found = (other.M, other.C, other.K)
        for power, (a, b) in enumerate(zip(at_angle(e, none, angle), found, strict=True)):
            differs = _differs(a, b, speed**power * np.outer(size, size))
            if differs.any():
                word = ("inertia", "damping", "stiffness")[power]
                i, j = (repr(model.speeds[e.free[k]]) for k in np.argwhere(differs)[0])
                return f"the {word} of {i} changes" if i == j else f"the {word} between {i} and {j} changes"
    return ""


def _differs(a: Floats, b: Floats, size: Floats) -> Bools:
    """Which entries differ by more than rounding, judged beside the largest of row and column, and beside a size."""
    rows = np.maximum(np.abs(a), np.abs(b)).max(axis=1, initial=0.0)
    allowed = CHANGED * np.maximum(np.abs(a), np.abs(b)) + 1e-2 * CHANGED * (np.sqrt(np.outer(rows, rows)) + size)
    return np.asarray(np.abs(a - b) > allowed)
