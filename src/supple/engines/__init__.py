"""How a recursion is run, cached and given its working arrays."""
