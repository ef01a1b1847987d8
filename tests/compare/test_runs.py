"""Both formulations side by side: states that match, what is compared and what it says."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.linalg import eigh

import supple
from supple import linear
from supple.compare import Comparison, formulations
from supple.erls import build, held_configuration, matched_state, natural_frequencies
from supple.structures import Material, Rectangle, beam
from support.mechanisms.rigid_links import arm, flexible_tree, random_body, relative

STRIP = beam(0.5, Rectangle(0.02, 0.012), Material(E=70e9, nu=0.3, rho=2700.0), elements=3)


def pair(gravity: float = 9.81) -> supple.Mechanism:
    """A level arm whose links bend, with a rigid hand."""
    mech = supple.Mechanism("pair <&>", (0.0, 0.0, -gravity))
    body = STRIP.reduce("craig-bampton", modes=0)
    mech.add_body("upper", body, joint=supple.Revolute("z"))
    mech.add_body("fore", STRIP.reduce("cantilever", modes=3), "upper", supple.Revolute("y"), "end")
    return mech


@pytest.fixture(scope="module")
def found() -> Comparison:
    return formulations(
        pair(),
        0.3,
        [0, 2, 6],
        v={"upper.angle": 2.0},
        tau={"fore.angle": "0.4*sin(9*t)"},
        samples=301,
        rtol=1e-8,
    )


# ---------------------------------------------------------------- states


@pytest.mark.parametrize("make", [lambda: arm(3, "free-free", 5), lambda: flexible_tree(7)[0]], ids=["arm", "tree"])
def test_matched_states_move_joints_and_modes_alike(make: Any) -> None:
    mech = make()
    model, ordinary = build(mech), mech.build()
    q, v = ordinary.random_state(3)
    x, s = matched_state(model, q, v)
    joints = ~ordinary.is_mode
    assert model.joint_positions(x) == pytest.approx(q[joints], abs=1e-12)
    assert (model.actuation_matrix(x) @ s)[joints] == pytest.approx(v[joints], abs=1e-10)
    assert np.abs(x[joints] - q[joints]).max() > 1e-6  # the equivalent rigid links are elsewhere
    first = 0
    for i, link in enumerate(model.chain.links):
        modes = link.modes
        span = slice(first + (model.chain.connections[i].coordinate >= 0), None)
        span = slice(span.start, span.start + modes)
        if modes:
            assert relative(link.shapes @ x[span], q[span]) < 1e-8
        first = span.stop


def test_matched_states_put_frames_where_they_are_to_second_order() -> None:
    mech = arm(2)
    model, ordinary = build(mech), mech.build()
    gaps = []
    for size in (1.0, 0.5):
        q, v = ordinary.random_state(1)
        q, v = (np.where(ordinary.is_mode, 0.02 * size * x, x) for x in (q, v))
        x, s = matched_state(model, q, v)
        at, speeds, _ = model.display_state(x, s)
        gaps.append(
            [
                np.linalg.norm(model.pose(x, "l1/end")[1] - ordinary.pose(q, "l1/end")[1]),
                np.linalg.norm(model.display.velocity(at, speeds, "l1/end") - ordinary.velocity(q, v, "l1/end")),
            ]
        )
    assert gaps[0][0] > 1e-8
    assert gaps[0][0] / gaps[1][0] == pytest.approx(4.0, rel=0.1)
    assert gaps[0][1] < 0.05


def test_states_of_another_model_are_refused() -> None:
    model = build(arm(2, "free-free", 3), modes=1)
    with pytest.raises(supple.StateError, match=r"expected 8 numbers of the floating-frame model, got shape \(4,\)"):
        matched_state(model, np.zeros(4), np.zeros(8))


def test_held_links_settle_as_the_ordinary_model() -> None:
    """Joints stay, modal forces vanish; the tip sags as in `linear.equilibrium`."""
    mech = arm(2)
    model, ordinary = build(mech), mech.build()
    q = ordinary.neutral()
    q[ordinary.coordinate_index("l1.angle")] = 0.7
    joints = [name for name, elastic in zip(ordinary.coordinates, ordinary.is_mode, strict=True) if not elastic]
    rest = linear.equilibrium(ordinary, q, fixed=joints)
    start, still = matched_state(model, q, np.zeros(ordinary.nv))
    x = held_configuration(model, start)
    assert model.joint_positions(x) == pytest.approx([0.0, 0.7], abs=1e-12)
    force = model.inverse_dynamics(x, still, still)
    assert np.abs(force[model.is_mode]).max() < 1e-9 * np.abs(force[~model.is_mode]).max()
    sag = rest.displacement("l1/end")
    gap = model.pose(x, "l1/end")[1] - ordinary.pose(rest.q, "l1/end")[1]
    assert np.linalg.norm(sag) > 5e-3
    assert np.linalg.norm(gap) < 0.01 * np.linalg.norm(sag)


def test_frequencies_are_those_of_the_assembled_structure() -> None:
    """Without gravity, of a straight arm with all its modes."""
    mech = arm(2, gravity=(0.0, 0.0, 0.0))
    model, ordinary = build(mech), mech.build()
    q, still = ordinary.neutral(), np.zeros(ordinary.nv)
    K = ordinary.bias_forces(q + 1e-30j * np.eye(ordinary.nq), still).imag / 1e-30
    squares = eigh(K, ordinary.mass_matrix(q), eigvals_only=True)
    expected = np.sqrt(squares[2:]) / (2 * np.pi)
    assert natural_frequencies(model, model.neutral()) == pytest.approx(expected, rel=1e-6)


# ---------------------------------------------------------------- comparison


def test_more_modes_come_closer(found: Comparison) -> None:
    gap = found.data.gap.max("time").values
    assert found.runs == ("floating frame", "rigid links", "2 modes", "6 modes, all")
    assert found.frame == "fore/end"
    assert 1e-3 < found.deflection < 2e-2
    assert gap[0] == 0.0
    assert gap[1] > 2 * gap[2] > 10 * gap[3]
    assert gap[3] < 0.02
    assert found.data.drift.values.max() < 1e-8
    assert found.data.elastic.values.tolist() == [9, 0, 4, 9]
    assert found.data.dofs.values.tolist() == [11, 2, 6, 11]


def test_what_is_compared_is_what_the_simulations_gave(found: Comparison) -> None:
    model, motion = found.model, found.motion
    p = model.pose(motion.q.values, "fore/end")[1]
    assert found.data.position[0].values == pytest.approx(p, abs=1e-12)
    a = model.acceleration(motion.q.values, motion.v.values, motion.a.values, "fore/end")[:, 3:]
    assert found.data.acceleration[0].values == pytest.approx(a, abs=1e-9)
    straight = motion.q.values.copy()
    straight[:, [i for i, name in enumerate(model.coordinates) if "mode" in name]] = 0.0
    bent = np.linalg.norm(p - model.pose(straight, "fore/end")[1], axis=1)
    assert found.deflection == pytest.approx(bent.max(), rel=1e-12)
    apart = np.linalg.norm(found.data.position[3].values - p, axis=1) / bent.max()
    assert found.data.gap[3].values == pytest.approx(apart, abs=1e-12)


def test_spectra_have_their_peaks_at_the_natural_frequencies(found: Comparison) -> None:
    natural = found.data.natural_frequency.values
    assert np.isnan(natural[1]).all()
    n = np.isfinite(natural[0]).sum()
    assert natural[3, :n] == pytest.approx(natural[0, :n], rel=0.02)
    for run in ("floating frame", "6 modes, all"):
        for peak in found.peaks(run):
            assert np.nanmin(np.abs(natural[0] / peak - 1)) < 0.05, (run, peak, natural[0])
        assert len(found.peaks(run, axis="z")) > 0
    with pytest.raises(KeyError):
        found.peaks("7 modes")


def test_costs_grow_with_the_modes(found: Comparison) -> None:
    operations = found.data.operations.values
    assert (np.diff(operations[1:]) > 0).all()
    assert operations[0] == supple.count_operations(found.model).total
    assert (found.data.microseconds.values > 0).all()


def test_it_prints_its_tables(found: Comparison) -> None:
    text = str(found)
    assert text.startswith("pair <&>: 0.3 s in both formulations\n\nfore/end, which deflects by ")
    for title, (columns, rows) in found.tables.items():
        assert title in text
        assert all(len(row) == len(columns) for row in rows)
        assert [row[0] for row in rows] == list(found.runs)


def test_the_start_may_be_deformed() -> None:
    """A bent start is the same in both; by default 2, 4, 6 and all modes are tried."""
    mech = pair(gravity=0.0)
    start = {"upper.angle": 0.3, "upper.mode1": 1e-3, "fore.mode1": 1e-4}
    found = formulations(mech, 0.01, q=start, samples=11, rtol=1e-8)
    assert found.runs == ("floating frame", "2 modes", "4 modes", "6 modes, all")
    assert 1e-3 < found.deflection < 5e-2
    assert float(found.data.gap[3, 0]) < 0.01
    assert float(found.data.gap[1, 0]) > float(found.data.gap[3, 0])


@pytest.mark.parametrize(
    ("change", "fault", "message"),
    [
        ({"frame": "fore/ned"}, supple.StateError, r"no frame 'fore/ned'; did you mean 'fore/end'"),
        ({"modes": [7]}, supple.StateError, r"modes: expected numbers of elastic modes from 0 to 6, .* got 7"),
        ({"modes": [True]}, supple.StateError, "got True"),
        ({"modes": []}, supple.StateError, "expected a number of elastic modes or more, got none"),
        ({"integrator": "generalized_alpha", "step": 1e-3}, supple.StateError, "does not take generalized_alpha"),
        ({"motion": {"fore.angle": "t"}}, supple.StateError, "motion: a comparison of formulations takes q, v, tau, "),
    ],
)
def test_wrong_arguments_are_named(change: dict[str, Any], fault: type[Exception], message: str) -> None:
    with pytest.raises(fault, match=message):
        formulations(pair(), 0.1, **change)


def test_two_samples_have_no_peaks() -> None:
    found = formulations(pair(), 0.001, [2], samples=2)
    assert len(found.peaks("2 modes")) == 0
    assert "Peaks" in str(found)


def test_mechanisms_of_another_kind_are_named() -> None:
    body = random_body(np.random.default_rng(0))
    rigid = supple.Mechanism("m")
    rigid.add_body("a", body)
    with pytest.raises(supple.ModelError, match="model 'm': expected a flexible body, got rigid ones only"):
        formulations(rigid, 0.1)
    with pytest.raises(supple.ModelError, match="expected a Mechanism or a Model, got ErlsModel"):
        formulations(build(pair()), 0.1)  # type: ignore[arg-type]
    ball = pair()
    ball.add_body("ball", body, "fore", supple.Spherical(), "end")
    with pytest.raises(supple.ModelError, match=r"joint of 'ball': .* got a spherical joint"):
        formulations(ball, 0.1)
    loop = pair()
    loop.close_loop("shut", "fore/end", "ground", supple.Spherical())
    with pytest.raises(supple.ModelError, match=r"'shut': .*is a tree, without closed loops"):
        formulations(loop, 0.1)
