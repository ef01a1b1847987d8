"""Variables of FMUs: names, units, and what depends on what."""

from __future__ import annotations

import fmpy
import numpy as np
import pytest

import supple
from supple.errors import StateError
from supple.export.fmu_run import FmuRun
from supple.export.fmu_variables import FmuVariables, parameter_unit, rate_unit
from support.programs.fmu_models import Opened, case, double_pendulum, fmu_path


@pytest.mark.parametrize("name", ["cart pendulum", "satellite", "four-bar"])
def test_nothing_depends_on_more_than_its_dependencies(name: str) -> None:
    """Derivatives are zero elsewhere; and some of the entries are left out."""
    x = Opened(fmu_path(name))
    y = x.get(*x.states) + 0.01 * np.random.default_rng(2).normal(size=len(x.states))
    x.move(0.1, y)
    slopes, left_out = x.directional(x.unknowns, x.knowns), 0
    told = {u.variable.name: u.dependencies for u in (*x.description.derivatives, *x.description.outputs)}
    for i, unknown in enumerate(x.unknowns):
        known = {variable.name for variable in told[unknown]}
        for j, name_ in enumerate(x.knowns):
            assert name_ in known or slopes[i, j] == 0.0, (unknown, name_)
            left_out += name_ not in known
    assert left_out > len(x.states)
    x.close()


def test_names_units_and_kinds() -> None:
    found = {x.name: x for x in fmpy.read_model_description(fmu_path("satellite")).modelVariables}
    assert (found["bus.qw"].unit, found["bus.wx"].unit, found["bus.vx"].unit) == ("1", "rad/s", "m/s")
    assert (found["der(bus.vx)"].unit, found["der(bus.vx)"].derivative.name) == ("m/s2", "bus.vx")
    assert (found["tau(bus.wx)"].causality, found["tau(bus.wx)"].unit) == ("input", "N.m")
    assert (found["tau(bus.wz)"].causality, found["tau(bus.vz)"].unit) == ("output", "N")  # a law has it
    assert "tau(boom1.mode1)" not in found
    assert (found["bus.mass"].variability, found["bus.mass"].unit, float(found["bus.mass"].start)) == (
        "tunable",
        "kg",
        200.0,
    )
    found = {x.name: x for x in fmpy.read_model_description(fmu_path("gate", 2)).modelVariables}
    assert (found["push"].causality, found["push"].variability) == ("output", "discrete")
    assert (found["closer"].causality, float(found["stop(gate.angle.upper)"].start)) == ("input", 2.8)
    assert {"indicator(let go)", "indicator(gate.angle lower)", "indicator(gate.angle upper)"} < set(found)
    assert (rate_unit("m"), rate_unit("m/s"), rate_unit("1"), rate_unit("")) == ("m/s", "m/s2", "1/s", "")
    assert (parameter_unit("arm.inertia.xy"), parameter_unit("arm.angle.inertia")) == ("kg.m2", "")


def test_event_indicators_are_never_at_zero() -> None:
    """The gate starts at its stop."""
    x = Opened(fmu_path("gate"))
    indicators = x.get("indicator(let go)", "indicator(gate.angle lower)", "indicator(gate.angle upper)")
    assert (np.sign(indicators).tolist(), indicators[1] < 1e-10) == ([-1.0, 1.0, -1.0], True)
    assert case("gate").model.nq == 1
    x.close()


def test_two_variables_of_one_name_are_refused() -> None:
    run = FmuRun.of(double_pendulum(), {"variables": {"der(upper.angle)": 1.0}}, None, None, False)
    with pytest.raises(StateError, match=r"an FMU needs names that differ, got more than one 'der\(upper.angle\)'"):
        FmuVariables(run)


def test_a_variable_in_a_prescribed_position_stays() -> None:
    arguments = {"motion": {"upper.angle": supple.Motion("a*t")}, "variables": {"a": 0.5}}
    found = {x.name: x for x in FmuVariables(FmuRun.of(double_pendulum(), arguments, [], None, False)).all}
    assert (found["a"].causality, found["a"].variability) == ("parameter", "fixed")
    assert "tau(upper.angle)" in found  # the force that the motion takes
    assert found["tau(upper.angle)"].causality == "output"
