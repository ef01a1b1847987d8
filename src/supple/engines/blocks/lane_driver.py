"""The driver of lanes that go their own way: steps and output times inside, states outside.

Every group of lanes goes through all its steps before the next group begins, so that its numbers are gathered once and
its cells stay in the cache.
"""

from __future__ import annotations

from supple.engines.blocks.driver import BLOCKS, HEADER, INPUTS, OUTPUTS, SPAN, DriverWriter

LANE_DRIVER = "supple_lane_driver"
ARGUMENTS = (
    "ptr %program, i64 %start, i64 %stop, ptr %arrays, ptr %strides, ptr %memory, ptr %rows, ptr %loop, ptr %times"
)
TIME, STEP, FROM, TO, LENGTH, SAMPLES, COUNTS = range(7)
"""Words of a loop: cells of the time and of the length of a step; what is fed back after each evaluation, from a cell
to another, so many; how many samples; then the evaluations before each sample."""


def lane_driver_text(lanes: int) -> str:
    """The driver in LLVM code.

        void driver(i64 *program, i64 start, i64 stop, double **arrays, i64 *strides, double *memory,
                    i64 *rows, i64 *loop, double *times)

    The program is that of `driver_text`, whose blocks take all numbers from memory. An array has a row for each sample
    of a state, `rows` apart, or one for all if that is 0; those of a state begin at its stride times its number. For
    each sample there are the time and the length of a step in `times`: evaluation i before it is at time + i length.
    """
    f = _LaneDriver(f"define void @{LANE_DRIVER}({ARGUMENTS}) nounwind", lanes)
    inputs, outputs, blocks, span = (f.load("i64", "%program", str(i)) for i in (INPUTS, OUTPUTS, BLOCKS, SPAN))
    count = f.value(f"add i64 {inputs}, {outputs}")
    calls = f.at("i64", f.at("i64", "%program", str(HEADER)), f.value(f"shl i64 {count}, 1"))
    samples = f.load("i64", "%loop", str(SAMPLES))
    with f.loop("%start", "%stop", span) as first:
        after = f.least(f.value(f"add i64 {first}, {span}"), "%stop")
        with f.loop(first, after, lanes) as state:
            f.gather(first, state, inputs)
        with f.loop("0", samples) as sample:
            f.sample = sample
            with f.loop(first, after, lanes) as state, f.loop("0", inputs) as i:
                own = f.value(f"icmp ne i64 {f.load('i64', '%rows', i)}, 0")
                with f.loop("0", f.value(f"zext i1 {own} to i64")):
                    f.gather_array(f.memory(first, state), state, i)
            at = f.value(f"shl i64 {sample}, 1")
            begin, length = f.load("double", "%times", at), f.load("double", "%times", f.value(f"add i64 {at}, 1"))
            with f.loop("0", f.load("i64", f.at("i64", "%loop", str(COUNTS)), sample)) as n:
                since = f.value(f"fmul double {f.value(f'sitofp i64 {n} to double')}, {length}")
                time = f.value(f"fadd double {begin}, {since}")
                with f.loop(first, after, lanes) as state:
                    f.spread(f.memory(first, state), TIME, time)
                    f.spread(f.memory(first, state), STEP, length)
                with f.loop("0", blocks) as b:
                    call = f.at("i64", calls, f.value(f"shl i64 {b}, 1"))
                    function, table = f.load("ptr", call), f.load("ptr", call, "1")
                    with f.loop(first, after, lanes) as state:
                        f.line(f"call void {function}(ptr {f.memory(first, state)}, ptr null, ptr {table})")
                with f.loop(first, after, lanes) as state:
                    f.feed_back(f.memory(first, state))
            with f.loop(first, after, lanes) as state:
                f.scatter(first, state, inputs, count)
            f.sample = ""
    return f.text()


class _LaneDriver(DriverWriter):
    """The text of the driver."""

    sample = ""
    """The number of the sample whose rows are read and written; the first if there is none."""

    def rows(self, array: str, state: str) -> list[str]:
        """Where the rows of the states in the lanes begin."""
        begin = super().rows(array, state)
        if not self.sample:
            return begin
        offset = self.value(f"mul i64 {self.load('i64', '%rows', array)}, {self.sample}")
        return [self.at("double", row, offset) for row in begin]

    def word_cell(self, memory: str, word: int) -> str:
        """Where the cell begins that a word of the loop names."""
        return self.cell(memory, self.load("i64", "%loop", str(word)))

    def spread(self, memory: str, word: int, x: str) -> None:
        """Put a number into all lanes of a cell."""
        one = self.value(f"insertelement {self.type} poison, double {x}, i64 0")
        all_of_it = f"<{self.lanes} x i32> zeroinitializer"
        x = self.value(f"shufflevector {self.type} {one}, {self.type} poison, {all_of_it}")
        self.line(f"store {self.type} {x}, ptr {self.word_cell(memory, word)}, align {8 * self.lanes}")

    def feed_back(self, memory: str) -> None:
        """Copy results to inputs, for the next evaluation."""
        source, target = self.word_cell(memory, FROM), self.word_cell(memory, TO)
        with self.loop("0", self.load("i64", "%loop", str(LENGTH))) as j:
            x = self._value(source, j)
            self.line(f"store {self.type} {x}, ptr {self.cell(target, j)}, align {8 * self.lanes}")
