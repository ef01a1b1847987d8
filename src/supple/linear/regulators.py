"""Optimal regulators of linear systems, with weights by name: LQR, and LQG with its estimator."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import linalg

from supple.call_checks import checked
from supple.checks import floats, is_number
from supple.errors import StateError, nearest
from supple.inputs.linear_controllers import LinearController
from supple.linear.start import Floats, Numbers
from supple.linear.state import StateSpace

Weights = Mapping[str, float] | ArrayLike


@checked
@dataclass(frozen=True, eq=False)
class Regulator:
    """u = -K x for the states of a system, or for what an estimator makes of its outputs.

    Attributes
    ----------
    system : StateSpace
    K : (inputs, states) array
        Gains.
    L : (states, outputs) array or None
        Gains of the estimator; None where the states themselves are fed back.
    poles : complex array
        Of the closed loop, 1/s: of the regulator, then of the estimator.
    """

    system: StateSpace
    K: Floats
    L: Floats | None
    poles: Numbers

    def gain(self, input: str, state: str) -> float:
        """The gain from a state to an input, by name."""
        places = _place(input, self.system.inputs, "input"), _place(state, self.system.states, "state")
        return float(self.K[places])

    def controller(
        self, name: str = "regulator", rate: float | None = None, limit: float | tuple[float, float] | None = None
    ) -> LinearController:
        """The regulator as a law for `supple.simulate` and model files.

        It adds to the generalized forces that hold the state the system was linearised about.

        Parameters
        ----------
        name : str
        rate : float, optional
            Samples a second: what is measured is held between them, and the estimator is integrated exactly for it.
        limit : float or pair, optional
            Of every output.
        """
        e, speeds = self.system.equations, self.system.inputs
        for input in speeds:
            if input not in e.model.speeds:
                raise StateError(f"controller: expected generalized forces as inputs, got {input!r}")
        bias = [float(e.state.holding[e.model.speeds.index(x)]) for x in speeds]
        further: dict[str, Any] = {"bias": bias, "rate": rate, "limit": limit}
        if self.L is None:
            measured = [_measured(self.system, name) for name in self.system.states]
            reference = [value for _, value in measured]
            return LinearController(name, [x for x, _ in measured], speeds, D=-self.K, reference=reference, **further)
        s, K, L = self.system, self.K, self.L
        measured = [_measured(s, name) for name in s.outputs]
        A = s.A - s.B @ K - L @ (s.C - s.D @ K)
        B = L
        if rate is not None:
            n, m = B.shape
            both = linalg.expm(np.block([[A, B], [np.zeros((m, n + m))]]) / rate)
            A, B = both[:n, :n], both[:n, n:]
        reference = [value for _, value in measured]
        return LinearController(name, [x for x, _ in measured], speeds, A, B, -K, reference=reference, **further)

    def __repr__(self) -> str:
        kind = "LQR" if self.L is None else "LQG"
        return f"<supple {kind} of {self.system.equations.model.name!r}: slowest pole {self.poles.real.max():.4g} 1/s>"


@checked
def lqr(system: StateSpace, Q: Weights, R: Weights) -> Regulator:
    """The regulator that minimises the integral of x* Q x + u* R u.

    Parameters
    ----------
    system : StateSpace
    Q : mapping of name to number, or (states, states) array_like
        Weights of squares of states ("x:arm.angle", "v:arm.angle") or outputs; what is not named has none.
    R : mapping of name to number, or (inputs, inputs) array_like
        Weights of squares of all inputs.

    Examples
    --------
    >>> import supple
    >>> mech = supple.Mechanism("cart", gravity=(0, 0, 0))
    >>> mech.add_body("cart", supple.RigidBody(1.0), joint=supple.Prismatic("x"))
    >>> system = supple.linear.state_space(mech.build())
    >>> lqr(system, {"x:cart.position": 1.0}, {"cart.position": 1.0}).K.round(6)
    array([[1.      , 1.414214]])
    """
    cost = _state_weights(system, Q)
    effort = _weights(R, system.inputs, "R")
    _require_positive(effort, system.inputs, "R")
    P = _riccati(system, system.A, system.B, cost, effort, "is not controlled by the inputs, or has no weight")
    K = np.asarray(np.linalg.solve(effort, system.B.T @ P), dtype=float)
    return Regulator(system, K, None, linalg.eigvals(system.A - system.B @ K))


@checked
def lqg(system: StateSpace, Q: Weights, R: Weights, process: Weights, measurement: Weights) -> Regulator:
    """The same with a Kalman filter that estimates the states from the outputs of the system.

    Parameters
    ----------
    system : StateSpace
    Q, R : as for `lqr`
    process : mapping of name to number, or (states, states) array_like
        Intensities of white noise: at inputs by their names, on states by theirs.
    measurement : mapping of name to number, or (outputs, outputs) array_like
        Intensities of the noise of all outputs.
    """
    regulator = lqr(system, Q, R)
    noise = _weights(measurement, system.outputs, "measurement")
    _require_positive(noise, system.outputs, "measurement")
    driven = {name: column for name, column in zip(system.inputs, system.B.T, strict=True)}
    moving = _named_sum(process, len(system.states), "process", driven | _units(system.states))
    P = _riccati(system, system.A.T, system.C.T, moving, noise, "is not seen by the outputs, or has no noise")
    L = np.asarray(np.linalg.solve(noise, system.C @ P).T, dtype=float)
    poles = np.concatenate([regulator.poles, linalg.eigvals(system.A - L @ system.C)])
    return Regulator(system, regulator.K, L, poles)


def _riccati(system: StateSpace, A: Floats, B: Floats, Q: Floats, R: Floats, why: str) -> Floats:
    """The stabilising solution; refused where there is none, by the state that moves most in what stays."""
    poles = linalg.eigvals(A)
    try:
        P = linalg.solve_continuous_are(A, B, Q, R)
        closed = linalg.eigvals(A - B @ np.linalg.solve(R, B.T @ P))
        if np.isfinite(P).all() and closed.real.max() < 0:
            return np.asarray(P)
        poles = closed
    except np.linalg.LinAlgError:
        pass
    pole, name = _unreached(A, B, poles, system.states)
    raise StateError(
        f"model {system.equations.model.name!r}: no regulator: the motion of {name!r} with the pole {pole:.4g} 1/s "
        f"{why}"
    )


def _unreached(A: Floats, B: Floats, poles: Numbers, states: tuple[str, ...]) -> tuple[complex, str]:
    """The unstable or neutral pole that B reaches least (Popov, Belevitch, Hautus), and the state it moves most."""
    worst: tuple[float, complex, str] = (np.inf, 0j, "")
    for pole in poles[poles.real > -1e-9 * np.abs(poles).max(initial=1.0)]:
        U, sizes, _ = linalg.svd(np.hstack([A - pole * np.eye(len(A)), B]))
        if sizes[-1] < worst[0]:
            worst = float(sizes[-1]), complex(pole), states[int(np.argmax(np.abs(U[:, -1])))]
    return worst[1:]


def _state_weights(system: StateSpace, Q: Weights) -> Floats:
    known = _units(system.states) | {name: row for name, row in zip(system.outputs, system.C, strict=True)}
    found = _named_sum(Q, len(system.states), "Q", known)
    if np.linalg.eigvalsh(found).min() < -1e-12 * np.abs(found).max():
        raise StateError("Q: expected weights that are not negative")
    return found


def _units(names: Iterable[str]) -> dict[str, Floats]:
    listed = list(names)
    return dict(zip(listed, np.eye(len(listed)), strict=True))


def _named_sum(given: Weights, size: int, what: str, known: Mapping[str, Floats]) -> Floats:
    """Sum of weight * row row* over names, or a matrix as it is."""
    if not isinstance(given, Mapping):
        return _matrix(given, size, what)
    total = np.zeros((size, size))
    for name, weight in given.items():
        if name not in known:
            raise StateError(f"{what}: no {name!r}{nearest(name, known)}")
        if not (is_number(weight) and weight >= 0):
            raise StateError(f"{what}: {name!r}: expected a number that is not negative, got {weight!r}")
        total += weight * np.outer(known[name], known[name])
    return total


def _weights(given: Weights, names: tuple[str, ...], what: str) -> Floats:
    """A weight for each name."""
    if isinstance(given, Mapping):
        for name in names:
            if name not in given:
                raise StateError(f"{what}: expected a number for {name!r}, got none")
    return _named_sum(given, len(names), what, _units(names))


def _matrix(given: Any, size: int, what: str) -> Floats:
    found = floats(given)
    if found is None:
        raise StateError(f"{what}: expected numbers by name, or a matrix {(size, size)}, got {given!r:.60}")
    if found.shape != (size, size) or not np.isfinite(found).all():
        raise StateError(f"{what}: expected numbers by name, or a matrix {(size, size)}, got shape {found.shape}")
    return (found + found.T) / 2


def _require_positive(x: Floats, names: tuple[str, ...], what: str) -> None:
    if not len(x) or np.linalg.eigvalsh(x).min() <= 0:
        raise StateError(f"{what}: expected positive numbers for {', '.join(names) or 'at least one name'}")


def _measured(system: StateSpace, name: str) -> tuple[str, float]:
    """A state or output as a formula, and its value in the state about which the system is linear."""
    model, state = system.equations.model, system.equations.state
    kind, _, entry = name.partition(":")
    place = model.q_of_speed.tolist()
    if kind in ("x", "q"):
        speed = model.speeds.index(entry) if entry in model.speeds else -1
        if speed >= 0 and place[speed] >= 0:
            return model.coordinates[place[speed]], float(state.q[place[speed]])
        if kind == "q" and entry in model.coordinates:
            return entry, float(state.q[model.coordinates.index(entry)])
    if kind == "v" and entry in model.speeds:
        speed = model.speeds.index(entry)
        text = f"rate({model.coordinates[place[speed]]})" if place[speed] >= 0 else entry
        return text, float(state.v[speed])
    raise StateError(
        f"controller: {name!r} cannot be measured in a run: expected coordinates whose rates are speeds (q:...), or "
        "speeds (v:...)"
    )


def _place(name: str, names: tuple[str, ...], what: str) -> int:
    if name not in names:
        raise StateError(f"no {what} {name!r}{nearest(name, names)}")
    return names.index(name)
