"""Files opened for reading: what paths may lead to, and what is said where there is no file to be read."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import supple
from supple.engines.code_cache import code_room, read_code, write_code
from supple.errors import FileFormatError
from supple.files import check
from supple.identification.measurements import read_measurements
from supple.input_files import open_regular, read_bytes, require_file
from supple.inputs.fmu_interface import read_fmu
from supple.sampling.case_tables import read_cases
from supple.shapes import Mesh
from supple.simulation.part_files import content, intact
from supple.structures import read
from supple.structures.body.hdf5_reader import load_body

posix = pytest.mark.skipif(os.name != "posix", reason="no named pipes and devices here")
READERS: dict[str, tuple[Callable[[Path], Any], str]] = {
    "toml": (supple.load, ".toml"),
    "urdf": (supple.load, ".urdf"),
    "results": (supple.load, ".nc"),
    "open_results": (supple.open_results, ".nc"),
    "mesh": (lambda path: Mesh(path).triangles(), ".stl"),
    "deck": (read, ".inp"),
    "body": (load_body, ".h5"),
    "cases": (read_cases, ".csv"),
    "measurements": (read_measurements, ".csv"),
    "fmu": (read_fmu, ".fmu"),
}


@pytest.fixture
def without_waiting() -> Iterator[None]:
    """End what waits for a pipe: no test takes that long."""

    def end(*_: Any) -> None:
        raise TimeoutError("waits for a pipe or reads a device without end")

    before = signal.signal(signal.SIGALRM, end)
    signal.alarm(20)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


def pipe(path: Path) -> Path:
    os.mkfifo(path)
    return path


def link(target: str) -> Callable[[Path], Path]:
    def made(path: Path) -> Path:
        path.symlink_to(target or path)
        return path

    return made


def folder(path: Path) -> Path:
    path.mkdir()
    return path


BAD: dict[str, tuple[Callable[[Path], Path], str]] = {
    "pipe": (pipe, "cannot be read: expected a regular file, got a pipe or device"),
    "device": (link("/dev/zero"), "cannot be read: expected a regular file, got a pipe or device"),
    "loop": (link(""), "cannot be read: "),
    "folder": (folder, "expected a file, got a directory"),
    "null": (lambda path: path.with_name(f"a\0{path.name}"), r"a\\0.*: cannot be read: embedded null"),
    "long": (lambda path: path.with_name(f"{'x' * 5000}{path.name}"), r"x\.\.\.: cannot be read: "),
}
if sys.platform == "linux":
    BAD["memory"] = link("/proc/self/mem"), "cannot be read: "


@posix
@pytest.mark.usefixtures("without_waiting")
@pytest.mark.parametrize("bad", BAD)
@pytest.mark.parametrize("reader", READERS)
def test_every_reader_names_what_it_cannot_read(tmp_path: Path, reader: str, bad: str) -> None:
    run, suffix = READERS[reader]
    make, message = BAD[bad]
    path = make(tmp_path / f"m{suffix}")
    with pytest.raises(supple.SuppleError, match=message) as caught:
        run(path)
    assert "\n" not in str(caught.value)


@posix
@pytest.mark.usefixtures("without_waiting")
@pytest.mark.parametrize("bad", ["pipe", "device", "loop", "folder", "long"])
def test_files_that_a_model_names(tmp_path: Path, bad: str) -> None:
    make, message = BAD[bad]
    path = make(tmp_path / "b.h5")
    head = 'name = "m"\n[[body]]\nname = "a"\nflexible = { file = "@" }\njoint = { type = "fixed" }\n'
    (tmp_path / "m.toml").write_text(head.replace("@", path.name))
    with pytest.raises(FileFormatError, match=f"'a': flexible: file: .*{message}"):
        supple.load(tmp_path / "m.toml")
    (tmp_path / "m.toml").write_text(head.replace("@", "a\\u0000b.h5"))
    assert "cannot be read: embedded null" in check(tmp_path / "m.toml")[0]


@posix
def test_materials_in_a_loop_of_links_are_left_out(tmp_path: Path) -> None:
    link("")(tmp_path / "a.mtl")
    (tmp_path / "m.obj").write_text("mtllib a.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    assert len(Mesh(tmp_path / "m.obj").triangles().faces) == 1


@pytest.mark.parametrize("name", ["a\0b", "x" * 5000])
def test_names_that_nothing_can_be_written_to(tmp_path: Path, name: str) -> None:
    mech = supple.Mechanism("m")
    mech.add_body("a", supple.RigidBody(1.0, (0, 0, -1)), joint=supple.Revolute("y"))
    with pytest.raises(supple.SuppleError, match="cannot be"):
        supple.simulate(mech.build(), 0.01, samples=2, file=tmp_path / f"{name}.nc")
    with pytest.raises(supple.SuppleError, match="cannot be written"):
        supple.save(mech, tmp_path / f"{name}.toml")


@posix
@pytest.mark.usefixtures("without_waiting")
def test_pipes_among_the_files_of_caches_and_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SUPPLE_CACHE_DIR", str(tmp_path / "cache"))
    write_code("functions", "key", b"code")
    for path in (
        tmp_path / "cache" / "functions" / code_room.file_name("functions", "key"),
        tmp_path / "cache" / code_room.WRITTEN,
    ):
        path.unlink()
        pipe(path)
    assert read_code("functions", "key") is None
    write_code("functions", "key", b"code")
    assert read_code("functions", "key") == b"code"
    part = pipe(tmp_path / "part")
    for read_part in (intact, content):
        with pytest.raises(OSError, match="expected a regular file"):
            read_part(part)


def test_files_are_read_whole_up_to_a_size(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(bytes(range(256)) * 8192)
    assert read_bytes(path, 2 * 2**20) == path.read_bytes()
    with pytest.raises(FileFormatError, match=r"a: expected a file of at most 1 MB, got a larger one"):
        read_bytes(path, 2**20)
    with open_regular(path) as file:
        assert file.read(4) == b"\0\1\2\3"


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("modle.toml", "; did you mean 'model.toml'?"),
        ("Model.toml", "; did you mean 'model.toml'?"),
        ("model", "; did you mean 'model.toml'?"),
        ("model.urdf", "; did you mean 'model.toml'?"),
        ("pendulum.toml", ""),  # nothing like it
        ("notes.toml", ""),  # another kind of file
        ("none/model.toml", "; there is no directory "),
    ],
)
def test_missing_files_are_named_with_similar_ones_of_their_kind(tmp_path: Path, name: str, hint: str) -> None:
    for other in ("model.toml", "nodes.txt", "zeta.toml"):
        (tmp_path / other).touch()
    require_file(tmp_path / "model.toml")
    with pytest.raises(FileFormatError) as caught:
        require_file(tmp_path / name)
    expected = f"{tmp_path / name}: no such file{hint}"
    assert str(caught.value) == (f"{expected}{tmp_path / 'none'}" if hint.endswith(" ") else expected)
