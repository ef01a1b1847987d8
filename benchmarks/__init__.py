"""Benchmarks, run as `python -m benchmarks.GROUP.NAME [--small]` in the folder above this one."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
