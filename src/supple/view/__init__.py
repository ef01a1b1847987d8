"""Looking at models and results: a page with tables, plots and the motion in 3-D, written to a file or live."""

from typing import TYPE_CHECKING

from supple.lazy import lazy_names

if TYPE_CHECKING:
    from supple.view.campbell_page import write_campbell
    from supple.view.comparison_page import write_comparison
    from supple.view.live_page import LivePage
    from supple.view.report_page import write_report

__all__ = ["LivePage", "write_campbell", "write_comparison", "write_report"]

_HOMES = {
    "supple.view.campbell_page": ("write_campbell",),
    "supple.view.comparison_page": ("write_comparison",),
    "supple.view.live_page": ("LivePage",),
    "supple.view.report_page": ("write_report",),
}
__getattr__ = lazy_names(__name__, _HOMES)
