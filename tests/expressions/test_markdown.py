"""Pages of Markdown: their structure, the equations of the LaTeX printer, and that no processor spoils them."""

from __future__ import annotations

import html
import re
from pathlib import Path
from typing import Any

import pytest
from markdown_it import MarkdownIt

import supple
from supple.expressions.function import Function
from supple.expressions.graph import Graph
from supple.expressions.printers import latex, listing, markdown
from supple.expressions.printers.writing_plan import planned
from supple.model.trace import Trace
from supple.model.traced_functions import traced
from support.generated.generators import KINDS, random_tree

EXAMPLES = Path(__file__).parents[2] / "examples"
PARAMETERS = ["arm.mass", "arm.com.y", "gravity.y"]
BLOCK = re.compile(r"^\$\$\n\\begin\{aligned\}\n(.*?)\n\\end\{aligned\}\n\$\$$", re.MULTILINE | re.DOTALL)


def equations_of_motion() -> Function:
    t = Trace(supple.files.read(EXAMPLES / "cart_pendulum.toml").model, PARAMETERS)
    outputs = {"rate": t.rates(t.q, t.v), "a": t.forward_dynamics(t.q, t.v, t.tau)}
    return t.function("equations", {"q": t.q, "v": t.v, "tau": t.tau}, outputs)


def awkward() -> Function:
    """Names with characters that mean something in Markdown or in LaTeX, and every kind of symbol."""
    g: Any = Graph()
    x, y, m = g.input("left_leg.x", "s"), g.input("a|b*c*", "s"), g.parameter("left_leg.mass")
    outputs: Any = {
        "two_words": [m * g.sign(x) + y, g.atan2(x, y) * abs(m * y)],
        "M": [[x * y, m], [0.0, 1e-7 * y]],
        "energy": x * x,
    }
    inputs: Any = {"left_leg": [x, y]}
    return Function("my_function", g, inputs, outputs, [m])


