"""Machine code from LLVM code, for the host's processor; kept on disk and read back."""

from __future__ import annotations

import hashlib
import os
from functools import cache
from typing import Any

import llvmlite.binding as llvm

from supple.engines.code_cache import read_code, write_code
from supple.engines.code_cache.code_origin import host_features, host_fuses, optimization_level
from supple.engines.once import once
from supple.engines.vector_math import resolve_libm
from supple.errors import SuppleError

LANES = ("1", "2", "4", "8")
LONG = 6_000
"""Lines beyond which code is optimised by few passes: of 70,000 lines all take 3.5 s and make the code 1 % faster."""


@once
def target_machine() -> Any:
    """The host's processor with all its features. Made once: LLVM is initialised here."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    resolve_libm()
    return own_machine()


@cache
def host_lanes() -> int:
    """States side by side in a batch: `SUPPLE_LANES` if it is set, else the doubles in a vector register of the host.

    A register holds 8, 4 or 2 doubles; 1 where there are none.
    """
    chosen = os.environ.get("SUPPLE_LANES")
    if chosen:
        if chosen not in LANES:
            raise SuppleError(f"environment variable SUPPLE_LANES: expected one of {', '.join(LANES)}, got {chosen!r}")
        return int(chosen)
    features = host_features()
    if features.get("avx512f"):
        return 8
    if features.get("avx") or features.get("sve"):
        return 4
    return 2 if features.get("sse2") or features.get("neon") else 1


def object_code_of(text: str) -> bytes:
    """Compile LLVM code. Functions are inlined and their stack slots dissolved; the graph left no more to be found."""
    machine = target_machine()
    parsed = _parsed(text, machine)
    options = llvm.create_pipeline_tuning_options(speed_level=1)
    builder = llvm.create_pass_builder(machine, options)
    passes = llvm.create_new_module_pass_manager()
    passes.add_always_inliner_pass()
    passes.add_sroa_pass()
    passes.run(parsed, builder)
    code: bytes = machine.emit_object(parsed)
    return code


def optimized_code(text: str, vectors: bool = False) -> bytes:
    """Compile LLVM code with loops and variables, which it takes more to make fast.

    Loops stay loops: those over the entries of a state are short, and unrolled or in vectors they take twice as long to
    compile and no less to run. Those over rows of matrices are worth `vectors`.
    """
    machine = target_machine()
    parsed = _parsed(text, machine)
    options = llvm.create_pipeline_tuning_options(speed_level=2)
    options.loop_unrolling = options.loop_interleaving = options.slp_vectorization = False
    options.loop_vectorization = vectors
    builder = llvm.create_pass_builder(machine, options)
    passes = builder.getModulePassManager() if text.count("\n") < LONG else _few_passes()
    passes.run(parsed, builder)
    code: bytes = machine.emit_object(parsed)
    return code


def _parsed(text: str, machine: Any) -> Any:
    """LLVM code for a machine. Where products and sums may not be fused the compiler is not permitted to.

    Turning off a feature of the processor would not do: AArch64 has none for this.
    """
    parsed = llvm.parse_assembly(text if host_fuses() else text.replace(" contract", ""))
    parsed.triple, parsed.data_layout = machine.triple, str(machine.target_data)
    return parsed


def _few_passes() -> Any:
    """Variables in registers, simpler addresses, no empty blocks, nothing that is not used."""
    passes = llvm.create_new_module_pass_manager()
    passes.add_sroa_pass()
    passes.add_instruction_combine_pass()
    passes.add_simplify_cfg_pass()
    passes.add_aggressive_dce_pass()
    return passes


def loaded(code: bytes, name: str) -> tuple[Any, int]:
    """Machine code in memory, which stays as long as the first of the results, and the address of a function in it."""
    target_machine()
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), own_machine())
    engine.add_object_file(llvm.ObjectFileRef.from_data(code))
    engine.finalize_object()
    address: int = engine.get_function_address(name)
    if not address:
        raise ValueError(f"the object holds no function {name!r}")
    return engine, address


def own_machine() -> Any:
    """A target machine that an engine may own."""
    return llvm.Target.from_default_triple().create_target_machine(
        cpu=llvm.get_host_cpu_name(),
        features=llvm.get_host_cpu_features().flatten(),
        opt=optimization_level(),
        jit=True,
    )


@once
def function_of(name: str, text: str, loops: bool = False) -> tuple[Any, int]:
    """A function of LLVM code in memory, from disk or compiled; see `loaded`. With `loops`, its loops are optimized."""
    key = hashlib.sha256(f"{loops} {text}".encode()).hexdigest()
    code = read_code("functions", key)
    if code is None:
        code = optimized_code(text, True) if loops else object_code_of(text)
        write_code("functions", key, code)
    return loaded(code, name)
