"""What can stand in the input file of a simulation program: names and defaults, and how they are written in C."""

from __future__ import annotations

import csv
import io
import math
import string
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from supple.errors import StateError
from supple.model.arguments import named_vector
from supple.symbolic.program_parts import ProgramRun

Start = ArrayLike | Mapping[str, float]
"""Numbers in order, or some of them by their names."""
PARAMETER, VARIABLE, STOP = "parameter", "variable", "stop"
SETTINGS = ("duration", "samples", "rtol", "atol")
MOST_SAMPLES = 1e9
SHORTEST_LINE = 1024
PLAIN = f"{string.ascii_letters}{string.digits} ._:,-"


@dataclass(frozen=True)
class Entry:
    """One number of an input file; `name` is None for a setting."""

    kind: str
    name: str | None
    value: float

    @property
    def title(self) -> str:
        """The line of an input file without the number."""
        return " ".join(quoted(word) for word in (self.kind, self.name) if word is not None)


def settings(run: ProgramRun, relative: bool) -> list[Entry]:
    """How long and how exactly a program runs; `relative`: errors may be relative to the motion, without an atol."""
    duration, samples, rtol, atol = run
    if not 0.0 <= duration < math.inf:
        raise StateError(f"duration: expected 0 or more, got {duration}")
    if not 2 <= samples <= MOST_SAMPLES or samples != int(samples):
        raise StateError(f"samples: expected a whole number from 2 on, got {samples}")
    if not 0.0 < rtol < 1.0:
        raise StateError(f"rtol: expected more than 0 and less than 1, got {rtol}")
    if not 0.0 <= atol < math.inf or (atol == 0.0 and not relative):
        raise StateError(f"atol: expected {'0 or more' if relative else 'more than 0'}, got {atol}")
    return [Entry(name, None, float(value)) for name, value in zip(SETTINGS, run, strict=True)]


def named_entries(kind: str, names: Sequence[str], values: Any, shape: tuple[int, ...] = ()) -> list[Entry]:
    """Numbers of one kind; zero if none are given."""
    if values is None:
        values = np.zeros(len(names))
    elif not isinstance(values, Mapping) and np.shape(values) == shape:
        values = np.ravel(values)
    numbers = named_vector(tuple(names), values, kind)
    return [Entry(kind, name, float(x)) for name, x in zip(names, numbers, strict=True)]


def entries_text(entries: Sequence[Entry]) -> str:
    """All entries as an array of C."""
    lines = [f"enum {{ ENTRIES = {len(entries)} }};", ""]
    lines += ["/* Everything that can stand in an input file: the line without the number, its words, the default. */"]
    lines += ["struct entry {", "    const char *title, *kind, *name;", "    double value;", "};", ""]
    lines.append("static const struct entry entries[ENTRIES] = {")
    for entry in entries:
        name = "NULL" if entry.name is None else literal(entry.name)
        lines.append(f"    {{{literal(entry.title)}, {literal(entry.kind)}, {name}, {entry.value!r}}},")
    return "\n".join([*lines, "};", ""])


def reading_text(entries: Sequence[Entry]) -> str:
    """What it takes to read input files: the longest line, and the words that lines begin with."""
    longest = max(len(entry.title.encode()) for entry in entries)
    kinds = ", ".join(dict.fromkeys(quoted(entry.kind) for entry in entries))
    longest_line = f"enum {{ LINE = {max(SHORTEST_LINE, longest + 256)} }};"
    return "\n".join([longest_line, f"static const char kinds[] = {literal(kinds)};", ""])


def quoted(word: str) -> str:
    """A word of an input file, in quotation marks where it needs them."""
    plain = word and not any(c.isspace() or c in '#"' for c in word)
    return word if plain else '"' + word.replace('"', '""') + '"'


def csv_field(text: str) -> str:
    """A field of a line of comma separated values."""
    out = io.StringIO()
    csv.writer(out, lineterminator="").writerow([text])
    return out.getvalue()


def literal(text: str) -> str:
    """A string of C; everything but plain characters by their bytes, so that no ?? or quotation mark is read as C."""
    return '"' + "".join(chr(b) if chr(b) in PLAIN else f"\\{b:03o}" for b in text.encode()) + '"'
