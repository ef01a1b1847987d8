"""One mechanism in two formulations, side by side: floating frames and equivalent rigid links."""

from supple.compare.comparison import Comparison
from supple.compare.runs import formulations

__all__ = ["Comparison", "formulations"]
