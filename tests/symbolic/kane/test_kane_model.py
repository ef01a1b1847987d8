"""A system of vectors as a model: against the recursions, against closed forms, in runs and in files."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import supple
from supple.errors import ModelError, StateError
from supple.model.parameters import symbols_of
from supple.symbolic.kane import KaneJoint, KaneModel, KaneSystem, MassProperties
from supple.symbolic.kane.from_model import system_of
from support.mechanisms.kane_systems import crank_slider, rolling_disc, sprung, tree


def test_dynamics_are_those_of_the_recursions_on_the_model_that_looks_the_same() -> None:
    """Accelerations found by Kane's method need no forces in the inverse dynamics of the display model."""
    model = KaneModel(tree())
    q, v = (np.stack(x) for x in zip(*(model.random_state(i) for i in range(3)), strict=True))
    a = model.forward_dynamics(q, v, np.zeros(model.nv))
    shown = model.display
    Q, V, A = model.display_state(q, v, a)
    assert np.abs(a).max() > 1.0
    np.testing.assert_allclose(shown.inverse_dynamics(Q, V, A), 0.0, atol=1e-11)
    for x, y in zip(model.energy_and_momentum(q, v), shown.energy_and_momentum(Q, V), strict=True):
        assert np.abs(x).max() > 0.1
        np.testing.assert_allclose(x, y, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("direction", [(0, 1, 1), (0, 0.01, 0.01), (0, "a", "a"), (0, "cos(a)", "sin(a)")])
def test_coordinates_are_distances_along_directions_of_any_length(direction: tuple[float | str, ...]) -> None:
    """A block in free fall on a slope, as the building-block joint has it; symbols that make a unit vector stay."""
    s = KaneSystem("slope")
    (a,) = s.parameters(a=np.pi / 4)
    s.gravity = -9.81 * s.ground.axes[2]
    names = {"a": a, "cos(a)": np.cos(a), "sin(a)": np.sin(a)}
    d = [names[x] if isinstance(x, str) else x for x in direction]
    s.add_body("block", joint=KaneJoint(translations=[d]), body=MassProperties(2.0))
    assert ("sqrt" in repr(s.bodies["block"].joint.shift)) == (direction == (0, "a", "a"))
    model = KaneModel(s)
    np.testing.assert_allclose(model.forward_dynamics([0.3], [0.0], [0.0]), [-9.81 / np.sqrt(2.0)], rtol=1e-12)
    np.testing.assert_allclose(model.pose([0.3], "block")[1], [0.0, *[0.3 / np.sqrt(2.0)] * 2], rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(model.display.forward_dynamics([0.3], [0.0], [0.0]), [-9.81 / np.sqrt(2.0)], rtol=1e-12)


def test_generalized_forces_do_the_same_work() -> None:
    model = KaneModel(tree())
    q, v = model.random_state(0)
    a = np.random.default_rng(1).normal(size=model.nv)
    tau = model.inverse_dynamics(q, v, a)
    Q, V, A = model.display_state(q, v, a)
    assert model.power(q, v, tau) == pytest.approx(V @ model.display.inverse_dynamics(Q, V, A), rel=1e-12)
    np.testing.assert_allclose(model.forward_dynamics(q, v, tau), a, rtol=1e-10)


@pytest.mark.parametrize("system", [tree, rolling_disc, crank_slider])
def test_equations_on_nodes_and_slopes_are_those_on_numbers(system: type) -> None:
    model = KaneModel(system())
    q, v = model.random_state(2)
    known = np.random.default_rng(3).normal(size=model.nv)
    prescribed = np.arange(model.nv) % 2 == 1
    t = model.traced(1e6)
    a, tau = t.hybrid_dynamics(t.q, t.v, t.tau, prescribed)
    found = t.function("f", {"q": t.q, "v": t.v, "tau": t.tau}, {"a": a, "tau": tau}).evaluate(q=q, v=v, tau=known)
    expected = model.hybrid(q, v, known, prescribed)
    np.testing.assert_allclose(found["a"], expected[0], rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(found["tau"], expected[1], rtol=1e-10, atol=1e-12)

    slopes = model.hybrid_slopes(q, v, known, prescribed)
    x, h = np.concatenate([q, v, known]), 1e-6
    ends = [np.split(x + s * h * row, [model.nq, model.nq + model.nv]) for row in np.eye(len(x)) for s in (1, -1)]
    values = np.array([model.hybrid(end[0], end[1], end[2], prescribed)[0] for end in ends])
    differences = (values[::2] - values[1::2]).T / (2 * h)
    assert np.abs(differences).max() > 0.1
    np.testing.assert_allclose(slopes.a, differences, rtol=1e-6, atol=1e-6 * np.abs(differences).max())


def test_a_run_is_that_of_the_display_model() -> None:
    model = KaneModel(tree())
    start = dict(zip(model.coordinates, model.random_state(4)[0], strict=True))
    found = supple.simulate(model, 0.5, q=start, samples=6)
    Q = model.display_state(list(start.values()), np.zeros(model.nv))[0]
    expected = supple.simulate(model.display, 0.5, q=Q, samples=6)
    assert np.ptp(expected.q.values, axis=0).max() > 0.1
    np.testing.assert_allclose(found.q.values, expected.q.values, atol=2e-7)


def test_an_input_that_depends_on_time_makes_time_a_coordinate() -> None:
    """A mass on a spring to a wall that moves as sin(w t): the closed form of the forced oscillator from rest."""
    w, k, m = 3.0, 50.0, 2.0
    model = KaneModel(sprung(), {"wall": f"sin({w}*t)"}, {"c": 0.0})
    assert model.coordinates == ("x", "time")
    assert model.coordinate_units == ("m", "s")
    found = supple.simulate(model, 2.0, samples=21)
    t, n = found.time.values, np.sqrt(k / m)
    expected = (n**2 * np.sin(w * t) - n * w * np.sin(n * t)) / (n**2 - w**2)
    np.testing.assert_allclose(found.q.values[:, 0], expected, atol=1e-6)
    np.testing.assert_allclose(found.q.values[:, 1], t, atol=1e-12)
    still = KaneModel(sprung(), {"wall": 0.1})
    assert still.coordinates == ("x",)
    assert still.forward_dynamics([0.1], [0.0], [0.0]) == pytest.approx(0.0)
    damped = KaneModel(sprung(), {"wall": "0.1 - c*rate(x)/k"})  # formulas know states and parameters
    assert damped.forward_dynamics([0.1], [2.0], [0.0]) == pytest.approx(-2 * 0.3 * 2.0 / 2.0)


def test_generalized_forces_and_motions_act_as_on_any_model() -> None:
    model = KaneModel(sprung(), {"wall": 0.0})
    found = supple.simulate(model, 1.0, tau={"u1": "4*cos(t)"}, samples=5)
    assert np.ptp(found.q.values[:, 0]) > 0.01
    held = supple.simulate(model, 1.0, motion={"u1": "0.1*sin(t)"}, samples=5)
    np.testing.assert_allclose(held.q.values[:, 0], 0.1 * np.sin(held.time.values), atol=1e-9)
    np.testing.assert_allclose(held.tau.values[-1, 0], (-2 * 0.1 + 50 * 0.1) * np.sin(1) + 0.03 * np.cos(1), rtol=1e-6)


def test_rolling_keeps_energy_and_never_slips() -> None:
    model = KaneModel(rolling_disc())
    assert model.speeds == ("u3", "u4", "u5")
    found = supple.simulate(model, 2.0, q={"phi": 0.2}, v={"u3": 0.5, "u5": 8.0}, samples=41)
    energy = (found.kinetic_energy + found.potential_energy).values
    assert np.ptp(found.kinetic_energy.values) > 0.1
    np.testing.assert_allclose(energy, energy[0], rtol=1e-7)


def test_loops_are_closed_at_the_start_and_stay_so() -> None:
    model = KaneModel(crank_slider())
    assert model.coordinates == ("crank", "rod")
    found = supple.simulate(model, 3.0, q={"crank": 0.7}, samples=31, outputs=supple.Outputs(frames=["coupler"]))
    crank, rod = found.q.values.T
    gap = 0.2 * np.sin(crank) + 0.5 * np.sin(crank + rod)
    assert np.ptp(crank) > 1.0
    np.testing.assert_allclose(gap, 0.0, atol=1e-8)
    assert abs(gap[0]) < 1e-13
    energy = (found.kinetic_energy + found.potential_energy).values
    np.testing.assert_allclose(energy, energy[0], atol=1e-6)
    np.testing.assert_allclose(found.position.values[:, 0, 0], 0.2 * np.cos(crank), atol=1e-12)


def test_implicit_steps_are_refused_by_name() -> None:
    with pytest.raises(supple.SimulationError, match="of vectors, which generalized_alpha or ESDIRK54 does not take"):
        supple.simulate(KaneModel(rolling_disc()), 0.1, integrator=supple.integrators.GeneralizedAlpha(0.01))


def test_results_hold_the_system(tmp_path: Path) -> None:
    model = KaneModel(sprung(), {"wall": "0.1*sin(t)"}, {"k": 80.0})
    supple.simulate(model, 0.1, file=tmp_path / "motion.nc").close()
    again = supple.load(tmp_path / "motion.nc")
    assert isinstance(again, KaneModel)
    assert again.parameters["k"] == 80.0
    np.testing.assert_array_equal(
        again.forward_dynamics([0.2, 0.3], [0.4], [0.5]), model.forward_dynamics([0.2, 0.3], [0.4], [0.5])
    )


@pytest.mark.parametrize("system", [tree, rolling_disc, crank_slider])
def test_settings_survive_json(system: type) -> None:
    model = KaneModel(system())
    again = KaneModel.restored(model.display, json.loads(json.dumps(model.formulation_settings())))
    assert (again.coordinates, again.speeds) == (model.coordinates, model.speeds)
    q, v = model.random_state(5)
    np.testing.assert_allclose(again.forward_dynamics(q, v, v), model.forward_dynamics(q, v, v), rtol=1e-13, atol=1e-13)


def test_textbook_bodies_without_all_moments_of_inertia_are_taken() -> None:
    s = KaneSystem("rod")
    arm = MassProperties(1.0, (0, -0.5, 0), (0, 0, 0.1))
    s.add_body("rod", joint=KaneJoint(rotations="3"), body=arm)
    assert KaneModel(s).mass_matrix([0.0]) == pytest.approx(np.array([[0.35]]))


def test_what_is_missing_or_unknown_is_named() -> None:
    with pytest.raises(StateError, match="expected a formula or a number for the input 'wall', got none"):
        KaneModel(sprung())
    with pytest.raises(StateError, match=r"no input 'wal'.*wall"):
        KaneModel(sprung(), {"wal": 0.0})
    with pytest.raises(StateError, match="no parameter 'kk'"):
        KaneModel(sprung(), {"wall": 0.0}, {"kk": 1.0})
    with pytest.raises(StateError, match="input 'wall': 'sin\\(y\\)': no quantity 'y'"):
        KaneModel(sprung(), {"wall": "sin(y)"})
    model = KaneModel(sprung(), {"wall": 0.0})
    with pytest.raises(StateError, match="is a system of vectors, which supple modes does not take"):
        model.floating_frames("supple modes")
    with pytest.raises(StateError, match="loops cannot be closed by 'rod'"):
        KaneModel(crank_slider(), parameters={"r": 0.6}).normalize([np.pi / 2, 0.0])


def test_systems_made_of_models_stay_models() -> None:
    mech = supple.Mechanism("m")
    mech.add_body("a", supple.RigidBody(1.0, inertia=(1, 1, 1)), joint=supple.Spherical())
    model = mech.build()
    with pytest.raises(ModelError, match="'a': expected a building-block joint"):
        KaneModel(system_of(model, symbols_of(model, inputs=[])))
