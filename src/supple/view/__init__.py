"""Looking at models and results: a page with tables, plots and the motion in 3-D, written to a file or live."""

from supple.view.comparison_page import write_comparison
from supple.view.live_page import LivePage
from supple.view.report_page import write_report

__all__ = ["LivePage", "write_comparison", "write_report"]
