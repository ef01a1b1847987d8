"""Elementary functions of vectors of doubles, as LLVM code: one state in each SIMD lane."""

from supple.engines.vector_math.functions import FUNCTIONS, VectorMath
from supple.engines.vector_math.libm import resolve_libm

__all__ = ["FUNCTIONS", "VectorMath", "resolve_libm"]
