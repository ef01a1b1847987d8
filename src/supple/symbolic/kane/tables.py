"""Sayers' Tables 1 to 10 for any system: bodies, categories, speeds, partial velocities, acceleration remainders."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from supple.symbolic.kane.composite_bodies import Composite, composite_bodies
from supple.symbolic.kane.kane_body import KaneBody
from supple.symbolic.kane.partial_velocities import BodyMotion, Partials, motions, rotation_basis
from supple.symbolic.kane.table_text import Cell
from supple.symbolic.vector_bases import Turned, VectorBasis
from supple.symbolic.vectors import axis

if TYPE_CHECKING:
    from supple.symbolic.kane.kane_system import KaneSystem

TRANSLATION = {
    "nonrecursive": "its own speeds give the velocity of its origin",
    "fixed": "the mass centre is fixed in the parent",
    "recursive": "the mass centre moves with the parent and in it",
}
"""Criteria of Table 5."""
ROTATION = {
    "nonrecursive": "its own speeds give the angular velocity",
    "rotor": "the inertia is constant in the parent's axes",
    "recursive": "the angular velocity is the parent's and the joint's",
}
"""Criteria of Table 6."""
Rows = list[tuple[str, Cell]]


@dataclass(frozen=True)
class Table:
    """A table with a block of rows for each body.

    Attributes
    ----------
    title : str
    blocks : dict of str to list of (str, Cell)
        Rows by body: a property and what it is.
    """

    title: str
    blocks: dict[str, Rows]

    @property
    def cells(self) -> Iterator[Cell]:
        """All that is to be written."""
        return (cell for rows in self.blocks.values() for _, cell in rows)


def tables(system: KaneSystem) -> list[Table]:
    """Tables 1 to 10 of a system; 7 and 9, which hold formulas, are the columns named in 8 and 10."""
    analysis = _Analysis(system)
    bodies = {body.name: body for body in system.bodies.values()}
    made = {
        "Table 1. Joints": analysis.joint,
        "Table 2. Bodies and joints": analysis.properties,
        "Table 3. Unit vectors in the nominal configuration": analysis.nominal,
        "Table 4. Direction of the second of three rotations": analysis.second_rotation,
        "Table 5. Translation categories": analysis.translation,
        "Table 6. Rotation categories": analysis.rotation,
        "Tables 7 and 8. Rotational velocity and acceleration": analysis.rotational,
        "Tables 9 and 10. Translational velocity and acceleration": analysis.translational,
    }
    found = [Table(title, {name: rows(body) for name, body in bodies.items()}) for title, rows in made.items()]
    return [Table(x.title, {name: rows for name, rows in x.blocks.items() if rows}) for x in found]


class _Analysis:
    """Composite bodies and motions of a system, and the rows that they give."""

    def __init__(self, system: KaneSystem) -> None:
        self.system = system
        bodies = list(system.bodies.values())
        self.composites: dict[KaneBody, Composite] = composite_bodies(bodies)
        self.motions: dict[KaneBody, BodyMotion] = motions(bodies, self.composites, system.gravity)

    # ------------------------------------------------------------ description

    def joint(self, body: KaneBody) -> Rows:
        """Table 1."""
        joint, turned = body.joint, rotation_bases(body)
        rows: Rows = [
            ("joint point, from the parent's origin", joint.point),
            ("directions of translations", joint.translation.directions),
        ]
        if not turned:
            return [*rows, ("rotations", "a quaternion" if joint.rotation.coordinates else "none")]
        first = turned[0]
        start = first.parent or first
        rows += [
            ("axis indices of rotations", [str(x.axis + 1) for x in turned]),
            ("first rotation axis d_rot", joint.rotation.directions[0]),
            ("reference direction d_ref", axis(start, (first.axis + 1) % 3)),
            ("axes of rotations", joint.rotation.directions),
        ]
        return (
            rows if joint.pitch is joint.pitch.graph.zero else [*rows, ("advance of the screw, a radian", joint.pitch)]
        )

    def properties(self, body: KaneBody) -> Rows:
        """Table 2."""
        own, joint = self.composites[body], body.joint
        inward = body.basis if own.rotation != "rotor" or body.parent is None else body.parent.basis
        return [
            ("parent", _name(body.parent)),
            ("level", str(_level(body))),
            ("children", [x.name for x in self.system.bodies.values() if x.parent is body]),
            ("translation category", own.translation),
            ("composite mass", own.mass),
            ("unit vectors", [str(unit) for unit, _ in body.frame.axes]),
            ("rotation category", own.rotation),
            ("inertia left with it", own.inertia.along(inward)),
            ("translational coordinates", joint.translation.coordinates),
            ("translational speeds", [x.speed for x in body.moves]),
            ("translational directions", joint.translation.directions),
            ("directions of trans. speeds", [x.direction for x in body.moves]),
            ("rotational coordinates", joint.rotation.coordinates),
            ("rotational speeds", [x.speed for x in body.turns]),
            ("rotational directions", joint.rotation.directions),
            ("directions of rot. speeds", [x.direction for x in body.turns]),
            ("mass centre of comp. body", own.com),
        ]

    def nominal(self, body: KaneBody) -> Rows:
        """Table 3: where the axes of a body point while its coordinates are zero, if not where the parent's do."""
        turned = rotation_bases(body)
        start = body.frame if not turned else turned[0].parent
        if body.parent is None or start is None or start is body.parent.frame or body.joint.rotation.coordinates[3:]:
            return []
        return [(str(axis(body.frame, i)), axis(start, i).along(body.parent.frame)) for i in range(3)]

    def second_rotation(self, body: KaneBody) -> Rows:
        """Table 4."""
        directions = body.joint.rotation.directions
        return [("d_r2", directions[1].along(body.basis))] if len(directions) == 3 else []

    def translation(self, body: KaneBody) -> Rows:
        """Table 5."""
        category = self.composites[body].translation
        return [(category, TRANSLATION[category])]

    def rotation(self, body: KaneBody) -> Rows:
        """Table 6."""
        category = self.composites[body].rotation
        return [(category, ROTATION[category])]

    # ------------------------------------------------------------ motion

    def rotational(self, body: KaneBody) -> Rows:
        """Table 8."""
        own = self.motions[body].angular
        column = f"{len(body.joint.rotation.dofs)} d.o.f." if body.turns else "0 d.o.f."
        if self.composites[body].rotation == "nonrecursive":
            return [("column of Table 7", column), ("w", own.w), ("w_i", own.w_i), ("alpha_rem", own.alpha)]
        if self.composites[body].rotation == "rotor" and body.turns:
            column = "rotor"
        basis = rotation_basis(body, self.composites[body])
        before = self.motions.get(body.parent) if body.parent else None
        zero = self.system.zero
        carried = before.angular.w.along(basis) if before else zero
        alpha = before.angular.alpha.along(basis) if before else zero
        joint = {dof.number: dof.direction for dof in body.turns}
        return [
            ("column of Table 7", column),
            ("w of the parent", carried),
            ("w in the parent", sum((dof.motion for dof in body.turns), start=zero)),
            ("w", own.w),
            ("w_i of the parent", {i: x for i, x in own.w_i.items() if i not in joint}),
            ("w_i in the parent", joint),
            ("w_i", own.w_i),
            ("alpha_rem", own.alpha),
            ("alpha_rem less the parent's", (own.alpha - alpha).along(basis)),
        ]

    def translational(self, body: KaneBody) -> Rows:
        """Table 10."""
        motion, category = self.motions[body], self.composites[body].translation
        before = self.motions.get(body.parent) if body.parent else None
        rows: Rows = [("column of Table 9", "nonrecursive" if category == "nonrecursive" else "recursive")]
        if category != "nonrecursive":
            place = before.point.place if before else self.system.zero
            rows.append(("r from the parent's point to the origin", body.origin_from_parent - place))
        return [
            *rows,
            ("point that is followed", "the origin" if category == "fixed" else "the composite mass centre"),
            ("v_i", motion.point.v_i),
            ("native bodies of v_i", self._natives(body)),
            ("a_rem", motion.point.a),
            ("R", motion.R),
        ]

    def _natives(self, body: KaneBody) -> str:
        """The body furthest inward in which each partial velocity is the same vector."""
        partials: Partials = self.motions[body].point.v_i
        return "; ".join(f"[{i + 1}] {self._native(body, i)}" for i in sorted(partials)) or "none"

    def _native(self, body: KaneBody, i: int) -> str:
        while i not in self.motions[body].point.own and body.parent in self.motions:
            body = body.parent
        return body.name


def rotation_bases(body: KaneBody) -> list[Turned]:
    """Bases of the single rotations of a joint."""
    inner = body.parent.frame if body.parent else None
    path: list[VectorBasis] = []
    basis: VectorBasis | None = body.frame
    while basis is not None and basis is not inner:
        path.append(basis)
        basis = basis.parent
    return [x for x in reversed(path) if isinstance(x, Turned)]


def _level(body: KaneBody) -> int:
    return 0 if body.parent is None else 1 + _level(body.parent)


def _name(body: KaneBody | None) -> str:
    return "none" if body is None else body.name
