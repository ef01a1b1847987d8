"""From the syntax tree of a sweep to LLVM code: every step that it calls is written out in its place.

The language: assignments, tuples, arithmetic, comparisons, `if`, `for ... in range(...)`, `while`, `break`, `continue`,
`return`, entries and rows of arrays, fields of named tuples, calls of steps. Loops whose bounds are known and short,
and those over entries of tuples, are unrolled; conditions that are known are decided; everything else is code.
"""

from __future__ import annotations

import ast
import builtins
import inspect
import textwrap
from collections import Counter
from collections.abc import Callable
from functools import cache
from typing import Any

from supple.engines.sweeps.arithmetic import FUNCTIONS, Arithmetic
from supple.engines.sweeps.values import BOOL, COMPLEX, FLOAT, INT, MASK, Arr, Code, Num, Slot, kind_of, wider

UNROLLED = 3
"""Longest loop of known length that is written out without need."""
MOST = 64
"""Longest that is written out at all."""


class NotKnown(Exception):
    """Something has to be known while compiling, and is not: an index into a tuple."""


class Widened(Exception):
    """A variable turned out to be of a wider kind than was thought; the function has to be written anew."""


class Intrinsic:
    """A function that the compiler writes by itself.

    Parameters
    ----------
    write : function of (Code, Arithmetic, *values)
        Writes the code; gives the value.
    """

    def __init__(self, write: Callable[..., Any]) -> None:
        self.write = write


