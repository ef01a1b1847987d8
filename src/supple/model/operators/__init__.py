"""The spatial operators of a state as objects: linear maps that are applied by recursions and never stored."""
