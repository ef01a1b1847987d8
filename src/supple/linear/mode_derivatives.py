"""Derivatives of frequencies, damping and shapes of modes by parameters.

With Q(s) = s^2 M + s C + K, right and left eigenvectors x and y of the eigenvalue s, and Q_p the derivative of Q by a
parameter at fixed s,

    ds/dp = -(y* Q_p x) / (y* (2 s M + C) x),

which for real modes is d(w^2)/dp = x* (K_p - w^2 M_p) x (Fox and Kapoor, 1968). The derivative of the shape solves
Q dx = -(Q_p + Q_s ds) x, singular, by Nelson's method (1976): one entry is held, and a multiple of x added so that the
shape keeps unit modal mass and the phase of its heaviest entry.

Eigenvalues that repeat have derivatives as a set, the eigenvalues of the same expression in their subspace; their
shapes jump to others as soon as a parameter changes, and have none.

M_p, C_p and K_p are central differences of order 6 of the equations of small motions, exact to about 1e-11.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import linalg

from supple.call_checks import checked
from supple.errors import ModelError, StateError, nearest
from supple.formulations import Formulation
from supple.linear.balance import Balance
from supple.linear.eigenmodes import Eigenmodes, eigenmodes
from supple.linear.shares import body_energies
from supple.linear.small_motions import LinearEquations, linear_equations
from supple.linear.start import Floats, Numbers, Values, coordinates, held_speeds
from supple.linear.statics import configuration_at_rest
from supple.linear.vibration import Modes
from supple.model.model import Model
from supple.model.parameters import parameter_values
from supple.model.structural_slopes import STEP, WEIGHTS, structural_parameters, with_structural

EQUAL = 1e-7
"""Relative difference below which eigenvalues are one that repeats: rounding separates equal ones by less."""
ONE_SIDED = (-25 / 12, 4.0, -3.0, 4 / 3, -1 / 4)
"""Weights of differences of order 4 to one side."""


@dataclass(frozen=True, eq=False)
class ModeSensitivities:
    """Derivatives of modes by parameters; `print` shows those of the frequencies.

    Attributes
    ----------
    modes : Modes
        n of them.
    parameters : tuple of str
        P names.
    eigenvalues : (n, P) complex array
        1/s per unit of the parameter; nan for rigid motions.
    shapes : (nv, n, P) array
        nan for rigid motions and where eigenvalues repeat.
    repeated : (n,) array of bool
        Which modes share their eigenvalue: their derivatives are those of the set.
    """

    modes: Modes
    parameters: tuple[str, ...]
    eigenvalues: Numbers
    shapes: Numbers
    repeated: NDArray[np.bool_]

    @property
    def frequencies(self) -> Floats:
        """(n, P), Hz per unit of the parameter."""
        s = self.modes.eigenvalues[:, None]
        return np.asarray((s.conj() * self.eigenvalues).real / (2 * np.pi * np.where(s == 0.0, 1.0, np.abs(s))))

    @property
    def damping(self) -> Floats:
        """(n, P) of the damping ratios, per unit of the parameter."""
        s = self.modes.eigenvalues[:, None]
        size = np.where(s == 0.0, 1.0, np.abs(s))
        along = (s.conj() * self.eigenvalues).real
        return np.asarray(-self.eigenvalues.real / size + s.real * along / size**3)

    def __str__(self) -> str:
        width = max(12, *(len(name) for name in self.parameters)) + 2
        head = f"{'mode':>4} {'frequency/Hz':>13}" + "".join(f"{name:>{width}}" for name in self.parameters)
        lines = [f"{self.modes.model.name}: derivatives of frequencies, Hz per unit of the parameter", head]
        for i, row in enumerate(self.frequencies):
            star = "*" if self.repeated[i] else ""
            text = "".join(f"{x:>{width}.5g}" for x in row)
            lines.append(f"{i + 1:>4} {self.modes.frequencies[i]:>13.6g}{text}{star}")
        return "\n".join([*lines, *(["* repeated: derivatives of the set"] if self.repeated.any() else [])])


@checked
def mode_sensitivities(
    model: Formulation,
    parameters: Sequence[str],
    q: Values | None = None,
    tau: Values | None = None,
    fixed: Iterable[str] = (),
    *,
    balanced: bool = False,
) -> ModeSensitivities:
    """Derivatives of frequencies, damping ratios and shapes of the modes at rest by parameters.

    Parameters
    ----------
    model : Model
    parameters : sequence of str
        Numbers of the model ("arm.mass", see `supple.symbolic.parameter_names`), or of the beams that flexible bodies
        were reduced from ("boom.E", "boom.length", "boom.damping").
    q : array_like or mapping of name to number, optional
        Configuration, neutral by default; loops are closed, for each value of a parameter anew.
    tau : array_like or mapping, optional
        Constant generalized forces; by default those that hold the configuration.
    fixed : names, optional
        Coordinates that are held, or bodies whose joint is.
    balanced : bool
        Whether the modes are those about the equilibrium near q, which moves with the parameters.

    Examples
    --------
    >>> import supple
    >>> mech = supple.Mechanism("block", gravity=(0, 0, 0))
    >>> mech.add_body("block", supple.RigidBody(1.0), joint=supple.Prismatic("x", stiffness=4.0))
    >>> found = mode_sensitivities(mech.build(), ["block.position.stiffness", "block.mass"])
    >>> (2 * np.pi * found.frequencies).round(9).tolist()
    [[0.25, -1.0]]
    """
    own = model.floating_frames("a derivative of modes")
    held = tuple(fixed)

    def at_rest(other: Model) -> Floats:
        still = held_speeds(other, held)
        start = coordinates(other, q, still, rigid=False)
        return configuration_at_rest(Balance(other, tau, None, still), start).q

    def at(other: Model, independent: Sequence[str] = ()) -> LinearEquations:
        here = at_rest(other) if balanced else q
        return linear_equations(other, here, None, tau, None, held, independent)

    e = at(own)
    if e.rolls:
        raise StateError(
            f"mode_sensitivities: model {own.name!r} has wheels that roll, whose modes have no derivatives"
        )
    independent = () if own.loops is None else e.names
    found = eigenmodes(e)
    pencil = _Pencil(e, found)
    values = np.full((len(found.values), len(parameters)), np.nan, dtype=complex)
    shapes = np.full((own.nv, *values.shape), np.nan, dtype=complex)
    for j, name in enumerate(parameters):
        slopes = _slopes(own, name, lambda other: _parts(at(other, independent)))
        values[:, j], shapes[:, :, j] = pencil.derivatives(*slopes)
    modes = Modes(own, e.state.q, e.state.v, e.state.holding, *found, body_energies(own, e.state.q, found.shapes))
    real = found.real and not np.abs(shapes.imag).max(initial=0.0, where=np.isfinite(shapes)) > 0.0
    return ModeSensitivities(modes, tuple(parameters), values, shapes.real if real else shapes, pencil.repeated)


def _parts(e: LinearEquations) -> list[Floats]:
    """What modes follow from: M, C and K, how all speeds follow, and the mass matrix of all speeds."""
    return [e.M, e.C, e.K @ e.T, e.carried.Z, np.asarray(e.model.mass_matrix(e.state.q))]


def _slopes(model: Model, name: str, parts: Callable[[Model], list[Floats]]) -> list[Floats]:
    """Derivatives of matrices of a model by a parameter."""
    numbers, structural = parameter_values(model), structural_parameters(model)
    if name not in numbers and name not in structural:
        hint = nearest(name, [*numbers, *structural])
        raise StateError(f"mode_sensitivities: model {model.name!r}: no parameter {name!r}{hint}")
    value = numbers[name] if name in numbers else structural[name][0]

    def changed(x: float) -> list[Floats]:
        return parts(model.with_parameters({name: x}) if name in numbers else with_structural(model, name, x))

    h = STEP * (abs(value) or 1.0)
    places = [(sign * steps, sign * weight) for steps, weight in WEIGHTS.items() for sign in (1, -1)]
    try:
        found = [(weight, changed(value + steps * h)) for steps, weight in places]
    except ModelError:  # a number that must not be negative, at zero
        if value != 0.0:
            raise
        found = [(weight, changed(value + steps * h)) for steps, weight in enumerate(ONE_SIDED)]
    total: Any = [sum(weight * matrices[i] for weight, matrices in found) / h for i in range(len(found[0][1]))]
    return [np.asarray(x) for x in total]


class _Pencil:
    """The eigenvalue problem of small motions, and derivatives of its solutions."""

    def __init__(self, e: LinearEquations, found: Eigenmodes) -> None:
        self.M, self.C, self.K, self.Z, self.M_all = _parts(e)
        self._values, self._found = found.values, found.shapes
        self.x = np.linalg.lstsq(self.Z, found.shapes, rcond=None)[0]
        size = np.abs(self._values)
        self.rigid = size <= 1e-9 * size.max(initial=0.0)
        gaps = np.abs(self._values[:, None] - self._values) <= EQUAL * np.maximum(size[:, None], size)
        self._sets = [np.flatnonzero(row) for row in gaps]
        self.repeated = np.array([len(s) > 1 for s in self._sets]) & ~self.rigid

    def Q(self, s: complex, M: Floats, C: Floats, K: Floats) -> Numbers:
        """s^2 M + s C + K."""
        return np.asarray(s * s * M + s * C + K)

    def _left(self, s: complex, count: int) -> Numbers:
        """Left null vectors (n, count) of Q(s)."""
        return np.asarray(linalg.svd(self.Q(s, self.M, self.C, self.K))[0][:, -count:])

    def derivatives(self, M: Floats, C: Floats, K: Floats, Z: Floats, M_all: Floats) -> tuple[Numbers, Numbers]:
        """Derivatives of eigenvalues (n,) and shapes (nv, n) from those of the matrices."""
        values = np.full(len(self._values), np.nan, dtype=complex)
        shapes = np.full(self._found.shape, np.nan, dtype=complex)
        for i, s in enumerate(self._values):
            if self.rigid[i] or np.isfinite(values[i]):
                continue
            own = self._sets[i]
            X, Y = self.x[:, own], self._left(s, len(own))
            changed = self.Q(s, M, C, K)
            found = linalg.solve(Y.conj().T @ (2 * s * self.M + self.C) @ X, -Y.conj().T @ changed @ X)
            rates = linalg.eigvals(found) if len(own) > 1 else found[0]
            values[own] = rates[np.argsort(np.abs(s + 1e-6 * rates / max(np.abs(rates).max(), 1e-300)))]
            if len(own) == 1:
                by_p = (changed + values[i] * (2 * s * self.M + self.C)) @ self.x[:, i]
                shapes[:, i] = self._shape(i, s, -by_p, Z, M_all)
        return values, shapes

    def _shape(self, i: int, s: complex, right: Numbers, Z: Floats, M_all: Floats) -> Numbers:
        """Nelson's method: the derivative of one shape (nv,)."""
        x, whole = self.x[:, i], self._found[:, i]
        k = int(np.abs(x * np.sqrt(np.abs(np.diag(self.M)))).argmax())
        A, b = self.Q(s, self.M, self.C, self.K).astype(complex), right.astype(complex)
        A[k], A[:, k], b[k] = 0.0, 0.0, 0.0
        A[k, k] = 1.0
        d = self.Z @ linalg.solve(A, b) + Z @ x
        # Unit modal mass fixes the real part of what is added, the real heaviest entry the imaginary part.
        mass = 2 * (whole.conj() @ self.M_all @ d).real + (whole.conj() @ M_all @ whole).real
        heaviest = int(np.argmax(np.abs(whole) * np.sqrt(np.diag(self.M_all))))
        d = d - mass / 2 * whole
        return np.asarray(d - 1j * (d[heaviest] / whole[heaviest]).imag * whole)
