"""Many runs: rollouts, lanes, sweeps."""
