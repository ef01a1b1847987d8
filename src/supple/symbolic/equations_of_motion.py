"""Equations of motion as a product: derived, counted, printed, compiled, linearised."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from supple.call_checks import checked
from supple.checks import array
from supple.engines.blocks.compiled_function import CompiledFunction
from supple.errors import ModelError, StateError, nearest
from supple.expressions.derivatives import jacobian
from supple.expressions.factoring import factored
from supple.expressions.function import Function, Nodes, Operations
from supple.expressions.graph import Expr, Graph, order_of
from supple.expressions.linear_equations import solve_general
from supple.expressions.printers import c_source, latex, listing, markdown, python_source
from supple.model.arguments import named_vector
from supple.symbolic.program import parts_of, simulation_program
from supple.symbolic.program_entries import Start
from supple.symbolic.program_parts import ProgramRun
from supple.symbolic.program_start import closed_coordinates, closing_function
from supple.symbolic.readable import implicit_latex, implicit_text

CLOSED = "closed"
"""Where equations of closed loops in all joint coordinates come from: articulated bodies, and what closes the loops."""


@dataclass(frozen=True)
class Dependence:
    """What constraints make depend on the rest.

    Attributes
    ----------
    speeds : array of Expr
        Dependent speeds, as leaves.
    values : array of Expr
        The same in terms of coordinates and independent speeds.
    coordinates : array of Expr
        Dependent coordinates, those of closed loops.
    closures : array of Expr
        Expressions of the coordinates that must vanish, one for each.
    """

    speeds: Nodes
    values: Nodes
    coordinates: Nodes
    closures: Nodes


@dataclass(frozen=True)
class Variables:
    """What equations of motion are expressions of.

    Attributes
    ----------
    graph : Graph
    time : Expr
    q, v, inputs : arrays of Expr
        Leaves: coordinates, (independent) speeds, generalized forces and whatever else is given from outside.
    symbols : tuple of Expr
        Parameters.
    values : dict of str to float
        Their numbers, where known.
    """

    graph: Graph
    time: Expr
    q: Nodes
    v: Nodes
    inputs: Nodes
    symbols: tuple[Expr, ...]
    values: dict[str, float]


@dataclass(frozen=True)
class Terms:
    """The expressions in the equations q' = rates, M v' = f and v' = accelerations."""

    rates: Nodes
    M: Nodes
    f: Nodes
    accelerations: Nodes


