"""The algorithms, each once, over numbers of any type."""
