"""Whole simulations."""
