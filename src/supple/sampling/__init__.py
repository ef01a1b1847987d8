"""Cases of sweeps: distributions of numbers, designs of experiments, tables of cases."""
