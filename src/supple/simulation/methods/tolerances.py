"""The error that a step of an adaptive integrator may have: relative to the motion, group by group of the state.

No absolute tolerance is right for all states: 1e-10 is nothing for a crane, and a tenth of what a boom does that rings
at 1 nm. So errors are measured against the motion itself. The coordinates of a body that are of one kind
(translations, rotations, modes) are a group, and so are their speeds; the error allowed for a state i of the group g is

    e_i = (share rtol max(S_g, NEGLIGIBLE max S) + eps N_g + REST eps L) / m_i.

The errors of the steps add up over a run: `share` leaves room for that, so that rtol is about the error of the result,
whichever the method (`benchmarks/runs/work_precision.py` shows how nearly).

m_i are the metres that a unit of the state moves: 1 for translations, the length of the mechanism for angles, the
largest displacement of a node for modes. S_g is the largest m_i |y_i| of the group, in this step and with a fading
memory of those before, so that a vibration is measured by its amplitude wherever it is in its period. A mode that is
not excited shares the scale of its body and costs no steps. N_g is what rounding does to the rates: coordinates of the
size D, rounded, change the accelerations by w^2 eps D, hence the speeds by about eps D / h in a step of length h = 1/w.
Gravity g, which other forces balance, is rounded too and changes them by eps g h. Groups that only rounding excites are
therefore not resolved, and steps cannot shrink without bound on their account. D counts angles as one radian at most
and translations as the length L of the mechanism at most: far away is not inexact; where loops are closed it is L at
least. The last term, in m or in m/s, is for what is at rest and begins to move: relative to a motion that is not yet
there every error is large.

Real motions are not given away to rounding in very short steps, as near a singular configuration: eps D / h counts up
to rtol times the fastest motion, or AT_REST times the last term. Where loops are closed rtol is MAGNIFIED larger.

Where a law jumps with the state from rest, that is too small for any step. In steps near the resolution of time the
change itself is allowed (`native_loop.TICKS`), by the native loops alone. Jumps of the time never come to that, see
`time_jumps`.

With a given `atol` the rule is the usual one of a step, state by state: e_i = atol + rtol |y_i|.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supple.formulations import Formulation
from supple.simulation.driven_system import DrivenSystem
from supple.stepping.native_loop import AT_REST, ErrorRule, Scaling
from supple.structures.body.flexible_body import FlexibleBody

Vector = NDArray[np.float64]
Rates = Callable[[float, Vector, Vector], Vector]
POSITION, SPEED, INTEGRAL = 0, 1, 2
SHARES = {"DOP853": 1 / 7, "ESDIRK54": 1 / 3, "RK45": 1 / 30, "RK23": 1 / 80, "Radau": 1 / 2, "LSODA": 1 / 300}
"""Of the error asked for that a step may have, by method: of a spinning top, which forgets nothing, as much adds up."""
BACKWARD = 1 / 200, 1 / 6
"""The same of backward differences, a rtol^b: their estimate is of the order 6 of the error of a step, so rtol^(-1/6)
steps add up their errors, which all have the same sign for long."""
FADE = 0.9
"""Of the size of a group that is left after a tenth of rtol^(-1/order) steps, about a radian of a vibration."""
ORDERS = {"DOP853": 8, "RK45": 5, "RK23": 3, "ESDIRK54": 5}
"""Order of the error estimate; of methods that change their order 4, so that they forget slowly rather than soon."""
NEGLIGIBLE = 1e-9
"""Share of the largest motion of a kind below which a group is not resolved on its own account."""
REST = 1e-3
MAGNIFIED = 1e-10
"""Added to rtol where loops are closed: near singular configurations rounding is magnified to about that. Of backward
differences, whose steps are many, their share of it, but no less than `LEAST_SHARE`: the corrector does not reach less.
"""
LEAST_SHARE = 1e-3
SMALLEST = 100 * float(np.finfo(float).eps)
"""The smallest relative tolerance that scipy's solvers take."""
SCALED = "relative to the motion"
"""What results say where no absolute tolerance was given."""


