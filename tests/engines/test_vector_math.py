"""Elementary functions of vectors, against the same functions in extended precision."""

from __future__ import annotations

import ctypes
import math
import platform
from collections.abc import Callable
from functools import cache
from typing import Any

import llvmlite.binding as llvm
import numpy as np
import pytest
from llvmlite import ir

from supple.engines.vector_math import FUNCTIONS, VectorMath, resolve_libm

Extended = np.longdouble
Apply = Callable[..., list[np.ndarray]]

LANES = (1, 2, 4, 8)
RNG_SIZE = 20_000
SPECIAL = [
    *(
        0.0,
        5e-324,
        1e-310,
        2.3e-308,
        1e-160,
        1e-20,
        1e-8,
        0.25,
        0.5,
        1.0,
        1.5,
        2.0,
        3.0,
        22.0,
        700.0,
        708.0,
        709.7,
        710.0,
    ),
    *(
        745.0,
        746.0,
        2000.0,
        99999.99999999999,
        1e5,
        100000.00000000001,
        1e10,
        1e22,
        1e160,
        1e300,
        1.7e308,
        math.inf,
        math.nan,
    ),
]
SPECIALS = np.array([s * x for x in SPECIAL for s in (1.0, -1.0)])

REFERENCES: dict[str, Callable[..., Any]] = {
    "sin": np.sin,
    "cos": np.cos,
    "tan": np.tan,
    "asin": np.arcsin,
    "acos": np.arccos,
    "atan": np.arctan,
    "atan2": np.arctan2,
    "exp": np.exp,
    "sinh": np.sinh,
    "cosh": np.cosh,
    "tanh": np.tanh,
    "log": np.log,
    "pow": np.power,
    "hypot": np.hypot,
    "sqrt": np.sqrt,
    "abs": np.abs,
    "sign": np.sign,
    "min": np.minimum,
    "max": np.maximum,
}

# Largest error in units in the last place: half of one for what IEEE rounds, one for sine and cosine, else two.
ULP = {"sincos": 1.0, "sin": 1.0, "cos": 1.0, "sqrt": 0.5, "abs": 0.0, "sign": 0.0, "min": 0.0, "max": 0.0}


def random(seed: int) -> np.random.Generator:
    return np.random.default_rng(seed)


def uniform(low: float, high: float, seed: int = 0) -> np.ndarray:
    return random(seed).uniform(low, high, RNG_SIZE)


def spread(low: float, high: float, seed: int = 0, signs: bool = True) -> np.ndarray:
    """Numbers whose decimal exponents are uniform."""
    x = 10.0 ** random(seed).uniform(low, high, RNG_SIZE)
    return x * random(seed + 1).choice([-1.0, 1.0], RNG_SIZE) if signs else x


def near_quarter_turns() -> np.ndarray:
    """The doubles nearest to multiples of pi/2 and to odd multiples of pi/4, and their neighbours."""
    quarter = np.arctan(Extended(1.0))
    x = (np.concatenate([np.arange(2000), np.arange(2000, 127_000, 7)]).astype(Extended) * quarter).astype(float)
    return np.concatenate([x, -np.nextafter(x, np.inf), np.nextafter(x, -np.inf), [29 * math.pi / 2]])


@cache
def arguments(name: str) -> list[tuple[np.ndarray, ...]]:
    """Sets of arguments over the natural domain."""
    if name in ("sin", "cos", "tan"):
        return [(uniform(-8, 8),), (uniform(-1e5, 1e5),), (spread(-310, 300),), (near_quarter_turns(),)]
    if name in ("asin", "acos"):
        return [(uniform(-1, 1),), (spread(-310, 0),), (1.0 - spread(-16, 0, signs=False),)]
    if name == "atan2":
        return [(uniform(-5, 5), uniform(-5, 5, 1)), (spread(-300, 300), spread(-300, 300, 2))]
    if name == "log":
        return [(uniform(0.5, 2),), (1.0 + spread(-16, -0.5),), (spread(-310, 308, signs=False),)]
    if name == "pow":
        return [
            (spread(-3, 3, signs=False), uniform(-10, 10, 2)),
            (spread(-200, 200, signs=False), uniform(-2, 2, 2)),
            (1.0 + spread(-9, -0.5), spread(-3, 5, 2)),
            (uniform(0.5, 2), uniform(-1000, 1000, 1)),
            (uniform(-9, 9), np.round(uniform(-20, 20, 1))),
        ]
    if name == "hypot":
        return [(uniform(-5, 5), uniform(-5, 5, 1)), (spread(-300, 300), spread(-300, 300, 2))]
    if name in ("min", "max"):
        return [(uniform(-5, 5), uniform(-5, 5, 1))]
    if name == "sqrt":
        return [(spread(-310, 308, signs=False),)]
    return [(uniform(-3, 3),), (uniform(-750, 750),), (spread(-310, 2),)]


