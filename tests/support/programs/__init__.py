"""Programs that tests start or build: C, FMUs, child processes, commands."""
