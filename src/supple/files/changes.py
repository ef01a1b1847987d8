"""Single values of a model file replaced before it is read: a run of the same file with another mass or duration.

A path names keys joined by dots, and in a list of tables the one that is meant: by its name (`body.arm.mass`), that of
its speed or coordinate (`actuator.arm.angle.kp`), or its number, counted from one as in the messages of `check`
(`body[2].mass`, `body.arm.com[3]`).
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from supple.errors import FileFormatError, nearest

NAMES = ("name", "label", "speed", "coordinate", "follower")
"""Keys by whose values the tables of a list are told apart."""


def read_change(text: str) -> tuple[str, Any]:
    """A path and a value from one text; the value is TOML, and what is no TOML is a text.

    Examples
    --------
    >>> read_change("body.arm.com=[0, 0, 0.5]")
    ('body.arm.com', [0, 0, 0.5])
    >>> read_change("simulation.integrator = rk4")
    ('simulation.integrator', 'rk4')
    """
    path, equals, value = text.partition("=")
    if not equals or not path.strip() or not value.strip():
        raise FileFormatError(f"change {text!r}: expected a path and a value, such as body.arm.mass=2")
    try:
        found = tomllib.loads(f"value = {value}")
    except (ValueError, RecursionError):
        found = {}
    return path.strip(), found["value"] if found.keys() == {"value"} else value.strip()


def apply_changes(content: Any, changes: Mapping[str, Any], file: Path) -> None:
    """Put new values into what was read of a file; what they lead to is validated with all the rest.

    Parameters
    ----------
    content : tables, lists, texts and numbers
        Changed in place.
    changes : mapping of path to value
    file : Path
        For messages.
    """
    for path, value in changes.items():
        steps = _steps(path, file)
        _put(content, steps, value, f"{file}: change of {path!r}")


def first_missing(content: Any, path: str, file: Path) -> tuple[str, list[str]] | None:
    """Where a path leaves what a file has: the key that is missing, and those beside it; None if all of it is there.

    A name that a list of tables does not have, or a number beyond its end, is an error.
    """
    node, steps, where = content, _steps(path, file), f"{file}: path {path!r}"
    while steps:
        key, rest = _next(node, steps, where)
        if isinstance(node, dict) and key not in node:
            return ".".join(_until_number(steps)) or str(key), [str(x) for x in node]
        node, steps = node[key], rest
        if steps and not isinstance(node, dict | list):
            raise FileFormatError(f"{where}: expected a table or a list at {key!r}, got {node!r}")
    return None


def _steps(path: str, file: Path) -> list[str | int]:
    """Words and numbers of a path."""
    parts = re.findall(r"\[(\d+)\]|([^.\[\]]+)", path)
    written = "".join(f"[{number}]" if number else f".{word}" for number, word in parts).removeprefix(".")
    if not parts or written != path:
        raise FileFormatError(f"{file}: change of {path!r}: expected a path such as body.arm.mass or body[2].mass")
    return [int(number) if number else word for number, word in parts]


def _put(node: Any, steps: list[str | int], value: Any, where: str) -> None:
    """Replace what is at the end of a path; tables on the way that are not there are made."""
    while True:
        key, steps = _next(node, steps, where)
        if not steps:
            node[key] = value
            return
        if isinstance(node, dict) and key not in node:
            node[key] = {}
        node = node[key]
        if not isinstance(node, dict | list):
            raise FileFormatError(f"{where}: expected a table or a list at {key!r}, got {node!r}")


def _next(node: Any, steps: list[str | int], where: str) -> tuple[Any, list[str | int]]:
    """The key or place in a table or list that the path goes on with, and the rest of the path."""
    first = steps[0]
    if isinstance(first, int):
        if not isinstance(node, list) or not 1 <= first <= len(node):
            found = f"{len(node)} entries" if isinstance(node, list) else "a table"
            raise FileFormatError(f"{where}: no entry [{first}], got {found}; entries are counted from one")
        return first - 1, steps[1:]
    # Names may have dots themselves, "arm.angle": the longest that is there is meant.
    known = {key: key for key in node} if isinstance(node, dict) else dict(_named(node))
    words = list(_until_number(steps))
    for count in range(len(words), 0, -1):
        name = ".".join(words[:count])
        if name in known:
            return known[name], steps[count:]
    if isinstance(node, dict):
        return first, steps[1:]
    raise FileFormatError(f"{where}: no {first!r} in the list{nearest(first, known)}")


def _until_number(steps: list[str | int]) -> Iterator[str]:
    for step in steps:
        if isinstance(step, int):
            return
        yield step


def _named(items: list[Any]) -> Iterator[tuple[str, int]]:
    """Tables of a list by name, the first of each name."""
    for i, item in reversed([*enumerate(items)]):
        for key in NAMES if isinstance(item, dict) else ():
            if isinstance(item.get(key), str):
                yield item[key], i
                break


def value_at(content: Any, path: str, file: Path) -> Any:
    """What stands at a path in what was read of a file; None if nothing does.

    Examples
    --------
    >>> value_at({"body": [{"name": "arm", "com": [0, 0, 0.5]}]}, "body.arm.com[3]", Path("arm.toml"))
    0.5
    """
    node, steps, where = content, _steps(path, file), f"{file}: path {path!r}"
    while steps:
        if not isinstance(node, dict | list):
            return None
        key, steps = _next(node, steps, where)
        if isinstance(node, dict) and key not in node:
            return None
        node = node[key]
    return node
