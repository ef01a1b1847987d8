"""A sweep printed as C: the same source that becomes machine code, as functions that a program carries with it.

The language is that of `translate`, as far as loops over time need it: real numbers, arrays of known shapes. Every step
becomes a function. Arrays in named tuples are arrays of the program by their names; those that are handed over alone
become pointers. Numbers that are known while printing are written as they are, and decide conditions.
"""

from __future__ import annotations

import ast
import re
from typing import Any

import numpy as np

from supple.engines.sweeps.c_expressions import Expressions
from supple.engines.sweeps.c_values import C_TYPES, CArray, CNumber, CStep, as_number, number_kind
from supple.engines.sweeps.translate import Widened, syntax
from supple.engines.sweeps.values import FLOAT, INT, wider
from supple.expressions.printers.c99 import KEYWORDS

HELPERS = {
    "lesser": "static double lesser(double a, double b)\n{\n    return b < a ? b : a;\n}\n",
    "greater": "static double greater(double a, double b)\n{\n    return b > a ? b : a;\n}\n",
    "side_of": "static double side_of(double x)\n{\n    return x > 0.0 ? 1.0 : x < 0.0 ? -1.0 : x;\n}\n",
    "squared": "static double squared(double x)\n{\n    return x * x;\n}\n",
}
"""As the language of sweeps has them: the first where neither is less, and where one is not a number."""
WIDTH = 110
"""Longest line of declarations."""


class CText:
    """Functions of C, printed as they are needed, each after those it calls.

    Parameters
    ----------
    context : str
        Type and name of a pointer, "struct simulation *now", that functions take first which reach arrays through it:
        those whose names begin with "now->". Empty if all arrays are the program's own.

    Attributes
    ----------
    functions : list of str
        Their texts.
    """

    def __init__(self, context: str = "") -> None:
        self.functions: list[str] = []
        self.context = context
        self._known: dict[Any, CStep] = {}
        self._names: set[str] = set()

    def function(self, step: Any, args: tuple[Any, ...]) -> CStep:
        """A step with arguments of these forms."""
        key = step.py_func, tuple(_form(x) for x in args)
        if key not in self._known:
            kinds: dict[str, str] = {}
            while True:
                body = _Body(self, step.py_func, kinds)
                try:
                    body.run(args)
                    break
                except Widened:
                    continue
            name, number = step.py_func.__name__, 1
            while name in self._names:
                number += 1
                name = f"{step.py_func.__name__}_{number}"
            self._names.add(name)
            self.functions.append(body.text(name))
            self._known[key] = CStep(name, body.returned, body.written_flags, body.takes_context)
        return self._known[key]


def _form(x: Any) -> Any:
    """What makes two arguments alike for a function that is printed once for both."""
    if isinstance(x, CNumber):
        return "number", x.kind
    if isinstance(x, CArray):
        return "array", x.kind, tuple(n if isinstance(n, int) else n.text for n in x.shape)
    if isinstance(x, tuple):
        return tuple((y.base, _form(y)) if isinstance(y, CArray) else _form(y) for y in x)
    return x


def _word(name: str) -> str:
    """A name as C takes it."""
    return f"{name}_" if name in KEYWORDS else name


