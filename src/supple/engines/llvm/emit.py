"""From a graph to LLVM code: a loop over the batch whose body is straight-line code on vectors, a state a lane.

    void kernel(i64 start, i64 stop, double **arrays, i64 *strides)

evaluates the states start ... stop - 1. `arrays` are the inputs, then the outputs; a state's row in array i begins at
`strides[i]` times its number, so that an array with stride 0 serves all states. Lanes beyond the last state take the
last state over again and store what is there already: nothing is read or written past the end.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir

from supple.engines.vector_math import VectorMath
from supple.expressions.function import Function
from supple.expressions.graph import Expr

DOUBLE, I64, I32 = ir.DoubleType(), ir.IntType(64), ir.IntType(32)
FLAGS = ("contract", "reassoc")
"""Sums may be fused and regrouped by the compiler: the same way in every run, as the code is compiled once. Products
are not regrouped: constants that the graph keeps apart would be gathered into one that over- or underflows."""
NAME = "kernel"


def emit(function: Function, lanes: int) -> ir.Module:
    """The module with the kernel of a function."""
    module = ir.Module(name=function.name)
    kind = ir.FunctionType(ir.VoidType(), [I64, I64, DOUBLE.as_pointer().as_pointer(), I64.as_pointer()])
    kernel = ir.Function(module, kind, NAME)
    kernel.attributes.add("nounwind")
    kernel.attributes.alignstack = max(16, 8 * lanes)  # else half of all spilled vectors straddle cache lines
    start, stop, arrays, strides = kernel.args
    builder = ir.IRBuilder(kernel.append_basic_block("entry"))
    count = len(function.inputs) + len(function.outputs)
    bases = [_element(builder, arrays, i) for i in range(count)]
    steps = [_element(builder, strides, i) for i in range(count)]

    loop, done = kernel.append_basic_block("loop"), kernel.append_basic_block("done")
    before = builder.block
    builder.cbranch(builder.icmp_signed("<", start, stop), loop, done)
    builder.position_at_end(loop)
    state = builder.phi(I64)
    state.add_incoming(start, before)
    rows = _Rows(builder, state, stop, lanes, bases, steps)
    Body(builder, VectorMath(module, lanes), lanes, rows).emit(function)
    following = builder.add(state, ir.Constant(I64, lanes))
    state.add_incoming(following, builder.block)
    builder.cbranch(builder.icmp_signed("<", following, stop), loop, done)
    builder.position_at_end(done)
    builder.ret_void()
    return module


def _element(builder: ir.IRBuilder, pointer: ir.Value, i: int) -> ir.Value:
    return builder.load(builder.gep(pointer, [ir.Constant(I64, i)]))


class _Rows:
    """Where the rows of the states in the lanes begin, in every array."""

    def __init__(
        self, builder: ir.IRBuilder, state: Any, stop: Any, lanes: int, bases: list[Any], steps: list[Any]
    ) -> None:
        last = builder.sub(stop, ir.Constant(I64, 1))
        self.pointers: list[list[Any]] = [[] for _ in bases]
        for lane in range(lanes):
            wanted = builder.add(state, ir.Constant(I64, lane))
            number = builder.select(builder.icmp_signed("<", wanted, last), wanted, last)
            for i, (base, step) in enumerate(zip(bases, steps, strict=True)):
                self.pointers[i].append(builder.gep(base, [builder.mul(number, step)]))


class Body:
    """The straight-line code of one group of states."""

    def __init__(self, builder: ir.IRBuilder, math: VectorMath, lanes: int, rows: _Rows) -> None:
        self.builder, self.math, self.lanes, self.rows = builder, math, lanes, rows
        self.values: dict[int, Any] = {}
        self.pairs: dict[int, tuple[Any, Any]] = {}

    def emit(self, function: Function) -> None:
        """Load all inputs, compute, store all outputs."""
        for i, leaves in enumerate(function.inputs.values()):
            for leaf, vector in zip(leaves.flat, self._load(i, leaves.size), strict=True):
                self.values[leaf.id] = vector
        both = _paired_angles(function)
        ready = [angle for angle in sorted(both) if angle in self.values]
        self.pairs = dict(zip(ready, self.math.sincos_of(self.builder, [self.values[i] for i in ready]), strict=True))
        for node in function.order:
            if node.id not in self.values:
                self.values[node.id] = self._node(node, both)
        for i, outputs in enumerate(function.outputs.values(), start=len(function.inputs)):
            self._store(i, [self.values[node.id] for node in outputs.flat])

    def _load(self, array: int, columns: int) -> list[Any]:
        """All columns of an array, as vectors over the states: blocks of rows loaded whole and transposed."""
        b = self.builder
        vectors: list[Any] = [None] * columns
        for first in _blocks(columns, self.lanes):
            rows = [b.load(self._block(p, first), align=8) for p in self.rows.pointers[array]]
            vectors[first : first + self.lanes] = _transposed(b, rows)
        if columns < self.lanes:
            for column in range(columns):
                vectors[column] = ir.Constant(self.math.type, ir.Undefined)
                for lane, pointer in enumerate(self.rows.pointers[array]):
                    number = b.load(b.gep(pointer, [ir.Constant(I64, column)]))
                    vectors[column] = b.insert_element(vectors[column], number, ir.Constant(I32, lane))
        return vectors

    def _store(self, array: int, vectors: list[Any]) -> None:
        """The other way round."""
        b = self.builder
        for first in _blocks(len(vectors), self.lanes):
            block = _transposed(b, vectors[first : first + self.lanes])
            for row, pointer in zip(block, self.rows.pointers[array], strict=True):
                b.store(row, self._block(pointer, first), align=8)
        if len(vectors) < self.lanes:
            for column, vector in enumerate(vectors):
                for lane, pointer in enumerate(self.rows.pointers[array]):
                    number = b.extract_element(vector, ir.Constant(I32, lane))
                    b.store(number, b.gep(pointer, [ir.Constant(I64, column)]))

    def _block(self, pointer: Any, first: int) -> Any:
        """Address of as many columns as there are lanes."""
        at = self.builder.gep(pointer, [ir.Constant(I64, first)])
        return self.builder.bitcast(at, self.math.type.as_pointer())

    def _constant(self, value: float) -> Any:
        return ir.Constant(self.math.type, value if self.lanes == 1 else [value] * self.lanes)

    def _node(self, node: Expr, both: set[int]) -> Any:
        b, op = self.builder, node.op
        if op == "constant":
            return self._constant(node.value)
        x = [self.values[a.id] for a in node.args]
        if op == "add":
            return b.fadd(x[0], x[1], flags=FLAGS)
        if op == "sub":
            return b.fsub(x[0], x[1], flags=FLAGS)
        if op == "mul":
            return b.fmul(x[0], x[1], flags=("contract",))
        if op == "div":
            return b.fdiv(x[0], x[1])
        if op == "neg":
            return b.fneg(x[0])
        if op in ("sin", "cos") and node.args[0].id in both:
            angle = node.args[0].id
            if angle not in self.pairs:
                self.pairs[angle] = self.math.sincos(b, x[0])
            return self.pairs[angle][0 if op == "sin" else 1]
        return self.math.call(b, op, *x)


def _blocks(columns: int, lanes: int) -> list[int]:
    """First columns of blocks as wide as there are lanes; the last may overlap the one before."""
    starts = list(range(0, columns - lanes + 1, lanes))
    if columns > lanes and columns % lanes:
        starts.append(columns - lanes)
    return starts


def _transposed(builder: ir.IRBuilder, rows: list[Any]) -> list[Any]:
    """The columns of a square block given by its rows: log2(n) rounds of exchanges between rows d apart."""
    n = len(rows)
    rows = list(rows)
    d = 1
    while d < n:
        upper = ir.Constant(ir.VectorType(I32, n), [k if not k & d else n + k - d for k in range(n)])
        lower = ir.Constant(ir.VectorType(I32, n), [k + d if not k & d else n + k for k in range(n)])
        for i in range(n):
            if not i & d:
                x, y = rows[i], rows[i + d]
                rows[i], rows[i + d] = builder.shuffle_vector(x, y, upper), builder.shuffle_vector(x, y, lower)
        d *= 2
    return rows


def _paired_angles(function: Function) -> set[int]:
    """Nodes whose sine and cosine are both needed."""
    of = {name: {n.args[0].id for n in function.order if n.op == name} for name in ("sin", "cos")}
    return of["sin"] & of["cos"]
