"""Live simulations in a browser or a notebook."""