def sections(text: str) -> dict[str, str]:
    """What stands under each heading; those of the equations come with their level."""
    parts = re.split(r"^(#+ .*)\n", text, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def rows(table: str) -> list[list[str]]:
    """Cells of a table, the head first and the line under it left out."""
    lines = [line for line in table.strip().splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in (lines[0], *lines[2:])]


def formulas(text: str) -> list[str]:
    """All equations of a page or part of it, in order."""
    return [row for block in BLOCK.findall(text) for row in block.split(" \\cr\n")]


def test_the_page_has_its_parts() -> None:
    f = equations_of_motion()
    text = markdown(f)
    part = sections(text)
    assert [*part] == [
        "# equations",
        "## Operations",
        "## Inputs",
        "## Parameters",
        "## Outputs",
        "## Equations",
        "### Precomputed constants",
        "### Intermediate variables",
        "### Outputs",
    ]
    assert "rates of the coordinates and of the speeds." in part["# equations"]
    assert rows(part["## Operations"]) == [
        ["operation", "each evaluation", "once for all"],
        ["additions", str(f.operations.additions), str(f.precomputed.additions)],
        ["multiplications", str(f.operations.multiplications), str(f.precomputed.multiplications)],
        ["divisions", str(f.operations.divisions), str(f.precomputed.divisions)],
        ["functions", str(f.operations.functions), str(f.precomputed.functions)],
    ]
    assert rows(part["## Inputs"])[1:3] == [["$q_{1}$", "cart.position"], ["$q_{2}$", "arm.angle"]]
    assert rows(part["## Inputs"])[-1] == [r"$\tau_{2}$", "arm.angle"]
    assert rows(part["## Parameters"])[1:] == [[rf"$\text{{{name}}}$", name] for name in PARAMETERS]
    assert rows(part["## Outputs"])[-1] == ["$a_{2}$", "arm.angle"]
    assert len(rows(part["## Outputs"])) == 5
    plan = planned(f)
    assert len(formulas(part["### Precomputed constants"])) == len(plan.constants) > 0
    assert len(formulas(part["### Intermediate variables"])) == len(plan.variables) > 0
    assert len(formulas(part["### Outputs"])) == 4
    assert text.isascii()
    assert text.endswith("$$\n")


@pytest.mark.parametrize("what", ["forward_dynamics", "poses", "energy", "mass_matrix"])
def test_the_equations_are_those_of_latex(what: str) -> None:
    f = traced(random_tree(9, KINDS), what)
    body = latex(f).split("\\begin{align*}\n")[1].split("\n\\end{align*}")[0]
    for broken, whole in {
        " \\\\\n  &\\quad ": " ",
        "\\bigl(": "\\left(",
        "\\bigr)": "\\right)",
        "\\times": "\\,",
    }.items():
        body = body.replace(broken, whole)  # the page has room for long rows
    expected = [row.strip().replace(r"\,", r"\thinspace") for row in body.split(" \\\\\n")]
    found = formulas(markdown(f))
    simple = [row for row in found if r"\nolimits" not in row and not row.startswith(r"\text")]
    assert simple == [row for row in expected if not row.startswith(r"\text")]
    assert [row.replace(r"\mathop{\text{energy}}\nolimits", r"\text{energy}") for row in found] == expected
    assert len(found) > 100


def test_blocks_are_short_and_nothing_is_lost_between_them() -> None:
    f = traced(random_tree(9, KINDS), "forward_dynamics")
    text = markdown(f)
    lengths = [block.count("\n") + 1 for block in BLOCK.findall(text)]
    assert max(lengths) == 25
    assert sum(lengths) == len(planned(f).variables) + f.outputs["a"].size
    assert text.count("$$") == 2 * len(lengths)


def test_without_parameters_there_is_nothing_about_them() -> None:
    part = sections(markdown(traced(supple.files.read(EXAMPLES / "pendulum.toml").model, "mass_matrix")))
    assert "## Parameters" not in part
    assert "### Precomputed constants" not in part
    assert rows(part["## Outputs"])[1:] == [["$M$", "shape (1, 1), row by row"]]


def test_names_mean_nothing_to_markdown() -> None:
    part = sections(markdown(awkward()))
    assert next(iter(part)) == r"# my\_function"
    assert rows(part["## Inputs"])[1:] == [
        [r"$\mathop{\text{left}\underline{\enspace}\text{leg}}\nolimits_{1}$", r"left\_leg.x"],
        [r"$\mathop{\text{left}\underline{\enspace}\text{leg}}\nolimits_{2}$", r"a\|b\*c\*"],
    ]
    assert rows(part["## Parameters"])[1:] == [[r"$\text{left}\underline{\enspace}\text{leg.mass}$", r"left\_leg.mass"]]
    assert rows(part["## Outputs"])[1][1] == "shape (2,)"


@pytest.mark.parametrize("make", [equations_of_motion, awkward])
def test_a_processor_that_knows_no_mathematics_leaves_formulas_as_they_are(make: Any) -> None:
    """It must take nothing for an escape or for italics; then whatever typesets the formulas sees them whole."""
    text = markdown(make())
    rendered = MarkdownIt("commonmark").enable("table").render(text)
    shown = [html.unescape(x) for x in re.findall(r"<p>(\$\$.*?\$\$)</p>", rendered, re.DOTALL)]
    assert shown == [f"$$\n\\begin{{aligned}}\n{block}\n\\end{{aligned}}\n$$" for block in BLOCK.findall(text)]
    assert "<em>" not in rendered
    cells = [html.unescape(x) for x in re.findall(r"<td>(.*?)</td>", rendered)]
    assert [x for x in cells if x.startswith("$")] == re.findall(r"^\| (\$.*?\$) \|", text, re.MULTILINE)
    for row in listing(make()).split("Inputs:\n")[1].split("\n\n")[0].splitlines():
        assert row.split(maxsplit=1)[1] in cells
