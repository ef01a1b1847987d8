"""Names in the pages and docstrings exist: public names, attributes of classes, options of commands, keys of files."""

from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil
import re
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import supple
from supple import cli
from supple.sampling.samplers import SAMPLERS

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "supple"
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
QUOTED = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
FENCED = re.compile(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)
TOML = re.compile(r"^```(?:\{code-block\} )?toml\n(.*?)^```", re.MULTILINE | re.DOTALL)
OTHERS = {"--user", "--build", "--defaults", "--small", "--pre"}
"""Options of other programs and of benchmarks."""


def quoted(text: str) -> Iterator[str]:
    """What stands in backticks, outside of blocks of code."""
    yield from QUOTED.findall(FENCED.sub("", text))


@cache
def docstrings() -> tuple[tuple[str, str], ...]:
    """All docstrings of the package, and of the fields of its classes, with their places."""
    out = []
    for path in sorted(SOURCE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if (
                isinstance(node, ast.Expr)
                and isinstance(node.value, ast.Constant)
                and isinstance(node.value.value, str)
            ):
                out.append((f"{path.relative_to(SOURCE)}:{node.lineno}", node.value.value))
    return tuple(out)


@cache
def classes() -> Mapping[str, type]:
    """Public classes by their names."""
    out: dict[str, type] = {}
    packages = [info.name for info in pkgutil.iter_modules(supple.__path__, "supple.")]
    for module in map(importlib.import_module, ["supple", *packages]):
        for name in getattr(module, "__all__", ()):
            found = getattr(module, name)
            if inspect.isclass(found):
                out[name] = found
    return out


def exists(name: str) -> bool:
    """Whether a name with dots is there: a module, what it has, attributes of classes."""
    found: Any = supple
    place = "supple"
    for part in name.split(".")[1:]:
        place = f"{place}.{part}"
        if inspect.isclass(found) and part in fields(found):
            return True
        if not hasattr(found, part):
            try:
                found = importlib.import_module(place)
            except ImportError:
                return False
        else:
            found = getattr(found, part)
    return True


def fields(owner: type) -> set[str]:
    """Attributes of objects of a class: annotated ones, those set in methods, those of its docstring."""
    out: set[str] = set()
    for own in owner.__mro__:
        out |= {*vars(own), *getattr(own, "__annotations__", {})}
        if own.__module__.startswith("supple"):
            out |= set(re.findall(r"\bself\.(\w+)\b[^=\n]*=", inspect.getsource(own)))
    return out


def missing(text: str) -> list[str]:
    """Names in backticks that are not there."""
    out = []
    for word in quoted(text):
        name = re.match(r"(supple(?:\.\w+)+)(?![\w\[/])", word)
        if name and not exists(name[1]):
            out.append(word)
        owned = re.match(r"([A-Z]\w+)\.([a-z]\w*)\b", word)
        if owned and owned[1] in classes() and owned[2] not in fields(classes()[owned[1]]):
            out.append(word)
    return out


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_names_on_pages_exist(page: Path) -> None:
    assert missing(page.read_text(encoding="utf-8")) == []


def test_names_in_docstrings_exist() -> None:
    found = {place: missing(text) for place, text in docstrings()}
    assert len(found) > 5000
    assert {place: names for place, names in found.items() if names} == {}


def test_a_name_that_is_not_there_would_be_found() -> None:
    text = "`supple.parameters` `supple.load(x)` `Model.poze(q)` `Model.pose(q)` `supple.structures.beam`"
    assert missing(text) == ["supple.parameters", "Model.poze(q)"]


@cache
def options() -> frozenset[str]:
    commands: dict[str, Any] = dict(cli.command().commands)
    return frozenset(x for own in commands.values() for p in own.params for x in (*p.opts, *p.secondary_opts))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_options_on_pages_exist(page: Path) -> None:
    """Options by themselves; those behind a command are checked against that command, in test_docs."""
    named = {word.split()[0].split("=")[0] for word in quoted(page.read_text(encoding="utf-8")) if word[:2] == "--"}
    assert named - options() - OTHERS == set()


FREE = {
    "change", "expressions", "frames", "inputs", "links", "measure", "parameters", "q", "sliders", "symbols", "v",
    "variables", "vary",
}  # fmt: skip
"""Tables whose keys are names of the user's own."""
KINDS = {"type", "truncate", "beta"}
"""Keys that choose the rest of their table, or stand in one without a list on the page of keys."""


def keys(table: Any) -> Iterator[str]:
    """Keys of tables in tables, but of those that are free."""
    if isinstance(table, dict):
        for key, value in table.items():
            yield key
            if key not in FREE:
                yield from keys(value)
    elif isinstance(table, list):
        for value in table:
            yield from keys(value)


@cache
def known_keys() -> frozenset[str]:
    """Keys and tables of the page that is made from the schema."""
    page = (ROOT / "docs" / "model_files.md").read_text(encoding="utf-8")
    listed = re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE)
    tables = re.findall(r"\[+([\w.]+)\]+", page)
    return frozenset({*listed, *(x for name in tables for x in name.split(".")), *KINDS})


@pytest.mark.parametrize("page", [page for page in PAGES if TOML.search(page.read_text())], ids=lambda page: page.stem)
def test_keys_of_files_on_pages_exist(page: Path) -> None:
    wrong = {"mas"} if page.stem == "tutorial" else set()  # a misprint that `supple check` finds there
    found = set()
    for text in TOML.findall(page.read_text(encoding="utf-8")):
        found |= set(keys(tomllib.loads(re.sub(r"^:caption:.*\n", "", text))))
    assert found
    assert found - known_keys() == wrong


def test_commands_that_change_values_are_listed() -> None:
    commands: dict[str, Any] = dict(cli.command().commands)
    own = {name for name, x in commands.items() if any("--set" in p.opts for p in x.params)}
    text = (ROOT / "docs" / "how_to" / "comparing.md").read_text(encoding="utf-8")
    listed = re.search(r"((?:`\w+`(?:,?\s|\sand\s)*)+) ?take it", text)
    assert listed is not None
    assert set(QUOTED.findall(listed[1])) == own


def test_choices_in_docstrings_are_all_that_there_are() -> None:
    assert [x for x in SAMPLERS if f'"{x}"' not in str(supple.sweep.__doc__)] == []
    text = str(supple.simulate.__doc__)
    assert [x for x in supple.integrators.BY_NAME if not re.search(rf"\b{x}\b", text)] == []
