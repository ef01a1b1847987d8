"""Imports of the package point down the layers that CONTRIBUTING draws, and no function imports our own code late."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import numpy as np
import pytest
import scipy

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "supple"
OPTIONAL = {"supple.bench.pinocchio"}
"""Modules of ours that cannot be imported without an optional dependency, and so only where it is known to be there."""
MOST_IN_CYCLE = 4
"""Files that may import each other: a class and those that write it."""


def part_of(path: Path) -> str:
    """The package or module of the top that a file belongs to; "supple" for the package itself."""
    first = path.relative_to(SOURCE).parts[0].removesuffix(".py")
    return {"__init__": "supple", "__main__": "cli"}.get(first, first)


MODULES = sorted(SOURCE.rglob("*.py"))
PARTS = sorted({part_of(path) for path in MODULES})


def parsed(part: str) -> Iterator[tuple[str, ast.AST]]:
    """All modules of a part, by file."""
    for path in MODULES:
        if part_of(path) == part:
            yield str(path.relative_to(SOURCE)), tree_of(path)


@cache
def tree_of(path: Path) -> ast.AST:
    return ast.parse(path.read_text())


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


@pytest.mark.parametrize("own", PARTS)
def test_imports_point_down(own: str) -> None:
    height = layers()
    wrong = [
        f"{file}, line {line}: {name}"
        for file, tree in parsed(own)
        for line, name in imported(tree)
        if top(name) != own and height[top(name)] >= height[own]
    ]
    assert not wrong, f"{own} imports what stands beside or above it: {wrong}"


@pytest.mark.parametrize("own", PARTS)
def test_no_function_imports_our_own_code(own: str) -> None:
    late = [
        f"{file}, line {line}: {name}"
        for file, tree in parsed(own)
        for function in ast.walk(tree)
        if isinstance(function, ast.FunctionDef)
        for line, name in imported(function)
        if name.rpartition(".")[0] not in OPTIONAL
    ]
    assert not late, late


def cycles(names: set[str], imports: dict[str, set[str]]) -> list[set[str]]:
    """Modules that import each other, directly or not, as sets of two or more."""
    order = sorted(names)
    place = {name: i for i, name in enumerate(order)}
    pairs = [(place[a], place[b]) for a in order for b in imports[a] & names]
    rows, columns = zip(*pairs, strict=True)
    graph = scipy.sparse.coo_array((np.ones(len(pairs)), (rows, columns)), shape=(len(order), len(order)))
    _, label = scipy.sparse.csgraph.connected_components(graph, connection="strong")
    groups = [{order[i] for i in np.flatnonzero(label == k)} for k in range(label.max() + 1)]
    return [group for group in groups if len(group) > 1]


@pytest.mark.parametrize("own", ["structures"])
def test_few_files_import_each_other(own: str) -> None:
    """Type imports count: a file is read with all that its names mean. The package of public names is left out."""
    names = {f"supple.{Path(file).with_suffix('').as_posix().replace('/', '.')}": tree for file, tree in parsed(own)}
    imports = {
        name: {found if found in names else found.rpartition(".")[0] for _, found in imported(tree)}
        for name, tree in names.items()
    }
    found = cycles(set(names), imports)
    assert all(len(group) <= MOST_IN_CYCLE for group in found), found
