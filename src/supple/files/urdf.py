"""Robot descriptions in URDF. What is taken from them and how is in `docs/model_files.md`."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from xml.etree.ElementTree import Element

import numpy as np

from supple.description.joints import Fixed, Free, Joint, Planar, Prismatic, Revolute
from supple.description.limits import Limit
from supple.description.members import GROUND
from supple.errors import FileFormatError, ModelError, nearest
from supple.files.error_list import ErrorList, lines_of
from supple.files.urdf_elements import JointElement, Robot, depth_first, elements
from supple.files.urdf_numbers import number, numbers, origin
from supple.files.urdf_visuals import link_shapes, materials
from supple.model.mechanism import Mechanism
from supple.rigid_body import RigidBody

KINDS = ("revolute", "continuous", "prismatic", "fixed", "floating", "planar")


def read(
    path: str | os.PathLike[str], joint_damping: bool = False, limits: bool = False, collision: bool = False
) -> Mechanism:
    """The mechanism of a URDF file, its root link fixed to the ground, its bodies in Pinocchio's order.

    The ranges of its joints are in `limits` of the mechanism.

    Parameters
    ----------
    path : path-like
    joint_damping : bool
        Take the damping of `<dynamics>` as joint dampers.
    limits : bool
        Warn of ranges that are none.
    collision : bool
        Draw links as their collision geometry instead of the visual one.
    """
    errors = ErrorList(Path(path))
    robot = elements(errors)
    mech = _mechanism(robot, errors, joint_damping, limits)
    _draw(mech, robot, errors, "collision" if collision else "visual")
    errors.raise_any()
    errors.warn()
    return mech


def check(path: str | os.PathLike[str]) -> list[str]:
    """All errors of a URDF file that one reading can find; empty if it is right. What is doubtful is a warning."""
    try:
        read(path).build(merge_fixed=True)
    except FileFormatError as error:
        return lines_of(error)
    except ModelError as error:
        return [f"{path}: {error}"]
    return []


def _draw(mech: Mechanism, robot: Robot, errors: ErrorList, tag: str) -> None:
    """Add the geometry of all links; where one has some, links without any are not drawn."""
    names, colors = body_names(robot.links), materials(robot.element)
    if not any(element.find(tag) is not None for _, element in robot.links.values()):
        return
    for link, (_, element) in robot.links.items():
        found = list(link_shapes(element, tag, colors, errors.path))
        mech.add_visual(names[link], *(x for x in found if not isinstance(x, str)))
        errors.warnings += [f"link {link!r}: {x}" for x in found if isinstance(x, str)]


def _mechanism(robot: Robot, errors: ErrorList, joint_damping: bool, limits: bool) -> Mechanism:
    """The mechanism; of no use if an error was collected."""
    links, hinges = robot.links, robot.joints
    names = body_names(links)
    mech = Mechanism(_plain(robot.name))
    for link, hinge in depth_first(links, hinges, errors):
        place, element = links[link]
        body = RigidBody(0.0)
        with errors.collected(place):
            body = _body(element)
        if hinge is None:
            mech.add_body(names[link], body, GROUND, Fixed())
            continue
        joint: Joint = Fixed()
        position, rotation = np.zeros(3), np.eye(3)
        with errors.collected(hinge.place):
            position, rotation = origin(hinge.element)
        with errors.collected(hinge.place):
            joint = _joint(hinge.element, joint_damping)
        mech.add_body(names[link], body, names[hinge.parent], joint, position, rotation)
    bodies = {name: placed.body for name, placed in mech.bodies.items() if isinstance(placed.body, RigidBody)}
    errors.warnings += [f"{name!r}: {body.fault()}" for name, body in bodies.items() if body.allow_unphysical]
    _couple(mech, hinges, names, errors)
    for hinge in hinges:
        found, reason = _range(hinge.element, names[hinge.child])
        mech.limits += [found] if found is not None else []
        errors.warnings += [f"joint {hinge.name!r}: limit left out: {reason}"] if limits and reason else []
    return mech


def _range(joint: Element, body: str) -> tuple[Limit | None, str]:
    """The stops of a joint, or why what the file says about them is none."""
    name = {"revolute": "angle", "prismatic": "position"}.get(joint.get("type", ""))
    element = joint.find("limit")
    if name is None or element is None or not element.attrib.keys() & {"lower", "upper"}:
        return None, ""
    try:
        lower, upper = (number(element, key, "0") for key in ("lower", "upper"))
    except ModelError as error:
        return None, str(error)
    if not lower < upper:
        return None, f"expected lower < upper, got {lower:g} and {upper:g}"
    return Limit(f"{body}.{name}", lower, upper), ""


def _couple(mech: Mechanism, hinges: list[JointElement], names: dict[str, str], errors: ErrorList) -> None:
    """Record which joints mimic which; one that mimics a missing joint is left out with a warning: robots have such."""
    children = {hinge.name: names[hinge.child] for hinge in hinges}
    for hinge in hinges:
        mimic = hinge.element.find("mimic")
        if mimic is None:
            continue
        leader = mimic.get("joint", "")
        if leader not in children:
            errors.warnings.append(
                f"joint {hinge.name!r}: mimic left out: no joint {leader!r}{nearest(leader, children)}"
            )
            continue
        with errors.collected(hinge.place):
            ratio, offset = number(mimic, "multiplier", "1"), number(mimic, "offset", "0")
            mech.add_coupling(children[hinge.name], children[leader], ratio, offset)


def body_names(links: Iterable[str]) -> dict[str, str]:
    """The bodies' names by those of the links: '/' and '.' become '_', with a number where the name is taken.

    Examples
    --------
    >>> body_names(["hand", "tip_0", "tip.0", "ground"])
    {'hand': 'hand', 'tip_0': 'tip_0', 'tip.0': 'tip_0_2', 'ground': 'ground_2'}
    """
    names = {link: link for link in links if _plain(link) == link and link != GROUND}
    taken = {GROUND, *names}
    for link in links:
        name, number = _plain(link), 2
        while link not in names and name in taken:
            name, number = f"{_plain(link)}_{number}", number + 1
        taken.add(names.setdefault(link, name))
    return names


def _plain(name: str) -> str:
    return name.replace("/", "_").replace(".", "_")


def _body(link: Element) -> RigidBody:
    """A link's inertia; a body without mass where there is none. What no real body can have is let through."""
    inertial = link.find("inertial")
    if inertial is None:
        return RigidBody(0.0)
    mass, moments = inertial.find("mass"), inertial.find("inertia")
    if mass is None or moments is None:
        raise ModelError(f"inertial: expected <mass> and <inertia>, got no <{'mass' if mass is None else 'inertia'}>")
    xx, xy, xz, yy, yz, zz = (number(moments, key) for key in ("ixx", "ixy", "ixz", "iyy", "iyz", "izz"))
    com, R = origin(inertial)
    inertia = R @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ R.T
    body = RigidBody(number(mass, "value"), com, inertia, allow_unphysical=True)
    return body if body.fault() else RigidBody(body.mass, com, inertia)


def _joint(element: Element, joint_damping: bool) -> Joint:
    kind = element.get("type", "")
    if kind not in KINDS:
        raise ModelError(f"type: expected one of {', '.join(KINDS)}, got {kind!r}{nearest(kind, KINDS)}")
    if kind == "fixed":
        return Fixed()
    axis, dynamics = element.find("axis"), element.find("dynamics")
    damping = number(dynamics, "damping", "0") if dynamics is not None else 0.0
    damping = damping if joint_damping else 0.0
    if kind == "floating":
        return Free(damping=damping)
    along = numbers(axis, "xyz", "1 0 0") if axis is not None else np.array([1.0, 0.0, 0.0])
    if kind == "planar":
        return Planar(along, damping=damping)
    return (Prismatic if kind == "prismatic" else Revolute)(along, damping=damping)
