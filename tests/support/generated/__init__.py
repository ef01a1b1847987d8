"""Random models and graphs."""