class _Body(Expressions):
    """One function as it is printed."""

    def __init__(self, texts: CText, function: Any, kinds: dict[str, str]) -> None:
        super().__init__(function, texts.context.rpartition("*")[2])
        self.texts, self.kinds = texts, kinds
        self.definition, self.changing = syntax(function)
        self.lines: list[str] = []
        self.declared: dict[str, str] = {}
        self.parameters: list[tuple[str, str]] = []
        self.returned: str | None = None
        self.depth = 1

    def step(self, step: Any, args: tuple[Any, ...]) -> CStep:
        return self.texts.function(step, args)

    def run(self, args: tuple[Any, ...]) -> None:
        """Print all statements."""
        for x, value in zip(self.definition.args.args, args, strict=True):
            if isinstance(value, bool | int | float):
                self._bind(x.arg, value)
            else:
                self.names[x.arg] = self._parameter(x.arg, value)
        self._statements(self.definition.body)

    def _parameter(self, name: str, value: Any) -> Any:
        """An argument as the function sees it."""
        name = _word(name)
        if isinstance(value, CNumber):
            self.parameters.append((name, value.kind))
            return CNumber(value.kind, name)
        if isinstance(value, CArray):
            self.parameters.append((name, f"{value.kind}*"))
            return CArray(value.kind, name, value.shape)
        if isinstance(value, tuple) and hasattr(value, "_fields"):
            fields = zip(value._fields, value, strict=True)  # type: ignore[attr-defined]
            return type(value)(
                *(self._parameter(f"{name}_{field}", x) if isinstance(x, CNumber) else x for field, x in fields)
            )
        return value

    @property
    def written_flags(self) -> list[bool]:
        """Of the arrays among the parameters, which are written."""
        return [name in self.written for name, kind in self.parameters if kind.endswith("*")]

    @property
    def takes_context(self) -> bool:
        """Whether it reaches arrays through the context, or hands it on."""
        return bool(self.context) and self.context in re.findall(r"\w+", "\n".join(self.lines))

    def text(self, name: str) -> str:
        """The whole function, under its docstring."""
        words = [self.texts.context] if self.takes_context else []
        for parameter, kind in self.parameters:
            constant = "const " if kind.endswith("*") and parameter not in self.written else ""
            words.append(f"{constant}{C_TYPES[kind[0]]} {'*' if kind.endswith('*') else ''}{parameter}")
        purpose = (self.function.__doc__ or name).strip().splitlines()[0]
        own = self.declarations()
        used = set(re.findall(r"\w+", "\n".join(self.lines)))
        idle = [f"    (void){parameter};" for parameter, _ in self.parameters if parameter not in used]
        result = "void" if self.returned is None else C_TYPES[self.returned]
        head = f"static {result} {name}({', '.join(words) or 'void'})"
        return "\n".join([f"/* {purpose} */", head, "{", *own, *idle, *self.lines, "}", ""])

    def declarations(self) -> list[str]:
        """Lines that declare all variables."""
        return [line for kind in C_TYPES for line in self._declarations(kind)]

    def _declarations(self, kind: str) -> list[str]:
        """Lines that declare the variables of a kind."""
        lines: list[str] = []
        for variable in (x for x, own in self.declared.items() if own == kind):
            if lines and len(lines[-1]) + len(variable) < WIDTH:
                lines[-1] = f"{lines[-1][:-1]}, {variable};"
            else:
                lines.append(f"    {C_TYPES[kind]} {variable};")
        return lines

    def _line(self, text: str) -> None:
        self.lines.append("    " * self.depth + text)

    # ------------------------------------------------------------ statements

    def _statements(self, body: list[ast.stmt]) -> bool:
        """Print statements; whether the last one leads away from here."""
        return any(getattr(self, f"_{type(statement).__name__.lower()}")(statement) for statement in body)

    def _block(self, head: str, body: list[ast.stmt], tail: str = "}") -> None:
        self._line(f"{head} {{")
        self.depth += 1
        self._statements(body)
        self.depth -= 1
        self._line(tail)

    def _expr(self, statement: ast.Expr) -> None:
        if not isinstance(statement.value, ast.Constant):
            value = self.value(statement.value)
            if isinstance(value, CNumber):
                self._line(f"{value.text};")

    def _assign(self, statement: ast.Assign) -> None:
        (target,) = statement.targets
        self._put(target, self.value(statement.value))

    def _augassign(self, statement: ast.AugAssign) -> None:
        before = self.value(statement.target)
        self._put(statement.target, self._binary(type(statement.op).__name__, before, self.value(statement.value)))

    def _put(self, target: ast.expr, value: Any) -> None:
        if isinstance(target, ast.Name):
            self._bind(target.id, value)
        elif isinstance(target, ast.Tuple):
            self._put_all(target.elts, list(value))
        else:
            assert isinstance(target, ast.Subscript)
            array, index = self.value(target.value), self._index(target)
            self.written.add(array.base)
            self._line(f"{array.entry(index).text} = {as_number(value).text};")

    def _put_all(self, targets: list[ast.expr], values: list[Any]) -> None:
        """Several at once: values that an earlier assignment would change are kept first."""
        changed: set[str] = set()
        for i, (target, value) in enumerate(zip(targets, values, strict=True)):
            if i and isinstance(value, CNumber) and changed & set(re.findall(r"[A-Za-z_]\w*", value.text)):
                self._bind(f"kept_{i}", value)
                values[i] = self.names[f"kept_{i}"]
            name = target.id if isinstance(target, ast.Name) else ""
            changed |= {name} if name else {x.id for x in ast.walk(target) if isinstance(x, ast.Name)}
        for target, value in zip(targets, values, strict=True):
            self._put(target, value)

    def _bind(self, name: str, value: Any) -> None:
        """Give a variable its first or another value."""
        known = isinstance(value, bool | int | float) and name not in self.changing
        if known or not isinstance(value, CNumber | bool | int | float):
            self.names[name] = value
            return
        word = _word(name)
        kind = wider(number_kind(value), self.kinds.get(word, self.declared.get(word, number_kind(value))))
        if word in dict(self.parameters):
            kind = dict(self.parameters)[word]
        elif word in self.declared and kind != self.declared[word]:
            self.kinds[word] = kind
            raise Widened
        else:
            self.declared[word] = kind
        self.names[name] = CNumber(kind, word)
        self._line(f"{word} = {as_number(value).text};")

    def _if(self, statement: ast.If) -> bool:
        condition = self.truth(self.value(statement.test))
        if not isinstance(condition, CNumber):
            return self._statements(statement.body if condition else statement.orelse)
        names = dict(self.names)
        self._block(f"if ({condition.text})", statement.body, "} else {" if statement.orelse else "}")
        self._join(names)
        if statement.orelse:
            self.depth += 1
            self._statements(statement.orelse)
            self.depth -= 1
            self._line("}")
            self._join(names)
        return False

    def _join(self, before: dict[str, Any]) -> None:
        """What is known of variables behind a branch: numbers of the run stay, what the branch alone knew is gone."""
        self.names = {**before, **{key: x for key, x in self.names.items() if isinstance(x, CNumber)}}

    def _while(self, statement: ast.While) -> None:
        condition = self.truth(self.value(statement.test))
        self._block(f"while ({as_number(condition).text})", statement.body)

    def _continue(self, statement: ast.Continue) -> bool:
        self._line("continue;")
        return True

    def _break(self, statement: ast.Break) -> bool:
        self._line("break;")
        return True

    def _return(self, statement: ast.Return) -> bool:
        if statement.value is None:
            self._line("return;")
            return True
        value = as_number(self.value(statement.value))
        kind = value.kind if self.returned is None else wider(value.kind, self.returned)
        if self.returned is not None and kind != self.returned and self.kinds.get("return") != kind:
            self.kinds["return"] = kind
            raise Widened
        self.returned = wider(kind, self.kinds.get("return", kind))
        self._line(f"return {value.text};")
        return True

    def _for(self, statement: ast.For) -> None:
        assert isinstance(statement.target, ast.Name)
        name, items = statement.target.id, statement.iter
        if not (isinstance(items, ast.Call) and isinstance(items.func, ast.Name) and items.func.id == "range"):
            for x in self.value(items):
                self.names[name] = x
                self._statements(statement.body)
            return
        bounds = [self.value(x) for x in items.args]
        first, last = ([0, *bounds] if len(bounds) == 1 else bounds)[:2]
        downward = len(bounds) == 3
        if downward and bounds[2] != -1:
            raise NotImplementedError(f"a loop with the step {bounds[2]}")
        self.declared[name] = INT
        self.names[name] = CNumber(INT, name)
        limit = as_number(last)
        test, turn = (f"{name} > {limit.text}", f"{name}--") if downward else (f"{name} < {limit.text}", f"{name}++")
        self._block(f"for ({name} = {as_number(first).text}; {test}; {turn})", statement.body)


def step_lines(step: Any, arrays: tuple[CArray, ...]) -> list[str]:
    """Declarations and statements of a step on arrays, which are there under the names of its arguments.

    It calls no other step: the caller prints a function of its own around them.
    """
    kinds: dict[str, str] = {}
    while True:
        texts = CText()
        body = _Body(texts, step.py_func, kinds)
        try:
            body.run(arrays)
        except Widened:
            continue
        if texts.functions:
            raise NotImplementedError(f"{step.py_func.__name__} calls other steps")
        return [line.removeprefix("    ") for line in [*body.declarations(), *body.lines]]


def array_text(name: str, kind: str, x: Any) -> str:
    """A constant array of the program."""
    values = np.asarray(x).ravel()
    numbers = [as_number(float(v) if kind == FLOAT else int(v)).text for v in values] or ["0"]
    lines, line = [], "   "
    for number in numbers:
        if len(line) + len(number) + 2 > 118:
            lines.append(line)
            line = "   "
        line += f" {number},"
    return "\n".join([f"static const {C_TYPES[kind]} {name}[] = {{", *lines, line, "};"])
