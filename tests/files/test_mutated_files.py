"""Damaged files of every kind are read or refused, with one verdict; sizes have bounds that are told."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import supple
from supple.errors import FileFormatError, ModelError
from supple.files import check, error_list
from supple.files.urdf_elements import MOST_ELEMENTS
from supple.input_files import LARGEST
from supple.structures import Material, Rectangle, beam, box
from supple.structures.body.hdf5_reader import load_body
from support.files import fuzzing, mutated_files

ALUMINIUM = Material(E=7e10, nu=0.33, rho=2700)
COUNT = 25


@pytest.mark.skipif(sys.platform == "win32", reason="no limits of memory and time here")
def test_damaged_files_are_read_or_refused(tmp_path: Path) -> None:
    """All kinds in one process, which takes longer to begin than to read those of a kind."""
    # Pages of results take their time.
    kinds = ",".join(f"{kind}:10" if kind == "results" else kind for kind in mutated_files.KINDS)
    command = [sys.executable, mutated_files.__file__, kinds, str(COUNT), "1", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{done.stdout}case {(tmp_path / 'case').read_text()}: {done.stderr}"
    lines = done.stdout.splitlines()
    assert [line.split()[0] for line in lines] == [*mutated_files.KINDS], lines  # nothing is wrong
    for line in lines:
        kind, read, refused = line.split()
        assert int(read) + int(refused) == (10 if kind == "results" else COUNT)
        assert min(int(read), int(refused)) > 0, kind  # neither is the rule


@pytest.mark.skipif(sys.platform == "win32", reason="no limits of memory and time here")
def test_the_long_search_reads_as_many_as_asked(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", ["fuzzing.py", "7", "3", "toml"])
    assert fuzzing.main() == 0
    assert capsys.readouterr().out == "toml: 3 files, 0 wrong\n"


def test_a_body_file_is_checked_before_it_is_opened(tmp_path: Path) -> None:
    path = tmp_path / "rod.h5"
    body = beam(0.5, Rectangle(0.02, 0.01), ALUMINIUM, elements=2).reduce("cantilever", modes=2)
    body.save(path)
    good = path.read_bytes()
    assert load_body(path).labels == body.labels
    path.write_bytes(good[:1000] + bytes([good[1000] ^ 1]) + good[1001:])
    with pytest.raises(FileFormatError, match=r"rod\.h5: damaged: its checksum does not fit its content"):
        load_body(path)


def test_names_that_are_too_long_are_refused_in_words(tmp_path: Path) -> None:
    path = tmp_path / f"{'x' * 300}.toml"
    with pytest.raises(FileFormatError, match=r"x\.\.\.: cannot be read: File name too long"):
        supple.load(path)
    assert "File name too long" in check(path)[0]
    path = tmp_path / "model.toml"
    flexible = f'{{ file = "{"x" * 300}.h5" }}'
    path.write_text(f'name = "m"\n[[body]]\nname = "b"\nflexible = {flexible}\njoint = {{ type = "fixed" }}\n')
    (error,) = check(path)
    assert "body[1] 'b'" in error
    assert "File name too long" in error


def test_files_that_are_too_large_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "model.toml"
    path.write_text('name = "m"\n' + "#" * 3 * 2**20)
    assert not any("larger" in error for error in check(path))
    with open(path, "r+b") as file:
        file.truncate(LARGEST + 1)
    assert check(path) == [f"{path}: expected a file of at most 32 MB, got a larger one"]


@pytest.mark.parametrize("key", ["{0} = 1", "[{0}]", "[[{0}]]", "x = {{ y = 1, {0} = 2 }}", "x = [{{{0} = 2}}]"])
@pytest.mark.parametrize("name", ["a", '"a.b"', "'a'"])
def test_keys_of_very_many_names_are_refused_unread(tmp_path: Path, key: str, name: str) -> None:
    """To read 20,000 names takes seconds and gigabytes."""
    path = tmp_path / "model.toml"
    path.write_text('name = "m"\n' + key.format(" . ".join([name] * 32)) + "\n")
    assert not any("at most 32" in error for error in check(path))
    path.write_text('name = "m"\n' + key.format(" . ".join([name] * 20_000)) + "\n")
    assert check(path) == [f"{path}: line 2: expected keys of at most 32 names, got more"]


def test_numbers_of_many_digits_name_no_node(tmp_path: Path) -> None:
    path = tmp_path / "model.toml"
    text = mutated_files.HEAD + mutated_files.BEAMS
    for name in ("9" * 5000, "\u00b2"):
        path.write_text(text.replace('at = "end"\nflexible', f'at = "{name}"\nflexible'))
        (error,) = check(path)
        assert f"no frame '{name}' on 'arm'" in error


def test_robots_of_very_many_elements_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "robot.urdf"
    path.write_text('<robot name="r"><link name="a">' + "<visual/>" * MOST_ELEMENTS + "</link></robot>")
    assert check(path) == [f"{path}: expected at most 400,000 elements, got more"]


def test_too_many_bodies_are_refused(tmp_path: Path) -> None:
    count = error_list.MOST_BODIES + 1
    path = tmp_path / "model.toml"
    path.write_text('name = "m"\n' + '[[body]]\nname = "b"\n' * count)
    words = f"expected at most 10,000, got {count:,}; build larger models in Python"
    assert check(path) == [f"{path}: body: {words}"]
    path = tmp_path / "robot.urdf"
    path.write_text('<robot name="r">' + "".join(f'<link name="b{i}"/>' for i in range(count)) + "</robot>")
    assert check(path) == [f"{path}: {words.replace('10,000', '10,000 links')}"]


def test_structures_have_bounds() -> None:
    section = Rectangle(0.02, 0.01)
    with pytest.raises(ModelError, match=r"beam: elements: expected at most 10,000 in all, got 10,000,000"):
        beam(0.5, section, ALUMINIUM, elements=10**7)
    with pytest.raises(ModelError, match=r"box: elements: expected at most 100,000 nodes, got .* from \(1000000,"):
        box(1.0, 0.1, 0.1, ALUMINIUM, (10**6, 10**6, 10**6))
    with pytest.raises(ModelError, match="modes: expected at most 2,000, got 1,000,000,000"):
        beam(0.5, section, ALUMINIUM, elements=2).reduce("cantilever", modes=10**9)


@pytest.mark.filterwarnings("ignore:.*very soft:supple.errors.PhysicsWarning")
def test_numbers_of_absurd_size_are_refused_in_words(tmp_path: Path) -> None:
    path = tmp_path / "model.toml"
    text = mutated_files.HEAD + mutated_files.BEAMS
    path.write_text(text.replace("height = 0.01", "height = 1e300"))
    (error, *_) = check(path)
    assert "structure[1] 'rod': rectangle: height: expected a number from 1e-30 to 1e+30, got 1e+300" in error
    with pytest.raises(FileFormatError, match="rectangle: height: expected a number from"):
        supple.load(path)
    for base, old, new, message in (
        (text, "E = 7e10", "E = 1e-300", "material: E: expected a number from 1e-30 to 1e+30, got 1e-300"),
        (
            mutated_files.HEAD + mutated_files.SOLID,
            "length = 0.4",
            "length = 1e-300",
            "length: expected a number from 1e-30 to 1e+30, got 1e-300",
        ),
        (
            mutated_files.HEAD + mutated_files.RIGID,
            "com = [0.0,",
            "com = [-1e308,",
            "mass, com: too large for an inertia",
        ),
    ):
        assert old in base
        path.write_text(base.replace(old, new))
        with np.errstate(all="ignore"):
            found = check(path)
        assert any(message in line for line in found), found
