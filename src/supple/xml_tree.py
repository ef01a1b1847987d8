"""XML from files that nobody vouches for."""

from __future__ import annotations

from pathlib import Path
from typing import NoReturn
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

from supple.errors import FileFormatError

MOST_ELEMENTS = 5_000_000
"""Limit for a file: about half a minute of reading."""


def xml_tree(content: bytes, path: Path, most: int = MOST_ELEMENTS) -> tuple[Element, dict[Element, int]]:
    """The root element of the content of a file, and the line of each element.

    A document type is refused before anything in it is looked at, so no entity is ever expanded and no other file or
    address opened. Namespaces are not resolved: files in use carry prefixes that nobody declared. More than `most`
    elements are an error.
    """
    builder, lines = TreeBuilder(), dict[Element, int]()
    parser = expat.ParserCreate()

    def start(tag: str, attributes: dict[str, str]) -> None:
        if len(lines) >= most:
            raise FileFormatError(f"{path}: expected at most {most:,} elements, got more")
        lines[builder.start(tag, attributes)] = parser.CurrentLineNumber

    def refuse(*_: object) -> NoReturn:
        line = parser.CurrentLineNumber
        raise FileFormatError(f"{path}: line {line}: expected no document type (<!DOCTYPE ...>, entities), got one")

    parser.StartElementHandler = start
    parser.EndElementHandler = builder.end
    parser.CharacterDataHandler = builder.data
    parser.StartDoctypeDeclHandler = refuse
    try:
        parser.Parse(content, True)
    except expat.ExpatError as error:
        reason = expat.errors.messages[error.code]
        raise FileFormatError(
            f"{path}: not valid XML: {reason} at line {error.lineno}, column {error.offset + 1}"
        ) from None
    except FileFormatError:
        raise
    except (LookupError, ValueError) as error:
        raise FileFormatError(f"{path}: not valid XML: {error}") from None
    return builder.close(), lines
