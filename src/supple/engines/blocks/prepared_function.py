"""A function of which some blocks prepare: what they leave in memory serves until they are run again."""

from __future__ import annotations

from supple.engines.blocks.block_program import Program
from supple.engines.blocks.driven_code import Numbers
from supple.engines.llvm.entries import BLOCKS, record


class PreparedFunction:
    """One recording with two entries and one memory; for one thread at a time.

    Parameters
    ----------
    whole : Program
        All blocks.
    rest : Program
        Some of these blocks, which read what the others have left.
    numbers : array
        All numbers that they load.

    Attributes
    ----------
    renewed, kept : int
        Addresses of the records (see `entries`) of all blocks, and of the rest.
    weight : int
        Operations of all blocks.
    """

    def __init__(self, whole: Program, rest: Program, numbers: Numbers) -> None:
        self.weight = whole.weight
        self._loaded = [program.loaded(1) for program in (whole, rest)]
        self._memory, self._numbers = self._loaded[0].memory(), numbers
        data = self._memory.ctypes.data, numbers.ctypes.data
        self._records = [record(BLOCKS, x.driver, x.words.ctypes.data, *data) for x in self._loaded]
        self.renewed, self.kept = (int(x.ctypes.data) for x in self._records)

    def foresee(self, evaluations: int) -> None:
        """Tell how often other machine code is about to call it, see `Tiers.foresee`."""
        for x in self._loaded:
            x.tiers.foresee(evaluations)
