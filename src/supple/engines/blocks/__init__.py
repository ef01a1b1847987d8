"""Machine code in blocks: the structure of a recursion is compiled, its numbers are loaded."""
