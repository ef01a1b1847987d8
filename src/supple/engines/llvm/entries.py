"""One way into all machine code that has arrays of states: a record of words, the first of which is its entry.

    void entry(i64 *record, i64 start, i64 stop, double **arrays, i64 *strides)

evaluates the states start ... stop - 1. The rest of the record is what the entry needs: the kernel of a graph, or the
driver of a program of blocks with that program, its memory and its numbers. Code that calls others (integrators,
rollouts) knows the address of the record alone.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from supple.engines.llvm.jit import function_of

Words = NDArray[np.int64]
CALL = "ptr %record, i64 %start, i64 %stop, ptr %arrays, ptr %strides"
KERNEL, BLOCKS = "supple_enter_kernel", "supple_enter_blocks"
TEXTS = {
    KERNEL: f"""
define void @{KERNEL}({CALL}) nounwind {{
  %at = getelementptr ptr, ptr %record, i64 1
  %kernel = load ptr, ptr %at
  tail call void %kernel(i64 %start, i64 %stop, ptr %arrays, ptr %strides)
  ret void
}}""",
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
}


def record(entry: str, *words: int) -> Words:
    """A record; its address is valid as long as the array and all that the words point to."""
    return np.array([function_of(entry, TEXTS[entry])[1], *words], dtype=np.int64)
