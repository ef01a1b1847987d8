"""supple cache: what is on disk, and its removal."""

from __future__ import annotations

import io
import os
import sys
from pathlib import Path

import pytest

from supple.cli import cache
from supple.engines.code_cache import has_code, write_code
from supple.engines.code_cache.code_origin import SOURCES
from support.programs.commands import Command, cells_of


@pytest.fixture
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Three files of compiled code, one of them of another version."""
    monkeypatch.setenv("SUPPLE_CACHE_DIR", str(tmp_path / "code"))
    monkeypatch.setenv("SUPPLE_CACHE_SIZE", "50")
    write_code("programs", "one", bytes(2**20))
    write_code("blocks", "two", bytes(2**20))
    (tmp_path / "code" / "blocks" / f"{'0' * 16}-{'1' * 64}.o").write_bytes(bytes(2**19))
    return tmp_path / "code"


def rows(out: str) -> dict[str, list[str]]:
    return {cells[0]: cells[2:] for cells in map(cells_of, out.splitlines()) if cells}


def test_every_kind_is_described() -> None:
    assert cache.HOLDS.keys() == SOURCES.keys()


def test_it_shows_directory_kinds_size_and_limit(command: Command, directory: Path) -> None:
    code, out, err = command("cache")
    assert (code, err) == (0, "")
    assert out.startswith(f"directory: {directory}\n")
    assert rows(out) == {  # a mebibyte and a head take a page more
        "functions": ["0", "0.0", "0"],
        "blocks": ["2", "1.5", "1"],
        "sweeps": ["0", "0.0", "0"],
        "programs": ["1", "1.0", "0"],
    }
    assert "2.5 MiB of at most 50 MiB, 0.5 MiB of other versions\n" in out


def test_no_directory_is_an_empty_one(command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SUPPLE_CACHE_DIR", str(tmp_path / "none"))
    monkeypatch.delenv("SUPPLE_CACHE_SIZE", raising=False)
    code, out, err = command("cache")
    assert (code, err) == (0, "")
    assert "0.0 MiB of at most 1024 MiB" in out
    code, out, _ = command("cache", "--clear")
    assert (code, out) == (0, f"{tmp_path / 'none'}: no compiled code\n")
    assert not (tmp_path / "none").exists()


def test_clear_removes_all_versions_and_nothing_else(command: Command, directory: Path) -> None:
    (directory / "notes.txt").write_text("mine")
    code, out, err = command("cache", "--clear", "--yes")
    assert (code, out, err) == (0, "removed 3 files, 2.5 MiB\n", "")
    assert not has_code("programs", "one")
    assert (directory / "notes.txt").read_text() == "mine"
    assert "no compiled code" in command("cache", "--clear", "--yes")[1]


@pytest.mark.parametrize(("answer", "kept"), [("y\n", False), ("n\n", True), ("\n", True), ("", True)])
def test_clear_asks(
    command: Command, directory: Path, monkeypatch: pytest.MonkeyPatch, answer: str, kept: bool
) -> None:
    """Nothing is removed without a yes, also where nobody can answer."""
    monkeypatch.setattr(sys, "stdin", io.StringIO(answer))
    code, out, err = command("cache", "--clear")
    assert f"{directory}: remove 3 files, 2.5 MiB? [y/N]" in err
    assert code == int(kept)
    assert has_code("programs", "one") == kept
    assert out.endswith("removed 3 files, 2.5 MiB\n") != kept


def test_a_wrong_limit_is_an_error(command: Command, directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SUPPLE_CACHE_SIZE", "lots")
    code, out, err = command("cache")
    assert (code, out) == (1, "")
    assert "error: environment variable SUPPLE_CACHE_SIZE: expected a whole number of MiB" in err


@pytest.mark.skipif(os.name != "posix", reason="no modes here")
def test_a_directory_that_is_not_used_is_named(command: Command, directory: Path) -> None:
    directory.chmod(0o777)
    code, _, err = command("cache")
    assert code == 0
    assert (
        "warning: compiled code is not kept here: the directory can be written by others; run chmod go-w on it" in err
    )
