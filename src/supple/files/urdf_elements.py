"""The elements of a URDF file: the robot's links and joints, in the order of its tree."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple
from xml.etree.ElementTree import Element

from supple.errors import FileFormatError, nearest
from supple.files.error_list import MOST_BODIES, ErrorList
from supple.input_files import read_bytes
from supple.xml_tree import xml_tree

MOST_ELEMENTS = 40 * MOST_BODIES
"""Limit for a file: a link and a joint have a dozen, and some for each shape."""


@dataclass(frozen=True)
class JointElement:
    """A joint element: its name, the links it joins, and where it stands in the file."""

    name: str
    parent: str
    child: str
    element: Element
    place: str


class Robot(NamedTuple):
    """The elements of a file: the robot's name, its links by name with their places in the file, and its joints."""

    element: Element
    name: str
    links: dict[str, tuple[str, Element]]
    joints: list[JointElement]


def elements(errors: ErrorList) -> Robot:
    """Name, links and joints of the robot in a file."""
    root, lines = xml_tree(read_bytes(errors.path), errors.path, MOST_ELEMENTS)
    if root.tag != "robot":
        raise FileFormatError(f"{errors.path}: line {lines[root]}: expected <robot>, got <{root.tag}>")
    robot = root.get("name", "")
    if not robot:
        errors.add(f"line {lines[root]}: robot", "name: missing")
    links: dict[str, tuple[str, Element]] = {}
    for element in root.findall("link"):
        name = element.get("name", "")
        place = f"line {lines[element]}: link {name!r}"
        if not name or name in links:
            errors.add(place, "name: there is a link of this name already" if name else "name: missing")
        links.setdefault(name, (place, element))
    hinges: dict[str, JointElement] = {}
    for element in root.findall("joint"):
        name = element.get("name", "")
        place = f"line {lines[element]}: joint {name!r}"
        if not name or name in hinges:
            errors.add(place, "name: there is a joint of this name already" if name else "name: missing")
        ends = []
        for end in ("parent", "child"):
            link = next((e.get("link") for e in element.findall(end)), None)
            if link is None:
                errors.add(place, f'{end}: missing; expected <{end} link="..."/>')
            elif link not in links:
                errors.add(place, f"{end}: no link {link!r}{nearest(link, links)}")
            else:
                ends.append(link)
        if len(ends) == 2:
            hinges.setdefault(name, JointElement(name, ends[0], ends[1], element, place))
    if len(links) > MOST_BODIES:
        errors.add("", f"expected at most {MOST_BODIES:,} links, got {len(links):,}; build larger models in Python")
    if not links:
        errors.add("", "expected at least one <link>, got none")
    errors.raise_any()
    return Robot(root, robot, links, list(hinges.values()))


def depth_first(
    links: Iterable[str], hinges: list[JointElement], errors: ErrorList
) -> list[tuple[str, JointElement | None]]:
    """The links with the joints that carry them: root first, each branch to its end, joints in order of their names.

    This is the order of Pinocchio's joints; names are compared by character codes.
    """
    inboard: dict[str, JointElement] = {}
    outboard: dict[str, list[JointElement]] = {}
    for hinge in sorted(hinges, key=lambda h: h.name, reverse=True):
        if hinge.child in inboard:
            other = inboard[hinge.child].name
            errors.add(hinge.place, f"child: link {hinge.child!r} is the child of joint {other!r} already")
        inboard.setdefault(hinge.child, hinge)
        outboard.setdefault(hinge.parent, []).append(hinge)
    errors.raise_any()
    roots = [link for link in links if link not in inboard]
    if len(roots) > 1:
        errors.add("", f"expected one root link, got {len(roots)}: {', '.join(map(repr, roots))}")
    order: list[tuple[str, JointElement | None]] = []
    waiting: list[tuple[str, JointElement | None]] = [(root, None) for root in roots]
    while waiting:
        order.append(waiting.pop())
        waiting += [(hinge.child, hinge) for hinge in outboard.get(order[-1][0], [])]
    lost = inboard.keys() - {link for link, _ in order}
    if lost:
        loop = [min(lost)]
        while loop.count(inboard[loop[-1]].parent) == 0:
            loop.append(inboard[loop[-1]].parent)
        start = loop.index(inboard[loop[-1]].parent)
        names = " <- ".join(repr(link) for link in [*loop[start:], loop[start]])
        errors.add("", f"expected a tree of links, got the loop {names}" + ("" if roots else "; there is no root link"))
    errors.raise_any()
    return order
