"""Printed texts that tests compare letter by letter; run this file to write them anew after a change that is meant."""

from __future__ import annotations

from pathlib import Path

import supple
from supple.expressions.printers import c_source, latex, listing, python_source
from supple.model.traced_functions import traced

HERE = Path(__file__).parent
EXAMPLES = HERE.parents[1] / "examples"


def texts() -> dict[str, str]:
    """What the printers give now, by the names of the files."""
    pendulum = supple.load(EXAMPLES / "pendulum.toml")
    cart = supple.load(EXAMPLES / "cart_pendulum.toml")
    plain = traced(pendulum, "forward_dynamics")
    general = traced(cart, "forward_dynamics", ["arm.mass", "arm.com.y", "gravity.y"])
    return {
        "pendulum.txt": listing(plain),
        "pendulum.c": c_source(plain),
        "pendulum.tex": latex(plain),
        "pendulum.py.txt": python_source(plain),
        "cart_pendulum.txt": listing(traced(cart, "forward_dynamics")),
        "cart_pendulum_energy.txt": listing(traced(cart, "energy")),
        "cart_pendulum_parameters.txt": listing(general),
        "cart_pendulum_parameters.c": c_source(general),
        "cart_pendulum_parameters.tex": latex(general),
        "cart_pendulum_parameters.py.txt": python_source(general),
        "cart_pendulum_parameters_no_numpy.py.txt": python_source(general, numpy=False),
    }


if __name__ == "__main__":
    for name, text in texts().items():
        (HERE / name).write_text(text, encoding="ascii", newline="\n")
