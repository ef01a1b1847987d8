"""What is imported when it is first asked for: names of a package, and modules that take long to import."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any


def lazy_names(
    package: str, homes: Mapping[str, Sequence[str]], modules: Sequence[str] = ()
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return `__getattr__` and `__dir__` of a package whose names are imported at their first use.

    Parameters
    ----------
    package : str
        Its full name.
    homes : mapping of str to sequence of str
        Full names of modules, and the names of the package that are defined there.
    modules : sequence of str
        Modules of the package that are its attributes.
    """
    home_of = {name: home for home, names in homes.items() for name in names}

    def find(name: str) -> Any:
        if name in home_of:
            found = getattr(import_module(home_of[name]), name)
        elif name in modules:
            found = import_module(f"{package}.{name}")
        else:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        setattr(import_module(package), name, found)
        return found

    def names() -> list[str]:
        return sorted({*vars(sys.modules[package]), *home_of, *modules})

    return find, names


class LazyModule:
    """A module that is imported when one of its names is first asked for.

    Parameters
    ----------
    name : str
        Its full name.
    """

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        return getattr(import_module(self._name), name)