def loop(module: ir.Module, math_: VectorMath, name: str, results: int) -> None:
    """Emit a function that applies `name` to arrays: (count, arguments ..., results ...)."""
    double, word = ir.DoubleType(), ir.IntType(64)
    arity = FUNCTIONS[name].arity
    kind = ir.FunctionType(ir.VoidType(), [word] + [double.as_pointer()] * (arity + results))
    function = ir.Function(module, kind, f"loop_{name}")
    count, *arrays = function.args
    entry, body, end = (function.append_basic_block() for _ in range(3))
    builder = ir.IRBuilder(entry)
    builder.branch(body)
    builder.position_at_end(body)
    i = builder.phi(word)
    i.add_incoming(word(0), entry)
    places = [builder.bitcast(builder.gep(a, [i], source_etype=double), math_.type.as_pointer()) for a in arrays]
    values = [builder.load(p, align=8) for p in places[:arity]]
    found = math_.sincos(builder, *values) if name == "sincos" else [math_.call(builder, name, *values)]
    for value, place in zip(found, places[arity:], strict=True):
        builder.store(value, place, align=8)
    following = builder.add(i, word(math_.lanes))
    i.add_incoming(following, builder.block)
    builder.cbranch(builder.icmp_signed("<", following, count), body, end)
    builder.position_at_end(end)
    builder.ret_void()


