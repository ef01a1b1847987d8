"""Steps that are put off: what is done to one body, until something else happens, is done at once as a segment."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from supple.engines.blocks.cells import Cells
from supple.engines.blocks.places import Place
from supple.engines.blocks.signatures import Key, Signature
from supple.expressions.graph import Expr

BY_VALUE = (bool, float, str, type(None))


class Call(NamedTuple):
    """A step that returns nothing and what it is called with; the body or force element is the argument at a place."""

    step: Callable[..., Any]
    place: int
    args: tuple[Any, ...]
    key: Key

    def integers(self) -> list[int]:
        """All arguments that are integers, but for the element."""
        return [x for i, x in enumerate(self.args) if type(x) is int and i != self.place]

    def run(self, element: Place, integers: list[Place]) -> None:
        """Do it with places for integers."""
        args: list[Any] = list(self.args)
        args[self.place] = element
        for i, x in enumerate(self.args):
            if type(x) is int and i != self.place:
                args[i] = integers.pop(0)
        self.step(*args)


class Calls:
    """Calls for one element, in order."""

    def __init__(self) -> None:
        self.element: tuple[str, int] = ("", -1)
        self.waiting: list[Call] = []
        self._keys: dict[int, tuple[Any, Key | None]] = {}
        self._tokens: dict[Key, int] = {}
        self._signatures: dict[Key, Signature] = {}

    def add(self, step: Callable[..., Any], element: tuple[str, int], place: int, args: tuple[Any, ...]) -> bool:
        """Whether a step can be put off: only one that is given no values."""
        parts = [self._key(x) for x in args]
        if None in parts:
            return False
        self.element = element
        self.waiting.append(Call(step, place, args, tuple(parts)))
        return True

    def take(self) -> tuple[Signature, list[int], list[Call]]:
        """What all calls are given but for integers, the integers, and the calls."""
        calls, self.waiting = self.waiting, []
        key = (self.element[0], *[(x.step, x.place, x.key) for x in calls])
        found = self._signatures.get(key)
        if found is None:
            found = Signature(((self.element[0], x.step, x.place), x.args) for x in calls)
            self._signatures[key] = found
        return found, [self.element[1], *[i for x in calls for i in x.integers()]], calls

    def _key(self, x: Any) -> Key | None:
        """Equal for arguments that mean the same; None for one that is or holds a value."""
        kind = type(x)
        if kind is int:
            return (int,)
        if kind in BY_VALUE:
            return (kind, x)
        if isinstance(x, Expr | Place):
            return None
        if kind is Cells:  # views of one part of an array come and go
            return x.key  # type: ignore[no-any-return]
        found = self._keys.get(id(x))
        if found is None:
            found = self._keys[id(x)] = (x, self._parts(x) if isinstance(x, tuple) else (object, id(x)))
        return found[1]

    def _parts(self, x: tuple[Any, ...]) -> Key | None:
        """A token for tuples of the same parts: these have hundreds, and are looked up with every call."""
        parts = [(int, part) if type(part) is int else self._key(part) for part in x]
        return None if None in parts else (tuple, self._tokens.setdefault((type(x), *parts), len(self._tokens)))
