"""The driver of tangents: values of a state, then the changes along all directions, a group of them at a time.

The lanes are directions of one state, or states that are moved along one direction.
"""

from __future__ import annotations

from supple.engines.blocks.arithmetic_code import vector
from supple.engines.blocks.driver import ARGUMENTS
from supple.engines.blocks.loop_code import LoopWriter
from supple.engines.blocks.tiers import count_down

TANGENT_DRIVER = "supple_tangent_driver"
DRIVER, PROGRAM, OFFSET, FIRST, JACOBIANS, GROUPS, HEADER = range(2, 9)
"""Words of a program after those of `tiers`; the sizes of its Jacobians begin at the last."""


def driver_text(lanes: int, states: bool) -> str:
    """The driver in LLVM code, of the same form as that of values.

    A program is: the words of `tiers`; the driver of the values, their program, byte offset of the tangents' memory,
    the first of the arrays that are Jacobians, their number, the number of groups; sizes of the Jacobians; then for
    each group the number of its directions and the byte offset of the cell that is moved by each; the number of its
    tangents, and for each the addresses of function and table; the addresses of the function that takes the results
    and of its table.
    """
    f = LoopWriter(f"define void @{TANGENT_DRIVER}({ARGUMENTS}) nounwind")
    values, own = (f.load("ptr", "%program", str(i)) for i in (DRIVER, PROGRAM))
    tangents = f.at("i8", "%memory", f.load("i64", "%program", str(OFFSET)))
    first, jacobians, groups = (f.load("i64", "%program", str(i)) for i in (FIRST, JACOBIANS, GROUPS))
    sizes = f.at("i64", "%program", str(HEADER))
    place = f.slot("ptr")
    with f.loop("%start", "%stop", lanes if states else 1) as s:
        after = f.least(f.value(f"add i64 {s}, {lanes if states else 1}"), "%stop")
        f.line(
            f"call void {values}(ptr {own}, i64 {s}, i64 {after}, ptr %arrays, ptr %strides, ptr %memory, ptr %numbers)"
        )
        with f.loop("0", jacobians) as n, f.loop(s, after) as state:
            row = f.row(f.value(f"add i64 {first}, {n}"), state)
            size = f.value(f"mul i64 8, {f.load('i64', sizes, n)}")
            f.line(f"call void @llvm.memset.p0.i64(ptr {row}, i8 0, i64 {size}, i1 false)")
        f.line(f"store ptr {f.at('i64', sizes, jacobians)}, ptr {place}")
        with f.loop("0", groups):
            _group(f, lanes, states, place, tangents, (s, after))
    count_down(f, f.value("sub i64 %stop, %start"))
    return f.text() + "\ndeclare void @llvm.memset.p0.i64(ptr, i8, i64, i1)"


def _group(f: LoopWriter, lanes: int, states: bool, place: str, tangents: str, between: tuple[str, str]) -> None:
    """Seeds, tangents and results of one group."""
    words = f.value(f"load ptr, ptr {place}")
    directions = f.load("i64", words)
    unit = f.slot(f"[{lanes} x double]")
    with f.loop("0", directions) as i:
        for k in range(lanes):
            one = f.value(f"icmp eq i64 {i}, {k}")
            x = "1.0" if states else f.value(f"select i1 {one}, double 1.0, double 0.0")
            f.line(f"store double {x}, ptr {f.at('double', unit, str(k))}")
        cell = f.at("i8", tangents, f.load("i64", words, f.value(f"add i64 {i}, 1")))
        e = f.value(f"load {vector(lanes)}, ptr {unit}, align {8 * lanes}")
        f.line(f"store {vector(lanes)} {e}, ptr {cell}, align {8 * lanes}")
    calls = f.at("i64", words, f.value(f"add i64 {directions}, 1"))
    count = f.load("i64", calls)
    pairs = f.at("i64", calls, "1")
    with f.loop("0", count) as i:
        pair = f.at("{ ptr, ptr }", pairs, i)
        function, table = f.load("ptr", pair, "0"), f.load("ptr", pair, "1")
        f.line(f"call void {function}(ptr %memory, ptr {tangents}, ptr {table})")
    end = f.at("{ ptr, ptr }", pairs, count)
    function, table = f.load("ptr", end, "0"), f.load("ptr", end, "1")
    s, after = between
    arguments = f"ptr %memory, ptr {tangents}, ptr %arrays, ptr %strides, i64 {s}, i64 {after}, ptr {table}"
    f.line(f"call void {function}({arguments})")
    f.line(f"store ptr {f.at('i64', end, '2')}, ptr {place}")
