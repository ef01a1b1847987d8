"""One call: forward dynamics, derivatives, counts of bodies and modes."""
