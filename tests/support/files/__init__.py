"""Files of other programs, robots, and damaged ones."""
