"""Straight-line machine code from graphs: one state a SIMD lane."""
