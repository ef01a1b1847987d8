"""Systems of vectors in files: the examples, round trips, errors."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

import supple
from supple.errors import FileFormatError, StateError, SuppleError
from supple.files import check, read, reference
from supple.symbolic.kane import KaneModel, KaneSystem
from supple.view.pages.report import report_page
from support.mechanisms.kane_systems import crank_slider, sprung, tree

EXAMPLES = Path(__file__).parents[2] / "examples"


def loaded(path: Path) -> KaneModel:
    model = supple.files.read(path).model
    assert isinstance(model, KaneModel)
    return model


def described(name: str, function: str, monkeypatch: pytest.MonkeyPatch) -> KaneSystem:
    """The system that an example builds in Python."""
    monkeypatch.syspath_prepend(str(EXAMPLES))
    module = __import__(name)
    sys.modules.pop(name)
    system = getattr(module, function)()
    assert isinstance(system, KaneSystem)
    return system


@pytest.mark.parametrize(("name", "function"), [("bicycle", "bicycle"), ("vehicle_with_suspension", "vehicle")])
def test_the_files_of_the_examples_are_their_systems(name: str, function: str, monkeypatch: pytest.MonkeyPatch) -> None:
    found = loaded(EXAMPLES / f"{name}.toml")
    system = described(name, function, monkeypatch)
    for key, x in system.values.items():
        assert found.parameters[key] == pytest.approx(x, rel=1e-15)
    system.parameters(**{key: x for key, x in found.parameters.items() if key not in system.values})
    expected = KaneModel(system, found.inputs)
    q, v = found.random_state(0)
    assert found.nv == expected.nv
    a = found.forward_dynamics(q, v, v)
    assert np.abs(a).max() > 1.0
    np.testing.assert_allclose(a, expected.forward_dynamics(q, v, v), rtol=1e-9, atol=1e-9)


def test_the_vehicle_moves_as_its_matrices_say(monkeypatch: pytest.MonkeyPatch) -> None:
    """When the start has died away: the response to the waves that `assembled` of the example gives by hand."""
    monkeypatch.syspath_prepend(str(EXAMPLES))
    module = __import__("vehicle_with_suspension")
    sys.modules.pop("vehicle_with_suspension")
    contents = read(EXAMPLES / "vehicle_with_suspension.toml")
    found = supple.simulate(contents.model, **contents.run_arguments())
    M, C, K, F = module.assembled()
    w, delay = 2 * np.pi * 1.5, 0.6 / (2 * np.pi * 1.5)
    road = 0.02 * np.array([1, 1, np.exp(-1j * w * delay), np.exp(-1j * w * delay)])
    heave = np.linalg.solve(K + 1j * w * C - w**2 * M, F @ road)[0]
    late = found.sel(time=slice(4.0, None))
    expected = (heave * np.exp(1j * w * late.time.values)).imag
    assert np.abs(expected).max() > 0.02
    # To first order in the angles, of some hundredths: what is left is of their size squared, and of the start.
    np.testing.assert_allclose(late.q.values[:, 0], expected, atol=0.003 * np.abs(heave))


@pytest.mark.parametrize("name", ["bicycle", "vehicle_with_suspension"])
def test_files_are_right_and_survive_saving(name: str, tmp_path: Path) -> None:
    assert check(EXAMPLES / f"{name}.toml") == []
    model = loaded(EXAMPLES / f"{name}.toml")
    supple.save(model, tmp_path / "again.toml")  # type: ignore[arg-type]
    again = loaded(tmp_path / "again.toml")
    q, v = model.random_state(1)
    np.testing.assert_allclose(again.forward_dynamics(q, v, v), model.forward_dynamics(q, v, v), rtol=1e-11, atol=1e-11)
    assert (again.coordinates, again.speeds, again.inputs) == (model.coordinates, model.speeds, model.inputs)


@pytest.mark.parametrize("system", [tree, crank_slider])
def test_systems_of_python_are_saved(system: type, tmp_path: Path) -> None:
    model = KaneModel(system())
    supple.save(model, tmp_path / "system.toml")  # type: ignore[arg-type]
    assert check(tmp_path / "system.toml") == []
    q, v = model.random_state(2)
    np.testing.assert_allclose(
        loaded(tmp_path / "system.toml").forward_dynamics(q, v, v), model.forward_dynamics(q, v, v), rtol=1e-12
    )


def test_the_bicycle_of_the_file_rides_by_itself() -> None:
    contents = read(EXAMPLES / "bicycle.toml")
    found = supple.simulate(contents.model, **contents.run_arguments())
    lean = found.q.sel(coordinate="lean").values
    assert np.abs(lean).max() > 0.05
    assert np.abs(lean[-1]) < 0.01
    energy = (found.kinetic_energy + found.potential_energy).values
    np.testing.assert_allclose(energy, energy[0], rtol=1e-8)
    page = report_page(contents.model, found)
    assert "handlebar" in page


def test_the_example_of_the_page_is_right(tmp_path: Path) -> None:
    path = tmp_path / "disc.toml"
    path.write_text(reference.VECTOR_EXAMPLE)
    assert check(path) == []
    assert loaded(path).speeds == ("u3", "u4", "u5")


def test_runs_have_forces_motions_and_variables(tmp_path: Path) -> None:
    path = tmp_path / "cart.toml"
    supple.save(KaneModel(sprung(), {"wall": 0.0}), path)  # type: ignore[arg-type]
    actuator = '[[actuator]]\nspeed = "u1"\nforce = "strength*sin(t)"\n'
    path.write_text(path.read_text() + "\n[variables]\nstrength = 3.0\n\n" + actuator)
    assert check(path) == []
    contents = read(path)
    found = supple.simulate(contents.model, 1.0, samples=3, **contents.run_arguments())
    assert found.tau.values[-1, 0] == pytest.approx(3.0 * np.sin(1.0))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('{ name = "vectors" }', '{ name = "vector" }', "disc.toml: formulation: name: expected .*, got 'vector'"),
        ('mass = "m"', 'mas = "m"', r"disc.toml: body\[3\] 'disc': mas: unknown key"),
        ('mass = "m"', 'mass = "mm"', r"disc.toml: body\[3\] 'disc': mass: 'mm': no quantity 'mm'"),
        ('rotations = "2"', 'rotations = "5"', "body 'disc': rotations: expected up to three of 1, 2, 3"),
        ('dependent = "u2"', "dependent = 2", r"constraint\[2\]: dependent: expected a text, got 2"),
        ("at = [0, 0,", "at = [0,", r"body\[3\] 'disc': at: expected a formula of a vector, or 3 numbers"),
        ("u5 = 8.0", "u1 = 8.0", "simulation: v: .*no speed 'u1'"),
        ("duration = 5.0", "duration = 5.0\nq = { rho = 1.0 }", "simulation: q: .*no coordinate 'rho'"),
    ],
)
def test_errors_name_file_and_place(tmp_path: Path, old: str, new: str, message: str) -> None:
    path = tmp_path / "disc.toml"
    assert old in reference.VECTOR_EXAMPLE
    path.write_text(reference.VECTOR_EXAMPLE.replace(old, new))
    found = "\n".join(check(path))
    with pytest.raises(FileFormatError, match=message):
        raise FileFormatError(found)


def test_what_other_models_have_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(StateError, match="is a system of vectors, which load with floating_base"):
        supple.load(EXAMPLES / "bicycle.toml", floating_base=True)
    with pytest.raises(StateError, match="which load with floating_base, mimic or formulation does not take"):
        supple.load(EXAMPLES / "bicycle.toml", formulation="erls")
    with pytest.raises(SuppleError, match=r"name that ends in \.toml"):
        supple.save(KaneModel(crank_slider()), tmp_path / "system.urdf")  # type: ignore[arg-type]
