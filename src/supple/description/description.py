"""Describing a mechanism, body by body, and freezing it into a model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Self, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from supple.call_checks import checked
from supple.checks import Floats, array, is_index, number, rotation_matrix, text
from supple.description.constraints import Closure, Constraint, Gear
from supple.description.joints import Fixed, Joint, Revolute
from supple.description.limits import Limit
from supple.description.members import GROUND, AppliedWrench, Coupling, Frame, Placed, PlacedBeam, SpringDamper
from supple.errors import ModelError, nearest
from supple.rigid_body import RigidBody
from supple.shapes.primitives import Structure
from supple.shapes.shape import Shape
from supple.structures.body.flexible_body import FlexibleBody
from supple.structures.body.substructured_beam import BeamPieces

if TYPE_CHECKING:
    from scipy.spatial.transform import Rotation

FIDELITIES = ("full", "estimated-inertia", "ruthless")


@contextmanager
def named_part(what: str) -> Iterator[None]:
    """Put the name of the part in front of whatever is wrong with it."""
    try:
        yield
    except ModelError as error:
        raise type(error)(f"{what}: {error}") from None


D = TypeVar("D", bound="Description")


@checked
class Description:
    """What a mechanism is made of, as far as it has been told.

    Parameters
    ----------
    name : str
    gravity : (3,) array_like
        m/s^2, in the ground frame.
    """

    def __init__(self, name: str, gravity: ArrayLike = (0.0, 0.0, -9.81)) -> None:
        self.name = _valid_name(name, "mechanism")
        self.gravity = array(gravity, (3,), "gravity")
        self.gravity.flags.writeable = False
        self.bodies: dict[str, Placed] = {}
        self.beams: dict[str, PlacedBeam] = {}
        """Beams whose pieces are among the bodies."""
        self.frames: dict[str, Frame] = {}
        self.springs: dict[str, SpringDamper] = {}
        self.wrenches: dict[str, AppliedWrench] = {}
        self.couplings: list[Coupling] = []
        self.constraints: dict[str, Constraint] = {}
        self.limits: list[Limit] = []
        """Stops that `supple.simulate` acts on besides those that it is given."""
        self.visuals: dict[str, tuple[Shape, ...]] = {}
        """What bodies are drawn as, by the name of a body or frame."""

    def add_body(
        self,
        name: str,
        body: RigidBody | FlexibleBody | BeamPieces,
        parent: str = GROUND,
        joint: Joint | None = None,
        at: str | ArrayLike | None = None,
        rotation: ArrayLike | Rotation | None = None,
        fidelity: str = "full",
        stiffening: bool = True,
    ) -> None:
        """Add a body and the joint that carries it.

        Parameters
        ----------
        name : str
            New, without '/' or '.'.
        body : RigidBody, FlexibleBody or BeamPieces
            In its own frame, whose origin is at the joint; for a flexible body that is its root. A beam in pieces
            becomes as many bodies, "boom", "boom.2", "boom.3", ..., each fixed to the one before it; frames and nodes,
            "boom/end", "boom/12", are those of the whole beam.
        parent : str
            A body added before, or "ground".
        joint : Joint, optional
            `Revolute("y")` if not given.
        at : str or (3,) array_like, optional
            Where the joint is: a frame on the parent, or a position in the parent's frame. On a flexible parent, one of
            its frames, the number of a node as text, or the undeformed position of a node; its root if not given.
        rotation : (3, 3) array_like or Rotation, optional
            Turns the joint frame relative to the parent's (or to the frame `at`).
        fidelity : str
            Of a flexible body: "full" keeps every term that depends on the deformation and conserves energy;
            "estimated-inertia" does so too, but of how the inertia changes with the deformation it has an estimate, for
            bodies of which only mass and stiffness matrices are known; "ruthless" leaves all these terms out (8.1), for
            small deformations at slow rotation, and not in a closed loop.
        stiffening : bool
            Of a flexible body of full fidelity: whether its displacements of second order are kept, by which spin,
            gravity and the forces at its frames stiffen it under tension and soften it under compression.
        """
        with named_part(f"body {name!r}"):
            _valid_name(name, "name")
            if name in self.bodies or name in self.frames or name == GROUND:
                raise ModelError("name: there is a body of this name already")
            self._require_body(parent, "parent")
            if not isinstance(body, RigidBody | FlexibleBody | BeamPieces):
                raise ModelError(f"expected a RigidBody or a FlexibleBody, got {type(body).__name__}")
            require_theory(fidelity, stiffening, body)
            chosen = Revolute("y") if joint is None else joint
            if not isinstance(chosen, Joint):
                raise ModelError(f"joint: expected a joint such as Revolute('y'), got {chosen!r}")
            attachment = self._attachment(parent, at)
            R = attachment.rotation @ rotation_matrix(rotation, "rotation")
            first = body.bodies[0] if isinstance(body, BeamPieces) else body
            carrier, position, node = attachment.body, attachment.position, attachment.node
            self.bodies[name] = Placed(name, first, carrier, chosen, position, R, node, fidelity, stiffening)
            if isinstance(body, BeamPieces) and len(body) > 1:
                self._add_pieces(name, body)
            elif isinstance(first, FlexibleBody):
                for frame in first.frames:
                    self.frames[f"{name}/{frame}"] = Frame(name, np.zeros(3), np.eye(3), frame)

    def _add_pieces(self, name: str, pieces: BeamPieces) -> None:
        """Add the pieces of a beam that follow the first, and the beam's frames."""
        beam = self.beams[name] = PlacedBeam(name, pieces)
        still = replace(self.bodies[name], joint=Fixed(), position=np.zeros(3), rotation=np.eye(3), node=pieces.tip)
        for before, own, body in zip(beam.names, beam.names[1:], pieces.bodies[1:], strict=False):
            self.bodies[own] = replace(still, name=own, body=body, parent=before)
        self.frames |= {f"{name}/{place}": beam.frame(place) for place in pieces.frames}

    def _attachment(self, parent: str, at: str | ArrayLike | None) -> Frame:
        """Where on the parent a joint is."""
        carrier = self.bodies[parent].body if parent != GROUND else None
        beam = self.beams.get(parent)
        if isinstance(at, str):
            frame = self._frame_on(parent, at)
        elif beam is not None and at is not None:
            frame = beam.frame(node_at(beam.pieces.positions(), beam.pieces.nodes, array(at, (3,), "at")))
        elif isinstance(carrier, FlexibleBody):
            places = {name: frame.position for name, frame in carrier.frames.items()}
            node = carrier.root if at is None else node_at(places, carrier.nodes, array(at, (3,), "at"))
            frame = Frame(parent, np.zeros(3), np.eye(3), node)
        else:
            frame = Frame(parent, np.zeros(3) if at is None else array(at, (3,), "at"), np.eye(3))
        on = self.bodies[frame.body].body if frame.node is not None else None
        if frame.node is not None and isinstance(on, FlexibleBody):
            _require_turning(on, frame.node)
        return frame

    def add_frame(
        self,
        name: str,
        body: str,
        position: ArrayLike = (0.0, 0.0, 0.0),
        rotation: ArrayLike | Rotation | None = None,
    ) -> None:
        """Name a place on a body: afterwards it is "body/name".

        On a flexible body, `body` names one of its frames or nodes too ("boom/end", "boom/12"), and the new place is
        rigidly joined to that; else it is joined to the root.
        """
        with named_part(f"frame {name!r} on {body!r}"):
            _valid_name(name, "name")
            if "/" not in text(body, "body") and body not in self.frames:
                self._require_body(body, "body")
            base = self.find_frame(body)
            label = f"{self.owner(base.body)}/{name}"
            if label in self.frames:
                raise ModelError("name: there is a frame of this name already")
            if name.isdecimal() and base.body != GROUND and isinstance(self.bodies[base.body].body, FlexibleBody):
                raise ModelError("name: expected one that is no number: numbers are the nodes of a flexible body")
            p = base.position + base.rotation @ array(position, (3,), "position")
            R = base.rotation @ rotation_matrix(rotation, "rotation")
            self.frames[label] = Frame(base.body, p, R, base.node)

    def add_spring_damper(
        self, name: str, first: str, second: str, stiffness: float = 0.0, damping: float = 0.0, length: float = 0.0
    ) -> None:
        """Join two frames' origins by a spring (N/m, free at `length` m) and a damper (N s/m)."""
        with named_part(f"spring-damper {name!r}"):
            _valid_name(name, "name")
            if name in self.springs:
                raise ModelError("name: there is a spring-damper of this name already")
            for frame in (first, second):
                self.find_frame(frame)
            self.springs[name] = SpringDamper(
                name,
                first,
                second,
                number(stiffness, "stiffness"),
                number(damping, "damping"),
                number(length, "length", minimum=0.0),
            )

    def add_wrench(
        self,
        name: str,
        frame: str,
        moment: ArrayLike = (0.0, 0.0, 0.0),
        force: ArrayLike = (0.0, 0.0, 0.0),
        axes: str = "frame",
    ) -> None:
        """Apply a constant moment (N m) and force (N) at a frame; `axes` "frame" turns with it, "ground" does not."""
        with named_part(f"wrench {name!r}"):
            _valid_name(name, "name")
            if name in self.wrenches:
                raise ModelError("name: there is a wrench of this name already")
            self.find_frame(frame)
            if not isinstance(axes, str) or axes not in ("frame", "ground"):
                raise ModelError(f"axes: expected 'frame' or 'ground', got {axes!r}")
            applied = AppliedWrench(name, frame, array(moment, (3,), "moment"), array(force, (3,), "force"), axes)
            place = self.find_frame(frame)
            carrier = self.bodies[place.body].body if place.node is not None else None
            if isinstance(carrier, FlexibleBody) and place.node is not None and applied.moment.any():
                _require_turning(carrier, place.node)
            self.wrenches[name] = applied

    def add_coupling(self, follower: str, leader: str, ratio: float = 1.0, offset: float = 0.0) -> None:
        """Record that one joint's coordinate follows another's."""
        with named_part(f"coupling of {follower!r} to {leader!r}"):
            for name in (follower, leader):
                self._require_body(name, "joint of body")
            self.couplings.append(Coupling(follower, leader, number(ratio, "ratio"), number(offset, "offset")))

    def close_loop(self, name: str, first: str, second: str, joint: Joint) -> None:
        """Close a loop by a joint between two frames: the second may move in the first as the joint lets it.

        Parameters
        ----------
        name : str
            New, without '/' or '.'.
        first, second : str
            Frames, "body", "body/frame", "body/12"; the ground may be one. They coincide where the joint is at zero.
        joint : Joint
            Any joint without springs, dampers and inertia.
        """
        with named_part(f"loop {name!r}"):
            closure = Closure(first, second, joint)
        self.constrain(name, closure)

    def constrain(self, name: str, constraint: Constraint) -> None:
        """Demand something of two frames or coordinates.

        Parameters
        ----------
        name : str
            New, without '/' or '.'.
        constraint : Constraint
            `Distance`, `PointOnLine`, `PointOnPlane`, `Rolling` or `Gear`.
        """
        with named_part(f"constraint {name!r}"):
            _valid_name(name, "name")
            if name in self.constraints:
                raise ModelError("name: there is a constraint of this name already")
            if not isinstance(constraint, Constraint):
                raise ModelError(f"expected a constraint such as Distance(first, second, 0.5), got {constraint!r}")
            if not isinstance(constraint, Gear):
                bodies = []
                turns = constraint.uses_rotation()
                for frame in (constraint.first, constraint.second):
                    place = self.find_frame(frame)
                    bodies.append(place.body)
                    carrier = self.bodies[place.body].body if place.node is not None else None
                    if isinstance(carrier, FlexibleBody) and place.node is not None and (turns or place.position.any()):
                        what = "a constraint that uses its rotation, only one of translations"
                        _require_turning(carrier, place.node, what)
                if bodies[0] == bodies[1]:
                    raise ModelError(f"expected frames on two bodies, got both on {bodies[0]!r}")
            constraint.rows()
            self.constraints[name] = constraint

    def add_visual(self, frame: str, *shapes: Shape) -> None:
        """Say what a body is drawn as.

        A rigid body is then drawn as all shapes on it and on its frames; without any shape it is not drawn. A flexible
        body is drawn as its structure all the same, in the colour of a shape `Structure` if it has one, and other
        shapes move with the frame or node.

        Parameters
        ----------
        frame : str
            "ground", a body, "body/frame", or "body/12" for a node of a flexible body.
        *shapes : Shape
            Of `supple.shapes`, in the axes of the frame.

        Examples
        --------
        >>> from supple import Mechanism, RigidBody, shapes
        >>> mech = Mechanism("wheel")
        >>> mech.add_body("wheel", RigidBody(1.0, inertia=(0.1, 0.1, 0.2)))
        >>> mech.add_visual("wheel", shapes.Cylinder(0.3, 0.05, axis="y", color="slategray"))
        """
        with named_part(f"visual on {frame!r}"):
            self.find_frame(frame)
            flexible = frame in self.bodies and isinstance(self.bodies[frame].body, FlexibleBody)
            for shape in shapes:
                if not isinstance(shape, Shape):
                    raise ModelError(f"expected a shape such as shapes.Sphere(0.1), got {shape!r}")
                if isinstance(shape, Structure) and not (flexible and self.owner(frame) == frame):
                    raise ModelError("structure: expected the name of a flexible body")
            self.visuals[frame] = (*self.visuals.get(frame, ()), *shapes)

    def copy(self) -> Self:
        """An equal description that can be changed by itself."""
        return self.copied_to(type(self)(self.name, self.gravity))

    def copied_to(self, copy: D) -> D:
        """An empty description with all that this one holds."""
        copy.bodies = dict(self.bodies)
        copy.beams = dict(self.beams)
        copy.frames = dict(self.frames)
        copy.springs = dict(self.springs)
        copy.wrenches = dict(self.wrenches)
        copy.couplings = list(self.couplings)
        copy.constraints = dict(self.constraints)
        copy.limits = list(self.limits)
        copy.visuals = dict(self.visuals)
        return copy

    def find_frame(self, name: str) -> Frame:
        """The frame of a name: "ground", a body, "body/frame", or "body/12" for a node of a flexible body."""
        found = self.frames.get(text(name, "frame"))
        if found is not None:
            return found
        if name == GROUND or name in self.bodies:
            return Frame(name, np.zeros(3), np.eye(3))
        body, _, node = name.partition("/")
        placed = self.bodies.get(body)
        if placed is not None and isinstance(placed.body, FlexibleBody) and node:
            beam = self.beams.get(body)
            nodes = placed.body.nodes if beam is None else beam.pieces.nodes
            of_piece = self.owner(body) != body and node in placed.body.frames
            if of_piece or (is_index(node) and int(node) < len(nodes)):
                return Frame(body, np.zeros(3), np.eye(3), node) if beam is None else beam.frame(node)
            numbers = f", nodes 0 to {len(nodes) - 1}" if node.isdecimal() else ""
            raise ModelError(f"no frame {name!r}{nearest(name, self._frames_on(body, full=True))}{numbers}")
        raise ModelError(f"no frame {name!r}{nearest(name, [GROUND, *self.bodies, *self.frames])}")

    def owner(self, body: str) -> str:
        """The beam in pieces that a body is a piece of, or the body itself."""
        beam, dot, _ = body.partition(".")
        return beam if dot and beam in self.beams else body

    def carrier(self, body: str, node: str | None) -> tuple[str, str | None]:
        """A body and a node on it, by the names of the whole beam where the body is a piece."""
        beam = self.beams.get(self.owner(body))
        return (body, node) if beam is None or node is None else (beam.name, beam.place(body, node))

    def parts(self) -> list[tuple[Placed, PlacedBeam | None]]:
        """The bodies as they were added: each with the beam whose first piece it is, if it is one."""
        return [(x, self.beams.get(name)) for name, x in self.bodies.items() if self.owner(name) == name]

    def _frame_on(self, body: str, name: str) -> Frame:
        """The frame "body/name", or the frame `name` of all frames, which must be on the body."""
        for label in (f"{body}/{name}", name):
            try:
                frame = self.find_frame(label)
            except ModelError:
                continue
            if self.owner(frame.body) == body:
                return frame
        raise ModelError(f"at: no frame {name!r} on {body!r}{nearest(name, self._frames_on(body))}")

    def _frames_on(self, body: str, full: bool = False) -> list[str]:
        """Names of the frames on a body; a link that was merged into the body has no "body/" in front."""
        names = [name for name, frame in self.frames.items() if self.owner(frame.body) == body]
        return names if full else [name.removeprefix(f"{body}/") for name in names]

    def _require_body(self, name: str, what: str) -> None:
        if text(name, what) != GROUND and self.owner(name) != name:
            raise ModelError(f"{what}: {name!r} is a piece: expected the beam {self.owner(name)!r}")
        if name != GROUND and name not in self.bodies:
            frame = self.frames.get(name)
            hint = f"; {name!r} is a frame on {self.owner(frame.body)!r}" if frame is not None else ""
            raise ModelError(f"{what}: no body {name!r}{hint or nearest(name, [GROUND, *self.bodies])}")


