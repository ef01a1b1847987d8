"""How tests run: settings of the process, made before anything is imported that reads them."""

from __future__ import annotations

import os

# Hundreds of models, each used a few times: code that is quick to compile. `.ci/run` runs a part with usual code again.
os.environ.setdefault("SUPPLE_OPTIMIZATION", "0")
# Workers are as many as processors; threads of linear algebra would take turns with them.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