@cache
def syntax(function: Any) -> tuple[ast.FunctionDef, frozenset[str]]:
    """The definition of a function, and the variables in it that are assigned more than once."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    definition = tree.body[0]
    assert isinstance(definition, ast.FunctionDef)
    count: Counter[str] = Counter(x.arg for x in definition.args.args)
    for node in ast.walk(definition):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            count[node.id] += 1
        if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            count[node.target.id] += 1
    return definition, frozenset(name for name, n in count.items() if n > 1)


@cache
def _within(node: ast.AST, *kinds: type[ast.AST]) -> list[Any]:
    """All nodes of some kinds in another. Looked for once: steps are written out at every place that calls them."""
    return [x for x in ast.walk(node) if isinstance(x, kinds)]


class Scope:
    """One call of a function, written out.

    Parameters
    ----------
    code : Code
    function : function
        The step or sweep in plain Python.
    path : tuple
        Which call it is, for the kinds of its variables.
    kinds : dict
        Kinds that variables were found to have, by path and name.
    """

    def __init__(self, code: Code, function: Any, path: tuple[Any, ...], kinds: dict[Any, str]) -> None:
        self.code, self.do, self.path, self.kinds = code, Arithmetic(code), path, kinds
        self.function, self.names = function, dict[str, Any]()
        self.definition, self.changing = syntax(function)
        self.loops: list[tuple[str, str]] = []
        self.exit = ""
        self.result: Any = None
        self._calls = 0

    def run(self, args: tuple[Any, ...]) -> Any:
        """Write the whole function; give its value."""
        parameters = [x.arg for x in self.definition.args.args]
        rest = self.definition.args.vararg
        if len(args) != len(parameters) and rest is None:
            raise TypeError(f"{self.function.__name__}: expected {len(parameters)} arguments, got {len(args)}")
        for name, value in zip(parameters, args, strict=False):
            self._bind(name, value)
        if rest is not None:
            self.names[rest.arg] = tuple(args[len(parameters) :])
        body = self.definition.body
        last = body[-1]
        if isinstance(last, ast.Return) and len(_within(self.definition, ast.Return)) == 1:
            self._statements(body[:-1])
            return None if last.value is None else self.value(last.value)
        self.exit = self.code.label()
        self._statements(body)
        self.code.start(self.exit)
        return self._loaded(self.result)

    # ------------------------------------------------------------ variables

    def _bind(self, name: str, value: Any) -> None:
        """Give a variable its first or another value."""
        if name not in self.changing or not _is_number_like(value):
            self.names[name] = value
            return
        slot = self.names.get(name)
        key = (*self.path, name)
        if not _is_slot_like(slot):
            slot = self.names[name] = self._slots(key, value)
        self._store(key, slot, value)

    def _slots(self, key: tuple[Any, ...], value: Any) -> Any:
        if isinstance(value, tuple):
            return tuple(self._slots((*key, i), x) for i, x in enumerate(value))
        kind = kind_of(value)
        return self.code.slot(wider(kind, self.kinds.get(key, kind)))

    def _store(self, key: tuple[Any, ...], slot: Any, value: Any) -> None:
        if isinstance(slot, tuple):
            if not isinstance(value, tuple) or len(value) != len(slot):
                raise TypeError(f"{self.function.__name__}: {key[-1]!r} changes its length")
            for i, (s, x) in enumerate(zip(slot, value, strict=True)):
                self._store((*key, i), s, x)
            return
        kind = wider(kind_of(value), slot.kind)
        if kind != slot.kind:
            self.kinds[key] = kind
            raise Widened
        x = self.do.as_kind(value, kind)
        text = self.code.types[FLOAT if kind == COMPLEX else kind]
        for part, place in zip((x.text, x.imaginary), slot.places, strict=False):
            self.code.do(f"store {text} {part}, ptr {place}")

    def _loaded(self, x: Any) -> Any:
        """The value that slots hold now."""
        if isinstance(x, tuple) and _is_slot_like(x):
            return tuple(self._loaded(y) for y in x)
        if not isinstance(x, Slot):
            return x
        text = self.code.types[FLOAT if x.kind == COMPLEX else x.kind]
        return Num(x.kind, *[self.code.add(f"load {text}, ptr {place}") for place in x.places])

    # ------------------------------------------------------------ statements

    def _statements(self, body: list[ast.stmt]) -> None:
        for statement in body:
            if self.code.ended:
                return  # what follows a return, break or continue
            getattr(self, f"_{type(statement).__name__.lower()}")(statement)

    def _pass(self, statement: ast.Pass) -> None:
        pass

    def _expr(self, statement: ast.Expr) -> None:
        if not isinstance(statement.value, ast.Constant):
            self.value(statement.value)

    def _assign(self, statement: ast.Assign) -> None:
        value = self.value(statement.value)
        for target in statement.targets:
            self._put(target, value)

    def _annassign(self, statement: ast.AnnAssign) -> None:
        assert statement.value is not None
        self._put(statement.target, self.value(statement.value))

    def _augassign(self, statement: ast.AugAssign) -> None:
        op = type(statement.op).__name__
        if isinstance(statement.target, ast.Name):
            before = self._loaded(self.names[statement.target.id])
            self._put(statement.target, self.do.binary(op, before, self.value(statement.value)))
            return
        assert isinstance(statement.target, ast.Subscript)
        array, index = self.value(statement.target.value), self.value(statement.target.slice)
        address = self._address(array, index)
        self._write(
            array.kind, address, self.do.binary(op, self._read(array.kind, address), self.value(statement.value))
        )

    def _put(self, target: ast.expr, value: Any) -> None:
        if isinstance(target, ast.Name):
            self._bind(target.id, value)
        elif isinstance(target, ast.Tuple):
            for x, part in zip(target.elts, value, strict=True):
                self._put(x, part)
        else:
            assert isinstance(target, ast.Subscript)
            self._set(self.value(target.value), target.slice, value)

    def _if(self, statement: ast.If) -> None:
        condition = self.do.truth(self.value(statement.test))
        if not isinstance(condition, Num):
            self._statements(statement.body if condition else statement.orelse)
            return
        if condition.kind == MASK:
            raise TypeError(f"{self.function.__name__}: {ast.unparse(statement.test)}: lanes take one course")
        yes, no, after = (self.code.label() for _ in range(3))
        self.code.branch_if(condition.text, yes, no)
        ended = []
        for label, body in ((yes, statement.body), (no, statement.orelse)):
            self.code.start(label)
            self._statements(body)
            ended.append(self.code.ended)
            if not self.code.ended:
                self.code.branch(after)
        if all(ended):
            return
        self.code.start(after)

    def _while(self, statement: ast.While) -> None:
        again, body, after = (self.code.label() for _ in range(3))
        self.code.start(again)
        condition = self.do.truth(self.value(statement.test))
        if isinstance(condition, Num):
            self.code.branch_if(condition.text, body, after)
        else:
            self.code.branch(body if condition else after)
        self.code.start(body)
        self.loops.append((again, after))
        self._statements(statement.body)
        self.loops.pop()
        if not self.code.ended:
            self.code.branch(again)
        self.code.start(after)

    def _break(self, statement: ast.Break) -> None:
        self.code.branch(self.loops[-1][1])

    def _continue(self, statement: ast.Continue) -> None:
        self.code.branch(self.loops[-1][0])

    def _return(self, statement: ast.Return) -> None:
        value = None if statement.value is None else self.value(statement.value)
        if value is not None:
            key = (*self.path, "return")
            if self.result is None:
                self.result = self._slots(key, value)
            self._store(key, self.result, value)
        self.code.branch(self.exit)

    def _for(self, statement: ast.For) -> None:
        assert isinstance(statement.target, ast.Name)
        items = self._items(statement.iter)
        if isinstance(items, tuple):
            self._unrolled(statement, items)
            return
        if all(isinstance(x, int) for x in (items.first, items.last)):
            count = len(range(items.first, items.last, items.step))
            jumps = _within(statement, ast.Break, ast.Continue)
            if count <= UNROLLED and not jumps:
                self._unrolled(statement, tuple(range(items.first, items.last, items.step)))
                return
            if count <= MOST and not jumps:
                names = dict(self.names)
                try:
                    with self.code.attempt():
                        self._rolled(statement, items)
                except NotKnown:
                    self.names = names
                    self._unrolled(statement, tuple(range(items.first, items.last, items.step)))
                return
        self._rolled(statement, items)

    def _items(self, node: ast.expr) -> Any:
        """What a loop runs over: known items, or a range."""
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "range":
            bounds = [self.value(x) for x in node.args]
            first, last = (0, bounds[0]) if len(bounds) == 1 else bounds[:2]
            step = bounds[2] if len(bounds) == 3 else 1
            if not isinstance(step, int):
                raise NotKnown("the step of a range")
            return _Range(first, last, step)
        return tuple(self.value(node))

    def _unrolled(self, statement: ast.For, items: tuple[Any, ...]) -> None:
        assert isinstance(statement.target, ast.Name)
        for i in items:
            self.names[statement.target.id] = i
            self._statements(statement.body)

    def _rolled(self, statement: ast.For, items: _Range) -> None:
        assert isinstance(statement.target, ast.Name)
        counter = self.code.slot(INT)
        first, last = self.do.as_kind(items.first, INT), self.do.as_kind(items.last, INT)
        self.code.do(f"store i64 {first.text}, ptr {counter.places[0]}")
        again, body, forward, after = (self.code.label() for _ in range(4))
        self.code.start(again)
        i = self.code.add(f"load i64, ptr {counter.places[0]}")
        more = self.code.add(f"icmp {'slt' if items.step > 0 else 'sgt'} i64 {i}, {last.text}")
        self.code.branch_if(more, body, after)
        self.code.start(body)
        self.names[statement.target.id] = Num(INT, i)
        self.loops.append((forward, after))
        self._statements(statement.body)
        self.loops.pop()
        self.code.start(forward)
        i = self.code.add(f"load i64, ptr {counter.places[0]}")
        i = self.code.add(f"add nsw i64 {i}, {items.step}")
        self.code.do(f"store i64 {i}, ptr {counter.places[0]}")
        self.code.branch(again)
        self.code.start(after)

    # ------------------------------------------------------------ expressions

    def value(self, node: ast.expr) -> Any:
        """The value of an expression: known, a number of the run, an array, a tuple of these."""
        return getattr(self, f"_value_{type(node).__name__.lower()}")(node)

    def _value_constant(self, node: ast.Constant) -> Any:
        return node.value

    def _value_name(self, node: ast.Name) -> Any:
        if node.id in self.names:
            return self._loaded(self.names[node.id])
        found = self.function.__globals__
        return found[node.id] if node.id in found else getattr(builtins, node.id)

    def _value_tuple(self, node: ast.Tuple) -> Any:
        out: list[Any] = []
        for x in node.elts:
            if isinstance(x, ast.Starred):
                out.extend(self.value(x.value))
            else:
                out.append(self.value(x))
        return tuple(out)

    def _value_binop(self, node: ast.BinOp) -> Any:
        a, b = self.value(node.left), self.value(node.right)
        return self.do.binary(type(node.op).__name__, a, b)

    def _value_unaryop(self, node: ast.UnaryOp) -> Any:
        x = self.value(node.operand)
        if isinstance(node.op, ast.USub):
            return self.do.negative(x)
        assert isinstance(node.op, ast.Not)
        truth = self.do.truth(x)
        return Num(BOOL, self.code.add(f"xor i1 {truth.text}, true")) if isinstance(truth, Num) else not truth

    def _value_compare(self, node: ast.Compare) -> Any:
        left = self.value(node.left)
        found: Any = True
        for op, comparator in zip(node.ops, node.comparators, strict=True):
            right = self.value(comparator)
            if isinstance(op, ast.Is | ast.IsNot):
                one: Num | bool = (left is right) == isinstance(op, ast.Is)
            else:
                one = self.do.compare(type(op).__name__, left, right)
            found = one if found is True else self._both(found, one)
            left = right
        return found

    def _both(self, a: Any, b: Any) -> Any:
        """a and b, both already computed."""
        if isinstance(a, Num) and isinstance(b, Num):
            return Num(BOOL, self.code.add(f"and i1 {a.text}, {b.text}"))
        return (b if a else False) if not isinstance(a, Num) else (a if b else False)

    def _value_boolop(self, node: ast.BoolOp) -> Any:
        """Operands are computed only as far as they decide."""
        decided = isinstance(node.op, ast.Or)
        slot: Slot | None = None
        after = ""
        for i, operand in enumerate(node.values):
            truth = self.do.truth(self.value(operand))
            if not isinstance(truth, Num):
                if truth is decided or i == len(node.values) - 1:
                    if slot is None:
                        return truth
                    self.code.do(f"store i1 {int(truth)}, ptr {slot.places[0]}")
                    break
                continue
            if slot is None:
                if i == len(node.values) - 1:
                    return truth
                slot, after = self.code.slot(BOOL), self.code.label()
            self.code.do(f"store i1 {truth.text}, ptr {slot.places[0]}")
            if i < len(node.values) - 1:
                more = self.code.label()
                self.code.branch_if(truth.text, *((after, more) if decided else (more, after)))
                self.code.start(more)
        assert slot is not None
        self.code.start(after)
        return self._loaded(slot)

    def _value_ifexp(self, node: ast.IfExp) -> Any:
        condition = self.do.truth(self.value(node.test))
        if not isinstance(condition, Num):
            return self.value(node.body if condition else node.orelse)
        if condition.kind == MASK:
            return self.do.choose(condition, self.value(node.body), self.value(node.orelse))
        yes, no, after = (self.code.label() for _ in range(3))
        self._calls += 1
        key, slot = (*self.path, self._calls, "choice"), None
        self.code.branch_if(condition.text, yes, no)
        for label, branch in ((yes, node.body), (no, node.orelse)):
            self.code.start(label)
            value = self.value(branch)
            slot = self._slots(key, value) if slot is None else slot
            self._store(key, slot, value)
            self.code.branch(after)
        self.code.start(after)
        return self._loaded(slot)

    def _value_attribute(self, node: ast.Attribute) -> Any:
        x = self.value(node.value)
        if isinstance(x, Arr) and node.attr == "shape":
            return x.shape
        if isinstance(x, Num | float) and node.attr == "real":
            return Num(FLOAT, x.text) if isinstance(x, Num) and x.kind == COMPLEX else x
        return getattr(x, node.attr)

    def _value_subscript(self, node: ast.Subscript) -> Any:
        x = self.value(node.value)
        if isinstance(node.slice, ast.Slice):
            bounds = [None if b is None else self.value(b) for b in (node.slice.lower, node.slice.upper)]
            return x[bounds[0] : bounds[1]]
        index = self.value(node.slice)
        if isinstance(x, tuple):
            if not isinstance(index, int):
                raise NotKnown("the index of an entry of a tuple")
            return x[index]
        if not isinstance(x, Arr):
            raise TypeError(f"{self.function.__name__}: {ast.unparse(node)}: expected an array or a tuple, got {x!r}")
        axes = len(index) if isinstance(index, tuple) else 1
        address = self._address(x, index)
        if axes == len(x.shape):
            return self._read(x.kind, address)
        return Arr(x.kind, address, x.shape[axes:])

    def _value_call(self, node: ast.Call) -> Any:
        function = self.value(node.func)
        args: list[Any] = []
        for x in node.args:
            if isinstance(x, ast.Starred):
                args.extend(self.value(x.value))
            else:
                args.append(self.value(x))
        if hasattr(function, "py_func"):
            self._calls += 1
            path = (*self.path, self._calls)
            return Scope(self.code, function.py_func, path, self.kinds).run(tuple(args))
        if isinstance(function, Intrinsic):
            return function.write(self.code, self.do, *args)
        if function is len:
            return args[0].shape[0] if isinstance(args[0], Arr) else len(args[0])
        if function is int:
            return self.do.as_kind(args[0], INT) if isinstance(args[0], Num) else int(args[0])
        if isinstance(function, type) and hasattr(function, "_fields"):
            return function(*args)
        if function not in FUNCTIONS:
            raise TypeError(f"{self.function.__name__}: {ast.unparse(node)}: no function of the language")
        return self.do.function(FUNCTIONS[function], *args)

    # ------------------------------------------------------------ arrays

    def _address(self, x: Arr, index: Any) -> str:
        """Of an entry, or where a row or a part of the array begins."""
        given = index if isinstance(index, tuple) else (index,)
        at: Any = 0
        for i, length in zip(given, x.shape, strict=False):
            at = self.do.binary("Add", self.do.binary("Mult", at, length) if at != 0 else 0, i)
        for length in x.shape[len(given) :]:
            at = self.do.binary("Mult", at, length)
        at = self.do.as_kind(at, INT)
        size = {FLOAT: self.code.types[FLOAT], COMPLEX: "{ double, double }", INT: "i64", BOOL: "i8"}[x.kind]
        return self.code.add(f"getelementptr inbounds {size}, ptr {x.data}, i64 {at.text}")

    def _read(self, kind: str, address: str) -> Num:
        if kind == BOOL:
            byte = self.code.add(f"load i8, ptr {address}")
            return Num(BOOL, self.code.add(f"icmp ne i8 {byte}, 0"))
        if kind != COMPLEX:
            align = self.code.align if kind == FLOAT else "8"
            return Num(kind, self.code.add(f"load {self.code.types[kind]}, ptr {address}, align {align}"))
        second = self.code.add(f"getelementptr inbounds double, ptr {address}, i64 1")
        return Num(COMPLEX, *[self.code.add(f"load double, ptr {x}, align 8") for x in (address, second)])

    def _write(self, kind: str, address: str, value: Any) -> None:
        x = self.do.as_kind(value, kind)
        if kind == BOOL:
            byte = self.code.add(f"zext i1 {x.text} to i8")
            self.code.do(f"store i8 {byte}, ptr {address}")
            return
        align = self.code.align if kind == FLOAT else "8"
        self.code.do(
            f"store {self.code.types[FLOAT if kind == COMPLEX else kind]} {x.text}, ptr {address}, align {align}"
        )
        if kind == COMPLEX:
            second = self.code.add(f"getelementptr inbounds double, ptr {address}, i64 1")
            self.code.do(f"store double {x.imaginary}, ptr {second}, align 8")

    def _set(self, x: Arr, key: ast.expr, value: Any) -> None:
        """Give an entry, a row or all of an array a value."""
        if isinstance(key, ast.Slice):
            self._fill(x, value)
            return
        index = self.value(key)
        address = self._address(x, index)
        axes = len(index) if isinstance(index, tuple) else 1
        if axes == len(x.shape):
            self._write(x.kind, address, value)
        else:
            self._fill(Arr(x.kind, address, x.shape[axes:]), value)

    def _fill(self, x: Arr, value: Any) -> None:
        """All entries become one value."""
        count: Any = 1
        for length in x.shape:
            count = self.do.binary("Mult", count, length)
        counter = self.code.slot(INT)
        last = self.do.as_kind(count, INT)
        self.code.do(f"store i64 0, ptr {counter.places[0]}")
        again, body, after = (self.code.label() for _ in range(3))
        self.code.start(again)
        i = self.code.add(f"load i64, ptr {counter.places[0]}")
        self.code.branch_if(self.code.add(f"icmp slt i64 {i}, {last.text}"), body, after)
        self.code.start(body)
        flat = Arr(x.kind, x.data, (last,))
        self._write(x.kind, self._address(flat, Num(INT, i)), value)
        i = self.code.add(f"add nsw i64 {i}, 1")
        self.code.do(f"store i64 {i}, ptr {counter.places[0]}")
        self.code.branch(again)
        self.code.start(after)


class _Range:
    """A range whose bounds may be numbers of the run."""

    def __init__(self, first: Any, last: Any, step: int) -> None:
        self.first, self.last, self.step = first, last, step


def _is_number_like(x: Any) -> bool:
    """Whether a variable can change to and from it: a number, or a plain tuple of such."""
    if isinstance(x, tuple):
        return not hasattr(x, "_fields") and all(_is_number_like(y) for y in x)
    return isinstance(x, Num | bool | int | float)


def _is_slot_like(x: Any) -> bool:
    if isinstance(x, tuple):
        return bool(x) and all(_is_slot_like(y) for y in x)
    return isinstance(x, Slot)
