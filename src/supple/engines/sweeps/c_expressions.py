"""Expressions of the language of sweeps as C: what they are worth while a function is printed."""

from __future__ import annotations

import ast
import builtins
from abc import ABC, abstractmethod
from typing import Any

from supple.engines.llvm.call import _invoke
from supple.engines.sweeps.arithmetic import FUNCTIONS, FUNCTIONS_OF_KNOWN
from supple.engines.sweeps.c_values import (
    AND,
    CHOICE,
    OR,
    UNARY,
    CArray,
    CFunction,
    CNumber,
    CStep,
    as_number,
    binary,
    call,
    number_kind,
)
from supple.engines.sweeps.values import BOOL, FLOAT, INT, wider

CALLED = {"min": "lesser", "max": "greater", "abs": "fabs", "sign": "side_of"}
"""What functions are called in C, where it is not their name."""


class Expressions(ABC):
    """Values of expressions in one function.

    Parameters
    ----------
    function : function
        In plain Python.
    context : str
        Name of a pointer that the program's own equations take first; empty if there is none.

    Attributes
    ----------
    names : dict of str to value
        Of its variables.
    written : set of str
        Names of arrays that are written.
    """

    def __init__(self, function: Any, context: str = "") -> None:
        self.function, self.context = function, context
        self.names: dict[str, Any] = {}
        self.written: set[str] = set()

    @abstractmethod
    def step(self, step: Any, args: tuple[Any, ...]) -> CStep:
        """A step that is called."""

    def value(self, node: ast.expr) -> Any:
        """The value of an expression."""
        return getattr(self, f"_value_{type(node).__name__.lower()}")(node)

    def truth(self, x: Any) -> Any:
        """A condition: known, or of the run."""
        return x if isinstance(x, CNumber) else bool(x)

    def _binary(self, op: str, a: Any, b: Any) -> Any:
        if op != "Pow" or not (isinstance(a, CNumber) or isinstance(b, CNumber)):
            return binary(op, a, b)
        return call("squared", FLOAT, a) if b == 2 else call("pow", FLOAT, a, b)

    def _value_constant(self, node: ast.Constant) -> Any:
        return node.value

    def _value_name(self, node: ast.Name) -> Any:
        if node.id in self.names:
            return self.names[node.id]
        found = self.function.__globals__
        return found[node.id] if node.id in found else getattr(builtins, node.id)

    def _value_tuple(self, node: ast.Tuple) -> Any:
        return tuple(self.value(x) for x in node.elts)

    def _value_binop(self, node: ast.BinOp) -> Any:
        return self._binary(type(node.op).__name__, self.value(node.left), self.value(node.right))

    def _value_unaryop(self, node: ast.UnaryOp) -> Any:
        x = self.value(node.operand)
        if not isinstance(x, CNumber):
            return -x if isinstance(node.op, ast.USub) else not x
        sign = "-" if isinstance(node.op, ast.USub) else "!"
        return CNumber(x.kind, f"{sign}{x.within(UNARY + 1)}", UNARY)

    def _value_compare(self, node: ast.Compare) -> Any:
        left, found = self.value(node.left), []
        for op, comparator in zip(node.ops, node.comparators, strict=True):
            right = self.value(comparator)
            if isinstance(left, CFunction) or isinstance(right, CFunction):  # one that is there has no address 0
                found.append(isinstance(op, ast.NotEq))
            else:
                found.append(self._binary(type(op).__name__, left, right))
            left = right
        return self._joined(found, AND)

    def _value_boolop(self, node: ast.BoolOp) -> Any:
        decided = isinstance(node.op, ast.Or)
        parts: list[Any] = []
        for x in node.values:
            part = self.truth(self.value(x))
            if not isinstance(part, CNumber) and part is decided:
                return self._joined([*parts, part], OR) if parts else part
            if isinstance(part, CNumber):
                parts.append(part)
        return self._joined(parts, OR if decided else AND) if parts else not decided

    def _joined(self, parts: list[Any], level: int) -> Any:
        """All of them, or one of them."""
        if len(parts) == 1:
            return parts[0]
        sign = " && " if level == AND else " || "
        return CNumber(BOOL, sign.join(as_number(x).within(AND + 1) for x in parts), level)

    def _value_ifexp(self, node: ast.IfExp) -> Any:
        condition = self.truth(self.value(node.test))
        if not isinstance(condition, CNumber):
            return self.value(node.body if condition else node.orelse)
        a, b = as_number(self.value(node.body)), as_number(self.value(node.orelse))
        return CNumber(wider(a.kind, b.kind), f"{condition.within(OR)} ? {a.within(OR)} : {b.within(CHOICE)}", CHOICE)

    def _value_attribute(self, node: ast.Attribute) -> Any:
        x = self.value(node.value)
        return x if isinstance(x, CNumber) and node.attr == "real" else getattr(x, node.attr)

    def _index(self, node: ast.Subscript) -> tuple[Any, ...]:
        index = self.value(node.slice)
        return index if isinstance(index, tuple) else (index,)

    def _value_subscript(self, node: ast.Subscript) -> Any:
        x = self.value(node.value)
        if isinstance(node.slice, ast.Slice):
            first, last = (None if b is None else self.value(b) for b in (node.slice.lower, node.slice.upper))
            return x[first:last]
        index = self._index(node)
        if isinstance(x, tuple):
            return x[index[0]]
        return x.entry(index) if len(index) == len(x.shape) else x.row(index)

    def _value_call(self, node: ast.Call) -> Any:
        function, args = self.value(node.func), [self.value(x) for x in node.args]
        if function is _invoke:
            return self._invoked(args[0], args[3])
        if hasattr(function, "py_func"):
            return self._step(function, tuple(args))
        if function is len:
            return args[0].shape[0] if isinstance(args[0], CArray) else len(args[0])
        if function is int:
            return (
                args[0] if number_kind(args[0]) != FLOAT else CNumber(INT, f"(long){as_number(args[0]).within(UNARY)}")
            )
        if isinstance(function, type) and hasattr(function, "_fields"):
            return function(*args)
        name = FUNCTIONS[function]
        if not any(isinstance(x, CNumber) for x in args):
            return FUNCTIONS_OF_KNOWN[name](*args)
        if name not in ("min", "max"):
            return call(CALLED.get(name, name), FLOAT, *args)
        chosen = args[0]
        for x in args[1:]:
            chosen = call(CALLED[name], FLOAT, chosen, x)
        return chosen

    def _invoked(self, function: CFunction, arrays: tuple[CArray, ...]) -> CNumber:
        """A call of the program's own equations."""
        self.written |= {x.base for x in arrays[len(arrays) - function.results :]}
        texts = [self.context] * bool(self.context) + [x.pointer for x in arrays]
        return CNumber("", f"{function.name}({', '.join(texts)})")

    def _step(self, step: Any, args: tuple[Any, ...]) -> Any:
        name, kind, written, context = self.step(step, args)
        arrays = [x for x in args if isinstance(x, CArray)]
        self.written |= {x.base for x, flag in zip(arrays, written, strict=True) if flag}
        texts = [self.context] if context else []
        for x in args:
            if isinstance(x, CNumber):
                texts.append(x.text)
            elif isinstance(x, CArray):
                texts.append(x.pointer)
            elif isinstance(x, tuple):
                texts += [y.text for y in x if isinstance(y, CNumber)]
        return CNumber(kind or "", f"{name}({', '.join(texts)})")
