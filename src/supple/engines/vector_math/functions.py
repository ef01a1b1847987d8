"""The functions in a module: which formula each has, and what becomes of arguments the formula is not for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any, NamedTuple

from llvmlite import ir

from supple.engines.vector_math import elementary, exponential, inverse_trigonometric, logarithmic, trigonometric
from supple.engines.vector_math.lanes import DOUBLE, Lanes, lanes_type


class VectorFunction(NamedTuple):
    """How a function is computed.

    Attributes
    ----------
    arity : int
        Number of arguments.
    formula : callable
        From the arguments: the results, and whether in each lane libm is to be asked instead, None if never.
    libm : tuple of str
        Functions of libm that give the results for special arguments; empty if there are none.
    """

    arity: int
    formula: Callable[..., tuple[tuple[Lanes, ...], Lanes | None]]
    libm: tuple[str, ...] = ()


FUNCTIONS: dict[str, VectorFunction] = {
    "sincos": VectorFunction(1, trigonometric.sincos, ("sin", "cos")),
    "sin": VectorFunction(1, trigonometric.sin, ("sin",)),
    "cos": VectorFunction(1, trigonometric.cos, ("cos",)),
    "tan": VectorFunction(1, trigonometric.tan, ("tan",)),
    "asin": VectorFunction(1, inverse_trigonometric.asin),
    "acos": VectorFunction(1, inverse_trigonometric.acos),
    "atan": VectorFunction(1, inverse_trigonometric.atan),
    "atan2": VectorFunction(2, inverse_trigonometric.atan2, ("atan2",)),
    "exp": VectorFunction(1, exponential.exp, ("exp",)),
    "sinh": VectorFunction(1, exponential.sinh, ("sinh",)),
    "cosh": VectorFunction(1, exponential.cosh, ("cosh",)),
    "tanh": VectorFunction(1, exponential.tanh),
    "log": VectorFunction(1, logarithmic.log, ("log",)),
    "pow": VectorFunction(2, logarithmic.pow_, ("pow",)),
    "hypot": VectorFunction(2, elementary.hypot, ("hypot",)),
    "sqrt": VectorFunction(1, elementary.sqrt),
    "abs": VectorFunction(1, elementary.abs_),
    "sign": VectorFunction(1, elementary.sign),
    "min": VectorFunction(2, elementary.min_),
    "max": VectorFunction(2, elementary.max_),
}
"""Functions by name."""


def symbol(name: str, lanes: int) -> str:
    """The name in machine code of one of `FUNCTIONS`."""
    return f"supple_{name}_v{lanes}"


class VectorMath:
    """Elementary functions of vectors of doubles, emitted into one LLVM module.

    Each function is emitted once, when first called for, as an internal function to be inlined. Arguments for which its
    formula does not hold go, with all lanes, through libm's function in a cold function apart; the results of the other
    lanes do not change by that.

    Parameters
    ----------
    module : ir.Module
    lanes : int
        Number of doubles in a vector: 1, 2, 4 or 8. One lane is a plain double.

    Attributes
    ----------
    type : ir.Type
        Type of arguments and results.
    """

    def __init__(self, module: ir.Module, lanes: int) -> None:
        self.module, self.lanes = module, lanes
        self.type = lanes_type(DOUBLE, lanes)

    def sincos(self, builder: ir.IRBuilder, x: ir.Value) -> tuple[ir.Value, ir.Value]:
        """Sine and cosine of `x`, for less than the price of both."""
        pair = self.call(builder, "sincos", x)
        return builder.extract_value(pair, 0), builder.extract_value(pair, 1)

    def sincos_of(self, builder: ir.IRBuilder, angles: Sequence[ir.Value]) -> list[tuple[ir.Value, ir.Value]]:
        """Sines and cosines of several angles, with one guard for all: straight code as long as none is special."""
        pairs: list[tuple[ir.Value, ir.Value]] = []
        masks: list[ir.Value] = []
        for x in angles:
            (sine, cosine), special = trigonometric.sincos(Lanes(builder, x))
            pairs.append((sine.value, cosine.value))
            masks.append(special.value)
        if not pairs:
            return pairs
        fallback = self._fallback("sincos", FUNCTIONS["sincos"].libm, 1)
        with builder.goto_entry_block():
            slots = [self._slot(builder) for _ in range(2)]
        fast, slow = builder.block, builder.append_basic_block("special")
        done = builder.append_basic_block("done")
        anywhere = Lanes(builder, reduce(builder.or_, masks)).any()
        builder.cbranch(anywhere, slow, done).set_weights([1, 1 << 20])
        builder.position_at_end(slow)
        replaced = []
        for x, mask, pair in zip(angles, masks, pairs, strict=True):
            builder.store(x, slots[0], align=8)
            builder.call(fallback, slots)
            found = [builder.load(slot, align=8) for slot in slots]
            replaced.append([builder.select(mask, new, old) for new, old in zip(found, pair, strict=True)])
        builder.branch(done)
        builder.position_at_end(done)
        return [
            (self._merged(builder, old[0], fast, new[0], slow), self._merged(builder, old[1], fast, new[1], slow))
            for old, new in zip(pairs, replaced, strict=True)
        ]

    def _merged(self, builder: ir.IRBuilder, value: ir.Value, fast: Any, other: ir.Value, slow: Any) -> ir.Value:
        """The value from whichever block was run."""
        phi = builder.phi(self.type)
        phi.add_incoming(value, fast)
        phi.add_incoming(other, slow)
        return phi

    def call(self, builder: ir.IRBuilder, name: str, *arguments: ir.Value) -> ir.Value:
        """Value of the function `name`, one of `FUNCTIONS`; for "sincos" a structure of two vectors."""
        return builder.call(self._function(name), arguments)

    def external(self, name: str) -> str:
        """Emit a function that other modules can call; give its name there."""
        function = self._function(name)
        function.linkage = ""
        function.attributes.discard("alwaysinline")
        return str(function.name)

    def _function(self, name: str) -> ir.Function:
        """The function in the module, emitted if it is not there yet."""
        full = symbol(name, self.lanes)
        known = self.module.globals.get(full)
        if known is not None:
            return known
        arity, formula, fallback = FUNCTIONS[name]
        count = max(1, len(fallback))
        returned = self.type if count == 1 else ir.LiteralStructType([self.type] * count)
        function = ir.Function(self.module, ir.FunctionType(returned, [self.type] * arity), full)
        function.linkage = "internal"
        function.attributes.add("alwaysinline")
        function.attributes.add("nounwind")
        builder = ir.IRBuilder(function.append_basic_block())
        results, special = formula(*(Lanes(builder, a) for a in function.args))
        values = [r.value for r in results]
        if special is not None:
            values = self._guard(builder, self._fallback(name, fallback, arity), values, special)
        if count == 1:
            builder.ret(values[0])
        else:
            builder.ret(
                builder.insert_value(
                    builder.insert_value(ir.Constant(returned, ir.Undefined), values[0], 0), values[1], 1
                )
            )
        return function

    def _guard(
        self, builder: ir.IRBuilder, fallback: ir.Function, values: list[ir.Value], special: Lanes
    ) -> list[ir.Value]:
        """The values, replaced in the lanes that are special by what `fallback` makes of the arguments."""
        arguments = builder.function.args
        with builder.goto_entry_block():
            slots = [self._slot(builder) for _ in fallback.args]
        fast = builder.block
        slow = builder.append_basic_block("special")
        done = builder.append_basic_block("done")
        builder.cbranch(special.any(), slow, done).set_weights([1, 1 << 20])
        builder.position_at_end(slow)
        for argument, slot in zip(arguments, slots, strict=False):
            builder.store(argument, slot, align=8)
        builder.call(fallback, slots)
        replaced = [
            builder.select(special.value, builder.load(slot, align=8), value)
            for value, slot in zip(values, slots, strict=False)
        ]
        builder.branch(done)
        builder.position_at_end(done)
        return [self._merged(builder, v, fast, other, slow) for v, other in zip(values, replaced, strict=True)]

    def _slot(self, builder: ir.IRBuilder) -> ir.Value:
        """Room for one vector on the stack, aligned as doubles are."""
        slot = builder.alloca(self.type)
        slot.align = 8
        return slot

    def _fallback(self, name: str, library: tuple[str, ...], arity: int) -> ir.Function:
        """Function that reads arguments from its first slots and writes libm's results there, lane by lane."""
        full = f"supple_{name}_libm_v{self.lanes}"
        known = self.module.globals.get(full)
        if known is not None:
            return known
        slots = max(arity, len(library))
        kind = ir.FunctionType(ir.VoidType(), [self.type.as_pointer()] * slots)
        function = ir.Function(self.module, kind, full)
        function.linkage = "internal"
        # The usual calling convention: LLVM spills around the call only. Under preserve_allcc the callee's vzeroupper
        # would destroy the upper halves of the registers it has restored (LLVM 22).
        for attribute in ("noinline", "cold", "nounwind"):
            function.attributes.add(attribute)
        builder = ir.IRBuilder(function.append_basic_block())
        arguments = [builder.load(slot, align=8) for slot in function.args[:arity]]
        for symbol, slot in zip(library, function.args, strict=False):
            scalar = self._library(symbol, arity)
            if self.lanes == 1:
                builder.store(builder.call(scalar, arguments), slot, align=8)
                continue
            result: Any = ir.Constant(self.type, ir.Undefined)
            for lane in (ir.Constant(ir.IntType(32), i) for i in range(self.lanes)):
                value = builder.call(scalar, [builder.extract_element(a, lane) for a in arguments])
                result = builder.insert_element(result, value, lane)
            builder.store(result, slot, align=8)
        builder.ret_void()
        return function

    def _library(self, symbol: str, arity: int) -> ir.Function:
        """Declaration of libm's function."""
        known = self.module.globals.get(symbol)
        return known or ir.Function(self.module, ir.FunctionType(DOUBLE, [DOUBLE] * arity), symbol)
