"""What results hold, one signal at a time: by name, as tables, as differences of two runs, as files for others."""

from typing import TYPE_CHECKING

from supple.lazy import lazy_names

if TYPE_CHECKING:
    from supple.results.export import write_export
    from supple.results.runs import Runs
    from supple.results.signals import Signal, find_signal

__all__ = ["Runs", "Signal", "find_signal", "write_export"]

_HOMES = {
    "supple.results.export": ("write_export",),
    "supple.results.runs": ("Runs",),
    "supple.results.signals": ("Signal", "find_signal"),
}
__getattr__, __dir__ = lazy_names(__name__, _HOMES)
