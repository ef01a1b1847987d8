"""What joins the parts of an assembled structure, and where the parts are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from numpy.typing import ArrayLike

from supple.call_checks import checked
from supple.structures.structure import Structure

if TYPE_CHECKING:
    from scipy.spatial.transform import Rotation


@checked
@dataclass(frozen=True, eq=False)
class Part:
    """A structure as a part of another one.

    Parameters
    ----------
    structure : Structure
    at : (3,) array_like
        Where its origin is, m.
    rotation : (3, 3) array_like or Rotation, optional
        From its axes to those of the whole.
    """

    structure: Structure
    at: ArrayLike = (0.0, 0.0, 0.0)
    rotation: ArrayLike | Rotation | None = None


@checked
@dataclass(frozen=True)
class Weld:
    """Frames that are one rigid body (RBE2), also at a distance from each other.

    Parameters
    ----------
    frames : sequence of str
        "part.frame", or "part.12" for a node.
    """

    frames: Sequence[str]


@checked
@dataclass(frozen=True)
class Attach:
    """Nodes of a part rigidly joined to the nearest nodes of another: a stiffener on a panel.

    Nodes of a line that runs at a distance beside the other part stay free to turn about the arms between them, as
    sections of a stiffener do.

    Parameters
    ----------
    part, to : str
        Names of parts.
    within : float, optional
        Nodes of `part` farther than this from all nodes of `to` stay free, m: more than the offset of a stiffener,
        less than the distance between nodes; by default only nodes at the same place are joined.
    """

    part: str
    to: str
    within: float | None = None


@checked
@dataclass(frozen=True)
class Bushing:
    """Springs between two frames, along and about the axes of the whole structure.

    If the frames are apart, the second is carried to the place of the first by a rigid arm.

    Parameters
    ----------
    first, second : str
        "part.frame" or "part.12".
    stiffness : (3,) array_like
        Along x, y and z, N/m.
    rotational : (3,) array_like
        About x, y and z, N m/rad.
    """

    first: str
    second: str
    stiffness: ArrayLike = (0.0, 0.0, 0.0)
    rotational: ArrayLike = (0.0, 0.0, 0.0)


@checked
@dataclass(frozen=True)
class Follow:
    """A frame that moves as the mean of others, without stiffening them (RBE3).

    Parameters
    ----------
    frame : str
        The one that follows, "part.frame" or "part.12".
    others : sequence of str
        Those that it follows.
    weights : sequence of float, optional
        Of each; equal if left out.
    """

    frame: str
    others: Sequence[str]
    weights: Sequence[float] | None = None


Connection = Weld | Attach | Bushing | Follow
