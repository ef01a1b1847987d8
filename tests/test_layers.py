"""Imports of the package point down the layers that CONTRIBUTING draws, and no function imports our own code late."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "supple"
MODULES = sorted(SOURCE.rglob("*.py"))
OPTIONAL = {"supple.bench.pinocchio"}
"""Modules of ours that cannot be imported without an optional dependency, and so only where it is known to be there."""


@cache
def layers() -> dict[str, int]:
    """Height of each package or module of the top, from the picture in CONTRIBUTING: the first line is the lowest."""
    text = (ROOT / "CONTRIBUTING.md").read_text()
    picture = re.search(r"^## Layers$.*?^((?:    \w[^\n]*\n)+)", text, re.MULTILINE | re.DOTALL)
    assert picture is not None
    rows = [re.split(r"\s{2,}", line.strip())[0] for line in picture[1].splitlines()]
    return {name.strip(): height for height, row in enumerate(rows) for name in row.split(",")}


def imported(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Line and full name of what is imported of the package, wherever it stands."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, a.name) for a in node.names if a.name.split(".")[0] == "supple")
        elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "supple":
            yield from ((node.lineno, f"{node.module}.{a.name}") for a in node.names)


def top(name: str) -> str:
    """The package or module of the top that a full name belongs to; the package itself is "supple"."""
    inner = [*name.split("."), ""][1]
    known = inner and ((SOURCE / inner).is_dir() or (SOURCE / f"{inner}.py").is_file())
    return inner if known else "supple"


def test_the_picture_names_every_package_once() -> None:
    found = {p.stem for p in SOURCE.iterdir() if p.suffix == ".py" or (p / "__init__.py").is_file()}
    assert set(layers()) == (found - {"__init__", "__main__"}) | {"supple"}


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_imports_point_down(path: Path) -> None:
    module = "supple." + ".".join(path.relative_to(SOURCE).with_suffix("").parts)
    own, height = top(module.removesuffix(".__init__")), layers()
    wrong = [
        f"line {line}: {name}"
        for line, name in imported(ast.parse(path.read_text()))
        if top(name) != own and height[top(name)] >= height[own]
    ]
    assert not wrong, f"{own} imports what stands beside or above it: {wrong}"


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_no_function_imports_our_own_code(path: Path) -> None:
    functions = [n for n in ast.walk(ast.parse(path.read_text())) if isinstance(n, ast.FunctionDef)]
    late = [f"line {line}: {name}" for f in functions for line, name in imported(f)]
    assert all(name.rpartition(".")[0] in OPTIONAL for _, _, name in (x.partition(": ") for x in late)), late
