"""Timing the dynamics of one model, beside the peers that are installed."""

from supple.bench.timing import best_time, timing_table

__all__ = ["best_time", "timing_table"]
