"""Sums of products as chains of fused multiply-adds.

What is fused is written out, not left to the compiler: code is then the same to the last bit at every level of
optimization, and may be interpreted first and compiled when it has run for a while.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from supple.engines.code_cache.code_origin import host_fuses

Term = tuple[bool, int]
"""Whether it is subtracted; the number of the operation."""


class Chain(NamedTuple):
    """A sum: what it begins with, or nothing, and products that are added to it one after the other."""

    start: Any
    minus: bool
    products: tuple[Term, ...]


def fused_sums(operations: Sequence[tuple[Any, ...]], stored: Iterable[Any]) -> tuple[dict[int, Chain], set[int]]:
    """Sums that are chains, and the operations that are parts of these, which nobody else reads.

    A sum of products alone has no start yet: what is added to it becomes its start, which saves an operation.

    Parameters
    ----------
    operations : sequence
        See `Block.of`.
    stored : iterable
        Operands that are read once more.
    """
    uses = [0] * len(operations)
    for operation in operations:
        if operation[0] != "load":
            for x in operation[1:]:
                if type(x) is int:
                    uses[x] += 1
    for x in stored:
        if type(x) is int:
            uses[x] += 1
    chains: dict[int, Chain] = {}
    parts: set[int] = set()
    for i, operation in enumerate(operations):
        if operation[0] != "add" and operation[0] != "sub":
            continue
        _, a, b = operation
        first = _products(a, False, uses, operations, chains)
        second = _products(b, operation[0] == "sub", uses, operations, chains)
        if first and second:
            chains[i] = Chain(None, False, first + second if len(first) >= len(second) else second + first)
            parts |= {a, b}
        elif first:
            chains[i] = Chain(b, operation[0] == "sub", first)
            parts.add(a)
        elif second:
            chains[i] = Chain(a, False, second)
            parts.add(b)
    return chains, parts


def _products(
    x: Any, minus: bool, uses: list[int], operations: Sequence[tuple[Any, ...]], chains: dict[int, Chain]
) -> tuple[Term, ...]:
    """The products that an operand is the sum of, if nobody else reads it; none for any other operand."""
    if type(x) is not int or uses[x] > 1:
        return ()
    if operations[x][0] == "mul":
        return ((minus, x),)
    chain = chains.get(x)
    if chain is None or chain.start is not None:
        return ()
    return tuple((minus != own, product) for own, product in chain.products)


def declaration(kind: str, lanes: int) -> list[str]:
    """What a module with fused products declares."""
    return [f"declare {kind} @{_function(lanes)}({kind}, {kind}, {kind})"] if host_fuses() else []


def chain_lines(name: str, kind: str, lanes: int, start: str, products: Sequence[tuple[bool, str, str]]) -> list[str]:
    """LLVM code of a chain.

    Parameters
    ----------
    name : str
        Of the result.
    kind : str
        Type of a value.
    lanes : int
    start : str
        What the chain begins with; the first product that is added if empty.
    products : sequence of (bool, str, str)
        Whether it is subtracted, and the factors.
    """
    lines = []
    if not start:
        at = next((n for n, (minus, *_) in enumerate(products) if not minus), 0)
        minus, x, y = products[at]
        products = [*products[:at], *products[at + 1 :]]
        start = f"{name}.s" if products else name
        if minus:
            lines.append(f"{name}.m = fneg {kind} {x}")
            x = f"{name}.m"
        lines.append(f"{start} = fmul {kind} {x}, {y}")
    for n, (minus, x, y) in enumerate(products):
        result = name if n == len(products) - 1 else f"{name}.{n}"
        if not host_fuses():
            lines.append(f"{result}.p = fmul {kind} {x}, {y}")
            lines.append(f"{result} = {'fsub' if minus else 'fadd'} {kind} {start}, {result}.p")
        else:
            if minus:
                lines.append(f"{result}.m = fneg {kind} {x}")
                x = f"{result}.m"
            lines.append(f"{result} = call {kind} @{_function(lanes)}({kind} {x}, {kind} {y}, {kind} {start})")
        start = result
    return lines


def _function(lanes: int) -> str:
    return f"llvm.fma.{'f64' if lanes == 1 else f'v{lanes}f64'}"
