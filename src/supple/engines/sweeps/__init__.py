"""The compiler of the recursions' own language: plain Python over numbers, tuples and arrays, in loops."""
