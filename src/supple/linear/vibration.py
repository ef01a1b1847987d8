"""Natural frequencies, damping and shapes of a whole system."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from supple.call_checks import checked
from supple.checks import is_number
from supple.errors import StateError
from supple.formulations import Formulation
from supple.html_tables import html_table
from supple.linear.acting_laws import ActingLaws
from supple.linear.eigenmodes import SLOWEST, eigenmodes, growing
from supple.linear.round_rotors import in_fixed_axes
from supple.linear.shares import body_energies
from supple.linear.small_motions import force_unit, linear_equations
from supple.linear.spins import spin_places, without_gravity
from supple.linear.start import Floats, Numbers, Values
from supple.linear.steady import require_constant, steady_rotation
from supple.model.dynamic_functions import Loads
from supple.model.loops.partitioning import back
from supple.structures.body.flexible_body import FlexibleBody


@checked
@dataclass(frozen=True, eq=False)
class Modes:
    """The modes of a model about a state, slowest first; `print` shows them as a table.

    Attributes
    ----------
    model : Model or ErlsModel
    q, v : (nq,), (nv,) arrays
        The state.
    holding : (nv,) array
        The generalized forces that the state takes, N, N m.
    eigenvalues : (n,) complex array
        1/s; of conjugate pairs the one with positive imaginary part.
    shapes : (nv, n) array
        Motion of each mode in the directions of the speeds, with unit modal mass; complex when `real` is false.
    real : bool
        Whether these are modes of a symmetric stiffness without damping or gyroscopic forces; then
        shapes* M shapes = I.
    energies : (bodies, n) array
        Share of each body in the kinetic energy of each mode.
    """

    model: Formulation
    q: Floats
    v: Floats
    holding: Floats
    eigenvalues: Numbers
    shapes: Numbers
    real: bool
    energies: Floats

    def __len__(self) -> int:
        return len(self.eigenvalues)

    @property
    def names(self) -> tuple[str, ...]:
        """Of the rows of `shapes`: the speeds."""
        return self.model.speeds

    @property
    def frequencies(self) -> Floats:
        """Natural frequencies (n,), Hz: the size of the eigenvalue over 2 pi."""
        return np.abs(self.eigenvalues) / (2 * np.pi)

    @property
    def damping(self) -> Floats:
        """Ratios (n,): 1 for a decay without oscillation, negative for growth, zero for rigid motion."""
        return -self.eigenvalues.real / np.where(self.rigid, 1.0, np.abs(self.eigenvalues))

    @property
    def rigid(self) -> NDArray[np.bool_]:
        """(n,) which modes have frequency zero: nothing brings the system back."""
        return np.abs(self.eigenvalues) <= 2 * np.pi * SLOWEST

    @property
    def unstable(self) -> NDArray[np.bool_]:
        """(n,) which modes grow."""
        return growing(self.eigenvalues)

    @property
    def kinds(self) -> tuple[str, ...]:
        """A word for each mode: "rigid", "unstable", "decay" (without oscillation) or "" for an oscillation."""
        decay = ~self.rigid & (self.eigenvalues.imag == 0)
        words = np.select([self.rigid, self.unstable, decay], ["rigid", "unstable", "decay"], "")
        return tuple(str(word) for word in words)

    def shape_at(self, frame: str, axes: str = "ground") -> Numbers:
        """Rotation and displacement (6, n) of a frame in each mode, in ground axes or its own (`axes="frame"`)."""
        return self.model.jacobian(self.q, frame, axes) @ self.shapes

    def bodies(self, mode: int) -> dict[str, float]:
        """Share of the bodies in the kinetic energy of a mode, largest first; a beam in pieces counts as one."""
        share: dict[str, float] = {}
        for name, x in zip(self.model.bodies, self.energies[:, self._number(mode)], strict=True):
            owner = self.model.description.owner(name)
            share[owner] = share.get(owner, 0.0) + float(x)
        return dict(sorted(share.items(), key=lambda item: -item[1]))

    def dof(self, mode: int) -> str:
        """The speed that moves most in a mode, each weighed with its inertia; empty where controllers alone move."""
        moved = np.abs(self.shapes[:, self._number(mode)]) * self._sizes
        return self.names[int(np.argmax(moved))] if moved.any() else ""

    @cached_property
    def _sizes(self) -> Floats:
        return np.sqrt(np.diag(self.model.mass_matrix(self.q)))

    def configuration(self, mode: int, amplitude: float, phase: float = 0.0) -> Floats:
        """Coordinates (nq,) during an oscillation: amplitude times the shape, at a phase in radians."""
        if not is_number(phase):
            raise StateError(f"configuration: phase: expected a finite number, got {phase!r:.60}")
        shape = (self.shapes[:, self._number(mode)] * np.exp(1j * phase)).real
        q = self.model.integrate(self.q, shape, amplitude)
        return q if self.model.loops is None else back(self.model.loops, q, self.model.none_prescribed)

    def _number(self, mode: int) -> int:
        if not 0 <= mode < len(self):
            raise StateError(f"mode: expected a number from 0 to {len(self) - 1}, got {mode}")
        return mode

    def __str__(self) -> str:
        return self.table()

    def __repr__(self) -> str:
        slowest = f", slowest {self.frequencies[0]:.4g} Hz" if len(self) else ""
        return f"<supple modes of {self.model.name!r}: {len(self)}{slowest}>"

    def _repr_html_(self) -> str:
        columns = ("mode>", "frequency, Hz>", "damping, %>", "", "most moved", "kinetic energy, %")
        return html_table(
            f"{self.model.name}: {len(self)} modes", columns, self._rows(len(self)), "; ".join(self._remarks())
        )

    def _rows(self, count: int) -> list[tuple[str, ...]]:
        """Number, frequency, damping, kind, speed that moves most and bodies of the first modes."""
        rows: list[tuple[str, ...]] = []
        for i in range(count):
            share = [f"{name} {100 * x:.0f}" for name, x in list(self.bodies(i).items())[:3] if x >= 0.005]
            ratio = 100 * self.damping[i]
            damping = f"{0.0 if abs(ratio) < 1e-5 else ratio:.4g}"
            rows.append(
                (str(i + 1), f"{self.frequencies[i]:.6g}", damping, self.kinds[i], self.dof(i), ", ".join(share))
            )
        return rows

    def table(self, count: int | None = None) -> str:
        """The first modes, all if `count` is not given, one a line."""
        shown = len(self) if count is None else min(count, len(self))
        lines = [f"{'mode':>4} {'frequency/Hz':>13} {'damping/%':>10}  {'':8s}  {'most moved':18s}  kinetic energy/%"]
        for number, frequency, damping, kind, dof, share in self._rows(shown):
            lines.append(f"{number:>4} {frequency:>13} {damping:>10}  {kind:8s}  {dof:18s}  {share}")
        if shown < len(self):
            lines.append(f"... and {len(self) - shown} more, up to {self.frequencies[-1]:.6g} Hz")
        return "\n".join([f"{self.model.name}: {len(self)} modes", *lines, *self._remarks()])

    def _remarks(self) -> list[str]:
        remarks = []
        if self.unstable.any():
            fastest = float(self.eigenvalues.real[self.unstable].max())
            remarks.append(
                f"unstable: {int(self.unstable.sum())} of them; the fastest grows e-fold in {1 / fastest:.3g} s"
            )
        holding = np.where(self.v == 0, self.holding, 0.0)  # what keeps a joint turning is its motor
        i = int(np.argmax(np.abs(holding)))
        if np.abs(holding[i]) > 1e-9 * max(1.0, self.model.mass):
            force = f"{self.holding[i]:.4g} {force_unit(self.model, i)}".strip()
            remarks.append(
                f"not a free equilibrium: the state takes generalized forces, the largest {force} on {self.names[i]!r}"
            )
        return [*remarks, *self._damping_remarks()]

    def _damping_remarks(self) -> Iterator[str]:
        """Name the slowest mode that bodies with modal damping hardly damp: their ratios hold for their own modes."""
        placed = {name: x.body for name, x in self.model.description.bodies.items()}
        flexible = {name: x for name, x in placed.items() if isinstance(x, FlexibleBody)}
        given: dict[str, tuple[float, float]] = {}
        for name, body in flexible.items():
            if body.source is not None and isinstance(body.source.reduction.damping, float | int):
                w = np.sqrt(body.stiffness.diagonal() / body.mass_matrix.diagonal())
                given[name] = float(body.source.reduction.damping), float(w.min()) / (2.0 * np.pi)
        if not given or self.model.mechanism_model() is not self.model:
            return
        inertia = np.einsum("in,in->n", self.shapes.conj(), self.model.mass_matrix(self.q) @ self.shapes).real
        for i in np.flatnonzero(~self.rigid & (self.eigenvalues.imag != 0.0)):
            work = {name: self._strain_energy(name, flexible[name], int(i)) for name in given}
            name = max(work, key=work.__getitem__)
            ratio, own = given[name]
            total = inertia[i] * np.abs(self.eigenvalues[i]) ** 2
            if sum(work.values()) > total / 2.0 and ratio > 0.0 and self.damping[i] < ratio / 2.0:
                yield (
                    f"damping: mode {i + 1} at {self.frequencies[i]:.4g} Hz has {100 * self.damping[i]:.2g} %; the "
                    f"{100 * ratio:.3g} % of {name!r} are for its own modes, from {own:.4g} Hz on; give ratios at "
                    "frequencies of the system by Rayleigh.at"
                )
                return

    def _strain_energy(self, name: str, body: FlexibleBody, mode: int) -> float:
        """Twice the strain energy of a body in a mode."""
        speeds = [self.names.index(f"{name}.{label}") for label in body.labels]
        eta = self.shapes[speeds, mode]
        return float((eta.conj() @ (body.stiffness @ eta)).real)


@checked
def modes(
    model: Formulation,
    q: Values | None = None,
    v: Values | None = None,
    tau: Values | None = None,
    external: Loads | None = None,
    fixed: Iterable[str] = (),
    independent: Sequence[str] = (),
    laws: ActingLaws | None = None,
    *,
    spin: Mapping[str, float] | None = None,
    prescribed: bool = True,
    gravity: bool = True,
) -> Modes:
    """Natural frequencies, damping ratios and shapes of small motions about a state.

    Without dampers, gyroscopic forces and follower loads they solve K x = M x w^2; else they are eigenvalues of the
    first-order equations. Loads stiffen or soften joints and flexible bodies: tension raises the frequencies of a body,
    compression lowers them, unless it was added with `stiffening=False` or fidelity "ruthless". A closed model has as
    many modes as independent speeds; what rolls has more where it moves, for it has more coordinates.

    Parameters
    ----------
    q, v : array_like or mapping of name to number, optional
        The state; by default neutral and at rest. `equilibrium` finds one under load. Of a closed model a guess: the
        loops are closed, and speeds made to fit, with what is named kept.
    tau : array_like or mapping, optional
        Constant generalized forces; by default those that keep the speeds as they are, in a closed model on the
        independent speeds.
    external : mapping of frame to (6,) array_like, optional
        Constant moments and forces at frames, which turn with them, N m and N.
    fixed : names, optional
        Coordinates that are held, or bodies whose joint is.
    independent : sequence of str, optional
        Speeds of a closed model that are to be among the independent ones, on which the forces act that hold the state
        where `tau` is not given. The others are chosen.
    laws : ActingLaws, optional
        Forces and controllers of a run about this state, not with `spin`. Modes in which controllers move besides the
        model are among the modes.
    spin : mapping of str to float, optional
        Constant speeds of joints, rad/s, in place of `v`: the modes are those about the steady rotation near q, which
        is found with `tau` and all that inertial forces do to it (`steady_rotation`). Frequencies of what the joints
        carry are those in turning axes; where round elastic rotors stand on supports that move, in fixed axes.
    prescribed : bool
        Whether `spin` is held whatever happens; else motors give constant torques, and the joints move in the modes.
    gravity : bool
        Whether gravity acts.

    Examples
    --------
    >>> import supple
    >>> mech = supple.Mechanism("pendulum")
    >>> mech.add_body("rod", supple.RigidBody(1.0, com=(0, 0, -9.81)))
    >>> float(modes(mech.build()).frequencies[0] * 2 * np.pi)
    1.0
    """
    if not gravity:
        model = without_gravity(model)
    if spin is not None:
        if v is not None:
            raise StateError("modes: expected v or spin, got both")
        if laws is not None:
            raise StateError("modes: spin: cannot be combined with laws")
        fixed = tuple(fixed)
        state = steady_rotation(model, spin, q, tau, external, fixed)
        q, v, tau, load = state.q, state.v, None, tau
        places = spin_places(model, spin)
        held = linear_equations(model, q, v, tau, external, (*fixed, *places), independent)
        stood = require_constant(held, load, external)
        e = held if prescribed else linear_equations(model, q, v, tau, external, fixed, independent)
        e = in_fixed_axes(e, stood)
    else:
        e = linear_equations(model, q, v, tau, external, fixed, independent, laws)
    found, at = eigenmodes(e), e.state
    return Modes(model, at.q, at.v, at.holding, *found, body_energies(model, at.q, found.shapes))
