"""Running a model in time."""
