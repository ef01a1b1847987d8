"""The frozen equivalent rigid-link system of a mechanism, with the names of `supple.Model`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from supple.call_checks import checked
from supple.checks import Floats
from supple.engines.blocks.block_program import Program
from supple.erls.chain import Modes, make_chain
from supple.erls.compiled_links import compiled
from supple.erls.implicit_links import LinkNewton
from supple.erls.link_slopes import LinkSlopes
from supple.erls.mode_choice import ModeChoice
from supple.erls.refusals import refused
from supple.erls.trace import ErlsTrace
from supple.errors import FileFormatError, ModelError, StateError
from supple.expressions.function import Function
from supple.model.functions.holes import require_made
from supple.model.functions.table import require_function
from supple.model.mechanism import Mechanism
from supple.model.model import Model
from supple.model.programs import Ends, traced_program
from supple.model.recorded_trace import LIMIT
from supple.model.rollout import Rollout
from supple.structures.body.flexible_body import FlexibleBody


@checked
def build(mechanism: Mechanism | Model, modes: Modes = None, *, printed: bool = False) -> ErlsModel:
    """The equivalent rigid-link system of a mechanism, after Vidoni et al. (2015).

    Parameters
    ----------
    mechanism : Mechanism or Model
        A tree with revolute, prismatic and fixed joints.
    modes : int, ModeChoice, or mapping of body to these, optional
        Elastic modes that flexible links keep, those of the free link of lowest frequency; all that the bodies have if
        not given. The paper counts the six rigid ones too: its eight modes are two here. A `ModeChoice` takes them by
        bandwidth, rank or number, and adds static correction shapes.
    printed : bool
        Take G of (14) and n of (23) as the paper prints them, to repeat published results. They are not the derivatives
        of (11) once two joints follow each other: velocities are not quite the rates of the positions, and energy
        drifts.

    Examples
    --------
    >>> from supple import Revolute
    >>> from supple.structures import Material, Rectangle, beam
    >>> boom = beam(0.5, Rectangle(0.02, 0.005), Material(E=70e9, nu=0.3, rho=2700), elements=4)
    >>> mech = Mechanism("boom")
    >>> mech.add_body("boom", boom.reduce("free-free", modes=4), joint=Revolute("y"))
    >>> build(mech, modes=2).coordinates
    ('boom.angle', 'boom.mode1', 'boom.mode2')
    """
    return ErlsModel(make_chain(mechanism, modes, printed))


@checked
class ErlsModel(LinkSlopes):
    """An equivalent rigid-link system; made by `build`.

    The joint coordinates are those of the equivalent rigid links. The whole relative motion of two links at their
    joint is theta + xi, with the slip xi a linear function of the elastic coordinates, see `joint_positions`. Forces
    tau of joints act on that whole motion, as motors do, those of modes on the modes; so M a + b = B* tau with B of
    `actuation_matrix`. What `supple.Model` can be asked is answered here too, or refused by name.

    Attributes
    ----------
    name : str
    bodies : tuple of str
        The links, parents first.
    nq, nv : int
        The same number n + d: coordinates have their own rates as speeds.
    coordinates, speeds : tuple of str
        As those of the ordinary model of the same mechanism: link by link its joint, then its modes.
    is_mode : (nv,) array of bool
        Which of them are elastic.
    q_of_speed : (nv,) array of int
        The coordinate whose rate each speed is: its own.
    mass : float
        Of all links, kg.
    loops : None
        There are no closed ones.
    quaternions, couplings : tuples
        Nor quaternions nor couplings.
    implicit_steps : bool
        False: generalized-alpha steps are taken when asked for, one by one; other integrators are quicker.
    formulation : str
        By this name results files know it.
    """

    formulation: ClassVar[str] = "equivalent rigid links"
    implicit_steps = implicit_blocks = False

    if not TYPE_CHECKING:  # so that misspelt names are still found

        def __getattr__(self, name: str) -> Any:
            """Refuse by name what only floating frames have."""
            if name.startswith("_") or name == "name":
                raise AttributeError(name)
            raise refused(self.name, name)

    # ------------------------------------------------------------ other numbers, machine code

    def with_parameters(self, values: Mapping[str, float]) -> ErlsModel:
        """The system with other numbers, by the names of `Model.with_parameters`; it keeps its modes."""
        return self.restored(self._floating.with_parameters(values), self.formulation_settings())

    def compile(
        self,
        what: str,
        *,
        parameters: Sequence[str] = (),
        derivatives: Sequence[str] = (),
        integrator: str = "rk4",
        threads: int | None = None,
    ) -> Any:
        """One of the model's functions in machine code, called with arrays of any leading axes; see `Model.compile`.

        Parameters
        ----------
        what : str
            The names of `Model.compile`. "bias_forces" is b of M a + b = B* tau, "poses" has the roots of links.
        parameters : sequence of str
            Refused: the numbers of links are in their modes, see `with_parameters`.
        derivatives, integrator, threads
            As there.
        """
        if parameters:
            raise StateError(
                f"model {self.name!r}: compile: an equivalent rigid-link system has no symbolic parameters, got "
                f"{list(parameters)}; `with_parameters` makes a system with other numbers"
            )
        if what != "rollout":
            require_function(what, "rollout")
            require_made(self, what, "compile")
            return compiled(self, what, derivatives, threads)
        if derivatives:
            raise StateError(f"derivatives: a rollout has none, got {list(derivatives)}")
        return Rollout(self, integrator, (), lambda step: compiled(self, step, (), threads))

    # ------------------------------------------------------------ equations

    def newton_iteration(
        self, slopes: tuple[float, float], gains: tuple[Floats, Floats], prescribed: NDArray[np.bool_]
    ) -> LinkNewton:
        """What solves the equations of an implicit step; see `LinkNewton`."""
        return LinkNewton(self, slopes, gains, prescribed)

    def traced(self, limit: float) -> ErlsTrace:
        """The system on graph nodes; the graph may have `limit` of them."""
        return ErlsTrace(self, limit)

    def block_program(
        self, key: tuple[Any, ...], make: Callable[[Any, Mapping[str, Any]], Ends], arrays: Mapping[str, Any]
    ) -> tuple[Program, NDArray[np.float64]]:
        """A program of blocks for a function on graph nodes, and the numbers that it loads.

        The equations are traced with their numbers, which are taken out afterwards: see `lifting`.
        """
        return traced_program(self.traced(LIMIT), make, arrays)

    def forward_dynamics_function(self, limit: float) -> Function:
        """Accelerations as a function of (q, v, tau) on graph nodes."""
        t = self.traced(limit)
        found = {"a": t.forward_dynamics(t.q, t.v, t.tau)}
        return t.function("forward_dynamics", {"q": t.q, "v": t.v, "tau": t.tau}, found)

    @property
    def estimated_operations(self) -> int:
        """Operations of forward dynamics, roughly, without tracing the system."""
        links, n = len(self.bodies), self.nv
        return 1000 * links + 60 * links * n + 4 * n**2 + n**3 // 3

    # ------------------------------------------------------------ files, other formulations

    def floating_frames(self, what: str) -> Model:
        """Refused: it is no model of floating frames, which `what` alone takes."""
        raise StateError(
            f"model {self.name!r} is an equivalent rigid-link system, which {what} does not take; `mechanism_model()` "
            "is the same mechanism in floating frames"
        )

    def mechanism_model(self) -> Model:
        """The model of the same mechanism in floating frames."""
        return self._floating

    @cached_property
    def _floating(self) -> Model:
        return Model(self.description)

    def unloaded(self) -> ErlsModel:
        """The system without gravity and applied wrenches."""
        return self.restored(self._floating.unloaded(), self.formulation_settings())

    def formulation_settings(self) -> dict[str, Any]:
        """What `restored` needs besides the mechanism: the modes, by link; a number if they are the lowest ones."""
        out: dict[str, Any] = {}
        for link in self.chain.links:
            lowest = replace(link.choice, count=None) == ModeChoice()
            out[link.name] = link.modes if lowest else link.choice.settings()
        return {"modes": out, "printed": True} if self.chain.printed else {"modes": out}

    @classmethod
    def restored(cls, model: Model, settings: Mapping[str, Any]) -> ErlsModel:
        """The system of a mechanism with the modes that `formulation_settings` has noted."""
        modes, printed = settings.get("modes"), settings.get("printed", False)
        if not isinstance(printed, bool):
            raise FileFormatError(f"printed: expected true or false, got {printed!r}")
        if not (isinstance(modes, Mapping) and all(type(n) in (int, dict) for n in modes.values())):
            raise FileFormatError(f"modes: expected numbers of modes by body, got {modes!r}")
        flexible = {name for name, x in model.description.bodies.items() if isinstance(x.body, FlexibleBody)}
        try:
            kept = {name: n if type(n) is int else ModeChoice(**n) for name, n in modes.items() if name in flexible}
        except (TypeError, ModelError, StateError) as error:
            raise FileFormatError(f"modes: {error}") from None
        return build(model, kept, printed=printed)