class Tolerances:
    """Errors that steps of a system may have.

    Parameters
    ----------
    system : DrivenSystem
    rtol : float
    atol : float, optional
        None for the rule above.
    method : str
        Name of the integrator.

    Attributes
    ----------
    atol : (n,) array
        Zero where none was given.
    rules : (7,) array
        The share of rtol, or rtol with a given atol; and zero with a given atol: eps, what a step leaves of the sizes,
        NEGLIGIBLE, REST eps L, gravity, and the least D.
    scaling : tuple of (n,) arrays
        For each state its group, the group of the coordinates that belong to it, its kind, its metres m_i, and the
        most that it counts for rounding, m. See `native_loop.allowed_errors`.
    magnified : float
        What is added to the share of rtol where loops are closed; zero with a given atol.
    weight : (n,) array
        Zero for the work of the generalized forces, which follows the motion and need not steer it.
    """

    def __init__(self, system: DrivenSystem, rtol: float, atol: float | None, method: str = "DOP853") -> None:
        n = system.size
        self.system, self.rtol, self.asked_atol, self.order = system, rtol, atol, ORDERS.get(method, 4)
        self.atol, self.magnified = np.full(n, 0.0 if atol is None else atol), 0.0
        self.weight = np.ones(n)
        if system.inputs.acting:
            self.weight[-1] = 0.0
        if atol is None:
            fade = FADE ** min(1.0, 10.0 * rtol ** (1.0 / self.order))
            eps, length = float(np.finfo(float).eps), extent(system.model) or 1.0
            gravity = float(np.linalg.norm(system.model.description.gravity))
            least = length if system.model.loops is not None else 0.0
            share = SHARES[method] if method in SHARES else BACKWARD[0] * rtol ** BACKWARD[1]
            self.magnified = MAGNIFIED if method in SHARES else max(share, LEAST_SHARE) * MAGNIFIED
            asked = share * rtol if system.model.loops is None else share * rtol + self.magnified
            self.rules = np.array([asked, eps, fade, NEGLIGIBLE, REST * eps * length, gravity, least])
            self.scaling = _groups(system, length)
        else:
            self.rules, each = np.array([rtol, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]), np.arange(n)
            self.scaling = Scaling(each, each, np.zeros(n, dtype=np.int64), np.ones(n), np.zeros(n))
        self.count = int(self.scaling[0].max(initial=-1)) + 1
        self.rule = ErrorRule(self.rules, self.atol, self.scaling, self.weight)

    @property
    def step_rtol(self) -> float:
        """The share of rtol that a step may have, or rtol with a given atol: for solvers that add its product with |y|
        to an absolute tolerance. No smaller than scipy's solvers take.
        """
        return max(float(self.rules[0]), SMALLEST)

    def attributes(self) -> dict[str, Any]:
        """For the results."""
        atol = SCALED if self.asked_atol is None else self.asked_atol
        return {"rtol": self.rtol, "atol": atol, "error_control": "steps as long as the tolerances allow"}

    def without_work(self) -> ErrorRule:
        """The rule for a state that leaves out the work of the generalized forces, which is last and steers nothing."""
        n = len(self.weight) - self.system.inputs.acting
        scaling = Scaling(*(x[:n] for x in self.scaling))
        return ErrorRule(self.rules, self.atol[:n], scaling, self.weight[:n])

    def sizes(self, y: Vector) -> Vector:
        """Sizes (groups,) of a state, m and m/s."""
        out = np.zeros(self.count)
        np.maximum.at(out, self.scaling[0], self.scaling[3] * np.abs(y))
        return out

    def noted(self, sizes: Vector, y: Vector) -> Vector:
        """Sizes after a step that came to a state."""
        return np.asarray(np.maximum(self.rules[2] * sizes, self.sizes(y)))

    def _predicted(self, sizes: Vector, h: float, y: Vector, rate: Vector) -> Vector:
        """Sizes that a step of the length h will come to, from the rate at its start."""
        group, pair, kind = self.scaling[:3]
        out = np.maximum(sizes, self.sizes(y + h * rate))
        if self.asked_atol is None:
            moving = kind == SPEED
            np.maximum.at(out, pair[moving], h * out[group[moving]])
        return out

    def allowed(self, h: float, y: Vector, sizes: Vector) -> Vector:
        """Errors (n,) that a step of the length h may have: as `native_loop.allowed_errors`."""
        group, pair, kind, metres, most = self.scaling
        rtol, eps, _, negligible, rest, gravity, least = self.rules
        if self.asked_atol is not None:
            return np.asarray(self.atol + rtol * sizes)
        reach = np.minimum(metres * np.abs(y), most)[kind == POSITION].max(initial=least)
        number = np.abs(y[kind != INTEGRAL]).max(initial=0.0)
        largest = [sizes[group[kind == which]].max(initial=0.0) for which in (POSITION, SPEED)] + [0.0]
        noise = np.where(kind == INTEGRAL, h * number, np.maximum(reach, sizes[pair]))
        noise *= eps
        most_speed = rtol * largest[SPEED] + AT_REST * rest
        noise[kind == SPEED] = np.minimum(noise[kind == SPEED] / h, most_speed) + eps * gravity * h
        size = np.maximum(sizes[group], negligible * np.array(largest)[kind])
        return np.asarray((rtol * size + noise + rest) / metres)

    def first_step(
        self, t: float, y: Vector, u: Vector, span: float, rates: Rates | None = None
    ) -> tuple[float, Vector]:
        """Length of a first step from the sizes of state, rate and its change (Hairer, Norsett and Wanner, 1993, II.4).

        With it the sizes that the motion will have after this step. Asks for three rates, of the system if no other
        function of (t, y, u) is given.
        """
        find = self.system.rate if rates is None else rates
        rate = find(t, y, u)
        scale = self.allowed(span, y, self._guessed(y, np.abs(rate), span))
        d_0, d_1 = self._norm(y / scale), self._norm(rate / scale)
        h_0 = 1e-6 if d_0 < 1e-5 or d_1 < 1e-5 else 0.01 * d_0 / d_1
        h_0 = min(h_0, span)
        other = find(t + h_0, y + h_0 * rate, u)
        scale = self.allowed(span, y, self._guessed(y, np.maximum(np.abs(rate), np.abs(other)), span))
        largest = max(self._norm(rate / scale), self._norm((other - rate) / scale) / h_0)
        h_1 = max(1e-6, 1e-3 * h_0) if largest <= 1e-15 else (0.01 / largest) ** (1.0 / self.order)
        h = float(min(100 * h_0, h_1, span)) if np.isfinite(h_1) else 1e-3 * h_0
        later = find(t + h, y + h * rate, u)
        sizes = self._predicted(self._predicted(self.sizes(y), h, y, rate), h, y, later)
        return h, sizes if np.isfinite(sizes).all() else self.sizes(y)

    def _norm(self, x: Vector) -> float:
        """Of a state over what is allowed: root of the mean square."""
        return float(np.sqrt(np.sum(np.minimum(np.abs(x), 1e100) ** 2 * self.weight) / max(1, len(x))))

    def _guessed(self, y: Vector, rate: Vector, span: float) -> Vector:
        """Sizes of the motion to come, for the first step only: speeds sqrt(q a) of a vibration, or from rest."""
        out = self.sizes(y)
        if self.asked_atol is not None:
            return out
        group, pair, kind = self.scaling[:3]
        short, rates = 1e-3 * span, self.sizes(rate)
        for g, p in {(int(g), int(p)) for g, p in zip(group[kind == SPEED], pair[kind == SPEED], strict=True)}:
            out[g] = max(out[g], np.sqrt(out[p] * rates[g]) if out[p] > 0.0 else short * rates[g])
            out[p] = max(out[p], short * out[g])
        more = group[kind == INTEGRAL]
        out[more] = np.maximum(out[more], short * rates[more])
        return out


