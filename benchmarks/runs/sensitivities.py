"""What derivatives of a motion cost: tangents and reverse against central differences, in processor time.

    python -m benchmarks.runs.sensitivities [--small]

A chain of links under gravity, by more and more of its parameters. Tangents are compared with differences of the same
adaptive runs, gradients with differences of the same fixed steps in the native loop. All answers agree before any is
timed.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import supple
from supple.model.parameters import parameter_values

STEP = 1e-5
"""Relative change of a parameter in a difference."""
WHAT = ("mass", "com.z", "inertia.yy", "inertia.xx", "inertia.zz", "at.x", "at.z", "com.x")


def chain(links: int) -> supple.Model:
    """Links of about 1 kg and 0.5 m, on revolute joints about axes that take turns, with dampers."""
    mech, parent, at = supple.Mechanism(f"chain of {links}"), "ground", (0.0, 0.0, 0.0)
    for i in range(links):
        body = supple.RigidBody(1.0 + 0.1 * i, com=(0.02, 0.01, -0.25), inertia=(0.02, 0.025, 0.015))
        joint = supple.Revolute("xy"[i % 2], damping=0.05)
        mech.add_body(f"link{i}", body, parent=parent, at=at, joint=joint)
        parent, at = f"link{i}", (0.01, 0.02, -0.5)
    return mech.build()


def names_of(model: supple.Model, count: int) -> list[str]:
    """So many parameters that change the motion, those of the last links first."""
    known = parameter_values(model)
    found = [f"{body}.{what}" for body in reversed(model.bodies) for what in WHAT if known[f"{body}.{what}"] != 0.0]
    assert len(found) >= count, f"{len(found)} parameters"
    return found[:count]


def processor_seconds(function: Callable[[], Any], repeat: int) -> float:
    """The shortest of some calls."""
    best = np.inf
    for _ in range(repeat):
        started = time.process_time()
        function()
        best = min(best, time.process_time() - started)
    return best


class Case:
    """One chain with its runs."""

    def __init__(self, links: int, duration: float, step: float) -> None:
        self.model, self.duration, self.step = chain(links), duration, step
        self.start = {name: 0.3 for name in self.model.coordinates}
        self.final = f"{self.model.coordinates[-1]}**2 + rate({self.model.coordinates[0]})"

    def run(self, model: supple.Model, **settings: Any) -> Any:
        """A run that ends at the duration."""
        return supple.simulate(model, self.duration, q=self.start, samples=2, **settings).isel(time=-1)

    def differences(self, names: list[str], of: Callable[[Any], Any], **settings: Any) -> Any:
        """Central differences of what is made of a run, by parameters."""
        values, found = parameter_values(self.model), []
        for name in names:
            h = STEP * abs(values[name])
            plus, minus = (
                of(self.run(self.model.with_parameters({name: values[name] + x}), **settings)) for x in (h, -h)
            )
            found.append((plus - minus) / (2 * h))
        return np.array(found).T

    def objective(self, x: Any) -> float:
        """The number whose gradient is taken."""
        return float(x.q[-1] ** 2 + x.v[0])

    def gradient(self, names: list[str]) -> supple.simulation.gradient.Gradient:
        """In reverse."""
        return supple.gradient(
            self.model, self.duration, q=self.start, by=names, final=self.final, integrator="rk4", step=self.step
        )

    def row(self, count: int, repeat: int) -> list[str]:
        """Times for so many parameters; answers agree first."""
        names, fixed = names_of(self.model, count), {"integrator": "rk4", "step": self.step}
        adaptive = {"integrator": "DOP853", "rtol": 1e-8}
        found = self.run(self.model, sensitivities=names, **adaptive).q_sensitivity.values
        expected = self.differences(names, lambda x: x.q.values, integrator="DOP853", rtol=1e-12)
        assert np.abs(found - expected).max() <= 1e-6 * np.abs(expected).max()
        slopes = np.array(list(self.gradient(names).by.values()))
        by_steps = self.differences(names, self.objective, **fixed)
        assert np.abs(slopes - by_steps).max() <= 1e-5 * np.abs(by_steps).max()
        tangents = self.run(self.model, sensitivities=names, **fixed)
        own = 2 * tangents.q.values[-1] * tangents.q_sensitivity.values[-1] + tangents.v_sensitivity.values[0]
        assert np.abs(slopes - own).max() <= 1e-11 * np.abs(own).max()
        times = [
            processor_seconds(lambda: self.run(self.model, **adaptive), repeat),
            processor_seconds(lambda: self.run(self.model, sensitivities=names, **adaptive), repeat),
            processor_seconds(lambda: self.differences(names, lambda x: x.q.values, **adaptive), repeat),
            processor_seconds(lambda: self.gradient(names), repeat),
            processor_seconds(lambda: self.differences(names, self.objective, **fixed), repeat),
        ]
        one, forward, wide, back, narrow = (1e3 * x for x in times)
        return [
            self.model.name, str(count), f"{one:.1f}", f"{forward:.1f}", f"{wide:.1f}", f"{wide / forward:.1f}",
            f"{back:.1f}", f"{narrow:.1f}", f"{narrow / back:.1f}",
        ]  # fmt: skip


def main(small: bool) -> None:
    """Print the table."""
    head = ["model", "parameters", "run", "tangents", "differences", "ratio", "gradient", "differences", "ratio"]
    print("processor time, ms; ratios: differences over tangents (DOP853) and over the gradient (rk4)")
    print(" ".join(f"{x:>12}" for x in head))
    cases = [(2, 0.1, 0.025, (2,))] if small else [(3, 2.0, 0.002, (1, 8, 16)), (8, 2.0, 0.002, (1, 8, 48))]
    for links, duration, step, counts in cases:
        case = Case(links, duration, step)
        for count in counts:
            print(" ".join(f"{x:>12}" for x in case.row(count, 1 if small else 3)), flush=True)


if __name__ == "__main__":
    main("--small" in sys.argv)
