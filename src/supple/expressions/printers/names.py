"""Names of quantities and of their time derivatives as text and as formulas."""

from __future__ import annotations

import re

from supple.expressions.printers.latex import GREEK, escaped


def text_name(name: str, dots: int, kind: str) -> str:
    """theta'' of theta; tau[arm] of a force whose name another leaf has; [left-arm.mass] of what would read as more.

    Examples
    --------
    >>> [text_name("theta", 2, ""), text_name("arm.angle", 0, "tau"), text_name("left-arm.angle", 1, "")]
    ["theta''", 'tau[arm.angle]', "[left-arm.angle]'"]
    """
    return (f"{kind}[{name}]" if kind or not is_plain(name) else name) + "'" * dots


def is_plain(name: str) -> bool:
    """Whether a name reads as one thing in a formula."""
    return re.fullmatch(r"[A-Za-z_][\w.]*", name) is not None


def latex_name(name: str, dots: int, kind: str) -> str:
    r"""\ddot{\theta}_{1} of theta1: a Greek word or a letter, and what follows it as an index; longer words as text.

    Examples
    --------
    >>> [latex_name(name, 0, "") for name in ("theta", "m2", "I_1zz", "Lx", "m_cart", "mass")]
    ['\\theta', 'm_{2}', 'I_{1zz}', 'L_{x}', 'm_{\\text{cart}}', '\\text{mass}']
    """
    found = re.fullmatch(
        rf"({'|'.join(GREEK)}|[A-Za-z])(\d[A-Za-z0-9]*|(?<=[A-Z])[A-Za-z]{{1,2}}\d*|[A-Za-z]\d*)?", name
    )
    with_word = re.fullmatch(rf"({'|'.join(GREEK)}|[A-Za-z])_(\w+)", name)
    letter, index = rf"\text{{{escaped(name)}}}", ""
    if kind:
        letter, index = latex_name(kind, 0, ""), letter
    elif found:
        letter, index = found[1], found[2] or ""
    elif with_word:
        short = re.fullmatch(r"\d+[a-z]{0,2}", with_word[2])
        letter, index = with_word[1], with_word[2] if short else rf"\text{{{escaped(with_word[2])}}}"
    letter = f"\\{letter}" if letter in GREEK else letter
    dotted = rf"\{'d' * dots}ot{{{letter}}}" if dots else letter
    return dotted + (f"_{{{index}}}" if index else "")
