"""Printed texts that tests compare letter by letter; run this file to write them anew after a change that is meant."""

from __future__ import annotations

from pathlib import Path

from supple.expressions.printers import c_source, latex, listing, python_source
from supple.files import read
from supple.inputs.law_equations import law_equations
from supple.model.traced_functions import traced
from supple.simulation.run_program import RunSettings

HERE = Path(__file__).parent
EXAMPLES = HERE.parents[1] / "examples"


def texts() -> dict[str, str]:
    """What the printers give now, by the names of the files."""
    pendulum = read(EXAMPLES / "pendulum.toml").model
    cart = read(EXAMPLES / "cart_pendulum.toml").model
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
        **whole_file("gate_with_stops"),
    }


def whole_file(name: str) -> dict[str, str]:
    """The equations of a file with its laws, events and stops."""
    contents = read(EXAMPLES / f"{name}.toml")
    laws = RunSettings.of(contents.model, contents.run_arguments())
    found = law_equations(contents.model, laws.inputs, laws.events, laws.limits)
    return {f"{name}.txt": found.text(), f"{name}.c": found.c_source()}


if __name__ == "__main__":
    for name, text in texts().items():
        (HERE / name).write_text(text, encoding="ascii", newline="\n")
