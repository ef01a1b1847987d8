"""Printed text that is compared with what a page shows: words as words, numbers as numbers.

The last digit that is shown may be off by one, and a number that is zero may have any sign: both depend on the
processor. Whole numbers, and digits in names, are as shown. Three dots stand for anything, and the number of spaces
does not matter.
"""

from __future__ import annotations

import re

REAL = r"(?:\d+(?:,\d{3})*(?:\.\d*)?|\.\d+)(?:e[-+]?\d+)?|nan|inf"
NUMBER = rf"(?<![\w.])[-+]?(?:{REAL})j?(?!\w|\.\w)"
COMPLEX = rf"\([-+]?(?:{REAL})[-+](?:{REAL})j\)"
FOUND = re.compile(rf"{COMPLEX}|{NUMBER}")
SAME = 1e-9
"""Relative difference that numbers of many digits may have."""


def same(shown: str, printed: str) -> bool:
    """Whether printed text is what is shown. Spaces and numbers are matched whole: a search among parts has no end."""
    pattern, numbers, end = "", [], 0
    for number in FOUND.finditer(shown):
        pattern += rf"{_words(shown[end : number.start()])}\s*+((?>{FOUND.pattern}))"
        numbers.append(number[0])
        end = number.end()
    match = re.fullmatch(rf"\s*+{pattern}{_words(shown[end:])}\s*", printed.strip(), re.DOTALL)
    return match is not None and all(_close(a, b) for a, b in zip(numbers, match.groups(), strict=True))


def _words(text: str) -> str:
    """A pattern for text without numbers; spaces beside a number may be missing, where a sign took their place."""
    parts = (r"\s++".join(re.escape(word) for word in re.split(r"\s+", part)) for part in text.split("..."))
    pattern = ".*?".join(parts)
    return re.sub(r"^\\s\+\+|\\s\+\+$", r"\\s*+", pattern)


def _close(shown: str, printed: str) -> bool:
    """Whether a printed number is the one shown, to one unit of its last digit; whole numbers to the last."""
    a, b = (complex(text.strip("()").replace(",", "")) for text in (shown, printed))
    if not re.search(r"[.ej]|nan|inf", shown):
        return a == b
    if a != a or abs(a) == float("inf"):
        return repr(a) == repr(b)
    allowed = max(_last_digit(shown), SAME * abs(a))
    return abs(a.real - b.real) <= allowed and abs(a.imag - b.imag) <= allowed


def _last_digit(number: str) -> float:
    """What one unit of the last digit is worth, with a little room for rounding; of parts of a number the larger."""
    units = []
    for fraction, power in re.findall(r"\d(?:\.(\d*))?(?:e([-+]?\d+))?(?![\d.])", number):
        units.append(1.001 * 10.0 ** (int(power or 0) - len(fraction)))
    return max(units)
