"""Modes by number, bandwidth and rank; static correction shapes, with which few modes suffice."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import supple
from supple import ModelError
from supple.erls import ErlsModel, ModeChoice, build, held_configuration, natural_frequencies
from supple.erls.links import make_link
from supple.erls.mode_choice import residual_shapes
from supple.structures import Rectangle, beam
from support.mechanisms.rigid_links import ALUMINIUM, relative

Floats = NDArray[np.float64]


@cache
def arm() -> supple.Mechanism:
    """Two beams one after another in a vertical plane, with a load at the end."""
    body = beam(0.5, Rectangle(0.02, 0.012), ALUMINIUM, elements=8).reduce("free-free", modes=24)
    mech = supple.Mechanism("arm")
    mech.add_body("upper", body, joint=supple.Revolute("y"))
    mech.add_body("fore", body, "upper", supple.Revolute("y"), "end")
    mech.add_body("load", supple.RigidBody(0.5, inertia=(1e-3, 1e-3, 1e-3)), "fore", supple.Fixed(), "end")
    return mech


def settled(model: ErlsModel) -> tuple[Floats, Floats]:
    """Where the load hangs with the joints held, and the natural frequencies there."""
    q = model.neutral()
    q[model.coordinate_index("fore.angle")] = 0.7
    x = held_configuration(model, q)
    return model.pose(x, "load")[1], natural_frequencies(model, x)


def test_static_shapes_make_few_modes_converge() -> None:
    """Sag and frequencies against the number of modes, with and without: without, the sag falls like 1/n."""
    exact, frequencies = settled(build(arm()))
    sag = np.linalg.norm(exact - settled(build(arm(), modes=0))[0])
    assert 5e-3 < sag < 2e-2
    counts = (1, 2, 4, 8, 12)
    plain = [settled(build(arm(), modes=n)) for n in counts]
    corrected = [settled(build(arm(), modes=ModeChoice(n, static=True))) for n in (0, *counts)]
    gaps = [np.linalg.norm(p - exact) / sag for p, _ in plain]
    assert gaps == sorted(gaps, reverse=True)
    assert gaps[0] > 0.3
    assert gaps[-1] > 0.05
    assert max(np.linalg.norm(p - exact) / sag for p, _ in corrected) < 1e-10
    # vibrations of the loaded arm: twelve static shapes and no mode beside twelve modes, as many coordinates
    assert abs(plain[-1][1][3] / frequencies[3] - 1) > 0.05
    errors = [float(np.abs(f[:5] / frequencies[:5] - 1).max()) for _, f in corrected]
    assert errors[0] < 2e-3
    assert errors[-1] < 1e-6


def test_static_shapes_are_orthogonal_to_the_modes_and_to_each_other() -> None:
    body: Any = arm().bodies["fore"].body
    link = make_link("fore", body, ModeChoice(3, static=True), ["end"])
    assert link.labels == ("mode1", "mode2", "mode3", *(f"static{i + 1}" for i in range(12)))
    K = link.shapes.T @ body.stiffness.toarray() @ link.shapes
    assert relative(K, np.diag(link.squares)) < 1e-9
    assert (np.diff(link.squares[3:]) > 0).all()
    assert link.squares[3] > link.squares[2]
    G = body.mass_matrix.toarray()
    momentum = link.participation
    mass = link.shapes.T @ G @ link.shapes - momentum.T @ link.inertia @ momentum
    assert relative(mass, np.eye(15)) < 1e-9
    root_only = make_link("fore", body, ModeChoice(3, static=[body.root]), ["end"])
    assert root_only.modes == 9


def test_no_force_and_no_modes_left_make_no_shapes() -> None:
    assert residual_shapes(np.ones(3), np.zeros((3, 0)))[0].shape == (3, 0)
    assert residual_shapes(np.zeros(0), np.zeros((0, 6)))[1].shape == (0,)
    twice = np.array([[1.0, 2.0], [3.0, 6.0], [0.0, 0.0]])
    shapes, squares = residual_shapes(np.array([1.0, 2.0, 3.0]), twice)
    assert shapes.shape == (3, 1)
    assert 1.0 < squares[0] < 3.0


def test_bandwidth_number_and_rank_choose_modes() -> None:
    whole = build(arm()).chain.links[0]
    hertz = np.sqrt(whole.squares) / (2 * np.pi)
    within = build(arm(), modes=ModeChoice(bandwidth=1200.0)).chain.links[0]
    assert within.modes == int((hertz <= 1200.0).sum()) == 4
    two = build(arm(), modes={"upper": ModeChoice(numbers=[3, 1]), "fore": 2})
    assert two.coordinates[:3] == ("upper.angle", "upper.mode1", "upper.mode3")
    np.testing.assert_allclose(two.chain.links[0].squares, whole.squares[[0, 2]])
    ranked = build(arm(), modes=ModeChoice(4, ranking="compliance")).chain.links[0]
    assert ranked.labels != ("mode1", "mode2", "mode3", "mode4")
    few = build(arm(), modes=ModeChoice(2, bandwidth=300.0)).chain.links[0]
    assert few.labels == ("mode1",)


def test_ranked_modes_yield_more_at_the_joints() -> None:
    """The share of the compliance at root and end that so many modes have, by rank and by frequency."""
    body: Any = arm().bodies["upper"].body

    def share(choice: ModeChoice) -> float:
        link = make_link("upper", body, choice, ["end"])
        ends = [link.participation.copy(), link.shape_at("end") + link.participation]
        arms = [-link.com, body.frame("end").position - link.com]
        total = 0.0
        for motion, x in zip(ends, arms, strict=True):
            motion[3:] += np.cross(link.participation[:3].T, x).T
            motion[:3] *= 0.25
            total += float((motion**2 / link.squares).sum())
        return total

    assert share(ModeChoice(4, ranking="compliance")) > share(ModeChoice(4))
    assert share(ModeChoice(12, ranking="compliance")) > share(ModeChoice(12))


def test_choices_are_restored_from_settings() -> None:
    choice = ModeChoice(3, ranking="compliance", static=["end"])
    model = build(arm(), modes={"upper": choice, "fore": 2})
    settings = model.formulation_settings()
    assert settings == {
        "modes": {"upper": {"count": 3, "ranking": "compliance", "static": ["end"]}, "fore": 2, "load": 0}
    }
    again = ErlsModel.restored(model.mechanism_model(), settings)
    assert again.coordinates == model.coordinates
    np.testing.assert_array_equal(again.chain.links[0].squares, model.chain.links[0].squares)
    assert ModeChoice(numbers=[2]).settings() == {"numbers": [2]}
    with pytest.raises(supple.FileFormatError, match="modes: ranking: expected one of frequency, compliance"):
        ErlsModel.restored(model.mechanism_model(), {"modes": {"upper": {"ranking": "beauty"}}})
    with pytest.raises(supple.FileFormatError, match="modes: ModeChoice: no argument 'colour'"):
        ErlsModel.restored(model.mechanism_model(), {"modes": {"upper": {"colour": 1}}})


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"ranking": "beauty"}, "ranking: expected one of frequency, compliance, got 'beauty'"),
        ({"bandwidth": 0.0}, "bandwidth: expected a positive frequency, Hz, got 0.0"),
        ({"numbers": [1], "count": 2}, "numbers: expected them in place of count, bandwidth and ranking"),
        ({"numbers": [1, 1]}, "numbers: expected different modes from 1 on, got [1, 1]"),
        ({"numbers": [0]}, "numbers: expected different modes from 1 on, got [0]"),
        ({"static": "end"}, "static: expected true, false or names of frames, got the text 'end'"),
        ({"numbers": [99]}, "link 'upper': numbers: expected modes from 1 to 24, got [99]"),
        ({"count": 99}, "link 'upper': modes: expected a number of elastic modes from 0 to 24"),
        ({"static": ["tip"]}, "link 'upper': no frame 'tip'"),
    ],
)
def test_wrong_choices_are_named(given: dict[str, Any], message: str) -> None:
    with pytest.raises(ModelError, match=re.escape(message)):
        build(arm(), modes=ModeChoice(**given))


def test_rigid_links_take_no_choice_of_their_own() -> None:
    with pytest.raises(ModelError, match="link 'load': modes: a rigid body has none"):
        build(arm(), modes={"load": ModeChoice(2)})
