"""Looking at models and results: a page with tables, plots and the motion in 3-D, written to a file or live."""

from typing import TYPE_CHECKING

from supple.lazy import lazy_names

if TYPE_CHECKING:
    from supple.view.gltf.writer import write_glb
    from supple.view.live.page import LivePage
    from supple.view.pages.campbell import write_campbell
    from supple.view.pages.comparison import write_comparison
    from supple.view.pages.modes import write_modes
    from supple.view.pages.report import write_report
    from supple.view.pages.runs import write_runs
    from supple.view.pages.sweep import write_sweep

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
    "supple.view.pages.campbell": ("write_campbell",),
    "supple.view.pages.comparison": ("write_comparison",),
    "supple.view.gltf.writer": ("write_glb",),
    "supple.view.live.page": ("LivePage",),
    "supple.view.pages.modes": ("write_modes",),
    "supple.view.pages.report": ("write_report",),
    "supple.view.pages.runs": ("write_runs",),
    "supple.view.pages.sweep": ("write_sweep",),
}
__getattr__, __dir__ = lazy_names(__name__, _HOMES)
