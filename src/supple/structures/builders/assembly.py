"""Structures made of others: beams, plates, solids and imported matrices, joined at nodes before they are reduced."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np
import scipy

from supple.call_checks import checked
from supple.checks import array, number
from supple.errors import ModelError, nearest
from supple.structures.builders.connections import Attach, Bushing, Connection, Follow, Part, Weld
from supple.structures.discretization.couplings import Arm, Average
from supple.structures.discretization.dof_map import DofLayout, cross_matrix
from supple.structures.discretization.frames import named
from supple.structures.discretization.mass import Sparse
from supple.structures.elements.assembled import Assembled, PlacedPart
from supple.structures.structure import Structure

COINCIDENT = 1e-6
"""Share of a part's size within which nodes count as one place."""

ACROSS = 0.7
"""Cosine of the angle between an arm and the line of attached nodes below which the line runs across the arm."""


@checked
def assemble(
    parts: Mapping[str, Structure | Part],
    connections: Iterable[Connection] = (),
    frames: Mapping[str, str | Sequence[str]] | None = None,
) -> Structure:
    """One structure of several, free in space; nodes are those of the parts, one part after the other.

    Parameters
    ----------
    parts : dict of str to Structure or Part
    connections : iterable of Weld, Attach, Bushing or Follow
    frames : dict, optional
        Names of frames of the whole, to "part.frame" or "part.12", or to several, which are a rigid region. By default
        all frames of all parts, as "part.frame". Frames of several nodes stay rigid whether they are named or not.

    Examples
    --------
    A panel with a stiffener 15 mm below its middle plane:

    >>> from supple.structures import Material, Rectangle, beam, plate
    >>> aluminium = Material(E=70e9, nu=0.3, rho=2700)
    >>> panel = plate((1.0, 0.5), 0.002, aluminium, elements=(10, 4), frames={"start": "x_min"})
    >>> rib = beam(1.0, Rectangle(0.003, 0.028), aluminium, elements=10)
    >>> wing = assemble(
    ...     {"panel": panel, "rib": Part(rib, at=(0, 0, -0.015))},
    ...     [Attach("rib", to="panel", within=0.02)],
    ...     frames={"start": "panel.start"},
    ... )
    >>> [round(f, 1) for f in wing.reduce("cantilever", modes=2).report.frequencies.tolist()]
    [7.8, 12.4]
    """
    whole = UnconnectedParts(parts)
    rigid = [group for part in whole.parts.values() for group in part.regions()]
    averages = [one for part in whole.parts.values() for one in part.averages()]
    arms = [one for part in whole.parts.values() for one in part.arms()]
    bushings = []
    counts: dict[str, int] = {}
    for connection in connections:
        what = type(connection).__name__.lower()
        counts[what] = counts.get(what, 0) + 1
        try:
            if isinstance(connection, Weld):
                rigid.append(tuple(dict.fromkeys(n for name in connection.frames for n in whole.find(name))))
            elif isinstance(connection, Attach):
                arms += whole.attached(connection)
            elif isinstance(connection, Bushing):
                bushings.append(whole.bushing(connection))
            elif isinstance(connection, Follow):
                averages.append(whole.following(connection))
            else:
                raise ModelError(f"expected a Weld, Attach, Bushing or Follow, got {connection!r}")
        except ModelError as error:
            raise ModelError(f"assembly: {what} {counts[what]}: {error}") from None
    firm, arms = _sorted(rigid, arms, whole.layout)
    structure = replace(
        Structure.of(whole.elements, whole.frames(frames)),
        rigid=tuple(rigid + firm),
        averages=tuple(averages),
        arms=tuple(arms),
    )
    if bushings:
        K = scipy.sparse.csr_array(sum(bushings, start=structure.stiffness))
        structure = replace(structure, stiffness=K)
    _check_one_piece(structure, whole)
    return structure


