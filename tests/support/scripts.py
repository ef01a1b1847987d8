"""Scripts of the pages by themselves, run by Node.js where it is installed."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

import supple
from supple.view.scene.look import look

STATIC = Path(supple.__file__).parent / "view" / "static"
node = pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")


def evaluated(expression: str, *scripts: str) -> Any:
    """The value of an expression after these scripts, as JSON."""
    text = "\n".join([f"const LOOK = {json.dumps(look())};", *((STATIC / name).read_text() for name in scripts)])
    found = subprocess.run(
        ["node", "--input-type=module", "-e", f"{text}\nconsole.log(JSON.stringify({expression}));"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.returncode == 0, found.stderr
    return json.loads(found.stdout)
