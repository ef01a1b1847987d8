"""Messages of the library speak of arguments; options of the command are for the command to advise."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "src" / "supple"
PACKAGES = sorted({path.relative_to(SOURCE).parts[0] for path in SOURCE.rglob("*.py")} - {"cli"})
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*")
PROGRAM = {"--defaults", "--build", "--font"}
"""Options of the simulation program that is written and of CMake, a variable of CSS; not options of the command."""


def options(source: str) -> list[str]:
    """Options of a command that the texts of a module name, with their lines."""
    texts = [n for n in ast.walk(ast.parse(source)) if isinstance(n, ast.Constant) and isinstance(n.value, str)]
    return [
        f"line {n.lineno}: {found}" for n in texts for found in OPTION.findall(str(n.value)) if found not in PROGRAM
    ]


@pytest.mark.parametrize("package", PACKAGES)
def test_no_text_of_the_library_names_an_option_of_the_command(package: str) -> None:
    own = SOURCE / package
    files = sorted(own.rglob("*.py")) if own.is_dir() else [own]
    found = {str(path.relative_to(SOURCE)): options(path.read_text(encoding="utf-8")) for path in files}
    assert found
    assert {file: named for file, named in found.items() if named} == {}


def test_an_option_would_be_found() -> None:
    assert options('raise Error(f"{file}: unfinished; give --resume")') == ["line 1: --resume"]
    assert options('"resume=True continues it" "-- a dash" "a--b"') == []
