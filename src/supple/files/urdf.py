"""Robot descriptions in URDF. What is taken from them and how is in `docs/model_files.md`."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from xml.etree.ElementTree import Element

import numpy as np
import scipy

from supple.checks import Floats
from supple.description.joints import Fixed, Free, Joint, Planar, Prismatic, Revolute
from supple.description.limits import Limit
from supple.description.members import GROUND
from supple.errors import FileFormatError, ModelError, nearest
from supple.files.error_list import ErrorList
from supple.files.urdf_elements import JointElement, depth_first, elements
from supple.model.mechanism import Mechanism
from supple.rigid_body import RigidBody

KINDS = ("revolute", "continuous", "prismatic", "fixed", "floating", "planar")


def read(path: str | os.PathLike[str], joint_damping: bool = False, limits: bool = False) -> Mechanism:
    """The mechanism of a URDF file, its root link fixed to the ground, its bodies in Pinocchio's order.

    The ranges of its joints are in `limits` of the mechanism.

    Parameters
    ----------
    path : path-like
    joint_damping : bool
        Take the damping of `<dynamics>` as joint dampers.
    limits : bool
        Warn of ranges that are none.
    """
    errors = ErrorList(Path(path))
    mech = _mechanism(errors, joint_damping, limits)
    errors.raise_any()
    errors.warn()
    return mech


def check(path: str | os.PathLike[str]) -> list[str]:
    """All errors of a URDF file that one reading can find; empty if it is right. What is doubtful is a warning."""
    try:
        read(path).build(merge_fixed=True)
    except FileFormatError as error:
        return str(error).split("\n")
    except ModelError as error:
        return [f"{path}: {error}"]
    return []


def _mechanism(errors: ErrorList, joint_damping: bool, limits: bool) -> Mechanism:
    """The mechanism; of no use if an error was collected."""
    robot, links, hinges = elements(errors)
    names = body_names(links)
    mech = Mechanism(_plain(robot))
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
            position, rotation = _origin(hinge.element)
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
        lower, upper = (_number(element, key, "0") for key in ("lower", "upper"))
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
            ratio, offset = _number(mimic, "multiplier", "1"), _number(mimic, "offset", "0")
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
    xx, xy, xz, yy, yz, zz = (_number(moments, key) for key in ("ixx", "ixy", "ixz", "iyy", "iyz", "izz"))
    com, R = _origin(inertial)
    inertia = R @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ R.T
    body = RigidBody(_number(mass, "value"), com, inertia, allow_unphysical=True)
    return body if body.fault() else RigidBody(body.mass, com, inertia)


def _joint(element: Element, joint_damping: bool) -> Joint:
    kind = element.get("type", "")
    if kind not in KINDS:
        raise ModelError(f"type: expected one of {', '.join(KINDS)}, got {kind!r}{nearest(kind, KINDS)}")
    if kind == "fixed":
        return Fixed()
    axis, dynamics = element.find("axis"), element.find("dynamics")
    damping = _number(dynamics, "damping", "0") if dynamics is not None else 0.0
    damping = damping if joint_damping else 0.0
    if kind == "floating":
        return Free(damping=damping)
    along = _numbers(axis, "xyz", "1 0 0") if axis is not None else np.array([1.0, 0.0, 0.0])
    if kind == "planar":
        return Planar(along, damping=damping)
    return (Prismatic if kind == "prismatic" else Revolute)(along, damping=damping)


def _origin(element: Element) -> tuple[Floats, Floats]:
    """Position and rotation of an `<origin>` inside an element: turns about the fixed x, y, z, or a quaternion."""
    origin = element.find("origin")
    if origin is None:
        return np.zeros(3), np.eye(3)
    position = _numbers(origin, "xyz", "0 0 0")
    if "quat_xyzw" not in origin.attrib:
        return position, np.asarray(
            scipy.spatial.transform.Rotation.from_euler("xyz", _numbers(origin, "rpy", "0 0 0")).as_matrix()
        )
    quaternion = _numbers(origin, "quat_xyzw", count=4)
    if "rpy" in origin.attrib or not quaternion.any():
        raise ModelError(f"origin: expected either rpy or a quaternion, got {origin.attrib}")
    return position, np.asarray(scipy.spatial.transform.Rotation.from_quat(quaternion).as_matrix())


def _numbers(element: Element, key: str, default: str | None = None, count: int = 3) -> Floats:
    """The numbers of an attribute, finite and just so many."""
    value = element.get(key, default)
    what = f"{element.tag}: {key}"
    wanted = f"{count} numbers" if count > 1 else "a number"
    if value is None:
        raise ModelError(f"{what}: missing; expected {wanted}")
    try:
        # Python would also read 1_000.
        numbers = np.array([float(word.replace("_", "?")) for word in value.split()])
    except ValueError:
        raise ModelError(f"{what}: expected {wanted}, got {value!r}") from None
    if len(numbers) != count or not np.isfinite(numbers).all():
        raise ModelError(f"{what}: expected {wanted}, finite, got {value!r}")
    return numbers


def _number(element: Element, key: str, default: str | None = None) -> float:
    return float(_numbers(element, key, default, count=1)[0])