def require_theory(fidelity: str, stiffening: bool, body: RigidBody | FlexibleBody | BeamPieces) -> None:
    """Refuse what is no fidelity and no choice of stiffening, and full fidelity of a body that cannot have it."""
    if not isinstance(fidelity, str) or fidelity not in FIDELITIES:
        raise ModelError(f"fidelity: expected one of {', '.join(FIDELITIES)}, got {fidelity!r}")
    if isinstance(body, FlexibleBody) and body.missing_for_full_fidelity and fidelity == "full":
        raise ModelError(
            f"fidelity: {fidelity!r} needs more than is known of this body: {body.missing_for_full_fidelity}; "
            "use fidelity 'ruthless', or 'estimated-inertia' in closed loops"
        )
    if not isinstance(stiffening, bool):
        raise ModelError(f"stiffening: expected True or False, got {stiffening!r}")


def _valid_name(name: str, what: str) -> str:
    if not isinstance(name, str) or not name or "/" in name or "." in name:
        raise ModelError(f"{what}: expected a name without '/' and '.', got {name!r}")
    return name


def node_at(frames: Mapping[str, Floats], nodes: Floats, position: Floats) -> str:
    """The frame or node of a flexible body whose undeformed position this is."""
    distances = {name: float(np.linalg.norm(place - position)) for name, place in frames.items()}
    gaps = np.linalg.norm(nodes - position, axis=1)
    closest = str(int(np.argmin(gaps)))
    distances.setdefault(closest, float(gaps.min()))
    best = min(distances, key=lambda name: distances[name])
    if distances[best] > 1e-9 * (1 + float(np.ptp(nodes, axis=0).max())):
        raise ModelError(
            f"at: expected a frame or the place of a node of a flexible body, got {position.tolist()}; "
            f"the nearest is {best!r}, {distances[best]:.3g} m away; its frames are {', '.join(frames)}"
        )
    return best


def _require_turning(body: FlexibleBody, node: str, what: str = "a joint or a moment") -> None:
    """Refuse what needs rotations on a node that has displacements but no rotations."""
    if not body.frame(node).turning:
        raise ModelError(
            f"node {node!r} has displacements but no rotations and cannot carry {what}; "
            "make the nodes around it a rigid region, a frame of the structure"
        )
