"""Other numbers, the same machine code."""

from __future__ import annotations

from unittest import mock

import numpy as np
import pytest

import supple
from supple.engines.blocks import library
from supple.engines.llvm import jit
from supple.engines.sweeps import sweep
from supple.inputs.inputs import Law
from supple.symbolic import parameter_names
from support.generated.generators import random_tree
from support.generated.generators_flexible import random_flexible_tree


def arm() -> supple.Mechanism:
    mech = supple.Mechanism("arm")
    for i, mass in enumerate((2.0, 1.0)):
        body = supple.RigidBody(mass, com=(0.1, 0.2, -0.4), inertia=(0.2, 0.3, 0.1))
        joint = supple.Universal("x", "y", damping=0.1, stiffness=(1.0, 2.0), rest=0.3)
        mech.add_body(f"link{i}", body, "ground" if i == 0 else "link0", joint, at=(0.1, 0, -0.8))
    return mech


def test_the_same_as_a_model_built_with_the_numbers() -> None:
    mech = supple.Mechanism("arm", gravity=(0, 0, -1.62))
    bodies = (
        supple.RigidBody(2.0, com=(0.1, 0.2, -0.4), inertia=(0.2, 0.3, 0.1)),
        supple.RigidBody(1.5, com=(0.1, 0.3, -0.4), inertia=(0.2, 0.25, 0.1)),
    )
    for i, body in enumerate(bodies):
        damping, inertia = (0.1, (0.1, 0.5)[i]), (0.0, 0.2)[i]
        joint = supple.Universal("x", "y", stiffness=(1.0, 2.0), rest=0.3, damping=damping, inertia=inertia)
        mech.add_body(f"link{i}", body, "ground" if i == 0 else "link0", joint, at=((0.1, 1.1)[i], 0, -0.8))
    values = {"gravity.z": -1.62, "link1.mass": 1.5, "link1.com.y": 0.3, "link1.inertia.yy": 0.25, "link1.at.x": 1.1}
    second = next(x for x in mech.build().speeds if x.startswith("link1."))
    last = mech.build().speeds[-1]
    values |= {f"{last}.damping": 0.5, f"{last}.inertia": 0.2, f"{second}.inertia": 0.2}
    changed = arm().build().with_parameters(values)
    assert changed == mech.build()


@pytest.mark.parametrize(
    "model", [random_tree.__wrapped__(4, 9), random_flexible_tree.__wrapped__(2, 5)[0]], ids=lambda x: x.name
)
def test_every_number_can_change_and_nothing_is_compiled(model: supple.Model) -> None:
    q, v = model.random_state(0)
    tau = np.ones(model.nv)
    before = model.forward_dynamics(q, v, tau)
    assert parameter_names(model)
    masses = [name for name in parameter_names(model) if name.endswith((".mass", ".damping")) and ".mode" not in name]
    values = supple.model.parameters.parameter_values(model)
    changed = {name: 1.1 * values[name] for name in masses if values[name]}
    assert len(changed) > 2
    with (
        mock.patch.object(library, "object_code_of", side_effect=AssertionError("compiled")),
        mock.patch.object(library, "block_instructions", side_effect=AssertionError("written")),
    ):
        other = model.with_parameters(changed)
        after = other.forward_dynamics(q, v, tau)
    assert np.abs(after - before).max() > 1e-3 * np.abs(before).max()
    back = other.with_parameters({name: values[name] for name in changed})
    np.testing.assert_array_equal(back.forward_dynamics(q, v, tau), before)


def test_a_run_with_other_numbers_compiles_nothing() -> None:
    model = arm().build()

    def laws(target: float, gain: float, amplitude: float) -> dict[str, Law]:
        control = supple.PID(target, kp=gain, kd=0.1 * gain, ki=0.05 * gain, limit=20.0 + gain)
        return {"link0.angle1": control, "link1.angle2": f"{amplitude}*sin(3*t)"}

    first = supple.simulate(model, 0.2, tau=laws(0.5, 30.0, 0.7), samples=3)
    refused = AssertionError("compiled")
    with (
        mock.patch.object(library, "object_code_of", side_effect=refused),
        mock.patch.object(library, "block_instructions", side_effect=refused),
        mock.patch.object(library, "tangent_instructions", side_effect=refused),
        mock.patch.object(jit, "object_code_of", side_effect=refused),
        mock.patch.object(sweep, "optimized_code", side_effect=refused),
    ):
        again = supple.simulate(model.with_parameters({"link1.mass": 1.3}), 0.2, tau=laws(0.8, 40.0, 0.9), samples=3)
    assert np.abs(again.q.values[-1] - first.q.values[-1]).max() > 1e-3


def test_wrong_names_and_numbers() -> None:
    model = arm().build()
    with pytest.raises(supple.StateError, match=r"no parameter 'link1.mas'; did you mean 'link1.mass'"):
        model.with_parameters({"link1.mas": 1.0})
    with pytest.raises(supple.ModelError, match=r"model 'arm': 'link1': mass: expected zero or more, got -1"):
        model.with_parameters({"link1.mass": -1.0})
    with pytest.raises(supple.ModelError, match=r"parameter 'link1.mass': expected a finite number, got nan"):
        model.with_parameters({"link1.mass": float("nan")})
    flexible = random_flexible_tree.__wrapped__(2, 5)[0]
    mode = next(name for name, is_mode in zip(flexible.speeds, flexible.is_mode, strict=True) if is_mode)
    with pytest.raises(supple.StateError, match="a mode belongs to its flexible body"):
        flexible.with_parameters({f"{mode}.stiffness": 1.0})
