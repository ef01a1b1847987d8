"""The graph of expressions: one table of operations, functions of it, derivatives, simplification, printers."""
