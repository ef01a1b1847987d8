"""Libraries of FMUs: for which platforms, and by which compiler."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

import supple
from supple.errors import SuppleError
from supple.export.fmu_binary import TARGETS, binaries, chosen, host
from support.programs.fmu_models import double_pendulum


def test_platforms_by_name() -> None:
    assert chosen(["host"]) == [host()]
    assert set(chosen(["all", "host"])) == {*TARGETS, host()}
    assert chosen(["x86_64-windows", "x86_64-windows"]) == ["x86_64-windows"]


def test_no_compiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One line that tells what to install, or to do without."""
    monkeypatch.setattr("shutil.which", lambda name: None)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(SuppleError, match=r"^no C compiler 'cc'.*install gcc or clang.*sources_only=True$"):
        supple.export.fmu(double_pendulum(), tmp_path / "no.fmu")
    assert list(tmp_path.iterdir()) == []
    supple.export.fmu(double_pendulum(), tmp_path / "sources.fmu", sources_only=True)


def test_another_platform_needs_zig(monkeypatch: pytest.MonkeyPatch) -> None:
    other = next(name for name in TARGETS if name != host())
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(SuppleError, match=f"^no compiler for '{other}': pip install ziglang compiles"):
        binaries("", "x", [other], 3)


def test_a_compiler_that_fails_is_told_in_one_line() -> None:
    with pytest.raises(SuppleError, match=r"^the C compiler failed for '.*': .*error") as error:
        binaries("int x = ;\n#error no\n", "x", [host()], 3)
    assert "\n" not in str(error.value)


@pytest.mark.skipif(importlib.util.find_spec("ziglang") is None, reason="ziglang is not installed")
def test_a_library_for_another_platform() -> None:
    found = binaries("int answer(void)\n{\n    return 42;\n}\n", "x", ["aarch64-linux"], 3)
    (name,) = found
    assert name == "binaries/aarch64-linux/x.so"
    assert found[name][:4] == b"\x7fELF"
    assert found[name][18:20] == b"\xb7\x00"  # of this processor