class UnconnectedParts:
    """Parts beside each other, before they are joined."""

    def __init__(self, parts: Mapping[str, Structure | Part]) -> None:
        if not isinstance(parts, Mapping) or not parts:
            raise ModelError(f"assembly: expected one part or more by name, got {parts!r}")
        self.parts: dict[str, PlacedPart] = {}
        node = dof = 0
        for name, part in parts.items():
            if not isinstance(name, str) or not name or "." in name or "/" in name:
                raise ModelError(f"assembly: part {name!r}: expected a name without '.' and '/'")
            self.parts[name] = placed = PlacedPart(name, part, node, dof)
            node += len(placed.structure.nodes)
            dof += placed.structure.layout.size
        self.elements = Assembled(tuple(self.parts.values()))
        self.layout = self.elements.layout

    def part(self, name: str) -> PlacedPart:
        """A part by its name."""
        if name not in self.parts:
            raise ModelError(f"no part {name!r}{nearest(str(name), self.parts)}")
        return self.parts[name]

    def find(self, name: str) -> tuple[int, ...]:
        """Nodes of "part.frame" or "part.12"."""
        part, dot, frame = str(name).partition(".")
        if not dot:
            raise ModelError(f'expected "part.frame" or "part.12", got {name!r}')
        return self.part(part).find(frame)

    def attached(self, connection: Attach) -> list[Arm]:
        """Each node with the one that carries it."""
        part, to = self.part(connection.part), self.part(connection.to)
        if part is to:
            raise ModelError(f"expected two parts, got {part.name!r} twice")
        size = float(np.ptp(part.nodes, axis=0).max())
        within = COINCIDENT * size if connection.within is None else number(connection.within, "within", 0.0)
        gaps, other = (np.atleast_1d(x) for x in scipy.spatial.KDTree(to.nodes).query(part.nodes))
        near = np.flatnonzero(gaps <= within)
        if not len(near):
            raise ModelError(
                f"no node of {part.name!r} is within {within:.3g} m of {to.name!r}; the nearest is "
                f"{gaps.min():.3g} m away"
            )
        return [Arm(part.node + int(i), to.node + int(other[i])) for i in near]

    def following(self, connection: Follow) -> Average:
        """The node that follows."""
        (first, *more), others = self.find(connection.frame), [n for name in connection.others for n in self.find(name)]
        if more:
            raise ModelError(f"{connection.frame!r}: expected a frame of one node, got {1 + len(more)}")
        weights = () if connection.weights is None else array(connection.weights, (len(others),), "weights")
        return Average(first, tuple(others), tuple(float(w) for w in weights))

    def bushing(self, connection: Bushing) -> Sparse:
        """Its stiffness, of all degrees of freedom."""
        k = np.concatenate([array(x, (3,), "stiffness") for x in (connection.rotational, connection.stiffness)])
        if k.min() < 0 or not k.any():
            raise ModelError(f"expected stiffnesses of zero or more, not all zero, got {k.tolist()}")
        a, b = self.find(connection.first)[0], self.find(connection.second)[0]
        if k[:3].any() and not self.layout.turning[[a, b]].all():
            raise ModelError("rotational: expected nodes with rotations; those of solids have none")
        shift = np.eye(6)
        shift[3:, :3] = -cross_matrix(self.layout.points[a] - self.layout.points[b])
        motion = self.layout.motion
        apart = motion[6 * a : 6 * a + 6] - scipy.sparse.csr_array(shift) @ motion[6 * b : 6 * b + 6]
        return scipy.sparse.csr_array(apart.T @ scipy.sparse.diags_array(k) @ apart)

    def frames(self, given: Mapping[str, str | Sequence[str]] | None) -> dict[str, tuple[int, ...]]:
        """Frames of the whole."""
        if given is None:
            own = ((part, frame) for part in self.parts.values() for frame in part.structure.frames)
            return {f"{part.name}.{frame}": part.find(frame) for part, frame in own}
        found = {}
        for name, where in given.items():
            try:
                every = [where] if isinstance(where, str) else list(where)
                found[name] = list(dict.fromkeys(n for one in every for n in self.find(one)))
            except ModelError as error:
                raise ModelError(f"assembly: frame {name!r}: {error}") from None
        return named(found, len(self.layout.points))


def _sorted(
    rigid: Sequence[tuple[int, ...]], arms: Sequence[Arm], layout: DofLayout
) -> tuple[list[tuple[int, ...]], list[Arm]]:
    """Pairs of nodes that are one rigid body, and those of which one may turn about the arm between them.

    It may where a stiffener runs across the arms: the node has rotations, nothing else holds it or the node that
    carries it, and the next attached node is not along the arm.
    """
    uses = np.bincount([i for group in rigid for i in group], minlength=len(layout.points))
    uses += np.bincount([i for arm in arms for i in (arm.node, arm.to)], minlength=len(layout.points))
    x = layout.points
    ends = x[[arm.node for arm in arms]].reshape(-1, 3)
    firm: list[tuple[int, ...]] = []
    free = []
    for arm in arms:
        along = x[arm.node] - x[arm.to]
        length = float(np.linalg.norm(along))
        gaps = np.linalg.norm(ends - x[arm.node], axis=1)
        gaps[gaps <= COINCIDENT * length] = np.inf
        alone = uses[arm.node] == uses[arm.to] == 1
        if alone and layout.turning[arm.node] and length > COINCIDENT * np.ptp(x) and np.isfinite(gaps.min()):
            nearby = ends[int(np.argmin(gaps))] - x[arm.node]
            if abs(nearby @ along) < ACROSS * length * float(np.linalg.norm(nearby)):
                free.append(arm)
                continue
        firm.append((arm.to, arm.node))
    return firm, free


def _check_one_piece(structure: Structure, whole: UnconnectedParts) -> None:
    """Refuse parts that nothing joins to the others."""
    small = structure.condensed
    links = scipy.sparse.csr_array(abs(small.motion).T @ abs(small.motion)) + abs(small.stiffness)
    _, label = scipy.sparse.csgraph.connected_components(links, directed=False)
    of_node = {}
    moved = scipy.sparse.csr_array(abs(small.motion))
    for name, part in whole.parts.items():
        row = moved[[6 * part.node + 3]]
        of_node[name] = int(label[row.indices[0]])
    first = next(iter(of_node))
    loose = [name for name in of_node if of_node[name] != of_node[first]]
    if loose:
        raise ModelError(f"assembly: nothing joins {', '.join(map(repr, loose))} to {first!r}")
