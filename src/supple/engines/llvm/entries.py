"""One way into all machine code that has arrays of states: a record of words, the first of which is its entry.

    void entry(i64 *record, i64 start, i64 stop, double **arrays, i64 *strides)

evaluates the states start ... stop - 1. The rest of the record is what the entry needs: the
driver of a program of blocks with that program, its memory and its numbers. Code that calls others (integrators,
rollouts) knows the address of the record alone.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from supple.engines.llvm.jit import function_of

Words = NDArray[np.int64]
CALL = "ptr %record, i64 %start, i64 %stop, ptr %arrays, ptr %strides"
BLOCKS, TANGENTS = "supple_enter_blocks", "supple_enter_tangents"
"""Of blocks, and of blocks with tangents that are called with state and tangents in one array.

The last is called with (t, Y, U, out), where Y = [y, dy], U = [u, du] and out = [f, df]; the program's own arrays are
t, y, u, dt, dy, du, steps, f, df. Its record goes on with the lengths of y and u and the address of zeros for dt and
steps. It serves one state.
"""


def _stores(*names: str) -> str:
    """Pointers into the array `own`, in LLVM code."""
    return "\n".join(
        f"  %own{i} = getelementptr ptr, ptr %own, i64 {i}\n  store ptr %{name}, ptr %own{i}"
        for i, name in enumerate(names)
    )


TEXTS = {
    BLOCKS: f"""
define void @{BLOCKS}({CALL}) nounwind {{
  %at1 = getelementptr ptr, ptr %record, i64 1
  %at2 = getelementptr ptr, ptr %record, i64 2
  %at3 = getelementptr ptr, ptr %record, i64 3
  %at4 = getelementptr ptr, ptr %record, i64 4
  %driver = load ptr, ptr %at1
  %program = load ptr, ptr %at2
  %memory = load ptr, ptr %at3
  %numbers = load ptr, ptr %at4
  call void %driver(ptr %program, i64 %start, i64 %stop, ptr %arrays, ptr %strides, ptr %memory, ptr %numbers)
  ret void
}}""",
    TANGENTS: f"""
define void @{TANGENTS}({CALL}) nounwind {{
  %at1 = getelementptr ptr, ptr %record, i64 1
  %at2 = getelementptr ptr, ptr %record, i64 2
  %at3 = getelementptr ptr, ptr %record, i64 3
  %at4 = getelementptr ptr, ptr %record, i64 4
  %at5 = getelementptr i64, ptr %record, i64 5
  %at6 = getelementptr i64, ptr %record, i64 6
  %at7 = getelementptr ptr, ptr %record, i64 7
  %driver = load ptr, ptr %at1
  %program = load ptr, ptr %at2
  %memory = load ptr, ptr %at3
  %numbers = load ptr, ptr %at4
  %n = load i64, ptr %at5
  %k = load i64, ptr %at6
  %zeros = load ptr, ptr %at7
  %t = load ptr, ptr %arrays
  %a1 = getelementptr ptr, ptr %arrays, i64 1
  %a2 = getelementptr ptr, ptr %arrays, i64 2
  %a3 = getelementptr ptr, ptr %arrays, i64 3
  %y = load ptr, ptr %a1
  %u = load ptr, ptr %a2
  %f = load ptr, ptr %a3
  %dy = getelementptr double, ptr %y, i64 %n
  %du = getelementptr double, ptr %u, i64 %k
  %df = getelementptr double, ptr %f, i64 %n
  %own = alloca [9 x ptr]
  %strides9 = alloca [9 x i64]
  store [9 x i64] zeroinitializer, ptr %strides9
{_stores("t", "y", "u", "zeros", "dy", "du", "zeros", "f", "df")}
  call void %driver(ptr %program, i64 0, i64 1, ptr %own, ptr %strides9, ptr %memory, ptr %numbers)
  ret void
}}""",
}


def record(entry: str, *words: int) -> Words:
    """A record; its address is valid as long as the array and all that the words point to."""
    return np.array([function_of(entry, TEXTS[entry])[1], *words], dtype=np.int64)
