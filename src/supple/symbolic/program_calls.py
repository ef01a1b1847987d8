"""The functions of C by which a simulation program reaches its equations."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from supple.expressions.function import Function
from supple.expressions.printers.writing_plan import planned
from supple.symbolic.program_entries import PARAMETER
from supple.symbolic.program_parts import ProgramParts
from supple.symbolic.program_stepper import CONTEXT

LOCAL = ("t", "y", "u", "x", "out", "margin", "rate", "clock", "event", "time", "position", "velocity", "J", "M", "now")
"""Arguments of functions that call the equations."""
STATES = {"t": "t", "q": "y", "v": "y + COORDINATES", "z": "y + COORDINATES + SPEEDS", "u": "u"}
STATES |= {"a": "rate + COORDINATES"}
"""Where inputs of the equations stand among the arguments (t, y, u), and accelerations in the rates."""
RATES = {"rate": "out", "a": "out + COORDINATES", "z_rate": "out + COORDINATES + SPEEDS"}
"""Where the rates of a state go."""


class Reached(NamedTuple):
    """A function of C of (t, y, u) and more, by which a program reaches one of its equations.

    Attributes
    ----------
    name : str
    function : Function
    places : mapping of str to str
        Where its outputs go, in C.
    outputs : sequence of str
        Pointers to numbers that it writes.
    inputs : sequence of str
        Further pointers to numbers that it reads.
    given : mapping of str to str
        Where inputs of the equations stand that are not in the state, in C.
    before, after : sequences of str
        Lines round the call.
    linkage : str
        What stands in front of the equations in C.
    """

    name: str
    function: Function
    places: Mapping[str, str]
    outputs: Sequence[str] = ("out",)
    inputs: Sequence[str] = ()
    given: Mapping[str, str] = {}
    before: Sequence[str] = ()
    after: Sequence[str] = ()
    linkage: str = "static "


class Calls:
    """Texts of all calls.

    Parameters
    ----------
    parts : ProgramParts
    first : mapping of str to int
        Where kinds of entries begin.
    called : mapping of int to Function
        The functions as they are called in C, by the ids of those in `parts` and `more`.
    more : sequence of Reached
        Further functions.
    """

    def __init__(
        self,
        parts: ProgramParts,
        first: Mapping[str, int],
        called: Mapping[int, Function],
        more: Sequence[Reached] = (),
    ) -> None:
        self.parts, self.first, self.called, self.more = parts, first, called, more

    @property
    def members(self) -> list[str]:
        """Members of the structure: what depends on parameters alone."""
        return [f"double {f.name}_constants[{max(1, len(planned(f).constants))}];" for f in self._with_parameters()]

    def text(self) -> str:
        """All functions."""
        parts = self.parts
        lines = self._preparation()
        free = "free_rates" if parts.stops else "rates"
        lines += self._wrapper(Reached(free, parts.rates, RATES))
        accelerations = "a" in parts.columns.inputs and parts.titles
        before = ["double rate[STATE];", "rates(now, t, y, u, rate);"] if accelerations else []
        if before:
            lines += [f"static void rates({CONTEXT}, const double *t, const double *y, const double *u, double *out);"]
            lines.append("")
        if parts.titles:
            lines += self._wrapper(Reached("columns", parts.columns, {"column": "out"}, before=before))
        for reached in self._others():
            lines += self._wrapper(reached)
        lines += self._cases("tick", "clock", [(x.change, [("u", i) for i in x.places]) for x in parts.clocks])
        lines += self._cases("change", "event", [(x.change, x.places) for x in parts.events])
        for reached in self.more:
            lines += self._wrapper(reached)
        return "\n".join(lines)

    def _others(self) -> Iterable[Reached]:
        """What not every program has."""
        parts = self.parts
        if parts.watched is not None:
            yield Reached("watched_quantities", parts.watched, {"g": "out"})
        if parts.responses is not None:
            yield Reached("responses", parts.responses, {"X": "out"})
        if parts.open_responses is not None:
            yield Reached("open_responses", parts.open_responses, {"own": "out"})
        if parts.closing is not None:
            places = {"q": "out", "v": "out + COORDINATES", "margin": "margin"}
            own, rest = "COORDINATES + SPEEDS", "(STATE - COORDINATES - SPEEDS) * sizeof(double)"
            rest = f"memcpy(out + {own}, y + {own}, {rest});"
            yield Reached("closed", parts.closing, places, ("out", "margin"), after=(rest,))
        if parts.assembly is not None:
            rows = {key: key for key in ("position", "velocity", "J", "M")}
            yield Reached("constraints", parts.assembly.constraints, rows, tuple(rows))
            yield Reached("coordinate_rates", parts.assembly.kinematics, {"rate": "out"})

    def _with_parameters(self) -> list[Function]:
        return [f for f in self.called.values() if planned(f).parameters]

    def _preparation(self) -> list[str]:
        """What depends on parameters alone, whenever they change."""
        at = f"now->values + {self.first[PARAMETER]}"
        calls = [f"    {f.name}_precompute({at}, now->{f.name}_constants);" for f in self._with_parameters()]
        head = ["/* What depends on parameters alone, once before a run. */", f"static void prepare({CONTEXT})", "{"]
        return [*head, *(calls or ["    (void)now;"]), "}", ""]

    def _call(self, f: Function, places: Mapping[str, str], given: Mapping[str, str] | None = None) -> str:
        """A call of a function with the arguments (t, y, u) and places for its outputs."""
        plan, own = planned(f), STATES | dict(given or {})
        arguments = [own.get(key) or f"now->values + {self.first[key]}" for key in plan.inputs]
        if plan.parameters:
            arguments += [f"now->values + {self.first[PARAMETER]}", f"now->{f.name}_constants"]
        return f"{f.name}({', '.join([*arguments, *(places[key] for key in f.outputs)])});"

    def _wrapper(self, x: Reached) -> list[str]:
        """A function of (t, y, u) and more, with lines before and after the call."""
        call = self._call(self.called[id(x.function)], x.places, x.given)
        read = ("t", "y", "u", *x.inputs)
        arguments = [CONTEXT, *(f"const double *{name}" for name in read), *(f"double *{name}" for name in x.outputs)]
        used = set(re.findall(r"\w+", " ".join([*x.before, call, *x.after])))
        idle = [f"(void){name};" for name in ("now", *read, *x.outputs) if name not in used]
        body = [*x.before[:1], *idle, *x.before[1:], call, *x.after]
        return [f"static void {x.name}({', '.join(arguments)})", "{", *(f"    {line}" for line in body), "}", ""]

    def _cases(
        self, name: str, what: str, changes: Sequence[tuple[Function | None, Sequence[tuple[str, int]]]]
    ) -> list[str]:
        """A function that changes state and held values at an event, or at a tick of a clock."""
        if not changes:
            return []
        clock = name == "tick"
        lines = [f"/* What {'a tick of a clock' if clock else 'an event'} changes. */"]
        lines += [f"static void {name}({CONTEXT}, int {what}{', double time' if clock else ''})", "{"]
        wanted = [(i, f, places) for i, (f, places) in enumerate(changes) if f is not None]
        if not wanted:
            return [*lines, "    (void)now;", f"    (void){what};", "}", ""]
        size = max(len(places) for _, _, places in wanted)
        body = [f"double x[{size}];"]
        for i, f, places in wanted:
            call = self._call(self.called[id(f)], {"x": "x", "u": "x"})
            body += [f"if ({what} == {i}) {{", f"    {call}"]
            body += [f"    now->{array}[{place}] = x[{k}];" for k, (array, place) in enumerate(places)]
            body.append("}")
        used = set(re.findall(r"(?<!->)\b\w+", " ".join(body)))
        at = "time" if clock else "now->reached"
        head = [f"const double *const t = &{at}, *const y = now->y, *const u = now->u;"]
        idle = [f"(void){x};" for x in "tyu" if x not in used]
        return [*lines, *(f"    {line}" for line in [*head, *body[:1], *idle, *body[1:]]), "}", ""]
