"""Stresses, section forces and interface forces of bodies with few modes in a run."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import supple
from supple import Outputs, StateError
from supple.structures import Material, Rectangle, Section, beam, box

METAL = Material(E=70e9, nu=0.3, rho=2700, yield_strength=2.5e8)
BOOM = beam(1.0, Rectangle(0.02, 0.04), METAL, 4)
SHORT = beam(1.0, Rectangle(0.02, 0.04), METAL, 3)
TIMES = np.linspace(0.0, 0.06, 25)


def arm(**reduction: Any) -> supple.Model:
    """A clamped boom with a mass at its end, off its axis."""
    mech = supple.Mechanism("arm", gravity=(0, 0, 0))
    body = SHORT.reduce("cantilever", damping=0.02, **reduction)
    mech.add_body("boom", body, joint=supple.Fixed(), fidelity="ruthless")
    load = supple.RigidBody(1.0, com=(0.05, 0, 0.02), inertia=(1e-3,) * 3)
    mech.add_body("load", load, parent="boom", at="end", joint=supple.Fixed())
    return mech.build()


def run(model: supple.Model, recovery: str = "displacement") -> Any:
    """Under a force and a moment at the end that grow without a jump."""
    push = supple.Wrench("push", "boom/end", moment=(0, "4*sin(90*t)**2", 0), force=(0, 0, "20*sin(60*t)**2"))
    wanted = Outputs(
        stresses=["boom/start"], worst_stresses="boom", section_forces="boom", recovery=recovery, wrenches="all"
    )
    return supple.simulate(model, TIMES[-1], samples=len(TIMES), wrenches=[push], outputs=wanted)


@pytest.fixture(scope="module")
def whole() -> Any:
    """The run with all modes, which needs no correction."""
    return run(arm(modes=18))


def off(found: Any, expected: Any) -> float:
    """Largest difference relative to the largest value."""
    return float(np.abs(found.values - expected.values).max() / np.abs(expected.values).max())


def at_end(result: Any, resultant: str) -> Any:
    return result.section_force.sel(section="boom/2-3 at 3", resultant=resultant)


def test_interface_forces_with_residual_vectors_within_one_percent(whole: Any) -> None:
    """Four modes alone are off by a lot more where the load is."""
    few, helped = run(arm(modes=4)), run(arm(modes=4, residual=["end", "inertia"]))
    for joint in ("boom", "load"):
        assert off(helped.wrench.sel(joint=joint), whole.wrench.sel(joint=joint)) < 0.01
    for resultant in ("My", "Vz"):
        assert off(at_end(helped, resultant), at_end(whole, resultant)) < 0.01
        assert off(at_end(few, resultant), at_end(whole, resultant)) > 0.2
    assert off(helped.worst_stress, whole.worst_stress) < 0.01


def test_static_corrections_take_the_place_of_modes(whole: Any) -> None:
    """By acceleration few modes have the moments and stresses that many have by displacement."""
    two = run(arm(modes=4), "acceleration")
    assert off(at_end(two, "My"), at_end(whole, "My")) < 0.01
    assert off(two.worst_stress, whole.worst_stress) < 0.02
    assert off(run(arm(modes=4)).worst_stress, whole.worst_stress) > 0.03
    assert two.section_force.attrs["units"] == "N, N m"
    assert two.stress.dims == ("time", "stress_point", "stress_component")
    assert {str(x) for x in two.stress_node.values} == {"0"}


def test_a_static_load_has_the_stress_of_theory() -> None:
    """A clamped boom that rests under a skew force at its end, by acceleration with one mode: M c / I and N / A."""
    mech = supple.Mechanism("shelf", gravity=(0, 0, 0))
    mech.add_body("boom", BOOM.reduce("cantilever", modes=1), joint=supple.Fixed(), stiffening=False)
    mech.add_wrench("pull", "boom/end", force=(100.0, 2.0, -5.0), axes="ground")
    model = mech.build()
    q = supple.linear.equilibrium(model).q
    wanted = Outputs(stresses="boom/0", section_forces="boom", recovery="acceleration")
    found = supple.simulate(model, 1e-4, samples=2, q=q, outputs=wanted)
    section = Rectangle(0.02, 0.04)
    bending, along = 5.0 * 0.02 / section.Iy + 2.0 * 0.01 / section.Iz, 100.0 / section.A
    for point, expected in (("-y+z", along + bending), ("+y-z", along - bending)):
        stress = found.stress.sel(stress_point=f"boom/0-1 at 0 {point}", stress_component="xx")[0]
        assert float(stress) == pytest.approx(expected, rel=1e-3)
    forces = found.section_force.sel(section="boom/1-2 at 2")[0].values
    np.testing.assert_allclose(forces, [100.0, 2.0, -5.0, 0.0, 2.5, 1.0], rtol=1e-3, atol=1e-3)


def test_peaks_of_elements_and_margins(whole: Any) -> None:
    model = arm(modes=18)
    peaks = supple.stress_peaks(model, whole, margin=True)
    assert len(peaks.element) == 3
    assert set(peaks.body.values) == {"boom"}
    assert float(peaks.von_mises[0]) == pytest.approx(float(whole.worst_stress.max()), rel=1e-9)
    when = int(whole.worst_stress.argmax("time")[0])
    assert float(peaks.time[0]) == float(whole.time[when])
    np.testing.assert_allclose([float(peaks[k][0]) for k in "xyz"], whole.worst_stress_position[when, 0])
    assert float(peaks.margin[0]) == pytest.approx(2.5e8 / float(peaks.von_mises[0]) - 1.0)
    assert (np.diff(peaks.von_mises.values) <= 0.0).all()


def test_pieces_of_a_beam_are_recovered_as_one() -> None:
    mech = supple.Mechanism("strip")
    mech.add_body("strip", BOOM.pieces(2), joint=supple.Fixed())
    model = mech.build()
    wanted = Outputs(stresses="strip/end", worst_stresses="strip", section_forces="strip")
    result = supple.simulate(model, 1e-3, samples=3, outputs=wanted)
    assert [str(x) for x in result.section.values[[0, 4, -1]]] == ["strip/0-1 at 0", "strip/2-3 at 2", "strip/3-4 at 4"]
    assert set(result.stress_node.values) == {4}
    np.testing.assert_allclose(result.section_x.values[-1], 1.0)
    peaks = supple.stress_peaks(model, result, "strip", recovery="acceleration")
    assert sorted(map(str, peaks.element.values)) == [f"strip/{i}-{i + 1}" for i in range(4)]


def test_a_solid_by_file_and_its_margin_without_a_strength(tmp_path: Path) -> None:
    block = box(0.4, 0.02, 0.04, Material(E=70e9, nu=0.3, rho=2700), (4, 1, 1))
    mech = supple.Mechanism("block")
    mech.add_body("block", block.reduce("cantilever", modes=2), joint=supple.Fixed())
    model = mech.build()
    wanted = Outputs(worst_stresses="block")
    supple.simulate(model, 1e-3, samples=3, outputs=wanted, file=tmp_path / "block.nc")
    with supple.open_results(tmp_path / "block.nc") as result:
        assert float(result.worst_stress.max()) > 0.0
        with pytest.raises(StateError, match="margin: 'block': no yield strength is known at 'node "):
            supple.stress_peaks(model, result, margin=True)
        with pytest.raises(StateError, match="recovery: no 'accelerations'; expected one of 'displacement'"):
            supple.stress_peaks(model, result, recovery="accelerations")


def named(mech: supple.Mechanism) -> supple.Model:
    constants = beam(1.0, Section(A=1e-4, Iy=1e-9, Iz=1e-9, J=1e-9), METAL, 2)
    mech.add_body("rod", constants.reduce("cantilever", modes=2), joint=supple.Fixed())
    mech.add_body("hub", supple.RigidBody(1.0), joint=supple.Fixed())
    mech.add_body("boom", BOOM.reduce("cantilever", modes=2), joint=supple.Fixed())
    block = box(0.4, 0.02, 0.04, METAL, (2, 1, 1), quadratic=False)
    mech.add_body("block", block.reduce("cantilever", modes=2), joint=supple.Fixed())
    return mech.build()


@pytest.mark.parametrize(
    ("wanted", "said"),
    [
        ({"stresses": "bom"}, "stresses: no flexible body 'bom'; did you mean 'boom'"),
        ({"stresses": "boom/ende"}, "no node 'boom/ende': 'boom' has nodes 0 to 4; did you mean 'end'"),
        ({"stresses": "boom/9"}, "no node 'boom/9': 'boom' has nodes 0 to 4$"),
        ({"stresses": "hub"}, "expected a flexible body, got 'hub', which is rigid"),
        ({"stresses": "rod"}, "'rod' has no stresses: its section is known by constants alone"),
        ({"section_forces": "block"}, "'block' has no section forces: it is not made of beams"),
        ({"worst_stresses": "boom/end"}, "expected a flexible body, whose largest stress is wanted, got the place"),
    ],
)
def test_wrong_names_are_refused(wanted: dict[str, str], said: str) -> None:
    with pytest.raises(StateError, match=said):
        Outputs(**wanted).check(MODEL)  # type: ignore[arg-type]


MODEL = named(supple.Mechanism("names"))


def test_a_wrong_way_of_recovery_is_refused() -> None:
    with pytest.raises(StateError, match="recovery: no 'static'; expected one of 'displacement', 'acceleration'"):
        Outputs(recovery="static")