def _groups(system: DrivenSystem, length: float) -> Scaling:
    """Group, group of its coordinates, kind, metres and most for rounding, of every state."""
    model = system.model
    names, units = (*model.coordinates, *model.speeds), (*model.coordinate_units, *model.speed_units)
    modes = _modes(model, length)
    keys, metres = [], []
    for name, unit in zip(names, units, strict=True):
        straight = unit in ("m", "m/s")
        body = model.body_of_state(name)
        key, size = (body, "straight" if straight else "turned"), 1.0 if straight else length
        if name in modes:
            key, size = modes[name]
        elif unit.startswith("kg^0.5 m"):  # modes of unit mass that the formulation has made itself
            key, size = (body, "modes"), 1.0 / np.sqrt(model.description.bodies[body].body.mass)
        keys.append(key)
        metres.append(size)
    order = {key: i for i, key in enumerate(dict.fromkeys(keys))}
    pair = [order[key] for key in keys]
    group = [i if k < model.nq else len(order) + i for k, i in enumerate(pair)]
    most = [np.inf if what == "modes" else length for _, what in keys]
    extra = len(system.z_0)
    more = 2 * len(order) + np.arange(extra)
    kind = np.repeat([POSITION, SPEED, INTEGRAL], [model.nq, model.nv, extra])
    return Scaling(
        np.concatenate([group, more]).astype(np.int64),
        np.concatenate([pair, more]).astype(np.int64),
        kind.astype(np.int64),
        np.concatenate([metres, np.ones(extra)]).astype(float),
        np.concatenate([most, np.zeros(extra)]).astype(float),
    )


