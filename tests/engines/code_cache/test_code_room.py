"""The limit of compiled code on disk: what is removed, when, and that nothing else is."""

from __future__ import annotations

import os
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from supple.engines.code_cache import code_files, code_origin, code_room, has_code, read_code, write_code
from supple.engines.code_cache.code_room import MIB, PAGE, WRITTEN, cache_limit, evict, make_room
from supple.engines.code_cache.code_room import code_files as listed
from supple.errors import SuppleError

CODE = bytes(3 * PAGE - 500)
"""Three pages with its head."""


@pytest.fixture
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty place for compiled code, limited to 1 MiB."""
    monkeypatch.setenv("SUPPLE_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("SUPPLE_CACHE_SIZE", "1")
    return tmp_path / "cache"


def path_of(directory: Path, kind: str, key: str) -> Path:
    return directory / kind / code_room.file_name(kind, key)


def used_at(path: Path, seconds: float) -> None:
    os.utime(path, (seconds, seconds))


def total() -> int:
    return sum(file.size for file in listed())


def test_the_limit_is_a_gibibyte_or_what_is_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SUPPLE_CACHE_SIZE", raising=False)
    assert cache_limit() == 2**30
    monkeypatch.setenv("SUPPLE_CACHE_SIZE", "20")
    assert cache_limit() == 20 * MIB


@pytest.mark.parametrize("wrong", ["0", "-3", "1.5", "1 GiB", "many", "\u0663"])
def test_another_limit_is_refused(directory: Path, monkeypatch: pytest.MonkeyPatch, wrong: str) -> None:
    monkeypatch.setenv("SUPPLE_CACHE_SIZE", wrong)
    expected = r"SUPPLE_CACHE_SIZE: expected a whole number of MiB, 1 or more, such as 1024, got "
    with pytest.raises(SuppleError, match=expected + repr(wrong)):
        write_code("programs", "key", CODE)


def test_what_is_unused_for_longest_goes_first(directory: Path) -> None:
    for i, key in enumerate("abcdef"):
        write_code("programs" if i % 2 else "sweeps", key, CODE)
        used_at(path_of(directory, "programs" if i % 2 else "sweeps", key), (3, 1, 5, 2, 6, 4)[i])
    evict(9 * PAGE)
    left = {key for i, key in enumerate("abcdef") if has_code("programs" if i % 2 else "sweeps", key)}
    assert left == {"c", "e", "f"}
    assert total() == 9 * PAGE


def test_other_versions_go_first(directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_code("programs", "mine", CODE)
    used_at(path_of(directory, "programs", "mine"), 1)
    with monkeypatch.context() as other:
        for module in (code_room, code_files):
            other.setattr(module, "origin", lambda kind: "0123456789abcdef" * 4)
        write_code("programs", "theirs", CODE)
        assert read_code("programs", "theirs") == CODE
        assert [file.current for file in listed()].count(True) == 1
    earlier = directory / "programs" / f"{'ab' * 32}.o"  # by name without a version
    earlier.write_bytes(CODE)
    assert [file.current for file in listed()].count(True) == 1
    evict(3 * PAGE)
    (left,) = listed()
    assert left.current
    assert read_code("programs", "mine") == CODE


def test_the_limit_is_kept_over_many_writes(directory: Path) -> None:
    """However much is written, and of what was used lately most is there."""
    for i in range(200):  # 2.3 MiB
        write_code("programs", str(i), CODE)
        used_at(path_of(directory, "programs", str(i)), i)
        assert total() <= MIB
    assert total() > MIB // 2
    assert all(has_code("programs", str(i)) for i in range(150, 200))
    assert not has_code("programs", "0")


def test_the_directory_is_looked_through_now_and_then(directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """At the first write, for what older versions have left, and whenever an eighth of the limit was written."""
    looks: list[int] = []
    monkeypatch.setattr(code_room, "evict", looks.append)
    for i in range(1, 24):  # the first, and then each time after 11, of 3 pages: an eighth is 32
        write_code("programs", str(i), CODE)
        assert len(looks) == 1 + (i - 1) // 11
    assert (directory / WRITTEN).stat().st_size < 32


def test_many_write_read_and_evict_at_once(directory: Path) -> None:
    """What is read is right or absent; the limit is exceeded by no more than what all write at a time, twice."""

    def work(seed: int) -> None:
        rng = np.random.default_rng(seed)
        for key in rng.integers(0, 150, 100).astype(str):
            code = key.encode() * 4000
            assert read_code("programs", key) in (None, code)
            write_code("programs", key, code)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(8)))
    assert MIB // 2 < total() < MIB + 2 * 8 * 4 * PAGE
    assert not any(file.unfinished for file in listed())


def test_what_is_larger_than_the_limit_is_not_kept(directory: Path) -> None:
    write_code("programs", "small", CODE)
    write_code("programs", "large", bytes(MIB))
    assert has_code("programs", "small")
    assert not has_code("programs", "large")
    write_code("programs", "fits", bytes(MIB - 1000))
    assert has_code("programs", "fits")
    assert total() <= MIB


def test_reading_counts_as_use_once_an_hour(directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_code("programs", "key", CODE)
    path = path_of(directory, "programs", "key")
    now = 1e9
    monkeypatch.setattr(time, "time", lambda: now)
    used_at(path, now - 3500)
    assert read_code("programs", "key") == CODE
    assert path.stat().st_mtime == now - 3500
    used_at(path, now - 3700)
    assert read_code("programs", "other") is None
    assert path.stat().st_mtime == now - 3700
    assert read_code("programs", "key") == CODE
    assert path.stat().st_mtime > now
    path.write_bytes(b"damaged")
    used_at(path, 1)
    assert read_code("programs", "key") is None
    assert path.stat().st_mtime == 1


def test_drafts_of_killed_processes_are_removed_after_an_hour(directory: Path) -> None:
    write_code("programs", "key", CODE)
    old, new = directory / "programs" / ".abcd_123.draft", directory / "programs" / ".zyxw_987.draft"
    for path in (old, new):
        path.write_bytes(CODE)
    used_at(old, 1)
    evict(0)
    assert not old.exists()
    assert new.exists()  # its process may still be at work
    assert not has_code("programs", "key")


def test_files_of_others_are_left_alone(directory: Path) -> None:
    """The chosen directory may hold something else."""
    write_code("programs", "key", CODE)
    names = ("notes.txt", "programs/main.o", "programs/.x.draft", "blocks/index.o", "mine/x.o")
    foreign = [directory / name for name in names]
    foreign.append(directory / "other" / path_of(directory, "programs", "key").name)
    for path in foreign:
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(CODE)
    link = directory / "programs" / f"{'cd' * 32}.o"
    link.symlink_to(foreign[0])
    evict(0)
    assert listed() == []
    assert all(path.exists() for path in (*foreign, link))


def test_a_directory_that_cannot_be_read_is_empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SUPPLE_CACHE_DIR", str(tmp_path / "nothing"))
    assert listed() == []
    evict(0)
    assert make_room(PAGE)
    assert not (tmp_path / "nothing").exists()


def test_the_version_is_in_the_name(directory: Path) -> None:
    for kind in code_origin.SOURCES:
        write_code(kind, "key", CODE)
        assert path_of(directory, kind, "key").name.startswith(code_origin.origin(kind)[:16])
    assert {file.kind for file in listed()} == set(code_origin.SOURCES)
    assert all(file.current and file.size == 3 * PAGE for file in listed())
