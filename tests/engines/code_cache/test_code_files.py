"""Files of compiled code: what is used, what counts as absent, and which directories are trusted."""

from __future__ import annotations

import os
import warnings
from pathlib import Path

import numpy as np
import pytest

from supple.engines.blocks.compiled_function import CompiledFunction
from supple.engines.code_cache import code_directory, code_room, read_code, write_code
from supple.errors import PerformanceWarning
from supple.symbolic import Function, Graph

CODE = bytes(range(256))


@pytest.fixture
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty place for compiled code, of which nothing was said yet."""
    monkeypatch.setenv("SUPPLE_CACHE_DIR", str(tmp_path / "cache"))
    code_directory._warn.cache_clear()
    return tmp_path / "cache"


def stored(directory: Path) -> list[Path]:
    return sorted(path for path in directory.rglob("*") if path.is_file() and path.name != code_room.WRITTEN)


def test_what_is_written_is_read_for_its_own_key_alone(directory: Path) -> None:
    assert read_code("programs", "key") is None
    write_code("programs", "key", CODE)
    assert read_code("programs", "key") == CODE
    assert read_code("programs", "other") is None
    assert read_code("sweeps", "key") is None
    assert len(stored(directory)) == 1


def test_a_file_under_the_name_of_another_counts_as_absent(directory: Path) -> None:
    """Nor is there a header of parts of both with which it is read: the checksum is of key and code together."""
    found = {}
    for key, code in (("key", CODE), ("other", CODE[::-1])):
        write_code("functions", key, code)
        found[key] = (directory / "functions" / code_room.file_name("functions", key)).read_bytes()
    head = len(found["key"]) - len(CODE)
    path = directory / "functions" / code_room.file_name("functions", "other")
    for i in range(head + 1):
        path.write_bytes(found["other"][:i] + found["key"][i:])
        assert read_code("functions", "other") is None


def test_a_file_that_is_not_whole_counts_as_absent(directory: Path) -> None:
    write_code("programs", "key", CODE)
    (path,) = stored(directory)
    good = path.read_bytes()
    for i in range(len(good)):
        path.write_bytes(good[:i] + bytes([good[i] ^ 1]) + good[i + 1 :])
        assert read_code("programs", "key") is None
    for damaged in (b"", good[:-1], good + b"x"):
        path.write_bytes(damaged)
        assert read_code("programs", "key") is None
    write_code("programs", "key", CODE)
    assert read_code("programs", "key") == CODE


def test_exchanged_files_count_as_absent(directory: Path) -> None:
    for name in ("double", "square"):
        write_code("programs", name, name.encode())
    one, other = stored(directory / "programs")
    contents = one.read_bytes(), other.read_bytes()
    one.write_bytes(contents[1])
    other.write_bytes(contents[0])
    assert read_code("programs", "double") is read_code("programs", "square") is None
    write_code("programs", "double", b"double")
    assert read_code("programs", "double") == b"double"


def test_a_directory_in_the_place_of_a_file_is_done_without(directory: Path) -> None:
    write_code("programs", "key", CODE)
    (path,) = stored(directory)
    path.unlink()
    path.mkdir()
    assert read_code("programs", "key") is None
    write_code("programs", "key", CODE)
    assert read_code("programs", "key") is None
    assert stored(directory) == []  # no draft is left


@pytest.mark.skipif(os.name != "posix", reason="no modes here")
def test_directories_are_made_for_their_user_alone(directory: Path) -> None:
    write_code("programs", "key", CODE)
    for path in (directory, directory / "programs"):
        assert path.stat().st_mode & 0o777 == 0o700
    (path,) = stored(directory)
    assert path.stat().st_mode & 0o777 == 0o600


@pytest.mark.skipif(os.name != "posix", reason="no modes here")
@pytest.mark.parametrize("part", [".", "programs"])
@pytest.mark.parametrize("mode", [0o770, 0o702, 0o777])
def test_a_directory_that_others_can_write_to_is_not_used(directory: Path, part: str, mode: int) -> None:
    write_code("programs", "key", CODE)
    place = directory / part
    place.chmod(mode)
    with pytest.warns(PerformanceWarning, match=r"can be written by others; run chmod go-w on it"):
        assert read_code("programs", "key") is None
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # it is said once
        write_code("programs", "another", CODE)
        assert len(stored(directory)) == 1
        place.chmod(0o755)
        assert read_code("programs", "key") == CODE


@pytest.mark.skipif(os.name != "posix", reason="no owners here")
def test_a_directory_of_another_user_is_not_used(directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_code("programs", "key", CODE)
    other = os.geteuid() + 1
    monkeypatch.setattr(os, "geteuid", lambda: other)
    with pytest.warns(PerformanceWarning, match="belongs to another user; set SUPPLE_CACHE_DIR"):
        assert read_code("programs", "key") is None
    g = Graph()
    x = g.input("x")
    f = CompiledFunction.of(Function("f", g, {"x": np.array([x])}, {"y": x + 1.0}))  # compiled in memory
    np.testing.assert_array_equal(f([1.0]), 2.0)
    assert len(stored(directory)) == 1
