"""Looking at models and results: a page with tables, plots and the motion in 3-D, written to a file or live."""

from typing import TYPE_CHECKING

from supple.lazy import lazy_names

if TYPE_CHECKING:
    from supple.view.campbell_page import write_campbell
    from supple.view.comparison_page import write_comparison
    from supple.view.glb import write_glb
    from supple.view.live_page import LivePage
    from supple.view.modes_page import write_modes
    from supple.view.report_page import write_report
    from supple.view.runs_page import write_runs
    from supple.view.sweep_page import write_sweep

__all__ = [
    "LivePage",
    "write_campbell",
    "write_comparison",
    "write_glb",
    "write_modes",
    "write_report",
    "write_runs",
    "write_sweep",
]

_HOMES = {
    "supple.view.campbell_page": ("write_campbell",),
    "supple.view.comparison_page": ("write_comparison",),
    "supple.view.glb": ("write_glb",),
    "supple.view.live_page": ("LivePage",),
    "supple.view.modes_page": ("write_modes",),
    "supple.view.report_page": ("write_report",),
    "supple.view.runs_page": ("write_runs",),
    "supple.view.sweep_page": ("write_sweep",),
}
__getattr__, __dir__ = lazy_names(__name__, _HOMES)
