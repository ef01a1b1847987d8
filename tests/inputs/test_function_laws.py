"""What becomes of Python functions as laws is said by name."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import supple
from supple.errors import SimulationError
from supple.inputs.function_laws import function_laws
from supple.inputs.inputs import Inputs
from supple.simulation.methods.dop853 import NativeDOP853


def block() -> supple.Model:
    mech = supple.Mechanism("block", gravity=(0, 0, 0))
    mech.add_body("block", supple.RigidBody(2.0), joint=supple.Prismatic("x"))
    mech.add_body("second", supple.RigidBody(1.0), "block", supple.Prismatic("y"))
    return mech.build()


def traced(t: Any, q: Any, v: Any) -> Any:
    return -3.0 * q[0]


def called(t: Any, q: Any, v: Any) -> float:
    return -3.0 * float(q[0])


def test_functions_are_told_apart() -> None:
    sampled = supple.Sampled(called, rate=50.0)
    assert function_laws(Inputs(block(), {"block.position": "2*t", "second.position": 1.0})) == {}
    found = function_laws(Inputs(block(), {"block.position": traced, "second.position": called}))
    assert found == {
        "tau: the law of 'block.position'": "part of the equations",
        "tau: the law of 'second.position'": "called at every evaluation",
    }
    assert function_laws(Inputs(block(), sampled)) == {"tau": "called 50 times a second"}
    assert function_laws(Inputs(block(), lambda t, q, v: -q)) == {"tau": "part of the equations"}
    assert function_laws(Inputs(block(), lambda t, q, v: np.array([float(x) for x in q]))) == {
        "tau": "called at every evaluation"
    }


def test_a_function_that_is_called_is_called_back_from_the_native_loop() -> None:
    result = supple.simulate(block(), 1.0, q=[1.0, 0.0], tau={"block.position": called}, samples=3)
    assert result.attrs["functions"] == "tau: the law of 'block.position': called at every evaluation"
    assert result.q.values[-1, 0] == pytest.approx(np.cos(1.0), abs=1e-7)  # 2 + 1 kg on 3 N/m
    simulator = supple.Simulator(block(), tau={"block.position": called})
    assert isinstance(simulator.method, NativeDOP853)


def test_what_a_function_raises_ends_the_run_and_leaves_held_values() -> None:
    def late(t: Any, q: Any, v: Any) -> float:
        if float(t) > 0.5:
            raise SimulationError("no force after half a second")
        return 1.0

    laws: Any = {"block.position": late, "second.position": "f"}
    simulator = supple.Simulator(block(), tau=laws, variables={"f": 0.25})
    with pytest.raises(SimulationError, match="no force after half a second"):
        simulator.advance_to(1.0)
    assert simulator.variables == {"f": 0.25}
    assert simulator.t == 0.0
