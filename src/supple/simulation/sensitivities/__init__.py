"""How a motion changes with parameters and with the state at its start."""
