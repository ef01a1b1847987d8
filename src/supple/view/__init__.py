"""Looking at results: one HTML page with tables, plots and the motion in 3-D."""

from supple.view.report import write_report

__all__ = ["write_report"]
