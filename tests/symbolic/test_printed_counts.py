"""Operation counts that pages print are those that are computed."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

import supple
from supple.expressions.function import Operations
from supple.files import read
from support.cases import thinned
from support.jain_rodriguez.models import chain_of, crooked, straight

ROOT = Path(__file__).parents[2]
EIGHT = ("q1", "q2", "q3", "q4", "q5", "q6", "q9", "q10")
ANGLES = ("q4", "q5", "q6", "q9", "q10")


@cache
def page(name: str) -> str:
    """The text of a page, each paragraph on one line."""
    return re.sub(r"\s+", " ", (ROOT / name).read_text(encoding="utf-8"))


@cache
def satellite(route: str = "auto", small: tuple[str, ...] = (), omit: tuple[str, ...] = ()) -> tuple[int, int]:
    """Additions, and everything else, of Sayers' satellite."""
    contents = read(ROOT / "examples" / "ten_dof_satellite.toml")
    settings = contents.equation_arguments()
    found = supple.equations(contents.model, **settings, route=route, small=small, omit=omit).operations
    return found.additions, found.total - found.additions


THEORY = {
    "Kane's method here": ("kane", ()),
    "mass matrix and elimination": ("composite", ()),
    "articulated bodies": ("articulated", ()),
    "Kane's method, the same small": ("kane", EIGHT),
    "mass matrix and elimination, the same small": ("composite", EIGHT),
    "mass matrix and elimination, q4, q5, q6, q9, q10 small": ("composite", ANGLES),
}


@pytest.mark.parametrize("row", THEORY)
def test_the_table_of_the_satellite(row: str) -> None:
    route, small = THEORY[row]
    additions, others = satellite(route, small)
    assert f"| {row} | {additions} | {others} |" in page("docs/theory.md")


def test_sentences_about_the_satellite() -> None:
    """Table 11 of the source has eight small degrees of freedom."""
    (additions, others), (fewer, rest) = satellite(), satellite(small=EIGHT)
    own, theirs = f"{additions} additions and {others}", "628 and 791"
    end = "442 and 514"
    assert f"{own} multiplications, divisions and functions, where AUTOSIM has {theirs};" in page("README.md")
    assert f"with eight of the ten small {fewer} and {rest} instead of {end};" in page("README.md")
    assert f"{own} other operations, where AUTOSIM took {theirs}; {fewer} and {rest} if all but" in page(
        "docs/gallery.md"
    )
    assert f"small, where it took {end}." in page("docs/gallery.md")
    kept, left = satellite(omit=("ignorable",))
    text = f"takes {kept} additions and {left} other operations instead of {additions} and {others}."
    assert text in page("docs/how_to/equations.md")


# ------------------------------------------------------------ flexible chains


CHAINS = [(bodies, modes) for bodies in (3, 6, 9) for modes in (5, 10, 15)]
SPREAD = r"differ between processors, by up to (\d+) % without symmetry and (\d+) % for the straight beam"
"""Between processors: whether a number of a mode is zero, or equals another, is a question of rounding."""


def printed(bodies: int, modes: int) -> list[list[int]]:
    """Products and additions of a row of the theory: of the link without symmetry, of the straight beam."""
    (row,) = re.findall(rf"\| {bodies}, {modes} \|([^|]*)\|([^|]*)\|([^|]*)\|([^|]*)\|", page("docs/theory.md"))
    return [[int(x.replace(",", "")) for x in cell.split("+")] for cell in row[2:]]


@pytest.mark.parametrize(("bodies", "modes"), thinned(CHAINS, [(3, 5)], several=True))
def test_the_table_of_flexible_chains(bodies: int, modes: int) -> None:
    found = re.search(SPREAD, page("docs/theory.md"))
    assert found is not None
    for own, make, percent in zip(printed(bodies, modes), (crooked, straight), found.groups(), strict=True):
        count: Operations = supple.count_operations(chain_of(make(modes), bodies))
        assert own == pytest.approx([count.multiplications, count.additions], rel=int(percent) / 100)


def test_the_front_page_has_the_numbers_of_the_table() -> None:
    (crooked_products, _), (straight_products, _) = printed(9, 15)
    text = (
        f"{crooked_products:,} multiplications for a link without symmetry, {straight_products:,} for a straight beam;"
    )
    assert text in page("README.md")