@checked
@dataclass(frozen=True)
class EquationsOfMotion:
    """First-order equations q' = rate(t, q, v), v' = a(t, q, v, tau), and the form M v' = f they come from.

    Attributes
    ----------
    name : str
    variables : Variables
    terms : Terms
    route : str
        Where they come from: "kane", "composite", "articulated", or `CLOSED`.
    counts : dict of str to Operations
        Operations of each route that was tried; of those far behind the best before common factors are taken out.
    small : tuple of Expr
        Variables to first order in which all this is right; none if it is exact.
    dependence : Dependence or None
    watched : dict of str to Expr
        Further outputs by name: what events and stops look at, what clocks set.
    form : EquationsOfMotion or None
        The same equations by Kane's method, where those are easier to read.
    """

    name: str
    variables: Variables
    terms: Terms
    route: str
    counts: dict[str, Operations] = field(default_factory=dict)
    small: tuple[Expr, ...] = ()
    dependence: Dependence | None = None
    watched: dict[str, Expr] = field(default_factory=dict)
    form: EquationsOfMotion | None = None

    # ------------------------------------------------------------ functions

    @cached_property
    def explicit(self) -> Function:
        """q' and v' of the state and the inputs, as the function `equations` with outputs `rate` and `a`, factored."""
        return self.function("equations", factored({"rate": self.terms.rates, "a": self.terms.accelerations}))

    @cached_property
    def printed(self) -> Function:
        """What texts and code have: the same, and what is watched."""
        if not self.watched:
            return self.explicit
        more = {name: np.array(node, dtype=object) for name, node in self.watched.items()}
        return self.function("equations", {**self.explicit.outputs, **more})

    @property
    def unfactored(self) -> Function:
        """The same before common factors are taken out, which takes time for large systems."""
        return self.function("equations", {"rate": self.terms.rates, "a": self.terms.accelerations})

    @cached_property
    def implicit(self) -> Function:
        """q', M and f of the state and the inputs."""
        return self.function("implicit_equations", {"rate": self.terms.rates, "M": self.terms.M, "f": self.terms.f})

    @property
    def operations(self) -> Operations:
        """Operations of one evaluation of q' and v'; what depends on parameters alone is computed once, not counted."""
        return self.explicit.operations

    def function(self, name: str, outputs: Mapping[str, Nodes]) -> Function:
        """Any expressions of the leaves as a function; time, inputs and parameters are its own where they are used."""
        used = set(order_of(node for x in outputs.values() for node in x.flat if isinstance(node, Expr)))
        parameters = [leaf for leaf in self.variables.symbols if leaf in used]
        return Function(name, self.variables.graph, self._arrays(used), outputs, parameters)

    def _arrays(self, used: set[Expr]) -> dict[str, Nodes]:
        """Inputs by name; time is one only where something depends on it, so are the inputs from outside."""
        arrays = {"q": self.variables.q, "v": self.variables.v}
        if len(self.variables.inputs):
            arrays["tau"] = self.variables.inputs
        if self.variables.time in used:
            arrays = {"t": np.array([self.variables.time], dtype=object), **arrays}
        return arrays

    # ------------------------------------------------------------ numbers

    def evaluate(
        self,
        q: ArrayLike,
        v: ArrayLike,
        tau: ArrayLike = (),
        t: float = 0.0,
        parameters: Mapping[str, float] | None = None,
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """q' and v' as numbers, node by node; parameters that are not given have their own values."""
        given: dict[str, Any] = {"q": q, "v": v, "tau": tau, "t": [t]}
        wanted = {
            key: array(given[key], nodes.shape, f"evaluate: {key}") for key, nodes in self.explicit.inputs.items()
        }
        found = self.explicit.evaluate(self.numbers(parameters), **wanted)
        return found["rate"], found["a"]

    def numbers(self, parameters: Mapping[str, float] | None = None) -> dict[str, float]:
        """Values of all parameters, with some of them replaced."""
        known = {leaf.name for leaf in self.variables.symbols}
        for name in parameters or {}:
            if name not in known:
                raise StateError(f"{self.name}: no parameter {name!r}{nearest(name, known)}")
        numbers = {**self.variables.values, **(parameters or {})}
        missing = sorted(known - numbers.keys())
        if missing:
            raise StateError(f"{self.name}: expected a number for the parameter {missing[0]!r}, got none")
        return numbers

    def compile(self, parameters: Mapping[str, float] | None = None, threads: int | None = None) -> CompiledFunction:
        """q' and v' as machine code, kept on disk for the next time; other numbers compile nothing.

        Only a parameter that is or becomes 0, 1 or -1 has code of its own.

        Called as `f(q, v, tau)` with arrays (..., n) whose leading axes broadcast, which gives (rate, a). The arguments
        are the inputs of `explicit`: without tau where nothing is given from outside, and with time t (..., 1) before
        q where something depends on it.

        Parameters
        ----------
        parameters : mapping of name to number, optional
            Those that are not given have their own values.
        threads : int, optional
            Cores that a large batch is spread over; all if not given.
        """
        numbers, explicit = self.numbers(parameters), self.explicit
        graph = Graph()  # a new one: in this one, nodes of earlier numbers would pile up and change the order
        inputs = {
            name: np.array([graph.new_input(leaf.name, leaf.kind) for leaf in x.flat], dtype=object)
            for name, x in explicit.inputs.items()
        }
        image = {old: new for name, x in inputs.items() for old, new in zip(explicit.inputs[name].flat, x, strict=True)}
        image |= {leaf: graph.constant(numbers[leaf.name]) for leaf in self.variables.symbols}
        outputs = explicit.moved(graph, image)
        function = Function(explicit.name, graph, inputs, outputs)
        return CompiledFunction.of(function, threads, name=f"{explicit.name} of {self.name!r}")

    # ------------------------------------------------------------ texts

    def __repr__(self) -> str:
        inputs = f", {len(self.variables.inputs)} inputs" if len(self.variables.inputs) else ""
        sizes = f"{len(self.variables.q)} coordinates, {len(self.variables.v)} speeds{inputs}"
        return f"<supple equations of motion of {self.name!r}: {sizes}, by {self.route!r}>"

    def _repr_latex_(self) -> str | None:
        """The form M v' = f where that is short; a notebook shows the line of `repr` otherwise."""
        short = implicit_latex(self.form or self)
        return None if short is None else f"$$\n{short.replace('{align*}', '{aligned}')}$$"

    def text(self) -> str:
        """For reading: the form M v' = f as textbooks print it, where that is short, and the whole listing."""
        short = implicit_text(self.form or self)
        return (f"{short}\n" if short else "") + listing(self.printed)

    def latex(self) -> str:
        """For typesetting: the form M v' = f, where that is short, and the explicit equations."""
        short = implicit_latex(self.form or self)
        return (f"{short}\n" if short else "") + latex(self.printed)

    def markdown(self) -> str:
        """As a Markdown page: the explicit equations with tables of their symbols."""
        return markdown(self.printed)

    def c_source(self) -> str:
        """The explicit equations as a C99 function."""
        return c_source(self.printed)

    def python_source(self) -> str:
        """The explicit equations as a Python module."""
        return python_source(self.printed)

    def program(
        self,
        q: Start | None = None,
        v: Start | None = None,
        tau: Start | None = None,
        run: ProgramRun | None = None,
    ) -> str:
        """A stand-alone simulation program in C99, with these numbers as its defaults.

        Parameters
        ----------
        q, v, tau : array_like or mapping of name to number, optional
            State at time 0, and inputs; zero if not given. Loops are closed: dependent coordinates are a guess.
        run : ProgramRun, optional
            Duration, number of rows, tolerances.

        Raises
        ------
        StateError
            If there are closed loops that these equations do not close, or that cannot be closed.
        """
        if self.route == CLOSED:
            raise StateError(
                f"model {self.name!r}: these equations alone do not keep closed loops closed; expected a program of "
                "the whole run, by `supple equations` from a file or by supple.simulation.run_program.run_program"
            )
        closing = closing_function(self)
        explicit, known = self.explicit, self.numbers()
        if closing is not None:  # all functions of a program have the same parameters
            both = [leaf for leaf in self.variables.symbols if leaf in {*explicit.parameters, *closing.parameters}]
            explicit, closing = (Function(f.name, f.graph, f.inputs, f.outputs, both) for f in (explicit, closing))
        given = {"q": (self.variables.q, q), "v": (self.variables.v, v), "tau": (self.variables.inputs, tau)}
        start = {key: self._named(key, leaves, x) for key, (leaves, x) in given.items()}
        start["q"] = closed_coordinates(self, start["q"])
        held = {"tau": start["tau"]} if len(self.variables.inputs) else {}
        numbers = {leaf.name: known[leaf.name] for leaf in explicit.parameters}
        parts = replace(parts_of(explicit), closing=closing)
        return simulation_program(parts, numbers, start["q"], start["v"], held, run)

    def _named(self, key: str, leaves: Nodes, x: Start | None) -> NDArray[np.float64]:
        """Numbers for all leaves, those that are not given zero."""
        names = tuple(leaf.name for leaf in leaves)
        return named_vector(names, {} if x is None else x, key)

    # ------------------------------------------------------------ linear equations

    @cached_property
    def linear(self) -> Function:
        """A and B in symbols: x' = A x + B tau for small departures x of the state (q, v).

        Of closed loops the independent coordinates alone are in x; the dependent ones follow from the closures.
        """
        if self.route == CLOSED:
            raise ModelError(
                f"model {self.name!r}: closed loops have no linear equations in symbols; "
                "`supple.linear.state_space` has them in numbers"
            )
        out = np.concatenate([self.terms.rates, self.terms.accelerations])
        A_q, A_v = jacobian(out, self.variables.q), jacobian(out, self.variables.v)
        B = jacobian(out, self.variables.inputs)
        keep = np.ones(len(out), dtype=bool)
        if self.dependence is not None and len(self.dependence.coordinates):
            dependent = [list(self.variables.q).index(x) for x in self.dependence.coordinates]
            keep[dependent] = False
            own = [i for i in range(len(self.variables.q)) if i not in dependent]
            slopes = jacobian(self.dependence.closures, self.variables.q)
            G = solve_general(slopes[:, dependent], -slopes[:, own])
            A_q = A_q[:, own] + A_q[:, dependent] @ G
        A = np.concatenate([A_q, A_v], axis=1)[keep]
        return self.function("linear_equations", {"A": A, "B": B[keep]})
