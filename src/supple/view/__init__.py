"""Looking at models and results: a page with tables, plots and the motion in 3-D, written to a file or live."""

from supple.view.comparison import write_comparison
from supple.view.live_page import LivePage
from supple.view.report import write_report

__all__ = ["LivePage", "write_comparison", "write_report"]