def _modes(model: Formulation, length: float) -> dict[str, tuple[tuple[str, str], float]]:
    """Body, kind and metres of every mode, by the name of its coordinate, which is that of its speed too."""
    found = {}
    for name in model.bodies:
        body = model.description.bodies[name].body
        if isinstance(body, FlexibleBody):
            size = float(np.ptp(body.nodes, axis=0).max(initial=0.0)) or length
            shapes = np.abs(body.shapes.toarray()).reshape(len(body.nodes), 6, body.modes)
            turn, move = (shapes[:, part].max(axis=(0, 1), initial=0.0) for part in (slice(3), slice(3, 6)))
            metres = np.maximum(move, size * turn)
            for label, unit in zip(body.labels, metres, strict=True):
                found[f"{name}.{label}"] = (name, "modes"), float(unit) or 1.0
    return found


def state_scale(system: DrivenSystem) -> Vector:
    """What of each state (n,) moves something by the length of the mechanism; 1 m where that has none."""
    length = extent(system.model) or 1.0
    return np.asarray(length / _groups(system, length).metres)


def extent(model: Formulation) -> float:
    """Of the mechanism: from its first joint along its bodies to the farthest point, m; 0 for points."""
    reach: dict[str, float] = {}
    longest = 0.0
    for name, placed in model.description.bodies.items():
        body = placed.body
        start = reach.get(placed.parent)
        if start is not None:  # where the first body stands on the ground does not count
            parent = model.description.bodies[placed.parent].body
            node = parent.frame(placed.node).position if isinstance(parent, FlexibleBody) and placed.node else 0.0
            start += float(np.linalg.norm(np.asarray(placed.position) + node))
        reach[name] = start or 0.0
        own = float(np.linalg.norm(body.com))
        if body.mass > 0.0:
            own += float(np.sqrt(np.abs(np.asarray(body.inertia)).max() / body.mass))
        if isinstance(body, FlexibleBody):
            own = max(own, float(np.linalg.norm(body.nodes, axis=1).max(initial=0.0)))
        longest = max(longest, reach[name] + own)
    return longest
