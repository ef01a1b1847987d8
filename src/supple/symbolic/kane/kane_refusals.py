"""What a system of vectors is not asked for: refused by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NoReturn

import numpy as np
from numpy.typing import ArrayLike, NDArray

from supple.call_checks import checked
from supple.errors import StateError
from supple.model.arguments import batch
from supple.model.model import Model
from supple.model.motion_slopes import ForceSlopes

Vector = NDArray[np.float64]


@checked
class KaneRefusals:
    """Functions of other formulations that need what vectors do not tell: joint forces, springs, small motions.

    Attributes
    ----------
    name : str
    """

    name: str
    nv: int

    def _refuse(self, what: str) -> NoReturn:
        raise StateError(f"model {self.name!r} is a system of vectors, which {what} does not take")

    def _refuse_wrenches(self, external: Mapping[str, ArrayLike] | None) -> None:
        if external:
            self._refuse("a wrench at a frame")

    def floating_frames(self, what: str) -> Model:
        """Refused: it is no model of floating frames, which `what` alone takes."""
        self._refuse(what)

    def jacobian(self, q: ArrayLike, frame: str, axes: str = "ground") -> NDArray[Any]:
        """Refused: `KaneBody.velocity` has the velocities in symbols."""
        self._refuse("jacobian")

    def joint_wrenches(
        self, q: ArrayLike, v: ArrayLike, a: ArrayLike, external: Mapping[str, ArrayLike] | None = None
    ) -> NDArray[Any]:
        """Refused: Kane's method leaves them out."""
        self._refuse("joint_wrenches")

    def joint_speeds(self, body: str) -> list[int]:
        """Refused."""
        self._refuse("joint_speeds")

    def forces_on_speeds(self, q: ArrayLike, tau: ArrayLike) -> NDArray[Any]:
        """What generalized forces (..., nv) do to the speeds: they act along them."""
        (tau_,), shape, _ = batch(f"model {self.name!r}", {"tau": (tau, self.nv)})
        return tau_.reshape((*shape, self.nv))

    def wrench_forces(self, q: ArrayLike, frame: str, wrench: ArrayLike) -> NDArray[Any]:
        """Refused: `KaneSystem.add_force` takes forces at any point."""
        self._refuse("a wrench at a frame")

    def balance_slopes(
        self, q: Vector, v: Vector, a: Vector, external: Mapping[str, ArrayLike] | None = None
    ) -> ForceSlopes:
        """Refused: `EquationsOfMotion.linear` has the linear equations in symbols."""
        self._refuse("supple.linear")

    def newton_iteration(
        self, slopes: tuple[float, float], gains: tuple[Vector, Vector], prescribed: NDArray[np.bool_]
    ) -> NoReturn:
        """Refused: implicit steps need the stiffness of springs, which is among the forces."""
        self._refuse("generalized_alpha or ESDIRK54")

    def frame_slopes(self, q: Vector, v: Vector, a: Vector, frame: str) -> dict[str, Vector]:
        """Refused, as `balance_slopes`."""
        self._refuse("supple.linear")

    def direction_rates(self, q: Vector, v: Vector) -> Vector:
        """Refused, as `balance_slopes`."""
        self._refuse("supple.linear")

    def doubled_energies(self, q: Vector, motions: Vector) -> Vector:
        """Refused, as `balance_slopes`."""
        self._refuse("supple.linear")

    def unit_changes(self) -> Vector:
        """Refused, as `balance_slopes`."""
        self._refuse("supple.linear")

    def unloaded(self) -> Any:
        """Refused: which of its forces are loads is not known."""
        self._refuse("supple.linear")

    def inner_forces(self, q: Vector) -> Vector:
        """Refused: which of its forces are springs is not known."""
        self._refuse("supple.linear")