@cache
def compiled(lanes: int, cpu: str = "") -> tuple[Any, dict[str, Apply]]:
    """All functions compiled for this computer or for `cpu`: the engine, which is to be kept, and each on arrays."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    resolve_libm()
    module = ir.Module()
    math_ = VectorMath(module, lanes)
    results = {name: len(FUNCTIONS[name].libm) if name == "sincos" else 1 for name in FUNCTIONS}
    for name in FUNCTIONS:
        loop(module, math_, name, results[name])
    parsed = llvm.parse_assembly(str(module))
    parsed.verify()
    machine = llvm.Target.from_default_triple().create_target_machine(
        cpu=cpu or llvm.get_host_cpu_name(), features="" if cpu else llvm.get_host_cpu_features().flatten(), opt=3
    )
    passes = llvm.create_pass_builder(machine, llvm.PipelineTuningOptions(speed_level=3))
    passes.getModulePassManager().run(parsed, passes)
    engine = llvm.create_mcjit_compiler(parsed, machine)
    engine.finalize_object()

    def on_arrays(name: str) -> Apply:
        address = engine.get_function_address(f"loop_{name}")
        total = FUNCTIONS[name].arity + results[name]
        call = ctypes.CFUNCTYPE(None, ctypes.c_int64, *[ctypes.c_void_p] * total)(address)

        def apply(*arrays: np.ndarray) -> list[np.ndarray]:
            size = len(arrays[0])
            padded = [np.concatenate([a, np.full(-size % lanes, 0.5)]) for a in arrays]
            out = [np.empty_like(padded[0]) for _ in range(results[name])]
            call(len(padded[0]), *(a.ctypes.data for a in (*padded, *out)))
            return [o[:size] for o in out]

        return apply

    return engine, {name: on_arrays(name) for name in FUNCTIONS}


def functions(lanes: int, cpu: str = "") -> dict[str, Apply]:
    return compiled(lanes, cpu)[1]


@cache
def reference(name: str, number: int) -> np.ndarray:
    """The function of the set of arguments, in extended precision."""
    if np.finfo(Extended).nmant < 63:
        pytest.skip("no extended precision on this machine")
    with np.errstate(all="ignore"):
        return np.asarray(REFERENCES[name](*(a.astype(Extended) for a in arguments(name)[number])))


def check(got: np.ndarray, exact: np.ndarray, ulp: float) -> None:
    """Assert that `got` is within `ulp` of `exact`, and that infinities, zeros and what is not a number agree."""
    with np.errstate(all="ignore"):
        rounded = exact.astype(float)
        finite = np.isfinite(rounded) & (np.abs(exact) <= np.finfo(float).max)
        error = np.abs(got.astype(Extended) - exact)[finite] / np.spacing(np.abs(rounded[finite]))
    assert np.array_equal(np.isnan(got), np.isnan(rounded))
    assert np.array_equal(got[np.isinf(rounded)], rounded[np.isinf(rounded)])
    numbers = ~np.isnan(rounded)
    assert np.array_equal(np.signbit(got[numbers]), np.signbit(rounded[numbers]))
    assert error.size
    assert error.max() <= ulp


@pytest.mark.parametrize("name", REFERENCES)
def test_close_to_extended_precision(name: str) -> None:
    for number, values in enumerate(arguments(name)):
        check(functions(4)[name](*values)[0], reference(name, number), ULP.get(name, 2.0))


@pytest.mark.skipif(
    platform.machine() not in ("x86_64", "AMD64"), reason="the older processor is one of the x86 family"
)
@pytest.mark.parametrize("name", REFERENCES)
def test_close_without_fused_multiply_add(name: str) -> None:
    for number, values in enumerate(arguments(name)):
        check(functions(2, "x86-64")[name](*values)[0], reference(name, number), ULP.get(name, 2.0))


@pytest.mark.parametrize("lanes", LANES)
@pytest.mark.parametrize("name", REFERENCES)
def test_all_lane_counts_agree_to_the_bit(name: str, lanes: int) -> None:
    for values in arguments(name):
        assert np.array_equal(functions(lanes)[name](*values)[0], functions(4)[name](*values)[0], equal_nan=True)


@pytest.mark.parametrize("lanes", LANES)
@pytest.mark.parametrize("name", REFERENCES)
def test_special_arguments(name: str, lanes: int) -> None:
    values = [SPECIALS]
    if FUNCTIONS[name].arity == 2:
        values = [v.ravel() for v in np.meshgrid(SPECIALS, SPECIALS)]
    with np.errstate(all="ignore"):
        exact = np.asarray(REFERENCES[name](*(v.astype(Extended) for v in values)))
    if np.finfo(Extended).nmant < 63:
        pytest.skip("no extended precision on this machine")
    if name in ("min", "max"):  # of zeros of both signs either may be returned
        keep = (values[0] != 0.0) | (values[1] != 0.0)
        values, exact = [v[keep] for v in values], exact[keep]
    check(functions(lanes)[name](*values)[0], exact, ULP.get(name, 2.0))


@pytest.mark.parametrize("lanes", LANES)
def test_sincos_is_sin_and_cos(lanes: int) -> None:
    for (x,) in arguments("sin"):
        sine, cosine = functions(lanes)["sincos"](x)
        assert np.array_equal(sine, functions(lanes)["sin"](x)[0])
        assert np.array_equal(cosine, functions(lanes)["cos"](x)[0])


@pytest.mark.parametrize("lanes", [2, 4, 8])
@pytest.mark.parametrize("name", [name for name in FUNCTIONS if FUNCTIONS[name].libm])
def test_a_special_lane_does_not_change_the_others(name: str, lanes: int) -> None:
    ordinary = [np.abs(uniform(0.1, 5, seed)[: 40 * lanes]) for seed in range(FUNCTIONS[name].arity)]
    expected = functions(lanes)[name](*ordinary)
    for lane in range(lanes):
        for special in (math.nan, math.inf, 1e308, -1e306):
            mixed = [a.copy() for a in ordinary]
            for a in mixed:
                a[lane::lanes] = special
            got = functions(lanes)[name](*mixed)
            apart = np.arange(len(ordinary[0])) % lanes != lane
            for g, e in zip(got, expected, strict=True):
                assert np.array_equal(g[apart], e[apart])
                assert not np.array_equal(g[~apart], e[~apart])


@pytest.mark.parametrize("name", ["sin", "tan", "asin", "atan", "sinh", "tanh"])
def test_odd_functions_are_odd_to_the_bit(name: str) -> None:
    for (x,) in arguments(name):
        assert np.array_equal(functions(4)[name](-x)[0], -functions(4)[name](x)[0], equal_nan=True)


def test_a_function_is_emitted_once() -> None:
    module = ir.Module()
    double = ir.DoubleType()
    function = ir.Function(module, ir.FunctionType(double, [double]), "twice")
    builder = ir.IRBuilder(function.append_basic_block())
    first = VectorMath(module, 1).call(builder, "sin", function.args[0])
    builder.ret(VectorMath(module, 1).call(builder, "sin", first))
    assert str(module).count('define internal double @"supple_sin_v1"') == 1


def test_libm_has_an_address_for_every_fallback() -> None:
    needed = {symbol for function in FUNCTIONS.values() for symbol in function.libm}
    addresses = resolve_libm()
    assert needed <= addresses.keys()
    assert all(addresses.values())
